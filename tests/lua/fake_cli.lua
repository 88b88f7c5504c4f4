-- A stand-in for the CLI in a terminal: connects as its environment says, and writes each message it gets into a file.
-- Run: nvim -l tests/lua/fake_cli.lua OUT
local root = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))))
package.path = root .. "/?.lua;" .. package.path

local Peer = require("tests.lua.peer")

local port = assert(vim.env.CLAUDE_CODE_SSE_PORT, "no port in the environment")
local file = assert(io.open(("%s/ide/%s.lock"):format(vim.env.CLAUDE_CONFIG_DIR, port)))
local text = file:read("*a")
file:close()
local lock = vim.json.decode(text)

local peer = Peer.connect(nil, { port = math.floor(port), token = lock.authToken })
peer:initialize()
local out = assert(io.open(assert(arg[1], "no file to write to"), "a"))
while not peer.closed do
  local message = peer:next(nil, 60000)
  out:write(vim.json.encode(message), "\n")
  out:flush()
end
