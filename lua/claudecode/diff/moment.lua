-- Waits for a moment in which windows may change: not while the user types a command, or a text that is about to go.
local M = {}

---@param is_here fun(): boolean
---@return vim.api.keyset.events? event after which it may go on
---@return string? pattern
local function obstacle(is_here)
  local mode = vim.api.nvim_get_mode().mode:sub(1, 1)
  if vim.fn.getcmdwintype() ~= "" then
    return "CmdwinLeave"
  elseif mode == "c" then
    return "CmdlineLeave"
  elseif (mode == "i" or mode == "R") and is_here() then
    vim.cmd.stopinsert()
    return "ModeChanged", "*:n"
  elseif mode:find("[vVsS\22\19]") and is_here() then
    vim.cmd("normal! \27")
  end
end

---Calls fn now, or as soon as the command line is left.
---@param fn fun()
---@param is_here? fun(): boolean Is the user in a window that goes? Then Insert and Visual mode end
---first: they would go on in another.
function M.await(fn, is_here)
  local event, pattern = obstacle(is_here or function()
    return false
  end)
  if not event then
    fn()
    return
  end
  vim.api.nvim_create_autocmd(event, {
    once = true,
    pattern = pattern,
    desc = "claudecode: go on with a diff",
    callback = function()
      vim.schedule(function()
        M.await(fn, is_here)
      end)
    end,
  })
end

return M
