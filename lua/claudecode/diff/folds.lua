-- Folds of a window that shows a file: those made by hand, and which ones are open. Diff mode replaces them.
local M = {}

---@class claudecode.diff.Folds
---@field commands string[]
---@field line_count integer The text they are for.

---@param win integer
---@return claudecode.diff.Folds
function M.save(win)
  local path, viewoptions = vim.fn.tempname(), vim.o.viewoptions
  vim.o.viewoptions = "folds"
  pcall(vim.api.nvim_win_call, win, function()
    vim.cmd.mkview(vim.fn.fnameescape(path))
  end)
  vim.o.viewoptions = viewoptions
  local commands = {}
  if vim.uv.fs_stat(path) then
    for line in io.lines(path) do
      if vim.startswith(line, "setlocal ") then
        commands = {} -- The folds come after the options.
      elseif vim.startswith(line, "let &g:so") then
        break
      else
        -- Views set 'foldlevel' as `:set` does, for other files in this window too.
        table.insert(commands, "silent! keepjumps " .. (line:gsub("^let &fdl ", "let &l:fdl ")))
      end
    end
    os.remove(path)
  end
  return { commands = commands, line_count = vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(win)) }
end

---Puts them back, once the fold options are back. Moves the cursor.
---@param win integer
---@param folds claudecode.diff.Folds
function M.restore(win, folds)
  if vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(win)) ~= folds.line_count then
    return
  end
  vim.api.nvim_win_call(win, function()
    vim.api.nvim_exec2(table.concat(folds.commands, "\n"), {})
  end)
end

return M
