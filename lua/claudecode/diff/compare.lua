-- Diff mode for a pair of windows, and what it leaves behind put right again.
local M = {}

-- What `:diffthis` sets in a window.
local OPTIONS = {
  "diff",
  "scrollbind",
  "cursorbind",
  "wrap",
  "foldmethod",
  "foldcolumn",
  "foldenable",
  "foldlevel",
}

-- `:diffthis` and `:diffoff` change this global option too, each for all windows.
---@type string?
local scrollopt
local pairs_shown = 0

---@return boolean Does anybody compare texts in the present tab, or do we in any view?
function M.is_taken()
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.wo[win].diff or vim.b[vim.api.nvim_win_get_buf(win)].claudecode_diff_tab_name then
      return true
    end
  end
  return false
end

---@param win integer
---@return table<string, any> options of the window that diff mode changes
function M.options(win)
  local values = {}
  for _, name in ipairs(OPTIONS) do
    values[name] = vim.api.nvim_get_option_value(name, { win = win, scope = "local" })
  end
  return values
end

---@param win integer
---@param values table<string, any> From options().
function M.set_options(win, values)
  for name, value in pairs(values) do
    if vim.api.nvim_get_option_value(name, { win = win, scope = "local" }) ~= value then
      vim.api.nvim_set_option_value(name, value, { win = win, scope = "local" })
    end
  end
end

---Compares two windows, and shows the first difference in both. Up to there the lines are the same: the windows stand
---alike without `:syncbind`, which takes as long as the comparison when there are many differences.
---@param target integer
---@param proposal integer
function M.start(target, proposal)
  scrollopt = scrollopt or vim.o.scrollopt
  pairs_shown = pairs_shown + 1
  for _, win in ipairs({ target, proposal }) do
    vim.api.nvim_win_call(win, function()
      vim.cmd.diffthis()
    end)
  end
  vim.api.nvim_win_call(proposal, function()
    vim.cmd("keepjumps normal! gg")
    if vim.fn.diff_hlID(1, 1) == 0 and vim.fn.diff_filler(1) == 0 then
      vim.cmd("silent! keepjumps normal! ]c")
    end
  end)
  local view = vim.api.nvim_win_call(proposal, vim.fn.winsaveview)
  vim.api.nvim_win_call(target, function()
    vim.fn.winrestview({ lnum = math.min(view.lnum, vim.fn.line("$")), col = 0, topline = view.topline, topfill = 0 })
  end)
end

---Ends diff mode. To be called before any of the windows is torn down: Neovim has crashed on windows that went while
---they were still compared.
---@param wins integer[]
function M.stop(wins)
  for _, win in ipairs(wins) do
    if vim.wo[win].diff then
      vim.api.nvim_win_call(win, function()
        vim.cmd.diffoff()
      end)
    end
  end
  pairs_shown = pairs_shown - 1
  if pairs_shown == 0 then
    vim.o.scrollopt, scrollopt = scrollopt, nil
  end
end

return M
