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
  return vim.trim((result.stdout or "") .. "\n" .. (result.stderr or "")):match("^[^\n]*")
end

---Asks for the version, unless it was asked for or is known.
---@return claudecode.terminal.Version answer so far
function M.ask()
  local config = vim.tbl_extend("force", {}, require("claudecode.config").get())
  config.permission_mode = nil
  local argv, env = require("claudecode.terminal.command").build(config)
  if not argv then
    return {
      state = "failed",
      text = env --[[@as string]],
    }
  end
  local command = table.concat(argv, "\0")
  if asked == command and answer.state ~= "failed" then
    return answer
  end
  asked = command
  local mine = { state = "asking", program = vim.fn.exepath(argv[1]) }
  answer = mine
  if mine.program == "" then
    mine.state, mine.text = "failed", ("the program %q was not found"):format(argv[1])
    return mine
  end
  local ok, err = pcall(
    vim.system,
    vim.list_extend(argv, { "--version" }),
    { text = true, stdin = false, timeout = TIMEOUT_MS, env = env },
    function(result)
      local line = first_line(result)
      if result.code == 0 and line ~= "" then
        mine.state, mine.text = "known", line
      else
        mine.state, mine.text = "failed", line ~= "" and line or ("exit code %d"):format(result.code)
      end
    end
  )
  if not ok then
    mine.state, mine.text = "failed", tostring(err)
  end
  return mine
end

return M
