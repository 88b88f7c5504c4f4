"""What Claude sees of the editor: the file, the selection, mentions."""
import json
import re

from scenarios.terminal import _inside
from stage import MANUAL

LINES = "".join(f"line {n} of it\n" for n in range(1, 6))


def _asked(stage, cli):
    """Submits a prompt after what is in the input box; the text of the request that came of it."""
    cli.prompt("RUN:hi")
    stage.shows(cli, "FINISHED-HI")
    return json.dumps(stage.api.conversation()[-1]["messages"], ensure_ascii=False)


def connect_shows_the_file(stage):
    """A CLI that connects shows the current file, with no key pressed in Neovim; the model is told of it."""
    cli = stage.connect()
    stage.check("The user opened the file " + stage.path in _asked(stage, cli), "the model was told of the file")


def found_by_the_ide_flag(stage):
    """`claude --ide` started in a subdirectory of the project finds Neovim without being told a port."""
    stage.write("sub/b.txt", "one\n")
    stage.connect((*MANUAL, "--ide"), discover=True, cwd=f"{stage.project}/sub")


def connect_shows_the_selection(stage):
    """A selection that was there before the CLI came is shown on connect."""
    stage.editor().pane.type("ggVj")
    stage.until(lambda: stage.nvim.lua("return vim.fn.mode()") == "V", "two lines are selected")
    cli = stage.cli()
    stage.shows(cli, "2 lines selected")


def selection(stage):
    """A linewise selection of two lines shows as such and reaches the model; one escape later it still does."""
    cli = stage.connect()
    stage.nvim.pane.type("ggVj\x1b")
    stage.shows(cli, "2 lines selected")
    request = _asked(stage, cli)
    stage.check("The user selected the lines 1 to 2" in request, "the model got the lines")
    stage.check("alpha\\nbeta" in request, "the model got the text")


def selection_ends_with_a_move(stage):
    """After a selection the cursor moves: the CLI shows the file again."""
    cli = stage.connect()
    stage.nvim.pane.type("ggVj\x1b")
    stage.shows(cli, "2 lines selected")
    stage.nvim.pane.type("G")
    stage.connected(cli)


def mention_of_lines_after_cd(stage):
    """:ClaudeCodeSend with a range names the right file wherever Neovim's directory is."""
    stage.write("sub/a.txt", "another file\n")
    stage.write("lines.txt", LINES)
    cli = stage.connect()
    stage.nvim.ex("edit lines.txt")
    stage.nvim.ex("cd sub")
    stage.nvim.ex("2,3ClaudeCodeSend")
    stage.shows(cli, r"@lines\.txt#L2-3")
    request = _asked(stage, cli)
    stage.check("line 2 of it" in request and "line 3 of it" in request, "the model got the lines")
    stage.check("line 4 of it" not in request, "and no others")


def mention_of_a_visual_selection(stage):
    """:ClaudeCodeSend in Visual mode mentions the selected lines."""
    stage.write("lines.txt", LINES)
    cli = stage.connect()
    stage.nvim.ex("edit lines.txt")
    stage.nvim.pane.type("2GVj")
    stage.nvim.ex("ClaudeCodeSend")
    stage.shows(cli, r"@lines\.txt#L2-3")


def mention_of_a_file_after_cd(stage):
    """:ClaudeCodeAdd of a relative name after :cd mentions that very file, whole."""
    stage.write("sub/inner.txt", LINES)
    cli = stage.connect()
    stage.nvim.ex("cd sub")
    stage.nvim.ex("ClaudeCodeAdd inner.txt")
    stage.shows(cli, r"@sub/inner\.txt(?!#)")
    request = _asked(stage, cli)
    stage.check("line 1 of it" in request and "line 5 of it" in request, "the model got the whole file")


def mention_before_the_cli_comes(stage):
    """Mentions made with no CLI connected wait for it, in order."""
    stage.write("lines.txt", LINES)
    stage.editor()
    stage.nvim.ex("ClaudeCodeAdd a.txt")
    stage.nvim.ex("ClaudeCodeAdd lines.txt 2 3")
    cli = stage.cli()
    stage.shows(cli, r"@a\.txt +@lines\.txt#L2-3")


def mention_of_one_line(stage):
    """A range of one line shows as one, and the model gets no more; so does the line under the operator."""
    stage.write("lines.txt", LINES)
    cli = stage.connect()
    stage.nvim.ex("nmap gs <Plug>(ClaudeCode-send-operator)_")
    stage.nvim.ex("edit lines.txt")
    stage.nvim.ex("4ClaudeCodeSend")
    stage.shows(cli, r"@lines\.txt#L4(?![-0-9])")
    stage.nvim.pane.type("2Ggs")
    stage.shows(cli, r"@lines\.txt#L4 +@lines\.txt#L2(?![-0-9])")
    request = _asked(stage, cli)
    stage.check("line 4 of it" in request and "line 2 of it" in request, "the model got both lines")
    stage.check("line 1 of it" not in request and "line 3 of it" not in request, "and no others")


def mention_of_a_directory(stage):
    """A directory shows with its slash, after :cd too, and the model gets what is in it."""
    stage.write("sub/inner.txt", LINES)
    stage.write("sub/deep/innermost.txt", LINES)
    cli = stage.connect()
    stage.nvim.ex("ClaudeCodeAdd sub/deep")
    stage.shows(cli, r"@sub/deep/?(?!\S)")
    stage.nvim.ex("cd sub")
    stage.nvim.ex("ClaudeCodeAdd .")
    stage.shows(cli, r"@sub/deep/? +@sub/?(?!\S)")
    request = _asked(stage, cli)
    stage.check("inner.txt" in request and "innermost.txt" in request, "the model got both lists")


def mention_beside_a_longer_name(stage):
    """A directory whose name starts with that of another, and one beside the CLI's own, are told apart."""
    stage.write("sub/x.txt", "the right one\n")
    stage.write("sub-two/x.txt", "the other one\n")
    stage.write("../project-two/x.txt", "the one outside\n")
    cli = stage.connect()
    stage.nvim.ex("cd sub-two")
    stage.nvim.ex("ClaudeCodeAdd ../sub/x.txt")
    stage.shows(cli, r"@sub/x\.txt")
    stage.nvim.ex("edit ../../project-two/x.txt")
    stage.nvim.ex("1ClaudeCodeSend")
    stage.shows(cli, r"@\.\./project-two/x\.txt#L1")
    request = _asked(stage, cli)
    stage.check("the right one" in request and "the one outside" in request, "the model got both files")
    stage.check("the other one" not in request, "and not the third")


def mention_of_odd_names(stage):
    """Names with $ [ ] % and beyond ASCII reach the model as they are, with and without lines."""
    names = ["r/$id.txt", "[slug].txt", "100%.txt", "\u00fcber \u65e5\u672c.txt", "\u65e5\u672c\u8a9e.txt", "a(b)'c.txt"]
    for name in names:
        stage.write(name, f"first of <{name}>\nsecond of <{name}>\n")
    cli = stage.connect()
    for name in names:
        stage.nvim.ex(f"ClaudeCodeAdd {name} 2")
        stage.shows(cli, re.escape(name) + "#L2")
    request = _asked(stage, cli)
    for name in names:
        stage.check(f"second of <{name}>" in request, f"the model got the line of {name}")
        stage.check(f"first of <{name}>" not in request, "and not the other")


def mention_of_a_name_with_a_hash(stage):
    """The CLI has no form for a # in a name: the user is told, and the prompt stays as it is."""
    stage.write("a#b.txt", "with a hash\n")
    cli = stage.connect()
    stage.nvim.ex("ClaudeCodeAdd a#b.txt")
    stage.check(stage.nvim.pane.wait("it has a # in its name"), "Neovim says why")
    stage.nvim.ex("ClaudeCodeAdd a.txt")
    stage.shows(cli, r"❯\s\[⧉ In a\.txt\]\s@a\.txt(?!\S)")


def path_with_a_hash_is_typed(stage):
    """Into Claude's terminal of ours the plain path of such a file is typed."""
    path = stage.write("a#b.txt", "with a hash\n")
    cli = _inside(stage)
    stage.nvim.pane.keys("C-\\", "C-n")
    stage.nvim.ex("ClaudeCodeAdd a#b.txt")
    typed = stage.until(lambda: re.search(r"\S*a#b\.txt", _input(stage)), "the input box has the path")
    stage.check(typed[0] == path, f"as text, not as a mention: {typed[0]}")


def _input(stage):
    """What stands behind the CLI's prompt in Neovim's split, wrapped lines joined."""
    text = stage.nvim.lua("""
      local buf = require("claudecode.terminal").get_active_terminal_bufnr()
      return vim.api.nvim_buf_get_lines(buf, 0, -1, false)""")
    return "".join(line.strip() for line in "\n".join(text).split("❯")[-1].split("\n"))


def mention_with_blanks(stage):
    """Blanks in names: a range and a whole file reach the model, both quoted in the input box."""
    stage.write("sp dir/c d.txt", LINES)
    stage.write("sp dir/e f.txt", "whole file with blanks\n")
    cli = stage.connect()
    stage.nvim.ex("ClaudeCodeAdd sp\\ dir/c\\ d.txt 2 3")
    stage.shows(cli, r'c d\.txt#L2-3"')
    stage.nvim.ex("edit sp\\ dir/e\\ f.txt")
    stage.nvim.ex("ClaudeCodeAdd %")
    stage.shows(cli, r'e f\.txt"')
    request = _asked(stage, cli)
    stage.check("line 2 of it" in request and "line 3 of it" in request, "the model got the lines")
    stage.check("line 4 of it" not in request, "and no others")
    stage.check("whole file with blanks" in request, "the model got the whole file")
