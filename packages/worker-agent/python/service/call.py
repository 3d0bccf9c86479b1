"""One execution: what the code is given and what it may publish."""

import inspect
import math

from . import arrays
from .channel import encode, encode_unicode
from .values import MAX_INT, listed, number_of, plain

MAX_FRAME_BYTES = 32 * 1024 * 1024
# As in the protocol.
STORED_VALUE_TYPE = "application/vnd.flow-service.value+json"


class Call:
    """The agent's frame, and the rules that it implies."""

    def __init__(self, frame, save):
        self.frame = frame
        # stores bytes by name and media type, and gives their reference
        self.save = save
        self.dtypes = {output["port"]: output["dtype"] for output in frame["outputs"]}
        self.keys = {port: f"{encode(port)}:" for port in self.dtypes}
        self.batch = frame["mode"] == "batch"
        # without it nothing is stored
        self.store_over = frame.get("store_over", math.inf)
        # what was stored in place of a value: an object, an array or a string
        self.stored = {}
        self.streams = {output["port"] for output in frame["outputs"] if output["stream"]}

    def encoded(self, values, verb):
        """The JSON text of values by port. `verb` is how the code gave them: return, yield or emit. Of what is returned,
        a value that is too large to be sent is stored."""
        if values is None:
            return "{}"
        if not isinstance(values, dict):
            raise TypeError(f"{verb} gave a {type(values).__name__}: give a dict keyed by output port or None")
        parts = []
        for port, value in values.items():
            dtype = self.dtypes.get(port)
            if dtype is None:
                raise ValueError(f"{verb}: there is no output port {port!r}; the ports are {listed(self.dtypes)}")
            if self.batch and verb != "return" and port not in self.streams:
                raise ValueError(
                    f"{verb}: in a batch flow only streaming ports publish before the end, and {port!r} is none "
                    f"(streaming ports: {listed(self.streams)}); return its value instead"
                )
            if value is None:
                continue
            try:
                # Most values are numbers, and their text is cheap.
                kind = type(value)
                cheap = math.isfinite(value) if kind is float else kind is int and -MAX_INT <= value <= MAX_INT
                if dtype == "artifact" and arrays.is_array(value):
                    value = self.save(f"{port}.npy", arrays.MEDIA_TYPE, *arrays.npy(value))
                shape = value if cheap else plain(value, dtype == "float")
                text = repr(value) if cheap else encode(shape)
            except (TypeError, ValueError) as error:
                raise type(error)(f"{verb}: port {port!r}: {error}") from None
            if verb == "return" and len(text) > self.store_over and port not in self.streams:
                data = bytes_of(shape, text)
                if len(data) > self.store_over:
                    self.stored[port] = KINDS[text[0]]
                    text = encode(self.save(f"{port}.json", STORED_VALUE_TYPE, data))
            parts.append(self.keys[port] + text)
        text = f"{{{','.join(parts)}}}"
        if len(text) > MAX_FRAME_BYTES:
            raise ValueError(f"{verb}: {len(text)} bytes are more than {MAX_FRAME_BYTES}; use save_artifact()")
        return text

    def arguments(self, entry):
        """Inputs and settings as keyword arguments, checked against the function so that the message can be clear."""
        ports = self.frame["input_ports"]
        settings = self.frame["settings"]
        both = [port["port"] for port in ports if port["port"] in settings]
        if both:
            raise TypeError(f"{listed(both)}: a setting has the name of an input port; rename one of them")
        values = dict(settings)
        for port in ports:
            name, value = port["port"], self.frame["inputs"].get(port["port"])
            if value is None and is_absent(self.frame["inputs"], port) and entry.has_default(name):
                continue
            values[name] = number_of(value) if port["dtype"] == "float" else value
        entry.check(values, ports, settings)
        return values


class Entry:
    """The function that calls execute, and what is known of its parameters: looking at them takes longer than a call."""

    def __init__(self, function):
        self.function = function
        try:
            self.parameters = inspect.signature(function).parameters
        except ValueError:
            self.parameters = {}
        # names of arguments that it was found to take
        self.fitting = None

    def has_default(self, name):
        return has_default(self.parameters.get(name))

    def check(self, values, ports, settings):
        """Whether the function takes the arguments of these names; raises TypeError where not."""
        if self.fitting == values.keys():
            return
        name = getattr(self.function, "__name__", "run")
        given = f"input ports: {listed(p['port'] for p in ports)}; settings: {listed(settings)}"
        kinds = {key: parameter.kind for key, parameter in self.parameters.items()}
        positional = [key for key, kind in kinds.items() if kind is inspect.Parameter.POSITIONAL_ONLY]
        if positional:
            raise TypeError(f"{name}() takes {listed(positional)} by position only; remove the '/'")
        variable = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        missing = [
            key
            for key, parameter in self.parameters.items()
            if key not in values and parameter.kind not in variable and not has_default(parameter)
        ]
        if missing:
            raise TypeError(f"{name}() needs {listed(missing)}, which is no input port and no setting ({given})")
        unknown = [key for key in values if key not in kinds]
        if unknown and inspect.Parameter.VAR_KEYWORD not in kinds.values():
            raise TypeError(f"{name}() has no parameter {listed(unknown)} ({given}); add it, or take **kwargs")
        self.fitting = set(values)


# By the first character of the JSON text; what is longer than a number is one of these.
KINDS = {"{": "object", "[": "array", '"': "string"}


def bytes_of(shape, text):
    """The JSON text of a value in UTF-8, unescaped; half of a surrogate pair, which UTF-8 lacks, stays escaped."""
    if "\\u" not in text:
        return text.encode()
    try:
        return encode_unicode(shape).encode()
    except UnicodeEncodeError:
        return text.encode()


def is_absent(inputs, port):
    """Null stands for "no value" unless it arrived on a triggering port of dtype any, where it is one."""
    return port["port"] not in inputs or port["dtype"] != "any" or not port["trigger"]


def has_default(parameter):
    return parameter is not None and parameter.default is not inspect.Parameter.empty
