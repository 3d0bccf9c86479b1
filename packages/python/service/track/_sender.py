"""What sends a run's journal to an engine: from a thread beside the training, or from `sync`.

One request at a time, numbered from 1. A request without an answer is repeated under its number, which the engine takes
once. What the engine refuses is halved until the refused entry is alone, so that one bad entry keeps no other away.
"""

import base64
import contextlib
import random
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from .._engine import Answer, Engine, NotSignedIn, Unreachable, find_engine
from ._journal import Batch, Journal

#: Seconds between looks at what there is to send.
PERIOD_S = 1.0
#: Seconds after which a run without news says that it is still running; the lease of the engine is 60.
HEARTBEAT_S = 15.0
#: Most seconds between attempts to reach an engine that does not answer.
LONGEST_WAIT_S = 30.0
#: Of one request: entries, and bytes of the journal.
MOST_ENTRIES = 50_000
MOST_BYTES = 4 * 2**20


class Later(Exception):
    """Not now: no answer, or one that may be another one later."""


class Over(Exception):
    """The engine takes nothing more of the run. `gone`: somebody has deleted it."""

    def __init__(self, why: str, gone: bool = False) -> None:
        super().__init__(why)
        self.gone = gone


def say(line: str) -> None:
    """A line for people, where it disturbs no output of the program."""
    with contextlib.suppress(OSError, ValueError):
        print(f"track: {line}", file=sys.stderr, flush=True)


class Sender:
    """Sends one journal. Every method is for one thread."""

    def __init__(self, journal: Journal, engine: Callable[[], Engine] = find_engine) -> None:
        self.journal = journal
        self.cancelled = False
        # whether the run's end has arrived
        self.ended = False
        # when the engine has heard of it last, by the monotonic clock
        self.spoken = 0.0
        self._find = engine
        self._created = False
        self._batch: Batch | None = None
        self._most = MOST_ENTRIES
        # files by digest: those that the engine has taken, and those that it was sent twice
        self._stored: set[str] = set()
        self._again: set[str] = set()
        self._dropped: set[str] = set()

    @property
    def id(self) -> str:
        """The run's."""
        return str(self.journal.begin["id"])

    def send_all(self, least_bytes: int = 0) -> None:
        """Sends until nothing is left; or what there is, and then while at least so many bytes wait, so that a program
        that says something all the time does not make a request of each word. Raises Later and Over."""
        if not self._created:
            self._create()
        while not (self.ended or self.cancelled or (self._batch is None and self.journal.empty())):
            self.send()
            if self._batch is None and self.journal.waiting_bytes < least_bytes:
                break

    def send(self) -> None:
        """One request: what there is, or that the run is still running. Raises Later and Over."""
        engine = self._engine()
        if not self._created:
            self._create()
        if self._batch is None:
            self._batch = self.journal.next(self._most, MOST_BYTES)
            self.journal.mark(self.journal.seq + 1, self._batch)
        entries = [entry for entry in self._batch.entries if self._prepared(engine, entry)]
        answer = self._ask("POST", f"/runs/{self.id}/track", {"seq": self.journal.seq, **_body(entries)})
        if answer.status == 200:
            self._accepted(entries, answer.body or {})
        elif answer.status == 409 and isinstance((answer.body or {}).get("current_version"), int):
            self._renumber(int((answer.body or {})["current_version"]), answer)
        elif answer.status in (400, 413, 422):
            self._refused(answer)
        else:
            raise Over(answer.why, gone=answer.status == 404)

    def _engine(self) -> Engine:
        try:
            return self._find()
        except (NotSignedIn, ValueError, OSError) as error:
            raise Later(str(error)) from error

    def _ask(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        """An answer that counts."""
        try:
            answer = self._engine().ask(method, path, body, **more)
        except Unreachable as error:
            raise Later(str(error)) from error
        if answer.status in (401, 403, 408, 425, 429) or answer.status >= 500 or 300 <= answer.status < 400:
            raise Later(f"the engine answered: {answer.why}")
        return answer

    def _create(self) -> None:
        answer = self._ask("POST", "/runs/track", self.journal.begin)
        if answer.status not in (200, 201):
            raise Over(answer.why)
        self._created = True
        self.spoken = time.monotonic()

    def _prepared(self, engine: Engine, entry: Any) -> bool:
        """Does what belongs before an entry. False for an artifact that the engine has refused."""
        if not isinstance(entry, dict):
            return True
        if "tags" in entry:
            answer = self._ask("PATCH", f"/runs/{self.id}", {"tags": entry["tags"]})
            if answer.status >= 400:
                say(f"the tags {', '.join(entry['tags'])} were refused: {answer.why}")
        if "artifact" in entry and entry["artifact"]["digest"] not in self._stored:
            return self._stored_file(engine, entry["artifact"])
        return True

    def _stored_file(self, engine: Engine, artifact: dict[str, str]) -> bool:
        digest, name = artifact["digest"], artifact["name"]
        encoded = base64.b64encode(bytes.fromhex(digest.removeprefix("sha256:"))).decode()
        path = self.journal.files / digest.removeprefix("sha256:")
        try:
            with open(path, "rb") as file:
                size = path.stat().st_size
                headers = {
                    "content-type": artifact.get("media_type", "application/octet-stream"),
                    "content-digest": f"sha-256=:{encoded}:",
                    "content-length": str(size),
                }
                answer = engine.ask("PUT", f"/artifacts?{_query(name)}", file=file, headers=headers)
        except Unreachable as error:
            raise Later(str(error)) from error
        except OSError as error:
            say(f"{name} is not sent: {error}")
            return False
        if answer.status in (200, 201):
            self._stored.add(digest)
            return True
        if answer.status in (400, 413, 415, 422):
            say(f"{name} was refused: {answer.why}")
            return False
        raise Later(f"the engine answered: {answer.why}")

    def _accepted(self, entries: list[Any], body: dict[str, Any]) -> None:
        assert self._batch is not None
        self.journal.acknowledge(self._batch)
        self._batch = None
        self.spoken = time.monotonic()
        self._most = min(self._most * 2, MOST_ENTRIES)
        self.cancelled = body.get("cancelled") is True
        self.ended = any(isinstance(entry, dict) and "status" in entry for entry in entries)
        for name, count in (body.get("dropped") or {}).items():
            if name not in self._dropped:
                self._dropped.add(name)
                say(f'{count} points of "{name}" were not stored: the steps of a curve have to ascend')

    def _renumber(self, current: int, answer: Answer) -> None:
        """The engine has other numbers, as after its backup was restored."""
        assert self._batch is not None
        if current == self.journal.seq - 1:
            raise Over(answer.why)
        self.journal.mark(current + 1, self._batch)

    def _refused(self, answer: Answer) -> None:
        assert self._batch is not None
        batch, self._batch = self._batch, None
        self.journal.take_back()
        if not batch.entries:
            raise Over(answer.why)
        files = {
            entry["artifact"]["digest"] for entry in batch.entries if isinstance(entry, dict) and "artifact" in entry
        }
        swept = (files & self._stored) - self._again
        if swept:
            # bytes that wait long for their run are swept away: they are sent once more
            self._again |= swept
            self._stored -= swept
            return
        self._most = max(1, len(batch.entries) // 2)
        if len(batch.entries) == 1:
            say(f"refused, and left out: {str(batch.entries[0])[:200]}: {answer.why}")
            self.journal.acknowledge(batch)


class Beside:
    """A thread that sends while the program does something else, and goes on until the end of the run has arrived."""

    def __init__(self, sender: Sender, quiet: bool) -> None:
        self.sender = sender
        self.quiet = quiet
        self.closing = False
        # done; or the run has ended, and two attempts after each other have failed
        self.settled = threading.Event()
        self.done = False
        self._wake = threading.Event()
        self._told = False
        self._thread = threading.Thread(target=self._run, name="service.track", daemon=True)
        self._thread.start()

    def close(self, wait: float) -> bool:
        """Has the rest sent, waits for it a while, and says whether it has arrived. It does not wait for an engine that
        does not answer."""
        self.closing = True
        self._wake.set()
        self.settled.wait(wait)
        return self.done

    def _run(self) -> None:
        failures = 0
        wait = 0.0
        while not self.done:
            self._wake.wait(wait)
            self._wake.clear()
            try:
                self.sender.send_all(0 if self.closing else MOST_BYTES // 16)
                if not self.closing and time.monotonic() - self.sender.spoken >= HEARTBEAT_S:
                    self.sender.send()
                failures, wait = 0, PERIOD_S
                self._tell(None)
                if self.sender.ended or self.sender.cancelled:
                    self._finish()
            except Over as why:
                journal = self.sender.journal
                kept = "" if why.gone else f"; what it says stays in {journal.path}"
                say(f"the engine takes nothing more of run {self.sender.id}: {why}{kept}")
                self._finish(keep=not why.gone)
            except Exception as why:
                if not isinstance(why, Later):
                    # nothing of ours ends a training, or leaves it to itself
                    why = Later(f"{type(why).__name__}: {why}")
                failures += 1
                wait = random.uniform(0.5, 1) * min(LONGEST_WAIT_S, 2.0**failures)
                self._tell(f"{why}; what the run says waits in {self.sender.journal.path}")
                if self.closing and failures > 1:
                    self.settled.set()

    def _finish(self, keep: bool = False) -> None:
        self.done = True
        if keep:
            self.sender.journal.let_go()
        else:
            self.sender.journal.remove()
        self.settled.set()

    def _tell(self, trouble: str | None) -> None:
        """Says once that it cannot send, and once that it can again; and what became of the disk."""
        disk, self.sender.journal.trouble = self.sender.journal.trouble, None
        if disk is not None:
            say(disk)
        if (trouble is not None) == self._told:
            return
        self._told = trouble is not None
        if trouble is not None or not self.quiet:
            say(trouble or f"the engine answers, run {self.sender.id} goes on")


def _body(entries: list[Any]) -> dict[str, Any]:
    """Entries as the request has them: points by curve, and of params, results and logs what they are together."""
    curves: dict[str, dict[str, Any]] = {}
    body: dict[str, Any] = {}
    for entry in entries:
        if isinstance(entry, list):
            name, step, value, ts = entry
            curve = curves.get(name)
            if curve is None:
                curve = curves[name] = {"name": name, "steps": [], "values": [], "ts": []}
            curve["steps"].append(step)
            curve["values"].append(value)
            curve["ts"].append(ts)
            continue
        for key, value in entry.items():
            if key in ("params", "result"):
                body[key] = {**body.get(key, {}), **value}
            elif key == "logs":
                body[key] = body.get(key, "") + value
            elif key == "artifact":
                body.setdefault("artifacts", []).append({"name": value["name"], "digest": value["digest"]})
            elif key in ("status", "error"):
                body[key] = value
    if curves:
        body["metrics"] = list(curves.values())
    return body


def _query(name: str) -> str:
    from urllib.parse import urlencode

    return urlencode({"name": name})
