-- The selection, for other plugins and the user's own configuration.

local M = {}

---The newest selection in a file, also after the cursor has moved elsewhere.
---@return table|nil selection text, filePath, fileUrl, selection = { start, end, isEmpty }; see |claudecode-selection|
function M.get_latest_selection()
  return require("claudecode.context.tracking").latest()
end

return M
