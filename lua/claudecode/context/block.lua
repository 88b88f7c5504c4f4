-- The block as it was before each key while blockwise Visual mode is on. Some keys change it without an event, such as
-- `$` on an empty row, and its marks do not tell all about it.

local selection = require("claudecode.editor.selection")

local M = {}

local api = vim.api

local namespace = api.nvim_create_namespace("claudecode.block")
local is_on = false
---@type claudecode.Snapshot?
local seen

---Visual mode has begun, changed or ended.
---@param is_block boolean
---@param before_key fun() called before each key in a block
function M.follow(is_block, before_key)
  seen = nil
  if is_on ~= is_block then
    is_on = is_block
    vim.on_key(is_block and before_key or nil, namespace)
  end
end

---Looks at the block.
function M.look()
  seen = selection.is_editor(api.nvim_get_current_win()) and selection.visual() or nil
end

---The block before the key that has ended it.
---@return claudecode.Snapshot?
function M.seen()
  return seen
end

return M
