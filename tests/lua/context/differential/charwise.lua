-- What is told of a characterwise selection, from what `y` took.
local M = {}

local fn = vim.fn
local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
local text_of = dofile(here .. "/text.lua")

local line_of, characters, place = text_of.line_of, text_of.characters, text_of.place
local buffer_text = text_of.between

---With virtual columns `y` takes no line break, unless onemore or block stands beside all. And it makes spaces of parts
---of characters and of what is past the line. Neither is told: so the places decide here, and what `y` took is compared
---as far as it is text.
---@param area tests.Area
---@param yank tests.Yank
---@return tests.Expected
local function charwise_virtual(area, yank)
  local first, last = area.first, area.last
  local start = place(first)
  local byte, length = place(last)
  local leaves_last = vim.o.selection == "exclusive" and not vim.deep_equal(first, last) and last[3] == 0
  local stop, character = byte, nil
  for _, char in ipairs(characters(line_of(last[1]), true)) do
    local is_in = char.byte < byte or char.byte == byte and not leaves_last
    stop = is_in and char.after > stop and char.after or stop
  end
  -- Virtual columns of one line alone select nothing; else an empty last line counts.
  if length == 0 and not leaves_last and not (first[1] == last[1] and first[3] > 0) then
    character = 1
  end
  local text = buffer_text({ first[1] - 1, start }, { last[1] - 1, stop })
  local taken = table.concat(yank.lines, "\n"):gsub("^ +", ""):gsub(" +$", "")
  local at, till = text:find(taken, 1, true)
  if not at and taken:sub(-1) == "\n" then
    taken = taken:sub(1, -2):gsub(" +$", "")
    at, till = text:find(taken, 1, true)
  end
  -- `y` cuts a wide character of which it takes a part, between two of its bytes.
  local is_old = fn.has("nvim-0.11") == 0 and vim.o.selection == "exclusive" -- see M.is_left_out()
  if not at and not taken:find("^[\128-\191]") and not (is_old and text:find("[\204\205][\128-\191]$")) then
    return { problem = "y took what is not selected" }
  elseif at and taken ~= "" then
    local function is_part(rest)
      local bare = rest:gsub(" ", "")
      if is_old then
        bare = bare:gsub("[\204\205][\128-\191]$", "")
      end
      return #characters(bare, true) <= (is_old and 2 or 1)
    end
    if not is_part(text:sub(1, at - 1)) or not is_part(text:sub(till + 1)) then
      return { problem = "y took less than is selected" }
    end
  end
  return { span = { first[1] - 1, start, last[1] - 1, character or stop }, text = text }
end

---@param area tests.Area
---@return tests.Expected
local function charwise_old(area, yank)
  local start = place(area.first)
  local stop = { area.last[1] - 1, 0 }
  local text = buffer_text({ area.first[1] - 1, start }, stop)
  local taken = table.concat(yank.lines, "\n") .. (area.first[1] < area.last[1] and "\n" or "")
  -- It takes whole lines if there are only blanks before.
  local is_taken = taken == text or yank.type == "V" and taken:match("^[ \t]*(.*)$") == text:match("^[ \t]*(.*)$")
  return {
    span = { area.first[1] - 1, start, stop[1], 1 },
    text = text,
    problem = not is_taken and "y took another text" or nil,
  }
end

---What `y` took begins at the earlier end, and is as long as it is.
---@param area tests.Area
---@param yank tests.Yank
---@return tests.Expected
function M.plain(area, yank)
  local is_empty = line_of(area.last[1]) == ""
  if vim.o.selection == "old" and is_empty then
    return charwise_old(area, yank)
  end
  local lines = yank.lines
  if vim.o.selection == "exclusive" and area.last[3] > 0 and area.first[1] + #lines - 1 > area.last[1] then
    -- Virtual columns that no longer are: `y` takes them for the end, but one position more is no line break.
    lines = vim.list_slice(lines, 1, #lines - 1)
  end
  local start, last = place(area.first), area.first[1] + #lines - 1
  local character = (#lines == 1 and start or 0) + #lines[#lines]
  local ends_before = vim.o.selection == "exclusive" and not vim.deep_equal(area.first, area.last) and area.last[3] == 0
  if last == area.last[1] and is_empty and not ends_before then
    character = 1
  end
  return { span = { area.first[1] - 1, start, last - 1, character }, text = table.concat(lines, "\n") }
end

---@param area tests.Area
---@param yank tests.Yank
---@return tests.Expected
function M.all(area, yank)
  local found = M.plain(area, yank)
  if vim.o.selection == "old" and yank.type == "V" then
    return found
  end
  local from, to = { found.span[1], found.span[2] }, { found.span[3], found.span[4] }
  local ok, text = pcall(buffer_text, from, to)
  local is_text = ok and text == found.text and place(area.last) < #line_of(area.last[1])
  return is_text and found or charwise_virtual(area, yank)
end

---Before 0.11 `y` can leave out composing characters after an invalid byte, or a part of one, or take what is before.
---@param told string
---@return boolean
function M.is_left_out(told)
  if fn.has("nvim-0.11") == 1 or vim.o.selection ~= "exclusive" then
    return false
  end
  local before = told
  repeat
    local bare, count = before:gsub("[\204\205][\128-\191]$", "")
    before = bare
  until count == 0
  local last = #before
  return last < #told
    and (before:byte(last) or 0) >= 128
    and vim.str_utf_start(before, last) == 0
    and vim.str_utf_end(before, last) == 0
end

return M
