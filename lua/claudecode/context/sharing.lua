-- What may be shared at all: nothing while the user has switched it off, and no file that is excluded, be it by a glob
-- of the option selection.exclude or by b:claudecode_share.

local config = require("claudecode.config")

local M = {}

local api = vim.api

---@type boolean the switch of this session
local is_on = true
---@type { exclude: string[], globs: claudecode.Glob[] }? what was made of the option
local compiled
---@type table<integer, { name: string, glob: string|false }> what the globs say of each buffer's file
local verdicts = {}
---@type fun()[]
local listeners = {}

---@return claudecode.Glob[]
local function globs()
  local exclude = config.get().selection.exclude
  if not compiled or compiled.exclude ~= exclude then
    compiled = { exclude = exclude, globs = vim.tbl_map(require("claudecode.context.globs").compile, exclude) }
    verdicts = {}
  end
  return compiled.globs
end

---@param path string absolute; its own spelling counts, and what it leads to
---@return string? glob
local function glob_for(path)
  local find = require("claudecode.context.globs").find
  local real = require("claudecode.editor.buffers").real_path(path)
  if path:sub(-1) == "/" and real:sub(-1) ~= "/" then
    real = real .. "/"
  end
  return find(globs(), path) or find(globs(), real)
end

---@param buf integer
---@return string|false glob
local function verdict(buf)
  local name = api.nvim_buf_get_name(buf)
  globs()
  local known = verdicts[buf]
  if not known or known.name ~= name then
    known = { name = name, glob = name ~= "" and glob_for(require("claudecode.editor.uri").to_path(name)) or false }
    verdicts[buf] = known
  end
  return known.glob
end

---@param buf integer
---@return boolean? switch b:claudecode_share; nil when the user has not set it. Only true and 1 switch on: what else
---somebody writes there, such as "off", is no leave to share.
local function switch(buf)
  -- The variables of another buffer take ten times as long.
  local variables = buf == api.nvim_get_current_buf() and vim.b or vim.b[buf]
  local value = variables.claudecode_share
  if value == nil then
    return nil
  end
  return value == true or value == 1
end

---@param glob string|false|nil
---@return string?
local function reason_of(glob)
  return glob and ("it matches %q of selection.exclude"):format(glob) or nil
end

---Why a buffer's file is not shared, even while sharing is on.
---@param buf integer
---@return string? reason
function M.exclusion(buf)
  local by_user = switch(buf)
  if by_user == false then
    return "b:claudecode_share is off"
  end
  return reason_of(by_user == nil and verdict(buf))
end

---Why a file is not shared, even while sharing is on. The switch of its buffer counts, if it has one.
---@param path string absolute
---@return string? reason
function M.exclusion_of(path)
  local buf = require("claudecode.editor.buffers").find(path)
  if buf and switch(buf) ~= nil then
    return M.exclusion(buf)
  end
  return reason_of(glob_for(path) or buf and verdict(buf))
end

---May clients know of this buffer's file and text? Cheap, since it is asked at every movement.
---@param buf integer which may be gone
---@return boolean
function M.is_shared(buf)
  if not is_on or not api.nvim_buf_is_valid(buf) then
    return is_on
  end
  local by_user = switch(buf)
  return by_user or by_user == nil and not verdict(buf)
end

---@return boolean
function M.is_on()
  return is_on
end

---@param on boolean
function M.set(on)
  is_on = on
  require("claudecode.context.tracking").refresh()
  M.changed()
end

---@param listener fun() called when what is shared may have changed
function M.on_change(listener)
  listeners[#listeners + 1] = listener
end

---What is shared is something else now.
function M.changed()
  for _, listener in ipairs(listeners) do
    listener()
  end
end

---@return "on"|"off"|"excluded" state of the file that the user edits, or did before a terminal got the focus
---@return string? reason why it is excluded
function M.state()
  if not is_on then
    return "off"
  end
  local win = require("claudecode.editor.windows").last_editor()
  local reason = win and M.exclusion(api.nvim_win_get_buf(win))
  return reason and "excluded" or "on", reason
end

---@return string sentence for reports
function M.describe()
  local state, reason = M.state()
  if state == "off" then
    return "sharing: off (:ClaudeCodeShare on turns it on)"
  elseif reason then
    return "sharing: on, but the current file is excluded: " .. reason
  end
  return "sharing: on, except for files that match selection.exclude"
end

---Asks the user whether an excluded file may be mentioned all the same. Does not wait for the answer.
---@param path string absolute
---@param reason string why it is excluded
---@param on_yes fun()
function M.ask(path, reason, on_yes)
  local name = vim.fn.fnamemodify(path, ":~:.")
  -- Later, so that whoever mentions is not held up by a vim.ui.select() that waits.
  vim.schedule(function()
    vim.ui.select({ "Do not mention it", "Mention it: Claude may then read it" }, {
      prompt = ("%s is not shared (%s)"):format(name, reason),
      kind = "claudecode.mention",
    }, function(_, choice)
      if choice == 2 then
        return on_yes()
      end
      require("claudecode.notify").info(("%s was not mentioned."):format(name))
    end)
  end)
end

-- A file may have become a symlink, or have got another name.
api.nvim_create_autocmd({ "BufReadPost", "BufWritePost", "BufFilePost", "BufWipeout" }, {
  group = api.nvim_create_augroup("claudecode.sharing", { clear = true }),
  desc = "claudecode: find out anew whether the file is excluded",
  callback = function(event)
    verdicts[event.buf] = nil
  end,
})

return M
