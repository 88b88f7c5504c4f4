-- Says once why an edit opened no diff: the CLI writes without asking in some of its permission modes.

local notify = require("claudecode.notify")

local M = {}

-- In the modes that ask, the CLI calls openDiff, waits for the decision, and only then announces the write with
-- getDiagnostics {uri} (seen in 2.1.332). One openDiff covers one edit; what comes within this time after it is
-- taken as that same edit, since a wrong notice is worse than a late one.
local GRACE_MS = 5000

---@type boolean
local told = false
---@type table<string, integer|true> client and path to when its diff was last used; true is a diff not yet used
local shown = {}

local function key(client, path)
  return client .. "\0" .. path
end

---A client shows an edit of a file as a diff.
---@param client integer
---@param path string absolute
function M.diff_opened(client, path)
  if not told then
    shown[key(client, path)] = true
  end
end

---A client is about to write a file, as its getDiagnostics call with the file's uri says.
---@param client integer
---@param path string absolute
function M.edit_announced(client, path)
  if
    told
    or not require("claudecode.config").get().diff_opts.enabled
    or not require("claudecode.editor.uri").is_path(path)
  then
    return
  end
  local now = vim.uv.now()
  local used = shown[key(client, path)]
  if used == true then
    shown[key(client, path)] = now
    return
  elseif used and now - used < GRACE_MS then
    return
  end
  told, shown = true, {}
  notify.info(
    ("Claude edits %s without a diff, because its permission mode writes without asking. "):format(
      vim.fn.fnamemodify(path, ":~:.")
    )
      .. 'To see edits before they are written, set the option permission_mode = "default", '
      .. "or press shift+tab in Claude until it asks for edits."
  )
end

return M
