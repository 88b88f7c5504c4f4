"""How many lines the CLI says are selected, for every way to select."""

# Lines 3, 7 and 9, the last one, are empty.
TEXT = "one word\ntwo\n\nfour words\nfive\nsix\n\neight\n\n"
OUTSIDE = 'vim.g.claudecode = { terminal = { provider = "none" } }\n'


def _editor(stage, before=""):
    """Neovim on a.txt with the lines above, and a CLI that follows it."""
    stage.write("a.txt", TEXT)
    stage.editor(OUTSIDE + before)
    return stage.connect()


def _counts(stage, cli, modes, cases):
    """Types each case's keys and waits for the count; a move of the cursor in between makes each of them news."""
    for keys, count in cases.items():
        stage.nvim.pane.type(keys)
        stage.shows(cli, r"⧉ 1 line selected" if count == 1 else rf"⧉ {count} lines selected", 5)
        stage.check(stage.nvim.lua("return vim.fn.mode()") in modes, f"the mode is {modes!r} after {keys!r}")
        stage.nvim.pane.keys("Escape")
        stage.until(lambda: stage.nvim.lua("return vim.fn.mode()") == "n", "Normal mode")
        stage.nvim.pane.type("1G" if stage.nvim.lua("return vim.fn.line('.')") > 1 else "2G")
        stage.connected(cli)


def lines_of_characters(stage):
    """The CLI counts the lines of a characterwise selection, whether it takes their line breaks or not."""
    _counts(stage, _editor(stage), "v", {
        "2G0vl": 1, "2G0v$": 1, "2G0vj": 2, "1G0vj$": 2, "4G0v2jo": 3, "2G0v3j$": 4, "3Gv": 1, "3G0vk": 2,
        "1G$v2G0": 2, "1G0vG": 9,
    })


def lines_of_lines(stage):
    """The CLI counts the lines of a linewise selection, empty ones too; but not the empty last line alone."""
    cli = _editor(stage)
    _counts(stage, cli, "V", {
        "2GV": 1, "3GV": 1, "2GVj": 2, "3GVj": 2, "6GVjj": 3, "8GVj": 2, "1GVG": 9,
    })
    stage.nvim.pane.type("GVk")
    stage.shows(cli, "2 lines selected")
    stage.nvim.pane.type("j")
    stage.connected(cli)
    stage.check(stage.nvim.lua("return { vim.fn.mode(), vim.fn.line('.'), vim.fn.line('v') }") == ["V", 9, 9],
                "the last line is selected alone")


def lines_of_blocks(stage):
    """The CLI counts the rows of a block, ragged and empty ones too."""
    _counts(stage, _editor(stage), "\x16", {
        "4G0\x16": 1, "4G0l\x16jl": 2, "1G$\x16j": 2, "1G0l\x163j$": 4, "6G0\x16j": 2, "6G$\x162jo": 3,
    })


def lines_of_select_mode(stage):
    """The CLI counts the lines of Select mode as those of Visual mode."""
    _counts(stage, _editor(stage), "sS\x13", {
        "2G0gh": 1, "2G0gh\x0fj": 2, "2GgH": 1, "3GgH\x0f3j": 4, "4G0g\x08": 1, "4G0g\x08\x0fj\x0fl": 2,
    })


def lines_with_other_options(stage):
    """The count is right with 'selection' exclusive, and with 'virtualedit' all beyond the ends of lines."""
    cli = _editor(stage, "vim.o.selection = 'exclusive'\n")
    _counts(stage, cli, "v", {"2G0v2j": 2, "2G0v2jl": 3, "2G0vl": 1, "1G0vj$": 2})
    stage.nvim.ex("set selection& virtualedit=all")
    _counts(stage, cli, "v", {"1G0vj10l": 2, "2G0v10l": 1})


def made_and_left_at_once(stage):
    """A selection that is left within 5 ms arrives, and stays until the cursor moves."""
    cli = _editor(stage, """
      vim.api.nvim_create_autocmd("ModeChanged", { callback = function()
        times = times or {}
        times[#times + 1] = vim.uv.hrtime() / 1e6
      end })""")
    stage.nvim.pane.type("2GVjV")
    stage.shows(cli, "2 lines selected")
    times = stage.nvim.lua("return times")
    stage.check(len(times) == 2 and times[1] - times[0] < 5, f"left after {times[1] - times[0]:.2f} ms")
    stage.nvim.pane.type("G")
    stage.connected(cli)
