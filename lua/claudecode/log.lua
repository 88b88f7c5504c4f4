-- Lines for the log. They go to the native module's log, once it is loaded; texts of files and the token never do.

local M = {}

local RANK = { trace = 1, debug = 2, info = 3, warn = 4, error = 5 }

---@return claudecode.Native|nil native only if something else has loaded it
local function loaded_native()
  local loader = package.loaded["claudecode.native"]
  return type(loader) == "table" and loader.get() or nil
end

---@return "trace"|"debug"|"info"|"warn"|"error" level below which nothing is written
local function threshold()
  local config = package.loaded["claudecode.config"]
  return type(config) == "table" and config.is_set() and config.get().log_level or "info"
end

---@return string path of the log file
function M.path()
  return vim.fs.joinpath(vim.fn.stdpath("log") --[[@as string]], "claudecode.log")
end

---Opens the log, or sets its level when it is open. Does nothing before the native module is loaded.
---@return boolean ok
function M.open()
  local native = loaded_native()
  return native ~= nil and native.log_open(M.path(), threshold()) == true
end

local function write(level, component, format, ...)
  local native = loaded_native()
  if not native or RANK[level] < RANK[threshold()] then
    return
  end
  local ok, line = pcall(string.format, format, ...)
  native.log(level, component, ok and line or format)
end

---@param component string the part of the plugin that speaks
---@param format string see string.format
---@param ... any
function M.trace(component, format, ...)
  write("trace", component, format, ...)
end

---@param component string
---@param format string
---@param ... any
function M.debug(component, format, ...)
  write("debug", component, format, ...)
end

---@param component string
---@param format string
---@param ... any
function M.info(component, format, ...)
  write("info", component, format, ...)
end

---@param component string
---@param format string
---@param ... any
function M.warn(component, format, ...)
  write("warn", component, format, ...)
end

---@param component string
---@param format string
---@param ... any
function M.error(component, format, ...)
  write("error", component, format, ...)
end

return M
