-- A part of a line, without a walk over the rest of it.

local api, fn = vim.api, vim.fn

---@param buf integer
---@param line integer 0-based
---@param from integer first byte
---@param till integer byte after the last one, more than `from` and at most the line's length
---@return string
return function(buf, line, from, till)
  local virtualedit = vim.o.virtualedit
  if virtualedit ~= "" and virtualedit ~= "onemore" then
    -- Where the cursor may be in a part of a character, getregion() takes spaces for it.
    return api.nvim_buf_get_text(buf, line, from, line, till, {})[1] --[[@as string]]
  end
  -- nvim_buf_get_text() measures the whole line (1.5 ms for 100 MB), this does not. It takes the last character whole,
  -- and shows a NUL as a line break.
  local region = fn.getregion(
    { buf, line + 1, from + 1, 0 },
    { buf, line + 1, till, 0 },
    { type = "v", exclusive = false }
  )
  local text = region[1] --[[@as string]]
  return (text:sub(1, till - from):gsub("\n", "\0"))
end
