-- neo-tree: the nodes in the lines, of whichever source the window shows (files, buffers, git status).

local M = { name = "neo-tree", plugin = "neo-tree.sources.manager" }

---@param node table?
---@return string? path nil for messages such as "(3 hidden items)", and for terminals among the buffers
local function path_of(node)
  local path = node and node.type ~= "message" and node.path
  return path and not require("claudecode.editor.uri").has_scheme(path) and path or nil
end

---@param buf integer
---@param range? claudecode.LineRange
---@param manager table
---@return string[] paths
function M.selected(buf, range, manager)
  -- A tree in the place of a file has a state for its window; the others have one for the tab page.
  local win = vim.b[buf].neo_tree_position == "current" and vim.api.nvim_get_current_win() or nil
  local state = manager.get_state(vim.b[buf].neo_tree_source, nil, win)
  return require("claudecode.integrations.lines").paths(range, function(line)
    return path_of(state.tree:get_node(line))
  end)
end

return M
