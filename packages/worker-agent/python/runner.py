"""The program that Python processes come from. Standard library only; the agent starts it, see DESIGN.md.

It is a zygote: it never runs node code and starts no thread, so that forking it is safe and fast. It reads requests on
descriptor 3 and tells how its forks ended. A fork connects to the agent three times (control, stdout, stderr) and then
executes calls, which is the package `service` beside this file.

Without an argument it is no zygote but one such process itself: where there is no fork, or a fork has failed. Its
descriptors are those of a Node process: 3 is what it says, 4 is what it is told, 5 ends it when the agent is gone.
"""

import ctypes
import faulthandler
import gc
import logging
import os
import select
import signal
import socket
import sys
import threading

# Only while importing: node code must not find this folder's names, and an installed package is not written to.
writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import service  # noqa: E402
from service.channel import Channel, Pipes, encode  # noqa: E402

del sys.path[0]
sys.dont_write_bytecode = writes_bytecode

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

#: Tells of what a fork has started whose it is. The agent gives a value of this length, so that it can be overwritten.
OWNER_VARIABLE = "SERVICE_PROCESS_PID"


def close_foreign(first):
    """Closes what our parent has left open by mistake: node code and what it starts are not to get at it."""
    os.closerange(first, os.sysconf("SC_OPEN_MAX") if hasattr(os, "sysconf") else 2048)


def prctl(option, value):
    """Linux only; elsewhere the zygote alone ends the forks when the agent is gone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


class Zygote:
    """Forks on request, reaps, and leaves nothing behind when the agent is gone."""

    def __init__(self):
        close_foreign(4)
        self.control = Channel(socket.socket(fileno=3))
        self.control.sock.set_inheritable(False)
        self.forks = {}
        self.leaving = False
        self.wake, self.waker = os.pipe()
        os.set_blocking(self.waker, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self.leave)
        signal.set_wakeup_fd(self.waker, warn_on_full_buffer=False)
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        prctl(PR_SET_CHILD_SUBREAPER, 1)

    def leave(self, *_):
        self.leaving = True

    def serve(self):
        """Returns the request in each fork; never returns in the zygote itself."""
        self.control.send(encode({"type": "ready", "pid": os.getpid()}))
        while not self.leaving:
            readable, _, _ = select.select([self.control.sock, self.wake], [], [])
            if self.wake in readable:
                os.read(self.wake, 4096)
                self.reap()
            if self.control.sock in readable:
                request = self.request()
                if request is not None:
                    return request
        for pid in self.forks:
            kill_group(pid, signal.SIGKILL)
        self.forks.clear()
        self.end_orphans()
        os._exit(0)

    def request(self):
        try:
            received = self.control.receive()
        except OSError:
            # Reset: the agent died before it had read what we sent.
            received = None
        if received is None:
            self.leaving = True
            return None
        message, _ = received
        if message["type"] == "signal":
            for pid, name in self.forks.items():
                if name == message["process"]:
                    kill_group(pid, message["signal"])
            return None
        try:
            pid = os.fork()
        except OSError as error:
            # Out of processes or memory: the agent tries to start one in another way.
            self.control.send(encode({"type": "refused", "process": message["process"], "why": str(error)}))
            return None
        if pid == 0:
            self.become_fork()
            return message
        self.forks[pid] = message["process"]
        return None

    def become_fork(self):
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        self.control.sock.close()
        os.close(self.wake)
        os.close(self.waker)
        mark_as_owner()

    def reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                break
            name = self.forks.pop(pid, None)
            if name is None:
                continue
            kill_group(pid, signal.SIGKILL)
            code = os.waitstatus_to_exitcode(status)
            ended = {"code": code, "signal": None} if code >= 0 else {"code": None, "signal": signal_name(-code)}
            try:
                self.control.send(encode({"type": "exited", "process": name, **ended}))
            except OSError:
                # The agent is gone: `serve` goes on to end what the forks have started.
                self.leaving = True
        self.end_orphans()

    def end_orphans(self):
        """Processes that outlived the one that started them become ours, for we are a subreaper. They end with the fork
        that they descend from; one that does not tell which that is, with any."""
        try:
            with open(f"/proc/self/task/{os.getpid()}/children") as children:
                orphans = [pid for pid in map(int, children.read().split()) if pid not in self.forks]
        except OSError:
            return
        for pid in orphans:
            try:
                if os.getsid(pid) not in self.forks and owner_of(pid) not in self.forks:
                    os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def mark_as_owner():
    """Writes our number where `/proc` shows the environment of us and our copies, and into that of programs to come."""
    if sys.platform != "linux":
        return
    owner = f"{os.getpid():010d}"
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_void_p
    ctypes.memmove(getenv(OWNER_VARIABLE.encode()), owner.encode(), len(owner))
    os.environ[OWNER_VARIABLE] = owner


def owner_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as environ:
            entries = dict(entry.partition(b"=")[::2] for entry in environ.read().split(b"\0"))
        return int(entries[OWNER_VARIABLE.encode()])
    except (OSError, KeyError, ValueError):
        return None


def kill_group(pid, number):
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        # A fork that has not reached setsid yet has no group of its own.
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def connect(path, process, part):
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(path)
    sock.sendall(f"{process}{part}{os.getpid():010d}".encode())
    return sock


def capture_output(path, process):
    for descriptor, part in ((1, "o"), (2, "e")):
        sock = connect(path, process, part)
        os.dup2(sock.fileno(), descriptor)
        sock.close()
    take_output()


def take_output():
    sys.stdout = sys.__stdout__ = text_stream(1)
    sys.stderr = sys.__stderr__ = text_stream(2)
    # A segmentation fault and the SIGTERM of a timeout show where the code was.
    faulthandler.enable(all_threads=False)
    if hasattr(faulthandler, "register"):
        faulthandler.register(signal.SIGTERM, all_threads=True, chain=True)


def text_stream(descriptor):
    return open(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def end_with_agent():
    """Waits for the end of descriptor 5, which the agent holds open, and ends this process and its group."""
    os.read(5, 1)
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def serve_alone():
    close_foreign(6)
    for descriptor in (3, 4, 5):
        os.set_inheritable(descriptor, False)
    threading.Thread(target=end_with_agent, daemon=True).start()
    take_output()
    pipes = Pipes(4, 3)
    Channel(pipes).send(encode({"type": "ready"}))
    service._serve(pipes)


def main():
    # Used where the code has configured no handler of its own: its basicConfig() keeps its effect.
    logging.lastResort = logging._StderrHandler(logging.INFO)
    logging.lastResort.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logging.root.setLevel(logging.INFO)
    if len(sys.argv) == 1:
        serve_alone()
    path = sys.argv[1]
    zygote = os.getpid()
    gc.collect()
    gc.freeze()
    request = Zygote().serve()
    if os.getppid() != zygote:
        os._exit(1)
    os.chdir(request["directory"])
    control = connect(path, request["process"], "c")
    capture_output(path, request["process"])
    service._serve(control)


if __name__ == "__main__":
    main()
