-- Tells, once, which keys leave Terminal mode: in the terminal's status line, since a message would be written over.

local M = {}

local SHOWN_MS = 10000
local LONG, SHORT = [[CTRL-\ CTRL-N leaves Terminal mode]], [[CTRL-\ CTRL-N leaves]]

---@type boolean
local told = false

---@param win integer
---@return boolean whether a status line shows this window's text
local function has_status_line(win)
  local when = vim.o.laststatus
  return when == 2 or (when == 3 and win == vim.api.nvim_get_current_win()) or (when == 1 and vim.fn.winnr("$") > 1)
end

---@param win integer
function M.show(win)
  if told then
    return
  end
  told = true
  local option = has_status_line(win) and "statusline" or "winbar"
  local scope = { scope = "local", win = win }
  local before = vim.api.nvim_get_option_value(option, scope)
  local room = option == "statusline" and vim.o.laststatus == 3 and vim.o.columns or vim.api.nvim_win_get_width(win)
  local text = #LONG < room and LONG or SHORT
  vim.api.nvim_set_option_value(option, text, scope)
  local buf = vim.api.nvim_win_get_buf(win)
  local function clear()
    for _, shown in ipairs(vim.fn.win_findbuf(buf)) do
      -- Not if someone else has put something there since.
      if vim.wo[shown][option] == text then
        vim.api.nvim_set_option_value(option, before, { scope = "local", win = shown })
      end
    end
  end
  vim.defer_fn(clear, SHOWN_MS)
  vim.api.nvim_create_autocmd("BufWinEnter", {
    buffer = buf,
    desc = "claudecode: a buffer brings its window options back, the tip among them",
    callback = clear,
  })
end

return M
