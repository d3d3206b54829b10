"""Results of a run."""

from __future__ import annotations

import html
import json
import os
import tempfile
from typing import Any

from weft import _weft, charts, tables
from weft.errors import _did_you_mean
from weft.tables import Table


class Results:
    """What a run found. Tables are attributes: `results.jobs`, `results.messages`."""

    def __init__(self, raw: _weft.Results) -> None:
        self._raw = raw
        self._tables: dict[str, Table] = {}

    # What the run was ------------------------------------------------------------------------

    @property
    def scenario(self) -> str:
        """Its name."""
        return self._raw.scenario

    @property
    def engine(self) -> str:
        return self._raw.engine

    @property
    def outcome(self) -> str:
        """`finished`, `horizon`, `stuck`, `deadlocked`, `stalled` or `interrupted`."""
        return self._raw.outcome

    @property
    def is_success(self) -> bool:
        """The run did what its scenario asks for."""
        return self._raw.is_success

    @property
    def explanation(self) -> list[str]:
        """Who waits for whom, if it did not finish."""
        return self._raw.explanation

    @property
    def warnings(self) -> list[str]:
        return self._raw.warnings

    @property
    def seed(self) -> int:
        return self._raw.seed

    @property
    def simulated_ps(self) -> int:
        return self._raw.simulated_ps

    @property
    def wall_seconds(self) -> float:
        return self._raw.wall_seconds

    @property
    def threads(self) -> int:
        return self._raw.threads

    @property
    def packet_hops(self) -> int:
        return self._raw.packet_hops

    @property
    def digest(self) -> str:
        """SHA-256 over what was found: equal for equal results, on every machine."""
        return self._raw.digest

    @property
    def scenario_digest(self) -> str:
        return self._raw.scenario_digest

    @property
    def folder(self) -> str:
        """That the run wrote; empty: none."""
        return self._raw.folder

    # What it found ---------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The summary that `weft run` prints."""
        return self._raw.summary

    @property
    def summary(self) -> dict[str, Any]:
        """summary.json: quantities in SI units, which the keys name."""
        summary: dict[str, Any] = json.loads(self._raw.summary_json)
        return summary

    @property
    def table_names(self) -> list[str]:
        return self._raw.table_names()

    def table(self, name: str) -> Table:
        """A table of this run, by name."""
        if name not in self._tables:
            if name not in self.table_names:
                near = _did_you_mean(name, self.table_names)
                raise KeyError(f"this run has no table {name!r}; it has {', '.join(self.table_names)}{near}")
            self._tables[name] = tables.CLASSES[name](self._raw)
        return self._tables[name]

    def __getattr__(self, name: str) -> Table:
        if name.startswith("_") or name not in tables.CLASSES:
            near = _did_you_mean(name, dir(type(self)) + self.table_names)
            raise AttributeError(f"results have no {name!r}{near}")
        try:
            return self.table(name)
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.table_names]

    def explain(self, lines: int = 10) -> str:
        """Who is to blame for the time of each job, in words. The scenario must ask for it:
        `scenario.set("observe.blame", True)`."""
        return self._raw.explain(lines)

    def to_yaml(self) -> str:
        """The scenario with every default written out."""
        return self._raw.resolved_yaml

    def write(self, folder: str | os.PathLike[str]) -> str:
        """Writes the files of `weft run`, but for traces: those grow during a run with a folder."""
        return self._raw.write(os.fspath(folder))

    # How it is shown and sent ----------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<Results of {self.scenario}: {self.outcome}, {self.digest[:12]}>"

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        parts = [f"<h4>{html.escape(self.scenario)}: {html.escape(self.outcome)}</h4>"]
        parts += [f"<p>warning: {html.escape(warning)}</p>" for warning in self.warnings]
        parts.append(charts.of_results(self))
        parts.append(self.table("jobs")._repr_html_())
        parts.append(f"<details><summary>summary</summary><pre>{html.escape(self.text)}</pre></details>")
        parts.append(f"<p>results sha256 <code>{self.digest}</code></p>")
        return "\n".join(parts)

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return _from_bytes, (self._raw.to_bytes(),)


def _from_bytes(data: bytes) -> Results:
    return Results(_weft.Results.from_bytes(data))


class Comparison:
    """Runs side by side."""

    def __init__(self, text: str, data: str, has_differences: bool) -> None:
        self.text = text
        self.data: dict[str, Any] = json.loads(data)
        self.has_differences = has_differences

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Comparison: {'differences' if self.has_differences else 'no differences'}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def compare(*runs: Results | str | os.PathLike[str]) -> Comparison:
    """What differs between runs: results, or folders of results. Results are written to a temporary
    folder for that, which is gone when the comparison is made."""
    with tempfile.TemporaryDirectory(prefix="weft-compare-") as place:
        folders = []
        for i, run in enumerate(runs):
            if isinstance(run, Results):
                folders.append(run.write(os.path.join(place, f"{i}-{run.scenario}")))
            else:
                folders.append(os.fspath(run))
        text, data, has_differences = _weft.compare_folders(folders)
        # Of results, the name of their scenario is all that lasts.
        return Comparison(text.replace(place + os.sep, ""), data.replace(place + os.sep, ""), has_differences)


def explain(
    first: Results | str | os.PathLike[str], second: Results | None = None, lines: int = 10
) -> str:
    """Who is to blame for the time of a run, or for the difference of two."""
    if second is not None:
        if not isinstance(first, Results):
            raise TypeError("the difference of two runs is explained of results, not of folders")
        return _weft.explain_difference(first._raw, second._raw, lines)
    if isinstance(first, Results):
        return first.explain(lines)
    return _weft.explain_folder(os.fspath(first), lines)
