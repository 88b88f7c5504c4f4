-- What of a file is selected, and its text, as clients are told.

local part = require("claudecode.editor.part")
local visual = require("claudecode.editor.visual")

local M = {}

local api = vim.api

---A selection, or a mere cursor, without its text.
---@class claudecode.Snapshot : claudecode.Span
---@field buf integer
---@field tick integer b:changedtick when it was taken
---@field path string
---@field url string
---@field is_visual boolean

---As the protocol spells it.
---@class claudecode.Selection
---@field text string may hold bytes that are not UTF-8
---@field filePath string
---@field fileUrl string
---@field selection { start: claudecode.Position, ["end"]: claudecode.Position, isEmpty: boolean }
---@field truncated? true the selected text is longer

---@class claudecode.Position
---@field line integer 0-based
---@field character integer byte offset

-- How far behind a cut the text is read, in bytes: whether its last character goes on there.
local LOOK_AHEAD = 64

---@type table<integer, { name: string, path?: string, url?: string }> by buffer
local files = {}

---@param buf integer
---@return { name: string, path?: string, url?: string }
local function file_of(buf)
  local name = api.nvim_buf_get_name(buf)
  local file = files[buf]
  if not file or file.name ~= name then
    local path = require("claudecode.editor.buffers").path(buf)
    file = { name = name, path = path, url = path and require("claudecode.editor.uri").from_path(path) }
    files[buf] = file
  end
  return file
end

---Is a file edited in this window? Not in a float, terminal, prompt, tree or proposal, nor in a buffer without a name.
---@param win integer
---@return boolean
function M.is_editor(win)
  local buf = api.nvim_win_get_buf(win)
  return vim.bo[buf].buftype == "" and vim.fn.win_gettype(win) ~= "popup" and file_of(buf).path ~= nil
end

---@param span claudecode.Span
---@param buf integer
---@param is_visual boolean
---@return claudecode.Snapshot snapshot the span itself, completed
local function snapshot(span, buf, is_visual)
  local snap = span --[[@as claudecode.Snapshot]]
  local file = file_of(buf)
  snap.buf = buf
  snap.tick = api.nvim_buf_get_changedtick(buf)
  snap.path, snap.url = file.path, file.url
  snap.is_visual = is_visual
  return snap
end

---The selection of Visual or Select mode in the current window, which is an editor.
---@return claudecode.Snapshot? snapshot nil outside Visual mode
function M.visual()
  local span = visual.now()
  return span and snapshot(span, api.nvim_get_current_buf(), true)
end

---The selection whose Visual mode has just ended in the current window, which is an editor.
---@param kind claudecode.VisualKind
---@param seen? claudecode.Snapshot what was seen of it last
---@return claudecode.Snapshot?
function M.left(kind, seen)
  local span = visual.left(kind, seen)
  return span and snapshot(span, api.nvim_get_current_buf(), true)
end

---@param win integer an editor
---@return claudecode.Snapshot
function M.cursor(win)
  local cursor = api.nvim_win_get_cursor(win)
  local line, byte = cursor[1] - 1, cursor[2]
  local span = { start_line = line, start_character = byte, end_line = line, end_character = byte, text_end = byte }
  return snapshot(span, api.nvim_win_get_buf(win), false)
end

---Where the first bytes of a snapshot's text end.
---@param snap claudecode.Snapshot
---@param size integer bytes, fewer than the text has
---@return integer line
---@return integer column
local function place_after(snap, size)
  local offset = api.nvim_buf_get_offset
  local target = offset(snap.buf, snap.start_line) + snap.start_character + size
  local low, high = snap.start_line, snap.end_line
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if offset(snap.buf, middle) <= target then
      low = middle
    else
      high = middle - 1
    end
  end
  return low, target - offset(snap.buf, low)
end

---Reads no more of the buffer than it returns.
---@param snap claudecode.Snapshot not older than its buffer
---@param max_bytes integer
---@return string text
---@return true? truncated
local function read_text(snap, max_bytes)
  local buf, end_line, end_column = snap.buf, snap.end_line, snap.text_end
  local offset = api.nvim_buf_get_offset
  local size = offset(buf, end_line) + end_column - offset(buf, snap.start_line) - snap.start_character
  if size <= 0 then
    return ""
  end
  if size > max_bytes then
    end_line, end_column = place_after(snap, math.min(size, max_bytes + LOOK_AHEAD))
  end
  local text
  if snap.start_line == end_line then
    text = part(buf, end_line, snap.start_character, end_column)
  else
    local lines = api.nvim_buf_get_text(buf, snap.start_line, snap.start_character, end_line, end_column, {})
    text = table.concat(lines, "\n")
  end
  if size <= max_bytes then
    return text
  end
  local native = require("claudecode.native").load()
  return text:sub(1, native and native.cut(text, max_bytes) or 0), true
end

---What clients are told about a snapshot.
---@param snap claudecode.Snapshot not older than its buffer
---@param max_bytes integer longest text
---@return claudecode.Selection
function M.params(snap, max_bytes)
  local text, truncated = "", nil
  if snap.is_visual then
    text, truncated = read_text(snap, max_bytes)
  end
  local is_empty = snap.start_line == snap.end_line and snap.start_character == snap.end_character
  return {
    text = text,
    filePath = snap.path,
    fileUrl = snap.url,
    selection = {
      start = { line = snap.start_line, character = snap.start_character },
      ["end"] = { line = snap.end_line, character = snap.end_character },
      isEmpty = is_empty,
    },
    truncated = truncated,
  }
end

---The selection or cursor as it is now: of the current window, else of the editor window that was current last.
---@param max_bytes integer longest text
---@return claudecode.Selection? params nil when no file is edited
function M.read(max_bytes)
  local win = api.nvim_get_current_win()
  if M.is_editor(win) then
    return M.params(M.visual() or M.cursor(win), max_bytes)
  end
  local last = require("claudecode.editor.windows").last_editor()
  return last and M.is_editor(last) and M.params(M.cursor(last), max_bytes) or nil
end

return M
