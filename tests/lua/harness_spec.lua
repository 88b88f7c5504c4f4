-- The harness itself: what every other test relies on.
local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")
local websocket = require("tests.lua.websocket")

---@param hex string
local function bytes(hex)
  return (hex:gsub("%s", ""):gsub("%x%x", function(pair)
    return string.char(tonumber(pair, 16))
  end))
end

describe("a frame", function()
  it("is read as RFC 6455 writes it", function()
    local frames = websocket.decoder():feed(bytes("81 05 48 65 6c 6c 6f  89 00"))
    assert.are.same({ opcode = 1, fin = true, rsv = 0, mask = false, payload = "Hello" }, frames[1])
    assert.are.equal(websocket.PING, frames[2].opcode)
  end)

  it("is masked with a key that undoes itself", function()
    local frame = websocket.encode({ opcode = websocket.TEXT, payload = "Hello" })
    assert.are.equal(bytes("81 85"), frame:sub(1, 2))
    local clear = {}
    for i = 1, 5 do
      clear[i] = string.char(bit.bxor(frame:byte(6 + i), frame:byte(3 + (i - 1) % 4)))
    end
    assert.are.equal("Hello", table.concat(clear))
  end)

  for _, size in ipairs({ 0, 125, 126, 65535, 65536, 200000 }) do
    it(("of %d bytes is put together from pieces"):format(size), function()
      local data = websocket.encode({ opcode = websocket.BINARY, payload = ("x"):rep(size), mask = false })
      local decoder, frames = websocket.decoder(), {}
      for at = 1, #data, 50000 do
        vim.list_extend(frames, decoder:feed(data:sub(at, at + 49999)))
      end
      assert.are.equal(1, #frames)
      assert.are.equal(size, #frames[1].payload)
    end)
  end
end)

describe("a child", function()
  local child
  after_each(function()
    child:stop()
  end)

  it("sees only its own directories", function()
    vim.env.CLAUDE_CODE_SSE_PORT = "1"
    child = Child.start({ plugin = false, env = { EXTRA = "x" } })
    vim.env.CLAUDE_CODE_SSE_PORT = nil
    local seen = child:lua([[
      local claude = vim.iter(vim.fn.environ()):map(function(name) return name:match("^CLAUDE_.*") end):totable()
      return { vim.env.HOME, vim.fn.stdpath("data"), vim.uv.cwd(), claude, vim.env.EXTRA }
    ]])
    assert.are.same({
      child.home,
      child.home .. "/.data/nvim",
      child.dir,
      { "CLAUDE_CONFIG_DIR" },
      "x",
    }, seen)
  end)

  it("opens exactly the bytes it was given", function()
    child = Child.start({ plugin = false, files = { ["sub dir/a.txt"] = "one\0x\ntwo" }, args = { "sub dir/a.txt" } })
    assert.are.same({ "one\0x", "two" }, child:lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)"))
    assert.are.equal("one\0x\ntwo", child:read("sub dir/a.txt"))
  end)

  it("has taken typed keys when keys() returns", function()
    child = Child.start({ plugin = false })
    child:keys("ihello<Esc>")
    assert.are.equal("hello", child:lua("return vim.api.nvim_get_current_line()"))
  end)

  it("shows its screen even at a prompt", function()
    child = Child.start({ plugin = false, ui = { 40, 6 } })
    child:input([[:echo "a\nb"<CR>]])
    child:wait_screen("Press ENTER")
    assert.is_true(child:blocked())
    assert.are.equal("a", child:screen()[4])
    child:input("<CR>")
    child:wait_screen("[No Name]")
  end)

  it("that was killed is an error which tells the exit code", function()
    child = Child.start({ plugin = false })
    child:kill("sigkill")
    local ok, err = pcall(child.lua, child, "return 1")
    assert.is_false(ok)
    assert.matches("ended with code 137", err)
  end)

  it("that does not answer is an error after its time limit", function()
    child = Child.start({ plugin = false, timeout_ms = 300 })
    child:input("r")
    local ok, err = pcall(child.lua, child, "return 1")
    assert.is_false(ok)
    assert.matches("no answer within 300 ms", err)
  end)

  it("leaves nothing behind", function()
    child = Child.start({ plugin = false })
    child:stop()
    assert.is_false(child:is_running())
    assert.is_nil(vim.uv.fs_stat(child.root))
  end)
end)

describe("a peer", function()
  local server, received, answer
  before_each(function()
    received = ""
    server = assert(vim.uv.new_tcp())
    server:bind("127.0.0.1", 0)
    server:listen(1, function()
      local socket = assert(vim.uv.new_tcp())
      server:accept(socket)
      socket:read_start(function(_, data)
        received = received .. (data or "")
        if data and received:find("\r\n\r\n", 1, true) and answer then
          socket:write(answer)
          answer = nil
        end
      end)
    end)
  end)
  after_each(function()
    server:close()
  end)

  local ACCEPTED = "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

  it("shows the status and body of a refusal", function()
    answer = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\n\r\nnope"
    local peer, response = Peer.try(nil, { port = server:getsockname().port, token = "t", headers = { Origin = "x" } })
    assert.is_nil(peer)
    assert.are.same({ 401, "nope" }, { response.status, response.body })
    assert.matches("X%-Claude%-Code%-Ide%-Authorization: t\r\n", received)
    assert.matches("Origin: x\r\n", received)
  end)

  it("takes messages that came with the answer, and the close code", function()
    answer = ACCEPTED
      .. websocket.encode({ opcode = websocket.TEXT, payload = '{"method":', mask = false, fin = false })
      .. websocket.encode({ opcode = websocket.CONTINUATION, payload = '"hello"}', mask = false })
      .. websocket.encode({ opcode = websocket.CLOSE, payload = websocket.close_payload(1009, "big"), mask = false })
    local peer = Peer.connect(nil, { port = server:getsockname().port })
    assert.are.equal("hello", peer:next().method)
    assert.are.same({ 1009, "big" }, { peer.close_code, peer.close_reason })
    peer:drop()
  end)
end)
