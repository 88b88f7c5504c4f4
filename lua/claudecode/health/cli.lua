-- The part of the report about the Claude CLI: where it is, how it asks, where it runs, what is in its way.

local health = vim.health

local M = {}

-- How long the report may wait for `claude --version`.
local VERSION_WAIT_MS = 250

local function short(path)
  return vim.fn.fnamemodify(path, ":~")
end

local function check_cli()
  health.start("claudecode: Claude CLI")
  local version = require("claudecode.terminal.version")
  local answer = version.ask()
  vim.wait(VERSION_WAIT_MS, function()
    return answer.state ~= "asking"
  end, 10, true)
  if answer.state == "known" then
    health.ok(("%s: %s"):format(short(answer.program), answer.text))
  elseif answer.state == "asking" then
    health.info(("%s: has not told its version yet; run :checkhealth again"):format(short(answer.program)))
  else
    health.warn("the version is not known: " .. answer.text, "Install Claude Code, or set the option terminal_cmd")
  end
end

---@return table<string, string> env what the options add to the environment of a CLI
local function cli_environment()
  local config = require("claudecode.config").get()
  return vim.tbl_extend("force", config.env, config.terminal.env)
end

---The CLI looks for lock files, and for its settings, where its own environment says.
---@return string|nil config_dir $CLAUDE_CONFIG_DIR of a CLI that is started here
local function check_config_dir()
  local own, cli = vim.env.CLAUDE_CONFIG_DIR or "", cli_environment().CLAUDE_CONFIG_DIR
  -- Besides that directory the CLI looks in the usual one.
  if cli and own ~= "" and vim.fs.normalize(cli) ~= vim.fs.normalize(own) then
    health.error(
      ("the options give Claude CLAUDE_CONFIG_DIR=%s, but Neovim's is %s: it will not find this server"):format(
        cli,
        own
      ),
      "Set CLAUDE_CONFIG_DIR before Neovim starts, rather than in the option env"
    )
  end
  local dir = cli or own
  return dir ~= "" and vim.fs.normalize(dir) or nil
end

-- Modes of the CLI in which an edit is asked for, and so opens as a diff.
local ASKS = { default = true, manual = true, plan = true }

local function check_permissions()
  health.start("claudecode: how edits are asked for")
  local config = require("claudecode.config").get()
  local settings = require("claudecode.health.settings").read(
    check_config_dir(),
    require("claudecode.cwd").for_terminal(config.terminal)
  )
  local mode = config.permission_mode or settings.mode
  local source = config.permission_mode and "permission_mode"
    or settings.mode_file and ("permissions.defaultMode in " .. short(settings.mode_file))
  if not mode then
    health.info('permission_mode is unset: Claude\'s own mode may write edits without a diff; "default" makes it ask')
  elseif ASKS[mode] then
    health.ok(("%s = %q: edits open as diffs"):format(source, mode))
  else
    health.info(("%s = %q: edits may be written without a diff"):format(source, mode))
  end
  for _, rule in ipairs(settings.allows) do
    health.info("Claude is allowed to edit without asking, so no diff opens: " .. rule)
  end
  local to_terminal = settings.diff_tool == "terminal"
  if to_terminal and config.diff_opts.enabled then
    health.warn(
      ('diffTool is "terminal" in %s: Claude shows edits there, and none opens here'):format(
        short(settings.diff_tool_file)
      ),
      '/config in Claude has "Diff tool": auto'
    )
  elseif not config.diff_opts.enabled then
    health.info(
      to_terminal and "diff_opts.enabled = false, and Claude shows edits in its terminal"
        or "diff_opts.enabled = false: Claude asks without showing the edit, unless /config sets"
          .. ' its "Diff tool" to terminal'
    )
  end
end

local function check_terminal()
  health.start("claudecode: terminal")
  local terminal = require("claudecode.terminal")
  local wanted = require("claudecode.config").get().terminal.provider
  local name = terminal.provider_name()
  if
    wanted ~= "auto" and wanted ~= name and type(wanted) ~= "table" or (type(wanted) == "table" and name ~= "custom")
  then
    health.warn(("provider: %s, as the one that is set cannot be used"):format(name))
  else
    health.ok("provider: " .. name)
  end
  local pid = terminal.pid()
  health.info(pid and ("Claude runs here, pid " .. pid) or "Claude does not run in a terminal of this Neovim")
end

local function check_proxy()
  health.start("claudecode: proxy")
  local found = {}
  local env = cli_environment()
  for _, name in ipairs({ "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY" }) do
    if (env[name] or vim.env[name] or "") ~= "" then
      found[#found + 1] = name
    end
  end
  if #found == 0 then
    health.ok("no proxy is set")
    return
  end
  local exempt = (vim.env.no_proxy or "") .. "," .. (vim.env.NO_PROXY or "")
  if exempt:find("127.0.0.1", 1, true) or exempt:find("*", 1, true) then
    health.ok(("%s set, and no_proxy exempts 127.0.0.1"):format(table.concat(found, ", ")))
  else
    health.info(
      table.concat(found, ", ")
        .. " set. A Claude started here gets 127.0.0.1 in no_proxy; one started elsewhere needs it in its environment."
    )
  end
end

function M.check()
  check_cli()
  check_permissions()
  check_terminal()
  check_proxy()
end

return M
