-- mini.files: the entries in the lines, by their paths on disk while a rename is not applied.

local M = { name = "mini.files", plugin = "mini.files" }

---@param buf integer
---@param range? claudecode.LineRange
---@param files table
---@return string[] paths
function M.selected(buf, range, files)
  return require("claudecode.integrations.lines").paths(range, function(line)
    local entry = files.get_fs_entry(buf, line)
    return entry and entry.path
  end)
end

return M
