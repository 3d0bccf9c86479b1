"""Bytes that no engine would send, to what reads them: no errors but those that are meant to be, and no memory kept.

Prints the seed, and takes one as its argument.
"""

import asyncio
import json
import logging
import random
import resource
import secrets
import sys

from flow_service_device import Device
from flow_service_device import device as module

STRINGS = 100_000
FRAMES = 20_000
MEBIBYTE = 1024  # in the unit of ru_maxrss


def frame(chance: random.Random) -> bytes:
    """A frame as servers send it, often of a kind that the parser has to refuse."""
    opcode = chance.choice([0, 1, 1, 2, 2, 8, 9, 10, chance.randrange(16)])
    payload = chance.choice([b"", b"\x03\xe8", b"{}", "größe".encode(), chance.randbytes(chance.randrange(300))])
    length = len(payload) if chance.random() < 0.9 else chance.choice([126, 65_536, 1 << 24, (1 << 24) + 1, 1 << 62])
    head = chance.choice([0x80, 0x80, 0x80, 0x00, 0xC0, 0x90]) | opcode
    if length < 126:
        return bytes([head, length]) + payload
    if length < 65_536:
        return bytes([head, 126]) + length.to_bytes(2, "big") + payload
    return bytes([head, 127]) + length.to_bytes(8, "big") + payload


def damaged(chance: random.Random, data: bytes) -> bytes:
    held = bytearray(data)
    for _ in range(chance.randrange(3)):
        at = chance.randrange(len(held) + 1)
        match chance.randrange(3):
            case 0 if at < len(held):
                held[at] ^= 1 << chance.randrange(8)
            case 1:
                held[at:at] = chance.randbytes(chance.randrange(4))
            case _:
                del held[at : at + chance.randrange(4)]
    return bytes(held)


def pieces(chance: random.Random, data: bytes) -> list[bytes]:
    """The same bytes as TCP may cut them."""
    if chance.random() < 0.2:
        return [bytes([byte]) for byte in data]
    cut = chance.randrange(len(data) + 1)
    return [data[:cut], data[cut:]]


def parse(chance: random.Random) -> bool:
    """Whether a byte string passed; raises what is no refusal."""
    if chance.random() < 0.1:
        data = chance.randbytes(chance.randrange(200))
    else:
        data = damaged(chance, b"".join(frame(chance) for _ in range(chance.randrange(1, 5))))
    parser = module._Parser()
    taken = 0
    try:
        for piece in pieces(chance, data):
            for each in parser.feed(piece):
                taken += len(each) if isinstance(each, bytes) else 0
                assert taken <= len(data)
    except module._BrokenFrame as error:
        assert error.code in (1002, 1007, 1009)
        return False
    return True


def whole(chance: random.Random) -> None:
    """A message comes out as it went in, however it was cut."""
    payload = chance.randbytes(chance.choice([0, 1, 125, 126, 65_535, 65_536, 70_000]))
    cut = chance.randrange(len(payload) + 1)
    parts = [(0x02, payload[:cut]), (0x80, payload[cut:])]
    data = b"\x89\x01x".join(head_of(opcode, len(part)) + part for opcode, part in parts)
    parser = module._Parser()
    got = [each for piece in pieces(chance, data) for each in parser.feed(piece)]
    assert got == [b"x", payload]


def head_of(first: int, length: int) -> bytes:
    if length < 126:
        return bytes([first, length])
    return (
        bytes([first, 126]) + length.to_bytes(2, "big") if length < 65_536 else bytes([first, 127]) + length.to_bytes(8)
    )


def json_value(chance: random.Random, depth: int = 0) -> object:
    plain = [None, True, -1, 1e308, 10**400, "", "lamp", "in", "image", "temp", "0", "\ud800", {}, []]
    match chance.randrange(8):
        case 0 if depth < 4:
            return [json_value(chance, depth + 1) for _ in range(chance.randrange(4))]
        case 1 | 2 if depth < 4:
            return {chance.choice(NAMES): json_value(chance, depth + 1) for _ in range(chance.randrange(8))}
        case _:
            return chance.choice(plain)


NAMES = [
    *(
        "type",
        "device",
        "bindings",
        "values",
        "demand",
        "uplink",
        "message",
        "port",
        "value",
        "ts",
        "id",
        "code",
        "detail",
    ),
    *("ports", "direction", "dtype", "flow", "node", "interval", "on_demand", "config"),
]
TYPES = ["snapshot", "value", "demand", "published", "error", "tomorrow"]
#: Whole frames, of which a part is replaced.
BINDING = {"port": "lamp", "direction": "out", "message": "a.b", "dtype": "image", "flow": "a", "node": "b"}
VALID: list[dict[str, object]] = [
    {"type": "snapshot", "device": "board", "bindings": [BINDING], "values": [], "demand": ["lamp"], "uplink": "http"},
    {"type": "value", "port": "lamp", "message": "a.b", "value": 1, "ts": "2026-01-02T03:04:05.678Z"},
    {"type": "demand", "ports": ["lamp"]},
    {"type": "published", "id": "0", "ts": None},
    {"type": "error", "id": "1", "code": "forbidden", "detail": "no"},
]


def text(chance: random.Random) -> str:
    if chance.random() < 0.1:
        return json.dumps(json_value(chance))
    made = dict(chance.choice(VALID))
    for _ in range(chance.randrange(3)):
        made[chance.choice(NAMES)] = json_value(chance)
    if chance.random() < 0.2:
        made["type"] = chance.choice(TYPES)
    return json.dumps(made)


class Deaf(Device):
    """A device that dials nobody."""

    async def _stay_connected(self) -> None:
        await asyncio.Event().wait()


async def listen(chance: random.Random) -> None:
    """Frames of an engine that is out of its mind, at a program that listens to all it can."""
    async with Deaf(url="http://127.0.0.1:9", credential="none") as device:
        heard: list[object] = []
        device.on("lamp", heard.append)
        device.on_demand(lambda ports: heard.append(sorted(ports)))
        device.on_status(heard.append)
        for _ in range(FRAMES):
            if chance.random() < 0.01:
                device.publish("temp", 1)
            device._take(module._object(text(chance)))
            device.config("lamp"), device.wanted("lamp"), device.bindings
        assert len(heard) > FRAMES / 100
        await asyncio.sleep(0)


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else secrets.randbits(32)
    chance = random.Random(seed)
    print(f"seed {seed}", flush=True)
    for _ in range(STRINGS // 10):
        parse(chance)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    passed = sum(parse(chance) for _ in range(STRINGS))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 8 * MEBIBYTE, f"the memory has grown by {grown} KiB"
    assert STRINGS / 20 < passed < STRINGS, passed
    for _ in range(300):
        whole(chance)
    logging.disable()
    asyncio.run(listen(chance))
    print(f"{STRINGS} byte strings, {passed} of them sound; {FRAMES} frames; {grown} KiB more")


if __name__ == "__main__":
    main()
