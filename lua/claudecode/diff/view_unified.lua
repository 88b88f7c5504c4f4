-- The unified view: the proposal in one window, with what it changes shown in its own lines. The file's window stays as
-- it is, beside it.
local compare = require("claudecode.diff.compare")
local frame = require("claudecode.diff.frame")
local keep = require("claudecode.diff.keep")
local layout = require("claudecode.diff.layout")
local overlay = require("claudecode.diff.overlay")
local pane = require("claudecode.diff.pane")
local windows = require("claudecode.editor.windows")

local M = {}

-- Columns that a line of text should have, at least.
local READABLE = 80

---@class claudecode.diff.UnifiedView : claudecode.diff.View
---@field package frame claudecode.diff.Frame
---@field package overlay claudecode.diff.Overlay
---@field package original integer
---@field package proposal integer
local View = {}
View.__index = View

---@param original integer
---@return integer win beside which there is room for one more
---@return boolean is_new
local function find_anchor(original)
  local before = vim.api.nvim_tabpage_list_wins(0)
  for _, win in ipairs(before) do
    if vim.api.nvim_win_get_buf(win) == original and windows.is_editor(win) then
      return win, false
    end
  end
  local win = windows.find_or_make()
  return win, not vim.list_contains(before, win)
end

---@param anchor integer
---@param opts claudecode.diff.ViewOptions
---@return "right"|"left"|"below"|"above"
local function direction(anchor, opts)
  if vim.api.nvim_win_get_width(anchor) > 2 * READABLE then
    return opts.beside
  end
  return opts.stacked
end

---@param opts claudecode.diff.ViewOptions
function View:arrange(opts)
  if opts.new_tab or compare.is_taken() then
    self.window = self.frame:open_tab()
    frame.put(self.window, self.proposal)
    return
  end
  pane.make_room()
  local anchor, is_new = find_anchor(self.original)
  if is_new then
    self.window = anchor
    frame.put(anchor, self.proposal)
  else
    self.target_window = anchor
    self.window = frame.split(anchor, self.proposal, direction(anchor, opts))
  end
end

---What a window takes over from its neighbour, and hides changes.
---@param win integer
local function prepare(win)
  local values = { foldenable = false, scrollbind = false, cursorbind = false }
  if vim.startswith(vim.wo[win].signcolumn, "auto") then
    values.signcolumn = "yes:1" -- the width of virtual lines depends on it
  end
  for name, value in pairs(values) do
    vim.api.nvim_set_option_value(name, value, { win = win, scope = "local" })
  end
end

---@param proposal integer
---@param shown claudecode.diff.Overlay
local function map(proposal, shown)
  for key, step in pairs({ ["]c"] = 1, ["[c"] = -1 }) do
    local function jump()
      shown:jump(step, vim.v.count1)
    end
    local desc = "claudecode: " .. (step > 0 and "next" or "previous") .. " change"
    vim.keymap.set({ "n", "x" }, key, jump, { buffer = proposal, desc = desc })
  end
end

---@param diff claudecode.diff.Diff
---@param opts claudecode.diff.ViewOptions
---@return claudecode.diff.UnifiedView
function M.show(diff, opts)
  local view = setmetatable({ original = diff.original.buf, proposal = diff.proposal }, View)
  frame.open(function(framed)
    view.frame = framed
    view:arrange(opts)
    keep.hold(view.original)
    prepare(view.window)
    view.overlay = overlay.attach(view.proposal, view.original, view.window)
    return { view.window }
  end)
  map(view.proposal, view.overlay)
  vim.b[view.proposal].claudecode_inline_diff = true
  return view
end

---Takes the user to the proposal.
function View:focus()
  layout.enter(self.window)
end

---@return boolean
function View:has_focus()
  return vim.api.nvim_get_current_buf() == self.proposal or self.frame:has_focus()
end

---@param had_focus boolean
function View:close(had_focus)
  had_focus = had_focus or self:has_focus()
  self.overlay:close()
  self.frame:close(had_focus, function()
    for _, win in ipairs(vim.api.nvim_buf_is_valid(self.proposal) and vim.fn.win_findbuf(self.proposal) or {}) do
      frame.close_window(win)
    end
    keep.release(self.original)
  end)
end

return M
