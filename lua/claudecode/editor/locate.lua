-- Finds a piece of text in a buffer: plain text, which may span lines.

local M = {}

---@class claudecode.Place 0-based; the end is inclusive, in bytes
---@field first integer line
---@field first_column integer
---@field last integer line
---@field last_column integer of the last character's first byte; the line's length for its line break

---@param text string
---@return string
local function with_plain_breaks(text)
  return (text:gsub("\r\n", "\n"))
end

---@param lines string[]
---@param offset integer 1-based, in the lines joined by "\n"
---@param from integer line to begin at, 1-based
---@param base integer offset of that line's first byte
---@return integer line 1-based
---@return integer base of that line
local function line_at(lines, offset, from, base)
  while offset > base + #lines[from] do
    base, from = base + #lines[from] + 1, from + 1
  end
  return from, base
end

---@param buf integer
---@param start_text string
---@param end_text string? the place goes on to the end of the first such text behind start_text
---@param from integer? line to search from, 0-based
---@return claudecode.Place? place nil when start_text is not there
---@return boolean found_end false when only end_text is not there: then the place is start_text
function M.text(buf, start_text, end_text, from)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, true)
  local begin = math.min(from or 0, #lines - 1) + 1
  local joined = table.concat(lines, "\n", begin)
  local first, last = joined:find(with_plain_breaks(start_text), 1, true)
  if not first or not last or last < first then
    return nil, false
  end
  local end_last = last
  if end_text and end_text ~= "" then
    local _, found = joined:find(with_plain_breaks(end_text), last + 1, true)
    end_last = found --[[@as integer]]
  end
  local first_line, base = line_at(lines, first, begin, 1)
  local last_line, last_base = line_at(lines, end_last or last, first_line, base)
  local last_column = (end_last or last) - last_base
  local place = {
    first = first_line - 1,
    first_column = first - base,
    last = last_line - 1,
    last_column = last_column + vim.str_utf_start(lines[last_line] .. "\n", last_column + 1),
  }
  return place, end_last ~= nil
end

return M
