local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")

local LISTEN = [[
  _G.said = {}
  vim.notify = function(text, level) table.insert(said, { text = text, level = level }) end
  _G.events = {}
  vim.api.nvim_create_autocmd("User", { pattern = "ClaudeCode*", callback = function(event)
    table.insert(events, { event.match, event.data })
  end })
]]
local NONE = [[require("claudecode").setup({ terminal = { provider = "none" } })]]

describe("the plugin's life", function()
  local child, peer

  local function start(opts)
    child = Child.start(vim.tbl_extend("keep", opts or {}, { init = LISTEN, setup = NONE }))
  end

  after_each(function()
    if peer then
      peer:close()
      peer = nil
    end
    child:stop()
  end)

  it("begins with setup(), and a second setup() changes nothing", function()
    start({ setup = NONE .. NONE .. [[require("claudecode").setup()]] })
    assert.are.equal(1, #child:locks(2000))
    local port = child:locks(0)[1].port
    local state =
      child:lua([[local s = require("claudecode").state return { s.port, s.server.port, s.config.auto_start }]])
    assert.are.same({ port, port, true }, state)
    assert.are.same({ { "ClaudeCodeStarted", { port = port } } }, child:lua([[return events]]))
    assert.are.same({}, child:lua([[return said]]))
  end)

  it("begins with vim.g.claudecode alone, set before or by a function", function()
    start({ init = LISTEN .. [[vim.g.claudecode = { terminal = { provider = "none" } }]], setup = "" })
    assert.are.equal(1, #child:locks(2000))
    child:stop()
    start({
      init = LISTEN .. [[vim.g.claudecode = function() return { port_range = { min = 23000, max = 24000 } } end]],
      setup = "",
    })
    local port = child:locks(2000)[1].port
    assert.is_true(port >= 23000 and port <= 24000)
  end)

  it("tells of mentions that wait, and of a Claude that runs hidden", function()
    start({
      init = LISTEN,
      files = { ["a.txt"] = "one\n" },
      setup = [[require("claudecode").setup({
        terminal_cmd = { "sleep", "1000" }, terminal = { provider = "native" } })]],
    })
    local line = [[return require("claudecode").statusline() == %q]]
    child:lua([[vim.cmd("ClaudeCodeAdd a.txt")]])
    child:wait(line:format("Claude 0 @1"))
    child:lua([[vim.cmd.ClaudeCode()]])
    child:wait(line:format("Claude 0 @1 hidden"))
    child:lua([[said = {} vim.cmd.ClaudeCodeStatus()]])
    local report = child:lua([[return said[1].text]])
    assert.matches("terminal: Claude runs, pid %d+, hidden, provider native", report)
    assert.matches("mentions that wait: 1, as Claude runs, but has not connected to this Neovim; type /ide", report)
    peer = Peer.connect(child)
    peer:initialize()
    child:wait(line:format("Claude 1 hidden"))
    child:lua([[vim.cmd.ClaudeCode()]])
    child:wait(line:format("Claude 1"))
    child:lua([[vim.cmd.ClaudeCode() vim.cmd.ClaudeCodeClose()]])
    child:wait(line:format("Claude 1"))
  end)

  it("puts what a CLI needs into the environment while the server runs, if export_env says so", function()
    start({
      setup = [[require("claudecode").setup({ export_env = true, terminal = { provider = "none" } })]],
      env = { CLAUDE_CODE_SSE_PORT = "1", NO_PROXY = "example.org" },
    })
    local seen = [[
      local names = { "CLAUDE_CODE_SSE_PORT", "ENABLE_IDE_INTEGRATION", "NO_PROXY", "no_proxy" }
      return vim.split(vim.fn.system("printenv " .. table.concat(names, " ") .. " | cat"), "\n", { trimempty = true })
    ]]
    local list = "example.org,localhost,127.0.0.1,::1"
    local port = tostring(child:locks(2000)[1].port)
    assert.are.same({ port, "true", list, list }, child:lua(seen))
    child:lua([[vim.env.no_proxy = "mine" vim.cmd.ClaudeCodeStop()]])
    assert.are.same({ "1", "example.org", "mine" }, child:lua(seen))
    child:lua([[vim.cmd.ClaudeCodeStart()]])
    assert.are.equal(tostring(child:locks(2000)[1].port), child:lua(seen)[1])
    child:stop()
    start()
    child:locks(2000)
    assert.are.same({}, child:lua(seen))
  end)

  it("does not begin without either, or with auto_start off", function()
    start({ setup = [[require("claudecode").setup({ auto_start = false })]] })
    assert.are.same({}, child:locks(0))
    assert.are.equal("", child:lua([[return require("claudecode").statusline()]]))
    child:lua([[vim.cmd.ClaudeCodeStart()]])
    assert.are.equal(1, #child:locks(2000))
    assert.matches("server started on port %d+", child:lua([[return said[1].text]]))
    child:stop()
    start({ setup = "" })
    assert.are.same({}, child:locks(0))
  end)

  it("keeps its port when setup() asks for another range, and says when that takes effect", function()
    start({ setup = NONE })
    local port = child:locks(2000)[1].port
    child:lua([[require("claudecode").setup({ port_range = { min = 1024, max = 1025 } })]])
    assert.are.equal(port, child:locks(0)[1].port)
    assert.are.equal(1, #child:lua([[return said]]))
    assert.matches(
      "port_range takes effect after :ClaudeCodeStop and :ClaudeCodeStart",
      child:lua([[return said[1].text]])
    )
  end)

  it("can be stopped and started again, on the same port", function()
    start()
    local port = child:locks(2000)[1].port
    child:lua([[vim.cmd.ClaudeCodeStop()]])
    assert.are.same({}, child:locks(0))
    assert.are.same(
      { false, false },
      child:lua([[
      local c = require("claudecode")
      return { c.state.server ~= nil, c.state.port ~= nil }
    ]])
    )
    child:lua([[vim.cmd.ClaudeCodeStop() vim.cmd.ClaudeCodeStart() vim.cmd.ClaudeCodeStart()]])
    assert.are.equal(port, child:locks(2000)[1].port)
    local texts = vim.tbl_map(function(message)
      return message.text
    end, child:lua([[return said]]))
    assert.are.equal(4, #texts)
    assert.matches("server stopped", texts[1])
    assert.matches("was not running", texts[2])
    assert.matches("server started", texts[3])
    assert.matches("already runs", texts[4])
    assert.are.same(
      { "ClaudeCodeStarted", "ClaudeCodeStopped", "ClaudeCodeStarted" },
      child:lua([[return vim.tbl_map(function(event) return event[1] end, events)]])
    )
  end)

  it("does not begin where no lock file can be found again, and says what to set", function()
    for home, dir in pairs({ ["rel/home"] = "rel/home/%.claude/ide", [""] = "%.claude/ide" }) do
      start({ env = { HOME = home, CLAUDE_CONFIG_DIR = false } })
      local said = child:wait([[return said[1] and said[1].text]])
      assert.matches("no place: " .. dir .. " is no absolute path%. Set HOME or CLAUDE_CONFIG_DIR to one", said)
      assert.is_nil(vim.uv.fs_stat(child:path("rel")))
      assert.are.equal(2, child:lua([[return 1 + 1]]))
      child:stop()
    end
  end)

  it("ends with Neovim, and the lock file with it", function()
    start()
    local lock = child:locks(2000)[1].path
    assert.are.equal(0, child:quit())
    assert.is_nil(vim.uv.fs_stat(lock))
  end)

  it("tells who comes and goes, in events, the statusline and :ClaudeCodeStatus", function()
    start()
    assert.are.equal("Claude 0", child:lua([[return require("claudecode").statusline()]]))
    assert.is_false(child:lua([[return require("claudecode").is_claude_connected()]]))
    peer = Peer.connect(child)
    peer:initialize({ pid = 4711 })
    child:wait([[return require("claudecode").statusline() == "Claude 1"]])
    assert.is_true(child:lua([[return require("claudecode").is_claude_connected()]]))
    child:wait([[local _, client = next(require("claudecode.bridge").clients()) return client.pid == 4711]])
    child:lua([[vim.cmd.ClaudeCodeStatus()]])
    local report = child:lua([[return said[1].text]])
    assert.matches("server: 127%.0%.0%.1:%d+, lock ~?/.*%.lock", report)
    assert.matches("client %d+: claude%-code [%d.]+ %(pid 4711%)", report)
    assert.matches("terminal: Claude does not run here, provider none", report)
    assert.matches("open diffs: 0", report)
    assert.matches("folders: ~?/.*project", report)
    peer:close()
    peer = nil
    child:wait([[return require("claudecode").statusline() == "Claude 0"]])
    local events = child:lua([[return events]])
    assert.are.equal("ClaudeCodeConnected", events[2][1])
    assert.are.equal("claude-code", events[2][2].name)
    assert.are.same({ "ClaudeCodeDisconnected", events[2][2] }, events[3])
  end)

  it("hands the selection and the version to other plugins", function()
    start()
    assert.are.equal("0.1.0", child:lua([[return require("claudecode").get_version().version]]))
    child:write("f.txt", "one\ntwo\n")
    child:lua([[vim.cmd.edit("f.txt")]])
    child:keys("Vj<Esc>")
    assert.are.equal("one\ntwo", child:lua([[return require("claudecode.selection").get_latest_selection().text]]))
  end)

  it("finds the top of a git work tree", function()
    start()
    child:write("repo/.git/HEAD", "")
    child:write("repo/sub/deep/f", "")
    child:write("repo/work/.git", "gitdir: elsewhere\n")
    local function root(dir)
      return child:lua([[return require("claudecode.cwd").git_root(...)]], dir)
    end
    assert.are.equal(child:path("repo"), root(child:path("repo/sub/deep")))
    assert.are.equal(child:path("repo/work"), root(child:path("repo/work")))
    assert.is_nil(root(child.root))
  end)
end)

describe("without the native library", function()
  local child

  after_each(function()
    child:stop()
  end)

  it("there is one message, naming the paths and the command, and Neovim works on", function()
    child = Child.start({ init = LISTEN, env = { CLAUDECODE_NATIVE = "/no/such/library.so" }, setup = NONE .. NONE })
    child:wait([[return #said > 0]])
    child:lua([[vim.cmd("ClaudeCodeOpen") vim.cmd("1ClaudeCodeSend") said[1].said_again = #said]])
    local said = child:lua([[return said]])
    assert.matches("/no/such/library%.so", said[1].text)
    assert.matches(":ClaudeCodeBuild", said[1].text)
    local about = vim.tbl_filter(function(message)
      return message.text:find("library.so", 1, true) ~= nil
    end, said)
    assert.are.equal(1, #about)
    child:lua([[said = {} vim.cmd.ClaudeCodeStart()]])
    assert.matches("library%.so", child:lua([[return said[1].text]]))
    child:lua([[vim.cmd("checkhealth claudecode")]])
    assert.matches("library%.so", child:lua([[return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")]]))
    assert.are.equal(0, child:quit())
  end)
end)

describe("an event", function()
  local child

  after_each(function()
    child:stop()
  end)

  it("reaches every handler, and one that fails is named once and blocks nothing", function()
    child = Child.start({
      ui = { 60, 10 },
      init = [[
        _G.said = {}
        local notify = vim.notify
        vim.notify = function(text, level) table.insert(said, text) end
        _G.got = {}
        local function on(action)
          vim.api.nvim_create_autocmd("User", { pattern = "ClaudeCodeThing", callback = action })
        end
        on(function() error("first\nline two\nline three") end)
        on(function(event) table.insert(got, event.data.value) print("printed") end)
        vim.api.nvim_create_autocmd("User", { pattern = "ClaudeCodeThing", command = "echoerr 'second'" })
        on(function(event) table.insert(got, event.data.value + 1) end)
      ]],
    })
    child:lua(
      [[vim.v.errmsg = "mine" for _ = 1, 2 do require("claudecode.events").emit("ClaudeCodeThing", { value = 1 }) end]]
    )
    assert.is_false(child:blocked())
    assert.are.same({ 1, 2, 1, 2 }, child:lua([[return got]]))
    assert.are.equal(1, child:lua([[return #said]]))
    assert.matches("ClaudeCodeThing", child:lua([[return said[1] ]]))
    assert.are.equal("mine", child:lua([[return vim.v.errmsg]]))
    assert.matches("printed", child:lua([[return vim.fn.execute("messages")]]))
  end)
end)

describe("messages", function()
  local child

  after_each(function()
    child:stop()
  end)

  it("have a title, and an incident is told once until it is over", function()
    child = Child.start({
      init = [[
        _G.said = {}
        vim.notify = function(text, level, opts) table.insert(said, { text, level, opts.title }) end
      ]],
    })
    child:lua([[
      local notify = require("claudecode.notify")
      notify.once("x", "warn", "a") notify.once("x", "warn", "b") notify.forget("x") notify.once("x", "error", "c")
    ]])
    assert.are.same({
      { "claudecode: a", vim.log.levels.WARN, "claudecode.nvim" },
      { "claudecode: c", vim.log.levels.ERROR, "claudecode.nvim" },
    }, child:lua([[return said]]))
  end)

  it("of startup wait for the screen, and come from any thread of the main loop", function()
    child = Child.start({
      ui = { 80, 12 },
      init = [[
        require("claudecode.notify").warn("early")
        vim.defer_fn(function() end, 1)
        local timer = vim.uv.new_timer()
        timer:start(1, 0, function() timer:close() require("claudecode.notify").warn("fast") end)
      ]],
    })
    child:wait([[return vim.fn.execute("messages"):find("fast") ~= nil]], 3000)
    assert.matches("claudecode: early", child:lua([[return vim.fn.execute("messages")]]))
    assert.is_false(child:blocked())
  end)
end)

describe("a message that is too long for the last line", function()
  local child

  after_each(function()
    child:stop()
  end)

  local TEXT = "this is the beginning of "
    .. ("a long story "):rep(20)
    .. ("x"):rep(100)
    .. "y\nwith a second line, and an end"

  it("does not stop the editor at a prompt: its beginning is seen, and all of it is in the history", function()
    child = Child.start({ ui = { 60, 12 } })
    child:lua([[require("claudecode.notify").warn(...)]], TEXT)
    child:wait_screen("claudecode: this is the be", 2000)
    assert.is_false(child:blocked())
    local history = child:lua([[return vim.fn.execute("messages")]])
    assert.matches("this is the beginning of a long\nstory a long story", history)
    assert.matches("xxxy\n", history)
    assert.matches("with a second line, and an end", history)
  end)

  for _, size in ipairs({ { 80, 24 }, { 30, 6 }, { 14, 4 } }) do
    it(("neither stops it with others of its time, on %d by %d"):format(size[1], size[2]), function()
      child = Child.start({
        ui = size,
        init = [[
          local notify = require("claudecode.notify")
          notify.info("first at start") notify.warn("second at start\nand more")
          _G.twice = function()
            notify.info("told") notify.warn("worse " .. ("long "):rep(30)) notify.info("third")
          end
        ]],
      })
      child:wait([[return vim.fn.execute("messages"):gsub("%s", ""):find("andmore") ~= nil]], 2000)
      assert.is_false(child:blocked())
      child:lua([[vim.cmd("echo 1") twice()]])
      child:wait([[return vim.fn.execute("messages"):gsub("%s", ""):find("third") ~= nil]], 2000)
      assert.is_false(child:blocked())
      if size[1] == 80 then
        child:wait_screen("claudecode: worse long", 2000)
        child:wait_screen("+2 more in :messages", 2000)
      end
    end)
  end

  it("does not make a command wait that enters Terminal mode", function()
    child = Child.start({
      ui = { 80, 24 },
      init = [[
      function _G.enter()
        require("claudecode.notify").warn("entering") vim.cmd("terminal cat") vim.cmd.startinsert()
      end
    ]],
    })
    child:input(":lua enter()<CR>")
    child:wait([[return vim.api.nvim_get_mode().mode == "t"]], 900)
    child:input("<C-\\><C-n>")
    child:wait_screen("claudecode: entering", 2000)
  end)

  it("comes after Terminal mode, in which the last line shows nothing else", function()
    child = Child.start({ ui = { 60, 12 } })
    child:lua([[vim.cmd.terminal("while :; do echo x; sleep 0.05; done") vim.cmd.startinsert()]])
    child:wait([[return vim.api.nvim_get_mode().mode == "t"]])
    child:lua([[require("claudecode.notify").warn(...) _G.size = vim.api.nvim_buf_line_count(0)]], TEXT)
    child:wait([[return vim.api.nvim_buf_line_count(0) > size + 5]])
    assert.is_false(child:blocked())
    child:input("<C-\\><C-n>")
    child:wait_screen("claudecode: this is the be", 2000)
    assert.is_false(child:blocked())
  end)

  it("is whole where the user's own vim.notify shows it", function()
    child = Child.start({ ui = { 60, 12 }, init = [[vim.notify = function(text) _G.got = text end]] })
    child:lua([[require("claudecode.notify").warn(...)]], TEXT)
    assert.are.equal("claudecode: " .. TEXT, child:lua([[return got]]))
  end)

  it("waits for the end of a command line that is being typed", function()
    child = Child.start({ ui = { 60, 12 }, init = [[vim.notify = function(text) _G.got = text end]] })
    child:keys(":echo 1")
    child:lua([[require("claudecode.notify").info("later")]])
    assert.is_nil(child:lua([[return got]]))
    child:keys("<Esc>")
    child:wait([[return got == "claudecode: later"]], 2000)
  end)
end)

describe("the notice about edits without a diff", function()
  local child

  before_each(function()
    child = Child.start({ init = LISTEN })
    child:lua([[_G.notice = require("claudecode.notice")]])
  end)

  after_each(function()
    child:stop()
  end)

  local function texts()
    return child:lua([[return vim.tbl_map(function(message) return message.text end, said)]])
  end

  it("comes with the first such edit, once, and says what to do", function()
    child:lua([[notice.edit_announced(1, "/p/a.txt") notice.edit_announced(2, "/p/b.txt")]])
    assert.are.equal(1, #texts())
    assert.matches("/p/a%.txt", texts()[1])
    assert.matches('permission_mode = "default"', texts()[1])
    assert.matches("shift%+tab", texts()[1])
  end)

  it("does not come for an edit that was shown, but for a later one of another file or client", function()
    child:lua([[
      notice.diff_opened(1, "/p/a.txt") notice.edit_announced(1, "/p/a.txt") notice.edit_announced(1, "/p/a.txt")
      notice.diff_opened(1, "/p/b.txt") notice.edit_announced(1, "/p/b.txt")
    ]])
    assert.are.same({}, texts())
    child:lua([[notice.edit_announced(2, "/p/a.txt")]])
    assert.are.equal(1, #texts())
  end)

  it("does not come when diffs are turned off", function()
    child:lua([[require("claudecode.config").setup({ auto_start = false, diff_opts = { enabled = false } }) said = {}]])
    child:lua([[notice.edit_announced(1, "/p/a.txt")]])
    assert.are.same({}, texts())
  end)
end)
