#!/usr/bin/env python3
"""Lays out the pages of the site for Sphinx: those of tools/site, the repository's own pages under the
paths that they have, and what is generated from `weft help`, the declared columns and the validation
suite. usage: stage.py ROOT PAGES --build BUILD [--gallery FOLDER]"""

from __future__ import annotations

import argparse
import os
import pathlib
import posixpath
import re
import shutil
from typing import Callable

import generated

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
GENERATED = re.compile(r"^```\{generated\} (\w+)\n```\n", re.MULTILINE)


def anchor_of(heading: str) -> str:
    """As MyST makes it of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


class Layout:
    """Where a file of the repository lies among the pages. The repository's own pages are those that a table of
    contents of the site names, as `pages/` and their path."""

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.places: dict[str, str] = {}
        for path in (root / "tools/site").rglob("*.md"):
            if path.name == "README.md":
                continue
            page = path.relative_to(root).as_posix()
            self.places[page] = page.removeprefix("tools/site/")
            for named in re.findall(r"^pages/(\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE):
                self.places[f"{named}.md"] = f"pages/{named}.md"
        for path in (root / "scenarios").rglob("*.yaml"):
            name = path.relative_to(root / "scenarios").as_posix()
            self.places[f"scenarios/{name}"] = "reference/scenarios.md#" + anchor_of(name)
        self.places["README.md"] = "index.md"
        self.places["LICENSE"] = "licences.md"

    def target(self, page: str, link: str) -> str | None:
        """Where a link of a page leads among the pages; None: to nothing that the site has."""
        if "://" in link or link.startswith(("#", "mailto:")):
            return link
        name, hash_sign, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), name))
        if path not in self.places and f"{path}/README.md" in self.places:
            path = f"{path}/README.md"
        if path not in self.places:
            return None
        place = posixpath.relpath(self.places[path], posixpath.dirname(self.places[page]) or ".")
        return place + hash_sign + anchor


def with_links(text: str, page: str, layout: Layout) -> str:
    """The text of a page with links that hold on the site; what it has not, is left as words."""

    def link(found: re.Match[str]) -> str:
        target = layout.target(page, found[3])
        return found[2] if target is None else f"{found[1]}[{found[2]}]({target})"

    lines = []
    fence = ""
    for block in re.split(r"(^(?:```+|~~~+).*\n)", text, flags=re.MULTILINE):
        marks = re.match(r"```+|~~~+", block)
        if marks:
            fence = "" if fence == marks[0] else fence or marks[0]
        elif not fence:
            block = LINK.sub(link, block)
        lines.append(block)
    return "".join(lines)


class Pages:
    """The folder of the pages: those that are as they were keep their time, those that are no more are removed."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.written: set[pathlib.Path] = set()

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self.written.add(path)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")

    def remove_others(self) -> None:
        for path in self.folder.rglob("*.md"):
            if path not in self.written and "tree" not in path.relative_to(self.folder).parts:
                path.unlink()


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("root", type=pathlib.Path)
    options.add_argument("pages", type=pathlib.Path)
    options.add_argument("--build", type=pathlib.Path, required=True)
    options.add_argument("--gallery", type=pathlib.Path)
    given = options.parse_args()
    layout = Layout(given.root)
    pages = Pages(given.pages)
    maker = generated.Maker(given.root, given.build)
    parts: dict[str, Callable[[], str]] = {
        "validation": maker.validation,
        "validation_counts": maker.validation_counts,
    }
    for page, place in layout.places.items():
        if not page.endswith(".md") or page == "README.md":
            continue
        text = (given.root / page).read_text(encoding="utf-8")
        text = with_links(text, page, layout)
        pages.write(place, GENERATED.sub(lambda found: parts[found[1]](), text))
    for name, text in maker.pages():
        pages.write(name, text)
    pages.remove_others()
    # Sphinx copies styles and scripts only where a page is new.
    os.utime(given.pages / "index.md")
    if not (given.pages / "tree").is_symlink():
        os.symlink(given.root, given.pages / "tree")
    files = given.pages / "gallery"
    shutil.rmtree(files, ignore_errors=True)
    files.mkdir(parents=True)
    if given.gallery is not None and given.gallery.is_dir():
        for path in given.gallery.iterdir():
            if path.suffix in (".html", ".svg", ".png"):
                shutil.copy(path, files / path.name)


if __name__ == "__main__":
    main()
