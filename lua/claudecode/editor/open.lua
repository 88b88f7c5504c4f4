-- Opens a file: in the background, or in a window as the user would have done it.

local buffers = require("claudecode.editor.buffers")
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
    return ("Not a file but a %s: %s"):format(stat.type, path)
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
    buf = buf or vim.fn.bufadd(path)
    local shortmess = vim.o.shortmess
    vim.o.shortmess = shortmess .. "A"
    local ok, thrown = pcall(vim.api.nvim_command, ("silent call bufload(%d)"):format(buf))
    vim.o.shortmess = shortmess
    if not vim.api.nvim_buf_is_loaded(buf) then
      return nil, ("%s was not loaded: %s"):format(path, thrown)
    elseif not ok then
      -- An autocommand of the user's failed; the file is there.
      require("claudecode.log").warn("files", "while %s was loaded: %s", path, thrown)
    end
    local swap = vim.fn.swapname(buf)
    if swap ~= "" and not swap:find("%.swp$") then
      require("claudecode.notify").warn(vim.fs.basename(path) .. " has a swap file of another session")
    end
  end
  vim.bo[buf].buflisted = true
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

---Shows a buffer and gives it the focus: where it is shown already, else in a window that may show it, else in a split.
---@param buf integer loaded
---@return integer? win
---@return string? err for the client
function M.show(buf)
  if vim.fn.getcmdwintype() ~= "" then
    return nil, "Neovim's command-line window is open, no other can be entered; ask the user to close it"
  end
  local before = vim.api.nvim_get_current_win()
  local ok, result = pcall(function()
    local win = window_of(buf) or windows.find_or_make()
    vim.api.nvim_set_current_win(win)
    if vim.api.nvim_win_get_buf(win) ~= buf then
      vim.api.nvim_win_set_buf(win, buf)
    end
    return win
  end)
  if ok then
    return result
  end
  pcall(vim.api.nvim_set_current_win, before)
  return nil, "Neovim cannot show the file now: " .. tostring(result)
end

return M
