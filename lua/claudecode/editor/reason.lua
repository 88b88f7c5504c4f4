-- Why Neovim refused, for a client: one line, without tracebacks and places in scripts.

local M = {}

---@param thrown any
---@return string
function M.of(thrown)
  local line = tostring(thrown):gsub("\n.*", ""):gsub("^.*%S:%d+: ", "")
  return (line:gsub("^.-Vim%b():", ""):gsub("^.-Vim:", ""))
end

return M
