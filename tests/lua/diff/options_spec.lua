-- diff_opts and what belongs to them: the Claude terminal beside a diff, rejected new files, viewers, no diffs at all.
local Peer = require("tests.lua.peer")
local stage = require("tests.lua.diff.stage")

local child

---@param options string Lua table
---@param more string?
local function start(options, more)
  child = stage.start({
    args = { "a.txt" },
    ui = { 160, 40 },
    setup = ([[
      require("claudecode").setup(vim.tbl_deep_extend("force", {
        auto_start = false, terminal_cmd = { "cat" }, terminal = { split_width_percentage = 0.3 },
      }, %s))
    ]]):format(options) .. (more or ""),
  })
end

---Opens the terminal, and leaves the user in the file.
local function open_terminal()
  child:lua([[require("claudecode.terminal").open() vim.cmd("stopinsert | wincmd p")]])
  child:wait([[return vim.api.nvim_get_mode().mode == "n" and vim.fn.bufname("%") == "a.txt"]])
end

---@return integer[] widths of the terminal's windows, by tab
local function terminal_widths()
  return child:lua([[
    local buf = require("claudecode.terminal").get_active_terminal_bufnr()
    local wins = vim.fn.win_findbuf(buf)
    table.sort(wins)
    return vim.tbl_map(vim.api.nvim_win_get_width, wins)
  ]])
end

---Runs what happens while a diff is open, and compares the picture before and after.
---@param during fun()
---@param close string? Lua; else its client closes it
local function around_a_diff(during, close)
  local before = child:lua("return picture()")
  stage.propose(child, "a.txt", stage.NEW)
  child:wait("return #events == 1")
  during()
  child:lua(close or "require('claudecode.diff').close('diff', 1)")
  stage.wait_closed(child)
  child:wait("return vim.api.nvim_get_mode().mode == " .. vim.inspect(before.mode))
  assert.are.same({}, stage.differences(before, child:lua("return picture()")))
end

describe("the Claude terminal beside a diff", function()
  after_each(function()
    child:stop()
  end)

  for _, layout in ipairs({ "vertical", "horizontal", "unified" }) do
    it("keeps its width (" .. layout .. ")", function()
      start(("{ diff_opts = { layout = %q } }"):format(layout))
      open_terminal()
      around_a_diff(function()
        assert.are.same({ 48 }, terminal_widths())
      end)
    end)

    it("has another width meanwhile, if the user wants that (" .. layout .. ")", function()
      start(("{ diff_opts = { layout = %q }, terminal = { diff_split_width_percentage = 0.2 } }"):format(layout))
      open_terminal()
      around_a_diff(function()
        assert.are.same({ 32 }, terminal_widths())
      end)
      assert.are.same({ 48 }, terminal_widths())
    end)

    it("is never resized with auto_resize_terminal off (" .. layout .. ")", function()
      start(([[{ diff_opts = { layout = %q, auto_resize_terminal = false },
        terminal = { diff_split_width_percentage = 0.2 } }]]):format(layout))
      open_terminal()
      around_a_diff(function()
        assert.are.same({ 48 }, terminal_widths())
      end)
    end)

    it("is in the diff's own tab too (" .. layout .. ")", function()
      start(([[{ diff_opts = { layout = %q, open_in_new_tab = true },
        terminal = { diff_split_width_percentage = 0.25 } }]]):format(layout))
      open_terminal()
      around_a_diff(function()
        assert.are.same({ 48, 40 }, terminal_widths())
        assert.are.equal(2, child:lua("return vim.fn.tabpagenr('$')"))
        assert.are.equal("a.txt (proposed)", child:lua("return vim.fn.bufname('%')"))
      end)
    end)

    it("is not there when it is hidden in a diff's tab, or was not visible (" .. layout .. ")", function()
      start(
        ([[{ diff_opts = { layout = %q, open_in_new_tab = true, hide_terminal_in_new_tab = true } }]]):format(layout)
      )
      open_terminal()
      around_a_diff(function()
        assert.are.same({ 48 }, terminal_widths())
      end)
      child:stop()
      start(([[{ diff_opts = { layout = %q, open_in_new_tab = true } }]]):format(layout))
      around_a_diff(function()
        assert.are.same({}, terminal_widths())
      end)
    end)
  end

  it("takes the user back to the file when the diff goes while they type to Claude in its tab", function()
    start("{ diff_opts = { open_in_new_tab = true } }")
    open_terminal()
    around_a_diff(function()
      child:keys("<C-w>l<C-w>l")
      assert.are.equal("terminal", child:lua("return vim.bo.buftype"))
      child:keys("i")
    end)
  end)

  it("keeps the user in Terminal mode in another tab with keep_terminal_focus", function()
    start("{ diff_opts = { open_in_new_tab = true, keep_terminal_focus = true } }")
    child:lua([[require("claudecode.terminal").open()]])
    child:wait([[return vim.api.nvim_get_mode().mode == "t"]])
    around_a_diff(function()
      assert.are.equal("t", child:api("nvim_get_mode").mode)
      assert.are.equal(1, child:lua("return vim.fn.tabpagenr()"))
    end)
  end)
end)

describe("a rejected new file", function()
  after_each(function()
    child:stop()
  end)

  ---@param scene string
  ---@param reject string keys
  ---@return integer before
  ---@return integer after counts of windows
  local function reject_new_file(scene, reject)
    child:lua(scene)
    local before = child:lua("return #vim.api.nvim_list_wins()")
    stage.propose(child, "new.txt", "x\n")
    child:wait("return #events == 1")
    child:keys(reject)
    stage.wait_closed(child)
    child:wait("return #events == 2")
    return before, child:lua("return #vim.api.nvim_list_wins()")
  end

  local EMPTY = "vim.cmd('vnew')"

  for _, layout in ipairs({ "vertical", "horizontal", "unified" }) do
    it("leaves an empty window as it was (" .. layout .. ")", function()
      start(("{ diff_opts = { layout = %q } }"):format(layout))
      local before, after = reject_new_file(EMPTY, ":q<CR>")
      assert.are.equal(before, after)
    end)

    it("closes an empty window, if the user wants that (" .. layout .. ")", function()
      local options = ("{ diff_opts = { layout = %q, on_new_file_reject = 'close_window' } }"):format(layout)
      start(options)
      local before, after = reject_new_file(EMPTY, ":q<CR>")
      assert.are.equal(before - 1, after)
      assert.are.equal("a.txt", child:lua("return vim.fn.bufname('%')"))
    end)
  end

  it("closes no window with something in it, none for an accept, and never the last one", function()
    start("{ diff_opts = { on_new_file_reject = 'close_window' } }")
    local before, after = reject_new_file("vim.cmd('vsplit')", ":q<CR>")
    assert.are.equal(before, after)
    child:lua("events = {}")
    before, after = reject_new_file("vim.cmd('vnew') vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'mine' })", ":q<CR>")
    assert.are.equal(before, after)
    child:lua("events = {}")
    before, after = reject_new_file("vim.cmd('only! | enew!')", ":q<CR>")
    assert.are.same({ 1, 1 }, { before, after })
  end)

  it("closes no window when its client withdraws it", function()
    start("{ diff_opts = { on_new_file_reject = 'close_window' } }")
    local before, after = reject_new_file(EMPTY, ":lua require('claudecode.diff').close('diff', 1)<CR>")
    assert.are.equal(before, after)
  end)
end)

describe("a viewer of the user's own", function()
  local FLOAT = [[
    FLOAT = { show = function(diff, opts)
      local win = vim.api.nvim_open_win(diff.proposal, false, {
        relative = "editor", row = 2, col = 4, width = 60, height = 10,
      })
      SHOWN = { vim.fs.basename(diff.new_path), diff.tab_name, opts.direction, opts.new_tab }
      return {
        window = win,
        focus = function() vim.api.nvim_set_current_win(win) end,
        has_focus = function() return vim.api.nvim_get_current_win() == win end,
        close = function(_, had_focus)
          CLOSED = { had_focus }
          if vim.api.nvim_win_is_valid(win) then vim.api.nvim_win_close(win, true) end
        end,
      }
    end }
  ]]

  local function start_with(viewer)
    child = stage.start({
      args = { "a.txt" },
      setup = FLOAT .. ([[require("claudecode.config").setup({ diff_opts = { layout = %s } })]]):format(viewer),
    })
  end

  after_each(function()
    child:stop()
  end)

  for name, keys in vim.spairs({ [":w"] = ":w<CR>", [":q"] = ":q<CR>", [":bd"] = ":bd<CR>", ["ZZ"] = "ZZ" }) do
    it("shows a diff and takes it away, with " .. name, function()
      start_with("FLOAT")
      local before = child:lua("return picture()")
      stage.propose(child, "a.txt", stage.NEW)
      child:wait("return #events == 1")
      assert.are.same({ "a.txt", "diff", "right", false }, child:lua("return SHOWN"))
      assert.are.equal("a.txt (proposed)", child:lua("return vim.fn.bufname('%')"))
      assert.is_true(child:lua("return vim.b.claudecode_diff_new_win == vim.api.nvim_get_current_win()"))
      child:keys(keys)
      child:wait("return #answers == 1")
      child:lua("require('claudecode.diff').close('diff', 1)")
      stage.wait_closed(child)
      assert.are.equal(1, child:lua("return #CLOSED"))
      assert.are.same({}, stage.differences(before, child:lua("return picture()")))
    end)
  end

  for name, viewer in
    vim.spairs({
      ["that throws"] = "{ show = function() error('no', 0) end }",
      ["that returns nothing"] = "{ show = function() end }",
      ["whose window is none"] = [[{ show = function()
        return { window = 9999, focus = print, close = print, has_focus = print }
      end }]],
    })
  do
    it(name .. " is told of once, and the diff is shown side by side", function()
      start_with(viewer)
      for i = 1, 2 do
        stage.propose(child, "a.txt", stage.NEW)
        child:wait("return #events == " .. 2 * i - 1)
        assert.are.equal(
          2,
          child:lua("return #vim.tbl_filter(function(w) return vim.wo[w].diff end, vim.api.nvim_list_wins())")
        )
        child:lua("require('claudecode.diff').close('diff', 1)")
        stage.wait_closed(child)
      end
      local said = child:lua("return said")
      assert.are.equal(1, #said)
      assert.matches("the viewer in diff_opts.layout failed: .*side by side", said[1])
    end)
  end
end)

describe("a viewer of the user's own that fails later", function()
  after_each(function()
    child:stop()
  end)

  for _, name in ipairs({ "focus", "has_focus", "close" }) do
    for how, keys in vim.spairs({ [":w"] = ":w<CR>", [":q"] = ":q<CR>", close_tab = "" }) do
      it(("in %s() is told of once, and does not stop the diff (%s)"):format(name, how), function()
        child = stage.start({
          args = { "a.txt" },
          setup = ([[
            local view = {
              focus = function(self) vim.api.nvim_set_current_win(self.window) end,
              has_focus = function(self) return vim.api.nvim_get_current_win() == self.window end,
              close = function(self)
                if vim.api.nvim_win_is_valid(self.window) then vim.api.nvim_win_close(self.window, true) end
              end,
            }
            view[%q] = function() error("boom", 0) end
            require("claudecode.config").setup({ diff_opts = { layout = { show = function(diff)
              view.window = vim.api.nvim_open_win(diff.proposal, false, { split = "right", win = 0 })
              return view
            end } } })
          ]]):format(name),
        })
        local before = child:lua("return picture()")
        for round = 1, 2 do
          child:lua("answers, events = {}, {}")
          assert.is_true(stage.propose(child, "a.txt", stage.NEW).ok)
          child:wait("return #events == 1")
          assert.are.equal("a.txt (proposed)", child:lua("return vim.fn.bufname('%')"))
          child:keys(keys)
          child:wait(("return #answers == %d"):format(keys == "" and 0 or 1))
          child:lua("require('claudecode.diff').close('diff', 1)")
          stage.wait_closed(child)
          child:wait("return #events == 2")
          assert.are.same({}, stage.differences(before, child:lua("return picture()")), tostring(round))
        end
        local is_asked = not (name == "has_focus" and how == ":q") -- there it is known
        assert.are.equal(is_asked and 1 or 0, child:lua("return #said"))
        local pattern = is_asked and "the viewer in diff_opts.layout failed: " .. name .. "%(%): boom" or "^$"
        assert.matches(pattern, child:lua("return said[1] or ''"))
      end)
    end
  end
end)

describe("with diff_opts.enabled off", function()
  it("openDiff is refused at once, nothing is shown, and the user is told once what to do", function()
    child = stage.start({
      args = { "a.txt" },
      setup = [[require("claudecode").setup({ diff_opts = { enabled = false }, terminal = { provider = "none" } })]],
    })
    local peer = Peer.connect(child)
    peer:initialize()
    local before = child:lua("return picture()")
    for _ = 1, 2 do
      local path = child:path("a.txt")
      local result, err =
        peer:call("openDiff", { old_file_path = path, new_file_path = path, new_file_contents = "x\n", tab_name = "t" })
      assert.is_nil(result)
      assert.are.same({ -32000, "this editor shows no diffs" }, { err.code, err.message })
    end
    assert.are.same({}, stage.differences(before, child:lua("return picture()")))
    local said = child:lua("return said")
    assert.are.equal(1, #said)
    assert.matches("diff_opts.enabled is false.*/config.*Diff tool", said[1])
    peer:close()
    child:stop()
  end)
end)
