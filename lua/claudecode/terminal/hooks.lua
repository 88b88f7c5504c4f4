-- Hooks for a CLI that is started here: a plugin directory of the CLI's, by which it tells this Neovim over their
-- connection what it is about to do. The user's own hooks and settings stay as they are.
--
-- Only for versions that are known to take them: an older CLI would greet its user with a dialog about what it does not
-- know. Which version a program has it says itself when it connects; that is kept for its next start.

local M = {}

-- The oldest CLI that was seen to deliver hooks to the connection.
local SINCE = { 2, 1, 332 }

-- The native side (src/protocol/hooks.rs) knows this tool and these names.
local HOOK = {
  type = "mcp_tool",
  server = "ide",
  tool = "nvimHook",
  timeout = 10,
  input = {
    event = "${hook_event_name}",
    session = "${session_id}",
    mode = "${permission_mode}",
    tool = "${tool_name}",
  },
}
local HOOKS = { hooks = { PreToolUse = { { matcher = "Edit|Write|NotebookEdit", hooks = { HOOK } } } } }

---@class claudecode.terminal.KnownProgram
---@field path string real path
---@field mtime integer seconds since 1970
---@field size integer bytes
---@field version? string such as "2.1.332"

---@type { program: string, has_hooks: boolean }|nil the last start
local started

---@return string directory of ours
local function state_dir()
  return vim.fn.stdpath("state") .. "/claudecode"
end

---@param dir string
---@return boolean is_there for its owner only
local function make_directory(dir)
  return (pcall(function()
    vim.fn.mkdir(dir, "p", "0o700")
  end))
end

---@param path string
---@param text string
---@return boolean is_there
local function write(path, text)
  local file = io.open(path, "rb")
  local present = file and file:read("*a")
  if file then
    file:close()
  end
  if present == text then
    return true
  end
  if not make_directory(vim.fs.dirname(path)) then
    return false
  end
  -- Another Neovim may be reading it.
  local temporary = ("%s.%d"):format(path, vim.uv.os_getpid())
  file = io.open(temporary, "wb")
  if not file then
    return false
  end
  local ok = file:write(text) ~= nil
  file:close()
  return ok and vim.uv.fs_rename(temporary, path) == true
end

---@param program string
---@return claudecode.terminal.KnownProgram|nil without its version
local function identity(program)
  local path = vim.uv.fs_realpath(vim.fn.exepath(program))
  local stat = path and vim.uv.fs_stat(path)
  if path and stat then
    return { path = path, mtime = stat.mtime.sec, size = stat.size }
  end
end

---@return claudecode.terminal.KnownProgram|nil
local function remembered()
  local file = io.open(state_dir() .. "/cli.json", "r")
  local ok, known = pcall(vim.json.decode, file and file:read("*a") or "")
  if file then
    file:close()
  end
  return ok and type(known) == "table" and known or nil
end

---@param program string
---@return boolean whether this very program was seen to be new enough
local function takes_hooks(program)
  local known, present = remembered(), identity(program)
  if not known or not present then
    return false
  end
  local version = vim.version.parse(tostring(known.version))
  local is_same = known.path == present.path and known.mtime == present.mtime and known.size == present.size
  return is_same and version ~= nil and vim.version.ge(version, SINCE)
end

---@param config claudecode.Config
---@param program string that is about to be started
---@return string[] arguments of the CLI, none if it is not known to take hooks
function M.arguments(config, program)
  started = { program = program, has_hooks = false }
  if not config.hooks or not takes_hooks(program) then
    return {}
  end
  local dir = state_dir() .. "/hooks"
  local plugin = { name = "neovim", version = "1.0.0", description = "Tells Neovim of edits." }
  local written = write(dir .. "/hooks/hooks.json", vim.json.encode(HOOKS))
    and write(dir .. "/.claude-plugin/plugin.json", vim.json.encode(plugin))
  if not written then
    require("claudecode.log").warn("hooks", "cannot write %s", dir)
    return {}
  end
  started.has_hooks = true
  return { "--plugin-dir", dir }
end

---@return boolean whether the Claude that was started last here tells of its edits
function M.are_in_use()
  return started ~= nil and started.has_hooks
end

---A client has told its process: if it is the program that was started here, its version is kept for the next start.
---@param client claudecode.Client
function M.identified(client)
  local program = started and started.program
  if not program or client.pid ~= require("claudecode.terminal").pid() then
    return
  end
  local known = identity(program)
  local before = remembered()
  if not known then
    return
  end
  known.version = client.version
  if vim.deep_equal(known, before) then
    return
  end
  if not make_directory(state_dir()) then
    return
  end
  vim.uv.fs_open(state_dir() .. "/cli.json", "w", 384, function(_, file)
    if file then
      vim.uv.fs_write(file, vim.json.encode(known), 0, function()
        vim.uv.fs_close(file)
      end)
    end
  end)
end

return M
