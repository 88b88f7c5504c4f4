-- The life of one diff: pending, then accepted or not, then closed. Each way out goes through here, whatever the view.
local intent = require("claudecode.diff.intent")
local notify = require("claudecode.notify")
local original = require("claudecode.diff.original")
local proposal = require("claudecode.diff.proposal")
local screen = require("claudecode.diff.screen")
local store = require("claudecode.diff.store")
local text = require("claudecode.diff.text")
local unwritten = require("claudecode.diff.unwritten")
local uri = require("claudecode.editor.uri")

local M = {}

-- The answer with the final text must stay under the 16 MiB that the CLI takes; more than this is never shown.
M.MAX_BYTES = 15 * 1024 * 1024
-- The same for what JSON makes of the text; the rest of the answer is small.
local MAX_ENCODED_BYTES = 16 * 1024 * 1024 - 4096

---@class claudecode.diff.Decision
---@field kind "saved"|"rejected"
---@field text? string With "saved": the final text, byte for byte.

---@class claudecode.diff.Request
---@field tab_name string The client's name for it.
---@field old_path string Absolute. What is proposed to change; need not exist.
---@field new_path string Absolute. What the client will write.
---@field text string
---@field client integer Whose connection asks.
---@field on_decided fun(decision: claudecode.diff.Decision) At most once; never when nobody waits for it any more.

---@alias claudecode.diff.Reason "accepted"|"rejected"|"closed"|"replaced"|"disconnected"|"cancelled"|"stopped"

---@class claudecode.diff.Diff
---@field number integer They are counted as they come.
---@field tab_name string
---@field client integer
---@field old_path string
---@field new_path string
---@field is_new boolean No file on disk.
---@field proposed string
---@field state "pending"|"accepted"|"closed"
---@field accepted? string The final text.
---@field unwritten? claudecode.diff.Unwritten
---@field original claudecode.diff.Original
---@field proposal integer Buffer.
---@field group integer Autocommands.
---@field is_orphan? boolean The client that was to write the accepted text is gone.
---@field view? claudecode.diff.View While it is on the screen.
---@field on_decided? fun(decision: claudecode.diff.Decision)

local count_opened = 0

---@param diff claudecode.diff.Diff
---@return boolean
function M.is_pending(diff)
  return diff.state == "pending"
end

---Is a text too long to be answered?
---@param final string
---@return string? err
local function excess(final)
  if #final > M.MAX_BYTES then
    return ("%d bytes, more than the %d that can be answered"):format(#final, M.MAX_BYTES)
  end
  -- No character takes more than six bytes in JSON: "\u0001".
  local encoded = #final
  if encoded * 6 > MAX_ENCODED_BYTES then
    encoded = encoded
      + select(2, final:gsub('["\\\b\f\n\r\t]', ""))
      + 5 * select(2, final:gsub("[%z\1-\7\11\14-\31\127]", ""))
  end
  if encoded > MAX_ENCODED_BYTES then
    return ("%d bytes as JSON, more than the %d that can be answered"):format(encoded, MAX_ENCODED_BYTES)
  end
end

---@param diff claudecode.diff.Diff
---@param decision claudecode.diff.Decision
local function decide(diff, decision)
  local answer = diff.on_decided
  diff.on_decided = nil
  if answer then
    answer(decision)
  end
end

---`:x`, `ZZ` or `:update` comes next.
local function before_update()
  local diff = store.current()
  if diff and M.is_pending(diff) and diff.proposal == vim.api.nvim_get_current_buf() then
    proposal.before_update(diff.proposal)
  end
end

local function idle()
  for _, diff in ipairs(store.list(M.is_pending)) do
    proposal.settle(diff.proposal)
  end
end

local function ignore_if_idle()
  if #store.list(M.is_pending) == 0 then
    intent.ignore()
  end
end

---The end of a diff, whatever it was; what was decided has been told.
---@param diff claudecode.diff.Diff
---@param reason claudecode.diff.Reason
---@param had_focus boolean?
function M.finish(diff, reason, had_focus)
  diff.state = "closed"
  diff.on_decided = nil
  store.remove(diff)
  vim.api.nvim_del_augroup_by_id(diff.group)
  ignore_if_idle()
  screen.close(diff, reason, had_focus or false)
  if diff.unwritten then
    diff.unwritten.is_shown = false
    unwritten.check(diff.client)
    if diff.is_orphan then
      unwritten.park(function(entry)
        return entry == diff.unwritten
      end)
    end
  end
end

---Answers that the user does not want it, and ends it.
---@param diff claudecode.diff.Diff
---@param reason claudecode.diff.Reason
---@param had_focus boolean?
function M.reject(diff, reason, had_focus)
  decide(diff, { kind = "rejected" })
  M.finish(diff, reason, had_focus)
end

---Answers with the text that the proposal holds now. The view stays until the client closes it.
---@param diff claudecode.diff.Diff
function M.accept(diff)
  if not M.is_pending(diff) then
    notify.info("Already accepted; Claude closes it when it writes the file.")
    return
  end
  local final = text.read(diff.proposal)
  local err = excess(final)
  if err then
    notify.error(("%s cannot be accepted: it has %s."):format(vim.fs.basename(diff.new_path), err))
    return
  end
  diff.state = "accepted"
  diff.accepted = final
  proposal.freeze(diff.proposal)
  ignore_if_idle()
  -- An empty new file is no text to lose, and the CLI takes it for a reject.
  if not (diff.is_new and final == "") then
    diff.unwritten = unwritten.add(diff.new_path, final, diff.client)
  end
  decide(diff, { kind = "saved", text = final })
  vim.schedule(require("claudecode.status").refresh)
end

---@param diff claudecode.diff.Diff
---@return claudecode.diff.ProposalEvents
local function events(diff)
  return {
    write = function()
      M.accept(diff)
    end,
    closed = function(had_focus)
      if M.is_pending(diff) then
        M.reject(diff, "rejected", had_focus)
      elseif diff.state == "accepted" then
        M.finish(diff, "accepted", had_focus)
      end
    end,
  }
end

---@param path string
---@return string? err Why no text can be compared with what is there. Nothing there is fine: a new file.
local function path_fault(path)
  if path == "" then
    return "the path is empty"
  elseif not uri.is_path(path) then
    local what = path:find("\0", 1, true) and "a path cannot hold a NUL" or "the path is too long"
    return ("%s: %s"):format(what, (uri.shown(path):gsub("%z", "^@")))
  end
  local stat, err, code = vim.uv.fs_stat(path)
  if stat and stat.type ~= "file" then
    return ("%s is not a regular file but of type %s"):format(path, stat.type)
  elseif code == "ELOOP" then
    return ("%s is not a regular file: %s"):format(path, err)
  end
end

---@param request claudecode.diff.Request
---@return string? err Why this cannot be shown.
function M.fault(request)
  local err = path_fault(request.old_path) or path_fault(request.new_path)
  if err then
    return err
  end
  err = excess(request.text)
  return err and ("the proposal for %s has %s"):format(request.new_path, err)
end

---Opens a diff and shows it. No open one has its name.
---@param request claudecode.diff.Request
---@return true?
---@return string? err
function M.start(request)
  count_opened = count_opened + 1
  local is_new = vim.uv.fs_stat(request.old_path) == nil
  ---@type claudecode.diff.Diff
  local diff = {
    number = count_opened,
    tab_name = request.tab_name,
    client = request.client,
    old_path = request.old_path,
    new_path = request.new_path,
    is_new = is_new,
    proposed = request.text,
    state = "pending",
    original = original.open(request.old_path, is_new),
    proposal = -1,
    group = vim.api.nvim_create_augroup("claudecode.diff." .. count_opened, {}),
    on_decided = request.on_decided,
  }
  diff.proposal = proposal.create(diff, diff.group, events(diff))
  store.add(diff)
  intent.listen(before_update, idle)
  local ok, thrown = pcall(screen.show, diff)
  if not ok then
    M.finish(diff, "closed")
    return nil, "the diff cannot be shown: " .. tostring(thrown)
  end
  local is_known = #store.list(function(other)
    return other ~= diff and other.original.buf == diff.original.buf
  end) > 0
  if diff.original.is_dirty and not is_known then
    notify.warn(vim.fs.basename(diff.old_path) .. " has unsaved edits: the diff is against them")
  end
  return true
end

return M
