-- What the user can read about the present state: the statusline text and the report of :ClaudeCodeStatus.

local M = {}

---@type string what statusline() returns; made anew when something changes, never when it is read
M.text = ""

-- Behind the rest of the statusline text.
local SHARING = { on = "", off = " sharing off", excluded = " not shared" }

---@type boolean
local watching = false

---@type boolean
local is_scheduled = false

---@param module string
---@param count string name of a function of it
---@return integer count 0 if nothing has needed the module yet
local function count_of(module, count)
  local loaded = package.loaded[module]
  return loaded and loaded[count]() or 0
end

---@return string
local function summary()
  local diffs = count_of("claudecode.diff", "count")
  local waiting = count_of("claudecode.context.mentions", "waiting")
  local terminal = package.loaded["claudecode.terminal"]
  return table.concat({
    "Claude " .. vim.tbl_count(require("claudecode.bridge").clients()),
    diffs > 0 and (" ±" .. diffs) or "",
    waiting > 0 and (" @" .. waiting) or "",
    terminal and terminal.is_hidden() and " hidden" or "",
    SHARING[require("claudecode.context.sharing").state()],
  })
end

---Makes the text anew.
function M.refresh()
  local text = require("claudecode.bridge").is_running() and summary() or ""
  if text ~= M.text then
    M.text = text
    vim.cmd.redrawstatus({ bang = true })
  end
end

---Something has changed that the text tells: it is made anew soon, once for any number of changes.
function M.changed()
  if watching and not is_scheduled then
    is_scheduled = true
    vim.schedule(function()
      is_scheduled = false
      M.refresh()
    end)
  end
end

---Follows the events that change the text.
function M.watch()
  if watching then
    return
  end
  watching = true
  local bridge = require("claudecode.bridge")
  for _, kind in ipairs({ "started", "stopped", "connected", "disconnected" }) do
    bridge.on(kind, M.refresh)
  end
  require("claudecode.context.sharing").on_change(M.refresh)
  local group = vim.api.nvim_create_augroup("claudecode.status", { clear = true })
  vim.api.nvim_create_autocmd({ "BufEnter", "WinEnter", "BufFilePost", "BufWinEnter", "WinClosed" }, {
    group = group,
    desc = "claudecode: tell in the statusline whether the file is shared, and Claude hidden",
    callback = M.changed,
  })
  vim.api.nvim_create_autocmd("User", {
    group = group,
    pattern = { "ClaudeCodeDiffOpened", "ClaudeCodeDiffClosed" },
    desc = "claudecode: count the open diffs for the statusline",
    callback = M.changed,
  })
  M.refresh()
end

---@param client claudecode.Client
---@return string such as "Claude Code 2.1.332 (pid 4711)"
function M.describe_client(client)
  local name = client.name or "a client that has not introduced itself"
  local version = client.version and (" " .. client.version) or ""
  local pid = client.pid and (" (pid %d)"):format(client.pid) or ""
  local mode = client.mode and (", permission mode %s"):format(client.mode) or ""
  return name .. version .. pid .. mode
end

---@param path string
---@return string
local function short(path)
  return vim.fn.fnamemodify(path, ":~")
end

---@return string[]
local function server_lines()
  local status = require("claudecode.bridge").status()
  if not status then
    return { "server: stopped (:ClaudeCodeStart starts it)" }
  end
  local folders = vim.tbl_map(short, status.folders)
  return {
    ("server: 127.0.0.1:%d, lock %s"):format(status.port, short(status.lock_path)),
    "folders: " .. (folders[1] and table.concat(folders, ", ") or "none"),
  }
end

---@return string
local function terminal_line()
  local terminal = require("claudecode.terminal")
  local pid = terminal.pid()
  local state = pid and ("Claude runs, pid " .. pid)
    or terminal.has_process() and "Claude runs"
    or "Claude does not run here"
  local hidden = terminal.is_hidden() and ", hidden" or ""
  return ("terminal: %s%s, provider %s"):format(state, hidden, terminal.provider_name())
end

---@return string[]
local function waiting_lines()
  local waiting = count_of("claudecode.context.mentions", "waiting")
  local reason = waiting > 0 and require("claudecode.context.waiting").reason()
  return reason and { ("mentions that wait: %d, as %s"):format(waiting, reason) } or {}
end

---@return string text of several lines
function M.report()
  local lines = server_lines()
  local clients = {}
  for _, client in pairs(require("claudecode.bridge").clients()) do
    clients[#clients + 1] = client
  end
  table.sort(clients, function(a, b)
    return a.id < b.id
  end)
  if #clients == 0 then
    lines[#lines + 1] = "clients: none"
  end
  for _, client in ipairs(clients) do
    lines[#lines + 1] = ("client %d: %s"):format(client.id, M.describe_client(client))
  end
  lines[#lines + 1] = terminal_line()
  vim.list_extend(lines, waiting_lines())
  lines[#lines + 1] = require("claudecode.context.sharing").describe()
  lines[#lines + 1] = require("claudecode.review").describe()
  lines[#lines + 1] = ("open diffs: %d"):format(count_of("claudecode.diff", "count"))
  return table.concat(lines, "\n")
end

return M
