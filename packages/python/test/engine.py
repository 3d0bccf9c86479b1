"""An engine of these tests: tracked runs by the rules of their wire, over HTTP, with the faults that networks have.

`faults` is a list of what becomes of the next requests to `/runs/{id}/track`: "lost" takes it and cuts the connection
before the answer, "cut" cuts it unheard, a number answers with that status (308 leads to where it came from), None
answers as usual.
"""

import hashlib
import json
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "token of these tests"


class Engine:
    """Serves on a port of 127.0.0.1 while it is entered. Its state may be read, and changed, at any time."""

    def __init__(self) -> None:
        self.runs: dict[str, dict[str, Any]] = {}
        self.curves: dict[str, dict[str, list[Any]]] = defaultdict(dict)
        self.files: dict[str, bytes] = {}
        self.requests: list[tuple[str, str, Any]] = []
        self.faults: list[Any] = []
        self.refused_curves: set[str] = set()
        self.cancelled: set[str] = set()
        # how many of the next files are gone once they are stored
        self.sweeps = 0
        self.lock = threading.Lock()
        self.heard = threading.Condition(self.lock)
        handler = type("Handler", (Handler,), {"engine": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/api/v1"

    def __enter__(self) -> "Engine":
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.server.shutdown()
        self.server.server_close()

    def wait_until(self, holds: Any) -> None:
        """Waits until something holds of the state; looked at with every request."""
        with self.heard:
            assert self.heard.wait_for(holds, timeout=300), "it never held"

    def wait_for_run(self, holds: Any) -> None:
        """Waits until something holds of the only run."""
        self.wait_until(lambda: len(self.runs) == 1 and holds(self.the_run()))

    def the_run(self) -> dict[str, Any]:
        [run] = self.runs.values()
        return run

    def points(self, name: str) -> list[Any]:
        """Steps and values of a curve of the only run."""
        return self.curves[self.the_run()["id"]].get(name, [])

    def create(self, body: dict[str, Any]) -> tuple[int, Any]:
        known = body["id"] in self.runs
        run = self.runs.setdefault(body["id"], {**body, "status": "running", "seq": 0, "logs": "", "artifacts": []})
        return (200 if known else 201), run

    def append(self, id: str, body: dict[str, Any]) -> tuple[int, Any]:
        run = self.runs.get(id)
        if run is None:
            return problem(404, "not_found")
        if id in self.cancelled:
            run["status"] = "cancelled"
            return 200, {"seq": run["seq"], "lease_until": None, "cancelled": True, "dropped": {}}
        if body["seq"] > run["seq"] + 1:
            return problem(409, "version_conflict", current_version=run["seq"])
        dropped: dict[str, int] = {}
        if body["seq"] == run["seq"] + 1:
            for curve in body.get("metrics", []):
                if curve["name"] in self.refused_curves:
                    return problem(422, "validation_failed", detail=f"{curve['name']} is refused")
            for artifact in body.get("artifacts", []):
                if artifact["digest"] not in self.files:
                    return problem(422, "validation_failed", detail="no such artifact")
            run["seq"] = body["seq"]
            for curve in body.get("metrics", []):
                kept = self.curves[id].setdefault(curve["name"], [])
                for step, value in zip(curve["steps"], curve["values"], strict=True):
                    if kept and kept[-1][0] >= step:
                        dropped[curve["name"]] = dropped.get(curve["name"], 0) + 1
                    else:
                        kept.append([step, value])
            for key in ("params", "result"):
                run[key] = {**(run.get(key) or {}), **body.get(key, {})}
            run["logs"] += body.get("logs", "")
            run["artifacts"] += body.get("artifacts", [])
            run["status"] = body.get("status", "running")
            run["error"] = body.get("error")
        return 200, {"seq": run["seq"], "lease_until": "2030-01-01T00:00:00Z", "cancelled": False, "dropped": dropped}


def problem(status: int, code: str, **more: Any) -> tuple[int, Any]:
    return status, {"status": status, "code": code, "title": code, **more}


class Handler(BaseHTTPRequestHandler):
    engine: Engine
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def answer(self, status: int, body: Any) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json" if status < 400 else "application/problem+json")
        self.send_header("content-length", str(len(data)))
        if status == 308:
            self.send_header("location", f"{self.engine.url}/moved")
        self.end_headers()
        self.wfile.write(data)

    def file(self, digest: str) -> tuple[int, Any]:
        found = self.engine.files.get(digest)
        return (200, found) if found is not None else problem(404, "not_found")

    def serve(self) -> None:
        engine, at = self.engine, urlsplit(self.path)
        data = self.rfile.read(int(self.headers.get("content-length", "0")))
        path = at.path.removeprefix("/api/v1")
        if self.headers.get("authorization") != f"Bearer {TOKEN}":
            return self.answer(*problem(401, "unauthenticated"))
        with engine.lock:
            fault = None
            if self.command == "POST" and path.endswith("/track") and path != "/runs/track" and engine.faults:
                fault = engine.faults.pop(0)
            if fault == "cut" or isinstance(fault, int):
                answer = problem(fault or 0, "fault") if fault != "cut" else None
            else:
                answer = self.execute(path, data, parse_qs(at.query))
                if fault == "lost":
                    answer = None
            engine.heard.notify_all()
        if answer is None:
            self.close_connection = True
            self.connection.close()
            return None
        return self.answer(*answer)

    def execute(self, path: str, data: bytes, query: dict[str, list[str]]) -> tuple[int, Any]:
        engine = self.engine
        if self.command == "PUT" and path == "/artifacts":
            digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
            if engine.sweeps == 0:
                engine.files[digest] = data
            engine.sweeps = max(0, engine.sweeps - 1)
            engine.requests.append(("PUT", path, {"name": query["name"][0], "type": self.headers["content-type"]}))
            return 201, {"digest": digest}
        if self.command == "GET" and path.startswith("/artifacts/"):
            return self.file(path.removeprefix("/artifacts/"))
        body = json.loads(data) if data else None
        engine.requests.append((self.command, path, body))
        match (self.command, path.split("/")[1:]):
            case ("POST", ["runs", "track"]):
                return engine.create(body)
            case ("POST", ["runs", id, "track"]):
                return engine.append(id, body)
            case ("PATCH", ["runs", id]):
                engine.runs[id].update(body)
                return 200, engine.runs[id]
        return problem(404, "not_found")

    do_GET = do_POST = do_PUT = do_PATCH = serve
