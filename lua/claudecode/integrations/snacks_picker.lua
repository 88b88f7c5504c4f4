-- snacks.nvim: its explorer and the lists and prompts of its pickers.

local M = { name = "snacks.nvim", plugin = "snacks" }

---@param snacks table
---@return table? picker the one that the current window belongs to
local function current_picker(snacks)
  local win = vim.api.nvim_get_current_win()
  for _, picker in ipairs(snacks.picker.get({ tab = true })) do
    for _, part in ipairs({ picker.list, picker.input }) do
      if part.win and part.win.win == win then
        return picker
      end
    end
  end
end

---@param picker table
---@param range claudecode.LineRange
---@return table[] items
local function items_in(picker, range)
  local items = {}
  for row = range.first, range.last do
    items[#items + 1] = picker.list:get(picker.list:row2idx(row))
  end
  return items
end

---@param buf integer
---@param range? claudecode.LineRange
---@param snacks table
---@return string[]? paths
---@return string? err
function M.selected(buf, range, snacks)
  local picker = current_picker(snacks)
  if not picker then
    return nil, "snacks.nvim has no open picker for this window"
  end
  local is_list = vim.bo[buf].filetype == "snacks_picker_list"
  local items = range and is_list and items_in(picker, range) or picker:selected({ fallback = true })
  local paths = {}
  for _, item in ipairs(items) do
    paths[#paths + 1] = snacks.picker.util.path(item)
  end
  return paths
end

return M
