#!/usr/bin/env python3
"""The site: every block of its pages prints what they show, it builds without a warning or a broken link, readers find
words by its search, and the page of accuracy is what `weft validate` says. Without Sphinx or Chromium what needs them is
skipped (3), unless WEFT_NO_SKIPS is set. usage: site_test.py blocks | long | builds | gallery | validation"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "tools" / "site"
BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))


def skip(reason: str) -> int:
    print(f"skipped: {reason}")
    return 1 if os.environ.get("WEFT_NO_SKIPS") else 3


def blocks(*options: str) -> int:
    return subprocess.run([sys.executable, "-B", str(SITE / "blocks.py"), *options]).returncode


def expected_rows() -> int:
    """What validation.json has of every row is what the suite says; what it simulates is tested by `validation`."""
    suite = json.loads((ROOT / "tools/validate/suite.json").read_text())
    said = json.loads((SITE / "validation.json").read_text())["rows"]
    rows = [
        (case["name"], row["name"], float(row["expected"]), float(row["tolerance"]))
        for case in suite["cases"]
        for row in case["rows"]
    ]
    shown = [(row["case"], row["row"], float(row["expected"]), float(row["tolerance"])) for row in said]
    if rows == shown:
        return 0
    print("tools/site/validation.json has other rows than the suite: weft validate --full --json")
    return 1


def run_on(script: str, *arguments: str | pathlib.Path) -> int:
    done = subprocess.run([sys.executable, "-B", str(SITE / script), *map(str, arguments)], capture_output=True)
    return done.returncode


def tools_notice_what_is_wrong() -> int:
    """A page that shows what is not printed fails, and so does a link that leads nowhere."""
    right = "```python\nprint('one')\nprint('two')\n3\n```\n\n```text\n...\ntwo\n3\n```\n"
    pages = {
        "right": (right, 0),
        "wrong": (right.replace("two\n3", "two\n4"), 1),
        "short": (right.replace("...\n", ""), 1),
        "fails": ("```sh\nweft check scenarios/nothing.yaml\n```\n", 1),
        "nameless": ("```yaml\nname: x\n```\n", 1),
        "unknown": ("```ruby\nputs 1\n```\n", 1),
        "late": ("<!-- full -->\n" + right.replace("two\n3", "two\n4"), 0),
    }
    links = {
        "right": ('<a href="other.html#a">x</a>', 0),
        "nowhere": ('<a href="nothing.html">x</a>', 1),
        "anchor": ('<a href="other.html#b">x</a>', 1),
        "outside": ('<script src="https://example.org/x.js"></script>', 1),
    }
    wrong = 0
    for name, (text, expected) in pages.items():
        with tempfile.TemporaryDirectory() as place:
            page = pathlib.Path(place) / f"{name}.md"
            page.write_text(text)
            if run_on("blocks.py", page) != expected:
                print(f"blocks.py does not end with {expected} for the page {name}")
                wrong = 1
    for name, (text, expected) in links.items():
        with tempfile.TemporaryDirectory() as place:
            (pathlib.Path(place) / "index.html").write_text(text)
            (pathlib.Path(place) / "other.html").write_text('<p id="a">')
            if run_on("links.py", place) != expected:
                print(f"links.py does not end with {expected} for {name}")
                wrong = 1
    return wrong


def validation() -> int:
    """Every row as it is simulated now. Doubles of the last bit are printed the same everywhere: packets are integers."""
    done = subprocess.run(
        [str(BUILD / "weft"), "validate", "--full", "--json"], capture_output=True, text=True, check=True
    )
    if json.loads(done.stdout) == json.loads((SITE / "validation.json").read_text()):
        return 0
    print("tools/site/validation.json is not what `weft validate --full --json` prints")
    return 1


def finds(out: pathlib.Path, word: str, page: str) -> bool:
    """Whether the search of the built site lists a page for a word, in a browser, from files alone."""
    done = subprocess.run(
        [
            "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
            "--dump-dom", f"file://{out}/search.html?q={word}",
        ],
        capture_output=True,
        text=True,
    )  # fmt: skip
    return f'<a href="{page}"' in done.stdout and "Search finished" in done.stdout


def builds(with_gallery: bool) -> int:
    try:
        import furo  # noqa: F401
        import myst_parser  # noqa: F401
        import sphinx  # noqa: F401
    except ImportError as error:
        return skip(f"{error.name} is not installed")
    with tempfile.TemporaryDirectory(prefix="weft-site-") as place:
        out = pathlib.Path(place) / "site"
        options = [] if with_gallery else ["--fast"]
        if subprocess.run([str(SITE / "build"), *options, str(out)]).returncode != 0:
            return 1
        style = (out / "_static/styles/furo.css").read_text()
        if "prefers-color-scheme" not in style or "@import" in style:
            print("the style sheet does not follow dark mode, or imports another")
            return 1
        text = (out / "searchindex.js").read_text()
        index = json.loads(text.removeprefix("Search.setIndex(").rstrip().removesuffix(")"))
        if index["docnames"].index("how-to/ecn") not in index["titleterms"]["ecn"]:
            print("the search does not know ECN")
            return 1
        if not with_gallery:
            return 0
        if not shutil.which("chromium"):
            return skip("chromium is not installed")
        for word, page in (("ECN", "how-to/ecn.html"), ("kmin", "reference/keys/fabric.html")):
            if not finds(out, word, page):
                print(f"a search for {word} does not find {page}")
                return 1
    return 0


def main() -> int:
    wanted = sys.argv[1]
    if wanted == "blocks":
        return blocks() or expected_rows() or tools_notice_what_is_wrong()
    if wanted == "long":
        return blocks("--full")
    return validation() if wanted == "validation" else builds(wanted == "gallery")


if __name__ == "__main__":
    sys.exit(main())
