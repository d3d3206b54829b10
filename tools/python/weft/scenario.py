"""Scenarios: from a file, a text or a dict."""

from __future__ import annotations

import html
import json
import logging
import os
import warnings
from typing import Any, Callable, Mapping

from weft import _weft
from weft.errors import _did_you_mean
from weft.results import Results

logger = logging.getLogger("weft")


class WeftWarning(UserWarning):
    """What may go wrong with a run although its scenario is valid."""


Progress = Callable[[dict[str, Any]], Any]
"""Called about ten times a second with `now_ps`, `count`, `done`, `in_flight`, `stall`, `stage` and
`is_last`. False stops the run, and what is complete stays."""


def shipped(name: str = "") -> str:
    """The path of a scenario that comes with weft, such as `incast` or `sweeps/dcqcn-ecn`; without a name the folder
    of all of them."""
    here = os.path.dirname(os.path.abspath(__file__))
    # In a wheel beside this file, in a prefix below share/, in a build in the sources.
    places = [os.path.join(here, "scenarios")]
    above = here
    for _ in range(4):
        above = os.path.dirname(above)
        places += [os.path.join(above, "share", "weft", "scenarios"), os.path.join(above, "scenarios")]
    for place in places:
        if os.path.isfile(os.path.join(place, "incast.yaml")):
            path = os.path.join(place, f"{name}.yaml" if name else "")
            if not os.path.exists(path):
                known = sorted(file[:-5] for file in os.listdir(place) if file.endswith(".yaml"))
                near = _did_you_mean(name, known)
                raise FileNotFoundError(f"no shipped scenario is called {name!r}; there are {', '.join(known)}{near}")
            return path
    raise FileNotFoundError("the shipped scenarios are not installed with this package")


def _value_text(value: object) -> str:
    """As YAML, for one key."""
    if isinstance(value, str):
        return value
    if hasattr(value, "item") and not isinstance(value, (list, tuple, dict)):
        value = value.item()
    return json.dumps(value)


class Check:
    """What is known of a valid scenario before it runs."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.name: str = data["name"]
        self.hosts: int = data["hosts"]
        self.switches: int = data["switches"]
        self.jobs: int = data["jobs"]
        self.ranks: int = data["ranks"]
        self.connections: int = data["connections"]
        self.logical_processes: int = data["logical_processes"]
        self.lookahead_ps: int = data["lookahead_ps"]
        self.packet_hops: float = data["packet_hops"]
        self.messages: float = data["messages"]
        self.seconds: float = data["seconds"]
        self.memory_bytes: float = data["memory_bytes"]
        self.warnings: list[str] = data["warnings"]
        self.text: str = data["text"]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Check of {self.name}: {self.hosts} hosts, {self.ranks} ranks, {len(self.warnings)} warnings>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


class Estimate:
    """A scenario in closed form."""

    def __init__(self, text: str, data: str) -> None:
        self.text = text
        self.data: dict[str, Any] = json.loads(data)

    @property
    def jobs(self) -> list[dict[str, Any]]:
        jobs: list[dict[str, Any]] = self.data["jobs"]
        return jobs

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Estimate of {self.data['scenario']}: {len(self.jobs)} jobs>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


class Scenario:
    """A scenario, and what was changed in it.

    `source` is the path of a file, a text of several lines, or a dict as the file would have it::

        weft.Scenario("scenarios/incast.yaml").set("jobs[0].size", "4MiB").run()

    It is checked when it is used: `check`, `estimate`, `to_yaml` and `run` raise ScenarioError with
    the place of what is wrong.
    """

    def __init__(
        self, source: str | os.PathLike[str] | Mapping[str, Any], *, filename: str = "scenario.yaml"
    ) -> None:
        self._source: tuple[str, Any]
        if isinstance(source, Mapping):
            self._source = ("document", dict(source))
            self._raw = _weft.Scenario.from_document(dict(source))
        elif isinstance(source, str) and "\n" in source:
            self._source = ("text", (source, filename))
            self._raw = _weft.Scenario.from_text(source, filename)
        else:
            path = os.fspath(source)
            self._raw = _weft.Scenario.from_file(path)
            with open(path, encoding="utf-8") as file:
                self._source = ("file", (file.read(), path))

    @property
    def changes(self) -> list[str]:
        """What `set` changed, as `path=value`."""
        return self._raw.changes()

    def set(self, path: str | Mapping[str, Any], value: Any = None) -> Scenario:
        """Changes one key, such as `fabric.ecn.kmin`, or those of a dict. Returns the scenario."""
        if isinstance(path, Mapping):
            for one, its_value in path.items():
                self.set(one, its_value)
            return self
        self._raw.set(path, _value_text(value))
        return self

    def copy(self) -> Scenario:
        """One that can be changed by itself."""
        other = object.__new__(Scenario)
        other._source = self._source
        other._raw = self._raw.copy()
        return other

    def check(self) -> Check:
        """Checks it, and says how it would be simulated."""
        check = Check(self._raw.check())
        for warning in check.warnings:
            logger.info("%s: %s", check.name, warning)
        return check

    def estimate(self, *, run: bool = True, ideal: bool = False) -> Estimate:
        """Training steps and collectives in closed form. `run`: also what a run would take;
        `ideal`: also every task and message in its order."""
        return Estimate(*self._raw.estimate(run, ideal))

    def to_yaml(self) -> str:
        """With every default written out, and the source of each."""
        return self._raw.to_yaml()

    def run(
        self,
        *,
        threads: int = 0,
        progress: Progress | bool | None = None,
        engine: str = "packet",
        folder: str | os.PathLike[str] | None = None,
        isolated: bool = False,
        messages: bool | None = None,
        memory_limit: int | None = None,
    ) -> Results:
        """Simulates it. Other threads of Python run meanwhile, and may run scenarios, too.

        - threads: 0 takes as many as gain; results are the same.
        - progress: a function (see Progress), or True: a line on standard error or in the notebook.
        - engine: `packet`, or `fluid`, which knows rates and no queues.
        - folder: written while the run lasts, with traces; None: no file is written.
        - isolated: each job then runs alone, too (table `isolated`).
        - messages: whether there is a table with a row for each; None: up to a million.
        - memory_limit: bytes; a run that is predicted to need more is refused.

        Ctrl-C raises weft.Interrupted, whose `results` have what was complete by then.
        """
        if engine not in ("packet", "fluid"):
            raise ValueError(f"engine {engine!r}: expected 'packet' or 'fluid'")
        shown = _ProgressLine() if progress is True else None
        function = progress if callable(progress) else shown
        try:
            raw = self._raw.run(
                engine,
                threads,
                function,
                "" if folder is None else os.fspath(folder),
                isolated,
                messages,
                memory_limit,
            )
        finally:
            if shown is not None:
                shown.close()
        results = Results(raw)
        for warning in results.warnings:
            warnings.warn(f"{results.scenario}: {warning}", WeftWarning, stacklevel=2)
        logger.info(
            "%s %s: %d packet-hops in %.3g s on %d threads",
            results.scenario,
            results.outcome,
            results.packet_hops,
            results.wall_seconds,
            results.threads,
        )
        return results

    def __repr__(self) -> str:
        kind, source = self._source
        name = source[1] if kind == "file" else kind
        changes = f" with {', '.join(self.changes)}" if self.changes else ""
        return f"<Scenario {name}{changes}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _scenario_of, (self._source, self.changes)


def _scenario_of(source: tuple[str, Any], changes: list[str]) -> Scenario:
    scenario = object.__new__(Scenario)
    kind, value = source
    scenario._source = source
    if kind == "document":
        scenario._raw = _weft.Scenario.from_document(value)
    else:
        # A file travels as its text: who receives it may not have it.
        scenario._raw = _weft.Scenario.from_text(*value)
    for change in changes:
        path, _, its_value = change.partition("=")
        scenario._raw.set(path, its_value)
    return scenario


class _ProgressLine:
    """One line that keeps itself up to date: on a terminal, or in a notebook."""

    def __init__(self) -> None:
        import sys

        self._out = sys.stderr
        self._width = 0

    def __call__(self, now: dict[str, Any]) -> None:
        if now["stage"]:
            line = now["stage"]
        else:
            line = f"{now['now_ps'] / 1e6:,.1f} us simulated, {now['count']:,}"
            if now["done"] is not None:
                line = f"{100 * now['done']:.0f} %, " + line
            if now["stall"]:
                line += f", blocked: {now['stall']}"
        self._out.write("\r" + line.ljust(self._width))
        self._out.flush()
        self._width = len(line)

    def close(self) -> None:
        if self._width:
            self._out.write("\r" + " " * self._width + "\r")
            self._out.flush()
