-- :ClaudeCodeLog: the log in a window of its own, to be read only.

local M = {}

---@param buf integer just read
local function dress(buf)
  vim.bo[buf].modifiable, vim.bo[buf].readonly, vim.bo[buf].buflisted = false, true, false
  vim.bo[buf].filetype = "claudecode_log"
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(buf), 0 })
  end
end

---@param path string
---@return integer buf one of our own is not loaded yet, and gone with its last window
local function buffer(path)
  local buf = vim.fn.bufadd(path)
  if vim.fn.bufloaded(buf) == 1 then
    return buf
  end
  -- "nowrite": the text of a file, yet no file that is edited, watched, or told to anybody.
  vim.bo[buf].buftype, vim.bo[buf].bufhidden = "nowrite", "wipe"
  vim.bo[buf].swapfile, vim.bo[buf].undofile = false, false
  vim.api.nvim_create_autocmd("BufReadPost", {
    buffer = buf,
    desc = "claudecode: show the end of the log, also after :edit",
    callback = function()
      dress(buf)
    end,
  })
  return buf
end

---@param call { smods: table|nil } modifiers, such as :tab and :vertical, say where the window opens
function M.run(call)
  local path = require("claudecode.log").path()
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.size == 0 then
    local where = vim.fn.fnamemodify(path, ":~")
    return require("claudecode.notify").info(("there is no log yet; it will be %s."):format(where))
  end
  local buf = buffer(path)
  local win = vim.fn.bufwinid(buf)
  if win == -1 then
    vim.cmd.sbuffer({ args = { buf }, mods = call.smods })
  else
    vim.api.nvim_set_current_win(win)
  end
  if not vim.bo.modified then
    vim.cmd.edit()
  end
  vim.cmd.normal({ "G", bang = true })
end

return M
