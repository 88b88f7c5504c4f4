-- Text as bytes and text as the lines of a buffer: exact both ways.
local M = {}

M.BOM = "\239\187\191"

---What a buffer's lines alone do not say about its text.
---@class claudecode.diff.Format
---@field fileformat "unix"|"dos"|"mac" "dos" only if every line break is CRLF; else a CR is a character like others
---@field endofline boolean A line break follows the last line.
---@field bomb boolean U+FEFF stands before the first line.

---Takes a text apart.
---@param text string Any bytes.
---@return string[] lines At least one; without line breaks. A NUL stays a NUL.
---@return claudecode.diff.Format format
function M.split(text)
  local bomb = vim.startswith(text, M.BOM)
  local at = bomb and #M.BOM + 1 or 1
  local is_dos = text:find("\r\n", at, true) ~= nil and text:sub(at, at) ~= "\n" and not text:find("[^\r]\n", at)
  local break_length = is_dos and 2 or 1
  local lines, count = {}, 0
  while true do
    local line_feed = text:find("\n", at, true)
    count = count + 1
    if not line_feed then
      lines[count] = text:sub(at)
      break
    end
    lines[count] = text:sub(at, line_feed - break_length)
    at = line_feed + 1
  end
  local endofline = count > 1 and lines[count] == ""
  if endofline then
    lines[count] = nil
  end
  return lines, { fileformat = is_dos and "dos" or "unix", endofline = endofline, bomb = bomb }
end

---Puts a text together: the inverse of split().
---@param lines string[]
---@param format claudecode.diff.Format
---@return string
function M.join(lines, format)
  local line_break = ({ unix = "\n", dos = "\r\n", mac = "\r" })[format.fileformat]
  return (format.bomb and M.BOM or "") .. table.concat(lines, line_break) .. (format.endofline and line_break or "")
end

---Has the buffer no line at all? Its API shows an empty line for that.
---@param buf integer
---@return boolean
function M.is_blank(buf)
  return vim.api.nvim_buf_line_count(buf) == 1
    and vim.api.nvim_buf_call(buf, function()
      return vim.fn.wordcount().bytes == 0
    end)
end

---The text that a buffer means: its lines, and its own 'fileformat', 'endofline' and 'bomb'. Options that change what
---a write makes of it ('fixendofline', 'fileencoding') do not count.
---@param buf integer
---@return string
function M.read(buf)
  local options = vim.bo[buf]
  local format = { fileformat = options.fileformat, endofline = options.endofline, bomb = options.bomb }
  if M.is_blank(buf) then
    format.endofline = false
  end
  return M.join(vim.api.nvim_buf_get_lines(buf, 0, -1, false), format)
end

---Makes a text the whole content of a buffer. Only the lines that differ are replaced, so that marks and folds in the
---others stay; it is one step for undo.
---@param buf integer Loaded and modifiable.
---@param text string
function M.write(buf, text)
  local lines, format = M.split(text)
  local options = vim.bo[buf]
  if not format.endofline then
    options.fixendofline = false
  end
  options.fileformat, options.bomb = format.fileformat, format.bomb
  -- A text without any line has no last line that could lack its break: what is typed into it gets one.
  options.endofline = format.endofline or text == "" or text == M.BOM
  if #lines == 1 and lines[1] == "" and not format.endofline then
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, {})
    return
  end
  local old = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  local last_old, last_new, first = #old, #lines, 1
  if M.is_blank(buf) then
    last_old = 1
  else
    while first <= last_old and first <= last_new and old[first] == lines[first] do
      first = first + 1
    end
    while last_old >= first and last_new >= first and old[last_old] == lines[last_new] do
      last_old, last_new = last_old - 1, last_new - 1
    end
  end
  if first > last_old and first > last_new then
    return
  end
  local changed = lines
  if first > 1 or last_new < #lines then
    changed = vim.list_slice(lines, first, last_new)
  end
  vim.api.nvim_buf_set_lines(buf, first - 1, last_old, false, changed)
end

return M
