-- An MCP client of the tests: JSON-RPC over a raw WebSocket connection, in the manner of the Claude Code CLI.
local Connection = require("tests.lua.connection")

---@class tests.Peer : tests.Connection
---@field tools table[]? the tools, once initialize() has listed them
---@field private next_id integer?
---@field private taken table<table, true>?
local Peer = setmetatable({}, { __index = Connection })
Peer.__index = Peer

--- A bare TCP connection to the server, before any upgrade.
---@param child tests.Child? nil only with opts.port
---@param opts tests.ConnectionOptions?
---@return tests.Peer
function Peer.tcp(child, opts)
  return Connection.tcp(child, opts, Peer)
end

--- Connects and asks for an upgrade; the server may refuse.
---@param child tests.Child?
---@param opts tests.ConnectionOptions?
---@return tests.Peer? peer nil when refused
---@return tests.Response response
function Peer.try(child, opts)
  return Connection.try(child, opts, Peer)
end

--- Connects to the server of a child; an error if it refuses.
---@param child tests.Child?
---@param opts tests.ConnectionOptions?
---@return tests.Peer
function Peer.connect(child, opts)
  local self, response = Peer.try(child, opts)
  return self or error(("the upgrade was refused: %d %s"):format(response.status, response.body), 2)
end

--- The first message not yet taken for which `pred` holds, and takes it.
---@param pred (fun(message: table): boolean?)? default: any
---@param timeout_ms integer?
---@return table
function Peer:next(pred, timeout_ms)
  self.taken = self.taken or {}
  local at, taken = 1, self.taken
  local function find()
    while self.messages[at] do
      local message = self.messages[at]
      at = at + 1
      if not taken[message] and (not pred or pred(message)) then
        taken[message] = true
        return message
      end
    end
    assert(not self.closed, ("the connection ended (code %s) before the message came"):format(self.close_code))
  end
  return Connection.wait_for(find, timeout_ms or self.timeout_ms, "a message")
end

--- Parameters of all notifications of one method so far, oldest first. Takes none.
---@param method string
---@return table[]
function Peer:notifications(method)
  local found = {}
  for _, message in ipairs(self.messages) do
    if message.method == method and message.id == nil then
      table.insert(found, message.params or vim.empty_dict())
    end
  end
  return found
end

--- Waits for a notification and takes it.
---@param method string
---@param pred (fun(params: table): boolean?)? default: any
---@param timeout_ms integer?
---@return table params
function Peer:notification(method, pred, timeout_ms)
  return self:next(function(message)
    return message.method == method and (not pred or pred(message.params))
  end, timeout_ms).params
end

---@param method string
---@param params table?
function Peer:notify(method, params)
  self:send({ jsonrpc = "2.0", method = method, params = params })
end

--- Sends a request and does not wait.
---@param method string
---@param params table?
---@return integer id
function Peer:start(method, params)
  local id = self.next_id or 0
  self.next_id = id + 1
  self:send({ jsonrpc = "2.0", id = id, method = method, params = params })
  return id
end

--- The answer to a request.
---@param id integer|string
---@param timeout_ms integer?
---@return any result nil when it failed
---@return table? err the JSON-RPC error
function Peer:answer(id, timeout_ms)
  local answer = self:next(function(message)
    return message.id == id and message.method == nil
  end, timeout_ms)
  return answer.result, answer.error
end

--- Has the answer to a request come (taken or not)?
---@param id integer|string
---@return boolean
function Peer:is_answered(id)
  for _, message in ipairs(self.messages) do
    if message.id == id and message.method == nil then
      return true
    end
  end
  return false
end

---@param method string
---@param params table?
---@param timeout_ms integer?
---@return any result
---@return table? err
function Peer:request(method, params, timeout_ms)
  return self:answer(self:start(method, params), timeout_ms)
end

--- Calls a tool and does not wait.
---@param tool string
---@param args table? arguments; nil and an empty table are sent as {}
---@return integer id
function Peer:start_call(tool, args)
  local arguments = args and next(args) ~= nil and args or vim.empty_dict()
  return self:start("tools/call", { name = tool, arguments = arguments })
end

---@param tool string
---@param args table?
---@param timeout_ms integer?
---@return any result
---@return table? err
function Peer:call(tool, args, timeout_ms)
  return self:answer(self:start_call(tool, args), timeout_ms)
end

--- Calls a tool that answers with JSON and decodes its first text part.
---@param tool string
---@param args table?
---@return any
function Peer:call_json(tool, args)
  local result, err = self:call(tool, args)
  assert(result and not err, vim.inspect(err))
  return vim.json.decode(result.content[1].text)
end

--- The handshake, with the messages and in the order of the Claude Code CLI.
---@param opts { version?: string, name?: string, program_version?: string, pid?: integer|false, list?: false }? version
---is the protocol's; pid false sends no ide_connected
---@return table result of initialize
function Peer:initialize(opts)
  opts = opts or {}
  local result, err = self:request("initialize", {
    protocolVersion = opts.version or "2025-11-25",
    capabilities = { roots = { listChanged = true }, elicitation = vim.empty_dict() },
    clientInfo = { name = opts.name or "claude-code", version = opts.program_version or "2.1.332" },
  })
  assert(result, vim.inspect(err))
  self:notify("notifications/initialized")
  if opts.pid ~= false then
    self:notify("ide_connected", { pid = opts.pid or vim.fn.getpid() })
  end
  if opts.list ~= false then
    self.tools = assert(self:request("tools/list")).tools
  end
  return result
end

return Peer
