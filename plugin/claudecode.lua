-- Defines the commands and <Plug> mappings. Nothing is loaded before one of them is used.

if vim.g.loaded_claudecode then
  return
end
vim.g.loaded_claudecode = 1

---@param name string
---@param attributes table see nvim_create_user_command(); `desc` also goes into the help
local function command(name, attributes)
  if attributes.complete then
    attributes.complete = function(lead, line, position)
      return require("claudecode.commands").complete(name, lead, line, position)
    end
  end
  vim.api.nvim_create_user_command(name, function(call)
    require("claudecode.commands").run(name, call)
  end, attributes)
end

-- Terminal
command("ClaudeCode", {
  nargs = "*",
  complete = true,
  desc = "Show or hide the Claude terminal, starting Claude if needed; hiding never ends it",
})
command(
  "ClaudeCodeFocus",
  { nargs = "*", complete = true, desc = "Move to the Claude terminal, or hide it when the cursor is in it" }
)
command("ClaudeCodeOpen", { nargs = "*", complete = true, desc = "Show the Claude terminal and move there" })
command("ClaudeCodeClose", { bar = true, desc = "End Claude and close its terminal" })
command("ClaudeCodeSelectModel", { nargs = "*", complete = true, desc = "Choose a model, then open Claude with it" })
command(
  "ClaudeCodeSendText",
  { nargs = "+", bang = true, desc = "Type text into Claude's input and submit it; with ! only type it" }
)

-- Context
command("ClaudeCodeSend", {
  range = true,
  bar = true,
  desc = "Mention the selected lines, or the lines of the range; starts Claude when none runs",
})
command("ClaudeCodeAdd", {
  nargs = "+",
  complete = true,
  desc = "Mention a file or directory: path [first [last]], lines from 1; starts Claude when none runs",
})
command(
  "ClaudeCodeTreeAdd",
  { range = true, bar = true, desc = "Mention the entries selected in a file explorer, or those of the range" }
)
command("ClaudeCodeShare", {
  nargs = "?",
  bar = true,
  complete = true,
  desc = "Tell Claude of the current file and selection, or do not; see |claudecode-sharing|",
})

-- Server
command("ClaudeCodeStart", { bar = true, desc = "Start the server that Claude connects to" })
command("ClaudeCodeStop", { bar = true, desc = "Stop the server" })
command("ClaudeCodeStatus", { bar = true, desc = "Say what runs and who is connected" })
command("ClaudeCodeBuild", { bar = true, desc = "Build and install the native library (needs Rust's cargo)" })
command("ClaudeCodeLog", { bar = true, desc = "Show the log in a window; `:edit` there reads it again" })

-- Diffs
command("ClaudeCodeDiffAccept", { bar = true, desc = "Accept the diff of the current buffer, or the only open one" })
command("ClaudeCodeDiffDeny", { bar = true, desc = "Reject the diff of the current buffer, or the only open one" })
command("ClaudeCodeCloseAllDiffs", { bar = true, desc = "Close all diffs, rejecting those that wait" })
command("ClaudeCodeDiffs", { bar = true, desc = "Choose one of the open diffs, and go there" })
command("ClaudeCodeReview", {
  nargs = "?",
  bar = true,
  complete = true,
  desc = "Have each edit asked for before it is written (`before`), or leave that to Claude's mode (`off`)",
})
command(
  "ClaudeCodeNote",
  { nargs = "*", range = true, desc = "Write a note to Claude about the lines of the range (from version 0.5.0)" }
)

---@param name string as in <Plug>(claudecode-name)
---@param modes string|string[]
---@param line string command line
local function plug(name, modes, line)
  vim.keymap.set(
    modes,
    "<Plug>(claudecode-" .. name .. ")",
    "<Cmd>" .. line .. "<CR>",
    { desc = "claudecode: " .. line }
  )
end

plug("toggle", { "n", "x", "t" }, "ClaudeCode")
plug("focus", { "n", "x", "t" }, "ClaudeCodeFocus")
plug("open", { "n", "x" }, "ClaudeCodeOpen")
plug("close", { "n", "t" }, "ClaudeCodeClose")
plug("continue", "n", "ClaudeCode --continue")
plug("resume", "n", "ClaudeCode --resume")
plug("select-model", "n", "ClaudeCodeSelectModel")
plug("send", { "x", "s" }, "ClaudeCodeSend")
plug("add-file", "n", "ClaudeCodeAdd %")
plug("add-directory", "n", "ClaudeCodeAdd %:h")
plug("tree-add", { "n", "x" }, "ClaudeCodeTreeAdd")
plug("diff-accept", "n", "ClaudeCodeDiffAccept")
plug("diff-deny", "n", "ClaudeCodeDiffDeny")
plug("close-all-diffs", "n", "ClaudeCodeCloseAllDiffs")
plug("diffs", "n", "ClaudeCodeDiffs")

for name, step in pairs({ next = 1, previous = -1 }) do
  vim.keymap.set("n", "<Plug>(claudecode-diff-" .. name .. ")", function()
    require("claudecode.diff.list").step(step)
  end, { desc = "claudecode: go to the " .. name .. " diff" })
end

for _, action in ipairs({ "drop", "take" }) do
  vim.keymap.set({ "n", "x" }, "<Plug>(claudecode-hunk-" .. action .. ")", function()
    require("claudecode.diff.revise")[action]()
  end, { desc = "claudecode: " .. action .. " the hunk under the cursor, or those of the selection" })
end

-- A count stands for lines from the cursor on, as in `3:ClaudeCodeSend`.
vim.keymap.set("n", "<Plug>(claudecode-send)", function()
  local count, line = vim.v.count, vim.fn.line(".")
  local last = math.min(line + count - 1, vim.fn.line("$"))
  vim.cmd.ClaudeCodeSend(count > 0 and { range = { line, last } } or {})
end, { desc = "claudecode: ClaudeCodeSend" })

for _, spelling in ipairs({ "ClaudeCode", "claudecode" }) do
  vim.keymap.set({ "n", "x" }, "<Plug>(" .. spelling .. "-send-operator)", function()
    return require("claudecode.commands.operator").start()
  end, { expr = true, desc = "claudecode: mention the lines of a motion" })
end

-- vim.g.claudecode is as good as a call of setup().
local function setup_from_global()
  if vim.g.claudecode ~= nil then
    require("claudecode").setup()
  end
end

if vim.v.vim_did_enter == 1 then
  vim.schedule(setup_from_global)
else
  vim.api.nvim_create_autocmd("VimEnter", {
    once = true,
    desc = "claudecode: set up from vim.g.claudecode",
    callback = setup_from_global,
  })
end
