-- The diffs of all clients: who may open, replace, decide and close which one.
local lifecycle = require("claudecode.diff.lifecycle")
local notify = require("claudecode.notify")
local store = require("claudecode.diff.store")
local unwritten = require("claudecode.diff.unwritten")

local M = {}

---Makes room for a diff of this name.
---@param request claudecode.diff.Request
---@return string? err
local function replace(request)
  local open = store.get(request.tab_name)
  if not open then
    return nil
  end
  if lifecycle.is_pending(open) then
    lifecycle.reject(open, "replaced")
  elseif open.client == request.client then
    lifecycle.finish(open, "accepted")
  else
    return ("the user has accepted %q for another client, which has not closed it yet"):format(request.tab_name)
  end
end

---Shows a proposal.
---@param request claudecode.diff.Request
---@return true?
---@return string? err
function M.open(request)
  local err = lifecycle.fault(request)
  if err then
    notify.warn("No diff is shown: " .. err)
    return nil, err
  end
  err = replace(request)
  if err then
    return nil, err
  end
  return lifecycle.start(request)
end

---@param diff claudecode.diff.Diff
---@param reason? claudecode.diff.Reason Of a pending one; "closed" by a client without it.
local function close(diff, reason)
  if lifecycle.is_pending(diff) then
    lifecycle.reject(diff, reason or "closed")
  else
    lifecycle.finish(diff, "accepted")
  end
end

---A client closes a diff by its name. The name is proof enough for a pending one of another client.
---@param tab_name string Exactly.
---@param client integer
---@return "closed"|"kept"|"unknown" what "kept": accepted for another client, which has yet to write it
function M.close(tab_name, client)
  local diff = store.get(tab_name)
  if not diff then
    return "unknown"
  end
  if not lifecycle.is_pending(diff) and diff.client ~= client then
    return "kept"
  end
  close(diff)
  return "closed"
end

---A client closes its diffs. Those of others stay, unless `diff_opts.close_all_scope` gives their pending ones free.
---@param client integer
---@return integer closed
function M.close_all(client)
  local is_editor_wide = require("claudecode.config").get().diff_opts.close_all_scope == "editor"
  unwritten.check(client)
  local diffs = store.list(function(diff)
    return diff.client == client or (is_editor_wide and lifecycle.is_pending(diff))
  end)
  for _, diff in ipairs(diffs) do
    close(diff)
  end
  return #diffs
end

---Nobody waits for these diffs any more: pending ones go without an answer. Accepted ones stay; a text whose view is
---closed moves into its file's buffer, since nobody else will write it.
---@param belongs fun(client: integer): boolean
---@param reason claudecode.diff.Reason
local function abandon(belongs, reason)
  for _, diff in ipairs(store.list()) do
    if belongs(diff.client) then
      if lifecycle.is_pending(diff) then
        lifecycle.finish(diff, reason)
      else
        diff.is_orphan = true
      end
    end
  end
  unwritten.park(function(entry)
    return belongs(entry.client) and not entry.is_shown
  end)
end

---A client has disconnected. One that comes back is another client.
---@param client integer
function M.client_gone(client)
  abandon(function(owner)
    return owner == client
  end, "disconnected")
end

---The server stops.
function M.stop()
  abandon(function()
    return true
  end, "stopped")
end

---The client takes its call back.
---@param tab_name string
function M.cancel(tab_name)
  local diff = store.get(tab_name)
  if diff and lifecycle.is_pending(diff) then
    lifecycle.finish(diff, "cancelled")
  end
end

---@param act fun(diff: claudecode.diff.Diff)
local function with_current(act)
  local diff, err = store.current()
  if diff then
    act(diff)
  else
    notify.warn(err --[[@as string]])
  end
end

---Accepts the diff of the current buffer, or the only one.
function M.accept_current()
  with_current(lifecycle.accept)
end

---Rejects the diff of the current buffer, or the only one.
function M.deny_current()
  with_current(function(diff)
    if lifecycle.is_pending(diff) then
      lifecycle.reject(diff, "rejected")
    else
      notify.warn("Already accepted: it cannot be taken back.")
    end
  end)
end

M.accept_current_diff = M.accept_current
M.deny_current_diff = M.deny_current

---The user closes all: rejects the pending ones; an accepted text that the disk lacks moves into its file's buffer.
function M.close_all_by_user()
  local diffs = store.list()
  local accepted = {}
  for _, diff in ipairs(diffs) do
    if diff.unwritten then
      accepted[diff.unwritten] = true
    end
    close(diff, "rejected")
  end
  local unsaved = unwritten.park(function(entry)
    return accepted[entry] ~= nil
  end, true)
  if #diffs == 0 then
    notify.info("No diff is open.")
  elseif unsaved == 0 then
    notify.info(("Closed diffs: %d."):format(#diffs))
  else
    notify.warn(("Closed diffs: %d. Accepted texts now unsaved in their buffers: %d."):format(#diffs, unsaved))
  end
end

---How many diffs wait for a decision.
---@return integer
function M.count()
  return #store.list(lifecycle.is_pending)
end

---Looks whether accepted texts are on the disk by now: for the moment when a client has just written.
---@param client integer?
function M.check_written(client)
  unwritten.check(client)
end

-- Neovim's own check for modified buffers comes next, and keeps the texts from being lost.
vim.api.nvim_create_autocmd("ExitPre", {
  group = vim.api.nvim_create_augroup("claudecode.diff", {}),
  nested = true,
  desc = "claudecode: accepted texts that are not written become unsaved changes",
  callback = function()
    unwritten.park(function()
      return true
    end)
  end,
})

return M
