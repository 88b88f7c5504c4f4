-- The Claude terminal beside a diff: how wide it is meanwhile, and that a diff's own tab has it too.
local window = require("claudecode.terminal.window")

local M = {}

---@return integer? buf of the terminal
local function terminal()
  local ok, buf = pcall(function()
    return require("claudecode.terminal").get_active_terminal_bufnr()
  end)
  return ok and buf or nil
end

---@return integer? win of the Claude terminal in the present tab
function M.window()
  local buf = terminal()
  return buf and window.here(buf)
end

---@return number? share of the screen while a diff is open; nil leaves the width alone
local function share()
  local config = require("claudecode.config").get()
  return config.diff_opts.auto_resize_terminal and config.terminal.diff_split_width_percentage or nil
end

---Gives the terminal of the present tab the width that it should have beside a diff.
function M.make_room()
  local win, wanted = M.window(), share()
  if win and wanted and vim.api.nvim_win_get_config(win).relative == "" then
    vim.api.nvim_win_set_width(win, math.max(1, math.floor(vim.o.columns * wanted)))
  end
end

---Shows the terminal in the present, new tab too.
---@param was_visible boolean The tab that the user comes from shows it.
---@return integer? win
function M.accompany(was_visible)
  local config = require("claudecode.config").get()
  local buf = terminal()
  if not buf or not was_visible or config.diff_opts.hide_terminal_in_new_tab then
    return nil
  end
  return (window.open(buf, config.terminal, share()))
end

return M
