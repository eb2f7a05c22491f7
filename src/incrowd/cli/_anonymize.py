"""``incrowd anonymize``: the main job, as a plan says."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli._assess import Json, Quiet
from incrowd.cli._progress import Watch
from incrowd.cli._release_text import facts_of, lines_of
from incrowd.cli._run import amount, tell

if TYPE_CHECKING:
    from incrowd.api import Plan, Release

PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, such as plan.toml.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be published, and write nothing.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an earlier release in the output folder.")]
Sign = Annotated[Path | None, typer.Option("--sign", metavar="KEY", help="Sign the certificate with this private key.")]
Explain = Annotated[bool, typer.Option("--explain", help="Say for every column what one level finer would mean.")]


def anonymize(
    plan: PlanFile,
    dry_run: DryRun = False,
    force: Force = False,
    sign: Sign = None,
    explain: Explain = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Publish a table as a plan says, and write the release, its certificate and its recipe.

    For example: incrowd anonymize plan.toml --dry-run
    """
    from incrowd.api import Plan

    start = time.perf_counter()
    read = Plan.read(plan)
    folder = read.path(read.output.folder)
    if not quiet:
        tell(f"plan     {plan.name}: {read.model()}")
    with Watch(quiet=quiet) as watch:
        release = read.run(watch)
    written = None if dry_run else _write(release, read, folder, force=force, sign=sign)
    if as_json:
        facts = {**facts_of(release), "written": None if written is None else str(written)}
        sys.stdout.write(json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
    else:
        lines = release.explain().splitlines() if explain else lines_of(release)
        sys.stdout.write("\n".join(lines) + "\n")
    if not quiet:
        _close(written, release, time.perf_counter() - start)


def _write(release: Release, plan: Plan, folder: Path, *, force: bool, sign: Path | None) -> Path:
    path = Path(str(plan.data.path))
    kind = plan.output.format or ("parquet" if path.suffix.lower() == ".parquet" else "csv")
    return release.save(folder, format=kind, force=force or plan.output.force, sign=sign, plan=plan.text())


def _close(written: Path | None, release: Release, seconds: float) -> None:
    kept = release.recipe.records - release.recipe.suppressed
    tell("", f"PASS  {amount(kept, 'record')} published, every promise kept and checked again   {seconds:.1f} s")
    if written is None:
        tell("dry run: nothing was written.")
    else:
        public = ", ".join(sorted(path.name for path in (written / "public").iterdir()))
        tell(f"wrote {written / 'public'} ({public}) and {written / 'owner'} (keep that one to yourself)")
        tell(f"next: incrowd verify {written / 'public' / 'release.json'}")
