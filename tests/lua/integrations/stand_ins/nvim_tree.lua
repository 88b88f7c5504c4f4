-- Stands in for nvim-tree: what its public API (require("nvim-tree.api"): marks.list, tree.get_node_under_cursor) says,
-- over a real tree of a real directory in a real buffer of its filetype. Run in the Neovim under test.
local lines, nodes, marks = {}, {}, {}

local function add(dir, depth)
  local names = {}
  for name, kind in vim.fs.dir(dir) do
    names[#names + 1] = { name = name, type = kind, absolute_path = dir .. "/" .. name }
  end
  table.sort(names, function(a, b)
    return a.name < b.name
  end)
  for _, node in ipairs(names) do
    lines[#lines + 1] = ("  "):rep(depth) .. " " .. node.name:gsub("\n", "?")
    nodes[#nodes + 1] = node
    if node.type == "directory" then
      add(node.absolute_path, depth + 1)
    end
  end
end

package.preload["nvim-tree.api"] = function()
  return {
    marks = {
      list = function()
        return vim.tbl_values(marks)
      end,
      toggle = function()
        local node = nodes[vim.fn.line(".")]
        marks[node.absolute_path] = not marks[node.absolute_path] and node or nil
      end,
    },
    tree = {
      get_node_under_cursor = function()
        assert(vim.bo.filetype == "NvimTree", "not in the tree")
        return nodes[vim.fn.line(".")]
      end,
    },
  }
end

local function open(dir)
  lines, nodes = { dir .. "/.." }, { { name = "..", type = "directory", absolute_path = dir } }
  add(dir, 0)
  vim.cmd("topleft 30vnew")
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  vim.bo.buftype, vim.bo.modifiable, vim.bo.filetype = "nofile", false, "NvimTree"
end

return { open = open, nodes = nodes }
