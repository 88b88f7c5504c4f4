-- Keeps clean buffers equal to their files when another program writes those: when asked, and through a watch.

local buffers = require("claudecode.editor.buffers")
local refresh = require("claudecode.editor.refresh")

local M = {}

---@type claudecode.Watch?
local watch
local is_rearranging = false

---Has another program changed the file of a dirty buffer since the buffer read or wrote it? Blocks for one stat.
---@param buf integer loaded, modified
---@return boolean
function M.is_changed(buf)
  local path = buffers.path(buf)
  if path and not refresh.is_told(buf) and require("claudecode.editor.reload").ask_neovim(buf) == "conflict" then
    refresh.tell_dirty(buf, path)
  end
  return refresh.is_told(buf)
end

---Neovim has found a changed file. With this, it never asks (W11, W12).
---@param event vim.api.keyset.create_autocmd.callback_args
local function on_file_changed(event)
  if vim.v.fcs_choice ~= "" then
    return -- A handler of the user's has decided.
  elseif vim.v.fcs_reason == "conflict" then
    refresh.tell_dirty(event.buf, buffers.path(event.buf) or event.match)
  elseif vim.v.fcs_reason == "deleted" then
    vim.v.fcs_choice = "ask" -- It does not ask, it only says so (E211).
  else
    vim.schedule(function()
      refresh.check(event.buf)
    end)
  end
end

---Watches the folders of the open files, as they are after a burst of events.
local function rearrange()
  if is_rearranging then
    return
  end
  is_rearranging = true
  vim.schedule(function()
    is_rearranging = false
    if watch then
      watch:set(buffers.loaded_files())
    end
  end)
end

---Has the clean buffers of changed files reloaded. Returns at once; the reload follows.
---@param paths string[]? absolute; nil: all open files
function M.reload(paths)
  if paths then
    for _, path in ipairs(paths) do
      local buf = buffers.find_loaded(path)
      if buf then
        refresh.check(buf)
      end
    end
  else
    for buf in pairs(buffers.loaded_files()) do
      refresh.check(buf)
    end
    rearrange() -- Folders that were gone may be there again.
  end
end

---Reloads changed files from now on, without being asked. With a watch that runs, does nothing.
function M.watch_start()
  if watch then
    return
  end
  watch = require("claudecode.editor.watch").new(refresh.check)
  local group = vim.api.nvim_create_augroup("claudecode.editor.files", {})
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, desc = "claudecode: follow files", callback = callback })
  end
  on({ "BufReadPost", "BufWritePost", "BufNewFile" }, function(event)
    -- `:write other` says nothing about the buffer's own file.
    if event.event ~= "BufWritePost" or event.match == vim.api.nvim_buf_get_name(event.buf) then
      refresh.remember(event.buf)
    end
    rearrange()
  end)
  on("FileChangedShellPost", function(event)
    if vim.api.nvim_buf_is_loaded(event.buf) and not vim.bo[event.buf].modified then
      refresh.remember(event.buf)
    end
  end)
  on({ "BufFilePost", "BufUnload" }, function(event)
    refresh.forget(event.buf)
    rearrange()
  end)
  on("BufModifiedSet", function(event)
    if refresh.is_told(event.buf) and not vim.bo[event.buf].modified then
      refresh.check(event.buf) -- The edits were undone.
    end
  end)
  on("FileChangedShell", on_file_changed)
  for buf in pairs(buffers.loaded_files()) do
    if not vim.bo[buf].modified then
      refresh.remember(buf)
      if not refresh.is_plain(buf) then
        -- Neovim may have read another version than the one that is there now.
        refresh.forget(buf)
        refresh.check(buf)
      end
    end
  end
  rearrange()
end

function M.watch_stop()
  if not watch then
    return
  end
  watch:close()
  watch = nil
  vim.api.nvim_del_augroup_by_name("claudecode.editor.files")
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    refresh.forget(buf)
  end
end

return M
