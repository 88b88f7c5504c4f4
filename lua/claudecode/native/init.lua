-- Finds the native library by absolute path, loads it once and checks that it fits this Lua side.
local M = {}

-- What src/lua_api.rs must say.
local ABI = 3
local ENTRY = "luaopen_claudecode_native"

---@type claudecode.Native?
local loaded
---@type string?
local loaded_from

---What vim.fs.normalize() makes of a path; but that a start of Neovim would have to load.
---@param path string Relative to the working directory, or to `~`.
---@return string path Absolute, with slashes, none of them at the end.
function M.absolute(path)
  local whole = vim.fn.simplify(vim.fn.fnamemodify(path, ":p"))
  if vim.fn.has("win32") == 1 then
    whole = whole:gsub("\\", "/")
  end
  return (whole:gsub("(.)/$", "%1"))
end

---@return string dir The plugin's own directory.
function M.root()
  local here = debug.getinfo(1, "S").source:sub(2)
  return M.absolute(vim.fn.fnamemodify(here, ":p:h:h:h:h"))
end

---@return string directory Where an installed library lies.
function M.install_dir()
  return M.absolute(vim.fn.stdpath("data") .. "/claudecode")
end

---@return string name Of the library as cargo builds it.
function M.file_name()
  local system = vim.uv.os_uname().sysname
  if system == "Darwin" then
    return "libclaudecode_native.dylib"
  elseif system:find("Windows") then
    return "claudecode_native.dll"
  end
  return "libclaudecode_native.so"
end

---Where a library is looked for, first match first.
---@return string[] paths Absolute.
function M.candidates()
  local name = M.file_name()
  local list = {}
  local override = vim.env.CLAUDECODE_NATIVE
  if override and override ~= "" then
    -- Who sets it wants this one and no other.
    return { M.absolute(override) }
  end
  local target = vim.env.CARGO_TARGET_DIR
  if target and target ~= "" then
    list[#list + 1] = M.absolute(target) .. "/release/" .. name
  end
  list[#list + 1] = M.root() .. "/target/release/" .. name
  list[#list + 1] = M.install_dir() .. "/" .. name
  return list
end

---@return string path Of the log file.
function M.log_path()
  return M.absolute(vim.fn.stdpath("log") .. "/claudecode.log")
end

---@param path string
---@return claudecode.Native?
---@return string? err
local function open(path)
  local entry, err = package.loadlib(path, ENTRY)
  if not entry then
    return nil, err
  end
  local ok, module = pcall(entry)
  if not ok then
    return nil, tostring(module)
  end
  if type(module) ~= "table" or module.abi ~= ABI then
    local found = type(module) == "table" and module.abi or "none"
    return nil, ("built for another version of the plugin (ABI %s, wanted %d)"):format(found, ABI)
  end
  return module
end

---Loads the library, or returns the one that is loaded.
---@return claudecode.Native?
---@return string? err Names every path tried and what to do.
function M.load()
  if loaded then
    return loaded
  end
  local tried = {}
  for _, path in ipairs(M.candidates()) do
    if vim.uv.fs_stat(path) then
      local module, err = open(path)
      if module then
        loaded, loaded_from = module, path
        -- At once: from here on a panic goes there and not onto the screen.
        module.log_open(M.log_path(), "info")
        return module
      end
      tried[#tried + 1] = ("  %s: %s"):format(path, err)
    else
      tried[#tried + 1] = ("  %s: not there"):format(path)
    end
  end
  return nil,
    "the native library cannot be loaded: run :ClaudeCodeBuild (it needs Rust's cargo), then restart Neovim.\nTried:\n"
      .. table.concat(tried, "\n")
end

---@return string? path Of the loaded library.
function M.path()
  return loaded_from
end

---@return claudecode.Native? module Only if it is loaded already.
function M.get()
  return loaded
end

return M
