-- Looks whether the file of a buffer has changed, and acts on it: a clean buffer is reloaded, a dirty one stays as it
-- is and the user is told once.

local buffers = require("claudecode.editor.buffers")
local disk = require("claudecode.editor.disk")
local filetext = require("claudecode.editor.filetext")
local log = require("claudecode.log")
local reload = require("claudecode.editor.reload")
local rest = require("claudecode.editor.rest")

local M = {}

-- To find the fewest edits takes 15 ms per MB on the main loop. Larger files are left to Neovim's own reader.
local MAX_BYTES = 4 * 1024 * 1024
-- A file that changes all the time (a log) takes at most one part in so many of the editor's time.
local SHARE = 10
-- A file that was caught changing is looked at again after this.
local RETRY_MS = 50

---@type table<integer, { stamp: string?, size: integer }> by buffer: its file as it last read or wrote it; see disk.lua
local known = {}
---@type table<integer, true> dirty buffers of changed files, of which the user knows
local told = {}
---@type table<integer, { again: boolean }> by buffer: a look at the disk is under way; another one is due after it
local looks = {}

---@param buf integer
---@param stamp string?
---@param size integer?
local function remember(buf, stamp, size)
  known[buf] = { stamp = stamp, size = size or 0 }
  told[buf] = nil
end

---The buffer has just read or written its file, or found that there is none.
---@param buf integer
function M.remember(buf)
  local path = buffers.path(buf)
  if path then
    local stamp, stat = disk.stamp_of(path)
    remember(buf, stamp, stat and stat.size)
  end
end

---The buffer is another, or none any more.
---@param buf integer
function M.forget(buf)
  known[buf], told[buf] = nil, nil
end

---The file of a dirty buffer has changed: tells the user, unless he knows.
---@param buf integer
---@param path string
function M.tell_dirty(buf, path)
  if told[buf] then
    return
  end
  told[buf] = true
  -- In one line of a narrow screen: a longer message would stop the user with a hit-enter prompt.
  local name = vim.fs.basename(path)
  if vim.fn.strchars(name) > 24 then
    name = vim.fn.strcharpart(name, 0, 23) .. "…"
  end
  -- Later: windows of a notification plugin cannot open during FileChangedShell.
  vim.schedule(function()
    require("claudecode.notify").warn(name .. " changed on disk; unsaved edits stay")
  end)
end

---Is the text of this clean buffer simply that of its file? An encoding, decryption or decompression in between shows
---by the size.
---@param buf integer
---@return boolean
function M.is_plain(buf)
  local file = known[buf]
  return file ~= nil and (filetext.text_size(buf) == file.size or (filetext.is_blank(buf) and file.size <= 1))
end

---@param buf integer clean
---@param file claudecode.DiskFile
local function update(buf, file)
  local text, choice
  if file.bytes then
    text, choice = filetext.decode(file.bytes, buf)
  end
  if not text or not M.is_plain(buf) or not reload.can_apply(buf) then
    reload.by_neovim(buf, choice or "reload")
    M.remember(buf)
    return
  end
  if reload.apply(buf, text) then
    -- Neovim raises it only for reloads of its own. Statuslines and signs of version control wait for it.
    -- Silent: a handler of the user's that fails would stop everything with a hit-enter prompt.
    local thrown = reload.raise_post(buf)
    if thrown then
      log.warn("files", "a FileChangedShellPost handler failed: %s", thrown)
    end
  end
  remember(buf, disk.stamp(file.stat), file.stat.size)
end

---@param buf integer dirty
---@param path string
---@param file claudecode.DiskFile
local function compare(buf, path, file)
  local text = file.bytes and filetext.decode(file.bytes, buf)
  local lines = text and vim.api.nvim_buf_get_lines(buf, 0, -1, true)
  if text and vim.deep_equal(text.lines, lines) and reload.can_apply(buf) then
    -- Somebody wrote what the user had not saved yet.
    reload.apply(buf, text)
    remember(buf, disk.stamp(file.stat), file.stat.size)
  elseif known[buf] or reload.ask_neovim(buf) == "conflict" then
    M.tell_dirty(buf, path)
  end
end

---Acts on a file that changed.
---@param buf integer
---@param path string as it was when the look began
---@param file claudecode.DiskFile
---@return boolean again the file has changed once more
local function settle(buf, path, file)
  if not vim.api.nvim_buf_is_loaded(buf) or buffers.path(buf) ~= path then
    return false
  end
  local stamp = disk.stamp(file.stat)
  if known[buf] and known[buf].stamp == stamp then
    return false -- Neovim or the user was faster.
  elseif disk.stamp_of(path) ~= stamp then
    return true -- The buffer may have been written since: what was read is of no use.
  elseif not rest.is_at_rest() then
    rest.wait(buf, function()
      M.check(buf)
    end)
    return false
  end
  local ok, err = pcall(function()
    if vim.bo[buf].modified then
      compare(buf, path, file)
    else
      update(buf, file)
    end
  end)
  if not ok then
    log.warn("files", "%s was not reloaded: %s", path, err)
    return false
  end
  return disk.stamp_of(path) ~= stamp
end

---Looks whether the file of a buffer has changed, and acts on it. Returns at once.
---@param buf integer
function M.check(buf)
  local path = vim.api.nvim_buf_is_valid(buf) and vim.api.nvim_buf_is_loaded(buf) and buffers.path(buf)
  if not path then
    return
  elseif looks[buf] then
    looks[buf].again = true
    return
  end
  local look, begun = { again = false }, vim.uv.hrtime()
  looks[buf] = look
  disk.read_changed(path, known[buf] and known[buf].stamp, MAX_BYTES, function(file, err)
    local pause_ms = 0
    if file then
      look.again = settle(buf, path, file) or look.again
      pause_ms = math.floor((vim.uv.hrtime() - begun) / 1e6 * SHARE)
    elseif err then
      log.debug("files", "%s: %s", path, err)
      look.again = look.again or err == disk.CHANGING
      pause_ms = RETRY_MS
    end
    vim.defer_fn(function()
      looks[buf] = nil
      if look.again then
        M.check(buf)
      end
    end, pause_ms)
  end)
end

---@param buf integer
---@return boolean told the buffer is dirty, its file has changed, and the user knows
function M.is_told(buf)
  return told[buf] == true
end

return M
