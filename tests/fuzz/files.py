"""Part ``files``: damaged files of every format that is read. No crash, and nothing damaged is vouched for."""

from __future__ import annotations

import json
import os
import random
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pyarrow as pa

import incrowd as ic
from engines.mutations import mutations, mutations_inside
from engines.sas import write_sas7bdat
from engines.spreadsheets import ods, xls, xlsb
from fuzz.command import expect_code, run as command
from fuzz.failures import expect
from incrowd.engines import write_table

EACH = 6
"""So many damaged copies of one file in a case."""
ROWS = 40
COLUMNS: dict[str, list[str | float | None]] = {
    "age": [20.0 + number * 7 % 50 for number in range(ROWS)],
    "town": [["ulm", "bonn", "kiel", None][number % 4] for number in range(ROWS)],
    "cost": [1.5 * number if number % 9 else None for number in range(ROWS)],
    "illness": [["flu", "hiv", "ulcer"][number % 3] for number in range(ROWS)],
}
LINES = [list(COLUMNS), *([value or "" for value in row] for row in zip(*COLUMNS.values(), strict=True))]
CELLS = [(row, column, value) for row, line in enumerate(LINES) for column, value in enumerate(line)]
ENDINGS = ("csv", "csv.gz", "tsv", "tsv.gz", "parquet", "arrow", "feather", "xlsx", "sav", "dta")
PACKED = {"xlsx", "ods", "xlsb"}
PLAN = """version = 1
[data]
path = "t.csv"
[columns]
age = { role = "quasi", hierarchy = { intervals = [10, 20] } }
town = { role = "quasi" }
cost = { role = "insensitive" }
illness = { role = "sensitive" }
[privacy]
promise = "k>=2, l>=2"
max_suppressed = 0.5
[search]
algorithm = "optimal"
[output]
folder = "out"
[report]
write = false
"""


def run(rolls: random.Random) -> int:
    """Damage one file several times; give how many damaged files were judged."""
    damage = rolls.choice([_tables, _tables, _tables, _releases, _plans])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return damage(rolls)


def _tables(rolls: random.Random) -> int:
    """Damage a table: it is measured, or refused as wrong use."""
    ending = rolls.choice(list(originals()))
    whole = originals()[ending]
    asked = rolls.choice([_measured, _measured, _suggested])
    with _empty_folder() as place:
        path = place / f"t.{ending}"
        for number, content in enumerate(_damaged(whole, rolls, packed=ending in PACKED)):
            path.write_bytes(content)
            expect_code(command(*asked(path)), {0, 2}, f"damage {number} of t.{ending}, {asked.__name__}")
    return EACH


def _measured(path: Path) -> list[str | Path]:
    return ["assess", path, "--quasi", "age,town", "--sensitive", "illness", "--json"]


def _suggested(path: Path) -> list[str | Path]:
    return ["init", path, "--output", path.with_name("plan.toml"), "--force"]


def _plans(rolls: random.Random) -> int:
    """Damage a plan: it is carried out, or refused; then nothing is written."""
    done = 0
    with _empty_folder() as place:
        (place / "t.csv").write_bytes(originals()["csv"])
        for number, content in enumerate(_damaged(PLAN.encode(), rolls)):
            (place / "plan.toml").write_bytes(content)
            said = command("anonymize", place / "plan.toml", "--dry-run")
            expect_code(said, {0, 1, 2}, f"damage {number} of the plan {content!r}")
            left = sorted(path.name for path in place.iterdir())
            expect(left == ["plan.toml", "t.csv"], f"{left} are left by a dry run: {content!r}")
            done += 1
    return done


def _releases(rolls: random.Random) -> int:
    """Damage a file of a release: it is never vouched for, unless the damage changes nothing that it says."""
    name = rolls.choice(sorted(released()))
    with _empty_folder() as place:
        for path, content in released().items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_bytes(content)
        (place / "t.csv").write_bytes(originals()["csv"])
        for number, content in enumerate(_damaged(released()[name], rolls)):
            (place / name).write_bytes(content)
            where = f"damage {number} of {name}"
            if name.endswith("recoding.json") and _plain(content) == _plain(released()[name]):
                continue  # another layout of the same text
            if name.startswith("out/owner/recoding"):
                said = command("apply", place / "out", place / "t.csv", "-o", place / "again", "--force")
                expect_code(said, {1, 2}, where)
                expect(not (place / "again").exists(), f"something was published by it: {where}")
            else:
                more: list[str | Path] = ["--owner", place / "out/owner"] if "owner" in name else []
                said = command("verify", place / "out", *more)
                expect_code(said, {0, 1, 2, 4}, where)
                expect(said.code or not name.endswith("csv"), f"vouched for: {where}")
    return EACH


def _plain(content: bytes) -> object:
    try:
        return json.loads(content)
    except ValueError:
        return content


def _damaged(whole: bytes, rolls: random.Random, *, packed: bool = False) -> Iterator[bytes]:
    """Give copies that are not what they were."""
    seed = rolls.randrange(1 << 30)
    inside = packed and rolls.random() < 0.6
    some = (mutations_inside if inside else mutations)(whole, 4 * EACH, seed)
    different = [content for content in some if content != whole]
    yield from different[:EACH]


@contextmanager
def _empty_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        before = Path.cwd()
        os.chdir(place)
        try:
            yield Path(place)
        finally:
            os.chdir(before)


@cache
def originals() -> dict[str, bytes]:
    """Write the table in every format that is read, once."""
    table = pa.table({name: pa.array(values) for name, values in COLUMNS.items()})
    found: dict[str, bytes] = {"ods": ods(LINES), "xlsb": xlsb(CELLS), "xls": xls(CELLS)}
    with tempfile.TemporaryDirectory() as folder:
        writers: dict[str, Callable[[Path], object]] = {
            ending: lambda path: write_table(table, path) for ending in ENDINGS
        }
        writers["sas7bdat"] = lambda path: write_sas7bdat(COLUMNS, {}, path)
        for ending, write in writers.items():
            path = Path(folder) / f"t.{ending}"
            write(path)
            found[ending] = path.read_bytes()
    return found


@cache
def released() -> dict[str, bytes]:
    """Publish the table once, and give all files of the release that are read again."""
    with _empty_folder() as place:
        (place / "t.csv").write_bytes(originals()["csv"])
        (place / "plan.toml").write_text(PLAN, encoding="utf-8")
        ic.Plan.read(place / "plan.toml").run(write=True)
        files = [path for path in (place / "out").rglob("*") if path.is_file() and path.suffix != ".py"]
        return {str(path.relative_to(place)): path.read_bytes() for path in files if path.name != "plan.toml"}
