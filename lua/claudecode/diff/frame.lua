-- What every view needs: the layout before it, where the user was, windows that come and go without a trace.
local layout = require("claudecode.diff.layout")
local pane = require("claudecode.diff.pane")
local quiet = require("claudecode.diff.quiet")

local M = {}

---@class claudecode.diff.Frame The screen before a view, and the view's windows.
---@field package layout claudecode.diff.Layout
---@field package place claudecode.diff.Place Where the user was.
---@field package buf integer What they had before them there.
---@field package windows integer[]
---@field package tab integer Of the view.
---@field package own_tab? integer Made for it.
---@field package pane? integer Window that shows the Claude terminal in the view's own tab.
---@field package terminal? integer Window that shows it in the tab before.
local Frame = {}
Frame.__index = Frame

---@type table<integer, claudecode.diff.Frame> by the view's windows
local frames = {}

---@type claudecode.diff.Frame[] oldest first
local open = {}

---A view that was opened after this one, in the same tab or in this one's own, has seen windows of this one there. When
---it goes too, what is to come back is the layout before both: the line of tabs may have changed heights since.
---@param frame claudecode.diff.Frame One that is gone.
local function hand_down(frame)
  for i = #open, 1, -1 do
    local other = open[i] --[[@as claudecode.diff.Frame]]
    if other == frame then
      table.remove(open, i)
      return
    elseif other.layout.tab == frame.layout.tab or not vim.api.nvim_tabpage_is_valid(other.layout.tab) then
      other.layout = frame.layout
    end
  end
end

---@param wins table<integer, true>
local function close_all_but(wins)
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if not wins[win] then
      M.close_window(win)
    end
  end
end

---Has a view made, and keeps the user where they are meanwhile.
---@param arrange fun(frame: claudecode.diff.Frame): integer[] Makes the windows, and tells all of the view. When it
---fails, they go again.
---@return claudecode.diff.Frame
function M.open(arrange)
  local frame = setmetatable({
    layout = layout.save(),
    place = layout.place(),
    buf = vim.api.nvim_get_current_buf(),
    terminal = pane.meet(),
    windows = {},
    tab = vim.api.nvim_get_current_tabpage(),
  }, Frame)
  local outer = frames[frame.place.window]
  frame.place.before = outer and outer.place
  local before = {}
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    before[win] = true
  end
  layout.steadily(function()
    quiet.without("all", function()
      local ok, result = pcall(arrange, frame)
      if not ok then
        close_all_but(before)
        pane.forget(frame.own_tab or frame.layout.tab)
      end
      -- Quietly back from a new tab: it is the view's focus() that takes the user there.
      if vim.api.nvim_get_current_win() ~= frame.place.window then
        layout.go(frame.place)
      end
      if not ok then
        layout.restore(frame.layout)
        error(result, 0)
      end
      frame.windows = result --[[@as integer[] ]]
    end)
  end)
  quiet.without("all", function()
    layout.keep_scrolled(frame.layout)
  end)
  frame.tab = vim.api.nvim_win_get_tabpage(frame.windows[1] --[[@as integer]])
  table.insert(frame.windows, frame.pane)
  for _, win in ipairs(frame.windows) do
    frames[win] = frame
  end
  table.insert(open, frame)
  return frame
end

---@return integer win The view's only one of a new tab, entered. The Claude terminal is beside it, if it was before.
function Frame:open_tab()
  local had_pane = pane.window() ~= nil
  vim.cmd("tab split")
  self.own_tab = vim.api.nvim_get_current_tabpage()
  local win = vim.api.nvim_get_current_win()
  vim.wo[win].winfixbuf = false
  self.pane = pane.accompany(had_pane)
  return win
end

---@return integer[] windows that show the Claude terminal in the view's own tab
function Frame:panes()
  local reopened = self.own_tab and pane.window(self.own_tab)
  local is_there = self.pane and vim.api.nvim_win_is_valid(self.pane)
  return is_there and { self.pane } or { reopened }
end

---Is the user in the Claude terminal of the view's own tab?
---@return boolean
function Frame:has_focus()
  return vim.list_contains(self:panes(), vim.api.nvim_get_current_win())
end

---@param node any Of a tree as winlayout() tells it.
---@param old integer
---@param new integer
---@return any
local function with_replaced(node, old, new)
  if type(node) == "table" then
    return vim.tbl_map(function(child)
      return with_replaced(child, old, new)
    end, node)
  end
  return node == old and new or node
end

---What was saved of one window is now of another one in its place.
---@param saved claudecode.diff.Layout
---@param old integer
---@param new integer
local function replace(saved, old, new)
  if saved.windows[old] then
    saved.windows[new], saved.windows[old] = saved.windows[old], nil
    saved.tree = with_replaced(saved.tree, old, new)
  end
end

---The terminal may have been hidden and opened again, or moved to the view's own tab: it gets the place that it had.
function Frame:find_terminal()
  local tab, old = self.layout.tab, self.terminal
  if not vim.api.nvim_tabpage_is_valid(tab) then
    return
  end
  local win = quiet.without("all", function()
    return self.own_tab and pane.move(self.own_tab, tab) or pane.window(tab)
  end)
  self.terminal = win
  if win and old and not vim.api.nvim_win_is_valid(old) then
    replace(self.layout, old, win)
    if self.place.window == old then
      self.place.window = win
    end
  end
end

---@param tab integer
---@return boolean Is another view there?
function Frame:has_neighbour(tab)
  for _, other in ipairs(open) do
    if other ~= self and other.tab == tab then
      return true
    end
  end
  return false
end

---Takes the view off the screen; afterwards the layout is as it was.
---@param had_focus boolean The user was in a window of the view, and goes back to where they were.
---@param close fun() Closes the windows.
function Frame:close(had_focus, close)
  self:find_terminal()
  local settle, panes = pane.settle(self.terminal), self:panes()
  layout.steadily(function()
    if had_focus then
      layout.go(self.place)
    end
    quiet.without("all", function()
      close()
      for _, win in ipairs(panes) do
        M.close_window(win)
      end
    end)
    layout.restore(self.layout)
    settle(self:has_neighbour(self.layout.tab))
  end)
  hand_down(self)
  if not self:has_neighbour(self.tab) then
    pane.forget(self.tab)
  end
  for _, win in ipairs(self.windows) do
    frames[win] = nil
  end
end

---Splits a window, without entering the new one.
---@param win integer
---@param buf integer What the new one shows.
---@param direction "right"|"left"|"below"|"above"
---@return integer win The new one.
function M.split(win, buf, direction)
  local config = { win = win, split = direction }
  -- With a size given, 'equalalways' leaves the other windows alone.
  if direction == "right" or direction == "left" then
    config.width = math.floor((vim.api.nvim_win_get_width(win) - 1) / 2)
  else
    config.height = math.floor((vim.api.nvim_win_get_height(win) - 1) / 2)
  end
  local made = vim.api.nvim_open_win(buf, false, config)
  vim.wo[made].winfixbuf = false
  return made
end

---Shows a buffer; neither the alternate file nor the jumps remember it.
---@param win integer
---@param buf integer
function M.put(win, buf)
  vim.api.nvim_win_call(win, function()
    vim.cmd("keepalt keepjumps buffer! " .. buf)
  end)
end

---@param wanted table<integer, integer?> buffers
---@return integer buf The first of them that is in the buffer list; else another one that is, or an empty one.
local function successor(wanted)
  for i = 1, 2 do
    local buf = wanted[i]
    if buf and vim.api.nvim_buf_is_valid(buf) and vim.bo[buf].buflisted then
      return buf
    end
  end
  return require("claudecode.terminal.window").another_buffer()
end

---Closes a window. The last one of all stays, with another buffer.
---@param win integer
---@param buf integer? If it is still in the buffer list; else what the user had there before the view.
function M.close_window(win, buf)
  local frame = frames[win]
  if not pcall(vim.api.nvim_win_close, win, true) and vim.api.nvim_win_is_valid(win) then
    M.put(win, successor({ buf, frame and frame.buf }))
  end
end

return M
