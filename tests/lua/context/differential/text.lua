-- Lines and characters of the buffer under test, for the oracle.
local M = {}

local fn, api = vim.fn, vim.api

---@param lnum integer
---@return string
function M.line_of(lnum)
  return api.nvim_buf_get_lines(0, lnum - 1, lnum, true)[1]
end

---What a line is shown as: characters with their columns, when nothing but the text takes columns. A composing
---character after an invalid byte is shown, and taken by a block, with the byte.
---@param line string
---@param is_bare? boolean each character by itself
---@return { byte: integer, after: integer, first: integer, last: integer }[]
function M.characters(line, is_bare)
  local found, byte, column = {}, 0, 0
  -- A NUL is shown as ^@: as wide as another control.
  local text = line:gsub("%z", "\1")
  while byte < #text do
    local after = byte + #fn.strpart(text, byte, 1, 1)
    local till = fn.strdisplaywidth(text:sub(1, after))
    local before = found[#found]
    if not is_bare and before and till == column and before.after == before.byte + 1 and text:byte(byte) >= 128 then
      before.after = after
    else
      found[#found + 1] = { byte = byte, after = after, first = column + 1, last = till }
    end
    byte, column = after, till
  end
  return found
end

---@param first integer[]
---@param last integer[]
---@return string
function M.between(first, last)
  return table.concat(api.nvim_buf_get_text(0, first[1], first[2], last[1], last[2], {}), "\n")
end

---A place in a line, from a column of getpos().
---@param pos integer[]
---@return integer byte
---@return integer length of the line
function M.place(pos)
  local length = #M.line_of(pos[1])
  return math.min(pos[2] - 1, length), length
end

return M
