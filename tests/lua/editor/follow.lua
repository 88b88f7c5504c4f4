-- A child that follows the files of its buffers, and what the specs about that ask of it.
local Child = require("tests.lua.child")

local M = {}

M.START = [[
  messages = {}
  vim.notify = function(text) table.insert(messages, text) end
  require("claudecode.editor.files").watch_start()
]]

---@param opts tests.ChildOptions
---@return tests.Child
function M.start(opts)
  opts.setup = M.START .. (opts.setup or "")
  return Child.start(opts)
end

---Numbered lines.
---@param count integer
---@param change fun(lines: string[])?
---@return string
function M.text(count, change)
  local lines = {}
  for i = 1, count do
    lines[i] = "line " .. i
  end
  if change then
    change(lines)
  end
  return table.concat(lines, "\n") .. "\n"
end

---Waits until the buffer of a file has this text.
---@param child tests.Child
---@param name string
---@param expected string
function M.buffer_is(child, name, expected)
  child:wait(([[
    local buf = require("claudecode.editor.buffers").find(%q)
    return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, true), "\n") == %q
  ]]):format(child:path(name), (expected:gsub("\n$", ""))))
end

return M
