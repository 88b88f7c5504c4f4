-- Shows in one buffer how it differs from another: new lines in colour, lines that are gone as virtual lines above the
-- place where they were. What is on the screen is painted at once, the rest in slices.
local deleted = require("claudecode.diff.deleted")
local hunks = require("claudecode.diff.hunks")
local layout = require("claudecode.diff.layout")
local text = require("claudecode.diff.text")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("claudecode.diff.overlay")

-- How long one slice may take, in ms.
local SLICE = 4
-- Marks between two looks at the clock.
local MARKS = 50
-- So much longer than the last comparison took is waited for more changes.
local PATIENCE = 5
-- More deleted lines of one hunk than this are counted, not shown.
local MOST_DELETED = 500

---@class claudecode.diff.Overlay
---@field private buf integer
---@field private original integer
---@field private win integer
---@field private hunks claudecode.diff.Hunk[]
---@field private painted table<integer, true> Hunks by number.
---@field private above integer Virtual lines above the first line.
---@field private cost integer How long the last comparison took, in ms.
---@field private is_due boolean A comparison will begin soon.
---@field private is_urgent boolean What is painted now must be seen at once.
---@field private is_closed boolean
---@field private group integer
---@field private round integer Counts what is done in slices: an older one stops.
local Overlay = {}
Overlay.__index = Overlay

---@private
---@param row integer 0-based
---@param opts vim.api.keyset.set_extmark
---@param column integer?
function Overlay:mark(row, opts, column)
  opts.undo_restore, opts.invalidate = false, true
  api.nvim_buf_set_extmark(self.buf, namespace, row, column or 0, opts)
end

---@private
---@return claudecode.diff.DeletedStyle
function Overlay:style()
  local is_shown = api.nvim_win_is_valid(self.win) and api.nvim_win_get_buf(self.win) == self.buf
  local info = is_shown and vim.fn.getwininfo(self.win)[1]
  return {
    margin = info and info.textoff or 0,
    width = info and math.max(1, info.width - info.textoff) or vim.o.columns,
    tabstop = vim.bo[self.buf].tabstop,
    wraps = not info or vim.wo[self.win].wrap,
  }
end

---@private
---@param hunk claudecode.diff.Hunk
---@param gone string[] Its lines, as many as are shown.
---@param words table<integer, integer[]> Their changed words, by number.
function Overlay:paint_deleted(hunk, gone, words)
  local style, lines = self:style(), {}
  for i, line in ipairs(gone) do
    vim.list_extend(lines, deleted.lines(line, words[i] or {}, style))
  end
  if hunk.from_count > MOST_DELETED then
    local rest = ("… and %d more deleted lines"):format(hunk.from_count - MOST_DELETED)
    lines[#lines + 1] = { { rest, "ClaudeCodeInlineDiffDeleteSign" } }
  end
  local count = api.nvim_buf_line_count(self.buf)
  local row = hunk.to_count > 0 and hunk.to_start - 1 or hunk.to_start
  local is_below = row >= count
  if row == 0 and not is_below then
    self.above = #lines
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
---@return table<integer, integer[]> gone
---@return table<integer, integer[]> added
function Overlay:words(hunk, from)
  local gone, added = {}, {}
  if #from < hunk.from_count or #from == 0 or hunk.to_count == 0 then
    return gone, added
  end
  local to = api.nvim_buf_get_lines(self.buf, hunk.to_start - 1, hunk.to_start - 1 + hunk.to_count, false)
  for number, pair in ipairs(hunks.pairs(from, to)) do
    local line = from[pair[1]] --[[@as string]]
    local other = to[pair[2]] --[[@as string]]
    gone[pair[1]], added[pair[2]] = hunks.words(line, other)
    self:pause(number)
  end
  return gone, added
end

---Paints a hunk; one that is large in slices, if this is called in a slice.
---@private
---@param number integer
function Overlay:paint_hunk(number)
  local hunk = self.hunks[number] --[[@as claudecode.diff.Hunk]]
  self.painted[number] = true
  local start = hunk.from_start - 1
  local from = hunk.from_count == 0 and {}
    or api.nvim_buf_get_lines(self.original, start, start + math.min(hunk.from_count, MOST_DELETED), false)
  local gone, added = self:words(hunk, from)
  if #from > 0 then
    self:paint_deleted(hunk, from, gone)
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
    self:pause(i)
  end
end

---In a slice: lets the editor go on, when the time is over.
---@private
---@param count integer
function Overlay:pause(count)
  if count % MARKS == 0 and not self.is_urgent and coroutine.running() then
    ---@diagnostic disable-next-line: await-in-sync -- called in a slice
    coroutine.yield()
  end
end

---@private
---@param first integer 1-based
---@param last integer
function Overlay:paint_lines(first, last)
  local count = api.nvim_buf_line_count(self.buf)
  for number, hunk in ipairs(self.hunks) do
    local top, bottom = hunks.place(hunk, count)
    if not self.painted[number] and top <= last and bottom >= first then
      self:paint_hunk(number)
    end
  end
end

---@private
---@return boolean
function Overlay:is_alive()
  return not self.is_closed and api.nvim_buf_is_loaded(self.buf) and api.nvim_buf_is_loaded(self.original)
end

---Has something done a few ms at a time, instead of what else is still being done.
---@private
---@param work fun()
function Overlay:in_slices(work)
  local round, thread = self.round + 1, coroutine.create(work)
  self.round = round
  local function slice()
    local until_ns = vim.uv.hrtime() + SLICE * 1e6
    while self.round == round and self:is_alive() and coroutine.status(thread) ~= "dead" do
      local ok, err = coroutine.resume(thread)
      if not ok then
        require("claudecode.log").error("diff", "%s", debug.traceback(thread, err))
      elseif vim.uv.hrtime() > until_ns then
        -- Not vim.schedule(): keys come first.
        vim.defer_fn(slice, 1)
        return
      end
    end
  end
  vim.defer_fn(slice, 1)
end

---@private
function Overlay:paint_rest()
  for number in ipairs(self.hunks) do
    if not self.painted[number] then
      self:paint_hunk(number)
      self:pause(0)
    end
  end
end

---@private
---@return integer first
---@return integer last
function Overlay:visible()
  if not api.nvim_win_is_valid(self.win) or api.nvim_win_get_buf(self.win) ~= self.buf then
    return 1, vim.o.lines
  end
  local height = api.nvim_win_get_height(self.win)
  local line = api.nvim_win_call(self.win, function()
    return vim.fn.line("w0")
  end)
  return line, line + height
end

---Paints what is on the screen with other hunks than before.
---@private
---@param found claudecode.diff.Hunk[]
function Overlay:take(found)
  self.hunks, self.painted, self.above, self.is_urgent = found, {}, 0, true
  api.nvim_buf_clear_namespace(self.buf, namespace, 0, -1)
  self:paint_lines(self:visible())
  self.is_urgent = false
end

---@private
---@return integer[]
function Overlay:ticks()
  return { api.nvim_buf_get_changedtick(self.original), api.nvim_buf_get_changedtick(self.buf) }
end

---Compares the whole texts, and paints. A change meanwhile has asked for another time by itself.
---@private
function Overlay:refresh()
  local began, ticks, found = vim.uv.hrtime(), self:ticks(), {}
  hunks.find(hunks.of_buffer(self.original), hunks.of_buffer(self.buf), found, function()
    self:pause(0)
  end)
  if not vim.deep_equal(ticks, self:ticks()) then
    return
  end
  local views, above = {}, self.above
  for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
    views[win] = layout.view(win)
  end
  self:take(found)
  for win, view in pairs(views) do
    -- For a moment there were no virtual lines, and those above the first line are gone from the screen.
    local now_above = self.above
    if view.topline == 1 and view.topfill == above then
      view.topfill = now_above
    end
    layout.set_view(win, view)
  end
  self.cost = math.ceil((vim.uv.hrtime() - began) / 1e6)
  self:paint_rest()
end

---Has the differences looked for again, soon: changes come in crowds.
function Overlay:refresh_soon()
  if self.is_due or self.is_closed then
    return
  end
  self.is_due = true
  vim.defer_fn(function()
    self.is_due = false
    self:in_slices(function()
      self:refresh()
    end)
  end, self.cost * PATIENCE)
end

---Goes to another hunk, in the current window.
---@param step 1|-1
---@param count integer
function Overlay:jump(step, count)
  local lines, line = api.nvim_buf_line_count(self.buf), api.nvim_win_get_cursor(0)[1]
  local tops = {}
  for _, hunk in ipairs(self.hunks) do
    local top = hunks.place(hunk, lines)
    if (top - line) * step > 0 then
      table.insert(tops, step > 0 and #tops + 1 or 1, top)
    end
  end
  local top = tops[math.min(count, #tops)]
  if top then
    vim.cmd("normal! m'")
    api.nvim_win_set_cursor(0, { top, 0 })
    vim.cmd("normal! zv")
  end
end

---Makes virtual lines above the first line visible: Neovim scrolls them off.
---@private
function Overlay:show_top()
  api.nvim_win_call(self.win, function()
    local height = api.nvim_win_get_height(self.win)
    if self.above > 0 and vim.fn.line(".") < height - self.above then
      vim.fn.winrestview({ topline = 1, topfill = self.above })
    elseif self.above > 0 and vim.fn.line(".") == 1 then
      vim.fn.winrestview({ topline = 1, topfill = height - 1 })
    end
  end)
end

---@return boolean
function Overlay:is_done()
  return self.is_closed
end

function Overlay:close()
  self.is_closed = true
  api.nvim_del_augroup_by_id(self.group)
  if api.nvim_buf_is_valid(self.buf) then
    api.nvim_buf_clear_namespace(self.buf, namespace, 0, -1)
  end
end

---Shows the first hunk and what is near it; the rest is looked for when that is on the screen.
---@package
function Overlay:begin()
  local found = {}
  local search = coroutine.create(function()
    hunks.find(hunks.of_buffer(self.original), hunks.of_buffer(self.buf), found, coroutine.yield)
  end)
  local function go_on()
    local ok, err = coroutine.resume(search)
    if not ok then
      error(err, 0)
    end
    return coroutine.status(search) ~= "dead"
  end
  local function is_enough()
    return found[1] and found[#found].to_start > found[1].to_start + 2 * vim.o.lines
  end
  while go_on() and not is_enough() do
  end
  if found[1] then
    local line = hunks.place(found[1], api.nvim_buf_line_count(self.buf))
    api.nvim_win_set_cursor(self.win, { line, 0 })
  end
  self:take(found)
  self:show_top()
  self:in_slices(function()
    while coroutine.status(search) ~= "dead" and go_on() do
      self:pause(0)
    end
    self:paint_rest()
  end)
end

---Virtual lines are as wide as the window, and begin with its margin.
---@package
function Overlay:follow()
  self.group = api.nvim_create_augroup("claudecode.diff.overlay." .. self.buf, {})
  local function on(events, pattern, concerns_us)
    api.nvim_create_autocmd(events, {
      group = self.group,
      pattern = pattern,
      desc = "claudecode: fit deleted lines into their window",
      callback = function()
        if concerns_us() then
          self:refresh_soon()
        end
      end,
    })
  end
  on("WinResized", nil, function()
    return vim.list_contains(vim.v.event.windows --[[@as integer[] ]], self.win)
  end)
  local options = { "number", "relativenumber", "numberwidth", "signcolumn", "foldcolumn", "wrap", "tabstop" }
  on("OptionSet", options, function()
    return api.nvim_get_current_buf() == self.buf
  end)
end

---Shows the differences, and keeps them true.
---@param buf integer What is shown.
---@param original integer What it is compared with.
---@param win integer A window of `buf`, whose cursor goes to the first hunk.
---@return claudecode.diff.Overlay
function M.attach(buf, original, win)
  require("claudecode.highlights").define()
  local overlay = setmetatable({
    buf = buf,
    original = original,
    win = win,
    cost = 0,
    round = 0,
    is_due = false,
    is_urgent = false,
    is_closed = false,
  }, Overlay)
  overlay:begin()
  overlay:follow()
  for _, watched in ipairs({ buf, original }) do
    api.nvim_buf_attach(watched, false, {
      on_lines = function()
        overlay:refresh_soon()
        return overlay:is_done()
      end,
    })
  end
  return overlay
end

return M
