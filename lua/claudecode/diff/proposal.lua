-- The buffer of a proposal: looks like the file, starts nothing, and is written to accept.
local copies = require("claudecode.diff.copies")
local intent = require("claudecode.diff.intent")
local quiet = require("claudecode.diff.quiet")
local text = require("claudecode.diff.text")

local M = {}

-- What an edit of the proposal should do as it does in the file.
local LIKE_THE_FILE = {
  "commentstring",
  "expandtab",
  "iskeyword",
  "shiftwidth",
  "softtabstop",
  "tabstop",
  "textwidth",
  "vartabstop",
}

---@class claudecode.diff.ProposalEvents
---@field write fun() The user has accepted.
---@field closed fun(had_focus: boolean) No window shows it any more, or its text is gone.

---@param path string
---@param suffix string
---@return string name Of no other buffer; relative to the working directory where it can be, as names are shown.
local function free_name(path, suffix)
  local taken = {}
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    taken[vim.api.nvim_buf_get_name(buf)] = true
  end
  local count, number = 1, ""
  while taken[path .. number .. suffix] do
    count = count + 1
    number = (" (%d)"):format(count)
  end
  return vim.fn.fnamemodify(path, ":.") .. number .. suffix
end

---@param original integer
---@param filetype string
---@return boolean Is this filetype coloured by treesitter here?
local function uses_treesitter(original, filetype)
  local active = vim.treesitter.highlighter.active
  for buf in pairs(active) do
    if buf == original or (vim.api.nvim_buf_is_valid(buf) and vim.bo[buf].filetype == filetype) then
      return true
    end
  end
  return false
end

---Colours as the file's own. No FileType is raised: language servers, linters and file type plugins wait for that.
---@param buf integer
---@param original integer
---@param path string
local function colour(buf, original, path)
  local filetype = vim.bo[original].filetype
  if filetype == "" then
    filetype = vim.filetype.match({ buf = buf, filename = path }) or ""
  end
  if filetype == "" then
    return
  end
  quiet.without("FileType,OptionSet", function()
    vim.bo[buf].filetype = filetype
  end)
  local language = vim.treesitter.language.get_lang(filetype) or filetype
  if not (uses_treesitter(original, filetype) and pcall(vim.treesitter.start, buf, language)) then
    quiet.without("OptionSet", function()
      -- Syntax must be raised: it loads the colours. What a handler of the user's throws there is theirs.
      pcall(vim.api.nvim_buf_call, buf, function()
        vim.cmd({ cmd = "setlocal", args = { "syntax=" .. filetype }, mods = { silent = true, emsg_silent = true } })
      end)
    end)
  end
end

---Puts the proposed text into the buffer, as its state to which no undo goes back.
---@param buf integer
---@param proposed string
local function fill(buf, proposed)
  local options = vim.bo[buf]
  options.undolevels = -1
  text.write(buf, proposed)
  options.undolevels = vim.go.undolevels
  options.modified = false
end

---'modified' is never set for long, so that `:wall`, 'autowrite' and auto-saves pass by, and `:qa` and `:bd` work.
---@param buf integer
local function settle(buf)
  if vim.api.nvim_buf_is_valid(buf) and vim.bo[buf].modified then
    vim.bo[buf].modified = false
  end
end

---@param buf integer
local function keep_settled(buf)
  vim.api.nvim_buf_attach(buf, false, {
    on_lines = function()
      settle(buf)
    end,
  })
end

---@param buf integer
---@param diff claudecode.diff.Diff
---@param group integer
---@param events claudecode.diff.ProposalEvents
local function listen(buf, diff, group, events)
  local name = vim.api.nvim_buf_get_name(buf)
  local function on(event, desc, callback)
    desc = "claudecode: " .. desc
    vim.api.nvim_create_autocmd(event, { group = group, buffer = buf, desc = desc, callback = callback })
  end
  keep_settled(buf)
  on("BufWriteCmd", "accept a proposal", function(event)
    local is_explicit = intent.is_explicit(buf)
    -- The short name of the buffer stays what it was in the directory of then; the full one that Neovim makes of it
    -- here depends on the directory of now.
    local is_own = vim.api.nvim_buf_get_name(buf) == name and (event.match == name or event.file == vim.fn.bufname(buf))
    if not is_own then
      copies.write(buf, event.match)
      return
    end
    settle(buf)
    if is_explicit then
      events.write()
    end
  end)
  on("BufReadCmd", "`:edit!` goes back to what was proposed", function()
    vim.bo[buf].modifiable = true
    fill(buf, diff.accepted or diff.proposed)
    vim.bo[buf].modifiable = diff.state == "pending"
    keep_settled(buf)
    vim.schedule(function()
      if vim.api.nvim_buf_is_valid(buf) then
        vim.bo[buf].buflisted = false
      end
    end)
  end)
  copies.listen(buf, name, on)
  -- `:tabclose` leaves the window, closes it, and only then enters another one; `:q` in the last window of a tab enters
  -- one of another tab before that.
  ---@type integer?
  local left
  on("WinLeave", "notice that a proposal's window is left", function()
    left = vim.api.nvim_get_current_win()
  end)
  vim.api.nvim_create_autocmd("WinEnter", {
    group = group,
    desc = "claudecode: notice that another window is entered",
    callback = vim.schedule_wrap(function()
      left = nil
    end),
  })
  on("WinClosed", "closing a proposal's window rejects it", function(event)
    local win = tonumber(event.match)
    local had_focus = win == vim.api.nvim_get_current_win() or win == left
    vim.schedule(function()
      if not vim.api.nvim_buf_is_valid(buf) or #vim.fn.win_findbuf(buf) == 0 then
        events.closed(had_focus)
      end
    end)
  end)
  on("BufUnload", "deleting a proposal rejects it", function()
    vim.schedule(function()
      if not vim.api.nvim_buf_is_loaded(buf) then
        events.closed(false)
      end
    end)
  end)
end

---`:x`, `ZZ` and `:update` write only what is modified.
---@param buf integer
function M.before_update(buf)
  vim.bo[buf].modified = true
end

---@param buf integer
function M.settle(buf)
  settle(buf)
end

---Makes the buffer. It is shown by a view.
---@param diff claudecode.diff.Diff With the text proposed and its original.
---@param group integer Autocommands.
---@param events claudecode.diff.ProposalEvents
---@return integer buf
function M.create(diff, group, events)
  local original = diff.original.buf
  local buf ---@type integer
  quiet.without("all", function()
    buf = vim.api.nvim_create_buf(false, true)
    local options = vim.bo[buf]
    options.buftype, options.bufhidden, options.swapfile, options.modeline = "acwrite", "hide", false, false
    options.modifiable = true
    vim.api.nvim_buf_set_name(buf, free_name(diff.new_path, diff.is_new and " (NEW FILE - proposed)" or " (proposed)"))
    for _, option in ipairs(LIKE_THE_FILE) do
      options[option] = vim.bo[original][option]
    end
    fill(buf, diff.proposed)
  end)
  vim.b[buf].claudecode_diff_tab_name = diff.tab_name
  colour(buf, original, diff.new_path)
  pcall(vim.diagnostic.enable, false, { bufnr = buf })
  listen(buf, diff, group, events)
  return buf
end

---After the decision there is nothing left to change.
---@param buf integer
function M.freeze(buf)
  if vim.api.nvim_buf_is_valid(buf) then
    vim.bo[buf].modifiable = false
  end
end

---Has the user changed a proposal? Then its text goes into a buffer of its own, in the list, that belongs to no file.
---@param diff claudecode.diff.Diff
---@return string? name
function M.keep_edits(diff)
  if not vim.api.nvim_buf_is_loaded(diff.proposal) or text.read(diff.proposal) == diff.proposed then
    return nil
  end
  local name = free_name(diff.new_path, " (withdrawn)")
  quiet.without("all", function()
    local kept = vim.api.nvim_create_buf(true, false)
    vim.bo[kept].buftype, vim.bo[kept].bufhidden, vim.bo[kept].swapfile = "nofile", "hide", false
    vim.api.nvim_buf_set_name(kept, name)
    vim.api.nvim_buf_set_lines(kept, 0, -1, false, vim.api.nvim_buf_get_lines(diff.proposal, 0, -1, false))
  end)
  return name
end

---@param buf integer
function M.wipe(buf)
  if vim.api.nvim_buf_is_valid(buf) then
    quiet.without("all", function()
      pcall(vim.api.nvim_buf_delete, buf, { force = true })
    end)
  end
end

return M
