"""Pages of the site that nobody writes: keys, commands, columns, the Python module, shipped scenarios, and the tables
of the validation suite."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
from typing import Any, Iterator

OWN_KEYS = ("racks", "links", "fabric", "transport", "pxn", "jobs", "faults", "run", "observe")


def escaped(text: str) -> str:
    """Text of a cell of a table, whose words in backquotes stay code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return re.sub(r"([\\`*_<>\[\]|$])", r"\\\1", text)
    words = [re.sub(r"([\\*_<>\[\]|$])", r"\\\1", part) for part in parts[::2]]
    codes = [code(part) for part in parts[1::2]]
    return words[0] + "".join(a + b for a, b in zip(codes, words[1:]))


def code(text: str, is_in_table: bool = True) -> str:
    return "`" + (text.replace("|", "\\|") if is_in_table else text) + "`"


def table(heads: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


class Maker:
    def __init__(self, root: pathlib.Path, build: pathlib.Path) -> None:
        self.root = root
        self.build = build

    def weft(self, *arguments: str) -> str:
        command = [str(self.build / "weft"), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def pages(self) -> Iterator[tuple[str, str]]:
        yield from self.keys()
        yield "reference/commands.md", self.commands()
        yield "reference/columns.md", self.columns()
        yield "reference/scenarios.md", self.scenarios()

    # Keys --------------------------------------------------------------------------------------

    def keys(self) -> Iterator[tuple[str, str]]:
        """`weft help --reference`, cut into a page per top key."""
        scenario, sweep = self.weft("help", "--reference").split("## Keys of a sweep")
        first, *sections = re.split(r"(?m)^(?=## )", scenario.removeprefix("## Keys of a scenario"))
        groups: dict[str, list[str]] = {}
        for section in sections:
            found = re.match(r"## `([a-z_]+)", section)
            assert found, section[:80]
            groups.setdefault(found[1], []).append(section)
        for name, of_it in groups.items():
            text = f"# Keys of {name}\n\n" + "".join(of_it)
            yield f"reference/keys/{name}.md", text
        listed = [name for name in OWN_KEYS if name in groups]
        listed += [name for name in groups if name not in listed]
        toc = "```{toctree}\n:hidden:\n\n" + "\n".join(f"keys/{name}" for name in [*listed, "sweep"]) + "\n```\n"
        note = (
            "Every key of a scenario, from `weft help --reference` of this version. `weft help KEY` prints the same for "
            "one key. [The scenario language](../pages/scenarios/LANGUAGE.md) explains them by example.\n\n"
        )
        links = "Pages: " + ", ".join(f"[`{name}`](keys/{name}.md)" for name in [*listed, "sweep"]) + ".\n\n"
        yield "reference/keys.md", f"# Keys\n\n{note}{links}{first.strip()}\n\n{toc}"
        yield "reference/keys/sweep.md", f"# Keys of a sweep\n{sweep}"

    # Commands ----------------------------------------------------------------------------------

    def commands(self) -> str:
        found = re.search(r"^Subcommands:\n(.*?)\n\n", self.weft("--help"), re.MULTILINE | re.DOTALL)
        assert found, "weft --help lists no commands"
        rows = []
        sections = ""
        for line in found[1].splitlines():
            name, meaning = line.split(None, 1)
            rows.append([f"[`weft {name}`](#weft-{name})", escaped(meaning)])
            sections += "\n" + self.command(name)
        text = "# Commands\n\nWhat `weft COMMAND --help` prints, for each command.\n\n"
        return text + table(["Command", "Does"], rows) + sections

    def command(self, name: str) -> str:
        """The help of a command: its options as a table, the rest as it is printed."""
        text = self.weft(name, "--help")
        head, _, rest = text.partition("Usage: ")
        usage, _, rest = rest.partition("\n")
        page = f"## weft {name}\n\n{escaped(head.strip().capitalize())}.\n\n```text\n{usage.strip()}\n```\n"
        sections = re.split(r"(?m)^(Positionals|Options|Subcommands|\[Option Group[^\n]*):\n", rest)
        after = ""
        for _, body in zip(sections[1::2], sections[2::2]):
            body, _, after = body.partition("\n\n\n")
            for option, meaning in self.options(body):
                page += f"\n{code(option, is_in_table=False)}\n: {escaped(meaning) or 'as it says'}\n"
        if after.strip():
            page += f"\n```text\n{after.strip()}\n```\n"
        return page

    @staticmethod
    def options(body: str) -> Iterator[tuple[str, str]]:
        """Lines such as `  --seed N      meaning`, whose meaning may stand on the next line."""
        waiting: list[str] = []
        for line in body.splitlines():
            if not line.strip():
                continue
            if line.startswith(" " * 10):
                waiting[1] = (waiting[1] + " " + line.strip()).strip()
                continue
            if waiting:
                yield waiting[0], waiting[1]
            parts = re.split(r"\s{2,}", line.strip(), maxsplit=1)
            if len(parts) == 1 and len(line) > 30 and line[29] == " ":
                parts = [line[:29].strip(), line[30:].strip()]
            waiting = [parts[0], parts[1] if len(parts) > 1 else ""]
        if waiting:
            yield waiting[0], waiting[1]

    # Columns -----------------------------------------------------------------------------------

    def columns(self) -> str:
        sys.path.insert(0, str(self.build / "python" / "weft"))
        import _weft  # type: ignore[import]  # alone: the package needs NumPy

        text = (
            "# Columns\n\nEvery table that a run may have, from its declaration. In Python and C++ a table is "
            "`results.jobs`, a column `results.jobs.jct_ps`, and times are whole picoseconds. In files, whose columns "
            "have the names beside, times are seconds. [What a run writes](../pages/scenarios/RESULTS.md) explains them.\n"
        )
        for declared in _weft.declared_tables():
            file = f"`{declared['file']}`" if declared["file"] else "no file"
            text += f"\n## {declared['name']}\n\nA row is {escaped(declared['holds'])}. In results folders: {file}.\n\n"
            rows = []
            for column in declared["columns"]:
                meaning = escaped(column["meaning"]) + (" (may be missing)" if column["may_be_missing"] else "")
                in_file = column["csv_name"]
                shown = code(in_file) if declared["file"] and in_file != column["name"] else ""
                rows.append([code(column["name"]), shown, column["unit"], meaning])
            text += table(["Column", "In files", "Unit", "Meaning"], rows)
        return text

    # Shipped scenarios -------------------------------------------------------------------------

    def scenarios(self) -> str:
        folder = self.root / "scenarios"
        text = (
            "# The text of shipped scenarios\n\n[What each of them shows](../pages/scenarios/SHIPPED.md). Packages have "
            "them in `/usr/share/weft/scenarios`.\n"
        )
        for path in sorted(folder.glob("*.yaml")) + sorted(folder.glob("sweeps/*.yaml")):
            name = path.relative_to(folder).as_posix()
            text += f"\n## {name}\n\n```{{literalinclude}} ../tree/scenarios/{name}\n:language: yaml\n```\n"
        return text

    # Validation --------------------------------------------------------------------------------

    def suite(self) -> dict[str, Any]:
        """What `weft validate --full --json` said; tests hold it to what it says now."""
        suite: dict[str, Any] = json.loads((self.root / "tools/site/validation.json").read_text())
        return suite

    def validation(self) -> str:
        text = ""
        rows = self.suite()["rows"]
        titles = {"closed form": "Closed forms", "simulator": "Other simulators", "measurement": "Measurements"}
        for kind, title in titles.items():
            text += f"\n### {title}\n\n"
            lines = []
            for row in (row for row in rows if row["kind"] == kind):
                verdict = "calibrated" if row["calibrated"] else "holds"
                if not row["holds"]:
                    verdict = "**misses**: " + escaped(row.get("known_to_miss", "it must not"))
                lines.append(
                    [
                        escaped(f"{row['case']}: {row['row']}"),
                        quantity(row["expected"], row["unit"], row["tolerance"] == 0),
                        quantity(row["simulated"], row["unit"], row["tolerance"] == 0),
                        f"{100 * row['error']:+.2f} %",
                        "exact" if row["tolerance"] == 0 else f"{100 * row['tolerance']:.3g} %",
                        verdict,
                    ]
                )
            text += table(["Case", "Expected", "Simulated", "Error", "Within", ""], lines)
            sources = dict.fromkeys((row["case"], row["source"]) for row in rows if row["kind"] == kind)
            text += "\nSources: " + " ".join(f"*{escaped(a)}*: {escaped(b)}." for a, b in sources) + "\n"
        return text

    def validation_counts(self) -> str:
        suite = self.suite()
        rows = suite["rows"]
        holding = sum(row["holds"] for row in rows)
        measured = [row for row in rows if row["kind"] == "measurement" and not row["calibrated"]]
        mean = sum(abs(row["error"]) for row in measured) / len(measured)
        return (
            f"{holding} of {len(rows)} rows hold, {len(rows) - holding} miss and are known to. The mean error of the "
            f"{len(measured)} measured rows from which nothing was calibrated is {100 * mean:.1f} %.\n"
        )


def quantity(value: float, unit: str, is_exact: bool) -> str:
    if unit == "ps":
        if is_exact:
            return f"{value:,.0f} ps"
        for scale, name in ((1e12, "s"), (1e9, "ms"), (1e6, "us")):
            if value >= scale:
                return f"{value / scale:.4g} {name}"
    if unit == "bytes/s":
        return f"{value / 1e9:.4g} GB/s"
    return f"{value:.6g} {unit}".strip()
