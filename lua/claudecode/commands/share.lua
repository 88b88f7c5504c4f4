-- :ClaudeCodeShare [on|off|toggle]: whether Claude is told of the current file and selection, in this session.

local M = {}

local WORDS = { "on", "off", "toggle" }

---@param word string what was typed; nothing asks for the state
function M.run(word)
  local notify, sharing = require("claudecode.notify"), require("claudecode.context.sharing")
  if word ~= "" and not vim.tbl_contains(WORDS, word) then
    return notify.warn(("ClaudeCodeShare takes on, off or toggle, not %q."):format(word))
  elseif word == "toggle" then
    sharing.set(not sharing.is_on())
  elseif word ~= "" then
    sharing.set(word == "on")
  end
  notify.info(sharing.describe() .. ".")
end

---@param lead string
---@return string[]
function M.complete(lead)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, WORDS)
end

return M
