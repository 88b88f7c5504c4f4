-- Puts the cursor, or a Visual selection, at a place in a window that has just got the focus.

local M = {}

---@class claudecode.Reveal
---@field win integer
---@field buf integer
---@field place? claudecode.Place nil: the cursor stays where it was last
---@field visual? "v"|"V" select the place, by characters or lines

---@type claudecode.Reveal?
local pending

---Selects what is pending, in Normal mode. Called through keys, see M.reveal().
function M._select()
  local reveal = pending
  pending = nil
  if
    not reveal
    or vim.api.nvim_get_current_win() ~= reveal.win
    or vim.api.nvim_win_get_buf(reveal.win) ~= reveal.buf
    or vim.api.nvim_get_mode().mode ~= "n"
  then
    return -- The user was faster.
  end
  local place = reveal.place
  if not place then
    return
  end
  vim.api.nvim_win_set_cursor(reveal.win, { place.first + 1, place.first_column })
  vim.cmd("normal! zv")
  if not reveal.visual then
    return
  end
  vim.cmd("normal! " .. reveal.visual)
  local line = vim.api.nvim_buf_get_lines(reveal.buf, place.last, place.last + 1, true)[1] or ""
  local row, column = place.last + 1, math.min(place.last_column, #line)
  if vim.o.selection == "exclusive" and reveal.visual == "v" then
    if column < #line then
      column = column + 1 + vim.str_utf_end(line, column + 1)
    elseif row < vim.api.nvim_buf_line_count(reveal.buf) then
      row, column = row + 1, 0
    end
  end
  vim.api.nvim_win_set_cursor(reveal.win, { row, column })
end

---Is the user typing something that would be commands in another window? In Normal and Visual mode he is not: a Visual
---area may well be the one that was revealed before. In Terminal mode he talks to the client that asks.
---@return boolean
function M.is_typing()
  local mode = vim.api.nvim_get_mode()
  return mode.blocking or not (mode.mode:find("^n?t?$") or mode.mode:find("^[vV\22]$"))
end

---Goes to a place. Ends Terminal and Visual mode. A mode that the user is typing in stays; nothing is selected then.
---@param reveal claudecode.Reveal
function M.reveal(reveal)
  local mode = vim.api.nvim_get_mode().mode
  if M.is_typing() then
    if reveal.place and reveal.win ~= vim.api.nvim_get_current_win() then
      vim.api.nvim_win_set_cursor(reveal.win, { reveal.place.first + 1, reveal.place.first_column })
    end
    return
  end
  pending = reveal
  if mode == "n" then
    M._select()
    return
  end
  -- Leaving these modes takes keys. They go before those that the user has typed by now.
  local keys = "<C-\\><C-n><Cmd>lua require('claudecode.editor.reveal')._select()<CR>"
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), "nit", false)
end

return M
