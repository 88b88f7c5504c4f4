-- The Claude CLI's argument vector, from the configured command and the arguments of a call. No shell sees it.

local words = require("claudecode.terminal.words")

local M = {}

---@class claudecode.terminal.Command
---@field program string argv[1]
---@field argv string[]
---@field env table<string, string> variables that were set in front of the command

---Takes `NAME=value` words off the front, as a shell would.
---@param argv string[]
---@return table<string, string> env
local function take_assignments(argv)
  local env = {}
  while argv[1] do
    local name, value = argv[1]:match("^([%a_][%w_]*)=(.*)$")
    if not name then
      break
    end
    env[name] = value
    table.remove(argv, 1)
  end
  return env
end

---@param configured string|string[]|nil option terminal_cmd
---@return string[]|nil argv may begin with assignments
---@return string|nil err
local function configured_words(configured)
  if configured == nil then
    return { "claude" }
  elseif type(configured) == "table" then
    local argv = vim.deepcopy(configured)
    argv[1] = words.expand_home(argv[1] or "")
    return argv
  end
  local whole = words.expand_home(configured)
  if vim.fn.executable(whole) == 1 then
    return { whole }
  end
  return words.split(configured, true)
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

---@param configured string|string[]|nil option terminal_cmd
---@return claudecode.terminal.Command|nil
---@return string|nil err one sentence
function M.configured(configured)
  local argv, err = configured_words(configured)
  if not argv then
    return nil, "terminal_cmd: " .. err
  end
  local env = type(configured) == "string" and take_assignments(argv) or {}
  if not argv[1] then
    return nil, ("terminal_cmd names no program: %q"):format(configured)
  end
  return { program = argv[1], argv = argv, env = env }
end

---@param config claudecode.Config
---@param args string|string[]|nil arguments of this call, a line or a list
---@return claudecode.terminal.Command|nil
---@return string|nil err one sentence
function M.build(config, args)
  local command, err = M.configured(config.terminal_cmd)
  if not command then
    return nil, err
  end
  local extra
  if type(args) == "string" then
    extra, err = words.split(args)
    if not extra then
      return nil, err
    end
  else
    extra = args or {}
  end
  local hooks = require("claudecode.terminal.hooks").arguments(config, command.program)
  vim.list_extend(command.argv, hooks)
  local mode = config.permission_mode
  if not hooks[1] and require("claudecode.review").when() == "before" then
    -- The next best: in that mode the CLI asks by itself.
    mode = "default"
  end
  if mode and not chooses_permissions(command.argv) and not chooses_permissions(extra) then
    vim.list_extend(command.argv, { "--permission-mode", mode })
  end
  vim.list_extend(command.argv, extra)
  return command
end

return M
