"""Edits that are asked for first, in a permission mode that would write them at once."""
import json

import cc
import sandbox
from stage import NEW, OLD, edit

INSIDE = """
vim.g.claudecode = {{
  terminal_cmd = {claude}, permission_mode = {mode}, review = {{ when = "before" }},
  terminal = {{ provider = "native", split_width_percentage = 0.5 }},
}}
"""


def _words(stage):
    """The arguments of the CLI that runs."""
    claude = stage.settings["claude"]
    return next((words for words in sandbox.processes().values() if words[:1] == [claude]), [])


def _started(stage):
    cli = cc.Cli(stage.nvim.pane, stage.api)
    stage.check(cli.pane.wait("❯", 30), "the input box is there")
    stage.connected(cli)
    return cli


def _asks_first(stage, mode):
    """The first start learns the version, the second has hooks: the edit opens as a diff, and `off` stops that."""
    stage.script("RUN:back", [edit(stage.path, "BETA", "beta")], ["FINISHED-BACK"])
    stage.editor(INSIDE.format(claude=json.dumps(stage.settings["claude"]), mode=json.dumps(mode)))
    stage.nvim.ex("ClaudeCode")
    _started(stage)
    stage.check("--plugin-dir" not in _words(stage), "the first start goes without hooks")
    known = stage.home + "/.state/nvim/claudecode/cli.json"
    stage.until(lambda: stage.disk(known), "the version is remembered")
    stage.nvim.pane.keys("C-\\", "C-n")
    stage.nvim.ex("ClaudeCodeClose")
    stage.until(lambda: not _words(stage), "the CLI is gone")
    stage.nvim.ex("ClaudeCodeOpen")
    cli = _started(stage)
    words = _words(stage)
    stage.check("--plugin-dir" in words and mode in words, f"the second has hooks, in mode {mode}")
    window = stage.propose(cli, "RUN:edit", NEW)
    stage.check(stage.disk() == OLD, "nothing is written yet")
    stage.accept(window)
    stage.shows(cli, "FINISHED-EDIT")
    stage.check(stage.disk() == NEW, "the disk has the new text")
    stage.no_diff_left()
    return cli


def _review(stage, when):
    """Types the command, from Claude's terminal and back to it."""
    stage.nvim.pane.keys("C-\\", "C-n")
    stage.nvim.ex(f"ClaudeCodeReview {when}")
    stage.until(lambda: f"review: {when}" in stage.nvim.messages(), f"it is {when}")
    stage.nvim.pane.type("i")


def review_before_in_auto_mode(stage):
    """In auto mode each edit opens as a diff; with :ClaudeCodeReview off the next one is written at once."""
    cli = _asks_first(stage, "auto")
    _review(stage, "off")
    cli.prompt("RUN:back")
    stage.shows(cli, "FINISHED-BACK")
    stage.check(stage.disk() == OLD, "the edit is written")
    stage.no_diff_left()
    _review(stage, "before")
    window = stage.propose(cli, "RUN:edit", NEW)
    stage.nvim.focus(window)
    stage.nvim.ex("q")
    stage.until(lambda: stage.disk() == OLD, "a rejected edit is not written")
    stage.no_diff_left()


def review_before_in_accept_edits_mode(stage):
    """The same in acceptEdits mode."""
    _asks_first(stage, "acceptEdits")


def review_before_in_dont_ask_mode(stage):
    """The same where the CLI would refuse what it has to ask for."""
    _asks_first(stage, "dontAsk")
