-- Virtual lines above the first line and below the last one: Neovim scrolls neither into sight by itself.
local layout = require("claudecode.diff.layout")

local M = {}

local api = vim.api

---@class claudecode.diff.Ends
---@field private painting claudecode.diff.Painting
---@field private is_top_hidden boolean The user has scrolled those above the first line off.
---@field private line integer Where the cursor was last.
local Ends = {}
Ends.__index = Ends

---@private
---@param win integer
function Ends:show_top(win)
  local above = self.painting.above
  api.nvim_win_call(win, function()
    local height, line = api.nvim_win_get_height(win), vim.fn.line(".")
    if above > 0 and line < height - above then
      vim.fn.winrestview({ topline = 1, topfill = above })
    elseif above > 0 and line == 1 then
      vim.fn.winrestview({ topline = 1, topfill = height - 1 })
    end
  end)
end

---@private
---@param win integer
function Ends:show_bottom(win)
  local below, last = self.painting.below, api.nvim_buf_line_count(self.painting.buf)
  if below == 0 or api.nvim_win_get_cursor(win)[1] < last then
    return
  end
  local function height(row)
    return api.nvim_win_text_height(win, { start_row = row, end_row = row }).all
  end
  local top, room = last, api.nvim_win_get_height(win) - below - height(last - 1)
  while top > 1 and room > 0 do
    room = room - height(top - 2)
    top = room >= 0 and top - 1 or top
  end
  if top > layout.view(win).topline then
    layout.set_view(win, { topline = top, topfill = 0 })
  end
end

---The cursor has been put into the window of the painting.
function Ends:show()
  local win = self.painting.win
  self.line = api.nvim_win_get_cursor(win)[1]
  self:show_top(win)
  self:show_bottom(win)
end

---Whoever goes to the first line or the last one sees what is gone there; what scrolls it off again is left alone.
function Ends:follow_cursor()
  local win = api.nvim_get_current_win()
  local before, line = self.line, api.nvim_win_get_cursor(win)[1]
  self.line = line
  if line == before or api.nvim_win_get_buf(win) ~= self.painting.buf then
    return
  elseif line == 1 then
    self:show_top(win)
  else
    self:show_bottom(win)
  end
end

---The window of the painting was scrolled, by the user.
function Ends:follow_scrolling()
  local painting = self.painting
  local view = layout.view(painting.win)
  local most = math.min(painting.above, api.nvim_win_get_height(painting.win) - 1)
  self.is_top_hidden = view.topline == 1 and view.topfill < most
end

---Paints anew without scrolling: for a moment there are no virtual lines, and those above the first line would be gone.
---@param paint fun()
function Ends:keep_views(paint)
  local views = {} ---@type table<integer, vim.fn.winsaveview.ret>
  for _, win in ipairs(vim.fn.win_findbuf(self.painting.buf)) do
    views[win] = layout.view(win)
  end
  paint()
  local above = self.painting.above
  for win, view in pairs(views) do
    local fits = view.topline == 1 and view.lnum <= api.nvim_win_get_height(win) - above
    if fits and not (win == self.painting.win and self.is_top_hidden) then
      view.topfill = above
    end
    layout.set_view(win, view)
  end
end

---@param painting claudecode.diff.Painting
---@return claudecode.diff.Ends
function M.new(painting)
  return setmetatable({ painting = painting, is_top_hidden = false, line = 0 }, Ends)
end

return M
