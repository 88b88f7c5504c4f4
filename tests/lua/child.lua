-- A real Neovim under test: started with --embed, driven over RPC, alone in temporary directories.
local uv = vim.uv
local Rpc = require("tests.lua.rpc")
local Screen = require("tests.lua.screen")

---@class tests.Child
---@field rpc tests.Rpc
---@field ui tests.Screen? only with opts.ui
---@field pid integer process id of the Neovim under test
---@field root string temporary directory that holds everything of this child; removed by stop()
---@field home string $HOME of the child
---@field dir string the project: working directory of the child
---@field config_dir string $CLAUDE_CONFIG_DIR of the child; lock files are in its folder "ide"
local Child = {}
Child.__index = Child

---@class tests.ChildOptions
---@field args? string[] command-line arguments, for example files to open (relative to the project)
---@field files? table<string, string> files to write into the project first: relative path -> exact bytes
---@field init? string Lua code run before any plugin is sourced
---@field setup? string Lua code run after start-up
---@field env? table<string, string|false> added to the clean environment; false removes a variable
---@field ui? integer[] { columns, lines }: attach a UI of this size instead of running headless
---@field plugin? boolean false leaves the plugin off 'runtimepath'; default true
---@field nvim? string Neovim binary; default $NVIM_BIN, else the one that runs the tests
---@field timeout_ms? integer longest wait for one answer before the child is killed; default 20000

local REPO = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(uv.fs_realpath(debug.getinfo(1, "S").source:sub(2)))))
local PASSED_THROUGH = { "PATH", "LANG", "LC_ALL", "TMPDIR", "USER", "LD_LIBRARY_PATH" }

---@type table<tests.Child, true>
local alive = {}

--- The repository that the tests belong to.
---@return string absolute path
function Child.repo()
  return REPO
end

---@param path string
---@param text string
local function write_file(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

---@param child tests.Child
---@param extra table<string, string|false>?
---@return table<string, string>
local function environment(child, extra)
  local env = {
    HOME = child.home,
    CLAUDE_CONFIG_DIR = child.config_dir,
    TERM = "xterm-256color",
    SHELL = "/bin/sh",
    CLAUDECODE_NATIVE = vim.env.CLAUDECODE_NATIVE,
  }
  for _, name in ipairs({ "CONFIG", "DATA", "STATE", "CACHE" }) do
    env["XDG_" .. name .. "_HOME"] = child.home .. "/." .. name:lower()
  end
  env.XDG_RUNTIME_DIR = child.root .. "/run"
  for _, name in ipairs(PASSED_THROUGH) do
    env[name] = vim.env[name]
  end
  for name, value in pairs(extra or {}) do
    env[name] = value or nil
  end
  return env
end

---@param child tests.Child
---@param opts tests.ChildOptions
---@return string[]
local function command(child, opts)
  local argv = { opts.nvim or vim.env.NVIM_BIN or vim.v.progpath, "--clean", "-n", "-i", "NONE", "--embed" }
  if not opts.ui then
    table.insert(argv, "--headless")
  end
  vim.list_extend(argv, { "--cmd", "set noswapfile shada= nomore" })
  if opts.plugin ~= false then
    vim.list_extend(argv, { "--cmd", "set runtimepath^=" .. vim.fn.escape(REPO, " ,\\") })
  end
  if opts.init then
    local path = child.root .. "/init.lua"
    write_file(path, opts.init)
    vim.list_extend(argv, { "--cmd", "luafile " .. vim.fn.fnameescape(path) })
  end
  return vim.list_extend(argv, opts.args or {})
end

--- Starts a Neovim and waits until it has sourced everything.
---@param opts tests.ChildOptions?
---@return tests.Child
function Child.start(opts)
  opts = opts or {}
  local base = assert(uv.fs_realpath(vim.env.TMPDIR or "/tmp"))
  local root = assert(uv.fs_mkdtemp(base .. "/claudecode-test-XXXXXX"))
  local child = setmetatable({
    root = root,
    home = root .. "/home",
    dir = root .. "/project",
    config_dir = root .. "/home/claude-config",
    timeout_ms = opts.timeout_ms or 20000,
  }, Child)
  for _, dir in ipairs({ child.home, child.dir, child.config_dir, root .. "/run" }) do
    vim.fn.mkdir(dir, "p", "0700")
  end
  for rel, text in pairs(opts.files or {}) do
    child:write(rel, text)
  end

  child.rpc = Rpc.spawn(command(child, opts), { cwd = child.dir, env = environment(child, opts.env) })
  child.pid = child.rpc.pid
  alive[child] = true

  if opts.ui then
    child.ui = Screen.new()
    child.rpc.on_redraw = function(events)
      child.ui:update(events)
    end
    child:api("nvim_ui_attach", opts.ui[1], opts.ui[2], { ext_linegrid = true, rgb = true })
  end
  child:wait("return vim.v.vim_did_enter == 1")
  if opts.setup then
    child:lua(opts.setup)
  end
  return child
end

--- Calls an API function of the child. An error there is an error here; so is a child that is dead or does
--- not answer in time.
---@param name string for example "nvim_buf_line_count"
---@return any result nil for a null
function Child:api(name, ...)
  local result, err = self.rpc:request(name, { ... }, self.timeout_ms)
  if err then
    error(err, 0)
  end
  return result
end

--- Runs Lua code in the child; `...` in the code are the further arguments.
---@param code string
---@return any what the code returns: one value, without functions
function Child:lua(code, ...)
  return self:api("nvim_exec_lua", code, { ... })
end

--- Types keys as a person would, then lets the child process them. `<` is written `<lt>`.
---@param keys string for example "ggVj<Esc>"
function Child:keys(keys)
  self:input(keys)
  self:api("nvim_get_mode")
  if not self:blocked() then
    self:api("nvim_eval", "1") -- answered only after the typed keys were taken
  end
end

--- Types keys and returns at once; for keys that leave the child waiting for more (`r`, `"`, hit-enter).
---@param keys string
function Child:input(keys)
  self:api("nvim_input", keys)
end

--- Executes keys to the end before it returns (feedkeys with "x"): leaves Insert mode afterwards.
---@param keys string
function Child:feed(keys)
  self:lua("vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(..., true, false, true), 'mtx', false)", keys)
end

--- Is the child waiting for input in a state where it answers no request?
---@return boolean
function Child:blocked()
  return self:api("nvim_get_mode").blocking
end

--- Waits until Lua code returns something truthy, and returns that.
---@param code string
---@param timeout_ms integer? default 5000
---@return any
function Child:wait(code, timeout_ms)
  local deadline, value = uv.hrtime() + (timeout_ms or 5000) * 1e6, nil
  repeat
    value = self:lua(code)
    if value then
      return value
    end
    vim.wait(5)
  until uv.hrtime() > deadline
  error(("waited %d ms for `%s`; last value: %s"):format(timeout_ms or 5000, vim.trim(code), vim.inspect(value)), 0)
end

--- What the UI shows right now, prompts included; only with `ui`. Compare with wait_screen().
---@return string[] lines without trailing blanks
function Child:screen()
  assert(self.ui, "screen() needs a child started with ui = { columns, lines }")
  self:api("nvim_get_mode") -- answered even at a prompt, after what was drawn before
  return self.ui:lines()
end

--- Waits until a line of the UI contains a text.
---@param text string plain
---@param timeout_ms integer? default 5000
---@return string[] lines
function Child:wait_screen(text, timeout_ms)
  local lines
  local seen = vim.wait(timeout_ms or 5000, function()
    lines = self.ui:lines()
    return table.concat(lines, "\n"):find(text, 1, true) ~= nil
  end, 5)
  return seen and lines or error(("%q did not appear on the screen:\n%s"):format(text, table.concat(lines, "\n")), 0)
end

---@param rel string path in the project, or absolute
---@return string absolute path
function Child:path(rel)
  return vim.startswith(rel, "/") and rel or (self.dir .. "/" .. rel)
end

--- Writes a file of the project, parent folders included.
---@param rel string
---@param text string exact bytes
---@return string absolute path
function Child:write(rel, text)
  write_file(self:path(rel), text)
  return self:path(rel)
end

---@param rel string
---@return string? bytes nil when there is no such file
function Child:read(rel)
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
function Child:locks(timeout_ms)
  local locks
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

--- Waits for the process to end.
---@param timeout_ms integer? default 5000
---@return integer? exit_code nil when it still runs; 128 + signal when a signal ended it
function Child:wait_exit(timeout_ms)
  vim.wait(timeout_ms or 5000, function()
    return self.rpc.exit_code ~= nil
  end, 2)
  return self.rpc.exit_code
end

--- Ends the child with `:qa!`, as a person does.
---@return integer? exit_code
function Child:quit()
  self.rpc:notify("nvim_command", { "qa!" })
  return self:wait_exit()
end

--- Sends a signal, for example "sigkill".
---@param signal string
function Child:kill(signal)
  uv.kill(self.pid, signal)
end

--- Is the process there?
---@return boolean
function Child:is_running()
  return self.rpc.exit_code == nil
end

--- Ends the child, if need be by force, and removes its files.
function Child:stop()
  if not alive[self] then
    return
  end
  alive[self] = nil
  self.rpc:notify("nvim_command", { "qa!" })
  if not self:wait_exit(2000) then
    self:kill("sigkill")
    self:wait_exit(2000)
  end
  vim.fn.delete(self.root, "rf")
end

--- Ends every child that a test left running.
---@return integer how many there were
function Child.stop_all()
  local left = vim.tbl_keys(alive)
  for _, child in ipairs(left) do
    child:stop()
  end
  return #left
end

return Child
