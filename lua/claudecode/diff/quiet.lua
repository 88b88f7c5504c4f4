-- Changes windows and buffers of ours without the user's autocommands: nothing attaches to a proposal that is set up.
local M = {}

---Calls fn while events are ignored. An error of fn comes out after the option is back.
---@generic T
---@param events string For 'eventignore': "all", or names.
---@param fn fun(): T
---@return T
function M.without(events, fn)
  local before = vim.o.eventignore
  vim.o.eventignore = before == "" and events or before .. "," .. events
  local ok, result = pcall(fn)
  vim.o.eventignore = before
  if not ok then
    error(result, 0)
  end
  return result
end

return M
