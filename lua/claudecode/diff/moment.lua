-- Waits for a moment in which windows may change: not while the user types a command, or a text that is about to go.
local M = {}

---Is the user in the middle of a text, a selection or an operator?
---@return boolean
function M.is_busy()
  local mode = vim.api.nvim_get_mode().mode
  return mode:find("^[iRvVsS\22\19]") ~= nil or mode:find("^no") ~= nil
end

---@param is_here fun(): boolean
---@param is_patient boolean
---@return vim.api.keyset.events? event after which it may go on
---@return string? pattern
local function obstacle(is_here, is_patient)
  local mode = vim.api.nvim_get_mode().mode:sub(1, 1)
  if vim.fn.getcmdwintype() ~= "" then
    return "CmdwinLeave"
  elseif mode == "c" then
    return "CmdlineLeave"
  elseif M.is_busy() and is_here() then
    if is_patient then
      return "ModeChanged", "*:n"
    elseif mode == "i" or mode == "R" then
      vim.cmd.stopinsert()
      return "ModeChanged", "*:n"
    elseif mode ~= "n" then
      vim.cmd("normal! \27")
    end
  end
end

---Calls fn now, or as soon as the command line is left.
---@param fn fun()
---@param is_here? fun(): boolean Is the user in a window that goes? Then the mode ends first, not to go on elsewhere.
---@param is_patient? boolean The user ends that mode, which may take a while. Otherwise it is ended here.
function M.await(fn, is_here, is_patient)
  local event, pattern = obstacle(is_here or function()
    return false
  end, is_patient or false)
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
        M.await(fn, is_here, is_patient)
      end)
    end,
  })
end

return M
