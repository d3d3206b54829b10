"""Many runs: of changed scenarios, and what a sweep of the command line stored."""

from __future__ import annotations

import itertools
import os
import sqlite3
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Sequence

from weft.errors import WeftError, _did_you_mean
from weft.results import Results
from weft.scenario import Scenario, WeftWarning

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import]

_APPLICATION_ID = 0x77656674


def numbers_of(results: Results) -> dict[str, float]:
    """Every number of the summary by its path, such as `jobs.incast.jct_seconds`: lists of named
    things by their names."""
    numbers: dict[str, float] = {}

    def add(path: str, value: Any) -> None:
        if isinstance(value, bool) or value is None or isinstance(value, str):
            return
        if isinstance(value, (int, float)):
            numbers[path] = float(value)
        elif isinstance(value, dict):
            for key, inner in value.items():
                add(f"{path}.{key}" if path else key, inner)
        elif isinstance(value, list):
            for i, inner in enumerate(value):
                name = inner.get("name") if isinstance(inner, dict) else None
                add(f"{path}.{name}" if name else f"{path}[{i}]", inner)

    add("", results.summary)
    return numbers


def sweep(
    scenario: Scenario | str | os.PathLike[str] | Mapping[str, Any],
    axes: Mapping[str, Sequence[Any]] | Iterable[Mapping[str, Any]],
    *,
    metrics: Sequence[str] | Callable[[Results], Mapping[str, Any]] | None = None,
    workers: int | None = None,
    threads: int = 1,
    engine: str = "packet",
) -> pd.DataFrame:
    """Runs a scenario with every combination of values: a row of the DataFrame for each.

    - axes: by key, the values it takes (`{"fabric.spines": [2, 4], "seed": range(3)}`), all
      combinations of which run; or the points themselves, a dict for each.
    - metrics: names of numbers_of, or a function of the results; None: all numbers of the summary.
    - workers: runs at once, in threads of this process; None: as many as there are cores.
    - threads: of each run.

    A point that cannot run has its error in the column `error`. The texts of warnings are in
    `attrs["warnings"]`, by row. The order of rows is that of the points, and no number depends on
    `workers`. A metric that no point has is warned of. Ctrl-C stops the runs that are under way.
    """
    import pandas as pd

    base = scenario if isinstance(scenario, Scenario) else Scenario(scenario)
    if isinstance(axes, Mapping):
        names = list(axes)
        points = [dict(zip(names, values)) for values in itertools.product(*axes.values())]
    else:
        points = [dict(point) for point in axes]

    texts: dict[int, list[str]] = {}
    known: set[str] = set()
    is_stopped = threading.Event()

    def goes_on(now: dict[str, Any]) -> bool:
        return not is_stopped.is_set()

    def run(place: int, point: dict[str, Any]) -> dict[str, Any]:
        row: dict[str, Any] = dict(point)
        try:
            one = base.copy().set(point)
            # Its warnings are a column: here they would come from many threads at once.
            keeps_messages = None if callable(metrics) else False
            results = Results(one._raw.run(engine, threads, goes_on, "", False, keeps_messages, None))
        except WeftError as error:
            return {**row, "outcome": "error", "error": str(error)}
        row["outcome"] = results.outcome
        row["warnings"] = len(results.warnings)
        if results.warnings:
            texts[place] = results.warnings
        row["digest"] = results.digest
        if callable(metrics):
            return {**row, **metrics(results)}
        numbers = numbers_of(results)
        known.update(numbers)
        if metrics is None:
            return {**row, **numbers}
        return {**row, **{name: numbers.get(name) for name in metrics}}

    with ThreadPoolExecutor(max_workers=workers or os.cpu_count() or 1) as pool:
        futures = [pool.submit(run, place, point) for place, point in enumerate(points)]
        try:
            rows = [future.result() for future in futures]
        except BaseException:
            is_stopped.set()
            for future in futures:
                future.cancel()
            raise
    for name in () if metrics is None or callable(metrics) or not known else metrics:
        if name not in known:
            near = _did_you_mean(name, sorted(known))
            warnings.warn(f"no run has a number {name!r} (numbers_of){near}", WeftWarning, stacklevel=2)
    frame = pd.DataFrame(rows)
    frame.attrs["axes"] = list(points[0]) if points else []
    frame.attrs["warnings"] = dict(sorted(texts.items()))
    return frame


def read_sweep(path: str | os.PathLike[str]) -> pd.DataFrame:
    """What `weft sweep` stored (`sweep.db` in its folder, or that folder): a row for each point,
    with its parameters, how it ended, and its metrics. `attrs` has the units of parameters."""
    import pandas as pd

    file = os.fspath(path)
    if os.path.isdir(file):
        file = os.path.join(file, "sweep.db")
    if not os.path.isfile(file):
        raise FileNotFoundError(f"{file}: there is no such file")
    database = sqlite3.connect(f"file:{os.path.abspath(file)}?mode=ro", uri=True)
    try:
        if database.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
            raise ValueError(f"{file}: is no database of a sweep of weft")
        parameters = database.execute(
            "SELECT position, name, unit FROM parameter ORDER BY position"
        ).fetchall()
        points = database.execute(
            "SELECT id, status, outcome, message, results_sha256, wall_seconds FROM point ORDER BY id"
        ).fetchall()
        rows: dict[int, dict[str, Any]] = {point[0]: {} for point in points}
        names = {position: name for position, name, _ in parameters}
        for point, parameter, text, number in database.execute(
            "SELECT point, parameter, text, number FROM value ORDER BY point, parameter"
        ):
            rows[point][names[parameter]] = text if number is None else number
        for point, status, outcome, message, digest, seconds in points:
            rows[point].update(
                status=status, outcome=outcome, message=message, digest=digest, wall_seconds=seconds
            )
        for point, name, value in database.execute("SELECT point, name, value FROM metric"):
            rows[point][name] = value
    finally:
        database.close()
    frame = pd.DataFrame(list(rows.values()), index=pd.Index(list(rows), name="point"))
    frame.attrs["parameters"] = list(names.values())
    frame.attrs["units"] = {name: unit for _, name, unit in parameters}
    return frame
