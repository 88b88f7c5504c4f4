-- `:checkhealth claudecode`: what a person needs to know when it does not work.

local health = vim.health

local M = {}

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
    local running = package.loaded["claudecode.terminal"] and require("claudecode.terminal").has_process()
    if running then
      health.warn("Claude runs here, but is not connected", "Type /ide in Claude and choose this Neovim")
    end
    health.info(
      "none connected. :ClaudeCode starts one here; elsewhere `claude --ide` in this directory finds the server."
    )
  end
end

local function check_others()
  local others = require("claudecode.bridge.discovery").others()
  if #others == 0 then
    return
  end
  health.start("claudecode: other editors that Claude could connect to")
  for _, editor in ipairs(others) do
    health.info(
      ("%s, pid %d, folders: %s"):format(
        editor.name,
        editor.pid,
        table.concat(vim.tbl_map(short, editor.folders), ", ")
      )
    )
  end
  health.info("Claude connects by itself to the one that started it; /ide in Claude chooses another")
end

local function check_mentions()
  local mentions = package.loaded["claudecode.context.mentions"]
  local waiting = mentions and mentions.waiting() or 0
  if waiting > 0 then
    health.warn(("mentions that wait: %d, as %s"):format(waiting, require("claudecode.context.waiting").reason()))
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

function M.check()
  check_options()
  check_library()
  check_server()
  check_clients()
  check_mentions()
  check_others()
  check_sharing()
  require("claudecode.health.cli").check()
end

return M
