-- checkDocumentDirty and saveDocument.
local Child = require("tests.lua.child")
local tool = require("tests.lua.tools.call")

describe("a document", function()
  local child

  ---@param opts table?
  local function start(opts)
    child = Child.start(vim.tbl_extend("keep", opts or {}, {
      files = { ["sub/c.txt"] = "c\n", ["a.txt"] = "a\n" },
      ui = { 80, 20 },
      setup = [[
        messages = {}
        vim.notify = function(text) table.insert(messages, text) end
        require("claudecode.editor.files").watch_start()
        vim.cmd("edit sub/c.txt")
      ]],
    }))
  end

  after_each(function()
    child:stop()
  end)

  local function dirty(name)
    return tool.json(child, "check_document_dirty", { filePath = name })
  end

  local function save(name)
    return tool.json(child, "save_document", { filePath = name or "sub/c.txt" })
  end

  it("is dirty when it has unsaved changes, by its exact name", function()
    start()
    local path = child:path("sub/c.txt")
    assert.are.same({ success = true, filePath = path, isDirty = false, isUntitled = false }, dirty(path))
    child:keys("omine<Esc>")
    assert.are.same({ success = true, filePath = path, isDirty = true, isUntitled = false }, dirty("file://" .. path))
    for _, other in ipairs({ child:path("sub/c"), child:path("c.txt"), child:path("sub/*"), child:path("a.txt") }) do
      local closed = { success = false, message = "Document not open: " .. other }
      assert.are.same(closed, dirty(other))
      assert.are.same(closed, save(other))
    end
    assert.are.equal("c\n", child:read("sub/c.txt"))
    assert.is_true(#dirty(("x"):rep(2 ^ 22)).message < 200)
  end)

  it("is saved as by :write, with the user's autocommands", function()
    start()
    child:lua([[
      vim.api.nvim_create_autocmd("BufWritePre", { callback = function(event)
        vim.api.nvim_buf_set_lines(event.buf, -1, -1, true, { "formatted " .. vim.fn.expand("<afile>:t") })
      end })
    ]])
    child:keys("omine<Esc>")
    child:lua("vim.cmd('edit a.txt')")
    assert.are.same(
      { success = true, filePath = child:path("sub/c.txt"), saved = true, message = "Document saved successfully" },
      save()
    )
    assert.are.equal("c\nmine\nformatted c.txt\n", child:read("sub/c.txt"))
    assert.is_false(dirty("sub/c.txt").isDirty)
    assert.are.equal("a.txt", child:lua("return vim.fn.expand('%')"))
  end)

  it("is not written when it has no unsaved changes", function()
    start()
    local before = vim.uv.fs_stat(child:path("sub/c.txt"))
    assert.is_true(save().saved)
    assert.are.same(before, vim.uv.fs_stat(child:path("sub/c.txt")))
  end)

  ---@param pattern string
  local function is_refused(pattern)
    local answer = save()
    assert.is_false(child:blocked())
    assert.are.same({ false, false, child:path("sub/c.txt") }, { answer.success, answer.saved, answer.filePath })
    assert.matches(pattern, answer.message)
    assert.not_matches("\n", answer.message)
    assert.not_matches("traceback", answer.message)
    assert.is_true(child:lua("return vim.bo[vim.fn.bufnr('c.txt')].modified"))
  end

  for _, confirm in ipairs({ false, true }) do
    it("is not saved, without a question, when it is read-only; 'confirm' " .. tostring(confirm), function()
      start()
      child:lua("vim.o.confirm = ...", confirm)
      child:keys("omine<Esc>")
      child:lua("vim.bo.readonly = true")
      is_refused("'readonly' option is set")
      assert.are.equal("c\n", child:read("sub/c.txt"))
      assert.are.equal(confirm, child:lua("return vim.o.confirm"))
    end)

    it("is not saved, without a question, when another program changed it; 'confirm' " .. tostring(confirm), function()
      start()
      child:lua("vim.o.confirm = ...", confirm)
      child:keys("omine<Esc>")
      child:write("sub/c.txt", "theirs\n")
      is_refused("changed on disk")
      is_refused("changed on disk")
      assert.are.equal("theirs\n", child:read("sub/c.txt"))
      child:wait("return #messages == 1")
      child:lua("vim.cmd('silent write!')")
      child:keys("omore<Esc>")
      assert.is_true(save().saved)
      assert.are.equal("c\nmine\nmore\n", child:read("sub/c.txt"))
    end)
  end

  it("is not saved when the folder is gone or an autocommand refuses", function()
    start()
    child:keys("omine<Esc>")
    vim.fn.delete(child:path("sub"), "rf")
    is_refused("E212")
    child:lua(
      "vim.api.nvim_create_autocmd('BufWritePre', { once = true, callback = function() error('no\\nway') end })"
    )
    is_refused("^Document not saved: no$")
    child:lua("vim.api.nvim_create_autocmd('BufWriteCmd', { callback = function() end })")
    is_refused("still has unsaved changes")
  end)
end)
