-- The window of the Claude terminal: opened at a side, closed without disturbing the others, its width remembered.

local M = {}

---@type { width: integer, columns: integer, opened: number }|nil width at the last close, in columns of that screen
local remembered

---@param buf integer
---@return integer|nil win the window of this tab page that shows the buffer
function M.here(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() then
      return win
    end
  end
end

---@param win integer
---@return boolean whether no other split shares its tab page
local function is_alone(win)
  for _, other in ipairs(vim.api.nvim_tabpage_list_wins(vim.api.nvim_win_get_tabpage(win))) do
    if other ~= win and vim.api.nvim_win_get_config(other).relative == "" then
      return false
    end
  end
  return true
end

---Runs a function while opening and closing a side split leaves the widths of the other windows alone.
local function keeping_widths(action)
  local before = vim.o.eadirection
  vim.o.eadirection = "ver"
  local ok, result = pcall(action)
  vim.o.eadirection = before
  return ok, result
end

---@param terminal claudecode.Config.terminal
---@param share number? of the screen, instead of the usual one
---@return integer columns
local function width(terminal, share)
  local columns = vim.o.columns
  local wanted = math.floor(columns * (share or terminal.split_width_percentage))
  if not share and remembered and remembered.opened == terminal.split_width_percentage then
    wanted = math.floor(remembered.width * columns / remembered.columns + 0.5)
  end
  return math.max(1, math.min(wanted, columns - 2))
end

---Remembers the width that the user gave the window, for the next one.
---@param win integer
---@param share number the share of the screen that the window was opened with
local function remember(win, share)
  if vim.api.nvim_win_is_valid(win) and not is_alone(win) and vim.api.nvim_win_get_config(win).relative == "" then
    remembered = { width = vim.api.nvim_win_get_width(win), columns = vim.o.columns, opened = share }
  end
end

---@param win integer
local function dress(win)
  -- Bound to window and buffer: another buffer in this window looks as usual.
  local look = vim.wo[win][0]
  look.number, look.relativenumber, look.list, look.spell, look.cursorline = false, false, false, false, false
  look.signcolumn, look.foldcolumn, look.statuscolumn = "no", "0", ""
  vim.wo[win].winfixwidth = true
  vim.wo[win].winfixbuf = true
end

---Opens a full-height split that shows the buffer.
---@param buf integer
---@param terminal claudecode.Config.terminal
---@param share number? of the screen, instead of the usual one
---@return integer|nil win
---@return string|nil err
function M.open(buf, terminal, share)
  local ok, win = keeping_widths(function()
    return vim.api.nvim_open_win(buf, false, { split = terminal.split_side, win = -1, width = width(terminal, share) })
  end)
  if not ok then
    return nil, "cannot open a window for Claude: " .. tostring(win)
  end
  dress(win)
  vim.api.nvim_create_autocmd("BufWinLeave", {
    buffer = buf,
    once = true,
    desc = "claudecode: remember the width of the terminal",
    callback = function()
      remember(win, terminal.split_width_percentage)
    end,
  })
  return win
end

---@return integer buf the last used listed buffer, or a new one
local function another_buffer()
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
  if is_alone(win) and vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() then
    vim.wo[win].winfixbuf = false
    vim.wo[win].winfixwidth = false
    vim.api.nvim_win_set_buf(win, another_buffer())
  else
    keeping_widths(function()
      vim.api.nvim_win_close(win, true)
    end)
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
