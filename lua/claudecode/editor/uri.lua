-- Between the names that clients send and absolute paths. A path is data: nothing in it is expanded or matched.

local M = {}

-- PATH_MAX of the systems we run on. What is longer names no file, and is not worth taking apart.
local LONGEST_BYTES = 4096

local is_windows = vim.fn.has("win32") == 1

---@param text string
---@return string
local function percent_decode(text)
  return (
    text:gsub("%%(%x%x)", function(hex)
      return string.char(tonumber(hex, 16) --[[@as integer]])
    end)
  )
end

---Takes out "//", "/." and "/.." by their spelling alone; symlinks are not looked at.
---@param path string absolute
---@return string
local function without_dots(path)
  local root, rest = path:match("^(%a:)(/.*)$")
  local parts = {}
  for part in (rest or path):gmatch("[^/]+") do
    if part == ".." then
      parts[#parts] = nil
    elseif part ~= "." then
      parts[#parts + 1] = part
    end
  end
  return (root or "") .. "/" .. table.concat(parts, "/")
end

---Could a file have this path? Longer paths and those with a NUL are cut short by the system, and would name another.
---@param path string
---@return boolean
function M.is_path(path)
  return path ~= "" and #path <= LONGEST_BYTES and not path:find("\0", 1, true)
end

---A path for a message: too long ones are cut.
---@param path string
---@return string
function M.shown(path)
  if #path <= LONGEST_BYTES then
    return path
  end
  return ("%s… (%d bytes)"):format(path:sub(1, 64), #path)
end

---The absolute path that a client means. `~` at the start is the home, relative paths start at the working directory;
---`$`, `*`, `[`, `%` and the like are ordinary characters, except that a `file:` URI is percent-decoded.
---@param uri_or_path string
---@return string path as it came when it cannot be one (see is_path), or is a URI of another scheme
function M.to_path(uri_or_path)
  if not M.is_path(uri_or_path) then
    return uri_or_path
  end
  local path = uri_or_path
  if path:find("^[fF][iI][lL][eE]://") then
    path = percent_decode((path:gsub("^%a+://[^/]*", "", 1)))
    if is_windows then
      path = path:gsub("^/(%a:)", "%1", 1)
    end
  elseif M.has_scheme(path) then
    return path
  end
  if is_windows then
    path = path:gsub("\\", "/")
  end
  if path == "~" or vim.startswith(path, "~/") then
    path = (vim.uv.os_homedir() or "") .. path:sub(2)
  end
  if not path:find("^/") and not (is_windows and path:find("^%a:/")) then
    path = (vim.uv.cwd() or "") .. "/" .. path
  end
  return without_dots(path)
end

---@param path string absolute
---@return string uri percent-encoded
function M.from_path(path)
  return vim.uri_from_fname(path)
end

---Is this a name like "term://…" or "oil://…", which no file has?
---@param name string
---@return boolean
function M.has_scheme(name)
  return name:find("^%a[%w+.-]*://") ~= nil
end

return M
