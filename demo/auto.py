"""The demo without a person: a Neovim in a pseudo-terminal, keys typed into it, the conversation printed."""
import fcntl
import os
import pathlib
import pty
import struct
import subprocess
import termios
import threading
import time

REQUEST = "fix the total"
LONGEST = 30  # seconds for any one step


class Stuck(Exception):
    """Something did not happen in time."""


class Editor:
    """A Neovim with a real screen that nobody looks at; keys go in, expressions are asked over its socket."""

    def __init__(self, command, project, work, env):
        self._socket, self._nvim = str(work / "nvim.sock"), command[0]
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 140, 0, 0))
        self._terminal = main
        self._process = subprocess.Popen([*command, "--listen", self._socket], cwd=project, stdin=side, stdout=side,
                                         stderr=side, env={**env, "TERM": "xterm-256color"}, start_new_session=True)
        os.close(side)
        threading.Thread(target=self._drain, daemon=True).start()

    def type(self, keys):
        os.write(self._terminal, keys.encode())

    def ask(self, expression):
        """The value of a Vimscript expression, or "" while Neovim cannot say."""
        try:
            answer = subprocess.run([self._nvim, "--clean", "--headless", "--server", self._socket, "--remote-expr", expression],
                                    capture_output=True, text=True, timeout=5, check=False)
        except subprocess.TimeoutExpired:
            return ""
        return answer.stdout.strip() if answer.returncode == 0 else ""

    def is_running(self):
        return self._process.poll() is None

    def end(self):
        """:qa! and the exit status; None if it had to be killed."""
        if self.is_running():
            self.type("\x1c\x0e:qa!\r")
        try:
            return self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return None

    def _drain(self):
        try:
            while os.read(self._terminal, 65536):
                pass
        except OSError:
            pass


class Log:
    """The conversation that the scripted Claude writes down; printed as it grows."""

    def __init__(self, path):
        self._path, self._printed = path, 0

    def text(self):
        text = self._path.read_text(encoding="utf-8") if self._path.exists() else ""
        print(text[self._printed:], end="", flush=True)
        self._printed = len(text)
        return text


def wait(what, condition, editor):
    deadline = time.monotonic() + LONGEST
    while not condition():
        if not editor.is_running():
            raise Stuck(f"Neovim ended before {what}")
        if time.monotonic() > deadline:
            raise Stuck(f"waited {LONGEST} s for {what}")
        time.sleep(0.1)


def steps(editor, log, project):
    """What a person would do, each step once the one before shows its effect."""
    wait("Claude's prompt", lambda: "Type a request" in log.text(), editor)
    editor.type("\x1c\x0e\x17p")  # leave the terminal, go back to the file
    wait("the file's window", lambda: editor.ask("expand('%:t')") == "cart.py", editor)
    editor.type("V3j:ClaudeCodeSend\r:ClaudeCodeFocus\r")
    wait("the terminal's window", lambda: editor.ask("mode()") == "t", editor)
    wait("the mention in Claude's prompt", lambda: "@cart.py#L11-14" in editor.ask("join(getline(1, '$'))"), editor)
    editor.type(REQUEST + "\r")
    wait("the diff", lambda: editor.ask("get(b:, 'claudecode_diff_tab_name', '')") != "", editor)
    proposed = editor.ask("join(getline(1, '$'), \"\\n\")") + "\n"
    editor.type(":w\r")
    wait("the decision", lambda: "You accepted" in log.text() or "You rejected" in log.text(), editor)
    if "You accepted" not in log.text():
        raise Stuck("the edit was not accepted")
    written = (project / "cart.py").read_text(encoding="utf-8")
    if written != proposed or "price * quantity" not in written:
        raise Stuck(f"the file on disk is not what was accepted:\n{written}")


def play(command, project, work, env):
    """Plays the demo; the exit status."""
    editor, log = Editor(command, project, work, env), Log(pathlib.Path(env["CLAUDECODE_DEMO_LOG"]))
    try:
        steps(editor, log, project)
        status = editor.end()
        if status != 0:
            raise Stuck(f"Neovim ended with {status}")
        left = list((work / "claude").glob("ide/*.lock"))
        if left:
            raise Stuck(f"the lock file was left behind: {left[0].name}")
    except Stuck as stuck:
        log.text()
        print(f"demo: {stuck}; Neovim's messages: {editor.ask('execute(`messages`)'.replace('`', chr(34)))}")
        editor.end()
        return 1
    print("demo: the edit was accepted in Neovim and is on disk")
    return 0
