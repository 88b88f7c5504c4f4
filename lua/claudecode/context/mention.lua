-- One mention, as the CLI can take it: at_mentioned inserts "@path#L2-3" into its prompt, with the path it is given.

local M = {}

---@class claudecode.Mention
---@field path string absolute
---@field first? integer 0-based line; none mentions the whole file
---@field last? integer 0-based line, included
---@field context? string who sends it, for events and the log

-- Whatever a regular expression of the CLI takes for a blank: ASCII, then the wider ones of Unicode.
local BLANKS = vim.split("\u{a0} \u{1680} \u{2028} \u{2029} \u{202f} \u{205f} \u{3000} \u{feff}", " ")
for code = 0x2000, 0x200a do
  BLANKS[#BLANKS + 1] = vim.fn.nr2char(code)
end

---@param path string
---@return boolean
local function has_blank(path)
  if path:find("%s") then
    return true
  end
  for _, blank in ipairs(BLANKS) do
    if path:find(blank, 1, true) then
      return true
    end
  end
  return false
end

---@param text string
---@return boolean
local function is_utf8(text)
  return vim.lpeg.match(vim.lpeg.utfR(0, 0x10ffff) ^ 0 * -1, text) ~= nil
end

---Why no form of mention means this path to the CLI (2.1.332: it takes `#` for a range wherever it stands, and a
---quoted path has no escape for its quote).
---@param path string
---@return string?
local function obstacle(path)
  if path:find("#", 1, true) then
    return "a # in its name"
  elseif path:find("[\r\n]") then
    return "a line break in its name"
  elseif path:find('"', 1, true) and has_blank(path) then
    return "a blank and a quote in its name"
  elseif not is_utf8(path) then
    return "a name that is not UTF-8"
  end
end

---@param number any
---@return boolean
local function is_line(number)
  return type(number) == "number" and number >= 0 and number == math.floor(number)
end

---@param mention claudecode.Mention
---@return string? err
local function range_error(mention)
  local first = mention.first
  local last = mention.last or first
  if first == nil and last == nil then
    return nil
  elseif not is_line(first) or not is_line(last) then
    return ("lines are counted from 0, in whole numbers: %s to %s"):format(tostring(first), tostring(last))
  elseif last < first then
    return ("the last line (%d) is before the first one (%d)"):format(last, first)
  end
end

---A mention with an absolute path and a complete range. A directory ends in a slash and has no lines.
---@param mention claudecode.Mention
---@return claudecode.Mention?
---@return string? err
function M.normalise(mention)
  local path = require("claudecode.editor.uri").to_path(mention.path)
  local stat = vim.uv.fs_stat(path)
  if not stat then
    return nil, ("%s is not on disk, where Claude would read it"):format(path)
  end
  local err = range_error(mention)
  if err then
    return nil, ("cannot mention %s: %s"):format(path, err)
  end
  if stat.type == "directory" then
    return { path = path:gsub("/+$", "") .. "/", context = mention.context }
  end
  return { path = path, first = mention.first, last = mention.last or mention.first, context = mention.context }
end

---The params of at_mentioned. Keys are left out rather than null: with a null the CLI drops the mention.
---@param mention claudecode.Mention normalised
---@return { filePath: string, lineStart?: integer, lineEnd?: integer }? params
---@return string? obstacle what about the path cannot be said
function M.params(mention)
  local path, first, last = mention.path, mention.first, mention.last
  local why = obstacle(path)
  if why then
    return nil, why
  end
  if not has_blank(path) then
    return { filePath = path, lineStart = first, lineEnd = last }
  end
  -- The CLI quotes nothing itself. Quotes that come with the path stay, and the range is part of the quoted text.
  local range = ""
  if first then
    range = first == last and ("#L%d"):format(first + 1) or ("#L%d-%d"):format(first + 1, last + 1)
  end
  return { filePath = ('"%s%s"'):format(path, range) }
end

return M
