-- The selection that outlives its Visual mode: it stays until the cursor really moves, or its text is no longer there.

local selection = require("claudecode.editor.selection")

local M = {}

---@type { buf: integer, tick: integer, cursor: integer[], ends_at?: integer }?
local held

---@return integer[] cursor line, column and virtual columns
local function cursor()
  return vim.list_slice(vim.fn.getpos("."), 2, 4)
end

---Visual mode has just ended in the current window. A movement is a cursor other than the one of this moment: an
---operator such as `y` has already moved it.
---@param snap claudecode.Snapshot what was selected
function M.take(snap)
  held = { buf = snap.buf, tick = snap.tick, cursor = cursor() }
end

function M.drop()
  held = nil
end

---Is the text still what it was? Writing the file also counts as a change for b:changedtick.
---@param snap claudecode.Snapshot
---@param params claudecode.Selection
---@return boolean
local function is_unchanged(snap, params)
  local tick = vim.api.nvim_buf_get_changedtick(held.buf)
  if tick == held.tick then
    return true
  end
  local ok, now = pcall(selection.params, snap, #params.text + 1)
  if not ok or now.text ~= params.text then
    return false
  end
  held.tick, snap.tick = tick, tick
  return true
end

---Does the selection stay? Once it does not, it is forgotten.
---@param buf integer the file in which the user is now
---@param snap claudecode.Snapshot the selection as it was shown
---@param params claudecode.Selection
---@return boolean
---@return integer? ends_at uv.now() until which it stays though the cursor has moved
function M.stays(buf, snap, params)
  if not held then
    return false
  end
  if buf == held.buf and vim.deep_equal(cursor(), held.cursor) then
    if is_unchanged(snap, params) then
      return true
    end
  else
    local now = vim.uv.now()
    held.ends_at = held.ends_at or now + require("claudecode.config").get().visual_demotion_delay_ms
    if now < held.ends_at then
      return true, held.ends_at
    end
  end
  held = nil
  return false
end

return M
