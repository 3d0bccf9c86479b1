"""Values of trainings as JSON: numbers of numpy, torch and jax, NaN and the infinities; and names."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

#: Names of flows, and of curves, as engines take them.
FLOW = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
CURVE = re.compile(r"[A-Za-z_][A-Za-z0-9_/-]{0,99}")
FILE = re.compile(r"[^\x00-\x1f\x7f-\x9f/\\]{1,255}")
TAG = re.compile(r"\S{1,64}")
MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]{1,127}/[\w!#$&^.+-]{1,127}(;[ -~]{0,200})?", re.ASCII)
#: Most tags of a run, and most params.
MOST_TAGS = 32
MOST_VALUES = 1000


def number(value: Any, name: str) -> float | int:
    """A number of any library that has `item()`. Raises TypeError for what is none."""
    if type(value) is float or type(value) is int:
        return value
    if isinstance(value, (str, bytes)) or value is None:
        raise TypeError(f"{name} is {value!r}: give a number")
    if hasattr(value, "item"):
        # numpy, torch, jax; of one element each
        try:
            value = value.item()
        except (TypeError, ValueError, RuntimeError) as error:
            raise TypeError(f"{name} is a {type(value).__name__} of several values: give one number") from error
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return int(value)
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} is a {type(value).__name__}: give a number") from error


def spelled(value: float | int) -> str:
    """A number as a word of JSON; what JSON has no number for as a string."""
    if isinstance(value, int):
        if -(2**53) <= value <= 2**53:
            return repr(value)
        # more digits than a double has would be another number on arrival
        value = float(value) if abs(value) < 2**1023 else math.copysign(math.inf, value)
    if value - value == 0.0:
        return repr(value)
    return '"NaN"' if value != value else '"Infinity"' if value > 0 else '"-Infinity"'


def plain(value: Any) -> Any:
    """A value of params or results as JSON: arrays become lists, and what JSON has no form for its text."""
    if value is None or isinstance(value, (bool, str)):
        return text(value) if isinstance(value, str) else value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else json.loads(spelled(float(value)))
    if isinstance(value, Mapping):
        return {text(str(name)): plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=str)
    for turn in ("tolist", "item"):
        if callable(getattr(value, turn, None)) and not isinstance(value, type):
            try:
                turned = getattr(value, turn)()
            except (TypeError, ValueError, RuntimeError):
                continue
            if type(turned) is not type(value):
                return plain(turned)
    return text(str(value))


def named(values: Mapping[str, Any]) -> dict[str, Any]:
    """Params and results. Raises ValueError for a name that engines refuse, and for too many of them."""
    if len(values) > MOST_VALUES:
        raise ValueError(f"{len(values)} values: give at most {MOST_VALUES}")
    for name in values:
        if not re.fullmatch(r"[^\x00-\x1f\x7f-\x9f]{1,200}", str(name)):
            raise ValueError(f"{name!r} is no name: use 1 to 200 characters without control characters")
    return {text(str(name)): plain(value) for name, value in values.items()}


def text(value: str) -> str:
    """Text as it can be stored: without U+0000 and halves of surrogate pairs."""
    return value.replace("\0", "").encode("utf-8", "replace").decode()


def line(entry: Any) -> bytes:
    """An entry of a journal."""
    return json.dumps(entry, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode() + b"\n"
