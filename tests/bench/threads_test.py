"""tools/bench/threads: how many times as fast several threads are, and that results stay the same."""

import os
import subprocess
import tempfile
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "bench" / "threads"
PROGRAM = os.environ["WEFT_PROGRAM"]

# Stands for weft: the second run with a number of threads is the quicker one, by a second.
STAND_IN = """\
    #!/usr/bin/env python3
    import json, pathlib, sys
    arguments = sys.argv
    threads = int(arguments[arguments.index("--threads") + 1])
    folder = pathlib.Path(arguments[arguments.index("--out") + 1])
    folder.mkdir(exist_ok=True)
    before = folder / f"{threads}"
    wall = 12 / threads + (0 if before.exists() else 1)
    before.touch()
    result = {"wall_seconds": wall, "logical_processes": 7, "results_sha256": DIGEST}
    if threads > 1:
        result["thread_seconds"] = {"busy": [3] * threads, "idle": [wall / 4] * threads, "imbalance": 1.25}
    (folder / "summary.json").write_text(json.dumps(result))
"""


def tool(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=240)


class Threads(unittest.TestCase):
    def with_stand_in(self, digest, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "weft"
            program.write_text(textwrap.dedent(STAND_IN).replace("DIGEST", digest))
            program.chmod(0o755)
            return tool(ROOT / "scenarios" / "incast.yaml", "--program", program, *arguments)

    def test_the_quickest_runs_are_compared(self):
        done = self.with_stand_in("'a'", "--threads", "1,4")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = [line.split() for line in done.stdout.splitlines() if line.startswith("incast")]
        self.assertEqual([row[:3] for row in rows], [["incast", "1", "12.00"], ["incast", "4", "3.00"]])
        self.assertEqual(rows[0][4:], ["1.00", "7"])
        self.assertEqual(rows[1][4:], ["4.00", "7", "25%", "1.25"])

    def test_results_that_depend_on_threads_are_an_error(self):
        done = self.with_stand_in("str(threads)", "--threads", "1,4")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("results depend on the number of threads", done.stderr)

    def test_a_shipped_scenario_is_measured(self):
        done = tool(ROOT / "scenarios" / "incast.yaml", "--program", PROGRAM, "--threads", "1,2", "--turns", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(sum(line.startswith("incast") for line in done.stdout.splitlines()), 2)

    def test_a_scenario_that_cannot_run_is_named_with_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "wrong.yaml"
            path.write_text("name: wrong\nracks: 1\n")
            done = tool(path, "--program", PROGRAM)
        self.assertEqual(done.returncode, 1)
        self.assertIn("wrong.yaml:1:1: fabric: is missing", done.stdout)

    def test_no_thread_is_wrong_usage(self):
        self.assertEqual(tool("--threads", "0").returncode, 2)
        self.assertEqual(tool("--threads", "two").returncode, 2)


if __name__ == "__main__":
    unittest.main()
