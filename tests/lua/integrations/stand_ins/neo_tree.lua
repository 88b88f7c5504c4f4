-- Stands in for neo-tree: require("neo-tree.sources.manager").get_state(source, tab, window), whose tree answers
-- get_node(line), and the variables of its buffers. Run in the Neovim under test.
local states = {}

local function key(source, win)
  return source .. (win and ":" .. win or "")
end

package.preload["neo-tree.sources.manager"] = function()
  return {
    get_state = function(source, tab, win)
      assert(tab == nil or tab == vim.api.nvim_get_current_tabpage())
      -- The real one makes an empty state, without a tree, for a window that has none.
      return states[key(assert(source, "no source"), win)] or {}
    end,
  }
end

---@param source string "filesystem", "buffers", "git_status"
---@param position string "left" or "current"
---@param nodes table[] { path, type, name }
local function open(source, position, nodes)
  if position ~= "current" then
    vim.cmd("topleft 30vnew")
  else
    vim.cmd("enew")
  end
  local buf = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(
    buf,
    0,
    -1,
    false,
    vim.tbl_map(function(node)
      return node.name
    end, nodes)
  )
  vim.b.neo_tree_source, vim.b.neo_tree_position = source, position
  vim.bo.buftype, vim.bo.modifiable, vim.bo.filetype = "nofile", false, "neo-tree"
  states[key(source, position == "current" and vim.api.nvim_get_current_win() or nil)] = {
    tree = {
      get_node = function(_, line)
        return nodes[line or vim.fn.line(".")]
      end,
    },
  }
end

return { open = open }
