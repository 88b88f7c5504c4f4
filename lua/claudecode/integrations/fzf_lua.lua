-- fzf-lua: an action to bind. fzf runs in a terminal, so only fzf itself knows what is selected, and tells actions.

local M = { name = "fzf" }

---@return nil
---@return string err
function M.selected()
  return nil,
    "fzf runs in a terminal, and only tells its own actions what is selected: bind one of them, "
      .. "see :help claudecode-fzf-lua"
end

---Mentions what is selected: an action for fzf-lua, see |claudecode-fzf-lua|.
---@param selected string[] lines of fzf-lua
---@param opts? table of the picker
function M.add(selected, opts)
  local integrations = require("claudecode.integrations")
  integrations.add(integrations.ask({
    name = "fzf-lua",
    plugin = "fzf-lua.path",
    selected = function(_, _, path)
      local paths = {}
      for _, line in ipairs(selected) do
        local entry = path.entry_to_file(line, opts or {})
        paths[#paths + 1] = entry.path or entry.bufname
      end
      return paths
    end,
  }, vim.api.nvim_get_current_buf()))
end

return M
