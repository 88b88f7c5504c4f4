-- File explorers and pickers: which buffers are one, by filetype alone, and what the user has selected there.

local M = {}

---@class claudecode.LineRange lines of a buffer
---@field first integer 1-based
---@field last integer 1-based, included

---Returns absolute paths, or nil and why there are none: of the entries in the lines of the range, else of what is
---marked, else of the entry under the cursor. The buffer is that of the current window. May throw: that becomes a
---sentence for the user. `plugin` is the module that the integration names.
---@alias claudecode.Selected fun(buf: integer, range?: claudecode.LineRange, plugin: any): string[]?, string?

---@class claudecode.Integration what is known about one explorer
---@field selected claudecode.Selected
---@field name? string for messages; the filetype when nil
---@field plugin? string module of the explorer; without it the user is told that the explorer is not loaded

---@type table<string, string> by filetype, a module in this directory, loaded when it is needed
local MODULES = {
  NvimTree = "nvim_tree",
  ["neo-tree"] = "neo_tree",
  oil = "oil",
  minifiles = "mini_files",
  netrw = "netrw",
  snacks_picker_list = "snacks_picker",
  snacks_picker_input = "snacks_picker",
  TelescopePrompt = "telescope",
  fzf = "fzf_lua",
}

---@type table<string, claudecode.Integration> by filetype, those that users have added
local registered = {}

---Adds an explorer, or replaces one. See |claudecode-explorers|.
---@param filetype string
---@param integration claudecode.Integration
function M.register(filetype, integration)
  if type(filetype) ~= "string" or type(integration) ~= "table" or type(integration.selected) ~= "function" then
    error("claudecode: register() takes a filetype and a table with a function `selected`", 2)
  end
  registered[filetype] = integration
end

---@param filetype string
---@return claudecode.Integration?
local function integration_of(filetype)
  local module = MODULES[filetype]
  return registered[filetype] or module and require("claudecode.integrations." .. module)
end

---@param buf integer
---@return boolean
function M.is_tree(buf)
  local filetype = vim.bo[buf].filetype
  return registered[filetype] ~= nil or MODULES[filetype] ~= nil
end

---@return claudecode.LineRange? lines of Visual mode, if that is on
local function visual_range()
  if not require("claudecode.editor.visual").kind(vim.api.nvim_get_mode().mode) then
    return nil
  end
  local here, there = vim.fn.line("v"), vim.fn.line(".")
  return { first = math.min(here, there), last = math.max(here, there) }
end

---@param name string of the explorer
---@param thrown string with a traceback
---@return string err
local function failure(name, thrown)
  require("claudecode.log").error("integrations", "%s: %s", name, thrown)
  local reason = thrown:gsub("\n.*$", ""):gsub("^.-:%d+: ", ""):gsub("[%s.]+$", "")
  return ("%s could not say what is selected: %s"):format(name, reason)
end

---@param paths any
---@return string[]? paths absolute and normalised, each once; a directory ends in a slash
local function tidy(paths)
  if type(paths) ~= "table" then
    return nil
  end
  local found, seen = {}, {}
  for _, path in ipairs(paths) do
    if type(path) ~= "string" or path == "" then
      return nil
    end
    path = require("claudecode.editor.uri").to_path(path)
    local stat = vim.uv.fs_stat(path)
    if stat and stat.type == "directory" then
      path = path:gsub("/+$", "") .. "/"
    end
    if not seen[path] then
      seen[path] = true
      found[#found + 1] = path
    end
  end
  return found
end

---Why a buffer that is no known explorer has no entries, and what to use instead.
---@param buf integer
---@return string err
local function no_explorer(buf)
  if require("claudecode.editor.buffers").path(buf) then
    return "this buffer is a file, not a file explorer: use :ClaudeCodeAdd % for all of it, :ClaudeCodeSend for lines"
  end
  local filetype = vim.bo[buf].filetype
  return ("this buffer (%s) is not a file explorer that is known; :ClaudeCodeAdd takes a path, "):format(
    filetype ~= "" and ("filetype %q"):format(filetype) or "without a filetype"
  ) .. "and :help claudecode-explorers says how to add an explorer"
end

---Asks an explorer what is selected. Nothing that it does wrong comes through as an error.
---@param integration claudecode.Integration
---@param buf integer
---@param range? claudecode.LineRange
---@return string[]? paths absolute, at least one; a directory ends in a slash
---@return string? err
function M.ask(integration, buf, range)
  local name = integration.name or vim.bo[buf].filetype
  local is_loaded, plugin = pcall(require, integration.plugin or "claudecode.integrations")
  if not is_loaded then
    require("claudecode.log").error("integrations", "%s: %s", name, plugin)
    return nil, name .. " is not loaded, so it cannot say what is selected"
  end
  local ok, paths, err = xpcall(integration.selected, debug.traceback, buf, range, plugin)
  if not ok then
    return nil, failure(name, tostring(paths --[[@as any]]))
  elseif paths == nil or type(paths) == "table" and next(paths) == nil then
    return nil, err or ("no file or directory is selected in " .. name)
  end
  paths = tidy(paths)
  return paths, not paths and name .. " did not answer with a list of paths when asked what is selected" or nil
end

---What is selected in the explorer of the current buffer: the entries in the lines of the range or of Visual mode, else
---those that are marked, else the one under the cursor. Changes nothing.
---@param range? claudecode.LineRange
---@return string[]? paths absolute, at least one; a directory ends in a slash
---@return string? err
function M.get_selected_files_from_tree(range)
  local buf = vim.api.nvim_get_current_buf()
  local integration = integration_of(vim.bo[buf].filetype)
  if not integration then
    return nil, no_explorer(buf)
  end
  return M.ask(integration, buf, range or visual_range())
end

---Mentions files and directories, in order, as the commands do; what fails is told. For actions of pickers.
---@param paths? string[] absolute
---@param err? string why there are none
function M.add(paths, err)
  local send = require("claudecode.commands.send")
  send.send(send.mentions_of(paths, "integrations"), err)
end

return M
