-- Keeps a large paste into Claude's terminal in one piece: before 0.12.2 Neovim passes a streamed one on in parts, each
-- with a beginning and an end of its own, and the CLI takes them for several.
local input = require("claudecode.terminal.input")

local M = {}

local FIRST, LAST, WHOLE = 1, 3, -1

---@type boolean
local is_installed = false

---@type { channel: integer, pieces: string[] }|nil a paste that is under way
local paste

---@return integer|nil channel of Claude's terminal, if keys go there
local function channel()
  local buf = vim.api.nvim_get_current_buf()
  if vim.api.nvim_get_mode().mode == "t" and vim.bo[buf].filetype == "claudecode_terminal" then
    return input.channel(buf)
  end
end

---@param lines string[]
---@param phase -1|1|2|3 see vim.paste()
---@return boolean|nil ok nil: not ours
local function take(lines, phase)
  if phase == FIRST or phase == WHOLE then
    local into = phase == FIRST and channel()
    paste = into and { channel = into, pieces = {} } or nil
  end
  if not paste then
    return nil
  end
  -- A part may end amid a line: nothing comes between the parts.
  table.insert(paste.pieces, table.concat(lines, "\n"))
  if phase == LAST then
    local text = table.concat(paste.pieces)
    local ok = pcall(vim.api.nvim_chan_send, paste.channel, input.bytes(text, false))
    paste = nil
    return ok
  end
  return true
end

---@param option "auto"|boolean terminal.fix_streamed_paste
---@return boolean
function M.is_needed(option)
  return option == true or option == "auto" and vim.fn.has("nvim-0.12.2") == 0
end

---Puts itself in front of vim.paste(), which keeps what is pasted elsewhere.
---@param option "auto"|boolean
function M.install(option)
  if is_installed or not M.is_needed(option) then
    return
  end
  is_installed = true
  local others = vim.paste
  ---@diagnostic disable-next-line: assign-type-mismatch -- the same type, which the checker cannot write down
  vim.paste = function(lines, phase)
    local ok = take(lines, phase --[[@as -1|1|2|3]])
    if ok == nil then
      return others(lines, phase)
    end
    return ok
  end
end

return M
