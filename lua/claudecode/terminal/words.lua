-- Command lines: split into words like a POSIX shell does, and written as one line again.

local M = {}

local SPACE, NOT_SPACE = "[ \t\r\n]", "[^ \t\r\n]"

---@param text string
---@return string text with `~` or `~/…` at its start replaced by the home directory
function M.expand_home(text)
  if text == "~" or text:sub(1, 2) == "~/" then
    return (vim.env.HOME or vim.uv.os_homedir() or "~") .. text:sub(2)
  end
  return text
end

---Value of `$NAME` or `${NAME}` at a position; a name that is not set stays as it was written.
---@param text string
---@param at integer
---@return string value
---@return integer next first byte after the variable
local function variable_at(text, at)
  local name = text:match("^%$([%a_][%w_]*)", at)
  local written = name and "$" .. name
  if not name then
    name = text:match("^%${([%a_][%w_]*)}", at)
    written = name and "${" .. name .. "}"
  end
  local value = name and vim.env[name] --[[@as string|nil]]
  if value and written then
    return value, at + #written
  end
  return "$", at + 1
end

---Reads one word.
---@param text string
---@param at integer its first byte
---@param with_variables boolean|nil
---@return string|nil word nil when a quote is not closed
---@return integer next first byte after it
local function read_word(text, at, with_variables)
  local parts, quote = {}, nil
  while at <= #text do
    local char = text:sub(at, at)
    local piece, next_at = char, at + 1
    if quote == "'" or char == quote then
      if char == quote then
        quote, piece = nil, ""
      end
    elseif not quote and (char == '"' or char == "'") then
      quote, piece = char, ""
    elseif not quote and char:find(SPACE) then
      break
    elseif char == "\\" and at < #text and (not quote or text:find('^["\\$`]', at + 1)) then
      piece, next_at = text:sub(at + 1, at + 1), at + 2
    elseif char == "$" and with_variables then
      piece, next_at = variable_at(text, at)
    end
    parts[#parts + 1] = piece
    at = next_at
  end
  return not quote and table.concat(parts) or nil, at
end

---Splits a line into words like a POSIX shell: quotes and backslashes, `~` at the start of a bare word. Nothing else
---is special, so `opus[1m]` is no glob.
---@param text string
---@param with_variables boolean|nil replace `$NAME`, except in single quotes
---@return string[]|nil words
---@return string|nil err
function M.split(text, with_variables)
  local words = {}
  local at = text:find(NOT_SPACE)
  while at do
    local word, after = read_word(text, at, with_variables)
    if not word then
      return nil, "a quote is not closed in: " .. text
    end
    words[#words + 1] = text:sub(at, at) == "~" and M.expand_home(word) or word
    at = text:find(NOT_SPACE, after)
  end
  return words
end

---One line for a shell: each word quoted where a shell would change it.
---@param words string[]
---@return string
function M.join(words)
  return table.concat(
    vim.tbl_map(function(word)
      if word:find("^[%w@%%+=:,./_-]+$") then
        return word
      end
      return "'" .. word:gsub("'", [['\'']]) .. "'"
    end, words),
    " "
  )
end

return M
