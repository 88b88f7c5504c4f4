-- What language servers and linters say about files: Neovim's diagnostics in the words and shape of the protocol.

local buffers = require("claudecode.editor.buffers")
local sharing = require("claudecode.context.sharing")
local uri = require("claudecode.editor.uri")

local M = {}

---@class claudecode.Diagnostic
---@field message string
---@field severity "Error"|"Warning"|"Information"|"Hint" CLI 2.1.332 shows each of these words with a sign of its own
---@field range { start: claudecode.Point, end: claudecode.Point }
---@field source? string
---@field code? string the CLI shows it only if it is a string

---@class claudecode.Point
---@field line integer 0-based
---@field character integer 0-based, bytes

---@class claudecode.FileDiagnostics
---@field uri string
---@field diagnostics claudecode.Diagnostic[] empty for a clean file

local SEVERITY = {
  [vim.diagnostic.severity.ERROR] = "Error",
  [vim.diagnostic.severity.WARN] = "Warning",
  [vim.diagnostic.severity.INFO] = "Information",
  [vim.diagnostic.severity.HINT] = "Hint",
}

---@param item vim.Diagnostic
---@return claudecode.Diagnostic
local function in_words(item)
  return {
    message = item.message,
    severity = SEVERITY[item.severity] or "Information",
    range = {
      start = { line = item.lnum, character = item.col },
      ["end"] = { line = item.end_lnum or item.lnum, character = item.end_col or item.col },
    },
    source = item.source,
    code = (type(item.code) == "string" or type(item.code) == "number") and tostring(item.code) or nil,
  }
end

---@param buf integer a loaded file
---@param name string? how the client names the file; a `file:` URI is given back as it is spelled
---@return claudecode.FileDiagnostics
function M.for_buffer(buf, name)
  local path = name and uri.to_path(name) or buffers.path(buf) or ""
  return {
    uri = name and vim.startswith(name, "file://") and name or uri.from_path(path),
    diagnostics = vim.tbl_map(in_words, vim.diagnostic.get(buf)),
  }
end

---@param names table<integer, string> how the client names files, by buffer; others go by their URI
---@return claudecode.FileDiagnostics[] one for every open file that may be shared, those without diagnostics too
function M.all(names)
  local open = vim.tbl_filter(function(buf)
    return sharing.is_shared(buf)
  end, vim.tbl_keys(buffers.loaded_files()))
  table.sort(open)
  return vim.tbl_map(function(buf)
    return M.for_buffer(buf, names[buf])
  end, open)
end

return M
