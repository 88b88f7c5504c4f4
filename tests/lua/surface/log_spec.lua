local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")

local LISTEN = [[
  _G.said = {}
  vim.notify = function(text) table.insert(said, text) end
]]

---@param child tests.Child
---@return string
local function log_path(child)
  return child:lua([[return require("claudecode.log").path()]])
end

---Everything that was logged until now.
---@param child tests.Child
---@return string
local function log_of(child)
  local mark = "mark-" .. vim.uv.hrtime()
  child:lua([[require("claudecode.log").error("test", "%s", ...)]], mark)
  local path, text = log_path(child), nil
  for _ = 1, 400 do
    text = child:read(path) or ""
    if text:find(mark, 1, true) then
      return text
    end
    vim.uv.sleep(5)
  end
  error("the log never got " .. mark .. ":\n" .. text)
end

describe(":ClaudeCodeLog", function()
  local child

  local function start(opts)
    child = Child.start(vim.tbl_extend("keep", opts or {}, {
      init = LISTEN,
      setup = [[require("claudecode").setup({ log_level = "trace", terminal = { provider = "none" } })]],
      files = { ["a.txt"] = "one\n" },
      args = { "a.txt" },
    }))
  end

  after_each(function()
    child:stop()
  end)

  ---@return table state of the current window and its buffer
  local function state()
    return child:lua([[return {
      name = vim.api.nvim_buf_get_name(0) == require("claudecode.log").path(),
      windows = #vim.api.nvim_tabpage_list_wins(0),
      at_end = vim.fn.line(".") == vim.fn.line("$"),
      last = vim.fn.getline("$"),
      writable = vim.bo.modifiable or not vim.bo.readonly,
      listed = vim.bo.buflisted,
      swap = vim.fn.swapname(0),
      filetype = vim.bo.filetype,
    }]])
  end

  it("shows the log at its end in a window of its own, read-only, unlisted, without a swap file", function()
    start()
    child:lua([[vim.o.swapfile = true]])
    for _ = 1, 60 do
      child:lua([[require("claudecode.log").info("test", "line")]])
    end
    log_of(child)
    child:keys(":ClaudeCodeLog<CR>")
    local seen = state()
    assert.matches("mark%-%d+$", seen.last)
    seen.last = nil
    assert.are.same({
      name = true,
      windows = 2,
      at_end = true,
      writable = false,
      listed = false,
      swap = "",
      filetype = "claudecode_log",
    }, seen)
    child:keys("ggdd")
    assert.matches("mark%-%d+$", state().last)
    assert.has_error(function()
      child:lua([[vim.cmd.write()]])
    end)
    assert.are.same(
      { child:path("a.txt") },
      child:lua([[
      return vim.tbl_map(function(info) return info.name end, vim.fn.getbufinfo({ buflisted = 1 }))
    ]])
    )
    child:keys(":quit<CR>")
    assert.are.equal(1, child:lua([[return #vim.api.nvim_list_wins()]]))
    assert.are.equal(0, child:lua([[return vim.fn.bufexists(require("claudecode.log").path())]]))
    assert.are.same({}, child:lua([[return said]]))
  end)

  it("reads it again with :edit, and when it is asked for again, in the same window", function()
    start()
    log_of(child)
    child:keys(":ClaudeCodeLog<CR>")
    child:lua([[require("claudecode.log").info("test", "the-second")]])
    log_of(child)
    child:keys("gg:e<CR>")
    local seen = state()
    assert.matches("mark%-%d+$", seen.last)
    assert.is_true(seen.at_end and not seen.writable and not seen.listed and seen.swap == "")
    assert.is_true(child:lua([[return vim.fn.search("the-second", "n") > 0]]))
    child:lua([[require("claudecode.log").info("test", "the-third")]])
    log_of(child)
    child:keys("gg<C-w>p:ClaudeCodeLog<CR>")
    assert.is_true(child:lua([[return vim.fn.search("the-third", "nb") > 0]]))
    seen = state()
    assert.is_true(seen.at_end and not seen.writable and seen.windows == 2)
  end)

  it("goes where modifiers of the command say", function()
    start()
    log_of(child)
    child:keys(":tab ClaudeCodeLog<CR>")
    assert.are.equal(2, child:lua([[return vim.fn.tabpagenr("$")]]))
    assert.is_true(state().name and state().windows == 1)
    child:keys(":quit<CR>:vertical ClaudeCodeLog<CR>")
    assert.are.equal("row", child:lua([[return vim.fn.winlayout()[1] ]]))
  end)

  it("leaves a buffer of the log alone that the user has opened", function()
    start()
    log_of(child)
    child:lua([[vim.cmd.edit(require("claudecode.log").path()) vim.api.nvim_buf_set_lines(0, 0, 0, true, { "mine" })]])
    child:keys(":split a.txt<CR>:ClaudeCodeLog<CR>")
    assert.is_true(state().writable and state().name and state().windows == 2)
    assert.are.equal("mine", child:lua([[return vim.fn.getline(1)]]))
  end)

  it("says in one sentence that there is no log yet", function()
    start({ setup = "" })
    child:lua([[vim.fn.delete(require("claudecode.log").path())]])
    child:keys(":ClaudeCodeLog<CR>")
    local said = child:lua([[return said]])
    assert.are.equal(1, #said)
    assert.matches("^claudecode: there is no log yet; it will be .*/claudecode%.log%.$", said[1])
    assert.are.equal(1, child:lua([[return #vim.api.nvim_list_wins()]]))
  end)

  it("shows no file that Claude is told of", function()
    start()
    local peer = Peer.connect(child)
    peer:initialize()
    child:wait([[local _, c = next(require("claudecode.bridge").clients()) return c and c.ready]])
    log_of(child)
    child:keys(":ClaudeCodeLog<CR>V")
    log_of(child)
    child:keys("<Esc>")
    for _, editor in ipairs(peer:call_json("getOpenEditors").tabs) do
      assert.is_nil((editor.fileName or editor.uri):find("claudecode.log", 1, true))
    end
    for _, params in ipairs(peer:notifications("selection_changed")) do
      assert.is_nil((params.filePath or ""):find("claudecode.log", 1, true))
    end
    peer:close()
  end)
end)

describe("the log", function()
  local child, peer

  after_each(function()
    if peer then
      peer:close()
      peer = nil
    end
    child:stop()
  end)

  it("never has more than 1 MiB, nor has the one before, whatever is written", function()
    child = Child.start({
      init = LISTEN,
      setup = [[require("claudecode").setup({ log_level = "trace", terminal = { provider = "none" } })]],
    })
    local path = log_path(child)
    local rotated = false
    for _ = 1, 10 do
      child:lua([[for i = 1, 60 do require("claudecode.log").info("test", "%s", "/" .. ("x"):rep(6000)) end]])
      assert.matches("mark", log_of(child))
      local size = assert(vim.uv.fs_stat(path)).size
      local old = vim.uv.fs_stat(path .. ".old")
      rotated = rotated or old ~= nil
      assert.is_true(size <= 1024 * 1024, size)
      assert.is_true(not old or old.size <= 1024 * 1024)
      assert.are.equal(384, vim.uv.fs_stat(path).mode % 512)
    end
    assert.is_true(rotated)
    child:lua([[require("claudecode.log").info("test", "%s", "/" .. ("y"):rep(5000000))]])
    local text = log_of(child)
    assert.matches("y…", text)
    assert.is_true(#text <= 1024 * 1024)
  end)

  it("has of an error its place, its number and its stack, and never its words", function()
    child = Child.start({ init = LISTEN })
    local function without_words(err)
      return child:lua([[return require("claudecode.log").without_words(...)]], err)
    end
    local place = "/p/lua/claudecode/tools/open_file.lua:12"
    for err, told in pairs({
      ["hush"] = "(4 bytes left out)",
      [""] = "(0 bytes left out)",
      [place .. ": hush"] = "error at " .. place .. " (" .. #place + 6 .. " bytes left out)",
      ["Vim(edit):E37: hush"] = "E37 (19 bytes left out)",
      ["E5108: hush"] = "E5108 (11 bytes left out)",
      ["ENOENT: hush: /p"] = "ENOENT (16 bytes left out)",
      ["hush Vim hush E12 hush"] = "(22 bytes left out)",
    }) do
      assert.are.equal(told, without_words(err))
    end
    local traced = table.concat({
      place .. ": hush",
      "stack traceback:",
      "\thush: in function 'hush hush'",
      "\nstack traceback:",
      "\t[C]: in function 'error'",
      "\t" .. place .. ": in upvalue 'go'",
      '\t[string "local hush = 1"]:1: in function <[string "local hush = 1"]:1>',
      "\t/p/x.lua:3: in function </p/x.lua:1>",
      "\thush",
      "\t...",
    }, "\n")
    assert.are.equal(
      table.concat({
        "error at " .. place .. " (" .. traced:find("\n\nstack", 1, true) .. " bytes left out)",
        "stack traceback:",
        "\t[C]: in function 'error'",
        "\t" .. place .. ": in upvalue 'go'",
        "\t[string]:1: in function <[string]:1>",
        "\t/p/x.lua:3: in function </p/x.lua:1>",
      }, "\n"),
      without_words(traced)
    )
  end)
end)

describe("at log level trace no secret is in the log:", function()
  local FILE, SELECTED, OTHER = "the-file-says", "was-selected", "other-lines"
  local SETUP = [[
    local program = ...
    require("claudecode").setup({ log_level = "trace", terminal_cmd = program, terminal = { provider = "native" } })
  ]]
  local child, peer, token

  before_each(function()
    child = Child.start({
      init = LISTEN,
      ui = { 120, 30 },
      files = { ["a.txt"] = FILE .. "\n" .. SELECTED .. "\n" .. OTHER .. "\n", ["b.txt"] = FILE .. "\n" },
      args = { "a.txt" },
    })
    local program =
      child:write(child.root .. "/claude", "#!/bin/sh\necho terminal-says\nread line\necho got $line\nexit 3\n")
    assert(vim.uv.fs_chmod(program, 493))
    child:lua(SETUP, program)
    token = child:locks()[1].authToken
    peer = Peer.connect(child)
    peer:initialize()
    child:wait([[local _, c = next(require("claudecode.bridge").clients()) return c and c.ready]])
  end)

  after_each(function()
    peer:close()
    child:stop()
  end)

  ---@param wanted string[] patterns that must be in the log
  ---@param secrets string[]
  local function is_silent_about(secrets, wanted)
    local text = log_of(child)
    for _, secret in ipairs(vim.list_extend({ token, FILE, SELECTED, OTHER, "terminal-says" }, secrets)) do
      local at = text:find(secret, 1, true)
      assert.is_nil(at, secret .. " is in the log:\n" .. text)
    end
    for _, pattern in ipairs(wanted) do
      assert.matches(pattern, text)
    end
  end

  it("not of selections and mentions", function()
    child:keys("jV<Esc>vjy")
    assert.is_table(peer:notification("selection_changed", function(params)
      return params.text:find(SELECTED, 1, true) ~= nil
    end))
    child:keys("V:ClaudeCodeSend<CR>:ClaudeCodeAdd b.txt 1 1<CR>")
    assert.is_table(peer:notification("at_mentioned"))
    peer:call("getCurrentSelection")
    peer:call("getLatestSelection")
    child:lua([[require("claudecode.bridge").publish({ text = "published", selection = print and 1 })]])
    child:lua([[require("claudecode.bridge").stop() require("claudecode.bridge").publish({ text = "published" })]])
    is_silent_about({ "published" }, { "client %d+ is claude%-code" })
  end)

  it("not of proposals, accepted, rejected or given up, nor of the names of their tabs", function()
    local function propose(text, path, tab)
      return peer:start_call("openDiff", {
        old_file_path = child:path(path),
        new_file_path = child:path(path),
        new_file_contents = text,
        tab_name = tab,
      })
    end
    for index, decide in ipairs({ "ClaudeCodeDiffAccept", "ClaudeCodeDiffDeny", "ClaudeCodeCloseAllDiffs" }) do
      local id = propose("proposed-" .. index .. "\n", "a.txt", "tab-name " .. index)
      child:wait([[return require("claudecode.diff").count() > 0]])
      child:lua("vim.cmd(...)", decide)
      assert.is_table(peer:answer(id))
      peer:call("close_tab", { tab_name = "tab-name " .. index })
    end
    propose("proposed-4\n", "b.txt", "tab-name 4")
    child:wait([[return require("claudecode.diff").count() > 0]])
    child:lua([[vim.cmd.ClaudeCodeStop()]])
    is_silent_about({ "proposed-", "tab-name" }, {})
  end)

  it("not of arguments that fit no schema, nor of tools, methods and messages that there are none of", function()
    peer:call("openFile", { filePath = { "argument-1" } })
    peer:call("openFile", { filePath = child:path("a.txt"), startText = "argument-2", endText = "argument-3" })
    peer:call("openFile", { filePath = "no/such/argument-4" })
    peer:call("argument-5", { x = "argument-6" })
    peer:request("argument-7", { x = "argument-8" })
    peer:send_text('{"jsonrpc":"2.0","id":1,"method":"argument-9')
    peer:call("getDiagnostics", { uri = "argument-10" })
    peer:call("saveDocument", { filePath = "argument-11" })
    local bad = Peer.connect(child)
    bad:initialize()
    bad:send_frame({ opcode = 1, payload = "argument-12 \255\254" })
    bad:wait_closed()
    is_silent_about({ "argument-" }, { "UTF" })
  end)

  it("not of tools and handlers that throw what they were given", function()
    child:lua([[
      local tool = require("claudecode.tools.open_file")
      local throws = {
        function(args) error(args.startText) end,
        function(args) error(args.startText, 0) end,
        function(args) error("\nstack traceback:\n\t" .. args.startText, 0) end,
        function(args) error({ args.startText }) end,
        function(args) error(setmetatable({}, { __tostring = function() return args.startText end })) end,
        function(args) load("local " .. ("x = 1; "):rep(3) .. " error([=[" .. args.startText .. "]=])")() end,
        function(args) vim.cmd("throw " .. vim.fn.string(args.startText)) end,
        function(args) vim.fn.call(args.startText, {}) end,
        function(args) vim.api.nvim_exec2("echoerr " .. vim.fn.string(args.startText), {}) end,
        function(args, ctx)
          ctx:hold(function() error(args.startText, 0) end)
          ctx:fail("x")
          error(args.startText, 0)
        end,
        function(args, ctx) ctx:json({ [args.startText] = print }) end,
        function(args, ctx) ctx:error(args.startText, {}) end,
        function(args, ctx) ctx:text("a") ctx:text(args.startText) end,
        function() end,
      }
      _G.throws = #throws
      local run = tool.run
      tool.run = function(args, ctx)
        local throw = throws[tonumber(args.endText)]
        return (throw or run)(args, ctx)
      end
    ]])
    local function open(number)
      return peer:call(
        "openFile",
        { filePath = child:path("b.txt"), startText = "thrown hush", endText = tostring(number) }
      )
    end
    for number = 1, child:lua([[return throws]]) do
      open(number)
    end
    child:lua([[
      local function fail() error("hush " .. vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]) end
      vim.api.nvim_create_autocmd({ "BufReadPost", "BufWinEnter", "FileChangedShellPost" }, { callback = fail })
      vim.api.nvim_create_autocmd("User", { pattern = "ClaudeCode*", callback = function(event)
        error("hush " .. vim.inspect(event.data) .. vim.fn.getline(1))
      end })
      require("claudecode.bridge").on("disconnected", function() error("hush " .. vim.fn.getline(1)) end)
    ]])
    open("none")
    child:write("b.txt", FILE .. " again\n")
    child:wait([[return table.concat(vim.fn.getbufline("b.txt", 1, "$")):find("again") ~= nil or #said > 0]])
    child:lua([[vim.cmd.ClaudeCodeStop()]])
    is_silent_about({ "hush" }, { "openFile: %(%d+ bytes left out%)", "stack traceback", "gave no answer" })
  end)

  it("not of tokens that were tried, nor of what else a stranger sends", function()
    for _, opts in ipairs({
      { token = "wrong-token" },
      { token = false, headers = { Authorization = "Bearer wrong-token" } },
      { headers = { Origin = "http://wrong-origin.example" } },
      { headers = { Host = "wrong-host.example" } },
      { path = "/wrong-path" },
      { method = "POST", path = "/wrong-path" },
    }) do
      local stranger = Peer.try(child, opts)
      if stranger then
        stranger:close()
      end
    end
    local tcp = Peer.tcp(child)
    tcp:send_raw("GET wrong-path wrong-path\r\nwrong header\r\n\r\n")
    tcp:wait_closed()
    is_silent_about({ "wrong-", "wrong header" }, { "refused with 401", "refused with 403" })
  end)

  it("not of what is typed into the terminal, or shown there", function()
    child:lua([[vim.cmd.ClaudeCodeOpen()]])
    child:wait_screen("terminal-says")
    child:lua([[vim.cmd.ClaudeCodeSendText("typed-text")]])
    child:wait([[return #said > 0]])
    is_silent_about({ "typed-text" }, {})
  end)
end)
