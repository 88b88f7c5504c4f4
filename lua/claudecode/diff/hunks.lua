-- Hunks: where the lines of two texts differ, and how lines of one come back into the other.
local text = require("claudecode.diff.text")

local M = {}

-- So many lines are matched with each other at most: the cost grows with their product.
local LINEMATCH = 60
-- Lines that are compared at a time.
local CHUNK = 500

---A text of which only the lines count, and whether a line break follows the last: LF after each line, no BOM.
---@alias claudecode.diff.Plain string

---Lines are 1-based. A side without lines tells the line after which the other side's ones would stand.
---@class claudecode.diff.Hunk
---@field from_start integer
---@field from_count integer
---@field to_start integer
---@field to_count integer

---@param bytes string
---@return claudecode.diff.Plain
function M.of_text(bytes)
  if not bytes:find("\r\n", 1, true) and not vim.startswith(bytes, text.BOM) then
    return bytes
  end
  local lines, format = text.split(bytes)
  return text.join(lines, { fileformat = "unix", endofline = format.endofline, bomb = false })
end

---@param buf integer
---@return claudecode.diff.Plain
function M.of_buffer(buf)
  if text.is_blank(buf) then
    return ""
  end
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  return text.join(lines, { fileformat = "unix", endofline = vim.bo[buf].endofline, bomb = false })
end

---@param from claudecode.diff.Plain
---@param to claudecode.diff.Plain
---@param offset integer? Lines before both that are the same.
---@return claudecode.diff.Hunk[]
function M.between(from, to, offset)
  local native, err = require("claudecode.native").load()
  if not native then
    error(err, 0)
  end
  offset = offset or 0
  local flat, hunks = native.hunks(from, to), {}
  for i = 1, #flat, 4 do
    hunks[#hunks + 1] = {
      from_start = flat[i] + offset,
      from_count = flat[i + 1],
      to_start = flat[i + 2] + offset,
      to_count = flat[i + 3],
    }
  end
  return hunks
end

---@param from integer Buffer.
---@param to integer Buffer.
---@return integer count of lines that both begin with
local function common_lines(from, to)
  local get_lines = vim.api.nvim_buf_get_lines
  local at, both = 0, math.min(vim.api.nvim_buf_line_count(from), vim.api.nvim_buf_line_count(to))
  while at < both do
    local from_lines, to_lines = get_lines(from, at, at + CHUNK, false), get_lines(to, at, at + CHUNK, false)
    for i, line in ipairs(from_lines) do
      if line ~= to_lines[i] then
        return at + i - 1
      end
    end
    at = at + #from_lines
  end
  return both
end

---The hunks near the first one, without a look at the rest of large texts.
---@param from integer Buffer.
---@param to integer Buffer.
---@param span integer So many lines are looked at. Towards their end the hunks may be others than those of the whole.
---@return claudecode.diff.Hunk[]
function M.near_first(from, to, span)
  local offset = common_lines(from, to)
  local function lines(buf)
    return table.concat(vim.api.nvim_buf_get_lines(buf, offset, offset + span, false), "\n") .. "\n"
  end
  return M.between(lines(from), lines(to), offset)
end

---Pairs of lines of a hunk that are versions of each other.
---@param from string[] The hunk's lines.
---@param to string[]
---@return [integer, integer][] pairs of places in both
function M.pairs(from, to)
  local found = {}
  local function add(from_start, to_start, count)
    for i = 0, count - 1 do
      found[#found + 1] = { from_start + i, to_start + i }
    end
  end
  if #from == #to then
    add(1, 1, #from)
  elseif #from > 0 and #to > 0 and #from + #to <= LINEMATCH then
    local compare = vim.text.diff or vim.diff
    local opts = { result_type = "indices", linematch = LINEMATCH }
    local blocks = compare(table.concat(from, "\n"), table.concat(to, "\n"), opts) --[[@as integer[][] ]]
    for _, block in ipairs(blocks) do
      if block[2] == block[4] then
        add(block[1], block[3], block[2])
      end
    end
  end
  return found
end

---Where a hunk is in its second text.
---@param hunk claudecode.diff.Hunk
---@param line_count integer Of that text's buffer.
---@return integer first Of lines that went, the line below them, or the last line.
---@return integer last
function M.place(hunk, line_count)
  if hunk.to_count > 0 then
    return hunk.to_start, hunk.to_start + hunk.to_count - 1
  end
  local line = math.max(1, math.min(hunk.to_start + 1, line_count))
  return line, line
end

---@param hunks claudecode.diff.Hunk[]
---@param line_count integer
---@param first integer
---@param last integer
---@return claudecode.diff.Hunk[]
local function touched(hunks, line_count, first, last)
  local found = vim.tbl_filter(function(hunk)
    local top, bottom = M.place(hunk, line_count)
    return top <= last and bottom >= first
  end, hunks)
  if #found == 0 then
    -- Lines that went below the last of these ones.
    found = vim.tbl_filter(function(hunk)
      return hunk.to_count == 0 and hunk.to_start == last
    end, hunks)
  end
  return found
end

-- Whether a line break follows the last line is no part of Neovim's undo.
---@type table<integer, table<integer, boolean>> by buffer, by number of the change
local endings = {}

---@param buf integer
---@return integer
local function change(buf)
  return vim.api.nvim_buf_call(buf, function()
    return vim.fn.undotree().seq_cur
  end)
end

---@param buf integer
---@param endofline boolean
local function set_ending(buf, endofline)
  local options_of = vim.bo[buf]
  if not endofline then
    options_of.fixendofline = false
  end
  options_of.endofline = endofline
end

---@param buf integer
---@return table<integer, boolean>
local function endings_of(buf)
  if not endings[buf] then
    endings[buf] = {}
    local group = vim.api.nvim_create_augroup("claudecode.diff.endings." .. buf, {})
    vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
      group = group,
      buffer = buf,
      desc = "claudecode: undo of a hunk at the end",
      callback = function()
        local ending = endings[buf][change(buf)]
        if ending ~= nil then
          set_ending(buf, ending)
        end
      end,
    })
    vim.api.nvim_create_autocmd("BufWipeout", {
      group = group,
      buffer = buf,
      desc = "claudecode: forget a proposal",
      callback = function()
        endings[buf] = nil
        vim.api.nvim_del_augroup_by_id(group)
      end,
    })
  end
  return endings[buf]
end

---Brings another text's lines back into a buffer, where the two differ: one step for undo.
---@param buf integer Modifiable.
---@param source claudecode.diff.Plain
---@param first integer Hunks that touch these lines of the buffer.
---@param last integer
---@return integer count of hunks
function M.restore(buf, source, first, last)
  local now = M.of_buffer(buf)
  local count = now == "" and 0 or vim.api.nvim_buf_line_count(buf)
  local hunks = touched(M.between(source, now), math.max(count, 1), first, last)
  local source_lines = vim.split(source, "\n")
  local endofline = vim.endswith(source, "\n")
  for i = #hunks, 1, -1 do
    local hunk = hunks[i]
    local lines = vim.list_slice(source_lines, hunk.from_start, hunk.from_start + hunk.from_count - 1)
    local start = hunk.to_count > 0 and hunk.to_start - 1 or hunk.to_start
    local stop = count == 0 and -1 or start + hunk.to_count
    local ends = stop == -1 or stop == count
    local ending_before, change_before = vim.bo[buf].endofline, ends and change(buf)
    vim.api.nvim_buf_set_lines(buf, start, stop, false, lines)
    if ends and source ~= "" and ending_before ~= endofline then
      local known = endings_of(buf)
      known[change_before] = ending_before
      set_ending(buf, endofline)
      known[change(buf)] = endofline
    end
  end
  return #hunks
end

return M
