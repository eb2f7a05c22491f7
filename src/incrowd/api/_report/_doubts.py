"""What turns a green verdict amber: the promises are kept, and somebody should look all the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from incrowd.api._report._risk_rows import share

if TYPE_CHECKING:
    from incrowd.api._attack._attacks import Attack
    from incrowd.api._charts import Charts
    from incrowd.api._presets._presets import Checklist
    from incrowd.api._worst import Number

NEARLY_CERTAIN = Fraction(7, 10)
"""From this chance on a guess counts as nearly certain."""
GUESSES = ("inference", "homogeneity")
"""The attacks that guess a value from the release alone."""
KNOWN_AS = {
    "wp216": "The rule of the Article 29 Working Party",
    "ema-0.09": "The rule of EMA and Health Canada",
    "hipaa-safe-harbor": "The safe harbor of HIPAA",
}
"""What rules are called by people."""
FEW = 3
"""So many tests that could not be checked are named."""
RULES = ("wp216",)
"""The published rules that every release is held against; that of EMA asks for 12, which not everybody promised."""


def doubts(charts: Charts, checked: Iterable[Checklist] = ()) -> list[str]:
    """Say which guesses are nearly certain, and which published rules fail.

    Parameters
    ----------
    charts
        What was measured on the release.
    checked
        Other rules that somebody wants it to keep: what could not be checked of them is doubtful too.
    """
    rules, asked = [charts.risk_after.against(name) for name in RULES], list(checked)
    found = [*_guesses(charts.attacks_after), *(said for rule in [*rules, *asked] for said in _failures(rule))]
    return [*found, *(said for rule in asked for said in _unchecked(rule))]


def _guesses(attacks: Iterable[Attack]) -> Iterator[str]:
    """Name every confidential column that somebody can nearly be sure of."""
    found: dict[str, list[tuple[Number, Number]]] = {}
    for one in attacks:
        if one.name in GUESSES and one.column is not None and one.worst is not None and one.unit == "chance":
            found.setdefault(one.column, []).append((one.worst, one.baseline))
    for column, guesses in found.items():
        worst, without = (max(numbers) for numbers in zip(*guesses, strict=True))
        if worst >= NEARLY_CERTAIN:
            yield (
                f"Best guess of {column}: {share(worst)} sure in the worst group, which is nearly certain "
                f"({share(without)} for everybody without the release)."
            )


def _failures(rule: Checklist) -> Iterator[str]:
    for item in rule.items:
        if item.holds is False:
            yield f"{_named(rule)} does not hold ({item.test}): {item.measured}."


def _unchecked(rule: Checklist) -> Iterator[str]:
    """Say of which tests of a rule nobody knows whether they hold."""
    tests = [item.test for item in rule.items if item.holds is None]
    if tests:
        named = f" ({', '.join(tests)})" if len(tests) <= FEW else ""
        yield f"{_named(rule)}: {len(tests)} of {len(rule.items)} tests could not be checked{named}."


def _named(rule: Checklist) -> str:
    name = rule.preset.name
    return f"{KNOWN_AS.get(name, 'The rule')} ({name})"
