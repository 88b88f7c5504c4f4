-- Lines for the log. They go to the native module's log, once it is loaded. Words of others never do: an error may
-- quote the text of a file, a selection, or what a client sent.

local M = {}

local RANK = { trace = 1, debug = 2, info = 3, warn = 4, error = 5 }

-- Bytes of an error that are searched for its place and number.
local FIRST_BYTES = 2000

-- Components that pass on what a program of ours prints, such as the compiler.
local OWN_WORDS = { build = true }

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

---A frame of a stack traceback, without the source text that names a chunk.
---@param line string
---@return string|nil frame nil for anything else
local function frame(line)
  line = line:gsub('%[string ".-"%]:(%d+)', "[string]:%1")
  local place, where = line:match("^\t(%S.-): in (.*)$")
  if not place or not where then
    return nil
  end
  local is_place = place == "[C]" or place:find("^%[string%]:%d+$") or place:find("%.lua:%d+$")
  local is_where = where == "main chunk"
    or where:find("^[%l ]+ '[%w_.:?]*'$")
    or where:find("^function <[^<>]+%.lua:%d+>$")
    or where:find("^function <%[string%]:%d+>$")
  return is_place and is_where and line or nil
end

---@param text string an error, perhaps with a traceback behind it
---@return string words
---@return string[] frames
local function parts(text)
  -- The last one counts: a message may hold another.
  local words, stack = text:match("^(.*)\nstack traceback:\n(.*)$")
  local frames = {}
  for line in vim.gsplit(stack or "", "\n") do
    frames[#frames + 1] = frame(line)
  end
  return words or text, frames
end

---What may be told of an error: where it was raised, its number, and the stack. Never its words.
---@param err any
---@return string
function M.without_words(err)
  local words, frames = parts(tostring(err))
  -- An error says in its first words where it was raised; a search through all of a long text would take its square.
  local first = words:sub(1, FIRST_BYTES)
  local place = first:match("([^%s:]+%.lua:%d+):")
  local number = first:match("Vim[%w()]*:(E%d+):") or first:match("^(E%d+):") or first:match("^(E%u+): ")
  local told = (place and "error at " .. place .. " " or "") .. (number and number .. " " or "")
  told = ("%s(%d bytes left out)"):format(told, #words)
  return #frames > 0 and told .. "\nstack traceback:\n" .. table.concat(frames, "\n") or told
end

---@param text string
---@return boolean whether it is a name of something, or a path, and no text
local function is_name(text)
  local is_path = text:find("^[/~]") or text:find("^%a:[/\\]")
  if is_path then
    return not text:find("[%c]") and not text:find(": ", 1, true)
  end
  return #text <= 100 and text:find("^[%w_.:/@+-]*$") ~= nil
end

---@param value any what a line of the log is to hold
---@param component string
---@return any
local function fit(value, component)
  if type(value) == "number" or type(value) == "boolean" or value == nil or OWN_WORDS[component] then
    return value
  end
  return type(value) == "string" and is_name(value) and value or M.without_words(value)
end

local function write(level, component, format, ...)
  local native = loaded_native()
  if not native or RANK[level] < RANK[threshold()] then
    return
  end
  local values = vim.F.pack_len(...)
  for i = 1, values.n do
    values[i] = fit(values[i], component)
  end
  local ok, line = pcall(string.format, format, vim.F.unpack_len(values))
  native.log(level, component, ok and line or format)
end

---@param component string the part of the plugin that speaks
---@param format string see string.format
---@param ... any names, paths and numbers are written; of everything else, errors above all, only what has no words
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
