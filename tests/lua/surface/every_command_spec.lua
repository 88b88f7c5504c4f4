-- Every command, in one table: what it takes (arguments, range, bang, a bar behind it), what is completed, what it
-- does.
local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")

local CLI = { "--continue", "--resume", "--model", "--permission-mode", "--add-dir", "--verbose" }
local MODELS = { "default", "opus", "opus[1m]", "sonnet", "sonnet[1m]", "haiku" }

-- Plays the CLI: writes its arguments down, shows what is typed.
local FAKE = [[#!/bin/sh
for word in "$@"; do printf '%s\n' "$word"; done > "$0.out.part"
mv "$0.out.part" "$0.out"
exec cat
]]

---@class tests.CommandCase
---@field nargs "0"|"1"|"?"|"*"|"+"
---@field range boolean|nil
---@field bang boolean|nil
---@field bar boolean|nil
---@field complete table<string, string[]>|nil What is typed behind the name -> what is offered.
---@field line string|nil What is run; default the name.
---@field effect fun(child: tests.Child, peer: tests.Peer) Waits until it is seen.

local SHOWN = [[return vim.bo.filetype == "claudecode_terminal"]]

---@param expected string[]
local function started_with(expected)
  return function(child)
    child:wait(SHOWN)
    local out = child.root .. "/claude.out"
    child:wait(("return vim.uv.fs_stat(%q) ~= nil"):format(out))
    assert.are.same(expected, vim.split(child:read(out), "\n", { trimempty = true }))
  end
end

---@param text string pattern
local function says(text)
  return function(child)
    child:wait([[return #said > 0]])
    assert.matches(text, child:lua([[return said[#said] ]]))
  end
end

---@param params table of at_mentioned, but for its path
local function mentions(params, path)
  return function(child, peer)
    local seen = assert(peer:notification("at_mentioned"))
    assert.are.same(vim.tbl_extend("error", { filePath = child:path(path or "a.txt") }, params), seen)
  end
end

---@param outcome string
local function decides(outcome)
  return function(child, peer)
    local path = child:path("a.txt")
    local arguments = { old_file_path = path, new_file_path = path, new_file_contents = "new\n", tab_name = "t" }
    local id = peer:start_call("openDiff", arguments)
    child:wait([[return require("claudecode.diff").count() == 1]])
    assert.is_false(peer:is_answered(id))
    child:lua([[vim.cmd(...)]], outcome == "FILE_SAVED" and "ClaudeCodeDiffAccept" or outcome)
    assert.are.equal(
      outcome == "FILE_SAVED" and "FILE_SAVED" or "DIFF_REJECTED",
      assert(peer:answer(id)).content[1].text
    )
  end
end

---@type table<string, tests.CommandCase>
local COMMANDS = {
  ClaudeCode = {
    nargs = "*",
    line = "ClaudeCode --model opus[1m] 'two words'",
    complete = {
      [""] = CLI,
      ["--re"] = { "--resume" },
      ["--model "] = MODELS,
      ["x --model so"] = { "sonnet", "sonnet[1m]" },
    },
    effect = started_with({ "--model", "opus[1m]", "two words" }),
  },
  ClaudeCodeFocus = {
    nargs = "*",
    complete = { [""] = CLI, ["--permission-mode p"] = { "plan" } },
    effect = started_with({}),
  },
  ClaudeCodeOpen = { nargs = "*", complete = { ["--c"] = { "--continue" } }, effect = started_with({}) },
  ClaudeCodeClose = {
    nargs = "0",
    bar = true,
    line = "ClaudeCodeOpen | ",
    effect = function(child)
      child:wait(SHOWN)
      child:lua([[vim.cmd("ClaudeCodeClose | let g:behind = 1")]])
      child:wait([[return vim.fn.winnr("$") == 1 and require("claudecode.terminal").pid() == nil]])
    end,
  },
  ClaudeCodeSelectModel = {
    nargs = "*",
    line = "ClaudeCodeSelectModel --verbose",
    complete = { ["--v"] = { "--verbose" } },
    effect = started_with({ "--model", "default", "--verbose" }),
  },
  ClaudeCodeSendText = {
    nargs = "+",
    bang = true,
    line = "ClaudeCodeOpen",
    effect = function(child)
      child:wait(SHOWN)
      child:lua([[vim.cmd("ClaudeCodeSendText! one | two")]])
      child:wait_screen("one | two")
    end,
  },
  ClaudeCodeSend = {
    nargs = "0",
    range = true,
    bar = true,
    line = "2,3ClaudeCodeSend",
    effect = mentions({ lineStart = 1, lineEnd = 2 }),
  },
  ClaudeCodeAdd = {
    nargs = "+",
    line = "ClaudeCodeAdd % 2 3",
    complete = { [""] = { "a.txt", "sub/" }, ["s"] = { "sub/" }, ["sub/"] = { "sub/b.txt" } },
    effect = mentions({ lineStart = 1, lineEnd = 2 }),
  },
  ClaudeCodeTreeAdd = {
    nargs = "0",
    range = true,
    bar = true,
    line = "edit sub | call search('b.txt') | ClaudeCodeTreeAdd",
    effect = mentions({}, "sub/b.txt"),
  },
  ClaudeCodeShare = {
    nargs = "?",
    bar = true,
    line = "ClaudeCodeShare off",
    complete = { [""] = { "on", "off", "toggle" }, ["o"] = { "on", "off" } },
    effect = function(child)
      child:wait([[return require("claudecode").statusline() == "Claude 1 sharing off"]])
    end,
  },
  ClaudeCodeStart = { nargs = "0", bar = true, effect = says("the server already runs on port %d+%.") },
  ClaudeCodeStop = {
    nargs = "0",
    bar = true,
    effect = function(child, peer)
      says("server stopped%.")(child)
      peer:wait_closed()
      assert.are.same({}, child:locks(0))
    end,
  },
  ClaudeCodeStatus = { nargs = "0", bar = true, effect = says("server: 127%.0%.0%.1:%d+.*open diffs: 0") },
  ClaudeCodeBuild = {
    nargs = "0",
    bar = true,
    line = "let $PATH = '/nowhere' | ClaudeCodeBuild",
    effect = says("cargo was not found"),
  },
  ClaudeCodeLog = {
    nargs = "0",
    bar = true,
    effect = function(child)
      child:wait([[return vim.bo.filetype == "claudecode_log"]])
    end,
  },
  ClaudeCodeDiffAccept = { nargs = "0", bar = true, line = "echo", effect = decides("FILE_SAVED") },
  ClaudeCodeDiffDeny = { nargs = "0", bar = true, line = "echo", effect = decides("ClaudeCodeDiffDeny") },
  ClaudeCodeCloseAllDiffs = { nargs = "0", bar = true, line = "echo", effect = decides("ClaudeCodeCloseAllDiffs") },
  ClaudeCodeDiffs = { nargs = "0", bar = true, effect = says("No diff is open") },
  ClaudeCodeReview = {
    nargs = "?",
    bar = true,
    line = "ClaudeCodeReview before",
    complete = { [""] = { "before", "off" }, ["o"] = { "off" } },
    effect = says("review: before; every edit of a Claude that is started here opens as a diff"),
  },
  ClaudeCodeNote = { nargs = "*", range = true, effect = says("it comes with version") },
}

describe("every command", function()
  local child, peer

  local function start()
    child = Child.start({
      ui = { 120, 30 },
      files = { ["a.txt"] = "one\ntwo\nthree\n", ["sub/b.txt"] = "b\n" },
      args = { "a.txt" },
      init = [[
        _G.said = {}
        vim.notify = function(text) table.insert(said, text) end
        vim.ui.select = function(items, _, done) done(items[1]) end
      ]],
    })
    local fake = child:write(child.root .. "/claude", FAKE)
    assert(vim.uv.fs_chmod(fake, 493))
    child:lua(
      [[require("claudecode").setup({ terminal_cmd = { ... },
      terminal = { provider = "native", show_native_term_exit_tip = false } })]],
      fake
    )
    peer = Peer.connect(child)
    peer:initialize()
    child:wait([[local _, client = next(require("claudecode.bridge").clients()) return client and client.ready]])
  end

  ---@return string error of a command line, "" if there is none
  local function error_of(line)
    return child:lua(
      [[
      local ok, err = pcall(vim.cmd, ...)
      return ok and "" or tostring(err)
    ]],
      line
    )
  end

  after_each(function()
    if peer then
      peer:close()
      peer = nil
    end
    child:stop()
  end)

  it("is in the table", function()
    child = Child.start()
    local names = vim.tbl_keys(COMMANDS)
    table.sort(names)
    assert.are.same(child:lua([[return require("claudecode.commands").names()]]), names)
  end)

  it("takes what the table says, and refuses the rest as every command does", function()
    child = Child.start({ init = [[vim.notify = function() end]] })
    local found = child:lua([[
      local found = {}
      for name, command in pairs(vim.api.nvim_get_commands({})) do
        if name:find("^ClaudeCode") then
          found[name] = { nargs = command.nargs, bang = command.bang, bar = command.bar,
            range = command.range ~= nil, complete = command.complete ~= nil }
        end
      end
      return found
    ]])
    for name, case in pairs(COMMANDS) do
      assert.are.same({
        nargs = case.nargs,
        bang = case.bang or false,
        bar = case.bar or false,
        range = case.range or false,
        complete = case.complete ~= nil,
      }, found[name], name)
      if not case.bang then
        assert.matches("E477", error_of(name .. "!"), name)
      end
      if not case.range then
        assert.matches("E481", error_of("1" .. name), name)
      end
      if case.nargs == "0" then
        assert.matches("E488", error_of(name .. " argument"), name)
      elseif case.nargs == "+" then
        assert.matches("E471", error_of(name), name)
      end
    end
  end)

  it("completes what the table says", function()
    start()
    for name, case in pairs(COMMANDS) do
      for typed, expected in pairs(case.complete or {}) do
        local line = name .. " " .. typed
        assert.are.same(expected, child:lua([[return vim.fn.getcompletion(..., "cmdline")]], line), line)
      end
    end
  end)

  for name, case in pairs(COMMANDS) do
    it(":" .. name .. " does it", function()
      start()
      assert.are.equal("", error_of(case.line or name))
      case.effect(child, peer)
      if case.bar then
        child:lua([[vim.g.behind = nil]])
        assert.are.equal("", error_of(name .. " | let g:behind = 1"))
        assert.are.equal(1, child:lua([[return vim.g.behind]]))
      end
    end)
  end
end)
