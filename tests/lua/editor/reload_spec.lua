-- What a reload keeps: places in the text, undo, the bytes, and the peace of the user.
local follow = require("tests.lua.editor.follow")

local text = follow.text

describe("the new text of a file", function()
  local child

  after_each(function()
    child:stop()
  end)

  local function start(opts)
    child = follow.start(opts)
  end

  local function buffer_is(name, expected)
    follow.buffer_is(child, name, expected)
  end

  it("is read again, with cursors, views, folds and marks on their text", function()
    start({
      files = { ["a.txt"] = text(100) },
      args = { "a.txt" },
      ui = { 80, 40 },
      setup = [[
        vim.cmd("split")
        top, bottom = unpack(vim.api.nvim_tabpage_list_wins(0))
        vim.api.nvim_win_call(bottom, function()
          vim.cmd("setlocal foldmethod=manual | 20,25fold | 60,70fold | 60foldopen")
        end)
        vim.api.nvim_win_set_cursor(top, { 50, 3 })
        vim.api.nvim_win_set_cursor(bottom, { 80, 3 })
        vim.api.nvim_buf_set_mark(0, "a", 55, 2, {})
        vim.api.nvim_buf_set_mark(0, "b", 10, 2, {})
        vim.api.nvim_buf_set_mark(0, "C", 90, 2, {})
        ns = vim.api.nvim_create_namespace("test")
        extmark = vim.api.nvim_buf_set_extmark(0, ns, 54, 5, {})
        vim.cmd("redraw")
        function view(win)
          return vim.api.nvim_win_call(win, function()
            return { cursor = vim.api.nvim_win_get_cursor(0), top_text = vim.fn.getline("w0"),
              folds = vim.iter(ipairs(vim.fn.getline(1, "$"))):map(function(i, l)
                return vim.fn.foldlevel(i) > 0 and (l .. (vim.fn.foldclosed(i) == i and " closed" or "")) or nil
              end):totable() }
          end)
        end
      ]],
    })
    local top, bottom = child:lua("return view(top)"), child:lua("return view(bottom)")
    child:write(
      "a.txt",
      text(100, function(lines)
        lines[10] = "another line 10"
        lines[55] = "line 55, changed"
        table.insert(lines, 15, "new one")
        table.insert(lines, 15, "new two")
      end)
    )
    child:wait("return vim.api.nvim_buf_line_count(0) == 102", 1000)
    child:lua("vim.cmd('redraw')")
    local top_after, bottom_after = child:lua("return view(top)"), child:lua("return view(bottom)")
    assert.are.same({ 52, 3 }, top_after.cursor)
    assert.are.same({ 82, 3 }, bottom_after.cursor)
    assert.are.equal(top.top_text, top_after.top_text)
    assert.are.equal(bottom.top_text, bottom_after.top_text)
    assert.are.same(bottom.folds, bottom_after.folds)
    assert.are.same({ 57, 2 }, child:lua("return vim.api.nvim_buf_get_mark(0, 'a')"))
    assert.are.same({ 10, 2 }, child:lua("return vim.api.nvim_buf_get_mark(0, 'b')"))
    assert.are.same({ 92, 2 }, vim.list_slice(child:lua("return vim.api.nvim_buf_get_mark(0, 'C')"), 1, 2))
    assert.are.same({ 56, 5 }, child:lua("return vim.api.nvim_buf_get_extmark_by_id(0, ns, extmark, {})"))
    assert.is_false(child:lua("return vim.bo.modified"))
  end)

  it("can be undone in one step, which is an unsaved change, and redone", function()
    start({ files = { ["a.txt"] = text(5) }, args = { "a.txt" } })
    child:keys("omine<Esc>")
    child:keys("ostill typing")
    child:lua("vim.cmd('silent write')") -- as plugins do that save while the user types
    child:write("a.txt", "one\nthree\n")
    buffer_is("a.txt", "one\nthree")
    child:lua("vim.fn.append('$', 'by a script, in the same breath') vim.cmd('silent undo')")
    assert.are.equal("one,three", child:lua("return table.concat(vim.fn.getline(1, '$'), ',')"))
    child:keys("<Esc>u")
    assert.are.equal("line 1,mine,still typing", child:lua("return table.concat(vim.fn.getline(1, 3), ',')"))
    child:keys("u")
    assert.are.equal("line 1,mine", child:lua("return table.concat(vim.fn.getline(1, 2), ',')"))
    assert.is_true(child:lua("return vim.bo.modified"))
    child:keys("u")
    assert.are.equal(text(5), child:lua("return table.concat(vim.fn.getline(1, '$'), '\\n') .. '\\n'"))
    assert.is_true(child:lua("return vim.bo.modified"))
    child:keys("<C-r><C-r><C-r>")
    assert.are.equal("one,three", child:lua("return table.concat(vim.fn.getline(1, '$'), ',')"))
  end)

  it("is read into an empty buffer, shown or hidden, in whatever encoding it comes", function()
    start({ args = { "shown.txt" }, setup = "vim.cmd('edit hidden.txt | edit shown.txt')", ui = { 60, 20 } })
    for _, name in ipairs({ "shown.txt", "hidden.txt" }) do
      child:write(name, "caf\233\n")
      buffer_is(name, "caf\195\169")
      child:lua("vim.cmd('checktime')")
      assert.is_false(child:blocked())
    end
  end)

  it("keeps its bytes through a reload and a write", function()
    start({ files = { ["a.txt"] = "one\n" }, args = { "a.txt" }, setup = "vim.o.fixendofline = false" })
    local texts = {
      "no end of line",
      "",
      "\n",
      "\n\n",
      "one\r\ntwo\r\n",
      "one\r\ntwo",
      "mixed\r\nlines\n",
      "\239\187\191bom\n",
      "caf\233\n",
      "na\195\175ve\n",
      "nul\0byte\n",
      "\255\254h\0i\0\n\0",
      "one\n",
    }
    for _, bytes in ipairs(texts) do
      child:write("a.txt", bytes)
      child:wait(
        ([[
        local copy = vim.fn.tempname()
        vim.cmd("silent noautocmd write! " .. copy)
        local file = assert(io.open(copy, "rb"))
        local got = file:read("*a")
        file:close()
        return got == %q and not vim.bo.modified
      ]]):format(bytes),
        2000
      )
    end
  end)

  it("is decoded as before when its encoding is not UTF-8", function()
    start({ files = { ["a.txt"] = "caf\233\n" }, args = { "a.txt" } })
    assert.are.equal("latin1", child:lua("return vim.bo.fileencoding"))
    child:write("a.txt", "th\233\n")
    buffer_is("a.txt", "th\195\169")
    child:write("a.txt", "th\195\169!\n")
    buffer_is("a.txt", "th\195\169!")
  end)

  it("is left to the plugin that stands between its bytes and the text", function()
    start({
      files = { ["a.rot"] = "uryyb\n" },
      setup = [[
        vim.api.nvim_create_autocmd("BufReadPost", { pattern = "*.rot", callback = function()
          vim.cmd("silent normal! ggVGg?")
          vim.api.nvim_buf_set_lines(0, 0, 0, true, { "decrypted" })
          vim.bo.modified = false
        end })
        vim.cmd.edit("a.rot")
      ]],
    })
    child:write("a.rot", "jbeyq\n")
    buffer_is("a.rot", "decrypted\nworld")
  end)

  it("is never written by the plugin that writes it for the user", function()
    start({
      files = { ["a.own"] = "one\n" },
      setup = [[
        writes = 0
        vim.api.nvim_create_autocmd("BufWriteCmd", { pattern = "*.own", callback = function() writes = writes + 1 end })
        vim.cmd.edit("a.own")
      ]],
    })
    child:write("a.own", "two\n")
    buffer_is("a.own", "two")
    child:wait("return not vim.bo.modified")
    assert.are.equal(0, child:lua("return writes"))
  end)

  it("keeps the undo history that is stored on disk", function()
    start({
      files = { ["a.txt"] = "one\n" },
      init = "vim.o.undofile = true vim.o.undodir = vim.env.HOME",
      setup = "vim.cmd.edit('a.txt')",
    })
    child:keys("omine<Esc>")
    child:lua("vim.cmd('silent write')")
    child:write("a.txt", "theirs\n")
    buffer_is("a.txt", "theirs")
    child:lua("vim.cmd('bwipeout | edit a.txt')")
    child:keys("u")
    assert.are.same({ "one", "mine" }, child:lua("return vim.fn.getline(1, '$')"))
  end)

  it("is read again without 'autoread', with 'nomodifiable', 'readonly' and 'undoreload' in the way", function()
    start({
      files = { ["a.txt"] = text(3) },
      args = { "a.txt" },
      init = "vim.o.autoread = false vim.o.undoreload = 0",
      setup = "vim.bo.modifiable = false vim.bo.readonly = true",
      ui = { 60, 20 },
    })
    child:write("a.txt", "two\n")
    buffer_is("a.txt", "two")
    assert.is_false(child:blocked())
    assert.are.same({ false, true, false }, child:lua("return { vim.bo.modifiable, vim.bo.readonly, vim.bo.modified }"))
    child:lua("vim.bo.modifiable = true vim.cmd('silent undo')")
    assert.are.equal(3, child:lua("return vim.api.nvim_buf_line_count(0)"))
  end)

  it("brings up no dialog about a swap file", function()
    start({ files = { ["a.txt"] = "one\n" }, ui = { 60, 20 } })
    child:lua([[
      vim.o.swapfile, vim.o.updatecount, vim.o.directory = true, 200, vim.env.HOME
      vim.cmd("edit a.txt | preserve")
      local swap = vim.fn.swapname(0)
      local file = assert(io.open(swap, "rb"))
      local bytes = file:read("*a")
      file:close()
      vim.cmd("bwipeout! | view a.txt") -- Of a read-only buffer the swap file is made at the first change.
      file = assert(io.open(swap, "wb"))
      file:write(bytes)
      file:close()
    ]])
    child:write("a.txt", "two\n")
    buffer_is("a.txt", "two")
    assert.is_false(child:blocked())
    assert.are.equal("", child:lua("return vim.v.errmsg"))
  end)

  it("does not write to the disk, even with all events ignored", function()
    start({ files = { ["a.txt"] = text(3) }, args = { "a.txt" }, setup = "vim.o.eventignore = 'all'", ui = { 60, 20 } })
    for bytes, lines in pairs({ ["two\n"] = "two", ["caf\233\n"] = "caf\195\169" }) do
      local path = child:write("a.txt", bytes)
      local before = vim.uv.fs_stat(path)
      buffer_is("a.txt", lines)
      child:wait("return not vim.bo.modified")
      local after = vim.uv.fs_stat(path)
      assert.are.same({ before.mtime, before.ino, before.ctime }, { after.mtime, after.ino, after.ctime })
      assert.is_false(child:blocked())
    end
    assert.are.equal("all", child:lua("return vim.o.eventignore"))
    assert.are.equal("", child:lua("return vim.bo.buftype"))
  end)
end)
