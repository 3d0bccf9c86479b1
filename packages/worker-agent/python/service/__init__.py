"""What node code can call: `from service import emit, save_artifact, load_artifact`."""

import os

from .channel import Channel
from .session import Session

__all__ = ["emit", "load_artifact", "save_artifact"]

_session = None


def _serve(sock):
    """Executes the agent's calls until it closes the connection; does not return."""
    global _session
    helpers = {"emit": emit, "save_artifact": save_artifact, "load_artifact": load_artifact}
    _session = Session(Channel(sock), helpers)
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
    """Store bytes, or the file behind a path object, and return the reference to send in messages."""
    if isinstance(data, os.PathLike):
        with open(data, "rb") as file:
            data = file.read()
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"save_artifact() takes bytes or a path object, not {type(data).__name__}")
    message = {"type": "save", "name": name, "media_type": media_type, "volatile": bool(volatile)}
    return _session.ask("save_artifact", message, memoryview(data).cast("B"))[0]["ref"]


def load_artifact(ref):
    """The bytes behind a reference or a digest. FileNotFoundError when they are gone."""
    digest = ref["digest"] if isinstance(ref, dict) else ref
    if not isinstance(digest, str):
        raise TypeError(f"load_artifact() takes a reference or a digest, not {type(ref).__name__}")
    return _session.load_artifact(digest)
