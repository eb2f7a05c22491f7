"""Report sections on risk, confidential columns, attacks and usefulness, before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from incrowd.core import Classes, HierarchyError, SchemaError
from incrowd.evidence import Attack, Attacks, Risk, certain, worst_text
from incrowd.measures import Exposed, best_guess
from incrowd.models import LDiversity, Measured, Model, TCloseness
from incrowd.release import Release
from incrowd.report._charts import Charts
from incrowd.report._data_section import judged_promises
from incrowd.report._page import LONG, WORDS, Figure, Section, Table, figure_of
from incrowd.report._verdict_section import HEAD, Row, compared_row, risk_rows, share

NAMES = {
    "loss": "geometric mean of losses",
    "precision": "precision lost (1 - Sweeney's)",
    "discernibility_star": "discernibility without a penalty (DM*)",
    "ambiguity": "ambiguity (combinations of values per record)",
    "aecs": "average group size (AECS)",
}
"""What measures are called where their own name would not be understood, or be read the other way round."""
LARGE = 1000
"""Measures from here on are written without decimals."""
EMA = "the rule of EMA Policy 0070 and Health Canada"
ATTACKS = 30
"""So many attacks are listed."""
FEW = 4
"""So many columns are drawn before and after in the printed report; all of them in JSON and on the page."""


def risk_section(charts: Charts) -> Section:
    """Say how easily people were found before, and are now."""
    after = charts.risk_after
    tables = [
        Table("Risks before and after", HEAD, risk_rows(charts, charts.promised_k)),
        _rules_table(after, "wp216", "The three questions of the Article 29 Working Party (Opinion 05/2014, WP216)"),
        _rules_table(after, "ema-0.09", f"For comparison, whether or not it was promised: {EMA}"),
    ]
    figure = figure_of("class-sizes", charts.class_sizes())
    words = [
        _accepted_text(charts),
        *after.notes,
        *([] if charts.population else [WORDS["notes"]["no-population"]]),
        *([] if charts.compares else [WORDS["notes"]["no-before"]]),
    ]
    return Section("risk", "Risk before and after", words, tables, [figure], annex=True)


def chances_figure(charts: Charts) -> Figure:
    """Show the chance of every kind of intruder."""
    more = "" if charts.risk_after.journalist is None else "the journalist must find the person in the population; "
    return figure_of("attackers", charts.attackers(float(charts.accepted)), journalist=more)


def _accepted_text(charts: Charts) -> str:
    """Say which chance counts as too high, and who says so."""
    said = f"A chance above {share(charts.accepted)} counts as too high"
    if charts.threshold is not None:
        return f"{said}: the owner of the data set this threshold."
    k = charts.promised_k
    if k > 1:
        return f"{said}: k>={k:,} accepts 1 in {k:,}, and no other threshold is stated."
    return f"{said}, which is usual: no k is promised, and no threshold is stated."


def _rules_table(after: Risk, preset: str, title: str) -> Table:
    found = [[item.test, item.measured, item.rule, item.verdict] for item in after.against(preset).items]
    return Table(title, ["question", "measured", "rule", "verdict"], found)


def attacks_section(charts: Charts) -> Section:
    """Say what simulated attacks found out."""
    before = {(one.name, one.column): one for one in charts.attacks.get("before", ())}
    found = charts.attacks_after
    table = [_attack_row(one, before.get((one.name, one.column))) for one in found]
    head = ["attack", "people", "exposed", "right before", "right after", "without the release", "gain", "worst group"]
    figure = figure_of("attack-rates", charts.attack_rates())
    words = [
        "Everybody in the table was attacked by intruders who know what is listed here. Others may know more.",
        *_intruder_lines(found),
        WORDS["notes"]["worst-group"],
    ]
    tables = [Table("Attacks on the release", head, table, most=ATTACKS)]
    return Section("attacks", "Simulated attacks", words, tables, [figure], annex=True)


def _intruder_lines(found: Attacks) -> list[str]:
    """Say once what the intruders know, by which attacks they use it, and what these found; then the other notes."""
    names: dict[str, dict[str, None]] = {}
    for one in found:
        names.setdefault(one.knows, {})[one.name] = None
    notes = list(dict.fromkeys([*found.notes, *(note for one in found for note in one.notes)]))
    lines = []
    for knows, some in names.items():
        own = [note for note in notes if note.partition(": ")[0] in some]
        notes = [note for note in notes if note not in own]
        said = [f"knows {knows}", *(note.partition(": ")[2].removesuffix(".") for note in own)]
        lines.append(f"{', '.join(some)}: {'; '.join(said)}.")
    return [*lines, *notes]


def usefulness_section(charts: Charts) -> Section:
    """Say what the data are still good for."""
    lost = figure_of("losses", charts.losses(), extra=True)
    if not charts.compares:
        words, cost = [WORDS["notes"]["no-use"]], [_cost_table(charts.release.measures)]
        return Section("usefulness", "Usefulness", words, cost, [lost], annex=True)
    found = charts.utility
    table = [
        [name, "" if column.costs is None else f"{1 - column.costs.loss:.1%}", f"{column.distance:.1%}"]
        for name, column in found.columns.items()
    ]
    words = [f"The association between columns (Cramér's V) changes by {found.mean_change:.3f} on average."]
    if found.queries.median is not None and found.queries.ninetieth is not None:
        words.append(
            f"Counts over ranges of two columns are off by {found.queries.median:.1%} (median); "
            f"nine in ten are off by at most {found.queries.ninetieth:.1%}."
        )
    if found.queries.starred and found.queries.median_shown is not None:
        words.append(
            "That spreads a star (*) evenly over what it covers. Counts of the records that show both columns are off "
            f"by {found.queries.median_shown:.1%} (median): {found.queries.starred:.1%} have a star there."
        )
    empty = charts.release.explanation.empty
    losses = {name: column.costs.loss for name, column in found.columns.items() if column.costs}
    drawn = sorted(losses, key=lambda name: (name in empty, -losses[name]))
    figures = [
        figure_of("marginals", charts.marginals(name), extra=place >= FEW, again=place > 0, column=name)
        for place, name in enumerate(drawn)
    ]
    if (curve := charts.frontier()) is not None:
        figures.append(figure_of("frontier", curve))
    head = ["column", "detail kept", "distribution off by"]
    tables = [Table("Columns", head, table), _cost_table(found.measures)]
    return Section("usefulness", "Usefulness", words, tables, [lost, *figures], annex=True)


def _cost_table(measures: Mapping[str, float]) -> Table:
    """List what the release cost, by all measures."""
    listed = [
        [NAMES.get(name, name), f"{value:,.0f}" if value >= LARGE else f"{value:.4g}"]
        for name, value in measures.items()
    ]
    return Table("What it cost: smaller is better", ["measure", "value"], listed, most=0)


def _attack_row(one: Attack, before: Attack | None) -> list[str]:
    """Write one attack; those that guess nothing are never right, and that is no good news."""
    shares = ["-"] * 4
    if one.guesses:
        was = "" if before is None else share(before.rate)
        gain = f"{float(one.advantage):+.1%}" if one.advantage > 0 else "none"
        shares = [was, _rate_text(one), share(one.baseline), gain]
    title = one.name if one.column is None else f"{one.name}: {one.column}"
    exposed = "-" if one.unit == "change" else f"{one.exposed.people:,}"
    return [title, f"{one.targets:,}", exposed, *shares, worst_text(one).replace(" %", "%")]


def _rate_text(one: Attack) -> str:
    """Write how often an attack is right, with its 95 % interval where not everybody was attacked."""
    if one.interval is None:
        return share(one.rate)
    low, high = one.interval
    return f"{share(one.rate)} ({low:.1%} to {high:.1%})"


# Confidential values: what groups tell without anybody being found.

UNKNOWN = "-"
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
        Table(f"What groups tell about {name}", HEAD, _confidential_rows(charts, name), LONG if place < SHOWN else 0)
        for place, name in enumerate(names)
    ]
    figures = [
        replace(figure, extra=figure.extra or place >= SHOWN)
        for place, name in enumerate(names)
        for figure in _confidential_figures(charts, name, again=place > 0)
    ]
    words = [WORDS["notes"]["confidential"]]
    return [Section("confidential", "Confidential values", words, tables, figures, annex=True)]


def _confidential_figures(charts: Charts, name: str, *, again: bool) -> list[Figure]:
    """Show the most certain guesses, and who has what where values are names; how to read them is said once."""
    bound = charts.confidence(name, _most_certain(charts.release, name))
    curve = figure_of("confidence", bound, again=again, column=name)
    if charts.classes_after.cells.domains[name].kind not in {"text", "boolean"}:
        return [curve]
    return [curve, figure_of("graph", charts.bipartite(name), extra=True, column=name)]


def _confidential_rows(charts: Charts, name: str) -> list[Row]:
    """Compare what groups tell about a column."""
    both, limits, distance = charts.groups, _limits(charts.release, name), _promised_distance(charts.release, name)
    reference, closeness = _reference_counts(charts, name), TCloseness(1, name, distance)
    distances = {when: (_measured_groups(charts, one, closeness, reference), one) for when, one in both.items()}
    guesses = {when: best_guess(classes, name) for when, classes in both.items()}
    bounds = _guess_bounds(charts.release, name)

    def row(what: str, found: Mapping[str, Any], write: Callable[[Any], str]) -> Row:
        return compared_row(what, found, write, *limits.get(what.partition(" (")[0], ()))

    known = (
        [row(AMONG_KNOWN, both, lambda one: _surest_text(_measured_groups(charts, one, bounds[0])))] if bounds else []
    )
    return [
        row("fewest different values in a group (l)", both, lambda one: _least_text(charts, one, LDiversity(1, name))),
        row(
            "lowest effective number of values (entropy l)",
            both,
            lambda one: _least_text(charts, one, LDiversity(1, name, "entropy")),
        ),
        row("most certain guess in any group", guesses, lambda guess: share(guess.highest)),
        *known,
        row("guessed right on average", guesses, lambda guess: share(guess.average)),
        row("guessed right without the groups", guesses, lambda guess: share(guess.without)),
        row("people whose group has one value", both, lambda one: f"{Exposed.of(one, certain(one, name)).people:,}"),
        row(
            f"largest distance of a group from the table (t, {distance})", distances, lambda one: _largest_text(one[0])
        ),
        row("average distance of a person's group from the table", distances, lambda one: _mean_text(*one)),
        row("largest skew of a value", charts.attacks, lambda found: _skew_text(found, name)),
    ]


def _surest_text(found: Measured | None) -> str:
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


def _promised_distance(release: Release, name: str) -> Any:
    """Give the distance that was promised for a column; else the one that needs no order."""
    pairs = judged_promises(release)
    ways = [part.distance for part, found in pairs if isinstance(part, TCloseness) and name in found.columns]
    return ways[0] if ways else "equal"


def _measured_groups(charts: Charts, classes: Classes, model: Model, reference: Any = None) -> Measured | None:
    """Let a model measure every group; nothing where it refuses to, or there is none."""
    try:
        (judge,) = model.bind(charts.release.schema, classes.cells.domains, reference)
        return judge.measure(classes)[0] if len(classes) else None
    except (SchemaError, HierarchyError):
        return None


def _least_text(charts: Charts, classes: Classes, model: Model) -> str:
    found = _measured_groups(charts, classes, model)
    return UNKNOWN if found is None else f"{float(found.floats.min()):.4g}"


def _largest_text(found: Measured | None) -> str:
    return UNKNOWN if found is None else f"{float(found.floats.max()):.3f}"


def _mean_text(found: Measured | None, classes: Classes) -> str:
    return UNKNOWN if found is None else f"{float(np.average(found.floats, weights=classes.size)):.3f}"


def _reference_counts(charts: Charts, name: str) -> Mapping[str, Any] | None:
    """Count the values of the whole table, as the reference of distances."""
    schema = charts.release.schema
    if schema.entity is not None:
        return None
    if schema.count is None:
        return {name: charts.domains([name])[name].counts}
    if not charts.compares:
        return None
    cells = charts.groups["before"].cells
    counts = np.zeros(len(cells.domains[name]), dtype=np.int64)
    np.add.at(counts, cells.sensitive[name], cells.counts)
    return {name: counts}


def _skew_text(found: Any, name: str) -> str:
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
