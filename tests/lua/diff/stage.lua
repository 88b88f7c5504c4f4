-- A Neovim with windows, texts and a pending diff, and what must look the same afterwards.
local Child = require("tests.lua.child")

local M = {}

M.OLD = "alpha\nbeta\ngamma\n"
M.NEW = "alpha\nBETA\ngamma\n"

-- Answers, events and a picture of everything that a diff may not leave changed.
local PRELUDE = [[
_G.answers, _G.events = {}, {}
for _, name in ipairs({ "Opened", "Closed" }) do
  vim.api.nvim_create_autocmd("User", { pattern = "ClaudeCodeDiff" .. name, callback = function(event)
    table.insert(events, vim.tbl_extend("force", { name = name }, event.data))
  end })
end
_G.said = {}
vim.notify = function(text) table.insert(said, text) end

function _G.propose(path, text, opts)
  opts = opts or {}
  local tab_name = opts.tab_name or "diff"
  local ok, err = require("claudecode.diff").open({
    tab_name = tab_name, old_path = path, new_path = opts.new_path or path, text = text, client = opts.client or 1,
    on_decided = function(decision)
      decision.tab_name = tab_name
      table.insert(answers, decision)
    end,
  })
  return { ok = ok or false, err = err }
end

-- The buffer of a file of the project, never one whose name only begins so.
function _G.buffer_of(rel)
  local path = vim.uv.cwd() .. "/" .. rel
  return vim.iter(vim.api.nvim_list_bufs()):find(function(buf)
    return vim.api.nvim_buf_get_name(buf) == path
  end)
end

local function options(where, scope)
  local values = {}
  for name, info in pairs(vim.api.nvim_get_all_options_info()) do
    if info.scope == scope and name ~= "modified" then
      local ok, value = pcall(vim.api.nvim_get_option_value, name, where)
      values[name] = ok and value or nil
    end
  end
  return values
end

-- Marks of ours in a text: highlights, virtual lines, signs.
local function our_marks(buf)
  local count = 0
  for name, namespace in pairs(vim.api.nvim_get_namespaces()) do
    if vim.startswith(tostring(name), "claudecode") then
      count = count + #vim.api.nvim_buf_get_extmarks(buf, namespace, 0, -1, {})
    end
  end
  return count
end

-- What was typed or copied last, and the named ones; not the last command, search and insert: those are the test's own.
local function registers()
  local values = {}
  for name in ('"0123456789abcdefghijklmnopqrstuvwxyz-'):gmatch(".") do
    values[name] = vim.fn.getreg(name)
  end
  return values
end

-- Neovim's own `set syntax=` of every file that is loaded sets the global value too.
local function global_buffer_options()
  local values = options({ scope = "global" }, "buf")
  values.syntax = nil
  return values
end

function _G.picture()
  local tabs, windows, buffers = {}, {}, {}
  for _, tab in ipairs(vim.api.nvim_list_tabpages()) do
    table.insert(tabs, vim.fn.winlayout(vim.api.nvim_tabpage_get_number(tab)))
  end
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local buf = vim.api.nvim_win_get_buf(win)
    local view = vim.api.nvim_win_call(win, vim.fn.winsaveview)
    windows[tostring(win)] = {
      buf = buf, width = vim.api.nvim_win_get_width(win), height = vim.api.nvim_win_get_height(win),
      view = vim.bo[buf].buftype ~= "terminal" and view or nil,
      alternate = vim.api.nvim_win_call(win, function() return vim.fn.bufnr("#") end),
      jumps = vim.fn.getjumplist(win),
      options = options({ win = win }, "win"),
    }
  end
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    buffers[tostring(buf)] = {
      name = vim.api.nvim_buf_get_name(buf), loaded = vim.api.nvim_buf_is_loaded(buf),
      modified = vim.bo[buf].modified, listed = vim.bo[buf].buflisted, marks = our_marks(buf),
      options = vim.api.nvim_buf_is_loaded(buf) and options({ buf = buf }, "buf") or nil, -- a load sets them anew
    }
  end
  return {
    tabs = tabs, windows = windows, buffers = buffers, options = options({ scope = "global" }, "global"),
    window_options = options({ scope = "global" }, "win"), buffer_options = global_buffer_options(),
    registers = registers(), key_listeners = vim.on_key(),
    window = vim.api.nvim_get_current_win(), tab = vim.api.nvim_get_current_tabpage(),
    mode = vim.api.nvim_get_mode().mode,
    listeners = #vim.tbl_filter(function(autocmd)
      return vim.startswith(autocmd.group_name or "", "claudecode.diff.")
    end, vim.api.nvim_get_autocmds({})),
  }
end
]]

---@param opts tests.ChildOptions?
---@return tests.Child
function M.start(opts)
  opts = opts or {}
  opts.ui = opts.ui or { 120, 40 }
  opts.files = opts.files or { ["a.txt"] = M.OLD, ["b.txt"] = "one\ntwo\nthree\n" }
  opts.setup = PRELUDE .. (opts.setup or "")
  return Child.start(opts)
end

---The names of what differs between two pictures.
---@param before table
---@param after table
---@return string[]
function M.differences(before, after)
  local found = {}
  local function compare(path, a, b)
    if type(a) ~= "table" or type(b) ~= "table" then
      if a ~= b then
        table.insert(found, ("%s: %s -> %s"):format(path, vim.inspect(a), vim.inspect(b)))
      end
      return
    end
    local keys = vim.tbl_extend("force", a, b)
    for key in vim.spairs(keys) do
      compare(path .. "." .. tostring(key), a[key], b[key])
    end
  end
  compare("", before, after)
  return found
end

---What the user sees, but for the command line.
---@param child tests.Child With a UI.
---@return string[]
function M.screen(child)
  -- 0.10 draws rulers late.
  child:lua("vim.cmd('redrawstatus! | redraw')")
  local lines = child:screen()
  for _ = 1, child:lua("return vim.o.cmdheight") do
    table.remove(lines)
  end
  return lines
end

---Opens a diff of a file of the project as client 1.
---@param child tests.Child
---@param rel string
---@param text string
---@param opts table?
---@return { ok: boolean, err?: string }
function M.propose(child, rel, text, opts)
  return child:lua("return propose(...)", child:path(rel), text, opts)
end

---Waits until no diff is on the screen, and what was to follow has followed.
---@param child tests.Child
function M.wait_closed(child)
  child:wait([[
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.b[buf].claudecode_diff_tab_name then return false end
    end
    return true
  ]])
end

return M
