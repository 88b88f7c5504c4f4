-- The side-by-side view: the file in one window, the proposal in another, both in diff mode.
local compare = require("claudecode.diff.compare")
local folds = require("claudecode.diff.folds")
local frame = require("claudecode.diff.frame")
local keep = require("claudecode.diff.keep")
local layout = require("claudecode.diff.layout")
local pane = require("claudecode.diff.pane")
local quiet = require("claudecode.diff.quiet")
local windows = require("claudecode.editor.windows")

local M = {}

---@class claudecode.diff.SplitView : claudecode.diff.View
---@field target_window integer
---@field package frame claudecode.diff.Frame
---@field package target_is_ours boolean The target window was made for this diff.
---@field package target_view table
---@field package target_options table<string, any>
---@field package target_folds? claudecode.diff.Folds If the target window showed the file before.
---@field package displaced? integer The buffer that the target window showed.
---@field package original integer
---@field package proposal integer
local View = {}
View.__index = View

---The window for the file: one that shows it, else the one the user edits in, but not while text is typed there.
---@param original integer
---@return integer win
---@return boolean is_new
local function find_target(original)
  local before = vim.api.nvim_tabpage_list_wins(0)
  -- Keys on their way to the current window: diff mode would move its cursor from under them.
  local busy = layout.is_typing() and vim.api.nvim_get_current_win() or nil
  for _, win in ipairs(before) do
    if vim.api.nvim_win_get_buf(win) == original and windows.is_usable(win) and win ~= busy then
      return win, false
    end
  end
  local win = windows.find_or_make()
  if win == busy then
    local width = math.floor(vim.api.nvim_win_get_width(win) * 2 / 3)
    return vim.api.nvim_open_win(original, false, { win = win, split = "right", width = width }), true
  end
  return win, not vim.list_contains(before, win)
end

---@param target integer
---@param proposal integer
---@param opts claudecode.diff.ViewOptions
---@return integer win
local function split(target, proposal, opts)
  local ok, win = pcall(frame.split, target, proposal, opts.direction)
  if ok then
    return win
  elseif not opts.new_tab then
    error(win, 0)
  end
  -- There is no room in this direction on the whole screen.
  return frame.split(target, proposal, opts.direction == opts.beside and opts.stacked or opts.beside)
end

---@param opts claudecode.diff.ViewOptions
function View:arrange(opts)
  if opts.new_tab or compare.is_taken() then
    self.target_window, self.target_is_ours = self.frame:open_tab(), true
  else
    pane.make_room()
    self.target_window, self.target_is_ours = find_target(self.original)
  end
  local target = self.target_window
  self.target_view, self.target_options = layout.view(target), compare.options(target)
  self.window = split(target, self.proposal, opts)
  keep.hold(self.original)
  local shown = vim.api.nvim_win_get_buf(target)
  if shown ~= self.original then
    if not self.target_is_ours then
      self.displaced = shown
      keep.hold(shown)
    end
    frame.put(target, self.original)
  elseif not self.target_is_ours then
    self.target_folds = folds.save(target)
  end
  compare.start(target, self.window)
end

---@param diff claudecode.diff.Diff
---@param opts claudecode.diff.ViewOptions
---@return claudecode.diff.SplitView
function M.show(diff, opts)
  local view = setmetatable({ original = diff.original.buf, proposal = diff.proposal }, View)
  frame.open(function(framed)
    view.frame = framed
    view:arrange(opts)
    return { view.window, view.target_window }
  end)
  return view
end

---Takes the user to the proposal.
function View:focus()
  layout.enter(self.window)
end

---@return integer[] windows that show the proposal, split by the user or not
function View:proposal_windows()
  return vim.api.nvim_buf_is_valid(self.proposal) and vim.fn.win_findbuf(self.proposal) or {}
end

---Ends diff mode and gives the target window back.
function View:restore_target()
  local target = self.target_window
  local is_there = vim.api.nvim_win_is_valid(target)
  compare.stop(vim.list_extend(self:proposal_windows(), is_there and { target } or {}))
  if not is_there or self.target_is_ours then
    return
  end
  compare.set_options(target, self.target_options)
  if vim.api.nvim_win_get_buf(target) ~= self.original then
    return -- the user has gone on to something else there
  end
  if self.displaced and vim.api.nvim_buf_is_valid(self.displaced) then
    frame.put(target, self.displaced)
    compare.set_options(target, self.target_options)
  end
  if self.target_folds then
    folds.restore(target, self.target_folds)
  end
  layout.set_view(target, self.target_view)
end

function View:close_windows()
  for _, win in ipairs(self:proposal_windows()) do
    frame.close_window(win, self.displaced or self.original)
  end
  local target = self.target_window
  if
    self.target_is_ours
    and vim.api.nvim_win_is_valid(target)
    and vim.api.nvim_win_get_buf(target) == self.original
  then
    frame.close_window(target, self.displaced or self.original)
  end
  keep.release(self.original)
  if self.displaced then
    keep.release(self.displaced)
  end
end

---Is the user in a window of this view?
---@return boolean
function View:has_focus()
  local win, buf = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_buf()
  return (win == self.window and buf == self.proposal)
    or (win == self.target_window and buf == self.original)
    or self.frame:has_focus()
end

---Takes the view off the screen; afterwards the layout is as it was. The buffers stay.
---@param had_focus boolean The user was in the proposal's window when it closed.
function View:close(had_focus)
  had_focus = had_focus or self:has_focus()
  layout.steadily(function()
    quiet.without("all", function()
      self:restore_target()
    end)
    self.frame:close(had_focus, function()
      self:close_windows()
    end)
  end)
end

return M
