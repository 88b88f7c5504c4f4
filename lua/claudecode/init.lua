-- The plugin's front door: setup, start and stop, mentions, and the state that others read.

local M = {}

local VERSION = { major = 0, minor = 1, patch = 0, version = "0.1.0" }

---@class claudecode.State
---@field server { port: integer }|nil set while the server runs
---@field port integer|nil
---@field config claudecode.Config|nil set once options were read

---@type claudecode.State
M.state = { server = nil, port = nil, config = nil }

---@type boolean stopped on purpose: commands do not start the server again
local stopped = false
---@type boolean
local watching = false
---@type number milliseconds, as uv.now(): a Claude of which nothing is seen yet may come until then
local awaited_until = 0

local function follow_server()
  local info = require("claudecode.bridge").info()
  M.state.port = info and info.port
  M.state.server = info and { port = info.port }
end

---Keeps state and events in step with the server, whoever starts or stops it.
local function watch_bridge()
  if watching then
    return
  end
  watching = true
  local bridge, events = require("claudecode.bridge"), require("claudecode.events")
  bridge.on("started", function()
    follow_server()
    if M.state.port and require("claudecode.config").get().export_env then
      require("claudecode.environment").export(M.state.port)
    end
    events.emit("ClaudeCodeStarted", { port = M.state.port })
  end)
  bridge.on("stopped", function()
    follow_server()
    require("claudecode.environment").withdraw()
    events.emit("ClaudeCodeStopped", {})
  end)
  bridge.on("identified", function(event)
    require("claudecode.terminal.hooks").identified(event.client)
  end)
  for kind, pattern in pairs({ connected = "ClaudeCodeConnected", disconnected = "ClaudeCodeDisconnected" }) do
    bridge.on(kind, function(event)
      awaited_until = 0
      events.emit(pattern, { client = event.client.id, name = event.client.name })
    end)
  end
end

---Starts what feeds the server, unless that was stopped meanwhile.
local function feed()
  if not M.state.server then
    return
  end
  require("claudecode.status").watch()
  require("claudecode.context").start()
  require("claudecode.terminal.typing").watch()
  if not M.state.config.track_selection then
    require("claudecode.context.tracking").stop()
  end
  require("claudecode.editor.files").watch_start()
end

---Starts the server, and soon what feeds it.
---@return string|nil err
local function start()
  stopped = false
  local config = require("claudecode.config").get()
  M.state.config = config
  watch_bridge()
  local ok, err = require("claudecode.bridge").start()
  if not ok then
    return err or "the server did not start"
  end
  follow_server()
  -- Nothing that a client sends is handled before: that too waits for the main loop. So a start of Neovim does not.
  vim.schedule(feed)
  vim.api.nvim_create_autocmd("VimLeavePre", {
    group = vim.api.nvim_create_augroup("claudecode.leave", { clear = true }),
    desc = "claudecode: stop the server",
    callback = function()
      M.stop()
    end,
  })
end

---Starts the server without being asked to by name: a failure is told the first time only.
---@return string|nil err
---@return boolean|nil told whether the user has just read it
local function start_quietly()
  local err = start()
  if err then
    return err, require("claudecode.notify").once("start " .. err, "error", err)
  end
end

---Takes the options and, unless auto_start is off, starts the server. Calling it again is harmless.
---@param opts claudecode.Options|nil see |claudecode-options|
---@return table module
function M.setup(opts)
  local config = require("claudecode.config").setup(opts)
  M.state.config = config
  local port, range = M.state.port, config.port_range
  if port and (port < range.min or port > range.max) then
    require("claudecode.notify").info(
      ("port_range takes effect after :ClaudeCodeStop and :ClaudeCodeStart (port %d until then)."):format(port)
    )
  end
  if config.auto_start or M.state.server then
    start_quietly()
  end
  return M
end

---Starts the server and what feeds it. Does nothing if it runs.
---@return boolean ok
---@return integer|string port_or_err the error has been shown to the user
function M.start()
  local err = start()
  if err then
    require("claudecode.notify").error(err)
    return false, err
  end
  return true, M.state.port or 0
end

---Stops the server and what feeds it. Claude itself goes on.
---@return boolean was_running
function M.stop()
  stopped = true
  local bridge = package.loaded["claudecode.bridge"]
  if not bridge or not bridge.is_running() then
    return false
  end
  -- The server first: an error in what follows must not leave a lock file behind.
  bridge.stop()
  require("claudecode.diff").stop()
  require("claudecode.context").stop()
  require("claudecode.editor.files").watch_stop()
  return true
end

---Starts the server for a command, unless the user does not want it started.
---@return boolean running
---@return string|nil err why not
---@return boolean|nil told whether the user has just read it
function M.ensure_started()
  local config = require("claudecode.config")
  if M.state.server then
    return true
  elseif stopped or (config.is_set() and not config.get().auto_start) then
    return false, "the server is stopped; :ClaudeCodeStart starts it"
  end
  local err, told = start_quietly()
  return err == nil, err, told
end

---@return boolean whether a client is connected
function M.is_claude_connected()
  return M.state.server ~= nil and next(require("claudecode.bridge").clients()) ~= nil
end

---Starts Claude for a mention. A provider outside Neovim shows no process: several mentions start one all the same.
---@param terminal table claudecode.terminal
local function start_claude(terminal)
  if terminal.provider_name() == "none" or vim.uv.now() < awaited_until then
    return
  end
  awaited_until = vim.uv.now() + M.state.config.connection_timeout
  local ok = terminal.show_for_mention(M.state.config.focus_after_send)
  if not ok or terminal.get_active_terminal_bufnr() then
    awaited_until = 0
  end
end

---Brings Claude's terminal to where a mention can be seen; starts Claude if none is connected or running.
---@param connected boolean
local function show_terminal(connected)
  local terminal = require("claudecode.terminal")
  local has_process = terminal.has_process()
  if connected and M.state.config.focus_after_send and not terminal.get_active_terminal_bufnr() then
    require("claudecode.notify").once(
      "focus_after_send",
      "info",
      "focus_after_send has no effect on a Claude outside this Neovim; the event User ClaudeCodeSendComplete tells of"
        .. " each send, for a handler that moves there."
    )
  end
  if not connected and not has_process then
    start_claude(terminal)
  elseif has_process and M.state.config.focus_after_send then
    terminal.open()
  elseif has_process then
    terminal.ensure_visible()
  end
end

---Mentions a file to Claude. While no client is connected the mention waits.
---@param mention claudecode.Mention
---@return boolean ok
---@return string|nil err
---@return boolean|nil told whether the user has just read the error
function M.mention(mention)
  local running, why, told = M.ensure_started()
  if not running then
    return false, why, told
  end
  local connected = M.is_claude_connected()
  local ok, err = require("claudecode.context.mentions").send(mention, function()
    show_terminal(connected)
  end)
  return ok or false, err
end

---@param path string absolute, or relative to the current directory
---@param start_line integer|nil 0-based; nil mentions the whole file
---@param end_line integer|nil 0-based, included
---@param context string|nil who sends, for events and the log
---@return boolean ok
---@return string|nil err
function M.send_at_mention(path, start_line, end_line, context)
  if type(path) ~= "string" or path == "" then
    return false, "there is no path to mention"
  end
  local ok, err = M.mention({ path = path, first = start_line, last = end_line or start_line, context = context })
  return ok, err
end

---Lets the user choose a model, then opens Claude with it.
---@param args string|nil more CLI arguments
function M.open_with_model(args)
  vim.ui.select(require("claudecode.config").get().models, {
    prompt = "Claude model",
    format_item = function(model)
      return model.name
    end,
  }, function(model)
    if model then
      local argv = require("claudecode.terminal.words").split(args or "") or { args }
      M.ensure_started()
      require("claudecode.terminal").open(nil, vim.list_extend({ "--model", model.value }, argv))
    end
  end)
end

---@return { major: integer, minor: integer, patch: integer, version: string }
function M.get_version()
  return vim.deepcopy(VERSION)
end

---For a statusline: a ready-made string, so that reading it costs nothing.
---@return string
function M.statusline()
  local status = package.loaded["claudecode.status"]
  return status and status.text or ""
end

return M
