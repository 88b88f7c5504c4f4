"""A line to type into, at the bottom of a terminal, which others may write into while it is open."""
import codecs
import contextlib
import os
import queue
import re
import select
import sys
import termios
import tty

KEY_SEQUENCE = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|O.|.)?")


class Prompt:
    """Reads a line key by key; what comes from the editor meanwhile changes the line or the note before it."""

    def __init__(self, notifications, on_notification):
        self.text, self.note = "", ""
        self._notifications, self._on_notification = notifications, on_notification
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="ignore").decode

    def insert(self, text):
        """Puts a word at the end of the line."""
        self.text += ("" if not self.text or self.text.endswith(" ") else " ") + text + " "

    def ask(self):
        """The line, once Enter is pressed; None at the end of input or of the connection."""
        with self._raw_terminal() as stdin:
            self._draw()
            while True:
                if not self._take_notifications():
                    return None
                if not select.select([stdin], [], [], 0.05)[0]:
                    continue
                data = os.read(stdin, 4096)
                keys = KEY_SEQUENCE.sub("", self._decode(data))
                for key in keys:
                    if key in "\r\n" and self.text.strip():
                        line, self.text = self.text.strip(), ""
                        sys.stdout.write("\r\x1b[K")  # what was asked is told as a line of the conversation
                        return line
                    if key in "\x03\x04":
                        return None
                    if key in "\x7f\b":
                        self.text = self.text[:-1]
                    elif key == "\x15":
                        self.text = ""
                    elif key.isprintable():
                        self.text += key
                if not data:
                    return None
                self._draw()

    def _take_notifications(self):
        with contextlib.suppress(queue.Empty):
            while True:
                message = self._notifications.get_nowait()
                if message is None:
                    return False
                self._on_notification(message)
                self._draw()
        return True

    def _draw(self):
        note = f"\x1b[2m[{self.note}]\x1b[0m " if self.note else ""
        sys.stdout.write(f"\r\x1b[K\x1b[38;5;173m❯\x1b[0m {note}{self.text}")
        sys.stdout.flush()

    @contextlib.contextmanager
    def _raw_terminal(self):
        stdin = sys.stdin.fileno()
        before = termios.tcgetattr(stdin)
        try:
            tty.setcbreak(stdin)
            changed = termios.tcgetattr(stdin)
            changed[3] &= ~termios.ISIG  # Ctrl-C is a key here
            termios.tcsetattr(stdin, termios.TCSANOW, changed)
            yield stdin
        finally:
            termios.tcsetattr(stdin, termios.TCSADRAIN, before)
