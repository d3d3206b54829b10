#!/usr/bin/env python3
"""Follows every link of the built pages inside of the site: to a file that is there, and to an anchor that it has.
usage: links.py OUT [without-gallery]"""

from __future__ import annotations

import html.parser
import pathlib
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.outside: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)
                # What a browser would load from elsewhere; links that readers follow may lead anywhere.
                if tag != "a" and urllib.parse.urlsplit(value).netloc:
                    self.outside.append(value)


def main() -> int:
    out = pathlib.Path(sys.argv[1]).resolve()
    own = [path for path in out.rglob("*.html") if "gallery" not in path.relative_to(out).parts]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in own}
    wrong = []
    has_gallery = "without-gallery" not in sys.argv[2:]
    count = 0
    for path, page in pages.items():
        wrong += [f"{path.relative_to(out)}: loads {link}" for link in page.outside]
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or (not has_gallery and parts.path.startswith("gallery/")):
                continue
            count += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                wrong.append(f"{path.relative_to(out)}: {link} leads nowhere")
            elif parts.fragment and target in pages:
                anchor = urllib.parse.unquote(parts.fragment)
                if anchor not in pages[target].anchors:
                    wrong.append(f"{path.relative_to(out)}: {link} has no such anchor")
    for path in out.rglob("*.css"):
        for link in re.findall(r"url\(['\"]?([^'\")]+)", path.read_text(encoding="utf-8")):
            if link.startswith(("/", "http:", "https:")):
                wrong.append(f"{path.relative_to(out)}: loads {link}")
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(pages)} pages, {count} links, {len(wrong)} broken", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
