"""An assessment against pyCANON's nine measures, and against the census that it stands on.

``python benchmarks/assess.py [--rows ROWS] [--adult FOLDER] [--pycanon PYTHON]``. FOLDER holds ``adult.csv`` and ARX's
hierarchies of it; PYTHON is the interpreter of an environment that has pyCANON. What is not given is left out.

Adult has 30,162 records and 8 quasi-identifiers here. It is measured as it is (12,458 classes) and after generalizing
(3,184 classes). pyCANON gets a pandas frame that is in memory when its clock starts; we are timed on such a frame, and
from the file on with reading it. Libraries are imported before the clock starts.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import made_up
from _timing import DATA, HERE, Result, line, measure

QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")
LEVELS = {"age": 1, "education": 1, "native-country": 1, "workclass": 1}
SENSITIVE = "occupation"
Timed = Callable[[], dict[str, Any]]


def file(path: str) -> Timed:
    """Assess a CSV file, reading included."""
    ic, schema = _prepared()
    return lambda: _facts(ic.assess(path, schema))


def frame(path: str) -> Timed:
    """Assess a pandas frame."""
    import pandas as pd

    ic, schema = _prepared()
    table = pd.read_csv(path, sep=";")
    return lambda: _facts(ic.assess(table, schema))


def measures(path: str) -> Timed:
    """Measure everything on a census that is there already, as one does in a search or after a run."""
    _, schema = _prepared()
    from incrowd.core import CensusRequest
    from incrowd.engines import open_table
    from incrowd.evidence._assess import assessment_of

    census = open_table(path).census(CensusRequest(QUASI, (SENSITIVE,)))
    assessment_of(census, schema)
    return lambda: _facts(assessment_of(census, schema))


def census_of_many(path: str) -> Timed:
    """Take the census alone."""
    from incrowd.core import CensusRequest
    from incrowd.engines import open_table

    request = CensusRequest(made_up.QUASI, made_up.SENSITIVE)
    return lambda: {"cells": len(open_table(path).census(request))}


def assess_many(path: str) -> Timed:
    """Assess, which takes the census first."""
    import incrowd as ic

    schema = ic.Schema(quasi=made_up.QUASI, sensitive=made_up.SENSITIVE)
    ic.assess([dict.fromkeys((*made_up.QUASI, *made_up.SENSITIVE), "x")], schema)
    return lambda: _facts(ic.assess(path, schema))


def _prepared() -> tuple[Any, Any]:
    """Load what is loaded only when it is used: with a table of one row."""
    import incrowd as ic

    schema = ic.Schema(quasi=QUASI, sensitive=[SENSITIVE])
    small = DATA / "adult_one_row.csv"
    ic.assess(small, schema)
    import pandas as pd

    ic.assess(pd.read_csv(small, sep=";"), schema)
    return ic, schema


def _facts(assessment: Any) -> dict[str, Any]:
    return {"classes": assessment.classes, "k": assessment.k}


def adult_files(folder: Path) -> dict[str, Path]:
    """Write Adult as it is and generalized."""
    with (folder / "adult.csv").open(newline="", encoding="utf-8") as source:
        rows = list(csv.DictReader(source, delimiter=";"))
    labels = {name: _labels(folder / f"hierarchy_{name}.csv", level) for name, level in LEVELS.items()}
    coarse = [{name: labels[name][text] if name in labels else text for name, text in row.items()} for row in rows]
    DATA.mkdir(exist_ok=True)
    paths = {name: DATA / f"adult_{name}.csv" for name in ("raw", "generalized", "one_row")}
    for path, table in zip(paths.values(), (rows, coarse, rows[:1]), strict=True):
        with path.open("w", newline="", encoding="utf-8") as target:
            writer = csv.DictWriter(target, list(rows[0]), delimiter=";")
            writer.writeheader()
            writer.writerows(table)
    return paths


def _labels(path: Path, level: int) -> dict[str, str]:
    with path.open(newline="", encoding="utf-8") as source:
        return {row[0]: row[level] for row in csv.reader(source, delimiter=";")}


def peer(python: str, path: Path) -> Result:
    """Let pyCANON measure a file in its own environment."""
    command = [python, str(HERE / "_pycanon.py"), str(path), SENSITIVE, *QUASI]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Result(**json.loads(done.stdout.splitlines()[-1]))


def adult(folder: Path, python: str | None) -> None:
    """Print the ratios on Adult: how many times longer pyCANON takes."""
    paths = adult_files(folder)
    print("Adult, 30,162 records: all measures; ratios to ours, from the file")
    ours: dict[str, Result] = {}
    for name in ("generalized", "raw"):
        ours[name] = measure(file, paths[name], runs=5)
        line(f"incrowd, {name}, from the file", ours[name], ours[name])
        line(f"incrowd, {name}, pandas frame", measure(frame, paths[name], runs=5), ours[name])
        line(f"incrowd, {name}, measures alone", measure(measures, paths[name], runs=5), ours[name])
        if python and name == "generalized":
            line("pyCANON, generalized, nine measures", peer(python, paths[name]), ours[name])
    ratio = ours["raw"].seconds / ours["generalized"].seconds
    print(f"  raw takes {ratio:.2f} times as long as generalized")


def many(rows: int) -> None:
    """Print the ratio to the census."""
    path = made_up.files(rows)["parquet"]
    print(f"assessment of {rows:,} rows from Parquet; ratio to the census alone")
    census = measure(census_of_many, path)
    line("incrowd, census", census, census)
    line("incrowd, assess", measure(assess_many, path), census)


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="An assessment against pyCANON, and against its census.")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--adult", type=Path, help="a folder with adult.csv and ARX's hierarchies")
    parser.add_argument("--pycanon", help="the interpreter of an environment that has pyCANON")
    given = parser.parse_args(arguments)
    if given.adult:
        adult(given.adult, given.pycanon)
    many(given.rows)


if __name__ == "__main__":
    main()
