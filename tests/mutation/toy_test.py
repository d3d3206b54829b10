#!/usr/bin/python3
"""The tool on a toy: which mutants there are, which are reached, and which survive."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
try:
    import clang.cindex  # noqa: F401
except ImportError:
    sys.exit(print("skipped: python3-clang is not installed") or 3)
import campaign  # noqa: E402
import mutants  # noqa: E402

HERE = Path(__file__).resolve().parent
# The larger of two that are equal is either.
SURVIVORS = {"a < b -> a <= b"}
UNREACHED = {"n >= 3 -> n > 3", "inline bool is_never_called(int n) { return n >= 3; } -> "
             "inline bool is_never_called(int n) { return n >= 3 + 1; }"}


class Toy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        folder = Path(cls.folder.name)
        source = HERE / "toy"
        file = mutants.files_of(source, ["toy.hpp"], ["-xc++", "-std=c++20"])[0]
        cls.found = file.mutants()
        for number, mutant in enumerate(cls.found):
            mutant.number = number
        (folder / "toy.hpp").write_bytes(mutants.mutated(file.source, cls.found))
        (folder / "toy_test.cpp").write_bytes((source / "toy_test.cpp").read_bytes())
        program = folder / "toy_test"
        subprocess.run(["g++", "-std=c++20", "-w", "-include", HERE / "mutant.hpp", folder / "toy_test.cpp", "-o",
                        program, "-lgtest", "-lgtest_main", "-lpthread"], check=True)
        cls.programs = {"toy": program}
        cls.tests = campaign.recorded(cls.programs, 2)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def reaching(self, mutant):
        return [test for test in self.tests if mutant.number in test.reached]

    def test_tests_pass_without_a_mutant(self):
        self.assertEqual(len(self.tests), 5)

    def test_every_kind_of_change_is_found(self):
        found = {mutant.text() for mutant in self.found}
        for change in ["a < b -> a <= b", "total_ += n -> total_ -= n", "log(n); -> ;", "if (a < b) -> if (!(a < b))",
                       "total_ > limit && !entries_.empty() -> total_ > limit || !entries_.empty()",
                       "std::min(n, 9) -> std::max(n, 9)", "highest_class(bits) -> lowest_class(bits)",
                       "n != 0 -> n == 0", "int total_ = 0; -> int total_ = 0 + 1;"]:
            self.assertIn(change, found)

    def test_a_call_is_all_of_an_expression(self):
        self.assertTrue(mutants.is_one_call("std::min(f(a), b)"))
        self.assertFalse(mutants.is_one_call("std::min(a, b).count()"))
        self.assertFalse(mutants.is_one_call("std::min(a, b) - std::min(c, d)"))

    def test_constants_are_left_alone(self):
        for change in [mutant.text() for mutant in self.found if self.reaching(mutant)]:
            self.assertNotIn("kSquares", change)
            self.assertNotIn("2 + 3", change)

    def test_survivors_are_those_that_no_test_can_tell(self):
        survivors, unreached = set(), set()
        for mutant in self.found:
            tests = self.reaching(mutant)
            if not tests:
                unreached.add(mutant.text())
            elif campaign.killer(mutant.number, tests, self.programs, 10, slack=5) is None:
                survivors.add(mutant.text())
        self.assertEqual(survivors, SURVIVORS)
        self.assertLessEqual(UNREACHED, unreached)

    def test_a_time_out_kills(self):
        endless = next(mutant for mutant in self.found if mutant.text() == "n -= 1 -> n += 1")
        said = campaign.killer(endless.number, self.reaching(endless), self.programs, 10, slack=1)
        self.assertIn("takes longer", said)


if __name__ == "__main__":
    unittest.main()
