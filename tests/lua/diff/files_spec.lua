-- Files of every kind, and that a proposal looks like its file but starts nothing.
local stage = require("tests.lua.diff.stage")

describe("a diff", function()
  local child

  after_each(function()
    child:stop()
  end)

  ---@param rel string
  ---@param text string?
  local function propose(rel, text)
    assert.is_true(stage.propose(child, rel, text or stage.NEW).ok)
    child:wait("return #events == 1 and vim.b.claudecode_diff_tab_name ~= nil")
  end
  local function close()
    child:lua("require('claudecode.diff').close('diff', 1)")
    stage.wait_closed(child)
  end
  ---The lines of the two windows.
  ---@return string[] file
  ---@return string[] proposal
  local function sides()
    local both = child:lua([[
      local function lines(win) return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false) end
      return { lines(events[1].target_window), lines(events[1].diff_window) }
    ]])
    return both[1], both[2]
  end

  for _, name in ipairs({
    "with blanks.txt",
    "r/$id/q.ts",
    "app/[slug]/p.tsx",
    "100%.txt",
    "a#b.txt",
    "é ü.txt",
    "~tilde",
    "{a,b}*?.txt",
    "back\\slash.txt",
    "'quote\".txt",
    "-dash",
    "+plus",
  }) do
    it("is of a file named " .. name, function()
      child = stage.start({ files = { [name] = stage.OLD }, setup = "vim.cmd('enew')" })
      local before = child:lua("return picture()")
      propose(name)
      local old, new = sides()
      assert.are.same({ "alpha", "beta", "gamma" }, old)
      assert.are.same({ "alpha", "BETA", "gamma" }, new)
      assert.are.equal(child:path(name) .. " (proposed)", child:lua("return vim.api.nvim_buf_get_name(0)"))
      child:keys(":w<CR>")
      close()
      child:write(name, stage.NEW)
      assert.are.same({}, stage.differences(before, child:lua("return picture()")))
    end)
  end

  local THROWERS = {
    Lua = "callback = function() error('BOOM') end",
    ["Vim script"] = "command = 'throw \"BOOM\"'",
    ["an unknown command"] = "command = 'NoSuchCommand'",
  }
  for kind, body in vim.spairs(THROWERS) do
    it("is shown in spite of autocommands of the user's that throw, in " .. kind, function()
      child = stage.start({ args = { "b.txt" } })
      child:lua([[
        local group = vim.api.nvim_create_augroup("thrower", {})
        for _, event in ipairs({
          "BufNew", "BufAdd", "BufReadPre", "BufReadPost", "WinNew", "FileType", "BufFilePre", "BufFilePost",
          "BufUnload", "BufDelete", "BufWipeout", "BufHidden", "Syntax",
        }) do
          vim.api.nvim_create_autocmd(event, { group = group, ]] .. body .. [[ })
        end
      ]])
      for _, name in ipairs({ "a.txt", "new.lua" }) do
        child:lua("events = {}")
        assert.are.same({ ok = true }, stage.propose(child, name, stage.NEW))
        child:wait("return #events == 1")
        assert.is_false(child:blocked())
        local old, new = sides()
        assert.are.same(name == "a.txt" and { "alpha", "beta", "gamma" } or { "" }, old)
        assert.are.same({ "alpha", "BETA", "gamma" }, new)
        child:lua("require('claudecode.diff').close('diff', 1)")
        stage.wait_closed(child)
        assert.is_false(child:blocked())
      end
    end)
  end

  it("is shown when a BufReadCmd of the user's throws", function()
    child = stage.start({ args = { "b.txt" } })
    child:lua("vim.api.nvim_create_autocmd('BufReadCmd', { callback = function() error('BOOM') end })")
    assert.are.same({ ok = true }, stage.propose(child, "a.txt", stage.NEW))
    child:wait("return #events == 1")
    assert.are.same({ "alpha", "beta", "gamma" }, (sides()))
    assert.is_false(child:blocked())
  end)

  it("is of a new file, in a directory that is not there", function()
    child = stage.start({ args = { "b.txt" } })
    local before = child:lua("return picture()")
    for _ = 1, 2 do
      child:lua("events = {} answers = {}")
      propose("no/such dir/new.lua", "return 1\n")
      assert.are.same({ "" }, (sides()))
      assert.are.equal(
        child:path("no/such dir/new.lua") .. " (NEW FILE - proposed)",
        child:lua("return vim.api.nvim_buf_get_name(0)")
      )
      assert.is_true(child:lua("return events[1].is_new_file"))
      child:keys(":q<CR>")
      stage.wait_closed(child)
      assert.are.same({}, stage.differences(before, child:lua("return picture()")))
    end
    child:lua("events = {}")
    propose("no/such dir/new.lua", "return 1\n")
    child:keys(":w<CR>")
    close()
    assert.is_nil(vim.uv.fs_stat(child:path("no")))
    child:write("no/such dir/new.lua", "return 1\n")
    vim.wait(100)
    child:lua("require('claudecode.diff').client_gone(1)")
    assert.are.same({}, child:lua("return said"))
    assert.are.same({}, stage.differences(before, child:lua("return picture()")))
  end)

  it("is of a new file that the user has begun in a buffer", function()
    child = stage.start({ args = { "new.txt" } })
    child:keys("imine<Esc>")
    propose("new.txt", "Claude's\n")
    assert.are.same({ "mine" }, (sides()))
    assert.matches("unsaved", child:lua("return said[1]"))
  end)

  it("compares with unsaved changes, says so, and loses none", function()
    for _, hidden in ipairs({ "hidden", "nohidden" }) do
      child = stage.start({ args = { "a.txt" } })
      child:keys(":set " .. hidden .. "<CR>Goedited<Esc>")
      local before = child:lua("return picture()")
      propose("a.txt")
      assert.are.same({ "alpha", "beta", "gamma", "edited" }, (sides()))
      assert.matches("a.txt has unsaved edits", child:lua("return said[1]"))
      child:keys(":w<CR>")
      close()
      child:write("a.txt", stage.NEW)
      assert.are.same({}, stage.differences(before, child:lua("return picture()")))
      assert.are.equal("edited", child:lua("return vim.fn.getline(4)"))
      child:stop()
    end
  end)

  it("finds the buffer of the file under another name, hidden, or not loaded", function()
    child = stage.start({ args = { "b.txt" } })
    vim.uv.fs_symlink("a.txt", child:path("link.txt"))
    child:lua("vim.cmd('badd link.txt | badd c.txt')")
    local before = child:lua("return picture()")
    propose("a.txt")
    assert.are.equal(
      child:path("link.txt"),
      child:lua("return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(events[1].target_window))")
    )
    close()
    assert.are.same({}, stage.differences(before, child:lua("return picture()")))
    child:lua("vim.cmd('edit link.txt | normal! ix') vim.cmd('undo | buffer b.txt') events = {}")
    before = child:lua("return picture()")
    propose("a.txt")
    close()
    assert.are.same({}, stage.differences(before, child:lua("return picture()")))
  end)

  it("is of a file that may only be read", function()
    child = stage.start({ args = { "b.txt" } })
    vim.uv.fs_chmod(child:path("a.txt"), tonumber("444", 8))
    propose("a.txt")
    child:keys("Goend<Esc>:w<CR>")
    assert.are.equal(stage.NEW .. "end\n", child:lua("return answers[1].text"))
  end)

  it("is not stopped by the swap file of another editor", function()
    local other = stage.start({ args = { "b.txt" } })
    local dir = other:path("swap")
    vim.fn.mkdir(dir)
    child = stage.start({ args = { "b.txt" }, env = { NOTHING = "1" } })
    local swapping = "vim.o.directory = ... vim.o.swapfile = true vim.o.updatecount = 1"
    other:lua(swapping, dir .. "//")
    other:lua("vim.cmd.edit(...) vim.cmd('normal! ox') vim.cmd('preserve')", child:path("a.txt"))
    child:lua(swapping, dir .. "//")
    child:lua("vim.cmd('silent! autocmd! nvim_swapfile') vim.cmd('silent! autocmd! nvim.swapfile')")
    assert.are.equal(1, #vim.fn.glob(dir .. "/*a.txt*", true, true))
    propose("a.txt")
    assert.is_false(child:blocked())
    assert.are.same({ "alpha", "beta", "gamma" }, (sides()))
    child:keys(":w<CR>")
    close()
    assert.are.same({}, child:lua("return said"))
    other:stop()
  end)

  it("has the colours of its file, and neither language server, linter nor formatter", function()
    child = stage.start({
      files = { ["a.lua"] = "local a = 1\n", ["b.txt"] = "b\n", ["a.py"] = "a = 1\n" },
      args = { "b.txt" },
      setup = [[
        vim.cmd("syntax on")
        _G.started = {}
        vim.api.nvim_create_autocmd({ "FileType", "BufReadPost", "BufNewFile", "BufWritePre", "BufWritePost", "BufNew",
          "BufAdd", "BufFilePost", "LspAttach" }, {
          callback = function(event)
            if event.event == "FileType" and event.match == "lua" then
              vim.lsp.start({ name = "fake", cmd = function(dispatchers)
                return {
                  request = function(_, _, callback) callback(nil, { capabilities = {} }) return true, 1 end,
                  notify = function() end, is_closing = function() return false end,
                  terminate = function() dispatchers.on_exit(0, 0) end,
                }
              end, root_dir = vim.uv.cwd() }, { bufnr = event.buf })
            end
            if vim.api.nvim_buf_get_name(event.buf):find("proposed") then table.insert(started, event.event) end
          end,
        })
      ]],
    })
    propose("a.lua", "local b = 2\n")
    assert.are.equal("lua", child:lua("return vim.bo.filetype"))
    child:wait("return #vim.lsp.get_clients({ bufnr = buffer_of('a.lua') }) == 1")
    child:keys("Aabc<Esc>:w<CR>")
    assert.are.same({}, child:lua("return started"))
    assert.are.same({}, child:lua("return vim.lsp.get_clients({ bufnr = 0 })"))
    assert.is_true(child:lua([[
      local buf = vim.api.nvim_get_current_buf()
      return vim.treesitter.highlighter.active[buf] ~= nil or vim.fn.synID(1, 1, 1) ~= 0
    ]]))
    close()
    child:lua("events = {}")
    propose("a.py", "def b():\n  return 2\n")
    assert.are.equal("python", child:lua("return vim.bo.filetype"))
    assert.are.equal("pythonStatement", child:lua("return vim.fn.synIDattr(vim.fn.synID(1, 1, 1), 'name')"))
  end)

  it("attaches no language server that Neovim starts by itself, before or while it is open", function()
    child = stage.start({ files = { ["a.lua"] = "local a = 1\n", ["b.txt"] = "b\n" }, args = { "b.txt" } })
    if not child:lua("return vim.lsp.enable ~= nil") then
      return -- Neovim 0.10
    end
    child:lua([[
      vim.cmd("filetype plugin indent on | syntax on")
      for _, name in ipairs({ "one", "two" }) do
        vim.lsp.config(name, {
          filetypes = { "lua" }, root_dir = function(_, found) found(vim.uv.cwd()) end,
          cmd = function(dispatchers)
            return {
              request = function(_, _, callback) callback(nil, { capabilities = {} }) return true, 1 end,
              notify = function() end, is_closing = function() return false end,
              terminate = function() dispatchers.on_exit(0, 0) end,
            }
          end,
        })
      end
      vim.lsp.enable("one")
    ]])
    propose("a.lua", "local b = 2\n")
    child:lua("PROPOSAL = vim.api.nvim_get_current_buf() vim.lsp.enable('two')")
    child:wait("return #vim.lsp.get_clients({ bufnr = buffer_of('a.lua') }) == 2")
    child:keys("Aabc<Esc>:edit!<CR>")
    assert.are.same({}, child:lua("return vim.lsp.get_clients({ bufnr = PROPOSAL })"))
    child:keys(":w<CR>")
    close()
    assert.are.equal("local b = 2\n", child:lua("return answers[1].text"))
  end)

  it("is marked and told as other plugins expect", function()
    child = stage.start({ args = { "b.txt" } })
    propose("a.txt")
    local event = child:lua("return events[1]")
    assert.are.same({
      name = "Opened",
      tab_name = "diff",
      file_path = child:path("a.txt"),
      new_file_path = child:path("a.txt"),
      is_new_file = false,
      diff_window = child:lua("return vim.api.nvim_get_current_win()"),
      target_window = event.target_window,
      tab_number = 1,
    }, event)
    assert.are.same(
      { "acwrite", "diff", event.diff_window, event.target_window, false, false },
      child:lua([[return { vim.bo.buftype, vim.b.claudecode_diff_tab_name, vim.b.claudecode_diff_new_win,
        vim.b.claudecode_diff_target_win, vim.bo.buflisted, vim.bo.swapfile }]])
    )
    child:keys(":q<CR>")
    stage.wait_closed(child)
    child:wait("return #events == 2")
    assert.are.same(
      { name = "Closed", tab_name = "diff", file_path = child:path("a.txt"), reason = "rejected" },
      child:lua("return events[2]")
    )
  end)

  it("is decided although handlers of its events fail, and no prompt comes up", function()
    child = stage.start({ args = { "b.txt" } })
    child:lua([[
      vim.api.nvim_create_autocmd("User", {
        pattern = "ClaudeCodeDiff*",
        callback = function() error(("long\n"):rep(50)) end,
      })
      vim.api.nvim_create_autocmd({ "WinEnter", "WinLeave", "BufEnter" }, { callback = function() error("mine") end })
    ]])
    stage.propose(child, "a.txt", stage.NEW)
    vim.wait(50)
    while child:blocked() do
      child:input("<CR>") -- what the user's own BufEnter does is the user's
      vim.wait(20)
    end
    child:lua("vim.api.nvim_clear_autocmds({ event = { 'WinEnter', 'WinLeave', 'BufEnter' } })")
    child:lua("require('claudecode.diff').accept_current()")
    assert.are.equal(1, child:lua("return #answers"))
    close()
    assert.is_false(child:blocked())
  end)

  it("of two clients on the same file is two diffs, and leaves no option behind", function()
    child = stage.start({ args = { "a.txt" } })
    local before = child:lua("return picture()")
    stage.propose(child, "a.txt", "1\n", { tab_name = "first", client = 1 })
    stage.propose(child, "a.txt", "2\n", { tab_name = "second", client = 2 })
    child:wait("return #events == 2")
    assert.are.equal("a.txt (2) (proposed)", child:lua("return vim.fn.bufname()"))
    child:lua("require('claudecode.diff').close('first', 1)")
    child:lua("require('claudecode.diff').close('second', 2)")
    stage.wait_closed(child)
    assert.are.same({}, stage.differences(before, child:lua("return picture()")))
  end)

  it("shows the first difference of a long text", function()
    local lines = {}
    for i = 1, 2000 do
      lines[i] = "line " .. i
    end
    child = stage.start({ files = { ["a.txt"] = table.concat(lines, "\n") .. "\n" }, args = { "a.txt" } })
    lines[1500] = "changed"
    propose("a.txt", table.concat(lines, "\n") .. "\n")
    assert.are.equal(1500, child:lua("return vim.fn.line('.')"))
    local screen = table.concat(child:wait_screen("changed"), "\n")
    assert.matches("line 1500 .*changed", screen)
  end)
end)
