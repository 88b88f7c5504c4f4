-- What a diff disturbs on the screen, remembered before and put back after.
local quiet = require("claudecode.diff.quiet")

local M = {}

---@class claudecode.diff.Place Where the user is.
---@field window integer
---@field tab integer
---@field is_typing_in_terminal boolean Terminal mode.
---@field before? claudecode.diff.Place Where the user was before a diff that is itself such a place.

---@class claudecode.diff.Layout
---@field tab integer
---@field tree any As winlayout() tells it.
---@field command_height integer
---@field windows table<integer, claudecode.diff.Window>

---@class claudecode.diff.Window
---@field width integer
---@field height integer
---@field buf integer
---@field view table As winsaveview() tells it.

---The window in which Terminal mode starts as soon as Neovim comes to it.
---@type integer?
local terminal_mode_due

---@param win integer A terminal's, and the current one.
local function start_terminal_mode(win)
  terminal_mode_due = win
  vim.cmd.startinsert()
  vim.api.nvim_create_autocmd("SafeState", {
    once = true,
    desc = "claudecode: Terminal mode has started by now",
    callback = function()
      terminal_mode_due = nil
    end,
  })
end

---Terminal mode that is yet to start does not start in another window, as Insert mode.
function M.cancel_terminal_mode()
  if terminal_mode_due and terminal_mode_due ~= vim.api.nvim_get_current_win() then
    terminal_mode_due = nil
    vim.cmd.stopinsert()
  end
end

---Are keys on their way to where the user is: into a text, after an operator, into half a line in a terminal, from a
---macro? They must reach the same window and buffer.
---@return boolean
function M.is_typing()
  return not vim.list_contains({ "n", "nt", "t" }, vim.api.nvim_get_mode().mode)
    or require("claudecode.terminal.typing").is_midway()
    or vim.fn.reg_recording() ~= ""
    or vim.fn.reg_executing() ~= ""
end

---@return claudecode.diff.Place
function M.place()
  local win = vim.api.nvim_get_current_win()
  return {
    window = win,
    tab = vim.api.nvim_get_current_tabpage(),
    is_typing_in_terminal = vim.api.nvim_get_mode().mode == "t" or win == terminal_mode_due,
  }
end

---@param win integer
---@return boolean
local function is_float(win)
  return vim.api.nvim_win_get_config(win).relative ~= ""
end

---@param win integer
---@return table view As winsaveview() tells it.
function M.view(win)
  return vim.api.nvim_win_call(win, vim.fn.winsaveview)
end

---@param win integer
---@param view table
function M.set_view(win, view)
  vim.api.nvim_win_call(win, function()
    vim.fn.winrestview(view)
  end)
end

---The present tab.
---@return claudecode.diff.Layout
function M.save()
  local tab = vim.api.nvim_get_current_tabpage()
  local windows = {}
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
    if not is_float(win) then
      windows[win] = {
        width = vim.api.nvim_win_get_width(win),
        height = vim.api.nvim_win_get_height(win),
        buf = vim.api.nvim_win_get_buf(win),
        view = M.view(win),
      }
    end
  end
  local tree = vim.fn.winlayout(vim.api.nvim_tabpage_get_number(tab))
  return { tab = tab, tree = tree, command_height = vim.o.cmdheight, windows = windows }
end

---Changes windows without moving cursors where windows give up or get room, as 'splitkeep' may.
---@generic T
---@param fn fun(): T
---@return T
function M.steadily(fn)
  local before = vim.o.splitkeep
  local function set(value)
    quiet.without("OptionSet", function()
      vim.o.splitkeep = value
    end)
  end
  set("cursor")
  local ok, result = pcall(fn)
  set(before)
  if not ok then
    error(result, 0)
  end
  return result
end

---Has windows that gave up room scroll as little as the user likes ('splitkeep'), with their cursors in sight.
---@param layout claudecode.diff.Layout
function M.keep_scrolled(layout)
  if vim.o.splitkeep == "cursor" then
    return
  end
  for win, was in pairs(layout.windows) do
    local is_same = vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == was.buf
    if is_same and vim.bo[was.buf].buftype ~= "terminal" and not vim.wo[win].diff then
      vim.api.nvim_win_call(win, function()
        local line, height = vim.fn.line("."), vim.api.nvim_win_get_height(win)
        for _, topline in ipairs({ was.view.topline, line - height + 1, line }) do
          vim.fn.winrestview({ topline = topline })
          if line <= vim.fn.line("w$") then
            return
          end
        end
      end)
    end
  end
end

---Puts sizes back, unless the user has made another layout meanwhile.
---@param layout claudecode.diff.Layout
local function restore_sizes(layout)
  local tree = vim.fn.winlayout(vim.api.nvim_tabpage_get_number(layout.tab))
  if not vim.deep_equal(tree, layout.tree) then
    return
  end
  -- Twice, as winrestcmd() does: a size may be in the way of another one.
  for _ = 1, 2 do
    for win, was in pairs(layout.windows) do
      vim.api.nvim_win_set_height(win, was.height)
      vim.api.nvim_win_set_width(win, was.width)
    end
  end
  -- Each tab has its own.
  if layout.tab == vim.api.nvim_get_current_tabpage() then
    vim.o.cmdheight = layout.command_height
  end
end

---Where a window scrolled only because its size changed, it scrolls back.
---@param win integer
---@param was claudecode.diff.Window
local function restore_view(win, was)
  if not vim.api.nvim_win_is_valid(win) or vim.api.nvim_win_get_buf(win) ~= was.buf then
    return
  end
  local now, before = M.view(win), was.view
  local has_moved = now.lnum ~= before.lnum or now.col ~= before.col
  local has_scrolled = now.topline ~= before.topline or now.topfill ~= before.topfill
  if vim.bo[was.buf].buftype ~= "terminal" and has_scrolled and not has_moved then
    M.set_view(win, before)
  end
  -- Neovim 0.10 does not compute anew the column that the ruler of another window than the current one shows.
  vim.api.nvim_win_call(win, vim.fn.wincol)
end

---@param layout claudecode.diff.Layout
function M.restore(layout)
  if not vim.api.nvim_tabpage_is_valid(layout.tab) then
    return
  end
  quiet.without("all", function()
    restore_sizes(layout)
    for win, was in pairs(layout.windows) do
      restore_view(win, was)
    end
  end)
end

---Enters a window. Autocommands run, as other plugins want to know which window is current; one that throws keeps
---Neovim from it, and then it goes without them.
---@param win integer
function M.enter(win)
  if not vim.api.nvim_win_is_valid(win) then
    return
  end
  pcall(vim.api.nvim_set_current_win, win)
  if vim.api.nvim_get_current_win() ~= win and vim.api.nvim_win_is_valid(win) then
    quiet.without("all", function()
      pcall(vim.api.nvim_set_current_win, win)
    end)
  end
end

---Takes the user there.
---@param place claudecode.diff.Place
function M.go(place)
  if vim.api.nvim_win_is_valid(place.window) then
    M.enter(place.window)
    if place.is_typing_in_terminal and vim.api.nvim_get_current_win() == place.window then
      start_terminal_mode(place.window)
    end
  elseif place.before then
    M.go(place.before)
  elseif vim.api.nvim_tabpage_is_valid(place.tab) then
    pcall(vim.api.nvim_set_current_tabpage, place.tab)
  end
end

return M
