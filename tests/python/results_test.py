"""Results: views of memory, DataFrames, what travels, what notebooks show."""

import multiprocessing
import os
import pickle
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
import xml.etree.ElementTree

import numpy as np
import pandas as pd
import weft
from common import DOCUMENT, IN_CAST, SOURCE
from weft import charts


def digest_of(scenario: weft.Scenario) -> str:
    return scenario.run().digest


class Columns(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.results = weft.Scenario(IN_CAST).run()

    def test_they_are_views_of_the_memory_of_the_results(self) -> None:
        raw = self.results._raw
        for name in self.results.table_names:
            table = self.results.table(name)
            again = {c["name"]: c["values"] for c in raw.columns(name)}
            frame = table.to_pandas()
            for column in table:
                c = table.column(column)
                if len(table) == 0:
                    continue
                # Two views that are made one after the other lie on the same memory.
                self.assertTrue(np.shares_memory(c.values, again[column]), f"{name}.{column}")
                if c.type in ("integer", "time", "number") and c.missing is None:
                    self.assertTrue(np.shares_memory(table[column], again[column]))
                    self.assertTrue(np.shares_memory(frame[column].to_numpy(), again[column]), column)
                with self.assertRaises(ValueError):
                    c.values[0] = 0

    def test_they_keep_the_results_alive(self) -> None:
        values = weft.Scenario(IN_CAST).run().messages.bytes
        self.assertEqual(values.tolist(), [256 * 1024] * 5)

    def test_times_are_picoseconds_as_int64_without_overflow(self) -> None:
        messages = self.results.messages
        self.assertEqual(messages.fct_ps.dtype, np.int64)
        np.testing.assert_array_equal(messages.fct_ps, messages.completion_ps - messages.start_ps)
        late = weft.Scenario(DOCUMENT).set("jobs[0].start", "9000s").run()
        self.assertGreaterEqual(late.jobs.end_ps[0], 9000 * 10**12)
        frame = late.jobs.to_pandas()
        self.assertEqual(int(frame["end_ps"][0]), int(late.jobs.end_ps[0]))

    def test_frames_have_units_and_categories(self) -> None:
        frame = self.results.messages.to_pandas()
        self.assertEqual(frame.attrs["units"]["fct_ps"], "ps")
        self.assertEqual(frame.attrs["units"]["bytes"], "bytes")
        self.assertEqual(frame.attrs["table"], "messages")
        self.assertIn("flow completion time", frame.attrs["meanings"]["fct_ps"])
        self.assertEqual(list(frame["job"]), ["in"] * 5)
        self.assertEqual(str(frame["job"].dtype), "category")

    def test_what_is_missing_is_missing(self) -> None:
        cut = weft.Scenario(DOCUMENT).set({"run.until": "10us", "jobs[0].size": "1MiB"}).run()
        self.assertEqual(cut.outcome, "horizon")
        fct = cut.messages.column("fct_ps")
        self.assertIsNotNone(fct.missing)
        self.assertTrue(fct.missing.all())
        frame = cut.messages.to_pandas()
        self.assertTrue(frame["fct_ps"].isna().all())
        self.assertEqual(str(frame["fct_ps"].dtype), "Int64")
        self.assertTrue(np.isnan(cut.messages.slowdown).all())

    def test_tables_that_a_run_does_not_have_are_named(self) -> None:
        with self.assertRaisesRegex(AttributeError, "no table 'blame'"):
            self.results.blame
        self.assertFalse(hasattr(self.results, "blame"))
        with self.assertRaisesRegex(KeyError, "no column 'fct' .* did you mean 'fct_ps'"):
            self.results.messages["fct"]
        with self.assertRaisesRegex(KeyError, "no table 'job';.* did you mean 'jobs'"):
            self.results.table("job")
        with self.assertRaisesRegex(AttributeError, "no 'job'; did you mean 'jobs'"):
            self.results.job
        self.assertIn("jobs", dir(self.results))

    def test_charts_are_well_formed_and_bars_keep_their_proportion(self) -> None:
        two = [{**DOCUMENT["jobs"][0], "name": f"n-{n}", "senders": n, "start": f"{n}ms"} for n in (1, 4)]
        results = weft.Scenario({**DOCUMENT, "jobs": two}).run()
        figures = charts.of_results(results).split("</figure>")
        jobs = xml.etree.ElementTree.fromstring(figures[0].strip() + "</figure>")
        widths = [float(bar.get("width")) for bar in jobs.iter("rect")]
        jct = results.jobs.jct_ps
        self.assertAlmostEqual(widths[0] / widths[1], jct[0] / jct[1], places=2)
        self.assertIn("n-4", "".join(jobs.itertext()))
        for figure in figures[1:-1]:
            xml.etree.ElementTree.fromstring(figure.strip() + "</figure>")

    def test_notebooks_are_shown_tables(self) -> None:
        page = self.results._repr_html_()
        self.assertIn("<th title=", page)
        self.assertIn(self.results.digest, page)
        for title in ("Time of each job", "Message completion", "Busiest ports"):
            self.assertIn(title, page)
        self.assertNotIn("Blame", page)
        jct = self.results.jobs.jct_ps[0]
        self.assertIn(f">{charts.duration(jct)}<", page)
        blamed = weft.Scenario(DOCUMENT).set("observe.blame", True).run()
        shares = blamed.blame.to_pandas().groupby("cause", observed=True)["time_ps"].sum()
        largest = shares.idxmax()
        self.assertIn(f"in: {largest}<", blamed._repr_html_())
        self.assertIn(f">{100 * shares.max() / shares.sum():.1f} %<", blamed._repr_html_())
        odd = weft.Scenario({**DOCUMENT, "jobs": [{**DOCUMENT["jobs"][0], "name": "a.b"}]}).run()
        self.assertIn("a.b", odd._repr_html_())


class Travelling(unittest.TestCase):
    def test_scenarios_and_results_are_pickled(self) -> None:
        scenario = weft.Scenario(SOURCE / "scenarios" / "incast.yaml").set("jobs[0].size", "64KiB")
        results = scenario.run()
        self.assertEqual(pickle.loads(pickle.dumps(scenario)).run().digest, results.digest)
        same = pickle.loads(pickle.dumps(results))
        self.assertEqual(same.digest, results.digest)
        pd.testing.assert_frame_equal(same.jobs.to_pandas(), results.jobs.to_pandas())
        with self.assertRaises(weft.ScenarioError):
            weft._weft.Results.from_bytes(b"nothing of the kind")

    def test_processes_run_scenarios(self) -> None:
        scenarios = [weft.Scenario(DOCUMENT).set("jobs[0].senders", n) for n in (2, 3, 4)]
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            self.assertEqual(pool.map(digest_of, scenarios), [digest_of(s) for s in scenarios])


class Many(unittest.TestCase):
    def test_a_sweep_is_a_frame_whose_numbers_do_not_depend_on_workers(self) -> None:
        axes = {"jobs[0].senders": [2, 4], "seed": [1, 2]}
        one = weft.sweep(DOCUMENT, axes, workers=1)
        three = weft.sweep(weft.Scenario(DOCUMENT), axes, workers=3)
        self.assertEqual(list(one["jobs[0].senders"]), [2, 2, 4, 4])
        self.assertEqual(list(one["digest"]), list(three["digest"]))
        self.assertEqual(set(one["outcome"]), {"finished"})
        jct = one["jobs.in.jct_seconds"]
        self.assertLess(jct[0], jct[2])
        direct = weft.Scenario(DOCUMENT).set("jobs[0].senders", 2).set("seed", 1).run()
        self.assertEqual(jct[0], weft.numbers_of(direct)["jobs.in.jct_seconds"])

    def test_points_metrics_and_errors_of_a_sweep(self) -> None:
        frame = weft.sweep(
            DOCUMENT,
            [{"jobs[0].size": "64KiB"}, {"jobs[0].size": "apples"}],
            metrics=lambda results: {"last": int(results.messages.fct_ps.max())},
        )
        self.assertEqual(list(frame["outcome"]), ["finished", "error"])
        self.assertIn("jobs[0].size", frame["error"][1])
        self.assertGreater(frame["last"][0], 0)

    def test_warnings_of_a_sweep_are_kept_by_row(self) -> None:
        points = [{"fabric.ecn.kmin": kmin, "fabric.ecn.kmax": "12MB"} for kmin in ("100KB", "6MB")]
        frame = weft.sweep(DOCUMENT, points, metrics=[])
        self.assertEqual(list(frame["warnings"] > 0), [False, True])
        self.assertEqual(list(frame.attrs["warnings"]), [1])
        self.assertIn("only after PFC has paused", frame.attrs["warnings"][1][0])

    def test_a_metric_that_no_point_has_is_warned_of(self) -> None:
        with self.assertWarnsRegex(weft.WeftWarning, "no run has a number 'jobs.in.jct'.*did you mean 'jobs.in.jct_seconds'"):
            frame = weft.sweep(DOCUMENT, {"seed": [1]}, metrics=["jobs.in.jct", "jobs.in.jct_seconds"])
        self.assertTrue(frame["jobs.in.jct"].isna().all())
        self.assertGreater(frame["jobs.in.jct_seconds"][0], 0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            weft.sweep(DOCUMENT, {"seed": [1]}, metrics=["jobs.in.jct_seconds"])
            weft.sweep(DOCUMENT, {"jobs[0].size": ["apples"]}, metrics=["jobs.in.jct"])

    def test_ctrl_c_stops_the_runs_of_a_sweep(self) -> None:
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        began = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            weft.sweep(DOCUMENT, {"jobs[0].size": ["400GiB", "401GiB"]}, metrics=[], workers=2)
        # Each of them would take an hour.
        self.assertLess(time.monotonic() - began, 60)

    def test_compare_and_explain(self) -> None:
        scenario = weft.Scenario(DOCUMENT).set("observe.blame", True)
        first = scenario.run()
        second = scenario.copy().set("jobs[0].size", "512KiB").run()
        self.assertFalse(weft.compare(first, first).has_differences)
        comparison = weft.compare(first, second)
        self.assertIn("jobs[0].size", str(comparison))
        # Where results were for a moment is nobody's business.
        self.assertIn("A: 0-few\nB: 1-few\n", str(comparison))
        self.assertNotIn(tempfile.gettempdir(), str(comparison) + str(comparison.data))
        self.assertIn("Along its critical path", weft.explain(first))
        self.assertTrue(weft.explain(first, second))
        with self.assertRaisesRegex(weft.ScenarioError, "observe.blame"):
            weft.explain(weft.Scenario(DOCUMENT).run())
        with tempfile.TemporaryDirectory() as folder:
            place = first.write(os.path.join(folder, "first"))
            self.assertEqual(weft.explain(place), weft.explain(first))
            self.assertFalse(weft.compare(place, first).has_differences)

    @unittest.skipIf(os.environ.get("WEFT_SANITIZED"), "a sanitizer keeps memory of its own")
    def test_hundred_runs_leave_memory_flat(self) -> None:
        def used() -> int:
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        scenario = weft.Scenario(DOCUMENT)
        for _ in range(20):
            scenario.run()
        before = used()
        for _ in range(100):
            scenario.run()
        # A run takes some megabytes while it lasts; a leak of one table each would be seen.
        self.assertLess(used() - before, 8 << 20)


@unittest.skipIf(os.environ.get("WEFT_SANITIZED"), "a sanitizer keeps memory of its own")
class Large(unittest.TestCase):
    """A DataFrame of many messages: its numbers are views, so it takes little beside the results."""

    # WEFT_MESSAGES=1000000, as the full tests have it.
    MESSAGES = int(os.environ.get("WEFT_MESSAGES", "20000"))

    def test_a_frame_of_many_messages_takes_little_beside_the_results(self) -> None:
        def used() -> int:
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        rounds = self.MESSAGES // 20
        jobs = [{"name": "in", "type": "incast", "senders": 20, "receiver": 0, "size": "64B", "rounds": rounds}]
        racks = {"count": 1, "servers": 24, "server": "host-400g"}
        scenario = weft.Scenario({**DOCUMENT, "racks": racks, "jobs": jobs}).set("observe.messages", True)
        scenario.copy().set("jobs[0].rounds", 2).run().messages.to_pandas()  # what is imported once
        before = used()
        results = scenario.run(threads=1)
        after_run = used()
        start = time.perf_counter()
        frame = results.messages.to_pandas()
        seconds = time.perf_counter() - start
        own = used() - after_run
        self.assertEqual(len(frame), 20 * rounds)
        # All but the codes of texts, which pandas copies into integers of its own size.
        numbers = [name for name in frame if results.messages.column(name).type != "text"]
        for name in numbers:
            column = results.messages.column(name)
            values = frame[name].to_numpy() if column.missing is None else frame[name].array._data
            self.assertTrue(np.shares_memory(values, column.values), name)
        bytes_of_columns = sum(results.messages.column(name).values.nbytes for name in frame)
        print(
            f"{len(frame):,} messages: a run of {results.wall_seconds:.2f} s, {(after_run - before) / 2**20:.0f} MiB with "
            f"results, of which columns {bytes_of_columns / 2**20:.0f}; a frame in {1e3 * seconds:.1f} ms, "
            f"{own / 2**20:.1f} MiB more",
            file=sys.stderr,
        )
        self.assertLess(own, bytes_of_columns / 4 + (4 << 20))


class Stored(unittest.TestCase):
    @unittest.skipUnless(os.environ.get("WEFT_PROGRAM"), "needs the command line, which stores sweeps")
    def test_sweeps_of_the_command_line_are_read(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "few.yaml")
            sweep = os.path.join(folder, "senders.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(IN_CAST)
            with open(sweep, "w", encoding="utf-8") as file:
                file.write("name: senders\nscenario: few.yaml\n")
                file.write("axes: [{name: senders, path: 'jobs[0].senders', values: [2, 4]}]\n")
            subprocess.run(
                [os.environ["WEFT_PROGRAM"], "sweep", sweep, "--quiet"], cwd=folder, check=True
            )
            stored = [
                os.path.join(place, name)
                for place, _, names in os.walk(folder)
                for name in names
                if name.endswith((".sqlite", ".db"))
            ]
            frame = weft.read_sweep(os.path.dirname(stored[0]))
            self.assertEqual(list(weft.read_sweep(stored[0])["digest"]), list(frame["digest"]))
            self.assertEqual(list(frame["senders"]), [2, 4])
            direct = weft.sweep(DOCUMENT, {"jobs[0].senders": [2, 4]})
            self.assertEqual(list(frame["digest"]), list(direct["digest"]))
            with sqlite3.connect(os.path.join(folder, "other.sqlite")) as other:
                other.execute("CREATE TABLE t (x)")
            with self.assertRaisesRegex(ValueError, "no database of a sweep"):
                weft.read_sweep(os.path.join(folder, "other.sqlite"))


@unittest.skipIf(os.environ.get("WEFT_SANITIZED"), "stubs are the same without a sanitizer")
class Stubs(unittest.TestCase):
    def test_they_agree_with_what_runs(self) -> None:
        package = os.path.dirname(weft.__file__)
        for name in ("tables.pyi", "keys.py", "_weft.pyi", "py.typed"):
            self.assertTrue(os.path.exists(os.path.join(package, name)), name)
        from weft import keys

        self.assertIn("fabric", keys.ScenarioKeys.__annotations__)
        try:
            import mypy  # noqa: F401
        except ImportError:
            self.skipTest("mypy is not installed")
        allowed = os.path.join(os.path.dirname(__file__), "stubtest_allowlist.txt")
        environment = {**os.environ, "MYPYPATH": os.path.dirname(package)}
        for command in (
            ["mypy.stubtest", "--allowlist", allowed, "weft.tables", "weft._weft"],
            ["mypy", "--strict", "--cache-dir=/dev/null", "-p", "weft"],
        ):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    [sys.executable, "-m", *command],
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    env=environment,
                )
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
