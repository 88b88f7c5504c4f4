-- Every message to the user: the only place that calls vim.notify.

local M = {}

local TITLE = "claudecode.nvim"
local HIGHLIGHT = { [vim.log.levels.WARN] = "WarningMsg", [vim.log.levels.ERROR] = "ErrorMsg" }

---@type table<string, true> incidents that were already told
local told = {}

---@type claudecode.Message[] messages that wait for the screen
local waiting = {}

---@return boolean whether messages go to the command line: no plugin and no UI shows them otherwise
local function uses_command_line()
  local uis = vim.api.nvim_list_uis()
  for _, ui in ipairs(uis) do
    if ui.ext_messages then
      return false
    end
  end
  local notify = debug.getinfo(vim.notify, "Su")
  local is_builtin = notify.nparams == 3 and (notify.source == "?" or vim.startswith(notify.source, "@vim/"))
  return #uis > 0 and is_builtin
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
---@param messages claudecode.Message[]
---@param width integer
local function show_line(messages, width)
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
  local more = lines > 1 and ("… +%d more in :messages"):format(lines - 1) or "… :messages"
  local room = width - vim.fn.strdisplaywidth(more)
  local beginning = cut(vim.gsplit(worst.text, "\n")() or "", room >= 10 and room or width)
  vim.api.nvim_echo({ { beginning .. (room >= 10 and more or ""), HIGHLIGHT[worst.level] } }, false, {})
end

---@param messages claudecode.Message[]
local function show(messages)
  if not uses_command_line() then
    for _, message in ipairs(messages) do
      vim.notify(message.text, message.level, { title = TITLE })
    end
    return
  end
  -- Whatever stands on the last line makes room: below it a message would scroll the screen.
  vim.cmd.redraw()
  local width = math.max(vim.v.echospace, 2)
  local text = messages[1].text
  if #messages == 1 and not text:find("\n", 1, true) and vim.fn.strdisplaywidth(text) <= width then
    vim.notify(text, messages[1].level, { title = TITLE })
  else
    show_line(messages, width)
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
  elseif mode == "t" and uses_command_line() then
    -- "-- TERMINAL --" stands on the last line, and comes back as soon as something else is there.
    return "ModeChanged", "t:*"
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
