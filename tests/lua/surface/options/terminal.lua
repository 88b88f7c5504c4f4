-- Options of the terminal: each value with its effect.
local assert = require("luassert") ---@diagnostic disable-line: unresolved-require
local snacks = require("tests.lua.terminal.stand_ins").SNACKS

---@param code string Lua that becomes true once the terminal is open
local function opened(code)
  return function(stage)
    stage:started_with("argv")
    stage.child:wait(code)
  end
end

---@param line string
local function variable(line)
  return function(stage)
    assert.is_true(vim.list_contains(stage:started_with("env"), line))
  end
end

---@param relative string below the project; "" is the project
local function directory(relative)
  return function(stage)
    stage.child:lua([[vim.cmd.edit("repo/sub/c.txt")]])
    local dir = stage.child.dir .. (relative == "" and "" or "/" .. relative)
    assert.are.same({ vim.uv.fs_realpath(dir) }, stage:started_with("cwd"))
  end
end

---@param windows integer
local function ends(windows)
  return function(stage)
    stage.child:lua([[vim.cmd.ClaudeCodeOpen()]])
    stage.child:wait([[return vim.uv.fs_stat(FAKE .. ".started") ~= nil and term.pid() == nil]])
    stage.child:wait(("return vim.fn.winnr('$') == %d"):format(windows))
  end
end

---@param is_whole boolean
local function paste(is_whole)
  return function(stage)
    stage:started_with("argv")
    assert.are.equal(is_whole, stage.child:lua([[return vim.paste ~= plain_paste]]))
  end
end

---@param name string
local function provider(name)
  return function(stage)
    assert.are.equal(name, stage.child:lua([[return term.provider_name()]]))
  end
end

---The external terminal gets what the native one gets.
local function external(stage)
  assert.are.same({}, stage:started_with("argv"))
  assert.are.same({ vim.uv.fs_realpath(stage.child.dir) }, stage:started_with("cwd"))
  assert.are.equal(1, stage.child:lua([[return vim.fn.winnr("$")]]))
end

local EXTERNAL = "{ terminal = { provider = 'external' } }"
local TIP = [[return vim.api.nvim_eval_statusline(vim.wo.statusline, {}).str:find("leaves") ~= nil]]

return {
  ["terminal.provider"] = {
    { value = "'auto'", word = "auto", effect = provider("native") },
    { value = "'auto'", word = "auto", init = snacks, effect = provider("snacks") },
    { value = "'snacks'", word = "snacks", init = snacks, effect = provider("snacks") },
    { value = "'native'", word = "native", init = snacks, effect = provider("native") },
    {
      value = "'external'",
      word = "external",
      base = "{ terminal = { provider_opts = { external_terminal_cmd = 'env %s' } } }",
      effect = external,
    },
    {
      value = "'none'",
      word = "none",
      effect = function(stage)
        stage.child:lua([[vim.cmd.ClaudeCode()]])
        stage.child:wait([[return #said == 1 and said[1]:find("start Claude yourself", 1, true) ~= nil]])
      end,
    },
    {
      value = [[(function()
        local calls = {}
        _G.calls = calls
        local provider = { is_available = function() return true end, get_active_bufnr = function() end }
        for _, name in ipairs({ "setup", "open", "close", "simple_toggle", "focus_toggle" }) do
          provider[name] = function() table.insert(calls, name) end
        end
        return provider
      end)()]],
      effect = function(stage)
        stage.child:lua([[vim.cmd("ClaudeCode | ClaudeCodeFocus") vim.cmd.ClaudeCodeClose()]])
        assert.are.equal("setup", stage.child:lua([[return calls[1] ]]))
        assert.are.equal("close", stage.child:lua([[return calls[#calls] ]]))
      end,
    },
    wrong = { "'snack'", "7", "{ 'native' }" },
  },
  ["terminal.split_side"] = {
    {
      value = "'left'",
      word = "left",
      effect = opened([[return vim.api.nvim_win_get_position(shown())[2] == 0]]),
    },
    {
      value = "'right'",
      word = "right",
      effect = opened([[return vim.api.nvim_win_get_position(shown())[2] == 84]]),
    },
    wrong = { "'top'", "1" },
  },
  ["terminal.split_width_percentage"] = {
    { value = "0.5", effect = opened([[return vim.api.nvim_win_get_width(shown()) == 60]]) },
    { value = "0.25", effect = opened([[return vim.api.nvim_win_get_width(shown()) == 30]]) },
    wrong = { "0", "1", "30", "'30%'" },
  },
  ["terminal.diff_split_width_percentage"] = {
    {
      value = "0.2",
      effect = function(stage)
        stage:open_beside()
        stage:propose(stage:ready())
        stage.child:wait([[return vim.api.nvim_win_get_width(shown()) == 24]])
      end,
    },
    wrong = { "0", "2", "'x'" },
  },
  ["terminal.auto_close"] = {
    { value = "true", base = "{ env = { FAKE_EXIT = '0' } }", effect = ends(1) },
    { value = "false", base = "{ env = { FAKE_EXIT = '0' } }", effect = ends(2) },
    wrong = { "'yes'" },
  },
  ["terminal.auto_insert"] = {
    { value = "true", effect = opened([[return vim.api.nvim_get_mode().mode == "t"]]) },
    { value = "false", effect = opened([[return vim.api.nvim_get_mode().mode == "nt"]]) },
    wrong = { "'t'" },
  },
  ["terminal.show_native_term_exit_tip"] = {
    { value = "true", effect = opened(TIP) },
    { value = "false", effect = opened("return not (function() " .. TIP .. " end)()") },
    wrong = { "'always'" },
  },
  ["terminal.fix_streamed_paste"] = {
    { value = "true", effect = paste(true) },
    { value = "false", effect = paste(false) },
    {
      value = "'auto'",
      word = "auto",
      effect = function(stage)
        paste(not stage.child:lua([[return vim.version.ge(vim.version(), "0.12.2")]]))(stage)
      end,
    },
    wrong = { "'always'", "1" },
  },
  ["terminal.snacks_win_opts"] = {
    {
      value = "{ position = 'float', width = 0.5, height = 0.5 }",
      base = "{ terminal = { provider = 'snacks' } }",
      init = snacks,
      effect = opened([[return vim.api.nvim_win_get_config(shown()).relative == "editor"
        and vim.api.nvim_win_get_width(shown()) == 60]]),
    },
    {
      value = "{}",
      base = "{ terminal = { provider = 'snacks' } }",
      init = snacks,
      effect = opened([[return vim.api.nvim_win_get_config(shown()).relative == ""]]),
    },
    wrong = { "'float'", "{ 'float' }" },
  },
  ["terminal.env"] = {
    { value = "{ MINE = 'terminal' }", base = "{ env = { MINE = 'all' } }", effect = variable("MINE=terminal") },
    wrong = { "'A=1'", "{ 'A=1' }" },
  },
  ["terminal.cwd"] = {
    { value = "'repo'", effect = directory("repo") },
    { value = "nil", effect = directory("") },
    wrong = { "''", "true" },
  },
  ["terminal.git_repo_cwd"] = {
    { value = "true", effect = directory("repo") },
    { value = "false", effect = directory("") },
    wrong = { "'repo'" },
  },
  ["terminal.cwd_provider"] = {
    { value = "function(context) return context.file_dir end", effect = directory("repo/sub") },
    { value = "function() end", effect = directory("") },
    wrong = { "'repo'", "true" },
  },
  ["terminal.provider_opts.external_terminal_cmd"] = {
    { value = "'env %s'", base = EXTERNAL, effect = external },
    { value = "'env --chdir=%s %s'", base = EXTERNAL, effect = external },
    { value = "{ 'env', '%s' }", base = EXTERNAL, effect = external },
    { value = "function(command) return 'env ' .. command end", base = EXTERNAL, effect = external },
    wrong = { "5", "{ a = 1 }", "''" },
  },
}
