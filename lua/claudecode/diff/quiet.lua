-- Changes windows and buffers of ours without the user's autocommands: nothing attaches to a proposal that is set up.
local M = {}

---Sets the option. It raises OptionSet, and what a handler of the user's throws there must not stop at a prompt.
---@param events string
local function ignore(events)
  pcall(function()
    vim.cmd({ cmd = "set", args = { "eventignore=" .. events }, mods = { silent = true, emsg_silent = true } })
  end)
end

---Calls fn while events are ignored. An error of fn comes out after the option is back.
---@generic T
---@param events string For 'eventignore': "all", or names.
---@param fn fun(): T
---@return T
function M.without(events, fn)
  local before = vim.o.eventignore
  ignore(before == "" and events or before .. "," .. events)
  local ok, result = pcall(fn)
  ignore(before)
  if not ok then
    error(result, 0)
  end
  return result
end

return M
