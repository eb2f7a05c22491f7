"""Several tables joined person by person, as plain Python would; keys that lack, are twice or lead nowhere, named."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.engines import join_tables, open_table

Rows = list[dict[str, Any]]
KEYS = {"patients": "person_id", "visits": "visit_id"}
OF = {"visits": {"person_id": "patients"}, "diagnoses": {"visit_id": "visits"}}
PATIENTS: Rows = [{"person_id": n, "sex": sex} for n, sex in [(1, "f"), (2, "m"), (3, "f")]]
VISITS: Rows = [
    {"visit_id": v, "person_id": p, "day": dt.date(2024, 1, d)} for v, p, d in [(10, 1, 5), (11, 1, 6), (12, 3, 7)]
]
DIAGNOSES: Rows = [{"visit_id": v, "disease": name} for v, name in [(10, "flu"), (10, "cold"), (12, None)]]
JOINED = [
    (1, "f", "2024-01-05", "cold"),
    (1, "f", "2024-01-05", "flu"),
    (1, "f", "2024-01-06", None),
    (2, "m", None, None),
    (3, "f", "2024-01-07", None),
]


def linked(tables: dict[str, Any], **more: Any) -> ic.Tables:
    return ic.Tables(tables, keys=more.pop("keys", KEYS), of=more.pop("of", OF), **more)


def plain() -> dict[str, Rows]:
    return {name: [dict(row) for row in rows] for name, rows in TABLES.items()}


TABLES: dict[str, Rows] = {"patients": PATIENTS, "visits": VISITS, "diagnoses": DIAGNOSES}


def rows_of(tables: ic.Tables, names: list[str]) -> Counter[tuple[str | None, ...]]:
    """Give the joined rows as texts."""
    engine = open_table(tables)
    found = engine.materialise()
    assert set(names) <= set(found.column_names)
    columns = [[None if cell is None else str(cell) for cell in found[name].to_pylist()] for name in names]
    return Counter(zip(*columns, strict=True))


def as_files(folder: Path, kinds: dict[str, str]) -> dict[str, Any]:
    for name, kind in kinds.items():
        frame = pd.DataFrame(TABLES[name])
        if kind == "csv":
            frame.to_csv(folder / f"{name}.csv", index=False)
        else:
            frame.to_parquet(folder / f"{name}.parquet")
    return {name: folder / f"{name}.{kind}" for name, kind in kinds.items()}


KINDS: dict[str, Any] = {
    "list": list,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "arrow": pa.Table.from_pylist,
    "duckdb": lambda rows: duckdb.from_arrow(pa.Table.from_pylist(rows)),
}


@pytest.mark.parametrize("kind", list(KINDS))
def test_frames_of_all_kinds_are_joined_alike(kind: str) -> None:
    tables = linked({name: KINDS[kind](rows) for name, rows in TABLES.items()})
    expected = Counter(tuple(None if cell is None else str(cell) for cell in row) for row in JOINED)
    assert rows_of(tables, ["person_id", "sex", "day", "disease"]) == expected


@pytest.mark.parametrize("kinds", ["csv csv csv", "parquet parquet parquet", "csv parquet csv"])
def test_files_and_mixed_files_are_joined_alike(tmp_path: Path, kinds: str) -> None:
    files = as_files(tmp_path, dict(zip(TABLES, kinds.split(), strict=True)))
    expected = Counter(tuple(None if cell is None else str(cell) for cell in row) for row in JOINED)
    assert rows_of(linked(files), ["person_id", "sex", "day", "disease"]) == expected


def test_only_tables_with_columns_that_are_asked_about_are_joined() -> None:
    assert rows_of(linked(plain()).about(["sex"]), ["person_id", "sex"]) == Counter(
        {("1", "f"): 1, ("2", "m"): 1, ("3", "f"): 1}
    )
    there = rows_of(linked(plain()).about(["has visits", "has diagnoses"]), ["has visits", "has diagnoses"])
    assert there == Counter({("yes", "yes"): 3, ("yes", "no"): 1, ("no", "no"): 1})


def test_numbers_with_a_missing_one_beside_are_the_same_keys() -> None:
    tables = plain()
    visits = pd.DataFrame(tables["visits"]).astype({"person_id": "float64"})
    assert sum(rows_of(linked({**tables, "visits": visits}), ["sex"]).values()) == 5


def test_keys_written_with_decimals_in_a_file_are_the_same_keys(tmp_path: Path) -> None:
    files = as_files(tmp_path, dict.fromkeys(TABLES, "csv"))
    text = files["visits"].read_text().replace(",1,", ",1.0,").replace(",3,", ",3.0,")
    files["visits"].write_text(text)
    assert sum(rows_of(linked(files), ["sex"]).values()) == 5


def test_codes_with_leading_zeros_are_keys_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("person_id,sex\n007,f\n7,m\n")
    (tmp_path / "v.csv").write_text("person_id,ward\n007,eye\n")
    tables = {"patients": tmp_path / "p.csv", "visits": tmp_path / "v.csv"}
    found = rows_of(
        linked(tables, keys={"patients": "person_id"}, of={"visits": {"person_id": "patients"}}), ["sex", "ward"]
    )
    assert found == Counter({("f", "eye"): 1, ("m", None): 1})


def broken(name: str, **cells: Any) -> dict[str, Rows]:
    tables = plain()
    for column, values in cells.items():
        for row, value in zip(tables[name], values, strict=False):
            row[column] = value
    return tables


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (broken("patients", person_id=[1, 1]), "'patients': its key 'person_id' is not alone in 2 rows"),
        (broken("visits", visit_id=[None]), "'visits': its key 'visit_id' is missing in 1 row"),
        (broken("visits", person_id=[77, 78]), "'visits': 'person_id' names no row of 'patients' in 2 rows"),
        (broken("diagnoses", visit_id=[None]), "'diagnoses': 'visit_id' is missing in 1 row: nobody knows whose"),
        (broken("diagnoses", visit_id=[99]), "'diagnoses': 'visit_id' names no row of 'visits' in 1 row"),
    ],
)
def test_what_does_not_hang_together_is_named_with_its_rows_and_no_value(tables: dict[str, Rows], message: str) -> None:
    with pytest.raises(ic.DataError, match=message) as caught:
        open_table(linked(tables))
    assert not any(value in str(caught.value) for value in ("77", "78", "99"))


def test_all_that_is_wrong_is_said_at_once() -> None:
    tables = broken("patients", person_id=[1, 1]) | {"diagnoses": [{"visit_id": 99, "disease": "flu"}]}
    with pytest.raises(ic.DataError, match=r"'patients': its key.*'diagnoses': 'visit_id' names no row"):
        open_table(linked(tables))


def test_a_row_that_leads_to_two_people_is_named() -> None:
    tables = plain()
    for row, person in zip(tables["diagnoses"], [1, 3, 3], strict=True):
        row["person_id"] = person
    of = {**OF, "diagnoses": {"visit_id": "visits", "person_id": "patients"}}
    with pytest.raises(ic.DataError, match="'visit_id' and 'person_id' lead to different people in 1 row"):
        open_table(linked(tables, of=of))
    tables["diagnoses"][1]["person_id"] = None  # a second link may lack
    assert sum(rows_of(linked(tables, of=of), ["sex"]).values()) == 5


def test_a_key_that_is_no_column_is_named_with_its_table() -> None:
    with pytest.raises(ic.UnknownColumnError, match=r"'pid' \(given as key in table 'visits'\)"):
        open_table(linked(plain(), of={**OF, "visits": {"pid": "patients"}}))


def test_keys_of_another_type_are_refused() -> None:
    tables = plain()
    for row in tables["visits"]:
        row["visit_id"] = dt.date(2024, 1, row["visit_id"])
    with pytest.raises(ic.DataError, match="Column 'visit_id' of table 'visits' cannot be a key"):
        open_table(linked(tables))


def test_several_tables_inside_of_several_are_refused() -> None:
    with pytest.raises(ic.DataError, match="Table 'visits' is several tables itself"):
        open_table(linked({**plain(), "visits": linked(plain())}))


def test_rows_that_multiply_are_refused() -> None:
    many = {"patients": [{"person_id": 1}], "a": [{"person_id": 1, "x": n} for n in range(2_000)]}
    many["b"] = [{"person_id": 1, "y": n} for n in range(2_000)]
    of = {"a": {"person_id": "patients"}, "b": {"person_id": "patients"}}
    with pytest.raises(
        ic.DataError, match="have 4,001 rows, and joined person by person 4,000,000: their rows multiply"
    ):
        open_table(linked(many, keys={"patients": "person_id"}, of=of))


def test_a_table_taken_apart_has_pseudonyms_and_nobody_who_is_left_out() -> None:
    key = b"k" * 70
    joined = join_tables(linked(plain()))
    engine = joined.taken_apart("visits", {"visit_id": b"v" * 32, "person_id": key}, ["1"])
    found = engine.materialise()
    person = hmac.digest(key, b"3", hashlib.sha256).hex()[:32]
    visit = hmac.digest(b"v" * 32, b"12", hashlib.sha256).hex()[:32]
    expected = {"visit_id": visit, "person_id": person, "day": dt.date(2024, 1, 7), "person": "3", "constant": "x"}
    assert found == [expected]


def test_columns_called_as_ours_keep_their_names() -> None:
    tables = plain()
    for row in tables["visits"]:
        row["Person"] = "x"
    joined = join_tables(linked(tables))
    assert joined.hidden_names("visits") == ["person_", "constant"]
    assert "Person" in joined.taken_apart("visits", {}, []).columns()


def test_a_file_that_changed_is_refused(tmp_path: Path) -> None:
    files = as_files(tmp_path, dict.fromkeys(TABLES, "csv"))
    joined = join_tables(linked(files))
    files["visits"].write_text(files["visits"].read_text() + "13,3,2024-01-08\n")
    with pytest.raises(ic.DataError, match=r"visits\.csv.* changed while it was being read"):
        joined.check_unchanged()
