-- The entries of the lines that a user means: those of a range, else the one with the cursor.

local M = {}

---@param range? claudecode.LineRange
---@param path_of fun(line: integer): string? path of the entry in a line (1-based); nil for a line without one
---@return string[] paths
function M.paths(range, path_of)
  local cursor = vim.api.nvim_win_get_cursor(0)[1]
  local paths = {}
  for line = range and range.first or cursor, range and range.last or cursor do
    paths[#paths + 1] = path_of(line)
  end
  return paths
end

return M
