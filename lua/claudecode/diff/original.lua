-- The side of a diff that shows what is: the file's own buffer, or nothing yet for a new file.
local buffers = require("claudecode.editor.buffers")

local M = {}

---@class claudecode.diff.Original
---@field buf integer Loaded.
---@field is_dirty boolean It holds unsaved changes.
---@field release fun() Leaves the buffer list as it was found; a buffer that is shown, changed or listed since stays.

---Loads a buffer. A swap file of another editor neither asks nor stops it (the flag A of 'shortmess').
---@param buf integer
function M.load(buf)
  local shortmess = vim.o.shortmess
  vim.opt.shortmess:append("A")
  -- Autocommands of others run here; what they throw is theirs.
  local ok, err = pcall(vim.api.nvim_exec2, ("silent call bufload(%d)"):format(buf), {})
  vim.o.shortmess = shortmess
  if not ok then
    require("claudecode.log").warn("diff", "loading %s: %s", vim.api.nvim_buf_get_name(buf), err)
  end
end

---@param buf integer
---@return boolean
local function is_in_use(buf)
  return not vim.api.nvim_buf_is_valid(buf) or vim.bo[buf].modified or #vim.fn.win_findbuf(buf) > 0
end

---@return claudecode.diff.Original
local function nothing()
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].modifiable = false
  return {
    buf = buf,
    is_dirty = false,
    release = function()
      if vim.api.nvim_buf_is_valid(buf) then
        vim.api.nvim_buf_delete(buf, { force = true })
      end
    end,
  }
end

---Buffers that were loaded for diffs: how many use each, and whether the buffer list had it before.
---@type table<integer, { users: integer, was_there: boolean }>
local loaded = {}

---@param buf integer
local function release(buf)
  local entry = loaded[buf]
  entry.users = entry.users - 1
  if entry.users > 0 then
    return
  end
  loaded[buf] = nil
  if not is_in_use(buf) and (entry.was_there or not vim.bo[buf].buflisted) then
    vim.api.nvim_buf_delete(buf, { unload = entry.was_there })
  end
end

---@param path string Absolute.
---@param is_new boolean No such file on disk.
---@return claudecode.diff.Original
function M.open(path, is_new)
  local found = buffers.find(path)
  local is_loaded = found ~= nil and vim.api.nvim_buf_is_loaded(found)
  if is_new and not is_loaded then
    return nothing()
  end
  local buf = found or vim.fn.bufadd(path)
  if not is_loaded then
    M.load(buf)
    loaded[buf] = { users = 0, was_there = found ~= nil }
  end
  local is_ours = loaded[buf] ~= nil
  if is_ours then
    loaded[buf].users = loaded[buf].users + 1
  end
  return {
    buf = buf,
    is_dirty = buffers.is_dirty(buf),
    release = function()
      if is_ours then
        release(buf)
      end
    end,
  }
end

return M
