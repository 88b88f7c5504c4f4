"""Claude inside Neovim: started by :ClaudeCode in the native terminal."""
import json
import os

import cc
import sandbox
from stage import NEW

INSIDE = """
vim.g.claudecode = {{
  terminal_cmd = {claude}, permission_mode = "default",
  terminal = {{ provider = "native", split_width_percentage = 0.5 }},
}}
"""


def _inside(stage):
    """Neovim with :ClaudeCode just typed; the CLI's screen is a part of Neovim's."""
    claude = stage.settings["claude"]
    stage.editor(INSIDE.format(claude=json.dumps(claude)))
    stage.nvim.ex("ClaudeCode")
    cli = cc.Cli(stage.nvim.pane, stage.api)
    stage.check(cli.pane.wait("❯", 30), "the input box is there")
    stage.connected(cli)
    return cli


def _claudes(stage):
    return [pid for pid, words in sandbox.processes().items() if words[:1] == [stage.settings["claude"]]]


def edit_in_the_terminal_split(stage):
    """:ClaudeCode connects by itself; an edit opens a diff beside the terminal, `:w` accepts, the layout comes back."""
    cli = _inside(stage)
    before = stage.nvim.layout()[0]
    window = stage.propose(cli, "RUN:edit", NEW)
    stage.accept(window)
    stage.shows(cli, "FINISHED-EDIT")
    stage.check(stage.disk() == NEW, "the disk has the new text")
    stage.no_diff_left()
    stage.buffer_holds(NEW)
    stage.until(lambda: stage.nvim.layout()[0] == before, "the layout is as before")


def hide_and_quit(stage):
    """Hiding leaves the process alone; :qa! ends it with Neovim."""
    cli = _inside(stage)
    pids = _claudes(stage)
    stage.check(len(pids) == 1, "one CLI runs")
    stage.nvim.pane.keys("C-\\", "C-n")
    stage.nvim.ex("ClaudeCode")
    stage.check(cli.pane.wait("❯", absent=True), "the terminal is hidden")
    stage.nvim.ex("ClaudeCode")
    stage.shows(cli, "❯")
    stage.check(_claudes(stage) == pids, "it is the same process")
    stage.nvim.pane.keys("C-\\", "C-n")
    stage.nvim.ex("qa!")
    stage.until(lambda: not _claudes(stage), "no CLI is left")
    stage.check(stage.port() is None, "no lock file is left")


def close_ends_the_process(stage):
    """:ClaudeCodeClose ends the CLI; :ClaudeCodeOpen starts another, which connects."""
    cli = _inside(stage)
    first = _claudes(stage)
    stage.nvim.pane.keys("C-\\", "C-n")
    stage.nvim.ex("ClaudeCodeClose")
    stage.until(lambda: not _claudes(stage), "the CLI is gone")
    stage.until(lambda: len(stage.nvim.windows()) == 1, "its window is closed")
    stage.nvim.ex("ClaudeCodeOpen")
    stage.connected(cli)
    stage.check(_claudes(stage) and _claudes(stage) != first, "another CLI runs")


def mention_goes_to_the_split(stage):
    """:ClaudeCodeSend from the file reaches the CLI in the split."""
    cli = _inside(stage)
    stage.nvim.pane.keys("C-\\", "C-n")
    stage.nvim.pane.keys("C-w", "p")
    stage.nvim.ex("2,3ClaudeCodeSend")
    stage.shows(cli, r"@a\.txt#L2-3")


def missing_command(stage):
    """A command that is not there gives one clear message and no dead window."""
    stage.editor(INSIDE.format(claude=json.dumps(os.path.join(stage.home, "no-such-claude"))))
    before = stage.nvim.layout()
    stage.nvim.ex("ClaudeCode")
    stage.until(lambda: "no-such-claude" in stage.nvim.messages(), "the message names the command")
    stage.check(stage.nvim.layout() == before, "no window is left")
