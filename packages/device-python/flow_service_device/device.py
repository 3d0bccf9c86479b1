"""A board in Python as a device of flow-service: pair it once, then publish values, follow others and send pictures.

Python 3.11 or newer and its standard library; this one file is all. `pip install flow-service-device` installs it, and
every engine hands it out: `curl -o device.py <url>/api/v1/devices/runtime`. To try it:
`python device.py pair <url> --demo`.

    async with connect(url="http://10.0.0.5:8000", credential=credential) as device:
        device.on("led", lambda value: print("led is", value))
        while True:
            device.publish("celsius", 21.5)
            await asyncio.sleep(1)
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import hashlib
import inspect
import itertools
import json
import logging
import math
import os
import pathlib
import platform
import random
import re
import ssl
import sys
import time
import urllib.parse
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, NamedTuple, TypeVar

__all__ = [
    "Binding",
    "Device",
    "DeviceError",
    "Dropped",
    "Ended",
    "Paired",
    "Refused",
    "Unreachable",
    "connect",
    "pair",
]

log = logging.getLogger("flow_service_device")

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
MAX_FRAME_BYTES = 8 * 1024 * 1024
MAX_HEADER_BYTES = 4096
MAX_TEXT_BYTES = 256 * 1024
MAX_REPORT_BYTES = 16_384
MAX_BODY_BYTES = 1024 * 1024
#: Values that wait while there is no connection, and those that wait for their acknowledgement.
MAX_WAITING = 1000
#: Values that go out at once, and how many a second beyond: below what engines take, so that none is refused.
BURST, RATE = 200, 150.0
#: A request has so long, and a connection until its snapshot.
REQUEST_S = 30.0
#: Engines ask every 30 s whether the device is there: after so much silence nobody is.
SILENCE_S = 75.0
CLOSE_S = 2.0
#: Bytes of pictures that wait to leave: beyond them the next picture is left out.
MAX_UNSENT_BYTES = 1024 * 1024
POLL_S = 2.0
MIN_RETRY_S, MAX_RETRY_S = 1.0, 30.0


class DeviceError(Exception):
    """Anything that this module raises, apart from wrong arguments."""


class Unreachable(DeviceError):
    """Nobody answered, or not as an engine does."""


class Refused(DeviceError):
    """The engine refused a value, a report or a pairing: `code` says why to programs, `detail` to people."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{detail} ({code})")
        self.code = code
        self.detail = detail


class Dropped(DeviceError):
    """A value or report made room for a newer one before it could be sent."""


class Ended(DeviceError):
    """The device sends and follows nothing any more. `reason` is

    - `closed`: this program has closed it;
    - `replaced`: another program has connected with its credential;
    - `unpaired`: it was unpaired or deleted; pair it again;
    - `refused`: the engine does not know its credential; pair it again.
    """

    def __init__(self, reason: Literal["closed", "replaced", "unpaired", "refused"], detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


T = TypeVar("T", bound=Callable[..., object])
Tls = ssl.SSLContext | None
Status = Literal["connecting", "online", "offline", "ended"]


# --- addresses and HTTP ---------------------------------------------------------------------------------------------


class _Address(NamedTuple):
    """Where the API of an engine is."""

    secure: bool
    host: str
    port: int
    authority: str
    path: str

    @classmethod
    def of(cls, url: str) -> _Address:
        try:
            parts = urllib.parse.urlsplit(url.strip())
            host, port = parts.hostname or "", parts.port
            if parts.scheme not in ("http", "https") or not host or parts.username or parts.query or parts.fragment:
                raise ValueError
            secure = parts.scheme == "https"
            authority = f"[{host}]" if ":" in host else host.encode("idna").decode()
        except ValueError:
            raise ValueError(f'"{url}" is no address of an engine: give one such as http://10.0.0.5:8000') from None
        usual = 443 if secure else 80
        if port not in (None, usual):
            authority += f":{port}"
        path = urllib.parse.quote(parts.path.rstrip("/"), safe="/%") or "/api/v1"
        return cls(secure, host, port or usual, authority, path)

    def __str__(self) -> str:
        return f"{'https' if self.secure else 'http'}://{self.authority}{self.path}"


class _Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict[str, Any]:
        return _object(self.body)

    @property
    def refusal(self) -> Refused:
        problem = self.json()
        code, detail = problem.get("code"), problem.get("detail")
        if isinstance(code, str) and isinstance(detail, str):
            return Refused(code, detail)
        if 300 <= self.status < 400:
            address = self.headers.get("location", "nowhere")
            return Refused("not_an_engine", f"the answer was {self.status} and leads to {address}: give that one")
        return Refused("not_an_engine", f"the answer was {self.status}: the address of an engine ends in /api/v1")

    @property
    def retry_s(self) -> float:
        """How long to wait before the next try."""
        text = self.headers.get("retry-after", "")
        return min(60.0, max(MIN_RETRY_S, float(text))) if text.isascii() and text.isdigit() else POLL_S


def _object(text: str | bytes) -> dict[str, Any]:
    """A JSON object; an empty one where it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


@contextlib.contextmanager
def _reaching(at: _Address) -> Iterator[None]:
    """What can go wrong on the way to an engine is one kind of error."""
    try:
        yield
    except (OSError, EOFError, ValueError, asyncio.LimitOverrunError) as error:
        reason = str(error) or type(error).__name__
        raise Unreachable(f"{at} cannot be reached: {reason}") from error


async def _dial(at: _Address, tls: Tls) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    context = (tls or ssl.create_default_context()) if at.secure else None
    return await asyncio.open_connection(at.host, at.port, ssl=context)


def _request_head(at: _Address, method: str, path: str, headers: Mapping[str, str]) -> bytes:
    lines = [f"{method} {at.path}{path} HTTP/1.1", f"Host: {at.authority}", "User-Agent: flow-service-device"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("a header has more than one line")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def _read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    """Status and headers of an answer, by their names in small letters."""
    while True:
        text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = text[:-4].split("\r\n")
        version, _, rest = first.partition(" ")
        if not version.startswith("HTTP/1.") or not rest[:3].isdigit():
            raise ValueError(f"{first[:80]!r} is no answer of HTTP")
        status = int(rest[:3])
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        if status == 101 or status >= 200:
            return status, headers


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    body = bytearray()

    async def read(size: int) -> None:
        if not 0 <= size <= MAX_BODY_BYTES - len(body):
            raise ValueError(f"the answer has more than {MAX_BODY_BYTES} bytes")
        body.extend(await reader.readexactly(size))

    if "chunked" in headers.get("transfer-encoding", "").lower():
        while size := int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16):
            await read(size)
            await reader.readexactly(2)
    elif "content-length" in headers:
        await read(int(headers["content-length"]))
    else:
        while part := await reader.read(65_536):
            body += part
            await read(0)
    return bytes(body)


async def _ask(
    at: _Address,
    method: str,
    path: str,
    *,
    tls: Tls,
    bearer: str = "",
    body: bytes = b"",
    type: str = "application/json",
) -> _Reply:
    """One request on a connection of its own. Raises `Unreachable`; follows no redirect, which would get the bearer."""
    headers = {"Connection": "close", "Content-Length": str(len(body)), "Content-Type": type}
    if bearer:
        headers["Authorization"] = f"Bearer {bearer}"
    with _reaching(at):
        async with asyncio.timeout(REQUEST_S):
            reader, writer = await _dial(at, tls)
            try:
                writer.write(_request_head(at, method, path, headers) + body)
                await writer.drain()
                status, answered = await _read_head(reader)
                has_body = status not in (204, 304)
                return _Reply(status, answered, await _read_body(reader, answered) if has_body else b"")
            finally:
                writer.transport.abort()


# --- pairing --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Paired:
    """What pairing gives: `connect(url=paired.url, credential=paired.credential)`. Keep the credential as a secret, for
    whoever has it is this device."""

    id: str
    name: str
    url: str
    credential: str = field(repr=False)


async def pair(
    *,
    url: str,
    on_code: Callable[[str, str], object],
    name: str | None = None,
    board: str | None = None,
    firmware: str | None = None,
    tls: Tls = None,
) -> Paired:
    """Waits until somebody adopts this board.

    `on_code(code, check)` is called with what the board has to show: a person types the code, and compares the check.
    It is called again when nobody came within ten minutes, for there is another code then. `url` is where the engine
    answers. One that is away is tried again; `Refused` says what it has against this board.
    """
    at = _Address.of(url)
    about = {"name": name, "board": board, "firmware": firmware}
    body = json.dumps({key: value for key, value in about.items() if value is not None}).encode()
    while True:
        code, secret, check = await _started(at, body, tls)
        shown = on_code(code, check)
        if inspect.isawaitable(shown):
            await shown
        device = await _adopted(at, f"/devices/pair/{urllib.parse.quote(code, safe='')}", secret, tls)
        if device is not None:
            id, name, credential = device
            return Paired(id, name, str(at), credential)
        await asyncio.sleep(POLL_S)


async def _started(at: _Address, body: bytes, tls: Tls) -> tuple[str, str, str]:
    """Code, secret and check of a new request."""
    attempt = 0
    while True:
        reply = await _insist(at, "POST", "/devices/pair", tls, body=body)
        if not 200 <= reply.status < 300:
            raise reply.refusal
        match reply.json():
            case {"code": str(code), "secret": str(secret), "check": str(check)}:
                return code, secret, check
        log.warning("%s answers, but not as an engine", at)
        await asyncio.sleep(_retry_delay(attempt))
        attempt += 1


async def _adopted(at: _Address, path: str, secret: str, tls: Tls) -> tuple[str, str, str] | None:
    """Id, name and credential, once somebody has adopted the device; None when its code is none any more."""
    while True:
        await asyncio.sleep(POLL_S)
        reply = await _insist(at, "GET", path, tls, bearer=secret)
        if reply.status == 404:
            return None
        if reply.status != 200:
            raise reply.refusal
        match reply.json().get("device"):
            case {"id": str(id), "name": str(name), "credential": str(credential)}:
                return id, name, credential


async def _insist(at: _Address, method: str, path: str, tls: Tls, *, bearer: str = "", body: bytes = b"") -> _Reply:
    """Asks until an engine has an answer that is not to come again later."""
    attempt = 0
    while True:
        try:
            reply = await _ask(at, method, path, tls=tls, bearer=bearer, body=body)
        except Unreachable as error:
            delay = _retry_delay(attempt)
            log.warning("%s; trying again in %.0f s", error, delay)
        else:
            if reply.status != 429 and reply.status < 500:
                return reply
            delay = reply.retry_s
            log.warning("%s answered %d; trying again in %.0f s", at, reply.status, delay)
        attempt += 1
        await asyncio.sleep(delay)


def _retry_delay(attempt: int) -> float:
    """Seconds to wait: somewhere up to a bound that doubles, so that boards do not come back all at once."""
    return random.uniform(MIN_RETRY_S, min(MAX_RETRY_S, MIN_RETRY_S * 2 ** min(attempt + 1, 10)))


# --- frames ---------------------------------------------------------------------------------------------------------


#: What engines take for a picture.
_IMAGE = re.compile(r"image/[\w.+-]{1,249}", re.ASCII | re.IGNORECASE)


def _encode_frame(header: Mapping[str, object], data: bytes) -> bytes:
    """Four bytes of header length, the header as JSON, the bytes."""
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    if len(text) > MAX_HEADER_BYTES:
        raise ValueError(f"the header of the frame has {len(text)} bytes, at most {MAX_HEADER_BYTES} are taken")
    frame = len(text).to_bytes(4, "big") + text + data
    if len(frame) > MAX_FRAME_BYTES:
        raise ValueError(
            f"the frame has {len(frame)} bytes, at most {MAX_FRAME_BYTES} are taken: send a smaller picture"
        )
    return frame


@dataclass(frozen=True)
class Binding:
    """How a device node of a published flow wires a port of this device."""

    port: str
    direction: Literal["in", "out"]
    #: Qualified: `<flow>.<message>`.
    message: str
    dtype: str
    #: Seconds between two values that the engine takes.
    interval: float | None
    #: Whether it is sent only while somebody wants it.
    on_demand: bool
    flow: str
    node: str
    #: What the flow has to say to the device.
    config: dict[str, Any]

    @classmethod
    def of(cls, wire: Any) -> Binding | None:
        """As a snapshot has it; None when it is something else."""
        match wire:
            case {
                "port": str(port),
                "direction": "in" | "out" as direction,
                "message": str(message),
                "dtype": str(dtype),
                "flow": str(flow),
                "node": str(node),
            }:
                interval = wire.get("interval")
                config = wire.get("config")
                return cls(
                    port,
                    direction,
                    message,
                    dtype,
                    interval if isinstance(interval, int | float) else None,
                    wire.get("on_demand") is True,
                    flow,
                    node,
                    config if isinstance(config, dict) else {},
                )
        return None


# --- the WebSocket --------------------------------------------------------------------------------------------------


class _Text(str):
    """A text message, whole."""


class _Binary(bytes):
    """A binary message, whole."""


class _Ping(bytes):
    """A question whether we are there."""


class _Pong(bytes):
    """An answer to a ping."""


@dataclass(frozen=True)
class _Close:
    code: int
    reason: str


_Received = _Text | _Binary | _Ping | _Pong | _Close
_CONTINUATION, _TEXT, _BINARY, _CLOSE, _PING, _PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
_NORMAL, _PROTOCOL_ERROR, _NO_STATUS, _ABNORMAL, _BAD_TEXT, _TOO_BIG = 1000, 1002, 1005, 1006, 1007, 1009
_POLICY, _REPLACED = 1008, 4000


class _BrokenFrame(Exception):
    """What arrived is no WebSocket: the connection closes with `code`."""

    def __init__(self, code: int, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class _Parser:
    """Messages out of bytes as they arrive, by RFC 6455 as a client reads it. It holds one message and one frame at
    most, and nothing is held by what a length claims."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        #: What has come of a message in several frames, and which opcode it began with.
        self._message = bytearray()
        self._opcode: int | None = None
        #: Opcode, whether it is the last of its message, and length of a frame whose head has been read.
        self._frame: tuple[int, bool, int] | None = None

    def feed(self, data: bytes) -> Iterator[_Received]:
        """What `data` completes. Raises `_BrokenFrame`, and is of no use from then on."""
        self._bytes += data
        while True:
            if self._frame is None:
                self._frame = self._head()
            if self._frame is None:
                return
            opcode, last, length = self._frame
            if len(self._bytes) < length:
                return
            payload = bytes(self._bytes[:length])
            del self._bytes[:length]
            self._frame = None
            if opcode >= _CLOSE:
                yield _control(opcode, payload)
            else:
                self._message += payload
                if last:
                    yield self._whole()

    def _head(self) -> tuple[int, bool, int] | None:
        """The head of the next frame, taken from the bytes; None when it is not there yet."""
        held = self._bytes
        if len(held) < 2:
            return None
        opcode, last, length = held[0] & 0x0F, bool(held[0] & 0x80), held[1]
        if held[0] & 0x70:
            raise _BrokenFrame(_PROTOCOL_ERROR, "a frame has bits of an extension that was not agreed on")
        if length & 0x80:
            raise _BrokenFrame(_PROTOCOL_ERROR, "a frame of the engine is masked")
        if opcode >= _CLOSE:
            if opcode > _PONG or not last or length > 125:
                raise _BrokenFrame(_PROTOCOL_ERROR, "a control frame is unknown, split or too long")
        elif opcode > _BINARY or (opcode == _CONTINUATION) == (self._opcode is None):
            raise _BrokenFrame(_PROTOCOL_ERROR, "a frame is of an unknown kind, or in the midst of another message")
        size = 2 + {126: 2, 127: 8}.get(length, 0)
        if len(held) < size:
            return None
        if size > 2:
            length = int.from_bytes(held[2:size], "big")
        if opcode < _CLOSE and length > MAX_MESSAGE_BYTES - len(self._message):
            raise _BrokenFrame(_TOO_BIG, f"a message has more than {MAX_MESSAGE_BYTES} bytes")
        if _CONTINUATION < opcode < _CLOSE:
            self._opcode = opcode
        del held[:size]
        return opcode, last, length

    def _whole(self) -> _Received:
        message, opcode = self._message, self._opcode
        self._message, self._opcode = bytearray(), None
        return _Text(_utf8(message)) if opcode == _TEXT else _Binary(message)


def _control(opcode: int, payload: bytes) -> _Received:
    if opcode != _CLOSE:
        return _Ping(payload) if opcode == _PING else _Pong(payload)
    if not payload:
        return _Close(_NO_STATUS, "")
    code = int.from_bytes(payload[:2], "big")
    if len(payload) < 2 or not (3000 <= code < 5000 or (1000 <= code <= 1014 and code not in (1004, 1005, 1006))):
        raise _BrokenFrame(_PROTOCOL_ERROR, "a close frame has no code that may be sent")
    return _Close(code, _utf8(payload[2:]))


def _utf8(data: bytes | bytearray) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise _BrokenFrame(_BAD_TEXT, "a text is no UTF-8") from None


def _client_frame(opcode: int, payload: bytes) -> bytes:
    """A whole message or control frame, masked as those of clients are."""
    length = len(payload)
    if length < 126:
        head = bytes([0x80 | opcode, 0x80 | length])
    elif length < 65_536:
        head = bytes([0x80 | opcode, 0x80 | 126]) + length.to_bytes(2, "big")
    else:
        head = bytes([0x80 | opcode, 0x80 | 127]) + length.to_bytes(8, "big")
    mask = os.urandom(4)
    pattern = (mask * (length // 4 + 1))[:length]
    masked = int.from_bytes(payload, "big") ^ int.from_bytes(pattern, "big")
    return head + mask + masked.to_bytes(length, "big")


_ACCEPT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class _Link:
    """An open WebSocket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._parser = _Parser()
        self._closing = False
        #: How it ended; abnormal until the engine has said.
        self.end = _Close(_ABNORMAL, "the connection is lost")

    @classmethod
    async def open(cls, at: _Address, credential: str, tls: Tls) -> _Link:
        """Raises `Ended` where the credential does not count, `Unreachable` for all that may be better later."""
        with _reaching(at):
            async with asyncio.timeout(REQUEST_S):
                reader, writer = await _dial(at, tls)
                try:
                    await _shake_hands(at, credential, reader, writer)
                except BaseException:
                    writer.transport.abort()
                    raise
                return cls(reader, writer)

    @property
    def is_busy(self) -> bool:
        """Whether much of what was sent has not left yet."""
        return self._closing or self._writer.transport.get_write_buffer_size() >= MAX_UNSENT_BYTES

    def send(self, message: str | bytes) -> None:
        if isinstance(message, str):
            self._send(_TEXT, message.encode())
        else:
            self._send(_BINARY, message)

    def _send(self, opcode: int, payload: bytes) -> None:
        if not self._closing:
            self._writer.write(_client_frame(opcode, payload))

    async def sent(self) -> None:
        """Waits until there is room for more."""
        with contextlib.suppress(OSError):
            await self._writer.drain()

    def close(self, code: int = _NORMAL) -> None:
        """Says goodbye; the messages end with the answer."""
        self._send(_CLOSE, b"" if code == _NO_STATUS else code.to_bytes(2, "big"))
        self._closing = True

    async def gone(self) -> None:
        """Waits until all has left, or cannot any more."""
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def messages(self) -> AsyncGenerator[_Text | _Binary, None]:
        """Messages until the end, which `end` tells."""
        try:
            while data := await self._read():
                for each in self._parser.feed(data):
                    if isinstance(each, _Ping):
                        self._send(_PONG, bytes(each))
                    elif isinstance(each, _Close):
                        self.end = each
                        self.close(each.code)
                        return
                    elif not isinstance(each, _Pong):
                        yield each
        except _BrokenFrame as error:
            self.end = _Close(_ABNORMAL, str(error))
            self.close(error.code)
        except OSError as error:
            self.end = _Close(_ABNORMAL, str(error) or self.end.reason)
        finally:
            self._writer.close()
            asyncio.get_running_loop().call_later(CLOSE_S, self._writer.transport.abort)

    async def _read(self) -> bytes:
        """The next bytes; none at the end. Raises an OSError."""
        try:
            async with asyncio.timeout(SILENCE_S):
                return await self._reader.read(65_536)
        except TimeoutError:
            raise TimeoutError(f"nothing was heard of the engine for {SILENCE_S:.0f} s") from None


async def _shake_hands(
    at: _Address, credential: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    key = base64.b64encode(os.urandom(16)).decode()
    headers = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": key,
        "Authorization": f"Bearer {credential}",
    }
    writer.write(_request_head(at, "GET", "/flows/ws", headers))
    await writer.drain()
    status, answered = await _read_head(reader)
    if status in (401, 403):
        raise Ended("refused", f"the engine at {at} does not know the credential of the device: pair it again")
    if status != 101:
        body = await _read_body(reader, answered)
        raise Unreachable(f"{at} opens no socket: {_Reply(status, answered, body).refusal}")
    accept = base64.b64encode(hashlib.sha1((key + _ACCEPT).encode()).digest()).decode()
    if answered.get("upgrade", "").lower() != "websocket" or answered.get("sec-websocket-accept") != accept:
        raise ValueError("the answer opens no WebSocket")
    if "sec-websocket-extensions" in answered or "sec-websocket-protocol" in answered:
        raise ValueError("the answer has an extension or protocol that was not asked for")


# --- what a program listens to --------------------------------------------------------------------------------------


class _Listener:
    """A function of the program. One that is async is awaited call by call; what it raises is logged."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function
        self._calls: deque[Awaitable[object]] = deque()
        self._task: asyncio.Task[None] | None = None

    def __call__(self, *given: object) -> None:
        try:
            result = self._function(*given)
        except Exception:
            log.exception("a function that listens to the device failed")
            return
        if not inspect.isawaitable(result):
            return
        if len(self._calls) == MAX_WAITING:
            oldest = self._calls.popleft()
            if inspect.iscoroutine(oldest):
                oldest.close()
        self._calls.append(result)
        if self._task is None:
            self._task = asyncio.ensure_future(self._await_calls())

    async def _await_calls(self) -> None:
        try:
            while self._calls:
                try:
                    await self._calls.popleft()
                except Exception:
                    log.exception("a function that listens to the device failed")
        finally:
            self._task = None


class _Pace:
    """Lets a burst through at once, and a number of things a second beyond it."""

    def __init__(self) -> None:
        self._left = float(BURST)
        self._since = asyncio.get_running_loop().time()

    async def wait(self) -> None:
        now = asyncio.get_running_loop().time()
        self._left = min(BURST, self._left + (now - self._since) * RATE) - 1
        self._since = now
        if self._left < 0:
            await asyncio.sleep(-self._left / RATE)


@dataclass(eq=False)
class _Publication:
    """A value on its way."""

    id: str
    port: str
    frame: str
    done: asyncio.Future[str | None]


# --- the device -----------------------------------------------------------------------------------------------------


class Device:
    """This board as a device of an engine. It connects at once and by itself; `connect` waits until it has.

    Its methods belong to the thread of its event loop: another thread calls them by `loop.call_soon_threadsafe`.
    """

    def __init__(self, *, url: str, credential: str, tls: Tls = None) -> None:
        if not credential or not credential.isascii() or not credential.isprintable():
            raise ValueError("the credential is no text as pairing gives it: pair the device again")
        self._at = _Address.of(url)
        self._credential = credential
        self._tls = tls
        self._loop = asyncio.get_running_loop()
        self._id = ""
        self._status: Status = "offline"
        self._bindings: tuple[Binding, ...] = ()
        self._demand: frozenset[str] = frozenset()
        self._uplink = "binary"
        #: Last values of `out` ports by port and message, with their times.
        self._values: dict[tuple[str, str], tuple[Any, Any]] = {}
        self._listeners: dict[str, list[_Listener]] = {}
        self._on_demand: list[_Listener] = []
        self._on_status: list[_Listener] = []
        self._waiting: deque[_Publication] = deque()
        self._unacknowledged: dict[str, _Publication] = {}
        self._count = 0
        self._has_work = asyncio.Event()
        #: The report that is not stored yet, and what tells that it is.
        self._report: tuple[bytes, asyncio.Future[None]] | None = None
        self._reporting: asyncio.Task[None] | None = None
        #: Pictures on their way over HTTP, by their ports.
        self._uploads: dict[str, asyncio.Task[None]] = {}
        self._link: _Link | None = None
        self._is_closing = False
        self._over: asyncio.Future[Ended] = self._loop.create_future()
        self._was_online = asyncio.Event()
        self._connection = self._loop.create_task(self._stay_connected())
        self._sender = self._loop.create_task(self._send_values())
        #: Values that were dropped because too many waited.
        self.dropped = 0

    # what it is

    @property
    def id(self) -> str:
        """Its id in the engine."""
        return self._id

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """How published flows wire its ports now."""
        return self._bindings

    @property
    def status(self) -> Status:
        """What it does now; `ended` is for ever."""
        return self._status

    def config(self, port: str) -> dict[str, Any]:
        """What the first flow that wires a port has to say about it; empty where there is none."""
        return next((dict(binding.config) for binding in self._bindings if binding.port == port), {})

    def wanted(self, port: str) -> bool:
        """Whether a value or frame of a port would reach somebody: the port is wired, and where it is sent on demand,
        there is some."""
        return self._status == "online" and any(
            not binding.on_demand or port in self._demand for binding in self._bindings_in(port)
        )

    def _bindings_in(self, port: str) -> list[Binding]:
        return [binding for binding in self._bindings if binding.port == port and binding.direction == "in"]

    # what it says

    def publish(self, port: str, value: object) -> asyncio.Future[str | None]:
        """Sends a value to every message that a port is wired to.

        Await what it returns for the time at which the engine has stored the value (None where the interval of the port
        holds it back), or for `Refused`, `Dropped` or `Ended`; or do not, and a refusal is logged. While there is no
        connection the newest 1,000 values wait, and those without an acknowledgement when it is lost are sent again: a
        value may arrive twice. Raises `Ended`, and TypeError or ValueError for what no message can carry.
        """
        self._check()
        frame_id = str(self._count)
        frame = {"type": "publish", "port": port, "value": _plain(value), "id": frame_id}
        try:
            text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise type(error)(f'the value of "{port}" has no JSON form: {error}') from None
        if len(text.encode()) > MAX_TEXT_BYTES:
            raise ValueError(
                f'the value of "{port}" has more than {MAX_TEXT_BYTES} bytes: send what is large as a frame'
            )
        self._count += 1
        publication = _Publication(frame_id, port, text, self._loop.create_future())
        publication.done.add_done_callback(_log_refusal(f'a value of "{port}"'))
        self._waiting.append(publication)
        self._drop_oldest()
        self._has_work.set()
        return publication.done

    def _drop_oldest(self) -> None:
        while len(self._waiting) > MAX_WAITING:
            oldest = self._waiting.popleft()
            self.dropped += 1
            if not oldest.done.done():
                oldest.done.set_exception(Dropped(f'a value of "{oldest.port}" made room for a newer one'))

    async def frame(self, port: str, data: bytes, media_type: str = "image/jpeg") -> bool:
        """Sends a picture now, or never: False when there is no connection, the port is not wired as `image`, nobody
        wants it, or those before are still on their way. Raises `Ended`, and ValueError for one that is too large, or
        of a media type that is none of an image."""
        self._check()
        if not _IMAGE.fullmatch(media_type):
            raise ValueError(f'the media type is "{media_type}": give that of an image, such as image/jpeg')
        messages = [binding.message for binding in self._bindings_in(port) if binding.dtype == "image"]
        ts = int(time.time() * 1000)
        headers = [{"type": "frame", "name": name, "media_type": media_type, "ts": ts} for name in messages]
        frames = [_encode_frame(header, bytes(data)) for header in headers]
        link = self._link
        if not frames or not self.wanted(port) or link is None or link.is_busy or port in self._uploads:
            return False
        if self._uplink == "http":
            self._uploads[port] = self._loop.create_task(self._upload(port, messages, bytes(data), media_type))
            return True
        for each in frames:
            link.send(each)
        await link.sent()
        return True

    async def _upload(self, port: str, messages: list[str], data: bytes, media_type: str) -> None:
        """Sends a picture as an artifact in memory, published by its reference: a portal carries no binary frames."""
        try:
            for message in messages:
                name = urllib.parse.quote(message, safe="")
                stored = await self._ask("PUT", f"/artifacts?volatile=true&name={name}", data, media_type)
                await self._ask("POST", f"/messages/{name}", json.dumps({"value": stored.json()}).encode())
        except (Unreachable, Refused) as error:
            log.warning('a picture of "%s" was dropped: %s', port, error)
        finally:
            del self._uploads[port]

    def report(self, what: Mapping[str, object]) -> asyncio.Future[None]:
        """Says what this board has: `board`, `firmware`, `name`, and its ports as `io`, a list of objects with `name`,
        `direction` (`in` for what it publishes, `out` for what it follows) and `dtype`. Each replaces the one before.

        Await what it returns until the engine has stored it, or for `Refused`, `Dropped` or `Ended`; or do not. While
        there is no connection it waits. Raises `Ended`, and TypeError or ValueError for what is no report.
        """
        self._check()
        body = json.dumps(what, ensure_ascii=False, allow_nan=False).encode()
        if not isinstance(what, Mapping) or len(body) > MAX_REPORT_BYTES:
            raise ValueError(
                f"a report is an object of at most {MAX_REPORT_BYTES} bytes; this is another, of {len(body)}"
            )
        if self._report is not None:
            _fail(self._report[1], Dropped("a newer report took its place"))
        stored: asyncio.Future[None] = self._loop.create_future()
        stored.add_done_callback(_log_refusal("the report"))
        self._report = (body, stored)
        self._send_report()
        return stored

    def _send_report(self) -> None:
        """Begins to send the report that waits, if there is a connection."""
        if self._reporting is not None:
            self._reporting.cancel()
        is_possible = self._report is not None and self._status == "online"
        self._reporting = self._loop.create_task(self._insist_on_report()) if is_possible else None

    async def _insist_on_report(self) -> None:
        attempt = 0
        while self._report is not None:
            body, stored = self._report
            try:
                await self._ask("PUT", f"/devices/{urllib.parse.quote(self._id, safe='')}/report", body)
            except Unreachable as error:
                log.warning("the report waits: %s", error)
                await asyncio.sleep(_retry_delay(attempt))
                attempt += 1
                continue
            except Refused as error:
                _fail(stored, error)
            self._report = None
            if not stored.done():
                stored.set_result(None)

    async def _ask(self, method: str, path: str, body: bytes, type: str = "application/json") -> _Reply:
        """A request with the credential. Raises `Unreachable` for what may go well later, `Refused` for the rest."""
        reply = await _ask(self._at, method, path, tls=self._tls, bearer=self._credential, body=body, type=type)
        if reply.status >= 500 or reply.status == 429:
            raise Unreachable(f"{self._at} answered {reply.status}")
        if reply.status >= 300:
            raise reply.refusal
        return reply

    # what it follows

    def on(self, port: str, function: T) -> T:
        """Calls a function with every value of an `out` port, beginning with the last one. It may be async."""
        listener = _Listener(function)
        self._listeners.setdefault(port, []).append(listener)
        for (of, _), (value, _) in self._values.items():
            if of == port:
                listener(value)
        return function

    def on_demand(self, function: T) -> T:
        """Calls a function with the set of `on_demand` ports that somebody wants, whenever it has changed."""
        self._on_demand.append(_Listener(function))
        return function

    def on_status(self, function: T) -> T:
        """Calls a function with `connecting`, `online`, `offline` or `ended`, whenever that has changed."""
        self._on_status.append(_Listener(function))
        return function

    # its end

    async def online(self) -> None:
        """Waits for the first connection. Raises `Ended`."""
        opened = self._loop.create_task(self._was_online.wait())
        either: list[asyncio.Future[Any]] = [opened, self._over]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            opened.cancel()
        self._check()

    async def ended(self) -> Ended:
        """Waits for the end, and tells its reason."""
        return await asyncio.shield(self._over)

    async def close(self) -> None:
        """Ends it, when what was sent has left. Values without an acknowledgement get `Ended`."""
        link = self._link
        self._is_closing = True
        if link is not None:
            link.close()
            await asyncio.wait([self._connection], timeout=CLOSE_S)
        self._finish(Ended("closed", "this program has closed the device"))
        tasks = [self._connection, self._sender, *self._uploads.values()]
        if self._reporting is not None:
            tasks.append(self._reporting)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        if link is not None:
            await link.gone()

    async def __aenter__(self) -> Device:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _check(self) -> None:
        if self._over.done():
            raise _again(self._over.result())

    def _finish(self, end: Ended) -> None:
        if self._over.done():
            return
        self._over.set_result(end)
        self._set_status("ended")
        for each in [*self._unacknowledged.values(), *self._waiting]:
            _fail(each.done, _again(end))
        if self._report is not None:
            _fail(self._report[1], _again(end))
        self._unacknowledged.clear()
        self._waiting.clear()
        self._report = None
        self._sender.cancel()

    def _set_status(self, status: Status) -> None:
        if self._status != status:
            self._status = status
            for listener in self._on_status:
                listener(status)

    # its connection

    async def _stay_connected(self) -> None:
        attempt = 0
        while True:
            self._set_status("connecting")
            until = self._loop.time() + REQUEST_S
            try:
                link = self._link = await _Link.open(self._at, self._credential, self._tls)
                was_online = await self._follow(link, until)
            except Ended as end:
                return self._finish(end)
            except Unreachable as error:
                reason = str(error)
            else:
                if link.end.code == _POLICY:
                    return self._finish(Ended("unpaired", "the device was unpaired or deleted: pair it again"))
                if link.end.code == _REPLACED:
                    return self._finish(
                        Ended("replaced", "another program has connected with the credential of the device")
                    )
                reason = f"{self._at} is gone: {link.end.reason or link.end.code}"
                attempt = 0 if was_online else attempt
            finally:
                self._lose_link()
            if self._is_closing:
                return
            self._set_status("offline")
            delay = _retry_delay(attempt)
            attempt += 1
            log.warning("%s; connecting again in %.0f s", reason, delay)
            await asyncio.sleep(delay)

    async def _follow(self, link: _Link, until: float) -> bool:
        """Reads until the link ends; true if it was of use. Raises `Unreachable` when it is of none at a time."""
        try:
            async with asyncio.timeout_at(until) as limit, contextlib.aclosing(link.messages()) as messages:
                async for message in messages:
                    if isinstance(message, _Text):
                        self._take(_object(message))
                    if self._status == "online":
                        limit.reschedule(None)
        except TimeoutError:
            raise Unreachable(f"{self._at} says nothing to its device") from None
        return self._status == "online"

    def _lose_link(self) -> None:
        """What has no acknowledgement goes out again, before what is newer."""
        self._link = None
        self._waiting.extendleft(reversed(self._unacknowledged.values()))
        self._unacknowledged.clear()
        self._drop_oldest()
        if self._reporting is not None:
            self._reporting.cancel()

    async def _send_values(self) -> None:
        """Sends what waits, in its order, while there is a connection."""
        pace = _Pace()
        while True:
            self._has_work.clear()
            while self._waiting and len(self._unacknowledged) < MAX_WAITING and self._status == "online":
                await pace.wait()
                link = self._link
                if link is None or self._status != "online" or not self._waiting:
                    break
                publication = self._waiting.popleft()
                self._unacknowledged[publication.id] = publication
                link.send(publication.frame)
                await link.sent()
            await self._has_work.wait()

    # what the engine says

    def _take(self, frame: dict[str, Any]) -> None:
        match frame:
            case {"type": "snapshot"}:
                self._take_snapshot(frame)
            case {"type": "value"}:
                self._take_value(frame, is_new=True)
            case {"type": "demand", "ports": list(ports)}:
                self._take_demand(ports)
            case {"type": "published", "id": str(id)}:
                ts = frame.get("ts")
                if (publication := self._acknowledged(id)) and not publication.done.done():
                    publication.done.set_result(ts if isinstance(ts, str) else None)
            case {"type": "error", "code": str(code), "detail": str(detail)}:
                if publication := self._acknowledged(frame.get("id")):
                    _fail(publication.done, Refused(code, detail))
                else:
                    log.warning("the engine refused a frame: %s (%s)", detail, code, extra={"code": code})

    def _acknowledged(self, id: object) -> _Publication | None:
        self._has_work.set()
        return self._unacknowledged.pop(id, None) if isinstance(id, str) else None

    def _take_snapshot(self, frame: dict[str, Any]) -> None:
        match frame:
            case {"device": str(id), "bindings": list(bindings), "values": list(values), "demand": list(demand)}:
                self._id = id
                self._bindings = tuple(each for each in map(Binding.of, bindings) if each is not None)
                self._uplink = "http" if frame.get("uplink") == "http" else "binary"
                wired = {(binding.port, binding.message) for binding in self._bindings}
                self._values = {key: value for key, value in self._values.items() if key in wired}
                was_online = self._status == "online"
                self._set_status("online")
                self._was_online.set()
                self._has_work.set()
                for value in values:
                    if isinstance(value, dict):
                        self._take_value(value, is_new=False)
                self._take_demand(demand)
                if not was_online:
                    self._send_report()

    def _take_value(self, frame: dict[str, Any], *, is_new: bool) -> None:
        """One that is not new is told unless it was: snapshots repeat values."""
        match frame:
            case {"port": str(port), "message": str(message), "value": value}:
                now = (value, frame.get("ts"))
                known, self._values[port, message] = self._values.get((port, message)), now
                if is_new or known != now:
                    for listener in self._listeners.get(port, []):
                        listener(value)

    def _take_demand(self, ports: list[Any]) -> None:
        demand = frozenset(port for port in ports if isinstance(port, str))
        if demand == self._demand:
            return
        self._demand = demand
        for listener in self._on_demand:
            listener(demand)


def _again(end: Ended) -> Ended:
    """The same end for somebody else: an exception that is raised twice would carry both tracebacks."""
    return Ended(end.reason, end.detail)


def _fail(future: asyncio.Future[Any], error: DeviceError) -> None:
    if not future.done():
        future.set_exception(error)


def _log_refusal(what: str) -> Callable[[asyncio.Future[Any]], None]:
    """For a result that perhaps nobody awaits."""

    def tell(done: asyncio.Future[Any]) -> None:
        if not done.cancelled() and isinstance(error := done.exception(), Refused):
            log.warning("%s was refused: %s", what, error)

    return tell


def _plain(value: object) -> object:
    """Numbers that JSON lacks, as the ports of flows spell them."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


class _Connecting:
    """A device that is being connected: to be awaited, or for `async with`."""

    def __init__(self, opening: Coroutine[Any, Any, Device]) -> None:
        self._opening = opening
        self._device: Device | None = None

    def __await__(self) -> Generator[Any, None, Device]:
        return self._opening.__await__()

    async def __aenter__(self) -> Device:
        self._device = await self._opening
        return self._device

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._device is not None:
            await self._device.close()


def connect(*, url: str, credential: str, tls: Tls = None) -> _Connecting:
    """The device with a credential of `pair`, once it is connected: `device = await connect(...)`, or
    `async with connect(...) as device`.

    From then on it connects again by itself, and waits between 1 and 30 s before each try. An engine that is away is
    waited for. Raises `Ended` when the credential does not count, and ValueError for what is no address.
    """
    return _Connecting(_connected(url, credential, tls))


async def _connected(url: str, credential: str, tls: Tls) -> Device:
    device = Device(url=url, credential=credential, tls=tls)
    try:
        await device.online()
    except BaseException:
        await device.close()
        raise
    return device


# --- the command ----------------------------------------------------------------------------------------------------

USUAL_FILE = pathlib.Path("~/.config/flow-service/device.json")


def _show(code: str, check: str) -> None:
    lines = [f"code   {' '.join(code)}", f"check  {' '.join(check)}"]
    width = max(map(len, lines))
    print("", "  +" + "-" * (width + 6) + "+", *(f"  |   {line:{width}}   |" for line in lines), sep="\n")
    print("  +" + "-" * (width + 6) + "+", "", sep="\n")
    print(f"Sign in to the engine, and adopt this device by its code. It waits there with the check {check}:")
    print("another check is another device. The code counts for ten minutes.", flush=True)


def _write_secret(path: pathlib.Path, text: str) -> None:
    """Writes a file that nobody else can read at any time, whole or not at all."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(fresh, path)


def _read_secret(path: pathlib.Path) -> tuple[str, str]:
    """Address and credential."""
    try:
        match _object(path.read_bytes()):
            case {"url": str(url), "credential": str(credential)}:
                return url, credential
    except FileNotFoundError:
        raise DeviceError(f"there is no {path}: pair this device first, with `pair <url>`") from None
    raise DeviceError(f"{path} holds no address and credential: pair this device again, with `pair <url> --again`")


def _board() -> str:
    try:
        return pathlib.Path("/proc/device-tree/model").read_text(encoding="utf-8").strip("\0\n ")
    except (OSError, ValueError):
        return f"{platform.system()} {platform.machine()}"


async def _pair(given: argparse.Namespace) -> None:
    path = given.file.expanduser()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if path.exists() and not given.again:
        raise DeviceError(
            f"{path} has a credential already: use it with `demo`, or replace it with `pair <url> --again`"
        )
    paired = await pair(
        url=given.url, name=given.name or platform.node() or None, board=given.board or _board(), on_code=_show
    )
    kept = {"id": paired.id, "url": paired.url, "credential": paired.credential}
    _write_secret(path, json.dumps(kept, indent=2) + "\n")
    print(f'paired as "{paired.id}"; the credential is in {path}', flush=True)
    if given.demo:
        await _demo(given)


async def _demo(given: argparse.Namespace) -> None:
    url, credential = _read_secret(given.file.expanduser())
    ports = [
        {"name": "counter", "direction": "in", "dtype": "int", "title": "Seconds since the demo began"},
        {"name": "text", "direction": "out", "dtype": "any", "title": "What the demo prints"},
    ]
    async with connect(url=url, credential=credential) as device:
        device.on_status(lambda status: print(f"now {status}", flush=True))
        device.on("text", lambda value: print("text:", json.dumps(value), flush=True))
        device.report({"board": _board(), "io": ports})
        print(f'connected as "{device.id}", ports: counter (in), text (out); Ctrl+C ends it')
        if not device.bindings:
            print(
                f'no flow wires it yet: publish one with a node of type "device" that names "{device.id}"', flush=True
            )
        ending = asyncio.ensure_future(device.ended())
        for seconds in itertools.count():
            if device.wanted("counter"):
                device.publish("counter", seconds)
            await asyncio.wait([ending], timeout=1)
            if ending.done():
                raise ending.result()


def _grammar() -> argparse.ArgumentParser:
    name = "device.py" if __package__ in (None, "") else "python -m flow_service_device"
    grammar = argparse.ArgumentParser(
        name, description="Pairs this board with an engine of flow-service, and tries it."
    )
    verbs = grammar.add_subparsers(dest="verb", required=True)
    pairing = verbs.add_parser("pair", help="show a code, and wait until somebody adopts this board by it")
    pairing.add_argument("url", help="where the engine answers, such as http://10.0.0.5:8000")
    pairing.add_argument("--name", help="what people call it; the name of this machine unless given")
    pairing.add_argument("--board", help="what it is; found out unless given")
    pairing.add_argument("--again", action="store_true", help="replace a credential that is there")
    pairing.add_argument("--demo", action="store_true", help="go on with the demo")
    pairing.set_defaults(work=_pair)
    demo = verbs.add_parser("demo", help="publish a counter, and print what a flow sends")
    demo.set_defaults(work=_demo)
    for verb in (pairing, demo):
        verb.add_argument("--file", type=pathlib.Path, default=USUAL_FILE, help=f"of the credential ({USUAL_FILE})")
    return grammar


def main() -> None:
    """The command: exits with 1 and a sentence where something is wrong."""
    given = _grammar().parse_args()
    logging.basicConfig(format="%(message)s")
    try:
        asyncio.run(given.work(given))
    except (DeviceError, ValueError, OSError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
