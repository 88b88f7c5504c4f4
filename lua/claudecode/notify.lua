-- Every message to the user: the only place that calls vim.notify.

local M = {}

local TITLE = "claudecode.nvim"

---@type table<string, true> incidents that were already told
local told = {}

---@type { text: string, level: integer }[] messages that wait for the screen
local waiting = {}

local function show(text, level)
  vim.notify(text, level, { title = TITLE })
end

local function flush()
  local queued = waiting
  waiting = {}
  for _, message in ipairs(queued) do
    show(message.text, message.level)
  end
end

---Shows a message now, or as soon as the screen is there and the API may be called.
local function say(text, level)
  text = "claudecode: " .. text
  if not vim.in_fast_event() and vim.v.vim_did_enter == 1 then
    show(text, level)
    return
  end
  waiting[#waiting + 1] = { text = text, level = level }
  if #waiting > 1 then
    return
  end
  vim.schedule(function()
    if vim.v.vim_did_enter == 1 then
      flush()
    else
      vim.api.nvim_create_autocmd("VimEnter", {
        once = true,
        desc = "claudecode: show what was said during startup",
        callback = vim.schedule_wrap(flush),
      })
    end
  end)
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
