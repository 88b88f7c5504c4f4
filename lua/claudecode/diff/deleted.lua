-- Lines that are gone, as virtual lines: what virtual text does not do by itself is done here.
local M = {}

local fn = vim.fn

-- What follows in a longer line is counted, not shown, in bytes.
local LONGEST = 2000

---@class claudecode.diff.DeletedStyle
---@field margin integer Columns of the window before its text: signs and numbers.
---@field width integer Columns for text.
---@field tabstop integer
---@field wraps boolean Else what does not fit is cut off.
---@field column integer And the text begins with this cell: the window is scrolled sideways.
---@field package shown? table<string, [string, integer]> How characters look, and how wide they are.

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

---@param char string
---@return [string, integer]
local function look(char)
  local shown = fn.strtrans(char)
  return { shown, fn.strdisplaywidth(shown) }
end

---Character by character: tabs, controls, and the end of the screen's line.
---@param chunks [string, string][]
---@param style claudecode.diff.DeletedStyle
---@return [string, string][][] lines
---@return integer column where the last one ends
local function lay_out(chunks, style)
  local lines, row, column = {}, {}, 0
  style.shown = style.shown or {}
  for _, chunk in ipairs(chunks) do
    local text = {}
    for _, char in ipairs(fn.split((chunk[1]:gsub("%z", "\n")), "\\zs")) do
      local width = style.tabstop - column % style.tabstop
      local shown = (" "):rep(width)
      if char ~= "\t" then
        style.shown[char] = style.shown[char] or look(char)
        shown, width = unpack(style.shown[char])
      end
      if style.wraps and column + width > style.width and column > 0 then
        row[#row + 1] = { table.concat(text), chunk[2] }
        lines[#lines + 1], row, text, column = row, {}, {}, 0
      end
      local hidden = style.wraps and 0 or style.column - column
      if hidden <= 0 then
        text[#text + 1] = shown
      elseif hidden < width then
        text[#text + 1] = (" "):rep(width - hidden)
      end
      column = column + width
    end
    row[#row + 1] = { table.concat(text), chunk[2] }
  end
  lines[#lines + 1] = row
  return lines, column
end

---@param line string
---@return string start Of a line that is too long.
local function cut(line)
  local length = LONGEST
  -- Not in the middle of a character, which has four bytes at most.
  for _ = 1, 3 do
    if line:find("^[\128-\191]", length + 1) then
      length = length - 1
    end
  end
  return line:sub(1, length)
end

---@param ranges integer[]
---@param length integer
---@return integer[]
local function cut_ranges(ranges, length)
  local found = {}
  for i = 1, #ranges, 2 do
    local first, after =
      ranges[i], --[[@as integer]]
      ranges[i + 1] --[[@as integer]]
    if first < length then
      vim.list_extend(found, { first, math.min(after, length) })
    end
  end
  return found
end

---One line as it is shown, its sign included: several virtual lines if it wraps. The colour goes on to the edge.
---@param line string
---@param ranges integer[] Bytes of changed words.
---@param style claudecode.diff.DeletedStyle
---@return [string, string][][] virtual_lines
function M.lines(line, ranges, style)
  local rest
  if #line > LONGEST then
    local start = cut(line)
    rest, line, ranges = #line - #start, start, cut_ranges(ranges, #start)
  end
  local lines, column = { parts(line, ranges) }, #line
  if #line > style.width or style.column > 0 or line:find("[^ -~]") then
    lines, column = lay_out(lines[1], style)
  end
  column = math.max(0, column - style.column)
  if column < style.width then
    local row = lines[#lines]
    row[#row + 1] = { (" "):rep(style.width - column), LINE }
  end
  if rest then
    lines[#lines + 1] = { { ("… and %d more bytes"):format(rest), SIGN } }
  end
  for i, row in ipairs(lines) do
    if style.margin > 0 then
      table.insert(row, 1, { ("%-" .. style.margin .. "s"):format(i == 1 and "-" or ""), SIGN })
    end
  end
  return lines
end

return M
