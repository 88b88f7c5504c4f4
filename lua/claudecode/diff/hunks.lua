-- Hunks: where the lines of two texts differ, and how lines of one come back into the other.
local text = require("claudecode.diff.text")

local M = {}

---@class claudecode.diff.Lines A text by lines. How its lines end is not compared, but for the last one.
---@field lines string[] None for an empty text.
---@field endofline boolean A line break follows the last one.

---Lines are 1-based. A side without lines tells the line after which the other side's ones would stand.
---@class claudecode.diff.Hunk
---@field from_start integer
---@field from_count integer
---@field to_start integer
---@field to_count integer

local compare = vim.text and vim.text.diff or vim.diff

---@param bytes string
---@return claudecode.diff.Lines
function M.of_text(bytes)
  local lines, format = text.split(bytes)
  if #lines == 1 and lines[1] == "" and not format.endofline then
    lines = {}
  end
  return { lines = lines, endofline = format.endofline }
end

---@param buf integer
---@return claudecode.diff.Lines
function M.of_buffer(buf)
  if text.is_blank(buf) then
    return { lines = {}, endofline = false }
  end
  return { lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false), endofline = vim.bo[buf].endofline }
end

---@param side claudecode.diff.Lines
---@return string
local function join(side)
  if #side.lines == 0 then
    return ""
  end
  return table.concat(side.lines, "\n") .. (side.endofline and "\n" or "")
end

---@return table options of 'diffopt' that say which hunks there are
local function options()
  local algorithm = vim.o.diffopt:match("algorithm:(%w+)")
  local has_heuristic = vim.o.diffopt:find("indent-heuristic", 1, true) ~= nil
  return { result_type = "indices", algorithm = algorithm, indent_heuristic = has_heuristic }
end

---@param from claudecode.diff.Lines
---@param to claudecode.diff.Lines
---@return claudecode.diff.Hunk[]
function M.between(from, to)
  local found = compare(join(from), join(to), options()) --[[@as integer[][] ]]
  return vim.tbl_map(function(at)
    return { from_start = at[1], from_count = at[2], to_start = at[3], to_count = at[4] }
  end, found)
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
  elseif #from > 0 and #to > 0 and #from + #to <= 60 then
    local opts = { result_type = "indices", linematch = 60 }
    for _, at in
      ipairs(compare(table.concat(from, "\n"), table.concat(to, "\n"), opts) --[[@as integer[][] ]])
    do
      if at[2] == at[4] then
        add(at[1], at[3], at[2])
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
---@param source claudecode.diff.Lines
---@param first integer Hunks that touch these lines of the buffer.
---@param last integer
---@return integer count of hunks
function M.restore(buf, source, first, last)
  local now = M.of_buffer(buf)
  local hunks = touched(M.between(source, now), math.max(#now.lines, 1), first, last)
  for i = #hunks, 1, -1 do
    local hunk = hunks[i]
    local lines = vim.list_slice(source.lines, hunk.from_start, hunk.from_start + hunk.from_count - 1)
    local start = hunk.to_count > 0 and hunk.to_start - 1 or hunk.to_start
    local stop = #now.lines == 0 and -1 or start + hunk.to_count
    local ends = stop == -1 or stop == #now.lines
    local ending_before, change_before = vim.bo[buf].endofline, ends and change(buf)
    vim.api.nvim_buf_set_lines(buf, start, stop, false, lines)
    if ends and #source.lines > 0 and ending_before ~= source.endofline then
      local known = endings_of(buf)
      known[change_before] = ending_before
      set_ending(buf, source.endofline)
      known[change(buf)] = source.endofline
    end
  end
  return #hunks
end

return M
