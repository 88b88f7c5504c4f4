-- Waits for a moment in which windows may change: not while the user types a command that is meant for the present one.
local M = {}

---@return string? event after which it may go on
local function obstacle()
  if vim.fn.getcmdwintype() ~= "" then
    return "CmdwinLeave"
  end
  if vim.api.nvim_get_mode().mode:sub(1, 1) == "c" then
    return "CmdlineLeave"
  end
end

---Calls fn now, or as soon as the command line is left.
---@param fn fun()
function M.await(fn)
  local event = obstacle()
  if not event then
    fn()
    return
  end
  vim.api.nvim_create_autocmd(event, {
    once = true,
    desc = "claudecode: go on with a diff",
    callback = function()
      vim.schedule(function()
        M.await(fn)
      end)
    end,
  })
end

return M
