"""Mends the style sheet of Debian's Furo. Its compiler of Sass loses the rule that follows the reader's dark mode, and
it imports normalize.css from a web server: the rule is written here, and the file is put in."""

from __future__ import annotations

import pathlib
import re
from typing import Any

IMPORT = "@import url(/javascript/normalize.css/normalize.css);"
NORMALIZE = pathlib.Path("/usr/share/javascript/normalize.css/normalize.css")


def _mend(app: Any, error: Exception | None) -> None:
    if error is not None:
        return
    path = pathlib.Path(app.outdir) / "_static" / "styles" / "furo.css"
    text = path.read_text(encoding="utf-8")
    text = text.replace(IMPORT, NORMALIZE.read_text(encoding="utf-8") if NORMALIZE.is_file() else "body { margin: 0; }")
    if "prefers-color-scheme" not in text:
        dark = re.search(r'body\[data-theme="dark"\] \{(.*?)\}', text, re.DOTALL)
        assert dark, "Furo has other names for its colours"
        rule = f'body:not([data-theme="light"]) {{{dark[1]}}}'
        text += f"\n@media not print {{ @media (prefers-color-scheme: dark) {{ {rule} }} }}\n"
    path.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    app.connect("build-finished", _mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
