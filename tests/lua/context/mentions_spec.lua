-- Mentions: how a path is said, which client gets it, and what happens while none is there.
local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")

describe("a mention", function()
  local child
  local peers = {}

  local LISTEN = [[
    _G.said, _G.sent = {}, {}
    vim.notify = function(text) table.insert(said, text) end
    vim.api.nvim_create_autocmd("User", { pattern = "ClaudeCodeSendComplete", callback = function(event)
      table.insert(sent, event.data)
    end })
  ]]

  local ALL_READY = [[
    for _, client in pairs(require("claudecode.bridge").clients()) do
      if not client.ready then return false end
    end
    return true
  ]]
  local NO_CLAUDE = [[terminal = { provider = "none" }]]
  local SILENT_CLAUDE = [[
    queue_timeout = 50, connection_timeout = 300,
    terminal_cmd = "cat", terminal = { show_native_term_exit_tip = false }
  ]]

  ---@param options? string Lua fields of the options table
  ---@param files? table<string, string>
  local function start(options, files)
    child = Child.start({
      files = files or { ["a.txt"] = "1\n2\n3\n4\n5\n", ["sub/c.txt"] = "1\n2\n" },
      args = { "a.txt" },
      init = LISTEN,
      setup = ([[require("claudecode").setup({ %s })]]):format(options or NO_CLAUDE),
    })
  end

  ---@param pid? integer
  ---@return tests.Peer
  local function connect(pid)
    local peer = Peer.connect(child)
    peers[#peers + 1] = peer
    peer:initialize({ pid = pid or 999999, list = false })
    return peer
  end

  ---A client that has listed the tools and is therefore ready.
  local function connect_ready(pid)
    local peer = connect(pid)
    peer:request("tools/list")
    child:wait(ALL_READY, 3000)
    return peer
  end

  ---@return boolean ok
  ---@return string? err
  local function send(path, first, last)
    return unpack(child:lua([[return { require("claudecode").send_at_mention(...) }]], path, first, last))
  end

  local function mentioned(peer)
    return peer:notification("at_mentioned", nil, 3000)
  end

  after_each(function()
    for _, peer in ipairs(peers) do
      peer:close()
    end
    peers = {}
    child:stop()
  end)

  it("has an absolute path and 0-based lines, whatever the directory", function()
    start()
    local peer = connect_ready()
    assert.is_true(send(child:path("sub/c.txt"), 0, 1))
    assert.are.same({ filePath = child:path("sub/c.txt"), lineStart = 0, lineEnd = 1 }, mentioned(peer))
    child:keys(":cd sub<CR>")
    assert.is_true(send("c.txt", 1))
    assert.are.same({ filePath = child:path("sub/c.txt"), lineStart = 1, lineEnd = 1 }, mentioned(peer))
    assert.is_true(send("../a.txt"))
    assert.are.same({ filePath = child:path("a.txt") }, mentioned(peer))
  end)

  it("of a directory ends in a slash and has no lines", function()
    start()
    local peer = connect_ready()
    send(child:path("sub"), 1, 2)
    assert.are.same({ filePath = child:path("sub") .. "/" }, mentioned(peer))
  end)

  local PLAIN = { "r$id.ts", "[slug].tsx", "100%.txt", "é.txt", "~x", "-lead", "a'b`c", 'a"b', "{a}(b)&;!*,+=@\\" }
  for _, name in ipairs(PLAIN) do
    it("of " .. name .. " says it as it is", function()
      start(nil, { ["a.txt"] = "", [name] = "1\n2\n3\n" })
      local peer = connect_ready()
      send(child:path(name), 1, 2)
      assert.are.same({ filePath = child:path(name), lineStart = 1, lineEnd = 2 }, mentioned(peer))
    end)
  end

  it("of a path with a blank is quoted, with its range in the quotes, counted from 1", function()
    start(nil, { ["a.txt"] = "", ["sp dir/c d.txt"] = "1\n2\n3\n", ["wide\u{3000}blank"] = "" })
    local peer = connect_ready()
    local path = child:path("sp dir/c d.txt")
    send(path, 1, 2)
    assert.are.same({ filePath = ('"%s#L2-3"'):format(path) }, mentioned(peer))
    send(path, 0, 0)
    assert.are.same({ filePath = ('"%s#L1"'):format(path) }, mentioned(peer))
    send(path)
    assert.are.same({ filePath = ('"%s"'):format(path) }, mentioned(peer))
    send(child:path("sp dir"))
    assert.are.same({ filePath = ('"%s/"'):format(child:path("sp dir")) }, mentioned(peer))
    send(child:path("wide\u{3000}blank"))
    assert.are.same({ filePath = ('"%s"'):format(child:path("wide\u{3000}blank")) }, mentioned(peer))
  end)

  for _, name in ipairs({ "a#b.txt", 'a "b".txt', "a\nb" }) do
    it(("of %q is refused, since the CLI has no form for it"):format(name), function()
      start(nil, { ["a.txt"] = "", [name] = "" })
      local peer = connect_ready()
      local ok, err = send(child:path(name))
      assert.is_false(ok)
      assert.matches("cannot be sent a mention of " .. vim.pesc(child:path(name)), err)
      send(child:path("a.txt"))
      assert.are.same({ filePath = child:path("a.txt") }, mentioned(peer))
      assert.are.equal(1, #peer:notifications("at_mentioned"))
    end)
  end

  it("of a name with # is typed into our own terminal", function()
    start(
      [[terminal_cmd = "cat", terminal = { show_native_term_exit_tip = false }]],
      { ["a.txt"] = "", ["a#b.txt"] = "" }
    )
    child:lua([[require("claudecode.terminal").ensure_visible()]])
    assert.is_true(send(child:path("a#b.txt")))
    child:wait(
      [[
        local buf = require("claudecode.terminal").get_active_terminal_bufnr()
        return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false)):find("a#b.txt", 1, true)
      ]],
      3000
    )
    assert.matches("typed into the terminal", child:lua("return said[1]"))
  end)

  for name, case in pairs({
    ["a file that is not there"] = { "nope.txt", nil, nil, "nope.txt is not on disk" },
    ["a range that ends before it starts"] = { "a.txt", 3, 1, "before the first" },
    ["a negative line"] = { "a.txt", -1, 1, "counted from 0" },
    ["half a line"] = { "a.txt", 0.5, 1, "counted from 0" },
  }) do
    it("of " .. name .. " is refused", function()
      start()
      local peer = connect_ready()
      local ok, err = send(case[1], case[2], case[3])
      assert.is_false(ok)
      assert.matches(case[4], err)
      assert.are.same({}, peer:notifications("at_mentioned"))
    end)
  end

  it("goes to the client of our own terminal, else to the one that was active last", function()
    start([[terminal_cmd = "cat"]])
    local first = connect_ready(1000001)
    send("a.txt", 0)
    assert.are.equal(0, mentioned(first).lineStart)
    local second = connect_ready(1000002)
    send("a.txt", 1)
    assert.are.equal(1, mentioned(second).lineStart)
    first:call("closeAllDiffTabs", {})
    send("a.txt", 2)
    assert.are.equal(2, mentioned(first).lineStart)

    child:lua([[require("claudecode.terminal").ensure_visible()]])
    local own = connect_ready(child:lua([[return require("claudecode.terminal").pid()]]))
    second:call("closeAllDiffTabs", {})
    send("a.txt", 3)
    assert.are.equal(3, mentioned(own).lineStart)
    own:close()
    child:wait([[return vim.tbl_count(require("claudecode.bridge").clients()) == 2]], 3000)
    send("a.txt", 4)
    assert.are.equal(4, mentioned(second).lineStart)

    child:keys("V")
    for _, peer in ipairs({ first, second }) do
      peer:notification("selection_changed", function(params)
        return params.text == "1"
      end, 3000)
    end
    assert.are.same({ 2, 2, 1 }, {
      #first:notifications("at_mentioned"),
      #second:notifications("at_mentioned"),
      #own:notifications("at_mentioned"),
    })
  end)

  it("goes to the process in our own terminal alone, when three are connected; selections go to all", function()
    start()
    local out = child:path("told.jsonl")
    local script = Child.repo() .. "/tests/lua/fake_cli.lua"
    child:lua(
      [[
        require("claudecode").setup({ terminal_cmd = { vim.v.progpath, "-l", ... } })
        require("claudecode.terminal").open()
        vim.cmd("stopinsert | wincmd p")
      ]],
      script,
      out
    )
    child:wait([[return vim.tbl_count(require("claudecode.bridge").clients()) == 1]], 5000)
    local others = { connect_ready(1000001), connect_ready(1000002) }
    others[2]:call("closeAllDiffTabs", {})
    child:keys("2GV:ClaudeCodeSend<CR>3GV")
    for _, peer in ipairs(others) do
      peer:notification("selection_changed", function(params)
        return params.text == "3"
      end, 3000)
      assert.are.same({}, peer:notifications("at_mentioned"))
    end
    local told = Peer.wait_for(function()
      local text = vim.trim(child:read("told.jsonl") or "")
      local messages = text ~= "" and vim.tbl_map(vim.json.decode, vim.split(text, "\n")) or {}
      local last = messages[#messages]
      return last and last.params and last.params.text == "3" and messages
    end, 3000, "the selection in our terminal")
    local mentions = vim.tbl_filter(function(message)
      return message.method == "at_mentioned"
    end, told)
    assert.are.equal(1, #mentions)
    assert.are.same({ filePath = child:path("a.txt"), lineStart = 1, lineEnd = 1 }, mentions[1].params)
  end)

  it("goes to the client whose process a wrapper in our terminal has started", function()
    start([[terminal_cmd = { "/bin/sh", "-c", "sleep 1000 & wait" }]])
    child:lua([[require("claudecode.terminal").ensure_visible()]])
    local pid = child:wait([[return vim.api.nvim_get_proc_children(require("claudecode.terminal").pid())[1] ]], 3000)
    local own = connect_ready(pid)
    connect_ready(1000001)
    send("a.txt")
    assert.are.equal(child:path("a.txt"), mentioned(own).filePath)
  end)

  it("waits, in order, for a client that is ready, and comes before the selection", function()
    start()
    for line = 0, 2 do
      assert.is_true(send("a.txt", line))
    end
    local peer = connect()
    assert.is_true(send("a.txt", 3))
    assert.are.same({}, peer:notifications("at_mentioned"))
    peer:request("tools/list")
    for line = 0, 3 do
      assert.are.equal(line, mentioned(peer).lineStart)
    end
    peer:notification("selection_changed", nil, 3000)
    local order = {}
    for _, message in ipairs(peer.messages) do
      order[#order + 1] = message.method
    end
    assert.are.same({ "at_mentioned", "at_mentioned", "at_mentioned", "at_mentioned", "selection_changed" }, order)
    assert.are.same({}, child:lua("return said"))
  end)

  it("that waits for a client which goes, goes to the next", function()
    start()
    local gone = connect()
    send("a.txt", 1)
    gone:drop()
    local peer = connect_ready()
    assert.are.equal(1, mentioned(peer).lineStart)
  end)

  it("that waits says why, once, and goes on waiting", function()
    start([[queue_timeout = 100, connection_timeout = 200, terminal = { provider = "none" }]])
    for line = 0, 2 do
      send("a.txt", line)
    end
    child:wait("return #said > 0", 3000)
    assert.matches("3 mentions wait: no Claude is running", child:lua("return said[1]"))
    local peer = connect_ready()
    for line = 0, 2 do
      assert.are.equal(line, mentioned(peer).lineStart)
    end
    assert.are.equal(1, #child:lua("return said"))
  end)

  it("that waits for a Claude which does not connect says so", function()
    start(SILENT_CLAUDE)
    send("a.txt")
    child:wait("return #said > 0", 3000)
    assert.matches("Claude runs, but has not connected", child:lua("return said[1]"))
  end)

  it("that waits for a Claude which may have another editor names that one", function()
    start(SILENT_CLAUDE)
    local lock = vim.json.encode({ pid = vim.uv.os_getpid(), ideName = "Other Editor" })
    child:write(child.config_dir .. "/ide/5.lock", lock)
    send("a.txt")
    child:wait("return #said > 0", 3000)
    assert.matches('perhaps to Other Editor; type /ide there and choose "Neovim"', child:lua("return said[1]"))
  end)

  it("fires an event when it is taken while a client is connected", function()
    start()
    send("a.txt", 0, 1)
    assert.are.same({}, child:lua("return sent"))
    connect_ready()
    child:lua([[require("claudecode").send_at_mention("a.txt", 1, 2, "test")]])
    child:lua([[require("claudecode").send_at_mention("a.txt")]])
    assert.are.same({
      { file_path = child:path("a.txt"), start_line = 1, end_line = 2, context = "test" },
      { file_path = child:path("a.txt") },
    }, child:lua("return sent"))
  end)
end)
