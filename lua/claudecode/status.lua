-- What the user can read about the present state: the statusline text and the report of :ClaudeCodeStatus.

local M = {}

---@type string what statusline() returns; made anew when something changes, never when it is read
M.text = ""

-- Behind the rest of the statusline text.
local SHARING = { on = "", off = " sharing off", excluded = " not shared" }

---@type boolean
local watching = false

---Makes the text anew, when something has changed that no event tells.
function M.refresh()
  local bridge = require("claudecode.bridge")
  local text = ""
  if bridge.is_running() then
    local clients = vim.tbl_count(bridge.clients())
    local diff = package.loaded["claudecode.diff"]
    local diffs = diff and diff.count() or 0
    text = "Claude " .. clients .. (diffs > 0 and (" ±" .. diffs) or "")
    text = text .. SHARING[require("claudecode.context.sharing").state()]
  end
  if text ~= M.text then
    M.text = text
    vim.cmd.redrawstatus({ bang = true })
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
  vim.api.nvim_create_autocmd({ "BufEnter", "WinEnter", "BufFilePost" }, {
    group = group,
    desc = "claudecode: tell in the statusline whether the file is shared",
    callback = vim.schedule_wrap(M.refresh),
  })
  vim.api.nvim_create_autocmd("User", {
    group = group,
    pattern = { "ClaudeCodeDiffOpened", "ClaudeCodeDiffClosed" },
    desc = "claudecode: count the open diffs for the statusline",
    callback = function()
      vim.schedule(M.refresh)
    end,
  })
end

---@param client claudecode.Client
---@return string such as "Claude Code 2.1.332 (pid 4711)"
function M.describe_client(client)
  local name = client.name or "a client that has not introduced itself"
  local version = client.version and (" " .. client.version) or ""
  local pid = client.pid and (" (pid %d)"):format(client.pid) or ""
  return name .. version .. pid
end

---@return string
local function server_line()
  local bridge = require("claudecode.bridge")
  local info = bridge.is_running() and bridge.info()
  if not info then
    return "server: stopped (:ClaudeCodeStart starts it)"
  end
  return ("server: 127.0.0.1:%d, lock %s"):format(info.port, vim.fn.fnamemodify(info.lock_path, ":~"))
end

---@return string
local function terminal_line()
  local terminal = require("claudecode.terminal")
  local pid = terminal.pid()
  local state = pid and ("Claude runs, pid " .. pid)
    or terminal.has_process() and "Claude runs"
    or "Claude does not run here"
  return ("terminal: %s, provider %s"):format(state, terminal.provider_name())
end

---@return string text of several lines
function M.report()
  local lines = { server_line() }
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
  lines[#lines + 1] = require("claudecode.context.sharing").describe()
  local diff = package.loaded["claudecode.diff"]
  lines[#lines + 1] = ("open diffs: %d"):format(diff and diff.count() or 0)
  return table.concat(lines, "\n")
end

return M
