"""The real CLI in a terminal: a throw-away home that skips its first-run dialogs, prompts and answers by keys."""
import json
import os
import re
import time

API_KEY = "not-a-real-key-0123456789"
DIALOG = "Do you want to"
READY = r"(?m)^❯"


def seed_home(home, folders):
    """Settings of a user who has seen onboarding, the key question and the trust dialog of these folders."""
    os.makedirs(os.path.join(home, ".claude"))
    os.makedirs(os.path.join(home, "tmp"), mode=0o700)
    trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True,
               "projectOnboardingSeenCount": 9, "allowedTools": []}
    config = {"hasCompletedOnboarding": True, "lastOnboardingVersion": "99.0.0", "theme": "dark",
              "numStartups": 5, "autoUpdates": False, "hasSeenTasksHint": True,
              "hasIdeOnboardingBeenShown": {"neovim": True},
              "customApiKeyResponses": {"approved": [API_KEY[-20:]], "rejected": []},
              "projects": {folder: trusted for folder in folders}}
    with open(os.path.join(home, ".claude.json"), "w") as f:
        json.dump(config, f)


def environment(home, api_port):
    """All that the CLI (or a Neovim that starts it) sees: nothing of the caller's but PATH."""
    tmp = os.path.join(home, "tmp")
    return {"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": tmp, "CLAUDE_CODE_TMPDIR": tmp,
            "TERM": "xterm-256color", "LANG": "C.UTF-8", "ANTHROPIC_API_KEY": API_KEY,
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{api_port}", "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1"}


class Cli:
    """A CLI in a pane, its own or that of the Neovim that runs it in a terminal buffer."""

    def __init__(self, pane, api):
        self.pane, self.api = pane, api

    def prompt(self, words):
        """Types a prompt and submits it; done when its request has reached the API.

        An Enter that comes in one read with the text is taken for a pasted line break, and one that comes before the
        input box has settled is lost: so it is pressed again if nothing happened.
        """
        seen = len(self.api.conversation())
        self.enter(words, lambda: any(words in json.dumps(body["messages"], ensure_ascii=False)
                                      for body in self.api.conversation()[seen:]))

    def enter(self, words, done):
        """Types a line and presses Enter until `done()`."""
        self.pane.type(words)
        if not self.pane.wait(re.escape(words[:40]), 5):
            raise TimeoutError(f"the CLI does not show what was typed: {words}")
        self.press("Enter", done)

    def answer(self, key):
        """Presses a key in the permission dialog; keys are lost until it has the keyboard."""
        self.press(key, lambda: not self.pane.shows(DIALOG))

    def press(self, key, done):
        for _ in range(5):
            self.pane.keys(key)
            end = time.monotonic() + 2
            while time.monotonic() < end:
                if done():
                    return
                time.sleep(0.02)
        raise TimeoutError(f"the CLI does not react to {key}")
