-- Says once why mentions wait, after the time that the user has set for it. Nothing is dropped then.

local M = {}

---@type uv.uv_timer_t?
local timer

---@return string reason why mentions wait, with what to do
function M.reason()
  local bridge = require("claudecode.bridge")
  if not bridge.is_running() then
    return "the server is stopped; :ClaudeCodeStart starts it"
  end
  local _, client = next(bridge.clients())
  if client then
    return ("%s is connected, but has not asked for anything yet"):format(client.name)
  end
  if not require("claudecode.terminal").has_process() then
    return "no Claude is running; :ClaudeCode starts one, or `claude --ide` in a terminal"
  end
  local others = vim.tbl_map(function(editor)
    return editor.name
  end, require("claudecode.bridge.discovery").others())
  if #others > 0 then
    return ("Claude runs, but not connected to this Neovim: perhaps to %s; type /ide there and choose %q"):format(
      table.concat(others, " or "),
      bridge.status().name
    )
  end
  return "Claude runs, but has not connected to this Neovim; type /ide there, or see :checkhealth claudecode"
end

---@param count fun(): integer
local function tell(count)
  local waiting = count()
  if waiting > 0 then
    local what = waiting == 1 and "A mention waits" or waiting .. " mentions wait"
    require("claudecode.notify").warn(("%s: %s. Nothing is lost."):format(what, M.reason()))
  end
end

---Starts the time, unless it runs. A Claude that is starting gets the longer one.
---@param count fun(): integer how many mentions wait
function M.start(count)
  if timer then
    return
  end
  local config = require("claudecode.config").get()
  local function on_time()
    timer = nil
    local more = config.connection_timeout - config.queue_timeout
    if more > 0 and require("claudecode.terminal").has_process() then
      timer = vim.defer_fn(function()
        timer = nil
        tell(count)
      end, more)
    else
      tell(count)
    end
  end
  timer = vim.defer_fn(on_time, config.queue_timeout)
end

---Nothing waits any more.
function M.stop()
  if timer then
    timer:stop()
    if not timer:is_closing() then
      timer:close()
    end
    timer = nil
  end
end

return M
