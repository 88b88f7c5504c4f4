-- Tells when the text of buffers may change: not while a command that the user has begun stands on it.
--
-- `:s///c` remembers line numbers and counts while it asks, an operator waits for its motion, a range is typed already,
-- a macro plays. Insert and Visual mode without completion are rest: an edit there is an undo step of its own, and the
-- cursor and the Visual area move along with their text. To wait there would make conflicts of what is none yet.

local M = {}

---@type table<integer, fun()> by key
local waiting = {}
---@type integer?
local group

---@return boolean
function M.is_at_rest()
  local mode = vim.api.nvim_get_mode()
  local is_calm = mode.mode:find("^n[it]?[IRVT]?$") or mode.mode:find("^[iRvVsS\22\19tn]v?s?$")
  return not mode.blocking and is_calm ~= nil and vim.fn.reg_executing() == "" and vim.fn.getcmdwintype() == ""
end

local function run()
  if not group or not M.is_at_rest() then
    return
  end
  vim.api.nvim_del_augroup_by_id(group)
  group = nil
  local ready = waiting
  waiting = {}
  for _, fn in pairs(ready) do
    fn()
  end
end

---Has something run once the editor is at rest; the newest for a key.
---@param key integer
---@param fn fun() on the main loop
function M.wait(key, fn)
  waiting[key] = fn
  if group then
    return
  end
  group = vim.api.nvim_create_augroup("claudecode.editor.rest", {})
  vim.api.nvim_create_autocmd({ "SafeState", "ModeChanged", "CmdwinLeave" }, {
    group = group,
    desc = "claudecode: reload what waits for the end of a command",
    callback = function(event)
      -- SafeState comes again after each scheduled function: nothing may be scheduled there in vain.
      if event.event ~= "SafeState" or M.is_at_rest() then
        vim.schedule(run)
      end
    end,
  })
end

return M
