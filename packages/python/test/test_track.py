"""What a run says, and how it ends."""

import json
import math
import os
import threading
import unittest
from pathlib import Path

from engine import TOKEN
from rules import NOWHERE, Rules

from service import track
from service.track import _sender


class Says(Rules):
    def test_a_run_has_what_it_was_given_and_says(self) -> None:
        Path("model.txt").write_text("weights")
        with track.run("fit", {"lr": 0.1, "layers": (8, 4)}, ["baseline"], seed=7, note="first", commit="abc") as run:
            run.log(loss=0.5)
            run.log({"val/loss": 0.7}, loss=0.25, step=10)
            run.log(loss=0.125)
            run.params(epochs=3)
            run.tag("late")
            run.result(f1=0.9)
            digest = run.artifact("model.txt", "best.txt")
            Path("model.txt").write_text("changed")
        said = self.engine.the_run()
        self.assertEqual(said["id"], run.id)
        self.assertEqual(said["params"], {"lr": 0.1, "layers": [8, 4], "epochs": 3})
        self.assertEqual(
            [said[key] for key in ("flow", "tags", "seed", "note", "commit", "status", "result")],
            ["fit", ["baseline", "late"], 7, "first", "abc", "ok", {"f1": 0.9}],
        )
        self.assertEqual(said["artifacts"], [{"name": "best.txt", "digest": digest}])
        self.assertEqual(self.engine.files, {digest: b"weights"})
        self.assertEqual(self.engine.points("loss"), [[0, 0.5], [10, 0.25], [11, 0.125]])
        self.assertEqual(self.engine.points("val/loss"), [[10, 0.7]])
        self.assertEqual(self.waiting, [])
        self.assertIn(f'run {run.id} of "fit": {self.engine.url}/runs/{run.id}', self.errors.getvalue())

    def test_values_are_those_of_any_library_and_what_is_no_number_is_refused_at_once(self) -> None:
        class Scalar:
            def __init__(self, value: object) -> None:
                self.value = value

            def item(self) -> object:
                if isinstance(self.value, list):
                    raise ValueError("can only convert an array of size 1")
                return self.value

        with self.run_of() as run:
            for value in (True, 2**70, Scalar(0.5), Scalar(3), math.nan, math.inf, Scalar(-math.inf), 1e-320):
                run.log(x=value)
            for bad in ("0.5", None, [1], Scalar([1, 2])):
                with self.assertRaisesRegex(TypeError, "^x is "):
                    run.log(x=bad)
            for name in ("loss of a run", "", "1st", "ü"):
                with self.assertRaisesRegex(ValueError, "is no curve"):
                    run.log({name: 1})
            for step in (-1, 2**53):
                with self.assertRaisesRegex(ValueError, "use 0 or more"):
                    run.log(x=1, step=step)
        values = [value for _, value in self.engine.points("x")]
        self.assertEqual(values, [1, float(2**70), 0.5, 3, "NaN", "Infinity", "-Infinity", 1e-320])

    def test_names_that_an_engine_refuses_are_refused_before_the_training(self) -> None:
        for flow in ("my flow", "", "a.b", "-a"):
            with self.assertRaisesRegex(ValueError, "is no name"):
                track.run(flow)
        with self.assertRaisesRegex(ValueError, "is no tag"):
            track.run("fit", tags=["two words"])
        with self.assertRaisesRegex(ValueError, "at most 32"):
            track.run("fit", tags=map(str, range(33)))
        with self.assertRaisesRegex(ValueError, "at most 1000"):
            track.run("fit", dict.fromkeys(map(str, range(1001))))
        with self.assertRaisesRegex(ValueError, "up to 53 bits"):
            track.run("fit", seed=2**60)
        with self.assertRaisesRegex(TypeError, "give a list of words"):
            track.run("fit", tags="baseline")
        os.environ["SERVICE_URL"] = "127.0.0.1:8000"
        with self.assertRaisesRegex(ValueError, "is no API address"):
            track.run("fit")
        self.assertEqual(self.engine.runs, {})

    def test_threads_lose_no_point_of_a_curve(self) -> None:
        with self.run_of() as run:
            threads = [threading.Thread(target=lambda: [run.log(loss=1) for _ in range(500)]) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual([step for step, _ in self.engine.points("loss")], list(range(4000)))

    def test_steps_that_do_not_ascend_are_told_once(self) -> None:
        with self.run_of() as run:
            for step in (5, 4, 3, 6):
                run.log(loss=1, step=step)
        self.assertEqual(self.engine.points("loss"), [[5, 1], [6, 1]])
        self.assertIn('2 points of "loss" were not stored', self.errors.getvalue())

    def test_one_entry_that_the_engine_refuses_keeps_no_other_away(self) -> None:
        self.engine.refused_curves.add("odd")
        with self.run_of() as run:
            for value in range(100):
                run.log(loss=value)
                if value == 37:
                    run.log(odd=1)
            run.result(f1=1)
        self.assertEqual([value for _, value in self.engine.points("loss")], list(range(100)))
        self.assertEqual((self.engine.the_run()["result"], self.engine.the_run()["status"]), ({"f1": 1}, "ok"))
        self.assertIn("odd is refused", self.errors.getvalue())

    def test_a_run_without_news_says_that_it_is_running(self) -> None:
        self.addCleanup(setattr, _sender, "HEARTBEAT_S", _sender.HEARTBEAT_S)
        _sender.HEARTBEAT_S = 0.0
        run = self.run_of()
        self.engine.wait_for_run(lambda said: said["seq"] >= 2)
        said = [body for _, path, body in self.engine.requests if path == f"/runs/{run.id}/track"]
        self.assertEqual(said[:2], [{"seq": 1}, {"seq": 2}])
        run.end()
        self.assertEqual(self.engine.the_run()["status"], "ok")


class Ends(Rules):
    def test_an_exception_is_the_error_of_the_run_and_goes_on(self) -> None:
        with self.assertRaises(ZeroDivisionError), self.run_of() as run:
            run.log(loss=1)
            1 / 0  # noqa: B018
        said = self.engine.the_run()
        self.assertEqual(said["status"], "error")
        self.assertEqual(said["error"], {"type": "ZeroDivisionError", "message": "ZeroDivisionError: division by zero"})
        self.assertIn("1 / 0", said["logs"])

    def test_ctrl_c_cancels_and_sys_exit_of_0_is_no_error(self) -> None:
        for error, status in ((KeyboardInterrupt(), "cancelled"), (SystemExit(0), "ok"), (SystemExit(2), "error")):
            with self.assertRaises(type(error)), self.run_of() as run:
                raise error
            self.assertEqual(self.engine.runs[run.id]["status"], status)

    def test_a_cancel_ends_the_training_at_its_next_word(self) -> None:
        with self.assertRaises(track.Cancelled), self.run_of() as run:
            self.engine.cancelled.add(run.id)
            run.log(loss=1)
            self.engine.wait_for_run(lambda said: said["status"] == "cancelled")
            while True:
                run.log(loss=2)
        self.assertEqual((self.engine.points("loss"), self.waiting), ([], []))

    def test_a_run_takes_nothing_after_its_end(self) -> None:
        run = self.run_of()
        run.end("error", "diverged")
        run.end()
        self.assertEqual(self.engine.the_run()["error"], {"type": "Error", "message": "diverged"})
        with self.assertRaisesRegex(RuntimeError, "has ended"):
            run.log(loss=1)

    def test_a_cell_that_is_executed_again_ends_the_run_of_its_first_time(self) -> None:
        ids = []
        for _ in range(2):
            run = self.run_of()
            run.log(loss=1)
            ids.append(run.id)
        runs = self.engine.runs
        self.engine.wait_until(lambda: len(runs) == 2 and runs[ids[0]]["status"] == "ok")
        self.assertEqual(runs[ids[1]]["status"], "running")
        run.end()
        self.assertEqual(runs[ids[1]]["status"], "ok")

    def test_a_program_that_does_not_end_its_run_has_ended_it_as_it_ended_itself(self) -> None:
        for last, status in (
            ("", "ok"),
            ("raise ValueError('no data')", "error"),
            ("raise KeyboardInterrupt", "cancelled"),
        ):
            self.engine.runs.clear()
            self.program(f"run = track.run('fit')\nrun.log(loss=1)\n{last}")
            self.assertEqual(self.engine.the_run()["status"], status)
            if status == "error":
                self.assertEqual(self.engine.the_run()["error"]["message"], "ValueError: no data")

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_fork_sends_nothing_and_ends_nothing(self) -> None:
        self.program("""
            import os
            with track.run('fit') as run:
                run.log(loss=1)
                if os.fork() == 0:
                    run.log(loss=2)
                    raise SystemExit(0)
                os.wait()
                run.log(loss=3)
        """)
        self.assertEqual(self.engine.points("loss"), [[0, 1], [1, 3]])
        self.assertEqual(self.engine.the_run()["status"], "ok")

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_fork_waits_for_what_it_could_not_end_with(self) -> None:
        # openers are made by OpenSSL, in the thread that sends
        self.program("""
            import os, threading, time, urllib.request
            begun, made, build = threading.Event(), [], urllib.request.build_opener
            def slowly(*handlers):
                begun.set()
                time.sleep(0.2)
                made.append(build(*handlers))
                return made[0]
            urllib.request.build_opener = slowly
            with track.run('fit') as run:
                run.log(loss=1)
                begun.wait()
                if os.fork() == 0:
                    os._exit(len(made))
                run.log(loss=os.waitstatus_to_exitcode(os.wait()[1]))
        """)
        self.assertEqual(self.engine.points("loss"), [[0, 1], [1, 1]])


class SignedIn(Rules):
    def test_the_sign_in_is_that_of_the_environment_else_the_nearest_file_above(self) -> None:
        for name in ("SERVICE_URL", "SERVICE_TOKEN"):
            os.environ.pop(name)
        (self.folder / ".service").mkdir()
        sign_in = {"base_url": self.engine.url, "access_token": TOKEN}
        (self.folder / ".service" / "cli.json").write_text(json.dumps(sign_in))
        (self.folder / "notebooks" / "deep").mkdir(parents=True)
        os.chdir("notebooks/deep")
        with self.run_of():
            self.assertEqual([path.suffix for path in self.waiting], [".jsonl"])
        self.assertEqual(self.engine.the_run()["status"], "ok")

    def test_a_token_of_a_file_is_never_sent_to_another_engine(self) -> None:
        os.environ.pop("SERVICE_TOKEN")
        (self.folder / ".service").mkdir()
        sign_in = {"base_url": NOWHERE, "access_token": TOKEN}
        (self.folder / ".service" / "cli.json").write_text(json.dumps(sign_in))
        told = self.program("track.run('fit').end()")
        self.assertEqual((self.engine.requests, len(self.waiting)), ([], 1))
        self.assertIn("not signed in", told)

    def test_a_redirect_takes_no_token_along(self) -> None:
        self.engine.faults = [308]
        told = self.program("track.run('fit').end()")
        self.assertIn(f"leads to {self.engine.url}/moved: give that address", told)
        self.assertNotIn("/moved", [path for _, path, _ in self.engine.requests])


if __name__ == "__main__":
    unittest.main()
