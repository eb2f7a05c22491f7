"""``incrowd anonymize``: the main job, as a plan says."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli._assess import Json, Quiet
from incrowd.cli._engine import Engine, Master, table_of
from incrowd.cli._hierarchy import ShowValues
from incrowd.cli._progress import Watch
from incrowd.cli._reading import UTF8, Memory, reading_of
from incrowd.cli._release_text import facts_of, lines_of
from incrowd.cli._run import amount, tell

if TYPE_CHECKING:
    from incrowd.api import Plan, Release

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
    from incrowd.api import Plan

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
    from incrowd.api._verify_script import NEEDS

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
