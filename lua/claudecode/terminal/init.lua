-- The Claude CLI in a terminal: picks the provider, and is the Lua interface of everything about that terminal.

local notify = require("claudecode.notify")

local M = {}

---@class claudecode.terminal.Request what one call wants
---@field config claudecode.Config
---@field terminal claudecode.Config.terminal options of this call
---@field args string|string[]|nil CLI arguments of this call
---@field has_args fun(): boolean

---@class claudecode.terminal.Provider
---@field open fun(request: claudecode.terminal.Request, focus: boolean): true|nil, string|nil
---@field simple_toggle fun(request: claudecode.terminal.Request): true|nil, string|nil
---@field focus_toggle fun(request: claudecode.terminal.Request): true|nil, string|nil
---@field toggle nil|fun(request: claudecode.terminal.Request): true|nil, string|nil
---@field ensure_visible fun(request: claudecode.terminal.Request): true|nil, string|nil
---@field close fun()
---@field get_active_bufnr fun(): integer|nil
---@field pid fun(): integer|nil

---@class claudecode.terminal.Choice
---@field option any the option terminal.provider that it answers
---@field name "native"|"snacks"|"external"|"none"|"custom"
---@field provider claudecode.terminal.Provider

---@type claudecode.terminal.Choice|nil
local chosen

---@param option any
---@param why string
---@return claudecode.terminal.Choice
local function fall_back(option, why)
  notify.once(
    "provider fallback",
    "warn",
    ("the terminal provider cannot be used: %s. Using the native one."):format(why)
  )
  chosen = { option = option, name = "native", provider = require("claudecode.terminal.native") }
  return chosen
end

---@param name "native"|"snacks"|"external"|"none"
---@param option any
---@return claudecode.terminal.Choice
local function choose(name, option)
  chosen = { option = option, name = name, provider = require("claudecode.terminal." .. name) }
  return chosen
end

---@param choice claudecode.terminal.Choice
---@return boolean whether a Claude runs in it
local function is_in_use(choice)
  local ok, used = pcall(function()
    return choice.provider.get_active_bufnr() ~= nil or choice.provider.pid() ~= nil
  end)
  return ok and used
end

---@return claudecode.terminal.Choice
local function pick()
  local terminal = require("claudecode.config").get().terminal
  local option = terminal.provider
  -- Another provider could neither show nor end the Claude that runs: a new option counts from the next one on.
  if chosen and (vim.deep_equal(chosen.option, option) or is_in_use(chosen)) then
    return chosen
  end
  if type(option) == "table" then
    local ok, wrapped = pcall(require("claudecode.terminal.custom").wrap, option, terminal)
    if not ok then
      return fall_back(option, tostring(wrapped))
    end
    chosen = { option = option, name = "custom", provider = wrapped }
    return chosen
  elseif option == "auto" then
    return choose(require("claudecode.terminal.snacks").is_available() and "snacks" or "native", option)
  elseif option == "snacks" and not require("claudecode.terminal.snacks").is_available() then
    return fall_back(option, "snacks.nvim is not installed")
  elseif option == "external" and terminal.provider_opts.external_terminal_cmd == nil then
    return fall_back(option, 'set terminal.provider_opts.external_terminal_cmd, such as "alacritty -e %s"')
  end
  return choose(option, option)
end

-- What would leave the command-line window, which Neovim does not allow.
local MOVES = { open = true, simple_toggle = true, focus_toggle = true, toggle = true, ensure_visible = true }

---Calls the provider. An error that a provider of the user's throws is told once, and the native one takes over.
---@param name string function of claudecode.terminal.Provider
---@param ... any its arguments
---@return any
---@return string|nil err
local function call(name, ...)
  if MOVES[name] and vim.fn.getcmdwintype() ~= "" then
    return nil, "Claude's terminal cannot be shown or hidden from the command-line window: close that first (:quit)."
  end
  local current = pick()
  require("claudecode.terminal.paste").install(require("claudecode.config").get().terminal.fix_streamed_paste)
  if current.name ~= "custom" then
    return current.provider[name](...)
  end
  local results = vim.F.pack_len(pcall(current.provider[name], ...))
  if results[1] then
    return unpack(results, 2, results.n)
  end
  if type(results[2]) == "table" and results[2].launch then
    return nil, results[2].launch
  end
  return fall_back(current.option, ("%s failed: %s"):format(name, tostring(results[2]))).provider[name](...)
end

---@param args any
---@return boolean whether they are CLI arguments: none, a line or a list
local function is_arguments(args)
  if type(args) ~= "table" then
    return args == nil or type(args) == "string"
  end
  return vim.islist(args) and #vim.tbl_filter(function(word)
    return type(word) ~= "string"
  end, args) == 0
end

---@param override table|nil terminal options of this call
---@param args string|string[]|nil
---@return claudecode.terminal.Request
local function request(override, args)
  local config = require("claudecode.config")
  if not is_arguments(args) then
    local shown = vim.inspect(args, { newline = " ", indent = "" })
    notify.warn(("arguments of Claude are a line or a list of strings, not %s; it goes on without them."):format(shown))
    args = nil
  end
  return {
    config = config.get(),
    terminal = config.terminal(override),
    args = args,
    has_args = function()
      return args ~= nil and #args > 0
    end,
  }
end

-- The incident that Claude cannot be started, as mentions try it again and again.
local CANNOT_START = "Claude cannot be started"

---Tells the user what went wrong, and passes the result on.
---@param ok any
---@param err string|nil
---@param once boolean|nil not again while it goes on
---@return true|nil
---@return string|nil
local function told(ok, err, once)
  if ok then
    notify.forget(CANNOT_START)
  elseif err and once then
    notify.once(CANNOT_START, "error", err)
  elseif err then
    notify.error(err)
  end
  return ok and true or nil, err
end

---For a mention: shows the terminal, or starts Claude. Why that cannot be done is told once.
---@param focus boolean whether to move there
---@return true|nil
---@return string|nil err
function M.show_for_mention(focus)
  if focus then
    local ok, err = call("open", request(), true)
    return told(ok, err, true)
  end
  local ok, err = call("ensure_visible", request())
  return told(ok, err, true)
end

---Shows the terminal and moves there; starts Claude if it does not run.
---@param override table|nil terminal options for this call
---@param args string|string[]|nil CLI arguments
---@return true|nil
---@return string|nil err already shown to the user
function M.open(override, args)
  return told(call("open", request(override, args), true))
end

---Ends Claude and closes its window.
function M.close()
  call("close")
end

---Shows the terminal, or hides it wherever the cursor is; hiding does not end Claude.
---@param override table|nil
---@param args string|string[]|nil
---@return true|nil
---@return string|nil err
function M.simple_toggle(override, args)
  return told(call("simple_toggle", request(override, args)))
end

---Moves to the terminal, or hides it when the cursor is in it.
---@param override table|nil
---@param args string|string[]|nil
---@return true|nil
---@return string|nil err
function M.focus_toggle(override, args)
  return told(call("focus_toggle", request(override, args)))
end

---The provider's own toggle; where it has none, the same as simple_toggle().
---@param override table|nil
---@param args string|string[]|nil
---@return true|nil
---@return string|nil err
function M.toggle(override, args)
  local name = pick().provider.toggle and "toggle" or "simple_toggle"
  return told(call(name, request(override, args)))
end

---Shows the terminal without moving there; starts Claude if it does not run.
---@param override table|nil
---@param args string|string[]|nil
---@return true|nil
---@return string|nil err
function M.ensure_visible(override, args)
  return told(call("ensure_visible", request(override, args)))
end

---Other name of ensure_visible().
M.toggle_open_no_focus = M.ensure_visible

---@return integer|nil buf the terminal buffer of a Claude that runs in this Neovim
function M.get_active_terminal_bufnr()
  return (call("get_active_bufnr"))
end

---@return integer|nil pid of the Claude that this Neovim started
function M.pid()
  return (call("pid"))
end

---@return boolean whether a Claude started here is running
function M.has_process()
  return M.get_active_terminal_bufnr() ~= nil or M.pid() ~= nil
end

---@return boolean whether a Claude runs in a terminal buffer that no window shows
function M.is_hidden()
  local buf = chosen and M.get_active_terminal_bufnr() or nil
  return buf ~= nil and #vim.fn.win_findbuf(buf) == 0
end

---@return "native"|"snacks"|"external"|"none"|"custom" name
function M.provider_name()
  return pick().name
end

---Types text into Claude's input line, in one write.
---@param text string may have several lines
---@param opts { submit: boolean|nil }|nil submit: press Enter behind it (the default)
---@return true|nil
---@return string|nil err
function M.send_to_terminal(text, opts)
  if type(text) ~= "string" or text == "" then
    return nil, "there is no text to send"
  end
  local buf = M.get_active_terminal_bufnr()
  local channel = buf and require("claudecode.terminal.input").channel(buf)
  if not channel then
    return nil, "Claude does not run in a terminal of this Neovim; :ClaudeCode starts it"
  end
  local bytes = require("claudecode.terminal.input").bytes(text, not opts or opts.submit ~= false)
  local ok, err = pcall(vim.api.nvim_chan_send, channel, bytes)
  if not ok then
    return nil, "the text could not be sent to Claude's terminal: " .. tostring(err)
  end
  return true
end

return M
