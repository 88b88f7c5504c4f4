-- Options of the server, of the CLI's start, and of what is shared: each value with its effect.
local assert = require("luassert") ---@diagnostic disable-line: unresolved-require
local Peer = require("tests.lua.peer")

---@class tests.OptionCase
---@field value string Lua of the value.
---@field word string|nil the value, if it is one of some words.
---@field base string|nil see tests.OptionWish
---@field init string|nil
---@field effect fun(stage: tests.OptionStage)

---@class tests.OptionEntry
---@field [integer] tests.OptionCase
---@field wrong string[] Lua of values that are refused.

---@param low integer
---@param high integer
local function port_between(low, high)
  return function(stage)
    local port = stage.child:locks(2000)[1].port
    assert.is_true(low <= port and port <= high, port)
  end
end

---@param is_listed boolean
local function host(is_listed)
  return function(stage)
    local peer = Peer.try(stage.child, { headers = { Host = "my.host" } })
    if peer then
      peer:close()
    end
    assert.are.equal(is_listed, peer ~= nil)
  end
end

---@param expected string[]
local function argv(expected)
  return function(stage)
    assert.are.same(expected, stage:started_with("argv"))
  end
end

local function variable(line)
  return function(stage)
    assert.is_true(vim.list_contains(stage:started_with("env"), line))
  end
end

local LEVELS = { "trace", "debug", "info", "warn", "error" }

---@param level string
local function logs_from(level)
  return function(stage)
    local child = stage.child
    child:lua([[
      local log = require("claudecode.log")
      for _, level in ipairs({ "trace", "debug", "info", "warn", "error" }) do log[level]("test", "line-%s", level) end
    ]])
    child:wait([[
      local file = io.open(require("claudecode.log").path())
      return file and file:read("*a"):find("line-error", 1, true) ~= nil
    ]])
    local text = child:read(child:lua([[return require("claudecode.log").path()]]))
    local from
    for index, name in ipairs(LEVELS) do
      from = from or (name == level and index) or nil
      assert.are.equal(from ~= nil, text:find("line-" .. name, 1, true) ~= nil, name)
    end
  end
end

---@param path string|nil
local function moved(stage, path)
  local peer = stage:ready()
  stage.child:keys("jVj")
  if path then
    return peer:notification("selection_changed", function(params)
      return params.text ~= ""
    end)
  end
  return peer
end

---What a client has been told once a mention, which comes behind, is there.
---@param stage tests.OptionStage
---@param peer tests.Peer
---@return table[] selections
local function selections_before_a_mention(stage, peer)
  stage.child:lua([[vim.cmd("ClaudeCodeAdd b.txt")]])
  assert.is_table(peer:notification("at_mentioned"))
  return peer:notifications("selection_changed")
end

-- What an earlier Claude has left behind: that the program takes hooks.
local KNOWN = [[
  function _G.know()
    local stat = vim.uv.fs_stat(FAKE)
    local dir = vim.fn.stdpath("state") .. "/claudecode"
    vim.fn.mkdir(dir, "p")
    local known = { path = vim.uv.fs_realpath(FAKE), mtime = stat.mtime.sec, size = stat.size, version = "2.1.332" }
    vim.fn.writefile({ vim.json.encode(known) }, dir .. "/cli.json")
  end
]]

---@param wanted boolean
local function has_hooks(wanted)
  return function(stage)
    stage.child:lua([[know()]])
    assert.are.equal(wanted, vim.list_contains(stage:started_with("argv"), "--plugin-dir"))
  end
end

local cases = {
  ["port_range.min"] = {
    { value = "64000", effect = port_between(64000, 65535) },
    wrong = { "0", "65536", "1.5", "'10000'", "true" },
  },
  ["port_range.max"] = {
    { value = "12000", effect = port_between(10000, 12000) },
    wrong = { "0", "65536", "{}" },
  },
  auto_start = {
    { value = "true", effect = port_between(10000, 65535) },
    {
      value = "false",
      effect = function(stage)
        assert.are.same({}, stage.child:locks(0))
        stage.child:lua([[vim.cmd.ClaudeCodeStart()]])
        assert.are.equal(1, #stage.child:locks(2000))
      end,
    },
    wrong = { "'yes'", "1", "{}" },
  },
  ["server.allowed_hosts"] = {
    { value = "{}", effect = host(false) },
    { value = "{ 'my.host' }", effect = host(true) },
    wrong = { "'my.host'", "true", "{ a = 1 }" },
  },
  export_env = {
    {
      value = "true",
      effect = function(stage)
        local port = tostring(stage.child:locks(2000)[1].port)
        assert.are.equal(port, stage.child:lua([[return vim.env.CLAUDE_CODE_SSE_PORT]]))
      end,
    },
    {
      value = "false",
      effect = function(stage)
        stage.child:locks(2000)
        assert.is_nil(stage.child:lua([[return vim.env.CLAUDE_CODE_SSE_PORT]]))
      end,
    },
    wrong = { "'true'", "0" },
  },
  prebuilt = {
    {
      value = "false",
      effect = function(stage)
        assert.matches("prebuilt comes with a later version", stage.child:lua([[return said[1] ]]))
      end,
    },
    {
      value = "true",
      effect = function(stage)
        assert.are.same({}, stage.child:lua([[return said]]))
      end,
    },
    wrong = { "'no'" },
  },
  log_level = { wrong = { "'loud'", "3", "false" } },

  terminal_cmd = {
    { value = [[("%q --one 'two words'"):format(FAKE)]], effect = argv({ "--one", "two words" }) },
    { value = "FAKE", effect = argv({}) },
    { value = "{ FAKE, '--x y' }", effect = argv({ "--x y" }) },
    wrong = { [["claude 'open"]], "{}", "5", "''" },
  },
  env = {
    { value = "{ MINE = 'a b' }", effect = variable("MINE=a b") },
    { value = "{ MINE = 5 }", effect = variable("MINE=5") },
    wrong = { "'A=1'", "{ 'A=1' }", "3" },
  },
  permission_mode = { wrong = { "'ask'", "1", "{}" } },
  models = {
    {
      value = "{ { name = 'Mine', value = 'my-model' } }",
      init = [[vim.ui.select = function(items, opts, done) _G.offered = opts.format_item(items[1]) done(items[1]) end]],
      effect = function(stage)
        stage.child:lua([[vim.cmd.ClaudeCodeSelectModel()]])
        assert.are.same({ "--model", "my-model" }, stage:started_with("argv"))
        assert.are.equal("Mine", stage.child:lua([[return offered]]))
      end,
    },
    wrong = { "{}", "'opus'", "{ a = 1 }" },
  },

  track_selection = {
    {
      value = "true",
      effect = function(stage)
        assert.are.equal("two\nthree", assert(moved(stage, "a.txt")).text)
      end,
    },
    {
      value = "false",
      effect = function(stage)
        assert.are.same({}, selections_before_a_mention(stage, moved(stage)))
      end,
    },
    wrong = { "'no'", "0" },
  },
  visual_demotion_delay_ms = {
    {
      value = "0",
      effect = function(stage)
        local peer = moved(stage)
        assert.is_table(peer:notification("selection_changed", function(params)
          return params.text ~= ""
        end))
        stage.child:keys("<Esc>k")
        assert.is_table(peer:notification("selection_changed", function(params)
          return params.text == ""
        end))
      end,
    },
    {
      value = "60000",
      effect = function(stage)
        local peer = moved(stage)
        assert.is_table(peer:notification("selection_changed", function(params)
          return params.text ~= ""
        end))
        stage.child:keys("<Esc>k")
        local seen = selections_before_a_mention(stage, peer)
        assert.are.equal("two\nthree", seen[#seen].text)
      end,
    },
    wrong = { "-1", "0.5", "'50'" },
  },
  ["selection.exclude"] = {
    {
      value = "{ 'a.*' }",
      effect = function(stage)
        stage:ready()
        stage.child:wait([[return require("claudecode").statusline() == "Claude 1 not shared"]])
      end,
    },
    {
      value = "{}",
      effect = function(stage)
        stage:ready()
        stage.child:lua([[vim.cmd.edit(".env")]])
        stage.child:wait([[return require("claudecode").statusline() == "Claude 1"]])
      end,
    },
    wrong = { "'*.env'", "5" },
  },
  ["selection.max_bytes"] = {
    {
      value = "4",
      effect = function(stage)
        assert.is_true(assert(moved(stage, "a.txt")).truncated)
      end,
    },
    wrong = { "0", "-1", "'1k'" },
  },
  focus_after_send = {
    {
      value = "true",
      effect = function(stage)
        stage.child:lua([[vim.cmd("ClaudeCodeAdd b.txt")]])
        stage.child:wait([[return vim.bo.filetype == "claudecode_terminal"]])
      end,
    },
    {
      value = "true",
      base = "{ terminal = { provider = 'none' } }",
      effect = function(stage)
        local peer = stage:ready()
        for _ = 1, 2 do
          stage.child:lua([[vim.cmd("ClaudeCodeAdd b.txt")]])
          assert.is_table(peer:notification("at_mentioned"))
        end
        local said = stage.child:lua([[return said]])
        assert.are.equal(1, #said)
        assert.matches("focus_after_send has no effect on a Claude outside", said[1])
      end,
    },
    {
      value = "false",
      effect = function(stage)
        stage.child:lua([[vim.cmd("ClaudeCodeAdd b.txt")]])
        stage.child:wait([[return shown() > 0]])
        assert.are.equal("a.txt", stage.child:lua([[return vim.fn.bufname("%")]]))
      end,
    },
    wrong = { "'yes'" },
  },
  connection_wait_delay = {
    {
      value = "0",
      effect = function(stage)
        stage:ready()
      end,
    },
    {
      value = "60000",
      effect = function(stage)
        local peer = stage:connect()
        stage.child:wait([[return require("claudecode").is_claude_connected()]])
        stage.child:lua([[vim.cmd("ClaudeCodeAdd b.txt")]])
        peer:call("getWorkspaceFolders")
        stage.child:wait([[return require("claudecode").statusline() == "Claude 1 @1"]])
        assert.are.same({}, peer:notifications("at_mentioned"))
      end,
    },
    wrong = { "-1", "'fast'" },
  },
  queue_timeout = {
    {
      value = "1",
      base = "{ terminal = { provider = 'none' } }",
      effect = function(stage)
        stage.child:lua([[vim.cmd("ClaudeCodeAdd b.txt")]])
        stage.child:wait(
          [[return #said == 1 and said[1]:find("A mention waits: no Claude is running", 1, true) ~= nil]]
        )
      end,
    },
    wrong = { "0", "'5s'" },
  },
  connection_timeout = {
    {
      value = "2",
      base = "{ queue_timeout = 1 }",
      effect = function(stage)
        stage.child:lua([[vim.cmd("ClaudeCodeAdd b.txt")]])
        stage.child:wait([[return #said == 1 and said[1]:find("has not connected", 1, true) ~= nil]])
      end,
    },
    {
      value = "60000",
      base = "{ queue_timeout = 1 }",
      effect = function(stage)
        stage.child:lua([[vim.cmd("ClaudeCodeAdd b.txt")]])
        stage.child:wait([[return require("claudecode").statusline() == "Claude 0 @1"]])
        assert.are.same({}, stage.child:lua([[vim.wait(50) return said]]))
      end,
    },
    wrong = { "0", "{}" },
  },
  ["review.when"] = {
    { value = "'before'", word = "before", effect = argv({ "--permission-mode", "default" }) },
    { value = "'off'", word = "off", effect = argv({}) },
    wrong = { "'after'", "true", "{}" },
  },
  hooks = {
    { value = "true", init = KNOWN, effect = has_hooks(true) },
    { value = "false", init = KNOWN, effect = has_hooks(false) },
    wrong = { "'yes'", "1" },
  },
}

for _, level in ipairs(LEVELS) do
  table.insert(cases.log_level, { value = ("%q"):format(level), word = level, effect = logs_from(level) })
end
for _, mode in ipairs({ "default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions" }) do
  table.insert(
    cases.permission_mode,
    { value = ("%q"):format(mode), word = mode, effect = argv({ "--permission-mode", mode }) }
  )
end

return cases
