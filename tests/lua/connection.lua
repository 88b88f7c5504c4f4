-- A WebSocket connection of the tests on vim.uv: upgrade, frames and their end, well-behaved or not.
local uv = vim.uv
local websocket = require("tests.lua.websocket")

---@class tests.Connection
---@field response tests.Response answer to the upgrade
---@field port integer
---@field token string? the lock file's
---@field timeout_ms integer
---@field private socket uv.uv_tcp_t
---@field private decoder tests.Decoder
---@field private parts string[] of a fragmented message
---@field messages table[] every JSON message received, oldest first
---@field frames tests.Frame[] every frame received, control frames included
---@field pongs string[] payloads of the pongs received
---@field closed boolean the connection has ended
---@field close_code integer? code of the server's close frame; nil when it had none or none came
---@field close_reason string?
---@field raw string bytes received outside of frames
local Connection = {}
Connection.__index = Connection

---@class tests.Response
---@field status integer HTTP status
---@field headers table<string, string> by lower-case name
---@field body string

---@class tests.ConnectionOptions
---@field host? string address to connect to; default "127.0.0.1"
---@field port? integer default: the child's lock file says
---@field token? string|false sent as x-claude-code-ide-authorization; default: the lock file's; false sends none
---@field headers? table<string, string|false> added to the upgrade; false takes a default one away
---@field protocol? string|false subprotocol to offer; default "mcp"
---@field method? string default "GET"
---@field path? string default "/"
---@field timeout_ms? integer longest wait of every later call; default 5000

-- The key and its answer are RFC 6455's own example (section 1.3).
local KEY, ACCEPT = "dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

--- Waits until `condition` returns something truthy, and returns that; an error after the time limit.
---@param condition fun(): any
---@param timeout_ms integer
---@param what string
---@return any
function Connection.wait_for(condition, timeout_ms, what)
  local value
  vim.wait(timeout_ms, function()
    value = condition()
    return value
  end, 2)
  return value or error(("waited %d ms for %s"):format(timeout_ms, what), 0)
end

--- A bare TCP connection to the server, before any upgrade.
---@param child tests.Child? nil only with opts.port
---@param opts tests.ConnectionOptions?
---@param class table? class of the object to make; default Connection
---@return tests.Connection
function Connection.tcp(child, opts, class)
  opts = opts or {}
  local lock = child and child:locks(opts.port and 0 or nil)[1] or {}
  local port = assert(opts.port or lock.port, "the child wrote no lock file")
  local self = setmetatable({
    socket = assert(uv.new_tcp()),
    decoder = websocket.decoder(),
    messages = {},
    frames = {},
    pongs = {},
    parts = {},
    raw = "",
    closed = false,
    port = port,
    token = lock.authToken,
    timeout_ms = opts.timeout_ms or 5000,
  }, class or Connection)
  local done, failure
  self.socket:connect(opts.host or "127.0.0.1", port, function(err)
    done, failure = true, err
  end)
  Connection.wait_for(function()
    return done
  end, self.timeout_ms, "a TCP connection to port " .. port)
  assert(not failure, ("connect to port %d: %s"):format(port, failure or ""))
  self.socket:read_start(function(err, data)
    if err or not data then
      self.closed = true
    elseif self.response and self.response.status == 101 then
      self:receive(data)
    else
      self.raw = self.raw .. data
    end
  end)
  return self
end

---@private
---@param opts tests.ConnectionOptions
function Connection:send_upgrade(opts)
  local token, protocol = opts.token, opts.protocol
  if token == nil then
    token = self.token
  end
  if protocol == nil then
    protocol = "mcp"
  end
  local headers = {
    Host = "127.0.0.1:" .. self.port,
    Connection = "Upgrade",
    Upgrade = "websocket",
    ["Sec-WebSocket-Version"] = "13",
    ["Sec-WebSocket-Key"] = KEY,
    ["Sec-WebSocket-Protocol"] = protocol or nil,
    ["X-Claude-Code-Ide-Authorization"] = token or nil,
  }
  for name, value in pairs(opts.headers or {}) do
    headers[name] = value or nil
  end
  local lines = { ("%s %s HTTP/1.1"):format(opts.method or "GET", opts.path or "/") }
  for name, value in pairs(headers) do
    table.insert(lines, name .. ": " .. value)
  end
  self:send_raw(table.concat(lines, "\r\n") .. "\r\n\r\n")
end

---@private
---@return boolean? complete
function Connection:read_response()
  local head_end, body_start = self.raw:find("\r\n\r\n", 1, true)
  if not head_end then
    return nil
  end
  local head = self.raw:sub(1, head_end - 1)
  local response = { status = tonumber(head:match("^HTTP/1%.%d (%d+)")), headers = {} }
  for name, value in head:gmatch("\r\n([^:]+):%s*([^\r]*)") do
    response.headers[name:lower()] = value
  end
  local rest = self.raw:sub(body_start + 1)
  if response.status == 101 then
    response.body, self.raw, self.response = "", "", response
    self:receive(rest)
    return true
  end
  local length = tonumber(response.headers["content-length"])
  if self.closed or (length and #rest >= length) then
    response.body, self.response = rest, response
    return true
  end
end

--- Connects and asks for an upgrade; the server may refuse.
---@param child tests.Child?
---@param opts tests.ConnectionOptions?
---@param class table? class of the object to make; default Connection
---@return tests.Connection? connection nil when refused
---@return tests.Response response
function Connection.try(child, opts, class)
  opts = opts or {}
  local self = Connection.tcp(child, opts, class)
  self:send_upgrade(opts)
  vim.wait(self.timeout_ms, function()
    return self:read_response() or self.closed
  end, 2)
  if not self.response and not self:read_response() then
    self:drop()
    error(("no HTTP answer to the upgrade (closed: %s, received %q)"):format(self.closed, self.raw), 0)
  end
  if self.response.status ~= 101 then
    self:drop()
    return nil, self.response
  end
  assert(self.response.headers["sec-websocket-accept"] == ACCEPT, "wrong Sec-WebSocket-Accept")
  return self, self.response
end

---@private
---@param data string
function Connection:receive(data)
  for _, frame in ipairs(self.decoder:feed(data)) do
    table.insert(self.frames, frame)
    if frame.opcode == websocket.PING then
      self:send_frame({ opcode = websocket.PONG, payload = frame.payload })
    elseif frame.opcode == websocket.PONG then
      table.insert(self.pongs, frame.payload)
    elseif frame.opcode == websocket.CLOSE then
      local high, low = frame.payload:byte(1, 2)
      self.close_code = low and high * 256 + low or nil
      self.close_reason = frame.payload:sub(3)
    else
      table.insert(self.parts, frame.payload)
      if frame.fin then
        local text = table.concat(self.parts)
        self.parts = {}
        local message = vim.json.decode(text)
        if message.method == "ping" then
          -- As every MCP client does.
          local pong = { jsonrpc = "2.0", id = message.id, result = vim.empty_dict() }
          self:send_frame({ opcode = websocket.TEXT, payload = vim.json.encode(pong) })
        else
          table.insert(self.messages, message)
        end
      end
    end
  end
end

--- Bytes as they are, past all framing.
---@param bytes string
function Connection:send_raw(bytes)
  if not self.socket:is_closing() then
    self.socket:write(bytes)
  end
end

---@param frame tests.Frame
function Connection:send_frame(frame)
  self:send_raw(websocket.encode(frame))
end

--- A text message, in several frames when `sizes` gives the length of each but the last.
---@param text string
---@param sizes integer[]?
function Connection:send_text(text, sizes)
  local opcode, at = websocket.TEXT, 1
  sizes = sizes or {} ---@type integer[]
  for _, size in ipairs(sizes) do
    self:send_frame({ opcode = opcode, payload = text:sub(at, at + size - 1), fin = false })
    opcode, at = websocket.CONTINUATION, at + size
  end
  self:send_frame({ opcode = opcode, payload = text:sub(at) })
end

--- A JSON message.
---@param message table
function Connection:send(message)
  self:send_text(vim.json.encode(message))
end

---@param payload string?
function Connection:ping(payload)
  self:send_frame({ opcode = websocket.PING, payload = payload or "" })
end

--- Waits until the server has ended the connection.
---@param timeout_ms integer?
---@return integer? code of its close frame
function Connection:wait_closed(timeout_ms)
  Connection.wait_for(function()
    return self.closed
  end, timeout_ms or self.timeout_ms, "the end of the connection")
  return self.close_code
end

--- Says goodbye with a close frame (no code, as the CLI does, unless given) and ends the connection.
---@param code integer?
---@param reason string?
function Connection:close(code, reason)
  self:send_frame({ opcode = websocket.CLOSE, payload = websocket.close_payload(code, reason) })
  vim.wait(500, function()
    return self.closed
  end, 2)
  self:drop()
end

--- Ends the TCP connection without a word, like a killed process.
function Connection:drop()
  if not self.socket:is_closing() then
    self.socket:close()
  end
  self.closed = true
end

return Connection
