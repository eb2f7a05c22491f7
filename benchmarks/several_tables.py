"""Several tables at scale: so many people with ten visits each, published as one release; time and memory.

``python benchmarks/several_tables.py [PEOPLE] [--memory 6GB] [--folder FOLDER]``. The tables are made up in the folder
if they are not there yet. Time is that of the processors (user and system), so that others on the machine do not count.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
import warnings
from pathlib import Path

import duckdb

import incrowd as ic

VISITS = 10


def made_up(folder: Path, people: int) -> dict[str, Path]:
    """Write patients and their visits to Parquet files; the same ones every time."""
    patients, visits = folder / f"patients-{people}.parquet", folder / f"visits-{people}.parquet"
    connection = duckdb.connect()
    if not patients.exists():
        connection.execute(f"""
            COPY (SELECT range AS person_id, 1930 + hash(range) % 80 AS birth_year,
                         CASE WHEN hash(range, 1) % 2 = 0 THEN 'f' ELSE 'm' END AS sex,
                         lpad(CAST(hash(range, 2) % 400 AS VARCHAR), 3, '0') || '00' AS zip
                  FROM range({people})) TO '{patients}'
        """)
        connection.execute(f"""
            COPY (SELECT range AS visit_id, range // {VISITS} AS person_id,
                         DATE '2020-01-01' + CAST(hash(range, 3) % 1460 AS INTEGER) AS day,
                         'ward ' || hash(range, 4) % 12 AS ward,
                         'disease ' || CAST(floor(sqrt(hash(range, 5) % 10000)) AS INTEGER) AS disease
                  FROM range({people * VISITS})) TO '{visits}'
        """)
    return {"patients": patients, "visits": visits}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("people", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--memory", default="6GB")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "incrowd-tables")
    given = parser.parse_args()
    given.folder.mkdir(exist_ok=True)
    tables = ic.Tables(
        made_up(given.folder, given.people),
        keys={"patients": "person_id"},
        of={"visits": {"person_id": "patients"}},
    )
    schema = ic.Schema(
        quasi={
            "birth_year": ic.intervals(5, 10, 20),
            "sex": ic.flat(),
            "zip": ic.mask(),
            "day": ic.dates("quarter", "year"),
            "ward": ic.flat(),
        },
        sensitive=["disease"],
        identifiers=["visit_id"],
    )
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        began, out = time.monotonic(), Path(folder) / "out"
        how = {"max_suppressed": 0.02, "output": out, "memory": given.memory}
        release = ic.anonymize(tables, schema, model="k>=5, l>=3[disease]", **how)
        _say("anonymize", began)
        print(release, release.recipe.levels)
        began = time.monotonic()
        print(ic.verify(out, memory=given.memory).outcome)
        _say("verify", began)


def _say(what: str, began: float) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    wall, most = time.monotonic() - began, used.ru_maxrss / 2**20
    print(f"{what}: {wall:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processors so far, at most {most:.1f} GB")


if __name__ == "__main__":
    main()
