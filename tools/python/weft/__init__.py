"""weft: a packet-level simulator of AI training fabrics.

    import weft

    results = weft.Scenario("scenarios/incast.yaml").set("jobs[0].size", "4MiB").run()
    print(results)                    # the summary
    results.jobs.jct_ps               # a NumPy view of int64 picoseconds
    results.messages.to_pandas()      # a DataFrame
"""

from weft import _weft
from weft.errors import (
    InternalError,
    Interrupted,
    OutOfMemory,
    Problem,
    RunError,
    ScenarioError,
    WeftError,
)
from weft.results import Comparison, Results, compare, explain
from weft.scenario import Check, Estimate, Scenario, WeftWarning, shipped
from weft.sweeps import numbers_of, read_sweep, sweep
from weft.tables import Column, Table

__version__: str = _weft.version()


def scenario_schema() -> str:
    """The JSON Schema (draft 2020-12) of scenarios."""
    return _weft.scenario_schema()


__all__ = [
    "Check",
    "Column",
    "Comparison",
    "Estimate",
    "InternalError",
    "Interrupted",
    "OutOfMemory",
    "Problem",
    "Results",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Table",
    "WeftError",
    "WeftWarning",
    "compare",
    "explain",
    "numbers_of",
    "read_sweep",
    "scenario_schema",
    "shipped",
    "sweep",
]
