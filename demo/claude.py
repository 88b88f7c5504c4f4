#!/usr/bin/env python3
"""Plays Claude Code for the demo: the same messages in the same order as the CLI's, with a script for a model.

Started by :ClaudeCode in the demo's Neovim. It lists the editor's tools, reads the selection, proposes an edit, waits
for the decision in the diff and writes the file, as the CLI does. Every line also goes to $CLAUDECODE_DEMO_LOG.
"""
import json
import os
import pathlib
import random
import sys
import urllib.parse

sys.dont_write_bytecode = True

from ide import Gone, Ide  # noqa: E402
from prompt import Prompt  # noqa: E402

ORANGE, GREEN, RED, DIM, BOLD, PLAIN = (f"\x1b[{code}m" for code in ("38;5;173", "32", "31", "2", "1", "0"))

FORGETFUL = """\
        result = 0
        for item in self.items:
            result = result + item[1]
        return result
"""
FIXED = """\
        return sum(price * quantity for _, price, quantity in self.items)
"""
TEST = '''\
from cart import Cart


def test_total_counts_quantities():
    cart = Cart()
    cart.add("tea", 3.50, quantity=2)
    cart.add("cup", 8.00)
    assert cart.total() == 15.00
'''


def say(text="", colour="", mark=" "):
    """A line of the conversation, on the screen and in the log."""
    print(f"{colour}{mark}{PLAIN} {text}", flush=True)
    log = os.environ.get("CLAUDECODE_DEMO_LOG")
    if log:
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"{mark} {text}\n".lstrip() if text else "\n")


def count(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


class Conversation:
    def __init__(self, ide):
        self.ide, self.here = ide, pathlib.Path.cwd()
        self.prompt = Prompt(ide.notifications, self.hear)

    def greet(self):
        say("Claude Code, played by a script", ORANGE + BOLD, "✻")
        say("with the claude CLI on PATH, `make demo` runs the real one")
        say()
        tools = [tool["name"] for tool in self.ide.initialize()]
        say(f"Connected to {self.ide.name} on port {self.ide.port}; it offers {count(len(tools), 'tool')}:", GREEN, "●")
        line = "  "
        for name in tools:
            if len(line) + len(name) > 44:
                say(line)
                line = "  "
            line += name + " "
        say(line)
        say()
        say("Type a request and press Enter, for example: fix the total")
        say()

    def hear(self, message):
        """What the editor tells unasked: where the cursor is, what to mention."""
        params = message.get("params") or {}
        if message["method"] == "selection_changed":
            name, text = os.path.basename(params.get("filePath") or ""), params.get("text")
            lines = len((text or "").rstrip("\n").split("\n"))
            self.prompt.note = f"⧉ {count(lines, 'line')} selected" if text else f"⧉ In {name}" if name else ""
        elif message["method"] == "at_mentioned":
            mention = "@" + os.path.relpath(params["filePath"], self.here)
            if "lineStart" in params:
                first, last = params["lineStart"] + 1, params["lineEnd"] + 1
                mention += f"#L{first}" if first == last else f"#L{first}-{last}"
            self.prompt.insert(mention)

    def run(self):
        self.greet()
        while (request := self.prompt.ask()) is not None:
            if request in ("/exit", "exit", "quit"):
                break
            say(request, DIM, "❯")
            self.answer()
        self.ide.close()

    def answer(self):
        self.ide.call("closeAllDiffTabs")
        self.read_selection()
        cart, test = self.here / "cart.py", self.here / "test_cart.py"
        before = cart.read_text(encoding="utf-8")
        if FORGETFUL in before:
            say("total() forgets the quantities. I would count them:", ORANGE, "●")
            self.propose(cart, before.replace(FORGETFUL, FIXED))
        elif not test.exists():
            say("A test would keep it that way:", ORANGE, "●")
            self.propose(test, TEST)
        else:
            say("That was all of my script. The real Claude Code knows more.", ORANGE, "●")
        say()

    def read_selection(self):
        found = json.loads(self.ide.call("getCurrentSelection")[0])
        if not found.get("filePath"):
            say("No file is open in the editor.", GREEN, "●")
            return
        name = os.path.relpath(found["filePath"], self.here)
        line = found["selection"]["start"]["line"] + 1
        text = found.get("text") or ""
        if text:
            say(f"Read the selection in {name}: {count(len(text.splitlines()), 'line')} from line {line}", GREEN, "●")
        else:
            say(f"Read the cursor: {name}, line {line}", GREEN, "●")

    def propose(self, path, text):
        """openDiff, then what the CLI does with each decision."""
        tab = f"✻ [Claude Code] {path.name} ({random.randrange(16 ** 6):06x}) ⧉"
        say(f"Update({path.name})", GREEN, "●")
        say(f"Opened changes in {self.ide.name} ⧉   (:w accepts, :q rejects)", DIM, "⎿")
        answer = self.ide.call("openDiff", old_file_path=str(path), new_file_path=str(path), new_file_contents=text,
                               tab_name=tab)
        if answer[0] == "FILE_SAVED":
            for _ in range(2):
                self.ide.call("close_tab", tab_name=tab)
            self.ide.call("getDiagnostics", uri="file://" + urllib.parse.quote(str(path)))
            path.write_text(answer[1], encoding="utf-8")
            self.ide.call("getDiagnostics")
            changed = "" if answer[1] == text else ", with your changes"
            say(f"You accepted{changed}: {path.name} is written.", GREEN, "✔")
        else:
            say(f"You rejected the change: {path.name} stays as it was.", RED, "✘")


if __name__ == "__main__":
    try:
        Conversation(Ide()).run()
    except (Gone, OSError) as error:
        say(str(error), RED, "✘")
        sys.exit(1)
