-- Shows in one buffer how it differs from another, and keeps that true: what is on the screen is painted at once, the
-- rest in slices.
local ends = require("claudecode.diff.ends")
local hunks = require("claudecode.diff.hunks")
local paint = require("claudecode.diff.paint")

local M = {}

local api = vim.api

-- How long one slice may take, in ms.
local SLICE = 4
-- So much longer than the last comparison took is waited for more changes.
local PATIENCE = 5

---@class claudecode.diff.Overlay
---@field private buf integer
---@field private original integer
---@field private win integer
---@field private painting claudecode.diff.Painting
---@field private ends claudecode.diff.Ends
---@field private cost integer How long the last comparison took, in ms.
---@field private is_due boolean A comparison will begin soon.
---@field private is_closed boolean
---@field private group integer
---@field private round integer Counts what is done in slices: an older one stops.
local Overlay = {}
Overlay.__index = Overlay

---@private
---@return boolean
function Overlay:is_alive()
  return not self.is_closed and api.nvim_buf_is_loaded(self.buf) and api.nvim_buf_is_loaded(self.original)
end

---Has something done a few ms at a time, instead of what else is still being done.
---@private
---@param work fun() Yields where it can be interrupted.
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
---@return integer[]
function Overlay:ticks()
  return { api.nvim_buf_get_changedtick(self.original), api.nvim_buf_get_changedtick(self.buf) }
end

---Compares the whole texts, and paints. A change meanwhile has asked for another time by itself.
---@private
function Overlay:refresh()
  local began, ticks, found = vim.uv.hrtime(), self:ticks(), {}
  hunks.find(hunks.of_buffer(self.original), hunks.of_buffer(self.buf), found, coroutine.yield)
  if not vim.deep_equal(ticks, self:ticks()) then
    return
  end
  self.ends:keep_views(function()
    self.painting:begin(found)
  end)
  self.cost = math.ceil((vim.uv.hrtime() - began) / 1e6)
  self.painting:finish(coroutine.yield)
end

---Has the differences looked for again, soon: changes come in crowds.
function Overlay:refresh_soon()
  if self.is_due or self.is_closed then
    return
  end
  -- What is still being painted belongs to other lines by now.
  self.is_due, self.round = true, self.round + 1
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
  for _, hunk in ipairs(self.painting.hunks) do
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

function Overlay:close()
  self.is_closed = true
  api.nvim_del_augroup_by_id(self.group)
  self.painting:clear()
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
  self.painting:begin(found)
  self.ends:show()
  self:in_slices(function()
    while coroutine.status(search) ~= "dead" and go_on() do
      ---@diagnostic disable-next-line: await-in-sync -- called in a slice
      coroutine.yield()
    end
    self.painting:finish(coroutine.yield)
  end)
end

---@private
function Overlay:follow_scrolling()
  -- What Neovim scrolls because lines have come or gone does not count.
  if self.is_due or not self.painting:is_shown() then
    return
  end
  self.ends:follow_scrolling()
  if self.painting:column_now() ~= self.painting.column then
    self:refresh_soon()
  end
end

---Virtual lines are as wide as the window, begin with its margin, and go sideways with its text.
---@package
function Overlay:follow()
  self.group = api.nvim_create_augroup("claudecode.diff.overlay." .. self.buf, {})
  local function on(events, opts, desc, callback)
    opts.group, opts.desc, opts.callback = self.group, "claudecode: " .. desc, callback
    api.nvim_create_autocmd(events, opts)
  end
  on("WinResized", {}, "fit deleted lines into their window", function()
    if
      vim.list_contains(vim.v.event.windows --[[@as integer[] ]], self.win)
    then
      self:refresh_soon()
    end
  end)
  local options = { "number", "relativenumber", "numberwidth", "signcolumn", "foldcolumn", "wrap", "tabstop" }
  on("OptionSet", { pattern = options }, "fit deleted lines into their window", function()
    if api.nvim_get_current_buf() == self.buf then
      self:refresh_soon()
    end
  end)
  on("CursorMoved", { buffer = self.buf }, "show deleted lines at both ends", function()
    self.ends:follow_cursor()
  end)
  on("WinScrolled", {}, "keep deleted lines where they are scrolled to", function()
    self:follow_scrolling()
  end)
end

---@package
---@param buf integer
function Overlay:watch(buf)
  api.nvim_buf_attach(buf, false, {
    on_lines = function()
      self:refresh_soon()
      return self.is_closed
    end,
    -- `:edit` does that, too.
    on_detach = vim.schedule_wrap(function()
      if self:is_alive() then
        self:watch(buf)
        self:refresh_soon()
      end
    end),
  })
end

---Shows the differences, and keeps them true.
---@param buf integer What is shown.
---@param original integer What it is compared with.
---@param win integer A window of `buf`, whose cursor goes to the first hunk.
---@return claudecode.diff.Overlay
function M.attach(buf, original, win)
  require("claudecode.highlights").define()
  local painting = paint.new(buf, original, win)
  local overlay = setmetatable({
    buf = buf,
    original = original,
    win = win,
    painting = painting,
    ends = ends.new(painting),
    cost = 0,
    round = 0,
    is_due = false,
    is_closed = false,
  }, Overlay)
  overlay:begin()
  overlay:follow()
  overlay:watch(buf)
  overlay:watch(original)
  return overlay
end

return M
