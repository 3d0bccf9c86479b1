"""Types of what Python node code can call, for editors and type checkers; the code itself is beside this file."""

from os import PathLike
from typing import Any, Mapping, NotRequired, TypedDict

import numpy  # type: ignore[import-not-found, unused-ignore]

class ArtifactRef(TypedDict):
    """A stored file, as it travels in messages. `digest` is `sha256:` and 64 hex digits, `size` is in bytes."""

    digest: str
    name: str
    media_type: str
    size: int
    volatile: NotRequired[bool]

def emit(values: Mapping[str, Any] | None = None, /, **ports: Any) -> None:
    """Publish values by output port while the node runs: `emit(loss=0.3)` or `emit({"loss": 0.3})`.

    In a batch flow the ports have to stream. Callable from threads and callbacks. RuntimeError outside of an execution,
    ValueError for an unknown port, TypeError for what JSON cannot carry.
    """

def save_artifact(
    data: bytes | bytearray | memoryview | PathLike[str] | numpy.ndarray[Any, Any],
    name: str = "",
    media_type: str = "application/octet-stream",
    volatile: bool = False,
) -> ArtifactRef:
    """Store bytes, the file behind a path object, or a numpy array, and return the reference to send in messages.

    An array becomes a file of numpy's format .npy, of the media type `application/x-npy` if you name none: `to_numpy`
    and `numpy.load` read it. TypeError for one that holds Python objects. `volatile` keeps what is stored in memory
    only. OSError when it cannot be stored.
    """

def load_artifact(ref: ArtifactRef | Mapping[str, Any] | str) -> bytes:
    """The bytes behind a reference or a digest. FileNotFoundError when they are gone."""

def to_numpy(ref: ArtifactRef | Mapping[str, Any] | str) -> numpy.ndarray[Any, Any]:
    """The numpy array behind a reference or a digest: what a node has published on a port of dtype artifact, or any
    other file of the format .npy.

    The array is yours to write to. FileNotFoundError when it is gone, ValueError for a file of another kind, ImportError
    without numpy.
    """
