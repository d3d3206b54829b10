"""Runs of scenarios whose time is taken: what tools/bench/partitions and tools/bench/threads share."""

import json
import resource
import subprocess


class Unusable(Exception):
    """A run that says nothing of time: its text is the reason."""


def timed_run(program, scenario, settings, threads, folder, limit):
    """CPU seconds of the whole process, and its summary. `folder` is for its results; no run takes
    longer than `limit` seconds. Exit code 1, of jobs that end early by intent, is a run as well."""
    out = folder / "out"
    command = [str(program), "run", str(scenario), "--quiet", "--out", str(out), "--threads", str(threads)]
    for setting in settings:
        command += ["--set", setting]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired as late:
        raise Unusable(f"takes longer than {limit} s") from late
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        reasons = done.stderr.strip().splitlines()
        raise Unusable(reasons[0] if reasons else f"exit code {done.returncode}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, json.loads((out / "summary.json").read_text())
