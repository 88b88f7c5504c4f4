"""A proposal in Neovim: accepted, changed, rejected, from either side."""
from cc import DIALOG
from stage import NEW, OLD, OUTSIDE, edit, read, write


def _options(lua):
    """An editor whose Claude is outside, with these options of diffs."""
    return OUTSIDE.replace("{", "{ diff_opts = { %s }, " % lua, 1)


def edit_accept(stage):
    """`:w` in the proposal accepts it: the CLI writes the file and tells the model of success."""
    cli = stage.connect()
    stage.accept(stage.propose(cli, "RUN:edit", NEW))
    stage.shows(cli, "FINISHED-EDIT")
    stage.check(stage.disk() == NEW, "the disk has the new text")
    stage.check("updated successfully" in stage.api.last_result(), "the model was told of success")
    stage.no_diff_left()


def edit_accept_shows_in_the_buffer(stage):
    """After an accept the file's own buffer holds the new text, unmodified, in the layout of before."""
    cli = stage.connect()
    before = stage.nvim.layout()
    stage.accept(stage.propose(cli, "RUN:edit", NEW))
    stage.shows(cli, "FINISHED-EDIT")
    stage.buffer_holds(NEW)
    stage.until(lambda: stage.nvim.layout() == before, "the layout is as before")


def long_file_keeps_its_view(stage):
    """In a long file the diff folds; after the accept the user's window has neither folds nor another view."""
    rows = "".join(f"row {n}\n" for n in range(1, 201))
    path, after = stage.write("long.txt", rows), rows.replace("row 100\n", "row one hundred\n")
    stage.script("RUN:long", [read(path)], [edit(path, "row 100\n", "row one hundred\n")], ["FINISHED-LONG"])
    cli = stage.connect()
    stage.nvim.ex("edit long.txt")
    stage.nvim.pane.type("90Gzt")
    stage.until(lambda: stage.nvim.lua("return vim.fn.winsaveview().topline") == 90, "the view is far down")
    before = stage.nvim.layout()
    stage.accept(stage.propose(cli, "RUN:long", after, path, sight="row one hundred"))
    stage.shows(cli, "FINISHED-LONG")
    stage.buffer_holds(after, path)
    stage.until(lambda: stage.nvim.layout() == before, "view and folds are as before")


def edit_accept_modified(stage):
    """The user changes the proposal before `:w`; that text is what gets written."""
    cli = stage.connect()
    stage.nvim.focus(stage.propose(cli, "RUN:edit", NEW))
    stage.nvim.pane.type("Goextra\x1b")
    stage.nvim.ex("w")
    stage.shows(cli, "FINISHED-EDIT")
    stage.check(stage.disk() == NEW + "extra\n", "the user's version is on the disk")
    stage.check("user modified" in stage.api.last_result(), "the model was told that the user modified it")
    stage.no_diff_left()


def edit_reject(stage):
    """Closing the proposal's window rejects: the turn ends, the file is unchanged."""
    cli = stage.connect()
    stage.nvim.focus(stage.propose(cli, "RUN:edit", NEW))
    stage.nvim.ex("q")
    stage.shows(cli, "Rejected update")
    stage.check(stage.disk() == OLD, "the file is unchanged")
    stage.no_diff_left()


def commands_accept_and_reject(stage):
    """:ClaudeCodeDiffDeny and :ClaudeCodeDiffAccept decide the open diff."""
    cli = stage.connect()
    stage.propose(cli, "RUN:edit", NEW)
    stage.nvim.ex("ClaudeCodeDiffDeny")
    stage.shows(cli, "Rejected update")
    stage.no_diff_left()
    stage.propose(cli, "RUN:edit again", NEW)
    stage.nvim.ex("ClaudeCodeDiffAccept")
    stage.shows(cli, "FINISHED-EDIT")
    stage.check(stage.disk() == NEW, "the disk has the new text")
    stage.no_diff_left()


def new_accept(stage):
    """A new file, in a directory that is not there yet, with blanks in both names."""
    path = f"{stage.project}/new dir/new file.txt"
    stage.script("RUN:new", [write(path, "one\ntwo\n")], ["FINISHED-NEW"])
    cli = stage.connect()
    stage.accept(stage.propose(cli, "RUN:new", "one\ntwo\n", path, sight="two"))
    stage.shows(cli, "FINISHED-NEW")
    stage.check(stage.disk(path) == "one\ntwo\n", "the new file is on the disk")
    stage.no_diff_left()


def new_reject(stage):
    """A rejected new file is not created."""
    path = f"{stage.project}/new.txt"
    stage.script("RUN:new", [write(path, "one\ntwo\n")], ["FINISHED-NEW"])
    cli = stage.connect()
    stage.nvim.focus(stage.propose(cli, "RUN:new", "one\ntwo\n", path, sight="two"))
    stage.nvim.ex("q")
    stage.shows(cli, "Rejected")
    stage.check(stage.disk(path) is None, "there is no such file")
    stage.no_diff_left()


def terminal_accept(stage):
    """The user answers in the terminal: the diff goes away and the buffer follows the disk."""
    cli = stage.connect()
    stage.propose(cli, "RUN:edit", NEW)
    cli.answer("Enter")
    stage.shows(cli, "FINISHED-EDIT")
    stage.check(stage.disk() == NEW, "the disk has the new text")
    stage.no_diff_left()
    stage.buffer_holds(NEW)


def terminal_reject(stage):
    """Escape in the terminal rejects, and the diff goes away."""
    cli = stage.connect()
    stage.propose(cli, "RUN:edit", NEW)
    cli.answer("Escape")
    stage.shows(cli, "Rejected update")
    stage.check(stage.disk() == OLD, "the file is unchanged")
    stage.no_diff_left()


def no_final_newline(stage):
    """A file without a final newline, accepted untouched: written byte for byte, not "modified by the user"."""
    path = stage.write("bare.txt", "one\ntwo")
    stage.script("RUN:bare", [read(path)], [edit(path, "two", "TWO")], ["FINISHED-BARE"])
    cli = stage.connect()
    stage.accept(stage.propose(cli, "RUN:bare", "one\nTWO", path, sight="TWO"))
    stage.shows(cli, "FINISHED-BARE")
    stage.check(stage.disk(path) == "one\nTWO", "no newline was added on the disk")
    stage.check("user modified" not in stage.api.last_result(), "the model is not told of a modification")
    stage.check("updated successfully" in stage.api.last_result(), "the model was told of success")


def crlf(stage):
    """A file with CRLF line ends, accepted untouched, keeps them and is not "modified by the user"."""
    path = stage.write("dos.txt", "one\r\ntwo\r\n")
    stage.script("RUN:dos", [read(path)], [edit(path, "two", "TWO")], ["FINISHED-DOS"])
    cli = stage.connect()
    stage.accept(stage.propose(cli, "RUN:dos", "one\nTWO\n", path, sight="TWO"))
    stage.shows(cli, "FINISHED-DOS")
    stage.check(stage.disk(path) == "one\r\nTWO\r\n", "the line ends are kept on the disk")
    stage.check("user modified" not in stage.api.last_result(), "the model is not told of a modification")


def two_edits_of_one_turn(stage):
    """Parallel edits come one after the other; each is a diff of its own."""
    other = stage.write("b.txt", "one\ntwo\n")
    stage.script("RUN:both", [read(stage.path), read(other)],
                 [edit(stage.path, "beta", "BETA"), edit(other, "two", "TWO")], ["FINISHED-BOTH"])
    cli = stage.connect()
    stage.accept(stage.propose(cli, "RUN:both", NEW))
    window = stage.until(lambda: stage.nvim.proposal("one\nTWO", other), "the second diff is open")
    stage.accept(window["win"])
    stage.shows(cli, "FINISHED-BOTH")
    stage.check((stage.disk(), stage.disk(other)) == (NEW, "one\nTWO\n"), "both files are written")
    stage.no_diff_left()


def three_edits_in_a_row(stage):
    """Three prompts, three diffs: accepted, rejected, accepted; each starts from what the one before left."""
    stage.script("RUN:first", [read(stage.path)], [edit(stage.path, "alpha", "ALPHA")], ["FINISHED-FIRST"])
    stage.script("RUN:second", [edit(stage.path, "beta", "BETA")], ["FINISHED-SECOND"])
    stage.script("RUN:third", [edit(stage.path, "gamma", "GAMMA")], ["FINISHED-THIRD"])
    cli = stage.connect()
    first, third = OLD.replace("alpha", "ALPHA"), OLD.replace("alpha", "ALPHA").replace("gamma", "GAMMA")
    stage.accept(stage.propose(cli, "RUN:first", first, sight="ALPHA"))
    stage.shows(cli, "FINISHED-FIRST")
    stage.nvim.focus(stage.propose(cli, "RUN:second", first.replace("beta", "BETA")))
    stage.nvim.ex("q")
    stage.shows(cli, "Rejected update")
    stage.accept(stage.propose(cli, "RUN:third", third, sight="GAMMA"))
    stage.shows(cli, "FINISHED-THIRD")
    stage.check(stage.disk() == third, "the disk has the first and the third edit")
    stage.no_diff_left()
    stage.buffer_holds(third)


def unsaved_buffer(stage):
    """Edits that the user has not saved are what the proposal is compared with, and are never lost."""
    cli = stage.connect()
    stage.nvim.pane.type("Gomine\x1b")
    mine = "return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt$'), 0, -1, false), '\\n') .. '\\n'"
    stage.until(lambda: stage.nvim.lua(mine) == OLD + "mine\n", "the buffer has an unsaved line")
    window = stage.propose(cli, "RUN:edit", NEW)
    stage.check("unsaved edits" in stage.nvim.messages(), "the user is warned")
    stage.accept(window)
    stage.shows(cli, "FINISHED-EDIT")
    stage.check(stage.disk() == NEW, "the disk has what was accepted")
    stage.no_diff_left()
    stage.check(stage.nvim.lua(mine) == OLD + "mine\n", "the buffer still has the unsaved line")


def dropped_hunk(stage):
    """`do` in the proposal gives one of two changes back; the accept writes the other one alone."""
    path = stage.write("two.txt", "".join(f"row {n}\n" for n in range(1, 31)))
    old = stage.disk(path)
    new = old.replace("row 3\n", "ROW 3\n").replace("row 20\n", "ROW 20\n")
    stage.script("RUN:two", [read(path)], [write(path, new)], ["FINISHED-TWO"])
    cli = stage.connect()
    stage.nvim.focus(stage.propose(cli, "RUN:two", new, path, sight="ROW 3"))
    stage.nvim.pane.type("3Gdo")
    kept = old.replace("row 20\n", "ROW 20\n")
    stage.until(lambda: stage.nvim.proposal(kept, path), "one change is left")
    stage.nvim.ex("w")
    stage.shows(cli, "FINISHED-TWO")
    stage.check(stage.disk(path) == kept, "the disk has the change that was left")
    stage.check("user modified" in stage.api.last_result(), "the model was told that the user modified it")


def unified_view(stage):
    """In the unified view: the deleted line is on the screen, one of two changes is dropped, `:w` writes the other."""
    path = stage.write("two.txt", "".join(f"row {n}\n" for n in range(1, 11)))
    old = stage.disk(path)
    new = old.replace("row 3\n", "ROW 3\n").replace("row 8\n", "ROW 8\n")
    stage.script("RUN:two", [read(path)], [write(path, new)], ["FINISHED-TWO"])
    stage.editor(_options('layout = "unified"'))
    stage.nvim.ex("nmap gx <Plug>(claudecode-hunk-drop)")
    cli = stage.connect()
    before = stage.nvim.layout()
    stage.nvim.focus(stage.propose(cli, "RUN:two", new, path, sight=r"\+ ROW 3"))
    stage.check(stage.nvim.pane.wait("- row 3"), "the line that goes is on the screen")
    stage.nvim.pane.type("gg]cgx")
    kept = old.replace("row 8\n", "ROW 8\n")
    stage.until(lambda: stage.nvim.proposal(kept, path), "one change is left")
    stage.nvim.ex("w")
    stage.shows(cli, "FINISHED-TWO")
    stage.check(stage.disk(path) == kept, "the disk has the change that was left")
    stage.no_diff_left()
    stage.until(lambda: stage.nvim.layout() == before, "the layout is as before")


def no_diffs(stage):
    """With diff_opts.enabled = false nothing opens, the CLI's own dialog decides, and the user is told what to set."""
    stage.editor(_options("enabled = false"))
    cli = stage.connect()
    before = stage.nvim.layout()
    cli.prompt("RUN:edit")
    stage.shows(cli, DIALOG)
    stage.until(lambda: "/config" in stage.nvim.messages(), "the user is told of /config")
    cli.answer("Enter")
    stage.shows(cli, "FINISHED-EDIT")
    stage.check(stage.disk() == NEW, "the disk has the new text")
    stage.buffer_holds(NEW)
    stage.check(stage.nvim.layout() == before, "the layout never changed")


def list_of_two_clis(stage):
    """:ClaudeCodeDiffs lists the diffs of two CLIs and what they change; the chosen one is accepted, the other waits."""
    other = stage.write("b.txt", "one\ntwo\n")
    stage.script("RUN:other", [read(other)], [edit(other, "two", "TWO\nthree")], ["FINISHED-OTHER"])
    first = stage.connect()
    second = stage.connect(name="second")
    stage.propose(first, "RUN:edit", NEW)
    stage.propose(second, "RUN:other", "one\nTWO\nthree\n", other, sight="TWO")
    stage.nvim.ex("ClaudeCodeDiffs")
    stage.check(stage.nvim.pane.wait(r"1: a\.txt  \+1 -1  claude-code \S+ \(pid \d+\)"), "the first is listed")
    stage.check(stage.nvim.pane.wait(r"2: b\.txt  \+2 -1"), "so is the second")
    stage.nvim.pane.type("2")
    stage.nvim.pane.keys("Enter")
    stage.until(lambda: stage.nvim.lua("return vim.fn.bufname('%')") == "b.txt (proposed)", "it is gone to")
    stage.nvim.ex("w")
    stage.shows(second, "FINISHED-OTHER")
    stage.check(stage.disk(other) == "one\nTWO\nthree\n", "the second file is written")
    stage.check(first.pane.shows(DIALOG) and stage.disk() == OLD, "the first still asks")
    stage.nvim.ex("ClaudeCodeDiffDeny")
    stage.shows(first, "Rejected update")
    stage.no_diff_left()


AUTO_SAVE = """
WRITES = 0
vim.uv.new_timer():start(0, 15, vim.schedule_wrap(function()
  vim.cmd("silent! wall")
  if vim.b.claudecode_diff_tab_name then
    vim.cmd("silent! write")
    WRITES = WRITES + 1
  end
end))
"""


def auto_save(stage):
    """An auto-save plugin that writes all the time accepts nothing, in the middle of an operator neither; `:w` does."""
    stage.editor(OUTSIDE + AUTO_SAVE)
    cli = stage.connect()
    stage.nvim.focus(stage.propose(cli, "RUN:edit", NEW))
    for keys in ("Goextra\x1b", "gg", "d", "d", "u"):
        stage.nvim.pane.type(keys)
        seen = stage.nvim.lua("return WRITES")
        stage.until(lambda: stage.nvim.lua("return WRITES") > seen + 5, f"it has written several times after {keys!r}")
    stage.check(cli.pane.shows(DIALOG), "the CLI still asks")
    stage.check(stage.disk() == OLD, "the file is unchanged")
    stage.nvim.ex("w")
    stage.shows(cli, "FINISHED-EDIT")
    stage.check(stage.disk() == NEW + "extra\n", "the user's version is on the disk")
    stage.no_diff_left()
