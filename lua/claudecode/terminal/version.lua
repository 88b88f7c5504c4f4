-- The version of the Claude CLI: asked for in the background, never waited for.

local M = {}

-- A CLI that says nothing for this long is ended.
local TIMEOUT_MS = 10000

---@class claudecode.terminal.Version
---@field state "unknown"|"asking"|"known"|"failed"
---@field text string|nil the first line of `claude --version`, or why there is none
---@field program string|nil absolute path

---@type claudecode.terminal.Version
local answer = { state = "unknown" }
---@type string|nil the command that the answer is about
local asked

---@param result vim.SystemCompleted
---@return string line of what it wrote, "" if nothing
local function first_line(result)
  return vim.split(vim.trim((result.stdout or "") .. "\n" .. (result.stderr or "")), "\n")[1] or ""
end

---@param command claudecode.terminal.Command
---@param mine claudecode.terminal.Version is filled in
local function run(command, mine)
  local argv = vim.list_extend({}, command.argv)
  argv[#argv + 1] = "--version"
  vim.system(argv, { text = true, timeout = TIMEOUT_MS, env = command.env }, function(result)
    local line = first_line(result)
    if result.code == 0 and line ~= "" then
      mine.state, mine.text = "known", line
    else
      mine.state, mine.text = "failed", line ~= "" and line or ("exit code %d"):format(result.code)
    end
  end)
end

---Asks for the version, unless it was asked for or is known.
---@return claudecode.terminal.Version answer so far; it is filled in when it comes
function M.ask()
  local configured = require("claudecode.config").get().terminal_cmd
  local command, err = require("claudecode.terminal.command").configured(configured)
  if not command then
    return { state = "failed", text = err }
  end
  local key = table.concat(command.argv, "\0")
  if asked == key and answer.state ~= "failed" then
    return answer
  end
  asked, answer = key, { state = "asking", program = vim.fn.exepath(command.program) }
  if answer.program == "" then
    answer.state, answer.text = "failed", ("the program %q was not found"):format(command.program)
    return answer
  end
  local ok, why = pcall(run, command, answer)
  if not ok then
    answer.state, answer.text = "failed", tostring(why)
  end
  return answer
end

return M
