"""A star is written as nothing where somebody wants that, and everything that reads the release knows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import incrowd as ic
from engines.extras import needed
from engines.subjects import TYPED, make_subject
from incrowd.core import DataError, ParameterError
from incrowd.engines import open_table, write_table
from incrowd.engines.formats import _database
from incrowd.release._release_file import open_released
from release.test_tampering import answers, expect_no_forgery_to_pass

Capsys = pytest.CaptureFixture[str]
TABLE = pa.table(
    {
        "age": [31, 31, 31, 33, 33, 33, 40, 41, 31, 31],
        "sex": ["f", "f", "m", "m", "m", "f", "f", "f", "m", "f"],
        "town": ["A", "A", "A", "B", "B", "B", "A", "C", "A", "A"],
        "ill": ["x", "y", "z", "x", "y", "z", "x", "y", "z", "x"],
    }
)
SCHEMA = ic.Schema(quasi={"age": ic.flat(), "sex": ic.flat(), "town": ic.flat()}, sensitive=["ill"])
HOW: dict[str, Any] = {"model": "k>=2, l>=2[ill]", "algorithm": ic.LevelsAndCells()}
LINES = """age,sex,town,ill
,f,,x
,f,,y
,f,,z
31,,A,x
31,,A,z
31,,A,z
31,f,A,x
31,f,A,y
33,m,B,x
33,m,B,y
""".splitlines()
EXTRAS = {"xlsx": ("fastexcel", "xlsxwriter"), "sav": ("pyreadstat",), "dta": ("pyreadstat",)}
FORMATS: list[Any] = ["csv", "csv.gz", "parquet", "arrow", "xlsx", "sav", "dta"]


def release(**how: Any) -> ic.Release:
    return ic.anonymize(TABLE, SCHEMA, **HOW, **how)


def said(out: Path) -> Any:
    return json.loads((out / "public/release.json").read_text())["data"]


def rows_in(data: Path) -> list[tuple[Any, ...]]:
    """Read a file as any other, which knows of no certificate."""
    found = open_table(data, missing_values=("",)).materialise()
    return [tuple(row.values()) for row in getattr(found, "to_arrow_table", lambda: found)().to_pylist()]


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_has_nothing_for_a_star_and_both_who_check_it_know(
    format_: Any, tmp_path: Path, capsys: Capsys
) -> None:
    needed(*EXTRAS.get(format_, ()))
    out = tmp_path / "out"
    release().save(out, format=format_, stars="null")
    rows = rows_in(out / f"public/data.{format_}")
    ages = [row[0] for row in rows]
    assert ages == ([*["31"] * 5, "33", "33"] if "csv" in format_ else [*[31] * 5, 33, 33]) + [None] * 3
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
    assert sorted(lines) == sorted(LINES[1:])
    assert said(out)["stars"] == ["age", "sex", "town"]
    assert answers(out, capsys) == ("holds", "holds")
    assert ic.verify(out, original=TABLE).outcome == "holds"


@pytest.mark.parametrize("kind", [*TYPED, "csv"])
def test_every_kind_of_table_gives_the_same_file(kind: str, tmp_path: Path, capsys: Capsys) -> None:
    table, out = make_subject(kind, tmp_path).load(TABLE), tmp_path / "out"
    ic.anonymize(table, SCHEMA, output=out, format="csv", stars="null", **HOW)
    assert (out / "public/data.csv").read_text().splitlines() == LINES
    assert said(out)["stars"] == ["age", "sex", "town"]
    assert answers(out, capsys) == ("holds", "holds")
    ic.anonymize(table, SCHEMA, output=tmp_path / "typed", stars="null", **HOW)
    types = pyarrow.parquet.read_schema(tmp_path / "typed/public/data.parquet").types
    assert types[:3] == [pa.int64(), pa.string(), pa.string()]


def test_a_release_is_attacked_measured_and_published_again_as_with_its_stars(tmp_path: Path) -> None:
    ic.anonymize(TABLE, SCHEMA, output=tmp_path / "null", stars="null", **HOW)
    again = ic.anonymize(TABLE, SCHEMA, output=tmp_path / "star", **HOW)
    for ask in (ic.attack, ic.risk):
        assert str(ask(tmp_path / "null", original=TABLE)) == str(ask(tmp_path / "star", original=TABLE))
    assert str(ic.utility(again, TABLE)) == str(ic.utility(release(), TABLE))
    again.save(tmp_path / "third", stars="null")
    assert rows_in(tmp_path / "third/public/data.parquet") == rows_in(tmp_path / "null/public/data.parquet")


def test_a_column_with_missing_values_of_its_own_and_stars_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    ages = TABLE["age"].to_pylist()
    table = TABLE.set_column(0, "age", pa.array([None if age == 33 else age for age in ages], pa.int64()))
    known = ic.anonymize(table, SCHEMA, **HOW)
    assert {None, "*", "31"} == {*known.table["age"].to_pylist()}
    with pytest.raises(DataError, match="Column 'age' has missing values that are published, and stars") as caught:
        known.save(tmp_path / "out", stars="null")
    assert "stars='star'" in caught.value.hint
    with pytest.raises(DataError, match="both cannot be written as nothing"):
        ic.anonymize(table, SCHEMA, output=tmp_path / "out", stars="null", **HOW)
    assert not (tmp_path / "out").exists()
    whole = ic.Schema(dict(SCHEMA.quasi), ["ill"], missing="drop")
    ic.anonymize(table, whole, output=tmp_path / "out", stars="null", **HOW)
    assert ic.verify(tmp_path / "out", original=table).outcome == "holds"


def test_a_missing_value_in_a_column_without_stars_stays_one(tmp_path: Path, capsys: Capsys) -> None:
    table = [{"age": None, "sex": sex} for sex in "fm"] + [{"age": 31, "sex": "f"}] * 2
    schema = ic.Schema({"age": ic.flat(), "sex": ic.flat()})
    ic.anonymize(table, schema, model="k>=2", algorithm=ic.LevelsAndCells(), output=tmp_path / "out", stars="null")
    assert rows_in(tmp_path / "out/public/data.parquet") == [(31, "f"), (31, "f"), (None, None), (None, None)]
    assert said(tmp_path / "out")["stars"] == ["sex"]
    labels = open_released(tmp_path / "out/public/data.parquet").domains(["age", "sex"])
    assert [labels[name].texts.tolist() for name in ("age", "sex")] == [["31", None], ["*", "f"]]
    assert answers(tmp_path / "out", capsys) == ("holds", "holds")


def test_masked_records_are_nothing_too(tmp_path: Path, capsys: Capsys) -> None:
    table = [{"age": 31}, {"age": 31}, {"age": 32}, {"age": 33}]
    schema = ic.Schema({"age": ic.flat()}, insensitive=[])
    how: dict[str, Any] = {"at_most": {"age": 0}, "suppression": "mask", "max_suppressed": 0.5}
    ic.anonymize(table, schema, model="k>=2", output=tmp_path / "out", format="csv", stars="null", **how)
    assert open_table(tmp_path / "out/public/data.csv", missing_values=()).domains(["age"])["age"].has_null
    assert answers(tmp_path / "out", capsys) == ("holds", "holds")


def test_a_release_without_a_star_has_the_certificate_that_it_always_had(tmp_path: Path) -> None:
    table = [{"age": 31}, {"age": 31}]
    ic.anonymize(table, ic.Schema({"age": ic.flat()}), model="k>=2").save(tmp_path / "out", stars="null")
    assert "stars" not in said(tmp_path / "out")


def test_no_forged_certificate_of_it_passes(tmp_path: Path, capsys: Capsys) -> None:
    release().save(tmp_path / "out", format="csv", stars="null")
    expect_no_forgery_to_pass(tmp_path / "out", ("data",), capsys)


def test_a_star_that_is_called_a_missing_value_is_caught_by_the_number_of_stars(tmp_path: Path) -> None:
    release().save(tmp_path / "out", stars="null")
    certificate = tmp_path / "out/public/release.json"
    told = json.loads(certificate.read_text())
    del told["data"]["stars"]
    certificate.write_text(json.dumps(told))
    assert ic.verify(tmp_path / "out").outcome == "does not hold"
    assert ic.verify(tmp_path / "out", original=TABLE).outcome == "does not hold"


def test_empty_texts_beside_nothing_for_a_star_are_refused_where_others_take_them_for_that(tmp_path: Path) -> None:
    table = [{"town": "", "sex": sex} for sex in "ffm"] + [{"town": "A", "sex": "m"}, {"town": "B", "sex": "m"}]
    schema = ic.Schema({"town": ic.flat(), "sex": ic.flat()}, missing_values=())
    found = ic.anonymize(table, schema, model="k>=2", algorithm=ic.LevelsAndCells(), importance={"town": 0.1})
    assert {row["town"] for row in found.table} == {"", "*"}
    found.save(tmp_path / "parquet", stars="null")
    with pytest.raises(ic.DataError, match="cannot tell the empty texts of column 'town' from nothing"):
        found.save(tmp_path / "csv", format="csv", stars="null")


def test_what_says_nothing_about_stars_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="stars must be 'star' or 'null', got 'none'"):
        release().save(tmp_path / "out", stars="none")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="stars says how files are written, and output is not given"):
        release(stars="null")


def test_the_public_report_says_what_nothing_means(tmp_path: Path) -> None:
    release().save(tmp_path / "out", format="csv", stars="null", about={})
    page = (tmp_path / "out/public/report.html").read_text(encoding="utf-8")
    assert "a cell of the columns &#39;age&#39;, &#39;sex&#39;, &#39;town&#39; that is empty has a value" in page


def test_a_database_has_null(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("adbc_driver_manager", "adbc_driver_sqlite")
    monkeypatch.setenv("INCROWD_TEST_URI", f"sqlite:{tmp_path}/t.db")
    release().save(tmp_path / "out", stars="null")
    write_table(tmp_path / "out/public/data.parquet", ic.Database("INCROWD_TEST_URI", table="public_data"))
    with _database._connection("INCROWD_TEST_URI", reading=True) as (connection, _), connection.cursor() as cursor:
        cursor.execute("SELECT count(*), count(age), min(age) FROM public_data")
        assert cursor.fetchone() == (10, 7, 31)


def test_who_could_be_meant_is_counted_with_stars_though_nothing_is_written(tmp_path: Path, capsys: Capsys) -> None:
    for stars in ("star", "null"):
        how: dict[str, Any] = {"model": "k>=2[candidates]", "algorithm": ic.LevelsAndCells(), "format": "csv"}
        ic.anonymize(TABLE, SCHEMA, output=tmp_path / stars, stars=stars, **how)
        assert answers(tmp_path / stars, capsys) == ("holds", "holds")
    star, null = (json.loads((tmp_path / name / "public/release.json").read_text()) for name in ("star", "null"))
    assert star["promises"] == null["promises"]
    assert null["data"]["stars"]
