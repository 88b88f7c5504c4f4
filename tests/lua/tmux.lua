-- A Neovim in tmux: keys and pastes come as a terminal sends them, and the screen is one that a user would see. Its Lua
-- side is reached over a socket.
local Sandbox = require("tests.lua.sandbox")

---@class tests.Tmux
---@field sandbox tests.Sandbox
---@field socket string Of tmux.
---@field channel integer
local Tmux = {}
Tmux.__index = Tmux

---@class tests.TmuxOptions
---@field files? table<string, string> Exact bytes by relative path.
---@field args? string[] Of Neovim.
---@field init? string Lua that runs before the files are opened.
---@field env? table<string, string>
---@field size? [integer, integer] Columns and lines; 100 and 30.

---@param arguments string[]
---@param stdin? string
---@return string
function Tmux:tmux(arguments, stdin)
  local command = vim.list_extend({ "tmux", "-S", self.socket, "-f", "/dev/null" }, arguments)
  local result = vim.system(command, { stdin = stdin }):wait(20000)
  assert(result.code == 0, ("tmux %s: %s"):format(table.concat(arguments, " "), result.stderr))
  return assert(result.stdout)
end

---@param opts tests.TmuxOptions
---@return tests.Tmux
function Tmux.start(opts)
  local sandbox = Sandbox.new()
  local self = setmetatable({ sandbox = sandbox, socket = sandbox.root .. "/tmux.sock" }, Tmux)
  for path, bytes in pairs(opts.files or {}) do
    sandbox:write(path, bytes)
  end
  local init = sandbox:write(sandbox.root .. "/init.lua", opts.init or "")
  local socket = sandbox.root .. "/nvim.sock"
  local nvim = vim.fn.exepath(vim.env.NVIM_BIN or vim.v.progpath)
  local root = require("tests.lua.child").repo()
  local columns, lines = unpack(opts.size or { 100, 30 })
  local command =
    { "new-session", "-d", "-x", columns, "-y", lines, "-c", sandbox.dir, "env", "-i", "TERM=screen-256color" }
  for name, value in pairs(vim.tbl_extend("force", sandbox:environment(), opts.env or {})) do
    command[#command + 1] = name .. "=" .. value
  end
  vim.list_extend(command, { nvim, "--clean", "-n", "-i", "NONE", "--listen", socket })
  vim.list_extend(command, { "--cmd", "set runtimepath^=" .. vim.fn.escape(root, " ,\\") })
  vim.list_extend(command, { "--cmd", "luafile " .. vim.fn.fnameescape(init) })
  self:tmux(vim.list_extend(vim.tbl_map(tostring, command), opts.args or {}))
  self:tmux({ "set-option", "-g", "escape-time", "0" })
  vim.wait(5000, function()
    local ok, channel = pcall(vim.fn.sockconnect, "pipe", socket, { rpc = true })
    self.channel = ok and tonumber(channel) or 0
    return self.channel > 0
  end, 20)
  self:wait("return vim.v.vim_did_enter == 1")
  return self
end

---@param code string
---@return any
function Tmux:lua(code, ...)
  return vim.rpcrequest(self.channel, "nvim_exec_lua", code, { ... })
end

---@param code string
---@param ms? integer
---@return any value The first one that is true.
function Tmux:wait(code, ms)
  local last
  local held = vim.wait(ms or 8000, function()
    last = self:lua(code)
    return last
  end, 10)
  assert(held, ("waited for `%s`; last: %s\n%s"):format(code, vim.inspect(last), self:screen()))
  return last
end

---@param bytes string As a terminal sends them.
function Tmux:type(bytes)
  local hex = {}
  for byte in bytes:gmatch(".") do
    hex[#hex + 1] = ("%02x"):format(byte:byte())
  end
  self:tmux(vim.list_extend({ "send-keys", "-H" }, hex))
end

---@param text string Pasted as a terminal does, between its marks.
function Tmux:paste(text)
  self:tmux({ "load-buffer", "-" }, text)
  self:tmux({ "paste-buffer", "-p", "-r" })
end

---@return string lines of the screen
function Tmux:screen()
  return self:tmux({ "capture-pane", "-p" })
end

---@return string cursor "column,line", 0-based
function Tmux:cursor()
  return vim.trim(self:tmux({ "display-message", "-p", "#{cursor_x},#{cursor_y}" }))
end

---Waits until screen and cursor stay as they are.
---@return string
function Tmux:settled()
  local before
  for _ = 1, 100 do
    local now = self:screen() .. self:cursor()
    if now == before then
      return now
    end
    before = now
    vim.uv.sleep(60)
  end
  error("the screen does not settle:\n" .. before)
end

---@param columns integer
---@param lines integer
function Tmux:resize(columns, lines)
  self:tmux({ "resize-window", "-x", tostring(columns), "-y", tostring(lines) })
end

function Tmux:stop()
  pcall(vim.rpcnotify, self.channel, "nvim_command", "qa!")
  pcall(vim.fn.chanclose, self.channel)
  pcall(self.tmux, self, { "kill-server" })
  self.sandbox:remove()
end

return Tmux
