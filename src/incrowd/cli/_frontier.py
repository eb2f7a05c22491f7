"""``incrowd frontier``: risk against utility, for every strength of a promise at once."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, cast

import typer

from incrowd.cli._anonymize import PlanFile
from incrowd.cli._assess import Json
from incrowd.cli._hierarchy import ShowValues
from incrowd.cli._progress import Watch

if TYPE_CHECKING:
    from incrowd.api._solutions import Strength

By = Annotated[str, typer.Option("--by", metavar="k|l|p", help="What grows along the curve.")]
Of = Annotated[str | None, typer.Option("--of", metavar="COLUMN", help="The sensitive column, for l and p.")]


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
    sys.stdout.write(f"{curve}\n")
