"""The editor as a CLI sees it: found by its lock file, spoken to over WebSocket (standard library only)."""
import base64
import hashlib
import json
import os
import queue
import socket
import struct
import threading

TEXT, CLOSE, PING, PONG = 0x1, 0x8, 0x9, 0xA


class Gone(Exception):
    """The editor ended the connection, or was never there."""


def find_lock():
    """(port, lock file's content) of the editor that started us, which left its port in the environment."""
    port = os.environ.get("CLAUDE_CODE_SSE_PORT")
    if not port:
        raise Gone("CLAUDE_CODE_SSE_PORT is not set: start this from Neovim with :ClaudeCode")
    homes = [os.environ.get("CLAUDE_CONFIG_DIR"), os.path.expanduser("~/.claude")]
    for home in filter(None, homes):
        path = os.path.join(home, "ide", f"{port}.lock")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return int(port), json.load(file)
    raise Gone(f"no lock file for port {port} below {' or '.join(filter(None, homes))}")


class Ide:
    """A connection: requests that wait for their answers, notifications in a queue."""

    def __init__(self):
        self.port, self.lock = find_lock()
        self.name = self.lock.get("ideName", "editor")
        self.notifications = queue.Queue()
        self._answers, self._next_id = {}, 0
        self._sending, self._arrived = threading.Lock(), threading.Condition()
        self._gone = False
        self._socket = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        self._upgrade(self.lock["authToken"])
        self._socket.settimeout(None)
        threading.Thread(target=self._receive, daemon=True).start()

    def initialize(self):
        """The handshake in the order of the Claude Code CLI; returns the editor's tools."""
        self.request("initialize", {
            "protocolVersion": "2025-11-25",
            "capabilities": {"roots": {"listChanged": True}},
            "clientInfo": {"name": "claude-code", "title": "Demo", "version": "0.1.0"},
        })
        self.notify("notifications/initialized")
        self.notify("ide_connected", {"pid": os.getpid()})
        return self.request("tools/list")["tools"]

    def call(self, tool, **arguments):
        """Calls a tool and waits, as long as it takes; the texts of its answer."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        return [part.get("text", "") for part in result.get("content", [])]

    def request(self, method, params=None):
        with self._arrived:
            number = self._next_id
            self._next_id += 1
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with self._arrived:
            self._arrived.wait_for(lambda: number in self._answers or self._gone)
            if number not in self._answers:
                raise Gone("the editor ended the connection")
            answer = self._answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def notify(self, method, params=None):
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def close(self):
        self._frame(CLOSE, b"")

    def _upgrade(self, token):
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ("GET / HTTP/1.1", f"Host: 127.0.0.1:{self.port}", "Connection: Upgrade", "Upgrade: websocket",
                 "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Protocol: mcp",
                 f"X-Claude-Code-Ide-Authorization: {token}", "", "")
        self._socket.sendall("\r\n".join(lines).encode())
        self._stream = self._socket.makefile("rb")
        status = self._stream.readline().decode().strip()
        headers = {}
        while line := self._stream.readline().decode().strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        if " 101 " not in status or headers.get("sec-websocket-accept") != base64.b64encode(digest).decode():
            raise Gone(f"the editor refused the connection: {status}")

    def _send(self, message):
        message = {name: value for name, value in message.items() if value is not None}
        self._frame(TEXT, json.dumps(message, ensure_ascii=False).encode())

    def _frame(self, opcode, payload):
        size = len(payload)
        head = bytes([0x80 | opcode])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 65536:
            head += struct.pack("!BH", 0x80 | 126, size)
        else:
            head += struct.pack("!BQ", 0x80 | 127, size)
        mask = os.urandom(4)
        whole = int.from_bytes((mask * (size // 4 + 1))[:size], "big") ^ int.from_bytes(payload, "big")
        with self._sending:
            try:
                self._socket.sendall(head + mask + whole.to_bytes(size, "big"))
            except OSError as error:
                raise Gone("the editor ended the connection") from error

    def _read(self, size):
        data = self._stream.read(size)
        if len(data) < size:
            raise EOFError
        return data

    def _receive(self):
        message = b""
        try:
            while True:
                first, size = self._read(2)
                if size > 125:
                    size = int.from_bytes(self._read(2 if size == 126 else 8), "big")
                payload, opcode = self._read(size), first & 0xF
                if opcode == CLOSE:
                    raise EOFError
                if opcode == PING:
                    self._frame(PONG, payload)
                elif opcode < CLOSE:
                    message += payload
                    if first & 0x80:
                        self._take(json.loads(message))
                        message = b""
        except (EOFError, OSError, Gone):
            with self._arrived:
                self._gone = True
                self._arrived.notify_all()
            self.notifications.put(None)

    def _take(self, message):
        if "method" in message:
            if "id" in message:  # the editor asks: we offer nothing but being there
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": {}})
            else:
                self.notifications.put(message)
            return
        with self._arrived:
            self._answers[message["id"]] = message
            self._arrived.notify_all()
