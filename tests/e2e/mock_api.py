"""A scripted stand-in for the Messages API (streaming), so that the CLI runs without any network.

A script is a list of rules:
    {"match": regex, "steps": [[block, ...], [block, ...], ...]}
The rule is the first whose regex occurs in the newest prompt of the user that any rule knows.  Step i answers the i-th
request made since that prompt (0 the prompt itself, 1 the results of step 0's tools, ...); after the last step the
answer is "DONE".  A block is plain text, or {"tool": name, "input": {...}} for a tool call.  The choice depends on the
request alone: the server has no state, so retries and several CLIs do no harm.
"""
import json
import re
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def _texts(content):
    if isinstance(content, str):
        return [content]
    return [block.get("text", "") for block in content if block.get("type") == "text"]


def _rule(message, script):
    """The rule for a message of the user; reminders, which start with a tag, are not prompts."""
    for text in _texts(message.get("content", "")):
        if not text.lstrip().startswith("<"):
            for rule in script:
                if re.search(rule["match"], text):
                    return rule
    return None


def pick(script, messages):
    """The blocks that answer a conversation."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].get("role") != "user":
            continue
        rule = _rule(messages[index], script)
        if rule:
            step = sum(message.get("role") == "assistant" for message in messages[index + 1:])
            return rule["steps"][step] if step < len(rule["steps"]) else ["DONE"]
    return ["OK (no rule matched)"]


def _content(block):
    if isinstance(block, str):
        return {"type": "text", "text": block}
    return {"type": "tool_use", "id": "toolu_" + uuid.uuid4().hex[:24], "name": block["tool"], "input": block["input"]}


def _answer(script, body):
    """The message that answers a request; those that offer no tools (titles, summaries) get a short text."""
    if body.get("tools"):
        content = [_content(block) for block in pick(script, body.get("messages", []))]
    elif body.get("output_config"):
        content = [_content(json.dumps({"title": "a title"}))]
    else:
        content = [_content("ok")]
    calls = any(block["type"] == "tool_use" for block in content)
    usage = {"input_tokens": 10, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    return {"id": "msg_" + uuid.uuid4().hex[:24], "type": "message", "role": "assistant", "content": content,
            "model": body.get("model", "mock"), "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None, "usage": usage}


def _events(message):
    """The same message as a stream of (event, data)."""
    yield "message_start", {"message": dict(message, content=[], stop_reason=None)}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, delta = dict(block, text=""), {"type": "text_delta", "text": block["text"]}
        else:
            empty = dict(block, input={})
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield "content_block_start", {"index": index, "content_block": empty}
        yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"delta": stop, "usage": {"output_tokens": 20}}
    yield "message_stop", {}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def _json(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _missing(self):
        self._json(404, {"type": "error", "error": {"type": "not_found_error", "message": "not scripted"}})

    def do_HEAD(self):
        self._json(200, {})

    def do_GET(self):
        if self.path.startswith("/v1/models"):
            self._json(200, {"data": [], "has_more": False, "first_id": None, "last_id": None})
        else:
            self._missing()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or "{}")
        api = self.server.api
        api.record(self.path, body)
        if "/count_tokens" in self.path:
            self._json(200, {"input_tokens": 1000})
        elif self.path.split("?")[0] != "/v1/messages":
            self._missing()
        elif body.get("stream"):
            self._stream(_answer(api.script, body))
        else:
            self._json(200, _answer(api.script, body))

    def _stream(self, message):
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        try:
            for event, data in _events(message):
                data = json.dumps(dict(data, type=event))
                self.wfile.write(f"event: {event}\ndata: {data}\n\n".encode())
        except OSError:
            pass  # the CLI gave up this request


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a CLI that was killed in the middle of a request


class MockApi:
    """The server; `requests` grows by one record per POST, also written to `log` as JSON lines."""

    def __init__(self, script, log):
        self.script, self.log, self.requests, self.lock = script, log, [], threading.Lock()
        self.started = time.monotonic()
        self.server = _Server(("127.0.0.1", 0), _Handler)
        self.server.api, self.port = self, self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def record(self, path, body):
        entry = {"t": round(time.monotonic() - self.started, 3), "path": path, "body": body}
        with self.lock, open(self.log, "a") as f:
            self.requests.append(entry)
            f.write(json.dumps(entry) + "\n")

    def conversation(self):
        """Bodies of the main loop's requests (those that offer tools), oldest first."""
        return [entry["body"] for entry in list(self.requests) if entry["body"].get("tools")]

    def last_result(self):
        """What the newest tool result told the model, as JSON text."""
        for body in reversed(self.conversation()):
            for message in reversed(body["messages"]):
                if isinstance(message["content"], list):
                    for block in message["content"]:
                        if block.get("type") == "tool_result":
                            return json.dumps(block["content"])
        return ""

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
