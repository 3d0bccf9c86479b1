"""The engine that this program talks to: where it is, who is asking, and one request at a time. Standard library only.

Environment first, then the sign-in file of `service dev` or `service login`, as the command line finds it.
"""

import json
import os
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

#: Seconds that an engine has for an answer.
ANSWER_S = 30.0
#: Seconds that a socket may be silent while a file is sent or received.
FILE_S = 120.0


class NotSignedIn(Exception):
    """Nothing names an engine, or nothing lets this program in."""


class Unreachable(Exception):
    """No answer came."""


@dataclass(frozen=True)
class Answer:
    """What an engine said. `body` is None unless it was a JSON object."""

    status: int
    body: dict[str, Any] | None
    leads_to: str | None = None

    @property
    def why(self) -> str:
        """The refusal in words."""
        if self.leads_to is not None:
            return f"status {self.status}, which leads to {self.leads_to}: give that address"
        if self.body is None:
            return f"status {self.status}"
        detail = self.body.get("detail") or self.body.get("title") or f"status {self.status}"
        errors = [f"{item.get('path')}: {item.get('message')}" for item in self.body.get("errors") or [] if item]
        return "; ".join([str(detail), *errors[:3]])


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The token goes to the address that it belongs to, and nowhere else."""

    def redirect_request(self, *args: Any) -> None:
        return None


@dataclass(frozen=True)
class Engine:
    """An engine by the address of its API, and a token for it."""

    base_url: str
    token: str

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        file: IO[bytes] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """One request, with JSON or a file. Raises Unreachable when no answer comes; refusals are answers."""
        data = file if file is not None else None if body is None else json.dumps(body, allow_nan=False).encode()
        asked = {"authorization": f"Bearer {self.token}", "accept": "application/json", **(headers or {})}
        if body is not None:
            asked["content-type"] = "application/json"
        request = urllib.request.Request(f"{self.base_url}{path}", data=data, method=method, headers=asked)
        try:
            with self._open(request, FILE_S if file is not None else ANSWER_S) as response:
                return Answer(response.status, _object(response.read()))
        except urllib.error.HTTPError as refusal:
            with refusal:
                return Answer(refusal.code, _object(_read(refusal)), refusal.headers.get("location"))
        except (OSError, ValueError, EOFError, HTTPException) as error:
            raise Unreachable(f"{self.base_url}: {getattr(error, 'reason', error)}") from error

    def bytes_of(self, digest: str) -> bytes:
        """The bytes of an artifact. Raises FileNotFoundError when they are gone, Unreachable without an answer."""
        headers = {"authorization": f"Bearer {self.token}"}
        request = urllib.request.Request(f"{self.base_url}/artifacts/{digest}", headers=headers)
        try:
            with self._open(request, FILE_S) as response:
                data: bytes = response.read()
                return data
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise FileNotFoundError(f"{digest}: {Answer(refusal.code, _object(_read(refusal))).why}") from None
        except (OSError, HTTPException) as error:
            raise Unreachable(f"{self.base_url}: {getattr(error, 'reason', error)}") from error

    def _open(self, request: urllib.request.Request, timeout: float) -> Any:
        host = urlsplit(self.base_url).hostname or ""
        return _opener(host in ("localhost", "::1") or host.startswith("127.")).open(request, timeout=timeout)


#: Held while an opener is made, and by a fork: the copy of a process that is forked meanwhile would wait for ever for a
#: lock of OpenSSL as it ends, since the thread that had it is not copied.
_making = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_making.acquire, after_in_parent=_making.release, after_in_child=_making.release)


@lru_cache
def _opener(here: bool) -> urllib.request.OpenerDirector:
    """Made once, for it reads the authorities of TLS. A proxy of the environment does not lead to this machine."""
    proxies = [urllib.request.ProxyHandler({})] if here else []
    with _making:
        return urllib.request.build_opener(_NoRedirect(), *proxies)


def find_engine(start: Path | None = None) -> Engine:
    """The engine of SERVICE_URL and SERVICE_TOKEN, else of the first `cli.json` that is found: in `.service` here or
    above, in SERVICE_DATA_DIR, or that of `service login`. Raises NotSignedIn, and ValueError for a bad address."""
    url = os.environ.get("SERVICE_URL") or None
    token = os.environ.get("SERVICE_TOKEN") or None
    if url is not None:
        url = _api_address(url)
    if url is None or token is None:
        for place in _places(start or Path.cwd()):
            found = _sign_in(place)
            if found is None:
                continue
            # a token belongs to the engine that it came from: it is never sent to another one
            if token is None and (url is None or url == found[0]):
                token = found[1]
            url = url or found[0]
            break
    if url is None:
        raise NotSignedIn('no engine is named: start one here with "service dev", sign in, or set SERVICE_URL')
    if token is None:
        raise NotSignedIn(f"not signed in to {url}: set SERVICE_TOKEN")
    return Engine(url, token)


def service_folder(start: Path | None = None) -> Path:
    """The folder `.service` that this program keeps things in: the nearest above, else one in the working directory."""
    here = (start or Path.cwd()).resolve()
    return next((at / ".service" for at in (here, *here.parents) if (at / ".service").is_dir()), here / ".service")


def _api_address(text: str) -> str:
    address = text.rstrip("/")
    if re.fullmatch(r"https?://[^/\s].*/api/v1", address):
        return address
    raise ValueError(f'SERVICE_URL: "{text}" is no API address; write it like http://127.0.0.1:8000/api/v1')


def _places(start: Path) -> Iterator[Path]:
    here = start.resolve()
    for at in (here, *here.parents):
        yield at / ".service" / "cli.json"
    if os.environ.get("SERVICE_DATA_DIR"):
        yield Path(os.environ["SERVICE_DATA_DIR"]) / "cli.json"
    config = os.environ.get("XDG_CONFIG_HOME")
    yield (Path(config) if config else Path.home() / ".config") / "flow-service" / "cli.json"


def _sign_in(file: Path) -> tuple[str, str] | None:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
        return str(value["base_url"]), str(value["access_token"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _read(response: Any) -> bytes:
    try:
        data: bytes = response.read()
    except (OSError, HTTPException):
        return b""
    return data
