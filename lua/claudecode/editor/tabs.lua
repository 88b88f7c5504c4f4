-- The open buffers as other editors tell of theirs: each is a tab, each window a group of tabs.

local buffers = require("claudecode.editor.buffers")
local sharing = require("claudecode.context.sharing")
local uri = require("claudecode.editor.uri")
local windows = require("claudecode.editor.windows")

local M = {}

---@class claudecode.Tab
---@field uri string
---@field label string
---@field fileName string absolute path
---@field languageId string
---@field lineCount integer
---@field isActive boolean the user edits it, or did before a terminal got the focus
---@field isDirty boolean
---@field isUntitled boolean
---@field isPinned boolean
---@field isPreview boolean
---@field groupIndex integer 0-based
---@field viewColumn integer 1-based
---@field isGroupActive boolean
---@field selection? table of the active one: {start, end} as in claudecode.Selection, and isReversed

---@return table<integer, integer> groups 0-based, by window
local function groups()
  local by_window, count = {}, 0
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if windows.is_editor(win) then
      by_window[win], count = count, count + 1
    end
  end
  return by_window
end

---@param win integer
---@param path string?
---@return table
local function selection(win, path)
  local tracked = path and require("claudecode.context.tracking").current()
  if tracked and tracked.filePath == path then
    return { start = tracked.selection.start, ["end"] = tracked.selection["end"], isReversed = false }
  end
  local cursor = vim.api.nvim_win_get_cursor(win)
  local position = { line = cursor[1] - 1, character = cursor[2] }
  return { start = position, ["end"] = position, isReversed = false }
end

---@param buf integer
---@return boolean
local function is_open(buf)
  return vim.api.nvim_buf_is_loaded(buf)
    and vim.bo[buf].buflisted
    and (buffers.is_file(buf) or buffers.is_untitled(buf))
end

---@return claudecode.Tab[] tabs in the order in which they were opened
function M.list()
  local active = windows.last_editor()
  local group_of = groups()
  local active_group = active and group_of[active] or 0
  return vim.tbl_map(function(buf)
    local is_active = active ~= nil and vim.api.nvim_win_get_buf(active) == buf
    local group = active_group
    for _, win in ipairs(is_active and {} or vim.fn.win_findbuf(buf)) do
      group = group_of[win] or group
    end
    local path = buffers.path(buf)
    local name = path or ("Untitled-%d"):format(buf)
    return {
      uri = path and uri.from_path(path) or ("untitled:" .. name),
      label = vim.fs.basename(name),
      fileName = name,
      languageId = buffers.language(buf),
      lineCount = vim.api.nvim_buf_line_count(buf),
      isActive = is_active,
      isDirty = buffers.is_dirty(buf),
      isUntitled = path == nil,
      isPinned = false,
      isPreview = false,
      groupIndex = group,
      viewColumn = group + 1,
      isGroupActive = group == active_group,
      selection = is_active and sharing.is_shared(buf) and selection(active --[[@as integer]], path) or nil,
    }
  end, vim.tbl_filter(is_open, vim.api.nvim_list_bufs()))
end

return M
