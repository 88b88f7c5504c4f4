-- Opens a file: in the background, or in a window as the user would have done it.

local buffers = require("claudecode.editor.buffers")
local reason = require("claudecode.editor.reason")
local uri = require("claudecode.editor.uri")
local windows = require("claudecode.editor.windows")

local M = {}

---Why this file cannot be opened.
---@param path string
---@return string?
local function obstacle(path)
  local stat = uri.is_path(path) and vim.uv.fs_stat(path)
  if not stat then
    return "File not found: " .. uri.shown(path)
  elseif stat.type ~= "file" then
    local kind = ({ char = "character device", block = "block device", fifo = "named pipe" })[stat.type]
    return ("Not a file but a %s: %s"):format(kind or stat.type, path)
  elseif not vim.uv.fs_access(path, "R") then
    return "Permission denied: " .. path
  end
end

---Reads a file into its buffer, without a window. The user sees and notices nothing.
---
---A swap file of another session brings up no dialog (E325): nobody might be there to answer it, and until then Neovim
---answers no client. So 'shortmess' has A, and the file is read as it is on disk. The swap file stays for `:recover`;
---the user is told of it.
---@param path string absolute
---@return integer? buf listed and loaded
---@return string? err for the client
function M.load(path)
  local buf = buffers.find(path)
  if not (buf and vim.api.nvim_buf_is_loaded(buf)) then
    local err = obstacle(path)
    if err then
      return nil, err
    end
    if not buf then
      -- As a command, silent: an error in a handler of the user's is caught rather than shown.
      local _, result = pcall(vim.api.nvim_command, "silent! call bufadd(" .. vim.fn.string(path) .. ")")
      buf = buffers.find(path)
      if not buf then
        return nil, ("%s was not opened: %s"):format(path, reason.of(result))
      end
    end
    local shortmess = vim.o.shortmess
    vim.o.shortmess = shortmess .. "A"
    local ok, thrown = pcall(vim.api.nvim_command, ("silent call bufload(%d)"):format(buf))
    vim.o.shortmess = shortmess
    if not vim.api.nvim_buf_is_loaded(buf) then
      return nil, ("%s was not loaded: %s"):format(path, reason.of(thrown))
    elseif not ok then
      -- An autocommand of the user's failed; the file is there.
      require("claudecode.log").warn("files", "while %s was loaded: %s", path, thrown)
    end
    local swap = vim.fn.swapname(buf)
    if swap ~= "" and not swap:find("%.swp$") then
      require("claudecode.notify").warn(vim.fs.basename(path) .. " has a swap file of another session")
    end
  end
  if not vim.bo[buf].buflisted then
    pcall(vim.api.nvim_command, ("silent! call setbufvar(%d, '&buflisted', 1)"):format(buf)) -- A BufAdd may fail.
  end
  return buf
end

---@param buf integer
---@return integer? win in the current tab; no float
local function window_of(buf)
  local wins = vim.api.nvim_tabpage_list_wins(0)
  table.insert(wins, 1, vim.api.nvim_get_current_win())
  for _, win in ipairs(wins) do
    if windows.is_editor(win) and vim.api.nvim_win_get_buf(win) == buf then
      return win
    end
  end
end

---Shows a buffer: where it is shown already, else in a window that may show it, else in a split. Gives it the focus,
---unless the user is typing: what he types on is text for his file, and would be commands in this one. In Terminal
---mode it gets the focus: that is Claude's pane, where people ask to see a file.
---Autocommands of the user's that fail do not count, if the buffer is shown.
---@param buf integer loaded
---@return integer? win
---@return string? err for the client
function M.show(buf)
  if vim.fn.getcmdwintype() ~= "" then
    return nil, "Neovim's command-line window is open, no other can be entered; ask the user to close it"
  end
  local before = vim.api.nvim_get_current_win()
  local is_typing = require("claudecode.editor.reveal").is_typing()
  local ok, win = pcall(function()
    return window_of(buf) or windows.find_or_make(is_typing and before or nil)
  end)
  if not ok then
    return nil, "Neovim cannot show the file now: " .. reason.of(win)
  end
  local thrown
  local function try(fn, ...)
    local done, err = pcall(fn, ...)
    thrown = thrown or not done and tostring(err) or nil
  end
  if not is_typing then
    try(vim.api.nvim_set_current_win, win)
  end
  if vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) ~= buf then
    try(vim.api.nvim_win_set_buf, win, buf)
  end
  local is_shown = vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == buf
  if not is_shown or not (is_typing or vim.api.nvim_get_current_win() == win) then
    pcall(vim.api.nvim_set_current_win, before)
    return nil, "Neovim cannot show the file now: " .. reason.of(thrown or "an autocommand took it away")
  elseif thrown then
    require("claudecode.log").warn("files", "while buffer %d was shown: %s", buf, thrown)
  end
  return win
end

return M
