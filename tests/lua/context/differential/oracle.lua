-- What a client has to be told, from what `y` took. It asks neither the plugin nor its native module.
local M = {}

local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
local charwise = dofile(here .. "/charwise.lua")
local blockwise = dofile(here .. "/blockwise.lua")

---@class tests.Area the Visual area as the editor has it, before `y`
---@field kind "v"|"V"|"\22"
---@field first integer[] line, column, offset of the earlier end; 1, 1, 0 is the buffer's start
---@field last integer[] of the later end
---@field to_end boolean `$` was used

---@class tests.Yank
---@field lines string[]
---@field type string
---@field first integer the first line that was taken
---@field last integer

---@class tests.Expected
---@field span? [integer, integer, integer, integer]
---@field text? string
---@field problem? string the oracle contradicts itself
---@field named? string the difference that explains why this is not the text that `y` took

---@param yank tests.Yank
---@return tests.Expected
local function linewise(yank)
  local last = yank.lines[#yank.lines]
  local text = table.concat(yank.lines, "\n")
  if last ~= "" then
    return { span = { yank.first - 1, 0, yank.last - 1, #last }, text = text }
  elseif yank.last == vim.api.nvim_buf_line_count(0) then
    return { span = { yank.first - 1, 0, yank.last - 1, 1 }, text = text }
  end
  return { span = { yank.first - 1, 0, yank.last, 0 }, text = text .. "\n" }
end

M.is_left_out = charwise.is_left_out

---@param area tests.Area
---@param yank tests.Yank
---@param is_plain boolean nothing but the text takes columns in the window
---@return tests.Expected
function M.expected(area, yank, is_plain)
  if area.kind == "V" then
    return linewise(yank)
  elseif area.kind == "v" then
    return (vim.o.virtualedit:find("all") and charwise.all or charwise.plain)(area, yank)
  end
  return blockwise.expected(area, yank, is_plain)
end

return M
