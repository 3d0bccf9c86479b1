import binascii
import json
import os
import random
import select
import socket
import sys
import time


def read(sock, count):
    data = b""
    while len(data) < count:
        part = sock.recv(count - len(data))
        if not part:
            raise OSError("the engine is gone")
        data += part
    return data


def open_socket(host, port, credential):
    sock = socket.socket()
    sock.settimeout(30)
    sock.connect(socket.getaddrinfo(host, port)[0][-1])
    key = binascii.b2a_base64(os.urandom(16)).strip().decode()
    sock.sendall(
        "GET /api/v1/flows/ws HTTP/1.1\r\nHost: {}:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {}\r\nAuthorization: Bearer {}\r\n\r\n".format(
            host, port, key, credential
        ).encode()
    )
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += read(sock, 1)
    return sock, int(head.split(b" ")[1])


def send(sock, opcode, payload):
    size = len(payload)
    head = bytes([0x80 | opcode, 0x80 | size]) if size < 126 else bytes([0x80 | opcode, 0xFE, size >> 8, size & 255])
    mask = os.urandom(4)
    sock.sendall(head + mask + bytes(byte ^ mask[at & 3] for at, byte in enumerate(payload)))


def receive(sock):
    first, size = read(sock, 2)
    if size == 126:
        size = int.from_bytes(read(sock, 2), "big")
    elif size == 127:
        size = int.from_bytes(read(sock, 8), "big")
    return first & 15, read(sock, size)


def session(host, port, credential, heard, sample):
    """Until the connection ends; the result is why the device has ended, or None: connect again."""
    sock, status = open_socket(host, port, credential)
    try:
        if status in (401, 403):
            return "refused"
        if status != 101:
            return None
        poller = select.poll()
        poller.register(sock, select.POLLIN)
        while True:
            if not poller.poll(1000):
                value = {"type": "publish", "port": "celsius", "value": sample()}
                send(sock, 1, json.dumps(value).encode())
                continue
            opcode, data = receive(sock)
            if opcode == 9:
                send(sock, 10, data)
            elif opcode == 8:
                send(sock, 8, data)
                return {b"\x03\xf0": "unpaired", b"\x0f\xa0": "replaced"}.get(data[:2])
            elif opcode == 1:
                frame = json.loads(data)
                for each in frame["values"] if frame["type"] == "snapshot" else [frame]:
                    if each.get("port") == "lamp":
                        heard(each["value"])
    finally:
        sock.close()


def run(host, port, credential, heard, sample):
    tries, end = 0, None
    while end is None:
        try:
            end = session(host, port, credential, heard, sample)
            tries = 0
        except OSError:
            pass
        if end is None:
            time.sleep(1 + random.random() * (min(30, 2 ** (tries + 1)) - 1))
            tries += 1
    return end


host, port, credential = sys.argv[1:]
print(run(host, int(port), credential, lambda value: print("lamp", value), lambda: 21.5))
