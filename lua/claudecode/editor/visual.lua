-- The Visual area: facts from Neovim, and where the native module says that it starts and ends.

local part = require("claudecode.editor.part")

local M = {}

local api, fn = vim.api, vim.fn

---@alias claudecode.VisualKind "char"|"line"|"block"

---Line, column and virtual columns, as getpos() counts them: from 1, 1 and 0.
---@alias claudecode.Pos [integer, integer, integer]

---@class claudecode.Corner a fact for src/text/selection.rs
---@field line integer
---@field byte integer
---@field offset integer
---@field length integer
---@field char? integer
---@field rest? integer

---Where something is in a buffer. Lines are 0-based, columns byte offsets, the end is exclusive.
---@class claudecode.Span
---@field start_line integer
---@field start_character integer
---@field end_line integer
---@field end_character integer 1 on an empty line that the selection ends on
---@field text_end integer column where the text ends in end_line
---@field corners? claudecode.Pos[] the earlier and the later end

-- By the first byte of mode(): Select mode counts as the Visual mode of its kind.
local KINDS = { v = "char", V = "line", ["\22"] = "block", s = "char", S = "line", ["\19"] = "block" }

local MAXCOL = vim.v.maxcol
-- How much of a line is asked about at once, in bytes.
local SLICE = 64
-- The longest sequence of bytes that can be one code point here: a slice that ends inside one shows other characters.
local LONGEST_SEQUENCE = 6
-- How far back a place is looked for where a character surely begins, in bytes.
local LOOK_BACK = 256

---@param mode string as mode() says it
---@return claudecode.VisualKind? kind nil outside Visual and Select mode
function M.kind(mode)
  return KINDS[mode:sub(1, 1)]
end

---Bytes of what `y` takes as one character here. Neovim's versions differ, so Neovim is asked.
---@param lnum integer 1-based
---@param byte integer
---@param length integer of the line
---@return integer bytes 0 past the last character
local function char_length(lnum, byte, length)
  local size = SLICE
  while byte < length do
    local till = math.min(byte + size, length)
    local slice = part(0, lnum - 1, byte, till)
    -- A NUL is a byte of its own here, and no string for Vim script.
    local char = fn.strpart((slice:gsub("%z", "\n")), 0, 1, 1)
    if till == length or #char <= #slice - LONGEST_SEQUENCE then
      return #char
    end
    size = size * 4
  end
  return 0
end

---Bytes from here to the end of a character that begins before. The cursor can stand inside a character: `$` takes it
---to a consonant that is joined to the one before it.
---@param lnum integer 1-based
---@param byte integer
---@param length integer of the line
---@return integer bytes 0 between two characters
local function rest_of_char(lnum, byte, length)
  if byte == 0 or byte >= length then
    return 0
  end
  local from = math.max(byte - LOOK_BACK, 0)
  local till = math.min(byte + LONGEST_SEQUENCE, length)
  local text = part(0, lnum - 1, from, till)
  local before = byte - from
  -- What is ASCII always begins a character, and an invalid byte ends its own.
  if text:byte(before + 1) < 0x80 then
    return 0
  elseif text:byte(before) >= 0x80 and vim.str_utf_start(text, before) == 0 and vim.str_utf_end(text, before) == 0 then
    return 0
  end
  text = text:sub(1, before)
  local at = from + #(text:match("^(.*)[%z\1-\127]") or "")
  while at < byte do
    at = at + char_length(lnum, at, length)
  end
  return at - byte
end

---Bytes from the start of a code point. Marks can point into one when its line has changed since; `y` takes it whole,
---unless it is a composing character that an invalid byte has before it.
---@param lnum integer 1-based
---@param byte integer
---@param length integer of the line
---@return integer bytes
local function inside_code_point(lnum, byte, length)
  if byte == 0 or byte >= length then
    return 0
  end
  local from, till = math.max(byte - LONGEST_SEQUENCE, 0), math.min(byte + LONGEST_SEQUENCE, length)
  local text, at = part(0, lnum - 1, from, till), byte - from + 1
  local inside = -vim.str_utf_start(text, at)
  if inside == 0 then
    return 0
  end
  local code_point = text:sub(at - inside, at + vim.str_utf_end(text, at))
  local is_composing = fn.strdisplaywidth("a" .. code_point) == 1
  return is_composing and 0 or inside
end

---@param pos claudecode.Pos
---@return claudecode.Corner
local function corner(pos)
  local lnum, col, offset = unpack(pos)
  local length = fn.col({ lnum, "$" }) - 1
  return { line = lnum - 1, byte = col <= length and col - 1 or length, offset = offset, length = length }
end

---@param first claudecode.Corner
---@param last claudecode.Corner
---@param earlier claudecode.Pos
---@param later claudecode.Pos
---@param to_end boolean a block that `$` extends to the end of each row
---@return table block see src/text/selection.rs
local function block_facts(first, last, earlier, later, to_end)
  local columns = require("claudecode.editor.columns")
  local one, other = columns.covered(earlier), columns.covered(later)
  local leftmost = one[1] < other[1] and one[1] or other[1]
  local function after(column)
    return columns.byte_after(later[1], last.length, column)
  end
  return {
    to_end = to_end,
    first = one,
    last = other,
    start = columns.byte_at(earlier[1], first.length, leftmost),
    after_first = after(one[2]),
    before_last = after(other[1] - 1),
    after_last = after(other[2]),
  }
end

---@param kind claudecode.VisualKind
---@param earlier claudecode.Pos
---@param later claudecode.Pos
---@param to_end boolean
---@return claudecode.Span?
local function span(kind, earlier, later, to_end)
  local native = require("claudecode.native").load()
  if not native then
    return nil
  end
  local first, last = corner(earlier), corner(later)
  if kind == "char" then
    if vim.o.selection == "exclusive" then
      first.byte = first.byte - inside_code_point(earlier[1], first.byte, first.length)
    end
    last.char = char_length(later[1], last.byte, last.length)
    last.rest = vim.o.selection == "exclusive" and rest_of_char(later[1], last.byte, last.length) or 0
  end
  local facts = {
    kind = kind,
    bounds = vim.o.selection,
    virtual_all = vim.o.virtualedit:find("all", 1, true) ~= nil,
    lines = api.nvim_buf_line_count(0),
    first = first,
    last = last,
    block = kind == "block" and require("claudecode.editor.columns").as_taken(function()
      return block_facts(first, last, earlier, later, to_end)
    end) or nil,
  }
  local start_line, start_character, end_line, end_character, text_end = native.span(vim.json.encode(facts))
  if not start_line then
    require("claudecode.log").error("selection", "the native module does not take these facts: %s", start_character)
    return nil
  end
  return {
    start_line = start_line,
    start_character = start_character --[[@as integer]],
    end_line = end_line,
    end_character = end_character,
    text_end = text_end,
    corners = { earlier, later },
  }
end

---Has `$` extended a block to the end of each row? Asked only of a block: Neovim walks the cursor's line for it.
---@param kind claudecode.VisualKind
---@return boolean
local function is_to_end(kind)
  return kind == "block" and fn.getcurpos()[5] == MAXCOL
end

---@param pos [integer, integer, integer, integer] from getpos()
---@param lines integer
---@return claudecode.Pos inside the buffer, from which a script may have taken lines
local function inside(pos, lines)
  local lnum = pos[2]
  return { lnum < lines and lnum or lines, pos[3], pos[4] }
end

---@param a claudecode.Pos
---@param b claudecode.Pos
---@return boolean
local function is_before(a, b)
  if a[1] ~= b[1] then
    return a[1] < b[1]
  elseif a[2] ~= b[2] then
    return a[2] < b[2]
  end
  return a[3] < b[3]
end

---The Visual or Select mode selection of the current window.
---@return claudecode.Span? span nil outside Visual mode
function M.now()
  local kind = M.kind(api.nvim_get_mode().mode)
  if not kind then
    return nil
  end
  local lines = api.nvim_buf_line_count(0)
  local a, b = inside(fn.getpos("v"), lines), inside(fn.getpos("."), lines)
  if is_before(b, a) then
    a, b = b, a
  end
  return span(kind, a, b, is_to_end(kind))
end

---The selection whose Visual mode has just ended, from the marks that it left in the current window.
---@param kind claudecode.VisualKind
---@param seen? claudecode.Span what was seen of it last: marks do not tell all about a block
---@return claudecode.Span?
function M.left(kind, seen)
  local lines = api.nvim_buf_line_count(0)
  local a, b = inside(fn.getpos("'<"), lines), inside(fn.getpos("'>"), lines)
  if a[1] == 0 or b[1] == 0 then
    return nil
  end
  if seen and vim.deep_equal(seen.corners, { a, b }) then
    return seen
  end
  return span(kind, a, b, is_to_end(kind))
end

return M
