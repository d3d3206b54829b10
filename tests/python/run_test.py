"""Scenarios and their runs."""

import contextlib
import io
import logging
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import sanitized
import weft
from common import DOCUMENT, IN_CAST, README_DIGEST, SOURCE


class Scenarios(unittest.TestCase):
    def test_a_file_a_text_and_a_dict_run_to_the_same(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "few.yaml"
            path.write_text(IN_CAST)
            of_file = weft.Scenario(path).run()
        of_text = weft.Scenario(IN_CAST).run()
        of_dict = weft.Scenario(DOCUMENT).run()
        self.assertEqual(of_file.digest, of_text.digest)
        self.assertEqual(of_dict.digest, of_text.digest)
        self.assertEqual(of_text.outcome, "finished")

    def test_the_readme_in_cast_has_the_digest_that_it_prints(self) -> None:
        self.assertIn(README_DIGEST, (SOURCE / "README.md").read_text())
        results = weft.Scenario(SOURCE / "scenarios" / "incast.yaml").run()
        self.assertEqual(results.digest, README_DIGEST)

    def test_set_takes_paths_dicts_and_numbers_and_leaves_copies_alone(self) -> None:
        base = weft.Scenario(DOCUMENT)
        changed = base.copy().set("jobs[0].senders", 3).set({"seed": 4, "jobs[0].size": "64KiB"})
        self.assertEqual(changed.changes, ["jobs[0].senders=3", "seed=4", "jobs[0].size=64KiB"])
        self.assertEqual(base.changes, [])
        self.assertEqual(len(changed.run().messages), 3)
        self.assertEqual(len(base.run().messages), 5)

    def test_check_and_estimate(self) -> None:
        check = weft.Scenario(IN_CAST).check()
        self.assertEqual((check.hosts, check.switches, check.ranks), (8, 4, 6))
        self.assertIn("few is valid", str(check))
        estimate = weft.Scenario(IN_CAST).estimate(ideal=True)
        self.assertGreater(estimate.jobs[0]["ideal_seconds"], 26.2e-6)

    def test_to_yaml_is_the_same_scenario(self) -> None:
        scenario = weft.Scenario(IN_CAST).set("jobs[0].size", "64KiB")
        again = weft.Scenario(scenario.to_yaml())
        # Nor is anybody warned of defaults that weft itself wrote out.
        with warnings.catch_warnings():
            warnings.simplefilter("error", weft.WeftWarning)
            self.assertEqual(again.run().digest, scenario.run().digest)
        self.assertEqual(again.to_yaml(), scenario.to_yaml())
        with self.assertWarnsRegex(weft.WeftWarning, "pxn.chunk .* has no effect"):
            again.copy().set("pxn.chunk", "1MiB").run()

    def test_the_schema_knows_what_a_scenario_says(self) -> None:
        self.assertIn('"fabric"', weft.scenario_schema())


class Shipped(unittest.TestCase):
    def test_shipped_scenarios_are_found_by_name(self) -> None:
        self.assertTrue(os.path.samefile(weft.shipped("incast"), SOURCE / "scenarios" / "incast.yaml"))
        self.assertTrue(os.path.isdir(os.path.join(weft.shipped(), "sweeps")))
        self.assertTrue(os.path.isfile(weft.shipped("sweeps/loss")))
        with self.assertRaisesRegex(FileNotFoundError, "'incst'; there are .*; did you mean 'incast'"):
            weft.shipped("incst")


class Errors(unittest.TestCase):
    def test_they_carry_place_and_suggestion(self) -> None:
        scenario = weft.Scenario(IN_CAST.replace("seed:", "sede:"), filename="odd.yaml")
        with self.assertRaises(weft.ScenarioError) as raised:
            scenario.check()
        error = raised.exception
        self.assertEqual((error.file, error.line, error.column), ("odd.yaml", 2, 1))
        self.assertEqual((error.key, error.suggestion), ("sede", "seed"))
        self.assertIn("odd.yaml:2:1: sede:", str(error))
        self.assertIsInstance(error, ValueError)
        same = pickle.loads(pickle.dumps(error))
        self.assertEqual(same.problems, error.problems)

    def test_of_a_dict_they_carry_the_key(self) -> None:
        wrong = {**DOCUMENT, "jobs": [{**DOCUMENT["jobs"][0], "size": "12 apples"}]}
        with self.assertRaises(weft.ScenarioError) as raised:
            weft.Scenario(wrong).run()
        self.assertEqual(raised.exception.key, "jobs[0].size")

    def test_files_that_are_not_there_and_things_that_are_no_scenario(self) -> None:
        with self.assertRaises(weft.ScenarioError) as raised:
            weft.Scenario("/nowhere/at/all.yaml")
        self.assertIn("/nowhere/at/all.yaml", str(raised.exception))
        with self.assertRaises(TypeError):
            weft.Scenario({"name": object()})
        with self.assertRaises(TypeError):
            weft.Scenario({1: "name"})
        with self.assertRaises(ValueError):
            weft.Scenario(IN_CAST).run(engine="guess")

    def test_a_run_that_would_not_fit_is_refused(self) -> None:
        with self.assertRaises(weft.RunError):
            weft.Scenario(IN_CAST).run(memory_limit=1_000_000)


class Reports(unittest.TestCase):
    """Which reports of sanitizers count (sanitized.py)."""

    OURS = "Direct leak of 8 byte(s)\n    #0 0x1 in malloc\n    #1 0x2 in weft::api::run (/b/libweft.so.0+0x2)\n"
    THEIRS = "Direct leak of 8 byte(s)\n    #0 0x1 in malloc\n    #1 0x2 in PyList_New (/usr/bin/python3.11+0x2)\n"
    FOR_LIFE = OURS + "    #2 0x3 in PyInit__weft (/b/_weft.cpython-311.so+0x3)\n"

    def test_they_count_with_a_frame_of_weft(self) -> None:
        self.assertEqual(sanitized.findings(self.THEIRS + self.OURS + self.FOR_LIFE), [self.OURS])
        race = "WARNING: ThreadSanitizer: data race (pid=1)\n    #0 f (/b/libweft.so.0+0x1)\n"
        self.assertEqual(len(sanitized.findings(race + "WARNING: ThreadSanitizer: x\n    #0 g python3\n")), 1)


class Runs(unittest.TestCase):
    def test_threads_at_once_have_the_digests_of_runs_in_turn(self) -> None:
        sizes = ["64KiB", "256KiB", "1MiB"]
        in_turn = [weft.Scenario(IN_CAST).set("jobs[0].size", size).run().digest for size in sizes]
        at_once = [""] * len(sizes)

        def run(i: int) -> None:
            at_once[i] = weft.Scenario(IN_CAST).set("jobs[0].size", sizes[i]).run(threads=2).digest

        threads = [threading.Thread(target=run, args=(i,)) for i in range(len(sizes))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(at_once, in_turn)

    def test_the_interpreter_is_free_while_a_run_lasts(self) -> None:
        scenario = weft.Scenario(IN_CAST).set({"jobs[0].size": "64MiB"})
        done = threading.Event()
        beats = 0

        def run() -> None:
            scenario.run(threads=1)
            done.set()

        thread = threading.Thread(target=run)
        thread.start()
        while not done.wait(0.001):
            beats += 1
        thread.join()
        self.assertGreater(beats, 5)

    def test_progress_is_told_and_stops(self) -> None:
        scenario = weft.Scenario(IN_CAST).set({"jobs[0].size": "4GiB"})
        told = []

        def progress(now: dict) -> bool:
            told.append(now)
            return len(told) < 2

        results = scenario.run(threads=1, progress=progress)
        self.assertEqual(results.outcome, "interrupted")
        self.assertGreater(results.packet_hops, 0)
        self.assertGreaterEqual(told[-1]["now_ps"], told[0]["now_ps"])

    def test_a_line_of_progress_is_kept_up_to_date_and_wiped(self) -> None:
        scenario = weft.Scenario(IN_CAST).set({"jobs[0].size": "64MiB"})
        shown = io.StringIO()
        with contextlib.redirect_stderr(shown):
            scenario.run(threads=1, progress=True)
        text = shown.getvalue()
        self.assertNotIn("\n", text)
        self.assertRegex(text, r"\r *\d+ %, [0-9,.]+ us simulated")
        self.assertEqual(text.split("\r")[-1], "")
        self.assertEqual(text.split("\r")[-2].strip(), "")

    def test_what_progress_raises_comes_out_of_the_run(self) -> None:
        def progress(now: dict) -> None:
            raise LookupError("no more")

        scenario = weft.Scenario(IN_CAST).set({"jobs[0].size": "256MiB"})
        with self.assertRaisesRegex(LookupError, "no more"):
            scenario.run(threads=1, progress=progress)

    def test_ctrl_c_stops_a_run_and_keeps_what_is_complete(self) -> None:
        scenario = weft.Scenario(IN_CAST).set({"jobs[0].size": "4GiB"})
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(weft.Interrupted) as raised:
            scenario.run(threads=1)
        results = raised.exception.results
        self.assertIsInstance(raised.exception, KeyboardInterrupt)
        self.assertEqual(results.outcome, "interrupted")
        self.assertGreater(results.packet_hops, 1000)
        self.assertEqual(len(results.jobs), 1)

    def test_the_fluid_engine_runs_as_often_as_one_likes(self) -> None:
        first = weft.Scenario(IN_CAST).run(engine="fluid")
        second = weft.Scenario(IN_CAST).run(engine="fluid")
        self.assertEqual(first.engine, "fluid")
        self.assertEqual(first.digest, second.digest)

    def test_warnings_and_logging(self) -> None:
        scenario = weft.Scenario(IN_CAST).set("observe.queues.ports", "all")
        with self.assertWarnsRegex(weft.WeftWarning, "folder of the results"):
            with self.assertLogs("weft", logging.INFO) as logged:
                scenario.run()
        self.assertIn("packet-hops", logged.output[0])

    def test_nothing_is_written_unless_asked_for(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            code = f"import weft; weft.Scenario({str(SOURCE / 'scenarios' / 'incast.yaml')!r}).run()"
            subprocess.run(
                [sys.executable, "-c", code], cwd=folder, check=True, env={**os.environ, "PATH": "/nowhere"}
            )
            self.assertEqual(os.listdir(folder), [])
            place = os.path.join(folder, "few")
            results = weft.Scenario(IN_CAST).run(folder=place)
            self.assertEqual(results.folder, place)
            self.assertIn("summary.json", os.listdir(place))


if __name__ == "__main__":
    warnings.simplefilter("default")
    unittest.main()
