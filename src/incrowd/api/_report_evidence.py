"""The sections of a report that measure: who can be found, what attacks learn, what the data are good for."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from incrowd.api._attacks_text import is_guess, percent, worst_of
from incrowd.api._report_data import smallest_group
from incrowd.report import Figure, Section, Table

if TYPE_CHECKING:
    from incrowd.api._attacks import Attack
    from incrowd.api._charts import Charts
    from incrowd.api._risk_result import Risk

FEW = 6
"""So many columns are drawn before and after."""

WORST = (
    "The worst group is where the chance is highest; or how many times (x) likelier a value is there than in the whole "
    "table, how far belief changes there, or how narrow its range is. Where nothing is guessed stands -."
)


def risk(charts: Charts) -> Section:
    """Say how easily people were found before, and are now."""
    before, after = charts.risk_before, charts.risk_after
    k = smallest_group(charts.release)
    limit = 1 / k if k > 1 else None
    table = _risk_rows(before, after, k)
    headings = [[item.test, item.measured, item.rule, item.verdict] for item in after.against("wp216").items]
    tables = [
        Table("Before and after", ["what", "before", "after", "limit", "verdict"], table),
        Table(
            "The three questions of the Article 29 Working Party (Opinion 05/2014, WP216)",
            ["question", "measured", "rule", "verdict"],
            headings,
        ),
    ]
    figures = [
        Figure(
            "Records by the size of their group",
            charts.class_sizes(),
            "A record alone in its group (size 1) can be picked out by whoever knows its quasi-identifiers.",
            "Nothing of the release should stand to the left of what was promised.",
        ),
        Figure(
            "Chance to find a person",
            charts.attackers(limit),
            "The prosecutor knows that the person is in the table; the marketer links whom he can.",
            "If a bar is above the limit, ask for a larger k.",
        ),
    ]
    notes = [*after.notes]
    return Section("risk", "Risk before and after", notes, tables, figures)


def attacks(charts: Charts) -> Section:
    """Say what simulated attacks found out."""
    before = {(one.name, one.column): one for one in charts.attacks_before}
    found = charts.attacks_after
    table = [_attack_row(one, before.get((one.name, one.column))) for one in found]
    head = ["attack", "the intruder knows", "targets", "right before", "right after", "without the release", "gain"]
    head.append("worst group")
    figure = Figure(
        "Success of simulated attacks",
        charts.attack_rates(),
        "Circles are the original table, squares the release, grey marks what is guessed without it.",
        "A square far to the right of its grey mark tells what intruders learn: protect that column more.",
    )
    words = [
        "Everybody in the table was attacked by intruders who know what is written. Others may know more.",
        WORST,
        *dict.fromkeys([*found.notes, *(note for one in found for note in one.notes)]),
    ]
    return Section("attacks", "Simulated attacks", words, [Table("Attacks on the release", head, table)], [figure])


def usefulness(charts: Charts) -> Section:
    """Say what the data are still good for."""
    found = charts.utility
    table = [
        [
            name,
            "" if column.costs is None else f"{column.costs.loss:.3f}",
            f"{column.distance:.1%}",
        ]
        for name, column in found.columns.items()
    ]
    words = [
        f"Detail kept: {1 - found.measures['loss']:.1%}.",
        f"How columns go together (Cramér's V) changes by {found.mean_change:.3f} on average.",
    ]
    if found.queries.median is not None and found.queries.ninetieth is not None:
        words.append(
            f"Counts over ranges of two columns are off by {found.queries.median:.1%} (median), "
            f"{found.queries.ninetieth:.1%} (nine of ten are better)."
        )
    drawn = sorted(
        (name for name, column in found.columns.items() if column.costs), key=lambda name: -_loss(found, name)
    )
    figures = [
        Figure(
            "Detail lost per column",
            charts.losses(),
            "0 % is the original column, 100 % is nothing left of it.",
            "If a column that matters lost much, raise its importance, or give it a finer hierarchy.",
        ),
        *(
            Figure(
                f"{name} before and after",
                charts.marginals(name),
                "Labels of the release are spread evenly over the values that they cover.",
                "Bars of different height tell where the release misleads.",
            )
            for name in drawn[:FEW]
        ),
    ]
    head = ["column", "loss", "distribution off by"]
    return Section("usefulness", "Usefulness", words, [Table("Columns", head, table)], figures)


def _attack_row(one: Attack, before: Attack | None) -> list[str]:
    """Write one attack; those that guess nothing are never right, and that is no good news."""
    shares = ["-"] * 4
    if is_guess(one):
        was = "" if before is None else _percent(before.rate)
        shares = [was, _percent(one.rate), _percent(one.baseline), f"{float(one.advantage):+.1%}"]
    title = one.name if one.column is None else f"{one.name}: {one.column}"
    return [title, one.knows, f"{one.targets:,}", *shares, _joined(worst_of(one))]


def _risk_rows(before: Risk, after: Risk, k: int) -> list[list[str]]:
    def people(found: Risk) -> int:
        return found.records if found.persons is None else found.persons

    rows = [
        ["smallest group", f"{before.k or 0:,}", f"{after.k or 0:,}", f"at least {k}" if k > 1 else "", ""],
        ["one of a kind", f"{before.uniqueness.sample:,}", f"{after.uniqueness.sample:,}", "", ""],
        ["people", f"{people(before):,}", f"{people(after):,}", "", ""],
    ]
    if k > 1:
        rows[0][-1] = "kept" if (after.k or 0) >= k else "BROKEN"
    for one, other in zip(before.attackers, after.attackers, strict=False):
        if one.highest is not None and other.highest is not None:
            rows.append([f"{one.name}: highest chance", _percent(one.highest), _percent(other.highest), "", ""])
        rows.append([f"{one.name}: average chance", _percent(one.average), _percent(other.average), "", ""])
        if one.above is not None and other.above is not None:
            limit = f"{float(before.threshold):.0%}"
            rows.append(
                [f"{one.name}: people above {limit}", f"{one.above.people:,}", f"{other.above.people:,}", "", ""]
            )
    for name in sorted({*before.guesses} & {*after.guesses}):
        was, now = before.guesses[name], after.guesses[name]
        rows.append([f"{name}: most certain guess", _percent(was.highest), _percent(now.highest), "", ""])
        rows.append([f"{name}: certain for", f"{was.certain:,}", f"{now.certain:,}", "", ""])
    return rows


def _loss(found: Any, name: str) -> float:
    return float(found.columns[name].costs.loss)


def _percent(chance: Any) -> str:
    return _joined(percent(Fraction(chance)))


def _joined(text: str) -> str:
    """Write a percent sign so that no line ends before it."""
    return text.replace(" %", "%")
