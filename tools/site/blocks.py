#!/usr/bin/env python3
"""Runs what the pages of the site tell readers to type, and compares what it prints with what the page shows.

usage: blocks.py [--full | --all] [--update] [--keep FOLDER] [PAGE...]

Blocks of a page run in order in a folder of their own, where `scenarios` are the shipped ones: `sh` in bash, `python`
in one interpreter, and a `yaml` block whose first line is `# NAME.yaml` is written to that file. A block of `text`
behind one has what it prints: a line `...` stands for any lines, and numbers that depend on the machine may differ. A
comment `<!-- full -->` before a block leaves it and what follows on its page to --full; --all runs everything.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from typing import Any

SITE = pathlib.Path(__file__).resolve().parent
ROOT = SITE.parents[1]
BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))
RUN = ("sh", "python", "yaml")
# Of other languages nothing runs: text shows, bash needs a bare machine or a network, the others are Sphinx's.
SHOWN = ("text", "bash", "cpp", "cmake")

# What depends on the machine, the clock and the load: left out of comparisons.
MACHINE = [
    (re.compile(r"in [\d.,]+ (?:ns|us|ms|s|min) of wall time: ([\d,]+) packet-hops.*"), r"in TIME: \1 packet-hops"),
    (re.compile(r"[\d.,]+ (?:KiB|MiB|GiB|MB|GB) of memory"), "MEMORY of memory"),
    (re.compile(r"(?:some |about )?[\d.,]+ (?:us|ms|s|min) of (?:wall|processor) time"), "TIME"),
]


@dataclass
class Block:
    language: str
    text: str
    line: int
    is_full: bool
    shown: str | None = None
    """What the page says that it prints."""
    place: tuple[int, int] = (0, 0)
    """The lines of that."""


def blocks_of(path: pathlib.Path) -> list[Block]:
    lines = path.read_text(encoding="utf-8").splitlines()
    blocks: list[Block] = []
    is_full = False
    i = 0
    while i < len(lines):
        if lines[i].strip() == "<!-- full -->":
            is_full = True
        found = re.match(r"^```(\S*)", lines[i])
        if not found:
            i += 1
            continue
        end = i + 1
        while end < len(lines) and lines[end] != "```":
            end += 1
        text = "\n".join(lines[i + 1 : end])
        language = found[1]
        if language in RUN:
            blocks.append(Block(language, text, i + 1, is_full))
        elif language == "text" and blocks and blocks[-1].shown is None and not lines[i - 1].startswith("<!-- not"):
            blocks[-1].shown = text
            blocks[-1].place = (i + 1, end)
        elif language not in SHOWN and not language.startswith("{"):
            raise SystemExit(f"{path}:{i + 1}: a block of {language!r} is run by nobody")
        i = end + 1
    return blocks


def comparable(text: str) -> str:
    for pattern, word in MACHINE:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def is_shown(shown: str, printed: str) -> bool:
    pattern = "\n".join(
        r"(?:.*\n)*?.*" if line.strip() == "..." else re.escape(line) for line in comparable(shown).splitlines()
    )
    return re.fullmatch(pattern, comparable(printed)) is not None


class Page:
    """The folder and the interpreter of a page."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        os.symlink(ROOT / "scenarios", folder / "scenarios")
        os.symlink(ROOT / "tests" / "operators", folder / "operators")

    def run(self, block: Block) -> str:
        if block.language == "yaml":
            found = re.match(r"^# (\S+\.yaml)\b", block.text)
            if not found:
                raise ValueError("the first line names no file")
            (self.folder / found[1]).write_text(block.text + "\n", encoding="utf-8")
            return ""
        if block.language == "sh":
            environment = {**os.environ, "PATH": f"{BUILD}:/usr/bin:/bin"}
            done = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", block.text],
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
            )
            if done.returncode != 0:
                raise ValueError(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
            return done.stdout
        return self.run_python(block.text)

    def run_python(self, text: str) -> str:
        """As in a notebook: the value of a last expression is printed."""
        out = io.StringIO()
        tree = ast.parse(text)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(out):
            exec(compile(tree, "page", "exec"), self.names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), "page", "eval"), self.names)
                if value is not None:
                    print(repr(value))
        return out.getvalue()


def processor_seconds() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def check(path: pathlib.Path, folder: pathlib.Path, wanted: str, update: bool) -> int:
    """Runs a page; how many of its blocks fail."""
    page = Page(folder)
    os.chdir(folder)
    blocks = blocks_of(path)
    if wanted == "full" and not any(block.is_full for block in blocks):
        return 0
    failures = 0
    ran = 0
    slowest = 0.0
    start = processor_seconds()
    news: list[tuple[tuple[int, int], str]] = []
    for block in blocks:
        if block.is_full and wanted == "fast":
            break
        before = processor_seconds()
        try:
            printed = page.run(block)
        except Exception as error:
            reason = str(error) if isinstance(error, ValueError) else traceback.format_exc()
            print(f"{path}:{block.line}: {reason}\n{block.text}", file=sys.stderr)
            failures += 1
            break
        ran += 1
        slowest = max(slowest, processor_seconds() - before)
        if block.shown is None or is_shown(block.shown, printed):
            continue
        if update and "\n...\n" not in f"\n{block.shown}\n":
            news.append((block.place, printed))
            continue
        failures += 1
        print(f"{path}:{block.place[0]}: the page shows\n{block.shown}\nand this is printed\n{printed}", file=sys.stderr)
    if news:
        lines = path.read_text(encoding="utf-8").splitlines()
        for (first, end), printed in reversed(news):
            lines[first:end] = [line.rstrip() for line in printed.strip("\n").splitlines()]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    spent = processor_seconds() - start
    if ran:
        print(
            f"{os.path.relpath(path, SITE)}: {ran} of {len(blocks)} blocks, {spent:.1f} s of processor time, at most {slowest:.1f}",
            file=sys.stderr,
        )
    return failures


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--full", action="store_const", const="full", dest="wanted", default="fast")
    options.add_argument("--all", action="store_const", const="all", dest="wanted")
    options.add_argument("--update", action="store_true")
    options.add_argument("--keep", type=pathlib.Path)
    options.add_argument("pages", nargs="*", type=pathlib.Path)
    given = options.parse_args()
    sys.path.insert(0, str(BUILD / "python"))
    pages = [page.resolve() for page in given.pages] or sorted(path for path in SITE.rglob("*.md") if path.name != "README.md")
    failures = 0
    if given.keep is not None:
        given.keep.mkdir(parents=True)
        return 1 if check(pages[0], given.keep.resolve(), "all", given.update) else 0
    for path in pages:
        with tempfile.TemporaryDirectory(prefix="weft-page-") as folder:
            failures += check(path, pathlib.Path(folder), given.wanted, given.update)
            os.chdir("/")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
