-- Hooks for a Claude that is started here, and edits that are asked for first.
local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")

-- Plays the CLI: writes down how it was started.
local FAKE = [[#!/bin/sh
for word in "$@"; do printf '%s\n' "$word"; done > "$0.argv.part"
mv "$0.argv.part" "$0.argv"
exec cat
]]

describe("Claude's hooks", function()
  local child, peer, fake

  ---@param options string|nil Lua of options
  local function start(options)
    child = Child.start({
      ui = { 100, 30 },
      files = { ["a.txt"] = "one\n" },
      args = { "a.txt" },
      init = [[_G.said = {} vim.notify = function(text) table.insert(said, text) end]],
    })
    fake = child:write(child.root .. "/claude", FAKE)
    assert(vim.uv.fs_chmod(fake, 493))
    child:lua(
      ([[
      _G.term = require("claudecode.terminal")
      require("claudecode").setup(vim.tbl_deep_extend("force", { terminal_cmd = { ..., "--mine" },
        terminal = { provider = "native", show_native_term_exit_tip = false } }, %s))
    ]]):format(options or "{}"),
      fake
    )
  end

  ---Starts Claude anew.
  ---@param args string|nil
  ---@return string[] its arguments
  local function started_with(args)
    os.remove(fake .. ".argv")
    child:lua([[term.close() term.open(nil, ...)]], args)
    child:wait(("return vim.uv.fs_stat(%q) ~= nil"):format(fake .. ".argv"))
    return vim.split(assert(child:read(fake .. ".argv")), "\n", { trimempty = true })
  end

  ---A client says that it is the process in the terminal, and which version it has.
  ---@param version string
  ---@param pid integer|nil
  local function introduce(version, pid)
    peer = Peer.connect(child)
    peer:initialize({ pid = pid or child:lua([[return term.pid()]]), program_version = version })
    child:wait([[local _, client = next(require("claudecode.bridge").clients()) return client and client.pid]])
    child:lua([[vim.wait(20)]])
    peer:close()
    peer = nil
    child:wait([[return not require("claudecode").is_claude_connected()]])
  end

  ---@param argv string[]
  ---@return table|nil hooks
  local function hooks_of(argv)
    for i, word in ipairs(argv) do
      if word == "--plugin-dir" then
        return vim.json.decode((child:read(argv[i + 1] .. "/hooks/hooks.json")))
      end
    end
  end

  after_each(function()
    if peer then
      peer:close()
      peer = nil
    end
    child:stop()
  end)

  it("are given to a program that has told a version which takes them, and to no other", function()
    start()
    assert.are.same({ "--mine", "--resume" }, started_with("--resume"))
    introduce("2.1.331")
    assert.are.same({ "--mine" }, started_with())
    introduce("2.1.332", 1)
    assert.are.same({ "--mine" }, started_with())
    introduce("2.1.332")
    local argv = started_with("--resume")
    assert.are.same({ "--mine", "--plugin-dir", argv[3], "--resume" }, argv)
    local hook = hooks_of(argv).hooks.PreToolUse[1]
    assert.are.equal("Edit|Write|NotebookEdit", hook.matcher)
    assert.are.same({ "mcp_tool", "ide", "nvimHook", 10 }, {
      hook.hooks[1].type,
      hook.hooks[1].server,
      hook.hooks[1].tool,
      hook.hooks[1].timeout,
    })
    assert.are.equal("neovim", vim.json.decode((child:read(argv[3] .. "/.claude-plugin/plugin.json"))).name)
    assert.are.equal(448, vim.uv.fs_stat(argv[3]).mode % 512)
    -- Another program under the same name.
    child:write(fake, FAKE .. "# another\n")
    assert.are.same({ "--mine" }, started_with())
    assert.are.same({}, child:lua([[return said]]))
  end)

  it("are not given when the user does not want them", function()
    start("{ hooks = false }")
    started_with()
    introduce("2.1.332")
    assert.are.same({ "--mine" }, started_with())
  end)

  it("are not given when their directory cannot be written, and Claude starts all the same", function()
    start()
    started_with()
    introduce("2.1.332")
    child:lua([[
      local state = vim.fn.stdpath("state") .. "/claudecode"
      vim.wait(2000, function() return vim.uv.fs_stat(state .. "/cli.json") ~= nil end)
      vim.fn.delete(state .. "/hooks", "rf")
      vim.fn.writefile({ "in the way" }, state .. "/hooks")
    ]])
    assert.are.same({ "--mine" }, started_with())
  end)

  it("have each edit asked for with review before, whatever the mode; without them the CLI's own mode does", function()
    start("{ permission_mode = 'auto', review = { when = 'before' } }")
    assert.are.same({ "--mine", "--permission-mode", "default" }, started_with())
    introduce("2.1.332")
    local argv = started_with()
    assert.are.same({ "--mine", "--plugin-dir", argv[3], "--permission-mode", "auto" }, argv)
    peer = Peer.connect(child)
    peer:initialize()
    local function decision()
      local answer = peer:call("nvimHook", { event = "PreToolUse", mode = "auto", tool = "Edit" })
      local output = vim.json.decode(answer.content[1].text)
      return vim.tbl_get(output, "hookSpecificOutput", "permissionDecision") or "none"
    end
    assert.are.equal("ask", decision())
    child:lua([[vim.cmd("ClaudeCodeReview off")]])
    assert.are.equal("none", decision())
    child:lua([[vim.cmd("ClaudeCodeReview before")]])
    assert.are.equal("ask", decision())
    child:wait([[return require("claudecode.status").report():find("permission mode auto", 1, true) ~= nil]])
    local said = child:lua([[return said]])
    assert.matches("review: off; Claude's permission mode decides", said[1])
    assert.matches("review: before; every edit of a Claude that is started here opens as a diff%.", said[2])
  end)

  it("that the running Claude lacks are said to come with the next start", function()
    start()
    started_with()
    child:lua([[vim.cmd("ClaudeCodeReview before") vim.cmd("ClaudeCodeReview") vim.cmd("ClaudeCodeReview after")]])
    local said = child:lua([[return said]])
    assert.matches("from the next start of Claude on", said[1])
    assert.are.equal(said[1], said[2])
    assert.matches('takes before or off, not "after"', said[3])
  end)
end)
