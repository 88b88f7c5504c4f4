-- Brings lines of another text back into a buffer, hunk by hunk.
local endings = require("claudecode.diff.endings")
local hunks = require("claudecode.diff.hunks")
local layout = require("claudecode.diff.layout")

local M = {}

---@param found claudecode.diff.Hunk[]
---@param line_count integer
---@param first integer
---@param last integer
---@return claudecode.diff.Hunk[] hunks As `do` chooses them: what went is meant only by a line that is no change.
local function touched(found, line_count, first, last)
  local function filter(test)
    return vim.tbl_filter(test, found)
  end
  local there = filter(function(hunk)
    local top, bottom = hunks.place(hunk, line_count)
    return top <= last and bottom >= first and (hunk.to_count > 0 or first < last)
  end)
  if #there == 0 then
    there = filter(function(hunk)
      return hunk.to_count == 0 and hunks.place(hunk, line_count) == first
    end)
  end
  if #there == 0 then
    -- Lines that went below the last of these ones.
    there = filter(function(hunk)
      return hunk.to_count == 0 and hunk.to_start == last
    end)
  end
  return there
end

---@param buf integer
---@return boolean
local function is_in_diff_mode(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if vim.wo[win].diff then
      return true
    end
  end
  return false
end

---@param buf integer
---@param source claudecode.diff.Side
---@param now claudecode.diff.Side The buffer.
---@param first integer
---@param last integer
---@return claudecode.diff.Hunk[] hunks The same as `do` and `]c` go by, in diff mode.
local function find(buf, source, now, first, last)
  local count = math.max(now.count, 1)
  if not is_in_diff_mode(buf) then
    return touched(hunks.between(source, now), count, first, last)
  end
  local matched = {}
  for _, hunk in ipairs(touched(hunks.of_diff_mode(source, now), count, first, last)) do
    vim.list_extend(matched, hunks.matched(hunk, source, now))
  end
  return touched(matched, count, first, last)
end

---@param line integer 1-based
---@param start integer Lines that are replaced: from this one, 0-based,
---@param stop integer to before this one; -1 for the end.
---@param count integer Lines that come instead.
---@return integer line where its text, or what came instead of it, is now
local function moved(line, start, stop, count)
  if stop >= 0 and line > stop then
    return line + count - (stop - start)
  end
  return math.min(line, math.max(start + count, 1))
end

---Changes lines while the cursors are above them: in diff mode Neovim would compare the whole texts for each change,
---to know how many lines are between the top of the window and the cursor.
---@param buf integer
---@param run fun(change: fun(start: integer, stop: integer, lines: string[])) Changes from the end to the start.
local function with_cursors_above(buf, run)
  local views = {} ---@type table<integer, vim.fn.winsaveview.ret>
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    views[win] = layout.view(win)
    layout.set_view(win, { lnum = 1, topline = 1 })
  end
  run(function(start, stop, lines)
    vim.api.nvim_buf_set_lines(buf, start, stop, false, lines)
    for _, view in pairs(views) do
      view.lnum = moved(view.lnum, start, stop, #lines)
      -- What is above the first line of a window is not seen, but what comes above the first of all is.
      view.topline = view.topline == 1 and 1 or moved(view.topline, start, stop, #lines)
    end
  end)
  for win, view in pairs(views) do
    layout.set_view(win, view)
  end
end

---Where the two texts differ, the buffer gets the other one's lines: one step for undo.
---@param buf integer Modifiable.
---@param source claudecode.diff.Side
---@param first integer Hunks that touch these lines of the buffer.
---@param last integer
---@return integer count of hunks
function M.lines(buf, source, first, last)
  local now = hunks.of_buffer(buf)
  local found = find(buf, source, now, first, last)
  local last_hunk = found[#found]
  local is_end = last_hunk and now.count <= hunks.row(last_hunk) + last_hunk.to_count
  local endofline = vim.bo[buf].endofline
  if is_end and source.count > 0 then
    endofline = source.endofline
  end
  endings.with(buf, endofline, function()
    with_cursors_above(buf, function(change)
      for i = #found, 1, -1 do
        local hunk = found[i] --[[@as claudecode.diff.Hunk]]
        local from, row = hunk.from_start - 1, hunks.row(hunk)
        local lines = hunk.from_count > 0 and source.get(from, from + hunk.from_count) or {}
        change(row, now.count == 0 and -1 or row + hunk.to_count, lines)
      end
    end)
  end)
  return #found
end

return M
