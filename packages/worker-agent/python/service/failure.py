"""Failures of node code, told without a trace of the files of this folder."""

import os
import traceback

from .channel import encode

MAX_MESSAGE_CHARS = 10_000
MAX_TRACEBACK_CHARS = 65_536
OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def text_of(error):
    try:
        return str(error)
    except Exception:
        return "the exception has no text"


def failure(kind, message, error, over=False):
    trace = None if error is None else trace_of(error)[-MAX_TRACEBACK_CHARS:]
    detail = {"type": kind, "message": message[:MAX_MESSAGE_CHARS], "traceback": trace}
    return encode({"type": "error", "over": over, "error": detail})


def is_own(filename):
    return filename.startswith(OWN) or filename.startswith("<frozen importlib")


def trace_of(error):
    """The traceback without this file's own frames."""
    try:
        whole = traceback.TracebackException(type(error), error, error.__traceback__)
        parts = [whole]
        for part in parts:
            part.stack = traceback.StackSummary.from_list([f for f in part.stack if not is_own(f.filename)])
            parts += [inner for inner in (part.__cause__, part.__context__) if inner is not None]
        return "".join(whole.format())
    except Exception as broken:
        return f"{type(error).__name__} (its traceback cannot be shown: {type(broken).__name__})"
