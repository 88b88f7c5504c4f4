-- The bytes of a file as the lines of its buffer, where that is plain enough to be done without Neovim's reader.

local M = {}

local BOM = "\239\187\191"

local lpeg = vim.lpeg
---@type vim.lpeg.Pattern
local VALID_UTF8 = (lpeg.R("\0\127") ^ 1 + lpeg.utfR(0x80, 0x10FFFF)) ^ 0 * -1

---@param bytes string
---@return boolean
local function is_utf8(bytes)
  return lpeg.match(VALID_UTF8, bytes) ~= nil
end

---@param bytes string
---@return "dos"|"unix"|nil format nil without a line break
local function fileformat(bytes)
  if not bytes:find("\n", 1, true) then
    return nil
  end
  local is_dos = bytes:find("\r\n", 1, true) and not bytes:find("[^\r]\n") and not bytes:find("^\n")
  return is_dos and "dos" or "unix"
end

---@class claudecode.FileText
---@field lines string[] none for an empty file
---@field has_eol boolean the last line ends with a line break

---Reads bytes as the buffer's options say.
---@param bytes string
---@param buf integer
---@return claudecode.FileText? text nil when the options do not fit these bytes, or it takes Neovim to tell
---@return "reload"|"edit"? choice then the v:fcs_choice for by_neovim(): keep the options, or detect them again
function M.decode(bytes, buf)
  local options = vim.bo[buf]
  if options.fileencoding ~= "" and options.fileencoding ~= "utf-8" then
    -- Somebody saved it as UTF-8, or it still is what it was.
    return nil, bytes:find("[\128-\255]") and is_utf8(bytes) and "edit" or "reload"
  elseif options.binary or options.fileformat == "mac" then
    return nil, "reload"
  end
  local format = fileformat(bytes)
  local has_bom = vim.startswith(bytes, BOM)
  if (format and format ~= options.fileformat) or has_bom ~= options.bomb or not is_utf8(bytes) then
    return nil, "edit"
  end
  local text = has_bom and bytes:sub(#BOM + 1) or bytes
  local lines = vim.split(text, options.fileformat == "dos" and "\r\n" or "\n", { plain = true })
  if lines[#lines] == "" then
    lines[#lines] = nil -- Behind the last line break there is no line.
  end
  return { lines = lines, has_eol = text == "" or vim.endswith(text, "\n") }
end

---How long the file would be if the buffer were written. Differs from the file's size where a plugin or an encoding
---stands between file and text.
---@param buf integer loaded
---@return integer bytes
function M.text_size(buf)
  local options, last = vim.bo[buf], vim.api.nvim_buf_line_count(buf) - 1
  local breaks = options.endofline and last + 1 or last
  -- Of the last line break it counts or leaves out what depends on 'fixendofline' and 'binary'.
  local size = vim.api.nvim_buf_get_offset(buf, last) + #vim.api.nvim_buf_get_lines(buf, last, last + 1, true)[1]
  return size + (breaks - last) + (options.fileformat == "dos" and breaks or 0) + (options.bomb and #BOM or 0)
end

---@param buf integer
---@return boolean blank no text, as in the buffer of a file that is not there yet
function M.is_blank(buf)
  return vim.api.nvim_buf_line_count(buf) == 1 and vim.api.nvim_buf_get_lines(buf, 0, 1, true)[1] == ""
end

return M
