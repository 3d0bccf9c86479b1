"""Failures of node code, told without a trace of the files of this folder."""

import os
import traceback

from .channel import encode

MAX_MESSAGE_CHARS = 10_000
MAX_TRACEBACK_CHARS = 65_536
OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
LIBRARY = os.path.dirname(os.__file__) + os.sep


def text_of(error):
    try:
        return str(error)
    except Exception:
        return "the exception has no text"


def failure(kind, message, error, over=False):
    trace = None if error is None else trace_of(error)
    detail = {"type": kind, "message": message[:MAX_MESSAGE_CHARS], "traceback": trace}
    return encode({"type": "error", "over": over, "error": detail})


def is_own(filename):
    return filename.startswith(OWN)


def is_library(filename):
    """Whether a file belongs to Python itself."""
    return filename.startswith("<frozen ") or (filename.startswith(LIBRARY) and "-packages" + os.sep not in filename)


def trace_of(error):
    """The traceback with the lines of the code, and of the packages that it calls, alone; None when there are none."""
    try:
        whole = traceback.TracebackException(type(error), error, error.__traceback__)
        parts = [whole]
        is_told = False
        for part in parts:
            part.stack = shown(part.stack)
            # code that cannot be read has no frames, and says where
            is_told = is_told or part.stack is not None or getattr(part, "filename", None) is not None
            inner = (part.__cause__, part.__context__, *(part.exceptions or ()))
            parts += [one for one in inner if one is not None]
        return shortened("".join(whole.format())) if is_told else None
    except Exception as broken:
        return f"{type(error).__name__} (its traceback cannot be shown: {type(broken).__name__})"


def shown(stack):
    """Its frames without those of this folder, and without those of Python that lead from there to the code."""
    frames = []
    is_hidden = False
    for frame in stack:
        if is_own(frame.filename):
            is_hidden = True
        elif not is_library(frame.filename):
            is_hidden = False
        if not is_hidden and not frame.filename.startswith("<frozen importlib"):
            frames.append(frame)
    return traceback.StackSummary.from_list(frames) if frames else None


def shortened(text):
    """Without its middle where it is too long: the first lines tell the way, the last ones the place."""
    if len(text) <= MAX_TRACEBACK_CHARS:
        return text
    half = MAX_TRACEBACK_CHARS // 2
    first = text[: text.rfind("\n", 0, half) + 1]
    last = text[text.find("\n", len(text) - half) + 1 :]
    left_out = text.count("\n") - first.count("\n") - last.count("\n")
    return f"{first}  [{left_out} lines left out]\n{last}"
