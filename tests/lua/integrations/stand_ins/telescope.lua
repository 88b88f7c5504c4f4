-- Stands in for telescope.nvim: require("telescope.actions.state").get_current_picker(prompt) and get_selected_entry(),
-- picker:get_multi_selection(), with a real prompt buffer. Like the real one, entries make their path when it is read.
-- Run in the Neovim under test.
local state = { pickers = {} }

package.preload["telescope.actions.state"] = function()
  return {
    get_current_picker = function(buf)
      return state.pickers[buf]
    end,
    get_selected_entry = function()
      return state.selected
    end,
  }
end

---@param value string relative to cwd
---@param cwd string
local function file_entry(value, cwd)
  return setmetatable({ value = value, cwd = cwd }, {
    __index = function(_, name)
      return name == "path" and cwd .. "/" .. value or nil
    end,
  })
end

---@param entries table[]
---@param multi table[]
---@param cwd string?
local function open(entries, multi, cwd)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_open_win(buf, true, { relative = "editor", row = 1, col = 1, width = 40, height = 1 })
  vim.bo[buf].buftype, vim.bo[buf].filetype = "prompt", "TelescopePrompt"
  state.selected = entries[1]
  state.pickers[buf] = {
    cwd = cwd,
    get_multi_selection = function()
      return multi
    end,
  }
end

return { open = open, file_entry = file_entry }
