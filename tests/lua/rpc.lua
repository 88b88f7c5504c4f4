-- MessagePack-RPC to an embedded Neovim over its stdin and stdout. (jobstart's own RPC has no time limit and
-- loses the connection at a UI's redraw events.)
local uv = vim.uv

---@class tests.Rpc
---@field pid integer
---@field exit_code integer? set once the process has ended; 128 + signal when a signal ended it
---@field stderr string everything it wrote there
---@field private replies table<integer, any[]>
---@field private next_id integer
---@field private pack fun(message: any): string
---@field private unpack fun(data: string, at: integer): any[]?, integer
---@field private stdin uv.uv_pipe_t
---@field private stdout uv.uv_pipe_t
---@field private errors uv.uv_pipe_t
---@field private process uv.uv_process_t
---@field on_redraw fun(events: table[])? takes the events of an attached UI
local Rpc = {}
Rpc.__index = Rpc

local function number_of(_, data)
  return vim.mpack.decode(data) -- buffers, windows and tab pages travel as extension types around an integer
end

--- Starts a process that speaks RPC.
---@param argv string[]
---@param opts { cwd: string, env: table<string, string> }
---@return tests.Rpc
function Rpc.spawn(argv, opts)
  local self = setmetatable({ stderr = "", next_id = 0, replies = {} }, Rpc)
  self.pack = vim.mpack.Packer()
  self.unpack = vim.mpack.Unpacker({ ext = { [0] = number_of, [1] = number_of, [2] = number_of } })
  self.stdin, self.stdout, self.errors = assert(uv.new_pipe()), assert(uv.new_pipe()), assert(uv.new_pipe())
  local env = {}
  for name, value in pairs(opts.env) do
    table.insert(env, name .. "=" .. value)
  end
  local program = argv[1] --[[@as string]]
  local handle, pid = uv.spawn(program, {
    args = vim.list_slice(argv, 2),
    stdio = { self.stdin, self.stdout, self.errors },
    cwd = opts.cwd,
    env = env,
  }, function(code, signal)
    self.exit_code = signal ~= 0 and 128 + signal or code
    self:close()
  end)
  self.process = handle or error(("cannot start %s: %s"):format(program, pid), 0)
  self.pid = pid --[[@as integer]]
  self.stdout:read_start(function(_, data)
    if data then
      self:receive(data)
    end
  end)
  self.errors:read_start(function(_, data)
    self.stderr = self.stderr .. (data or "")
  end)
  return self
end

---@private
---@param data string
function Rpc:receive(data)
  local at = 1
  while at <= #data do
    local message
    message, at = self.unpack(data, at)
    if message and message[1] == 1 then
      self.replies[message[2]] = message
    elseif message and message[2] == "redraw" and self.on_redraw then
      self.on_redraw(message[3])
    end
  end
end

--- Asks and waits. Errors when the process is gone or does not answer in time.
---@param method string
---@param args any[]
---@param timeout_ms integer
---@return any result nil for a null
---@return string? err the API's own error
function Rpc:request(method, args, timeout_ms)
  local id = self.next_id
  self.next_id = id + 1
  if not self.exit_code then
    self.stdin:write(self.pack({ 0, id, method, args }))
    vim.wait(timeout_ms, function()
      return self.replies[id] or self.exit_code
    end, 2)
  end
  local reply = self.replies[id]
  self.replies[id] = nil
  if not reply then
    local cause = self.exit_code and ("it ended with code " .. self.exit_code)
      or ("no answer within %d ms"):format(timeout_ms)
    local said = self.stderr == "" and "" or "; its stderr: " .. self.stderr
    error(("the Neovim under test did not answer %s: %s%s"):format(method, cause, said), 0)
  end
  if reply[3] ~= vim.NIL then
    return nil, tostring(reply[3][2])
  end
  if reply[4] ~= vim.NIL then
    return reply[4]
  end
end

--- Tells and does not wait.
---@param method string
---@param args any[]
function Rpc:notify(method, args)
  if not self.exit_code then
    self.stdin:write(self.pack({ 2, method, args }))
  end
end

---@private
function Rpc:close()
  for _, handle in ipairs({ self.stdin, self.stdout, self.errors, self.process }) do
    if not handle:is_closing() then
      handle:close()
    end
  end
end

return Rpc
