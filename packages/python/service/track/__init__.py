"""Trainings that no flow has started, as runs: `from service import track`.

    with track.run("fit", params={"lr": 0.01}) as run:
        for step in range(100):
            run.log(loss=train(step))
        run.artifact("model.pt")
        run.result(f1=0.9)

Nothing of the network reaches the training: what a run says is written to `.service/track/<id>.jsonl`, and sent by a
thread beside it. What does not arrive while the program runs is sent by `python -m service.track sync`.
"""

import contextlib
import hashlib
import mimetypes
import os
import re
import secrets
import shutil
import subprocess
import sys
import time
import traceback
import weakref
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from operator import index
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from .._engine import NotSignedIn, find_engine, service_folder
from ._journal import Journal
from ._sender import Beside, Sender, say
from ._values import CURVE, FILE, FLOW, MEDIA_TYPE, MOST_TAGS, TAG, line, named, number, spelled, text

__all__ = ["Cancelled", "Run", "run"]

#: Seconds that the end of a run waits for an engine that answers.
WAIT_S = 10.0
#: Most characters of what is told of an exception.
_ERROR_CHARACTERS = 100_000

Status = Literal["ok", "error", "cancelled"]


class Cancelled(Exception):
    """The run was cancelled: raised by the next thing that it says, to end the training."""


def run(
    flow: str,
    params: Mapping[str, Any] | None = None,
    tags: Iterable[str] = (),
    *,
    seed: int | None = None,
    note: str = "",
    commit: str | None = None,
    quiet: bool = False,
) -> "Run":
    """Begins a run of `flow`, a name to find it by: no flow has to be there. Use it in a `with`, or call `end`.

    `commit` is that of the git checkout around the working directory, unless given. One line on stderr says where the
    run is; `quiet` keeps it back. ValueError for a name or tag that engines refuse, and for a SERVICE_URL that is no
    address.
    """
    if not isinstance(flow, str) or not FLOW.fullmatch(flow):
        raise ValueError(
            f'{flow!r} is no name: use 1 to 100 letters, digits, "_" or "-", beginning with a letter or digit'
        )
    begin: dict[str, Any] = {"id": _uuid7(), "flow": flow, "params": named(params or {}), "tags": _tags(tags)}
    if seed is not None:
        begin["seed"] = index(seed)
        if abs(begin["seed"]) >= 2**53:
            raise ValueError(f"seed {seed}: use an integer of up to 53 bits")
    if note:
        begin["note"] = text(note)[:10_000]
    commit = commit or _commit()
    if commit:
        begin["commit"] = text(commit)[:200]
    begin["started_at"] = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    try:
        where = f"{find_engine().base_url}/runs/{begin['id']}"
    except NotSignedIn as error:
        where = f"{error}; what it says waits in {service_folder()}"
    if not quiet:
        say(f'run {begin["id"]} of "{flow}": {where}')
    journal = Journal(service_folder() / "track" / f"{begin['id']}.jsonl", begin)
    return Run(_Tracker(journal, quiet))


class Run:
    """A run that this program executes. Its methods are for any thread of the process that began it; in a fork they say
    so once, and do nothing."""

    def __init__(self, tracker: "_Tracker") -> None:
        self._tracker = tracker
        # the last reference gone, or the end of the program
        self._finalizer = weakref.finalize(self, tracker.forgotten)

    @property
    def id(self) -> str:
        """Names the run, here and at the engine."""
        return self._tracker.sender.id

    @property
    def flow(self) -> str:
        """The name that it is listed under."""
        return str(self._tracker.journal.begin["flow"])

    @property
    def cancelled(self) -> bool:
        """Whether somebody has cancelled it."""
        return self._tracker.sender.cancelled

    def log(self, metrics: Mapping[str, Any] | None = None, /, *, step: Any = None, **values: Any) -> None:
        """Points of curves by name: `run.log(loss=0.3)`, or `run.log({"val/loss": 0.3}, step=7)`.

        Without `step` a curve goes on behind its last one, from 0. The steps of a curve have to ascend. Values are
        numbers, also those of numpy, torch and jax, NaN and the infinities. TypeError for anything else, ValueError for
        a name or a step that engines refuse, Cancelled when the run is.
        """
        tracker = self._tracker
        if not tracker.open():
            return
        if step is not None:
            step = index(step)
            if not 0 <= step < 2**53:
                raise ValueError(f"step {step}: use 0 or more")
        tracker.points({**metrics, **values} if metrics else values, step, time.time_ns() // 1_000_000)

    def params(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        """Further params, by name; a known name has the new value."""
        self._tracker.say({"params": named({**(values or {}), **more})})

    def result(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        """What came of it, by name; a known name has the new value."""
        self._tracker.say({"result": named({**(values or {}), **more})})

    def tag(self, *tags: str) -> None:
        """Further words to find it by, each without white space."""
        begin = self._tracker.journal.begin
        begin["tags"] = _tags([*begin["tags"], *tags])
        self._tracker.say({"tags": begin["tags"]})

    def artifact(self, path: str | os.PathLike[str], name: str | None = None, media_type: str | None = None) -> str:
        """A file of the run, as it is now: it may change or go afterwards. Gives its digest.

        OSError when it cannot be read, ValueError for a name or media type that engines refuse. A copy is kept until it
        has arrived.
        """
        source = Path(path)
        name = source.name if name is None else name
        if not FILE.fullmatch(name):
            raise ValueError(
                f'{name!r} is no file name: use 1 to 255 characters without "/", "\\" or control characters'
            )
        media_type = media_type or mimetypes.guess_type(name)[0] or "application/octet-stream"
        if not MEDIA_TYPE.fullmatch(media_type):
            raise ValueError(f"{media_type!r} is no media type: use one such as image/png")
        return self._tracker.artifact(source, text(name), media_type)

    def end(self, status: Status = "ok", error: str | BaseException | None = None) -> None:
        """Ends it. Waits up to 10 s for what is left to arrive, and not for an engine that does not answer."""
        if status not in ("ok", "error", "cancelled"):
            raise ValueError(f'status {status!r}: use "ok", "error" or "cancelled"')
        self._finalizer.detach()
        self._tracker.end(status, error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end(_outcome(error), error)

    def __repr__(self) -> str:
        return f'<run {self.id} of "{self.flow}">'


class _Tracker:
    """What a run keeps while somebody holds it, and until it has arrived."""

    def __init__(self, journal: Journal, quiet: bool) -> None:
        self.journal = journal
        self.sender = Sender(journal)
        self.over = False
        # in a fork: the run is the other process's
        self.foreign = False
        self._warned = False
        self._steps: dict[str, int] = {}
        self._names: dict[str, str] = {}
        self._failure = _last_failure()
        self._beside = Beside(self.sender, quiet)
        _trackers.add(self)

    def open(self) -> bool:
        """Whether the run takes something. Raises Cancelled, and RuntimeError after its end."""
        if self.foreign:
            if not self._warned:
                self._warned = True
                say(f"run {self.sender.id} belongs to the process that began it: what this fork says is left out")
            return False
        if self.sender.cancelled:
            raise Cancelled(f"run {self.sender.id} was cancelled")
        if self.over:
            raise RuntimeError(f"run {self.sender.id} has ended")
        return True

    def points(self, values: Mapping[str, Any], step: int | None, now: int) -> None:
        spoken = [
            (self._names.get(name) or self._name(name), name, spelled(number(value, name)))
            for name, value in values.items()
        ]
        with self.journal.lock:
            lines = []
            for written, name, value in spoken:
                at = self._steps.get(name, -1) + 1 if step is None else step
                self._steps[name] = at
                lines.append(f"[{written},{at},{value},{now}]\n")
            self.journal.append("".join(lines).encode())

    def say(self, entry: dict[str, Any]) -> None:
        if self.open():
            data = line(entry)
            with self.journal.lock:
                self.journal.append(data, always=True)

    def artifact(self, source: Path, name: str, media_type: str) -> str:
        with open(source, "rb") as file:
            if not self.open():
                return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()
            try:
                digest = self._copied(file)
            except _DiskError as error:
                say(f"{name} is not sent: {error}")
                file.seek(0)
                return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()
        self.say({"artifact": {"name": name, "digest": digest, "media_type": media_type}})
        return digest

    def _copied(self, file: Any) -> str:
        """Copies a file to where it waits, named by its digest. Raises _DiskError, and OSError of the file."""
        folder = self.journal.files
        fresh = folder / f"fresh-{secrets.token_hex(8)}"
        digest = hashlib.sha256()
        with _disk():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            copy = open(fresh, "xb")  # noqa: SIM115
        try:
            with copy:
                while data := file.read(2**20):
                    digest.update(data)
                    with _disk():
                        copy.write(data)
                with _disk():
                    copy.flush()
            with _disk():
                os.replace(fresh, folder / digest.hexdigest())
        except BaseException:
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise
        return f"sha256:{digest.hexdigest()}"

    def end(self, status: Status, error: str | BaseException | None) -> None:
        if self.foreign or self.over:
            return
        self.over = True
        if not self.sender.cancelled:
            with self.journal.lock:
                for entry in _closing(status, error):
                    self.journal.append(line(entry), always=True)
        arrived = self._beside.close(WAIT_S)
        if self.journal.dropped:
            say(f"{self.journal.dropped} entries of run {self.sender.id} found no room and are lost")
        if arrived:
            return
        say(f"not all of run {self.sender.id} has arrived: {self._rest()}")

    def forgotten(self) -> None:
        """Nobody can say more: the last reference is gone, or the program ends. An exception that nobody has caught
        since it began says how."""
        failure = _last_failure()
        error = None if failure is self._failure else failure
        self.end(_outcome(error), error)

    def _rest(self) -> str:
        if self.journal.path.exists():
            return '"python -m service.track sync" sends the rest'
        return "the rest is in memory, and goes on while the program runs"

    def _name(self, name: str) -> str:
        if not CURVE.fullmatch(name):
            raise ValueError(
                f'{name!r} is no curve: use letters, digits, "_", "/" and "-", beginning with a letter or "_", '
                "at most 100 characters"
            )
        self._names[name] = f'"{name}"'
        return self._names[name]


class _DiskError(Exception):
    """The disk does not take a copy."""


@contextlib.contextmanager
def _disk() -> Any:
    try:
        yield
    except OSError as error:
        raise _DiskError(str(error)) from error


_trackers: "weakref.WeakSet[_Tracker]" = weakref.WeakSet()


def _in_fork() -> None:
    for tracker in list(_trackers):
        tracker.foreign = True
        tracker.journal.let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_fork)


def _outcome(error: BaseException | None) -> Status:
    if error is None or (isinstance(error, SystemExit) and error.code in (None, 0)):
        return "ok"
    return "cancelled" if isinstance(error, (KeyboardInterrupt, Cancelled)) else "error"


def _closing(status: Status, error: str | BaseException | None) -> list[dict[str, Any]]:
    """The last entries of a run: the traceback as it would be printed, and how it ended."""
    if status != "error":
        return [{"status": status}]
    if isinstance(error, BaseException):
        told = text("".join(traceback.format_exception(error)))[-_ERROR_CHARACTERS:]
        last = text("".join(traceback.format_exception_only(error)).strip().rpartition("\n")[2])[:_ERROR_CHARACTERS]
        return [{"logs": told}, {"status": status, "error": {"type": type(error).__name__[:200], "message": last}}]
    return [{"status": status, "error": {"type": "Error", "message": text(error or "it failed")[:_ERROR_CHARACTERS]}}]


def _last_failure() -> BaseException | None:
    """The last exception that ended the program, or a cell of a notebook."""
    return getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)


def _tags(tags: Iterable[str]) -> list[str]:
    if isinstance(tags, str):
        raise TypeError(f"tags={tags!r}: give a list of words")
    given = [text(tag) for tag in tags]
    for tag in given:
        if not TAG.fullmatch(tag):
            raise ValueError(f"{tag!r} is no tag: use 1 to 64 characters without white space")
    given = list(dict.fromkeys(given))
    if len(given) > MOST_TAGS:
        raise ValueError(f"{len(given)} tags: give at most {MOST_TAGS}")
    return given


def _commit() -> str | None:
    """The commit of the git checkout around the working directory."""
    if shutil.which("git") is None:
        return None
    try:
        asked = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, timeout=2, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    found = asked.stdout.decode("ascii", "replace").strip()
    return found if re.fullmatch(r"[0-9a-f]{40,64}", found) else None


def _uuid7() -> str:
    """A UUID of version 7: it begins with the time."""
    bits = (time.time_ns() // 1_000_000) << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62)
    digits = f"{bits:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
