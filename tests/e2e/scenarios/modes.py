"""The CLI's permission modes in which it writes without asking: the editor follows, and says why no diff opened."""
from stage import NEW, edit, read

LONG = "".join(f"row {n}\n" for n in range(1, 201))


def accept_edits_reloads(stage):
    """In acceptEdits mode a clean buffer follows the disk at once, with cursor, view and undo kept."""
    path = stage.write("long.txt", LONG)
    stage.script("RUN:long", [read(path)], [edit(path, "row 100\n", "row one hundred\n")], ["FINISHED-LONG"])
    cli = stage.connect(("--permission-mode", "acceptEdits"))
    stage.nvim.ex("edit long.txt")
    stage.nvim.pane.type("100Gztkk0ll")
    view = "return vim.fn.winsaveview()"
    stage.until(lambda: stage.nvim.lua(view)["lnum"] == 98, "the cursor is in the middle of the file")
    before = stage.nvim.lua(view)
    cli.prompt("RUN:long")
    stage.shows(cli, "FINISHED-LONG")
    after = LONG.replace("row 100\n", "row one hundred\n")
    stage.check(stage.disk(path) == after, "the file is written")
    stage.buffer_holds(after, path)
    stage.check(stage.nvim.lua(view) == before, "cursor and view are kept")
    stage.nvim.pane.type("u")
    stage.until(lambda: stage.nvim.lua("return vim.fn.getline(100)") == "row 100", "undo brings the old text back")


def accept_edits_leaves_a_dirty_buffer(stage):
    """Unsaved changes of the user stay; one message says that the file changed."""
    cli = stage.connect(("--permission-mode", "acceptEdits"))
    stage.nvim.pane.type("Gomine\x1b")
    stage.until(lambda: stage.nvim.lua("return vim.bo.modified"), "the buffer is modified")
    cli.prompt("RUN:edit")
    stage.shows(cli, "FINISHED-EDIT")
    stage.check(stage.disk() == NEW, "the file is written")
    stage.until(lambda: "a.txt" in stage.nvim.messages(), "a message names the file")
    text = stage.nvim.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
    stage.check(text == ["alpha", "beta", "gamma", "mine"], "the user's text is untouched")


def auto_mode_says_why_once(stage):
    """In the CLI's default mode no diff opens; the first edit says so and how to get one, the second nothing."""
    stage.script("RUN:back", [edit(stage.path, "BETA", "beta")], ["FINISHED-BACK"])
    cli = stage.connect(())
    cli.prompt("RUN:edit")
    stage.shows(cli, "FINISHED-EDIT")
    stage.buffer_holds(NEW)
    stage.until(lambda: "permission_mode" in stage.nvim.messages(), "the message names the option")
    first = stage.nvim.messages()
    cli.prompt("RUN:back")
    stage.shows(cli, "FINISHED-BACK")
    stage.buffer_holds("alpha\nbeta\ngamma\n")
    stage.check(stage.nvim.messages() == first, "the second edit says nothing")
