-- What the unified view paints: new lines in colour, lines that are gone as virtual lines above the place where they
-- were. It knows which hunks are painted already, and nothing of when.
local deleted = require("claudecode.diff.deleted")
local hunks = require("claudecode.diff.hunks")
local layout = require("claudecode.diff.layout")
local text = require("claudecode.diff.text")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("claudecode.diff.overlay")

-- Marks between two pauses.
local MARKS = 50
-- More deleted lines of one hunk than this are counted, not shown.
local MOST_DELETED = 500

---@class claudecode.diff.Painting
---@field buf integer
---@field original integer
---@field win integer The window whose width and columns count.
---@field hunks claudecode.diff.Hunk[]
---@field above integer Virtual lines above the first line.
---@field below integer And below the last one.
---@field column integer How far the window is scrolled sideways, in cells.
---@field private painted table<integer, true> Hunks by number.
local Painting = {}
Painting.__index = Painting

---@private
---@param row integer 0-based
---@param opts vim.api.keyset.set_extmark
---@param column integer?
function Painting:mark(row, opts, column)
  opts.undo_restore, opts.invalidate = false, true
  api.nvim_buf_set_extmark(self.buf, namespace, row, column or 0, opts)
end

---@return boolean
function Painting:is_shown()
  return api.nvim_win_is_valid(self.win) and api.nvim_win_get_buf(self.win) == self.buf
end

---@return integer cells that the window is scrolled sideways now
function Painting:column_now()
  return self:is_shown() and layout.view(self.win).leftcol or 0
end

---@private
---@return claudecode.diff.DeletedStyle
function Painting:style()
  local info = self:is_shown() and vim.fn.getwininfo(self.win)[1]
  return {
    margin = info and info.textoff or 0,
    width = info and math.max(1, info.width - info.textoff) or vim.o.columns,
    tabstop = vim.bo[self.buf].tabstop,
    wraps = not info or vim.wo[self.win].wrap,
    column = self.column,
  }
end

---@private
---@param hunk claudecode.diff.Hunk
---@param gone string[] Its lines, as many as are shown.
---@param words table<integer, integer[]> Their changed words, by number.
---@param pause fun()
function Painting:paint_deleted(hunk, gone, words, pause)
  local style, lines = self:style(), {}
  for i, line in ipairs(gone) do
    vim.list_extend(lines, deleted.lines(line, words[i] or {}, style))
    pause()
  end
  if hunk.from_count > MOST_DELETED then
    local rest = ("… and %d more deleted lines"):format(hunk.from_count - MOST_DELETED)
    lines[#lines + 1] = { { rest, "ClaudeCodeInlineDiffDeleteSign" } }
  end
  local count, row = api.nvim_buf_line_count(self.buf), hunks.row(hunk)
  local is_below = row >= count
  if row == 0 and not is_below then
    self.above = #lines
  elseif is_below then
    self.below = #lines
  end
  local is_blank = text.is_blank(self.buf)
  self:mark(math.min(row, count - 1), {
    virt_lines = lines,
    virt_lines_above = not is_below,
    virt_lines_leftcol = true,
    sign_text = hunk.to_count == 0 and not is_blank and (is_below and "▁" or "▔") or nil,
    sign_hl_group = "ClaudeCodeInlineDiffDeleteSign",
  })
end

---@private
---@param hunk claudecode.diff.Hunk
---@param from string[] Its lines that are gone.
---@param pause fun()
---@return table<integer, integer[]> gone
---@return table<integer, integer[]> added
function Painting:words(hunk, from, pause)
  local gone, added = {}, {}
  if #from < hunk.from_count or #from == 0 or hunk.to_count == 0 then
    return gone, added
  end
  local to = api.nvim_buf_get_lines(self.buf, hunk.to_start - 1, hunk.to_start - 1 + hunk.to_count, false)
  for number, pair in ipairs(hunks.pairs(from, to)) do
    local line = from[pair[1]] --[[@as string]]
    local other = to[pair[2]] --[[@as string]]
    gone[pair[1]], added[pair[2]] = hunks.words(line, other)
    if number % MARKS == 0 then
      pause()
    end
  end
  return gone, added
end

---@private
---@param number integer
---@param pause fun()
function Painting:paint_hunk(number, pause)
  local hunk = self.hunks[number] --[[@as claudecode.diff.Hunk]]
  self.painted[number] = true
  local start = hunk.from_start - 1
  local from = hunk.from_count == 0 and {}
    or api.nvim_buf_get_lines(self.original, start, start + math.min(hunk.from_count, MOST_DELETED), false)
  local gone, added = self:words(hunk, from, pause)
  if #from > 0 then
    self:paint_deleted(hunk, from, gone, pause)
  end
  for i = 1, hunk.to_count do
    local row = hunk.to_start + i - 2
    local ranges = added[i] or {}
    self:mark(row, {
      line_hl_group = "ClaudeCodeInlineDiffAdd",
      sign_text = "+",
      sign_hl_group = "ClaudeCodeInlineDiffAddSign",
    })
    for at = 1, #ranges, 2 do
      self:mark(row, { end_col = ranges[at + 1], hl_group = "ClaudeCodeInlineDiffAddText", strict = false }, ranges[at])
    end
    if i % MARKS == 0 then
      pause()
    end
  end
end

---@private
---@return integer first
---@return integer last
function Painting:visible()
  if not self:is_shown() then
    return 1, vim.o.lines
  end
  local line = api.nvim_win_call(self.win, function()
    return vim.fn.line("w0")
  end)
  return line, line + api.nvim_win_get_height(self.win)
end

---Paints what is on the screen, at once, with other hunks than before.
---@param found claudecode.diff.Hunk[]
function Painting:begin(found)
  self:clear()
  self.hunks, self.painted, self.above, self.below = found, {}, 0, 0
  self.column = self:column_now()
  local first, last = self:visible()
  local count = api.nvim_buf_line_count(self.buf)
  for number, hunk in ipairs(found) do
    local top, bottom = hunks.place(hunk, count)
    if top <= last and bottom >= first then
      self:paint_hunk(number, function() end)
    end
  end
end

---@param pause fun() Called again and again: it may let the editor go on.
function Painting:finish(pause)
  for number in ipairs(self.hunks) do
    if not self.painted[number] then
      self:paint_hunk(number, pause)
      pause()
    end
  end
end

function Painting:clear()
  if api.nvim_buf_is_valid(self.buf) then
    api.nvim_buf_clear_namespace(self.buf, namespace, 0, -1)
  end
end

---@param buf integer
---@param original integer What it is compared with.
---@param win integer
---@return claudecode.diff.Painting
function M.new(buf, original, win)
  local painting =
    { buf = buf, original = original, win = win, hunks = {}, painted = {}, above = 0, below = 0, column = 0 }
  return setmetatable(painting, Painting)
end

return M
