-- How a run of the Claude CLI ends: with Neovim, or before it, with an exit code that the user should know.
local notify = require("claudecode.notify")

local M = {}

---The last lines that the CLI wrote.
---@param buf integer
---@return string text "" or lines, each after a line break
local function last_words(buf)
  local found = {}
  local lines = vim.api.nvim_buf_get_lines(buf, -40, -1, false)
  for i = #lines, 1, -1 do
    local line = vim.trim(lines[i])
    if line ~= "" and not line:find("^%[Process exited") then
      table.insert(found, 1, line)
    end
    if #found == 3 then
      break
    end
  end
  return #found > 0 and ("\n" .. table.concat(found, "\n")) or ""
end

-- What shells say with an exit code. The CLI's own say what they mean in its last words.
local MEANINGS = {
  [126] = "the program cannot be executed",
  [127] = "a program was not found",
  [129] = "hangup",
  [130] = "interrupted",
  [137] = "killed, perhaps for want of memory",
  [139] = "crashed",
  [143] = "it was told to end",
}

---@param code integer
---@return string such as "exit code 127 (a program was not found)"
function M.describe(code)
  local meaning = MEANINGS[code] or (code > 128 and code < 160 and ("signal %d"):format(code - 128))
  return meaning and ("exit code %d (%s)"):format(code, meaning) or ("exit code %d"):format(code)
end

---@return boolean whether Neovim is ending, and the CLI with it
function M.is_general()
  return vim.v.exiting ~= vim.NIL
end

---Tells the user that the CLI ended by itself, unless all is well.
---@param code integer
---@param buf integer of its terminal
function M.tell(code, buf)
  if code ~= 0 and vim.api.nvim_buf_is_valid(buf) then
    notify.warn(("Claude ended with %s.%s"):format(M.describe(code), last_words(buf)))
  end
end

---Neovim hangs up on a terminal's job when it exits, and goes without looking back. A CLI that ignores that is asked
---to end besides.
---@param pid fun(): integer|nil of the CLI, if one runs
function M.with_neovim(pid)
  vim.api.nvim_create_autocmd("VimLeavePre", {
    group = vim.api.nvim_create_augroup("claudecode.terminal", { clear = true }),
    desc = "claudecode: end Claude with Neovim",
    callback = function()
      local running = pid()
      if running then
        vim.uv.kill(running, "sigterm")
      end
    end,
  })
end

return M
