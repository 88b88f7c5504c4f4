-- telescope.nvim: the entries of a multi-selection, else the current one, asked for in the prompt.

local M = { name = "telescope.nvim", plugin = "telescope.actions.state" }

---@param entry table
---@param cwd string? of the picker
---@return string? path nil for an entry that is no file, such as a help tag without one
local function path_of(entry, cwd)
  local path = entry.path or entry.filename
  if type(path) ~= "string" or path == "" then
    return nil
  end
  local is_absolute = path:find("^[/~]") or path:find("^%a:[/\\]")
  return is_absolute and path or vim.fs.joinpath(entry.cwd or cwd or vim.uv.cwd(), path)
end

---@param buf integer of the prompt
---@param _ nil
---@param state table
---@return string[] paths
function M.selected(buf, _, state)
  local picker = state.get_current_picker(buf)
  local entries = picker:get_multi_selection()
  if #entries == 0 then
    entries = { state.get_selected_entry() }
  end
  local paths = {}
  for _, entry in ipairs(entries) do
    paths[#paths + 1] = path_of(entry, picker.cwd)
  end
  return paths
end

return M
