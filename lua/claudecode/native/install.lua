-- Builds the native library and puts it in place. Needs nothing of the plugin but native/init.lua, so that build.lua
-- can run it before the plugin is loaded.

local M = {}

-- Run by the Neovim that tries a new library: it loads it as the plugin would, and says how that went.
local LOADS = "it loads"
local TRY = ("lua local ok, err = dofile(vim.env.CLAUDECODE_LOADER).load() io.stdout:write(ok and %q or err)"):format(
  LOADS
)

---@class claudecode.native.Build
---@field native table the module native/init.lua: where things are
---@field report fun(line: string) progress, on the main loop
---@field done fun(err: string|nil, path: string|nil) called once, on the main loop

---@return string|nil cargo absolute path
local function find_cargo()
  for _, candidate in ipairs({ "cargo", (vim.env.CARGO_HOME or vim.uv.os_homedir() .. "/.cargo") .. "/bin/cargo" }) do
    local path = vim.fn.exepath(candidate)
    if path ~= "" then
      return path
    end
  end
end

---The environment of the build: a plugin directory that cannot be written (a package store) is built from outside.
---@param root string
---@return table<string, string>
local function build_env(root)
  if vim.env.CARGO_TARGET_DIR or vim.uv.fs_access(root, "W") then
    return {}
  end
  return { CARGO_TARGET_DIR = vim.fn.stdpath("cache") .. "/claudecode/target" }
end

---The library's path, from what cargo says it made.
---@param messages string JSON lines
---@param name string file name
---@return string|nil
local function built_library(messages, name)
  local found
  for line in messages:gmatch("[^\n]+") do
    local ok, message = pcall(vim.json.decode, line)
    if ok and type(message) == "table" and message.reason == "compiler-artifact" then
      for _, path in ipairs(message.filenames or {}) do
        found = vim.fs.basename(vim.fs.normalize(path)) == name and path or found
      end
    end
  end
  return found
end

---Loads a library in a Neovim of its own: one that does not load, or is built for another ABI, is found out there.
---@param native table
---@param library string
---@param done fun(err: string|nil) on any thread
local function load_test(native, library, done)
  vim.system({ vim.v.progpath, "--clean", "--headless", "-c", TRY, "-c", "qall!" }, {
    env = { CLAUDECODE_NATIVE = library, CLAUDECODE_LOADER = native.root() .. "/lua/claudecode/native/init.lua" },
    text = true,
    timeout = 30000,
  }, function(result)
    if result.code == 0 and result.stdout == LOADS then
      return done(nil)
    end
    local why = vim.trim((result.stdout or "") .. (result.stderr or ""))
    if why == "" then
      why = ("the Neovim that loaded it ended with code %d, signal %d"):format(result.code, result.signal)
    end
    done(why)
  end)
end

---Puts a library where native/init.lua looks: copied beside, tried in another Neovim, renamed into place. A library
---that is loaded somewhere is never written to: that would end the Neovim that has it.
---@param native table the module native/init.lua
---@param library string path of what was built
---@param done fun(err: string|nil, path: string|nil) on the main loop
function M.install(native, library, done)
  local dir = native.install_dir()
  local target = dir .. "/" .. native.file_name()
  local copy = ("%s/.new-%d-%s"):format(dir, vim.uv.os_getpid(), native.file_name())
  local made, why = pcall(vim.fn.mkdir, dir, "p")
  if not made then
    return done(("cannot make the directory %s: %s"):format(dir, why))
  end
  local copied, err = vim.uv.fs_copyfile(library, copy)
  if not copied then
    return done(("cannot copy %s to %s: %s"):format(library, dir, err))
  end
  load_test(
    native,
    copy,
    vim.schedule_wrap(function(fault)
      local renamed
      if not fault then
        renamed, err = vim.uv.fs_rename(copy, target)
        fault = not renamed and ("cannot rename it to %s: %s"):format(target, err) or nil
      end
      if fault then
        vim.uv.fs_unlink(copy)
        return done("the new library was not installed: " .. fault)
      end
      done(nil, target)
    end)
  )
end

---Hands whole lines of a stream on.
---@param report fun(line: string)
---@return fun(err: string|nil, data: string|nil)
local function by_line(report)
  local rest = ""
  return function(_, data)
    rest = rest .. (data or "")
    for line in rest:gmatch("([^\n]*)\n") do
      vim.schedule(function()
        report((line:gsub("\27%[[%d;]*m", "")))
      end)
    end
    rest = rest:match("[^\n]*$") or ""
  end
end

---Builds with cargo and installs the result. Returns at once.
---@param build claudecode.native.Build
function M.build(build)
  local native = build.native
  local cargo = find_cargo()
  if not cargo then
    return build.done("cargo was not found. Install Rust (https://rustup.rs), then run :ClaudeCodeBuild again.")
  end
  local errors = {}
  local function report(line)
    errors[#errors + 1] = line
    build.report(line)
  end
  local ok, err = pcall(
    vim.system,
    { cargo, "build", "--release", "--locked", "--message-format=json-render-diagnostics" },
    { cwd = native.root(), env = build_env(native.root()), text = true, stderr = by_line(report) },
    vim.schedule_wrap(function(result)
      if result.code ~= 0 then
        local tail = table.concat(errors, "\n", math.max(1, #errors - 9))
        return build.done(("cargo build ended with code %d:\n%s"):format(result.code, tail))
      end
      local library = built_library(result.stdout or "", native.file_name())
      if not library then
        return build.done(("cargo built no %s"):format(native.file_name()))
      end
      M.install(native, library, build.done)
    end)
  )
  if not ok then
    build.done(("cannot run %s: %s"):format(cargo, err))
  end
end

return M
