"""What node code can call: `from service import emit, save_artifact, load_artifact, to_numpy`."""

import os

from . import arrays
from .channel import Channel
from .session import Session

__all__ = ["emit", "load_artifact", "save_artifact", "to_numpy"]

_session = None


def _serve(sock):
    """Executes the agent's calls until it closes the connection; does not return."""
    global _session
    _session = Session(Channel(sock), {name: globals()[name] for name in __all__})
    _session.serve()
    _session.leave()


def emit(values=None, /, **ports):
    """Publish values by output port, while the node runs."""
    if _session is None:
        raise RuntimeError("emit() works only while the node executes")
    if values is not None and not isinstance(values, dict):
        raise TypeError(f"emit gave a {type(values).__name__}: give a dict keyed by output port, or keywords")
    _session.emit({**(values or {}), **ports}, "emit")


def save_artifact(data, name="", media_type="application/octet-stream", volatile=False):
    """Store bytes, the file behind a path object, or a numpy array, and return the reference to send in messages."""
    if arrays.is_array(data):
        if media_type == "application/octet-stream":
            media_type = arrays.MEDIA_TYPE
        return _session.save(name, media_type, *arrays.npy(data), volatile=bool(volatile))
    if isinstance(data, os.PathLike):
        with open(data, "rb") as file:
            data = file.read()
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"save_artifact() takes bytes, a path object or a numpy array, not {type(data).__name__}")
    return _session.save(name, media_type, memoryview(data).cast("B"), volatile=bool(volatile))


def load_artifact(ref):
    """The bytes behind a reference or a digest. FileNotFoundError when they are gone."""
    return _session.load_artifact(_digest_of(ref, "load_artifact"))


def to_numpy(ref):
    """The numpy array behind a reference or a digest, if it was stored as one."""
    return arrays.array_of(_session.load_artifact(_digest_of(ref, "to_numpy"), bytearray))


def _digest_of(ref, helper):
    digest = ref["digest"] if isinstance(ref, dict) else ref
    if not isinstance(digest, str):
        raise TypeError(f"{helper}() takes a reference or a digest, not {type(ref).__name__}")
    return digest
