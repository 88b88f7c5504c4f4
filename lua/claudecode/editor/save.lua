-- Saves a buffer as the user's `:write` does, but without ever asking the user.

local files = require("claudecode.editor.files")

local M = {}

---@param buf integer loaded
---@return true?
---@return string? err why it was not saved
function M.save(buf)
  if not vim.bo[buf].modified then
    return true
  elseif files.is_changed(buf) then
    -- `:write` would ask.
    return nil, "the file was changed on disk by another program"
  end
  -- With 'confirm' a dialog comes up instead of an error.
  local confirm = vim.o.confirm
  vim.o.confirm = false
  local ok, thrown ---@type boolean, any
  vim.api.nvim_buf_call(buf, function()
    -- Caught here: behind nvim_buf_call() it has a traceback.
    ok, thrown = pcall(vim.api.nvim_command, "silent write")
  end)
  vim.o.confirm = confirm
  if not ok then
    return nil, require("claudecode.editor.reason").of(thrown)
  elseif vim.api.nvim_buf_is_valid(buf) and vim.bo[buf].modified then
    return nil, "it still has unsaved changes after :write"
  end
  return true
end

return M
