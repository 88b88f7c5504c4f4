-- Accepted texts that the disk does not hold yet. The client writes the file, some time after the accept; until then
-- the text lives here, and if the client goes away first, it moves into the file's buffer as an unsaved change.
local buffers = require("claudecode.editor.buffers")
local log = require("claudecode.log")
local notify = require("claudecode.notify")
local original = require("claudecode.diff.original")
local text = require("claudecode.diff.text")

local M = {}

---@class claudecode.diff.Unwritten
---@field path string Absolute.
---@field text string Exactly what was accepted.
---@field client integer Who is to write it.
---@field is_shown boolean The view of its diff is still open; it keeps the text safe.
---@field package buf? integer The buffer that has it as an unsaved change.
---@field package watch? uv.uv_fs_event_t

---@type claudecode.diff.Unwritten[]
local waiting = {}

---@param path string
---@return string? bytes
local function read(path)
  local stat = vim.uv.fs_stat(path)
  -- To open a pipe may take for ever.
  local file = stat and stat.type == "file" and vim.uv.fs_open(path, "r", 0)
  if not file then
    return nil
  end
  stat = vim.uv.fs_fstat(file)
  local bytes = stat and vim.uv.fs_read(file, stat.size) or nil
  vim.uv.fs_close(file)
  return bytes
end

---For a file with CRLF the CLI proposes LF and writes CRLF (CLI 2.1.332).
---@param a string
---@param b string
---@return boolean
local function is_same(a, b)
  return a == b or a:gsub("\r\n", "\n") == b:gsub("\r\n", "\n")
end

---@param entry claudecode.diff.Unwritten
---@return boolean
local function is_on_disk(entry)
  local bytes = read(entry.path)
  return bytes ~= nil and is_same(bytes, entry.text)
end

---@param entry claudecode.diff.Unwritten
local function forget(entry)
  waiting = vim.tbl_filter(function(other)
    return other ~= entry
  end, waiting)
  if entry.watch and not entry.watch:is_closing() then
    entry.watch:close()
  end
end

---Forgets a text that the disk holds, with older ones for the same file that it came to replace.
---@param entry claudecode.diff.Unwritten
---@return boolean written
local function settle(entry)
  if not is_on_disk(entry) then
    return false
  end
  for _, other in ipairs(waiting) do
    if other.path == entry.path and other.client == entry.client and not other.is_shown then
      forget(other)
    end
    if other == entry then
      break
    end
  end
  forget(entry)
  require("claudecode.editor.files").reload({ entry.path })
  return true
end

---Watches the nearest directory that exists: the file, and for a new one its directory, may come by a rename.
---@param entry claudecode.diff.Unwritten
local function watch(entry)
  local dir = vim.fs.dirname(entry.path)
  while not vim.uv.fs_stat(dir) and vim.fs.dirname(dir) ~= dir do
    dir = vim.fs.dirname(dir)
  end
  local handle = vim.uv.new_fs_event()
  if not handle then
    return
  end
  entry.watch = handle
  local is_due = false
  handle:start(dir, {}, function()
    if is_due then
      return
    end
    is_due = true
    vim.schedule(function()
      is_due = false
      if vim.list_contains(waiting, entry) and not settle(entry) and dir ~= vim.fs.dirname(entry.path) then
        handle:close()
        watch(entry)
      end
    end)
  end)
  handle:unref()
end

---@param path string
---@param accepted string
---@param client integer
---@return claudecode.diff.Unwritten
function M.add(path, accepted, client)
  local entry = { path = path, text = accepted, client = client, is_shown = true }
  table.insert(waiting, entry)
  watch(entry)
  return entry
end

---Looks at the disk for texts that have been written.
---@param client integer? Only those that this client was to write.
function M.check(client)
  for _, entry in ipairs(vim.list_slice(waiting)) do
    if not client or entry.client == client then
      settle(entry)
    end
  end
end

---Makes the text the file's buffer, modified. What the buffer held is one undo away.
---@param entry claudecode.diff.Unwritten
local function put_into_buffer(entry)
  local buf = buffers.find(entry.path) or original.add(entry.path)
  original.load(buf)
  local options = vim.bo[buf]
  options.buflisted, options.modifiable = true, true
  local keeps_crlf = options.fileformat == "dos" and not entry.text:find("\r\n", 1, true)
  text.write(buf, entry.text)
  if keeps_crlf then
    options.fileformat = "dos"
  end
  options.modified = true
  entry.buf = buf
end

---@param paths string[]
local function tell(paths)
  if #paths == 1 then
    notify.warn(("%s was accepted but not written: it is unsaved"):format(vim.fs.basename(paths[1])))
  elseif #paths > 1 then
    notify.warn(("%d files were accepted but not written: they are unsaved"):format(#paths))
  end
end

---Moves texts that nobody will write any more into the buffers of their files.
---@param belongs fun(entry: claudecode.diff.Unwritten): boolean Which ones. What the disk holds is just forgotten.
---@param is_told? boolean The user need not be told here.
---@return integer moved
function M.park(belongs, is_told)
  local paths = {}
  for _, entry in ipairs(vim.tbl_filter(belongs, waiting)) do
    if not entry.buf and not settle(entry) then
      local ok, err = pcall(put_into_buffer, entry)
      if not ok then
        log.error("diff", "%s: the accepted text did not get into its buffer: %s", entry.path, err)
      end
      table.insert(paths, entry.path)
    end
  end
  if not is_told then
    tell(paths)
  end
  return #paths
end

return M
