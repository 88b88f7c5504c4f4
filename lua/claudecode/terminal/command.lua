-- The Claude CLI's argument vector: made from the configured command and the arguments of a call, never through a shell.

local M = {}

local SPACE, NOT_SPACE = "[ \t\r\n]", "[^ \t\r\n]"

---@param text string
---@return string text with `~` or `~/…` at its start replaced by the home directory
local function expand_home(text)
  if text == "~" or text:sub(1, 2) == "~/" then
    return (vim.env.HOME or vim.uv.os_homedir() or "~") .. text:sub(2)
  end
  return text
end

---Value of `$NAME` or `${NAME}` at a position; a name that is not set stays as it was written.
---@return string value
---@return integer next first byte after the variable
local function variable_at(text, at)
  local name, after = text:match("^%$([%a_][%w_]*)()", at)
  if not name then
    name, after = text:match("^%${([%a_][%w_]*)}()", at)
  end
  local value = name and vim.env[name]
  if value then
    return value, after
  end
  return "$", at + 1
end

---Reads one word.
---@param text string
---@param at integer its first byte
---@param with_variables boolean|nil
---@return string|nil word nil when a quote is not closed
---@return integer next first byte after it
local function read_word(text, at, with_variables)
  local parts, quote = {}, nil
  while at <= #text do
    local char = text:sub(at, at)
    local piece, next_at = char, at + 1
    if quote == "'" or char == quote then
      if char == quote then
        quote, piece = nil, ""
      end
    elseif not quote and (char == '"' or char == "'") then
      quote, piece = char, ""
    elseif not quote and char:find(SPACE) then
      break
    elseif char == "\\" and at < #text and (not quote or text:find('^["\\$`]', at + 1)) then
      piece, next_at = text:sub(at + 1, at + 1), at + 2
    elseif char == "$" and with_variables then
      piece, next_at = variable_at(text, at)
    end
    parts[#parts + 1] = piece
    at = next_at
  end
  return not quote and table.concat(parts) or nil, at
end

---Splits a line into words like a POSIX shell: quotes and backslashes, `~` at the start of a bare word. Nothing else
---is special, so `opus[1m]` is no glob.
---@param text string
---@param with_variables boolean|nil replace `$NAME`, except in single quotes
---@return string[]|nil words
---@return string|nil err
function M.split(text, with_variables)
  local words = {}
  local at = text:find(NOT_SPACE)
  while at do
    local start, word = at, nil
    word, at = read_word(text, at, with_variables)
    if not word then
      return nil, "a quote is not closed in: " .. text
    end
    words[#words + 1] = text:sub(start, start) == "~" and expand_home(word) or word
    at = text:find(NOT_SPACE, at)
  end
  return words
end

---Takes `NAME=value` words off the front, as a shell would.
---@param words string[]
---@return table<string, string> env
local function take_assignments(words)
  local env = {}
  while words[1] do
    local name, value = words[1]:match("^([%a_][%w_]*)=(.*)$")
    if not name then
      break
    end
    env[name] = value
    table.remove(words, 1)
  end
  return env
end

---@param configured string|string[]|nil option terminal_cmd
---@return string[]|nil argv
---@return table<string, string>|string env_or_err variables set in front of the command, or why there is none
local function configured_argv(configured)
  if configured == nil then
    return { "claude" }, {}
  end
  if type(configured) == "table" then
    local argv = vim.deepcopy(configured)
    argv[1] = expand_home(argv[1])
    return argv, {}
  end
  local whole = expand_home(configured)
  if vim.fn.executable(whole) == 1 then
    return { whole }, {}
  end
  local words, err = M.split(configured, true)
  if not words then
    return nil, "terminal_cmd: " .. err
  end
  local env = take_assignments(words)
  if #words == 0 then
    return nil, ("terminal_cmd names no program: %q"):format(configured)
  end
  return words, env
end

---@param argv string[]
---@return boolean whether the arguments already choose how Claude asks for permission
local function chooses_permissions(argv)
  for _, word in ipairs(argv) do
    if
      word == "--permission-mode"
      or vim.startswith(word, "--permission-mode=")
      or word == "--dangerously-skip-permissions"
    then
      return true
    end
  end
  return false
end

---@param config claudecode.Config
---@param args string|string[]|nil arguments of this call, a line or a list
---@return string[]|nil argv
---@return table<string, string>|string env_or_err variables set in front of the command, or one sentence
function M.build(config, args)
  local argv, env = configured_argv(config.terminal_cmd)
  if not argv then
    return nil, env
  end
  local extra, err = args or {}, nil
  if type(extra) == "string" then
    extra, err = M.split(extra)
    if not extra then
      return nil, err --[[@as string]]
    end
  end
  local whole = vim.list_extend(vim.deepcopy(argv), extra)
  if config.permission_mode and not chooses_permissions(whole) then
    whole = vim.list_extend(vim.list_extend(argv, { "--permission-mode", config.permission_mode }), extra)
  end
  return whole, env
end

---One line for providers that take a command as text: each word quoted where a shell would change it.
---@param argv string[]
---@return string
function M.to_line(argv)
  return table.concat(
    vim.tbl_map(function(word)
      if word:find("^[%w@%%+=:,./_-]+$") then
        return word
      end
      return "'" .. word:gsub("'", [['\'']]) .. "'"
    end, argv),
    " "
  )
end

return M
