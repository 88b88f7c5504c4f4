"""A logging MCP server that plays the editor: shows what the CLI itself does, with no plugin involved.

All upgrades, messages and closes are recorded with their times.  `tools` maps a tool's name to
    callable(arguments) -> result dict, {"error": ...}, or None to leave the call open (see `reply`).
"""
import json
import os
import secrets
import socket
import threading
import time

import frames

TOOLS = ("openFile", "openDiff", "getCurrentSelection", "getLatestSelection", "getOpenEditors",
         "getWorkspaceFolders", "getDiagnostics", "checkDocumentDirty", "saveDocument", "close_tab",
         "closeAllDiffTabs")
READY_DELAY = 0.15  # s
DEFAULTS = {"closeAllDiffTabs": "CLOSED_0_DIFF_TABS", "close_tab": "TAB_CLOSED", "getDiagnostics": "[]"}


def text(*parts):
    """A tool's result of text parts."""
    return {"content": [{"type": "text", "text": part} for part in parts]}


class Connection:
    """One CLI, from the upgrade to the end of its socket."""

    def __init__(self, server, sock):
        self.server, self.sock, self.lock, self.open = server, sock, threading.Lock(), False

    def run(self):
        try:
            if self._upgrade():
                self.open = True
                self._read()
        except OSError as error:
            self.server.record("gone", repr(error))
        self.open = False
        self.sock.close()

    def send(self, message):
        self.server.record("sent", message)
        self._frame(frames.TEXT, json.dumps(message).encode())

    def drop(self):
        """Ends the connection without a close frame."""
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _frame(self, opcode, payload):
        with self.lock:
            self.sock.sendall(frames.encode(opcode, payload))

    def _upgrade(self):
        request = b""
        while b"\r\n\r\n" not in request:
            data = self.sock.recv(65536)
            if not data:
                return False
            request += data
        lines = request.decode("latin-1").strip().split("\r\n")
        self.server.record("upgrade", lines)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if headers.get("x-claude-code-ide-authorization") != self.server.token:
            self.sock.sendall(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return False
        answer = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
                  "Sec-WebSocket-Accept: " + frames.accept_key(headers["sec-websocket-key"]),
                  "Sec-WebSocket-Protocol: mcp", "", ""]
        self.sock.sendall("\r\n".join(answer).encode())
        return True

    def _read(self):
        decoder = frames.Decoder()
        while True:
            data = self.sock.recv(1 << 20)
            if not data:
                return self.server.record("end", None)
            for opcode, payload in decoder.feed(data):
                if opcode == frames.CLOSE:
                    self.server.record("close", frames.close_code(payload))
                    return self._frame(frames.CLOSE, payload[:2])
                if opcode == frames.PING:
                    self._frame(frames.PONG, payload)
                elif opcode in (frames.TEXT, frames.BINARY):
                    message = json.loads(payload)
                    self.server.record("received", message)
                    self._answer(message)

    def _answer(self, message):
        if "id" not in message or "method" not in message:
            return
        result = self.server.result(message["method"], message.get("params") or {})
        if result is not None:
            body = result if "error" in result else {"result": result}
            self.send({"jsonrpc": "2.0", "id": message["id"], **body})


class IdeServer:
    """Listens from the start; `write_lock` makes it findable."""

    def __init__(self, log):
        self.log, self.token, self.tools = log, secrets.token_hex(16), {}
        self.events, self.changed = [], threading.Condition()
        self.connections, self.started = [], time.monotonic()
        self.sock = socket.create_server(("127.0.0.1", 0))
        self.port = self.sock.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def write_lock(self, ide_dir, folders):
        os.makedirs(ide_dir, exist_ok=True)
        with open(os.path.join(ide_dir, f"{self.port}.lock"), "w") as f:
            json.dump({"pid": os.getpid(), "workspaceFolders": folders, "ideName": "Logging server",
                       "transport": "ws", "authToken": self.token}, f)

    def record(self, kind, data):
        event = {"t": round(time.monotonic() - self.started, 4), "kind": kind, "data": data}
        with self.changed, open(self.log, "a") as f:
            self.events.append(event)
            f.write(json.dumps(event) + "\n")
            self.changed.notify_all()

    def received(self, method, tool=None):
        """Messages of the CLI so far: one method, or the calls of one tool."""
        return [event["data"] for event in list(self.events)
                if event["kind"] == "received" and event["data"].get("method") == method
                and tool in (None, event["data"].get("params", {}).get("name"))]

    def calls(self):
        """(tool, arguments) of every call so far, in order."""
        return [(call["params"]["name"], call["params"].get("arguments", {})) for call in self.received("tools/call")]

    def wait(self, method, tool=None, timeout=15):
        """The first such message, None if it does not come in time."""
        with self.changed:
            if self.changed.wait_for(lambda: self.received(method, tool), timeout):
                return self.received(method, tool)[0]
        return None

    def wait_ready(self, timeout=15):
        """True once the CLI takes notifications: what it reads before its first rendering with the tools is lost.

        That is READY_DELAY after the reply to tools/list on a machine with time to spare.  On a busy one the CLI's loop
        is late; two answered pings then show that it has come round.
        """
        def replied():
            return any("tools" in event["data"].get("result", {}) for event in self.events if event["kind"] == "sent")
        with self.changed:
            if not self.changed.wait_for(replied, timeout):
                return False
        time.sleep(READY_DELAY)
        return self._ping("ping-1", timeout) and self._ping("ping-2", timeout)

    def _ping(self, ident, timeout):
        def answered():
            return any(event["data"].get("id") == ident for event in self.events if event["kind"] == "received")
        self._newest().send({"jsonrpc": "2.0", "id": ident, "method": "ping"})
        with self.changed:
            return self.changed.wait_for(answered, timeout)

    def notify(self, method, params):
        self._newest().send({"jsonrpc": "2.0", "method": method, "params": params})

    def reply(self, call, result):
        """Answers a call that was left open."""
        self._newest().send({"jsonrpc": "2.0", "id": call["id"], "result": result})

    def result(self, method, params):
        if method == "initialize":
            return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                    "serverInfo": {"name": "logging-server", "version": "0"}}
        if method == "tools/list":
            schema = {"type": "object", "properties": {}}
            return {"tools": [{"name": name, "description": name, "inputSchema": schema} for name in TOOLS]}
        if method == "ping":
            return {}
        if method != "tools/call":
            return {"error": {"code": -32601, "message": "Method not found"}}
        name = params["name"]
        if name in self.tools:
            return self.tools[name](params.get("arguments", {}))
        return text(DEFAULTS.get(name, "ok"))

    def _newest(self):
        return [connection for connection in self.connections if connection.open][-1]

    def _accept(self):
        while True:
            connection = Connection(self, self.sock.accept()[0])
            self.connections.append(connection)
            threading.Thread(target=connection.run, daemon=True).start()
