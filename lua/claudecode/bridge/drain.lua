-- Takes queued events and hands them on, for at most a few milliseconds of a turn of the main loop.
local M = {}

-- What one turn may take before input is looked at again.
local BUDGET_NS = 4e6
local NULL_IS_NIL = { luanil = { object = true } }

---@class claudecode.Event As src/bridge/mod.rs names it.
---@field kind "call"|"ended"|"connected"|"identified"|"ready"|"hook"|"disconnected"|"fault"
---@field call? integer
---@field client? integer
---@field tool? string
---@field by_model? boolean
---@field arguments? table
---@field reason? string
---@field what? string
---@field name? string
---@field version? string
---@field pid? integer
---@field mode? string

---@param native claudecode.Native
---@param handle fun(event: claudecode.Event) Must not throw.
---@return fun() drain
function M.new(native, handle)
  local draining = false
  return function()
    -- A handler that runs the event loop (vim.wait, a dialog) must not make events overtake each other.
    if draining then
      return
    end
    draining = true
    local deadline = vim.uv.hrtime() + BUDGET_NS
    local json, long
    repeat
      json, long = native.take()
      if json then
        local event = vim.json.decode(json, NULL_IS_NIL)
        for name, text in pairs(long or {}) do
          event.arguments[name] = text
        end
        handle(event)
      end
    until not json or vim.uv.hrtime() > deadline
    draining = false
    if json then
      -- Not empty yet: ring, so that the loop gets a turn for input and redraw first.
      native.ring()
    end
  end
end

return M
