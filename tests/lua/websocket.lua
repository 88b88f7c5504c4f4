-- WebSocket frames (RFC 6455) as bytes, written apart from the server so that both cannot share a mistake.
local bit, ffi = require("bit"), require("ffi")

local M = {}

M.CONTINUATION, M.TEXT, M.BINARY, M.CLOSE, M.PING, M.PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA

---@class tests.Frame
---@field opcode integer
---@field payload string
---@field fin? boolean default true
---@field mask? boolean client frames are masked; false sends what a client must not; default true
---@field rsv? integer the three reserved bits, 0 to 7; default 0
---@field length? integer announces another payload length than the real one (always as 64 bits)

---@param payload string
---@param key string 4 bytes
---@return string
local function xor(payload, key)
  local size = #payload
  local out = ffi.new("uint8_t[?]", math.max(size, 1), 0) ---@type any
  local mask = { key:byte(1, 4) } ---@type any
  ffi.copy(out, payload, size)
  for i = 0, size - 1 do
    out[i] = bit.bxor(out[i], mask[i % 4 + 1])
  end
  return ffi.string(out, size)
end

---@param value integer
---@param bytes integer
---@return string big-endian
local function big_endian(value, bytes)
  local out = {}
  for i = bytes, 1, -1 do
    out[i] = string.char(value % 256)
    value = math.floor(value / 256)
  end
  return table.concat(out)
end

--- The bytes of one frame.
---@param frame tests.Frame
---@return string
function M.encode(frame)
  local size, masked = #frame.payload, frame.mask ~= false
  local flag = masked and 128 or 0
  local first = frame.opcode + (frame.fin == false and 0 or 128) + (frame.rsv or 0) * 16
  local head
  if frame.length then
    head = string.char(first, flag + 127) .. big_endian(frame.length, 8)
  elseif size < 126 then
    head = string.char(first, flag + size)
  elseif size < 65536 then
    head = string.char(first, flag + 126) .. big_endian(size, 2)
  else
    head = string.char(first, flag + 127) .. big_endian(size, 8)
  end
  if not masked then
    return head .. frame.payload
  end
  local key = assert(vim.uv.random(4))
  return head .. key .. xor(frame.payload, key)
end

--- A close frame's payload.
---@param code integer?
---@param reason string?
---@return string
function M.close_payload(code, reason)
  return code and (big_endian(code, 2) .. (reason or "")) or ""
end

---@class tests.Decoder
---@field private chunks string[]
---@field private size integer bytes waiting in chunks
---@field private need integer bytes without which nothing can be decoded
local Decoder = {}
Decoder.__index = Decoder

---@return tests.Decoder
function M.decoder()
  return setmetatable({ chunks = {}, size = 0, need = 2 }, Decoder)
end

---@param data string
---@return tests.Frame? frame
---@return integer used bytes of the frame, or bytes needed to go on
local function parse(data)
  if #data < 2 then
    return nil, 2
  end
  local first, second = data:byte(1, 2)
  local length, at = second % 128, 3
  local extra = length == 126 and 2 or length == 127 and 8 or 0
  if #data < 2 + extra then
    return nil, 2 + extra
  end
  if extra > 0 then
    length = 0
    for i = 3, 2 + extra do
      length = length * 256 + data:byte(i)
    end
    at = at + extra
  end
  local used = at - 1 + length --[[@as integer]]
  if #data < used then
    return nil, used
  end
  local frame = {
    opcode = first % 16,
    fin = first >= 128,
    rsv = math.floor(first / 16) % 8,
    mask = second >= 128, -- a server must not mask
    payload = data:sub(at, used),
  }
  return frame, used
end

--- Takes bytes as they come off the socket.
---@param data string
---@return tests.Frame[] frames that are now complete
function Decoder:feed(data)
  table.insert(self.chunks, data)
  self.size = self.size + #data
  local frames = {}
  if self.size < self.need then
    return frames
  end
  local all = table.concat(self.chunks)
  while true do
    local frame, used = parse(all)
    if not frame then
      self.chunks, self.size, self.need = { all }, #all, used
      return frames
    end
    table.insert(frames, frame)
    all = all:sub(used + 1)
  end
end

return M
