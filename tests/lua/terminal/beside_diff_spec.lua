-- The width of the Claude terminal that a diff narrows: the user's again afterwards, whatever happened to it meanwhile.
local stage = require("tests.lua.diff.stage")

local USUAL, NARROW, BY_HAND = 48, 32, 60

for _, layout in ipairs({ "vertical", "horizontal", "unified" }) do
  describe(("the terminal that a diff narrows (%s)"):format(layout), function()
    local child

    ---@param diff_opts string? Lua
    local function start(diff_opts)
      child = stage.start({
        args = { "a.txt" },
        ui = { 160, 40 },
        setup = ([[
          require("claudecode").setup({
            auto_start = false, terminal_cmd = { "cat" },
            terminal = { split_width_percentage = 0.3, diff_split_width_percentage = 0.2, auto_insert = false },
            diff_opts = vim.tbl_extend("force", { layout = %q }, { %s }),
          })
          _G.term = require("claudecode.terminal")
          -- Widths, by tab, of the windows that show it.
          function _G.widths()
            local found = {}
            for _, tab in ipairs(vim.api.nvim_list_tabpages()) do
              for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
                if vim.api.nvim_win_get_buf(win) == term.get_active_terminal_bufnr() then
                  table.insert(found, vim.api.nvim_win_get_width(win))
                end
              end
            end
            return found
          end
          function _G.resize(columns)
            local buf = term.get_active_terminal_bufnr()
            for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
              if vim.api.nvim_win_get_buf(win) == buf then vim.api.nvim_win_set_width(win, columns) end
            end
          end
          -- What else there is: the widths of all windows, and which buffers they show.
          function _G.arrangement()
            local function told(node)
              if node[1] ~= "leaf" then return { node[1], vim.tbl_map(told, node[2]) } end
              local name = vim.fn.bufname(vim.api.nvim_win_get_buf(node[2]))
              return { name, vim.api.nvim_win_get_width(node[2]), vim.api.nvim_win_get_height(node[2]) }
            end
            return { told(vim.fn.winlayout()), vim.fn.tabpagenr("$"), vim.fn.bufname() }
          end
        ]]):format(layout, diff_opts or ""),
      })
      child:lua([[vim.cmd("vsplit b.txt | vertical resize 40") term.ensure_visible()]])
      assert.are.same({ USUAL }, child:lua("return widths()"))
    end

    local function open(name)
      local count = child:lua("return #events")
      stage.propose(child, "a.txt", stage.NEW, { tab_name = name or "diff" })
      child:wait("return #events == " .. count + 1)
    end

    local function close(name)
      local count = child:lua("return #events")
      child:lua("require('claudecode.diff').close(..., 1)", name or "diff")
      child:wait("return #events == " .. count + 1)
    end

    ---@param expected integer[]
    local function has_widths(expected)
      assert.are.same(expected, child:lua("return widths()"))
    end

    ---@return integer width of the next window that is opened
    local function next_width()
      child:lua("if #widths() > 0 then term.simple_toggle() end term.ensure_visible()")
      return child:lua("return widths()[1]")
    end

    local function toggle()
      child:lua("if #widths() > 0 then term.simple_toggle() else term.ensure_visible() end")
    end

    after_each(function()
      child:stop()
    end)

    it("is as wide as before when it was hidden and opened again", function()
      for _, hide in ipairs({ "term.simple_toggle()", "vim.cmd('wincmd b | close | ' .. back .. 'wincmd w')" }) do
        start()
        local before = child:lua("return arrangement()")
        open()
        has_widths({ NARROW })
        for _ = 1, 2 do
          child:lua("back = vim.fn.winnr()")
          child:lua(hide)
          has_widths({})
          toggle()
          has_widths({ NARROW })
        end
        close()
        has_widths({ USUAL })
        assert.are.same(before, child:lua("return arrangement()"))
        assert.are.equal(USUAL, next_width())
        child:stop()
      end
    end)

    it("is as wide as before when it is opened after the diff", function()
      start()
      open()
      toggle()
      close()
      has_widths({})
      assert.are.equal(USUAL, next_width())
    end)

    it("is as wide as usual after a diff during which it was first opened, or started anew", function()
      start()
      toggle()
      open()
      toggle()
      has_widths({ NARROW })
      close()
      has_widths({ USUAL })
      open()
      child:lua("term.close() term.ensure_visible()")
      has_widths({ NARROW })
      close()
      has_widths({ USUAL })
    end)

    it("keeps the width that the user gives it meanwhile", function()
      start()
      open()
      child:lua("resize(...)", BY_HAND)
      close()
      has_widths({ BY_HAND })
      assert.are.equal(BY_HAND, next_width())
      open()
      has_widths({ NARROW })
      close()
      has_widths({ BY_HAND })
    end)

    it("keeps the width that the user gave it before it was hidden", function()
      start()
      open()
      child:lua("resize(...)", BY_HAND)
      toggle()
      close()
      assert.are.equal(BY_HAND, next_width())
      open()
      child:lua("resize(...)", BY_HAND + 10)
      toggle()
      toggle()
      has_widths({ NARROW })
      close()
      has_widths({ BY_HAND + 10 })
    end)

    for _, order in ipairs({ { "one", "two" }, { "two", "one" } }) do
      it(("is as wide as before after two diffs, closed %s first"):format(order[1]), function()
        start()
        local before = child:lua("return arrangement()")
        open("one")
        open("two")
        has_widths({ NARROW, NARROW })
        close(order[1])
        has_widths({ order[1] == "one" and USUAL or NARROW, order[1] == "one" and NARROW or nil })
        close(order[2])
        assert.are.same(before, child:lua("return arrangement()"))
        assert.are.equal(USUAL, next_width())
      end)

      it(("keeps the width that the user gives it between two diffs, closed %s first"):format(order[1]), function()
        start()
        open("one")
        open("two")
        child:lua("vim.cmd.tabfirst() resize(...)", BY_HAND)
        close(order[1])
        assert.are.equal(BY_HAND, child:lua("return widths()[1]"))
        close(order[2])
        has_widths({ BY_HAND })
        assert.are.equal(BY_HAND, next_width())
      end)

      it(("is as wide as before when it was hidden between two diffs, closed %s first"):format(order[1]), function()
        start()
        local before = child:lua("return arrangement()")
        open("one")
        open("two")
        toggle()
        has_widths({})
        close(order[1])
        toggle()
        close(order[2])
        assert.are.same(before, child:lua("return arrangement()"))
        assert.are.equal(USUAL, next_width())
      end)
    end

    it("comes back to the user's tab when it was hidden and opened again in a diff's own", function()
      for _, hides in ipairs({ true, false }) do
        start(("open_in_new_tab = true, hide_terminal_in_new_tab = %s"):format(hides))
        local before = child:lua("return arrangement()")
        open()
        has_widths({ USUAL, not hides and NARROW or nil })
        child:lua("term.simple_toggle()") -- moves it here, or hides it
        if not hides then
          has_widths({})
          child:lua("term.simple_toggle()")
        end
        has_widths({ NARROW })
        close()
        assert.are.same(before, child:lua("return arrangement()"))
        has_widths({ USUAL })
        open()
        child:lua("term.simple_toggle() if #widths() > 0 then term.simple_toggle() end")
        close()
        has_widths({})
        assert.are.equal(USUAL, next_width())
        child:stop()
      end
    end)

    it("takes the user back to it when they typed to it in a diff's own tab", function()
      start("open_in_new_tab = true, hide_terminal_in_new_tab = true")
      child:lua("term.open() vim.cmd.startinsert()")
      child:wait("return vim.api.nvim_get_mode().mode == 't'")
      local before = child:lua("return arrangement()")
      open()
      child:wait("return vim.api.nvim_get_mode().mode == 'n'")
      child:lua("term.open()")
      has_widths({ NARROW })
      close()
      child:wait("return vim.api.nvim_get_mode().mode == 't'")
      assert.are.same(before, child:lua("return arrangement()"))
    end)

    it("is as wide as usual in another tab of the user's", function()
      start()
      open()
      child:lua("vim.cmd('tabnew b.txt') term.ensure_visible()")
      has_widths({ USUAL })
      child:lua("vim.cmd.tabclose()")
      close()
      has_widths({})
      assert.are.equal(USUAL, next_width())
    end)
  end)
end
