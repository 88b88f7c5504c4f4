-- Files that other programs write while their buffers are open.
local Child = require("tests.lua.child")
local follow = require("tests.lua.editor.follow")

local START, text = follow.START, follow.text

describe("a file that another program changes", function()
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

  it("is written by the user afterwards without a question", function()
    start({ files = { ["a.txt"] = "one\n" }, args = { "a.txt" }, ui = { 80, 20 } })
    child:write("a.txt", "two\n")
    buffer_is("a.txt", "two")
    child:keys("Amine<Esc>")
    child:input(":write<CR>")
    child:wait("return not vim.bo.modified", 2000)
    assert.are.equal("twomine\n", child:read("a.txt"))
    assert.are.equal(0, child:lua("vim.cmd('silent checktime') return #messages"))
  end)

  it("is read again when it was renamed over the old one, in a hidden buffer too", function()
    start({ files = { ["a.txt"] = "one\n", ["b.txt"] = "b\n" }, args = { "a.txt" }, setup = "vim.cmd('edit b.txt')" })
    for _, new in ipairs({ "two\n", "three\n" }) do
      child:write("a.txt.tmp", new)
      assert(vim.uv.fs_rename(child:path("a.txt.tmp"), child:path("a.txt")))
      buffer_is("a.txt", new)
    end
  end)

  it("is read again when the buffer was opened by a symlink to another folder", function()
    child = Child.start({ files = { ["real/a.txt"] = "one\n" } })
    assert(vim.uv.fs_symlink(child:path("real/a.txt"), child:path("link.txt")))
    child:lua("vim.cmd.edit('link.txt')" .. START)
    for _, new in ipairs({ "two", "three" }) do
      child:write("real/a.txt", new .. "\n")
      buffer_is("link.txt", new)
    end
  end)

  it("stays as it is in a dirty buffer, with one warning, and :write still asks", function()
    start({ files = { ["a.txt"] = "one\n" }, args = { "a.txt" }, ui = { 60, 20 } })
    child:keys("Amine<Esc>")
    child:write("a.txt", "two\n")
    child:wait("return #messages == 1", 2000)
    child:write("a.txt", "three\n")
    child:lua("vim.cmd('checktime')")
    child:write("b.txt", "")
    child:lua("vim.cmd.edit('b.txt') vim.cmd('buffer 1')")
    child:write("b.txt", "seen")
    buffer_is("b.txt", "seen") -- By now the watch has come past the third text of a.txt.
    assert.is_false(child:blocked())
    assert.are.same({ "claudecode: a.txt changed on disk; unsaved edits stay" }, child:lua("return messages"))
    assert.are.equal("onemine", child:lua("return vim.fn.getline(1)"))
    child:input(":write<CR>")
    child:wait_screen("WARNING: The file has been changed since reading it!!!", 2000)
    child:input("n")
    assert.are.equal("three\n", child:read("a.txt"))
  end)

  it("comes in when the user undoes the edits that kept it out", function()
    start({ files = { ["a.txt"] = "one\n" }, args = { "a.txt" }, ui = { 60, 20 } })
    child:keys("Amine<Esc>")
    child:write("a.txt", "two\n")
    child:wait("return #messages == 1", 2000)
    child:keys("u")
    buffer_is("a.txt", "two")
    child:keys("Amore<Esc>")
    child:write("a.txt", "three\n")
    child:wait("return #messages == 2", 2000)
  end)

  it("makes a dirty buffer clean when it is what the user had not saved", function()
    start({ files = { ["a.txt"] = "one\n" }, args = { "a.txt" } })
    child:keys("cctwo<Esc>")
    child:write("a.txt", "two\n")
    child:wait("return not vim.bo.modified")
    assert.are.equal(0, child:lua("return #messages"))
  end)

  it("is left alone when it is deleted, and read when it comes back", function()
    start({ files = { ["a.txt"] = "one\n" }, args = { "a.txt" }, ui = { 60, 20 } })
    assert(vim.uv.fs_unlink(child:path("a.txt")))
    child:write("b.txt", "")
    child:lua("vim.cmd.edit('b.txt')")
    child:write("b.txt", "seen")
    buffer_is("b.txt", "seen")
    buffer_is("a.txt", "one")
    assert.is_false(child:blocked())
    child:write("a.txt", "two\n")
    buffer_is("a.txt", "two")
  end)

  it("is followed into a folder that was removed and made again", function()
    start({ files = { ["sub/sub"] = "one\n", ["sub/a.txt"] = "a\n" }, args = { "sub/a.txt" } })
    child:write("sub/sub", "an entry with the folder's own name")
    child:write("sub/a.txt", "b\n")
    buffer_is("sub/a.txt", "b")
    vim.fn.delete(child:path("sub"), "rf")
    child:write("sub/a.txt", "c\n")
    child:lua("require('claudecode.editor.files').reload()")
    buffer_is("sub/a.txt", "c")
    child:write("sub/a.txt", "d\n")
    buffer_is("sub/a.txt", "d")
  end)

  it("is read into the empty buffer of a file that was not there", function()
    start({ args = { "new.txt" } })
    child:write("new.txt", "hello\n")
    buffer_is("new.txt", "hello")
    child:lua("vim.cmd('checktime') vim.cmd('silent write')")
    assert.are.equal("hello\n", child:read("new.txt"))
  end)

  it("is not touched by our own writes", function()
    start({
      files = { ["a.txt"] = "one\n", ["b.txt"] = "b\n" },
      args = { "a.txt" },
      setup = [[
        reloads = 0
        vim.api.nvim_create_autocmd("FileChangedShellPost", { callback = function() reloads = reloads + 1 end })
      ]],
    })
    child:keys("Amine<Esc>")
    child:lua("vim.cmd('silent write') tick = vim.b.changedtick vim.cmd('split b.txt')")
    child:write("b.txt", "seen\n")
    buffer_is("b.txt", "seen")
    assert.is_true(child:lua("return vim.api.nvim_buf_get_changedtick(1) == tick"))
    assert.are.equal(1, child:lua("return reloads"))
  end)

  it("may change while the user is in any mode", function()
    start({ files = { ["a.txt"] = text(100) }, args = { "a.txt" }, ui = { 80, 20 } })
    for i, keys in ipairs({ "GVkk", "Gvkkl", "G<C-v>kk", "i", "d", "R", ":e", "/x", "q:", '"', "r", "gh" }) do
      child:input(keys)
      child:write("a.txt", text(i % 2 == 1 and 20 or 100))
      if child:blocked() or vim.tbl_contains({ "d", ":e", "/x", "q:" }, keys) then
        child:input("<C-\\><C-n>")
      end
      child:wait(("return vim.api.nvim_buf_line_count(1) == %d"):format(i % 2 == 1 and 20 or 100))
      assert.are.equal("", child:lua("return vim.v.errmsg"), keys)
      child:input("<C-\\><C-n>")
      child:wait("return vim.api.nvim_get_mode().mode == 'n' and vim.fn.getcmdwintype() == ''")
    end
  end)

  it("waits for the end of a command that stands on the text", function()
    start({ files = { ["a.txt"] = ("one\ntwo\nthree\n"):rep(20) }, args = { "a.txt" }, ui = { 80, 20 } })
    child:input(":%s/e/E/gc<CR>")
    child:wait_screen("replace with")
    child:write("a.txt", "q\ne\n")
    vim.wait(300) -- The watch settles within 50 ms.
    child:input("yya")
    child:wait("return not vim.api.nvim_get_mode().blocking")
    assert.are.equal("onE,two,thrEE", child:lua("return table.concat(vim.fn.getline(1, 3), ',')"))
    assert.are.equal(60, child:lua("return vim.fn.line('$')"))
    child:lua("vim.cmd('silent write!')")
    child:input("d")
    child:write("a.txt", "x\n")
    vim.wait(300)
    assert.are.equal(60, child:lua("return vim.fn.line('$')"))
    child:input("<Esc>")
    buffer_is("a.txt", "x")
  end)

  it("raises no question with the events of the user's own handlers", function()
    start({
      files = { ["a.txt"] = "one\n" },
      args = { "a.txt" },
      init = [[
        seen = {}
        vim.api.nvim_create_autocmd({ "FileChangedShell", "FileChangedShellPost" }, { callback = function(event)
          table.insert(seen, event.event)
        end })
      ]],
      ui = { 60, 20 },
    })
    child:write("a.txt", "two\n")
    buffer_is("a.txt", "two")
    assert.are.same({ "FileChangedShellPost" }, child:lua("return seen"))
  end)

  it("comes in without a prompt when a handler of the user's fails", function()
    start({
      files = { ["a.txt"] = "one\n" },
      args = { "a.txt" },
      setup = "vim.api.nvim_create_autocmd('FileChangedShellPost', { callback = function() error('broken') end })",
      ui = { 60, 20 },
    })
    for _, bytes in ipairs({ "two\n", "caf\233\n", "three\n" }) do -- The second is read by Neovim itself.
      child:write("a.txt", bytes)
      buffer_is("a.txt", (bytes:gsub("\233", "é")))
      assert.is_false(child:blocked())
    end
  end)

  it("is found by reload() without a watch", function()
    child = Child.start({ files = { ["a.txt"] = "one\n", ["b.txt"] = "b\n" }, args = { "a.txt" } })
    child:lua("vim.cmd('split b.txt')")
    child:write("a.txt", "two\n")
    child:write("b.txt", "c\n")
    child:lua("require('claudecode.editor.files').reload({ ... })", child:path("a.txt"))
    buffer_is("a.txt", "two")
    buffer_is("b.txt", "b")
    child:lua("require('claudecode.editor.files').reload()")
    buffer_is("b.txt", "c")
  end)

  it("is found at the start of the watch if it changed before", function()
    child = Child.start({ files = { ["a.txt"] = "one\n" }, args = { "a.txt" } })
    child:write("a.txt", "two and more\n")
    child:lua(START)
    buffer_is("a.txt", "two and more")
  end)

  it("is not said to have changed when a dirty buffer is there before the watch", function()
    child = Child.start({ files = { ["a.txt"] = "one\n", ["b.txt"] = "b\n" }, args = { "a.txt" } })
    child:keys("Amine<Esc>")
    child:lua(START .. "require('claudecode.editor.files').reload() vim.cmd('split b.txt')")
    child:write("b.txt", "seen\n")
    buffer_is("b.txt", "seen")
    assert.are.equal(0, child:lua("return #messages"))
  end)

  it("is no longer followed after watch_stop()", function()
    start({ files = { ["a.txt"] = "one\n" }, args = { "a.txt" } })
    local function watches()
      return #vim.fn.systemlist({ "sh", "-c", "grep -h '^inotify wd' /proc/" .. child.pid .. "/fdinfo/*" })
    end
    if vim.uv.os_uname().sysname == "Linux" then
      assert(vim.wait(1000, function()
        return watches() == 1
      end))
    end
    child:lua("local files = require('claudecode.editor.files') files.watch_stop() files.watch_stop()")
    if vim.uv.os_uname().sysname == "Linux" then
      assert.are.equal(0, watches())
    end
    assert.are.equal(0, child:lua("return #vim.api.nvim_get_autocmds({ event = 'FileChangedShell' })"))
  end)
end)
