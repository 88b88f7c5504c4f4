-- What is written of a proposal elsewhere than into its file, or in parts: copies, which decide nothing.
local notify = require("claudecode.notify")
local quiet = require("claudecode.diff.quiet")
local text = require("claudecode.diff.text")

local M = {}

local READ_WRITE = 438 -- 0666, less the umask

---@param buf integer
---@return string text of the lines that a write is about
local function part(buf)
  local first, last = vim.api.nvim_buf_get_mark(buf, "[")[1], vim.api.nvim_buf_get_mark(buf, "]")[1]
  if first == 1 and last == vim.api.nvim_buf_line_count(buf) then
    return text.read(buf)
  end
  local lines = vim.api.nvim_buf_get_lines(buf, first - 1, last, false)
  return text.join(lines, { fileformat = vim.bo[buf].fileformat, endofline = true, bomb = false })
end

---Neovim has asked for `:w!` if there is such a file.
---@param path string
---@param flags "w"|"a"
---@param bytes string
local function write(path, flags, bytes)
  local name = vim.fn.fnamemodify(path, ":~:.")
  local file, err = vim.uv.fs_open(path, flags, READ_WRITE)
  if file then
    err = select(2, vim.uv.fs_write(file, bytes))
    vim.uv.fs_close(file)
  end
  if err then
    notify.error(("%s was not written: %s"):format(name, err))
  else
    notify.info(("%d bytes of the proposal were copied to %s. That decides nothing."):format(#bytes, name))
  end
end

---@param buf integer
---@param path string
function M.write(buf, path)
  write(path, "w", text.read(buf))
end

---@param buf integer
---@param name string
local function rename(buf, name)
  local before = vim.api.nvim_buf_get_name(buf)
  vim.api.nvim_buf_set_name(buf, name)
  -- Renaming leaves an empty buffer with the name of before.
  for _, other in ipairs(vim.api.nvim_list_bufs()) do
    local is_left = other ~= buf and vim.api.nvim_buf_get_name(other) == before
    if is_left and not vim.api.nvim_buf_is_loaded(other) then
      vim.api.nvim_buf_delete(other, { force = true })
    end
  end
end

---@param buf integer
---@param name string
local function keep_name(buf, name)
  quiet.without("all", function()
    for _, other in ipairs(vim.api.nvim_list_bufs()) do
      if other ~= buf and vim.api.nvim_buf_get_name(other) == name then
        vim.api.nvim_buf_delete(other, { force = true })
      end
    end
    rename(buf, vim.fn.fnamemodify(name, ":."))
    vim.bo[buf].buflisted = false
  end)
end

---@param buf integer
---@param name string of the proposal
---@param on fun(event: string, desc: string, callback: fun(event: table))
function M.listen(buf, name, on)
  for event, flags in pairs({ FileWriteCmd = "w", FileAppendCmd = "a" }) do
    on(event, "write a part of a proposal", function(written)
      if written.match == name or written.file == vim.fn.bufname(buf) then
        notify.warn(
          "A proposal is accepted as a whole, by :w. What you do not want of it: change it, or drop the hunk."
        )
      else
        write(written.match, flags --[[@as "w"|"a"]], part(buf))
      end
    end)
  end
  on("BufFilePost", "a proposal keeps its name", function()
    vim.schedule(function()
      if not vim.api.nvim_buf_is_valid(buf) or vim.api.nvim_buf_get_name(buf) == name then
        return
      end
      keep_name(buf, name)
      notify.info("A proposal keeps its name. :w with another name writes a copy.")
    end)
  end)
end

return M
