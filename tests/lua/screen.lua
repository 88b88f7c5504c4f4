-- What a UI shows: the redraw events of an embedded Neovim (ext_linegrid) drawn into a grid of cells.
---@class tests.Screen
---@field cursor integer[] { line, column }, both 1-based
---@field width integer
---@field height integer
---@field protected rows table<integer, table<integer, string>>
---@field mode string of the last mode_change: "normal", "insert", "cmdline_normal", ...
local Screen = {}
Screen.__index = Screen

---@return tests.Screen
function Screen.new()
  return setmetatable({ rows = {}, width = 0, height = 0, cursor = { 1, 1 }, mode = "normal" }, Screen)
end

---@class tests.Screen.Draw : tests.Screen
local draw = {}

function draw:grid_resize(_, width, height)
  self.width, self.height = width, height
  for row = 1, height do
    self.rows[row] = self.rows[row] or {}
  end
end

function draw:grid_clear()
  for row = 1, self.height do
    self.rows[row] = {}
  end
end

function draw:grid_line(_, row, column, cells)
  local line = self.rows[row + 1]
  for _, cell in ipairs(cells) do
    for _ = 1, cell[3] or 1 do
      column = column + 1
      line[column] = cell[1]
    end
  end
end

function draw:grid_scroll(_, top, bottom, left, right, rows)
  local first, last, step = top + 1, bottom - rows, 1
  if rows < 0 then
    first, last, step = bottom, top + 1 - rows, -1
  end
  for row = first, last, step do
    for column = left + 1, right do
      self.rows[row][column] = self.rows[row + rows][column]
    end
  end
end

function draw:grid_cursor_goto(_, row, column)
  self.cursor = { row + 1, column + 1 }
end

function draw:mode_change(mode)
  self.mode = mode
end

--- Takes the events of one redraw notification.
---@param events table[]
function Screen:update(events)
  for _, event in ipairs(events) do
    local handler = draw[event[1]]
    for i = 2, handler and #event or 0 do
      handler(self, unpack(event[i]))
    end
  end
end

---@return string[] lines without trailing blanks
function Screen:lines()
  local lines = {}
  for row = 1, self.height do
    local cells = {}
    for column = 1, self.width do
      cells[column] = self.rows[row][column] or " "
    end
    lines[row] = table.concat(cells):gsub("%s+$", "")
  end
  return lines
end

return Screen
