-- Claude's terminal on a real screen, in tmux: hidden and shown, resized, scrolled back, pasted into, left.
local Tmux = require("tests.lua.tmux")

-- Plays the CLI: lines above a prompt, drawn anew for each size; what is typed goes to a file, byte for byte.
local CLI = [[
import os, signal, sys, termios, tty
out = os.environ["OUT"]
tty.setraw(0)
def draw(*_):
    size = os.get_terminal_size(0)
    with open(out + "/sizes", "a") as file:
        file.write("%d %d\n" % (size.columns, size.lines))
    os.write(1, b"\x1b[2K\r> prompt" + b" " + str(size.columns).encode() + b" ")
os.write(1, b"\x1b[?2004h" + b"".join(b"line %d\r\n" % n for n in range(1, 101)))
signal.signal(signal.SIGWINCH, draw)
draw()
open(out + "/pid", "w").write(str(os.getpid()))
with open(out + "/stdin", "ab", 0) as file:
    while True:
        try:
            data = os.read(0, 65536)
        except InterruptedError:
            continue
        if not data:
            break
        file.write(data)
]]

describe("Claude's terminal on a real screen", function()
  local tmux ---@type tests.Tmux

  ---@param options? string Lua of terminal options
  local function start(options)
    tmux = Tmux.start({
      files = { ["a.txt"] = "a\n", ["b.txt"] = "b\n", ["c.txt"] = "c\n" },
      args = { "a.txt", "b.txt", "c.txt" },
      init = ([[
        vim.o.hidden, vim.o.ruler = true, false -- 0.10 draws the ruler of a terminal late
        require("claudecode").setup({
          terminal_cmd = { "python3", vim.env.HOME .. "/cli.py" },
          terminal = vim.tbl_extend("force", { show_native_term_exit_tip = false }, %s),
        })
        vim.keymap.set({ "n", "t" }, "<F2>", "<Cmd>ClaudeCode<CR>")
        vim.keymap.set({ "n", "t" }, "<F3>", "<Cmd>ClaudeCodeFocus<CR>")
        vim.env.OUT = vim.env.HOME
        _G.term = require("claudecode.terminal")
      ]]):format(options or "{}"),
    })
    tmux.sandbox:write(tmux.sandbox.home .. "/cli.py", CLI)
  end

  local F2, F3 = "\27OQ", "\27OR"

  ---@param name string
  ---@return string
  local function out(name)
    return tmux.sandbox:read(tmux.sandbox.home .. "/" .. name) or ""
  end

  local function open()
    tmux:type(F2)
    tmux:wait("return vim.api.nvim_get_mode().mode == 't'")
    tmux:wait("return vim.uv.fs_stat(vim.env.OUT .. '/pid') ~= nil")
    local screen = tmux:settled()
    assert.matches("> prompt %d+", screen)
    return screen
  end

  ---@param bytes string
  local function cli_got(bytes)
    for _ = 1, 400 do
      if out("stdin") == bytes then
        return
      end
      vim.uv.sleep(20)
    end
    error(("the CLI got %d bytes, not %d: %s"):format(#out("stdin"), #bytes, vim.inspect(out("stdin"):sub(1, 300))))
  end

  after_each(function()
    tmux:stop()
  end)

  it("looks the same after 20 toggles, with the cursor at the prompt", function()
    start()
    local screen = open()
    local pid = out("pid")
    for _ = 1, 20 do
      tmux:type(F2)
      tmux:wait("return vim.fn.winnr('$') == 1")
      tmux:type(F2)
      tmux:wait("return vim.fn.winnr('$') == 2 and vim.api.nvim_get_mode().mode == 't'")
      assert.are.equal(screen, tmux:settled())
    end
    tmux:type("x")
    cli_got("x")
    assert.are.equal(pid, out("pid"))
    assert.are.equal(1, select(2, out("sizes"):gsub("\n", "")))
  end)

  it("comes along to another tab page", function()
    start()
    local screen = open()
    tmux:type("\28\14:tabnew b.txt\r")
    tmux:wait("return vim.fn.tabpagenr() == 2")
    tmux:type(F2)
    tmux:wait("return vim.api.nvim_get_mode().mode == 't'")
    assert.matches("> prompt", tmux:settled())
    assert.are.equal(1, tmux:lua("return #vim.fn.win_findbuf(term.get_active_terminal_bufnr())"))
    tmux:type(F2)
    tmux:wait("return vim.fn.winnr('$') == 1")
    tmux:type(":tabclose\r" .. F2)
    tmux:wait("return vim.api.nvim_get_mode().mode == 't'")
    assert.are.equal(screen, tmux:settled())
  end)

  it("has the size of its window after the screen was resized, hidden or not", function()
    start()
    open()
    local function is_right()
      local screen = tmux:settled()
      local width = tmux:lua("return vim.fn.winwidth(vim.fn.bufwinid(term.get_active_terminal_bufnr()))")
      assert.are.equal(tostring(width), screen:match("> prompt (%d+)"))
      assert.are.equal(width, tonumber(out("sizes"):match("(%d+) %d+\n$")))
      return width
    end
    assert.are.equal(30, is_right())
    tmux:resize(140, 40)
    tmux:wait("return vim.o.columns == 140")
    is_right()
    tmux:type(F2)
    tmux:wait("return vim.fn.winnr('$') == 1")
    tmux:resize(80, 24)
    tmux:wait("return vim.o.columns == 80")
    tmux:type(F2)
    tmux:wait("return vim.api.nvim_get_mode().mode == 't'")
    is_right()
  end)

  it("keeps where the user has scrolled back to, in Normal mode", function()
    start()
    open()
    tmux:type("\28\14" .. "gg5jzt")
    tmux:wait("return vim.fn.line('w0') == 6")
    local screen = tmux:settled()
    assert.matches("line 6", screen)
    local ways = {
      F2 .. F2,
      F3 .. F3,
      "\23h" .. F3,
      "\23h\23o" .. F3, -- closed by the user
      "\23h:tab split\r" .. F3 .. "\23h:tabclose\r" .. F3 .. "\12", -- in another tab page meanwhile
    }
    for _, keys in ipairs(ways) do
      tmux:type(keys)
      tmux:wait("return vim.bo.filetype == 'claudecode_terminal'")
      assert.are.equal(screen, tmux:settled())
      assert.are.equal("nt", tmux:lua("return vim.api.nvim_get_mode().mode"))
    end
    tmux:type("i")
    tmux:wait("return vim.api.nvim_get_mode().mode == 't'")
    assert.matches("> prompt", tmux:settled())
    tmux:type(F2 .. F2)
    tmux:wait("return vim.fn.winnr('$') == 2 and vim.api.nvim_get_mode().mode == 't'")
  end)

  it("is never reached by :bnext", function()
    start()
    open()
    tmux:type("\28\14\23h")
    tmux:wait("return vim.fn.bufname() == 'a.txt'")
    local seen = {}
    for _, keys in ipairs({ ":bnext\r", ":bnext\r", ":bnext\r", ":bprev\r", ":bprev\r", ":bfirst\r", ":blast\r" }) do
      tmux:type(keys)
      tmux:settled()
      table.insert(seen, tmux:lua("return vim.fn.bufname()"))
    end
    assert.are.same({ "b.txt", "c.txt", "a.txt", "c.txt", "b.txt", "a.txt", "c.txt" }, seen)
    assert.is_nil(tmux:lua("return vim.fn.execute('ls')"):find("term://", 1, true))
  end)

  it("is back after CTRL-W o in the user's window and :ClaudeCodeFocus", function()
    start()
    local screen = open()
    local pid = out("pid")
    tmux:type("\28\14\23h\23o")
    tmux:wait("return vim.fn.winnr('$') == 1 and vim.fn.bufname() == 'a.txt'")
    tmux:type(F3)
    tmux:wait("return vim.api.nvim_get_mode().mode == 't'")
    assert.are.equal(screen, tmux:settled())
    tmux:type("\28\14\23o")
    tmux:wait("return vim.fn.winnr('$') == 1")
    tmux:type(F3)
    tmux:wait("return vim.fn.bufname() == 'a.txt'")
    tmux:type(F3)
    tmux:wait("return vim.api.nvim_get_mode().mode == 't'")
    assert.are.equal(pid, out("pid"))
  end)

  it("gets a paste of 50,000 lines whole, as one", function()
    start()
    open()
    local lines = {}
    for i = 1, 50000 do
      lines[i] = ("line %d of a paste: 日本 é"):format(i)
    end
    local text = table.concat(lines, "\n")
    tmux:paste(text)
    cli_got("\27[200~" .. text .. "\27[201~")
    tmux:paste("short")
    cli_got("\27[200~" .. text .. "\27[201~\27[200~short\27[201~")
  end)

  it("leaves a paste elsewhere to Neovim", function()
    start()
    open()
    tmux:type("\28\14\23h")
    tmux:wait("return vim.fn.bufname() == 'a.txt'")
    tmux:paste(("pasted\n"):rep(20000))
    tmux:wait("return vim.fn.line('$') == 20001")
    assert.are.equal("", out("stdin"))
  end)

  it("passes Esc and CTRL-W on to the CLI, and is left as every terminal", function()
    start()
    open()
    tmux:type("\27")
    cli_got("\27")
    tmux:type("\23")
    cli_got("\27\23")
    tmux:type("\28\14\23h")
    tmux:wait("return vim.fn.bufname() == 'a.txt' and vim.api.nvim_get_mode().mode == 'n'")
    local readme = vim.fn.readblob(require("tests.lua.child").repo() .. "/README.md")
    assert.is_truthy(readme:find([[CTRL-\ CTRL-N]], 1, true))
  end)

  it("ends with :qa", function()
    start()
    open()
    local pid = tonumber(out("pid"))
    tmux:type("\28\14:qa\r")
    local ended = vim.wait(5000, function()
      return vim.uv.kill(pid, 0) ~= 0
    end, 20)
    assert.is_true(ended)
  end)
end)
