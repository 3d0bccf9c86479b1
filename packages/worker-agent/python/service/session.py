"""A process that runs node code: reads calls, executes them, answers."""

import asyncio
import atexit
import inspect
import json
import linecache
import os
import sys
import threading
import time
import types

from .call import MAX_FRAME_BYTES, Call, Entry
from .channel import encode
from .failure import failure, text_of, trace_of
from .modules import install
from .values import listed

FLUSH_S = 0.02
FLUSH_ENTRIES = 500
# Of one artifact: a frame carries no more.
MAX_ARTIFACT_BYTES = 2**30


class NoEntry(Exception):
    pass


class MissingArtifact(Exception):
    pass


class Session:
    """A fork's side of the control channel. `writing` guards the socket's output and the batch of emissions,
    `asking` makes one request and its answer at a time; `asking` is taken first."""

    def __init__(self, channel, helpers):
        self.channel = channel
        self.helpers = helpers
        self.pid = os.getpid()
        self.nonce = ""
        self.call = None
        self.running = False
        self.module = None
        self.entry = None
        self.digest = None
        # of the source, where a debugger is to find it
        self.file = None
        self.loop = None
        self.writing = threading.Lock()
        self.asking = threading.Lock()
        self.batch = []
        # characters of its entries
        self.size = 0
        self.flushed = 0.0
        self.pending = None

    def serve(self):
        while True:
            received = self.channel.receive()
            if received is None:
                return
            if received[0]["type"] == "inspect":
                self.inspect(received[0])
            else:
                self.execute(received[0])

    def say(self, text, *data):
        """Sends a JSON object with the nonce of the call, by which the agent knows what we have written ourselves."""
        self.channel.send(f'{{"nonce":"{self.nonce}",{text[1:]}', *data)

    def inspect(self, message):
        """Opens debugpy before the first call, and waits for a debugger where that is wanted."""
        self.file = message["file"]
        try:
            import debugpy

            # what the code starts is no business of this debugger
            debugpy.configure(subProcess=False)
            _, port = debugpy.listen(("127.0.0.1", message["port"]))
            self.say(encode({"type": "inspected", "port": port}))
            if message["wait"]:
                debugpy.wait_for_client()
        except ModuleNotFoundError:
            problem = f"debugpy is missing: {sys.executable} -m pip install debugpy"
            self.say(encode({"type": "inspected", "problem": problem}))
        except Exception as error:
            self.say(encode({"type": "inspected", "problem": f"debugpy does not start: {text_of(error)}"}))

    def execute(self, frame):
        self.nonce = frame["nonce"]
        self.call = call = Call(frame, self.save)
        if frame["env"]:
            os.environ.update(frame["env"])
        os.environ["SERVICE_CALL_ID"] = frame["call"]
        over = False
        try:
            self.open_inputs(frame)
            function = entry_of(self.load(frame), frame["entry"])
            if self.entry is None or self.entry.function is not function:
                self.entry = Entry(function)
            arguments = call.arguments(self.entry)
            self.running = True
            outputs = call.encoded(self.drive(function(**arguments)), "return")
            stored = f',"stored":{encode(call.stored)}' if call.stored else ""
            answer = f'{{"type":"result","outputs":{outputs}{stored}}}'
        except SystemExit as leave:
            self.end_copy(leave.code)
            over = True
            answer = failure("process_died", f"the code called sys.exit({leave.code!r})", leave, over)
        except NoEntry as error:
            answer = failure("no_entry", str(error), None)
        except MissingArtifact as error:
            answer = failure("missing_artifact", str(error), None)
        except BaseException as error:
            self.end_copy(error)
            answer = failure(type(error).__name__, text_of(error), error)
        self.end_copy()
        self.running = False
        with self.asking, self.writing:
            self.call = None
            flush_output()
            self.flush()
            self.say(answer)
        if over:
            # The agent ends the process; nothing of the code runs until then.
            self.channel.receive()
            os._exit(0)

    def end_copy(self, why=None):
        """Ends a copy of this process that the code has forked and that has come out of the code: the answer, and the
        calls to come, are those of the process itself."""
        if os.getpid() == self.pid:
            return
        if isinstance(why, BaseException):
            sys.stderr.write(trace_of(why) or f"{type(why).__name__}: {text_of(why)}\n")
        flush_output()
        os._exit(why if isinstance(why, int) else 0 if why is None else 1)

    def leave(self):
        """What the interpreter's own end would do for the code, without its 15 ms of taking modules apart: waits for
        threads, runs `atexit`, and drops the code's module, which flushes the files that it holds open."""
        try:
            threading._shutdown()
            if self.loop is not None:
                self.loop.close()
            atexit._run_exitfuncs()
            if self.module is not None:
                vars(self.module).clear()
            flush_output()
        finally:
            os._exit(0)

    def load(self, frame):
        if self.module is not None and self.digest == frame["source_digest"]:
            return self.module
        name = self.file or f"{frame['node']}.py"
        source = frame["source"]
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        install(source)
        module = types.ModuleType("__node__")
        module.__file__ = name
        vars(module).update(self.helpers)
        sys.modules["__node__"] = module
        exec(compile(source, name, "exec", dont_inherit=True), vars(module))
        self.module, self.digest = module, frame["source_digest"]
        with self.writing:
            self.say('{"type":"loaded"}')
        return module

    def drive(self, result):
        """Runs what the entry gave back to its end, and returns its final values."""
        if result is None or type(result) is dict:
            return result
        if inspect.isgenerator(result):
            step = result.__next__
            while True:
                try:
                    values = step()
                except StopIteration as end:
                    return end.value
                step = self.publish(values, result.__next__, result.throw)
        if inspect.isasyncgen(result):
            return self.in_loop(self.drain(result))
        if inspect.isawaitable(result):
            return self.in_loop(awaited(result))
        return result

    async def drain(self, generator):
        step = generator.__anext__
        while True:
            try:
                values = await step()
            except StopAsyncIteration:
                return None
            step = self.publish(values, generator.__anext__, generator.athrow)

    def publish(self, values, proceed, throw):
        """Emits what was yielded. A bad value is thrown at the `yield`, so that the traceback shows its line."""
        try:
            self.emit(values, "yield")
        except (TypeError, ValueError) as error:
            problem = error.with_traceback(None)
            return lambda: throw(problem)
        return proceed

    def in_loop(self, coroutine):
        if self.loop is None:
            self.loop = asyncio.Runner()
        return self.loop.run(coroutine)

    def emit(self, values, verb):
        call = self.call
        if call is None or not self.running or os.getpid() != self.pid:
            raise RuntimeError(f"{verb}() works only while the node executes, in its own process")
        entry = f"[{call.encoded(values, verb)},{time.time_ns() // 1000 / 1000}]"
        with self.writing:
            if self.call is not call:
                raise RuntimeError(f"{verb}() works only while the node executes")
            now = time.monotonic()
            if self.size + len(entry) > MAX_FRAME_BYTES:
                self.flush(now)
            self.size += len(entry)
            self.batch.append(entry)
            if len(self.batch) >= FLUSH_ENTRIES or now - self.flushed >= FLUSH_S:
                self.flush(now)
            elif len(self.batch) == 1:
                self.flush_soon()

    def flush(self, now=0.0):
        if self.batch:
            self.say(f'{{"type":"emit","batch":[{",".join(self.batch)}]}}')
            self.batch.clear()
            self.size = 0
            self.flushed = now

    def flush_soon(self):
        if self.pending is None:
            self.pending = threading.Event()
            threading.Thread(target=self.flush_late, name="emit", daemon=True).start()
        self.pending.set()

    def flush_late(self):
        while True:
            self.pending.wait()
            time.sleep(FLUSH_S)
            with self.writing:
                self.pending.clear()
                self.flush(time.monotonic())

    def ask(self, name, message, *data):
        size = sum(map(len, data))
        if size > MAX_ARTIFACT_BYTES:
            raise ValueError(f"an artifact has at most {MAX_ARTIFACT_BYTES} bytes, and this one {size}; split it")
        with self.asking:
            if self.call is None or os.getpid() != self.pid:
                raise RuntimeError(f"{name}() works only while the node executes, in its own process")
            with self.writing:
                self.say(encode(message), *data)
            received = self.channel.receive()
        if received is None:
            raise ConnectionError("the worker is gone")
        answer, content = received
        if answer["type"] != "failed":
            return answer, content
        raise (FileNotFoundError if answer["missing"] else OSError)(answer["message"])

    def open_inputs(self, frame):
        """Puts values in the place of their references."""
        for port in frame.get("stored_inputs", ()):
            digest = frame["inputs"][port]["digest"]
            try:
                frame["inputs"][port] = json.loads(self.load_artifact(digest))
            except (OSError, ValueError) as error:
                raise MissingArtifact(f"input {port!r} is stored as {digest}, which is not to be had: {error}") from None

    def save(self, name, media_type, *data, volatile=False):
        """Stores the bytes of these pieces, and gives their reference."""
        message = {"type": "save", "name": name, "media_type": media_type, "volatile": volatile}
        return self.ask("save_artifact", message, *data)[0]["ref"]

    def load_artifact(self, digest, kind=bytes):
        """The bytes behind a digest, as `bytes` or `bytearray`."""
        message = {"type": "load", "digest": digest}
        answer, content = self.ask("load_artifact", message)
        if "file" in answer:
            content = content_of(answer["file"], answer["size"], kind)
            if content is None:
                # another worker has made room for something else meanwhile
                content = self.ask("load_artifact", {**message, "whole": True})[1]
        return content if isinstance(content, kind) else kind(content)


def content_of(path, size, kind):
    """What is in a file; None where it has not so many bytes."""
    try:
        with open(path, "rb", buffering=0) as file:
            if kind is bytes:
                content = file.read()
                return content if len(content) == size else None
            content = bytearray(size)
            return content if file.readinto(content) == size else None
    except OSError:
        return None


async def awaited(value):
    return await value


def entry_of(module, name):
    entry = vars(module).get(name)
    if callable(entry):
        return entry
    public = {
        value
        for key, value in vars(module).items()
        if isinstance(value, types.FunctionType) and not key.startswith("_") and value.__module__ == module.__name__
    }
    if len(public) == 1:
        return public.pop()
    found = listed(sorted(function.__name__ for function in public))
    raise NoEntry(f"define a function {name}(), or exactly one public function (public functions: {found})")


def flush_output():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            # The code has closed or replaced the stream.
            pass
