-- :ClaudeCodeSend: the lines of a range, of live Visual mode, or of the current selection, as a mention.

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

---@param call { range: integer, line1: integer, line2: integer }
---@return claudecode.Mention|nil
---@return string|nil err
function M.mention(call)
  local buf = vim.api.nvim_get_current_buf()
  if require("claudecode.integrations").is_tree(buf) then
    local _, err = require("claudecode.integrations").get_selected_files_from_tree()
    return nil, err
  end
  local path = require("claudecode.editor.buffers").path(buf)
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
  return { path = path, first = first, last = last, context = "ClaudeCodeSend" }
end

return M
