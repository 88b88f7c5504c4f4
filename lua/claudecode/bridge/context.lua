-- One tool call as its tool sees it: who asks, and a way to answer once, now or later.
local log = require("claudecode.log")

local M = {}

---@class claudecode.Context
---@field client integer Whose call it is.
---@field tool string
---@field by_model boolean The model asked for it, and not the client by itself.
---@field package call integer
---@field package native claudecode.Native
---@field package on_end? fun(reason: "cancelled"|"disconnected"|"stopped")
local Context = {}
Context.__index = Context

-- Calls that are neither answered nor ended.
---@type table<integer, claudecode.Context>
local open = {}

---@param native claudecode.Native
---@param event claudecode.Event Of kind "call".
---@return claudecode.Context
function M.new(native, event)
  local context = setmetatable(
    { client = event.client, tool = event.tool, by_model = event.by_model, call = event.call, native = native },
    Context
  )
  open[event.call] = context
  return context
end

---The client no longer waits for this call: its tool is told, once.
---@param call integer
---@param reason "cancelled"|"disconnected"|"stopped"
function M.ended(call, reason)
  local context = open[call]
  if not context then
    return
  end
  open[call] = nil
  if context.on_end then
    local ok, err = xpcall(context.on_end, debug.traceback, reason)
    if not ok then
      log.error("tools", "%s failed at its end: %s", context.tool, err)
    end
  end
end

---Ends every open call: the server stops.
function M.end_all()
  for call in pairs(open) do
    M.ended(call, "stopped")
  end
end

---@private
---@param answer table
function Context:answer(answer)
  if open[self.call] ~= self then
    log.debug("tools", "%s answered a call that had ended", self.tool)
    return
  end
  open[self.call] = nil
  self.native.reply(self.call, vim.json.encode(answer))
end

---Answers with text parts.
---@param ... string
function Context:text(...)
  local content = {}
  for _, part in ipairs({ ... }) do
    content[#content + 1] = { type = "text", text = part }
  end
  self:answer({ result = { content = content } })
end

-- Neovim 0.10 writes "/" as "\\/". That is JSON too, but the text goes to a model as it is.
local escapes_slashes = vim.json.encode("/") ~= '"/"'

---Answers with one text part that holds JSON.
---@param value table
function Context:json(value)
  local json = vim.json.encode(value)
  self:text(escapes_slashes and json:gsub("\\/", "/") or json)
end

---Answers that the tool could not do it: a result that the model reads.
---@param why string One short sentence, no traceback.
function Context:fail(why)
  self:answer({ result = { content = { { type = "text", text = why } }, isError = true } })
end

---Answers with a JSON-RPC error, where the protocol asks for one.
---@param code integer
---@param message string
function Context:error(code, message)
  self:answer({ error = { code = code, message = message } })
end

---The answer comes later.
---@param on_end fun(reason: "cancelled"|"disconnected"|"stopped") Called once if the call ends without our answer.
function Context:hold(on_end)
  self.on_end = on_end
end

---@return boolean open Neither answered nor ended.
function Context:is_open()
  return open[self.call] == self
end

---@return boolean held
function Context:is_held()
  return self.on_end ~= nil
end

return M
