-- Where an option is tried: a Neovim with a screen, a CLI that writes down how it was started, and clients.
local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")

-- Plays the CLI: writes down its arguments, environment and directory.
local FAKE = [[#!/bin/sh
for word in "$@"; do printf '%s\n' "$word"; done > "$0.argv"
env > "$0.env"
pwd -P > "$0.cwd"
touch "$0.started"
[ -z "$FAKE_EXIT" ] || exit "$FAKE_EXIT"
exec cat
]]

---@class tests.OptionStage
---@field child tests.Child
---@field peers tests.Peer[]
---@field fake string path of the CLI that is played
local Stage = {}
Stage.__index = Stage

---@class tests.OptionWish
---@field options string Lua of a table: the option in question.
---@field base string|nil Lua of a table: other options that its effect needs.
---@field init string|nil Lua that runs first.

---@param wish tests.OptionWish
---@return tests.OptionStage
function Stage.start(wish)
  local self = setmetatable({ peers = {} }, Stage)
  self.child = Child.start({
    ui = { 120, 30 },
    files = { ["a.txt"] = "one\ntwo\nthree\n", ["b.txt"] = "b\n", ["repo/.git/HEAD"] = "", ["repo/sub/c.txt"] = "c\n" },
    args = { "a.txt" },
    init = [[
      _G.said = {}
      vim.notify = function(text) table.insert(said, text) end
      _G.term = setmetatable({}, { __index = function(_, name) return require("claudecode.terminal")[name] end })
      function _G.shown()
        local buf = term.get_active_terminal_bufnr()
        return buf and vim.fn.bufwinid(buf) or -1
      end
    ]] .. (wish.init or ""),
  })
  local fake = self.child:write(self.child.root .. "/bin dir/fake", FAKE)
  assert(vim.uv.fs_chmod(fake, 493))
  self.fake = fake
  self.child:lua(
    ([[
      _G.FAKE, _G.ROOT = ...
      _G.plain_paste = vim.paste
      local base = { terminal_cmd = { FAKE }, terminal = { show_native_term_exit_tip = false, provider = "native" } }
      require("claudecode").setup(vim.tbl_deep_extend("force", base, %s, %s))
    ]]):format(wish.base or "{}", wish.options),
    fake,
    self.child.root
  )
  return self
end

function Stage:stop()
  for _, peer in ipairs(self.peers) do
    peer:close()
  end
  self.child:stop()
end

---@return tests.Peer
function Stage:connect()
  local peer = Peer.connect(self.child)
  table.insert(self.peers, peer)
  peer:initialize()
  return peer
end

---A client that takes notifications.
---@return tests.Peer
function Stage:ready()
  local peer = self:connect()
  self.child:wait(("return #require('claudecode.bridge').status().clients == %d"):format(#self.peers))
  self.child:wait([[
    for _, client in pairs(require("claudecode.bridge").clients()) do
      if not client.ready then return false end
    end
    return true
  ]])
  return peer
end

---Opens Claude's terminal, and returns what the CLI wrote down.
---@param what "argv"|"env"|"cwd"
---@return string[]
function Stage:started_with(what)
  self.child:lua([[vim.cmd.ClaudeCodeOpen()]])
  self.child:wait([[return vim.uv.fs_stat(FAKE .. ".started") ~= nil]])
  return vim.split(assert(self.child:read(self.fake .. "." .. what)), "\n", { trimempty = true })
end

---Opens the terminal, and goes back to the file.
function Stage:open_beside()
  self:started_with("argv")
  self.child:lua([[vim.cmd("stopinsert | wincmd p")]])
  self.child:wait([[return vim.api.nvim_get_mode().mode == "n" and vim.fn.bufname("%") == "a.txt"]])
end

---@param peer tests.Peer
---@param path string|nil
---@return integer|string id of the call
function Stage:propose(peer, path)
  local file = self.child:path(path or "a.txt")
  local count = self.child:lua([[return require("claudecode.diff").count()]])
  local id = peer:start_call("openDiff", {
    old_file_path = file,
    new_file_path = file,
    new_file_contents = "new\n",
    tab_name = path or "a.txt",
  })
  self.child:wait(("return require('claudecode.diff').count() == %d"):format(count + 1))
  return id
end

return Stage
