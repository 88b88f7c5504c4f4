-- Globs of files that are not shared. vim.glob.to_lpeg() is not used: in Neovim 0.10 ".env*" does not match ".env".

local M = {}

---@class claudecode.Glob
---@field text string as the user wrote it
---@field regex vim.regex
---@field is_whole boolean whether it is matched with the whole path, not only with the file's name

-- What stands for each sign, in Vim's "very nomagic" patterns.
local SIGNS = { ["?"] = "\\[^/]", ["\\"] = "\\\\" }

---The pattern of a set such as [a-z] or [!0-9] at a place of a glob, and the place behind it.
---@param glob string
---@param at integer
---@return string? pattern nil when no set stands there
---@return integer? after
local function set_at(glob, at)
  local negation, inside, after = glob:match("^%[([!^]?)(%]?[^%]/]+)%]()", at)
  if not inside then
    return nil
  end
  local pattern = "\\[" .. (negation ~= "" and "^" or "") .. inside:gsub("\\", "\\\\"):gsub("^%^", "\\^") .. "]"
  -- A range may be the wrong way round.
  if pcall(vim.regex, "\\V" .. pattern) then
    return pattern, after --[[@as integer]]
  end
end

---@param glob string with `*`, `**`, `?`, sets and {a,b}; signs that are not closed stand for themselves
---@return string pattern of Vim, for text in lower case or not
local function pattern_of(glob)
  local parts, at, depth = {}, 1, 0
  while at <= #glob do
    local sign, part, after = glob:sub(at, at), nil, nil
    if sign == "*" then
      after = select(2, glob:find("^%*+", at)) + 1
      if after - at == 1 then
        part = "\\[^/]\\*"
      elseif glob:sub(after, after) == "/" then
        part, after = "\\%(\\.\\*/\\)\\?", after + 1
      else
        part = "\\.\\*"
      end
    elseif sign == "[" then
      part, after = set_at(glob, at)
    elseif sign == "{" and glob:find("}", at, true) then
      part, depth = "\\%(", depth + 1
    elseif sign == "}" and depth > 0 then
      part, depth = "\\)", depth - 1
    elseif sign == "," and depth > 0 then
      part = "\\|"
    end
    parts[#parts + 1] = part or SIGNS[sign] or sign
    at = after or at + 1
  end
  return "\\c\\V\\^" .. table.concat(parts) .. ("\\)"):rep(depth) .. "\\$"
end

---A glob without a slash is matched with names of files. One with a slash is matched with whole paths, at any depth
---unless it starts with `/` or `~/`; a slash at its end means all that is in that directory. Case is ignored: what is
---too much is better than what is too little.
---@param text string
---@return claudecode.Glob
function M.compile(text)
  local glob, is_whole = text, text:find("/", 1, true) ~= nil
  if is_whole then
    glob = (vim.startswith(glob, "~/") and vim.uv.os_homedir() .. glob:sub(2) or glob):gsub("/$", "/**")
    glob = glob:find("^/") and glob or glob:find("^%a:/") and glob or "**/" .. glob
  end
  return { text = text, regex = vim.regex(pattern_of(glob)), is_whole = is_whole }
end

---@param globs claudecode.Glob[]
---@param path string absolute
---@return string? glob the first one that matches, as it was written
function M.find(globs, path)
  local name = path:match("[^/]*$") --[[@as string]]
  for _, glob in ipairs(globs) do
    if glob.regex:match_str(glob.is_whole and path or name) then
      return glob.text
    end
  end
end

return M
