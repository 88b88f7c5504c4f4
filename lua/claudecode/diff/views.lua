-- What shows a diff: the viewer that `diff_opts.layout` names, or the user's own. A viewer knows buffers and windows,
-- and nothing of clients and decisions.
local layout = require("claudecode.diff.layout")

local M = {}

---@class claudecode.diff.Viewer
---Shows the two buffers of a diff, `diff.original.buf` and `diff.proposal`, and leaves the user where they are. An
---error means that there is no room here: it is asked again, with a new tab, and must have left everything as it was.
---@field show fun(diff: claudecode.diff.Diff, opts: claudecode.diff.ViewOptions): claudecode.diff.View

---@class claudecode.diff.ViewOptions
---@field direction "right"|"left"|"below"|"above" Where the proposal goes, seen from the file, in this layout.
---@field beside "right"|"left" Where it would go if it stood beside it.
---@field stacked "below"|"above" And above or below it.
---@field new_tab boolean In a tab of its own.

---@class claudecode.diff.View A diff on the screen.
---@field window integer Of the proposal.
---@field target_window? integer Of the file.
---@field focus fun(self: claudecode.diff.View) Takes the user to the proposal.
---@field has_focus fun(self: claudecode.diff.View): boolean Is the user in one of its windows?
---Takes it off the screen; afterwards the layout is as it was. The buffers stay. `had_focus`: the user was in the
---proposal's window when it closed, or is in a window of the view; they are taken back to where they were afterwards.
---@field close fun(self: claudecode.diff.View, had_focus: boolean)

---@type table<string, string>
local MODULES = {
  vertical = "claudecode.diff.view_split",
  horizontal = "claudecode.diff.view_split",
  unified = "claudecode.diff.view_unified",
}

---An option that the user has set counts; else the proposal is right of the file or below it, as everywhere.
---@param option "splitright"|"splitbelow"
---@return boolean
local function is_reversed(option)
  return not vim.o[option] and vim.api.nvim_get_option_info2(option, {}).was_set
end

---@return claudecode.diff.ViewOptions
local function options()
  local config = require("claudecode.config").get().diff_opts
  local beside = is_reversed("splitright") and "left" or "right"
  local stacked = is_reversed("splitbelow") and "above" or "below"
  return {
    direction = config.layout == "horizontal" and stacked or beside,
    beside = beside,
    stacked = stacked,
    new_tab = config.open_in_new_tab,
  }
end

---When there is no room, the diff gets a tab of its own.
---@param viewer claudecode.diff.Viewer
---@param diff claudecode.diff.Diff
---@return claudecode.diff.View
local function show(viewer, diff)
  local opts = options()
  local ok, view = pcall(viewer.show, diff, opts)
  if ok then
    return view
  end
  require("claudecode.log").info("diff", "%s gets a tab of its own: %s", diff.tab_name, view)
  opts.new_tab = true
  return viewer.show(diff, opts)
end

---@param view any
---@return boolean
local function is_view(view)
  local window = type(view) == "table" and view.window
  return type(window) == "number"
    and vim.api.nvim_win_is_valid(window --[[@as integer]])
    and vim.is_callable(view.focus)
    and vim.is_callable(view.has_focus)
    and vim.is_callable(view.close)
end

---@param why string
---@param instead string What happens now.
local function told(why, instead)
  local message = "the viewer in diff_opts.layout failed: %s. %s"
  require("claudecode.notify").once("viewer", "warn", message:format(why, instead))
end

---Calls a function of a viewer of the user's. What it throws is told, and another one does its work.
---@generic T
---@param view claudecode.diff.View
---@param name "focus"|"has_focus"|"close"
---@param instead fun(): T
---@param ... any
---@return T
local function call(view, name, instead, ...)
  local ok, result = pcall(view[name] --[[@as function]], view, ...)
  if ok then
    return result
  end
  told(("%s(): %s"):format(name, result), "The diff goes on without it.")
  return instead()
end

---A view of a viewer of the user's. They are taken back, into Terminal mode too, when it has gone with the focus.
---@param view claudecode.diff.View
---@param place claudecode.diff.Place
---@return claudecode.diff.View
local function guarded(view, place)
  local function has_focus()
    return call(view, "has_focus", function()
      return vim.api.nvim_get_current_win() == view.window
    end)
  end
  return {
    window = view.window,
    target_window = view.target_window,
    focus = function()
      call(view, "focus", function()
        layout.enter(view.window)
      end)
    end,
    has_focus = has_focus,
    close = function(_, had_focus)
      had_focus = had_focus or has_focus()
      call(view, "close", function()
        if vim.api.nvim_win_is_valid(view.window) then
          require("claudecode.diff.frame").close_window(view.window)
        end
      end, had_focus)
      if had_focus then
        layout.go(place)
      end
    end,
  }
end

---@param diff claudecode.diff.Diff
---@return claudecode.diff.View
local function show_as_configured(diff)
  local viewer = require("claudecode.config").get().diff_opts.layout
  if type(viewer) == "string" then
    return show(require(MODULES[viewer]), diff)
  end
  local place = layout.place()
  local ok, view = pcall(show, viewer, diff)
  if ok and is_view(view) then
    return guarded(view, place)
  end
  local why = ok and "what show() returns is no view with window, focus, has_focus and close" or tostring(view)
  told(why, "Diffs are shown side by side instead.")
  return show(require(MODULES.vertical), diff)
end

---Shows a diff in the layout of the configuration, and marks its proposal for other plugins.
---@param diff claudecode.diff.Diff
---@return claudecode.diff.View
function M.show(diff)
  local view = show_as_configured(diff)
  local marks = vim.b[diff.proposal]
  marks.claudecode_diff_new_win, marks.claudecode_diff_target_win = view.window, view.target_window
  return view
end

return M
