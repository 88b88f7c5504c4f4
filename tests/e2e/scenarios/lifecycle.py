"""Programs that come and go: a killed CLI, a restarted server, /clear, two CLIs, Neovim's exit."""
import os
import signal

from stage import NEW, OLD


def _peers(port):
    """Remote ports of the established connections to a port of this sandbox."""
    with open("/proc/net/tcp") as f:
        rows = [line.split() for line in f][1:]
    pairs = [(row[1], row[2]) for row in rows if row[3] == "01"]
    return {int(remote.split(":")[1], 16) for local, remote in pairs if int(local.split(":")[1], 16) == port}


def killed_cli(stage):
    """kill -9 of the CLI with a diff open: the diff goes away, the layout comes back, Neovim is as it was."""
    cli = stage.connect()
    before = stage.nvim.layout()
    stage.propose(cli, "RUN:edit", NEW)
    os.kill(cli.pane.pid(), signal.SIGKILL)
    stage.no_diff_left()
    stage.until(lambda: stage.nvim.layout() == before, "the layout is as before")
    stage.check(stage.disk() == OLD, "the file is unchanged")
    stage.nvim.pane.type("Gomine\x1b")
    stage.nvim.ex("w")
    stage.until(lambda: stage.disk() == OLD + "mine\n", "Neovim edits and writes")
    again = stage.connect(name="again")
    stage.check(again.pane.shows("⧉"), "another CLI connects")


def server_restart(stage):
    """:ClaudeCodeStop and :ClaudeCodeStart keep port and token; the CLI comes back by itself and edits."""
    cli = stage.connect()
    port, token = stage.port(), stage.lock()["authToken"]
    stage.nvim.ex("ClaudeCodeStop")
    stage.until(lambda: stage.port() is None, "the lock file is gone")
    stage.check(cli.pane.wait("⧉", 10, absent=True), "the CLI has lost the editor")
    stage.nvim.ex("ClaudeCodeStart")
    stage.until(stage.port, "the lock file is back")
    stage.check((stage.port(), stage.lock()["authToken"]) == (port, token), "port and token are the same")
    stage.connected(cli)
    stage.accept(stage.propose(cli, "RUN:edit", NEW))
    stage.shows(cli, "FINISHED-EDIT")
    stage.check(stage.disk() == NEW, "the disk has the new text")


def clear(stage):
    """After /clear the CLI is a new client: it is shown the file again and its edits open diffs."""
    cli = stage.connect()
    first = _peers(stage.port())
    cli.enter("/clear", lambda: bool(_peers(stage.port()) - first))
    stage.until(lambda: not _peers(stage.port()) & first, "the old connection is gone")
    stage.connected(cli)
    stage.accept(stage.propose(cli, "RUN:edit", NEW))
    stage.shows(cli, "FINISHED-EDIT")
    stage.check(stage.disk() == NEW, "the disk has the new text")
    stage.no_diff_left()


def two_clis(stage):
    """A prompt of one CLI leaves the pending diff of another alone."""
    first = stage.connect()
    second = stage.connect(name="second")
    window = stage.propose(first, "RUN:edit", NEW)
    second.prompt("RUN:hi")
    stage.shows(second, "FINISHED-HI")
    stage.check(stage.nvim.proposal(NEW, stage.path), "the diff of the first is still open")
    stage.check(first.pane.shows("Do you want to"), "the first still asks")
    stage.accept(window)
    stage.shows(first, "FINISHED-EDIT")
    stage.check(stage.disk() == NEW, "the disk has the new text")
    stage.no_diff_left()


def quit_with_a_diff(stage):
    """:qa! with a diff pending is no decision: the CLI's own dialog stays, and accepts."""
    cli = stage.connect()
    stage.propose(cli, "RUN:edit", NEW)
    port = stage.port()
    stage.nvim.ex("qa!")
    stage.until(lambda: stage.port() is None, "the lock file is gone")
    stage.until(lambda: not _peers(port), "the connection is closed")
    stage.check(cli.pane.shows("Do you want to"), "the CLI still asks")
    cli.answer("Enter")
    stage.shows(cli, "FINISHED-EDIT")
    stage.check(stage.disk() == NEW, "the disk has the new text")
