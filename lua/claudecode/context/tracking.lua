-- Follows the user's cursor and selection, and publishes what it finds: at once, then at most every 30 ms.
--
-- Events only ask for a look; it happens in the next turn of the main loop and reads what is there by then. The one
-- thing that cannot wait is the end of Visual mode: its selection is taken from the marks before anything moves.

local block = require("claudecode.context.block")
local held = require("claudecode.context.held")
local selection = require("claudecode.editor.selection")
local sharing = require("claudecode.context.sharing")
local visual_kind = require("claudecode.editor.visual").kind

local M = {}

local api = vim.api

-- Between two publications, in ms.
local INTERVAL = 30
-- The tools answer with more text than is pushed.
local TOOL_BYTES = 8 * 1024 * 1024

local NOTHING = {
  text = "",
  filePath = "",
  fileUrl = "",
  selection = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 0 }, isEmpty = true },
}

---@type { augroup: integer, pace: claudecode.Pace }?
local running
---@type { snap: claudecode.Snapshot, params: claudecode.Selection }? what clients were told; nil when no file is edited
local shown
---@type { snap: claudecode.Snapshot, params: claudecode.Selection }? the last one of any file
local latest
---@type boolean whether clients were told that there is nothing
local is_clear = false
---@type claudecode.Snapshot? a selection whose Visual mode has ended too soon after the last publication
local postponed
---@type integer b:changedtick when Visual mode was last looked at, or began
local visual_tick = 0

---@param params claudecode.Selection
local function publish(params)
  running.pace:mark()
  local ok, err = require("claudecode.bridge").publish(params)
  if not ok then
    require("claudecode.log").debug("selection", "not published: %s", err)
  end
end

---@param a claudecode.Snapshot
---@param b claudecode.Snapshot
---@return boolean
local function is_same(a, b)
  return a.start_line == b.start_line
    and a.start_character == b.start_character
    and a.end_line == b.end_line
    and a.end_character == b.end_character
    and a.is_visual == b.is_visual
    and a.path == b.path
    and (a.tick == b.tick or not a.is_visual)
end

---@param snap claudecode.Snapshot
local function show(snap)
  if shown and is_same(shown.snap, snap) then
    shown.snap = snap
    return
  end
  local params = selection.params(snap, require("claudecode.config").get().selection.max_bytes)
  shown = { snap = snap, params = params }
  latest = shown
  publish(params)
  if is_clear then
    is_clear = false
    sharing.changed()
  end
end

---Tells clients, once, that there is nothing.
local function clear()
  held.drop()
  shown = nil
  if not is_clear then
    is_clear = true
    publish(NOTHING)
    sharing.changed()
  end
end

---May clients know what is edited in this window?
---@param win integer
---@return boolean
local function is_shared(win)
  return selection.is_editor(win) and sharing.is_shared(api.nvim_win_get_buf(win))
end

---Has the text of a selection changed since it was shown, while the user was elsewhere?
---@param told { snap: claudecode.Snapshot, params: claudecode.Selection }
---@return boolean
local function is_outdated(told)
  local snap = told.snap
  if not snap.is_visual or not api.nvim_buf_is_loaded(snap.buf) then
    return false
  end
  local tick = api.nvim_buf_get_changedtick(snap.buf)
  if tick == snap.tick then
    return false
  end
  local ok, now = pcall(selection.params, snap, #told.params.text + 1)
  if ok and now.text == told.params.text then
    snap.tick = tick
    return false
  end
  return true
end

---No file is edited in the current window. What was shown stays while its file is open.
---@param is_asked boolean Somebody wants to know, and no event has led here: a cursor may have moved without one, since
---a window that another plugin's autocommand leaves is left silently.
local function look_elsewhere(is_asked)
  local win = require("claudecode.editor.windows").last_editor()
  if shown and is_outdated(shown) then
    held.drop()
    if win and api.nvim_win_get_buf(win) == shown.snap.buf then
      return show(selection.cursor(win))
    end
    shown = nil
  end
  if shown and api.nvim_buf_is_loaded(shown.snap.buf) then
    if is_asked and not shown.snap.is_visual and win and api.nvim_win_get_buf(win) == shown.snap.buf then
      show(selection.cursor(win))
    end
    return
  end
  held.drop()
  if win and is_shared(win) then
    show(selection.cursor(win))
  elseif shown then
    clear()
  end
end

---What was selected in a buffer that the user has switched off is not told again once the buffer is gone, and its
---switch with it.
local function forget_latest()
  if latest and api.nvim_buf_is_valid(latest.snap.buf) and sharing.exclusion(latest.snap.buf) then
    if shown and shown.snap.buf == latest.snap.buf then
      clear()
    end
    latest = nil
  end
end

---Shows the selection that ended too soon, unless its text has changed since.
local function show_postponed()
  local snap = postponed
  postponed = nil
  if
    snap
    and api.nvim_buf_is_loaded(snap.buf)
    and api.nvim_buf_get_changedtick(snap.buf) == snap.tick
    and sharing.is_shared(snap.buf)
  then
    show(snap)
  end
end

---Finds out what is selected now, and shows it.
---@param is_asked? boolean
local function look(is_asked)
  show_postponed()
  if latest and not sharing.is_shared(latest.snap.buf) then
    forget_latest()
  end
  if shown and not sharing.is_shared(shown.snap.buf) then
    clear()
  end
  if api.nvim_get_mode().mode:sub(1, 1) == "c" then
    -- A search moves the cursor while it is typed. The end of the command line is an event.
    return
  end
  local win = api.nvim_get_current_win()
  if not selection.is_editor(win) then
    return look_elsewhere(is_asked or false)
  elseif not sharing.is_shared(api.nvim_win_get_buf(win)) then
    return clear()
  end
  local snap = selection.visual()
  if snap then
    held.drop()
    visual_tick = snap.tick
    return show(snap)
  end
  if shown then
    local stays, ends_at = held.stays(api.nvim_win_get_buf(win), shown.snap, shown.params)
    if ends_at then
      running.pace:at(ends_at)
    end
    if stays then
      return
    end
  end
  show(selection.cursor(win))
end

---What goes wrong here must not show at every key that the user presses.
---@param action fun()
---@return fun()
local function guarded(action)
  return function()
    local ok, err = xpcall(action, debug.traceback)
    if not ok then
      require("claudecode.log").error("selection", "%s", err)
    end
  end
end

local function look_soon()
  running.pace:soon()
end

---Visual mode has just ended: its selection stays, unless an operator has changed the text.
---@param kind claudecode.VisualKind
local function leave_visual(kind)
  local win = api.nvim_get_current_win()
  if not is_shared(win) then
    return
  end
  local is_untouched = api.nvim_buf_get_changedtick(api.nvim_win_get_buf(win)) == visual_tick
  local snap = is_untouched and selection.left(kind, block.seen()) or nil
  if not snap then
    held.drop()
    look_soon()
    return
  end
  held.take(snap)
  if running.pace:is_early() then
    postponed = snap
    look_soon()
  else
    show(snap)
  end
end

local before_key_in_block = guarded(function()
  block.look()
  look_soon()
end)

local function on_mode_changed()
  local event = vim.v.event --[[@as { old_mode: string, new_mode: string }]]
  local was, is = visual_kind(event.old_mode), visual_kind(event.new_mode)
  if is then
    visual_tick = api.nvim_buf_get_changedtick(0)
    look_soon()
  elseif was then
    leave_visual(was)
  elseif event.old_mode:sub(1, 1) == "c" then
    look_soon()
  end
  block.follow(is == "block", before_key_in_block)
end

---Starts to follow the user, and publishes where things stand. Does nothing if the user has switched it off.
function M.start()
  if running or not require("claudecode.config").get().track_selection then
    return
  end
  local augroup = api.nvim_create_augroup("claudecode.tracking", { clear = true })
  local function on(events, callback)
    api.nvim_create_autocmd(events, { group = augroup, desc = "claudecode: follow the selection", callback = callback })
  end
  on("ModeChanged", guarded(on_mode_changed))
  on(
    { "CursorMoved", "CursorMovedI", "BufEnter", "WinEnter", "TextChanged", "BufFilePost", "BufDelete", "BufUnload" },
    function(event)
      if latest and event.buf == latest.snap.buf and vim.startswith(event.event, "Buf") then
        forget_latest()
      end
      look_soon()
    end
  )
  on({ "WinLeave", "BufLeave" }, function()
    -- What was not looked at yet is the last that is known of this window.
    running.pace:flush()
  end)
  running = { augroup = augroup, pace = require("claudecode.context.pace").new(INTERVAL, guarded(look)) }
  block.follow(visual_kind(api.nvim_get_mode().mode) == "block", before_key_in_block)
  look()
end

---Stops, and forgets.
function M.stop()
  if not running then
    return
  end
  api.nvim_del_augroup_by_id(running.augroup)
  running.pace:close()
  held.drop()
  block.follow(false, before_key_in_block)
  running, shown, latest, postponed, is_clear = nil, nil, nil, nil, false
end

---Looks now, without waiting for an event.
function M.refresh()
  if running then
    guarded(function()
      look(true)
    end)()
  end
end

---What is shown, with as much text as a tool may answer.
---@return claudecode.Selection?
local function with_all_text()
  if not shown or not shown.params.truncated then
    return shown and shown.params
  end
  local snap = shown.snap
  local is_there = api.nvim_buf_is_loaded(snap.buf) and api.nvim_buf_get_changedtick(snap.buf) == snap.tick
  return is_there and selection.params(snap, TOOL_BYTES) or shown.params
end

---What is selected now: in Visual mode, or since then if the cursor has not moved; else where the cursor is.
---@return claudecode.Selection? params nil when no file is edited
function M.current()
  if not running then
    local current = api.nvim_get_current_win()
    local win = selection.is_editor(current) and current or require("claudecode.editor.windows").last_editor()
    return win and is_shared(win) and selection.read(TOOL_BYTES) or nil
  end
  look(true)
  return with_all_text()
end

---What was shown last, also when its file is no longer open.
---@return claudecode.Selection? params nil when nothing was, or nothing is tracked
function M.latest()
  local now = running and M.current()
  if now or not latest then
    return now or nil
  end
  local is_excluded = not sharing.is_shared(latest.snap.buf) or sharing.exclusion_of(latest.snap.path) ~= nil
  return not is_excluded and latest.params or nil
end

---A client has used up what it was told: tells it again what is selected, if Visual mode holds it.
---@param client integer
function M.remind(client)
  if
    not running
    or not visual_kind(api.nvim_get_mode().mode)
    or not selection.is_editor(api.nvim_get_current_win())
  then
    return
  end
  look()
  if shown then
    require("claudecode.bridge").notify(client, "selection_changed", shown.params)
  end
end

return M
