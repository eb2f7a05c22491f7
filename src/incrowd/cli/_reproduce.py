"""``incrowd reproduce``: the papers' experiments, with their claims, our numbers, tables and charts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from incrowd.cli._options import Json, Names, names_in
from incrowd.cli._terminal import amount, tell, write, write_json

if TYPE_CHECKING:
    from incrowd.experiments import Experiment

DEFAULT = Path("reproduced")
"""Where nothing is lost if an earlier run is replaced."""
STOOD_IN = "warning: made-up rows stood in for Adult. Name it with --adult FILE, or its folder with INCROWD_DATA."

Id = Annotated[
    str | None,
    Argument(metavar="ID", help="enhanced, homogeneity, p-sensitive, improved or closeness; all if left out."),
]
AdultFile = Annotated[
    Path | None,
    Option("--adult", metavar="FILE", help="The Adult table of UCI as CSV or Parquet. Nothing is ever fetched."),
]
Confidential = Annotated[
    Names,
    Option("--confidential", metavar="NAMES", help="The confidential columns of p-sensitive, separated by commas."),
]
Output = Annotated[Path, Option("--output", "-o", metavar="FOLDER", help="Where to write tables, charts and claims.")]
Small = Annotated[bool, Option("--small", help="Try out less, on a thousand records: takes seconds.")]
Force = Annotated[bool, Option("--force", help="Replace earlier results in a folder that you named.")]


def reproduce(
    name: Id = None,
    adult: AdultFile = None,
    confidential: Confidential = None,
    output: Output = DEFAULT,
    small: Small = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Do the experiments of the papers again: what they claim, what we find, and whether it holds.

    For example: incrowd reproduce p-sensitive --adult adult.csv
    """
    from incrowd.experiments import CHOOSES, check_names, prepare, reproduce as again

    chosen = names_in(confidential) or None
    names = check_names(name, chosen)
    folder = prepare(output, names, force=force or output == DEFAULT)
    found: list[Experiment] = []
    files: list[str] = []
    for one in names:
        result = again(one, adult=adult, small=small, confidential=chosen if one == CHOOSES else None)
        files += result.save(folder, force=True)
        found += result.experiments
        if not as_json:
            write(str(result), "")
            sys.stdout.flush()
    if any(one.stand_in for one in found):
        tell(STOOD_IN)
    if as_json:
        plain = {"schema": 1, "experiments": [one.to_dict() for one in found]}
        written = [str(folder / file) for file in files]
        write_json({**plain, "written": written}, allow_nan=False)
        return
    write(_claims_text(found), f"wrote {amount(len(files), 'file')} into {folder}")


def _claims_text(found: list[Experiment]) -> str:
    """Count the claims by what became of them."""
    claims = [claim.verdict for one in found for claim in one.claims]
    words = {"holds": "hold", "barely holds": "barely hold", "does not hold": "do not hold"}
    counts = {words.get(verdict, verdict): claims.count(verdict) for verdict in (*words, "cannot be compared")}
    if not counts["barely hold"]:
        del counts["barely hold"]
    seconds = sum(one.seconds for one in found)
    return f"{amount(len(claims), 'claim')}: {', '.join(f'{n} {what}' for what, n in counts.items())}   {seconds:.0f} s"
