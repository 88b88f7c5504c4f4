-- The provider "external": what a terminal program of the user's is started with, and what is said of its end.
local Child = require("tests.lua.child")

-- Plays the CLI: writes down what it got.
local CLI = [[#!/bin/sh
for word in "$@"; do printf '%s\0' "$word"; done > "$OUT/argv.part"
env -0 > "$OUT/env"
pwd -P > "$OUT/cwd"
mv "$OUT/argv.part" "$OUT/argv"
echo started >> "$OUT/starts"
exec sleep 1000
]]

-- Plays a terminal program: one that stays, and one that leaves the CLI to a server with an environment of its own.
local PROGRAM = [[#!/bin/sh
[ "$1" = -e ] && shift
exec "$@"
]]
local HANDS_OVER = [[#!/bin/sh
shift
cd / && env -i PATH="$PATH" OUT="$OUT" "$@" &
]]
local FAILS = [[#!/bin/sh
echo "cannot open display" >&2
exit 3
]]

describe("the external terminal", function()
  local child

  ---@param command string Lua of the option
  ---@param options string|nil Lua of more options
  local function start(command, options)
    child = Child.start({
      files = { ["sub dir/a.txt"] = "one\n" },
      args = { "sub dir/a.txt" },
      init = [[_G.said = {} vim.notify = function(text) table.insert(said, text) end]],
    })
    vim.fn.mkdir(child.root .. "/out", "p")
    child:lua("vim.env.OUT = ...", child.root .. "/out")
    for name, text in pairs({ ["my cli"] = CLI, ["a term"] = PROGRAM, server = HANDS_OVER, fails = FAILS }) do
      assert(vim.uv.fs_chmod(child:write(child.root .. "/bin/" .. name, text), 493))
    end
    child:lua(
      ([[
      _G.bin = ...
      vim.env.PATH = bin .. ":" .. vim.env.PATH
      require("claudecode").setup(vim.tbl_deep_extend("force", {
        terminal_cmd = { bin .. "/my cli" }, permission_mode = "default", env = { MINE = "a b'c" },
        terminal = { provider = "external", provider_opts = { external_terminal_cmd = %s } },
      }, %s))
    ]]):format(command, options or "{}"),
      child.root .. "/bin"
    )
  end

  ---@param name string
  ---@return string
  local function out(name)
    return assert(child:read(child.root .. "/out/" .. name), name)
  end

  local function wait_for_cli()
    child:wait([[return vim.uv.fs_stat(vim.env.OUT .. "/argv") ~= nil]])
  end

  ---@return string[]
  local function said()
    return child:lua("return said")
  end

  ---The CLI got all that a terminal in Neovim would give it.
  ---@param cwd string|nil
  local function is_right(cwd)
    wait_for_cli()
    assert.are.equal("--permission-mode\0default\0--model\0opus[1m]\0", out("argv"))
    local env = "\0" .. out("env")
    assert.is_truthy(env:find("\0CLAUDE_CODE_SSE_PORT=" .. child:locks(0)[1].port .. "\0", 1, true))
    assert.is_truthy(env:find("\0MINE=a b'c\0", 1, true))
    assert.is_truthy(env:find("\0ENABLE_IDE_INTEGRATION=true\0", 1, true))
    assert.matches("%zno_proxy=[^%z]*127%.0%.0%.1", env)
    assert.are.equal(vim.uv.fs_realpath(cwd or child.dir) .. "\n", out("cwd"))
    assert.are.same({}, said())
  end

  after_each(function()
    child:stop()
  end)

  for name, command in
    vim.spairs({
      ["a line"] = [["'" .. bin .. "/a term' -e %s"]],
      ["a list"] = [[{ bin .. "/a term", "-e", "%s" }]],
      ["a line with a directory"] = [["'" .. bin .. "/a term' -e env --chdir=%s %s"]],
      ["a list with a directory in a script"] = [[{ bin .. "/a term", "sh", "-c", "cd %s && exec %s" }]],
      ["a program that leaves the rest to its server"] = [["server -e %s"]],
      ["a function that returns a line"] = [[function(command, env, cwd)
      return ("env --chdir=%s %s"):format(vim.fn.shellescape(cwd), command)
    end]],
      ["a function that returns a list"] = [[function(command)
      return { bin .. "/a term", "-e", "sh", "-c", command }
    end]],
    })
  do
    it("is started by " .. name, function()
      start(command)
      child:lua([[vim.cmd("ClaudeCode --model opus[1m]")]])
      is_right()
    end)
  end

  it("is started once for several mentions, though nothing is seen of a CLI that was left to a server", function()
    start([["server -e %s"]])
    for _ = 1, 3 do
      child:lua([[vim.cmd("ClaudeCodeAdd %")]])
      wait_for_cli()
      child:wait([[return not require("claudecode.terminal").has_process()]])
    end
    vim.uv.sleep(100)
    assert.are.equal("started\n", out("starts"))
    -- One that came and went is started again.
    local peer = require("tests.lua.peer").connect(child)
    peer:initialize()
    child:wait([[return require("claudecode").is_claude_connected()]])
    peer:close()
    child:wait([[return not require("claudecode").is_claude_connected()]])
    child:lua([[vim.cmd("ClaudeCodeAdd %")]])
    child:wait([[return #vim.fn.readfile(vim.env.OUT .. "/starts") == 2]])
  end)

  it("starts in the directory of the options", function()
    start([["server -e %s"]], [[{ terminal = { cwd_provider = function(at) return at.file_dir end } }]])
    child:lua([[vim.cmd("ClaudeCode --model opus[1m]")]])
    is_right(child:path("sub dir"))
  end)

  it("is ended by Close and with Neovim, not by a toggle", function()
    start([[{ bin .. "/a term", "-e", "%s" }]])
    child:lua([[vim.cmd.ClaudeCode()]])
    wait_for_cli()
    local pid = child:lua([[return require("claudecode.terminal").pid()]])
    child:lua([[vim.cmd.ClaudeCode() vim.cmd.ClaudeCodeFocus()]])
    assert.are.equal(0, vim.uv.kill(pid, 0))
    assert.are.equal(2, #said())
    assert.matches("terminal window: go there", said()[1])
    child:lua([[said = {} vim.cmd("ClaudeCodeSendText hello")]])
    assert.matches("does not run in a terminal of this Neovim", said()[1])
    child:lua([[vim.cmd.ClaudeCodeClose()]])
    child:wait([[return require("claudecode.terminal").pid() == nil]])
    child:lua([[vim.fn.delete(vim.env.OUT .. "/argv") vim.cmd.ClaudeCode()]])
    wait_for_cli()
    pid = child:lua([[return require("claudecode.terminal").pid()]])
    assert.are.equal(0, child:quit())
    local until_ms = vim.uv.now() + 3000
    while vim.uv.kill(pid, 0) == 0 and vim.uv.now() < until_ms do
      vim.uv.sleep(20)
      vim.uv.update_time()
    end
    assert.is_true(vim.uv.kill(pid, 0) ~= 0)
  end)

  for name, case in
    vim.spairs({
      ["fails"] = { [["fails %s"]], "exit code 3%.\ncannot open display" },
      ["is not there"] = { [["no-such-terminal -e %s"]], '"no%-such%-terminal" was not found' },
      ["has no place for the command"] = { [["xterm -e claude"]], "0 places" },
      ["has too many places for it"] = { [["xterm %s %s %s"]], "3 places" },
      ["has an open quote"] = { [["xterm 'a %s"]], "quote is not closed" },
      ["is a function that throws"] = { [[function() error("boom") end]], "boom" },
      ["is a function that returns nothing"] = { [[function() end]], "returned no command" },
    })
  do
    it("says in one message what is wrong when the program " .. name, function()
      start(case[1])
      child:lua([[vim.cmd.ClaudeCode()]])
      child:wait("return #said > 0")
      vim.uv.sleep(50)
      assert.are.equal(1, #said())
      assert.matches(case[2], said()[1])
      assert.is_false(child:lua([[return require("claudecode.terminal").has_process()]]))
    end)
  end
end)
