#!/usr/bin/env python3
"""Runs tests of the package under a sanitizer that Python loads first (WEFT_PRELOADED). A report counts if weft is on its
stack: what Python and its libraries leak is theirs. usage: sanitized.py MODULE"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Of every finding one: an error, a leak, a race.
BEGINNINGS = r"==\d+==ERROR: AddressSanitizer|(?:Direct|Indirect) leak of|WARNING: ThreadSanitizer|.*: runtime error:"
FRAME = re.compile(r"#\d+ .*(?:libweft\.so|_weft\.cpython|weft-fluid)")
# What lives as long as the interpreter is not given back when it ends.
OURS_FOR_LIFE = "PyInit__weft"


def findings(text: str) -> list[str]:
    """The reports of a log that have a frame of weft."""
    begins = [match.start() for match in re.finditer(BEGINNINGS, text)]
    reports = [text[begin:end] for begin, end in zip(begins, [*begins[1:], len(text)])]
    return [report for report in reports if FRAME.search(report) and OURS_FOR_LIFE not in report]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        environment = {
            **os.environ,
            "LD_PRELOAD": os.environ["WEFT_PRELOADED"],
            # A leak is found when its process ends. Memory that is given back is kept for a moment alone, or what
            # looks at the memory of a process would see it grow.
            "ASAN_OPTIONS": f"detect_leaks=1:quarantine_size_mb=1:log_path={log}:log_exe_name=0",
            "LSAN_OPTIONS": "exitcode=0",
            "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={log}",
            "TSAN_OPTIONS": f"exitcode=0:log_path={log}",
            "PYTHONMALLOC": "malloc",
            "WEFT_SANITIZED": "1",
        }
        done = subprocess.run([sys.executable, "-B", "-m", "unittest", sys.argv[1]], env=environment)
        texts = [path.read_text(errors="replace") for path in pathlib.Path(folder).iterdir()]
    found = [report for text in texts for report in findings(text)]
    for report in found:
        print(report)
    print(f"{sys.argv[1]}: {len(found)} reports with weft on the stack, {len(texts)} logs")
    return 1 if found or done.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
