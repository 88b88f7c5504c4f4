-- The CLI's input line: which channel leads there, and text on its way: one paste that its content cannot end early.

local M = {}

local BEGIN, END, SUBMIT = "\27[200~", "\27[201~", "\r"
-- The same end mark with a one-character CSI, as UTF-8.
local END_C1 = "\194\155201~"

---@param text string
---@return string text without any end mark, also none that appears when one is taken out
local function without_end(text)
  local before
  repeat
    before = text
    text = text:gsub(vim.pesc(END), ""):gsub(vim.pesc(END_C1), "")
  until text == before
  return text
end

---@param buf integer
---@return integer|nil channel of the job in a terminal buffer
function M.channel(buf)
  local channel = vim.api.nvim_get_option_value("channel", { buf = buf })
  return channel > 0 and channel or nil
end

---@param text string lines separated by "\n"
---@param submit boolean press Enter behind it
---@return string bytes for one write
function M.bytes(text, submit)
  return BEGIN .. without_end((text:gsub("\r\n", "\n"))) .. END .. (submit and SUBMIT or "")
end

return M
