-- netrw: its marked files, or the entries in the lines of a listing of any style.

local entries = require("claudecode.integrations.netrw_listing")

local M = { name = "netrw" }

---The path of a marked file, of which netrw has put together directory and name.
---@param path string
---@return string
local function marked_path(path)
  local dir, name = path:match("^(.*)/([^/]+)/?$")
  -- In a tree, the directory of a directory or symlink is taken to be itself: "/p/sub/sub/" for "/p/sub/".
  if dir and vim.w.netrw_liststyle == entries.TREE and vim.fs.basename(dir) == name then
    if path:sub(-1) == "/" or not vim.uv.fs_lstat(path) then
      return dir
    end
  end
  -- A character that it takes for its sign for a program or a symlink may belong to the name, and in its wide style
  -- backslashes are doubled.
  for _, spelling in ipairs({ path, (path:gsub("\\\\", "\\")) }) do
    for _, ending in ipairs({ "", "*", "@" }) do
      if vim.uv.fs_lstat(spelling .. ending) then
        return spelling .. ending
      end
    end
  end
  return path
end

---@return string[] paths marked in all of its directories
local function marked()
  local paths = vim.fn["netrw#Expose"]("netrwmarkfilelist")
  return type(paths) == "table" and vim.tbl_map(marked_path, paths) or {}
end

---@param buf integer
---@param range? claudecode.LineRange
---@return string[]? paths
---@return string? err
function M.selected(buf, range)
  local dir = vim.b[buf].netrw_curdir
  if not dir or require("claudecode.editor.uri").has_scheme(dir) then
    return nil, "netrw shows no directory of this machine here, so Claude could not read what is selected"
  end
  local paths = range and {} or marked()
  return #paths > 0 and paths or entries.paths(buf, range)
end

return M
