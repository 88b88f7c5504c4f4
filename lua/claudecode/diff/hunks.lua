-- Hunks: where the lines of two texts differ.
local text = require("claudecode.diff.text")

local M = {}

-- So many lines are matched with each other at most: the cost grows with their product.
local LINEMATCH = 60
-- Lines that are read at a time to see whether they are the same.
local CHUNK = 500
-- Lines of both texts that are compared at a time, at first.
local WINDOW = 2000
-- After so many equal lines, what follows is compared by itself; after so few, if there are not as many anywhere.
local SOLID, THIN = 50, 5

---A text by its lines. How they end does not count, but for the last one.
---@class claudecode.diff.Side
---@field count integer 0 for an empty text.
---@field endofline boolean A line break follows the last line.
---@field get fun(first: integer, last: integer): string[] Lines from `first` (0-based) to before `last`.

---Lines are 1-based. A side without lines tells the line after which the other side's ones would stand.
---@class claudecode.diff.Hunk
---@field from_start integer
---@field from_count integer
---@field to_start integer
---@field to_count integer

---@param bytes string
---@return claudecode.diff.Side
function M.of_text(bytes)
  local lines, format = text.split(bytes)
  local is_blank = #lines == 1 and lines[1] == "" and not format.endofline
  return {
    count = is_blank and 0 or #lines,
    endofline = format.endofline,
    get = function(first, last)
      return vim.list_slice(lines, first + 1, last)
    end,
  }
end

---@param buf integer
---@return claudecode.diff.Side
function M.of_buffer(buf)
  return {
    count = text.is_blank(buf) and 0 or vim.api.nvim_buf_line_count(buf),
    endofline = vim.bo[buf].endofline,
    get = function(first, last)
      return vim.api.nvim_buf_get_lines(buf, first, last, false)
    end,
  }
end

---@param side claudecode.diff.Side
---@param first integer
---@param last integer
---@return string
local function read(side, first, last)
  if last <= first then
    return ""
  end
  local ends_open = last == side.count and not side.endofline
  return table.concat(side.get(first, last), "\n") .. (ends_open and "" or "\n")
end

---Is this the last line of a side, and differently from the other side's?
---@param side claudecode.diff.Side
---@param other claudecode.diff.Side
---@param line integer 0-based
---@param other_line integer
---@return boolean
local function ends_differently(side, other, line, other_line)
  local is_open, other_is_open =
    line == side.count - 1 and not side.endofline, other_line == other.count - 1 and not other.endofline
  return is_open ~= other_is_open
end

---@param from claudecode.diff.Side
---@param to claudecode.diff.Side
---@param at integer
---@param to_at integer
---@param pause fun()
---@return integer count of lines that are the same from there on
local function equal_lines(from, to, at, to_at, pause)
  local count = 0
  while true do
    local size = math.min(CHUNK, from.count - at - count, to.count - to_at - count)
    if size <= 0 then
      return count
    end
    local lines = from.get(at + count, at + count + size)
    local others = to.get(to_at + count, to_at + count + size)
    for i = 1, size do
      if lines[i] ~= others[i] or ends_differently(from, to, at + count, to_at + count) then
        return count
      end
      count = count + 1
    end
    pause()
  end
end

---@param flat integer[] As native.hunks() gives them.
---@param offset integer Lines before, in the first text.
---@param to_offset integer
---@return claudecode.diff.Hunk[]
local function unpack_hunks(flat, offset, to_offset)
  local hunks = {}
  for i = 1, #flat, 4 do
    local from_start, from_count, to_start, to_count = unpack(flat, i, i + 3)
    hunks[#hunks + 1] = {
      from_start = from_start + offset,
      from_count = from_count,
      to_start = to_start + to_offset,
      to_count = to_count,
    }
  end
  return hunks
end

---@param start integer
---@param count integer
---@return integer line 0-based, the one after these
local function after(start, count)
  return start + (count > 0 and count - 1 or 0)
end

---The last hunk of a window that equal lines keep apart from what comes next.
---@param hunks claudecode.diff.Hunk[]
---@param window_end integer Of the first text, 0-based.
---@param least integer Count of equal lines.
---@return integer? number
local function last_apart(hunks, window_end, least)
  local next_start = window_end
  for number = #hunks, 1, -1 do
    local hunk = hunks[number] --[[@as claudecode.diff.Hunk]]
    if next_start - after(hunk.from_start, hunk.from_count) >= least then
      return number
    end
    next_start = hunk.from_start - (hunk.from_count > 0 and 1 or 0)
  end
end

---Finds the hunks between two texts, in order, part by part: however large they are, the work between two pauses is
---small as long as what changed is.
---@param from claudecode.diff.Side
---@param to claudecode.diff.Side
---@param found claudecode.diff.Hunk[] Where they are added.
---@param pause fun()
function M.find(from, to, found, pause)
  local native, err = require("claudecode.native").load()
  if not native then
    error(err, 0)
  end
  local from_at, to_at, size = 0, 0, WINDOW
  while true do
    local equal = equal_lines(from, to, from_at, to_at, pause)
    from_at, to_at = from_at + equal, to_at + equal
    if from_at >= from.count and to_at >= to.count then
      return
    end
    local from_end, to_end = math.min(from_at + size, from.count), math.min(to_at + size, to.count)
    local flat = native.hunks(read(from, from_at, from_end), read(to, to_at, to_end))
    local hunks = unpack_hunks(flat, from_at, to_at)
    local is_whole = from_end == from.count and to_end == to.count
    local last = is_whole and #hunks or last_apart(hunks, from_end, SOLID) or last_apart(hunks, from_end, THIN)
    vim.list_extend(found, hunks, 1, last or 0)
    if is_whole then
      return
    elseif not last then
      size = size * 2
    else
      local hunk = hunks[last] --[[@as claudecode.diff.Hunk]]
      from_at, to_at = after(hunk.from_start, hunk.from_count), after(hunk.to_start, hunk.to_count)
      size = WINDOW
    end
    pause()
  end
end

---@param from claudecode.diff.Side
---@param to claudecode.diff.Side
---@return claudecode.diff.Hunk[]
function M.between(from, to)
  local found = {}
  M.find(from, to, found, function() end)
  return found
end

---@param from string A line.
---@param to string Another version of it.
---@return integer[] gone Bytes of words that `to` lacks: start, end, start, end.
---@return integer[] added Bytes of words that `from` lacks.
function M.words(from, to)
  local native = require("claudecode.native").load()
  if not native then
    return {}, {}
  end
  return native.words(from, to)
end

---@param from string
---@param to string
---@param opts vim.text.diff.Opts
---@return integer[] flat start and count of both sides, again and again
local function compare(from, to, opts)
  ---@diagnostic disable-next-line: deprecated -- its name before 0.12
  local diff = vim.text.diff or vim.diff
  opts.result_type = "indices"
  local flat = {}
  for _, block in
    ipairs(diff(from, to, opts) --[[@as integer[][] ]])
  do
    vim.list_extend(flat, block)
  end
  return flat
end

---As diff mode finds them, but for what it is told to ignore.
---@param from claudecode.diff.Side
---@param to claudecode.diff.Side
---@return claudecode.diff.Hunk[]
function M.of_diff_mode(from, to)
  local flat = compare(read(from, 0, from.count), read(to, 0, to.count), {
    ---@diagnostic disable-next-line: assign-type-mismatch -- the option has no other values
    algorithm = vim.o.diffopt:match("algorithm:(%l+)"),
    indent_heuristic = vim.o.diffopt:find("indent-heuristic", 1, true) ~= nil,
  })
  return unpack_hunks(flat, 0, 0)
end

---A hunk as diff mode shows it with "linematch" in 'diffopt': lines that are versions of each other, and those that are
---not, each by themselves.
---@param hunk claudecode.diff.Hunk
---@param from claudecode.diff.Side
---@param to claudecode.diff.Side
---@return claudecode.diff.Hunk[]
function M.matched(hunk, from, to)
  local limit = tonumber(vim.o.diffopt:match("linematch:(%d+)") or 0) --[[@as integer]]
  if hunk.from_count == 0 or hunk.to_count == 0 or hunk.from_count + hunk.to_count > limit then
    return { hunk }
  end
  local from_row, to_row = hunk.from_start - 1, hunk.to_start - 1
  local lines, others = read(from, from_row, from_row + hunk.from_count), read(to, to_row, to_row + hunk.to_count)
  return unpack_hunks(compare(lines, others, { linematch = limit }), from_row, to_row)
end

---Pairs of lines of a hunk that are versions of each other.
---@param from string[] The hunk's lines.
---@param to string[]
---@return [integer, integer][] pairs of places in both
function M.pairs(from, to)
  local found = {}
  local function add(from_start, to_start, count)
    for i = 0, count - 1 do
      found[#found + 1] = { from_start + i, to_start + i }
    end
  end
  if #from == #to then
    add(1, 1, #from)
  elseif #from > 0 and #to > 0 and #from + #to <= LINEMATCH then
    local blocks = compare(table.concat(from, "\n"), table.concat(to, "\n"), { linematch = LINEMATCH })
    for _, block in ipairs(unpack_hunks(blocks, 0, 0)) do
      if block.from_count == block.to_count then
        add(block.from_start, block.to_start, block.to_count)
      end
    end
  end
  return found
end

---@param hunk claudecode.diff.Hunk
---@return integer row Of its first line in the second text, or of the line that follows those that went. 0-based.
function M.row(hunk)
  return hunk.to_count > 0 and hunk.to_start - 1 or hunk.to_start
end

---Where a hunk is in its second text.
---@param hunk claudecode.diff.Hunk
---@param line_count integer Of that text's buffer.
---@return integer first Of lines that went, the line below them, or the last line.
---@return integer last
function M.place(hunk, line_count)
  if hunk.to_count > 0 then
    return hunk.to_start, hunk.to_start + hunk.to_count - 1
  end
  local line = math.max(1, math.min(M.row(hunk) + 1, line_count))
  return line, line
end

return M
