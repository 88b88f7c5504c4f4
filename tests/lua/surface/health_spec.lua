local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")

describe(":checkhealth claudecode", function()
  local child

  ---@param opts table
  ---@param program string|nil what the CLI does when it is asked for its version
  local function start(opts, program)
    child = Child.start(vim.tbl_extend("force", { init = "vim.notify = function() end" }, opts))
    local path =
      child:write(child.root .. "/claude", "#!/bin/sh\n" .. (program or "echo '9.9.9 (Claude Code)'") .. "\n")
    assert(vim.uv.fs_chmod(path, 493))
    child:lua(
      [[
      local path, more = ...
      local options = { terminal_cmd = { path }, terminal = { provider = "none" } }
      require("claudecode").setup(vim.tbl_extend("force", options, more))
    ]],
      path,
      opts.options or {}
    )
  end

  local function report()
    child:lua([[vim.cmd("silent checkhealth claudecode")]])
    return child:lua([[return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")]])
  end

  after_each(function()
    child:stop()
  end)

  it("shows library, server, lock file, clients, CLI and provider", function()
    start({})
    local peer = Peer.connect(child)
    peer:initialize()
    local text = report()
    peer:close()
    assert.matches("version [%d.]+, ABI %d+, from .*claudecode_native", text)
    assert.matches("listening on 127%.0%.0%.1:%d+", text)
    assert.matches("lock file .*%.lock, mode 600", text)
    assert.matches("lock directory .*, mode 700 %(from %$CLAUDE_CONFIG_DIR%)", text)
    assert.matches("folders: ", text)
    assert.matches("last handshake, %d+ s ago", text)
    assert.matches("client %d+: claude%-code", text)
    assert.matches("9%.9%.9 %(Claude Code%)", text)
    assert.matches("provider: none", text)
    assert.matches("all options are right", text)
    assert.matches("no proxy is set", text)
    assert.matches("permission_mode is unset", text)
    assert.is_nil(text:find("ERROR", 1, true))
  end)

  it("never waits for a CLI that does not answer", function()
    start({}, "exec sleep 1000")
    local before = vim.uv.hrtime()
    local text = report()
    assert.is_true((vim.uv.hrtime() - before) / 1e6 < 1500)
    assert.matches("has not told its version yet", text)
    start({}, "sleep 0.6; echo 1.2.3")
    report()
    child:wait([[return require("claudecode.terminal.version").ask().state == "known"]], 5000)
    assert.matches("1%.2%.3", report())
  end)

  it("shows a CLI that is missing or fails", function()
    start({}, "echo broken >&2; exit 2")
    assert.matches("version is not known: broken", report())
    child:lua([[require("claudecode").setup({ terminal_cmd = "no-such-claude", terminal = { provider = "none" } })]])
    assert.matches('the program "no%-such%-claude" was not found', report())
  end)

  it("shows wrong options, an open lock directory and a proxy that would catch the connection", function()
    start({
      env = { HTTP_PROXY = "http://proxy:3128" },
      options = { log_level = "loud", permission_mode = "acceptEdits" },
    })
    assert(vim.uv.fs_chmod(child.config_dir .. "/ide", 493))
    local text = report()
    assert.matches("log_level: expected one of", text)
    assert.matches("has mode 755: other users", text)
    assert.matches("HTTP_PROXY set%.", text)
    assert.matches('permission_mode = "acceptEdits": edits may be written without a diff', text)
  end)

  ---@param path string
  ---@param content table
  local function write_json(path, content)
    child:write(path, vim.json.encode(content))
  end

  it("says what Claude's own settings make of edits", function()
    start({})
    write_json(child.config_dir .. "/settings.json", { permissions = { defaultMode = "acceptEdits" } })
    local text = report()
    assert.matches('permissions%.defaultMode in .*/settings%.json = "acceptEdits": edits may be written', text)
    write_json(".claude/settings.local.json", {
      permissions = { defaultMode = "plan", allow = { "Bash(ls:*)", "Edit(./src/**)", "Editor" } },
    })
    write_json(child.config_dir .. "/.claude.json", { diffTool = "terminal" })
    text = report()
    assert.matches('permissions%.defaultMode in .*/settings%.local%.json = "plan": edits open as diffs', text)
    assert.matches("no diff opens: Edit%(%./src/%*%*%) %(", text)
    assert.is_nil(text:find("no diff opens: Editor", 1, true))
    assert.matches('diffTool is "terminal" in .*%.claude%.json: Claude shows edits there', text)
    child:lua([[require("claudecode").setup({ permission_mode = "default", diff_opts = { enabled = false },
      terminal = { provider = "none" } })]])
    text = report()
    assert.matches('permission_mode = "default": edits open as diffs', text)
    assert.matches("Claude shows edits in its terminal", text)
    child:write(child.config_dir .. "/.claude.json", "{ broken")
    child:write(child.config_dir .. "/settings.json", "[1, 2")
    assert.matches("Claude asks without showing the edit", report())
  end)

  it("shows other editors, mentions that wait, and a Claude that runs without a connection", function()
    start({})
    local other = Child.start({
      env = { CLAUDE_CONFIG_DIR = child.config_dir },
      setup = [[require("claudecode").setup({ terminal = { provider = "none" } })]],
    })
    other:wait([[return require("claudecode").state.port ~= nil]])
    child:lua([[require("claudecode").setup({ terminal_cmd = { "sleep", "1000" }, terminal = { provider = "native" } })
      vim.fn.writefile({}, "a.txt") vim.cmd("ClaudeCodeAdd a.txt")]])
    local text = report()
    assert.matches("other editors that Claude could connect to", text)
    assert.matches(("Neovim.*, pid %d, folders: "):format(other.pid), text)
    assert.matches("Claude runs here, but is not connected", text)
    assert.matches("mentions that wait: 1, as Claude runs, but not connected to this Neovim: perhaps to Neovim", text)
    other:stop()
    assert.is_nil(report():find("other editors that", 1, true))
  end)

  it("shows a provider that cannot be used, a configuration directory apart, and proxies of the options", function()
    start({})
    child:lua([[require("claudecode").setup({ terminal_cmd = { "true" }, terminal = { provider = "snacks" },
      env = { CLAUDE_CONFIG_DIR = "/elsewhere", https_proxy = "http://proxy:1" } })]])
    local text = report()
    assert.matches("provider: native, as the one that is set cannot be used", text)
    assert.matches("CLAUDE_CONFIG_DIR=/elsewhere, but Neovim's is .*: it will not find this server", text)
    assert.matches("https_proxy set", text)
  end)

  it("says that the server does not run, and why a directory cannot hold lock files", function()
    child = Child.start({ init = "vim.notify = function() end" })
    vim.fn.mkdir(child.config_dir, "p")
    child:write(child.config_dir .. "/ide", "a file")
    child:lua([[require("claudecode").setup({ terminal = { provider = "none" } })]])
    local text = report()
    assert.matches("the server does not run", text)
    assert.matches("/ide is not a directory", text)
  end)
end)
