-- What is not ours stays as it is: other windows, focus, modes, half-typed commands, sessions.
local stage = require("tests.lua.diff.stage")

describe("a diff", function()
  local child

  after_each(function()
    child:stop()
  end)

  local function close()
    child:lua("require('claudecode.diff').close('diff', 1)")
    stage.wait_closed(child)
  end

  ---Runs the scene, opens and closes a diff of a.txt, and compares.
  ---@param scene string
  ---@param while_open? string Lua that returns whether all is as it should be.
  ---@param keys? string Close it so, instead of by its client.
  local function leaves_as_it_was(scene, while_open, keys)
    child = stage.start({ files = { ["a.txt"] = stage.OLD, ["b.txt"] = "one\ntwo\nthree\n", ["c.txt"] = "1\n2\n3\n" } })
    child:lua(scene)
    child:keys("")
    local before = child:lua("return picture()")
    assert.is_true(stage.propose(child, "a.txt", stage.NEW).ok)
    child:wait("return #events == 1")
    if while_open then
      assert.is_true(child:lua(while_open))
    end
    if keys then
      child:keys(keys)
      stage.wait_closed(child)
    else
      close()
    end
    child:wait("return vim.api.nvim_get_mode().mode == " .. vim.inspect(before.mode))
    assert.are.same({}, stage.differences(before, child:lua("return picture()")))
    assert.are.same({}, child:lua("return said"))
  end

  it("leaves a diff of the user's alone and takes a tab of its own", function()
    leaves_as_it_was(
      "vim.cmd('edit b.txt | vert diffsplit c.txt | normal! G') KEPT = vim.api.nvim_list_wins()",
      [[
        for _, win in ipairs(KEPT) do
          if not vim.wo[win].diff or vim.api.nvim_win_get_tabpage(win) ~= 1 then return false end
        end
        return #vim.api.nvim_list_tabpages() == 2
      ]]
    )
  end)

  it("shows the first difference side by side, with the focus elsewhere too", function()
    for _, keeps in ipairs({ false, true }) do
      local lines = {}
      for i = 1, 1000 do
        lines[i] = "line " .. i
      end
      local old = table.concat(lines, "\n") .. "\n"
      child = stage.start({ files = { ["a.txt"] = old, ["b.txt"] = "b\n" }, args = { "a.txt" } })
      child:lua(
        [[require("claudecode.config").setup({ diff_opts = { keep_terminal_focus = ... } })
        vim.cmd("200 | botright 10split | terminal cat")]],
        keeps
      )
      stage.propose(child, "a.txt", (old:gsub("line 800\n", "line 800 and more\nnew\n")))
      child:wait("return #events == 1")
      local row = vim.iter(child:screen()):find(function(line)
        return line:find("line 800 and more", 1, true)
      end)
      assert.matches("line 800 +.*line 800 and more", row)
      child:stop()
    end
    child = stage.start()
  end)

  it("makes a window beside a lone terminal", function()
    leaves_as_it_was(
      "vim.cmd('terminal cat') vim.cmd('only') KEPT = vim.api.nvim_get_current_buf()",
      "return #vim.api.nvim_list_wins() == 3 and #vim.fn.win_findbuf(KEPT) == 1"
    )
  end)

  it("does not use quickfix, preview, 'winfixbuf' and tree windows", function()
    leaves_as_it_was(
      [[
        vim.cmd("edit b.txt | setlocal winfixbuf")
        vim.cmd("pedit c.txt")
        vim.fn.setqflist({ { filename = "c.txt", lnum = 1, text = "x" } })
        vim.cmd("copen 5")
        vim.cmd("topleft 20vnew | setlocal buftype=nofile winfixwidth")
        KEPT = {}
        for _, win in ipairs(vim.api.nvim_list_wins()) do KEPT[win] = vim.api.nvim_win_get_buf(win) end
      ]],
      [[
        for win, buf in pairs(KEPT) do
          if vim.api.nvim_win_get_buf(win) ~= buf or vim.wo[win].diff then return false end
        end
        return true
      ]]
    )
  end)

  it("is shown below a float that has the focus", function()
    leaves_as_it_was(
      [[
        vim.cmd("edit b.txt")
        FLOAT = vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true,
          { relative = "editor", row = 2, col = 2, width = 20, height = 3 })
      ]],
      "return vim.api.nvim_win_is_valid(FLOAT) and vim.api.nvim_win_get_config(events[1].diff_window).relative == ''"
    )
  end)

  for name, keys in vim.spairs({ ["its client"] = false, [":q"] = ":q<CR>" }) do
    it("keeps every view, however long the texts are, when it is closed by " .. name, function()
      leaves_as_it_was(
        [[
          local lines = {}
          for i = 1, 500 do lines[i] = "line " .. i end
          vim.fn.writefile(lines, "b.txt")
          vim.fn.writefile(lines, "a.txt")
          vim.cmd("edit a.txt | 300 | normal! zt2l")
          vim.cmd("split b.txt | 250 | normal! zb")
          vim.cmd("split | 10")
          vim.cmd("resize 5")
          vim.cmd("wincmd b")
          vim.cmd("split | resize 6 | 400")
          require("claudecode.config").setup({ auto_start = false, diff_opts = { layout = "horizontal" } })
        ]],
        nil,
        keys or nil
      )
    end)
  end

  it("keeps folds made by hand, open and closed ones", function()
    leaves_as_it_was([[
      local lines = {}
      for i = 1, 60 do lines[i] = "line " .. i end
      vim.fn.writefile(lines, "a.txt")
      vim.cmd("edit a.txt | 3,5fold | 12,14fold | 10,20fold | 30,40fold")
      vim.cmd("normal! 12GzO")
    ]])
    assert.are.same(
      { 3, -1, -1, 30, 5, 1, 2 },
      child:lua([[
        local closed, level = vim.fn.foldclosed, vim.fn.foldlevel
        return { closed(4), closed(11), closed(13), closed(35), vim.fn.foldclosedend(3), level(11), level(13) }
      ]])
    )
  end)

  for _, layout in ipairs({ "vertical", "horizontal" }) do
    for _, splitkeep in ipairs({ "screen", "topline" }) do
      it(("keeps the view of a window that it takes, with 'splitkeep' %s (%s)"):format(splitkeep, layout), function()
        leaves_as_it_was(([[
          require("claudecode.config").setup({ auto_start = false, diff_opts = { layout = %q } })
          vim.o.splitkeep = %q
          local lines = {}
          for i = 1, 300 do lines[i] = "line " .. i end
          vim.fn.writefile(lines, "b.txt")
          vim.cmd("edit c.txt | split b.txt | 150")
          vim.cmd.redraw()
        ]]):format(layout, splitkeep))
      end)
    end
  end

  it("leaves the height of the command line in other tabs alone", function()
    child =
      stage.start({ args = { "b.txt" }, setup = "vim.cmd('tabnew c.txt') vim.o.cmdheight = 5 vim.cmd.tabfirst()" })
    stage.propose(child, "a.txt", stage.NEW)
    child:wait("return #events == 1")
    child:lua("vim.cmd.tablast()")
    local before = child:lua("return vim.o.cmdheight")
    assert.are.equal(5, before)
    close()
    assert.are.equal(before, child:lua("return vim.o.cmdheight"))
    assert.are.equal(1, child:lua("vim.cmd.tabfirst() return vim.o.cmdheight"))
  end)

  it("keeps the level of folds of the file from other files in its window", function()
    leaves_as_it_was("vim.cmd('edit a.txt | setlocal foldlevel=2')")
  end)

  for _, way in ipairs({ "write", "edit" }) do
    it("keeps undo and edits of a text whose window it takes, with 'nohidden', after " .. way, function()
      leaves_as_it_was([[
        vim.o.hidden = false
        vim.cmd("edit b.txt | normal! ddp")
      ]] .. (way == "write" and "vim.cmd('silent write')" or ""))
      child:keys("u")
      assert.are.equal("one", child:lua("return vim.fn.getline(1)"))
    end)
  end

  it("keeps a text that lives only as long as its window", function()
    leaves_as_it_was("vim.cmd('edit b.txt | setlocal bufhidden=wipe | normal! ddp')")
  end)

  it("respects what others ignore, and has windows made equal by nobody", function()
    leaves_as_it_was([[
      vim.o.eventignore, vim.o.splitright, vim.o.splitbelow, vim.o.winminwidth = "CursorHold", true, true, 5
      vim.cmd("edit b.txt | vsplit c.txt | vertical resize 20 | split | resize 4")
      vim.cmd("wincmd t")
    ]])
  end)

  it("takes a tab of its own where there is no room", function()
    leaves_as_it_was("vim.o.winwidth = 50 vim.o.winminwidth = 50 vim.cmd('edit b.txt | vsplit c.txt')")
  end)

  it("stands the other way where there is no room on the whole screen", function()
    child = stage.start({ args = { "b.txt" }, ui = { 20, 8 } })
    child:lua([[
      local opts = { layout = "horizontal", open_in_new_tab = true }
      require("claudecode.config").setup({ auto_start = false, diff_opts = opts })
      vim.o.cmdheight = 4
    ]])
    local before = child:lua("return picture()")
    assert.are.same({ ok = true }, stage.propose(child, "a.txt", stage.NEW))
    child:wait("return #events == 1")
    assert.are.equal("row", child:lua("return vim.fn.winlayout()[1]"))
    close()
    assert.are.same({}, stage.differences(before, child:lua("return picture()")))
  end)

  for _, order in ipairs({ "first", "last" }) do
    it("leaves heights as they were when the line of tabs comes and goes, closed by the " .. order, function()
      child = stage.start({
        args = { "b.txt" },
        setup = [[
          require("claudecode.config").setup({ auto_start = false, diff_opts = { layout = "unified" } })
          vim.o.laststatus = 3
          vim.cmd("pedit c.txt | botright copen 3 | vsplit | wincmd k")
        ]],
      })
      local before = child:lua("return picture()")
      local names = { "one", "two", "three" }
      for number, name in ipairs(names) do
        stage.propose(child, "a.txt", stage.NEW, { tab_name = name })
        child:wait("return #events == " .. number)
      end
      while #names > 0 do
        local name = table.remove(names, order == "first" and 1 or #names)
        child:lua("require('claudecode.diff').close(..., 1)", name)
      end
      stage.wait_closed(child)
      assert.are.same({}, stage.differences(before, child:lua("return picture()")))
    end)
  end

  for _, splitkeep in ipairs({ "cursor", "screen", "topline" }) do
    it("keeps the cursor in a window that gives up room, with 'splitkeep' " .. splitkeep, function()
      for _, keys in ipairs({ "", ":q<CR>" }) do
        child = stage.start({
          args = { "a.txt" },
          setup = ([[
            require("claudecode.config").setup({ auto_start = false, diff_opts = { layout = "unified" } })
            vim.o.splitkeep = %q
            vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(("line\n"):rep(200), "\n"))
            vim.cmd("silent write | split b.txt | wincmd p | 150 | normal! zb")
          ]]):format(splitkeep),
        })
        child:lua("vim.cmd.redraw()")
        local before = child:lua("return picture()")
        stage.propose(child, "a.txt", ("line\n"):rep(100))
        child:wait("return #events == 1 and vim.b.claudecode_diff_tab_name ~= nil")
        child:lua("vim.cmd.redraw()")
        if keys == "" then
          close()
        else
          child:keys(keys)
          stage.wait_closed(child)
        end
        assert.are.same({}, stage.differences(before, child:lua("return picture()")))
        child:stop()
      end
      child = stage.start()
    end)
  end

  it("leaves as it was a tab that the user has left meanwhile", function()
    child = stage.start({ args = { "b.txt" } })
    child:lua("vim.cmd('vsplit a.txt | split b.txt | resize 5 | vertical resize 30 | wincmd p')")
    local before = child:lua("return picture()")
    stage.propose(child, "a.txt", stage.NEW)
    child:wait("return #events == 1")
    child:lua("vim.cmd('tabnew')")
    close()
    child:lua("vim.cmd('bwipeout')")
    assert.are.same({}, stage.differences(before, child:lua("return picture()")))
  end)

  it("does not bring Neovim down when a renderer decorates a new Markdown file in a new tab", function()
    child = stage.start({ args = { "b.txt" } })
    child:lua([[
      require("claudecode.config").setup({ auto_start = false, diff_opts = { open_in_new_tab = true } })
      local namespace = vim.api.nvim_create_namespace("renderer")
      vim.api.nvim_create_autocmd({ "BufEnter", "BufLeave", "WinClosed", "WinScrolled", "CursorMoved", "OptionSet" }, {
        callback = function(event)
          local buf = vim.api.nvim_get_current_buf()
          vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
          for line = 0, vim.api.nvim_buf_line_count(buf) - 1 do
            vim.api.nvim_buf_set_extmark(buf, namespace, line, 0, {
              virt_lines = { { { "-----", "Title" } } }, conceal = "", end_col = 0, sign_text = "x",
            })
          end
          vim.schedule(function() vim.cmd.redraw() end)
        end,
      })
    ]])
    local before = child:lua("return picture()")
    for _ = 1, 5 do
      child:lua("events, answers = {}, {}")
      stage.propose(child, "new.md", ("# Title\n\ntext *text*\n\n"):rep(30))
      child:wait("return #events == 1")
      child:wait_screen("-----")
      child:keys("jj:w<CR>")
      child:wait("return #answers == 1")
      close()
      child:screen()
    end
    assert.are.same({}, stage.differences(before, child:lua("return picture()")))
  end)

  it("returns to the file that had the focus after a second diff of the same tab, in any order", function()
    child = stage.start({ args = { "b.txt" } })
    child:lua("vim.cmd('terminal cat') vim.cmd.startinsert()")
    child:wait("return vim.api.nvim_get_mode().mode == 't'")
    local before = child:lua("return picture()")
    stage.propose(child, "a.txt", "1\n", { tab_name = "first" })
    stage.propose(child, "a.txt", "2\n", { tab_name = "second", client = 2 })
    child:wait("return #events == 2 and vim.api.nvim_get_mode().mode == 'n'")
    child:lua("require('claudecode.diff').close('first', 1) require('claudecode.diff').close('second', 2)")
    stage.wait_closed(child)
    child:wait("return vim.api.nvim_get_mode().mode == 't'")
    assert.are.same({}, stage.differences(before, child:lua("return picture()")))
  end)

  it("does not take the focus from who types a text", function()
    child = stage.start({ args = { "b.txt" } })
    child:keys("Goab")
    local before = child:lua("return picture()")
    stage.propose(child, "a.txt", stage.NEW)
    child:wait("return #events == 1")
    child:keys("cd")
    assert.are.equal("i", child:lua("return vim.api.nvim_get_mode().mode"))
    close()
    child:keys("<BS><BS>")
    assert.are.same({}, stage.differences(before, child:lua("return picture()")))
    assert.are.equal("ab", child:lua("return vim.fn.getline(4)"))
  end)

  it("leaves the user in Terminal mode with keep_terminal_focus, in every layout", function()
    for _, opts in ipairs({ "{}", "{ layout = 'horizontal' }", "{ open_in_new_tab = true }" }) do
      child = stage.start({ args = { "b.txt" } })
      child:lua(([[
          local opts = %s
          opts.keep_terminal_focus = true
          require("claudecode.config").setup({ auto_start = false, diff_opts = opts })
        ]]):format(opts))
      child:lua("vim.cmd('vsplit | terminal cat') vim.cmd.startinsert()")
      child:wait("return vim.api.nvim_get_mode().mode == 't'")
      local before = child:lua("return picture()")
      stage.propose(child, "a.txt", stage.NEW)
      child:wait("return #events == 1")
      child:keys("typed")
      assert.are.equal("t", child:lua("return vim.api.nvim_get_mode().mode"))
      assert.are.equal(before.window, child:lua("return vim.api.nvim_get_current_win()"))
      child:wait_screen("typed")
      close()
      child:keys("more")
      child:wait_screen("typedmore")
      assert.are.same({}, stage.differences(before, child:lua("return picture()")))
      child:stop()
    end
  end)

  it("waits until a command is typed, before it opens and before it closes", function()
    child = stage.start({ args = { "b.txt" } })
    child:keys(":let g:typed = bufname()")
    stage.propose(child, "a.txt", stage.NEW)
    assert.are.equal(0, child:lua("return #events"))
    child:keys("<CR>")
    child:wait("return #events == 1")
    assert.are.equal("b.txt", child:lua("return vim.g.typed"))
    child:keys(":let g:typed = bufname()")
    child:lua("require('claudecode.diff').close('diff', 1)")
    assert.are.equal(1, child:lua("return #answers"))
    assert.are.equal(1, child:lua("return #events"))
    child:keys("<CR>")
    stage.wait_closed(child)
    assert.are.equal("a.txt (proposed)", child:lua("return vim.g.typed"))
  end)

  it("waits until the command-line window is left", function()
    child = stage.start({ args = { "b.txt" } })
    child:keys("q:")
    assert.is_true(stage.propose(child, "a.txt", stage.NEW).ok)
    child:keys(":q<CR>")
    child:wait("return #events == 1")
    child:keys("q:")
    child:lua("require('claudecode.diff').close('diff', 1)")
    child:keys(":q<CR>")
    stage.wait_closed(child)
    assert.are.equal(1, child:lua("return #vim.api.nvim_list_wins()"))
  end)

  it("is not shown any more when it ended before it could be", function()
    child = stage.start({ args = { "b.txt" } })
    local before = child:lua("return picture()")
    child:keys(":")
    stage.propose(child, "a.txt", stage.NEW)
    child:lua("require('claudecode.diff').client_gone(1)")
    child:keys("<Esc>")
    stage.wait_closed(child)
    assert.are.same({}, stage.differences(before, child:lua("return picture()")))
    assert.are.same({}, child:lua("return events"))
  end)

  it("leaves a Visual selection elsewhere alone", function()
    child = stage.start({ args = { "b.txt" } })
    child:keys("Vj")
    local before = child:lua("return picture()")
    stage.propose(child, "a.txt", stage.NEW)
    child:wait("return #events == 1")
    assert.are.equal("V", child:lua("return vim.api.nvim_get_mode().mode"))
    close()
    assert.are.same({}, stage.differences(before, child:lua("return picture()")))
  end)

  for _, mode in ipairs({ "i", "v" }) do
    it("ends the user's mode in the proposal with an accepted one, or one that the user closes: " .. mode, function()
      child = stage.start({ args = { "b.txt" } })
      child:keys("G2l")
      local before = child:lua("return picture()")
      for _, command in ipairs({ "accept_current() diff.close('diff', 1)", "deny_current()", "close_all_by_user()" }) do
        child:lua("events = {}")
        stage.propose(child, "a.txt", stage.NEW)
        child:wait("return vim.b.claudecode_diff_tab_name ~= nil")
        child:keys(mode)
        child:lua("local diff = require('claudecode.diff') diff." .. command)
        child:wait("return vim.api.nvim_get_mode().mode == 'n'")
        stage.wait_closed(child)
        child:write("a.txt", stage.NEW)
        child:lua("require('claudecode.diff').check_written()")
        assert.are.same({}, stage.differences(before, child:lua("return picture()")))
        child:write("a.txt", stage.OLD)
      end
    end)
  end

  local WITHDRAWALS = {
    ["closed by its client"] = "diff.close('diff', 1)",
    ["closed by another client"] = "diff.close('diff', 2)",
    ["closed with all"] = "diff.close_all(1)",
    ["left by its client"] = "diff.client_gone(1)",
    ["cancelled"] = "diff.cancel('diff')",
    ["stopped"] = "diff.stop()",
  }
  local MODES = {
    Insert = { "oty", "ped dd<Esc>" },
    Replace = { "Rty", "ped dd<Esc>" },
    Visual = { "vl", "ll<Esc>" },
    ["Operator-pending"] = { "d", "w" },
    Select = { "gh", "ped<Esc>" },
    ["Command-line"] = { ":d", "<BS>s/a/b/e<CR>" },
  }
  for what, code in vim.spairs(WITHDRAWALS) do
    it("keeps what is typed in it from the user's file, when it is " .. what, function()
      for mode, keys in vim.spairs(MODES) do
        child = stage.start({ args = { "a.txt" } })
        local before = child:lua("return picture()")
        stage.propose(child, "a.txt", stage.NEW)
        child:wait("return vim.b.claudecode_diff_tab_name ~= nil")
        child:input(keys[1])
        child:wait("return vim.api.nvim_get_mode().mode ~= 'n'")
        child:lua("local diff = require('claudecode.diff') " .. code)
        child:lua("vim.wait(20)")
        assert.are_not.equal("n", child:lua("return vim.api.nvim_get_mode().mode"), mode)
        assert.is_true(child:lua("return vim.b.claudecode_diff_tab_name ~= nil"), mode)
        child:input(keys[2])
        stage.wait_closed(child)
        local has_changed = mode ~= "Visual" and mode ~= "Command-line"
        local kept = child:lua([[
          local buf = vim.fn.bufnr("a.txt (withdrawn)")
          return buf > 0 and vim.api.nvim_buf_delete(buf, {}) == nil
        ]])
        assert.are.equal(has_changed, kept, mode)
        local after = child:lua("return picture()")
        before.registers, after.registers = nil, nil -- what is typed here deletes
        assert.are.same({}, stage.differences(before, after), mode)
        assert.are.same({ "alpha", "beta", "gamma" }, child:lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)"))
        local said = child:lua("return said")
        assert.are.equal(has_changed and 2 or 1, #said, mode)
        assert.matches("withdrew the proposal for a.txt", said[1])
        child:stop()
      end
    end)
  end

  it("leaves the focus where the user took it", function()
    child = stage.start({ args = { "b.txt" } })
    child:lua("vim.cmd('split c.txt | wincmd p')")
    stage.propose(child, "a.txt", stage.NEW)
    child:lua("vim.cmd('wincmd t') KEPT = vim.api.nvim_get_current_win()")
    close()
    assert.is_true(child:lua("return vim.api.nvim_get_current_win() == KEPT"))
  end)

  it("stays when the file's window is closed, and takes no window with it that shows something else", function()
    child = stage.start({ args = { "b.txt" } })
    stage.propose(child, "a.txt", stage.NEW)
    child:keys("<C-w>p:q<CR>")
    assert.are.equal(1, child:lua("return require('claudecode.diff').count()"))
    close()
    assert.are.equal(1, child:lua("return #vim.api.nvim_list_wins()"))
    assert.are.equal("b.txt", child:lua("return vim.fn.bufname()"))
    stage.propose(child, "a.txt", stage.NEW)
    child:wait("return #events == 3")
    child:keys(":edit c.txt<CR>")
    close()
    assert.are.equal("c.txt", child:lua("return vim.fn.bufname()"))
    assert.are.equal(2, child:lua("return #vim.api.nvim_list_wins()"))
  end)

  it("can be the last thing on the screen when it ends", function()
    child = stage.start({ args = { "b.txt" } })
    child:lua("require('claudecode.config').setup({ auto_start = false, diff_opts = { open_in_new_tab = true } })")
    stage.propose(child, "a.txt", stage.NEW)
    child:wait("return #events == 1")
    child:keys(":tabonly<CR>:only<CR>")
    close()
    assert.is_true(child:is_running())
    assert.are.equal(1, child:lua("return #vim.api.nvim_list_wins()"))
  end)

  it("is not part of a session, whose options are as before afterwards", function()
    child = stage.start({ args = { "b.txt" } })
    stage.propose(child, "a.txt", stage.NEW)
    child:wait("return #events == 1")
    child:lua("vim.cmd('mksession session.vim')")
    local session = child:read("session.vim")
    assert.is_nil(session:find("proposed", 1, true))
    close()
    local later = stage.start({ plugin = false })
    later:write("session.vim", session)
    later:lua("vim.cmd('silent! source session.vim')")
    assert.are.equal(1, later:lua("return #vim.api.nvim_list_wins()"))
    assert.is_false(later:lua("return vim.wo.diff or vim.wo.scrollbind"))
    later:stop()
  end)
end)
