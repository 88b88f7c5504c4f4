-- The window of the Claude terminal: opened at a side, closed without disturbing the others, its width remembered.
local neighbours = require("claudecode.terminal.neighbours")

local M = {}

---@type { width: integer, columns: integer, opened: number }|nil width at the last close, in columns of that screen
local remembered

---@class claudecode.terminal.Window
---@field buf integer of the terminal
---@field share number of the screen that such a window opens with

---@type table<integer, claudecode.terminal.Window> windows that were opened here
local opened = {}

---@class claudecode.terminal.Loan a width that is not the user's
---@field given integer
---@field own integer|nil the user's before that; nil: the usual one

---@type table<integer, claudecode.terminal.Loan> by window
local loans = {}

---@type table<integer, number> share of the screen that the window has meanwhile, by tab page
local shares = {}

---@param buf integer
---@param tab integer|nil instead of the current one
---@return integer|nil win the window of this tab page that shows the buffer
function M.here(buf, tab)
  tab = tab or vim.api.nvim_get_current_tabpage()
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if vim.api.nvim_win_get_tabpage(win) == tab then
      return win
    end
  end
end

---@param win integer
---@return boolean whether no other split shares its tab page
function M.is_alone(win)
  for _, other in ipairs(vim.api.nvim_tabpage_list_wins(vim.api.nvim_win_get_tabpage(win))) do
    if other ~= win and vim.api.nvim_win_get_config(other).relative == "" then
      return false
    end
  end
  return true
end

---@param terminal claudecode.Config.terminal
---@param share number|nil of the screen, instead of the usual one
---@return integer columns
local function width(terminal, share)
  local columns = vim.o.columns
  local wanted = math.floor(columns * (share or terminal.split_width_percentage))
  if not share and remembered and remembered.opened == terminal.split_width_percentage then
    wanted = math.floor(remembered.width * columns / remembered.columns + 0.5)
  end
  return math.max(1, math.min(wanted, columns - 2))
end

---@param win integer
---@return boolean whether its width is one that can be chosen: it is a split that has others beside it
local function has_width(win)
  return vim.api.nvim_win_is_valid(win)
    and vim.api.nvim_win_get_config(win).relative == ""
    and vim.api.nvim_win_get_width(win) < vim.o.columns
end

---@param win integer
---@return integer|nil columns that the user gave the window; nil where nobody did
local function own_width(win)
  local now, loan = vim.api.nvim_win_get_width(win), loans[win]
  if loan and loan.given == now then
    return loan.own
  end
  return now
end

---Remembers the width that the user gave the window, for the next one.
---@param win integer
local function remember(win)
  local own = opened[win] and has_width(win) and own_width(win)
  if own then
    remembered = { width = own, columns = vim.o.columns, opened = opened[win].share }
  end
end

---Gives a window another width, for as long as a diff is open. A width that the user gives it meanwhile is theirs.
---@param win integer
---@param share number|nil of the screen; nil leaves the width as it is for now
function M.lend(win, share)
  if not has_width(win) then
    return
  end
  local own = own_width(win)
  if share then
    vim.api.nvim_win_set_width(win, math.max(1, math.floor(vim.o.columns * share)))
  end
  loans[win] = { given = vim.api.nvim_win_get_width(win), own = own }
end

---@param win integer
---@param terminal claudecode.Config.terminal
---@return integer|nil columns that a window on loan has when the loan ends
function M.due(win, terminal)
  return loans[win] and has_width(win) and (own_width(win) or width(terminal)) or nil
end

---Ends a loan.
---@param win integer
---@param columns integer
function M.give_back(win, columns)
  vim.api.nvim_win_set_width(win, columns)
  local now = vim.api.nvim_win_get_width(win)
  loans[win] = { given = now, own = now }
end

---Says what share of the screen windows that are opened in a tab page have meanwhile.
---@param tab integer
---@param share number|nil nil: as wide as usual again
function M.set_share(tab, share)
  shares[tab] = share
end

---@param win integer
local function dress(win)
  -- Bound to window and buffer: another buffer in this window looks as usual.
  local look = vim.wo[win][0]
  look.number, look.relativenumber, look.list, look.spell, look.cursorline = false, false, false, false, false
  look.signcolumn, look.foldcolumn, look.statuscolumn = "no", "0", ""
  vim.wo[win].winfixbuf = true
end

---Forgets windows that are gone.
---@param known table<integer, any>
local function prune(known)
  for win in pairs(known) do
    if not vim.api.nvim_win_is_valid(win) then
      known[win] = nil
    end
  end
end

---Opens a full-height split that shows the buffer.
---@param buf integer
---@param terminal claudecode.Config.terminal
---@return integer|nil win
---@return string|nil err
function M.open(buf, terminal)
  prune(opened)
  prune(loans)
  for known in pairs(opened) do
    remember(known)
  end
  local share = shares[vim.api.nvim_get_current_tabpage()]
  local columns = width(terminal, share)
  local config = { split = terminal.split_side, win = -1, width = columns }
  local win, err = neighbours.make_room(columns, function()
    return vim.api.nvim_open_win(buf, false, config)
  end)
  if not win then
    return nil, "cannot open a window for Claude: " .. tostring(err)
  end
  dress(win)
  opened[win] = { buf = buf, share = terminal.split_width_percentage }
  if share then
    loans[win] = { given = vim.api.nvim_win_get_width(win) }
  end
  return win
end

vim.api.nvim_create_autocmd("WinClosed", {
  group = vim.api.nvim_create_augroup("claudecode.terminal.window", {}),
  desc = "claudecode: remember the width of the terminal",
  callback = function(event)
    local win = tonumber(event.match) --[[@as integer]]
    local known = opened[win]
    if known and vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == known.buf then
      remember(win)
    end
    opened[win], loans[win] = nil, nil
    neighbours.forget(win)
  end,
})

---@param win integer
---@return table|nil view if the user has scrolled back in it
function M.scrolled_back(win)
  return vim.api.nvim_win_call(win, function()
    return vim.fn.line("w$") < vim.fn.line("$") and vim.fn.winsaveview() or nil
  end)
end

---@param win integer of a terminal
---@param view table|nil from scrolled_back(); nil: the end, which follows what the CLI writes
function M.scroll_to(win, view)
  if view then
    vim.api.nvim_win_call(win, function()
      vim.fn.winrestview(view)
    end)
  else
    vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(win)), 0 })
  end
end

---@return integer buf the last used listed buffer, or a new one
function M.another_buffer()
  local latest
  for _, info in ipairs(vim.fn.getbufinfo({ buflisted = 1 })) do
    if vim.bo[info.bufnr].buftype == "" and (not latest or info.lastused > latest.lastused) then
      latest = info
    end
  end
  return latest and latest.bufnr or vim.api.nvim_create_buf(true, false)
end

---Takes the terminal out of a window: closes it, or, where it is all that this tab page has, shows another buffer.
---@param win integer
function M.release(win)
  if M.is_alone(win) and vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() then
    vim.wo[win].winfixbuf = false
    vim.wo[win].winfixwidth = false
    vim.api.nvim_win_set_buf(win, M.another_buffer())
  else
    neighbours.close(win)
  end
end

---Takes the terminal out of every window but one.
---@param buf integer
---@param except integer|nil
function M.release_all(buf, except)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if win ~= except then
      M.release(win)
    end
  end
end

return M
