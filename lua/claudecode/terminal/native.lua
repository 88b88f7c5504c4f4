-- Provider "native": the Claude CLI in a terminal buffer of Neovim.

local exit = require("claudecode.terminal.exit")
local notify = require("claudecode.notify")
local window = require("claudecode.terminal.window")

local M = {}

---@class claudecode.terminal.Run one life of the CLI
---@field buf integer
---@field job integer|nil nil once it has ended
---@field pid integer|nil
---@field auto_close boolean
---@field ending boolean|nil ended by us
---@field view table|nil where the user had scrolled back to when it was hidden

---@type claudecode.terminal.Run|nil
local run

---Removes the buffer from the screen and from Neovim. That ends a job in it: hangup, then, if need be, kill.
---@param r claudecode.terminal.Run
local function drop(r)
  if run == r then
    run = nil
  end
  if vim.api.nvim_buf_is_valid(r.buf) then
    window.release_all(r.buf)
    vim.api.nvim_buf_delete(r.buf, { force = true })
  end
end

---@return claudecode.terminal.Run|nil run one whose process is alive
local function alive()
  if run and run.job and vim.api.nvim_buf_is_valid(run.buf) then
    return run
  end
end

---@param r claudecode.terminal.Run
---@param code integer
local function ended(r, code)
  r.job = nil
  require("claudecode.status").changed()
  if exit.is_general() then
    return
  end
  if not r.ending then
    exit.tell(code, r.buf)
  end
  if r.auto_close or not vim.api.nvim_buf_is_valid(r.buf) then
    drop(r)
  end
end

---Starts the job in the window's buffer and makes that a terminal.
---@return integer|nil job
---@return string|nil err
local function spawn(win, launch, on_exit)
  local ok, job = pcall(vim.api.nvim_win_call, win, function()
    local options = { cwd = launch.cwd, env = launch.env, on_exit = on_exit }
    if vim.fn.has("nvim-0.11") == 1 then
      options.term = true
      return vim.fn.jobstart(launch.argv, options)
    end
    ---@diagnostic disable-next-line: deprecated
    return vim.fn.termopen(launch.argv, options)
  end)
  if not ok or job <= 0 then
    return nil, ("cannot start Claude (%s): %s"):format(launch.argv[1], ok and "it cannot be run" or tostring(job))
  end
  return job --[[@as integer]]
end

---Notes where the user has scrolled back to, before the window goes.
---@param r claudecode.terminal.Run
local function keep_view(r)
  local win = window.here(r.buf) or vim.fn.win_findbuf(r.buf)[1]
  if win then
    r.view = window.scrolled_back(win)
  end
end

---@param request claudecode.terminal.Request
---@param focus boolean
---@return integer|nil win
---@return string|nil err
local function start(request, focus)
  local launch, err = require("claudecode.terminal.launch").prepare(request.config, request.terminal, request.args)
  if not launch then
    return nil, err
  end
  if run then
    drop(run)
  end
  local mode = vim.api.nvim_get_mode().mode
  local r = { buf = vim.api.nvim_create_buf(false, false), auto_close = request.terminal.auto_close }
  vim.bo[r.buf].bufhidden = "hide"
  local win
  win, err = window.open(r.buf, request.terminal)
  if win then
    r.job, err = spawn(win, launch, function(_, code)
      ended(r, code)
    end)
  end
  if not r.job then
    drop(r)
    return nil, err
  end
  run = r
  exit.with_neovim(M.pid)
  local ok, pid = pcall(vim.fn.jobpid, r.job)
  r.pid = ok and pid or nil
  vim.bo[r.buf].buflisted = false
  vim.bo[r.buf].filetype = "claudecode_terminal"
  vim.api.nvim_create_autocmd("BufWinLeave", {
    buffer = r.buf,
    desc = "claudecode: keep where the user has scrolled back to",
    callback = function()
      keep_view(r)
    end,
  })
  if not focus and mode == "n" then
    -- A TermOpen handler may have asked for Insert mode, which would begin in the user's own window.
    vim.cmd.stopinsert()
  end
  return win
end

---@param win integer
---@param terminal claudecode.Config.terminal
local function enter(win, terminal)
  vim.api.nvim_set_current_win(win)
  if terminal.auto_insert and not window.scrolled_back(win) then
    vim.cmd.startinsert()
  end
  if terminal.show_native_term_exit_tip then
    require("claudecode.terminal.tip").show(win)
  end
end

---Shows the terminal in this tab page, starting the CLI if none runs.
---@param request claudecode.terminal.Request
---@param focus boolean
---@return true|nil
---@return string|nil err
function M.open(request, focus)
  local r = alive()
  local win, err
  if r then
    win = window.here(r.buf)
    if not win then
      keep_view(r)
      win, err = window.open(r.buf, request.terminal)
      if win then
        window.release_all(r.buf, win)
        window.scroll_to(win, r.view)
        r.view = nil
      end
    end
    if win and request.has_args() then
      notify.warn("Claude is already running, so the arguments were not used. :ClaudeCodeClose ends it first.")
    end
  else
    win, err = start(request, focus)
  end
  if not win then
    return nil, err
  end
  if focus then
    enter(win, request.terminal)
  end
  return true
end

---Takes the terminal off the screen; the CLI goes on.
local function hide()
  if run and vim.api.nvim_buf_is_valid(run.buf) then
    keep_view(run)
    window.release_all(run.buf)
  end
end

---@param request claudecode.terminal.Request
---@return true|nil
---@return string|nil err
function M.simple_toggle(request)
  local r = alive()
  if r and window.here(r.buf) and not request.has_args() then
    hide()
    return true
  end
  return M.open(request, true)
end

---@param request claudecode.terminal.Request
---@return true|nil
---@return string|nil err
function M.focus_toggle(request)
  local r = alive()
  if r and vim.api.nvim_get_current_buf() == r.buf and not request.has_args() then
    hide()
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

---Ends the CLI and removes its buffer, shown or hidden. Does not wait for the process.
function M.close()
  local r = run
  if not r then
    return
  end
  r.ending = true
  drop(r)
end

---@return integer|nil buf of a CLI that runs
function M.get_active_bufnr()
  local r = alive()
  return r and r.buf
end

---@return integer|nil pid of the CLI
function M.pid()
  local r = alive()
  return r and r.pid
end

function M.is_available()
  return true
end

return M
