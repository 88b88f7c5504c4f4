-- Lines that are gone, as virtual lines: what virtual text does not do by itself is done here.
local M = {}

local fn = vim.fn

---@class claudecode.diff.DeletedStyle
---@field margin integer Columns of the window before its text: signs and numbers.
---@field width integer Columns for text.
---@field tabstop integer
---@field wraps boolean Else what does not fit is cut off.

local LINE, WORD = "ClaudeCodeInlineDiffDelete", "ClaudeCodeInlineDiffDeleteText"
local SIGN = "ClaudeCodeInlineDiffDeleteSign"

---@param line string
---@param ranges integer[] Bytes of changed words: start, end, start, end.
---@return [string, string][] chunks text and highlight group
local function parts(line, ranges)
  local chunks, at = {}, 0
  for i = 1, #ranges, 2 do
    local first, after =
      ranges[i], --[[@as integer]]
      ranges[i + 1] --[[@as integer]]
    if first > at then
      chunks[#chunks + 1] = { line:sub(at + 1, first), LINE }
    end
    chunks[#chunks + 1] = { line:sub(first + 1, after), WORD }
    at = after
  end
  if at < #line then
    chunks[#chunks + 1] = { line:sub(at + 1), LINE }
  end
  return chunks
end

---Character by character: tabs, controls, and the end of the screen's line.
---@param chunks [string, string][]
---@param style claudecode.diff.DeletedStyle
---@return [string, string][][] lines
---@return integer column where the last one ends
local function lay_out(chunks, style)
  local lines, row, column = {}, {}, 0
  for _, chunk in ipairs(chunks) do
    local text = {}
    for _, char in ipairs(fn.split((chunk[1]:gsub("%z", "\n")), "\\zs")) do
      local shown = char == "\t" and (" "):rep(style.tabstop - column % style.tabstop) or fn.strtrans(char)
      local width = fn.strdisplaywidth(shown)
      if style.wraps and column + width > style.width and column > 0 then
        row[#row + 1] = { table.concat(text), chunk[2] }
        lines[#lines + 1], row, text, column = row, {}, {}, 0
      end
      text[#text + 1] = shown
      column = column + width
    end
    row[#row + 1] = { table.concat(text), chunk[2] }
  end
  lines[#lines + 1] = row
  return lines, column
end

---One line as it is shown, its sign included: several virtual lines if it wraps. The colour goes on to the edge.
---@param line string
---@param ranges integer[] Bytes of changed words.
---@param style claudecode.diff.DeletedStyle
---@return [string, string][][] virtual_lines
function M.lines(line, ranges, style)
  local lines, column = { parts(line, ranges) }, #line
  if #line > style.width or line:find("[^ -~]") then
    lines, column = lay_out(lines[1], style)
  end
  if column < style.width then
    local row = lines[#lines]
    row[#row + 1] = { (" "):rep(style.width - column), LINE }
  end
  for i, row in ipairs(lines) do
    if style.margin > 0 then
      table.insert(row, 1, { ("%-" .. style.margin .. "s"):format(i == 1 and "-" or ""), SIGN })
    end
  end
  return lines
end

return M
