-- Which windows may show another file, which one the user last edited in, and a new one when there is none.

local M = {}

-- Explorers that list files in a buffer without 'buftype'.
local TREES = { netrw = true, dirvish = true, oil = true }

---@type integer? window
local last

---Is this an ordinary window on text that a user edits? Floats, previews, terminals, trees and quickfix are not.
---@param win integer
---@return boolean
function M.is_editor(win)
  if not vim.api.nvim_win_is_valid(win) or vim.api.nvim_win_get_config(win).relative ~= "" then
    return false
  end
  if vim.wo[win].previewwindow then
    return false
  end
  local buf = vim.api.nvim_win_get_buf(win)
  local buffers = require("claudecode.editor.buffers")
  return not TREES[vim.bo[buf].filetype] and (buffers.is_untitled(buf) or buffers.is_file(buf))
end

---May this window show another file? Those that somebody set up for one purpose may not: diffs, 'winfixbuf' windows
---and all that is_editor() leaves out.
---@param win integer
---@return boolean
function M.is_usable(win)
  return M.is_editor(win) and not vim.wo[win].diff and not vim.wo[win].winfixbuf
end

---Would showing another buffer here keep what the window shows now, without E37, a write by 'autowrite', or the end of
---a buffer that lives only as long as it is shown (a commit message)?
---@param win integer
---@return boolean
local function can_let_go(win)
  local buf = vim.api.nvim_win_get_buf(win)
  if #vim.fn.win_findbuf(buf) > 1 then
    return true
  end
  local hides = vim.bo[buf].bufhidden
  return hides == "hide" or (hides == "" and (vim.o.hidden or not vim.bo[buf].modified))
end

---The window in which the user edits, or last did when a terminal, a tree or a float has the focus.
---@return integer? win
function M.last_editor()
  local current = vim.api.nvim_get_current_win()
  if M.is_editor(current) then
    return current
  end
  if last and M.is_editor(last) then
    return last
  end
  local previous = vim.fn.win_getid(vim.fn.winnr("#"))
  if previous ~= 0 and M.is_editor(previous) then
    return previous
  end
  for _, win in ipairs(vim.list_extend(vim.api.nvim_tabpage_list_wins(0), vim.api.nvim_list_wins())) do
    if M.is_editor(win) then
      return win
    end
  end
end

---@type vim.api.keyset.win_config?
local split_config

---For make().
---@param buf integer
function M._split(buf)
  vim.api.nvim_open_win(buf, false, split_config or {})
end

---Splits the widest window of the current tab, on the side where it has a neighbour or, alone, on the left: between a
---tree and a terminal, and left of a lone terminal. The neighbours keep their sizes.
---@return integer win not entered; it shows an empty buffer that goes when another takes its place
local function make()
  local widest, width = 0, -1
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_config(win).relative == "" and vim.api.nvim_win_get_width(win) > width then
      widest, width = win, vim.api.nvim_win_get_width(win)
    end
  end
  local column = vim.api.nvim_win_get_position(widest)[2]
  local is_alone_in_row = column == 0 and width == vim.o.columns
  local ignored = vim.o.eventignore
  vim.o.eventignore = "all"
  local placeholder = vim.api.nvim_create_buf(false, true)
  vim.o.eventignore = ignored
  vim.bo[placeholder].bufhidden = "wipe"
  split_config = {
    win = widest,
    split = (column > 0 or is_alone_in_row) and "left" or "right",
    -- With a size given, 'equalalways' leaves the other windows alone.
    width = math.max(1, math.floor((width - 1) / 2)),
  }
  -- Silent: a WinNew handler of the user's that fails would stop everything with a hit-enter prompt.
  vim.cmd(("silent! lua require('claudecode.editor.windows')._split(%d)"):format(placeholder))
  return vim.fn.win_findbuf(placeholder)[1] or error("there is no room for a split", 0)
end

---A window of the current tab in which a file can be shown; a new split if there is none. It is not entered.
---@param but integer? not this window
---@return integer win
function M.find_or_make(but)
  local current = vim.api.nvim_get_current_win()
  local candidates = { current, M.last_editor() or current }
  vim.list_extend(candidates, vim.api.nvim_tabpage_list_wins(0))
  local tab = vim.api.nvim_get_current_tabpage()
  for _, win in ipairs(candidates) do
    if win ~= but and vim.api.nvim_win_get_tabpage(win) == tab and M.is_usable(win) and can_let_go(win) then
      return win
    end
  end
  return make()
end

-- Not when it is entered: the new window of a tree is still an ordinary one by then.
vim.api.nvim_create_autocmd("WinLeave", {
  group = vim.api.nvim_create_augroup("claudecode.editor.windows", {}),
  desc = "claudecode: remember the window the user edits in",
  callback = function()
    local win = vim.api.nvim_get_current_win()
    if M.is_editor(win) then
      last = win
    end
  end,
})

return M
