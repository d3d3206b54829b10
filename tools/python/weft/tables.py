"""Tables of results: columns as NumPy views, whole tables as pandas DataFrames.

A class per table is made of what the library declares, with a property per column. The type stubs
beside this file are generated from the same declarations.
"""

from __future__ import annotations

import html
import keyword
from typing import TYPE_CHECKING, Any, Iterator

import numpy as np

from weft import _weft
from weft.errors import _did_you_mean

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import]

_ROWS_SHOWN = 10


class Column:
    """A column: `values` views the memory of the results, which stay as long as the view does."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.name: str = data["name"]
        self.csv_name: str = data["csv_name"]
        self.unit: str = data["unit"]
        self.meaning: str = data["meaning"]
        self.type: str = data["type"]
        self.may_be_missing: bool = data["may_be_missing"]
        self.values: np.ndarray[Any, Any] = data["values"]
        """Of a text the codes, which are indices into `words`; -1 where there is none."""
        self.missing: np.ndarray[Any, Any] | None = data["missing"]
        """True where there is no value; None: there is one everywhere."""
        self.words: list[str] = data.get("words", [])

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        unit = f" [{self.unit}]" if self.unit else ""
        return f"<Column {self.name}{unit}, {self.type}, {len(self)} rows: {self.meaning}>"

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """Numbers, flags and times as they lie in memory; texts as an array of str or None."""
        if self.type != "text":
            return self.values
        words = np.array([*self.words, None], dtype=object)
        return words[self.values]

    def to_pandas(self) -> Any:
        """An array for a DataFrame, without a copy: nullable where a value is missing."""
        import pandas as pd

        if self.type == "text":
            return pd.Categorical.from_codes(self.values, categories=self.words)
        if self.missing is None:
            return self.values
        if self.type == "flag":
            return pd.arrays.BooleanArray(self.values, self.missing)
        return pd.arrays.IntegerArray(self.values, self.missing)


class Table:
    """A table of a run. `table["name"]` and `table.name` are columns as NumPy arrays."""

    table_name: str = ""
    holds: str = ""
    """What a row is."""

    def __init__(self, results: _weft.Results) -> None:
        self._rows: int = results.rows(self.table_name)
        self._columns: dict[str, Column] = {}
        for data in results.columns(self.table_name):
            self._columns[data["name"]] = Column(data)

    def __len__(self) -> int:
        return self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        return self.column(name).to_numpy()

    def column(self, name: str) -> Column:
        """The column with its unit, meaning and missing values."""
        try:
            return self._columns[name]
        except KeyError:
            known = ", ".join(self._columns)
            near = _did_you_mean(name, self._columns)
            raise KeyError(f"{self.table_name} has no column {name!r} in this run; it has {known}{near}") from None

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    @property
    def units(self) -> dict[str, str]:
        return {name: column.unit for name, column in self._columns.items()}

    def to_pandas(self) -> pd.DataFrame:
        """A DataFrame whose numbers are views of the results. Times are int64 picoseconds, texts are
        categories. `attrs` has `units`, `meanings` and `table`."""
        import pandas as pd

        frame = pd.DataFrame(
            {name: column.to_pandas() for name, column in self._columns.items()},
            index=pd.RangeIndex(self._rows),
            copy=False,
        )
        frame.attrs["table"] = self.table_name
        frame.attrs["units"] = self.units
        frame.attrs["meanings"] = {name: column.meaning for name, column in self._columns.items()}
        return frame

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._rows} rows of {', '.join(self._columns)}>"

    def _repr_html_(self) -> str:
        def cell(column: Column, row: int) -> str:
            if column.type == "text":
                code = column.values[row]
                return html.escape(column.words[code]) if code >= 0 else ""
            if column.missing is not None and column.missing[row]:
                return ""
            value = column.values[row]
            if column.type == "number":
                return "" if np.isnan(value) else f"{value:.6g}"
            return str(int(value))

        columns = list(self._columns.values())
        head = "".join(
            f'<th title="{html.escape(c.meaning)}">{html.escape(c.name)}</th>' for c in columns
        )
        shown = range(min(self._rows, _ROWS_SHOWN))
        body = "".join("<tr>" + "".join(f"<td>{cell(c, r)}</td>" for c in columns) + "</tr>" for r in shown)
        more = self._rows - len(shown)
        note = f"<p>and {more} more rows</p>" if more > 0 else ""
        return (
            f"<p>{html.escape(self.table_name)}: a row is {html.escape(self.holds)}</p>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"
        )


def _property_of(name: str, meaning: str, unit: str) -> property:
    def column(self: Table) -> np.ndarray[Any, Any]:
        return self[name]

    column.__name__ = name
    column.__doc__ = f"{meaning} [{unit}]" if unit else meaning
    return property(column)


def _class_of(declaration: dict[str, Any]) -> type[Table]:
    members: dict[str, Any] = {
        "table_name": declaration["name"],
        "holds": declaration["holds"],
        "__doc__": f"Table `{declaration['name']}`: a row is {declaration['holds']}.",
        "__module__": __name__,
    }
    for column in declaration["columns"]:
        if keyword.iskeyword(column["name"]):
            continue  # `table["class"]` alone
        members[column["name"]] = _property_of(column["name"], column["meaning"], column["unit"])
    return type(_class_name(declaration["name"]), (Table,), members)


def _class_name(table: str) -> str:
    return table.capitalize() + "Table"


CLASSES: dict[str, type[Table]] = {d["name"]: _class_of(d) for d in _weft.declared_tables()}
"""By name, every table that a run may have."""

for _table in CLASSES.values():
    globals()[_table.__name__] = _table

__all__ = ["Column", "Table", "CLASSES", *(c.__name__ for c in CLASSES.values())]
