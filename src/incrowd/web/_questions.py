"""Somebody's own questions to a run: a count, an average, a model; asked of the table and of the release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.api import Release, utility
from incrowd.api._risk._classes import original_census
from incrowd.api._utility._tables import Compared, Side, compared
from incrowd.core import Domain, ParameterError, UnknownColumnError
from incrowd.measures import Axis, Cover, Spread
from incrowd.web._bounds import Range
from incrowd.web._desk import release_of
from incrowd.web._look import share_of
from incrowd.web._refusal import Plain
from incrowd.web._worker import Teller

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """What is asked for of one column.

    Attributes
    ----------
    column
        Its name.
    matches
        Of every value of the table, whether it is asked for; a missing one never is.
    stretch
        Of a range, from where on to below where, on the axis of the column: that is what a reader of labels asks.
    """

    column: str
    matches: Bools
    stretch: tuple[float, float] | None = None

    @classmethod
    def of(cls, domain: Domain, one: Plain, place: int) -> Condition:
        """Read what was asked, which stands at a place of the request."""
        known, found = len(domain.values), np.zeros(len(domain), dtype=bool)
        if one["values"] is not None:
            found[:known] = np.isin(domain.texts[:known].astype(str), [str(text) for text in one["values"]])
            return cls(domain.column, found)
        between = Range.of(domain, one["low"], one["high"], f"where.{place}")
        found[between.places(domain)] = True
        axis = Axis.of(domain)
        return cls(domain.column, found, None if axis is None else between.stretch(axis))

    def __and__(self, other: Condition) -> Condition:
        """Ask for both of the same column: shares of a label that lie in each say nothing about those in both."""
        stretch = None
        if self.stretch is not None and other.stretch is not None:
            begin = max(self.stretch[0], other.stretch[0])
            stretch = begin, max(min(self.stretch[1], other.stretch[1]), begin)
        return Condition(self.column, self.matches & other.matches, stretch)

    def share(self, cover: Cover | Spread) -> Floats:
        """Give of every value or label the share of its records that is asked for."""
        if self.stretch is not None and isinstance(cover, Spread):
            return cover.between(*self.stretch)
        return cover.among(self.matches)


def question(given: Plain, teller: Teller) -> Plain:
    """Answer a question from the table and from the release, as somebody would who has no more than that."""
    _, release = release_of(given["run"], teller)
    _check(release, [given["column"], *(one["column"] for one in given["where"])])
    teller.step("asking the table and the version")
    if given["ask"] == "model":
        return _predicted(release, given["column"])
    both = _both(release)
    chosen = _conditions(both, given["where"])
    before, after = (_answer(side, both, given, chosen) for side in (both.before, both.after))
    return {"before": _text(before), "after": _text(after), "off": _off(before, after), "guessed": None}


def _answer(side: Side, both: Compared, given: Plain, chosen: list[Condition]) -> float | None:
    if given["ask"] == "count":
        return float(_weights(side, chosen).sum())
    column = given["column"]
    return _mean(side, column, _numbers(both.census.domains[column]), chosen)


def _conditions(both: Compared, where: list[Plain]) -> list[Condition]:
    """Read all conditions; several about one column become one."""
    found: dict[str, Condition] = {}
    for place, one in enumerate(where):
        read = Condition.of(both.census.domains[one["column"]], one, place)
        found[read.column] = found[read.column] & read if read.column in found else read
    return list(found.values())


def _check(release: Release, names: list[str | None]) -> None:
    schema = release.schema
    known = (*schema.quasi_names, *schema.sensitive_names, *schema.insensitive)
    for name in names:
        if name is not None and name not in known:
            raise UnknownColumnError.of(name, known, given_as="published column")


def _both(release: Release) -> Compared:
    """Put the release beside its table, with every column that is published."""
    basis, schema = release.basis, release.schema
    assert basis is not None  # noqa: S101 - anonymize made it
    more = (*schema.sensitive_names, *schema.insensitive)
    return compared(release, original_census(release, basis.table, more, **basis.reading))


def _numbers(domain: Domain) -> Floats:
    """Give every value of a column as a number; none where it is missing."""
    if domain.kind != "number":
        msg = f"Column {domain.column!r} has no numbers, so it has no average."
        raise ParameterError(msg, hint="choose a column of numbers.")
    numbers = np.full(len(domain), np.nan)
    numbers[: len(domain.values)] = domain.values.astype(np.float64)
    return numbers


def _weights(side: Side, chosen: list[Condition]) -> Floats:
    """Give the records of every cell that are asked for: of a label the share that lies there, spread evenly."""
    weights = side.counts.astype(np.float64)
    for one in chosen:
        weights = weights * one.share(side.covers[one.column])[side.codes[one.column]]
    return weights


def _mean(side: Side, column: str, values: Floats, chosen: list[Condition]) -> float | None:
    """Average a column over the records that are asked for; a label stands for its middle."""
    cover = side.covers[column]
    averages = cover.averages(values)[side.codes[column]]
    weights = np.where(np.isnan(averages), 0.0, _weights(side, chosen))
    total = weights.sum()
    return None if total <= 0 else float(np.nan_to_num(averages) @ weights / total)


def _predicted(release: Release, column: str | None) -> Plain:
    """Let one model learn from the table and one from the release, and see how often each is right."""
    basis = release.basis
    assert basis is not None  # noqa: S101 - anonymize made it
    found = utility(release, basis.table, target=column, queries=0, **basis.reading).accuracy
    assert found is not None  # noqa: S101 - it was asked for
    before, after = share_of(found.original), share_of(found.release)
    return {"before": before, "after": after, "off": None, "guessed": share_of(found.baseline)}


def _text(number: float | None) -> str | None:
    return None if number is None else f"{number:.10g}" if float(number).is_integer() else f"{number:.6g}"


def _off(before: float | None, after: float | None) -> str | None:
    """Say how far the answer is from the true one, as a share of it."""
    if before is None or after is None or not before:
        return None
    return share_of(abs(after - before) / abs(before))
