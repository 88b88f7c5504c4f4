-- `:checkhealth claudecode`: what a person needs to know when it does not work.

local health = vim.health

local M = {}

-- How long the report may wait for `claude --version`.
local VERSION_WAIT_MS = 250

local function short(path)
  return vim.fn.fnamemodify(path, ":~")
end

---@param seconds integer since 1970
local function ago(seconds)
  local passed = math.max(0, os.time() - seconds)
  if passed < 120 then
    return passed .. " s ago"
  end
  return passed < 7200 and math.floor(passed / 60) .. " min ago" or os.date("%Y-%m-%d %H:%M", seconds)
end

local function check_options()
  health.start("claudecode: options")
  local faults = require("claudecode.config").faults()
  for _, fault in ipairs(faults) do
    health.warn(fault)
  end
  if #faults == 0 then
    health.ok("all options are right")
  end
end

local function check_library()
  health.start("claudecode: native library")
  local native = require("claudecode.native")
  local module, err = native.load()
  if module then
    health.ok(("version %s, ABI %d, from %s"):format(module.version, module.abi, short(native.path() or "?")))
    health.info("log: " .. short(require("claudecode.log").path()))
  else
    health.error(err or "it cannot be loaded")
  end
end

---@param path string of the lock file
local function check_lock(path)
  local stat = vim.uv.fs_stat(path)
  if not stat then
    health.error("the lock file is gone: " .. short(path), "Restart the server: :ClaudeCodeStop, then :ClaudeCodeStart")
    return
  end
  health.ok(("lock file %s, mode %o"):format(short(path), stat.mode % 512))
end

local function check_lock_directory()
  local dir = require("claudecode.bridge.discovery").lock_dir()
  local stat = vim.uv.fs_stat(dir)
  local from = vim.env.CLAUDE_CONFIG_DIR and " (from $CLAUDE_CONFIG_DIR)" or ""
  if not stat then
    health.info(("lock directory %s does not exist yet%s"):format(short(dir), from))
  elseif stat.type ~= "directory" then
    health.error(
      ("%s is not a directory%s"):format(short(dir), from),
      "Move it away; the server makes a directory there"
    )
  elseif vim.fn.has("win32") == 0 and stat.mode % 64 ~= 0 then
    health.warn(
      ("lock directory %s has mode %o: other users of this machine can look into it%s"):format(
        short(dir),
        stat.mode % 512,
        from
      ),
      "chmod 700 " .. short(dir)
    )
  else
    health.ok(("lock directory %s, mode %o%s"):format(short(dir), stat.mode % 512, from))
  end
end

---@param name string
---@param incident { at: integer, what: string }|nil
local function tell_incident(name, incident)
  health.info(incident and ("%s, %s: %s"):format(name, ago(incident.at), incident.what) or name .. ": none")
end

local function check_server()
  health.start("claudecode: server")
  local status = require("claudecode.bridge").status()
  check_lock_directory()
  if not status then
    health.warn("the server does not run", ":ClaudeCodeStart starts it, as setup() does when auto_start is on")
    return
  end
  health.ok(("listening on 127.0.0.1:%d as %q"):format(status.port, status.name))
  check_lock(status.lock_path)
  health.info("folders: " .. (#status.folders > 0 and table.concat(vim.tbl_map(short, status.folders), ", ") or "none"))
  tell_incident("last handshake", status.last_handshake)
  tell_incident("last error", status.last_error)
end

local function check_clients()
  health.start("claudecode: clients")
  local any = false
  for _, client in pairs(require("claudecode.bridge").clients()) do
    any = true
    local since = ("client %d: %s, connected %s"):format(
      client.id,
      require("claudecode.status").describe_client(client),
      ago(client.connected_at)
    )
    if client.ready then
      health.ok(since)
    else
      health.info(since .. ", not ready yet")
    end
  end
  if not any then
    health.info(
      "none connected. :ClaudeCode starts one here; elsewhere `claude --ide` in this directory finds the server."
    )
  end
end

local function check_sharing()
  health.start("claudecode: sharing")
  local exclude = require("claudecode.config").get().selection.exclude
  health.info(require("claudecode.context.sharing").describe())
  if #exclude == 0 then
    health.info("selection.exclude is empty: selections in every file are shared")
  end
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
  local mode = require("claudecode.config").get().permission_mode
  if mode == nil then
    health.info('permission_mode is unset: Claude\'s own mode may write edits without a diff; "default" makes it ask')
  elseif mode == "default" or mode == "manual" or mode == "plan" then
    health.ok(("permission_mode = %q: edits open as diffs"):format(mode))
  else
    health.info(("permission_mode = %q: edits may be written without a diff"):format(mode))
  end
end

local function check_terminal()
  health.start("claudecode: terminal")
  local terminal = require("claudecode.terminal")
  health.ok("provider: " .. terminal.provider_name())
  local pid = terminal.pid()
  health.info(pid and ("Claude runs here, pid " .. pid) or "Claude does not run in a terminal of this Neovim")
end

local function check_proxy()
  health.start("claudecode: proxy")
  local found = {}
  for _, name in ipairs({ "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY" }) do
    if (vim.env[name] or "") ~= "" then
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
  check_options()
  check_library()
  check_server()
  check_clients()
  check_sharing()
  check_cli()
  check_terminal()
  check_proxy()
end

return M
