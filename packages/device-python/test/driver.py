"""The SDK as a test plays it: commands and events are JSON lines, and time passes when the test says so.

`driver.ts` is the other end. Commands are `begin` (a session), `act` (what the user of the SDK does), `advance`
(seconds) and `end`; each is answered by a line. All other lines are what the SDK has told its user.
"""

import asyncio
import json
import logging
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from flow_service_device import Device, Dropped, Ended, Refused, pair

Fields = dict[str, Any]


class StandingClock(asyncio.SelectorEventLoop):
    """A loop whose time stands still until somebody advances it."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__()

    def time(self) -> float:
        return self.now


loop = StandingClock()
loop.slow_callback_duration = float("inf")
pauses: list[float] = []
paused = asyncio.Event()
wait = asyncio.sleep


async def sleep(delay: float) -> None:
    """The pauses of the SDK are noted, so that a test can let one pass as soon as it has begun."""
    pauses.append(delay)
    paused.set()
    await wait(delay)


asyncio.sleep = sleep  # type: ignore[assignment]


def tell(**event: object) -> None:
    print(json.dumps(event), flush=True)


def code_of(error: Exception) -> str:
    match error:
        case Refused():
            return error.code
        case Ended():
            return "ended"
        case Dropped():
            return "dropped"
    raise error


class Errors(logging.Handler):
    """What is refused without belonging to a publication."""

    def emit(self, record: logging.LogRecord) -> None:
        if hasattr(record, "code"):
            tell(error=record.code)


class Session:
    """A device, or a pairing, and its user."""

    def __init__(self, kind: str, url: str, credential: str) -> None:
        self.kind = kind
        self.others: set[asyncio.Task[None]] = set()
        if kind == "pair":
            self.beside(self.pair(url))
            return
        self.device = Device(url=url, credential=credential)
        self.device.on_status(self.status)
        self.device.on("lamp", lambda value: tell(value=value, port="lamp"))
        self.device.on_demand(lambda ports: tell(demand=sorted(ports)))

    def beside(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self.others.add(task)
        task.add_done_callback(self.others.discard)

    def status(self, status: str) -> None:
        if status == "ended":
            tell(status=status, reason=self.device._over.result().reason)
        elif status != "connecting":
            tell(status=status)

    async def pair(self, url: str) -> None:
        try:
            paired = await pair(
                url=url,
                name="Board",
                board="esp32",
                firmware="1.0",
                on_code=lambda code, check: tell(code=code, check=check),
            )
        except Refused as error:
            tell(failed=error.code)
        else:
            tell(paired={"id": paired.id, "credential": paired.credential})

    async def publish(self, port: str, value: object, **names: str) -> None:
        done = self.device.publish(port, value)
        if "as" in names:
            self.beside(self.outcome(done, "published", "refused", names["as"]))

    async def publish_many(self, port: str, **bounds: int) -> None:
        for value in range(bounds["from"], bounds["to"] + 1):
            self.device.publish(port, value)

    async def frame(self, port: str, bytes_hex: str, media_type: str, sent: bool) -> bool:
        return await self.device.frame(port, bytes.fromhex(bytes_hex), media_type)

    async def report(self, value: Fields) -> None:
        self.beside(self.outcome(self.device.report(value), "reported", "reported", True))

    async def outcome(self, done: Awaitable[object], good: str, bad: str, name: object) -> None:
        try:
            ts = await done
        except (Refused, Dropped, Ended) as error:
            tell(**{bad: name if bad != good else False, "code": code_of(error)})
        else:
            tell(**{good: name, "ts": ts})

    async def act(self, action: Fields) -> object:
        [(verb, given)] = action.items()
        match verb:
            case "close":
                return await self.close()
            case "dropped":
                return self.device.dropped
            case "config":
                return self.device.config(given["port"])
        does: Callable[..., Awaitable[object]] = getattr(self, verb)
        return await does(**given)

    async def advance(self, seconds: float) -> None:
        """When it pairs: as soon as there is a pause of no more than that."""
        while self.kind == "pair":
            await paused.wait()
            paused.clear()
            if pauses.pop() <= seconds:
                break
        loop.now += seconds
        for _ in range(5):
            await wait(0)

    async def close(self) -> None:
        """The engine of the test says no goodbye: time passes until it is waited for no longer."""
        closing = asyncio.ensure_future(self.device.close())
        while not closing.done():
            loop.now += 0.1
            await wait(0)

    async def end(self) -> None:
        if self.kind != "pair":
            await self.close()
        for task in self.others:
            task.cancel()


async def main() -> None:
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    session: Session | None = None
    while line := await lines.readline():
        command: Fields = json.loads(line)
        answer: object = None
        match command:
            case {"begin": given}:
                pauses.clear()
                paused.clear()
                session = Session(**given)
            case {"advance": seconds}:
                assert session is not None
                await session.advance(seconds)
            case {"act": action}:
                assert session is not None
                answer = await session.act(action)
            case {"end": _}:
                assert session is not None
                await session.end()
        tell(answer=answer)


logging.getLogger("flow_service_device").addHandler(Errors())
asyncio.set_event_loop(loop)
loop.run_until_complete(main())
