-- Brings diffs onto the screen and off it again, with all that belongs to that: view, focus, events, buffers.
local layout = require("claudecode.diff.layout")
local moment = require("claudecode.diff.moment")
local notify = require("claudecode.notify")
local pane = require("claudecode.diff.pane")
local proposal = require("claudecode.diff.proposal")
local session = require("claudecode.diff.session")
local views = require("claudecode.diff.views")

local M = {}

---May the focus move? Not while keys are on their way, nor out of a terminal that is to keep it.
---@return boolean
local function may_focus()
  local keeps_terminal = require("claudecode.config").get().diff_opts.keep_terminal_focus
  return not layout.is_typing() and not (keeps_terminal and vim.bo.buftype == "terminal")
end

---@param pattern string
---@param diff claudecode.diff.Diff
---@param more table
local function emit(pattern, diff, more)
  local data = vim.tbl_extend("error", { tab_name = diff.tab_name, file_path = diff.old_path }, more)
  require("claudecode.events").emit(pattern, data)
end

---Shows a diff, now or when the user has left the command line.
---@param diff claudecode.diff.Diff
function M.show(diff)
  moment.await(function()
    if diff.state ~= "pending" then
      return
    end
    local focus = may_focus()
    diff.view = views.show(diff)
    session.enter()
    if focus then
      diff.view:focus()
      layout.cancel_terminal_mode()
    end
    emit("ClaudeCodeDiffOpened", diff, {
      new_file_path = diff.new_path,
      is_new_file = diff.is_new,
      diff_window = diff.view.window,
      target_window = diff.view.target_window,
      terminal_window = pane.window(),
      tab_number = vim.api.nvim_tabpage_get_number(vim.api.nvim_win_get_tabpage(diff.view.window)),
    })
  end)
end

-- What ends a diff without the user.
local BY_OTHERS = { closed = true, replaced = true, disconnected = true, cancelled = true, stopped = true }

---What the user has changed in a proposal does not go with it.
---@param diff claudecode.diff.Diff
local function keep_edits(diff)
  local name = proposal.keep_edits(diff)
  if name then
    notify.warn(
      ("Claude Code withdrew the proposal for %s; with your changes it is kept in the buffer %q."):format(
        vim.fs.basename(diff.new_path),
        name
      )
    )
  end
end

---Is the user typing, selecting or giving a command in the windows of a diff?
---@param diff claudecode.diff.Diff
---@return boolean
local function is_being_used(diff)
  local is_typing = moment.is_busy() or vim.api.nvim_get_mode().mode:sub(1, 1) == "c"
  return is_typing and diff.view ~= nil and diff.view:has_focus()
end

---Closes the window in which a rejected new file was shown, if the user wants that and nothing else is in it.
---@param win integer?
local function close_empty(win)
  if not win or not vim.api.nvim_win_is_valid(win) then
    return
  end
  local buf = vim.api.nvim_win_get_buf(win)
  local is_empty = vim.api.nvim_buf_get_name(buf) == ""
    and vim.bo[buf].buftype == ""
    and not vim.bo[buf].modified
    and vim.api.nvim_buf_line_count(buf) == 1
  local splits = vim.tbl_filter(function(other)
    return vim.api.nvim_win_get_config(other).relative == ""
  end, vim.api.nvim_tabpage_list_wins(vim.api.nvim_win_get_tabpage(win)))
  if is_empty and #splits > 1 then
    pcall(vim.api.nvim_win_close, win, false)
  end
end

---Takes a diff off the screen, with every buffer that was made for it.
---@param diff claudecode.diff.Diff
---@param reason claudecode.diff.Reason
---@param had_focus boolean The user was in the proposal's window when it closed.
function M.close(diff, reason, had_focus)
  if vim.v.exiting ~= vim.NIL then
    return
  end
  local is_patient = BY_OTHERS[reason] ~= nil
  if is_patient and is_being_used(diff) then
    -- What is typed on is meant for this text. As commands in the user's file it could do any harm.
    local name = vim.fs.basename(diff.new_path)
    notify.warn(("Claude Code withdrew the proposal for %s: it closes when you are back in Normal mode."):format(name))
  end
  moment.await(function()
    local view = diff.view
    if view then
      diff.view = nil
      local ok, err = xpcall(view.close, debug.traceback, view, had_focus)
      if not ok then
        require("claudecode.log").error("diff", "closing %s: %s", diff.tab_name, err)
      end
      session.leave()
    end
    if BY_OTHERS[reason] and not diff.accepted then
      keep_edits(diff)
    end
    proposal.wipe(diff.proposal)
    diff.original.release()
    local on_reject = require("claudecode.config").get().diff_opts.on_new_file_reject
    if view and reason == "rejected" and diff.is_new and on_reject == "close_window" then
      close_empty(view.target_window)
    end
    if view then
      emit("ClaudeCodeDiffClosed", diff, { reason = reason })
    end
  end, function()
    return diff.view ~= nil and diff.view:has_focus()
  end, is_patient)
end

return M
