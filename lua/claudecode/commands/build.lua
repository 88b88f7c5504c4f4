-- :ClaudeCodeBuild: builds the native library in the background and says how it went.

local notify = require("claudecode.notify")

local M = {}

---@type boolean
local busy = false

---@param err string|nil
---@param path string|nil
local function finish(err, path)
  busy = false
  if err then
    notify.error("the build failed. " .. err)
    return
  end
  local where = vim.fn.fnamemodify(path --[[@as string]], ":~")
  if require("claudecode.native").get() then
    notify.info(("built and installed as %s. Restart Neovim to use it."):format(where))
    return
  end
  notify.info(("built and installed as %s."):format(where))
  require("claudecode").ensure_started()
end

function M.run()
  if busy then
    notify.info("the build is already running.")
    return
  end
  busy = true
  notify.info("building the native library; this takes about a minute.")
  require("claudecode.native.install").build({
    native = require("claudecode.native"),
    report = function(line)
      require("claudecode.log").debug("build", "%s", line)
    end,
    done = finish,
  })
end

return M
