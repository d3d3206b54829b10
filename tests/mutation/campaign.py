"""Builds a tree that contains all mutants, and runs the tests that reach one."""

import collections
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import mutants as m

ROOT = Path(__file__).resolve().parents[2]
TARGETS = ("protocols/link/", "protocols/switch/", "protocols/host/", "protocols/transports/",
           "protocols/congestion/", "protocols/path_selection/", "collectives/algorithms/")
PROGRAMS = "protocols,collectives,oracles,engines,properties"


def say(text):
    print(f"mutate: {text}", flush=True)


def parsed(paths):
    files = m.files_of(ROOT, paths, ["-xc++", "-std=c++20", f"-I{ROOT}", "-DNDEBUG"])
    return [mutant for file in files for mutant in file.mutants()]


class Tree:
    """build-mutation/: the project with all mutants, and its programs."""

    def __init__(self, folder, programs, jobs):
        self.folder, self.jobs = folder, jobs
        self.programs = {name: folder / "build" / f"test_{name}_fast" for name in programs.split(",")}
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True,
                                capture_output=True, check=True).stdout.split("\n")
        self.files = sorted(f for f in listed if f and (ROOT / f).is_file() and not (ROOT / f).is_symlink())
        self.targets = [f for f in self.files if f.startswith(TARGETS) and f.endswith((".hpp", ".cpp"))
                        and not re.search(r"_(schema|config)\.|/list\.|/specs\.|/refusals\.", f)]
        digest = hashlib.sha256(programs.encode())
        for name in self.files:
            if name.endswith((".hpp", ".cpp", ".yaml", ".py", "CMakeLists.txt")):
                digest.update(name.encode() + (ROOT / name).read_bytes())
        self.key = digest.hexdigest()

    def remembered(self, name, make):
        """A value as JSON, of this very state of the project."""
        path = self.folder / name
        if path.is_file():
            value = json.loads(path.read_text())
            if value["key"] == self.key:
                return value["value"]
        value = make()
        self.folder.mkdir(exist_ok=True)
        path.write_text(json.dumps({"key": self.key, "value": value}))
        return value

    def find(self):
        say(f"looks for mutants in {len(self.targets)} sources")
        groups = [[f for f in self.targets if f.startswith(folder)] for folder in ("protocols/", "collectives/")]
        with concurrent.futures.ProcessPoolExecutor(self.jobs) as pool:
            found = [mutant for part in pool.map(parsed, groups) for mutant in part]
        for number, mutant in enumerate(found):
            mutant.number = number
        return found

    def write(self, found):
        by_file = collections.defaultdict(list)
        for mutant in found:
            by_file[mutant.file].append(mutant)
        for place in (self.folder / "source").rglob("*"):  # what has moved or gone since
            if place.is_file() and str(place.relative_to(self.folder / "source")) not in self.files:
                place.unlink()
        for name in self.files:
            source, place = (ROOT / name).read_bytes(), self.folder / "source" / name
            if name in by_file:
                source = m.mutated(source, by_file[name])
            if place.is_file() and place.read_bytes() == source:
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(source)
            place.chmod((ROOT / name).stat().st_mode)

    def compile(self):
        """Its output, empty if all is well."""
        source, build = self.folder / "source", self.folder / "build"
        flags = f"-O1 -DNDEBUG -w -include {source}/tests/mutation/mutant.hpp"
        configure = ["cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                     f"-DCMAKE_CXX_FLAGS_RELEASE={flags}"]
        if subprocess.run(["which", "ccache"], capture_output=True).returncode == 0:
            configure.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
        programs = [program.name for program in self.programs.values()]
        done = subprocess.run(["nice", "ninja", "-k", "0", "-j", str(self.jobs), "-C", build, *programs],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout if done.returncode else ""

    def build(self):
        """Compiles what can be compiled; returns the mutants in it."""
        found = self.find()
        while True:
            self.write(found)
            say(f"compiles {len(found)} mutants")
            errors = self.compile()
            if not errors:
                return [asdict(mutant) for mutant in found]
            named = set(re.findall(rf"{self.folder}/source/(\S+?):(\d+):\d+: error", errors))
            named = named or set(re.findall(rf"{self.folder}/source/(\S+?):(\d+)", errors))
            kept = [x for x in found if (x.file, str(x.line)) not in named and not self.spans(x, named)]
            if len(kept) == len(found):
                raise SystemExit(errors[-8000:] + "\nmutate: the tree does not compile")
            say(f"drops {len(found) - len(kept)} mutants that do not compile")
            found = kept

    @staticmethod
    def spans(mutant, named):
        """Whether an error is in a line of an operation that continues over several."""
        lines = mutant.before.count(" ") and len(mutant.before) > 60
        return lines and any((mutant.file, str(mutant.line + i)) in named for i in (1, 2, 3))


@dataclass
class Test:
    program: str
    name: str
    seconds: float
    reached: list


def names_of(program):
    out = subprocess.run([program, "--gtest_list_tests"], text=True, capture_output=True, check=True).stdout
    suite, names = "", []
    for line in out.split("\n")[1:]:
        if line.startswith("  "):
            names.append(suite + line.split("#")[0].strip())
        elif line:
            suite = line.split("#")[0].strip()
    return names


def record(task):
    """One test without a mutant: its time, and the mutants that it reaches. Nothing if it fails."""
    key, program, name = task
    with tempfile.NamedTemporaryFile() as file:
        begin = time.monotonic()
        done = subprocess.run([program, f"--gtest_filter={name}"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, cwd=program.parent,
                              env={**os.environ, "WEFT_MUTANT_COVERAGE": file.name})
        seconds = time.monotonic() - begin
        reached = sorted({int(line) for line in Path(file.name).read_text().split()})
    return Test(key, name, seconds, reached) if done.returncode == 0 else Test(key, name, -1, [])


def recorded(programs, jobs):
    tasks = [(key, program, name) for key, program in programs.items() for name in names_of(program)]
    say(f"runs {len(tasks)} tests once, to see what they reach")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        tests = list(pool.map(record, tasks))
    for test in tests:
        if test.seconds < 0:
            say(f"leaves out {test.name}, which fails without a mutant")
    return [test for test in tests if test.seconds >= 0]


def chunks(tests, budget):
    """The fastest tests first, by program; those beyond the budget are left out."""
    chosen, spent = [], 0.0
    for test in sorted(tests, key=lambda t: (t.seconds, t.name)):
        spent += test.seconds
        if spent > budget and chosen:
            break
        chosen.append(test)
    for part in (chosen[:40], chosen[40:]):
        by_program = collections.defaultdict(list)
        for test in part:
            by_program[test.program].append(test)
        yield from by_program.items()


def killer(number, tests, programs, budget, slack=20):
    """The first test that fails with this mutant on, or none."""
    for key, part in chunks(tests, budget):
        limit = slack + 5 * sum(test.seconds for test in part)
        command = [programs[key], "--gtest_fail_fast", "--gtest_filter=" + ":".join(t.name for t in part)]
        try:
            done = subprocess.run(command, text=True, errors="replace", stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, cwd=programs[key].parent, timeout=limit,
                                  env={**os.environ, "WEFT_MUTANT": str(number)})
        except subprocess.TimeoutExpired:
            return f"{key} takes longer than {limit:.0f} s"
        if done.returncode != 0:
            failed = re.findall(r"\[  FAILED  \] (\S+?),? ", done.stdout) or \
                re.findall(r"\[ RUN      \] (\S+)", done.stdout)[-1:]
            return f"{key}: {failed[0] if failed else 'ended'}"
    return None
