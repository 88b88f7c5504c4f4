-- What is told of a blockwise selection: where in their rows the texts lie that `y` took.
local M = {}

local fn, api = vim.fn, vim.api
local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
local text_of = dofile(here .. "/text.lua")

local line_of, characters = text_of.line_of, text_of.characters
local buffer_text = text_of.between

-- Single-width letters, each in one column.
local RULER = {}
for i = 1, 400 do
  RULER[i] = fn.nr2char(0x100 + i - 1)
end

---The columns that `y` takes in a block with these corners: it is taken again over a row that tells them.
---@param area tests.Area
---@return integer? left
---@return integer? right
local function columns(area)
  local top, bottom = line_of(area.first[1]), line_of(area.last[1])
  local lines = api.nvim_buf_get_lines(0, 0, -1, true)
  vim.o.selectmode = ""
  vim.cmd("normal! zE")
  api.nvim_buf_set_lines(0, 0, -1, true, { top, table.concat(RULER), bottom })
  api.nvim_win_set_cursor(0, { 1, 0 })
  vim.cmd("normal! \22")
  fn.cursor({ 3, area.last[2], area.last[3] })
  vim.cmd("normal! o")
  fn.cursor({ 1, area.first[2], area.first[3] })
  local is_there = vim.deep_equal({ fn.getpos("v"), fn.getpos(".") }, {
    { 0, 3, area.last[2], area.last[3] },
    { 0, 1, area.first[2], area.first[3] },
  })
  vim.cmd("normal! y")
  local row = fn.getreg('"', 1, true)[2]
  api.nvim_buf_set_lines(0, 0, -1, true, lines)
  if not is_there then
    return nil
  end
  row = row:gsub("^ +", ""):gsub(" +$", "")
  local chars = fn.split(row, "\\zs")
  return fn.index(RULER, chars[1]) + 1, area.to_end and math.huge or fn.index(RULER, chars[#chars]) + 1
end

---Where in a row the text that `y` took of it can be: a part of a character is taken as spaces.
---@param line string
---@param row string
---@param is_plain boolean else spaces can also stand for what a window shows beside the text
---@return [integer, integer][] places first byte, byte after
local function places(line, row, is_plain)
  local found = {}
  local chars = characters(line)
  local function finish(index, rest, start)
    while rest ~= "" and chars[index] do
      local char = chars[index]
      local text = line:sub(char.byte + 1, char.after)
      if vim.startswith(rest, text) then
        rest = rest:sub(#text + 1)
        index = index + 1
      else
        if rest:find("^ +$") then
          found[#found + 1] = { start, char.after }
          found[#found + 1] = not is_plain and { start, char.byte } or nil
        end
        return
      end
    end
    if rest:find("^ *$") then
      found[#found + 1] = { start, chars[index] and chars[index].byte or #line }
    end
  end
  for index, char in ipairs(chars) do
    finish(index, row, char.byte)
    local spaces = #row:match("^ *")
    for k = 1, spaces do
      finish(index + 1, row:sub(k + 1), char.byte)
      if not is_plain then
        finish(index + 1, row:sub(k + 1), char.after)
      end
    end
  end
  if row:find("^ *$") then
    found[#found + 1] = { #line, #line }
  end
  return found
end

---@param list [integer, integer][]
---@param index integer
---@return integer? byte the only one that there is
local function only(list, index)
  local byte = list[1] and list[1][index]
  for _, place in ipairs(list) do
    if place[index] ~= byte then
      return nil
    end
  end
  return byte
end

---Where the columns are in a row; nil when the row's text, as it was taken, is not there: then its characters are not
---those of the screen.
---@param line string
---@param row string
---@param left integer
---@param right integer
---@return [integer, integer]?
local function by_columns(line, row, left, right)
  if row == "" then
    return { #line, #line }
  end
  local start, stop
  for _, char in ipairs(characters(line)) do
    start = start or (char.first >= left or char.last >= left) and char.byte or nil
    stop = char.first <= right and char.after or stop
  end
  start, stop = start or #line, stop or #line
  local is_there = row == ""
    or vim.iter(places(line, row, true)):any(function(place)
      return place[1] == start and place[2] == stop
    end)
  return is_there and { start, stop } or nil
end

---Is an invalid byte joined to U+0600 before it? The screen and `y` then part the bytes that follow differently.
---@param line string
---@return boolean
local function is_split(line)
  local _, after = line:find("\216\128[\128-\255]")
  return after ~= nil and vim.str_utf_start(line, after) == 0 and vim.str_utf_end(line, after) == 0
end

---@param area tests.Area
---@param yank tests.Yank
---@param is_plain boolean nothing but the text takes columns
---@return tests.Expected
function M.expected(area, yank, is_plain)
  local first, last = area.first[1], area.last[1]
  local top, bottom = line_of(first), line_of(last)
  local top_row, bottom_row = yank.lines[1], yank.lines[#yank.lines]
  if is_split(top) or is_split(bottom) then
    return { named = "the screen has other characters than y" }
  end
  local left, right
  if is_plain then
    left, right = columns(area)
  end
  local exact = left and { by_columns(top, top_row, left, right), by_columns(bottom, bottom_row, left, right) } or {}
  local start = exact[1] and exact[1][1] or only(places(top, top_row, is_plain), 1)
  local stop = exact[2] and exact[2][2] or only(places(bottom, bottom_row, is_plain), 2)
  if not start or not stop then
    return { named = "a row's text does not tell where it is" }
  end
  local is_something = first < last or start < stop
  return {
    span = { first - 1, start, last - 1, bottom == "" and 1 or stop },
    text = is_something and buffer_text({ first - 1, start }, { last - 1, stop }) or "",
  }
end

return M
