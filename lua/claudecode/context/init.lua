-- What is shared with clients: the selection, which all of them follow, and mentions, which go to one of them.

local M = {}

local is_listening = false

---A client that has become ready gets what waited for it first, then the newest selection.
local function listen()
  if is_listening then
    return
  end
  is_listening = true
  local bridge = require("claudecode.bridge")
  bridge.on("ready", function(event)
    require("claudecode.context.mentions").flush()
    require("claudecode.context.tracking").refresh()
    bridge.subscribe(event.client.id)
  end)
  for _, kind in ipairs({ "connected", "identified", "disconnected" }) do
    bridge.on(kind, function(event)
      require("claudecode.context.mentions")[kind](event.client)
    end)
  end
end

---Starts sharing; to be called whenever the server has started.
function M.start()
  listen()
  require("claudecode.context.tracking").start()
end

---Stops following the selection. Mentions that wait go on waiting.
function M.stop()
  require("claudecode.context.tracking").stop()
end

---A client says that its user has submitted a prompt: it is the one in use, and has forgotten the selection.
---@param client integer
function M.prompted(client)
  require("claudecode.context.mentions").prompted(client)
  require("claudecode.context.tracking").remind(client)
end

return M
