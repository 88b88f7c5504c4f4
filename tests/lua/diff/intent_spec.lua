-- What accepts a proposal: the user, there and then. Auto-saves of any kind do not, and get no error.
local stage = require("tests.lua.diff.stage")

for _, layout in ipairs({ "vertical", "unified" }) do
  describe(("a pending proposal (%s)"):format(layout), function()
    local child

    before_each(function()
      child = stage.start({
        args = { "b.txt" },
        setup = ([[require("claudecode.config").setup({ auto_start = false, diff_opts = { layout = %q } })]]):format(
          layout
        ),
      })
      stage.propose(child, "a.txt", stage.NEW)
      child:wait("return vim.b.claudecode_diff_tab_name ~= nil")
      child:lua("vim.v.errmsg = ''")
    end)
    after_each(function()
      child:stop()
    end)

    local function is_pending()
      assert.are.same({}, child:lua("return answers"))
      assert.are.equal(1, child:lua("return require('claudecode.diff').count()"))
      assert.are.equal("", child:lua("return vim.v.errmsg"))
    end

    ---@param text string?
    local function is_accepted(text)
      child:wait("return #answers == 1")
      assert.are.same({ { kind = "saved", tab_name = "diff", text = text or stage.NEW } }, child:lua("return answers"))
    end

    -- Runs in the proposal's own window, or in another one, before and after an edit.
    local AUTO_SAVES = {
      ["a timer that writes"] = "vim.defer_fn(function() vim.cmd('silent write') ; done = true end, 5)",
      ["a timer that writes all"] = "vim.defer_fn(function() vim.cmd('wall') ; done = true end, 5)",
      ["a timer in Vim script"] = "vim.cmd('call timer_start(5, {-> execute(\"write | lua done = true\")})')",
      ["a scheduled function"] = "vim.schedule(function() vim.cmd.write() ; done = true end)",
      ["a timer that goes through the buffers"] = [[vim.defer_fn(function()
      for _, buf in ipairs(vim.api.nvim_list_bufs()) do
        if vim.bo[buf].buftype == "" or vim.b[buf].claudecode_diff_tab_name then
          vim.api.nvim_buf_call(buf, function() vim.cmd("silent! write") end)
        end
      end
      done = true
    end, 5)]],
      [":wall"] = "vim.api.nvim_input(':wall<CR>:lua done = true<CR>')",
      [":wall after a change in the same command"] = "vim.cmd('silent! %s/[ae]/A/ | wall') done = true",
      [":wall after :set fileformat"] = "vim.api.nvim_input(':set ff=dos<CR>:wall<CR>:lua done = true<CR>')",
      ["a timer that updates"] = "vim.defer_fn(function() vim.cmd('silent update') ; done = true end, 5)",
      ["'autowriteall', :make"] = "vim.o.autowriteall, vim.o.makeprg, done = true, 'true', true vim.cmd('silent make')",
    }

    for name, code in vim.spairs(AUTO_SAVES) do
      it("is not accepted by " .. name, function()
        child:lua(code)
        child:wait("return done")
        is_pending()
      end)

      it("is not accepted by " .. name .. ", once it was edited", function()
        child:keys("ggxjx")
        child:lua(code)
        child:wait("return done")
        is_pending()
      end)

      it("is not accepted by " .. name .. " from another window", function()
        child:keys("ggx<C-w>p")
        child:lua(code)
        child:wait("return done")
        is_pending()
      end)
    end

    for _, event in ipairs({ "TextChanged", "InsertLeave", "CursorMoved", "CursorHold", "WinLeave", "FocusLost" }) do
      it("is not accepted by an autocommand of " .. event, function()
        child:lua(
          [[
          vim.o.updatetime = 20
          vim.api.nvim_create_autocmd(..., { nested = true, callback = function()
            vim.cmd("silent write")
            done = true
          end })
        ]],
          event
        )
        child:keys("gg0xix<Esc>j<C-w>p")
        if event == "FocusLost" then
          child:keys("<C-w>p")
          child:api("nvim_ui_set_focus", false)
        elseif event == "CursorHold" then
          child:keys("<C-w>p")
        end
        child:wait("return done")
        is_pending()
      end)
    end

    it("is not accepted by a write from an autocommand while the user types", function()
      child:lua([[
      vim.api.nvim_create_autocmd("TextChangedI", { callback = function()
        vim.schedule(function() vim.cmd("silent write") done = true end)
      end })
    ]])
      child:keys("ggiabc")
      child:wait("return done")
      is_pending()
      child:keys("def<Esc>")
      is_pending()
    end)

    it("does not keep :xa, :wqa and :qa from ending Neovim", function()
      child:keys("ggx")
      local log = child:path("answers.txt")
      child:lua(
        [[
        local log = ...
        vim.api.nvim_create_autocmd("VimLeave", { callback = function() vim.fn.writefile({ #answers }, log) end })
      ]],
        log
      )
      child:input(":xa<CR>")
      assert.are.equal(0, child:wait_exit(3000))
      assert.are.equal("0\n", child:read("answers.txt"))
    end)

    it("is not accepted by :wall after :set modified", function()
      child:keys(":set modified<CR>")
      child:keys(":wall<CR>")
      is_pending()
    end)

    it("is accepted by a command that a front end sends", function()
      child:api("nvim_command", "write")
      is_accepted()
    end)

    it("is not accepted by a command that is sent while the user is elsewhere", function()
      child:keys("<C-w>p")
      child:lua("vim.api.nvim_buf_call(vim.fn.winbufnr(vim.fn.winnr('#')), function() vim.cmd('silent! write') end)")
      is_pending()
    end)

    it("is accepted by :w typed in it, from wherever the user came", function()
      child:keys("<C-w>p<C-w>p:w<CR>")
      is_accepted()
    end)

    it("is accepted with the user's changes, up to the last key", function()
      child:keys("Godelta<Esc>:x<CR>")
      is_accepted(stage.NEW .. "delta\n")
    end)

    it("is accepted by a mapping that changes windows first", function()
      child:lua("vim.keymap.set('n', 'gw', '<C-w>p<Cmd>w<CR>')")
      child:keys("<C-w>pgw")
      is_accepted()
    end)

    it("is accepted by :w in a user command and in a macro", function()
      child:lua("vim.fn.setreg('q', ':w\\r')")
      child:keys("@q")
      is_accepted()
    end)

    for _, how in ipairs({ ":update<CR>", "x:up<CR>", "i<C-s>", "x<C-s>" }) do
      it("is accepted by the user's " .. how, function()
        child:lua("vim.keymap.set({ 'n', 'i' }, '<C-s>', '<Cmd>update<CR>')")
        child:keys(how)
        is_accepted(vim.startswith(how, "x") and (stage.NEW:gsub("BETA", "ETA")) or nil)
      end)
    end

    for _, command in ipairs({ "cd sub", "lcd sub", "tcd sub", "cd ..", "cd /", "set autochdir" }) do
      it("is accepted by :w after :" .. command, function()
        child:write("sub/c.txt", "c\n")
        child:write("sub/sub/d.txt", "d\n")
        child:keys(":close<CR>")
        child:lua("answers = {}")
        stage.propose(child, "sub/c.txt", stage.NEW)
        child:keys(":" .. command .. "<CR>")
        child:lua("vim.cmd('write " .. child:path("copy.txt") .. "')")
        assert.are.same({}, child:lua("return answers"))
        assert.are.equal(stage.NEW, child:read("copy.txt"))
        child:keys(":w<CR>")
        is_accepted()
        local strays = child:lua("return vim.fn.glob(... .. '/**/*proposed*')", child.dir)
        assert.are.equal("", strays)
      end)
    end

    it("is answered once, however often it is written", function()
      child:keys(":w<CR>:w<CR>:w!<CR>ZZ")
      is_accepted()
    end)

    it("is copied, not accepted, by :w with another name", function()
      child:keys(":w copy.txt<CR>")
      is_pending()
      assert.are.equal(stage.NEW, child:read("copy.txt"))
      child:keys("x:w copy.txt<CR>")
      assert.matches("E13", child:lua("return vim.v.errmsg"))
      assert.are.equal(stage.NEW, child:read("copy.txt"))
      child:keys(":w! copy.txt<CR>")
      assert.are.equal(stage.NEW:gsub("BETA", "ETA"), child:read("copy.txt"))
      child:keys(":w no/such/dir<CR>")
      assert.matches("not written", child:lua("return said[#said]"))
      child:lua("vim.v.errmsg = ''")
      is_pending()
    end)

    it("goes back to what was proposed with :e!", function()
      child:keys("ggdG:e!<CR>")
      is_pending()
      assert.are.same({ "alpha", "BETA", "gamma" }, child:lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)"))
      child:keys("x:wall<CR>")
      is_pending()
      child:keys("u:w<CR>")
      is_accepted()
    end)

    it("stays when another buffer takes its window", function()
      child:keys(":e b.txt<CR>")
      is_pending()
      child:lua("require('claudecode.diff').accept_current()")
      is_accepted()
    end)

    it("stays while one of two windows on it is left", function()
      child:keys("<C-w>s:q<CR>")
      child:lua("vim.wait(20)")
      is_pending()
      child:keys(":q<CR>")
      child:wait("return #answers == 1")
      assert.are.equal("rejected", child:lua("return answers[1].kind"))
    end)
  end)
end
