-- Provider "snacks": the Claude CLI in a terminal of snacks.nvim, in whatever window the user has chosen for those.
local exit = require("claudecode.terminal.exit")
local notify = require("claudecode.notify")
local windows = require("claudecode.terminal.window")

local M = {}

---A window of snacks.nvim with its buffer: what is used of it here.
---@class claudecode.terminal.SnacksWin
---@field buf integer|nil
---@field win integer|nil
---@field opts table
---@field show fun(self: claudecode.terminal.SnacksWin)
---@field hide fun(self: claudecode.terminal.SnacksWin)
---@field close fun(self: claudecode.terminal.SnacksWin)
---@field focus fun(self: claudecode.terminal.SnacksWin)
---@field buf_valid fun(self: claudecode.terminal.SnacksWin): boolean
---@field win_valid fun(self: claudecode.terminal.SnacksWin): boolean

---@class claudecode.terminal.SnacksRun
---@field window claudecode.terminal.SnacksWin
---@field is_alive boolean
---@field view table|nil where the user had scrolled back to when it was hidden

---@type claudecode.terminal.SnacksRun|nil
local run

---@return { open: fun(command: string[], opts: table): claudecode.terminal.SnacksWin|nil }|nil terminal
local function snacks_terminal()
  local ok, terminal = pcall(function()
    local module = require("snacks").terminal ---@diagnostic disable-line: undefined-field -- the user's snacks.nvim
    return vim.is_callable(module.open) and module or nil
  end)
  return ok and terminal or nil
end

---@return claudecode.terminal.SnacksWin|nil window of a CLI that runs
local function alive()
  return run and run.is_alive and run.window:buf_valid() and run.window or nil
end

---@param window claudecode.terminal.SnacksWin
---@return boolean whether the window is in this tab page
local function is_here(window)
  local win = window:win_valid() and window.win
  return win and vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() or false
end

---Gives the tab page another window if it has none but this: a last window cannot be closed.
---@param window claudecode.terminal.SnacksWin
local function make_room(window)
  local win = window:win_valid() and window.win
  if win and windows.is_alone(win) and vim.api.nvim_win_get_config(win).relative == "" then
    local other = vim.api.nvim_win_call(win, function()
      vim.cmd("noautocmd vsplit")
      return vim.api.nvim_get_current_win()
    end)
    vim.wo[other].winfixbuf = false
    vim.api.nvim_win_set_buf(other, windows.another_buffer())
    vim.wo[other].winfixwidth = false
  end
end

---Forgets the run, and takes its window and buffer away: that ends the CLI.
local function drop()
  local old = run
  run = nil
  if old and old.window:buf_valid() then
    make_room(old.window)
    old.window:close()
  end
end

---@param window claudecode.terminal.SnacksWin
---@param auto_close boolean
local function follow(window, auto_close)
  local this = { window = window, is_alive = true }
  run = this
  vim.api.nvim_create_autocmd("BufWinLeave", {
    buffer = window.buf,
    desc = "claudecode: keep where the user has scrolled back to",
    callback = function()
      local win = vim.fn.win_findbuf(window.buf --[[@as integer]])[1]
      this.view = win and windows.scrolled_back(win)
    end,
  })
  vim.api.nvim_create_autocmd("TermClose", {
    buffer = window.buf,
    once = true,
    desc = "claudecode: notice the end of Claude",
    callback = function()
      local code = vim.v.event.status --[[@as integer]]
      local buf = window.buf --[[@as integer]]
      this.is_alive = false
      require("claudecode.status").changed()
      if exit.is_general() then
        return
      end
      vim.schedule(function()
        if run == this then
          exit.tell(code, buf)
          if auto_close then
            drop()
          end
        end
      end)
    end,
  })
  exit.with_neovim(M.pid)
end

---@param terminal claudecode.Config.terminal
---@return table
local function window_options(terminal)
  local defaults = {
    position = terminal.split_side,
    width = terminal.split_width_percentage,
    height = 0,
    relative = "editor",
    enter = true,
    bo = { filetype = "claudecode_terminal", buflisted = false },
    wo = { winfixbuf = true },
  }
  return vim.tbl_deep_extend("force", defaults, terminal.snacks_win_opts) --[[@as table]]
end

---@param request claudecode.terminal.Request
---@return claudecode.terminal.SnacksWin|nil
---@return string|nil err
local function start(request)
  local launch, err = require("claudecode.terminal.launch").prepare(request.config, request.terminal, request.args)
  if not launch then
    return nil, err
  end
  drop()
  local terminal = snacks_terminal()
  -- Its own way of entering Insert mode would do so each time the user comes by.
  local opened = terminal
    and terminal.open(launch.argv, {
      cwd = launch.cwd,
      env = launch.env,
      start_insert = false,
      auto_insert = false,
      auto_close = false,
      interactive = false,
      win = window_options(request.terminal),
    })
  if not (opened and opened:buf_valid()) then
    return nil, "snacks.nvim opened no terminal for Claude."
  end
  follow(opened, request.terminal.auto_close)
  return opened
end

---Keeps what the user has made of the size.
---@param window claudecode.terminal.SnacksWin
local function remember_size(window)
  local win = window:win_valid() and window.win
  if not win or vim.api.nvim_win_get_config(win).relative ~= "" then
    return
  elseif vim.list_contains({ "left", "right" }, window.opts.position) then
    window.opts.width = vim.api.nvim_win_get_width(win)
  else
    window.opts.height = vim.api.nvim_win_get_height(win)
  end
end

---@param window claudecode.terminal.SnacksWin
local function hide(window)
  remember_size(window)
  make_room(window)
  window:hide()
end

---@param request claudecode.terminal.Request
---@param focus boolean
---@return true|nil
---@return string|nil err
function M.open(request, focus)
  local before, mode = vim.api.nvim_get_current_win(), vim.api.nvim_get_mode().mode
  local window, err = alive(), nil
  if not window then
    window, err = start(request)
  elseif request.has_args() then
    notify.warn("Claude is already running, so the arguments were not used. :ClaudeCodeClose ends it first.")
  end
  if not window then
    return nil, err
  end
  if not is_here(window) then
    hide(window)
    window:show()
    windows.scroll_to(window.win --[[@as integer]], run and run.view)
  end
  if focus then
    window:focus()
    if
      request.terminal.auto_insert and not windows.scrolled_back(window.win --[[@as integer]])
    then
      vim.cmd.startinsert()
    end
  elseif vim.api.nvim_win_is_valid(before) then
    vim.api.nvim_set_current_win(before)
    if mode == "n" then
      vim.cmd.stopinsert()
    end
  end
  return true
end

---@param request claudecode.terminal.Request
---@return true|nil
---@return string|nil err
function M.simple_toggle(request)
  local window = alive()
  if window and is_here(window) and not request.has_args() then
    hide(window)
    return true
  end
  return M.open(request, true)
end

---@param request claudecode.terminal.Request
---@return true|nil
---@return string|nil err
function M.focus_toggle(request)
  local window = alive()
  if window and vim.api.nvim_get_current_buf() == window.buf and not request.has_args() then
    hide(window)
    return true
  end
  return M.open(request, true)
end

---@param request claudecode.terminal.Request
---@return true|nil
---@return string|nil err
function M.ensure_visible(request)
  return M.open(request, false)
end

---Ends the CLI and removes its buffer, shown or hidden.
function M.close()
  drop()
end

---@return integer|nil buf of a CLI that runs
function M.get_active_bufnr()
  local window = alive()
  return window and window.buf
end

---@return integer|nil pid of the CLI
function M.pid()
  local buf = M.get_active_bufnr()
  local channel = buf and require("claudecode.terminal.input").channel(buf)
  local ok, pid = pcall(vim.fn.jobpid, channel or 0)
  return ok and pid or nil
end

---@return boolean
function M.is_available()
  return snacks_terminal() ~= nil
end

return M
