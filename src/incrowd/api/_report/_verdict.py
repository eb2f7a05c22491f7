"""What the banner of a report says: whether the promises are kept, and the worst that was found beside them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from incrowd.api._report._about import QUESTIONS, About
from incrowd.api._report._doubts import doubts
from incrowd.api._report._risk_rows import people, share
from incrowd.report import State

if TYPE_CHECKING:
    from incrowd.api._charts import Charts

CERTAIN = ("homogeneity", "attribute linkage")
"""The attacks that say only what is certain."""
MANY = Fraction(1, 2)
"""From this share of the people on, certain values are worse than a doubt."""
WHERE = "Fill this in under [report] in the plan, or in step 7 of the page."


@dataclass(frozen=True, slots=True)
class Judgement:
    """What whoever signs has to know first.

    Attributes
    ----------
    state
        ``good`` if the promises are kept and nothing speaks against it, ``doubt`` if somebody should look, ``bad`` if
        a promise or a limit of the owner is broken, or a confidential value is certain for half of the people.
    word
        The same in a few words, with the policy.
    reasons
        What speaks against it, the worst first.
    """

    state: State
    word: str
    reasons: tuple[str, ...]


def judgement(charts: Charts, about: About) -> Judgement:
    """Take the worst of what was measured, attacked and not answered.

    Parameters
    ----------
    charts, about
        What is measured on the release, and what only its owner knows.
    """
    policy = charts.release.recipe.promise
    worst, missing, anyway = worst_findings(charts), not_stated(about), about.stated.get("released_anyway")
    signed = [f"Released although something was open, because: {anyway}"] if anyway else []
    stated = [f"NOT STATED: {', '.join(missing)}. {WHERE}"] if missing else []
    reasons = (*worst, *signed, *doubts(charts), *stated)
    if not charts.release.verdict.holds:
        return Judgement("bad", f"\N{BALLOT X} DOES NOT MEET the policy: {policy}", reasons)
    if worst:
        return Judgement("bad", f"\N{BALLOT X} KEEPS its promises ({policy}), but look at what was found", reasons)
    if reasons:
        return Judgement("doubt", f"! MEETS the policy: {policy}. Look at this before you sign", reasons)
    return Judgement("good", f"\N{CHECK MARK} MEETS the policy: {policy}", ())


def worst_findings(charts: Charts) -> list[str]:
    """Say what is worse than a doubt, though every promise is kept."""
    return [*_broken(charts), *_certain(charts)]


def not_stated(about: About) -> list[str]:
    """List the questions that nobody answered; the number of people and the limit may stay open."""
    optional = {"threshold", "population"}
    return [
        one.text[0].lower() + one.text[1:]
        for key, one in QUESTIONS.items()
        if one.asked and key not in optional and not about.stated.get(key)
    ]


def _broken(charts: Charts) -> list[str]:
    """Say that the owner's own limit is exceeded."""
    highest = charts.risk_after.prosecutor.highest or 0
    if charts.threshold is None or highest <= charts.accepted:
        return []
    return [f"The highest chance to find a person is {share(highest)}, above the limit of {share(charts.accepted)}."]


def _certain(charts: Charts) -> list[str]:
    """Name every column whose value is certain for many people, and was not before anybody had the release."""
    all_, found = people(charts.risk_after), dict[str, int]()
    for one in charts.attacks_after:
        if one.name in CERTAIN and one.column is not None and one.exposed.share >= MANY and one.advantage > 0:
            found[one.column] = max(found.get(one.column, 0), one.exposed.people)
    return [
        f"A value of {name} is certain for {number:,} of {all_:,} people: everybody in their group has it."
        for name, number in found.items()
    ]
