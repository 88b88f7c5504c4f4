local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")

local LISTEN = [[
  _G.said = {}
  vim.notify = function(text, level) table.insert(said, text) end
]]

describe("the plugin file", function()
  local child

  after_each(function()
    child:stop()
  end)

  it("loads nothing of the plugin and maps no keys", function()
    child = Child.start()
    local loaded = child:lua([[
      return vim.tbl_filter(function(name) return name:find("^claudecode") ~= nil end, vim.tbl_keys(package.loaded))
    ]])
    assert.are.same({}, loaded)
    assert.are.same(
      {},
      child:lua([[
      local others = {}
      for _, mode in ipairs({ "n", "x", "i", "t" }) do
        for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
          local is_ours = (map.rhs or ""):find("Claude")
          if is_ours and not map.lhs:find("^<Plug>%(claudecode%-") then table.insert(others, map.lhs) end
        end
      end
      return others
    ]])
    )
  end)

  it("defines every command, each with a description and something to do", function()
    child = Child.start()
    local commands = child:lua([[
      local found = {}
      for name, command in pairs(vim.api.nvim_get_commands({})) do
        if name:find("^ClaudeCode") then found[name] = command.definition end
      end
      return found
    ]])
    local names = vim.tbl_keys(commands)
    table.sort(names)
    assert.are.same(names, child:lua([[return require("claudecode.commands").names()]]))
    for _, name in ipairs({
      "ClaudeCode",
      "ClaudeCodeFocus",
      "ClaudeCodeOpen",
      "ClaudeCodeClose",
      "ClaudeCodeSelectModel",
      "ClaudeCodeSend",
      "ClaudeCodeSendText",
      "ClaudeCodeAdd",
      "ClaudeCodeTreeAdd",
      "ClaudeCodeStart",
      "ClaudeCodeStop",
      "ClaudeCodeStatus",
      "ClaudeCodeDiffAccept",
      "ClaudeCodeDiffDeny",
      "ClaudeCodeCloseAllDiffs",
      "ClaudeCodeShare",
      "ClaudeCodeDiffs",
      "ClaudeCodeReview",
      "ClaudeCodeNote",
      "ClaudeCodeBuild",
      "ClaudeCodeLog",
    }) do
      assert.is_true(commands[name] ~= nil and commands[name] ~= "", name)
    end
  end)

  it("says of commands to come that they are not there yet, and with which version they will be", function()
    child = Child.start({ init = LISTEN })
    for command, version in pairs({
      ["ClaudeCodeNote why"] = "0.5.0",
    }) do
      child:lua([[said = {} vim.cmd(...)]], command)
      local said = child:lua([[return said]])
      assert.are.equal(1, #said, command)
      assert.matches(vim.pesc(version), said[1], command)
    end
  end)
end)

describe(":ClaudeCodeAdd understands", function()
  local child
  local FILES = {
    ["plain.txt"] = "",
    ["a b.txt"] = "",
    ["r/$id/q.ts"] = "",
    ["app/[slug]/p.tsx"] = "",
    ["100%.txt"] = "",
    ["a#b.txt"] = "",
    ["é ü.txt"] = "",
    ["'quoted'.txt"] = "",
    ["back\\slash.txt"] = "",
    ["chapter 2"] = "",
    ["chapter"] = "",
    ["%"] = "",
    ["2"] = "",
    ["*.txt"] = "",
    [".hidden"] = "",
    ["dir with blank/x y.txt"] = "",
  }

  setup(function()
    child = Child.start({ files = FILES, env = { id = "WRONG" } })
  end)

  teardown(function()
    child:stop()
  end)

  ---@return table|string add, or the error
  local function parse(text)
    return child:lua(
      [[
      local add, err = require("claudecode.commands.add").parse(...)
      return add or err
    ]],
      text
    )
  end

  local function expect(text, rel, first, last)
    assert.are.same({ path = child:path(rel), first = first, last = last }, parse(text), text)
  end

  it("any name as it is, with and without lines", function()
    for name in pairs(FILES) do
      if name ~= "%" and name ~= "chapter" then
        expect(name, name)
        expect(name .. " 2 3", name, 2, 3)
        expect("./" .. name .. "  7 ", name, 7, 7)
        expect(child:path(name), name)
      end
    end
    expect("./%", "%")
  end)

  it("names with quotes around them, or with escapes in them", function()
    expect([["a b.txt" 2 3]], "a b.txt", 2, 3)
    expect([['a b.txt']], "a b.txt")
    expect([[a\ b.txt 4]], "a b.txt", 4, 4)
    expect([[r/\$id/q.ts]], "r/$id/q.ts")
    expect([["back\\slash.txt"]], "back\\slash.txt")
  end)

  it("numbers only behind a path that is there without them", function()
    expect("chapter 2", "chapter 2")
    expect("chapter 3", "chapter", 3, 3)
    expect("chapter 2 2 4", "chapter 2", 2, 4)
    expect([["chapter" 2]], "chapter", 2, 2)
    expect("2", "2")
  end)

  it("the current and the alternate buffer, with modifiers, whatever their names", function()
    for name in pairs(FILES) do
      child:lua(
        [[vim.cmd.edit(vim.fn.fnameescape("chapter")) vim.cmd.edit({ args = { vim.fn.fnameescape(...) } })]],
        "./" .. name
      )
      child:lua([[vim.uv.fs_rename("./%", "./moved")]])
      if name ~= "%" then
        expect("%", name)
        expect("% 2 3", name, 2, 3)
        expect("%:p", name)
      end
      child:lua([[vim.uv.fs_rename("./moved", "./%")]])
    end
    child:lua([[vim.cmd.edit("plain.txt") vim.cmd.edit("chapter")]])
    expect("#", "plain.txt")
    expect("# 3", "plain.txt", 3, 3)
    child:lua([[vim.cmd.edit("r/\\$id/q.ts")]])
    assert.are.same({ path = child:path("r/$id") .. "/" }, parse("%:h"))
  end)

  it("~ at the start as the home directory", function()
    child:write(child.home .. "/note.md", "")
    assert.are.same({ path = child.home .. "/note.md", first = 2, last = 2 }, parse("~/note.md 2"))
  end)

  it("directories, with a slash at their end and without lines", function()
    assert.are.same({ path = child:path("app") .. "/" }, parse("app"))
    assert.are.same({ path = child:path("dir with blank") .. "/" }, parse("dir with blank/"))
    assert.matches("a directory has no lines", parse("app 2"))
  end)

  it("what is wrong with a range", function()
    assert.matches("counted from 1.*: 0", parse("plain.txt 0"))
    assert.matches("the last line 2 is before the first line 4", parse("plain.txt 4 2"))
    assert.matches("counted from 1", parse("plain.txt -1"))
    assert.matches("counted from 1", parse("plain.txt 1.5"))
    assert.matches('no file or directory "plain.txt x"', parse("plain.txt x"))
    assert.matches('no file or directory "plain.txt 1"', parse("plain.txt 1 2 3"))
    assert.matches('no file or directory "missing.txt"', parse("missing.txt 3"))
    child:lua([[vim.cmd.enew()]])
    child:lua([[vim.uv.fs_rename("./%", "./moved")]])
    assert.matches("the current buffer has no file", parse("%"))
    child:lua([[vim.uv.fs_rename("./moved", "./%")]])
  end)
end)

describe(":ClaudeCodeAdd completes", function()
  local child

  setup(function()
    child = Child.start({
      files = {
        ["a b.txt"] = "",
        ["a c/one.txt"] = "",
        ["r/$id/q.ts"] = "",
        ["[s]/p.tsx"] = "",
        [".env"] = "",
        ["back\\slash"] = "",
        ["~x"] = "",
      },
    })
  end)

  teardown(function()
    child:stop()
  end)

  local function complete(line)
    return child:lua([[return vim.fn.getcompletion(...)]], "ClaudeCodeAdd " .. line, "cmdline")
  end

  it("files and directories, literally, hidden ones when asked for", function()
    assert.are.same({ "[s]/", "a\\ b.txt", "a\\ c/", "back\\\\slash", "r/", "~x" }, complete(""))
    assert.are.same({ "[s]/p.tsx" }, complete("[s]/"))
    assert.are.same({ "r/$id/q.ts" }, complete("r/$id/"))
    assert.are.same({ ".env" }, complete(".e"))
    assert.are.same({}, complete("nothing-like-this"))
    assert.are.same({}, complete("no/such/dir/"))
  end)

  it("names with blanks, escaped, quoted, or as they are", function()
    assert.are.same({ "a\\ b.txt", "a\\ c/" }, complete("a\\ "))
    assert.are.same({ "a\\ c/one.txt" }, complete("a\\ c/"))
    assert.are.same({ "b.txt", "c/" }, complete("a "))
    assert.are.same({ '"a b.txt"', '"a c/' }, complete('"a'))
    assert.are.same({ 'b.txt"', "c/" }, complete('"a '))
    assert.are.same({ 'c/one.txt"' }, complete('"a c/'))
  end)

  it("to something that it then understands", function()
    for _, typed in ipairs({ "a\\ b", "a b", '"a b', "r/$i", "[s", "back" }) do
      local line = "ClaudeCodeAdd " .. typed
      local done = child:lua(
        [[
        vim.api.nvim_feedkeys(vim.keycode(":" .. ... .. "<C-l><Tab><C-b>\"<CR>"), "tx", false)
        return vim.fn.histget("cmd", -1)
      ]],
        line
      )
      local argument = done:match('^"ClaudeCodeAdd (.*)$')
      local path = child:lua([[return (require("claudecode.commands.add").parse(...) or {}).path]], argument)
      assert.is_truthy(path and vim.uv.fs_stat(path), done)
    end
  end)
end)

describe("mentions", function()
  local child, peer

  local function start(opts)
    child = Child.start(vim.tbl_extend("force", {
      files = { ["a.txt"] = "one\ntwo\nthree\nfour\nfive\n", ["b c.txt"] = "x\n" },
      args = { "a.txt" },
      init = LISTEN,
      setup = [[require("claudecode").setup({ terminal = { provider = "none" } })]],
    }, opts or {}))
  end

  local function connect()
    peer = Peer.connect(child)
    peer:initialize()
    child:wait([[
      local ready
      for _, client in pairs(require("claudecode.bridge").clients()) do ready = client.ready end
      return ready
    ]])
  end

  local function mentioned()
    return peer:notification("at_mentioned", nil, 3000)
  end

  after_each(function()
    if peer then
      peer:close()
      peer = nil
    end
    child:stop()
  end)

  it("carry the lines of a range, of live Visual mode, and of a path's numbers, 0-based", function()
    start()
    connect()
    local path = child:path("a.txt")
    child:lua([[vim.cmd("2,4ClaudeCodeSend")]])
    assert.are.same({ filePath = path, lineStart = 1, lineEnd = 3 }, mentioned())

    child:lua([[vim.keymap.set("x", "gs", "<Cmd>ClaudeCodeSend<CR>") vim.keymap.set("x", "gr", ":ClaudeCodeSend<CR>")]])
    child:keys("2GVjgs")
    assert.are.same({ filePath = path, lineStart = 1, lineEnd = 2 }, mentioned())
    assert.are.equal("n", child:lua([[return vim.api.nvim_get_mode().mode]]))
    child:keys("4GvkEgs")
    assert.are.same({ filePath = path, lineStart = 2, lineEnd = 3 }, mentioned())
    child:keys("5GVkgr")
    assert.are.same({ filePath = path, lineStart = 3, lineEnd = 4 }, mentioned())
    child:keys("1GVj<Esc>")
    child:lua([[vim.cmd.ClaudeCodeSend()]])
    assert.are.same({ filePath = path, lineStart = 0, lineEnd = 1 }, mentioned())

    child:lua([[vim.cmd("ClaudeCodeAdd a.txt 2 3")]])
    assert.are.same({ filePath = path, lineStart = 1, lineEnd = 2 }, mentioned())
    child:lua([[vim.cmd("ClaudeCodeAdd %")]])
    assert.are.same({ filePath = path }, mentioned())
    child:lua([[vim.cmd("ClaudeCodeAdd b c.txt 1")]])
    assert.are.same({ filePath = ('"%s#L1"'):format(child:path("b c.txt")) }, mentioned())
    assert.are.same({}, child:lua([[return said]]))
  end)

  it("can be sent from Lua", function()
    start()
    connect()
    assert.is_true(child:lua([[return require("claudecode").send_at_mention("a.txt", 1, 2, "test")]]))
    assert.are.same({ filePath = child:path("a.txt"), lineStart = 1, lineEnd = 2 }, mentioned())
    local result = child:lua([[return { require("claudecode").send_at_mention("", 1) }]])
    assert.are.same({ false, "there is no path to mention" }, result)
  end)

  it("that make no sense say one thing and send nothing", function()
    start()
    connect()
    for command, message in pairs({
      ["ClaudeCodeAdd a.txt 0"] = "counted from 1",
      ["ClaudeCodeAdd a.txt 2147483648"] = "no file has a line 2147483648",
      ["ClaudeCodeAdd a.txt 99999999999999999999"] = "no file has a line 9+",
      ["ClaudeCodeAdd a.txt 4 2"] = "before the first",
      ["ClaudeCodeAdd missing.txt"] = 'no file or directory "missing.txt"',
      ["ClaudeCodeSend"] = "nothing is selected",
    }) do
      child:lua([[said = {} vim.cmd(...)]], command)
      local said = child:lua([[return said]])
      assert.are.equal(1, #said, command)
      assert.matches(message, said[1])
    end
    child:lua([[said = {} vim.cmd.enew() vim.cmd.ClaudeCodeSend()]])
    assert.matches("this buffer has no file", child:lua([[return said[1] ]]))
    child:lua([[said = {} vim.bo.filetype = "oil" vim.cmd.ClaudeCodeSend()]])
    assert.matches("oil%.nvim is not loaded", child:lua([[return said[1] ]]))
    child:lua([[vim.cmd("edit a.txt | 1ClaudeCodeSend")]])
    assert.are.same({ filePath = child:path("a.txt"), lineStart = 0, lineEnd = 0 }, mentioned())
    assert.are.equal(1, #peer:notifications("at_mentioned"))
  end)

  it("start the server when nobody has called setup()", function()
    start({ setup = [[vim.g.claudecode = { terminal = { provider = "none" } }]] })
    assert.is_nil(child:lua([[return require("claudecode").state.server]]))
    child:lua([[vim.cmd("1ClaudeCodeSend")]])
    connect()
    assert.are.same({ filePath = child:path("a.txt"), lineStart = 0, lineEnd = 0 }, mentioned())
  end)

  it("do not start a server that was stopped or is not to be started", function()
    start()
    child:lua([[vim.cmd.ClaudeCodeStop() said = {} vim.cmd("1ClaudeCodeSend")]])
    assert.matches("the server is stopped; :ClaudeCodeStart starts it", child:lua([[return said[1] ]]))
    child:stop()
    start({ setup = [[require("claudecode").setup({ auto_start = false, terminal = { provider = "none" } })]] })
    child:lua([[vim.cmd("1ClaudeCodeSend")]])
    assert.are.same({}, child:locks(0))
    assert.matches("the server is stopped", child:lua([[return said[1] ]]))
  end)
end)

describe("a send without a running Claude", function()
  local child

  after_each(function()
    child:stop()
  end)

  it("starts it, leaves focus and mode alone, and names the root as it is", function()
    child = Child.start({ ui = { 80, 24 }, files = { ["a.txt"] = "one\n" }, args = { "a.txt" }, init = LISTEN })
    child:lua([[require("claudecode").setup({ terminal_cmd = { "cat" } })]])
    child:input(":%ClaudeCodeSend<CR>")
    child:wait([[return require("claudecode.terminal").has_process()]], 3000)
    assert.are.equal("a.txt", child:lua([[return vim.fn.expand("%:t")]]))
    assert.are.equal("n", child:lua([[return vim.api.nvim_get_mode().mode]]))
    assert.are.same({ path = "/" }, child:lua([[return require("claudecode.commands.add").parse("/")]]))
    assert.are.equal("/", child:lua([[return require("claudecode.context.mention").normalise({ path = "/" }).path]]))
  end)
end)
