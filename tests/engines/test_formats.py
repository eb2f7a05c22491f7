from __future__ import annotations

import datetime as dt
import gzip
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from engines.extras import needed
from engines.mutations import mutations, mutations_inside
from engines.sas import write_sas7bdat
from engines.spreadsheets import ods, xls, xlsb
from incrowd.core import CensusRequest, DataError, EngineError, SchemaError
from incrowd.engines import escape_formula, open_table, unescape_formula, write_table

TABLE = pa.table(
    {
        "id": [1, 2, 3],
        "age": [34, -5, None],
        "cost": [1.5, 2.25, None],
        "born": pa.array([dt.date(1990, 5, 1), dt.date(1931, 1, 2), None]),
        "seen": pa.array([1_577_847_845_000_000, 1_609_459_200_000_000, None], pa.timestamp("us")),
        "zip": ["01067", "1.50", None],
    }
)
ROWS = TABLE.to_pylist()
ENDINGS = ["csv", "csv.gz", "tsv", "tsv.gz", "parquet", "arrow", "feather", "xlsx", "sav", "dta"]
TYPED = ["parquet", "arrow", "feather", "xlsx", "sav", "dta"]
SPREAD = ["csv", "csv.gz", "tsv", "xlsx"]


@pytest.fixture(autouse=True)
def _extras_are_there() -> None:
    needed("fastexcel", "xlsxwriter", "pyreadstat")


def read(path: Path, **how: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = open_table(path, **how).materialise().to_pylist()
    return rows


@pytest.mark.parametrize("ending", TYPED)
def test_types_survive(ending: str, tmp_path: Path) -> None:
    write_table(TABLE, tmp_path / f"t.{ending}")
    found = open_table(tmp_path / f"t.{ending}").materialise()
    assert found.to_pylist() == ROWS
    assert found.schema.types == [pa.int64(), pa.int64(), pa.float64(), pa.date32(), pa.timestamp("us"), pa.string()]


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_census_is_that_of_the_frame(ending: str, tmp_path: Path) -> None:
    write_table(TABLE, tmp_path / f"t.{ending}")
    request = CensusRequest(("age", "zip"))
    assert open_table(tmp_path / f"t.{ending}").census(request) == open_table(TABLE).census(request)


@pytest.mark.parametrize("ending", ENDINGS)
def test_equal_tables_give_equal_files(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_table(TABLE, tmp_path / f"one.{ending}")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    write_table(TABLE.take([2, 0, 1]), tmp_path / f"two.{ending}")
    assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_is_replaced_without_force(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{ending}"
    path.write_bytes(b"old")
    with pytest.raises(DataError, match="exists already"):
        write_table(TABLE, path)
    assert path.read_bytes() == b"old"
    write_table(TABLE, path, force=True)
    assert len(read(path)) == 3
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", ["xlsx", "sav", "dta"])
def test_what_cannot_be_held_exactly_is_refused_and_nothing_is_left(ending: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot hold every value exactly as it is: 'big'"):
        write_table(pa.table({"age": [1], "big": [2**53 + 1]}), tmp_path / f"t.{ending}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["xlsx", "xls", "sav", "dta", "sas7bdat", "arrow", "feather"])
def test_a_broken_file_is_refused_without_a_word_of_its_content(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{ending}"
    path.write_text("canary,canary\n1,2\n")
    with pytest.raises(DataError, match=rf"'t\.{ending}' is not") as caught:
        open_table(path)
    assert "canary" not in str(caught.value)


CANARIES = pa.table({"id": [1, 2] * 9, "cost": [1.5, None] * 9, "zip": ["canary1", None, "canary2"] * 6})
CODED = pa.table({name: CANARIES[name].dictionary_encode() for name in CANARIES.column_names})
LINES: list[tuple[str | float, ...]] = [("cost", "zip"), (1.5, "canary1"), (2.5, "canary2")]


def write_foreign(write: str, path: Path, **how: Any) -> None:
    """Write a file of a kind that we read and do not write."""
    import polars as pl  # noqa: PLC0415 - optional
    import pyreadstat  # noqa: PLC0415 - optional

    getattr(pyreadstat, write)(pl.from_arrow(CANARIES), str(path), **how)


def write_ipc(table: pa.Table, path: Path, opened: Callable[..., Any] = pyarrow.ipc.new_file) -> None:
    with opened(str(path), table.schema) as file:
        file.write_table(table)


CELLS = [(row, column, value) for row, line in enumerate(LINES) for column, value in enumerate(line)]
BY_LIBRARY: dict[str, Callable[[Path], object]] = {
    "plain.arrow": partial(write_ipc, CANARIES),
    "coded.arrow": partial(write_ipc, CODED),
    "stream.arrow": partial(write_ipc, CANARIES, opened=pyarrow.ipc.new_stream),
    "ods": lambda path: path.write_bytes(ods(LINES)),
    "xls": lambda path: path.write_bytes(xls(CELLS)),
    "xlsb": lambda path: path.write_bytes(xlsb(CELLS)),
    "zsav": partial(write_foreign, "write_sav", compress=True),
    "por": partial(write_foreign, "write_por"),
    "xpt": partial(write_foreign, "write_xport"),
    "sas7bdat": lambda path: write_sas7bdat(
        {"cost": [1.5, None], "zip": ["canary1", "canary2"]}, {"zip": "where"}, path
    ),
}


@pytest.mark.parametrize("ending", [*sorted({*ENDINGS} - {"tsv", "tsv.gz", "feather"}), *BY_LIBRARY])
def test_a_damaged_file_is_read_or_refused_by_name_and_nothing_else_happens(ending: str, tmp_path: Path) -> None:
    path, told = tmp_path / f"t.{ending}", list[str]()
    BY_LIBRARY.get(ending, partial(write_table, CANARIES))(path)
    whole, often = path.read_bytes(), 15 if ending in {"xls", "xlsb"} else 40  # those two are opened elsewhere first
    begun = time.monotonic()
    for content in (*mutations(whole, often), *(mutations_inside(whole, often) if ending in {"xlsx", "ods"} else ())):
        path.write_bytes(content)
        try:
            engine = open_table(path)
            engine.domains([*engine.columns()])
            engine.materialise()
        except (DataError, SchemaError) as error:
            told.append(str(error))
    assert told
    assert not [message for message in told if "canary" in message]
    assert not [message for message in told if f"'t.{ending}'" not in message and not NAMED.match(message)]
    assert time.monotonic() - begun < 60


NAMED = re.compile("Columns? |The table changed while")


def test_a_stream_of_arrow_is_read_like_a_file(tmp_path: Path) -> None:
    with pyarrow.ipc.new_stream(str(tmp_path / "t.arrow"), TABLE.schema) as stream:
        stream.write_table(TABLE)
    assert read(tmp_path / "t.arrow") == ROWS


@pytest.mark.parametrize(
    ("module", "ending"), [("fastexcel", "xlsx"), ("pyreadstat", "sav"), ("pyreadstat", "sas7bdat")]
)
def test_a_missing_extra_is_named_with_the_line_to_install_it(
    module: str, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    (tmp_path / f"t.{ending}").write_bytes(b"")
    with pytest.raises(EngineError, match=rf"'{module}', which is not installed. Hint: pip install 'incrowd\[files\]'"):
        open_table(tmp_path / f"t.{ending}")


RUN = ["=1+1", "+1", "-1+1", "@x", "\tx", "\rx", "\nx", "＝1", "＋1", "－1", "＠x", "'x", "''", "-", "+5", "-5\n"]  # noqa: RUF001
STAY = ["-5", "-1.5", "-1e-05", "5", "a=b", "[-10, 0)", "*", " =1"]


@pytest.mark.parametrize("ending", SPREAD)
def test_texts_that_a_spreadsheet_would_run_are_escaped(ending: str, tmp_path: Path) -> None:
    texts = sorted([*RUN, *STAY])
    write_table(pa.table({"text": texts}), tmp_path / f"t.{ending}")
    stored = [row["text"] for row in read(tmp_path / f"t.{ending}")]
    assert sorted(stored) == sorted([f"'{text}" for text in RUN] + STAY)
    assert sorted(row["text"] for row in read(tmp_path / f"t.{ending}", escaped=True)) == texts


@pytest.mark.parametrize("ending", SPREAD)
def test_numbers_are_no_texts(ending: str, tmp_path: Path) -> None:
    write_table(pa.table({"n": [-5, 3], "f": [-0.5, 2.0]}), tmp_path / f"t.{ending}")
    assert open_table(tmp_path / f"t.{ending}").domains(["n", "f"])["f"].values.tolist() == [-0.5, 2.0]


@pytest.mark.parametrize("ending", ["parquet", "arrow", "sav", "dta"])
def test_other_files_hold_texts_as_they_are(ending: str, tmp_path: Path) -> None:
    write_table(pa.table({"text": ["=1+1", "'x"]}), tmp_path / f"t.{ending}")
    assert [row["text"] for row in read(tmp_path / f"t.{ending}")] == ["'x", "=1+1"]


@given(st.text(st.sampled_from("=+-@\t\r\n＝'5.ea")))  # noqa: RUF001
def test_escaping_is_undone(text: str) -> None:
    assert unescape_formula(escape_formula(text)) == text
    assert escape_formula(text)[:1] not in {*"=+@\t\r\n＝"} - {""}  # noqa: RUF001


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(st.sampled_from("=+-@\t\r\n＝'5.eaü"), min_size=1), min_size=1))  # noqa: RUF001
def test_arrow_and_duckdb_escape_as_python_does(texts: list[str]) -> None:
    import duckdb  # noqa: PLC0415

    from incrowd.engines.formats._wording import escaped_column, escaped_sql, unescaped_column, unescaped_sql  # noqa: PLC0415

    column = pa.chunked_array([texts])
    expected = [escape_formula(text) for text in texts]
    assert escaped_column(column).to_pylist() == expected
    assert unescaped_column(escaped_column(column)).to_pylist() == texts
    connection = duckdb.connect()
    relation = connection.from_arrow(pa.table({"t": column}))
    assert [row[0] for row in relation.project(escaped_sql("t")).fetchall()] == expected
    assert [row[0] for row in relation.project(unescaped_sql(f"({escaped_sql('t')})")).fetchall()] == texts


@pytest.mark.parametrize("ending", SPREAD)
def test_a_name_that_a_spreadsheet_would_run_is_refused(ending: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Column 2 has a name that a spreadsheet would run"):
        write_table(pa.table({"a": [1], "=canary": [1]}), tmp_path / f"t.{ending}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "arrow", "xlsx", "sav", "dta"])
def test_a_release_of_every_kind_is_verified_by_its_own_script(ending: Any, tmp_path: Path) -> None:
    table = pa.table({"age": [31, 34, 36, 39], "ill": ["=flu", "'hiv", "=flu", "'hiv"], "n": [-1, 2, -3, 4]})
    ills = ic.categories({"grave": ["'hiv"], "light": ["=flu"]})
    schema = ic.Schema(quasi={"age": ic.intervals(10)}, sensitive={"ill": ills}, insensitive=["n"])
    release = ic.anonymize(table, schema, model="k>=4, enhanced(p=2, alpha=1)[ill]")
    release.save(tmp_path / "out", format=ending)
    assert ic.verify(tmp_path / "out/public/release.json").holds
    script = [sys.executable, str(tmp_path / "out/public/verify.py")]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        0,
        "HOLDS: every promise was measured again, and nothing differs.",
    )


def test_a_compressed_file_and_a_workbook_hold_no_time(tmp_path: Path) -> None:
    write_table(TABLE, tmp_path / "t.csv.gz")
    write_table(TABLE, tmp_path / "t.xlsx")
    assert gzip.decompress((tmp_path / "t.csv.gz").read_bytes()).startswith(b"id,age,cost")
    assert (tmp_path / "t.csv.gz").read_bytes()[4:8] == b"\0\0\0\0"
    with zipfile.ZipFile(tmp_path / "t.xlsx") as book:
        assert b"1980-01-01T00:00:00Z" in book.read("docProps/core.xml")


def test_a_long_text_file_is_sorted_from_end_to_end(tmp_path: Path) -> None:
    rows = pa.table({"a": [str(number) for number in range(300_000)]})
    pieces = pa.concat_tables([rows.slice(start, 50_000) for start in range(0, 300_000, 50_000)])
    write_table(pieces, tmp_path / "long.csv")
    assert (tmp_path / "long.csv").read_text(encoding="utf-8").split()[1:] == sorted(rows["a"].to_pylist())
