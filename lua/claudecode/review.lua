-- When edits are reviewed: before they are written, in every permission mode of Claude's, or as that mode has it.

local M = {}

---@alias claudecode.ReviewWhen "before"|"off"

---@type claudecode.ReviewWhen|nil what :ClaudeCodeReview has set for this session
local chosen

---@return claudecode.ReviewWhen
function M.when()
  return chosen or require("claudecode.config").get().review.when
end

---@param when claudecode.ReviewWhen
function M.set(when)
  chosen = when
  local bridge = require("claudecode.bridge")
  if bridge.is_running() then
    -- A server that runs goes on, with the new options.
    bridge.start()
  end
end

---@return string one sentence for the user
function M.describe()
  if M.when() == "off" then
    return "review: off; Claude's permission mode decides whether an edit is asked for"
  end
  local terminal = package.loaded["claudecode.terminal"]
  local waits = terminal and terminal.has_process() and not require("claudecode.terminal.hooks").are_in_use()
  return "review: before; every edit of a Claude that is started here opens as a diff"
    .. (waits and ", from the next start of Claude on" or "")
end

return M
