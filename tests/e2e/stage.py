"""Where one scenario plays: a fresh home and project, the scripted API, a Neovim, any number of CLIs."""
import json
import os
import re
import shutil
import tempfile
import time

import cc
import sandbox
from mock_api import MockApi
from nvim import Nvim
from tmux import Tmux
from wiretap import Wiretap

OLD = "alpha\nbeta\ngamma\n"
NEW = "alpha\nBETA\ngamma\n"
MANUAL = ("--permission-mode", "default")  # the CLI's own default mode never opens a diff
OUTSIDE = 'vim.g.claudecode = { terminal = { provider = "none" } }'


class Failure(Exception):
    """A scenario's expectation did not hold."""


def read(path):
    return {"tool": "Read", "input": {"file_path": path}}


def write(path, content):
    return {"tool": "Write", "input": {"file_path": path, "content": content}}


def edit(path, old, new):
    return {"tool": "Edit", "input": {"file_path": path, "old_string": old, "new_string": new}}


class Stage:
    """`path` is a.txt in the project, open in Neovim from the start; `settings` are the run's programs."""

    def __init__(self, settings):
        self.settings, self.marks, self.started = settings, [], time.monotonic()
        self.run = tempfile.mkdtemp(prefix="e2e-")
        self.home, self.project = self.run + "/home", self.run + "/project"
        self.ide_dir = self.home + "/.claude/ide"
        os.makedirs(self.project)
        self.path = self.write("a.txt", OLD)
        self.tmux, self.nvim, self.panes, self.taps = Tmux(self.run), None, {}, []
        self.api = MockApi([
            {"match": "RUN:edit", "steps": [[read(self.path)], [edit(self.path, "beta", "BETA")], ["FINISHED-EDIT"]]},
            {"match": "RUN:hi", "steps": [["FINISHED-HI"]]},
        ], self.run + "/api.jsonl")
        cc.seed_home(self.home, [self.project])

    # Files and the script

    def write(self, name, text):
        path = os.path.join(self.project, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", newline="") as f:
            f.write(text)
        return path

    def disk(self, path=None):
        path = path or self.path
        if not os.path.exists(path):
            return None
        with open(path, newline="") as f:
            return f.read()

    def script(self, match, *steps):
        """Adds a rule: what the model does after a prompt that matches."""
        self.api.script.append({"match": match, "steps": list(steps)})

    # Programs

    def editor(self, before=OUTSIDE, env=None):
        """Starts Neovim on a.txt; done when it is up and its server can be found."""
        binary = self.settings["nvim"]
        variables = cc.environment(self.home, self.api.port)
        for name in ("STATE", "DATA", "CONFIG", "CACHE"):
            variables[f"XDG_{name}_HOME"] = f"{self.home}/.{name.lower()}"
        variables.update({k: v for k, v in os.environ.items() if k == "CLAUDECODE_NATIVE"}, **(env or {}))
        self.nvim = Nvim(self.tmux, binary, self.settings["plugin"], self.run, self.project, variables,
                         [self.path], before)
        self.panes["nvim"] = self.nvim.pane
        self.until(self.port, "the lock file is there")
        self.until(lambda: self.nvim.lua("return vim.v.vim_did_enter") == 1, "Neovim is up")
        return self.nvim

    def port(self):
        """The port of the plugin's lock file, None if there is none."""
        names = os.listdir(self.ide_dir) if os.path.isdir(self.ide_dir) else []
        ports = [int(name[:-5]) for name in names if re.fullmatch(r"\d+\.lock", name)]
        return next((port for port in ports if port not in self.taps), None)

    def lock(self):
        with open(f"{self.ide_dir}/{self.port()}.lock") as f:
            return json.load(f)

    def cli(self, args=MANUAL, name="cli", port=None, cwd=None, discover=False):
        """Starts a CLI in a pane of its own; done when its input box is there.

        It is told the port, unless it shall `discover` the lock file by itself.
        """
        env, port = cc.environment(self.home, self.api.port), port or self.port()
        if self.settings["tap"] and not discover:
            port = Wiretap(self.ide_dir, port, f"{self.run}/wire-{name}.jsonl").port
            self.taps.append(port)
        if not discover:
            env["CLAUDE_CODE_SSE_PORT"] = str(port)
        pane = self.tmux.start(name, [self.settings["claude"], *args], cwd or self.project, env)
        self.panes[name] = pane
        self.check(pane.wait(cc.READY, 30), f"{name}: the input box is there")
        return cc.Cli(pane, self.api)

    def connect(self, args=MANUAL, name="cli", **options):
        """Neovim (if it does not run yet) and a CLI that is connected to it: it shows the file, with no key pressed."""
        if not self.nvim:
            self.editor()
        cli = self.cli(args, name, **options)
        self.connected(cli)
        return cli

    def connected(self, cli):
        self.shows(cli, r"⧉ In a\.txt", 15)

    # Expectations: each leaves a mark with its time, or fails

    def check(self, ok, what):
        if not ok:
            raise Failure(what)
        self.marks.append(f"{time.monotonic() - self.started:.2f} {what}")
        return ok

    def until(self, condition, what, timeout=15):
        end = time.monotonic() + timeout
        while not (value := condition()):
            if time.monotonic() > end:
                raise Failure(f"not within {timeout} s: {what}")
            time.sleep(0.03)
        self.check(True, what)
        return value

    def shows(self, cli, regex, timeout=15):
        self.check(cli.pane.wait(regex, timeout), f"the CLI shows {regex}")

    def propose(self, cli, prompt, text, path=None, sight="BETA"):
        """Prompts for an edit and returns the window of its proposal.

        Neovim is asked nothing before its screen shows `sight`: a query would wake its main loop.
        """
        cli.prompt(prompt)
        self.check(self.nvim.pane.wait(sight), "Neovim's screen shows the proposal")
        window = self.until(lambda: self.nvim.proposal(text, path or self.path), "a window holds the proposal")
        self.shows(cli, cc.DIALOG, 5)
        return window["win"]

    def accept(self, window):
        self.nvim.focus(window)
        self.nvim.ex("w")

    def buffer_holds(self, text, path=None):
        """The file's own buffer has exactly this text and counts as saved."""
        query = f"""
          local buf = vim.fn.bufnr({json.dumps(path or self.path)})
          return not vim.bo[buf].modified
            and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\\n") .. "\\n" """
        self.until(lambda: self.nvim.lua(query) == text, "the file's buffer has the new text")

    def no_diff_left(self):
        self.until(lambda: not any(w["diff"] for w in self.nvim.windows()), "no window is in diff mode")
        left = [name for name in self.nvim.buffers() if name.endswith("proposed)")]
        self.check(not left, f"no proposal buffer is left {left or ''}")

    # The end

    def log(self):
        """The plugin's own log."""
        path = f"{self.home}/.state/nvim/claudecode.log"
        return (self.disk(path) or "").splitlines()

    def no_errors(self):
        """Whatever a scenario looked at: nothing may have failed behind the scene."""
        errors = [line for line in self.log() if " ERROR " in line]
        self.check(not errors, "no error in the plugin's log: " + "; ".join(errors))

    def report(self):
        """What a person needs to understand a failure."""
        parts = ["marks: " + "; ".join(self.marks)]
        for name, pane in self.panes.items():
            parts.append(f"--- screen of {name}\n" + re.sub(r"\n{3,}", "\n\n", pane.screen()))
        parts += ["--- end of the plugin's log", *self.log()[-15:], f"run directory: {self.run}"]
        return "\n".join(parts)

    def close(self, keep):
        self.tmux.stop()
        self.api.stop()
        sandbox.clear()
        if not keep:
            shutil.rmtree(self.run, ignore_errors=True)
