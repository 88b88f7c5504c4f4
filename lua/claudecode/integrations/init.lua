-- File explorers and pickers. They are recognised here by filetype; reading what is selected in them comes with 0.4.0.

local M = {}

local FILETYPES = {
  NvimTree = true,
  ["neo-tree"] = true,
  oil = true,
  minifiles = true,
  netrw = true,
  snacks_picker_list = true,
}

---@param buf integer
---@return boolean
function M.is_tree(buf)
  return FILETYPES[vim.bo[buf].filetype] == true
end

---@return string[]|nil paths
---@return string|nil err
function M.get_selected_files_from_tree()
  return nil,
    "Mentions from file explorers are not there yet; they come with version 0.4.0. :ClaudeCodeAdd takes a path"
end

return M
