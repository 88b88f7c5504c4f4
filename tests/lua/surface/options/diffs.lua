-- Options of diffs: each value with its effect.
local assert = require("luassert") ---@diagnostic disable-line: unresolved-require

---@param code string Lua that becomes true once a proposal is there
local function proposal(code)
  return function(stage)
    stage:propose(stage:ready())
    stage.child:wait(code)
  end
end

---@param code string
local function proposal_beside_claude(code)
  return function(stage)
    stage:open_beside()
    stage:propose(stage:ready())
    stage.child:wait(code)
  end
end

---@param windows integer left after a new file was rejected in an empty window
local function rejects_new_file(windows)
  return function(stage)
    stage.child:lua([[vim.cmd("vnew")]])
    local peer = stage:ready()
    local id = stage:propose(peer, "fresh.txt")
    stage.child:wait([[return vim.fn.bufname("%"):find("proposed") ~= nil]])
    stage.child:keys(":q<CR>")
    assert.are.equal("DIFF_REJECTED", assert(peer:answer(id)).content[1].text)
    stage.child:wait(("return vim.fn.winnr('$') == %d"):format(windows))
  end
end

---@param left integer
local function closes_all(left)
  return function(stage)
    local one, two = stage:ready(), stage:ready()
    stage:propose(one)
    stage:propose(two, "b.txt")
    two:call("closeAllDiffTabs")
    stage.child:wait(("return require('claudecode.diff').count() == %d"):format(left))
  end
end

local function silent(stage)
  assert.are.same({}, stage.child:lua([[return said]]))
end

local NARROW = "{ terminal = { diff_split_width_percentage = 0.2 } }"

return {
  ["diff_opts.enabled"] = {
    { value = "true", effect = proposal([[return vim.fn.bufname("%"):find("(proposed)", 1, true) ~= nil]]) },
    {
      value = "false",
      effect = function(stage)
        local path = stage.child:path("a.txt")
        local peer = stage:ready()
        peer:call("openDiff", { old_file_path = path, new_file_path = path, new_file_contents = "n\n", tab_name = "t" })
        assert.are.equal(1, stage.child:lua([[return vim.fn.winnr("$")]]))
        assert.matches("/config", stage.child:lua([[return said[1] ]]))
      end,
    },
    wrong = { "'no'", "0" },
  },
  ["diff_opts.layout"] = {
    { value = "'vertical'", word = "vertical", effect = proposal([[return vim.fn.winlayout()[1] == "row"]]) },
    { value = "'horizontal'", word = "horizontal", effect = proposal([[return vim.fn.winlayout()[1] == "col"]]) },
    { value = "'unified'", word = "unified", effect = proposal([[return vim.b.claudecode_inline_diff ~= nil]]) },
    {
      value = [[{ show = function(diff)
        local place = { relative = "editor", row = 1, col = 1, width = 9, height = 3 }
        local win = vim.api.nvim_open_win(diff.proposal, true, place)
        return {
          window = win,
          focus = function() vim.api.nvim_set_current_win(win) end,
          has_focus = function() return vim.api.nvim_get_current_win() == win end,
          close = function() vim.api.nvim_win_close(win, true) end,
        }
      end }]],
      effect = proposal([[return vim.api.nvim_win_get_config(0).relative == "editor" and #said == 0]]),
    },
    wrong = { "'diagonal'", "{}", "1", "{ show = 1 }" },
  },
  ["diff_opts.open_in_new_tab"] = {
    { value = "true", effect = proposal([[return vim.fn.tabpagenr("$") == 2]]) },
    { value = "false", effect = proposal([[return vim.fn.tabpagenr("$") == 1 and vim.fn.winnr("$") == 2]]) },
    wrong = { "'tab'" },
  },
  ["diff_opts.keep_terminal_focus"] = {
    {
      value = "true",
      effect = function(stage)
        stage:started_with("argv")
        stage:propose(stage:ready())
        stage.child:wait([[return vim.fn.winnr("$") == 3 and vim.bo.filetype == "claudecode_terminal"]])
        assert.are.equal("t", stage.child:lua([[return vim.api.nvim_get_mode().mode]]))
      end,
    },
    {
      value = "false",
      effect = function(stage)
        stage:started_with("argv")
        stage:propose(stage:ready())
        stage.child:wait([[return vim.fn.bufname("%"):find("(proposed)", 1, true) ~= nil]])
      end,
    },
    wrong = { "'terminal'" },
  },
  ["diff_opts.hide_terminal_in_new_tab"] = {
    {
      value = "true",
      base = "{ diff_opts = { open_in_new_tab = true } }",
      effect = proposal_beside_claude([[return vim.fn.tabpagenr("$") == 2 and vim.fn.winnr("$") == 2]]),
    },
    {
      value = "false",
      base = "{ diff_opts = { open_in_new_tab = true } }",
      effect = proposal_beside_claude([[return vim.fn.tabpagenr("$") == 2 and vim.fn.winnr("$") == 3]]),
    },
    wrong = { "1" },
  },
  ["diff_opts.on_new_file_reject"] = {
    { value = "'keep_empty'", word = "keep_empty", effect = rejects_new_file(2) },
    { value = "'close_window'", word = "close_window", effect = rejects_new_file(1) },
    wrong = { "'close'", "true" },
  },
  ["diff_opts.auto_resize_terminal"] = {
    {
      value = "true",
      base = NARROW,
      effect = proposal_beside_claude([[return vim.api.nvim_win_get_width(shown()) == 24]]),
    },
    {
      value = "false",
      base = NARROW,
      effect = proposal_beside_claude([[return vim.fn.winnr("$") == 3 and vim.api.nvim_win_get_width(shown()) == 36]]),
    },
    wrong = { "0.2" },
  },
  ["diff_opts.close_all_scope"] = {
    { value = "'client'", word = "client", effect = closes_all(1) },
    { value = "'editor'", word = "editor", effect = closes_all(0) },
    wrong = { "'all'", "1" },
  },
  ["diff_opts.auto_close_on_accept"] = {
    { value = "true", effect = silent },
    { value = "false", effect = silent },
    wrong = { "'x'" },
  },
  ["diff_opts.show_diff_stats"] = {
    { value = "true", effect = silent },
    { value = "false", effect = silent },
    wrong = { "'x'" },
  },
}
