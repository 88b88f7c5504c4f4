-- Diagnostics of one file or of all open ones. The CLI asks for one just before each write, and for all right after it.

-- CLI 2.1.332 spells its URIs without percent-encoding, and reports new diagnostics only of a URI that equals the one
-- it asked for before the write. So these come back as they were spelled; other files have proper URIs.
---@type table<integer, string[]> by client: the URIs it asked for last
local asked = {}
-- Edits of one turn come one by one; a few are enough.
local MAX_ASKED = 16
local is_listening = false

---@param client integer
---@param name string
local function remember(client, name)
  if not is_listening then
    is_listening = true
    require("claudecode.bridge").on("disconnected", function(event)
      asked[event.client.id] = nil
    end)
  end
  asked[client] = asked[client] or {}
  table.insert(asked[client], name)
  if #asked[client] > MAX_ASKED then
    table.remove(asked[client], 1)
  end
end

---@param name string URI, encoded or not, or path
---@return integer? buf of an open file that may be shared: messages quote the text
local function find(name)
  local buffers, uri = require("claudecode.editor.buffers"), require("claudecode.editor.uri")
  local plain = name:match("^file://(/.*)")
  local buf = buffers.find_loaded(uri.to_path(name)) or plain and buffers.find_loaded(uri.to_path(plain)) or nil
  return buf and require("claudecode.context.sharing").is_shared(buf) and buf or nil
end

---@param client integer
---@return table<integer, string> names by buffer
local function names_for(client)
  local names = {}
  for _, name in ipairs(asked[client] or {}) do
    local buf = find(name)
    if buf then
      names[buf] = name
    end
  end
  return names
end

---@type claudecode.Tool
return {
  name = "getDiagnostics",
  description = "Get the diagnostics (errors, warnings) of the language servers, for one file or for all open files.",
  schema = {
    type = "object",
    properties = {
      uri = { type = "string", description = "URI or path of the file. Without it: all files that are open." },
    },
  },
  run = function(args, ctx)
    local diagnostics = require("claudecode.editor.diagnostics")
    if args.uri then
      -- A file that is not open has no diagnostics. It is no error: CLI 2.1.332 would then report none for its edit.
      local buf = find(args.uri)
      ctx:json(buf and { diagnostics.for_buffer(buf, args.uri) } or {})
      local uri = require("claudecode.editor.uri")
      if uri.is_path(args.uri) then
        remember(ctx.client, args.uri)
      end
      -- The CLI names the file that it writes in full.
      local plain = args.uri:gsub("^file://", "")
      if not ctx.by_model and (plain:find("^/.") or plain:find("^/?%a:[/\\]")) then
        require("claudecode.notice").edit_announced(ctx.client, uri.to_path(args.uri))
      end
      return
    end
    ctx:json(diagnostics.all(names_for(ctx.client)))
    -- CLI 2.1.332 asks for all when it has written a file; its answer did not wait for this.
    require("claudecode.editor.files").reload()
    require("claudecode.diff").check_written(ctx.client)
  end,
}
