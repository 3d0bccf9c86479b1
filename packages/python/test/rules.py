"""What tests of tracking have in common: an engine, and a working directory of their own."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from engine import TOKEN, Engine

from service import track
from service.track import __main__ as command

#: The folder of the package.
HOME = Path(__file__).resolve().parent.parent
#: A slow machine ends its runs as well.
PATIENT_S = 300.0
#: Nobody listens there.
NOWHERE = "http://127.0.0.1:1/api/v1"


class Rules(unittest.TestCase):
    """Each test has an engine that this process is signed in to, and a folder."""

    def setUp(self) -> None:
        self.engine = self.enterContext(Engine())
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.folder = Path(folder).resolve()
        before = Path.cwd()
        os.chdir(folder)
        self.addCleanup(os.chdir, before)
        environment = dict(os.environ)
        self.addCleanup(os.environ.update, environment)
        os.environ.update(SERVICE_URL=self.engine.url, SERVICE_TOKEN=TOKEN)
        os.environ.pop("SERVICE_DATA_DIR", None)
        self.enterContext(mock.patch.object(track, "WAIT_S", PATIENT_S))
        self.errors = self.enterContext(contextlib.redirect_stderr(io.StringIO()))

    @property
    def waiting(self) -> list[Path]:
        """What lies in the folder of journals."""
        return sorted((self.folder / ".service" / "track").glob("*"))

    def sync(self) -> tuple[int, str]:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            code = command.main(["sync"])
        return code, out.getvalue()

    def program(self, text: str, **environment: str) -> str:
        """Executes a program that has `track`, to its end, and gives what it has written on stderr."""
        patient = f"from service import track\ntrack.WAIT_S = {PATIENT_S}\n"
        arguments = [sys.executable, "-c", patient + textwrap.dedent(text)]
        env = {**os.environ, "PYTHONPATH": str(HOME), **environment}
        return subprocess.run(arguments, capture_output=True, text=True, env=env, check=False).stderr

    def run_of(self, **options: Any) -> track.Run:
        return track.run("fit", quiet=True, **options)
