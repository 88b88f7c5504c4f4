-- A provider of the user's own: a table of functions, wrapped so that it looks like ours. A broken one throws an error
-- that terminal/init.lua answers by falling back to the native provider.

local M = {}

local REQUIRED = { "setup", "open", "close", "simple_toggle", "focus_toggle", "get_active_bufnr", "is_available" }

---@param functions table
---@return string|nil fault
local function fault_of(functions)
  for _, name in ipairs(REQUIRED) do
    if not vim.is_callable(functions[name]) then
      return ("the function %s is missing"):format(name)
    end
  end
end

---@param request claudecode.terminal.Request
---@return string command line, quoted for a shell
---@return table<string, string> env
---@return table config the terminal options of this call, with `cwd` resolved and the command as `argv`
local function arguments(request)
  local launch, err = require("claudecode.terminal.launch").prepare(request.config, request.terminal, request.args)
  if not launch then
    error({ launch = err })
  end
  local config = vim.tbl_extend("force", vim.deepcopy(request.terminal), { cwd = launch.cwd, argv = launch.argv })
  return require("claudecode.terminal.words").join(launch.argv), launch.env, config
end

---@param functions table see |claudecode-provider|
---@param terminal claudecode.Config.terminal
---@return claudecode.terminal.Provider
function M.wrap(functions, terminal)
  local fault = fault_of(functions)
  if fault then
    error(fault, 0)
  end
  functions.setup(vim.deepcopy(terminal))
  if not functions.is_available() then
    error("it says that it is not available", 0)
  end

  local provider = {}
  function provider.open(request, focus)
    local command, env, config = arguments(request)
    functions.open(command, env, config, focus)
    return true
  end
  function provider.simple_toggle(request)
    functions.simple_toggle(arguments(request))
    return true
  end
  function provider.focus_toggle(request)
    functions.focus_toggle(arguments(request))
    return true
  end
  function provider.ensure_visible(request)
    if vim.is_callable(functions.ensure_visible) then
      functions.ensure_visible()
      return true
    end
    return provider.open(request, false)
  end
  if vim.is_callable(functions.toggle) then
    function provider.toggle(request)
      functions.toggle(arguments(request))
      return true
    end
  end
  function provider.close()
    functions.close()
  end
  function provider.get_active_bufnr()
    local buf = functions.get_active_bufnr() ---@type integer|nil
    return type(buf) == "number" and vim.api.nvim_buf_is_valid(buf) and buf or nil
  end
  function provider.pid()
    local buf = provider.get_active_bufnr()
    local channel = buf and require("claudecode.terminal.input").channel(buf)
    local ok, pid = pcall(vim.fn.jobpid, channel or 0)
    return ok and pid or nil
  end
  return provider
end

return M
