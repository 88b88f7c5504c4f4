-- :ClaudeCodeAdd path [first [last]]: a path is data; only what the user's own files leave open is interpreted.

local M = {}

---@param text string
---@return string|nil text without quotes around it, or with backslashes before spaces and the like taken out
local function unquoted(text)
  local quote, inside = text:match([[^(["'])(.*)%1$]])
  if quote == "'" then
    return inside
  elseif inside then
    return (inside:gsub('\\(["\\])', "%1"))
  elseif text:find("\\", 1, true) then
    return (text:gsub("\\(.)", "%1"))
  end
end

---@param text string
---@return string|nil path of the buffer that `%` or `#` stands for, with modifiers such as `%:h` applied
---@return string|nil err
local function buffer_path(text)
  local mark, modifiers = text:match("^([%%#])(:[:%a~.]*)$")
  mark = mark or text:match("^([%%#])$")
  if not mark then
    return nil
  end
  local buf = mark == "%" and vim.api.nvim_get_current_buf() or vim.fn.bufnr("#")
  local path = buf > 0 and require("claudecode.editor.buffers").path(buf)
  if not path then
    return nil, (mark == "%" and "the current buffer" or "the alternate buffer") .. " has no file"
  end
  return vim.fn.fnamemodify(path, modifiers or "")
end

---@param text string
---@return string|nil path absolute, of something that exists; a directory ends in a slash
local function existing(text)
  if text == "" then
    return nil
  end
  local path = require("claudecode.editor.uri").to_path(text)
  local stat = vim.uv.fs_stat(path)
  if not stat then
    return nil
  end
  return stat.type == "directory" and path:gsub("/+$", "") .. "/" or path
end

---@param text string
---@return string|nil path
---@return string|nil err
local function resolve(text)
  local path = existing(text)
  if path then
    return path
  end
  local plain = unquoted(text)
  path = plain and existing(plain)
  if path then
    return path
  end
  local err
  path, err = buffer_path(text)
  return path and existing(path), err
end

---@param text string
---@return string rest
---@return string|nil number the last word, if it looks like one
local function without_number(text)
  local rest, number = text:match("^(.*%S)%s+([+-]?%d[%d.]*)$")
  return rest or text, number
end

---@class claudecode.AddRequest
---@field path string absolute; a directory ends in a slash
---@field first integer|nil 1-based
---@field last integer|nil 1-based, not before first

---@param words string[] one or two numbers, as typed
---@return integer|nil first
---@return integer|nil last
---@return string|nil err
local function lines_of(words)
  for _, word in ipairs(words) do
    if not word:find("^%d*[1-9]%d*$") then
      return nil, nil, "lines are counted from 1, in whole numbers: " .. table.concat(words, " ")
    elseif #word:match("^0*(.*)$") > 10 or tonumber(word) >= 2 ^ 31 then
      return nil, nil, "no file has a line " .. word
    end
  end
  local first, last = vim.fn.str2nr(words[1] or ""), vim.fn.str2nr(words[#words] or "")
  if last < first then
    return nil, nil, ("the last line %d is before the first line %d"):format(last, first)
  end
  return first, last
end

---Understands the argument. Numbers at its end are lines only if the path without them is the one that exists.
---@param text string
---@return claudecode.AddRequest|nil
---@return string|nil err
function M.parse(text)
  local rest, words, reason = vim.trim(text), {}, nil
  while true do
    local path, err = resolve(rest)
    reason = reason or err
    if path then
      if #words == 0 then
        return { path = path }
      elseif path:sub(-1) == "/" then
        return nil, "a directory has no lines: " .. path
      end
      local first, last, fault = lines_of(words)
      return not fault and { path = path, first = first, last = last } or nil, fault
    end
    local shorter, number = without_number(rest)
    if not number or #words == 2 then
      return nil, reason or ("there is no file or directory %q"):format(rest)
    end
    rest = shorter
    table.insert(words, 1, number)
  end
end

---@param text string argument of the command
---@return claudecode.Mention|nil
---@return string|nil err
function M.mention(text)
  local add, err = M.parse(text)
  if not add then
    return nil, "cannot add: " .. err
  end
  return {
    path = add.path,
    first = add.first and add.first - 1,
    last = add.last and add.last - 1,
    context = "ClaudeCodeAdd",
  }
end

---@param text string
---@return string text with a backslash before blanks and backslashes
local function escaped(text)
  return (text:gsub("[ \t\\]", "\\%0"))
end

---Entries of a directory whose path continues a typed one.
---@param typed string path so far, nothing escaped
---@return string[] paths in the form that was typed, a directory with a slash
local function continuations(typed)
  local dir = typed:match("^.*/") or ""
  local start = typed:sub(#dir + 1)
  local found = {}
  for name, kind in vim.fs.dir(require("claudecode.editor.uri").to_path(dir == "" and "." or dir)) do
    if vim.startswith(name, start) and (start ~= "" or name:sub(1, 1) ~= ".") then
      if kind == "link" then
        local stat = vim.uv.fs_stat(require("claudecode.editor.uri").to_path(dir .. name))
        kind = stat and stat.type or kind
      end
      found[#found + 1] = dir .. name .. (kind == "directory" and "/" or "")
    end
  end
  table.sort(found)
  return found
end

---File names. The whole argument is one path, so blanks in it are completed too, escaped, or inside quotes as typed.
---@param lead string
---@param line string
---@param position integer
---@return string[] what may stand in place of lead
function M.complete(lead, line, position)
  local typed = line:sub(1, position):match("ClaudeCodeAdd!?%s+(.*)$") or lead
  local quote = typed:match("^[\"']")
  local before = typed:sub(1, #typed - #lead)
  local plain, plain_before
  if quote then
    plain, plain_before = typed:sub(2), math.max(#before - 1, 0)
  else
    plain, plain_before = unquoted(typed) or typed, #(unquoted(before) or before)
  end
  return vim.tbl_map(function(path)
    local rest = path:sub(plain_before + 1)
    if not quote then
      return escaped(rest)
    end
    return (before == "" and quote or "") .. rest .. (path:sub(-1) == "/" and "" or quote)
  end, continuations(plain))
end

return M
