-- The fewest edits that turn the lines of a buffer into others, and where a line is after them.

local M = {}

-- Changed lines that face each other are edited in place, up to so many in one hunk.
local MAX_PAIRED = 200
-- With more hunks, the lines from the first to the last of them are replaced as one: each takes some 20 µs.
local MAX_HUNKS = 1000

---@class claudecode.Hunk
---@field at integer old lines before the hunk
---@field gone integer old lines
---@field from integer new lines before the hunk
---@field come integer new lines

---@param old string[]
---@param new string[]
---@return claudecode.Hunk[] hunks from the top
function M.compare(old, new)
  local shorter, top, bottom = math.min(#old, #new), 0, 0
  while top < shorter and old[top + 1] == new[top + 1] do
    top = top + 1
  end
  while bottom < shorter - top and old[#old - bottom] == new[#new - bottom] do
    bottom = bottom + 1
  end
  local gone, come = #old - top - bottom, #new - top - bottom
  local whole = { at = top, gone = gone, from = top, come = come }
  if gone == 0 or come == 0 then
    return gone == come and {} or { whole }
  end
  -- Myers' algorithm: of 5 MB it makes 65 ms at most; histogram takes seconds when lines repeat.
  ---@diagnostic disable-next-line: deprecated -- its name before 0.12
  local diff = vim.text and vim.text.diff or vim.diff
  local indices = diff(
    table.concat(old, "\n", top + 1, top + gone) .. "\n",
    table.concat(new, "\n", top + 1, top + come) .. "\n",
    { result_type = "indices" }
  ) --[[@as integer[][] ]]
  if #indices > MAX_HUNKS then
    return { whole }
  end
  return vim.tbl_map(function(hunk)
    -- Of an empty side it names the line before.
    local at, gone_here, from, come_here = unpack(hunk)
    return {
      at = top + at - (gone_here > 0 and 1 or 0),
      gone = gone_here,
      from = top + from - (come_here > 0 and 1 or 0),
      come = come_here,
    }
  end, indices)
end

---@param byte integer?
local function is_continuation(byte)
  return byte ~= nil and byte >= 0x80 and byte < 0xC0
end

---Edits only what differs within a line: marks and extmarks beside it stay.
---@param buf integer
---@param row integer 0-based
---@param old string
---@param new string
local function edit_line(buf, row, old, new)
  local shorter, head, tail = math.min(#old, #new), 0, 0
  while head < shorter and old:byte(head + 1) == new:byte(head + 1) do
    head = head + 1
  end
  while head > 0 and (is_continuation(old:byte(head + 1)) or is_continuation(new:byte(head + 1))) do
    head = head - 1
  end
  while tail < shorter - head and old:byte(#old - tail) == new:byte(#new - tail) do
    tail = tail + 1
  end
  while tail > 0 and is_continuation(old:byte(#old - tail + 1)) do
    tail = tail - 1
  end
  vim.api.nvim_buf_set_text(buf, row, head, row, #old - tail, { new:sub(head + 1, #new - tail) })
end

---@param buf integer
---@param old string[]
---@param new string[]
---@param hunks claudecode.Hunk[]
function M.edit(buf, old, new, hunks)
  if #hunks == 0 then
    return
  elseif #new == 0 or #old == 0 then
    -- Only so does a buffer become, or cease to be, that of a file of 0 bytes.
    vim.api.nvim_buf_set_lines(buf, 0, -1, true, new)
    return
  end
  for i = #hunks, 1, -1 do
    local hunk = hunks[i]
    local paired = math.min(hunk.gone, hunk.come)
    paired = paired <= MAX_PAIRED and paired or 0
    if hunk.gone > paired or hunk.come > paired then
      local come = vim.list_slice(new, hunk.from + paired + 1, hunk.from + hunk.come)
      vim.api.nvim_buf_set_lines(buf, hunk.at + paired, hunk.at + hunk.gone, true, come)
    end
    for n = paired, 1, -1 do
      edit_line(buf, hunk.at + n - 1, old[hunk.at + n] or "", new[hunk.from + n] or "")
    end
  end
end

---@param line integer 1-based, in the old text
---@param hunks claudecode.Hunk[]
---@param count integer lines of the new text
---@return integer line 1-based, in the new text
function M.moved(line, hunks, count)
  local shift = 0
  for _, hunk in ipairs(hunks) do
    if line <= hunk.at then
      break
    elseif line <= hunk.at + hunk.gone then
      shift = hunk.from - hunk.at - math.max(0, line - hunk.at - hunk.come)
      break
    end
    shift = hunk.from + hunk.come - hunk.at - hunk.gone
  end
  return math.min(math.max(line + shift, 1), count)
end

return M
