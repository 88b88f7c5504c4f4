-- A Neovim with an explorer, and a client that hears what is mentioned.
local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")
local assert = require("luassert") ---@diagnostic disable-line: unresolved-require

---@class tests.Explorer
---@field child tests.Child
---@field peer tests.Peer
local Explorer = {}
Explorer.__index = Explorer

-- `zt` and `zs` come from <Cmd> mappings, so Visual mode is still on; `zT` and `zS` type a command line.
local SETUP = [[
  _G.said, _G.sent = {}, {}
  vim.notify = function(text) table.insert(said, text) end
  vim.api.nvim_create_autocmd("User", { pattern = "ClaudeCodeSendComplete", callback = function(event)
    table.insert(sent, event.data)
  end })
  vim.keymap.set({ "n", "x" }, "zt", "<Cmd>ClaudeCodeTreeAdd<CR>")
  vim.keymap.set({ "n", "x" }, "zs", "<Cmd>ClaudeCodeSend<CR>")
  vim.keymap.set({ "n", "x" }, "zT", ":ClaudeCodeTreeAdd<CR>", { silent = true })
  vim.keymap.set({ "n", "x" }, "zS", ":ClaudeCodeSend<CR>", { silent = true })
  vim.keymap.set("i", "<F2>", "<Cmd>ClaudeCodeTreeAdd<CR>")
  vim.keymap.set("i", "<F3>", "<Cmd>ClaudeCodeSend<CR>")
  require("claudecode").setup({ terminal = { provider = "none" }, queue_timeout = 200 })
]]

--- Names that are hard for somebody: each is a file.
Explorer.HARD = {
  "100%.txt",
  "[id].tsx",
  "two  blanks.txt",
  "back\\slash",
  "oil.lua",
  "q'u\"ote",
  "r$id.ts",
  "star*",
  "é ü.txt",
  "日本語.txt",
}

---@param opts { files: string[], stand_in?: string, init?: string, client?: boolean, ui?: integer[] }
---@return tests.Explorer
function Explorer.start(opts)
  local files = {}
  for _, name in ipairs(opts.files) do
    files[name] = ""
  end
  local self = setmetatable({}, Explorer)
  self.child = Child.start({ files = files, init = opts.init, setup = SETUP, ui = opts.ui })
  if opts.stand_in then
    self.child:lua(
      "_G.stand_in = dofile(...)",
      ("%s/tests/lua/integrations/stand_ins/%s.lua"):format(Child.repo(), opts.stand_in)
    )
  end
  if opts.client ~= false then
    self:connect()
  end
  return self
end

function Explorer:connect()
  self.peer = Peer.connect(self.child)
  self.peer:initialize()
  self.child:wait([[
    local _, client = next(require("claudecode.bridge").clients())
    return client and client.ready
  ]])
end

function Explorer:stop()
  if self.peer then
    self.peer:close()
  end
  self.child:stop()
end

--- Between two tests of one Neovim: one window with an empty buffer, nothing said, nothing on its way.
function Explorer:clear()
  if self.peer then
    self.peer:request("ping")
    while pcall(self.peer.notification, self.peer, "at_mentioned", nil, 0) do
    end
  end
  self.child:keys("<C-\\><C-n>")
  self.child:lua([[
    vim.cmd("silent! only! | silent! %bwipeout!")
    said, sent = {}, {}
  ]])
end

---@param target string relative or absolute
---@param name string relative to the project
function Explorer:link(target, name)
  assert(vim.uv.fs_symlink(target, self.child:path(name)))
end

---Puts the cursor on the first line that ends in a text.
---@param text string
function Explorer:go(text)
  local found = self.child:lua([[return vim.fn.search("\\V" .. vim.fn.escape(..., "\\") .. "\\$", "cw")]], text)
  assert(found > 0, "no line ends in " .. text)
end

---Waits for mentions.
---@param count integer
---@return string[] paths relative to the project, without the quotes of those with a blank
function Explorer:mentioned(count)
  local paths = {}
  for index = 1, count do
    local ok, params = pcall(self.peer.notification, self.peer, "at_mentioned", nil, 3000)
    assert(ok, ("%d mentions came (%s), but no more: %s"):format(#paths, vim.inspect(paths), vim.inspect(self:said())))
    assert(params.lineStart == nil, "a range")
    local path = params.filePath:match('^"(.*)"$') or params.filePath
    assert(vim.startswith(path, self.child.dir .. "/"), path)
    paths[index] = path:sub(#self.child.dir + 2)
  end
  return paths
end

---Types keys, and checks what is mentioned, and that nothing else is and nobody complains.
---@param wanted string[] relative to the project
---@param keys string
function Explorer:mentions(wanted, keys)
  local before = #self.peer:notifications("at_mentioned")
  self.child:keys(keys)
  assert.are.same(wanted, self:mentioned(#wanted), keys)
  assert.are.same({}, self:said(), keys)
  -- What went out before this answer has arrived.
  self.peer:request("ping")
  assert.are.equal(before + #wanted, #self.peer:notifications("at_mentioned"), keys)
end

---@return string[] messages so far
function Explorer:said()
  return self.child:lua([[return said]])
end

---Types keys, and checks that there is one message and no mention.
---@param pattern string
---@param keys string
function Explorer:refuses(pattern, keys)
  local before = #self.peer:notifications("at_mentioned")
  self.child:lua([[said = {}]])
  self.child:keys(keys)
  local said = self:said()
  assert.are.equal(1, #said, vim.inspect(said))
  local message = said[1] --[[@as string]]
  assert.matches(pattern, message)
  assert.is_nil(message:find("\n", 1, true))
  self.peer:request("ping")
  assert.are.equal(before, #self.peer:notifications("at_mentioned"))
end

return Explorer
