-- What stands in a netrw listing. netrw's own way to read a line moves the cursor, uses registers and marks, acts on
-- its banner, and fails for some names. So it is read here, and where it could mean several names, the disk decides.

local M = {}

local LONG, WIDE = 1, 2
---Style of a listing that is a tree, as w:netrw_liststyle has it.
M.TREE = 3

---@param path string
---@return boolean
local function exists(path)
  return vim.uv.fs_lstat(path) ~= nil
end

---The entry that is shown as a text: maybe with a sign for its kind, maybe with the target of a symlink.
---@param dir string
---@param shown string
---@return string? path nil for what is no entry
---@return boolean? found
local function entry(dir, shown)
  if shown:find("^%.?%.?/?$") then
    return nil
  end
  local spellings = { shown:match("^(.*)@\t %-%-> ") }
  spellings[#spellings + 1] = shown
  spellings[#spellings + 1] = shown:match("^(.+)[@*=|/]$")
  for _, name in ipairs(spellings) do
    -- The wide style doubles backslashes.
    for _, spelling in ipairs({ name, (name:gsub("\\\\", "\\")) }) do
      if exists(vim.fs.joinpath(dir, spelling)) then
        return vim.fs.joinpath(dir, spelling), true
      end
    end
  end
  return vim.fs.joinpath(dir, shown)
end

---A line "name   size time": the name is the longest beginning that is one, since names may hold blanks too.
---@param dir string
---@param text string
---@return string? path
local function long_entry(dir, text)
  local shortest = text
  for _, ending in ipairs({ "%S$", "%s$" }) do
    for at = #text - 1, 2, -1 do
      local beginning = text:sub(1, at - 1)
      if text:find("^%s%s", at) and beginning:find(ending) then
        local path, found = entry(dir, beginning)
        if found or not path then
          return path
        end
        shortest = ending == "%S$" and beginning or shortest
      end
    end
  end
  return (entry(dir, shortest))
end

---@param text string
---@param width integer of a cell, in columns of the screen
---@return string[] cells names side by side, without the blanks between them
local function cells_of(text, width)
  local cells, column = {}, 0
  for _, char in ipairs(vim.fn.split(text, "\\zs")) do
    local cell = math.floor(column / width) + 1
    cells[cell] = (cells[cell] or "") .. char
    column = column + vim.fn.strdisplaywidth(char, column)
  end
  return vim.tbl_map(function(cell)
    return (cell:gsub("%s+$", ""))
  end, cells)
end

---@param dir string
---@param text string
---@param column? integer 1-based, on the screen: only the name there
---@return string[] paths
local function wide_entries(dir, text, column)
  local width, paths = vim.b.netrw_cpf or vim.v.maxcol, {}
  for index, cell in ipairs(cells_of(text, width)) do
    if not column or index == math.ceil(column / width) then
      paths[#paths + 1] = entry(dir, cell)
    end
  end
  return paths
end

---@param text string
---@return integer depth in the tree, 0 for its top
---@return string rest
local function depth_of(text)
  local depth = 0
  while true do
    local rest = text:match("^| (.*)$") or text:match("^│ (.*)$")
    if not rest then
      return depth, text
    end
    depth, text = depth + 1, rest
  end
end

---@param lines string[] of the whole buffer
---@param line integer 1-based
---@return string? path
---@return boolean? found
local function tree_entry(lines, line)
  local depth, rest = depth_of(lines[line] or "")
  if depth == 0 then
    return rest ~= "../" and vim.w.netrw_treetop or nil, true
  end
  local deepest
  -- A name may begin like the tree's own lines: then it is less deep than it looks.
  for wanted = depth, 1, -1 do
    local above = line - 1
    while above > 1 and depth_of(lines[above] or "") ~= wanted - 1 do
      above = above - 1
    end
    local dir = tree_entry(lines, above)
    local path, found = entry(dir or "", rest)
    if found then
      return path, true
    end
    deepest, rest = deepest or path, "| " .. rest
  end
  return deepest
end

---@param lines string[]
---@param line integer 1-based
---@param column? integer 1-based, on the screen
---@return string[] paths of all that stands in a line
local function entries_in(lines, line, column)
  local style, dir, text = vim.w.netrw_liststyle, vim.b.netrw_curdir, lines[line] or ""
  if style == WIDE then
    return wide_entries(dir, text, column)
  elseif style == M.TREE then
    return { (tree_entry(lines, line)) }
  elseif style == LONG then
    return { long_entry(dir, text) }
  end
  return { (entry(dir, text)) }
end

---@param buf integer of the current window
---@param range? claudecode.LineRange
---@return string[] paths of the range's lines; without it, of the entry under the cursor
function M.paths(buf, range)
  -- A line break in a name is a NUL in the listing.
  local lines = vim.tbl_map(function(line)
    return (line:gsub("%z", "\n"))
  end, vim.api.nvim_buf_get_lines(buf, 0, -1, false))
  local cursor = vim.api.nvim_win_get_cursor(0)[1]
  local column = not range and vim.fn.virtcol(".") --[[@as integer]] or nil
  local after_banner = vim.w.netrw_bannercnt or 1
  local paths = {}
  for line = range and range.first or cursor, range and range.last or cursor do
    if line >= after_banner then
      vim.list_extend(paths, entries_in(lines, line, column))
    end
  end
  return paths
end

return M
