"""``incrowd frontier``: risk against utility, for every strength of a promise at once."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any, Literal, cast

import typer

from incrowd.cli._anonymize import PlanFile
from incrowd.cli._assess import Json

By = Annotated[str, typer.Option("--by", metavar="k|l|p", help="What grows along the curve.")]
Of = Annotated[str | None, typer.Option("--of", metavar="COLUMN", help="The sensitive column, for l and p.")]
BAR = 30


def frontier(plan: PlanFile, by: By = "k", of: Of = None, as_json: Json = False) -> None:
    """Show what more protection would cost, for the table of a plan.

    For example: incrowd frontier plan.toml --by k
    """
    from incrowd.api import Plan
    from incrowd.api import frontier as find

    read = Plan.read(plan)
    limit = read.privacy.max_suppressed or 0
    kind = cast("Literal['k', 'l', 'p']", by)  # the api refuses what is none of them
    curve = find(read.path(str(read.data.path)), read.schema(), by=kind, of=of, max_suppressed=limit, **read.reading())
    table = curve.to_dict()
    if as_json:
        sys.stdout.write(json.dumps({"schema": 1, **table}, indent=2, ensure_ascii=False) + "\n")
        return
    sys.stdout.write(f"{by:>8}{'loss':>8}{'left out':>10}{'groups':>9}\n")
    for row in zip(table[by], table[curve.measure], table["suppressed"], table["classes"], strict=True):
        sys.stdout.write(_line(*row) + "\n")


def _line(value: Any, loss: Any, left_out: Any, groups: Any) -> str:
    if loss is None:
        return f"{value:>8,}{'nothing can be published':>30}"
    return f"{value:>8,}{loss:>8.3f}{left_out:>10,}{groups:>9,}  {'#' * round(loss * BAR)}"
