"""``incrowd demo``: the whole job on the made-up hospital table: risk before, release, risk after, attacks, report."""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from incrowd.cli._options import Json
from incrowd.cli._terminal import write, write_json
from incrowd.cli._text import Paper, facts_of, shortfall_lines

if TYPE_CHECKING:
    from incrowd.evidence import Assessment
    from incrowd.release import Release

K, L, SHARE = 5, 3, 0.05
"""What the demo promises: groups of at least 5, with 3 different diagnoses each, at most 5 % left out."""

DEFAULT = Path("incrowd-demo")
"""Where nothing is lost if an earlier demo is replaced."""

LABEL, NUMBER = 34, 13
LINE = 72
"""Where the seconds stand, so that a line fits into a terminal."""


def demo(
    rows: Annotated[int, Option("--rows", help="How many patients to make up.")] = 1_000,
    seed: Annotated[int, Option("--seed", help="Another seed makes other patients.")] = 2026,
    output: Annotated[Path, Option("--output", "-o", metavar="FOLDER", help="Where to write the release.")] = DEFAULT,
    force: Annotated[bool, Option("--force", help="Replace a release in a folder that you named.")] = False,
    as_json: Json = False,
) -> None:
    """Publish a made-up hospital table: risk before, release, risk after, attacks and a report.

    For example: incrowd demo --rows 5000
    """
    from importlib.metadata import version

    from incrowd.core import Schema
    from incrowd.datasets import hospital, hospital_schema
    from incrowd.evidence import assess, attack
    from incrowd.release import anonymize

    say = (lambda *_: None) if as_json else write
    say(f"incrowd {version('incrowd')}  |  made-up patients, nothing leaves this computer", "")
    clock = _Clock()
    table, schema = hospital(rows, seed), hospital_schema()
    before = assess(table, schema)
    alone = before.one_of_a_kind.records
    say(clock.line(f"1/4 assess   today {alone:,} of {before.records:,} people are one of a kind"))
    say(f"2/4 search   groups of at least {K}, {L} different diagnoses each, at most {100 * SHARE:.0f} % left out")
    release = anonymize(table, schema, model=f"k>={K}, l>={L}[diagnosis]", max_suppressed=SHARE)
    recipe, starred = release.recipe, sum(one.starred for one in release.columns.values())
    say(clock.line(f"             every column at one level, {starred:,} cells starred"))
    release.save(output, force=force or output == DEFAULT, about={"purpose": "a demonstration on made-up patients"})
    kept = recipe.records - recipe.suppressed
    say(clock.line(f"3/4 release  {kept:,} people kept, {recipe.suppressed:,} left out; checked again, reported"))
    found = attack(release, original=table)
    guess = found.get("inference", "diagnosis")
    rates = f"{_share(guess.rate)}, {_share(guess.baseline)} without it"
    say(clock.line(f"4/4 attack   {len(found)} attacks; diagnosis guessed right for {rates}"))
    after = assess(release.table, Schema(schema.quasi_names, dict(schema.sensitive)))
    if as_json:
        risks = {"before": _plain_risk(before), "after": _plain_risk(after), "attacks": found.to_dict()["attacks"]}
        write_json({"schema": 1, **risks, "release": facts_of(release), "written": str(output)})
    say("", *_risk_rows(before, after), *_column_rows(release), "", "PASS  the release keeps its promises")
    say(*shortfall_lines(release, Paper.here()))
    say(f"wrote {output / 'public'} (data, release.json, verify.py, report.html) and {output / 'owner'}")
    say(f"open  {output / 'owner' / 'report.html'} in a browser: the report that a board would sign")
    say(f"next: incrowd verify {output}   or   incrowd init yourdata.csv")


def _risk_rows(before: Assessment, after: Assessment) -> list[str]:
    """Compare the risk before and after."""
    diagnoses, limit = [risk.columns["diagnosis"].distinct_l for risk in (before, after)], _share(1 / K)
    return [
        f"{'':{LABEL}}{'before':>{NUMBER}}{'after':>{NUMBER}}{'limit':>{NUMBER}}",
        _row("smallest group", f"{before.k:,}", f"{after.k:,}", f"{K}"),
        _row("chance to find a person, average", _share(before.average_chance), _share(after.average_chance), "-"),
        _row("chance to find a person, highest", _share(before.highest_chance), _share(after.highest_chance), limit),
        _row("different diagnoses in a group", f"{diagnoses[0]}", f"{diagnoses[1]}", f"{L}"),
    ]


def _column_rows(release: Release) -> list[str]:
    """Say what became of every column."""
    rows = ["", f"{'':{LABEL}}{'before':>{NUMBER}}{'after':>{NUMBER}}{'starred':>{NUMBER}}"]
    for one in release.columns.values():
        left = "nothing" if one.status == "nothing" else f"{one.values:,} groups"
        after, stars = "as it is" if one.level == 0 else left, _share(one.starred / max(one.cells, 1))
        rows.append(_row(one.column, f"{one.values_before:,} values", after, stars if one.starred else "-"))
    return rows


def _row(what: str, before: str, after: str, limit: str = "") -> str:
    return f"{what:{LABEL}}{before:>{NUMBER}}{after:>{NUMBER}}{limit:>{NUMBER}}".rstrip()


def _share(chance: Fraction | float | None) -> str:
    return f"{100 * float(chance or 0):.1f} %"


def _plain_risk(risk: Assessment) -> dict[str, Any]:
    return {
        "records": risk.records,
        "one_of_a_kind": risk.one_of_a_kind.records,
        "k": risk.k,
        "l": risk.columns["diagnosis"].distinct_l,
        "average_chance": float(risk.average_chance or 0),
        "highest_chance": float(risk.highest_chance or 0),
    }


class _Clock:
    """Writes how long it took since the last line."""

    def __init__(self) -> None:
        self._last = time.perf_counter()

    def line(self, text: str) -> str:
        now = time.perf_counter()
        passed, self._last = now - self._last, now
        return f"{text:<{LINE}}{passed:5.1f} s"
