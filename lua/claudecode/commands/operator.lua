-- The operator that mentions the lines of a motion or text object. It leaves cursor, view and marks as they were.

local M = {}

local api = vim.api

---@type { win: integer, view: table, marks: table<string, [integer, integer]> }? before the operator moves the cursor
local place

local function remember()
  local marks = {}
  for _, name in ipairs({ "[", "]" }) do
    marks[name] = api.nvim_buf_get_mark(0, name)
  end
  place = { win = api.nvim_get_current_win(), view = vim.fn.winsaveview(), marks = marks }
end

local function restore()
  if not place or place.win ~= api.nvim_get_current_win() then
    return
  end
  for name, position in pairs(place.marks) do
    api.nvim_buf_set_mark(0, name, position[1], position[2], {})
  end
  vim.fn.winrestview(place.view)
end

---Begins the operator; for an <expr> mapping.
---@return string keys
function M.start()
  vim.o.operatorfunc = "v:lua.require'claudecode.commands.operator'.run"
  -- When `.` repeats it, no mapping is run: only the mode tells that the cursor is about to move.
  api.nvim_create_autocmd("ModeChanged", {
    group = api.nvim_create_augroup("claudecode.operator", { clear = true }),
    pattern = { "n:no*", "n:[vV\22]*" },
    desc = "claudecode: remember the cursor for the operator",
    callback = remember,
  })
  remember()
  return "g@"
end

---'operatorfunc': mentions the lines from '[ to '].
function M.run()
  local first, last = vim.fn.line("'["), vim.fn.line("']")
  restore()
  vim.cmd.ClaudeCodeSend({ range = { first, last } })
end

return M
