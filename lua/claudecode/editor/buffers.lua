-- Which buffers are files, and which buffer is a given file. Never by pattern, as bufnr() does it.

local uri = require("claudecode.editor.uri")

local M = {}

---The real path, also for a file that is not there yet in a folder that is.
---@param path string absolute
---@return string
function M.real_path(path)
  local real = vim.uv.fs_realpath(path)
  if real then
    return real
  end
  local folder = vim.uv.fs_realpath(vim.fs.dirname(path))
  return folder and vim.fs.joinpath(folder, vim.fs.basename(path)) or path
end

---Does the buffer stand for text that a user edits, with or without a file: no terminal, tree, help or proposal?
---@param buf integer
---@return boolean
local function is_ordinary(buf)
  return vim.api.nvim_buf_is_valid(buf) and vim.bo[buf].buftype == ""
end

---@param path string
---@return boolean
local function is_directory(path)
  local stat = vim.uv.fs_stat(path)
  return stat ~= nil and stat.type == "directory"
end

---The file of a buffer; it need not be on disk.
---@param buf integer
---@return string? path absolute and normalised; nil for a buffer that is no file
function M.path(buf)
  if not is_ordinary(buf) then
    return nil
  end
  local name = vim.api.nvim_buf_get_name(buf)
  if name == "" or uri.has_scheme(name) or is_directory(name) then
    return nil
  end
  return uri.to_path(name)
end

---@param buf integer
---@return boolean
function M.is_file(buf)
  return M.path(buf) ~= nil
end

---A buffer of text that was never given a name.
---@param buf integer
---@return boolean
function M.is_untitled(buf)
  return is_ordinary(buf) and vim.api.nvim_buf_get_name(buf) == ""
end

---@param buf integer loaded
---@return string language Neovim's filetype, which for common languages is the name that other editors use
function M.language(buf)
  local filetype = vim.bo[buf].filetype
  return filetype ~= "" and filetype or vim.filetype.match({ buf = buf }) or "plaintext"
end

---@param buf integer
---@return boolean
function M.is_dirty(buf)
  return vim.bo[buf].modified
end

---The files that are open, loaded ones.
---@return table<integer, string> paths by buffer
function M.loaded_files()
  local files = {}
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) then
      files[buf] = M.path(buf)
    end
  end
  return files
end

---@param is_the_file fun(buf: integer): boolean
---@return integer? buf a loaded one, if there is one
local function find_by(is_the_file)
  local unloaded
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if is_the_file(buf) then
      if vim.api.nvim_buf_is_loaded(buf) then
        return buf
      end
      unloaded = unloaded or buf
    end
  end
  return unloaded
end

---The buffer of a file: of exactly this path, else of the same file under another name (a symlink in either).
---@param path string absolute, see uri.to_path()
---@return integer? buf loaded if there is a loaded one; nil when no buffer has this file
function M.find(path)
  if not uri.is_path(path) then
    return nil
  end
  local buf = find_by(function(other)
    return vim.api.nvim_buf_get_name(other) == path and M.is_file(other)
  end)
  if buf then
    return buf
  end
  local real = M.real_path(path)
  return find_by(function(other)
    local own = M.path(other)
    return own ~= nil and M.real_path(own) == real
  end)
end

---The buffer of a file, only if it is open, that is, loaded.
---@param path string absolute
---@return integer?
function M.find_loaded(path)
  local buf = M.find(path)
  return buf and vim.api.nvim_buf_is_loaded(buf) and buf or nil
end

return M
