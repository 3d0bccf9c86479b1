"""What happens to a run while networks, programs and disks fail: no point is lost, none is there twice."""

import errno
import json
import os
import random
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from rules import HOME, NOWHERE, Rules

from service._engine import Engine, Unreachable
from service.track import _journal, _sender
from service.track._journal import Journal
from service.track._sender import Later, Sender

TALKER = """
import sys
from service import track
run = track.run("fit")
for step in range(10**9):
    run.log(loss=step)
    if step == 2000:
        print("2000", flush=True)
"""


class Dies(Exception):
    """The end of a program, at this very place."""


class Survives(Rules):
    def test_lost_answers_cut_connections_and_failures_neither_lose_nor_double_a_point(self) -> None:
        self.enterContext(mock.patch.object(_sender, "LONGEST_WAIT_S", 0.01))
        self.enterContext(mock.patch.object(_sender, "HEARTBEAT_S", 0.1))
        self.engine.faults = ["lost", "cut", 500, 503, "lost", 429, 401, None, "lost"]
        with self.run_of() as run:
            for step in range(50):
                run.log(loss=step)
            self.engine.wait_until(lambda: not self.engine.faults)
            for step in range(50, 100):
                run.log(loss=step)
        self.engine.wait_for_run(lambda said: said["status"] == "ok")
        self.assertEqual([value for _, value in self.engine.points("loss")], list(range(100)))

    def test_a_run_without_an_engine_waits_in_a_file_for_a_sync(self) -> None:
        Path("weights").write_bytes(b"w")
        code = """
            with track.run('fit') as run:
                for step in range(10):
                    run.log(loss=step)
                run.artifact('weights')
        """
        self.assertIn('"python -m service.track sync" sends the rest', self.program(code, SERVICE_URL=NOWHERE))
        self.assertEqual(len(self.waiting), 2)
        with mock.patch.dict(os.environ, SERVICE_URL=NOWHERE):
            self.assertEqual(self.sync()[0], 1)
        run = self.waiting[0].stem
        self.assertEqual(self.sync(), (0, f"{run}: sent\n"))
        self.assertEqual([value for _, value in self.engine.points("loss")], list(range(10)))
        self.assertEqual((self.engine.the_run()["status"], list(self.engine.files.values())), ("ok", [b"w"]))
        self.assertEqual((self.waiting, self.sync()), ([], (0, "nothing waits\n")))

    def test_a_killed_program_loses_no_point_that_it_has_said(self) -> None:
        env = {**os.environ, "PYTHONPATH": str(HOME)}
        child = subprocess.Popen(
            [sys.executable, "-c", TALKER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
        )
        self.addCleanup(child.wait)
        assert child.stdout is not None
        self.addCleanup(child.stdout.close)
        child.stdout.readline()
        self.engine.wait_for_run(lambda said: said["seq"] >= 1)
        code, told = self.sync()
        self.assertEqual((code, told.partition(": ")[2]), (0, "its program still runs, and sends by itself\n"))
        child.kill()
        child.wait()
        [journal] = self.waiting
        written = [json.loads(line) for line in journal.read_bytes().splitlines() if line.startswith(b'["loss"')]
        self.assertEqual(self.sync()[0], 0)
        values = [value for _, value in self.engine.points("loss")]
        self.assertEqual(values, list(range(len(values))))
        self.assertGreaterEqual(len(values), max(2001, written[-1][1] + 1))
        # its end is not made up: the engine finds out by itself
        self.assertEqual(self.engine.the_run()["status"], "running")

    def test_programs_that_die_anywhere_are_taken_up_again(self) -> None:
        self.enterContext(mock.patch.object(_journal, "COMPACT_BYTES", 600))
        for seed in range(40):
            with self.subTest(seed=seed):
                self.die_and_go_on(random.Random(seed))

    def die_and_go_on(self, chance: random.Random) -> None:
        self.engine.runs.clear()
        path = self.folder / f"{chance.random()}.jsonl"
        begin = {"id": str(chance.random()), "flow": "fit"}
        sender = sender_of(Journal(path, begin), self.engine, chance)
        said = 0
        for _ in range(30):
            for _ in range(chance.randrange(8)):
                with sender.journal.lock:
                    sender.journal.append(f'["loss",{said},{said},1]\n'.encode())
                said += 1
            try:
                sender.send_all()
            except Dies:
                sender.journal.let_go()
                sender = sender_of(Journal(path), self.engine, chance)
            except Later:
                pass
        sender.journal.let_go()
        sender_of(Journal(path), self.engine, None).send_all()
        self.assertEqual([step for step, _ in self.engine.points("loss")], list(range(said)))
        self.assertLess(path.stat().st_size, 2000)

    def test_an_engine_that_was_restored_from_a_backup_gets_what_is_left(self) -> None:
        run = self.run_of()
        run.log(loss=1)
        self.engine.wait_for_run(lambda said: said["seq"] == 1)
        with self.engine.lock:
            self.engine.the_run()["seq"] = 0
            self.engine.curves.clear()
        run.log(loss=2)
        run.end()
        self.assertEqual((self.engine.points("loss"), self.engine.the_run()["status"]), ([[1, 2]], "ok"))

    def test_a_file_that_was_swept_away_before_its_run_had_it_is_sent_again(self) -> None:
        Path("weights").write_bytes(b"w")
        self.engine.sweeps = 1
        with self.run_of() as run:
            run.artifact("weights")
        self.assertEqual((len(self.engine.the_run()["artifacts"]), list(self.engine.files.values())), (1, [b"w"]))
        self.assertEqual(len([path for method, path, _ in self.engine.requests if method == "PUT"]), 2)

    def test_a_mistake_of_its_own_ends_nothing_of_the_training(self) -> None:
        self.enterContext(mock.patch.object(_sender, "LONGEST_WAIT_S", 0.01))
        with mock.patch.object(Sender, "send", side_effect=RuntimeError("a mistake")):
            run = self.run_of()
            run.log(loss=1)
            self.engine.wait_until(lambda: self.engine.runs)
        run.end()
        self.engine.wait_for_run(lambda said: said["status"] == "ok")
        self.assertEqual(self.engine.points("loss"), [[0, 1]])

    def test_a_deleted_run_ends_nothing_of_the_training(self) -> None:
        with self.run_of() as run:
            self.engine.wait_until(lambda: self.engine.runs)
            with self.engine.lock:
                self.engine.runs.clear()
            run.log(loss=1)
        self.assertEqual((self.waiting, self.engine.runs), ([], {}))

    def test_a_full_disk_ends_nothing_of_the_training(self) -> None:
        full = OSError(errno.ENOSPC, "no space is left on the device")
        Path("weights").write_bytes(b"w")
        with self.run_of() as run:
            run.log(loss=0)
            real = os.write
            with mock.patch.object(os, "write", side_effect=full):
                for step in range(1, 50):
                    run.log(loss=step)
            with mock.patch.object(os, "write", side_effect=lambda fd, data: real(fd, data[: len(data) // 2])):
                run.log(loss=50)
            with mock.patch.object(os, "replace", side_effect=full):
                run.artifact("weights")
            run.log(loss=51)
        self.assertEqual([value for _, value in self.engine.points("loss")], list(range(52)))
        self.assertEqual((self.engine.the_run()["status"], self.waiting), ("ok", []))
        self.assertIn("weights is not sent: ", self.errors.getvalue())

    def test_a_folder_that_cannot_be_written_leaves_the_run_in_memory(self) -> None:
        (self.folder / ".service").mkdir()
        (self.folder / ".service" / "track").write_text("a file where a folder should be")
        with self.run_of() as run:
            run.log(loss=1)
        self.assertEqual((self.engine.points("loss"), self.engine.the_run()["status"]), ([[0, 1]], "ok"))

    def test_a_file_has_a_limit_beyond_which_points_are_dropped_and_counted(self) -> None:
        told = self.program(
            """
            from service.track import _journal
            _journal.LIMIT_BYTES = 2000
            with track.run('fit') as run:
                for step in range(1000):
                    run.log(loss=step)
            """,
            SERVICE_URL=NOWHERE,
        )
        self.assertRegex(told, r"9\d\d entries of run .* found no room and are lost")
        self.assertEqual(self.sync()[0], 0)
        values = [value for _, value in self.engine.points("loss")]
        self.assertEqual((values, self.engine.the_run()["status"]), (list(range(len(values))), "ok"))

    def test_what_is_no_journal_is_told_and_left(self) -> None:
        folder = self.folder / ".service" / "track"
        folder.mkdir(parents=True)
        for name, content in (("a", b""), ("b", b"\xff\n"), ("c", b"[1]\n")):
            (folder / f"{name}.jsonl").write_bytes(content)
        self.assertEqual(self.sync()[0], 1)
        self.assertEqual((len(self.waiting), self.errors.getvalue().count("is no journal of a run")), (3, 3))


def sender_of(journal: Journal, engine: Any, chance: random.Random | None) -> Sender:
    """What sends it to an engine, in a program that may die."""
    mortal: Any = Mortal(engine, chance)
    return Sender(journal, lambda: mortal)


class Mortal:
    """An engine that is asked by a program that may die before it asks, and before it hears the answer."""

    def __init__(self, engine: Any, chance: random.Random | None) -> None:
        self.engine = engine
        self.chance = chance

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        fate = self.chance.random() if self.chance else 1.0
        if fate < 0.1:
            raise Dies
        if fate < 0.2:
            raise Unreachable("cut")
        answer = Engine(self.engine.url, "token of these tests").ask(method, path, body)
        if fate < 0.35:
            raise Dies
        if fate < 0.5:
            raise Unreachable("lost")
        return answer


if __name__ == "__main__":
    unittest.main()
