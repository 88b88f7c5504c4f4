-- Temporary directories in which a Neovim under test finds its home, its project and nothing of ours.
local uv = vim.uv

---@class tests.Sandbox
---@field root string temporary directory that holds everything; removed by remove()
---@field home string $HOME
---@field dir string the project: the working directory
---@field config_dir string $CLAUDE_CONFIG_DIR; lock files are in its folder "ide"
local Sandbox = {}
Sandbox.__index = Sandbox

local PASSED_THROUGH = { "PATH", "LANG", "LC_ALL", "TMPDIR", "USER", "LD_LIBRARY_PATH", "CLAUDECODE_NATIVE" }

---@param path string
---@param text string
local function write_file(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

---@return tests.Sandbox
function Sandbox.new()
  local base = assert(uv.fs_realpath(vim.env.TMPDIR or "/tmp"))
  local root = assert(uv.fs_mkdtemp(base .. "/claudecode-test-XXXXXX"))
  local self = setmetatable({
    root = root,
    home = root .. "/home",
    dir = root .. "/project",
    config_dir = root .. "/home/claude-config",
  }, Sandbox)
  for _, dir in ipairs({ self.home, self.dir, self.config_dir, root .. "/run" }) do
    vim.fn.mkdir(dir, "p", "0700")
  end
  return self
end

--- A clean environment that leads every program to the sandbox.
---@param extra table<string, string|false>? added; false removes a variable
---@return table<string, string>
function Sandbox:environment(extra)
  local env = {
    HOME = self.home,
    CLAUDE_CONFIG_DIR = self.config_dir,
    TERM = "xterm-256color",
    SHELL = "/bin/sh",
  }
  for _, name in ipairs({ "CONFIG", "DATA", "STATE", "CACHE" }) do
    env["XDG_" .. name .. "_HOME"] = self.home .. "/." .. name:lower()
  end
  env.XDG_RUNTIME_DIR = self.root .. "/run"
  for _, name in ipairs(PASSED_THROUGH) do
    env[name] = vim.env[name]
  end
  for name, value in pairs(extra or {}) do
    env[name] = value or nil
  end
  return env
end

---@param rel string path in the project, or absolute
---@return string absolute path
function Sandbox:path(rel)
  return vim.startswith(rel, "/") and rel or (self.dir .. "/" .. rel)
end

--- Writes a file of the project, parent folders included.
---@param rel string
---@param text string exact bytes
---@return string absolute path
function Sandbox:write(rel, text)
  write_file(self:path(rel), text)
  return self:path(rel)
end

---@param rel string
---@return string? bytes nil when there is no such file
function Sandbox:read(rel)
  local file = io.open(self:path(rel), "rb")
  if not file then
    return nil
  end
  local text = file:read("*a")
  file:close()
  return text
end

--- The lock files of the child's server(s), decoded, waiting for at least one.
---@param timeout_ms integer? default 5000; 0 does not wait
---@return table[] each with the file's fields, `path` and `port`
function Sandbox:locks(timeout_ms)
  local locks = {} ---@type table[]
  local function read()
    locks = {}
    for _, path in ipairs(vim.fn.globpath(self.config_dir .. "/ide", "*.lock", true, true)) do
      local ok, lock = pcall(vim.json.decode, self:read(path) or "")
      if ok then
        lock.path, lock.port = path, tonumber(vim.fs.basename(path):match("^(%d+)%.lock$"))
        table.insert(locks, lock)
      end
    end
    return #locks > 0
  end
  if not read() and timeout_ms ~= 0 then
    vim.wait(timeout_ms or 5000, read, 5)
  end
  return locks
end

function Sandbox:remove()
  vim.fn.delete(self.root, "rf")
end

return Sandbox
