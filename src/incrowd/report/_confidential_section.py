"""The section of a report about confidential values: what groups tell without anybody being found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.core import Classes, HierarchyError, SchemaError
from incrowd.evidence import certain
from incrowd.measures import Exposed, best_guess
from incrowd.models import LDiversity, Measured, Model, TCloseness
from incrowd.report._data_section import judged_promises
from incrowd.report._page import LONG, Figure, Section, Table
from incrowd.report._verdict_section import HEAD, Row, compared_row, share

if TYPE_CHECKING:
    from incrowd.release import Release
    from incrowd.report._charts import Charts

UNKNOWN = "-"
NOTE = (
    "A secret can be learnt without finding anybody: it is enough that a group has only one value, or one that is much "
    "more frequent there than elsewhere. A dash (-): not measurable."
)
AMONG_KNOWN = "most certain guess where the value is known"
"""The measure of a promise about guesses: where values are missing, it is larger than the share of a whole group."""
SHOWN = 3
"""So many columns are shown; all of them stand in the JSON report and on the web page."""


def confidential_sections(charts: Charts) -> list[Section]:
    """Say how certain guesses of sensitive values can be, before and after."""
    names = list(charts.classes_after.cells.sensitive)
    if not names:
        return []
    tables = [
        Table(f"What groups tell about {name}", HEAD, _rows(charts, name), most=LONG if place < SHOWN else 0)
        for place, name in enumerate(names)
    ]
    figures = [
        replace(figure, extra=figure.extra or place >= SHOWN)
        for place, name in enumerate(names)
        for figure in _figures(charts, name, again=place > 0)
    ]
    return [Section("confidential", "Confidential values", [NOTE], tables, figures, annex=True)]


def _figures(charts: Charts, name: str, *, again: bool) -> list[Figure]:
    """Show the most certain guesses, and who has what where values are names; how to read them is said once."""
    curve = Figure(
        f"most certain guess of {name}",
        charts.confidence(name, _most_certain(charts.release, name)),
        ""
        if again
        else "Groups from the safest to the least safe; the height is the share of the most frequent value there.",
        "" if again else "If the right end is high, ask for more diversity (l) or for closeness (t).",
        "confidence",
    )
    if charts.classes_after.cells.domains[name].kind not in {"text", "boolean"}:
        return [curve]
    graph = Figure(
        f"which groups have which {name}",
        charts.bipartite(name),
        "Values on the left, groups on the right, the most certain ones; thicker lines are larger shares.",
        "A group with one thick line tells nearly everybody's value: ask for more diversity.",
        "graph",
        extra=True,
    )
    return [curve, graph]


def _rows(charts: Charts, name: str) -> list[Row]:
    """Compare what groups tell about a column."""
    both, limits, distance = charts.groups, _limits(charts.release, name), _distance(charts.release, name)
    reference, closeness = _counts(charts, name), TCloseness(1, name, distance)
    distances = {when: (_measured(charts, one, closeness, reference), one) for when, one in both.items()}
    guesses = {when: best_guess(classes, name) for when, classes in both.items()}
    bounds = _guess_bounds(charts.release, name)

    def row(what: str, found: Mapping[str, Any], write: Callable[[Any], str]) -> Row:
        return compared_row(what, found, write, *limits.get(what.partition(" (")[0], ()))

    known = [row(AMONG_KNOWN, both, lambda one: _surest(_measured(charts, one, bounds[0])))] if bounds else []
    return [
        row("fewest different values in a group (l)", both, lambda one: _least(charts, one, LDiversity(1, name))),
        row(
            "lowest effective number of values (entropy l)",
            both,
            lambda one: _least(charts, one, LDiversity(1, name, "entropy")),
        ),
        row("most certain guess in any group", guesses, lambda guess: share(guess.highest)),
        *known,
        row("guessed right on average", guesses, lambda guess: share(guess.average)),
        row("guessed right without the groups", guesses, lambda guess: share(guess.without)),
        row("people whose group has one value", both, lambda one: f"{Exposed.of(one, certain(one, name)).people:,}"),
        row(f"largest distance of a group from the table (t, {distance})", distances, lambda one: _largest(one[0])),
        row("average distance of a person's group from the table", distances, lambda one: _mean(*one)),
        row("largest skew of a value", charts.attacks, lambda found: _skew(found, name)),
    ]


def _surest(found: Measured | None) -> str:
    return UNKNOWN if found is None else share(1 / Fraction(float(found.floats.min())).limit_denominator(10**9))


def _limits(release: Release, name: str) -> Mapping[str, Row]:
    """Give what was promised about a column and whether it is kept, by the row that it bounds."""
    found: dict[str, Row] = {}
    for part, finding in judged_promises(release):
        kept = "kept" if finding.holds else "BROKEN"
        match part if name in finding.columns else None:
            case LDiversity(bound, kind="distinct"):
                found["fewest different values in a group"] = [f"at least {bound}", kept]
            case LDiversity(bound, kind="entropy"):
                found["lowest effective number of values"] = [f"at least {float(bound):g}", kept]
            case LDiversity(bound):
                found[AMONG_KNOWN] = [f"at most {share(1 / Fraction(bound))}", kept]
            case TCloseness(bound):
                found["largest distance of a group from the table"] = [f"at most {float(bound):g}", kept]
    return found


def _distance(release: Release, name: str) -> Any:
    """Give the distance that was promised for a column; else the one that needs no order."""
    pairs = judged_promises(release)
    ways = [part.distance for part, found in pairs if isinstance(part, TCloseness) and name in found.columns]
    return ways[0] if ways else "equal"


def _measured(charts: Charts, classes: Classes, model: Model, reference: Any = None) -> Measured | None:
    """Let a model measure every group; nothing where it refuses to, or there is none."""
    try:
        (judge,) = model.bind(charts.release.schema, classes.cells.domains, reference)
        return judge.measure(classes)[0] if len(classes) else None
    except (SchemaError, HierarchyError):
        return None


def _least(charts: Charts, classes: Classes, model: Model) -> str:
    found = _measured(charts, classes, model)
    return UNKNOWN if found is None else f"{float(found.floats.min()):.4g}"


def _largest(found: Measured | None) -> str:
    return UNKNOWN if found is None else f"{float(found.floats.max()):.3f}"


def _mean(found: Measured | None, classes: Classes) -> str:
    return UNKNOWN if found is None else f"{float(np.average(found.floats, weights=classes.size)):.3f}"


def _counts(charts: Charts, name: str) -> Mapping[str, Any] | None:
    """Count the values of the whole table, as the reference of distances."""
    schema = charts.release.schema
    if schema.entity is not None:
        return None
    if schema.count is None:
        return {name: charts.domains([name])[name].counts}
    if not charts.compares:
        return None
    cells = charts.classes_before.cells
    counts = np.zeros(len(cells.domains[name]), dtype=np.int64)
    np.add.at(counts, cells.sensitive[name], cells.counts)
    return {name: counts}


def _skew(found: Any, name: str) -> str:
    worst = next((one.worst for one in found if (one.name, one.column) == ("skewness", name)), None)
    return UNKNOWN if worst is None else f"{float(worst):,.1f} times"


def _most_certain(release: Release, name: str) -> float | None:
    """Give the most certain guess of a column that the promises allow, if they bound it."""
    return min((1 / float(part.l) for part in _guess_bounds(release, name)), default=None)


def _guess_bounds(release: Release, name: str) -> list[LDiversity]:
    """Give the promises that bound how certain a guess of a column may be, as a share of those whose value is known."""
    return [
        part
        for part, finding in judged_promises(release)
        if isinstance(part, LDiversity) and part.kind == "probabilistic" and name in finding.columns
    ]
