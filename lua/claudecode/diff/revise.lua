-- Single hunks of a proposal, before it is accepted: dropped, they become what the file has; taken, what was proposed.
local hunks = require("claudecode.diff.hunks")
local notify = require("claudecode.notify")
local restore = require("claudecode.diff.restore")
local store = require("claudecode.diff.store")

local M = {}

---@return integer first The cursor's line, or the lines of Visual mode, which ends.
---@return integer last
local function lines()
  local first, last = vim.fn.line("v"), vim.fn.line(".")
  if vim.api.nvim_get_mode().mode:find("^[vV\22]") then
    vim.cmd("normal! \27")
  end
  return math.min(first, last), math.max(first, last)
end

---@param source fun(diff: claudecode.diff.Diff): claudecode.diff.Side? None when the text is gone.
---@param nothing string What to say when no hunk is there.
local function bring_back(source, nothing)
  local buf = vim.api.nvim_get_current_buf()
  local diff = store.list(function(other)
    return other.proposal == buf
  end)[1]
  local first, last = lines()
  local side = diff and source(diff)
  if not diff then
    notify.warn("Hunks are dropped and taken in the proposal of a diff: go there first.")
  elseif diff.state ~= "pending" then
    notify.warn("Already accepted: it cannot be changed.")
  elseif not side then
    notify.warn("The file's buffer has been unloaded: its lines cannot come back.")
  elseif not vim.bo[buf].modifiable then
    notify.warn("The proposal is not modifiable: `:setlocal modifiable` first.")
  elseif restore.lines(buf, side, first, last) == 0 then
    notify.info(nothing)
  end
end

---Gives the hunk under the cursor, or those that Visual mode touches, the lines that the file has.
function M.drop()
  bring_back(function(diff)
    return vim.api.nvim_buf_is_loaded(diff.original.buf) and hunks.of_buffer(diff.original.buf) or nil
  end, "No change here to drop.")
end

---Gives it the lines that were proposed.
function M.take()
  bring_back(function(diff)
    return hunks.of_text(diff.proposed)
  end, "Nothing here that differs from the proposal.")
end

return M
