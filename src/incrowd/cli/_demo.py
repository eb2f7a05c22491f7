"""``incrowd demo``: what there is, on the made-up hospital table."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli._run import amount

if TYPE_CHECKING:
    from incrowd.core import Census

COARSER = {"birth_date": 3, "zip": 4, "nationality": 2, "job": 2, "admission_date": 3}
"""Decade of birth, first digit of the zip code, and so on: a person should no longer stand alone."""


def demo(
    rows: Annotated[int, typer.Option("--rows", help="How many patients to make up.")] = 1_000,
    seed: Annotated[int, typer.Option("--seed", help="Another seed makes other patients.")] = 2026,
) -> None:
    """Show a hierarchy and the census of a made-up hospital table."""
    from importlib.metadata import version

    from incrowd.api import census, hospital, hospital_schema
    from incrowd.hierarchies import draw

    _say(f"incrowd {version('incrowd')}  |  made-up patients, nothing leaves this computer", "")
    taken = census(hospital(rows, seed), hospital_schema())
    _say("How a nationality becomes vaguer (number of values in brackets):", "")
    _say(draw(taken.ladders["nationality"], max_children=3), "")
    _say(f"The census of {amount(taken.records, 'patient')} has {amount(len(taken), 'cell')}.")
    _say(f"Who looks like whom, knowing {', '.join(taken.quasi)}?", "")
    levels = {name: min(level, taken.ladders[name].height) for name, level in COARSER.items()}
    _table(taken, levels)
    _say("", "next: incrowd hierarchy --help, or docs/tutorials/first-look.md")


def _table(census: Census, levels: dict[str, int]) -> None:
    """Print how many people are in groups of which size, as they are and after generalizing."""
    before, after = census.classes().size, census.classes(levels).size
    _say(f"{'':34}{'as it is':>12}{'coarser':>12}")
    _say(_row("groups", len(before), len(after)))
    for what, low, high in (("people who are one of a kind", 1, 1), ("people in groups of 2 to 4", 2, 4)):
        _say(_row(what, *(int(sizes[(sizes >= low) & (sizes <= high)].sum()) for sizes in (before, after))))
    _say(_row("people in groups of 5 and more", *(int(sizes[sizes >= 5].sum()) for sizes in (before, after))))
    used = ", ".join(f"{name} {level}" for name, level in levels.items())
    _say("", f"coarser: levels {used}")


def _row(what: str, before: int, after: int) -> str:
    return f"{what:34}{before:>12,}{after:>12,}"


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
