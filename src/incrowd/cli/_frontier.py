"""``incrowd frontier``: risk against utility, for every strength of a promise at once."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from incrowd.cli._anonymize import PlanFile
from incrowd.cli._assess import Json, Quiet
from incrowd.cli._run import tell

if TYPE_CHECKING:
    from incrowd.algorithms import Frontier
    from incrowd.api import Plan

By = Annotated[str, typer.Option("--by", metavar="k|l|p", help="What grows along the curve.")]
Of = Annotated[str | None, typer.Option("--of", metavar="COLUMN", help="The sensitive column, for l and p.")]
BAR = 30
LEFT_ASIDE = ("at_least", "at_most", "importance")
"""What a plan may say about a column and the curve does not heed."""


def frontier(plan: PlanFile, by: By = "k", of: Of = None, as_json: Json = False, quiet: Quiet = False) -> None:
    """Show what more protection would cost, for the table of a plan.

    For example: incrowd frontier plan.toml --by l --of diagnosis
    """
    from incrowd.api import Plan
    from incrowd.api import frontier as find

    read = Plan.read(plan)
    curve = find(
        _table(read),
        read.schema(),
        by=cast("Literal['k', 'l', 'p']", by),  # the api refuses what is none of them
        of=of,
        measure=read.search.measure or "loss",
        max_suppressed=read.privacy.max_suppressed or 0,
        **read.reading(),
    )
    if not quiet:
        tell(*_notes(read))
    if as_json:
        sys.stdout.write(json.dumps({"schema": 1, **curve.to_dict()}, indent=2, ensure_ascii=False) + "\n")
        return
    for line in _lines(curve):
        sys.stdout.write(f"{line}\n")


def _table(plan: Plan) -> Path:
    from incrowd.core import ParameterError

    if plan.data.path is None:
        msg = f"The plan {plan.name!r} names no file."
        raise ParameterError(msg, hint="the curve is drawn for a plan with data.path only.")
    return plan.path(plan.data.path)


def _notes(plan: Plan) -> list[str]:
    """Say what of the plan the curve does not heed."""
    aside = [key for key in LEFT_ASIDE if any(getattr(column, key) is not None for column in plan.columns.values())]
    if plan.privacy.max_suppressed_records is not None:
        aside.append("max_suppressed_records")
    return [f"note: the curve does not heed {', '.join(aside)} of the plan."] if aside else []


def _lines(curve: Frontier) -> list[str]:
    table = curve.to_dict()
    costs = table[curve.measure]
    most = max([1.0, *(cost for cost in costs if cost is not None)])
    width = max(8, len(curve.measure) + 1)
    rows = zip(table[curve.of], costs, table["suppressed"], table["classes"], strict=True)
    return [
        f"{curve.of:>8}{curve.measure:>{width}}{'left out':>10}{'groups':>9}",
        *(_line(row, width, most) for row in rows),
    ]


def _line(row: tuple[Any, ...], width: int, most: float) -> str:
    value, cost, left_out, groups = row
    if cost is None:
        return f"{value:>8,}  nothing can be published"
    shown = f"{cost:>{width}.3f}" if most == 1 else f"{cost:>{width},.4g}"
    return f"{value:>8,}{shown}{left_out:>10,}{groups:>9,}  {'#' * round(cost / most * BAR)}".rstrip()
