"""Results as lines for a terminal of 80 columns: assessments, chances of intruders, published rules, releases."""

from __future__ import annotations

import math
import os
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TextIO

import typer

from incrowd.cli._terminal import amount

if TYPE_CHECKING:
    from incrowd.core import Finding, Verdict
    from incrowd.evidence import Assessment, AttackerRisk, Checklist, ColumnAssessment, Item, Risk
    from incrowd.release import Release


WIDTH = 80
NAME = 24
"""Longer names of columns are shortened."""
NUMBERS = 20
"""A count and a share take so much of a line."""
BAR = 16
FEW = 4
"""So many columns are shown without --all."""
SMALL = 5
"""A group below this is small, where no promise says another number."""


@dataclass(frozen=True, slots=True)
class Paper:
    """What the output is written on."""

    blocks: bool = False
    colour: bool = False

    @classmethod
    def here(cls, stream: TextIO | None = None) -> Paper:
        """Look at stdout, or another stream: a pipe or a file gets plain characters and no colour."""
        stream = sys.stdout if stream is None else stream
        shown = stream.isatty()
        encoding = (stream.encoding or "").lower().replace("-", "")
        return cls(blocks=shown and encoding == "utf8", colour=shown and not os.environ.get("NO_COLOR"))

    def bar(self, share: Fraction) -> str:
        """Draw a share of the longest bar; what is not nothing is seen."""
        return ("█" if self.blocks else "#") * max(round(share * BAR), 1 if share else 0)

    def word(self, text: str, colour: str) -> str:
        """Write a word in colour, where there is any."""
        return typer.style(text, fg=colour, bold=True) if self.colour else text


def assessment_lines(
    assessment: Assessment, verdict: Verdict | None, paper: Paper, *, show_all: bool, more: Iterable[str] = ()
) -> Iterator[str]:
    """Give the lines: how many people stand out, what the groups tell, what singles people out, more, what holds."""
    findings = () if verdict is None else verdict.findings
    asked = [int(bound) for one in findings for name, _, bound in one.required if name == "k"]
    yield from _people_lines(assessment, max(asked, default=SMALL))
    for column in assessment.columns.values() if assessment.classes else ():
        yield ""
        yield from _column_lines(column, show_all=show_all)
    if assessment.one_of_a_kind.people and len(assessment.unique_without) > 1:
        yield ""
        yield from _singling_out_lines(assessment, paper, show_all=show_all)
    yield from more
    if verdict is not None:
        yield ""
        yield from (_finding_line(finding, verdict, paper) for finding in findings)


def _people_lines(assessment: Assessment, small: int) -> Iterator[str]:
    rows = [
        ("people who are one of a kind", assessment.one_of_a_kind),
        (f"people in groups smaller than {small:,}", assessment.below(small)),
    ]
    for name, column in assessment.columns.items():
        rows.append((_label_about(name, "{}: people whose value is certain"), column.homogeneous))
        if column.similar is not None:
            rows.append((_label_about(name, "{}: people whose category is certain"), column.similar))
    width = max(len(label) for label, _ in rows) + 2
    yield from (f"{label:<{width}}{one.people:>10,}  {percent(one.share):>8}" for label, one in rows)
    chances = f"average {percent(assessment.average_chance)}   highest {percent(assessment.highest_chance)}"
    yield f"chance to find a person   {chances}"
    smallest = "" if assessment.k is None else f", the smallest of {assessment.k:,}"
    yield f"{amount(assessment.classes, 'group')} of people who look alike{smallest}"
    if assessment.compatible_k is not None:
        yield f"at least {assessment.compatible_k:,} could be meant if a suppressed cell matches anything"


def _label_about(name: str, template: str) -> str:
    """Put a column's name into a line, shortened so that two numbers fit behind it."""
    return template.format(short(name, WIDTH - NUMBERS - len(template)))


def _column_lines(column: ColumnAssessment, *, show_all: bool) -> Iterator[str]:
    """Give the numbers of the worst group, the name of each in the literature last."""
    yield f"{short(column.column)} in the worst group"
    for label, value, symbol in [*_usual_figures(column), *(_further_figures(column) if show_all else [])]:
        yield f"  {label:<44}{value:>14}  {symbol}".rstrip()
    reasons: dict[str, list[str]] = {}
    for what, reason in column.not_measured.items():
        reasons.setdefault(reason, []).append(what)
    for reason, whats in reasons.items():
        yield from textwrap.wrap(
            f"not measured: {', '.join(whats)}. {reason}", WIDTH, initial_indent="  ", subsequent_indent="    "
        )


def _usual_figures(column: ColumnAssessment) -> list[tuple[str, str, str]]:
    rows = [
        (f"different values, of {column.values:,}", _figure_text(column.distinct_l), "l, p"),
        ("largest share of a value", percent(column.alpha), "alpha"),
        ("effective number of values", _figure_text(column.entropy_l), "entropy l"),
        *((f"distance from the whole table, {way}", _figure_text(far), "t") for way, far in column.t.items()),
    ]
    if column.enhanced is not None:
        rows += [
            ("different categories", _figure_text(column.enhanced[0]), "enhanced p"),
            ("total weight", _figure_text(column.enhanced[1]), "alpha of p-alpha"),
        ]
    return rows


def _further_figures(column: ColumnAssessment) -> list[tuple[str, str, str]]:
    ratios = (column.recursive or {}).items()
    return [
        ("one over the largest share", _figure_text(column.probabilistic_l), "probabilistic l"),
        *((f"ratio that c must exceed, l = {rank}", _figure_text(ratio), "recursive (c, l)") for rank, ratio in ratios),
        ("largest gain of a value", _figure_text(column.beta), "beta"),
        ("the same, with a cap for each value", _figure_text(column.enhanced_beta), "enhanced beta"),
        ("largest change of a value, logarithmic", _figure_text(column.delta), "delta"),
    ]


def _singling_out_lines(assessment: Assessment, paper: Paper, *, show_all: bool) -> Iterator[str]:
    before = assessment.one_of_a_kind.people
    gains = {name: before - after for name, after in assessment.unique_without.items()}
    ranked = sorted(gains, key=lambda name: -gains[name])
    shown = ranked if show_all else ranked[:FEW]
    width = max(len(short(name)) for name in shown)
    yield "what singles people out: people who are one of a kind if a column were dropped"
    digits = len(f"{before:,}")
    for name in shown:
        bar = paper.bar(Fraction(gains[name], max(*gains.values(), 1)))
        after = assessment.unique_without[name]
        yield f"  {short(name):<{width}}   {before:,} -> {after:>{digits},}   {bar}".rstrip()
    if len(shown) < len(ranked):
        yield f"  {len(ranked) - len(shown)} more: --all"


def _finding_line(finding: Finding, verdict: Verdict, paper: Paper) -> str:
    """Say whether a promise holds, what was measured, and who is in groups that break it."""
    word = paper.word("PASS", "green") if finding.holds else paper.word("FAIL", "red")
    several = sum(other.promise == finding.promise for other in verdict.findings) > 1
    column = f" ({', '.join(map(short, finding.columns))})" if several else ""
    pairs = zip(finding.required, finding.measured, strict=False)
    measured = ", ".join(_worst_text(name, sense, value) for (name, sense, _), value in pairs) or "there is nobody"
    classes = f"{finding.failing_classes:,} {'class' if finding.failing_classes == 1 else 'classes'}"
    failing = "" if finding.holds else f" ({classes}, {amount(finding.failing_records, 'record')})"
    return f"{word}  {finding.promise}{column}: {measured}{_reference_text(finding)}{failing}"


def _reference_text(finding: Finding) -> str:
    """Say what classes were compared with, if they were."""
    if finding.supersets is not None:
        return f", supersets: {finding.supersets}"
    return {None: "", "table": ", from this table", "input": ", from the original table"}[finding.reference]


def _worst_text(name: str, sense: str, value: Fraction | float) -> str:
    if name == "k":
        return f"smallest group is {_figure_text(value)}"
    return f"{'least' if sense == '>=' else 'largest'} {name} is {_figure_text(value)}"


def _figure_text(value: Fraction | float | None) -> str:
    if value is None:
        return "not measured"
    if value == math.inf:
        return "infinite"
    if value == int(value):
        return f"{int(value):,}"
    return f"{float(value):,.4f}" if abs(float(value)) >= 0.001 else f"{float(value):.1e}"


def percent(share: Fraction | float | None) -> str:
    """Write a share with one decimal, if there is one."""
    from incrowd.core import percent as text_of_share

    return "not measured" if share is None else text_of_share(share)


def short(name: str, most: int = NAME, instead: str = "?") -> str:
    """Write a name of a column so that it fits, and so that a terminal can show it."""
    printable = "".join(sign if sign.isprintable() else instead for sign in name)
    return printable if len(printable) <= most else f"{printable[: most - 3]}..."


# Chances and published rules.

COLOURS = {"PASS": "green", "FAIL": "red", "NOT CHECKED": "yellow"}


def risk_lines(risk: Risk) -> Iterator[str]:
    """Give the chances of every intruder, who is one of a kind outside the table, and how well values are guessed."""
    above = f"above {float(risk.threshold):g}"
    yield ""
    yield f"{'who could find a person':<{NAME}}{'highest':>12}{'average':>12}{above:>16}"
    yield from map(_attacker_line, risk.attackers)
    if risk.households is not None:
        numbers = f"{percent(risk.households.highest):>12}{percent(risk.households.average):>12}"
        yield f"  {'household':<{NAME - 2}}{numbers}{risk.households.above:>16,}"
    for one in risk.attackers:
        yield from textwrap.wrap(f"the {one.name} {one.knows}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    if risk.households is not None:
        found = f"{risk.households.expected:,.1f} of {amount(risk.households.households, 'household')}"
        said = f"a household is found by some member, by {risk.households.column!r}; {found} expected"
        yield from textwrap.wrap(said, WIDTH, initial_indent="  ", subsequent_indent="    ")
    if risk.uniqueness.estimates:
        yield ""
        yield from _estimate_lines(risk)
    if risk.alone_by_rows is not None:
        yield f"{amount(risk.alone_by_rows, 'person')} one of a kind by all their rows together"
    for name, guess in risk.guesses.items():
        guessed = f"{percent(guess.average)}, {percent(guess.without)} without groups"
        yield f"{short(name)} is guessed right for {guessed}"


def _attacker_line(one: AttackerRisk) -> str:
    highest = "-" if one.highest is None else percent(one.highest)
    above = "-" if one.above is None else f"{one.above.people:,}"
    return f"  {one.name:<{NAME - 2}}{highest:>12}{percent(one.average):>12}{above:>16}"


def _estimate_lines(risk: Risk) -> Iterator[str]:
    people = amount(round(risk.uniqueness.population or 0), "person")
    yield f"expected to be one of a kind among {people}, of {risk.uniqueness.sample:,} in the table"
    for name, value in risk.uniqueness.estimates.items():
        yield f"  {name:<{NAME}}{'no answer' if value is None else f'{value:,.1f}':>10}"


def rule_lines(checklists: Sequence[Checklist], paper: Paper, *, show_all: bool) -> Iterator[str]:
    """Say of every test of every published rule whether it holds; its words where it does not."""
    for checklist in checklists:
        yield ""
        yield from textwrap.wrap(f"{checklist.preset.name}: {checklist.preset.source}", WIDTH, subsequent_indent="  ")
        for item in checklist.items:
            yield from _item_lines(item, paper, with_rule=show_all or item.holds is not True)


def _item_lines(item: Item, paper: Paper, *, with_rule: bool) -> Iterator[str]:
    word = paper.word(item.verdict, COLOURS[item.verdict])
    first, *more = textwrap.wrap(f"{item.verdict}  {item.test}: {item.measured}", WIDTH, subsequent_indent="      ")
    yield word + first.removeprefix(item.verdict)
    yield from more
    if with_rule:
        yield from textwrap.wrap(f"rule: {item.rule}", WIDTH, initial_indent="      ", subsequent_indent="      ")


# A release in a few lines for people, and as plain facts for machines.

PROOFS = {
    "optimal": "proven to be the best (optimal)",
    "best found": "the best that was found in time; a better one may exist",
    "heuristic": "not proven to be the best (heuristic)",
}
"""What a search proves, in plain words."""


def release_lines(release: Release, paper: Paper) -> list[str]:
    """Say what was published: how many, under which promises, and what became of every column."""
    recipe = release.recipe
    share = recipe.suppressed / recipe.records if recipe.records else 0
    gone = "masked" if recipe.masked else "left out"
    left_out = f"{recipe.suppressed:,} {gone} ({percent(share)}, {recipe.max_suppressed_records:,} allowed)"
    looked = (
        f", {recipe.checked:,} of {recipe.nodes:,} combinations of levels (nodes) looked at" if recipe.nodes else ""
    )
    groups = amount(release.verdict.classes, "group")
    geometric = f" (geometric mean of losses: {release.measures['loss']:.3f})"
    return [
        f"{recipe.published:,} of {amount(recipe.records, 'record')} in {groups}; {left_out}",
        *([f"removed first, with missing values: {amount(recipe.dropped, 'record')}"] if recipe.dropped else []),
        "",
        f"{'promise':<{NAME}}{'required':>12}{'measured':>12}",
        *(line for finding in release.verdict.findings for line in _promise_lines(finding)),
        "",
        f"{'column':<{NAME}}published",
        *(f"{short(part.column, NAME - 1, ' '):<{NAME}}{part.published}" for part in release.columns.values()),
        *(line for name, told in recipe.untrue.items() for line in _untrue_lines(name, told)),
        "",
        *shortfall_lines(release, paper),
        f"detail kept: {percent(release.detail_kept)} on average over the columns{geometric}",
        f"search: {PROOFS.get(recipe.proof, recipe.proof)}{looked}{'; ' * bool(recipe.gap)}{recipe.gap}",
        *(f"note: {note}" for note in recipe.notes),
    ]


def _untrue_lines(name: str, told: str) -> list[str]:
    """Say what became of a column of shifted dates, in lines that fit."""
    first = f"{short(name, NAME - 1, ' '):<{NAME}}"
    return textwrap.wrap(told, WIDTH, initial_indent=first, subsequent_indent=" " * NAME)


def shortfall_lines(release: Release, paper: Paper) -> Iterator[str]:
    """Name the columns that carry nothing or little, each with what would bring it back."""
    told, found = release.explanation.emptied_text(), [*map(str, release.explanation.shortfalls)]
    more = [] if len(found) <= FEW else [f"{len(found) - FEW} more: incrowd anonymize --explain"]
    for place, text in enumerate([told, *found[:FEW], *more] if told else []):
        indent = "  " * (place > 0)
        wrap = textwrap.TextWrapper(WIDTH, indent, f"  {indent}", break_on_hyphens=False)
        yield from (paper.word(line, "yellow") for line in wrap.wrap(text))


def facts_of(release: Release) -> dict[str, Any]:
    """Give the same as plain data."""
    recipe, back = release.recipe, release.explanation.ways_back
    counts = ("records", "published", "suppressed", "masked", "max_suppressed_records", "dropped")
    return {
        "schema": 1,
        "result": recipe.sample is None,
        "promise": recipe.promise,
        "holds": release.verdict.holds,
        **{name: getattr(recipe, name) for name in counts},
        "classes": release.verdict.classes,
        "levels": None if recipe.levels is None else dict(recipe.levels),
        "measures": dict(release.measures),
        "carry_nothing": list(release.explanation.empty),
        "detail_kept": release.detail_kept,
        "columns": [
            {**column.to_dict(), "ways_back": [asdict(way) for way in back.get(name, ())]}
            for name, column in release.columns.items()
        ],
        **{name: getattr(recipe, name) for name in ("proof", "checked", "nodes")},
        **({"shifted": dict(recipe.shifted)} if recipe.shifted else {}),
        "notes": list(recipe.notes),
    }


def _promise_lines(finding: Finding) -> list[str]:
    columns = f" of {', '.join(finding.columns)}" if finding.columns else ""
    return [
        f"{short(name + columns, NAME - 1, ' '):<{NAME}}"
        f"{sense + ' ' + _measured_text(bound):>12}{_measured_text(value):>12}   ok"
        for (name, sense, bound), value in zip(finding.required, finding.measured, strict=False)
    ]


def _measured_text(value: Any) -> str:
    return f"{int(value):,}" if value == int(value) else f"{float(value):.4g}"
