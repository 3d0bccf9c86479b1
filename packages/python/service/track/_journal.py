"""What a run has said and the engine has not acknowledged: a file of JSON lines, `.service/track/<id>.jsonl`.

The first line is how the run begins. An array is a point: name, step, value, ms since 1970. Every other entry is an
object: `params`, `result`, `tags`, `artifact`, `logs`, `status`. Between them stand marks. `{"seq": 5, "to": 4096}`:
what lies before byte 4096, and behind what was acknowledged, is about to be sent as number 5. `{"ack": 5}`: it has it.
A mark is on disk before its batch is sent, so that a program that goes on after a crash sends the same again under the
same number, and the engine takes it once.

A line is written before the call that says it returns: a killed program loses none. It is synced to the disk with the
next mark, so that a machine without power loses what was not sent yet: about a second's worth while an engine answers.
"""

import contextlib
import errno
import json
import os
import threading
from collections import deque
from pathlib import Path
from typing import Any, NamedTuple

from ._values import line

try:
    import fcntl
except ImportError:  # Windows: two programs are not kept from sending the same run
    fcntl = None  # type: ignore[assignment]

#: Largest file, in bytes. Points and logs that would make it larger are dropped, and counted.
LIMIT_BYTES = 2**30
#: Entries that wait in memory while the disk takes none; further ones are dropped, and counted.
SPILL_ENTRIES = 100_000
#: A file of this many bytes is written anew without what was acknowledged, once that leaves little.
COMPACT_BYTES = 4 * 2**20

_MARKS = (b'{"seq":', b'{"ack":')


class InUse(Exception):
    """Another program writes this journal."""


class Batch(NamedTuple):
    """Entries with the offset behind each of them, which is None in memory."""

    entries: list[Any]
    ends: list[int | None]


class Journal:
    """One run's entries, in order. `append` is for any thread; everything else for the one that sends."""

    def __init__(self, path: Path, begin: dict[str, Any] | None = None) -> None:
        """A new journal that begins with `begin`, or the one that is there. Raises InUse, OSError, and ValueError for a
        file that is no journal. A new one that cannot be written is in memory alone, and `trouble` says why."""
        self.path = path
        self.lock = threading.Lock()
        self.trouble: str | None = None
        self.dropped = 0
        self.seq = 0
        self._fd: int | None = None
        self._size = 0
        # everything before it is acknowledged
        self._from = 0
        self._spill: deque[bytes] = deque()
        # a batch that was marked before this program, and not acknowledged
        self._marked: int | None = None
        if begin is None:
            self._open(os.O_RDWR | os.O_APPEND)
            self.begin = self._recover()
            return
        self.begin = begin
        self._header = line(begin)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._open(os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL)
            self._write(self._header)
            self._from = self._size
        except OSError as error:
            self.trouble = f"{path}: {error.strerror or error}; what the run says is kept in memory"
            self.let_go()
            with contextlib.suppress(OSError):
                path.unlink()

    def append(self, data: bytes, *, always: bool = False) -> None:
        """Writes whole lines. Call it with `lock` held. It never raises for the disk's sake."""
        if self._fd is None or self._spill:
            self._spill_over(data)
        elif not always and self._size + len(data) > LIMIT_BYTES:
            self.dropped += data.count(b"\n")
            self.trouble = self.trouble or f"{self.path} has {LIMIT_BYTES} bytes: further points are dropped"
        else:
            try:
                self._write(data)
            except OSError as error:
                self.trouble = f"{self.path}: {error.strerror or error}; what the run says is kept in memory"
                self._spill_over(data)

    def empty(self) -> bool:
        """Whether everything is acknowledged, but for marks."""
        return self._marked is None and not self._spill and not self._next(1, 2**16).entries

    @property
    def waiting_bytes(self) -> int:
        """What is not acknowledged, about."""
        return self._end() - self._from + len(self._spill) * 64

    def next(self, most: int, most_bytes: int) -> Batch:
        """What is to be sent next. After a crash first the batch that was on its way then, as it was."""
        batch = self._next(most, most_bytes)
        if batch.entries or self._marked is not None or not self._spill:
            return batch
        with self.lock:
            entries = [json.loads(data) for data, _ in zip(self._spill, range(most), strict=False)]
        return Batch(entries, [None] * len(entries))

    def mark(self, seq: int, batch: Batch) -> None:
        """Notes, durably, that the batch is about to be sent under this number."""
        self.seq = seq
        self._note({"seq": seq, "to": (batch.ends[-1] if batch.ends else None) or self._from})
        if self._fd is not None:
            with contextlib.suppress(OSError):
                os.fsync(self._fd)

    def take_back(self) -> None:
        """Notes that the engine has refused what was marked last: the number is free, and the batch may be smaller."""
        self._marked = None
        self.seq -= 1

    def acknowledge(self, batch: Batch) -> None:
        """Notes that the engine has the batch that was marked last, or that it is given up."""
        self._marked = None
        if batch.ends and batch.ends[-1] is None:
            with self.lock:
                for _ in batch.entries:
                    self._spill.popleft()
            return
        self._note({"ack": self.seq})
        if batch.ends and batch.ends[-1] is not None:
            self._from = batch.ends[-1]
        if self._size > COMPACT_BYTES and self.waiting_bytes < COMPACT_BYTES // 4:
            with contextlib.suppress(OSError), self.lock:
                self._compact()

    def remove(self) -> None:
        """Ends it: everything is acknowledged, or nobody wants it."""
        self.let_go()
        for file in (self.path, *self._copies()):
            with contextlib.suppress(OSError):
                file.unlink()
        with contextlib.suppress(OSError):
            self.files.rmdir()

    def let_go(self) -> None:
        """Closes the file, and leaves it for a later `sync`; also in a fork, where it belongs to the other process."""
        fd, self._fd = self._fd, None
        if fd is not None:
            with contextlib.suppress(OSError):
                os.close(fd)

    @property
    def files(self) -> Path:
        """The folder of copies of files that are to be sent, named by their digests."""
        return self.path.with_suffix(".files")

    def _copies(self) -> list[Path]:
        try:
            return list(self.files.iterdir())
        except OSError:
            return []

    def _open(self, flags: int) -> None:
        fd = os.open(self.path, flags, 0o600)
        try:
            if fcntl is not None:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            raise InUse(f"{self.path} is in use") from None
        except OSError:
            pass  # a file system without locks
        self._fd = fd
        self._size = os.fstat(fd).st_size

    def _end(self) -> int:
        """Where the file ends; as the system says, for Ctrl+C may have come between a write and what we noted of it."""
        fd = self._fd
        return self._size if fd is None else os.fstat(fd).st_size

    def _write(self, data: bytes) -> None:
        assert self._fd is not None
        written = 0
        try:
            written = os.write(self._fd, data)
            if written < len(data):
                raise OSError(errno.ENOSPC, "no space is left on the device")
        except OSError:
            if written > 0:
                os.ftruncate(self._fd, self._end() - written)
            raise
        self._size += written

    def _spill_over(self, data: bytes) -> None:
        for each in data.splitlines(keepends=True):
            if len(self._spill) >= SPILL_ENTRIES:
                # the oldest may be on their way
                self.dropped += 1
            else:
                self._spill.append(each)

    def _note(self, mark: dict[str, int]) -> None:
        with self.lock:
            if self._fd is not None:
                try:
                    self._write(line(mark))
                except OSError as error:
                    self.trouble = f"{self.path}: {error.strerror or error}"

    def _next(self, most: int, most_bytes: int) -> Batch:
        batch = Batch([], [])
        if self._fd is None:
            return batch
        until, at = self._end(), self._from
        if self._marked is not None:
            until, most, most_bytes = self._marked, until, until
        try:
            with open(self.path, "rb") as file:
                file.seek(at)
                while at < until and len(batch.entries) < most and at - self._from < most_bytes:
                    data = file.readline()
                    if not data.endswith(b"\n"):
                        break
                    at += len(data)
                    entry = _parsed(data)
                    if entry is not None:
                        batch.entries.append(entry)
                        batch.ends.append(at)
        except OSError as error:
            self.trouble = f"{self.path}: {error.strerror or error}"
        return batch

    def _recover(self) -> dict[str, Any]:
        seq = acknowledged = to = 0
        marked: int | None = None
        with open(self.path, "rb") as file:
            self._header = file.readline()
            try:
                begin = json.loads(self._header)
            except ValueError:
                begin = None
            if not isinstance(begin, dict) or not isinstance(begin.get("flow"), str):
                self.let_go()
                raise ValueError(f"{self.path} is no journal of a run")
            self._from = at = len(self._header)
            for data in file:
                if not data.endswith(b"\n"):
                    # a line that the end of the machine has cut
                    assert self._fd is not None
                    os.ftruncate(self._fd, at)
                    self._size = at
                    break
                at += len(data)
                if data.startswith(b'{"seq":'):
                    mark = json.loads(data)
                    seq, to, marked = mark["seq"], mark["to"], mark["to"]
                elif data.startswith(b'{"ack":'):
                    acknowledged, marked = json.loads(data)["ack"], None
                    self._from = to
        self.seq = max(seq, acknowledged)
        if marked is not None:
            # on its way when the program ended: the same entries again, under the same number
            self.seq = seq - 1
            self._marked = marked
        return begin

    def _compact(self) -> None:
        """Writes the file anew, with the lock held: how the run begins, and what is not acknowledged."""
        with open(self.path, "rb") as file:
            file.seek(self._from)
            lines = file.read(self._end() - self._from).splitlines(keepends=True)
        # marks of before count in bytes of before
        rest = b"".join(data for data in lines if not data.startswith(_MARKS))
        head, tail = self._header, line({"ack": self.seq})
        mark = f'{{"seq":{self.seq},"to":'
        start = len(head) + len(mark) + 22 + len(tail)
        head += f"{mark}{start:>20}}}\n".encode() + tail
        fresh = self.path.with_suffix(".fresh")
        old, path = self._fd, self.path
        try:
            with open(fresh, "wb") as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(head + rest)
                file.flush()
                os.fsync(file.fileno())
            self.path = fresh
            self._open(os.O_RDWR | os.O_APPEND)
            os.replace(fresh, path)
        except (OSError, InUse):
            if self._fd != old:
                self.let_go()
                self._fd = old
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise OSError("not compacted") from None
        finally:
            self.path = path
            if self._fd == old and old is not None:
                self._size = os.fstat(old).st_size
        if old is not None:
            os.close(old)
        self._from = len(head)


def _parsed(data: bytes) -> Any:
    """An entry; None for a mark, and for a line that is damaged."""
    if data.startswith(_MARKS):
        return None
    try:
        return json.loads(data)
    except ValueError:
        return None
