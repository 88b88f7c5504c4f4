-- How the new text of a file gets into its buffer, so that the user keeps cursor, view, folds, marks and undo.
--
-- `:checktime` (0.10 to 0.12) replaces all lines. Cursors, folds, marks and extmarks then stay at their line numbers,
-- so they stand on other text when lines came or went above; language servers get a close and an open, FileType runs
-- again, and undo is lost for files longer than 'undoreload'. apply() changes only the lines that differ, and
-- everything moves along with its text.
--
-- Neovim must then learn that the buffer equals the file, or the next `:w` asks "The file has been changed since
-- reading it". The only ways to tell it are to read or to write. A write that a BufWriteCmd handles touches no disk and
-- sets all of it: the time that was read, 'modified', and that older undo states differ from the file. `:checktime`
-- with an empty v:fcs_choice is not enough: it leaves the time that `:w` compares.
--
-- Where the text of the buffer is not simply the bytes of the file, by_neovim() leaves the reload to `:checktime`.

local filetext = require("claudecode.editor.filetext")
local line_edits = require("claudecode.editor.line_edits")

local M = {}

---Runs something that may lose marks on changed lines (every edit does on some version), and puts those back.
---@param buf integer
---@param hunks claudecode.Hunk[]
---@param change fun()
local function keeping_marks(buf, hunks, change)
  local marks = vim.fn.getmarklist(buf)
  for _, mark in ipairs(vim.fn.getmarklist()) do
    if mark.pos[1] == buf then
      marks[#marks + 1] = mark
    end
  end
  change()
  local count = vim.api.nvim_buf_line_count(buf)
  for _, mark in ipairs(marks) do
    local name, line, column = mark.mark:sub(2), mark.pos[2], mark.pos[3]
    local wanted = line_edits.moved(line, hunks, count)
    if name:find('[%a"<>^]') and vim.api.nvim_buf_get_mark(buf, name)[1] ~= wanted then
      pcall(vim.api.nvim_buf_set_mark, buf, name, wanted, math.max(column - 1, 0), {})
    end
  end
end

---What has been typed so far, or changed here, is one step for undo.
local function end_undo_step()
  vim.cmd("noautocmd let &l:undolevels = &l:undolevels")
end

---Runs a command whose autocommand must run, or it would ask or write.
---@param command string
local function with_events(command)
  local ignored = vim.o.eventignore
  vim.o.eventignore = ""
  local ok, err = pcall(vim.api.nvim_command, command)
  vim.o.eventignore = ignored
  if not ok then
    error(err, 0)
  end
end

---Tells Neovim that the current buffer equals its file; see the head of this file. With 'buftype' acwrite a write
---fails, rather than reach the disk, should the autocommand not run.
---@param buf integer the current one
local function write_nothing(buf)
  local autocmd = vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    desc = "claudecode: the buffer equals its file already",
    callback = function()
      vim.bo[buf].modified = false
    end,
  })
  vim.cmd("noautocmd setlocal buftype=acwrite")
  local ok, err = pcall(with_events, "silent lockmarks keepjumps keepalt write!")
  vim.cmd("noautocmd setlocal buftype=")
  vim.api.nvim_del_autocmd(autocmd)
  if not ok then
    error(err, 0)
  end
end

---The undo file no longer fits the file; `:checktime` writes it too.
---@param buf integer the current one
local function write_undo_file(buf)
  if vim.bo.undofile then
    local path = vim.fn.undofile(vim.api.nvim_buf_get_name(buf))
    pcall(
      vim.cmd.wundo,
      { args = { path }, bang = true, magic = { file = false, bar = false }, mods = { silent = true } }
    )
  end
end

---Is this buffer written by Neovim itself? Where a plugin writes it (BufWriteCmd), write_nothing() would start that.
---@param buf integer
---@return boolean
function M.can_apply(buf)
  local path = vim.api.nvim_buf_get_name(buf)
  for _, autocmd in ipairs(vim.api.nvim_get_autocmds({ event = "BufWriteCmd" })) do
    local pattern = autocmd.pattern or "*"
    local regex = vim.fn.glob2regpat(pattern)
    if
      pattern == ("<buffer=%d>"):format(buf)
      or vim.fn.match(path, regex) >= 0
      or vim.fn.match(vim.fs.basename(path), regex) >= 0
    then
      return false
    end
  end
  return true
end

---Gives a clean buffer the text of its file, as one step for undo; only where can_apply(). Throws if Neovim refuses:
---then the buffer is marked as modified, or as it was.
---@param buf integer loaded, not modified
---@param text claudecode.FileText
---@return boolean changed the text was another
function M.apply(buf, text)
  local old = filetext.is_blank(buf) and {} or vim.api.nvim_buf_get_lines(buf, 0, -1, true)
  local hunks = line_edits.compare(old, text.lines)
  vim.api.nvim_buf_call(buf, function()
    local modifiable, readonly = vim.bo.modifiable, vim.bo.readonly
    end_undo_step()
    -- 'modified' from the start: no swap file is made now, which could bring up the dialog of E325.
    vim.cmd("noautocmd setlocal modifiable noreadonly modified")
    local ok, err = pcall(function()
      keeping_marks(buf, hunks, function()
        line_edits.edit(buf, old, text.lines, hunks)
      end)
      vim.cmd("noautocmd setlocal " .. (text.has_eol and "endofline" or "noendofline"))
      write_nothing(buf)
      end_undo_step()
      if #hunks > 0 then
        write_undo_file(buf)
      end
    end)
    vim.cmd("noautocmd setlocal " .. (modifiable and "modifiable" or "nomodifiable"))
    vim.cmd("noautocmd setlocal " .. (readonly and "readonly" or "noreadonly"))
    if not ok then
      error(err, 0)
    end
  end)
  return #hunks > 0
end

---Tells the user's handlers of a reload that Neovim has not done itself.
---@param buf integer
---@return string? thrown by one of them
function M.raise_post(buf)
  local before = vim.v.errmsg
  vim.v.errmsg = ""
  vim.cmd(
    ("silent! lua vim.api.nvim_exec_autocmds('FileChangedShellPost', { buffer = %d, modeline = false })"):format(buf)
  )
  local thrown = vim.v.errmsg
  vim.v.errmsg = before
  return thrown ~= "" and thrown or nil
end

---Runs something that takes the windows of a buffer elsewhere, and puts their cursors and views back.
---@param buf integer
---@param change fun()
local function keeping_views(buf, change)
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    views[win] = vim.api.nvim_win_call(win, vim.fn.winsaveview)
  end
  change()
  for win, view in pairs(views) do
    if vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == buf then
      vim.api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
  end
end

---Has `:checktime` look at one buffer, without a question to the user.
---@param buf integer loaded
---@param choice ""|"reload"|"edit" see v:fcs_choice; a dirty buffer and one without a file stay in any case
---@return string? reason see v:fcs_reason; nil when nothing has changed
local function checktime(buf, choice)
  local reason
  local autocmd = vim.api.nvim_create_autocmd("FileChangedShell", {
    buffer = buf,
    desc = "claudecode: decide about a changed file",
    callback = function()
      reason = vim.v.fcs_reason
      vim.v.fcs_choice = (reason == "deleted" or reason == "conflict") and "" or choice
    end,
  })
  local ok, err
  vim.api.nvim_buf_call(buf, function()
    local autoread = vim.api.nvim_get_option_value("autoread", { scope = "local" })
    -- It would reload without asking the autocommand.
    vim.cmd("noautocmd setlocal noautoread")
    ok, err = pcall(with_events, ("silent keepalt checktime %d"):format(buf))
    if autoread ~= false then
      vim.cmd("noautocmd " .. (autoread and "setlocal autoread" or "set autoread<"))
    end
  end)
  vim.api.nvim_del_autocmd(autocmd)
  if not ok then
    error(err, 0)
  end
  return reason
end

---What Neovim knows about the file of a buffer, which it need not have read or written while we were there.
---@param buf integer loaded
---@return string? reason see v:fcs_reason; nil when nothing has changed
function M.ask_neovim(buf)
  return checktime(buf, "")
end

---Has Neovim itself reload a clean buffer whose file has changed. Whether it has, Neovim knows.
---@param buf integer loaded
---@param choice "reload"|"edit" keep 'fileformat', 'fileencoding' and the like, or detect them again
function M.by_neovim(buf, choice)
  local undoreload = vim.o.undoreload
  vim.o.undoreload = -1
  local ok, err = pcall(keeping_views, buf, function()
    if filetext.is_blank(buf) then
      -- A file that was not there before is not in checktime's books: it would ask (W13).
      vim.api.nvim_buf_call(buf, function()
        vim.cmd("silent keepalt edit")
      end)
    else
      checktime(buf, choice)
    end
  end)
  vim.o.undoreload = undoreload
  if not ok then
    error(err, 0)
  end
end

return M
