-- The one way between this editor and its clients: starts and stops the native server, and hands its events on.
local M = {}

---@class claudecode.Client
---@field id integer Names the connection; never used twice.
---@field name string For example "claude-code".
---@field version string
---@field pid? integer A hint for routing, never for ownership.
---@field ready boolean Takes notifications.
---@field connected_at integer Seconds since 1970.
---@field mode? string Its permission mode, as it told last.

---@class claudecode.Status As src/server.rs tells it.
---@field port integer On 127.0.0.1.
---@field lock_path string
---@field name string As CLIs list this editor.
---@field folders string[] Of the lock file.
---@field clients table[]
---@field pending integer Calls that wait for the editor.
---@field last_handshake? { at: integer, what: string } Seconds since 1970.
---@field last_error? { at: integer, what: string }

---@alias claudecode.BridgeEvent "started"|"stopped"|"connected"|"identified"|"ready"|"hook"|"disconnected"

local INSTRUCTIONS = "The user works in Neovim beside you. Proposed edits open there as a diff that the user can "
  .. "change before accepting it: what is written may differ from what you proposed."

---@type { native: claudecode.Native, pipe: { close: fun() }, ends: (fun())[] }?
local running
---@type table<integer, claudecode.Client>
local clients = {}
---@type table<claudecode.BridgeEvent, fun(event: table)[]>
local listeners = {}

---@param kind claudecode.BridgeEvent
---@param event table
local function emit(kind, event)
  for _, fn in ipairs(listeners[kind] or {}) do
    local ok, err = xpcall(fn, debug.traceback, event)
    if not ok then
      require("claudecode.log").error("bridge", "a listener for %s failed: %s", kind, err)
    end
  end
end

---@param event claudecode.Event
local function handle(event)
  local id = event.client
  if event.kind == "call" then
    local ctx = require("claudecode.bridge.context").new(running.native, event)
    require("claudecode.tools").run(ctx, event.arguments or {})
  elseif event.kind == "ended" then
    require("claudecode.bridge.context").ended(
      event.call --[[@as integer]],
      event.reason --[[@as "cancelled"|"disconnected"]]
    )
  elseif event.kind == "fault" then
    require("claudecode.notify").warn(event.what --[[@as string]])
  elseif event.kind == "connected" then
    clients[id] = { id = id, name = event.name, version = event.version, ready = false, connected_at = os.time() }
    emit("connected", { client = clients[id] })
  elseif event.kind == "disconnected" then
    local client = clients[id]
    clients[id] = nil
    if client then
      emit("disconnected", { client = client, reason = event.reason })
    end
  elseif clients[id] then
    if event.kind == "identified" then
      clients[id].pid = event.pid
    elseif event.kind == "ready" then
      clients[id].ready = true
    elseif event.kind == "hook" then
      clients[id].mode = event.mode ~= "" and event.mode or clients[id].mode
    end
    emit(event.kind --[[@as claudecode.BridgeEvent]], { client = clients[id] })
  end
end

-- Drains must survive whatever an event does.
---@param event claudecode.Event
local function guarded(event)
  local ok, err = xpcall(handle, debug.traceback, event)
  if not ok then
    require("claudecode.log").error("bridge", "%s: %s", event.kind, err)
  end
end

---@param version string
---@return table config For src/config.rs.
local function native_config(version)
  local discovery = require("claudecode.bridge.discovery")
  local options = require("claudecode.config").get()
  return {
    port_min = options.port_range.min,
    port_max = options.port_range.max,
    lock_dir = discovery.lock_dir(),
    home = vim.uv.os_homedir(),
    pid = vim.uv.os_getpid(),
    version = version,
    instructions = INSTRUCTIONS,
    ready_delay_ms = options.connection_wait_delay or 150,
    allowed_hosts = options.server.allowed_hosts,
    ask_first = require("claudecode.review").when() == "before",
    tools = require("claudecode.tools.catalog"),
    places = require("claudecode.editor.workspace").candidates(),
    handover = discovery.handover_path(),
  }
end

---Has the native side start the server, or take over what may change while one runs; and listens to it.
---@param native claudecode.Native
---@return { close: fun() }? pipe
---@return claudecode.Status|string status_or_err
local function attach(native)
  local lock_dir = require("claudecode.bridge.discovery").lock_dir()
  if not lock_dir:find("^/") and not lock_dir:find("^%a:/") then
    return nil,
      ("the lock file has no place: %s is no absolute path. Set HOME or CLAUDE_CONFIG_DIR to one"):format(lock_dir)
  end
  native.log_open(require("claudecode.native").log_path(), require("claudecode.config").get().log_level)
  local info_json, err = native.start(vim.json.encode(native_config(native.version)))
  if not info_json then
    return nil, err --[[@as string]]
  end
  local info = vim.json.decode(info_json, { luanil = { object = true } })
  local drain = require("claudecode.bridge.drain").new(native, guarded)
  local pipe
  pipe, err = require("claudecode.bridge.pipe").listen(info.doorbell, drain)
  if not pipe then
    native.stop()
    return nil, "Neovim cannot listen to the server: " .. err
  end
  return pipe, info.status
end

-- Who was connected before this Lua side was loaded.
---@param peers table[] As src/session/registry.rs tells them.
local function adopt(peers)
  clients = {}
  for _, peer in ipairs(peers) do
    if peer.initialized then
      clients[peer.id] = {
        id = peer.id,
        name = peer.name,
        version = peer.version,
        pid = peer.pid,
        ready = peer.ready,
        connected_at = peer.since,
      }
    end
  end
end

---Starts the server. One that runs goes on where it is, and takes over the options that may change.
---@return true?
---@return string? err For the user.
function M.start()
  local native, err = require("claudecode.native").load()
  if not native then
    return nil, err
  end
  local pipe, status = attach(native)
  if not pipe then
    return nil, status --[[@as string]]
  end
  if running then
    running.pipe = pipe
    return true
  end
  running = {
    native = native,
    pipe = pipe,
    ends = {
      require("claudecode.bridge.discovery").watch(M.refresh_workspace),
      require("claudecode.editor.workspace").on_change(M.refresh_workspace),
    },
  }
  ---@cast status claudecode.Status
  adopt(status.clients)
  emit("started", { port = status.port })
  return true
end

---Stops the server: the lock file goes, connections close, what waits for an answer ends.
function M.stop()
  if not running then
    return
  end
  local was = running
  running = nil
  -- First of all, whatever the rest does: after this no lock file points here.
  local restarts = vim.v.exitreason == "restart"
  was.native.stop(restarts and require("claudecode.bridge.discovery").handover_path() or nil)
  require("claudecode.bridge.context").end_all()
  was.pipe.close()
  for _, stop in ipairs(was.ends) do
    stop()
  end
  local gone = clients
  clients = {}
  for _, client in pairs(gone) do
    emit("disconnected", { client = client, reason = "server stopped" })
  end
  emit("stopped", {})
end

---@return boolean
function M.is_running()
  return running ~= nil
end

---@return claudecode.Status?
function M.status()
  local json = running and running.native.status()
  return json and vim.json.decode(json, { luanil = { object = true } }) or nil
end

M.info = M.status

---@return table<integer, claudecode.Client> clients By id; a copy of the table, not of the entries.
function M.clients()
  return vim.tbl_extend("force", {}, clients)
end

---Tells one client something.
---@param client integer
---@param method string
---@param params table
---@return true?
---@return string? err
function M.notify(client, method, params)
  if not running then
    return nil, "the server is not running"
  end
  return running.native.notify(client, method, vim.json.encode(params))
end

---Makes this the newest selection, for every client that follows.
---@param params claudecode.Selection
---@return true?
---@return string? err
function M.publish(params)
  if not running then
    return nil, "the server is not running"
  end
  local head = { filePath = params.filePath, fileUrl = params.fileUrl, selection = params.selection }
  head.truncated = params.truncated
  return running.native.publish(vim.json.encode(head), params.text)
end

---Lets a client follow what is published.
---@param client integer
---@return true?
---@return string? err
function M.subscribe(client)
  if not running then
    return nil, "the server is not running"
  end
  return running.native.subscribe(client)
end

---Has the lock file follow Neovim's directories.
function M.refresh_workspace()
  if running then
    running.native.workspace(vim.json.encode(require("claudecode.editor.workspace").candidates()))
  end
end

---@param kind claudecode.BridgeEvent
---@param fn fun(event: table) Runs on the main loop; an error in it goes to the log.
function M.on(kind, fn)
  listeners[kind] = listeners[kind] or {}
  table.insert(listeners[kind], fn)
end

return M
