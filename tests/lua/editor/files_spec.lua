-- Files that other programs write while their buffers are open.
local Child = require("tests.lua.child")

local START = [[
  messages = {}
  vim.notify = function(text) table.insert(messages, text) end
  require("claudecode.editor.files").watch_start()
]]

---@param count integer
---@param change fun(lines: string[])?
---@return string
local function text(count, change)
  local lines = {}
  for i = 1, count do
    lines[i] = "line " .. i
  end
  if change then
    change(lines)
  end
  return table.concat(lines, "\n") .. "\n"
end

describe("a file that another program changes", function()
  local child

  after_each(function()
    child:stop()
  end)

  ---@param opts table
  local function start(opts)
    opts.setup = START .. (opts.setup or "")
    child = Child.start(opts)
    return child
  end

  ---@param name string
  local function buffer_is(name, expected)
    child:wait(([[
      local buf = require("claudecode.editor.buffers").find(%q)
      return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, true), "\n") == %q
    ]]):format(child:path(name), (expected:gsub("\n$", ""))))
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

  it("may change while the user is in any mode", function()
    start({ files = { ["a.txt"] = text(100) }, args = { "a.txt" }, ui = { 80, 20 } })
    for i, keys in ipairs({ "GVkk", "Gvkkl", "G<C-v>kk", "i", "d", "R", ":e", "/x", "q:", '"', "r", "gh" }) do
      child:input(keys)
      child:write("a.txt", text(i % 2 == 1 and 20 or 100))
      if child:blocked() then
        child:input("<Esc>")
      end
      child:wait(("return vim.api.nvim_buf_line_count(1) == %d"):format(i % 2 == 1 and 20 or 100))
      assert.are.equal("", child:lua("return vim.v.errmsg"), keys)
      child:input("<C-\\><C-n>")
      child:wait("return vim.api.nvim_get_mode().mode == 'n' and vim.fn.getcmdwintype() == ''")
    end
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
