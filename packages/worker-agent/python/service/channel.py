"""Frames between a process and the agent, see src/channel.ts."""

import json
import os
import struct

MARK = b"\xfffs\x01"
HEADER = struct.Struct(">4sII")
# What is no longer is read as it comes, without memory that is filled part by part.
SHORT_BYTES = 16 * 1024
decode = json.JSONDecoder().raw_decode
encode = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
encode_unicode = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode


class Pipes:
    """Two pipes with the methods of a socket that a channel needs."""

    def __init__(self, reading, writing):
        self.reading = reading
        self.writing = writing

    def sendall(self, data):
        view = memoryview(data)
        while len(view) > 0:
            view = view[os.write(self.writing, view) :]

    def recv(self, size):
        return os.read(self.reading, size)

    def recv_into(self, view):
        data = self.recv(len(view))
        view[: len(data)] = data
        return len(data)


class Channel:
    """Frames over a stream socket: a mark, the lengths of a JSON text and of bytes beside it, then both."""

    def __init__(self, sock):
        self.sock = sock

    def send(self, text, *data):
        """Sends a message and the bytes of these pieces beside it."""
        body = text.encode()
        self.sock.sendall(HEADER.pack(MARK, len(body), sum(map(len, data))) + body)
        for piece in data:
            self.sock.sendall(piece)

    def receive(self):
        """The next message and its bytes; None when the agent has closed the connection."""
        header = self._exactly(HEADER.size)
        if header is None:
            return None
        _, text_size, data_size = HEADER.unpack(header)
        text = self._exactly(text_size)
        data = self._exactly(data_size) if data_size > 0 else b""
        if text is None or data is None:
            return None
        return decode(text.decode())[0], data

    def _exactly(self, size):
        head = b""
        if size <= SHORT_BYTES:
            head = self.sock.recv(size)
            if len(head) == size:
                return head
            if head == b"":
                return None
        data = bytearray(size)
        data[: len(head)] = head
        view = memoryview(data)[len(head) :]
        while len(view) > 0:
            count = self.sock.recv_into(view)
            if count == 0:
                return None
            view = view[count:]
        return data
