-- Pure functions: they run in the Neovim that runs the tests.
local Child = require("tests.lua.child")

describe("the command of the CLI", function()
  local child

  setup(function()
    child = Child.start({ env = { TOOLS = "/opt/my tools" } })
  end)

  teardown(function()
    child:stop()
  end)

  local function build(config, args)
    return child:lua(
      [[
      local command, err = require("claudecode.terminal.command").build(...)
      return command or { err = err }
    ]],
      config,
      args
    )
  end

  local function argv(config, args)
    return build(config, args).argv
  end

  it("is claude when nothing is configured", function()
    assert.are.same({ "claude" }, argv({}))
    assert.are.same({ "claude", "--model", "opus[1m]", "--resume" }, argv({}, "--model opus[1m] --resume"))
  end)

  it("is split like a shell would, and nothing is expanded but ~ and variables", function()
    local home = child.home
    for text, expected in pairs({
      ["claude --model opus[1m] *"] = { "claude", "--model", "opus[1m]", "*" },
      ["~/bin/claude --add-dir ~/x a~b"] = { home .. "/bin/claude", "--add-dir", home .. "/x", "a~b" },
      [ [["/opt/my tools/claude" 'a "b"' "c 'd' \"e\""]] ] = { "/opt/my tools/claude", 'a "b"', [[c 'd' "e"]] },
      [ [[/opt/my\ tools/claude a\'b]] ] = { "/opt/my tools/claude", "a'b" },
      ["\t claude  \n --x  "] = { "claude", "--x" },
      [ [[$TOOLS/claude "${TOOLS}" '$TOOLS' $NOT_SET 5$]] ] = {
        "/opt/my tools/claude",
        "/opt/my tools",
        "$TOOLS",
        "$NOT_SET",
        "5$",
      },
      [ [[claude "" '']] ] = { "claude", "", "" },
      ["claude '~/x' \\~/y"] = { "claude", "~/x", "~/y" },
    }) do
      assert.are.same(expected, argv({ terminal_cmd = text }), text)
    end
  end)

  it("is taken whole when it names an executable with a blank in its path", function()
    local path = child:write("my tools/claude cli", "#!/bin/sh\n")
    assert(vim.uv.fs_chmod(path, 493))
    assert.are.same({ path, "--x" }, argv({ terminal_cmd = path }, "--x"))
  end)

  it("may be a list, which is left as it is", function()
    assert.are.same(
      { child.home .. "/claude", "a b", "$HOME", "" },
      argv({ terminal_cmd = { "~/claude", "a b", "$HOME", "" } })
    )
  end)

  it("may begin with variables for its environment", function()
    local built = build({ terminal_cmd = "A=1 B='x y' claude C=2" })
    assert.are.same({ "claude", "C=2" }, built.argv)
    assert.are.same({ A = "1", B = "x y" }, built.env)
  end)

  it("with an open quote, or without a program, is refused in one sentence", function()
    local built = build({ terminal_cmd = "claude 'oh" })
    assert.is_nil(built.argv)
    assert.matches("terminal_cmd: a quote is not closed in: claude 'oh", built.err)
    assert.matches("a quote is not closed", build({}, 'say "oh').err)
    assert.matches("names no program", build({ terminal_cmd = "A=1" }).err)
  end)

  it("gets the permission mode, unless its arguments choose one", function()
    assert.are.same(
      { "claude", "--permission-mode", "default", "--resume" },
      argv({ permission_mode = "default" }, "--resume")
    )
    for _, args in ipairs({ "--permission-mode plan", "--permission-mode=plan", "--dangerously-skip-permissions" }) do
      assert.is_nil(vim.list_contains(argv({ permission_mode = "default" }, args), "default") or nil, args)
    end
    assert.are.same(
      { "claude", "--permission-mode", "plan" },
      argv({ permission_mode = "default", terminal_cmd = "claude --permission-mode plan" })
    )
  end)

  it("can be written as one line for a shell", function()
    local words = { "/opt/my tools/claude", "--model", "opus[1m]", "it's", "", "$HOME" }
    local line = child:lua([[return require("claudecode.terminal.words").join(...)]], words)
    local shown = vim.system({ "sh", "-c", "printf '%s\\n' " .. line }):wait().stdout
    assert.are.same(words, vim.split((shown:gsub("\n$", "")), "\n"))
  end)
end)

describe("text for the CLI's input line", function()
  local child

  setup(function()
    child = Child.start()
  end)

  teardown(function()
    child:stop()
  end)

  local function bytes(text, submit)
    return child:lua([[return require("claudecode.terminal.input").bytes(...)]], text, submit)
  end

  it("is one bracketed paste, with Enter only when it is submitted", function()
    assert.are.equal("\27[200~a\nb\27[201~\r", bytes("a\r\nb", true))
    assert.are.equal("\27[200~<Esc>\\027\27[201~", bytes("<Esc>\\027", false))
  end)

  it("cannot end the paste early", function()
    for _, text in ipairs({ "a\27[201~b", "a\27[20\27[201~1~b", "a\194\155201~b", "a\27[2\194\155201~01~b" }) do
      assert.are.equal("\27[200~ab\27[201~", bytes(text, false))
    end
  end)
end)
