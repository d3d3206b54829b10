"""What weft raises: what is wrong, where it stands, and what was probably meant."""

from __future__ import annotations

import difflib
from typing import Iterable, NamedTuple


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = [one for one in names if one.startswith(name)] or difflib.get_close_matches(name, names, 1, 0.5)
    return f"; did you mean {near[0]!r}?" if near else ""


class Problem(NamedTuple):
    """One thing that is wrong. Parts that are not known are empty or 0."""

    kind: str
    message: str
    file: str
    line: int
    column: int
    key: str
    suggestion: str
    text: str
    """`file:line:column: key: message`"""


class WeftError(Exception):
    """The base of what weft raises. It has the parts of its first problem, and all of them."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(problem.text for problem in problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type[WeftError], tuple[list[Problem]]]:
        return type(self), (self.problems,)

    @property
    def message(self) -> str:
        return self.problems[0].message

    @property
    def file(self) -> str:
        return self.problems[0].file

    @property
    def line(self) -> int:
        return self.problems[0].line

    @property
    def column(self) -> int:
        return self.problems[0].column

    @property
    def key(self) -> str:
        return self.problems[0].key

    @property
    def suggestion(self) -> str:
        """The nearest name that is accepted."""
        return self.problems[0].suggestion


class ScenarioError(WeftError, ValueError):
    """The scenario, or what was asked for, is wrong."""


class RunError(WeftError, RuntimeError):
    """A run cannot be made here: too little memory, files, processes."""


class OutOfMemory(WeftError, MemoryError):
    """There was no memory left."""


class InternalError(WeftError, RuntimeError):
    """A fault of weft."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped a run. `results` has what was complete by then."""

    def __init__(self, results: object) -> None:
        super().__init__("the run was interrupted; `results` of this exception has what is complete")
        self.results = results


_CLASSES: dict[str, type[WeftError]] = {
    "scenario": ScenarioError,
    "run": RunError,
    "memory": OutOfMemory,
    "defect": InternalError,
    "callback": RunError,
}


def _error_of(problems: list[tuple[str, str, str, int, int, str, str, str]]) -> WeftError:
    all_of_them = [Problem(*problem) for problem in problems]
    return _CLASSES[all_of_them[0].kind](all_of_them)


def _interrupted_of(raw: object) -> Interrupted:
    from weft.results import Results

    return Interrupted(Results(raw))  # type: ignore[arg-type]
