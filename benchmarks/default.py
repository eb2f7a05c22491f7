"""The default search beside the best node and the most detail on labelled tables: what is kept, and what attacks find.

``python benchmarks/default.py FOLDER [--only NAME,NAME] [--by-k 3,5,10]``. FOLDER holds tables as ``NAME.csv`` with
``NAME.json``: the role of every column, the promise, how the file is read, and the columns that must keep three values,
or all if they have two. Hierarchies are as suggested; 5 % of the records may be left out.

With ``--by-k`` only k is promised, once for each, and what is printed is how many more people whoever knows the search
finds than in the best node; of the made-up hospital table of 1,000 and of 600 rows also with l>=3.
"""

from __future__ import annotations

import argparse
import json
import statistics
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from _searches import Targets

import incrowd as ic

SEARCHES: dict[str, Any] = {
    "best node": ic.Optimal(seconds=60),
    "levels and cells": ic.LevelsAndCells(),
    "most detail": ic.CheapestFirst(),
}
ROLES = {"quasi", "identifier", "sensitive", "insensitive"}
SHARE, LOSS, FOUND, LEARNT = 0.05, 0.6, 0.1, 0.02
"""At most: left out; lost, of what the best node loses; found beyond the best node; learnt beyond guessing."""


class Made(NamedTuple):
    """A release: what it loses, leaves out and keeps, and what attacks find.

    ``found``: by linkage; ``narrowed``: by whoever knows that nobody is generalized more than needed. ``learnt``: how
    much more often than by guessing conclusions are right, of tight labels and of classes that were not divided.
    """

    lost: float
    left_out: float
    kept: int
    found: float
    narrowed: float
    worst: float
    learnt: float
    bound: float


def measure(path: Path, label: dict[str, Any]) -> dict[str, Made]:
    """Make the releases of a table, and attack them as its owner can."""
    reading = {} if label["encoding"] == "utf-8" else {"encoding": label["encoding"]}
    schema = schema_of(path, label, reading)
    options = {"model": label["promise"], "others": "drop", "max_suppressed": SHARE, **reading}
    made = {}
    for name, algorithm in SEARCHES.items():
        release = ic.anonymize(path, schema, algorithm=algorithm, **options)
        made[name] = made_of(release, ic.attack(release, original=path, **reading), label["must_keep"])
    return made


def narrowed(table: Any, schema: ic.Schema, model: str, **reading: Any) -> tuple[float, float]:
    """Give what whoever knows the search finds in the best node, and by levels and cells."""
    searches = {name: SEARCHES[name] for name in ("best node", "levels and cells")}
    asked: dict[str, Any] = {"model": model, "searches": searches, "max_suppressed": SHARE, **reading}
    best, usual = ic.alternatives(table, schema, **asked)
    shown = best.attack("linkage"), usual.attack("narrowest group")
    if shown[0] is None or shown[1] is None:
        msg = f"{model} cannot be kept, or was not attacked."
        raise SystemExit(msg)
    return float(shown[0].rate), float(shown[1].rate)


def print_by_k(folder: Path, only: list[str], ks: list[int]) -> None:
    """Print per table and k what is found in the best node, by levels and cells, and the difference."""
    tables: dict[str, tuple[Any, ic.Schema, str, dict[str, Any]]] = {}
    for path in sorted(folder.glob("*.csv")):
        if path.stem in (only or [path.stem]):
            label = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            reading = {} if label["encoding"] == "utf-8" else {"encoding": label["encoding"]}
            tables[path.stem] = path, schema_of(path, label, reading), "", reading
    for rows in (1000, 600) if not only or "hospital" in only else ():
        for more in ("", ", l>=3[diagnosis]"):
            tables[f"hospital {rows}{more}"] = ic.hospital(rows), ic.hospital_schema(), more, {}
    for name, (table, schema, more, reading) in tables.items():
        for k in ks:
            best, usual = narrowed(table, schema, f"k>={k}{more}", **reading)
            print(f"{name:34}k>={k:<4}{best:>8.1%}{usual:>8.1%}{usual - best:>+8.1%}", flush=True)


def schema_of(path: Path, label: dict[str, Any], reading: dict[str, Any]) -> ic.Schema:
    """Give the roles of the labels, with hierarchies as they are suggested."""
    roles = {
        name: column["role"] if column["role"] in ROLES and name not in label["drop"] else "drop"
        for name, column in label["columns"].items()
        if name != label["entity"]
    }
    gaps = ("", *label["missing"])
    suggestion = ic.suggest(path, roles=roles, entity=label["entity"], missing_values=gaps, **reading)
    return suggestion.plan(path).schema()


def made_of(release: ic.Release, found: Any, must_keep: list[str]) -> Made:
    """Sum up a release and the attacks on it."""
    attacks = {one.name: one for one in found}
    linked, narrowed = attacks["linkage"], attacks.get("narrowest group", attacks["linkage"])
    own = [attacks[name] for name in ("downcoding", "minimality") if name in attacks]
    return Made(
        lost=1 - release.detail_kept,
        left_out=release.recipe.suppressed / (found.records + release.recipe.suppressed),
        kept=sum(_is_kept(release, name) for name in must_keep),
        found=float(linked.rate),
        narrowed=float(narrowed.rate),
        worst=float(max(linked.worst, narrowed.worst)),
        learnt=max((float(one.rate - one.baseline) for one in own), default=0.0),
        bound=release.recipe.lower_bound,
    )


def lost_of(proven: float) -> str:
    """Say of what a share is lost, and if less than was wanted is out of reach of all levels and stars."""
    text = "of what the best node loses"
    return text if proven <= LOSS else f"{text}, and no levels and stars lose less than {proven:.4g} of it"


def _is_kept(release: ic.Release, name: str) -> bool:
    """Say whether a column has three values left, or all if it had two."""
    column = release.columns.get(name)
    return name in release.table.column_names and (column is None or column.values >= min(3, column.values_before))


def main() -> None:
    """Print a line per table and search, then what was wanted of the default."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", type=lambda names: names.split(","), default=[])
    parser.add_argument("--by-k", type=lambda ks: [int(k) for k in ks.split(",")], default=[])
    given = parser.parse_args()
    warnings.simplefilter("ignore", ic.PrivacyWarning)
    if given.by_k:
        print_by_k(given.folder, given.only, given.by_k)
        return
    targets, shares = Targets(), []
    print(f"{'':34}{'lost':>8}{'left out':>10}{'kept':>6}{'found':>8}{'narrowed':>10}{'worst':>8}{'learnt':>8}")
    for path in sorted(given.folder.glob("*.csv")):
        if path.stem not in (given.only or [path.stem]):
            continue
        label = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        found = measure(path, label)
        for name, one in found.items():
            kept = f"{one.kept}/{len(label['must_keep'])}"
            print(
                f"{path.stem:16}{name:18}{one.lost:>8.3f}{one.left_out:>10.1%}{kept:>6}{one.found:>8.1%}"
                f"{one.narrowed:>10.1%}{one.worst:>8.1%}{one.learnt:>8.1%}",
                flush=True,
            )
        best, usual = found["best node"], found["levels and cells"]
        shares.append(usual.lost / best.lost)
        targets.same(f"{path.stem}, columns kept", usual.kept, len(label["must_keep"]))
        targets.at_most(f"{path.stem}, left out", usual.left_out, SHARE, "of the records")
        targets.at_most(f"{path.stem}, lost", shares[-1], LOSS, lost_of(usual.bound / best.lost))
        targets.at_most(f"{path.stem}, found", usual.narrowed - best.narrowed, FOUND, "of all people more")
        targets.at_most(f"{path.stem}, learnt", usual.learnt, LEARNT, "beyond guessing")
    targets.at_most("all tables, lost", statistics.fmean(shares), LOSS, "of what the best node loses")
    targets.show()


if __name__ == "__main__":
    main()
