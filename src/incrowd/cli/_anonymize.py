"""``incrowd anonymize``, the main job; ``apply`` on new data; ``frontier`` and ``alternatives``: other prices of it."""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from typer import Argument, Option

from incrowd.cli._explain import Words, hints_in
from incrowd.cli._options import Json, Memory, PlanFile, Quiet, ShowValues, checked_memory, with_reading
from incrowd.cli._terminal import Watch, amount, tell, write, write_json
from incrowd.cli._text import FEW, WIDTH, Paper, facts_of, release_lines

if TYPE_CHECKING:
    from incrowd.plan import Plan
    from incrowd.release import Release, Strength

ENGINES = ("local", "spark")
Engine = Annotated[str, Option("--engine", metavar="|".join(ENGINES), help="What reads and writes the table.")]
Master = Annotated[
    str | None, Option("--master", metavar="URL", help="Which Spark: local[2], yarn, spark://..., sc://... (Connect).")
]
DryRun = Annotated[bool, Option("--dry-run", help="Show what would be published, and write nothing.")]
Sample = Annotated[
    int | None, Option("--sample", metavar="N", help="Try it out on N records: not a result, and nothing is written.")
]
Force = Annotated[bool, Option("--force", help="Replace an earlier release in the output folder.")]
Sign = Annotated[Path | None, Option("--sign", metavar="KEY", help="Sign the certificate with this private key.")]
Plain = Annotated[bool, Option("--plain", help="Write a CSV file with commas, in UTF-8, with decimal points.")]
Labels = Annotated[bool, Option("--labels", help="Write labels.csv: what the codes of SPSS and Stata mean.")]
Stars = Annotated[
    str | None, Option("--stars", metavar="star|null", help="What the file has where * is published: * or nothing.")
]
NoReport = Annotated[bool, Option("--no-report", help="Write no reports and look at no other search; for pipelines.")]
Explain = Annotated[bool, Option("--explain", help="Say for every column what one level finer would mean.")]


def anonymize(
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
    stars: Stars = None,
    no_report: NoReport = False,
    explain: Explain = False,
    as_json: Json = False,
    quiet: Quiet = False,
    _show_values: ShowValues = False,
) -> None:
    """Publish a table as a plan says, and write the release, its certificate and its recipe.

    For example: incrowd anonymize plan.toml --dry-run
    """
    from incrowd.engines import private_folder
    from incrowd.plan import Plan

    start = time.perf_counter()
    read, limit = Plan.read(plan), checked_memory(memory)
    said = {"dialect": "plain" if plain else None, "labels": labels or None, "stars": stars}
    changes = {name: value for name, value in said.items() if value is not None}
    read = replace(read, output=read.output.model_copy(update=changes))
    if no_report:
        read = replace(read, report=read.report.model_copy(update={"write": False}))
    if not quiet:
        tell(f"plan     {plan.name}: {read.model()}")
    with Watch(quiet=quiet) as watch, _spark_table(read, engine, master) as table:
        more: dict[str, Any] = {"memory": limit, "table": table}
        if sample is not None:
            release = read.run(watch, sample=sample, **more)
        elif dry_run:
            with private_folder() as folder:  # gone at the end: what could go wrong with files does so here too
                release = read.run(watch, write=True, sign=sign, folder=folder / "out", **more)
        else:
            release = read.run(watch, write=True, force=force, sign=sign, **more)
    written = None if dry_run or sample is not None else read.path(read.output.folder)
    _write_result(release, written, explain=explain, as_json=as_json)
    if not quiet:
        seconds = time.perf_counter() - start
        _close(release, seconds, dry_run=dry_run)
        if sample is None and not no_report and not read.tables:  # pipelines wait for no advice, nor has one for these
            _tell_alternative(release, seconds, plan.name)


@contextmanager
def _spark_table(plan: Plan, engine: str, master: str | None) -> Iterator[Any]:
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
    if plan.tables:
        msg = f"{plan.name!r} names several tables, and these are joined on this machine, not on a cluster."
        raise ParameterError(msg, hint="leave --engine out: Parquet and text are read piece by piece.")
    if place is None:
        msg = f"{plan.name!r} names no file as its table, and Spark reads Parquet here."
        raise ParameterError(msg, hint="name a file or folder of Parquet, or use Spark from Python.")
    places = [place] if "://" in place else places_of(plan.path(place))
    with spark_session(master or "local[*]") as session:
        yield read_folder(session, places)


def _write_result(release: Release, written: Path | None, *, explain: bool = False, as_json: bool = False) -> None:
    """Write what was published to stdout: for people, or for machines with the folder that was written."""
    if as_json:
        write_json({**facts_of(release), "written": None if written is None else str(written)})
    elif explain:
        write(*release.explain().splitlines())
    else:
        marked = [] if release.recipe.sample is None else [release.recipe.notes[0], ""]
        write(*marked, *release_lines(release, Paper.here()))


def _close(release: Release, seconds: float, *, dry_run: bool = False) -> None:
    """Say how it ended: what was written, and what to do next."""
    from incrowd.engines import peak_memory
    from incrowd.release import NEEDS, TABLES, public_folder

    recipe = release.recipe
    if recipe.sample is not None:
        tell("", f"NOT A RESULT  tried out on a sample of {amount(recipe.records, 'record')}   {seconds:.1f} s")
        tell("nothing was written: run it again without --sample.")
        return
    masked = f", {recipe.masked:,} of them masked" if recipe.masked else ""
    kept = f"{amount(recipe.published, 'record')} published{masked}"
    memory = "" if (most := peak_memory()) is None else f", {most / 1e9:.2f} GB of memory"
    tell("", f"PASS  {kept}, every promise kept and checked again   {seconds:.1f} s{memory}")
    if look := release.explanation.emptied_text(FEW):
        lines = textwrap.wrap(f"LOOK  {look}", WIDTH, subsequent_indent="      ")
        tell(*(Paper.here(sys.stderr).word(line, "yellow") for line in lines))
    if dry_run:
        tell("dry run: nothing was written.")
        return
    public, several = public_folder(release.table)
    names = ", ".join(sorted(path.name for path in public.iterdir()))
    tell(f"wrote {public} ({names}) and {public.with_name('owner')} (keep that one to yourself)")
    file = next(iter((public / TABLES).iterdir())) if several else release.table
    need = NEEDS.get(file.suffix.removeprefix("."))
    if need is not None:
        tell(f"whoever runs verify.py needs {need} to read {file.name}; for CSV files it needs Python alone")
    unseen = release.schema.entity is not None and release.schema.entity not in recipe.pseudonymised
    more = " --original TABLE   (people are counted, and only your table says whose row is whose)" if unseen else ""
    tell(f"next: incrowd verify {public.parent}{more}")


QUARTER = 0.25
"""Whether another search keeps much more is looked at if it takes at most so much of the time that the run took."""


def _tell_alternative(release: Release, seconds: float, plan: str) -> None:
    """Say in a line that another search would keep much more detail, where that is soon found out, or may."""
    from incrowd.core import unbroken_percent
    from incrowd.evidence import better_search

    found, empty = better_search(release, QUARTER * seconds), len(release.explanation.empty)
    if found is not None:
        kept, now = unbroken_percent(found.kept), unbroken_percent(release.detail_kept)
        tell(f"{found.name} would keep {kept} of the detail, not {now}: incrowd alternatives {plan}")
    elif empty:
        tell(f"what other searches would leave of {'it' if empty == 1 else 'them'}: incrowd alternatives {plan}")


# ``incrowd alternatives``: several searches side by side, before one of them is made.


def alternatives(
    plan: PlanFile, memory: Memory = None, as_json: Json = False, quiet: Quiet = False, _show_values: ShowValues = False
) -> int:
    """Put searches side by side for the table of a plan: what each keeps, stars, leaves out and gives away.

    For example: incrowd alternatives plan.toml
    """
    from incrowd.evidence import alternatives_lines
    from incrowd.plan import Plan, value_as_toml

    start = time.perf_counter()
    limit = checked_memory(memory)
    with Watch(quiet=quiet) as watch:
        found = Plan.read(plan).alternatives(watch, begin=watch.part, memory=limit)
    if as_json:
        write_json(found.to_dict())
    else:
        write(*alternatives_lines(found))
        others = [one for one in found if one.version is not None and one.name != found.planned]
        if others:
            lines = [f"algorithm = {value_as_toml(one.plan)}" for one in others]
            width = max(map(len, lines))
            write("", f"to take another, write one of these lines under [search] of {plan.name}:")
            write(*(f"  {line:<{width}}  # {one.name}" for line, one in zip(lines, others, strict=True)))
    if not quiet:
        tell("", f"nothing was written   {time.perf_counter() - start:.1f} s")
    return 0 if found.recommended is not None else 1


# ``incrowd frontier``: risk against utility, for every strength of a promise at once.

By = Annotated[str, Option("--by", metavar="k|l|p", help="What grows along the curve.")]
Of = Annotated[str | None, Option("--of", metavar="COLUMN", help="The sensitive column, for l and p.")]


def frontier(
    plan: PlanFile, by: By = "k", of: Of = None, as_json: Json = False, _show_values: ShowValues = False
) -> None:
    """Show what more protection would cost, for the table of a plan. All its other promises are kept.

    For example: incrowd frontier plan.toml --by l --of diagnosis
    """
    from incrowd.plan import Plan

    with Watch(quiet=not sys.stderr.isatty()):
        curve = Plan.read(plan).frontier(cast("Strength", by), of)  # the plan refuses what there is not
    if as_json:
        more = {name: told for name, told in (("beside", curve.beside), ("notes", curve.notes)) if told}
        write_json({"schema": 1, **curve.to_dict(), **more})
    else:
        write(str(curve))


# ``incrowd apply``: a release that was found once, on new data.

Owner = Annotated[
    Path, Argument(metavar="OWNER", help='The folder owner of a release that was made with algorithm = "optimal".')
]
Data = Annotated[Path, Argument(metavar="DATA", help="The new table, with the same columns.")]
Output = Annotated[Path, Option("--output", "-o", metavar="FOLDER", help="Where to write the release.")]
Format = Annotated[
    str | None, Option("--format", metavar="KIND", help="csv, parquet, ...; the kind of DATA if not given.")
]
MaxSuppressed = Annotated[
    float, Option(metavar="SHARE", help="The share of the records that may be left out, such as 0.02.")
]
MaxRecords = Annotated[
    int | None, Option("--max-suppressed-records", metavar="N", help="Their number, in place of the share.")
]
ShiftKey = Annotated[
    Path | None,
    Option("--shift-key", metavar="FILE", help="The key by which dates were shifted there."),
]
Drop = Annotated[bool, Option("--drop-others", help="Leave out columns without a role, instead of refusing.")]
OWN_WORDS: Words = {"max_suppressed_records": lambda one: f"--max-suppressed-records {one.value}"}


@with_reading()
def apply(
    owner: Owner,
    data: Data,
    output: Output,
    kind: Format = None,
    max_suppressed: MaxSuppressed = 0.0,
    max_records: MaxRecords = None,
    drop_others: Drop = False,
    shift_key: ShiftKey = None,
    force: Force = False,
    sign: Sign = None,
    plain: Plain = False,
    stars: Stars = None,
    *,
    reading: dict[str, Any],
    as_json: Json = False,
    quiet: Quiet = False,
    _show_values: ShowValues = False,
) -> None:
    """Publish new data exactly as an earlier release by a best node was: the same levels and labels, checked again.

    For example: incrowd apply out/owner patients-2027.csv -o out-2027
    """
    from incrowd.release import apply as publish, format_like

    start = time.perf_counter()
    how: dict[str, Any] = {
        "max_suppressed": max_suppressed,
        "max_suppressed_records": max_records,
        "output": output,
        "format": kind or format_like(data),
        "dialect": "plain" if plain else "input",
        "stars": stars or "star",
        "shift_key": shift_key,
        "force": force,
        "sign": sign,
        **({"others": "drop"} if drop_others else {}),
        **reading,
    }
    folder = owner / "owner" if (owner / "owner").is_dir() else owner
    with Watch(quiet=quiet), hints_in(OWN_WORDS):
        release = publish(folder, data, **how)
    if not quiet:
        tell(f"promise  {release.recipe.promise}")
    _write_result(release, output, as_json=as_json)
    if not quiet:
        _close(release, time.perf_counter() - start)
