"""The rows of a report's table of risks: before, after, limit, verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from incrowd.api._exposed import Exposed
from incrowd.api._shares import percent
from incrowd.core import Classes

if TYPE_CHECKING:
    from incrowd.api._charts import Charts
    from incrowd.api._risk._result import AttackerRisk, Risk

HEAD = ("what", "before", "after", "limit", "verdict")
MOST = Fraction(19, 20)
"""The share of people whose chance is at most the 95th percentile."""
Row = list[str]
NOT_MEASURED = "not measured"
_T = TypeVar("_T")


def texts(found: Mapping[str, _T], write: Callable[[_T], str]) -> Row:
    """Write what was found before and after; the original may not be measured."""
    return [write(found[when]) if when in found else NOT_MEASURED for when in ("before", "after")]


def risk_rows(charts: Charts, k: int) -> list[Row]:
    """Compare how easily people are found before and after, beyond what the first page says."""
    rows = [*group_rows(charts, k)[:1], *_chances(charts)]
    for one in charts.risk_after.attackers:
        named = {when: {other.name: other for other in risk.attackers} for when, risk in charts.risks.items()}
        rows += _attacker({when: found[one.name] for when, found in named.items()}, share(charts.accepted))
    return [*rows, *_population(charts.risks)]


def group_rows(charts: Charts, k: int) -> list[Row]:
    """Compare groups: the smallest one, who is alone, and who is in one that is too small."""
    both, after = charts.risks, charts.risk_after
    kept = (after.k or 0) >= k
    alone = texts(both, lambda found: _count(found.uniqueness.sample, found))
    rows = [
        ["people", *texts(both, lambda found: f"{people(found):,}"), "", ""],
        ["smallest group", *texts(both, lambda found: f"{found.k or 0:,}"), *_asked(f"at least {k}", k, kept)],
        ["people one of a kind", *alone, *_asked("none", k, not after.uniqueness.sample)],
    ]
    if k > 2:  # below, that is who is one of a kind
        counts = {when: (_below(classes, k), both[when]) for when, classes in charts.groups.items()}
        shown = texts(counts, lambda pair: _count(*pair))
        rows.append([f"people in groups smaller than {k}", *shown, *_asked("none", k, not counts["after"][0])])
    if charts.release.schema.entity is not None:
        by_rows = texts(both, lambda found: _count(found.alone_by_rows or 0, found))
        rows.append(["people one of a kind by all their rows together", *by_rows, "not promised", ""])
    return rows


def people(found: Risk) -> int:
    """Give how many people there are: persons where the table says whose row is whose, else records."""
    return found.records if found.persons is None else found.persons


def share(chance: Any) -> str:
    """Write a chance so that no line ends before its percent sign."""
    return percent(Fraction(chance)).replace(" %", "%")


def highest_row(charts: Charts, k: int) -> Row:
    """Compare the chance to find the person who is easiest to find."""
    kept = (charts.risk_after.prosecutor.highest or 0) <= charts.accepted
    limit, verdict = _asked(f"at most {share(charts.accepted)}", 2 if charts.threshold is not None else k, kept)
    found = texts(charts.risks, lambda found: share(found.prosecutor.highest or 0))
    exceeded = not kept and charts.threshold is not None  # the owner's own limit: no promise is broken by that
    return ["highest chance to find a person", *found, limit, "EXCEEDED" if exceeded else verdict]


def percentile(classes: Classes, part: Fraction = MOST) -> Fraction:
    """Give the chance that so many of all people do not exceed.

    Parameters
    ----------
    classes
        The groups; the chance of everybody in one is 1 over its size.
    part
        The share of the people.
    """
    sizes = np.sort(classes.size)[::-1]
    if not len(sizes):
        return Fraction(0)
    reached = np.cumsum(sizes)
    needed = -(-int(reached[-1]) * part.numerator // part.denominator)
    return Fraction(1, int(sizes[np.searchsorted(reached, needed)]))


def _chances(charts: Charts) -> list[Row]:
    """Compare the chances of whoever knows that a person is in the table."""
    return [
        ["chance that 95 of 100 people do not exceed", *texts(charts.groups, _most_do), "", ""],
        ["people found if everybody is looked for, expected", *texts(charts.risks, _found), "", ""],
    ]


def _most_do(classes: Classes) -> str:
    return share(percentile(classes))


def _found(one: Risk) -> str:
    """Say how many people are found if everybody is looked for."""
    chance = one.prosecutor.average
    return f"{float(chance) * people(one):,.0f} ({share(chance)})"


def _attacker(found: Mapping[str, AttackerRisk], threshold: str) -> list[Row]:
    """Compare what one kind of intruder achieves."""
    name, rows = found["after"].name, []
    if all(one.highest is not None for one in found.values()) and name != "prosecutor":
        rows.append([f"{name}: highest chance", *texts(found, lambda one: share(one.highest)), "", ""])
    if name != "prosecutor":
        rows.append([f"{name}: average chance", *texts(found, lambda one: share(one.average)), "", ""])
    above = {when: one.above for when, one in found.items() if one.above is not None}
    if len(above) == len(found):
        rows.append([f"{name}: people above {threshold}", *texts(above, lambda one: f"{one.people:,}"), "", ""])
    return rows


def _population(both: Mapping[str, Risk]) -> list[Row]:
    """Compare who is expected to be one of a kind in the population, by each model that says so."""
    return [
        [f"one of a kind in the population, expected ({name})", *texts(both, partial(_expected, name)), "", ""]
        for name in next(iter(both.values())).uniqueness.estimates
    ]


def _expected(name: str, found: Risk) -> str:
    number = found.uniqueness.estimates.get(name)
    return "no answer" if number is None else f"{number:,.1f}"


def _count(number: int, found: Risk) -> str:
    return f"{number:,} ({share(Fraction(number, max(people(found), 1)))})"


def _below(classes: Classes, k: int) -> int:
    return Exposed.of(classes, classes.size < k).people


def _asked(limit: str, k: int, kept: bool) -> Row:  # noqa: FBT001 - one word of a row
    """Give limit and verdict, if a smallest group was promised."""
    return [limit, "kept" if kept else "BROKEN"] if k > 1 else ["", ""]
