-- nvim-tree: its marks, directories too, or the nodes in the lines. Its public API knows only the node at the cursor.

local M = { name = "nvim-tree", plugin = "nvim-tree.api" }

---@param node table?
---@return string? path nil for the line of the root, which is no entry
local function path_of(node)
  if not node or node.name == ".." then
    return nil
  end
  -- Directories that hold nothing but the next one share its line.
  while node.group_next do
    node = node.group_next
  end
  return node.absolute_path
end

---@param tree table the plugin's functions for its tree
---@param range? claudecode.LineRange
---@return string[] paths
local function in_lines(tree, range)
  local view = vim.fn.winsaveview()
  local ok, paths = pcall(require("claudecode.integrations.lines").paths, range, function(line)
    vim.api.nvim_win_set_cursor(0, { line, 0 })
    return path_of(tree.get_node_under_cursor())
  end)
  vim.fn.winrestview(view)
  return ok and paths or error(paths, 0)
end

---@param _ integer
---@param range? claudecode.LineRange
---@param api table
---@return string[] paths
function M.selected(_, range, api)
  local marked = range and {} or vim.tbl_map(path_of, api.marks.list())
  if #marked == 0 then
    return in_lines(api.tree, range)
  end
  -- It keeps them in no order.
  table.sort(marked)
  return marked
end

return M
