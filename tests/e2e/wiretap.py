"""A relay between the CLI and the plugin that records every message of both, as JSON lines.

It publishes a second lock file with its own port and otherwise the plugin's fields: point CLAUDE_CODE_SSE_PORT at it.
"""
import json
import os
import socket
import threading
import time

import frames

CONTROL = {frames.CLOSE: "close", frames.PING: "ping", frames.PONG: "pong"}


class Wiretap:
    def __init__(self, ide_dir, plugin_port, log):
        self.log, self.lock, self.started, self.target = log, threading.Lock(), time.monotonic(), plugin_port
        self.sock = socket.create_server(("127.0.0.1", 0))
        self.port = self.sock.getsockname()[1]
        with open(os.path.join(ide_dir, f"{plugin_port}.lock")) as f:
            info = json.load(f)
        with open(os.path.join(ide_dir, f"{self.port}.lock"), "w") as f:
            json.dump(info, f)
        threading.Thread(target=self._accept, daemon=True).start()

    def _record(self, kind, data):
        event = {"t": round(time.monotonic() - self.started, 4), "kind": kind, "data": data}
        with self.lock, open(self.log, "a") as f:
            f.write(json.dumps(event, ensure_ascii=False) + "\n")

    def _accept(self):
        while True:
            cli = self.sock.accept()[0]
            try:
                plugin = socket.create_connection(("127.0.0.1", self.target))
            except OSError as error:
                self._record("refused", repr(error))
                cli.close()
                continue
            for source, sink, kind in ((cli, plugin, "cli"), (plugin, cli, "plugin")):
                threading.Thread(target=self._relay, args=(source, sink, kind), daemon=True).start()

    def _relay(self, source, sink, kind):
        decoder, head = frames.Decoder(), b""
        try:
            while data := source.recv(1 << 16):
                sink.sendall(data)
                if head is not None:
                    head += data
                    if b"\r\n\r\n" not in head:
                        continue
                    lines, data = head.split(b"\r\n\r\n", 1)
                    self._record(kind + " http", lines.decode("latin-1").split("\r\n"))
                    head = None
                for opcode, payload in decoder.feed(data):
                    self._message(kind, opcode, payload)
        except OSError:
            pass
        self._record(kind + " end", None)
        for sock in (source, sink):
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _message(self, kind, opcode, payload):
        if opcode in CONTROL:
            code = frames.close_code(payload) if opcode == frames.CLOSE else None
            return self._record(f"{kind} {CONTROL[opcode]}", code)
        try:
            self._record(kind, json.loads(payload))
        except ValueError:
            self._record(kind + " not JSON", payload[:2000].decode("latin-1"))
