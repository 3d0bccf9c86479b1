"""Values of node code and their JSON forms (wire decision G60)."""

import math

MAX_DEPTH = 64
MAX_INT = 2**53 - 1
# Elements of an array that travels as a list; more take longer than bytes do.
MAX_ELEMENTS = 1_000_000


def plain(value, special, depth=0):
    """The JSON form of a value. Numbers that JSON lacks pass where `special` allows them, in protobuf's spelling."""
    kind = type(value)
    if value is None or kind is str or kind is bool:
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)
        if not special:
            raise ValueError(f"{value!r} can only travel as the value of a float port")
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int):
        if -MAX_INT <= value <= MAX_INT:
            return int(value)
        raise ValueError(f"{value} is beyond 2**53-1, where JSON numbers lose digits; send it as a string")
    if isinstance(value, str):
        return str(value)
    if depth == MAX_DEPTH:
        raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        return {key: plain(item, False, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, False, depth + 1) for item in value]
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError("bytes do not travel in messages: store them with save_artifact() and send its reference")
    return plain(scalar(value), special, depth + 1)


def scalar(value):
    """What a number or an array of numpy (or a tensor) holds."""
    name = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
    if hasattr(value, "item") and not isinstance(value, type):
        if getattr(value, "shape", ()) != () and hasattr(value, "tolist"):
            size = getattr(value, "size", 0)
            if isinstance(size, int) and size > MAX_ELEMENTS:
                raise TypeError(f"a {name} of {size} elements is more than {MAX_ELEMENTS}: use save_artifact()")
            return value.tolist()
        try:
            return value.item()
        except (TypeError, ValueError, RuntimeError):
            raise TypeError(f"a {name} has many elements: send value.tolist() or save_artifact()") from None
    raise TypeError(f"a {name} has no JSON form: send dict, list, str, float, int, bool or None")


def number_of(value):
    return float(value) if value in ("NaN", "Infinity", "-Infinity") else value


def listed(names):
    return ", ".join(names) or "none"
