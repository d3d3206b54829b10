"""Mends what Debian's Furo lacks. Its compiler of Sass loses the rule that follows the reader's dark mode, its style
sheet imports normalize.css from a web server, and its script imports a module, which no browser does in a plain script:
the rule is written here, and both files are put in."""

from __future__ import annotations

import pathlib
import re
from typing import Any

IMPORT = "@import url(/javascript/normalize.css/normalize.css);"
NORMALIZE = pathlib.Path("/usr/share/javascript/normalize.css/normalize.css")


def _mend(app: Any, error: Exception | None) -> None:
    if error is None:
        _mend_style(app)
        _mend_script(app)


def _mend_script(app: Any) -> None:
    folder = pathlib.Path(app.outdir) / "_static" / "scripts"
    path = folder / "furo.js"
    text = path.read_text(encoding="utf-8")
    imported = re.match(r'import (\w+) from "\./([\w.-]+)";\n', text)
    if imported is None:
        return
    module = (folder / imported[2]).read_text(encoding="utf-8")
    # Without a loader of modules this one sets `window.Gumshoe`.
    rest = text.removeprefix(imported[0])
    path.write_text(f"{module}\n(function () {{\nconst {imported[1]} = window.{imported[1]};\n{rest}}})();\n", "utf-8")


def _mend_style(app: Any) -> None:
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
