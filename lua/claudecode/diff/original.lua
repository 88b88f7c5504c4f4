-- The side of a diff that shows what is: the file's own buffer, or nothing yet for a new file.
local buffers = require("claudecode.editor.buffers")
local quiet = require("claudecode.diff.quiet")

local M = {}

---@class claudecode.diff.Original
---@field buf integer Loaded.
---@field is_dirty boolean It holds unsaved changes.
---@field release fun() Leaves the buffer list as it was found; a buffer that is shown, changed or listed since stays.

---Calls a function of Vim script in which autocommands of others run; what they throw is theirs, and goes to the log.
---@param name "bufadd"|"bufload"
---@param argument string|integer
---@return boolean ok
local function call(name, argument)
  local ok, err = pcall(vim.api.nvim_exec2, ("silent call %s(%s)"):format(name, vim.fn.string(argument)), {})
  if not ok then
    require("claudecode.log").warn("diff", "%s(%s): %s", name, argument, err)
  end
  return ok
end

---Loads a buffer. A swap file of another editor neither asks nor stops it (the flag A of 'shortmess').
---@param buf integer
function M.load(buf)
  local shortmess = vim.o.shortmess
  quiet.without("OptionSet", function()
    vim.opt.shortmess:append("A")
  end)
  local ok = call("bufload", buf)
  if not ok and not vim.bo[buf].modified then
    -- The error may have come before the text.
    quiet.without("all", function()
      pcall(vim.api.nvim_buf_call, buf, function()
        vim.cmd("silent keepalt keepjumps edit")
      end)
    end)
  end
  quiet.without("OptionSet", function()
    vim.o.shortmess = shortmess
  end)
end

---@param path string Absolute.
---@return integer buf
function M.add(path)
  call("bufadd", path)
  return buffers.find(path) or vim.fn.bufadd(path)
end

---@param buf integer
---@return boolean
local function is_in_use(buf)
  return not vim.api.nvim_buf_is_valid(buf) or vim.bo[buf].modified or #vim.fn.win_findbuf(buf) > 0
end

---@return claudecode.diff.Original
local function nothing()
  local buf = quiet.without("all", function()
    local made = vim.api.nvim_create_buf(false, true)
    vim.bo[made].modifiable = false
    return made
  end)
  return {
    buf = buf,
    is_dirty = false,
    release = function()
      if vim.api.nvim_buf_is_valid(buf) then
        quiet.without("all", function()
          vim.api.nvim_buf_delete(buf, { force = true })
        end)
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
    pcall(vim.api.nvim_buf_delete, buf, { unload = entry.was_there })
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
  local buf = found or M.add(path)
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
