-- `User` autocommands: what other plugins and the user's own configuration can hook into.

local M = {}

---@type { pattern: string, data: any }|nil the event that fire() is to raise
local pending

---Raises the pending event; called by emit() through a command, see there.
function M._fire()
  local event = pending
  pending = nil
  if event then
    vim.api.nvim_exec_autocmds("User", { pattern = event.pattern, modeline = false, data = event.data })
  end
end

---Raises a `User` event. All handlers run; one that fails is named in a single warning and disturbs nothing else.
---
---An error in a handler is printed even under pcall() and can end in a hit-enter prompt, so it is silenced here;
---`:unsilent` keeps what handlers print on purpose.
---@param pattern string such as "ClaudeCodeDiffOpened"
---@param data table|nil
function M.emit(pattern, data)
  local errmsg = vim.v.errmsg
  vim.v.errmsg = ""
  pending = { pattern = pattern, data = data }
  local ok, thrown = pcall(vim.api.nvim_command, "silent! unsilent lua require('claudecode.events')._fire()")
  local failure = ok and vim.v.errmsg or tostring(thrown)
  vim.v.errmsg = errmsg
  if failure ~= "" then
    require("claudecode.log").warn("events", "a handler of User %s failed: %s", pattern, failure)
    require("claudecode.notify").once(
      "event handler " .. pattern,
      "warn",
      ("A handler of the event User %s failed: %s"):format(pattern, failure)
    )
  end
end

return M
