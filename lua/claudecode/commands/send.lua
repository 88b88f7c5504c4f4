-- :ClaudeCodeSend and :ClaudeCodeTreeAdd: lines of a file, or what is selected in a file explorer, as mentions.

local M = {}

---The lines that a selection takes something of.
---@param start_line integer 0-based, as all of these
---@param end_line integer
---@param end_character integer at the start of a line it takes in the line break before, and nothing of that line
---@return integer first
---@return integer last
local function lines_of(start_line, end_line, end_character)
  if end_character == 0 and end_line > start_line then
    end_line = end_line - 1
  end
  return start_line, end_line
end

---@return integer|nil first 0-based; nil outside Visual and Select mode
---@return integer|nil last 0-based
local function live_visual()
  local visual = require("claudecode.editor.visual")
  if not visual.kind(vim.api.nvim_get_mode().mode) then
    return nil
  end
  local span = visual.now()
  if span then
    return lines_of(span.start_line, span.end_line, span.end_character)
  end
  -- Only without the native module, and then the user reads why nothing can be sent.
  local here, there = vim.fn.line("v"), vim.fn.line(".")
  return math.min(here, there) - 1, math.max(here, there) - 1
end

local function leave_visual()
  vim.cmd.normal({ "\27", bang = true })
  -- Else a mapping for both Visual and Select mode selects again when it ends.
  vim.cmd.normal({ "gV", bang = true })
end

---@param path string
---@return integer|nil first 0-based
---@return integer|nil last 0-based
local function current_selection(path)
  local state = require("claudecode.context.tracking").current()
  local span = state and state.selection
  if not span or span.isEmpty or state.filePath ~= path then
    return nil
  end
  return lines_of(span.start.line, span["end"].line, span["end"].character)
end

---@param paths string[]|nil
---@param context string
---@return claudecode.Mention[]|nil
function M.mentions_of(paths, context)
  return paths and vim.tbl_map(function(path)
    return { path = path, context = context }
  end, paths)
end

---@alias claudecode.RangeCall { range: integer, line1: integer, line2: integer }

---@param call claudecode.RangeCall
---@param context string
---@return claudecode.Mention[]|nil mentions of what is selected in an explorer
---@return string|nil err
local function entries(call, context)
  local range = call.range > 0 and { first = call.line1, last = call.line2 } or nil
  local paths, err = require("claudecode.integrations").get_selected_files_from_tree(range)
  if require("claudecode.editor.visual").kind(vim.api.nvim_get_mode().mode) then
    leave_visual()
  end
  return M.mentions_of(paths, context), err
end

---@param call claudecode.RangeCall
---@return claudecode.Mention[]|nil
---@return string|nil err
local function lines(call)
  local path = require("claudecode.editor.buffers").path(vim.api.nvim_get_current_buf())
  if not path then
    return nil, "this buffer has no file, so there is nothing to mention"
  end
  local first, last
  if call.range > 0 then
    first, last = call.line1 - 1, call.line2 - 1
  else
    first, last = live_visual()
    if first then
      leave_visual()
    else
      first, last = current_selection(path)
    end
  end
  if not first then
    return nil, "nothing is selected: select some lines, or give a range such as :%ClaudeCodeSend"
  end
  return { { path = path, first = first, last = last, context = "ClaudeCodeSend" } }
end

---What :ClaudeCodeSend mentions.
---@param call claudecode.RangeCall
---@return claudecode.Mention[]|nil
---@return string|nil err
function M.mentions(call)
  if require("claudecode.integrations").is_tree(vim.api.nvim_get_current_buf()) then
    return entries(call, "ClaudeCodeSend")
  end
  return lines(call)
end

---What :ClaudeCodeTreeAdd mentions.
---@param call claudecode.RangeCall
---@return claudecode.Mention[]|nil
---@return string|nil err
function M.tree_mentions(call)
  return entries(call, "ClaudeCodeTreeAdd")
end

-- As many reasons as one message gives.
local MOST_REASONS = 3

---@param reasons string[] not empty
---@param failed integer
---@param count integer
---@return string
local function summary(reasons, failed, count)
  local told = table.concat(reasons, "; ", 1, math.min(#reasons, MOST_REASONS))
  if #reasons > MOST_REASONS then
    told = ("%s; and %d more"):format(told, #reasons - MOST_REASONS)
  end
  return count == 1 and told or ("%d of %d were not mentioned: %s"):format(failed, count, told)
end

---Mentions things in order. What fails is told in one message, and the others are mentioned all the same.
---@param mentions claudecode.Mention[]|nil
---@param err string|nil why there is nothing to mention
function M.send(mentions, err)
  local reasons, known, failed = { not mentions and err or nil }, {}, 0
  for _, mention in ipairs(mentions or {}) do
    local ok, why, told = require("claudecode").mention(mention)
    if not ok and why then
      failed = failed + 1
      reasons[#reasons + 1] = not told and not known[why] and why or nil
      known[why] = true
    end
  end
  if #reasons > 0 then
    require("claudecode.notify").warn(summary(reasons, failed, mentions and #mentions or 1) .. ".")
  end
end

return M
