-- What is not shared: excluded files, buffers that are switched off, and everything while sharing is off.
local Child = require("tests.lua.child")
local Peer = require("tests.lua.peer")

local SECRET = "hunter2"

describe("of what is not shared", function()
  local child
  local peers = {}

  local FILES = {
    ["a.txt"] = "one\ntwo\nthree\n",
    ["b.txt"] = "other\n",
    [".env"] = ("TOKEN=%s\nMORE=%s\n"):format(SECRET, SECRET),
  }

  local LISTEN = [[
    _G.said, _G.asked, _G.sent = {}, {}, {}
    vim.notify = function(text) table.insert(said, text) end
    vim.ui.select = function(items, opts, on_choice)
      table.insert(asked, { items = items, prompt = opts.prompt, on_choice = on_choice })
    end
    vim.api.nvim_create_autocmd("User", { pattern = "ClaudeCodeSendComplete", callback = function(event)
      table.insert(sent, event.data.file_path)
    end })
  ]]

  ---@param initialise? boolean false: the client is not ready
  ---@return tests.Peer
  local function connect(initialise)
    local peer = Peer.connect(child)
    peers[#peers + 1] = peer
    if initialise ~= false then
      peer:initialize()
    end
    return peer
  end

  ---@param opts? { options?: string, args?: string[], files?: table<string, string> }
  ---@return tests.Peer
  local function start(opts)
    opts = opts or {}
    child = Child.start({
      files = vim.tbl_extend("force", FILES, opts.files or {}),
      args = opts.args or { "a.txt" },
      init = LISTEN,
      setup = ([[
        local options = { terminal = { provider = "none" } }
        require("claudecode").setup(vim.tbl_extend("force", options, %s))
      ]]):format(opts.options or "{}"),
    })
    return connect()
  end

  after_each(function()
    for _, peer in ipairs(peers) do
      peer:close()
    end
    peers = {}
    child:stop()
  end)

  ---@param params table
  ---@return string
  local function brief(params)
    return ("%s %d %s"):format(params.filePath:match("[^/]*$"), params.selection.start.line, params.text)
  end

  ---Waits for a state to arrive.
  ---@param peer tests.Peer
  ---@param wanted string
  local function arrives(peer, wanted)
    return peer:notification("selection_changed", function(params)
      return brief(params) == wanted
    end, 3000)
  end

  ---Does something, then makes sure that whatever comes of it has come: a later state of a shared file is waited for.
  ---@param peer tests.Peer
  ---@return string[] states that came in the meantime
  local function states_until(peer, wanted)
    local states = {}
    repeat
      local state = brief(peer:notification("selection_changed", nil, 3000))
      states[#states + 1] = state
    until state == wanted
    return states
  end

  ---@param peer tests.Peer
  local function assert_no_secret(peer, secret)
    for _, frame in ipairs(peer.frames) do
      assert.is_nil((frame.payload or ""):find(secret or SECRET, 1, true))
    end
  end

  ---Both tools that tell of the selection.
  ---@return table current
  ---@return table latest
  local function tools(peer)
    return peer:call_json("getCurrentSelection", {}), peer:call_json("getLatestSelection", {})
  end

  local NO_EDITOR = { success = false, message = "No active editor found" }
  local NO_SELECTION = { success = false, message = "No selection available" }

  it("nothing is pushed when such a file is entered, and the indicator is cleared, once", function()
    local peer = start()
    arrives(peer, "a.txt 0 ")
    child:keys(":edit .env<CR>")
    local cleared = peer:notification("selection_changed", nil, 3000)
    assert.are.same({ "", "", "" }, { cleared.text, cleared.filePath, cleared.fileUrl })
    child:keys("jlVj<Esc>kvl<Esc><C-v>j<Esc>ix<Esc>")
    child:keys(":edit! b.txt<CR>")
    assert.are.same({ "b.txt 0 " }, states_until(peer, "b.txt 0 "))
    assert_no_secret(peer)
    assert_no_secret(peer, ".env")
  end)

  it("nothing is answered by a selection tool, in Visual mode and after it", function()
    local peer = start({ args = { ".env" } })
    for _, keys in ipairs({ "", "VG", "<Esc>", "<C-v>G$", "<Esc>", "ggvG$", "<Esc>", "gh<S-Right>", "<Esc>" }) do
      child:keys(keys)
      local current, latest = tools(peer)
      assert.are.same({ NO_EDITOR, NO_SELECTION }, { current, latest }, keys)
    end
    assert_no_secret(peer)
  end)

  it("what was selected before in another file stays the latest selection", function()
    local peer = start()
    child:keys("Vj<Esc>")
    arrives(peer, "a.txt 0 one\ntwo")
    child:keys(":edit .env<CR>VG")
    local current, latest = tools(peer)
    assert.are.same({ NO_EDITOR, "a.txt 0 one\ntwo" }, { current, brief(latest) })
  end)

  it("nothing is answered when nothing is tracked", function()
    local peer = start({ args = { ".env" }, options = "{ track_selection = false }" })
    child:keys("VG")
    local current, latest = tools(peer)
    assert.are.same({ NO_EDITOR, NO_SELECTION }, { current, latest })
    child:lua([[vim.cmd.stopinsert() vim.cmd("split | terminal")]])
    assert.are.same(NO_EDITOR, (tools(peer)))
    child:keys("<C-w>p:edit a.txt<CR>V")
    assert.are.equal("a.txt 0 one", brief((tools(peer))))
  end)

  it("nothing comes from a window that is beside the terminal", function()
    local peer = start()
    child:keys(":edit .env<CR>")
    arrives(peer, " 0 ")
    child:lua([[vim.cmd("split | terminal")]])
    assert.are.same(NO_EDITOR, (tools(peer)))
    child:keys(":bdelete! a.txt<CR>")
    assert.are.same(NO_EDITOR, (tools(peer)))
    assert_no_secret(peer, ".env")
  end)

  it("nothing is left for a client that becomes ready later", function()
    local peer = start({ files = { ["a.txt"] = "zebra\n" } })
    child:keys("V")
    arrives(peer, "a.txt 0 zebra")
    local late = connect(false)
    child:lua([[vim.b.claudecode_share = false]])
    late:initialize()
    assert.are.equal(" 0 ", brief(late:notification("selection_changed", nil, 3000)))
    child:keys("<Esc>:edit b.txt<CR>")
    arrives(late, "b.txt 0 ")
    assert_no_secret(late, "zebra")
  end)

  it("nothing is repeated after a prompt", function()
    local peer = start({ args = { ".env" } })
    child:keys("VG")
    peer:call("closeAllDiffTabs", {})
    child:keys("<Esc>:edit b.txt<CR>")
    states_until(peer, "b.txt 0 ")
    assert_no_secret(peer)
  end)

  it("a buffer can be switched off, which clears what is selected in it, and on again", function()
    local peer = start()
    child:keys("Vj<Esc>")
    arrives(peer, "a.txt 0 one\ntwo")
    child:keys(":let b:claudecode_share = v:false<CR>")
    arrives(peer, " 0 ")
    assert.are.same({ NO_EDITOR, NO_SELECTION }, { tools(peer) })
    child:keys(":let b:claudecode_share = 0<CR>")
    assert.are.same(NO_EDITOR, (tools(peer)))
    child:keys("j:unlet b:claudecode_share<CR>")
    arrives(peer, "a.txt 2 ")
  end)

  it("an excluded buffer can be switched on", function()
    local peer = start({ args = { ".env" } })
    child:keys(":let b:claudecode_share = v:true<CR>V")
    arrives(peer, ".env 0 TOKEN=" .. SECRET)
    assert.are.equal(".env 0 TOKEN=" .. SECRET, brief((tools(peer))))
  end)

  it("what a buffer was switched on for is no longer told once that buffer is gone", function()
    local peer = start({ args = { ".env" } })
    child:keys(":let b:claudecode_share = v:true<CR>V")
    arrives(peer, ".env 0 TOKEN=" .. SECRET)
    child:keys("<Esc>:bwipeout<CR>")
    assert.are.same({ NO_EDITOR, NO_SELECTION }, { tools(peer) })
  end)

  it("a new name counts at once, be it by :file, :saveas or a write", function()
    local peer = start()
    child:keys("V")
    arrives(peer, "a.txt 0 one")
    child:keys("<Esc>:file secrets.yml<CR>")
    arrives(peer, " 0 ")
    assert.are.same({ NO_EDITOR, NO_SELECTION }, { tools(peer) })
    child:keys(":saveas! c.txt<CR>")
    arrives(peer, "c.txt 0 ")
    child:keys(":saveas! server.pem<CR>")
    arrives(peer, " 0 ")
    child:keys("V")
    assert.are.same(NO_EDITOR, (tools(peer)))
    child:keys("<Esc>:noautocmd file d.txt<CR>")
    arrives(peer, "d.txt 0 ")
    child:keys(":noautocmd file .npmrc<CR>")
    arrives(peer, " 0 ")
  end)

  it("a symlink to such a file is one, and so is a symlink with such a name", function()
    local peer = start({
      options = [[{ selection = { exclude = { "*.pem", "vault/" } } }]],
      files = {
        ["real.pem"] = SECRET,
        ["plain"] = SECRET,
        ["vault/x"] = SECRET,
      },
    })
    assert(vim.uv.fs_symlink("real.pem", child:path("harmless")))
    assert(vim.uv.fs_symlink("plain", child:path("link.pem")))
    assert(vim.uv.fs_symlink("vault", child:path("door")))
    for _, name in ipairs({ "harmless", "link.pem", "door/x", "door/new", "vault/x" }) do
      child:keys((":edit! %s<CR>V"):format(name))
      assert.are.same(NO_EDITOR, (tools(peer)), name)
      child:keys("<Esc>")
    end
    child:keys(":edit b.txt<CR>")
    arrives(peer, "b.txt 0 ")
    assert_no_secret(peer)
  end)

  it("a file that has become a symlink to such a file is one when it is read again", function()
    local peer = start()
    arrives(peer, "a.txt 0 ")
    assert(vim.uv.fs_unlink(child:path("a.txt")))
    assert(vim.uv.fs_symlink(".env", child:path("a.txt")))
    child:keys(":edit!<CR>V")
    arrives(peer, " 0 ")
    assert.are.same(NO_EDITOR, (tools(peer)))
    assert_no_secret(peer)
  end)

  it("options that change count for buffers that are open", function()
    local peer = start()
    child:keys("V")
    arrives(peer, "a.txt 0 one")
    child:lua([[require("claudecode").setup({ selection = { exclude = { "a.*" } } })]])
    assert.are.same(NO_EDITOR, (tools(peer)))
    arrives(peer, " 0 ")
  end)

  it("openFile and getOpenEditors tell the name, not what is in it", function()
    local peer = start()
    local path = child:path(".env")
    for _, frontmost in ipairs({ true, false }) do
      for _, text in ipairs({ SECRET, "absent" }) do
        local answer = peer:call("openFile", { filePath = path, startText = text, makeFrontmost = frontmost })
        assert.is_nil(answer.content[1].text:find(text, 1, true))
        assert.is_nil(answer.content[1].text:find("not found", 1, true))
      end
    end
    child:keys("VG")
    for _, tab in ipairs(peer:call_json("getOpenEditors", {}).tabs) do
      if tab.fileName == path then
        assert.is_true(tab.isActive)
        assert.is_nil(tab.selection)
      end
    end
    assert.is_nil(vim.json.encode(peer:call_json("getOpenEditors", {})):find(SECRET, 1, true))
  end)

  it("getDiagnostics tells nothing, since messages quote the text", function()
    local peer = start({ args = { ".env" } })
    child:lua(
      [[vim.diagnostic.set(vim.api.nvim_create_namespace("t"), 0, { { lnum = 0, col = 0, message = ... } })]],
      SECRET .. " is weak"
    )
    assert.are.same({}, peer:call_json("getDiagnostics", { uri = "file://" .. child:path(".env") }))
    peer:call("getDiagnostics", {})
    assert_no_secret(peer)
  end)

  it("no other word in b:claudecode_share than true or 1 shares an excluded file, or any file", function()
    local peer = start({ args = { ".env" } })
    for _, value in ipairs({ "'off'", "''", "vim.NIL", "{}", "0", "false", "'on'" }) do
      child:lua("vim.b.claudecode_share = " .. value)
      assert.are.same(NO_EDITOR, (tools(peer)), value)
    end
    child:lua("vim.b.claudecode_share = 1")
    assert.is_true(tools(peer).success)
    child:lua("vim.cmd.edit('a.txt') vim.b.claudecode_share = 'off'")
    assert.are.same(NO_EDITOR, (tools(peer)))
  end)

  it("what was selected in a buffer that is off is not told again when that buffer is gone", function()
    local peer = start()
    child:keys("Vj<Esc>")
    arrives(peer, "a.txt 0 one\ntwo")
    child:lua("vim.b.claudecode_share = false vim.cmd('bwipe! | edit b.txt')")
    local current, latest = tools(peer)
    assert.is_true(current.success)
    assert.are.equal("", latest.text or "")
  end)

  describe(":ClaudeCodeShare", function()
    it("off lets no diagnostics out either", function()
      local peer = start()
      child:lua([[
        vim.diagnostic.set(vim.api.nvim_create_namespace("t"), 0, { { lnum = 0, col = 0, message = "m" } })
        vim.cmd("ClaudeCodeShare off")
      ]])
      assert.are.same({}, peer:call_json("getDiagnostics", { uri = "file://" .. child:path("a.txt") }))
      assert.are.same({}, peer:call_json("getDiagnostics", {}))
      child:lua([[vim.cmd("ClaudeCodeShare on")]])
      assert.are.equal(1, #peer:call_json("getDiagnostics", {})[1].diagnostics)
    end)

    it("off clears what is selected, and keeps everything back until on", function()
      local peer = start()
      child:keys("Vj<Esc>")
      arrives(peer, "a.txt 0 one\ntwo")
      child:keys(":ClaudeCodeShare off<CR>")
      arrives(peer, " 0 ")
      assert.matches("sharing: off", child:lua([[return said[#said] ]]))
      child:keys("jV")
      assert.are.same({ NO_EDITOR, NO_SELECTION }, { tools(peer) })
      child:keys("<Esc>:edit b.txt<CR>")
      assert.are.same(NO_EDITOR, (tools(peer)))
      child:keys(":ClaudeCodeShare on<CR>")
      assert.are.same({ "b.txt 0 " }, states_until(peer, "b.txt 0 "))
    end)

    it("off clears the file that is beside the terminal, without waiting for a key", function()
      local peer = start()
      child:keys("Vj<Esc>")
      arrives(peer, "a.txt 0 one\ntwo")
      child:lua([[vim.cmd("split | terminal")]])
      child:lua([[vim.cmd("ClaudeCodeShare off")]])
      arrives(peer, " 0 ")
      child:lua([[vim.cmd("ClaudeCodeShare on")]])
      arrives(peer, "a.txt 1 ")
    end)

    it("off holds though the file is no longer open", function()
      local peer = start()
      child:keys("Vj<Esc>")
      arrives(peer, "a.txt 0 one\ntwo")
      child:keys(":enew | bwipeout! a.txt | ClaudeCodeShare off<CR>")
      assert.are.same({ NO_EDITOR, NO_SELECTION }, { tools(peer) })
    end)

    it("toggles, tells the state, completes, and names a word that it does not know", function()
      start()
      local is_on = [[return require("claudecode.context.sharing").is_on()]]
      child:keys(":ClaudeCodeShare toggle<CR>")
      assert.is_false(child:lua(is_on))
      child:keys(":ClaudeCodeShare toggle<CR>")
      assert.is_true(child:lua(is_on))
      child:keys(":ClaudeCodeShare<CR>")
      assert.matches("sharing: on", child:lua([[return said[#said] ]]))
      child:keys(":ClaudeCodeShare of<CR>")
      assert.matches('takes on, off or toggle, not "of"', child:lua([[return said[#said] ]]))
      assert.is_true(child:lua(is_on))
      assert.are.same({ "on", "off" }, child:lua([[return vim.fn.getcompletion("ClaudeCodeShare o", "cmdline")]]))
    end)

    it("off lets mentions through, which are asked for one by one", function()
      local peer = start()
      child:keys(":ClaudeCodeShare off<CR>:1,2ClaudeCodeSend<CR>")
      assert.are.equal(child:path("a.txt"), peer:notification("at_mentioned", nil, 3000).filePath)
    end)
  end)

  it("the statusline, :ClaudeCodeStatus and :checkhealth tell", function()
    start()
    local line = [[return require("claudecode").statusline() == ...]]
    local function shows(text)
      child:wait(([[return require("claudecode").statusline() == %q]]):format(text), 3000)
    end
    local function reports(text)
      child:lua([[said = {} vim.cmd("ClaudeCodeStatus")]])
      assert.matches(text, child:lua([[return said[1] ]]))
    end
    assert.is_true(child:lua(line, "Claude 1"))
    child:keys(":edit .env<CR>")
    shows("Claude 1 not shared")
    reports([[sharing: on, but the current file is excluded: it matches "%.env%*" of selection%.exclude]])
    child:lua([[vim.cmd("split | terminal")]])
    shows("Claude 1 not shared")
    child:keys("<C-w>p")
    shows("Claude 1 not shared")
    child:keys(":let b:claudecode_share = v:true<CR>")
    shows("Claude 1")
    child:keys(":edit a.txt<CR>")
    shows("Claude 1")
    child:keys(":let b:claudecode_share = v:false<CR>")
    shows("Claude 1 not shared")
    reports("b:claudecode_share is off")
    child:lua([[vim.cmd("ClaudeCodeShare off")]])
    shows("Claude 1 sharing off")
    reports("sharing: off")
    child:lua([[vim.cmd("silent checkhealth claudecode")]])
    local health = child:lua([[return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")]])
    assert.matches("sharing: off", health)
  end)

  it("the statusline tells, though nothing is tracked", function()
    start({ options = "{ track_selection = false }" })
    child:keys(":edit .env<CR>")
    child:wait([[return require("claudecode").statusline() == "Claude 1 not shared"]], 3000)
  end)

  describe("a mention", function()
    ---@param choice? integer nil: dismissed
    local function answer(choice)
      child:wait([[return #asked > 0]], 3000)
      child:lua([[local ask, choice = table.remove(asked, 1), ... ask.on_choice(ask.items[choice], choice)]], choice)
    end

    for name, send in pairs({
      [":ClaudeCodeSend"] = ":edit .env | 1,2ClaudeCodeSend<CR>",
      ["Visual mode"] = ":edit .env<CR>V<Cmd>ClaudeCodeSend<CR>",
      [":ClaudeCodeAdd"] = ":ClaudeCodeAdd .env<CR>",
      ["send_at_mention()"] = [[:lua assert(require("claudecode").send_at_mention(".env", 0, 1))<CR>]],
    }) do
      it("by " .. name .. " is asked for first, and waits for the answer", function()
        local peer = start()
        child:keys(send)
        child:wait([[return #asked == 1]], 3000)
        local prompt = child:lua([[return asked[1].prompt]])
        assert.matches('^%.env is not shared %(it matches "%.env%*" of selection%.exclude%)', prompt)
        -- Others do not wait behind it.
        child:keys("<Esc>:ClaudeCodeAdd b.txt<CR>")
        assert.are.equal(child:path("b.txt"), peer:notification("at_mentioned", nil, 3000).filePath)
        answer(2)
        assert.are.equal(child:path(".env"), peer:notification("at_mentioned", nil, 3000).filePath)
        assert.are.same({ child:path("b.txt"), child:path(".env") }, child:lua([[return sent]]))
      end)
    end

    it("of a symlink to an excluded folder is asked for first", function()
      start({ files = { [".ssh/config"] = SECRET } })
      child:lua([[vim.uv.fs_symlink(".ssh", "sub")]])
      child:keys(":ClaudeCodeAdd sub<CR>")
      child:wait([[return #asked == 1]], 3000)
      assert.are.same({}, child:lua([[return sent]]))
    end)

    it("that is declined or dismissed is not sent, which one message says", function()
      local peer = start()
      for _, choice in ipairs({ 1, 0 }) do
        child:keys(":ClaudeCodeAdd .env<CR>")
        child:lua([[said = {}]])
        answer(choice > 0 and choice or nil)
        assert.are.same({ "claudecode: .env was not mentioned." }, child:lua([[return said]]))
      end
      child:keys(":ClaudeCodeAdd b.txt<CR>")
      assert.are.equal(child:path("b.txt"), peer:notification("at_mentioned", nil, 3000).filePath)
      assert.are.same({ child:path("b.txt") }, child:lua([[return sent]]))
    end)

    it("does not hold up its caller, whatever asks", function()
      start()
      child:lua([[
        vim.ui.select = function() table.insert(asked, {}) end
        vim.keymap.set("n", "<F5>", function()
          require("claudecode").send_at_mention(".env")
          _G.asked_by_then = #asked
        end)
      ]])
      child:keys("<F5>")
      child:wait([[return #asked == 1]], 3000)
      assert.are.equal(0, child:lua([[return asked_by_then]]))
    end)

    for _, case in ipairs({ { "2<CR>", "sent" }, { "1<CR>", "not sent" }, { "<CR>", "not sent" } }) do
      it(("is %s when Neovim itself asks and %s is typed"):format(case[2], case[1]), function()
        child = Child.start({
          files = FILES,
          args = { "a.txt" },
          ui = { 80, 24 },
          setup = [[require("claudecode").setup({ terminal = { provider = "none" } })]],
        })
        local peer = connect()
        child:input(":ClaudeCodeAdd .env<CR>")
        child:wait_screen("2: Mention it", 3000)
        child:input(case[1])
        if case[2] == "sent" then
          assert.are.equal(child:path(".env"), peer:notification("at_mentioned", nil, 3000).filePath)
        else
          child:wait_screen(".env was not mentioned.", 3000)
          peer:request("ping")
          assert.are.same({}, peer:notifications("at_mentioned"))
        end
      end)
    end

    it("of a buffer that the user has switched on or off follows the switch", function()
      local peer = start()
      child:keys(":edit .env<CR>:let b:claudecode_share = v:true<CR>:ClaudeCodeAdd %<CR>")
      assert.are.equal(child:path(".env"), peer:notification("at_mentioned", nil, 3000).filePath)
      child:keys(":edit a.txt<CR>:let b:claudecode_share = v:false<CR>:ClaudeCodeAdd %<CR>")
      child:wait([[return #asked == 1]], 3000)
      assert.matches("b:claudecode_share is off", child:lua([[return asked[1].prompt]]))
    end)
  end)
end)
