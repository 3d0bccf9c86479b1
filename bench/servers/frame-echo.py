"""Answers each frame on descriptor 3 with itself: the length of some bytes, and the bytes."""

import socket
import struct

sock = socket.socket(fileno=3)
HEADER = struct.Struct(">I")


def exactly(size):
    data = bytearray(size)
    view = memoryview(data)
    while len(view) > 0:
        count = sock.recv_into(view)
        if count == 0:
            raise SystemExit
        view = view[count:]
    return data


while True:
    header = exactly(HEADER.size)
    sock.sendall(header + exactly(*HEADER.unpack(header)))
