-- Every message to the user: the only place that calls vim.notify.

local M = {}

local TITLE = "claudecode.nvim"
local HIGHLIGHT = { [vim.log.levels.WARN] = "WarningMsg", [vim.log.levels.ERROR] = "ErrorMsg" }

---@type table<string, true> incidents that were already told
local told = {}

---@type claudecode.Message[] messages that wait for the screen
local waiting = {}

---@return boolean whether there is a command line, and nothing but it shows what is echoed
local function has_command_line()
  local uis = vim.api.nvim_list_uis()
  for _, ui in ipairs(uis) do
    if ui.ext_messages then
      return false
    end
  end
  return #uis > 0
end

---@return boolean whether messages go to the command line: no plugin and no UI shows them otherwise
local function uses_command_line()
  local notify = debug.getinfo(vim.notify, "Su")
  local is_builtin = notify.nparams == 3 and (notify.source == "?" or vim.startswith(notify.source, "@vim/"))
  return is_builtin and has_command_line()
end

---@param text string
---@param width integer
---@return string beginning that is no wider
local function cut(text, width)
  -- No character is narrower than a cell but composing ones: so a long text costs no more than a short one.
  text = vim.fn.strcharpart(text, 0, math.max(width, 0), true)
  while vim.fn.strdisplaywidth(text) > width do
    text = vim.fn.strcharpart(text, 0, vim.fn.strchars(text, true) - 1, true)
  end
  return text
end

---@param line string
---@param width integer
---@return string[] pieces no wider than that, broken at blanks where there are some
local function pieces_of(line, width)
  local pieces = {}
  while vim.fn.strdisplaywidth(line) > width do
    local piece = cut(line, width)
    piece = piece:match("^(.*%S)%s") or piece
    pieces[#pieces + 1] = piece
    line = line:sub(#piece + 1):gsub("^%s+", "")
  end
  pieces[#pieces + 1] = line
  return pieces
end

---@alias claudecode.Message { text: string, level: integer }

---Puts messages into the history, and one line about them on the screen. Two messages, or a long one, would end in a
---hit-enter prompt: until the user answers that, no tool can answer Claude.
---@param messages claudecode.Message[] at least one
local function show_line(messages)
  -- Whatever stands on the last line makes room: below it a message would scroll the screen.
  vim.cmd.redraw()
  local width = math.max(vim.v.echospace, 2)
  local worst, lines = messages[1], 0
  for _, message in ipairs(messages) do
    worst = message.level > worst.level and message or worst
    for line in vim.gsplit(message.text, "\n") do
      lines = lines + 1
      for _, piece in ipairs(pieces_of(line, width)) do
        vim.api.nvim_echo({ { piece, HIGHLIGHT[message.level] } }, true, {})
        vim.cmd.redraw()
      end
    end
  end
  local whole = lines == 1 and vim.fn.strdisplaywidth(worst.text) <= width
  local more = whole and "" or lines > 1 and ("… +%d more in :messages"):format(lines - 1) or "… :messages"
  local room = width - vim.fn.strdisplaywidth(more)
  local beginning = cut(vim.gsplit(worst.text, "\n")() or "", room >= 10 and room or width)
  vim.api.nvim_echo({ { beginning .. (room >= 10 and more or ""), HIGHLIGHT[worst.level] } }, false, {})
end

---@param message claudecode.Message
local function notify(message)
  vim.notify(message.text, message.level, { title = TITLE })
end

---@type claudecode.Message|nil what _pass_on() has to pass on
local passed

---@private
function M._pass_on()
  local message = assert(passed)
  local ok, err = pcall(notify, message)
  if not ok then
    vim.api.nvim_echo({ { message.text .. "\nvim.notify failed: " .. tostring(err) } }, false, {})
  end
end

---Hands a message to the vim.notify() of another plugin.
---@param message claudecode.Message
---@return claudecode.Message|nil echoed what it only passed on to the command line, where nothing was shown yet
local function pass_on(message)
  passed = message
  -- Silent, as what it echoes could end in a prompt before anything can be done about that.
  local echoed = vim.trim(vim.fn.execute([[lua require("claudecode.notify")._pass_on()]], "silent"))
  passed = nil
  return echoed ~= "" and { text = echoed, level = message.level } or nil
end

---@param messages claudecode.Message[]
local function show(messages)
  if not has_command_line() then
    return vim.tbl_map(notify, messages)
  end
  if not uses_command_line() then
    local echoed = {}
    for _, message in ipairs(messages) do
      echoed[#echoed + 1] = pass_on(message)
    end
    messages = echoed
  end
  if #messages > 0 then
    show_line(messages)
  end
end

local function flush()
  local queued = waiting
  waiting = {}
  if #queued > 0 then
    show(queued)
  end
end

---@return "VimEnter"|"CmdlineLeave"|"ModeChanged"|nil event after which messages can be seen
---@return string|nil pattern of the event
local function obstacle()
  local mode = vim.api.nvim_get_mode().mode
  if vim.v.vim_did_enter == 0 then
    return "VimEnter"
  elseif mode:sub(1, 1) == "c" then
    return "CmdlineLeave"
  elseif uses_command_line() and (mode == "t" or mode:find("^[iR]") and vim.o.showmode) then
    -- "-- TERMINAL --" or "-- INSERT --" stands on the last line, and comes back as soon as something else is there.
    return "ModeChanged", mode:sub(1, 1) .. "*:[^" .. mode:sub(1, 1) .. "]*"
  end
end

---Shows what waits, now or after what is in the way.
local function flush_when_seen()
  local event, pattern = obstacle()
  if not event then
    return flush()
  end
  vim.api.nvim_create_autocmd(event, {
    pattern = pattern,
    once = true,
    desc = "claudecode: show the messages that wait",
    callback = function()
      vim.schedule(flush_when_seen)
    end,
  })
end

local function say(text, level)
  waiting[#waiting + 1] = { text = "claudecode: " .. text, level = level }
  if #waiting > 1 then
    return
  elseif vim.in_fast_event() or uses_command_line() then
    -- Not amid a command: one that enters Terminal mode would wait for seconds, so that the message can be read.
    vim.schedule(flush_when_seen)
  else
    flush_when_seen()
  end
end

---@param text string
function M.info(text)
  say(text, vim.log.levels.INFO)
end

---@param text string
function M.warn(text)
  say(text, vim.log.levels.WARN)
end

---@param text string
function M.error(text)
  say(text, vim.log.levels.ERROR)
end

---Shows a whole page that the user has asked for, if need be with a prompt behind it.
---@param text string
function M.page(text)
  vim.notify("claudecode: " .. text, vim.log.levels.INFO, { title = TITLE })
end

---Shows a message the first time that its incident occurs.
---@param key string names the incident
---@param level "info"|"warn"|"error"
---@param text string
---@return boolean shown
function M.once(key, level, text)
  if told[key] then
    return false
  end
  told[key] = true
  M[level](text)
  return true
end

---The incident is over: the next one of its kind is told again.
---@param key string
function M.forget(key)
  told[key] = nil
end

return M
