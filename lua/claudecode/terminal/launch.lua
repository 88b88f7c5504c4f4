-- What one start of the Claude CLI needs: argument vector, environment, directory.

local M = {}

---@param config claudecode.Config
---@param terminal claudecode.Config.terminal
---@param given table<string, string> variables set in front of the configured command
---@return table<string, string>
local function environment(config, terminal, given)
  local server = require("claudecode.bridge").info()
  local set = vim.tbl_extend("force", config.env, terminal.env, given)
  return require("claudecode.environment").of(server and server.port, set)
end

---@class claudecode.terminal.Launch
---@field argv string[]
---@field env table<string, string> added to the environment of Neovim
---@field cwd string absolute

---@param program string
---@return string
local function not_found(program)
  local advice = program == "claude" and "Install Claude Code, or set the option terminal_cmd to where it is."
    or "Set the option terminal_cmd to a program that exists (aliases and functions of a shell are not programs)."
  return ("cannot start Claude: the program %q was not found. %s"):format(program, advice)
end

---@param config claudecode.Config
---@param terminal claudecode.Config.terminal options of this call
---@param args string|string[]|nil CLI arguments of this call
---@return claudecode.terminal.Launch|nil
---@return string|nil err one message for the user
function M.prepare(config, terminal, args)
  local command, err = require("claudecode.terminal.command").build(config, args)
  if not command then
    return nil, "cannot start Claude: " .. err
  end
  local env = environment(config, terminal, command.env)
  -- With a PATH of its own the program is looked up there, by the system.
  if not env.PATH and vim.fn.executable(command.program) ~= 1 then
    return nil, not_found(command.program)
  end
  return { argv = command.argv, env = env, cwd = require("claudecode.cwd").for_terminal(terminal) }
end

return M
