"""``incrowd anonymize``: the main job, as a plan says."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from incrowd.cli._assess import Json, Quiet
from incrowd.cli._hierarchy import ShowValues
from incrowd.cli._options import (
    UTF8,
    Dates,
    Decimal,
    Encoding,
    Header,
    Memory,
    Separator,
    Sheet,
    Thousands,
    reading_of,
)
from incrowd.cli._progress import Watch
from incrowd.cli._run import Words, amount, hints_in, tell
from incrowd.cli._text import facts_of, lines_of

if TYPE_CHECKING:
    from incrowd.plan import Plan
    from incrowd.release import Release, Strength


# Which engine does the work: this process, or Spark.

ENGINES = ("local", "spark")
Engine = Annotated[str, typer.Option("--engine", metavar="|".join(ENGINES), help="What reads and writes the table.")]
Master = Annotated[
    str | None,
    typer.Option("--master", metavar="URL", help="Which Spark: local[2], yarn, spark://..., sc://... (Connect)."),
]


@contextmanager
def table_of(plan: Plan, engine: str, master: str | None) -> Iterator[Any]:
    """Give the table of a plan as Spark opens it, until the block ends; ``None`` where the plan opens it itself."""
    from incrowd.core import ParameterError
    from incrowd.engines import places_of, read_folder, spark_session

    if engine not in ENGINES or (engine == "local" and master is not None):
        msg = f"--engine must be local or spark, got {engine!r}." if engine not in ENGINES else "--master is for Spark."
        raise ParameterError(msg, hint="write --engine spark --master 'local[2]'.")
    if engine == "local":
        yield None
        return
    place = plan.data.path
    if place is None:
        msg = f"{plan.name!r} names no file as its table, and Spark reads Parquet here."
        raise ParameterError(msg, hint="name a file or folder of Parquet, or use Spark from Python.")
    places = [place] if "://" in place else places_of(plan.path(place))
    with spark_session(master or "local[*]") as session:
        yield read_folder(session, places)


PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, such as plan.toml.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be published, and write nothing.")]
Sample = Annotated[
    int | None,
    typer.Option("--sample", metavar="N", help="Try it out on N records: not a result, and nothing is written."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace an earlier release in the output folder.")]
Sign = Annotated[Path | None, typer.Option("--sign", metavar="KEY", help="Sign the certificate with this private key.")]
Plain = Annotated[bool, typer.Option("--plain", help="Write a CSV file with commas, in UTF-8, with decimal points.")]
Labels = Annotated[bool, typer.Option("--labels", help="Write labels.csv: what the codes of SPSS and Stata mean.")]
Explain = Annotated[bool, typer.Option("--explain", help="Say for every column what one level finer would mean.")]


def anonymize(  # noqa: PLR0913, PLR0917 - each is one option
    plan: PlanFile,
    dry_run: DryRun = False,
    sample: Sample = None,
    force: Force = False,
    sign: Sign = None,
    memory: Memory = None,
    engine: Engine = "local",
    master: Master = None,
    plain: Plain = False,
    labels: Labels = False,
    explain: Explain = False,
    as_json: Json = False,
    quiet: Quiet = False,
    show_values: ShowValues = False,  # noqa: ARG001 - its callback does the work
) -> None:
    """Publish a table as a plan says, and write the release, its certificate and its recipe.

    For example: incrowd anonymize plan.toml --dry-run
    """
    from incrowd.plan import Plan

    start = time.perf_counter()
    read, limit = Plan.read(plan), reading_of(UTF8, None, None, memory=memory).get("memory")
    told = {**({"dialect": "plain"} if plain else {}), **({"labels": True} if labels else {})}
    read = replace(read, output=read.output.model_copy(update=told))
    if not quiet:
        tell(f"plan     {plan.name}: {read.model()}")
    with Watch(quiet=quiet) as watch, table_of(read, engine, master) as table:
        more = {"memory": limit, "table": table}
        if sample is not None:
            release = read.run(watch, sample=sample, **more)
        elif dry_run:
            release = _try_out(read, watch, sign, more)
        else:
            release = read.run(watch, write=True, force=force, sign=sign, **more)
    written = None if dry_run or sample is not None else read.path(read.output.folder)
    show(release, written, explain=explain, as_json=as_json)
    if not quiet:
        close(release, time.perf_counter() - start, dry_run=dry_run)


def _try_out(plan: Plan, watch: Watch, sign: Path | None, more: dict[str, Any]) -> Release:
    """Do all of it in a folder that is gone at the end: what could go wrong with files does so here too."""
    from incrowd.engines import private_folder

    with private_folder() as folder:
        return plan.run(watch, write=True, sign=sign, folder=folder / "out", **more)


def show(release: Release, written: Path | None, *, explain: bool = False, as_json: bool = False) -> None:
    """Write what was published to stdout: for people, or for machines with the folder that was written."""
    if as_json:
        facts = {**facts_of(release), "written": None if written is None else str(written)}
        sys.stdout.write(json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
    else:
        marked = [] if explain or release.recipe.sample is None else [release.recipe.notes[0], ""]
        lines = release.explain().splitlines() if explain else [*marked, *lines_of(release)]
        sys.stdout.write("\n".join(lines) + "\n")


def close(release: Release, seconds: float, *, dry_run: bool = False) -> None:
    """Say how it ended: what was written, and what to do next."""
    recipe = release.recipe
    if recipe.sample is not None:
        tell("", f"NOT A RESULT  tried out on a sample of {amount(recipe.records, 'record')}   {seconds:.1f} s")
        tell("nothing was written: run it again without --sample.")
        return
    masked = f", {recipe.masked:,} of them masked" if recipe.masked else ""
    kept = f"{amount(recipe.published, 'record')} published{masked}"
    tell("", f"PASS  {kept}, every promise kept and checked again   {seconds:.1f} s{_memory()}")
    if dry_run:
        tell("dry run: nothing was written.")
        return
    public = release.table.parent
    names = ", ".join(sorted(path.name for path in public.iterdir()))
    tell(f"wrote {public} ({names}) and {public.with_name('owner')} (keep that one to yourself)")
    from incrowd.release import NEEDS

    need = NEEDS.get(release.table.suffix.removeprefix("."))
    if need is not None:
        tell(f"whoever runs verify.py needs {need} to read {release.table.name}; for CSV files it needs Python alone")
    unseen = release.schema.entity is not None and release.schema.entity not in recipe.pseudonymised
    more = " --original TABLE   (people are counted, and only your table says whose row is whose)" if unseen else ""
    tell(f"next: incrowd verify {public.parent}{more}")


def _memory() -> str:
    from incrowd.engines import peak

    most = peak()
    return "" if most is None else f", {most / 1e9:.2f} GB of memory"


# ``incrowd frontier``: risk against utility, for every strength of a promise at once.

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
    from incrowd.plan import Plan

    with Watch(quiet=not sys.stderr.isatty()):
        curve = Plan.read(plan).frontier(cast("Strength", by), of)  # the api refuses what there is not
    if as_json:
        more = {name: told for name, told in (("beside", curve.beside), ("notes", curve.notes)) if told}
        sys.stdout.write(json.dumps({"schema": 1, **curve.to_dict(), **more}, indent=2, ensure_ascii=False) + "\n")
        return
    sys.stdout.write(f"{curve}\n")


# ``incrowd apply``: a release that was found once, on new data.

Owner = Annotated[Path, typer.Argument(metavar="OWNER", help="The folder owner of a release that was written before.")]
Data = Annotated[Path, typer.Argument(metavar="DATA", help="The new table, with the same columns.")]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write the release.")]
Format = Annotated[
    str | None, typer.Option("--format", metavar="KIND", help="csv, parquet, ...; the kind of DATA if not given.")
]
MaxSuppressed = Annotated[
    float, typer.Option(metavar="SHARE", help="The share of the records that may be left out, such as 0.02.")
]
MaxRecords = Annotated[
    int | None, typer.Option("--max-suppressed-records", metavar="N", help="Their number, in place of the share.")
]
Drop = Annotated[bool, typer.Option("--drop-others", help="Leave out columns without a role, instead of refusing.")]
OWN_WORDS: Words = {"max_suppressed_records": lambda one: f"--max-suppressed-records {one.value}"}


def apply(  # noqa: PLR0913, PLR0917 - a table can be read in many ways
    owner: Owner,
    data: Data,
    output: Output,
    kind: Format = None,
    max_suppressed: MaxSuppressed = 0.0,
    max_records: MaxRecords = None,
    drop_others: Drop = False,
    force: Force = False,
    sign: Sign = None,
    plain: Plain = False,
    encoding: Encoding = UTF8,
    separator: Separator = None,
    sheet: Sheet = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    dates: Dates = None,
    header: Header = True,
    memory: Memory = None,
    as_json: Json = False,
    quiet: Quiet = False,
    show_values: ShowValues = False,  # noqa: ARG001 - its callback does the work
) -> None:
    """Publish new data exactly as an earlier release was: the same levels, the same labels, checked again.

    For example: incrowd apply out/owner patients-2027.csv -o out-2027
    """
    import incrowd as ic
    from incrowd.release import format_like

    start = time.perf_counter()
    how: dict[str, Any] = {
        "output": output,
        "format": kind or format_like(data),
        "dialect": "plain" if plain else "input",
        "force": force,
        "sign": sign,
        **reading_of(encoding, separator, sheet, decimal, thousands, dates, header, memory),
    }
    if drop_others:
        how["others"] = "drop"
    folder = owner / "owner" if (owner / "owner").is_dir() else owner
    limit: dict[str, Any] = {"max_suppressed": max_suppressed, "max_suppressed_records": max_records}
    with Watch(quiet=quiet), hints_in(OWN_WORDS):
        release = ic.apply(folder, data, **limit, **how)
    if not quiet:
        tell(f"promise  {release.recipe.promise}")
    show(release, output, as_json=as_json)
    if not quiet:
        close(release, time.perf_counter() - start)
