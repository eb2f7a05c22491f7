"""``compare``: two releases side by side, their promises, measured numbers and costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from incrowd.core import ParameterError
from incrowd.release import Release

Cell = int | float | str | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two releases side by side, row by row.

    Attributes
    ----------
    rows
        What is compared, and its value in the first and in the second release.
    """

    rows: tuple[tuple[str, Cell, Cell], ...]

    @property
    def different(self) -> tuple[tuple[str, Cell, Cell], ...]:
        """The rows in which the releases differ."""
        return tuple(row for row in self.rows if row[1] != row[2])

    def to_dict(self) -> dict[str, list[Any]]:
        """Give a table with the columns ``what``, ``a`` and ``b``: any frame can be made of it."""
        what, one, two = zip(*self.rows, strict=True)
        return {"what": list(what), "a": list(one), "b": list(two)}

    def __str__(self) -> str:
        width = max(len(what) for what, _, _ in self.rows)
        return "\n".join(f"{what:<{width}}  {_text_of(one):>16}  {_text_of(two):>16}" for what, one, two in self.rows)


def compare(a: Release, b: Release) -> Comparison:
    """Put two releases side by side: what they promise, what was measured, what they cost.

    Parameters
    ----------
    a, b
        The releases.

    Notes
    -----
    Says nothing about what both together tell about the same people.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": 31}, {"age": 34}, {"age": 52}, {"age": 55}]
    >>> schema = ic.Schema(quasi={"age": ic.intervals(10, 100)})
    >>> two, four = (ic.anonymize(table, schema, model=f"k>={k}") for k in (2, 4))
    >>> ic.compare(two, four).different[:3]
    (('promise', 'k>=2', 'k>=4'), ('classes', 2, 1), ('level of age', 1, 2))
    """
    for given in (a, b):
        if not isinstance(given, Release):
            msg = f"compare needs two releases, got {type(given).__name__}."
            raise ParameterError(msg, hint="a release is what anonymize gives.")
    one, two = _release_facts(a), _release_facts(b)
    names = [*one, *(name for name in two if name not in one)]
    return Comparison(tuple((name, one.get(name), two.get(name)) for name in names))


def _release_facts(release: Release) -> dict[str, Cell]:
    recipe = release.recipe
    facts: dict[str, Cell] = {
        "promise": recipe.promise,
        "records": recipe.records,
        "records left out": recipe.suppressed,
        "classes": release.verdict.classes,
    }
    facts |= {f"level of {name}": level for name, level in (recipe.levels or {}).items()}
    for finding in release.verdict.findings:
        for (name, _, _), value in zip(finding.required, finding.measured, strict=False):
            key = f"{name} of {', '.join(finding.columns)}" if finding.columns else name
            facts[key] = int(value) if value == int(value) else float(value)
    return facts | dict(release.measures)


def _text_of(value: Cell) -> str:
    if value is None:
        return "-"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
