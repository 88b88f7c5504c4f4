-- A real Neovim under test: started with --embed, driven over RPC, alone in temporary directories.
local uv = vim.uv
local Rpc = require("tests.lua.rpc")
local Sandbox = require("tests.lua.sandbox")
local Screen = require("tests.lua.screen")

---@class tests.Child : tests.Sandbox
---@field rpc tests.Rpc
---@field ui tests.Screen? only with opts.ui
---@field pid integer process id of the Neovim under test
---@field timeout_ms integer
local Child = setmetatable({}, { __index = Sandbox })
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
---@field timeout_ms? integer longest wait for one answer; default 20000

local HERE = assert(uv.fs_realpath(debug.getinfo(1, "S").source:sub(2)))
local REPO = vim.fn.fnamemodify(HERE, ":h:h:h")

---@type table<tests.Child, true>
local alive = {}

--- The repository that the tests belong to.
---@return string absolute path
function Child.repo()
  return REPO
end

---@param child tests.Child
---@param opts tests.ChildOptions
---@return string[]
local function command(child, opts)
  local nvim = opts.nvim or vim.env.NVIM_BIN or vim.v.progpath
  local argv = { vim.fn.exepath(nvim), "--clean", "-n", "-i", "NONE", "--embed" }
  assert(argv[1] ~= "", "not an executable Neovim: " .. nvim)
  if not opts.ui then
    table.insert(argv, "--headless")
  end
  vim.list_extend(argv, { "--cmd", "set noswapfile shada=" })
  if opts.plugin ~= false then
    vim.list_extend(argv, { "--cmd", "set runtimepath^=" .. vim.fn.escape(REPO, " ,\\") })
  end
  if opts.init then
    local path = child:write(child.root .. "/init.lua", opts.init)
    vim.list_extend(argv, { "--cmd", "luafile " .. vim.fn.fnameescape(path) })
  end
  return vim.list_extend(argv, opts.args or {})
end

--- Starts a Neovim and waits until it has sourced everything.
---@param opts tests.ChildOptions?
---@return tests.Child
function Child.start(opts)
  opts = opts or {}
  local child = setmetatable(Sandbox.new(), Child) --[[@as tests.Child]]
  child.timeout_ms = opts.timeout_ms or 20000
  for rel, text in pairs(opts.files or {}) do
    child:write(rel, text)
  end

  child.rpc = Rpc.spawn(command(child, opts), { cwd = child.dir, env = child:environment(opts.env) })
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
  local deadline = uv.hrtime() + (timeout_ms or 5000) * 1e6
  local value
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
  local seen = vim.wait(timeout_ms or 5000, function()
    return table.concat(self.ui:lines(), "\n"):find(text, 1, true) ~= nil
  end, 5)
  local lines = self.ui:lines()
  if not seen then
    error(("%q did not appear on the screen:\n%s"):format(text, table.concat(lines, "\n")), 0)
  end
  return lines
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
  self:remove()
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
