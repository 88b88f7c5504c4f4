-- Stands in for mini.files: MiniFiles.get_fs_entry(buf, line), in a floating window with a buffer whose lines can be
-- edited. Like the real one it throws for a buffer that shows no directory. Run in the Neovim under test.
local shown = {}

package.preload["mini.files"] = function()
  return {
    get_fs_entry = function(buf, line)
      assert(shown[buf], "`buf_id` should be an identifier of an opened directory buffer.")
      local text = vim.api.nvim_buf_get_lines(buf, line - 1, line, true)[1] or ""
      local id = tonumber(text:match("^/(%d+)/"))
      return id and shown[buf][id] or nil
    end,
  }
end

---@param dir string
---@param names string[]
local function open(dir, names)
  local buf = vim.api.nvim_create_buf(false, true)
  local lines = {}
  shown[buf] = {}
  for id, name in ipairs(names) do
    local stat = vim.uv.fs_stat(dir .. "/" .. name)
    shown[buf][id] = { name = name, path = dir .. "/" .. name, fs_type = stat and stat.type or "file" }
    lines[id] = ("/%d/%s"):format(id, name:gsub("\n", "?"))
  end
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.api.nvim_open_win(buf, true, { relative = "editor", row = 1, col = 1, width = 30, height = 15 })
  vim.bo.filetype = "minifiles"
end

return { open = open, shown = shown }
