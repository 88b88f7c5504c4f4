"""WebSocket frames (RFC 6455), without any IO: just what the logging server and the wiretap need."""
import base64
import hashlib
import struct

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def accept_key(key):
    """The Sec-WebSocket-Accept that answers a Sec-WebSocket-Key."""
    return base64.b64encode(hashlib.sha1(key.encode() + _GUID).digest()).decode()


def encode(opcode, payload):
    """One unfragmented, unmasked frame, as a server sends it."""
    size = len(payload)
    if size < 126:
        length = bytes([size])
    elif size < 65536:
        length = b"\x7e" + struct.pack(">H", size)
    else:
        length = b"\x7f" + struct.pack(">Q", size)
    return bytes([0x80 | opcode]) + length + payload


def close_code(payload):
    """The status code in a close frame's payload, None if there is none."""
    return struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else None


def _unmask(payload, key):
    size = len(payload)
    stream = (key * (size // 4 + 1))[:size]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(stream, "big")).to_bytes(size, "big")


class Decoder:
    """Bytes in, whole messages out; fragments are joined, control frames come as they are."""

    def __init__(self):
        self.buffer = bytearray()
        self.message, self.opcode = bytearray(), None

    def feed(self, data):
        """Yields (opcode, payload) for each message that is complete now."""
        self.buffer += data
        while True:
            frame = self._next()
            if frame is None:
                return
            final, opcode, payload = frame
            if opcode >= CLOSE:
                yield opcode, payload
                continue
            if opcode:
                self.opcode = opcode
            self.message += payload
            if final:
                message, self.message = bytes(self.message), bytearray()
                yield self.opcode, message

    def _next(self):
        buffer = self.buffer
        if len(buffer) < 2:
            return None
        size, start = buffer[1] & 127, 2
        if size >= 126:
            width = 2 if size == 126 else 8
            if len(buffer) < 2 + width:
                return None
            size, start = int.from_bytes(buffer[2:2 + width], "big"), 2 + width
        key = None
        if buffer[1] & 128:
            key, start = bytes(buffer[start:start + 4]), start + 4
        if len(buffer) < start + size:
            return None
        payload = bytes(buffer[start:start + size])
        head = buffer[0]
        del buffer[:start + size]
        return head & 128, head & 15, _unmask(payload, key) if key else payload
