-- Every way out of a diff, in every layout: the right answer exactly once, and a screen as it was.
local stage = require("tests.lua.diff.stage")

-- Of the user's own: a float, or a tab.
local VIEWER = [[{ show = function(diff, opts)
  local back, win = vim.api.nvim_get_current_win(), nil
  if opts.new_tab then
    vim.cmd("tab split")
    win = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(win, diff.proposal)
    vim.api.nvim_set_current_win(back)
  else
    local place = { relative = "editor", row = 2, col = 4, width = 60, height = 10 }
    win = vim.api.nvim_open_win(diff.proposal, false, place)
  end
  return {
    window = win,
    focus = function() vim.api.nvim_set_current_win(win) end,
    has_focus = function() return vim.api.nvim_get_current_win() == win end,
    close = function() if vim.api.nvim_win_is_valid(win) then vim.api.nvim_win_close(win, true) end end,
  }
end }]]

---@type table<string, string> Lua for `diff_opts.layout`
local LAYOUTS = { vertical = '"vertical"', horizontal = '"horizontal"', unified = '"unified"', ["own"] = VIEWER }

-- What the user was doing when the proposal came.
local SCENES = {
  ["in the only window"] = [[
    vim.cmd("edit b.txt | 3")
  ]],
  ["in the file itself, among others"] = [[
    vim.cmd("edit a.txt | 2 | normal! l")
    vim.cmd("vsplit b.txt | 2 | vertical resize 30")
    vim.cmd("split c.txt | resize 8 | wincmd h")
    vim.wo.wrap, vim.wo.foldcolumn, vim.o.scrollopt = true, "3", "ver,hor"
  ]],
  ["in Terminal mode"] = [[
    vim.cmd("edit b.txt | 3")
    vim.cmd("botright vsplit | terminal cat")
    vim.cmd("vertical resize 35 | setlocal winfixwidth")
    vim.o.ruler = false -- a terminal tells a new cursor sooner or later
    vim.cmd.startinsert()
  ]],
  ["in a tab among tabs"] = [[
    vim.cmd("edit b.txt | tabnew c.txt | split b.txt | resize 9 | 2 | normal! yyl")
    vim.cmd("tabnew | setlocal number | tabprevious")
    vim.o.laststatus, vim.o.cmdheight, vim.o.equalalways = 3, 2, false
  ]],
}

-- The client's part once the user has accepted: it closes twice, then writes.
local WRITE = [[
  local path, text = ...
  local diff = require("claudecode.diff")
  diff.close("diff", 1)
  diff.close("diff", 1)
  local file = io.open(path, "wb")
  file:write(text)
  file:close()
  diff.check_written(1)
]]

local ACCEPT = {
  [":w"] = ":w<CR>",
  [":wq"] = ":wq<CR>",
  [":x"] = ":x<CR>",
  ["ZZ"] = "ZZ",
  ["a mapping of <Cmd>x<CR>"] = "<F5>x",
  ["a mapping of <Cmd>w<CR>"] = "gs",
  ["a mapping that calls vim.cmd.write()"] = "gl",
  [":ClaudeCodeDiffAccept"] = ":ClaudeCodeDiffAccept<CR>",
}

local REJECT = {
  [":q"] = ":q<CR>",
  [":q!"] = ":q!<CR>",
  [":q after a change"] = "Gox<Esc>:q<CR>",
  [":close"] = ":close<CR>",
  ["CTRL-W c"] = "<C-w>c",
  ["CTRL-W q"] = "<C-w>q",
  [":bd"] = ":bd<CR>",
  [":bw"] = ":bw<CR>",
  ["ZQ"] = "ZQ",
  [":ClaudeCodeDiffDeny"] = ":ClaudeCodeDiffDeny<CR>",
}

---@class tests.WayOut What others do, and the user to all diffs.
---@field how string Lua, or keys that begin with ":"
---@field answer "rejected"? That the call gets.
---@field reason string

---@type table<string, tests.WayOut>
local OTHERS = {
  ["close_tab"] = { how = "require('claudecode.diff').close('diff', 1)", answer = "rejected", reason = "closed" },
  ["closeAllDiffTabs"] = { how = "require('claudecode.diff').close_all(1)", answer = "rejected", reason = "closed" },
  [":ClaudeCodeCloseAllDiffs"] = { how = ":ClaudeCodeCloseAllDiffs<CR>", answer = "rejected", reason = "rejected" },
  ["the end of the connection"] = { how = "require('claudecode.diff').client_gone(1)", reason = "disconnected" },
  [":ClaudeCodeStop"] = { how = ":ClaudeCodeStop<CR>", reason = "stopped" },
  ["a cancelled call"] = { how = "require('claudecode.diff').cancel('diff')", reason = "cancelled" },
}

---@param layout string
---@param new_tab boolean
---@param scene string
---@return tests.Child
local function begin(layout, new_tab, scene)
  local child = stage.start({
    files = { ["a.txt"] = stage.OLD, ["b.txt"] = "one\ntwo\nthree\n", ["c.txt"] = "c\n" },
    setup = ([[
      require("claudecode").setup({
        terminal = { provider = "none" }, diff_opts = { layout = %s, open_in_new_tab = %s },
      })
      vim.keymap.set("n", "gs", "<Cmd>w<CR>")
      vim.keymap.set("n", "<F5>x", "<cmd>silent xit<cr>")
      vim.keymap.set("n", "gl", function() vim.cmd.write() end)
    ]]):format(LAYOUTS[layout], new_tab),
  })
  child:lua(SCENES[scene])
  if scene == "in Terminal mode" then
    child:wait("return vim.api.nvim_get_mode().mode == 't'")
  end
  child:keys("") -- one turn of the main loop
  return child
end

for layout in vim.spairs(LAYOUTS) do
  for _, new_tab in ipairs({ false, true }) do
    for scene in vim.spairs(SCENES) do
      local title = ("a diff (%s%s) that comes %s"):format(layout, new_tab and ", new tab" or "", scene)
      describe(title, function()
        -- What leaves no trace leaves a Neovim for the next way out; only a test that has passed does so.
        ---@type tests.Child?
        local child
        local before, screen
        local is_clean = false

        -- Neovim refreshes a terminal whose window had another height sooner or later: with a line at its end or not.
        local function seen()
          return vim.tbl_map(function(line)
            return scene == "in Terminal mode" and line:gsub("│~$", "│") or line
          end, stage.screen(child))
        end

        before_each(function()
          if child and not is_clean then
            child:stop()
            child = nil
          end
          is_clean = false
          child = child or begin(layout, new_tab, scene)
          child:lua("answers, events, said, vim.v.errmsg = {}, {}, {}, ''")
          before, screen = child:lua("return picture()"), seen()
          stage.propose(child, "a.txt", stage.NEW)
          child:wait("return #events == 1 and vim.api.nvim_get_mode().mode == 'n'")
        end)
        teardown(function()
          if child then
            child:stop()
          end
        end)

        ---@param answers table
        ---@param reason string
        ---@param count integer? of events
        local function is_as_before(answers, reason, count)
          stage.wait_closed(child)
          child:wait("return #events == " .. (count or 2))
          child:wait("return vim.api.nvim_get_mode().mode == " .. vim.inspect(before.mode))
          child:keys("") -- whatever is still to come
          assert.are.same(answers, child:lua("return answers"))
          assert.are.equal(reason, child:lua("return events[#events].reason"))
          assert.are.same({}, stage.differences(before, child:lua("return picture()")))
          assert.are.same(screen, seen())
          assert.are.equal("", child:lua("return vim.v.errmsg"))
        end

        for name, keys in vim.spairs(ACCEPT) do
          it("is accepted by " .. name, function()
            child:keys(keys)
            child:wait("return #answers == 1")
            child:lua(WRITE, child:path("a.txt"), stage.NEW)
            child:wait([[
              local buf = buffer_of("a.txt")
              return not buf or not vim.api.nvim_buf_is_loaded(buf) or vim.fn.getbufline(buf, 2)[1] == "BETA"
            ]])
            screen = vim.tbl_map(function(line)
              return (line:gsub("beta", "BETA"))
            end, screen)
            is_as_before({ { kind = "saved", tab_name = "diff", text = stage.NEW } }, "accepted")
            assert.are.same({}, child:lua("return said"))
            child:write("a.txt", stage.OLD)
            child:lua("if buffer_of('a.txt') then vim.api.nvim_buf_call(buffer_of('a.txt'), vim.cmd['edit']) end")
            is_clean = true
          end)
        end

        for name, keys in vim.spairs(REJECT) do
          it("is rejected by " .. name, function()
            child:keys(keys)
            is_as_before({ { kind = "rejected", tab_name = "diff" } }, "rejected")
            assert.are.same(
              {},
              vim.tbl_filter(function(text)
                return text ~= "claudecode: Closed diffs: 1."
              end, child:lua("return said"))
            )
            is_clean = true
          end)
        end

        for name, way in vim.spairs(OTHERS) do
          it("ends with " .. name, function()
            if vim.startswith(way.how, ":") then
              child:keys(way.how)
            else
              child:lua(way.how)
            end
            is_as_before(way.answer and { { kind = way.answer, tab_name = "diff" } } or {}, way.reason)
            is_clean = name ~= ":ClaudeCodeStop"
          end)
        end

        it("is replaced by another of its name, as if that one had come first", function()
          stage.propose(child, "a.txt", "other\n")
          child:wait("return #events == 3 and vim.b.claudecode_diff_tab_name ~= nil")
          assert.are.same({ { kind = "rejected", tab_name = "diff" } }, child:lua("return answers"))
          child:keys(":q<CR>")
          local rejected = { kind = "rejected", tab_name = "diff" }
          is_as_before({ rejected, rejected }, "rejected", 4)
          is_clean = true
        end)

        if new_tab then
          it("is rejected by :tabclose", function()
            child:keys(":tabclose<CR>")
            is_as_before({ { kind = "rejected", tab_name = "diff" } }, "rejected")
            is_clean = true
          end)
        end

        it("neither stops :qa nor is answered by it", function()
          child:lua(
            [[
              local log = ...
              vim.api.nvim_create_autocmd("VimLeave", { callback = function()
                vim.fn.writefile({ tostring(#answers) }, log)
              end })
            ]],
            child:path("answers.txt")
          )
          child:input(":qa<CR>")
          assert.are.equal(0, child:wait_exit(3000))
          assert.are.equal("0\n", child:read("answers.txt"))
        end)
      end)
    end
  end
end

describe("a diff in the only tab but one", function()
  it("is rejected by :tabclose, which takes the user's own windows of that tab too", function()
    local child = stage.start({ args = { "a.txt" } })
    child:lua("vim.cmd('tabnew b.txt | tabfirst')")
    stage.propose(child, "a.txt", stage.NEW)
    child:keys(":tabclose<CR>")
    stage.wait_closed(child)
    assert.are.same({ { kind = "rejected", tab_name = "diff" } }, child:lua("return answers"))
    assert.are.equal(1, child:lua("return #vim.api.nvim_list_tabpages()"))
    child:stop()
  end)
end)

describe("a diff in the last window of all", function()
  local LISTED = [[return { vim.fn.bufname(), #vim.fn.getbufinfo({ buflisted = 1 }), vim.fn.winnr("$") }]]

  for layout in vim.spairs(LAYOUTS) do
    for name, args in vim.spairs({ ["another file"] = { "b.txt" }, ["the file"] = { "a.txt" }, ["nothing"] = {} }) do
      it(("leaves %s in it, and no other buffer (%s)"):format(name, layout), function()
        local child = stage.start({
          args = args,
          setup = ([[require("claudecode").setup({
            terminal = { provider = "none" }, diff_opts = { layout = %s, open_in_new_tab = %s },
          })]]):format(LAYOUTS[layout], layout == "own"),
        })
        local before = child:lua(LISTED)
        for _, keys in ipairs({ ":w<CR>", ":bd<CR>", ":ClaudeCodeDiffDeny<CR>", "" }) do
          child:lua("answers, events = {}, {}")
          stage.propose(child, "a.txt", stage.NEW)
          child:wait("return #events == 1 and vim.b.claudecode_diff_tab_name ~= nil")
          child:keys(":tabonly<CR>:only<CR>")
          assert.are.equal(1, child:lua("return #vim.api.nvim_list_wins()"))
          child:keys(keys)
          child:lua("require('claudecode.diff').close('diff', 1)")
          stage.wait_closed(child)
          child:wait("return #events == 2")
          assert.are.same(before, child:lua(LISTED), keys)
          assert.are.equal("", child:lua("return vim.v.errmsg"), keys)
        end
        child:stop()
      end)
    end
  end
end)
