-- Directories: the top of a git work tree, and where the Claude CLI starts.

local M = {}

---The top of the git work tree that holds a directory. Worktrees and submodules count as their own.
---@param dir string|nil absolute or relative; nil is the current directory
---@return string|nil
function M.git_root(dir)
  local mark = vim.fs.find(".git", { path = dir or vim.fn.getcwd(), upward = true, limit = 1 })[1]
  return mark and vim.fs.dirname(mark) or nil
end

---@return { file: string|nil, file_dir: string|nil, cwd: string } the current file and directory, absolute
local function context()
  local file = require("claudecode.editor.buffers").path(vim.api.nvim_get_current_buf())
  return { file = file, file_dir = file and vim.fs.dirname(file), cwd = vim.fn.getcwd() }
end

---@param provider fun(context: table): string|nil
---@param ctx table
---@return string|nil
local function provided(provider, ctx)
  local ok, dir = pcall(provider, ctx)
  if not ok then
    require("claudecode.notify").once("cwd_provider", "warn", "cwd_provider failed: " .. tostring(dir))
    return nil
  end
  return type(dir) == "string" and dir ~= "" and dir or nil
end

---Where the CLI starts: cwd_provider, then cwd, then the git work tree if git_repo_cwd is set, then Neovim's directory.
---@param terminal claudecode.Config.terminal
---@return string absolute path of an existing directory
function M.for_terminal(terminal)
  local ctx = context()
  local wanted = terminal.cwd_provider and provided(terminal.cwd_provider, ctx) or terminal.cwd
  if wanted then
    local dir = require("claudecode.editor.uri").to_path(wanted)
    if vim.fn.isdirectory(dir) == 1 then
      return dir
    end
    require("claudecode.notify").once(
      "cwd " .. dir,
      "warn",
      ("the directory to start Claude in does not exist: %s. Starting in %s."):format(dir, ctx.cwd)
    )
    return ctx.cwd
  end
  return terminal.git_repo_cwd and (M.git_root(ctx.file_dir) or M.git_root(ctx.cwd)) or ctx.cwd
end

return M
