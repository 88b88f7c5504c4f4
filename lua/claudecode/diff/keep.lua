-- Keeps buffers loaded while their windows show a diff, whatever 'hidden' and 'bufhidden' say.
local M = {}

---@type table<integer, { users: integer, bufhidden: ""|"hide"|"unload"|"delete"|"wipe" }>
local kept = {}

---@param buf integer
function M.hold(buf)
  kept[buf] = kept[buf] or { users = 0, bufhidden = vim.bo[buf].bufhidden }
  kept[buf].users = kept[buf].users + 1
  vim.bo[buf].bufhidden = "hide"
end

---@param buf integer
function M.release(buf)
  local entry = kept[buf]
  entry.users = entry.users - 1
  if entry.users > 0 then
    return
  end
  kept[buf] = nil
  if vim.api.nvim_buf_is_valid(buf) then
    vim.bo[buf].bufhidden = entry.bufhidden
  end
end

return M
