"""``incrowd frontier``: risk against utility, for every strength of a promise at once."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from incrowd.cli._anonymize import PlanFile
from incrowd.cli._assess import Json
from incrowd.cli._hierarchy import ShowValues
from incrowd.cli._progress import Watch

if TYPE_CHECKING:
    from incrowd.algorithms import Frontier
    from incrowd.api._solutions import Strength

By = Annotated[str, typer.Option("--by", metavar="k|l|p", help="What grows along the curve.")]
Of = Annotated[str | None, typer.Option("--of", metavar="COLUMN", help="The sensitive column, for l and p.")]
BAR = 30


def frontier(
    plan: PlanFile,
    by: By = "k",
    of: Of = None,
    as_json: Json = False,
    show_values: ShowValues = False,  # noqa: ARG001 - its callback does the work
) -> None:
    """Show what more protection would cost, for the table of a plan. All its other promises are kept.

    For example: incrowd frontier plan.toml --by l --of diagnosis
    """
    from incrowd.api import Plan

    with Watch(quiet=not sys.stderr.isatty()):
        curve = Plan.read(plan).frontier(cast("Strength", by), of)  # the api refuses what there is not
    if as_json:
        more = {name: told for name, told in (("beside", curve.beside), ("notes", curve.notes)) if told}
        sys.stdout.write(json.dumps({"schema": 1, **curve.to_dict(), **more}, indent=2, ensure_ascii=False) + "\n")
        return
    kept = [f"Every line also keeps {curve.beside}."] if curve.beside else []
    for line in [*_lines(curve), *kept, *(f"note: {note}" for note in curve.notes)]:
        sys.stdout.write(f"{line}\n")


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
