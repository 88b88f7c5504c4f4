-- What the CLI's own settings say about edits. They are the user's: read here, for the report, and never written.

local M = {}

-- Tools that an edit is asked for under; a rule may name files behind it, as in `Edit(./a.txt)`.
local EDIT_RULES = { "^Edit%f[%W]", "^Write%f[%W]", "^MultiEdit%f[%W]" }

---@param path string
---@return table|nil content of a JSON file; nil if there is none, or it cannot be read
local function json(path)
  local file = io.open(path, "r")
  local text = file and file:read("*a")
  if file then
    file:close()
  end
  local ok, content = pcall(vim.json.decode, text or "", { luanil = { object = true, array = true } })
  return ok and type(content) == "table" and content or nil
end

---@param config_dir string|nil a directory other than the CLI's usual one
---@param cwd string where the CLI starts
---@return string[] paths of settings files, the one that wins first
local function settings_files(config_dir, cwd)
  return {
    cwd .. "/.claude/settings.local.json",
    cwd .. "/.claude/settings.json",
    (config_dir or vim.fs.normalize("~/.claude")) .. "/settings.json",
  }
end

---@class claudecode.health.Settings
---@field mode string|nil permission mode that the CLI starts in
---@field mode_file string|nil which file says so
---@field allows string[] rules by which edits are written without a question, with their files
---@field diff_tool string|nil "terminal" when edits are to be shown there, never here
---@field diff_tool_file string

---@param config_dir string|nil $CLAUDE_CONFIG_DIR of the CLI
---@param cwd string where the CLI starts
---@return claudecode.health.Settings
function M.read(config_dir, cwd)
  local global = config_dir and config_dir .. "/.claude.json" or vim.fs.normalize("~/.claude.json")
  local found = { allows = {}, diff_tool_file = global, diff_tool = (json(global) or {}).diffTool }
  for _, path in ipairs(settings_files(config_dir, cwd)) do
    local permissions = (json(path) or {}).permissions
    permissions = type(permissions) == "table" and permissions or {}
    if not found.mode and type(permissions.defaultMode) == "string" then
      found.mode, found.mode_file = permissions.defaultMode, path
    end
    for _, rule in ipairs(type(permissions.allow) == "table" and permissions.allow or {}) do
      for _, pattern in ipairs(EDIT_RULES) do
        if type(rule) == "string" and rule:find(pattern) then
          found.allows[#found.allows + 1] = ("%s (%s)"):format(rule, vim.fn.fnamemodify(path, ":~"))
        end
      end
    end
  end
  return found
end

return M
