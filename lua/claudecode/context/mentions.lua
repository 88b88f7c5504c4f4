-- Mentions on their way: a queue that empties, in order, into the client that the user means.

local M = {}

---@type { params: table, path: string }[] oldest first
local queue = {}
---@type table<integer, integer> a higher number for each sign of life of a client
local activity = {}
local signs = 0

---@param clients table<integer, claudecode.Client>
---@return claudecode.Client? client of the process in our own terminal, which may be a wrapper that started it
local function own_client(clients)
  local pid = require("claudecode.terminal").pid()
  if not pid then
    return nil
  end
  ---@return claudecode.Client?
  local function with_pid(wanted)
    for _, client in pairs(clients) do
      if client.pid == wanted then
        return client
      end
    end
  end
  local own = with_pid(pid)
  if own or vim.tbl_count(clients) < 2 then
    return own
  end
  for _, child in ipairs(vim.api.nvim_get_proc_children(pid)) do
    own = own or with_pid(child)
  end
  return own
end

---Where a mention goes: to the client in our terminal, else to the one that was active last.
---@return claudecode.Client?
local function target()
  local clients = require("claudecode.bridge").clients()
  local chosen = own_client(clients)
  if chosen then
    return chosen
  end
  for id, client in pairs(clients) do
    if not chosen or (activity[id] or 0) > (activity[chosen.id] or 0) then
      chosen = client
    end
  end
  return chosen
end

---Sends what waits, as long as there is a client that takes it.
function M.flush()
  while queue[1] do
    local client = target()
    if not client or not client.ready then
      return
    end
    local ok, err = require("claudecode.bridge").notify(client.id, "at_mentioned", queue[1].params)
    if not ok then
      require("claudecode.log").warn("mentions", "client %d did not take a mention: %s", client.id, err)
      return
    end
    table.remove(queue, 1)
    require("claudecode.status").changed()
  end
  require("claudecode.context.waiting").stop()
end

---The CLI has no way to mention this path. It gets the plain path, typed where the user can see it.
---@param mention claudecode.Mention
---@param why string
---@return true?
---@return string? err
local function type_path(mention, why)
  local told = ("Claude cannot be sent a mention of %s: it has %s"):format(mention.path, why)
  local ok = require("claudecode.terminal").send_to_terminal(mention.path .. " ", { submit = false })
  if not ok then
    return nil, told .. "; type the path in the prompt instead"
  end
  require("claudecode.notify").info(told .. ". The path was typed into the terminal instead.")
  return true
end

---@param normal claudecode.Mention normalised, and not excluded from what is shared
---@return true? ok
---@return string? err
local function take(normal)
  local params, why = require("claudecode.context.mention").params(normal)
  if not params then
    return type_path(normal, why --[[@as string]])
  end
  queue[#queue + 1] = { params = params, path = normal.path }
  require("claudecode.status").changed()
  local is_connected = next(require("claudecode.bridge").clients()) ~= nil
  M.flush()
  if queue[1] then
    require("claudecode.context.waiting").start(M.waiting)
  end
  if is_connected then
    require("claudecode.events").emit("ClaudeCodeSendComplete", {
      file_path = normal.path,
      start_line = normal.first,
      end_line = normal.last,
      context = normal.context,
    })
  end
  return true
end

---Mentions a file, lines of it, or a directory. It waits for a client if none is there; it is never dropped. An
---excluded file is mentioned only once the user has agreed.
---@param mention claudecode.Mention
---@param on_taken? fun() called when it is on its way, which may be later or never
---@return true? ok taken, though it may wait
---@return string? err
function M.send(mention, on_taken)
  local normal, err = require("claudecode.context.mention").normalise(mention)
  if not normal then
    return nil, err
  end
  on_taken = on_taken or function() end
  local sharing = require("claudecode.context.sharing")
  local reason = sharing.exclusion_of(normal.path)
  if reason then
    sharing.ask(normal.path, reason, function()
      local ok, why = take(normal)
      if ok then
        on_taken()
      else
        require("claudecode.notify").warn(why .. ".")
      end
    end)
    return true
  end
  local ok
  ok, err = take(normal)
  if ok then
    on_taken()
  end
  return ok, err
end

---@return integer count mentions that no client has taken yet
function M.waiting()
  return #queue
end

---@param client integer
local function sign_of_life(client)
  signs = signs + 1
  activity[client] = signs
end

---@param client claudecode.Client
function M.connected(client)
  sign_of_life(client.id)
end

---The process of a client has become known: it may be the one in our terminal.
function M.identified()
  M.flush()
end

---@param client claudecode.Client
function M.disconnected(client)
  activity[client.id] = nil
  M.flush()
end

---A prompt was submitted in this client: it is the one the user works with.
---@param client integer
function M.prompted(client)
  sign_of_life(client)
end

return M
