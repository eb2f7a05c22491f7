"""A canary in the data never sings: no message, log, certificate or traceback holds a value of a record."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pytest

from engines.extras import needed
from engines.mutations import packed
from engines.spreadsheets import xls
from incrowd.engines import write_table

Process = Callable[..., tuple[int, str, str]]
Told = Callable[..., tuple[int, str]]

NAME, ALONE, SECRET, ODD = "Kanarie-Name", "Kanarie-97", "Kanarie-Secret", "=Kanarie\x1b[31m\u202e'$%s{}\\"
CANARY = "Kanarie"
ROWS = [
    f"{NAME},31,cook,flu,{SECRET}",
    f"Bob,34,cook,hiv,{ODD}",
    "Cem,52,nurse,flu,x",
    "Dee,55,nurse,hiv,y",
    f"Eve,58,{ALONE},flu,{SECRET}",
]
TREE = "cook;*\nnurse;*\n"
PLAN = """
version = 1
[data]
path = "people.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = {{ intervals = [10, 100] }}
[columns.job]
role = "quasi"
hierarchy = {job}
[columns.disease]
role = "sensitive"
[columns.note]
role = "sensitive"
[privacy]
promise = {promise}
max_suppressed = 0.2
"""


def write(folder: Path, rows: Iterable[str] = ROWS, promise: str = '["k>=2"]', job: str = "{ flat = true }") -> None:
    (folder / "people.csv").write_text("\n".join(["name,age,job,disease,note", *rows, ""]), encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN.format(promise=promise, job=job))
    (folder / "job.csv").write_text(TREE)


@pytest.fixture
def told(inside: Process, caplog: pytest.LogCaptureFixture) -> Told:
    """Give a way to run ``incrowd --debug``: its exit code and what it says, without the canary."""
    caplog.set_level(0)

    def run(*arguments: str) -> tuple[int, str]:
        code, out, err = inside("--debug", *arguments)
        assert CANARY not in out + err + caplog.text
        return code, err

    return run


ASSESS = ("assess", "people.csv", "--quasi", "age,job", "--sensitive", "disease,note")


def test_no_command_that_works_says_it(told: Told, tmp_path: Path) -> None:
    write(tmp_path)
    assert told("init", "people.csv", "-o", "new.toml")[0] == 0
    assert told(*ASSESS, "--all", "--require", "k>=2, l>=2[note]")[0] == 1
    assert told(*ASSESS, "--json")[0] == 0
    assert told("frontier", "plan.toml")[0] == 0
    assert told("alternatives", "plan.toml")[0] == 0
    assert told("anonymize", "plan.toml", "--dry-run", "--json")[0] == 0
    assert told("anonymize", "plan.toml", "--explain")[0] == 0
    assert told("verify", "out/public/release.json", "--owner", "out/owner")[0] == 0
    assert told("compare", "out", "out", "--json")[0] == 0
    public = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "out/public").iterdir()}
    assert [name for name, text in public.items() if CANARY in text] == ["data.csv"]  # a sensitive value is published
    assert NAME not in public["data.csv"]
    assert ALONE not in public["data.csv"]
    assert CANARY not in (tmp_path / "new.toml").read_text()


def test_lists_of_items_do_not_say_it(told: Told, tmp_path: Path) -> None:
    rows = [
        f"P{at},{30 + at},{job},flu,x"
        for at, job in enumerate(["cook|nurse", "nurse|cook", "cook", f"cook|{ALONE}"] * 2)
    ]
    write(tmp_path, [*rows, f"Eve,58,nurse|{ALONE},flu,x"], '["k>=2[job, any 2 items]"]', '{ items = "|" }')
    assert told("anonymize", "plan.toml", "--explain")[0] == 0
    assert told("verify", "out", "--original", "people.csv")[0] == 0
    assert told("attack", "out", "--original", "people.csv", "--items", "1", "--json")[0] == 0
    assert told("attack", "out", "--items", "0")[0] == 2
    assert told("assess", "people.csv", "--quasi", "age,job", "--require", "k>=2[job, any 2 items]")[0] == 2
    assert told("init", "people.csv", "-o", "new.toml")[0] == 0
    public = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "out/public").glob("*.json"))
    assert CANARY not in public


TROUBLE = {
    "a value that is no number": ([*ROWS, f"Fay,{ALONE},cook,flu,x"], {}, 2),
    "a line with too many values": ([*ROWS, f"Fay,31,cook,flu,{SECRET},{SECRET}"], {}, 2),
    "a quote that is never closed": ([*ROWS, f'Fay,31,cook,flu,"{SECRET}'], {}, 2),
    "a hierarchy that misses it": (ROWS, {"job": '{ tree = "job.csv" }'}, 2),
    "a tree that misses an item": (ROWS, {"job": '{ items = "|", of = { tree = "job.csv" } }'}, 2),
    "an item that is nothing": ([*ROWS, f"Fay,31,cook||{ALONE},flu,x"], {"job": '{ items = "|" }'}, 2),
    "items that nobody else has": (ROWS, {"job": '{ items = "|" }', "promise": '["k>=9[job, any 2 items]"]'}, 1),
    "a promise that is too strong": (ROWS, {"promise": '["k>=9"]'}, 1),
    "nobody may be left out": (ROWS, {"promise": '["k>=2", "l>=4[disease]"]'}, 1),
}


@pytest.mark.parametrize("kind", TROUBLE)
def test_no_command_that_fails_says_it(told: Told, tmp_path: Path, kind: str) -> None:
    rows, plan, expected = TROUBLE[kind]
    write(tmp_path, rows, **plan)
    code, said = told("anonymize", "plan.toml")
    assert code == expected
    assert "  at " in said
    assert not (tmp_path / "out").exists()


def test_a_file_of_another_encoding_does_not_say_it(told: Told, tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "people.csv").write_bytes(f"name,age,job,disease,note\n{NAME}ü,31,{ALONE},flu,x\n".encode("latin-1"))
    assert [told(*command)[0] for command in (ASSESS, ("anonymize", "plan.toml"))] == [2, 2]


def test_a_file_without_a_header_does_not_say_it(told: Told, tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "people.csv").write_text("\n".join(ROWS))
    assert [told(*command)[0] for command in (ASSESS, ("init", "people.csv"))] == [2, 2]


def test_a_process_that_logs_everything_does_not_say_it(process: Process, tmp_path: Path) -> None:
    write(tmp_path, job='{ tree = "job.csv" }')
    for arguments, expected in ((ASSESS, 0), (("anonymize", "plan.toml"), 2)):
        code, out, err = process("--debug", *arguments, first="import logging; logging.basicConfig(level=0)")
        assert (code, CANARY in out + err) == (expected, False)


FAR = b'<sheetData><row r="1"><c r="A1"/></row><row r="1048576"><c r="XFD1048576"/></row></sheetData>'


def damaged_files(folder: Path) -> list[str]:
    """Write a table as files of many kinds, each damaged in the middle, or what is no file of a table at all."""
    write(folder)
    table = pa.table({"age": [31, 34] * 9, "job": [NAME, ALONE] * 9, "disease": [SECRET, ODD] * 9})
    endings = ["parquet", "arrow", "xlsx", "sav", "dta", "csv.gz"]
    for ending in endings:
        path = folder / f"damaged.{ending}"
        write_table(table, path)
        content = bytearray(path.read_bytes())
        content[len(content) // 3 :] = content[2 * len(content) // 3 :]
        path.write_bytes(content)
    (folder / "far.xlsx").write_bytes(packed({"xl/worksheets/sheet1.xml": FAR}))
    (folder / "far.xls").write_bytes(xls([(0, 0, "age"), (65_535, 65_535, NAME)]))
    (folder / "wide.csv").write_text(",".join(f"c{number}" for number in range(50_000)) + "\n", encoding="utf-8")
    os.mkfifo(folder / "pipe.csv")
    return [*(f"damaged.{ending}" for ending in endings), "far.xlsx", "far.xls", "wide.csv", "pipe.csv"]


def test_whatever_file_is_damaged_every_command_says_so_and_leaves_with_2(told: Told, tmp_path: Path) -> None:
    needed("fastexcel", "pyreadstat")
    names = damaged_files(tmp_path)
    (tmp_path / "out").mkdir()
    before = sorted(tmp_path.rglob("*"))
    for name in names:
        for command in (("assess", name, "--quasi", "age"), ("init", name, "-o", "new.toml")):
            code, err = told(*command)
            assert (code, err.count("error[IC10")) == (2, 1), (command, err)
            assert name in err or "columns" in err
    for arguments in (("anonymize", "pipe.csv"), ("hierarchy", "check", "pipe.csv"), ("verify", "pipe.csv")):
        code, err = told(*arguments)
        assert (code, "error[IC10" in err) == (2, True), (arguments, err)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_password_that_stands_in_the_wrong_place_is_not_said(inside: Process, tmp_path: Path) -> None:
    write(tmp_path)
    address = "postgresql://me:sesame@host/db"
    (tmp_path / "plan.toml").write_text(PLAN.format(promise='["k>=2"]', job="'flat'").replace("people.csv", address))
    for command in (
        ("anonymize", "plan.toml"),
        *((one, address) for one in ("anonymize", "init", "verify", "explain", "serve", "attack")),
        ("assess", address, "--quasi", "age"),
        ("assess", "people.csv", "--quasi", address),
        ("assess", "people.csv", "--quasi", "age", "--separator", address),
        ("hierarchy", "check", address),
        ("compare", address, "people.csv"),
        (address,),
    ):
        code, out, err = inside("--debug", *command) if command != (address,) else inside(address)
        assert code == 2, (command, err)
        assert "sesame" not in out + err


SHIFTED = """
version = 1
[data]
path = "stays.csv"
entity = "person"
[columns.age]
role = "quasi"
[columns.came]
role = "shifted"
[shift]
within = 20
key_file = "dates.key"
[privacy]
promise = "k>=2"
[output]
format = "csv"
"""


@pytest.mark.filterwarnings("default::incrowd.core.PrivacyWarning")
@pytest.mark.parametrize("odd", [None, NAME, f"1987-02-30 {NAME}"])
def test_a_true_date_and_what_is_none_are_not_said(told: Told, tmp_path: Path, odd: str | None) -> None:
    days = [f"19{70 + 2 * row}-05-17" for row in range(8)]  # so far apart that no shifted one is a true one
    rows = [f"Kanarie-{row % 4},3{row % 2},{day}" for row, day in enumerate(days)]
    rows += [] if odd is None else [f"Kanarie-1,31,{odd}"]
    (tmp_path / "stays.csv").write_text("\n".join(["person,age,came", *rows, ""]), encoding="utf-8")
    (tmp_path / "plan.toml").write_text(SHIFTED, encoding="utf-8")
    (tmp_path / "dates.key").write_bytes(CANARY.encode() * 5)
    code, said = told("anonymize", "plan.toml", "--explain")
    assert not any(day in said for day in days)
    if odd is not None:
        assert (code, "has 1 text that is no date" in said) == (2, True)
        assert not (tmp_path / "out").exists()
        return
    assert code == 0
    assert told("verify", "out", "--original", "stays.csv", "--shift-key", "dates.key")[0] == 0
    for path in (tmp_path / "out").rglob("*.*"):
        content = path.read_bytes()
        assert not any(day.encode() in content for day in days), path
    public = [path.read_text(encoding="utf-8") for path in (tmp_path / "out/public").iterdir()]
    assert not any(CANARY in text for text in public)
