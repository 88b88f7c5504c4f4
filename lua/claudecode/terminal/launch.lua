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

-- Where Claude Code's own installers put it; the alias `claude` in a shell's start file then means that.
local USUAL_PLACES = { "~/.local/bin/claude", "~/.claude/local/claude" }

---@param program string
---@return string
local function not_found(program)
  local advice =
    "Set the option terminal_cmd to a program that exists (aliases and functions of a shell are not programs)."
  if program == "claude" then
    local found = vim.tbl_filter(function(path)
      return vim.fn.executable(vim.fs.normalize(path)) == 1
    end, USUAL_PLACES)
    advice = found[1] and ("Set the option terminal_cmd to %q."):format(found[1])
      or "Install Claude Code, or set the option terminal_cmd to where it is (an alias of a shell is no program:"
        .. " give what it stands for)."
  end
  return ("cannot start Claude: the program %q was not found. %s"):format(program, advice)
end

---@param program string
---@param path string|nil a PATH other than Neovim's
---@return string|nil program that can be started
local function find(program, path)
  if not path or program:find("[/\\]") then
    return vim.fn.executable(program) == 1 and program or nil
  end
  for dir in vim.gsplit(path, vim.fn.has("win32") == 1 and ";" or ":", { plain = true, trimempty = true }) do
    local whole = vim.fs.normalize(dir) .. "/" .. program
    if vim.fn.executable(whole) == 1 then
      return whole
    end
  end
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
  local program = find(command.program, env.PATH)
  if not program then
    return nil, not_found(command.program)
  end
  command.argv[1] = program
  return { argv = command.argv, env = env, cwd = require("claudecode.cwd").for_terminal(terminal) }
end

return M
