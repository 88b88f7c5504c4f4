-- Watches the folders of some files, and tells which of the files may have changed. No polling: a folder is watched
-- rather than the file, since a save that renames a new file over the old one ends a watch of the file itself.

local log = require("claudecode.log")

local M = {}

-- The system's supply of watches is shared by all programs of the user.
local MAX_FOLDERS = 256
-- A save is several events; a file between truncation and text must not be read.
local SETTLE_MS = 50

---@class claudecode.Watch
---@field private folders table<string, { handle: uv.uv_fs_event_t, names: table<string, table<integer, true>> }>
---@field private real table<string, string> real paths of the files
---@field private changed table<integer, true>
---@field private timer uv.uv_timer_t runs only between an event and its report
---@field private on_change fun(key: integer)
local Watch = {}
Watch.__index = Watch

---@param on_change fun(key: integer) on the main loop, once for a burst of events
---@return claudecode.Watch
function M.new(on_change)
  return setmetatable({
    folders = {},
    real = {},
    changed = {},
    timer = assert(vim.uv.new_timer()),
    on_change = on_change,
  }, Watch)
end

---@private
function Watch:report_soon()
  if next(self.changed) and not self.timer:is_active() then
    self.timer:start(
      SETTLE_MS,
      0,
      vim.schedule_wrap(function()
        local changed = self.changed
        self.changed = {}
        for key in pairs(changed) do
          self.on_change(key)
        end
      end)
    )
  end
end

---An event in a folder. Runs outside the main loop.
---@private
---@param folder string
---@param name string? of the entry, where the system tells it
function Watch:event(folder, name)
  local watched = self.folders[folder]
  if not watched then
    return
  end
  for key in pairs(watched.names[name] or {}) do
    self.changed[key] = true
  end
  local is_folder = name == vim.fs.basename(folder) -- or an entry of the same name
  if is_folder or not name then
    for _, keys in pairs(watched.names) do
      for key in pairs(keys) do
        self.changed[key] = true
      end
    end
  end
  if is_folder then
    vim.schedule(function()
      self:renew(folder)
    end)
  end
  self:report_soon()
end

---@private
---@param folder string
---@return uv.uv_fs_event_t?
function Watch:open(folder)
  local handle, err = vim.uv.new_fs_event()
  if handle then
    local started
    started, err = handle:start(folder, {}, function(failure, name)
      if failure then
        log.debug("files", "the watch of %s failed: %s", folder, failure)
      else
        self:event(folder, name)
      end
    end)
    if started then
      return handle
    end
    handle:close()
  end
  log.debug("files", "%s is not watched: %s", folder, err)
end

---A folder was removed or renamed: its watch has ended. If it is there again, it is another one.
---@private
---@param folder string
function Watch:renew(folder)
  local watched = self.folders[folder]
  if watched then
    watched.handle:close()
    local handle = self:open(folder)
    self.folders[folder] = handle and { handle = handle, names = watched.names } or nil
  end
end

---Watches these files, and no longer any other.
---@param files table<integer, string> absolute paths by any key; the highest keys come first if there are too many
function Watch:set(files)
  local wanted, count, real = {}, 0, {}
  local keys = vim.tbl_keys(files)
  table.sort(keys, function(a, b)
    return a > b
  end)
  for _, key in ipairs(keys) do
    local path = files[key]
    real[path] = self.real[path] or vim.uv.fs_realpath(path)
    for _, spelling in ipairs({
      path,
      real[path] --[[@as string]],
    }) do
      local folder, name = vim.fs.dirname(spelling), vim.fs.basename(spelling)
      if not wanted[folder] and count < MAX_FOLDERS then
        wanted[folder], count = {}, count + 1
      end
      if wanted[folder] then
        wanted[folder][name] = wanted[folder][name] or {}
        wanted[folder][name][key] = true
      end
    end
  end
  self.real = real
  for folder, watched in pairs(self.folders) do
    if not wanted[folder] then
      watched.handle:close()
      self.folders[folder] = nil
    end
  end
  for folder, names in pairs(wanted) do
    local before = self.folders[folder] or { names = {} }
    local handle = before.handle or self:open(folder)
    self.folders[folder] = handle and { handle = handle, names = names } or nil
    for name, those in pairs(names) do
      for key in pairs(those) do
        if not (before.names[name] or {})[key] then
          self.changed[key] = true -- Nobody saw what happened to it until now.
        end
      end
    end
  end
  self:report_soon()
end

function Watch:close()
  for _, watched in pairs(self.folders) do
    watched.handle:close()
  end
  self.folders = {}
  self.timer:close()
end

return M
