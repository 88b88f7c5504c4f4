-- From screen columns to bytes of a line of the current window, by asking the editor where each character is shown.

local M = {}

local fn = vim.fn

---@param pos claudecode.Pos
---@return [integer, integer] columns the first and the last one, 1-based
function M.covered(pos)
  return fn.virtcol(pos, true) --[[@as [integer, integer] ]]
end

---A block is taken as if 'linebreak' were off: so are its columns asked for. The window is drawn again for it.
---@generic T
---@param action fun(): T
---@return T
function M.as_taken(action)
  if not (vim.wo.linebreak and vim.wo.wrap) then
    return action()
  end
  vim.cmd("noautocmd setlocal nolinebreak")
  local ok, result = pcall(action)
  vim.cmd("noautocmd setlocal linebreak")
  return ok and result or error(result, 0)
end

---@param lnum integer
---@param byte integer 0-based, up to the line's length
---@return integer column 1-based, the first one of the character at or around the byte
local function column_of(lnum, byte)
  return M.covered({ lnum, byte + 1, 0 })[1]
end

---The first byte that is shown right of a column. Steps from a near guess: each question costs a walk over the line.
---@param lnum integer 1-based
---@param length integer of the line, in bytes
---@param column integer 1-based
---@return integer byte the line's length when no character is right of it
function M.byte_after(lnum, length, column)
  local low, high, step = -1, length, 1
  local at = math.max(fn.virtcol2col(0, lnum, math.max(column, 1)) - 1, 0)
  while low < at and at < high do
    if column_of(lnum, at) > column then
      high, at = at, at - step
    else
      low, at = at, at + step
    end
    step = step * 2
  end
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    if column_of(lnum, middle) > column then
      high = middle
    else
      low = middle
    end
  end
  return high
end

---The first byte of what is shown at a column: a character, and others that have no columns of their own.
---@param lnum integer 1-based
---@param length integer of the line, in bytes
---@param column integer 1-based
---@return integer byte the line's length when the line is shorter
function M.byte_at(lnum, length, column)
  local after = M.byte_after(lnum, length, column)
  if after == 0 then
    return 0
  end
  local shown = column_of(lnum, after - 1)
  if after == length then
    -- Some last bytes that are no text are shown where the line ends.
    local past = column_of(lnum, length)
    if column > past or column == past and past > shown then
      return length
    end
  end
  return M.byte_after(lnum, length, shown - 1)
end

return M
