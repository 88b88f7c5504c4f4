-- The registry: every open diff, by the name that its client gave it.
local M = {}

---@type table<string, claudecode.diff.Diff>
local diffs = {}

---@param diff claudecode.diff.Diff
function M.add(diff)
  diffs[diff.tab_name] = diff
end

---@param diff claudecode.diff.Diff
function M.remove(diff)
  if diffs[diff.tab_name] == diff then
    diffs[diff.tab_name] = nil
  end
end

---@param tab_name string Exactly.
---@return claudecode.diff.Diff?
function M.get(tab_name)
  return diffs[tab_name]
end

---The diffs for which a condition holds, oldest first.
---@param holds? fun(diff: claudecode.diff.Diff): boolean All of them without one.
---@return claudecode.diff.Diff[]
function M.list(holds)
  local list = vim.tbl_filter(holds or function()
    return true
  end, vim.tbl_values(diffs))
  table.sort(list, function(a, b)
    return a.number < b.number
  end)
  return list
end

---The diff that a command means: of the current buffer or window, else the only pending one.
---@return claudecode.diff.Diff?
---@return string? err For the user.
function M.current()
  local buf, win = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  local pending = M.list(function(diff)
    return diff.state == "pending"
  end)
  for _, diff in ipairs(M.list()) do
    if diff.proposal == buf then
      return diff
    end
  end
  for _, diff in ipairs(pending) do
    if diff.view and diff.view.target_window == win then
      return diff
    end
  end
  if #pending == 1 then
    return pending[1]
  end
  if #pending == 0 then
    return nil, "No diff is open."
  end
  return nil, ("%d diffs are open: go to one and repeat the command."):format(#pending)
end

return M
