-- Is the user in the middle of a line in a terminal? What comes next is meant for it, wherever the cursor is put.

local M = {}

local namespace = vim.api.nvim_create_namespace("claudecode.typing")

-- With these the line is sent, or gone.
local ENDS =
  { ["<CR>"] = true, ["<NL>"] = true, ["<Esc>"] = true, ["<C-C>"] = true, ["<C-D>"] = true, ["<C-U>"] = true }

-- Bytes that were typed since then.
local typed = ""

---@param key string
local function follow(key)
  local first = key:byte() or 0
  if first >= 32 and first ~= 127 and first ~= 128 then
    -- Neither a control nor a special key, which begins with 0x80. More than a few bytes need not be remembered.
    typed = #typed < 8 and typed .. key or typed
  elseif typed ~= "" and ENDS[vim.fn.keytrans(key)] then
    typed = ""
  end
end

---Follows the keys of Terminal mode; does no harm when called again.
function M.watch()
  local group = vim.api.nvim_create_augroup("claudecode.typing", {})
  vim.api.nvim_create_autocmd("TermEnter", {
    group = group,
    desc = "claudecode: notice a line that is being typed into a terminal",
    callback = function()
      typed = ""
      vim.on_key(follow, namespace)
    end,
  })
  vim.api.nvim_create_autocmd("TermLeave", {
    group = group,
    desc = "claudecode: forget it",
    callback = function()
      vim.on_key(nil, namespace)
      typed = ""
    end,
  })
end

---Has something been typed that has not been sent yet? A digit alone answers one of Claude's questions.
---@return boolean
function M.is_midway()
  return vim.api.nvim_get_mode().mode == "t" and typed ~= "" and not typed:find("^%d$")
end

return M
