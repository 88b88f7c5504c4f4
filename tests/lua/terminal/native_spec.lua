local Child = require("tests.lua.child")

-- Plays the CLI: writes its pid, arguments and environment down, answers signals like a program of the terminal.
local FAKE = [[#!/bin/sh
printf '%s\n' "$$" > "$FAKE_OUT/pid"
for word in "$@"; do printf '%s\0' "$word"; done > "$FAKE_OUT/argv"
env -0 > "$FAKE_OUT/env"
pwd -P > "$FAKE_OUT/cwd"
printf 'ready\n'
[ -z "$FAKE_SAYS" ] || printf '%s\n' "$FAKE_SAYS"
[ -z "$FAKE_EXIT" ] || exit "$FAKE_EXIT"
exec sleep 1000
]]

describe("the native terminal", function()
  local child, fake

  local function start(opts)
    opts = opts or {}
    child = Child.start({
      ui = opts.ui or { 100, 30 },
      files = { ["a.txt"] = "one\ntwo\n", ["b.txt"] = "b\n" },
      args = { "a.txt" },
      env = opts.env,
      init = [[
        _G.said = {}
        vim.notify = function(text, level) table.insert(said, { text = text, level = level }) end
      ]],
    })
    fake = child:write(child.root .. "/bin dir/fake", FAKE)
    assert(vim.uv.fs_chmod(fake, 493))
    vim.fn.mkdir(child.root .. "/out", "p")
    child:lua(
      [[
        _G.term = require("claudecode.terminal")
        _G.options = ...
        function _G.configure(more)
          require("claudecode.config").setup(vim.tbl_deep_extend("force", options, more or {}))
        end
        configure()
        function _G.buf() return term.get_active_terminal_bufnr() end
        function _G.shown() -- windows of this tab page that show the terminal
          return vim.tbl_filter(function(win)
            return vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage()
          end, buf() and vim.fn.win_findbuf(buf()) or {})
        end
        function _G.gone(pid) return vim.uv.kill(pid, 0) ~= 0 end
      ]],
      vim.tbl_deep_extend("force", {
        auto_start = false,
        terminal_cmd = { fake },
        env = { FAKE_OUT = child.root .. "/out" },
        terminal = { show_native_term_exit_tip = false },
      }, opts.config or {})
    )
  end

  ---What the fake wrote down.
  local function written(name)
    local text = child:read(child.root .. "/out/" .. name)
    return text and vim.split((text:gsub("[%z\n]$", "")), name == "cwd" and "\n" or "\0", { plain = true })
  end

  local function env()
    local found = {}
    for _, line in ipairs(written("env")) do
      local name, value = line:match("^([^=]*)=(.*)$")
      if name then
        found[name] = value
      end
    end
    return found
  end

  ---@return integer pid of the fake, once it has written everything down
  local function wait_ready()
    child:wait([[return buf() and table.concat(vim.api.nvim_buf_get_lines(buf(), 0, -1, false)):find("ready")]], 5000)
    return child:lua([[return term.pid()]])
  end

  local function mode()
    return child:lua([[return vim.api.nvim_get_mode().mode]])
  end

  after_each(function()
    child:stop()
  end)

  it("starts the CLI with the arguments as they are, in its directory and environment", function()
    start({
      env = { no_proxy = "corp", http_proxy = "http://proxy:1" },
      config = {
        permission_mode = "default",
        env = { X = "1", N = 2 },
        terminal = { env = { X = "3" }, cwd = "~/p q" },
      },
    })
    vim.fn.mkdir(child.home .. "/p q", "p")
    child:lua([[term.open(nil, "--model opus[1m] 'a b'")]])
    local pid = wait_ready()
    assert.are.same({ "--permission-mode", "default", "--model", "opus[1m]", "a b" }, written("argv"))
    assert.are.same({ vim.uv.fs_realpath(child.home .. "/p q") }, written("cwd"))
    local got = env()
    assert.are.equal("true", got.ENABLE_IDE_INTEGRATION)
    assert.are.equal("true", got.FORCE_CODE_TERMINAL)
    assert.are.equal("3", got.X)
    assert.are.equal("2", got.N)
    assert.are.equal("corp,localhost,127.0.0.1,::1", got.no_proxy)
    assert.are.equal("corp,localhost,127.0.0.1,::1", got.NO_PROXY)
    assert.are.equal(tostring(pid), vim.trim(child:read(child.root .. "/out/pid")))
  end)

  it("has an unlisted buffer with a filetype, in a window that no other buffer can take", function()
    start()
    child:lua([[term.simple_toggle()]])
    wait_ready()
    local facts = child:lua([[
      local win = shown()[1]
      return { vim.bo[buf()].buflisted, vim.bo[buf()].filetype, vim.wo[win].winfixbuf, vim.wo[win].number,
        vim.api.nvim_win_get_width(win), vim.fn.winnr("$"), vim.fn.win_id2win(win) }
    ]])
    assert.are.same({ false, "claudecode_terminal", true, false, 30, 2, 2 }, facts)
    child:lua([[vim.cmd("stopinsert | wincmd p")]])
    for _ = 1, 5 do
      child:lua([[vim.cmd.bnext()]])
      assert.are_not.equal("terminal", child:lua([[return vim.bo.buftype]]))
    end
  end)

  it("enters Terminal mode when it gets the focus, if auto_insert is on", function()
    start()
    child:lua([[term.open()]])
    child:wait([[return vim.api.nvim_get_mode().mode == "t"]])
    child:lua([[term.simple_toggle()]])
    child:wait([[return vim.api.nvim_get_mode().mode == "n"]])
    child:lua([[configure({ terminal = { auto_insert = false } }) term.open()]])
    assert.are.equal("terminal", child:lua([[return vim.bo.buftype]]))
    assert.are_not.equal("t", mode())
  end)

  it("keeps the process over twenty toggles, and leaves no buffer or window behind", function()
    start()
    child:lua([[term.simple_toggle()]])
    local pid = wait_ready()
    local buffers = child:lua([[return #vim.api.nvim_list_bufs()]])
    for i = 1, 20 do
      child:lua([[term.simple_toggle()]])
      assert.are.equal(i % 2 == 1 and 0 or 1, child:lua([[return #shown()]]))
    end
    assert.are.equal(pid, child:lua([[return term.pid()]]))
    assert.are.equal(buffers, child:lua([[return #vim.api.nvim_list_bufs()]]))
    assert.is_false(child:lua([[return gone(term.pid())]]))
  end)

  it("keeps the widths of the user's windows, whatever equalalways says", function()
    start()
    child:lua([[vim.o.equalalways = true vim.cmd("vsplit b.txt") vim.cmd("vertical resize 20")]])
    local before = child:lua([[return vim.fn.winlayout()]])
    local widths = child:lua([[return vim.tbl_map(vim.api.nvim_win_get_width, vim.api.nvim_list_wins())]])
    for _ = 1, 3 do
      child:lua([[term.simple_toggle()]])
      wait_ready()
      child:lua([[term.simple_toggle()]])
      assert.are.same(before, child:lua([[return vim.fn.winlayout()]]))
      assert.are.same(widths, child:lua([[return vim.tbl_map(vim.api.nvim_win_get_width, vim.api.nvim_list_wins())]]))
    end
  end)

  it("takes room from all columns in proportion, but for fixed ones, and gives all of it back", function()
    start({ ui = { 200, 30 } })
    local WIDTHS = [[return vim.tbl_map(function(win)
      return win == shown()[1] and "claude" or vim.api.nvim_win_get_width(win)
    end, vim.api.nvim_tabpage_list_wins(0))]]
    for _, equalalways in ipairs({ true, false }) do
      child:lua(
        [[
          vim.o.equalalways = ...
          vim.cmd("only | botright vsplit | botright vsplit b.txt | split | vsplit | topleft vsplit")
          vim.cmd("vertical resize 24 | set winfixwidth | 2wincmd w | vertical resize 80")
        ]],
        equalalways
      )
      local before = child:lua(WIDTHS)
      assert.are.equal(24, before[1])
      for _ = 1, 3 do
        child:lua([[term.simple_toggle()]])
        wait_ready()
        local during = child:lua(WIDTHS)
        assert.are.equal("claude", table.remove(during))
        assert.are.equal(60, child:lua([[return vim.api.nvim_win_get_width(shown()[1])]]))
        assert.are.equal(24, during[1])
        for i = 2, #before do
          local share = during[i] / before[i]
          assert.is_true(share > 0.6 and share < 0.7, vim.inspect({ before, during }))
        end
        child:lua([[vim.cmd.stopinsert() term.simple_toggle()]])
        assert.are.same(before, child:lua(WIDTHS))
      end
      -- What the user changes meanwhile stays as it is among the others.
      child:lua([[term.simple_toggle() vim.cmd("stopinsert | 2wincmd w | vertical resize 20")]])
      local during = child:lua(WIDTHS)
      child:lua([[term.simple_toggle()]])
      local after = child:lua(WIDTHS)
      assert.are.equal(24, after[1])
      for i = 2, #after do
        local share = after[i] / during[i]
        assert.is_true(share > 1.4 and share < 1.7, vim.inspect({ during, after }))
      end
    end
  end)

  it("gives the room back in the tab page that it leaves", function()
    start({ ui = { 200, 30 } })
    local WIDTHS = [[return vim.tbl_map(vim.api.nvim_win_get_width, vim.api.nvim_tabpage_list_wins(...))]]
    child:lua([[vim.cmd("vsplit | vsplit") _G.first = vim.api.nvim_get_current_tabpage()]])
    local before = child:lua(WIDTHS, 1)
    child:lua([[term.open()]])
    wait_ready()
    child:lua([[vim.cmd("stopinsert | tabnew b.txt") term.open()]])
    assert.are.same(before, child:lua(WIDTHS, 1))
    assert.are.equal(60, child:lua([[return vim.api.nvim_win_get_width(shown()[1])]]))
  end)

  it("finds its program in the PATH that the options give it", function()
    start()
    child:lua(
      [[configure({ terminal_cmd = "fake --x", env = { PATH = ... .. ":" .. vim.env.PATH } }) term.open()]],
      child.root .. "/bin dir"
    )
    wait_ready()
    assert.are.same({ "--x" }, written("argv"))
    child:lua([[term.close() configure({ terminal_cmd = "no-such-claude", env = { PATH = "/bin" } }) term.open()]])
    local said = child:lua([[return said]])
    assert.are.equal(1, #said)
    assert.matches('"no%-such%-claude" was not found', said[1].text)
  end)

  it("says where claude is when it is no program for the system, but its installer has left it", function()
    start()
    child:lua([[vim.env.PATH = "/nowhere" configure({ terminal_cmd = "claude" }) term.open()]])
    assert.matches("Install Claude Code, or .* %(an alias of a shell is no program", child:lua([[return said[1].text]]))
    local place = child:lua([[return vim.fs.normalize("~/.claude/local/claude")]])
    assert(vim.uv.fs_chmod(child:write(place, FAKE), 493))
    child:lua([[term.open()]])
    assert.matches('terminal_cmd to "~/.claude/local/claude"', child:lua([[return said[2].text]]), nil, true)
  end)

  it("says what the exit codes of shells and signals mean", function()
    start()
    for code, meaning in pairs({
      [126] = "exit code 126 (the program cannot be executed).",
      [127] = "exit code 127 (a program was not found).",
      [143] = "exit code 143 (it was told to end).",
      [134] = "exit code 134 (signal 6).",
      [2] = "exit code 2.",
    }) do
      child:lua([[said = {} configure({ env = { FAKE_EXIT = tostring(...) } }) term.open()]], code)
      child:wait([[return #said > 0]])
      assert.matches(meaning, child:lua([[return said[1].text]]), nil, true)
      child:wait([[return vim.fn.winnr("$") == 1]])
    end
  end)

  it("remembers the width that the user gave it, however the window was closed", function()
    start()
    for _, close in ipairs({ "term.simple_toggle()", "vim.cmd.close()", "vim.cmd.only({ range = { 1 } })" }) do
      child:lua([[term.open() vim.cmd("vertical resize 47")]])
      child:lua(close)
      child:lua([[if #shown() == 0 then term.simple_toggle() end]])
      assert.are.equal(47, child:lua([[return vim.api.nvim_win_get_width(shown()[1])]]), close)
      child:lua([[vim.cmd.stopinsert() term.simple_toggle()]])
    end
  end)

  it("has its usual width after the user has moved it below the others", function()
    start()
    child:lua([[vim.cmd("vsplit b.txt") term.open() vim.cmd("stopinsert | wincmd J")]])
    for _ = 1, 2 do
      child:lua([[term.simple_toggle()]])
    end
    assert.are.equal(30, child:lua([[return vim.api.nvim_win_get_width(shown()[1])]]))
  end)

  it("stays as it is while the command-line window is open, with one message", function()
    start()
    child:keys("q:")
    assert.are.equal(":", child:lua([[return vim.fn.getcmdwintype()]]))
    for _, call in ipairs({ "open", "simple_toggle", "focus_toggle", "ensure_visible" }) do
      child:lua(("said = {} term.%s()"):format(call))
      local said = child:lua([[return said]])
      assert.are.equal(1, #said)
      assert.matches("from the command-line window: close that first", said[1].text, nil, true)
      assert.are.equal(2, child:lua([[return vim.fn.winnr("$")]]))
    end
    child:keys(":quit<CR>")
    child:lua([[term.open()]])
    wait_ready()
  end)

  it("can be on the left side, and as wide as one call says", function()
    start()
    child:lua([[term.open({ split_side = "left", split_width_percentage = 0.5 })]])
    assert.are.same(
      { 50, 1 },
      child:lua([[return { vim.api.nvim_win_get_width(shown()[1]), vim.fn.win_id2win(shown()[1]) }]])
    )
  end)

  it("does not take over what a diff or a fixed window has set", function()
    start()
    child:lua([[vim.cmd("diffsplit b.txt") vim.wo.winfixbuf = true vim.cmd("set cursorbind")]])
    child:lua([[term.open()]])
    assert.are.same(
      { false, false, 2 },
      child:lua([[
        local diffs = 0
        for _, win in ipairs(vim.api.nvim_list_wins()) do diffs = diffs + (vim.wo[win].diff and 1 or 0) end
        return { vim.wo[shown()[1] ].diff, vim.wo[shown()[1] ].cursorbind, diffs }
      ]])
    )
  end)

  it("comes to the tab page where it is wanted", function()
    start()
    child:lua([[term.open()]])
    local pid = wait_ready()
    child:lua([[vim.cmd("stopinsert | tabnew b.txt")]])
    child:lua([[term.focus_toggle()]])
    assert.are.same({ 1, 1, 2 }, child:lua([[return { #shown(), #vim.fn.win_findbuf(buf()), vim.fn.tabpagenr("$") }]]))
    child:lua([[term.focus_toggle()]])
    assert.are.same({ 0, 2 }, child:lua([[return { #shown(), vim.fn.tabpagenr() }]]))
    child:lua([[term.simple_toggle()]])
    assert.are.same({ 1, pid }, child:lua([[return { #shown(), term.pid() }]]))
  end)

  it("leaves another buffer in the window when it is the last one", function()
    start()
    child:lua([[term.open() vim.cmd.stopinsert() vim.cmd.only()]])
    local pid = child:lua([[return term.pid()]])
    child:lua([[term.simple_toggle()]])
    assert.are.same(
      { 0, "a.txt", false, false, pid },
      child:lua([[return { #shown(), vim.fn.expand("%:t"), vim.wo.winfixbuf, vim.wo.winfixwidth, term.pid() }]])
    )
    child:lua([[term.focus_toggle()]])
    assert.are.equal(1, child:lua([[return #shown()]]))
    child:lua([[vim.cmd.stopinsert() vim.cmd.only() term.close()]])
    assert.are.same({ "", 1 }, child:lua([[return { vim.bo.buftype, vim.fn.winnr("$") }]]))
  end)

  it("moves to the window, or hides it from inside, on focus_toggle", function()
    start()
    child:lua([[term.focus_toggle()]])
    child:lua([[vim.cmd.stopinsert() vim.cmd.wincmd("p")]])
    child:lua([[term.focus_toggle()]])
    assert.are.same({ 1, true }, child:lua([[return { #shown(), vim.api.nvim_get_current_buf() == buf() }]]))
    child:lua([[term.focus_toggle()]])
    assert.are.same({ 0, "a.txt" }, child:lua([[return { #shown(), vim.fn.expand("%:t") }]]))
  end)

  it(
    "can be shown without the focus, and a TermOpen handler that starts Insert mode does not reach the user",
    function()
      start()
      child:lua([[vim.api.nvim_create_autocmd("TermOpen", { command = "startinsert" })]])
      child:lua([[term.ensure_visible()]])
      wait_ready()
      assert.are.same({ 1, "a.txt" }, child:lua([[return { #shown(), vim.fn.expand("%:t") }]]))
      assert.are.equal("n", mode())
      child:lua([[term.simple_toggle() term.toggle_open_no_focus()]])
      assert.are.same({ 1, "a.txt" }, child:lua([[return { #shown(), vim.fn.expand("%:t") }]]))
    end
  )

  it("ends the CLI on close, shown or hidden, and removes the buffer", function()
    start()
    for _, hidden in ipairs({ false, true }) do
      local buffers = child:lua([[return #vim.api.nvim_list_bufs()]])
      child:lua([[term.open()]])
      local pid = wait_ready()
      if hidden then
        child:lua([[term.simple_toggle()]])
      end
      child:lua([[term.close()]])
      child:wait(("return gone(%d)"):format(pid), 5000)
      assert.are.same({ buffers, 1 }, child:lua([[return { #vim.api.nvim_list_bufs(), vim.fn.winnr("$") }]]))
    end
    child:lua([[term.close()]])
    assert.are.same({}, child:lua([[return said]]))
  end)

  ---A CLI that does not go by itself.
  local function stubborn(signals)
    return ("#!/bin/sh\ntrap '' %s\necho ready\nwhile :; do sleep 0.2; done\n"):format(signals)
  end

  it("ends a CLI that ignores signals, without waiting for it", function()
    start()
    child:write(fake, stubborn("HUP TERM INT"))
    child:lua([[term.open()]])
    local pid = wait_ready()
    local before = vim.uv.hrtime()
    child:lua([[term.close()]])
    assert.is_true((vim.uv.hrtime() - before) / 1e6 < 500)
    child:wait(("return gone(%d)"):format(pid), 8000)
    assert.are.same({}, child:lua([[return said]]))
  end)

  it("ends the CLI with Neovim, also when it is hidden or ignores the hangup", function()
    for _, program in ipairs({ FAKE, stubborn("HUP") }) do
      start()
      child:write(fake, program)
      child:lua([[term.open()]])
      local pid = wait_ready()
      child:lua([[term.simple_toggle()]])
      assert.are.equal(0, child:quit())
      assert.is_true(vim.wait(5000, function()
        return vim.uv.kill(pid, 0) ~= 0
      end))
      child:stop()
    end
    start()
  end)

  it("closes its window when the CLI ends, and starts a new one next time", function()
    start({ config = { env = { FAKE_EXIT = "0" } } })
    child:lua([[term.open()]])
    child:wait([[return vim.fn.winnr("$") == 1]], 5000)
    assert.are.same({ "none", "n" }, { child:lua([[return buf() or "none"]]), mode() })
    assert.are.same({}, child:lua([[return said]]))
    child:lua([[options.env.FAKE_EXIT = nil configure() term.open()]])
    wait_ready()
  end)

  it("tells the exit code and the last words of a CLI that fails", function()
    start({ config = { env = { FAKE_EXIT = "3", FAKE_SAYS = "Error: no such session" } } })
    child:lua([[term.open()]])
    child:wait([[return #said > 0 and vim.fn.winnr("$") == 1]], 5000)
    local said = child:lua([[return said]])
    assert.are.equal(1, #said)
    assert.matches("exit code 3%.", said[1].text)
    assert.matches("Error: no such session", said[1].text)
  end)

  it("keeps the window of a CLI that has ended when auto_close is off, and replaces it at the next start", function()
    start({ config = { env = { FAKE_EXIT = "0" }, terminal = { auto_close = false } } })
    child:lua([[term.open()]])
    child:wait([[return buf() == nil]], 5000)
    assert.are.equal(2, child:lua([[return vim.fn.winnr("$")]]))
    local buffers = child:lua([[return #vim.api.nvim_list_bufs()]])
    child:lua([[options.env.FAKE_EXIT = nil configure() term.open()]])
    wait_ready()
    assert.are.same({ 2, buffers }, child:lua([[return { vim.fn.winnr("$"), #vim.api.nvim_list_bufs() }]]))
  end)

  it("starts anew after its buffer was wiped by the user", function()
    start()
    child:lua([[term.open()]])
    local pid = wait_ready()
    child:lua([[vim.cmd.stopinsert() vim.cmd("bwipeout! " .. buf())]])
    child:wait(("return gone(%d)"):format(pid), 5000)
    child:lua([[term.open()]])
    assert.are_not.equal(pid, wait_ready())
    assert.are.same({}, child:lua([[return said]]))
  end)

  it("says one thing about a program that is missing, and leaves no window", function()
    start()
    child:lua([[vim.o.columns = 100 configure({ terminal_cmd = "no-such-claude --x" })]])
    local buffers = child:lua([[return #vim.api.nvim_list_bufs()]])
    child:lua([[term.open()]])
    local said = child:lua([[return said]])
    assert.are.equal(1, #said)
    assert.matches('"no%-such%-claude" was not found', said[1].text)
    assert.are.same({ 1, buffers }, child:lua([[return { vim.fn.winnr("$"), #vim.api.nvim_list_bufs() }]]))
    assert.are.same({ "a.txt", "n" }, { child:lua([[return vim.fn.expand("%:t")]]), mode() })
  end)

  it("says one thing about a file that cannot be run as a program", function()
    start()
    local broken = child:write(child.root .. "/broken", "\127ELF nothing")
    assert(vim.uv.fs_chmod(broken, 493))
    child:lua([[configure({ terminal_cmd = { ... } }) term.open()]], broken)
    child:wait([[return #said > 0]], 5000)
    child:wait([[return vim.fn.winnr("$") == 1]], 5000)
    assert.are.equal(1, #child:lua([[return said]]))
  end)

  it("starts in Neovim's directory when the wanted one is not there, and says so", function()
    start({ config = { terminal = { cwd = "/no/such/dir" } } })
    child:lua([[term.open()]])
    wait_ready()
    assert.are.same({ vim.uv.fs_realpath(child.dir) }, written("cwd"))
    assert.matches("/no/such/dir", child:lua([[return said[1].text]]))
  end)

  it("starts where cwd_provider or the git work tree says", function()
    start({ config = { terminal = { git_repo_cwd = true } } })
    child:write("repo/.git/HEAD", "")
    child:write("repo/sub/f.txt", "")
    child:lua([[vim.cmd.edit("repo/sub/f.txt") term.open()]])
    wait_ready()
    assert.are.same({ vim.uv.fs_realpath(child:path("repo")) }, written("cwd"))
    child:lua([[term.close() vim.cmd.edit("repo/sub/f.txt")
      configure({ terminal = { cwd_provider = function(ctx) _G.ctx = ctx return ctx.file_dir end } }) term.open()]])
    wait_ready()
    child:wait([[return vim.fn.readfile(options.env.FAKE_OUT .. "/cwd")[1]:find("sub$")]])
    assert.are.same(
      { file = child:path("repo/sub/f.txt"), file_dir = child:path("repo/sub"), cwd = child.dir },
      child:lua([[return ctx]])
    )
  end)

  it("says that arguments cannot reach a CLI that already runs, and does not hide it", function()
    start()
    child:lua([[term.open()]])
    wait_ready()
    child:lua([[term.simple_toggle(nil, "--resume")]])
    assert.are.equal(1, child:lua([[return #shown()]]))
    assert.matches("already running", child:lua([[return said[1].text]]))
  end)

  for name, case in pairs({
    ["status line"] = { 2, "statusline" },
    ["status line of the screen"] = { 3, "statusline" },
    ["window bar, without status lines,"] = { 0, "winbar" },
  }) do
    it("tells once in the " .. name .. " which keys leave Terminal mode, with no wait and no message", function()
      start({ config = { terminal = { show_native_term_exit_tip = true } }, ui = { 80, 24 } })
      child:lua([[vim.o.laststatus = ...]], case[1])
      child:input(":ClaudeCode<CR>")
      child:wait_screen([[CTRL-\ CTRL-N leaves]], 800)
      child:wait([[return vim.api.nvim_get_mode().mode == "t"]], 800)
      assert.are.same({}, child:lua([[return said]]))
      child:lua([[term.simple_toggle() term.simple_toggle()]])
      assert.is_nil(child:lua([[local option = ... return vim.wo[shown()[1] ][option] ]], case[2]):find("leaves"))
    end)
  end
end)
