-- The open diffs for the user: a list to choose from, the next one and the one before.
local hunks = require("claudecode.diff.hunks")
local notify = require("claudecode.notify")
local store = require("claudecode.diff.store")

local M = {}

---@param diff claudecode.diff.Diff?
local function go(diff)
  if diff and diff.view then
    diff.view:focus()
    if vim.api.nvim_get_current_buf() ~= diff.proposal then
      -- The user has another buffer in the window of the view.
      local win = vim.fn.win_findbuf(diff.proposal)[1]
      pcall(vim.api.nvim_set_current_win, win or diff.view.window)
      pcall(vim.cmd.buffer, diff.proposal)
    end
  elseif diff then
    notify.info(vim.fs.basename(diff.new_path) .. " is not on the screen yet.")
  end
end

---@param diff claudecode.diff.Diff
---@return string such as "+3 -1"
local function size(diff)
  local added, gone = 0, 0
  for _, hunk in ipairs(hunks.between(hunks.of_buffer(diff.original.buf), hunks.of_buffer(diff.proposal))) do
    added, gone = added + hunk.to_count, gone + hunk.from_count
  end
  return ("+%d -%d"):format(added, gone)
end

---@param diff claudecode.diff.Diff
---@return string
local function describe(diff)
  local words = { vim.fn.fnamemodify(diff.new_path, ":~:."), size(diff) }
  if diff.is_new then
    table.insert(words, "new file")
  end
  local client = require("claudecode.bridge").clients()[diff.client]
  table.insert(words, client and require("claudecode.status").describe_client(client))
  if diff.state == "accepted" then
    table.insert(words, "accepted, not written yet")
  end
  return table.concat(words, "  ")
end

---Has the user choose a diff, and goes there.
function M.choose()
  local diffs = store.list()
  if #diffs == 0 then
    notify.info("No diff is open.")
    return
  end
  -- Described now: one may go while the user chooses.
  local lines = {}
  for _, diff in ipairs(diffs) do
    lines[diff] = describe(diff)
  end
  local function format_item(diff)
    return lines[diff]
  end
  vim.ui.select(diffs, { prompt = "Open diffs", format_item = format_item, kind = "claudecode.diff" }, function(chosen)
    if chosen and chosen.state ~= "closed" then
      go(chosen)
    end
  end)
end

---Goes to the pending diff that came after the current one, or before it; after the last one comes the first.
---@param step 1|-1
function M.step(step)
  local buf, at = vim.api.nvim_get_current_buf(), nil
  local diffs = store.list(function(diff)
    return diff.state == "pending"
  end)
  for i, diff in ipairs(diffs) do
    at = diff.proposal == buf and i or at
  end
  if #diffs == 0 then
    notify.info("No diff is open.")
  elseif not at then
    go(diffs[step > 0 and 1 or #diffs])
  else
    go(diffs[(at + step - 1) % #diffs + 1])
  end
end

return M
