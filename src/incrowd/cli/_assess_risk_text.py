"""Chances and published rules as lines of text for a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from incrowd.cli._assess_text import NAME, WIDTH, Paper, percent, short
from incrowd.cli._run import amount

if TYPE_CHECKING:
    from incrowd.api import AttackerRisk, Checklist, Item, Risk

COLOURS = {"PASS": "green", "FAIL": "red", "NOT CHECKED": "yellow"}


def risk_lines(risk: Risk) -> Iterator[str]:
    """Give the chances of every intruder, who is one of a kind outside the table, and how well values are guessed."""
    above = f"above {float(risk.threshold):g}"
    yield ""
    yield f"{'who could find a person':<{NAME}}{'highest':>12}{'average':>12}{above:>16}"
    yield from map(_attacker, risk.attackers)
    for one in risk.attackers:
        yield from _wrapped(f"the {one.name} {one.knows}")
    if risk.uniqueness.estimates:
        yield ""
        yield from _estimates(risk)
    if risk.alone_by_rows is not None:
        yield f"{amount(risk.alone_by_rows, 'person')} one of a kind by all their rows together"
    for name, guess in risk.guesses.items():
        guessed = f"{percent(guess.average)}, {percent(guess.without)} without groups"
        yield f"{short(name)} is guessed right for {guessed}"


def _attacker(one: AttackerRisk) -> str:
    highest = "-" if one.highest is None else percent(one.highest)
    above = "-" if one.above is None else f"{one.above.people:,}"
    return f"  {one.name:<{NAME - 2}}{highest:>12}{percent(one.average):>12}{above:>16}"


def _estimates(risk: Risk) -> Iterator[str]:
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
            yield from _item(item, paper, with_rule=show_all or item.holds is not True)


def _item(item: Item, paper: Paper, *, with_rule: bool) -> Iterator[str]:
    word = paper.word(item.verdict, COLOURS[item.verdict])
    first, *more = textwrap.wrap(f"{item.verdict}  {item.test}: {item.measured}", WIDTH, subsequent_indent="      ")
    yield word + first.removeprefix(item.verdict)
    yield from more
    if with_rule:
        yield from textwrap.wrap(f"rule: {item.rule}", WIDTH, initial_indent="      ", subsequent_indent="      ")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ")
