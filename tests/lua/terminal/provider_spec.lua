local Child = require("tests.lua.child")

local LISTEN = [[
  _G.said = {}
  vim.notify = function(text) table.insert(said, text) end
]]

describe("a terminal provider", function()
  local child

  ---@param options string Lua table of options
  ---@param before string|nil Lua run before setup()
  local function start(options, before)
    child = Child.start({ init = LISTEN, files = { ["a.txt"] = "one\n" }, args = { "a.txt" } })
    local fake = child:write(child.root .. "/my cli", "#!/bin/sh\nexec cat\n")
    assert(vim.uv.fs_chmod(fake, 493))
    child:lua("_G.fake = ...", fake)
    child:lua(before or "")
    child:lua(
      "require('claudecode').setup(vim.tbl_deep_extend('force', { terminal_cmd = { fake } }, " .. options .. "))"
    )
  end

  local function said()
    return child:lua([[return said]])
  end

  after_each(function()
    child:stop()
  end)

  it('"none" starts nothing, and says how Claude is started instead', function()
    start("{ terminal = { provider = 'none' } }")
    child:lua([[vim.cmd.ClaudeCode()]])
    assert.are.equal(1, #said())
    assert.matches("claude %-%-ide", said()[1])
    assert.are.equal(1, child:lua([[return vim.fn.winnr("$")]]))
    child:lua([[said = {} vim.cmd("ClaudeCodeSendText hello") vim.cmd.ClaudeCodeClose()]])
    assert.are.equal(1, #said())
    assert.matches("does not run in a terminal of this Neovim", said()[1])
  end)

  it("is asked in vain for a program that is missing: mentions say so once, commands each time", function()
    start("{ terminal_cmd = 'no-such-claude', terminal = { show_native_term_exit_tip = false } }")
    for _ = 1, 3 do
      child:lua([[vim.cmd("ClaudeCodeAdd a.txt")]])
    end
    assert.are.equal(1, #said())
    assert.matches('"no-such-claude" was not found', said()[1], nil, true)
    child:lua([[vim.cmd.ClaudeCode() vim.cmd.ClaudeCode()]])
    assert.are.equal(3, #said())
    child:lua(
      [[require("claudecode").setup({ terminal_cmd = { fake } }) vim.cmd.ClaudeCode() vim.cmd.ClaudeCodeClose()]]
    )
    child:lua([[require("claudecode").setup({ terminal_cmd = "no-such-claude" }) vim.cmd("ClaudeCodeAdd a.txt")]])
    child:wait([[return #said == 4]])
  end)

  it("takes arguments that are a line or a list, and says of others that it goes on without", function()
    start("{ terminal = { show_native_term_exit_tip = false } }")
    for _, args in ipairs({ "5", "{ a = 1 }", "{ 1 }", "true" }) do
      child:lua(("said = {} require('claudecode.terminal').open(nil, %s)"):format(args))
      assert.are.equal(1, #said())
      assert.matches("arguments of Claude are a line or a list of strings, not ", said()[1])
    end
  end)

  it("that is another one after a second setup() leaves the Claude that runs in reach until its end", function()
    start("{ terminal = { provider = 'native', show_native_term_exit_tip = false } }")
    child:lua([[vim.cmd.ClaudeCode()]])
    local pid = child:wait([[return require("claudecode.terminal").pid()]])
    child:lua([[vim.cmd.stopinsert() require("claudecode").setup({ terminal = { provider = "none" } })]])
    child:lua([[vim.cmd.ClaudeCode()]])
    assert.are.equal(1, child:lua([[return vim.fn.winnr("$")]]))
    assert.are.equal(pid, child:lua([[return require("claudecode.terminal").pid()]]))
    child:lua([[vim.cmd.ClaudeCodeClose()]])
    child:wait(("return vim.uv.kill(%d, 0) ~= 0"):format(pid))
    assert.are.same({}, said())
    child:lua([[vim.cmd.ClaudeCode()]])
    assert.matches('terminal.provider is "none"', said()[1], nil, true)
  end)

  it("that is not there is told once, and native is used", function()
    for provider, what in pairs({ snacks = "snacks%.nvim is not installed", external = "external_terminal_cmd" }) do
      start(("{ terminal = { provider = %q, show_native_term_exit_tip = false } }"):format(provider))
      child:lua([[vim.cmd.ClaudeCode() vim.cmd.ClaudeCode() vim.cmd.ClaudeCode()]])
      assert.are.equal(1, #said())
      assert.matches(what, said()[1])
      assert.is_true(child:lua([[return require("claudecode.terminal").has_process()]]))
      child:stop()
    end
  end)

  local CUSTOM = [[
    _G.calls = {}
    _G.custom = {}
    local names = "setup open close simple_toggle focus_toggle get_active_bufnr is_available"
    for name in names:gmatch("%S+") do
      custom[name] = function(...) table.insert(calls, { name, ... }) return name == "is_available" or nil end
    end
  ]]

  it("of the user's own gets command, environment, options and focus", function()
    start("{ permission_mode = 'default', terminal = { provider = custom, split_side = 'left', cwd = '~' } }", CUSTOM)
    child:lua([[vim.cmd("ClaudeCodeOpen --model opus[1m]")]])
    assert.are.equal("setup", child:lua([[return calls[1][1] ]]))
    local open = child:lua([[local call = calls[#calls] call[4].provider = nil return call]])
    assert.are.equal("open", open[1])
    assert.are.equal(("'%s' --permission-mode default --model 'opus[1m]'"):format(child:lua([[return fake]])), open[2])
    assert.are.equal(tostring(child:locks(0)[1].port), open[3].CLAUDE_CODE_SSE_PORT)
    assert.are.equal("left", open[4].split_side)
    assert.are.equal(child.home, open[4].cwd)
    assert.are.same({ child:lua([[return fake]]), "--permission-mode", "default", "--model", "opus[1m]" }, open[4].argv)
    assert.is_true(open[5])
    child:lua(
      [[calls = {} local t = require("claudecode.terminal") t.simple_toggle() t.focus_toggle() t.toggle() t.close()
      t.ensure_visible()]]
    )
    assert.are.same(
      { "simple_toggle", "focus_toggle", "simple_toggle", "close", "open" },
      child:lua([[return vim.tbl_map(function(call) return call[1] end, calls)]])
    )
    assert.is_false(child:lua([[return calls[5][5] ]]))
    assert.are.same({}, said())
  end)

  it(
    "of the user's own that lacks a function, throws or is not available is replaced by native, with one warning",
    function()
      for what, breaking in pairs({
        ["the function focus_toggle is missing"] = "custom.focus_toggle = nil",
        ["not available"] = "custom.is_available = function() return false end",
        ["setup broke"] = "custom.setup = function() error('setup broke') end",
        ["simple_toggle failed: .*toggle broke"] = "custom.simple_toggle = function() error('toggle broke') end",
      }) do
        start("{ terminal = { provider = custom, show_native_term_exit_tip = false } }", CUSTOM .. breaking)
        child:lua([[for _ = 1, 3 do vim.cmd.ClaudeCode() end]])
        assert.are.equal(1, #said(), what)
        assert.matches(what, said()[1])
        assert.is_true(child:lua([[return require("claudecode.terminal").pid() ~= nil]]), what)
        assert.are.equal(1, #child:locks(0))
        child:stop()
      end
      child = Child.start()
    end
  )

  it("of the user's own with a terminal buffer takes text and has a process", function()
    start("{ terminal = { provider = custom } }", CUSTOM .. [[
        custom.open = function(command)
          _G.buf = vim.api.nvim_create_buf(false, true)
          vim.api.nvim_buf_call(buf, function() vim.fn[vim.fn.has("nvim-0.11") == 1 and "jobstart" or "termopen"](
            { "sh", "-c", command }, vim.fn.has("nvim-0.11") == 1 and { term = true } or vim.empty_dict()) end)
        end
        custom.get_active_bufnr = function() return buf end
      ]])
    child:lua([[vim.cmd.ClaudeCodeOpen()]])
    assert.is_true(child:lua([[return require("claudecode.terminal").pid() ~= nil]]))
    child:lua([[vim.cmd("ClaudeCodeSendText hello there")]])
    child:wait([[return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false)):find("hello there")]], 5000)
  end)
end)

describe("text sent to Claude's terminal", function()
  local child

  before_each(function()
    child = Child.start({ init = LISTEN })
    -- Writes down what it is sent, byte for byte.
    local fake = child:write(
      child.root .. "/cli",
      "#!/bin/sh\nstty raw -echo\nprintf ready\nexec cat > '" .. child.root .. "/got'\n"
    )
    assert(vim.uv.fs_chmod(fake, 493))
    child:lua(
      [[
      require("claudecode.config").setup({ auto_start = false, terminal_cmd = { ... },
        terminal = { show_native_term_exit_tip = false } })
      _G.term = require("claudecode.terminal")
      term.open()
    ]],
      fake
    )
    child:wait(
      [[return table.concat(vim.api.nvim_buf_get_lines(term.get_active_terminal_bufnr(), 0, -1, false)):find("ready")]]
    )
  end)

  after_each(function()
    child:stop()
  end)

  local function expect(bytes)
    local got
    local ok = vim.wait(5000, function()
      got = child:read(child.root .. "/got")
      return got == bytes
    end, 20)
    assert.is_true(ok, vim.inspect(got))
  end

  it("is one paste and Enter, or no Enter with a bang", function()
    child:lua([[vim.cmd("ClaudeCodeSendText a | b \" c <Esc>")]])
    expect('\27[200~a | b " c <Esc>\27[201~\r')
    child:lua([[vim.cmd("ClaudeCodeSendText! d")]])
    expect('\27[200~a | b " c <Esc>\27[201~\r\27[200~d\27[201~')
  end)

  it("may have many lines, and cannot leave the paste", function()
    local lines = {}
    for i = 1, 3000 do
      lines[i] = ("line %d of a longer text"):format(i)
    end
    local text = table.concat(lines, "\n")
    assert.is_true(child:lua([[return term.send_to_terminal(...)]], text .. "\27[201~\rrm"))
    expect("\27[200~" .. text .. "\rrm\27[201~\r")
  end)

  it("that is empty, or has no Claude to go to, is refused with the reason", function()
    assert.are.same({ "there is no text to send" }, { child:lua([[return select(2, term.send_to_terminal(""))]]) })
    child:lua([[term.close()]])
    assert.matches("does not run in a terminal", child:lua([[return select(2, term.send_to_terminal("x"))]]))
  end)
end)

describe(":ClaudeCodeSelectModel", function()
  local child

  after_each(function()
    child:stop()
  end)

  it("offers the models, and opens Claude with the chosen one and the other arguments", function()
    child = Child.start({ init = LISTEN })
    local fake = child:write(child.root .. "/cli", '#!/bin/sh\nfor w in "$@"; do echo "<$w>"; done\nexec cat\n')
    assert(vim.uv.fs_chmod(fake, 493))
    child:lua(
      [[
      require("claudecode").setup({ terminal_cmd = { ... }, terminal = { show_native_term_exit_tip = false } })
      vim.ui.select = function(items, opts, choose)
        _G.offered = vim.tbl_map(opts.format_item, items)
        choose(_G.choice and items[_G.choice])
      end
      vim.cmd("ClaudeCodeSelectModel --resume")
    ]],
      fake
    )
    assert.are.equal(6, #child:lua([[return offered]]))
    assert.is_false(child:lua([[return require("claudecode.terminal").has_process()]]))
    child:lua([[_G.choice = 3 vim.cmd("ClaudeCodeSelectModel --resume")]])
    child:wait(
      [[
      local buf = require("claudecode.terminal").get_active_terminal_bufnr()
      local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "")
      return text:find("<--model><opus[1m]><--resume>", 1, true)
    ]],
      5000
    )
  end)
end)
