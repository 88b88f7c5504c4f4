-- Whether a line break follows the last line of a proposal is no part of Neovim's undo: it is remembered here, for what
-- is undone and redone.
local M = {}

---@class claudecode.diff.Endings
---@field known table<integer, boolean> 'endofline' by the number of the change that brought it, 0 for none.
---@field change integer The state that was seen last.
---@field now boolean 'endofline' there.

---@type table<integer, claudecode.diff.Endings> by buffer
local endings = {}

---@param buf integer
---@return vim.fn.undotree.ret
local function undo_tree(buf)
  return vim.api.nvim_buf_call(buf, function()
    return vim.fn.undotree()
  end)
end

---@param known table<integer, boolean>
---@param entries vim.fn.undotree.entry[]
---@param change integer
---@param ending boolean Before these changes.
---@return boolean? ending After that change: as the last one on the way there has left it.
local function find(known, entries, change, ending)
  for _, entry in ipairs(entries) do
    local other = entry.alt and find(known, entry.alt, change, ending)
    if other ~= nil then
      return other
    end
    if known[entry.seq] ~= nil then
      ending = known[entry.seq] --[[@as boolean]]
    end
    if entry.seq == change then
      return ending
    end
  end
end

---@param buf integer
---@param endofline boolean
local function set(buf, endofline)
  local options_of = vim.bo[buf]
  if not endofline then
    options_of.fixendofline = false
  end
  options_of.endofline = endofline
end

---The text has changed, perhaps by undo.
---@param buf integer
local function follow_undo(buf)
  local state, tree = endings[buf], undo_tree(buf)
  local known = state.known
  if vim.bo[buf].endofline ~= state.now then
    known[state.change] = vim.bo[buf].endofline -- the user has set it
  end
  local ending = known[0] --[[@as boolean?]]
  if tree.seq_cur > 0 then
    ending = find(known, tree.entries, tree.seq_cur, known[0])
  end
  if ending ~= nil then
    set(buf, ending)
  end
  state.change, state.now = tree.seq_cur, vim.bo[buf].endofline
end

---@param buf integer
---@return claudecode.diff.Endings
local function begin(buf)
  local now = vim.bo[buf].endofline
  endings[buf] = { known = { [0] = now }, change = 0, now = now }
  return endings[buf]
end

---@param buf integer
---@return claudecode.diff.Endings
local function of(buf)
  if endings[buf] then
    return endings[buf]
  end
  for other in pairs(endings) do
    if not vim.api.nvim_buf_is_valid(other) then
      endings[other] = nil
    end
  end
  local state = begin(buf)
  local group = vim.api.nvim_create_augroup("claudecode.diff.endings", { clear = false })
  local function on(events, desc, callback)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = buf, desc = desc, callback = callback })
  end
  on({ "TextChanged", "TextChangedI" }, "claudecode: undo of a hunk at the end", function()
    follow_undo(buf)
  end)
  on("BufReadCmd", "claudecode: `:edit!` begins anew", function()
    begin(buf)
  end)
  return state
end

---Gives the last line its line break, or takes it away, as a part of the change that comes next.
---@param buf integer
---@param endofline boolean
---@param change fun()
function M.with(buf, endofline, change)
  local state = vim.bo[buf].endofline ~= endofline and of(buf)
  change()
  if state then
    set(buf, endofline)
    state.change, state.now = undo_tree(buf).seq_cur, endofline
    state.known[state.change] = endofline
  end
end

return M
