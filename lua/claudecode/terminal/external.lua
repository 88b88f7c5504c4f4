-- Provider "external": the Claude CLI in a terminal program of the user's, outside Neovim.
local exit = require("claudecode.terminal.exit")
local notify = require("claudecode.notify")
local words = require("claudecode.terminal.words")

local M = {}

-- What a terminal program wrote last, in bytes: for a message about its end.
local MOST_SAID = 2000

---@class claudecode.terminal.ExternalRun
---@field job integer
---@field said string What it wrote to its standard error, at the end.
---@field ending boolean|nil ended by us

---@type claudecode.terminal.ExternalRun|nil
local run

---@type boolean the program has gone without an error: it may have left the CLI to a server of its own
local is_handed_over = false

---Programs such as tmux, gnome-terminal or wezterm only tell a server of theirs to open a window, with the environment
---and the directory of that one. So both are a part of the command.
---@param launch claudecode.terminal.Launch
---@return string[] argv
local function self_contained(launch)
  if vim.fn.has("win32") == 1 then
    return launch.argv
  end
  local argv = { "sh", "-c", 'cd "$1" && shift && exec env "$@"', "claude", launch.cwd }
  local names = vim.tbl_keys(launch.env)
  table.sort(names)
  for _, name in ipairs(names) do
    argv[#argv + 1] = name .. "=" .. launch.env[name]
  end
  return vim.list_extend(argv, launch.argv)
end

---@param text string
---@return integer count of `%s`
local function placeholders(text)
  return select(2, text:gsub("%%s", ""))
end

---Puts the CLI's command, and the directory if there is a second place, where the user's command has `%s`: a word that
---is nothing else becomes several words; inside a longer one, such as a script for `sh -c`, they are quoted for a
---shell.
---@param template string[]
---@param launch claudecode.terminal.Launch
---@return string[]|nil argv
---@return string|nil err
local function fill(template, launch)
  local count = 0
  for _, word in ipairs(template) do
    count = count + placeholders(word)
  end
  if count < 1 or count > 2 then
    return nil,
      ("it has %d places `%%s`: one is for Claude's command, of two the first is for the directory"):format(count)
  end
  local command, filled, place = self_contained(launch), {}, 2 - count
  for _, word in ipairs(template) do
    if word == "%s" and place == 1 then
      vim.list_extend(filled, command)
    elseif word == "%s" then
      filled[#filled + 1], place = launch.cwd, 1
    else
      filled[#filled + 1] = word:gsub("%%s", function()
        place = place + 1
        return words.join(place == 1 and { launch.cwd } or command)
      end)
    end
  end
  return filled
end

---@param option string|string[]|function external_terminal_cmd
---@param launch claudecode.terminal.Launch
---@return string[]|nil argv
---@return string|nil err
local function command(option, launch)
  if type(option) == "table" then
    return fill(option, launch)
  elseif type(option) == "string" then
    local template, err = words.split(option, true)
    if not template then
      return nil, err
    end
    return fill(template, launch)
  end
  local ok, made = pcall(option, words.join(launch.argv), vim.deepcopy(launch.env), launch.cwd)
  if not ok then
    return nil, "the function threw an error: " .. tostring(made)
  elseif type(made) == "string" then
    return words.split(made)
  elseif type(made) ~= "table" or not vim.islist(made) or type(made[1]) ~= "string" then
    return nil, "the function returned no command: neither a string nor a list of strings"
  end
  return made
end

---@param this claudecode.terminal.ExternalRun
---@param code integer
local function ended(this, code)
  if run == this then
    run = nil
  end
  is_handed_over = code == 0 and not this.ending
  if code ~= 0 and not this.ending and not exit.is_general() then
    local said = vim.trim((this.said:gsub("\r", "")))
    notify.warn(
      ("the external terminal ended with %s.%s"):format(exit.describe(code), said ~= "" and "\n" .. said or "")
    )
  end
end

---@param argv string[]
---@param launch claudecode.terminal.Launch
---@return true|nil
---@return string|nil err
local function start(argv, launch)
  local program = argv[1] --[[@as string]]
  if vim.fn.executable(program) ~= 1 then
    return nil, ("cannot start Claude: the terminal program %q was not found."):format(program)
  end
  local this = { said = "" }
  local ok, job = pcall(vim.fn.jobstart, argv, {
    cwd = launch.cwd,
    env = launch.env,
    on_stderr = function(_, data)
      this.said = (this.said .. table.concat(data, "\n")):sub(-MOST_SAID)
    end,
    on_exit = function(_, code)
      ended(this, code)
    end,
  })
  if not ok or job <= 0 then
    return nil, ("cannot start Claude: %s: %s"):format(program, ok and "it cannot be run" or tostring(job))
  end
  this.job = job
  run, is_handed_over = this, false
  exit.with_neovim(M.pid)
  return true
end

---@param request claudecode.terminal.Request
---@return true|nil
---@return string|nil err
function M.open(request)
  if run then
    notify.info("Claude runs in its own terminal window: go there. :ClaudeCodeClose ends it.")
    return true
  elseif is_handed_over and next(require("claudecode.bridge").clients()) then
    notify.info("Claude is connected, from a terminal window of its own. To start another: :ClaudeCodeClose first.")
    return true
  end
  local option = request.terminal.provider_opts.external_terminal_cmd --[[@as string|string[]|function]]
  local launch, err = require("claudecode.terminal.launch").prepare(request.config, request.terminal, request.args)
  if not launch then
    return nil, err
  end
  local argv
  argv, err = command(option, launch)
  if not argv then
    return nil, "terminal.provider_opts.external_terminal_cmd cannot be used: " .. err .. "."
  end
  return start(argv, launch)
end

M.simple_toggle, M.focus_toggle = M.open, M.open

---A terminal outside is as visible as the user has made it; but a CLI is started if there is none.
---@param request claudecode.terminal.Request
---@return true|nil
---@return string|nil err
function M.ensure_visible(request)
  return run and true or M.open(request)
end

---Ends the terminal program, and what runs in it. What it has left to a server is out of reach.
function M.close()
  is_handed_over = false
  local this = run
  run = nil
  if this then
    this.ending = true
    vim.fn.jobstop(this.job)
  end
end

---There is no terminal buffer.
---@return nil
function M.get_active_bufnr() end

---@return integer|nil pid of the terminal program
function M.pid()
  local ok, pid = pcall(vim.fn.jobpid, run and run.job or 0)
  return ok and pid or nil
end

---@return boolean
function M.is_available()
  return true
end

return M
