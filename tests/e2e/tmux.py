"""Terminals one can see and type into: a private tmux server per scenario, one pane per program."""
import os
import re
import shlex
import subprocess
import time


class Tmux:
    """The tmux server of one run directory."""

    def __init__(self, run, columns=170, rows=50):
        self.run, self.columns, self.rows = run, columns, rows
        self.socket = os.path.join(run, "tmux.sock")

    def call(self, *words, check=True):
        argv = ["tmux", "-f", "/dev/null", "-S", self.socket, *words]
        return subprocess.run(argv, check=check, capture_output=True, text=True).stdout

    def start(self, name, argv, cwd, env):
        """Runs a program with exactly this environment; the pane stays readable after its end."""
        script = os.path.join(self.run, f"start-{name}.sh")
        variables = " ".join(shlex.quote(f"{key}={value}") for key, value in env.items())
        with open(script, "w") as f:
            f.write(f"#!/bin/sh\ncd {shlex.quote(cwd)}\nexec env -i {variables} {shlex.join(argv)}\n")
        size = ("-x", str(self.columns), "-y", str(self.rows))
        self.call("new-session", "-d", "-s", name, *size, "sh", script, ";", "set-option", "remain-on-exit", "on")
        return Pane(self, name)

    def stop(self):
        self.call("kill-server", check=False)


class Pane:
    """One program's screen and keyboard."""

    def __init__(self, tmux, name):
        self.tmux, self.name = tmux, name

    def keys(self, *names):
        """Presses keys by their tmux names (Enter, Escape, C-w ...)."""
        self.tmux.call("send-keys", "-t", self.name, *names)

    def type(self, text):
        """Types literal text in one burst."""
        self.tmux.call("send-keys", "-t", self.name, "-l", text)

    def screen(self):
        return self.tmux.call("capture-pane", "-p", "-t", self.name, check=False)

    def pid(self):
        return int(self.tmux.call("display-message", "-p", "-t", self.name, "#{pane_pid}"))

    def shows(self, regex):
        return re.search(regex, self.screen()) is not None

    def wait(self, regex, timeout=15, absent=False):
        """True once the screen shows (or with `absent` no longer shows) the pattern, False after `timeout` s."""
        end = time.monotonic() + timeout
        while self.shows(regex) == absent:
            if time.monotonic() > end:
                return False
            time.sleep(0.03)
        return True
