-- Where this editor can be found: the directory of the lock files, and the address over a restart.
local absolute = require("claudecode.native").absolute

local M = {}

-- Locks come and go in bursts; one look afterwards is enough.
local SETTLE_MS = 200

---@return string dir Of the lock files, where the CLI looks for them.
function M.lock_dir()
  local own = vim.env.CLAUDE_CONFIG_DIR
  if own and own ~= "" then
    return absolute(own) .. "/ide"
  end
  local home = vim.uv.os_homedir() or ""
  local is_place = home:find("^/") or home:find("^%a:")
  -- With an empty or relative HOME this is no absolute path, and the server says so.
  return is_place and absolute(home .. "/.claude/ide") or (home:gsub("(.)$", "%1/") .. ".claude/ide")
end

---@class claudecode.Editor another editor that a CLI could connect to
---@field pid integer
---@field name string
---@field folders string[]

---@param path string of a lock file
---@return claudecode.Editor? editor if it lives
local function editor_of(path)
  local file = io.open(path, "r")
  local ok, lock = pcall(vim.json.decode, file and file:read("*a") or "")
  if file then
    file:close()
  end
  local pid = ok and type(lock) == "table" and lock.pid --[[@as integer?]]
  if type(pid) == "number" and vim.uv.kill(pid, 0) == 0 then
    local folders = type(lock.workspaceFolders) == "table" and lock.workspaceFolders or {}
    return { pid = pid, name = tostring(lock.ideName), folders = vim.tbl_map(tostring, folders) }
  end
end

---Reads the lock files of the others.
---@return claudecode.Editor[]
function M.others()
  local own = (require("claudecode.bridge").status() or {}).lock_path
  local dir, found = M.lock_dir(), {}
  for name in vim.fs.dir(dir) do
    local path = dir .. "/" .. name
    if name:find("%.lock$") and path ~= own then
      found[#found + 1] = editor_of(path)
    end
  end
  return found
end

---The process of the terminal's side of Neovim, which stays while :restart replaces this one. If none is attached, the
---parent: from 0.12 on, the new process has another one.
---@return integer pid
local function screen_pid()
  for _, ui in ipairs(vim.api.nvim_list_uis()) do
    local pid = vim.tbl_get(vim.api.nvim_get_chan_info(ui.chan), "client", "attributes", "pid")
    if pid then
      return pid
    end
  end
  return vim.uv.os_getppid() --[[@as integer]]
end

---@return string path For port and token while Neovim's own :restart replaces this process.
function M.handover_path()
  return ("%s/claudecode-restart-%d"):format(vim.fn.stdpath("state"), screen_pid())
end

---Calls fn soon after another editor's lock came or went: it may change what ours should list.
---@param fn fun()
---@return fun() stop
function M.watch(fn)
  local watch, timer = vim.uv.new_fs_event(), vim.uv.new_timer()
  if not watch or not timer then
    return function() end
  end
  local function listen()
    watch:start(M.lock_dir(), {}, function()
      timer:start(
        SETTLE_MS,
        0,
        vim.schedule_wrap(function()
          if watch:is_closing() then
            return
          end
          fn()
          -- The directory may be another one by now.
          watch:stop()
          listen()
        end)
      )
    end)
  end
  listen()
  return function()
    watch:close()
    timer:close()
  end
end

return M
