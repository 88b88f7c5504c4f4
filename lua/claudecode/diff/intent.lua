-- Tells a write that the user gives in a proposal from one of an auto-save: only the former accepts.
local M = {}

local GROUP = "claudecode.diff.intent"

---@type integer? namespace of the key listener, while it listens
local listening
-- Has a key come that may run a command, and has Neovim not waited for another one since? What a key sets off runs
-- before that, what a timer sets off after.
local key_came = false
-- Is forget_key() on its way?
local is_scheduled = false
-- Where the user is: windows entered for a moment by the API or by a write of other buffers do not count.
---@type integer?
local user_window
local previous_key

local COMMAND_KEY = vim.keycode("<Cmd>")

---Is the command line `:x` or `:update`, which write only a modified buffer?
---@param line string
---@return boolean
local function is_update(line)
  local ok, parsed = pcall(vim.api.nvim_parse_cmd, line, {})
  return ok and vim.list_contains({ "xit", "exit", "update" }, parsed.cmd)
end

---Is the key that comes now about to run such a command, as `ZZ` or as a mapping of `<Cmd>x<CR>`?
---@param key string
---@param typed string? What was typed for it; empty if it is not the first key of a mapping.
---@return boolean
local function starts_update(key, typed)
  if key == "Z" then
    return previous_key == "Z" and vim.api.nvim_get_mode().mode == "n"
  elseif key == COMMAND_KEY and typed and typed ~= "" then
    local mode = vim.api.nvim_get_mode().mode:sub(1, 1)
    mode = (mode == "n" or mode == "i") and mode or "v"
    local line = vim.fn.maparg(vim.fn.keytrans(typed), mode):match("^<[Cc][Mm][Dd]>(.-)<[Cc][Rr]>")
    return line ~= nil and is_update(line)
  end
  return false
end

-- While a function of Lua waits in one of these, timers go on.
local WAITING = { "confirm", "getchar", "getcharstr", "input", "inputlist", "inputsecret", "wait" }

---Are we in a timer, while a function waits? Its write is none of the user's, and the key that has called the function
---is still being worked on.
---@return boolean
local function is_in_wait()
  local level = 2
  local frame = debug.getinfo(level, "f")
  while frame do
    for _, name in ipairs(WAITING) do
      if frame.func == rawget(vim.fn, name) then
        return true
      end
    end
    if frame.func == vim.wait then
      return true
    end
    level = level + 1
    frame = debug.getinfo(level, "f")
  end
  return false
end

---SafeState does not come while an operator, getchar() of a plugin, completion or CTRL-O wait for a key. But whatever a
---timer had called would come after this, which a key has called.
local function forget_key()
  is_scheduled = is_in_wait()
  if is_scheduled then
    vim.defer_fn(forget_key, 20)
  else
    key_came = false
  end
end

---Does a function that runs read the key that comes now?
---@return boolean To be called by the key listener.
local function is_read_by_function()
  local level = 3
  local frame = debug.getinfo(level, "f")
  local outermost = frame and frame.func
  while frame do
    outermost = frame.func
    level = level + 1
    frame = debug.getinfo(level, "f")
  end
  return (outermost ~= nil and outermost ~= rawget(vim, "_on_key")) or vim.fn.expand("<stack>") ~= ""
end

---May a write that comes next be the user's? Not after an operator or a register, which run no command.
---@param key string After mappings: those of functions and of <Cmd> are special keys, as clicks are.
---@param typed string? See starts_update().
---@return boolean
local function may_write(key, typed)
  if is_read_by_function() then
    return key_came or (typed ~= nil and typed ~= "") -- an answer to its question, or `:normal`
  end
  return key == "\r" or key == "\n" or key == "Z" or vim.startswith(key, "\128\253")
end

---Starts to listen; does nothing if it does already.
---@param before_update fun() The current buffer is about to be written by `:x`, `ZZ` or `:update`.
---@param idle fun() Whatever was announced is over.
function M.listen(before_update, idle)
  if listening then
    return
  end
  listening = vim.api.nvim_create_namespace(GROUP)
  local group = vim.api.nvim_create_augroup(GROUP, {})
  user_window = vim.api.nvim_get_current_win()
  vim.on_key(function(key, typed)
    key_came = may_write(key, typed)
    if not is_scheduled then
      is_scheduled = true
      vim.schedule(forget_key)
    end
    user_window = vim.api.nvim_get_current_win()
    if starts_update(key, typed) then
      before_update()
    end
    previous_key = key
  end, listening)
  vim.api.nvim_create_autocmd("CmdlineLeave", {
    group = group,
    pattern = ":",
    desc = "claudecode: have :x and :update write a proposal",
    callback = function()
      if not vim.v.event.abort and is_update(vim.fn.getcmdline()) then
        before_update()
      end
    end,
  })
  vim.api.nvim_create_autocmd({ "SafeState", "WinEnter", "TabEnter" }, {
    group = group,
    desc = "claudecode: tell writes of the user from others",
    callback = function(event)
      user_window = vim.api.nvim_get_current_win()
      if event.event == "SafeState" then
        key_came = false
        previous_key = nil
        idle()
      end
    end,
  })
end

---Stops listening.
function M.ignore()
  if listening then
    vim.on_key(nil, listening)
    vim.api.nvim_del_augroup_by_name(GROUP)
    listening, key_came, previous_key = nil, false, nil
  end
end

---Did a command come straight over RPC, from a front end of the user's? Then no Lua function of a timer or of the
---event loop is below it, only the chunk that was sent, if any.
---@param stack string
---@return boolean
local function is_remote(stack)
  if vim.startswith(stack, "function ") then
    return false
  end
  local outermost
  local level = 4 -- above: this function, is_explicit() and its caller
  local frame = debug.getinfo(level, "S")
  while frame do
    outermost = frame
    level = level + 1
    frame = debug.getinfo(level, "S")
  end
  return not outermost or outermost.what == "main"
end

---Was the present BufWriteCmd of a proposal asked for by the user, there and now? To be called by its autocommand.
---@param buf integer
---@return boolean
function M.is_explicit(buf)
  if not (user_window and vim.api.nvim_win_is_valid(user_window)) or vim.api.nvim_win_get_buf(user_window) ~= buf then
    return false
  end
  if is_in_wait() or vim.api.nvim_get_mode().mode:find("^no") then
    return false
  end
  local stack = vim.fn.expand("<stack>") --[[@as string]]
  -- The words between event and pattern depend on the language of messages; a second time they mean that another
  -- autocommand made this write.
  local words = stack:match("BufWriteCmd(.-)<buffer=" .. buf .. ">")
  if words and words ~= "" and select(2, stack:gsub(vim.pesc(words), "")) > 1 then
    return false
  end
  local remote = is_remote(stack)
  return key_came or remote
end

return M
