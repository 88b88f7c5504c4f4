-- oil.nvim: the entries in the lines, by their names on disk while a rename is not saved.

local M = { name = "oil.nvim", plugin = "oil" }

---@param buf integer
---@param range? claudecode.LineRange
---@param oil table
---@return string[]? paths
---@return string? err
function M.selected(buf, range, oil)
  local dir = oil.get_current_dir(buf)
  if not dir then
    return nil, "oil.nvim shows no directory of this machine here, so Claude could not read what is selected"
  end
  return require("claudecode.integrations.lines").paths(range, function(line)
    local entry = oil.get_entry_on_line(buf, line)
    return entry and entry.name ~= ".." and vim.fs.joinpath(dir, entry.name) or nil
  end)
end

return M
