-- Provider "none": the user starts the Claude CLI somewhere else.

local M = {}

local ADVICE = 'terminal.provider is "none": start Claude yourself, with `claude --ide` in this directory.'

---@return nil
---@return string err
local function refuse()
  return nil, ADVICE
end

M.open, M.simple_toggle, M.focus_toggle = refuse, refuse, refuse

function M.ensure_visible()
  return true
end

function M.close() end

function M.get_active_bufnr() end

function M.pid() end

function M.is_available()
  return true
end

return M
