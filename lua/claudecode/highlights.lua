-- The highlight groups of the plugin: links that a colour scheme or the user may replace.

local M = {}

---@type table<string, string>
local LINKS = {
  ClaudeCodeInlineDiffAdd = "DiffAdd",
  ClaudeCodeInlineDiffAddText = "DiffText",
  ClaudeCodeInlineDiffAddSign = "Added",
  ClaudeCodeInlineDiffDelete = "DiffDelete",
  ClaudeCodeInlineDiffDeleteText = "DiffText",
  ClaudeCodeInlineDiffDeleteSign = "Removed",
}

---Defines the groups that nobody has. Does no harm when called again.
function M.define()
  for group, link in pairs(LINKS) do
    -- Not by nvim_set_hl(): `:highlight clear`, with which colour schemes begin, forgets its links.
    vim.cmd(("highlight default link %s %s"):format(group, link))
  end
end

return M
