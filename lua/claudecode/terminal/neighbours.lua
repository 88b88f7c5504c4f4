-- The other windows of a tab page: they make room for the terminal in proportion, and get back what they had.

local M = {}

---@alias claudecode.terminal.Widths table<integer, integer> columns by window

---@type table<integer, { before: claudecode.terminal.Widths, after: claudecode.terminal.Widths }> by terminal window
local given = {}

---@param tab integer
---@param except integer|nil a window that does not count
---@return claudecode.terminal.Widths of the windows that are no floats
local function widths(tab, except)
  local found = {}
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
    if win ~= except and vim.api.nvim_win_get_config(win).relative == "" then
      found[win] = vim.api.nvim_win_get_width(win)
    end
  end
  return found
end

---Gives windows a width. One that gets it takes from its neighbours: so all are gone through twice, as |winrestcmd()|
---does.
---@param wanted claudecode.terminal.Widths
local function set(wanted)
  local wins = vim.tbl_filter(vim.api.nvim_win_is_valid, vim.tbl_keys(wanted))
  table.sort(wins, function(a, b)
    return vim.api.nvim_win_get_position(a)[2] < vim.api.nvim_win_get_position(b)[2]
  end)
  for _ = 1, 2 do
    for _, win in ipairs(wins) do
      vim.api.nvim_win_set_width(win, wanted[win])
    end
  end
end

---@param had claudecode.terminal.Widths
---@param from integer columns that all of them had together
---@param to integer columns that they have now
---@return claudecode.terminal.Widths
local function in_proportion(had, from, to)
  local fixed, wanted = 0, {}
  for win, columns in pairs(had) do
    fixed = fixed + (vim.wo[win].winfixwidth and columns + 1 or 0)
  end
  local share = (to - fixed) / math.max(1, from - fixed)
  for win, columns in pairs(had) do
    if not vim.wo[win].winfixwidth and share > 0 then
      wanted[win] = math.max(1, math.floor(columns * share + 0.5))
    end
  end
  return wanted
end

---Runs an action while windows that it opens or closes change no more widths than they must.
---@param action fun(): any
---@return boolean ok
---@return any result
local function quietly(action)
  local before = vim.o.eadirection
  vim.o.eadirection = "ver"
  local ok, result = pcall(action)
  vim.o.eadirection = before
  return ok, result
end

---Opens a full-height window.
---@param columns integer
---@param open fun(): integer opens it at a side of the current tab page, about so wide
---@return integer|nil win
---@return any err
function M.make_room(columns, open)
  local before = widths(vim.api.nvim_get_current_tabpage())
  local ok, opened = quietly(open)
  if not ok then
    return nil, opened
  end
  local win = opened --[[@as integer]]
  vim.wo[win].winfixwidth = true
  set(vim.tbl_extend("error", in_proportion(before, vim.o.columns, vim.o.columns - columns - 1), { [win] = columns }))
  given[win] = { before = before, after = widths(vim.api.nvim_win_get_tabpage(win), win) }
  return win
end

---@param win integer
---@param tab integer
---@return boolean whether it has the whole height of the tab page, beside others
local function is_column(win, tab)
  local layout = vim.fn.winlayout(vim.api.nvim_tabpage_get_number(tab))
  if layout[1] ~= "row" then
    return false
  end
  for _, child in
    ipairs(layout[2] --[[@as table[] ]])
  do
    if child[1] == "leaf" and child[2] == win then
      return true
    end
  end
  return false
end

---Closes a window that make_room() has opened, or any other.
---@param win integer
function M.close(win)
  local tab, own = vim.api.nvim_win_get_tabpage(win), vim.api.nvim_win_get_width(win)
  local now, was = widths(tab, win), is_column(win, tab) and given[win]
  given[win] = nil
  local ok, err = quietly(function()
    vim.api.nvim_win_close(win, true)
  end)
  if not ok then
    error(err, 0)
  elseif was then
    set(vim.deep_equal(now, was.after) and was.before or in_proportion(now, vim.o.columns - own - 1, vim.o.columns))
  end
end

---Forgets a window that is gone.
---@param win integer
function M.forget(win)
  given[win] = nil
end

return M
