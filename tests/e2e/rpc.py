"""Neovim's RPC socket: just enough MessagePack to run Lua and get a string back."""
import socket
import struct


def _pack(value):
    if isinstance(value, int):
        return b"\xce" + struct.pack(">I", value)
    if isinstance(value, str):
        data = value.encode()
        return b"\xdb" + struct.pack(">I", len(data)) + data
    return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(_pack, value))


class _Reader:
    """Decodes the types that an answer can hold: numbers, text, nil, booleans, arrays and maps."""

    def __init__(self, sock):
        self.sock, self.buffer = sock, b""

    def _take(self, size):
        while len(self.buffer) < size:
            data = self.sock.recv(1 << 16)
            if not data:
                raise ConnectionError("Neovim closed its socket")
            self.buffer += data
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def _number(self, size, signed=False):
        return int.from_bytes(self._take(size), "big", signed=signed)

    def _text(self, size):
        return self._take(size).decode(errors="replace")

    def value(self):
        tag = self._number(1)
        if tag < 0x80:
            return tag
        if tag >= 0xe0:
            return tag - 0x100
        if 0x80 <= tag < 0x90:
            return {self.value(): self.value() for _ in range(tag & 15)}
        if 0x90 <= tag < 0xa0:
            return [self.value() for _ in range(tag & 15)]
        if 0xa0 <= tag < 0xc0:
            return self._text(tag & 31)
        if tag in (0xc0, 0xc2, 0xc3):
            return {0xc0: None, 0xc2: False, 0xc3: True}[tag]
        if 0xc4 <= tag <= 0xc6:
            return self._text(self._number(1 << (tag - 0xc4)))
        if 0xcc <= tag <= 0xcf:
            return self._number(1 << (tag - 0xcc))
        if 0xd0 <= tag <= 0xd3:
            return self._number(1 << (tag - 0xd0), signed=True)
        if 0xd9 <= tag <= 0xdb:
            return self._text(self._number(1 << (tag - 0xd9)))
        if tag in (0xdc, 0xdd):
            return [self.value() for _ in range(self._number(2 if tag == 0xdc else 4))]
        raise ValueError(f"unexpected MessagePack type 0x{tag:x}")


class Client:
    """One connection to the address given to `nvim --listen`."""

    def __init__(self, address, timeout=10):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(timeout)
        self.sock.connect(address)
        self.reader, self.serial = _Reader(self.sock), 0

    def call(self, method, *args):
        """The result of an API function; raises RuntimeError with Neovim's message if it failed."""
        self.serial += 1
        self.sock.sendall(_pack([0, self.serial, method, list(args)]))
        while True:
            message = self.reader.value()
            if message[0] == 1 and message[1] == self.serial:
                if message[2]:
                    raise RuntimeError(f"{method}: {message[2][1]}")
                return message[3]
