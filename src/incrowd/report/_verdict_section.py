"""What the banner of a report says: kept or not, doubts, open questions; rows that compare before and after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from incrowd.core import Classes, unbroken_percent
from incrowd.measures import Exposed
from incrowd.release import QUESTIONS, About
from incrowd.report._page import State

if TYPE_CHECKING:
    from incrowd.evidence import Attack, AttackerRisk, Checklist, Risk
    from incrowd.models import MeasuredNumber as Number
    from incrowd.report._charts import Charts


# The rows of a report's table of risks: before, after, limit, verdict.

HEAD = ("what", "before", "after", "limit", "verdict")
MOST = Fraction(19, 20)
"""The share of people whose chance is at most the 95th percentile."""
Row = list[str]
NOT_MEASURED = "not measured"
_T = TypeVar("_T")


def compared_row(
    what: str, found: Mapping[str, _T], write: Callable[[_T], str], limit: str = "", verdict: str = ""
) -> Row:
    """Write what was found before and after; the original may not be measured."""
    shown = [write(found[when]) if when in found else NOT_MEASURED for when in ("before", "after")]
    return [what, *shown, limit, verdict]


def risk_rows(charts: Charts, k: int) -> list[Row]:
    """Compare how easily people are found before and after, beyond what the first page says."""
    rows = [
        *group_rows(charts, k)[:1],
        compared_row("chance that 95 of 100 people do not exceed", charts.groups, lambda one: share(percentile(one))),
        compared_row("people found if everybody is looked for, expected", charts.risks, _found_if_sought),
    ]
    named = {when: {other.name: other for other in risk.attackers} for when, risk in charts.risks.items()}
    for one in charts.risk_after.attackers:
        rows += _attacker_rows({when: found[one.name] for when, found in named.items()}, share(charts.accepted))
    for name in next(iter(charts.risks.values())).uniqueness.estimates:
        what = f"one of a kind in the population, expected ({name})"
        rows.append(compared_row(what, charts.risks, partial(_expected_text, name)))
    return rows


def group_rows(charts: Charts, k: int) -> list[Row]:
    """Compare groups: the smallest one, who is alone, and who is in one that is too small."""
    both, after = charts.risks, charts.risk_after
    smallest = _row_with_limit(f"at least {k}", k, kept=(after.k or 0) >= k)
    nobody = _row_with_limit("none", k, kept=not after.uniqueness.sample)
    rows = [
        compared_row("people", both, lambda found: f"{people_in(found):,}"),
        compared_row("smallest group", both, lambda found: f"{found.k or 0:,}", *smallest),
        compared_row("people one of a kind", both, lambda found: _count(found.uniqueness.sample, found), *nobody),
    ]
    if k > 2:  # below, that is who is one of a kind
        groups = charts.groups.items()
        counts = {when: (Exposed.of(classes, classes.size < k).people, both[when]) for when, classes in groups}
        limit = _row_with_limit("none", k, kept=not counts["after"][0])
        rows.append(compared_row(f"people in groups smaller than {k}", counts, lambda pair: _count(*pair), *limit))
    if charts.release.schema.entity is not None:
        what = "people one of a kind by all their rows together"
        rows.append(compared_row(what, both, lambda found: _count(found.alone_by_rows or 0, found), "not promised"))
    return rows


def people_in(found: Risk) -> int:
    """Give how many people there are: persons where the table says whose row is whose, else records."""
    return found.records if found.persons is None else found.persons


def share(chance: Any) -> str:
    """Write a chance so that no line ends before its percent sign."""
    return unbroken_percent(Fraction(chance))


def highest_row(charts: Charts, k: int) -> Row:
    """Compare the chance to find the person who is easiest to find."""
    kept = (charts.risk_after.prosecutor.highest or 0) <= charts.accepted
    bounded = 2 if charts.threshold is not None else k
    limit, verdict = _row_with_limit(f"at most {share(charts.accepted)}", bounded, kept=kept)
    if not kept and charts.threshold is not None:  # the owner's own limit: no promise is broken by that
        verdict = "EXCEEDED"
    what = "highest chance to find a person"
    return compared_row(what, charts.risks, lambda found: share(found.prosecutor.highest or 0), limit, verdict)


def percentile(classes: Classes, part: Fraction = MOST) -> Fraction:
    """Give the chance that so many of all people do not exceed; that of everybody in a group is 1 over its size."""
    sizes = np.sort(classes.size)[::-1]
    if not len(sizes):
        return Fraction(0)
    reached = np.cumsum(sizes)
    needed = -(-int(reached[-1]) * part.numerator // part.denominator)
    return Fraction(1, int(sizes[np.searchsorted(reached, needed)]))


def _found_if_sought(one: Risk) -> str:
    chance = one.prosecutor.average
    return f"{float(chance) * people_in(one):,.0f} ({share(chance)})"


def _attacker_rows(found: Mapping[str, AttackerRisk], threshold: str) -> list[Row]:
    """Compare what one kind of intruder achieves; the prosecutor's chances stand on the first page."""
    name, rows = found["after"].name, []
    if all(one.highest is not None for one in found.values()) and name != "prosecutor":
        rows.append(compared_row(f"{name}: highest chance", found, lambda one: share(one.highest)))
    if name != "prosecutor":
        rows.append(compared_row(f"{name}: average chance", found, lambda one: share(one.average)))
    above = {when: one.above for when, one in found.items() if one.above is not None}
    if len(above) == len(found):
        rows.append(compared_row(f"{name}: people above {threshold}", above, lambda one: f"{one.people:,}"))
    return rows


def _expected_text(name: str, found: Risk) -> str:
    number = found.uniqueness.estimates.get(name)
    return "no answer" if number is None else f"{number:,.1f}"


def _count(number: int, found: Risk) -> str:
    return f"{number:,} ({share(Fraction(number, max(people_in(found), 1)))})"


def _row_with_limit(limit: str, k: int, *, kept: bool) -> Row:
    """Give limit and verdict, if a smallest group was promised."""
    return [limit, "kept" if kept else "BROKEN"] if k > 1 else ["", ""]


# What turns a green verdict amber: the promises are kept, and somebody should look all the same.

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
NAMED = 12
"""So many columns are named on the first page."""
RULES = ("wp216",)
"""The published rules that every release is held against; that of EMA asks for 12, which not everybody promised."""


def doubts(charts: Charts, checked: Iterable[Checklist] = ()) -> list[str]:
    """Say which guesses are nearly certain, and which published rules fail."""
    rules, asked = [charts.risk_after.against(name) for name in RULES], list(checked)
    found = [*_sure_guesses(charts.attacks_after), *(said for rule in [*rules, *asked] for said in _failures(rule))]
    return [*found, *(said for rule in asked for said in _unchecked_tests(rule))]


def _sure_guesses(attacks: Iterable[Attack]) -> Iterator[str]:
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
            yield f"{_rule_name(rule)} does not hold ({item.test}): {item.measured}."


def _unchecked_tests(rule: Checklist) -> Iterator[str]:
    """Say of which tests of a rule nobody knows whether they hold."""
    tests = [item.test for item in rule.items if item.holds is None]
    if tests:
        named = f" ({', '.join(tests)})" if len(tests) <= FEW else ""
        yield f"{_rule_name(rule)}: {len(tests)} of {len(rule.items)} tests could not be checked{named}."


def _rule_name(rule: Checklist) -> str:
    name = rule.preset.name
    return f"{KNOWN_AS.get(name, 'The rule')} ({name})"


CERTAIN = ("homogeneity", "attribute linkage")
"""The attacks that say only what is certain."""
MANY = Fraction(1, 2)
"""From this share of the people on, certain values are worse than a doubt."""
WHERE = "Fill this in under [report] in the plan, or in step 7 of the page."


@dataclass(frozen=True, slots=True)
class Judgement:
    """What whoever signs has to know first: reasons against it, the worst first.

    ``good`` if the promises are kept and nothing speaks against it, ``doubt`` if somebody should look, ``bad`` if a
    promise or a limit of the owner is broken, or a confidential value is certain for half of the people.
    """

    state: State
    word: str
    reasons: tuple[str, ...]


def judgement(charts: Charts, about: About) -> Judgement:
    """Take the worst of what was measured, attacked and not answered."""
    policy = charts.release.recipe.promise
    worst, missing, anyway = worst_findings(charts), open_questions(about), about.stated.get("released_anyway")
    signed = [f"Released although something was open, because: {anyway}"] if anyway else []
    stated = [f"NOT STATED: {', '.join(missing)}. {WHERE}"] if missing else []
    left = charts.release.explanation.emptied_text(NAMED)
    lost = [f"{left}. What would bring them back stands in the first table."] if left else []
    reasons = (*worst, *signed, *doubts(charts), *lost, *stated)
    if not charts.release.verdict.holds:
        return Judgement("bad", f"\N{BALLOT X} DOES NOT MEET the policy: {policy}", reasons)
    if worst:
        return Judgement("bad", f"\N{BALLOT X} KEEPS its promises ({policy}), but look at what was found", reasons)
    if reasons:
        return Judgement("doubt", f"! MEETS the policy: {policy}. Look at this before you sign", reasons)
    return Judgement("good", f"\N{CHECK MARK} MEETS the policy: {policy}", ())


def worst_findings(charts: Charts) -> list[str]:
    """Say what is worse than a doubt, though every promise is kept."""
    return [*_exceeded_limit(charts), *_certain_values(charts)]


def open_questions(about: About) -> list[str]:
    """List the questions that nobody answered; the number of people and the limit may stay open."""
    optional = {"threshold", "population"}
    return [
        one.text[0].lower() + one.text[1:]
        for key, one in QUESTIONS.items()
        if one.asked and key not in optional and not about.stated.get(key)
    ]


def _exceeded_limit(charts: Charts) -> list[str]:
    """Say that the owner's own limit is exceeded."""
    highest = charts.risk_after.prosecutor.highest or 0
    if charts.threshold is None or highest <= charts.accepted:
        return []
    return [f"The highest chance to find a person is {share(highest)}, above the limit of {share(charts.accepted)}."]


def _certain_values(charts: Charts) -> list[str]:
    """Name every column whose value is certain for many people, and was not before anybody had the release."""
    all_, found = people_in(charts.risk_after), dict[str, int]()
    for one in charts.attacks_after:
        if one.name in CERTAIN and one.column is not None and one.exposed.share >= MANY and one.advantage > 0:
            found[one.column] = max(found.get(one.column, 0), one.exposed.people)
    return [
        f"A value of {name} is certain for {number:,} of {all_:,} people: everybody in their group has it."
        for name, number in found.items()
    ]
