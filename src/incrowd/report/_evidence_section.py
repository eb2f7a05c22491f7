"""The sections of a report that measure: who can be found, what attacks learn, what the data are good for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from incrowd.evidence import worst_text
from incrowd.report._page import Figure, Section, Table
from incrowd.report._verdict_section import HEAD, risk_rows, share

if TYPE_CHECKING:
    from incrowd.evidence import Attack, Attacks, Risk
    from incrowd.report._charts import Charts

MAP = "risk and detail"
MAP_READING = (
    "The line is the detail lost for every k, with the other promises kept, one level per column and the same limit of "
    "records left out; the square is this release."
)
NAMES = {
    "precision": "precision lost (1 - Sweeney's)",
    "discernibility_star": "discernibility without a penalty (DM*)",
    "ambiguity": "ambiguity (combinations of values per record)",
    "aecs": "average group size (AECS)",
}
"""What measures are called where their own name would not be understood, or be read the other way round."""
LARGE = 1000
"""Measures from here on are written without decimals."""
ATTACKS = 30
"""So many attacks are listed."""
FEW = 4
"""So many columns are drawn before and after in the printed report; all of them in JSON and on the page."""

NO_POPULATION = (
    "The size of the population is not stated, so who is one of a kind in it is not known, and the journalist is not "
    "measured; the prosecutor's chances are at least as high."
)
NO_BEFORE = (
    "The original table was not measured: the census of all its combinations does not fit into memory. The release "
    "was, and nothing about it is estimated."
)
NO_USE = (
    "How distributions changed was not measured: the census of the original table does not fit into memory. More "
    "memory would show it."
)
WORST = (
    "The worst group is the one with the highest chance; some attacks show instead how many times (x) likelier a "
    "value is there than in the whole table, how far belief changes, or how narrow the range is. A dash (-): no "
    "guess."
)


def risk_section(charts: Charts) -> Section:
    """Say how easily people were found before, and are now."""
    after = charts.risk_after
    tables = [
        Table("Risks before and after", HEAD, risk_rows(charts, charts.promised_k)),
        _rules(after, "wp216", "The three questions of the Article 29 Working Party (Opinion 05/2014, WP216)"),
        _rules(
            after,
            "ema-0.09",
            "For comparison, whether or not it was promised: the rule of EMA Policy 0070 and Health Canada",
        ),
    ]
    figure = Figure(
        "people by the size of their group",
        charts.class_sizes(),
        "Whoever is alone in a group (size 1) can be picked out by somebody who knows the quasi-identifiers.",
        "No bar of the release should be to the left of the promised size.",
        "class-sizes",
    )
    words = [
        _accepted(charts),
        *after.notes,
        *([] if charts.population else [NO_POPULATION]),
        *([] if charts.compares else [NO_BEFORE]),
    ]
    return Section("risk", "Risk before and after", words, tables, [figure], annex=True)


def chances_figure(charts: Charts) -> Figure:
    """Show the chance of every kind of intruder."""
    journalist = (
        "" if charts.risk_after.journalist is None else "the journalist must find the person in the population; "
    )
    return Figure(
        "chance to find a person",
        charts.attackers(float(charts.accepted)),
        f"The prosecutor knows that the person is in the table (highest chance); {journalist}the marketer links "
        "whomever they can (average).",
        "If a bar is above the limit, ask for a larger k.",
        "attackers",
    )


def _accepted(charts: Charts) -> str:
    """Say which chance counts as too high, and who says so."""
    said = f"A chance above {share(charts.accepted)} counts as too high"
    if charts.threshold is not None:
        return f"{said}: the owner of the data set this threshold."
    k = charts.promised_k
    if k > 1:
        return f"{said}: k>={k:,} accepts 1 in {k:,}, and no other threshold is stated."
    return f"{said}, which is usual: no k is promised, and no threshold is stated."


def _rules(after: Risk, preset: str, title: str) -> Table:
    found = [[item.test, item.measured, item.rule, item.verdict] for item in after.against(preset).items]
    return Table(title, ["question", "measured", "rule", "verdict"], found)


def attacks_section(charts: Charts) -> Section:
    """Say what simulated attacks found out."""
    before = {(one.name, one.column): one for one in charts.attacks.get("before", ())}
    found = charts.attacks_after
    table = [_attack_row(one, before.get((one.name, one.column))) for one in found]
    head = ["attack", "people", "exposed", "right before", "right after", "without the release", "gain", "worst group"]
    figure = Figure(
        "success of simulated attacks",
        charts.attack_rates(),
        "Circles show the original table, squares the release, grey marks guesses without it.",
        "A square far to the right of its grey mark shows what intruders learn: protect that column more.",
        "attack-rates",
    )
    words = [
        "Everybody in the table was attacked by intruders who know what is listed here. Others may know more.",
        *_knowledge(found),
        WORST,
        *dict.fromkeys([*found.notes, *(note for one in found for note in one.notes)]),
    ]
    return Section(
        "attacks",
        "Simulated attacks",
        words,
        [Table("Attacks on the release", head, table, most=ATTACKS)],
        [figure],
        annex=True,
    )


def _knowledge(found: Attacks) -> list[str]:
    """Say once what the intruders know, and by which attacks they use it."""
    names: dict[str, list[str]] = {}
    for one in found:
        names.setdefault(one.knows, []).append(one.name)
    return [f"{', '.join(dict.fromkeys(some))}: knows {knows}." for knows, some in names.items()]


def usefulness_section(charts: Charts) -> Section:
    """Say what the data are still good for."""
    if not charts.compares:
        words = [NO_USE]
        cost = [_cost(charts.release.measures)]
        return Section("usefulness", "Usefulness", words, cost, [_lost(charts)], annex=True)
    found = charts.utility
    table = [
        [name, "" if column.costs is None else f"{column.costs.loss:.3f}", f"{column.distance:.1%}"]
        for name, column in found.columns.items()
    ]
    words = [f"The association between columns (Cramér's V) changes by {found.mean_change:.3f} on average."]
    if found.queries.median is not None and found.queries.ninetieth is not None:
        words.append(
            f"Counts over ranges of two columns are off by {found.queries.median:.1%} (median); "
            f"nine in ten are off by at most {found.queries.ninetieth:.1%}."
        )
    empty = charts.release.explanation.empty
    drawn = sorted(
        (name for name, column in found.columns.items() if column.costs),
        key=lambda name: (name in empty, -_loss(found, name)),
    )
    curve = charts.frontier()
    figures = [
        _lost(charts),
        *(
            Figure(
                f"{name} before and after",
                charts.marginals(name),
                "" if place else "People with a vaguer value are spread evenly over the values that it covers.",
                "" if place else "Where the bars differ in height, the release misleads.",
                "marginals",
                extra=place >= FEW,
            )
            for place, name in enumerate(drawn)
        ),
    ]
    if curve is not None:
        advice = "Where the line is flat, a larger k costs little: take it."
        figures.append(Figure(MAP, curve, MAP_READING, advice, "frontier"))
    head = ["column", "loss", "distribution off by"]
    tables = [Table("Columns", head, table), _cost(found.measures)]
    return Section("usefulness", "Usefulness", words, tables, figures, annex=True)


def _cost(measures: Mapping[str, float]) -> Table:
    """List what the release cost, by all measures."""
    listed = [
        [NAMES.get(name, name), f"{value:,.0f}" if value >= LARGE else f"{value:.4g}"]
        for name, value in measures.items()
    ]
    return Table("What it cost: smaller is better", ["measure", "value"], listed, most=0)


def _lost(charts: Charts) -> Figure:
    """Show what columns lost."""
    return Figure(
        "detail lost per column",
        charts.losses(),
        "0 % is the original column, 100 % is nothing left of it.",
        "If a column that matters lost much, raise its importance, or give it a finer hierarchy.",
        "losses",
        extra=True,
    )


def _attack_row(one: Attack, before: Attack | None) -> list[str]:
    """Write one attack; those that guess nothing are never right, and that is no good news."""
    shares = ["-"] * 4
    if one.guesses:
        was = "" if before is None else share(before.rate)
        gain = f"{float(one.advantage):+.1%}" if one.advantage > 0 else "none"
        shares = [was, _rate(one), share(one.baseline), gain]
    title = one.name if one.column is None else f"{one.name}: {one.column}"
    exposed = "-" if one.unit == "change" else f"{one.exposed.people:,}"
    return [title, f"{one.targets:,}", exposed, *shares, worst_text(one).replace(" %", "%")]


def _rate(one: Attack) -> str:
    """Write how often an attack is right, with its 95 % interval where not everybody was attacked."""
    if one.interval is None:
        return share(one.rate)
    low, high = one.interval
    return f"{share(one.rate)} ({low:.1%} to {high:.1%})"


def _loss(found: Any, name: str) -> float:
    return float(found.columns[name].costs.loss)
