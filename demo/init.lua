-- The demo's whole configuration: what a user would put into theirs, and a line that says what to do.
local repo = vim.env.CLAUDECODE_DEMO_REPO
vim.opt.runtimepath:prepend(repo)
vim.opt.swapfile = false
vim.opt.number = true
vim.opt.termguicolors = true

local command = vim.env.CLAUDECODE_DEMO_CLAUDE ---@type string? JSON list; nil: the claude on PATH
require("claudecode").setup({
  terminal_cmd = command and vim.json.decode(command) or nil,
  permission_mode = "default", -- in Claude's own default mode it writes without showing a diff
  terminal = { split_width_percentage = 0.42 },
})

vim.keymap.set("x", "<leader>s", ":ClaudeCodeSend<CR>", { desc = "Mention the selected lines to Claude" })
vim.keymap.set("n", "<leader>c", "<Cmd>ClaudeCode<CR>", { desc = "Show or hide Claude" })

vim.api.nvim_create_autocmd("VimEnter", {
  once = true,
  callback = function()
    vim.cmd.ClaudeCode()
  end,
})
