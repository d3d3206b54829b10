"""tools/bench/partitions: what it draws can be run, and it says where a choice was poor."""

import os
import subprocess
import tempfile
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "bench" / "partitions"
PROGRAM = os.environ["WEFT_PROGRAM"]

# Stands for weft: the partition `slow` says takes 0.3 s longer, and `wrong` has other results.
STAND_IN = """\
    #!/usr/bin/env python3
    import json, pathlib, sys, time
    arguments = sys.argv
    cut = [a for a in arguments if a.startswith("run.partition=")][-1].split("=")[1]
    folder = pathlib.Path(arguments[arguments.index("--out") + 1])
    folder.mkdir(exist_ok=True)
    begin = time.process_time()
    while cut == "{slow}" and time.process_time() < begin + 0.3:
        pass
    (folder / "summary.json").write_text(json.dumps({{
        "wall_seconds": time.process_time(), "logical_processes": {{"auto": {size}}}.get(cut, len(cut)),
        "results_sha256": "b" if cut == "{wrong}" else "a"}}))
"""


def tool(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=120)


class Partitions(unittest.TestCase):
    def test_what_a_seed_draws_is_the_same_and_valid(self):
        shown = tool("--show", "--random", "20").stdout
        self.assertEqual(shown, tool("--show", "--random", "20").stdout)
        drawn = ["name: " + text for text in shown.split("name: random-")[1:]]
        self.assertEqual(len(drawn), 20)
        self.assertEqual(len(set(text.split("\n", 2)[2] for text in drawn)), 20)
        with tempfile.TemporaryDirectory() as folder:
            for text in drawn:
                path = Path(folder) / "drawn.yaml"
                path.write_text(text.replace("name: ", "name: random-", 1))
                checked = subprocess.run([PROGRAM, "check", path], capture_output=True, text=True)
                self.assertEqual(checked.returncode, 0, text + checked.stdout + checked.stderr)

    def with_stand_in(self, slow, wrong, *arguments, size=1):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "weft"
            program.write_text(textwrap.dedent(STAND_IN).format(slow=slow, wrong=wrong, size=size))
            program.chmod(0o755)
            scenario = ROOT / "scenarios" / "incast.yaml"
            return tool(scenario, "--program", program, "--turns", "2", *arguments)

    def test_a_choice_that_takes_longer_than_another_partition_fails(self):
        for threads in "1", "2":
            done = self.with_stand_in("auto", "", "--bound", "3", "--threads", threads)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("scenarios: 1, threads: %s" % threads, done.stdout)

    def test_partitions_of_one_size_are_one(self):
        done = self.with_stand_in("auto", "", "--bound", "3", size=len("uplinks"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_choice_is_good_where_only_others_take_longer(self):
        done = self.with_stand_in("finest", "", "--bound", "3")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_partitions_with_other_results_are_an_error(self):
        done = self.with_stand_in("", "uplinks")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("different results", done.stderr)

    def test_a_scenario_that_cannot_run_is_named_with_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "wrong.yaml"
            path.write_text("name: wrong\nracks: 1\n")
            done = tool(path, "--program", PROGRAM)
        self.assertIn("not measured", done.stdout)
        self.assertIn("wrong.yaml:1:1: fabric: is missing", done.stdout)

    def test_nothing_to_run_is_wrong_usage(self):
        self.assertEqual(tool().returncode, 2)
        self.assertEqual(tool("--random", "1", "--turns", "0").returncode, 2)


if __name__ == "__main__":
    unittest.main()
