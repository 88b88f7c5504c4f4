-- The Claude terminal beside a diff: how wide it is meanwhile and afterwards, and that a diff's own tab has it too.
local window = require("claudecode.terminal.window")

local M = {}

---@return integer? buf of the terminal
local function terminal()
  local ok, buf = pcall(function()
    return require("claudecode.terminal").get_active_terminal_bufnr()
  end)
  return ok and buf or nil
end

---@param tab integer? Instead of the present one.
---@return integer? win of the Claude terminal there
function M.window(tab)
  local buf = terminal()
  return buf and window.here(buf, tab)
end

---@return number? share of the screen while a diff is open; nil leaves the width alone
local function share()
  local config = require("claudecode.config").get()
  return config.diff_opts.auto_resize_terminal and config.terminal.diff_split_width_percentage or nil
end

---A diff comes: what width the terminal of the present tab gets from others than the user is not to stay.
---@return integer? win
function M.meet()
  local win = M.window()
  if win then
    window.lend(win)
  end
  return win
end

---Gives the terminal of the present tab the width that it should have beside a diff, now and when it is opened there.
function M.make_room()
  local win, wanted = M.window(), share()
  window.set_share(vim.api.nvim_get_current_tabpage(), wanted)
  if win and wanted then
    window.lend(win, wanted)
  end
end

---Shows the terminal in the present, new tab too.
---@param was_visible boolean The tab that the user comes from shows it.
---@return integer? win
function M.accompany(was_visible)
  local config = require("claudecode.config").get()
  window.set_share(vim.api.nvim_get_current_tabpage(), share())
  local buf = terminal()
  if not buf or not was_visible or config.diff_opts.hide_terminal_in_new_tab then
    return nil
  end
  return (window.open(buf, config.terminal))
end

---Moves the terminal, which the user has opened in a diff's own tab, to the tab that they came from.
---@param from integer Tab.
---@param to integer Tab.
---@return integer? win The new one, if there is a terminal to move.
function M.move(from, to)
  local buf, config = terminal(), require("claudecode.config").get()
  if not buf or window.here(buf, to) then
    return nil
  end
  local win = window.here(buf, from)
  if not win then
    return nil
  end
  local columns = window.due(win, config.terminal)
  return vim.api.nvim_win_call(vim.api.nvim_tabpage_get_win(to), function()
    local made = window.open(buf, config.terminal)
    if made and columns then
      window.give_back(made, columns)
    end
    return made
  end)
end

---A diff goes. To be called before.
---@param win integer? Of the terminal, in the tab that stays.
---@return fun(stays_beside: boolean) settle For afterwards: gives the window its width. Another diff may be there yet.
function M.settle(win)
  local due = win and window.due(win, require("claudecode.config").get().terminal)
  if not win or not due then
    return function() end
  end
  local now = vim.api.nvim_win_get_width(win)
  return function(stays_beside)
    if not vim.api.nvim_win_is_valid(win) then
      return
    elseif stays_beside then
      vim.api.nvim_win_set_width(win, now)
    else
      window.give_back(win, due)
    end
  end
end

---No diff is open in a tab any more.
---@param tab integer
function M.forget(tab)
  window.set_share(tab, nil)
end

return M
