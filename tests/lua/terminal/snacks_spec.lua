-- The provider "snacks", through a stand-in of snacks.nvim's public API.
local Child = require("tests.lua.child")
local stand_ins = require("tests.lua.terminal.stand_ins")

local CLI = [[#!/bin/sh
printf 'ready %s\n' "$*"
[ -z "$FAKE_EXIT" ] || exit "$FAKE_EXIT"
exec cat
]]

describe("the snacks terminal", function()
  local child

  ---@param terminal string|nil Lua of terminal options
  ---@param env table<string, string>|nil
  local function start(terminal, env)
    child = Child.start({
      ui = { 100, 30 },
      files = { ["a.txt"] = "one\ntwo\n" },
      args = { "a.txt" },
      env = env,
      init = [[_G.said = {} vim.notify = function(text) table.insert(said, text) end]] .. stand_ins.SNACKS,
    })
    local fake = child:write(child.root .. "/fake", CLI)
    assert(vim.uv.fs_chmod(fake, 493))
    child:lua(
      ([[
      _G.term = require("claudecode.terminal")
      _G.fake = ...
      require("claudecode").setup({ terminal_cmd = { fake }, terminal = %s })
    ]]):format(terminal or "{}"),
      fake
    )
  end

  ---@return integer[] process, buffer, windows, width
  local function state()
    return child:lua([[
      local buf = term.get_active_terminal_bufnr()
      local win = buf and vim.fn.bufwinid(buf) or -1
      return { term.pid() or 0, buf or 0, vim.fn.winnr("$"), win > 0 and vim.api.nvim_win_get_width(win) or 0 }
    ]])
  end

  after_each(function()
    child:stop()
  end)

  it('is what "auto" means where snacks.nvim is installed', function()
    start()
    assert.are.equal("snacks", child:lua("return term.provider_name()"))
  end)

  it("is opened with command, environment, directory and window options", function()
    start([[{ split_side = "left", split_width_percentage = 0.4, env = { MINE = "x" }, cwd = "/",
      snacks_win_opts = { position = "float", border = "rounded", keys = { hide = { "q", "hide" } } } }]])
    child:lua([[vim.cmd("ClaudeCode --model opus[1m]")]])
    local call = child:lua([[
      local call = snacks_calls[1]
      call.opts.env = { call.opts.env.MINE, call.opts.env.CLAUDE_CODE_SSE_PORT }
      return call
    ]])
    assert.are.same({ child:lua("return fake"), "--model", "opus[1m]" }, call.cmd)
    assert.are.same({ "x", tostring(child:locks(0)[1].port) }, call.opts.env)
    assert.are.equal("/", call.opts.cwd)
    local win = call.opts.win
    assert.are.equal("float", win.position)
    assert.are.equal("rounded", win.border)
    assert.are.equal(0.4, win.width)
    assert.are.same({ hide = { "q", "hide" } }, win.keys)
    child:wait([[return vim.api.nvim_get_mode().mode == "t"]])
    assert.are.same({ "claudecode_terminal", false }, child:lua([[return { vim.bo.filetype, vim.bo.buflisted }]]))
  end)

  it("is hidden and shown without an end of the process, as wide as the user made it", function()
    start([[{ split_width_percentage = 0.3 }]])
    child:lua([[term.open()]])
    child:wait([[return vim.api.nvim_get_mode().mode == "t"]])
    local before = state()
    assert.are.equal(2, before[3])
    assert.are.equal(30, before[4])
    child:lua([[vim.api.nvim_win_set_width(0, 44)]])
    for _ = 1, 5 do
      child:lua([[term.simple_toggle()]])
      assert.are.same({ before[1], before[2], 1, 0 }, state())
      child:lua([[term.simple_toggle()]])
      assert.are.same({ before[1], before[2], 2, 44 }, state())
    end
    child:lua([[vim.cmd.stopinsert() vim.cmd("tabnew") term.open()]])
    assert.are.same({ before[1], before[2], 2, 44 }, state())
    assert.are.equal(1, child:lua([[return #vim.fn.win_findbuf(term.get_active_terminal_bufnr())]]))
  end)

  it("is shown without taking the focus, or moves it, or hides", function()
    start()
    child:lua([[term.ensure_visible()]])
    assert.are.same({ "n", "a.txt" }, { child:api("nvim_get_mode").mode, child:lua("return vim.fn.bufname()") })
    child:lua([[term.focus_toggle()]])
    child:wait([[return vim.api.nvim_get_mode().mode == "t"]])
    child:lua([[term.focus_toggle()]])
    assert.are.same({ 1, "a.txt" }, child:lua([[return { vim.fn.winnr("$"), vim.fn.bufname() }]]))
    child:lua([[vim.cmd("ClaudeCodeSendText hello")]])
    child:wait(
      [[return table.concat(vim.api.nvim_buf_get_lines(term.get_active_terminal_bufnr(), 0, -1, false)):find("hello")]]
    )
  end)

  it("keeps where the user has scrolled back to, also over a window that the user closes", function()
    start()
    child:lua([[require("claudecode").setup({ terminal_cmd = { "sh", "-c", "seq 100; cat" } }) term.open()]])
    child:wait_screen("100")
    child:keys("<C-\\><C-n>gg5jzt")
    assert.are.equal(6, child:lua([[return vim.fn.line("w0")]]))
    for _, keys in ipairs({ ":lua term.simple_toggle()<CR>", ":close<CR>" }) do
      child:keys(keys)
      child:lua([[term.open()]])
      child:wait([[return vim.bo.filetype == "claudecode_terminal"]])
      assert.are.same({ 6, "nt" }, child:lua([[return { vim.fn.line("w0"), vim.api.nvim_get_mode().mode }]]))
    end
    child:keys("G:lua term.simple_toggle()<CR>:lua term.open()<CR>")
    child:wait([[return vim.api.nvim_get_mode().mode == "t"]])
  end)

  it("leaves the user's buffer behind where it was the last window", function()
    start()
    child:lua([[term.open() vim.cmd("stopinsert | only")]])
    child:lua([[term.simple_toggle()]])
    child:wait([[return vim.fn.winnr("$") == 1 and vim.fn.bufname("%") == "a.txt"]])
    assert.is_false(child:lua([[return vim.wo.winfixbuf]]))
    child:lua([[term.open() vim.cmd("stopinsert | only")]])
    child:lua([[term.close()]])
    child:wait([[return vim.fn.winnr("$") == 1 and vim.fn.bufname("%") == "a.txt"]])
    assert.are.same({}, child:lua([[return said]]))
  end)

  it("is ended by Close, hidden or not, and by Neovim", function()
    start()
    for _, hidden in ipairs({ false, true }) do
      child:lua([[term.open()]])
      local pid, buf = unpack(state())
      if hidden then
        child:lua([[term.simple_toggle()]])
      end
      child:lua([[term.close()]])
      assert.are.same({ 0, 0, 1, 0 }, state())
      assert.is_false(child:api("nvim_buf_is_valid", buf))
      child:wait(("return vim.uv.kill(%d, 0) ~= 0"):format(pid))
    end
    child:lua([[term.open()]])
    local pid = state()[1]
    child:quit()
    local until_ms = vim.uv.now() + 3000
    while vim.uv.kill(pid, 0) == 0 and vim.uv.now() < until_ms do
      vim.uv.sleep(20)
      vim.uv.update_time()
    end
    assert.is_true(vim.uv.kill(pid, 0) ~= 0)
  end)

  it("that ends by itself says so in one message, and starts anew", function()
    start(nil, { FAKE_EXIT = "7" })
    child:lua([[term.open()]])
    child:wait("return #said == 1")
    assert.matches("exit code 7%.\nready", child:lua("return said[1]"))
    child:wait([[return vim.fn.winnr("$") == 1]])
    child:lua([[vim.env.FAKE_EXIT = nil term.open()]])
    assert.are.equal(2, state()[3])
  end)

  it("stays with what it wrote when auto_close is off, and starts anew in its place", function()
    start([[{ auto_close = false }]], { FAKE_EXIT = "0" })
    child:lua([[term.open()]])
    child:wait([[return term.get_active_terminal_bufnr() == nil]])
    vim.uv.sleep(50)
    assert.are.equal(2, child:lua([[return vim.fn.winnr("$")]]))
    child:lua([[vim.env.FAKE_EXIT = nil term.open()]])
    assert.are.equal(2, state()[3])
    assert.are.equal(0, child:lua("return #said"))
  end)
end)
