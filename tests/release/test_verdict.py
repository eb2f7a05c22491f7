from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import incrowd as ic
from incrowd.engines import write_table
from incrowd.release._verdict import expect

# Table 3.8 of the enhanced (p, alpha)-sensitive paper: three classes of four, two of them in one category each.
TABLE = [
    *[{"zip": "240**", "age": "<30", "disease": disease} for disease in ("HIV", "Cancer", "HIV", "Cancer")],
    *[{"zip": "253**", "age": ">=40", "disease": disease} for disease in ("Flu", "Indigestion", "Flu", "Indigestion")],
    *[{"zip": "2407*", "age": "3*", "disease": disease} for disease in ("Phthisis", "Asthma", "Obesity", "Hepatitis")],
]
CATEGORIES = ic.categories(
    {
        "most secret": ["Cancer", "HIV"],
        "secret": ["Hepatitis", "Phthisis"],
        "less secret": ["Asthma", "Obesity"],
        "not secret": ["Indigestion", "Flu"],
    }
)
SCHEMA = ic.Schema(quasi=["zip", "age"], sensitive={"disease": CATEGORIES})


def test_a_promise_that_holds() -> None:
    verdict = ic.check(TABLE, SCHEMA, "k>=4, p>=2")
    assert verdict.holds
    assert [finding.measured for finding in verdict.findings] == [(4,), (2,)]
    assert (verdict.classes, verdict.records, verdict.persons) == (3, 12, None)


def test_a_promise_that_does_not_hold_says_how_far_it_is() -> None:
    verdict = ic.check(TABLE, SCHEMA, ic.EnhancedPAlphaSensitive(2, 1))
    (finding,) = verdict.findings
    assert not verdict.holds
    assert (finding.failing_classes, finding.failing_records) == (2, 8)
    assert finding.measured == (1, 0)
    assert finding.required == (("p", ">=", Fraction(2)), ("alpha", ">=", Fraction(1)))
    assert verdict.failing["zip"].tolist() == ["240**", "253**"]
    assert verdict.failing["records"].tolist() == [4, 4]


def test_persons_and_counts_are_told_apart() -> None:
    rows = [{"q": 1, "s": "a", "who": "x"}, {"q": 1, "s": "a", "who": "x"}, {"q": 2, "s": "a", "who": "y"}]
    verdict = ic.check(rows, ic.Schema(quasi=["q"], sensitive=["s"], entity="who"), "k>=2")
    assert (verdict.records, verdict.persons) == (3, 2)
    assert (verdict.findings[0].failing_records, verdict.findings[0].failing_persons) == (3, 2)
    counted = ic.Schema(quasi=["q"], count="n")
    assert ic.check([{"q": 1, "n": 5}], counted, "k>=5").holds


def test_a_file_of_labels_is_checked_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_text("age,disease\n[30; 40),flu\n[30; 40),hiv\n*,flu\n*,flu\n")
    verdict = ic.check(path, ic.Schema(quasi=["age"], sensitive=["disease"]), "k>=2, l>=2")
    assert [finding.holds for finding in verdict.findings] == [True, False]


def test_a_verdict_must_be_asked() -> None:
    with pytest.raises(TypeError, match=r"ask verdict\.holds"):
        bool(ic.check(TABLE, SCHEMA, "k>=4"))


def test_no_label_stands_in_a_verdict() -> None:
    verdict = ic.check(TABLE, SCHEMA, "k>=5")
    assert "240" not in repr(verdict)


def test_an_empty_table_breaks_no_promise() -> None:
    empty = pa.table({"q": pa.array([], pa.string()), "s": pa.array([], pa.string())})
    verdict = ic.check(empty, ic.Schema(quasi=["q"], sensitive=["s"]), "k>=5, l>=2")
    assert verdict.holds
    assert verdict.findings[0].measured == ()


VISITS = [
    {"age": 21, "zip": "a", "disease": "flu"},
    {"age": 24, "zip": "a", "disease": "hiv"},
    {"age": 41, "zip": "b", "disease": "flu"},
    {"age": 48, "zip": "b", "disease": "flu"},
]


def test_supersets_of_the_lattice_need_the_hierarchies() -> None:
    schema = ic.Schema(quasi={"age": ic.intervals(10), "zip": None}, sensitive=["disease"])
    (finding,) = ic.check(VISITS, schema, "nt(n=2, t=0.5)").findings
    assert (finding.holds, finding.measured, finding.supersets) == (True, (Fraction(1, 2),), "lattice")
    plain = ic.Schema(quasi=["age"], sensitive=["disease"])
    (finding,) = ic.check(VISITS, plain, "nt(n=2, t=0.5)").findings
    assert (finding.holds, finding.measured) == (False, (Fraction(3, 4),))


def test_hierarchies_that_do_not_cover_published_labels_say_what_to_use() -> None:
    schema = ic.Schema(quasi={"age": ic.intervals(10)}, sensitive=["disease"])
    released = [{"age": "2*", "disease": "flu"}, {"age": "4*", "disease": "hiv"}]
    assert ic.check(released, schema, "t<=0.5").holds
    with pytest.raises(ic.HierarchyError, match="Hint: for a released table use supersets='drop' or 'path'"):
        ic.check(released, schema, "nt(n=2, t=0.5)")


def test_a_partition_is_checked_along_its_paths() -> None:
    schema = ic.Schema(quasi=["age"], sensitive=["disease"])
    ages = ("21", "24", "41", "48")
    partition = ic.Partition({(age,): ("all", "young" if age < "30" else "old", age) for age in ages})
    (finding,) = ic.check(VISITS, schema, "nt(n=2, t=0.5)[path]", partition=partition).findings
    assert (finding.holds, finding.measured, finding.supersets) == (True, (Fraction(1, 2),), "path")
    with pytest.raises(ic.ParameterError, match="Nobody said how these classes were cut out"):
        ic.check(VISITS, schema, "nt(n=2, t=0.5)[path]")


def test_a_verdict_compares_with_the_table_itself() -> None:
    schema = ic.Schema(quasi=["age"], sensitive=["disease"])
    findings = ic.check(VISITS, schema, "k>=2, t<=0.5, nt(n=2, t=0)[table]").findings
    assert [finding.reference for finding in findings] == [None, "table", "table"]


def test_what_is_no_promise_is_refused() -> None:
    for wrong in (5, ["k>=4"]):
        with pytest.raises(ic.ParameterError, match="A promise is a model or its text"):
            ic.check(TABLE, SCHEMA, wrong)  # type: ignore[arg-type]


def test_a_quasi_identifier_called_records_keeps_its_labels() -> None:
    table = [{"records": "few", "records_": 1}, {"records": "many", "records_": 1}, {"records": "many", "records_": 1}]
    failing = ic.check(table, ic.Schema(quasi=["records"]), "k>=2").failing
    assert {name: column.tolist() for name, column in failing.items()} == {"records": ["few"], "records_": [1]}
    failing = ic.check(table, ic.Schema(quasi=["records", "records_"]), "k>=2").failing
    assert failing["records__"].tolist() == [1]


def test_values_that_look_alike_are_a_warning_where_they_count() -> None:
    table = [{"q": "a b", "s": "flu", "other": "x"}, {"q": "a  b", "s": "flu ", "other": "x "}]
    schema = ic.Schema(quasi=["q"], sensitive=["s", "other"])
    with pytest.warns(ic.PrivacyWarning, match="promises nothing|look alike in print") as caught:
        verdict = ic.check(table, schema, "l>=1[s], k>=2")
    assert verdict.notes == (
        "l>=1[s] promises nothing: every table without missing values keeps it.",
        "Column 'q' has 2 values that look alike in print; they count as different.",
        "Column 's' has 2 values that look alike in print; they count as different.",
    )
    assert [str(warning.message) for warning in caught] == list(verdict.notes)


def test_a_value_that_the_table_lacks_is_a_warning_and_a_note() -> None:
    with pytest.warns(ic.PrivacyWarning, match="lists 1 of 1 values"):
        verdict = ic.check(TABLE, SCHEMA, "alpha<=0.1[: hiv]")
    assert verdict.holds
    assert verdict.notes == ("AlphaAssociation lists 1 of 1 values that column 'disease' does not have.",)


def test_a_table_without_classes_is_vacuous() -> None:
    empty = pa.table({"q": pa.array([], pa.string())})
    assert ic.check(empty, ic.Schema(quasi=["q"]), "k>=5").vacuous
    assert not ic.check(TABLE, SCHEMA, "k>=5").vacuous


TWICE = {"age": ["31", "31", "32", "32"], "cost": ["1.5", "1.50", "1.5", "1.50"]}


def _as(kind: str, folder: Path) -> Any:
    if kind == "csv":
        lines = zip(*TWICE.values(), strict=True)
        (folder / "t.csv").write_text("\n".join([",".join(TWICE), *map(",".join, lines)]))
        return folder / "t.csv"
    if kind == "parquet":
        write_table(pa.table(TWICE), folder / "t.parquet")
        return folder / "t.parquet"
    kinds: dict[str, Any] = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "lazy": pl.LazyFrame, "arrow": pa.table}
    made = [dict(zip(TWICE, row, strict=True)) for row in zip(*TWICE.values(), strict=True)]
    return made if kind == "rows" else kinds[kind](TWICE)


@pytest.mark.parametrize("kind", ["csv", "parquet", "pandas", "polars", "lazy", "arrow", "rows"])
@pytest.mark.parametrize("schema", [ic.Schema(["age"], ["cost"]), ic.Schema(["age"], entity="cost")])
def test_two_ways_to_write_one_number_are_neither_two_values_nor_two_persons(
    kind: str, schema: ic.Schema, tmp_path: Path
) -> None:
    model = "l>=2" if schema.sensitive else "k>=2"
    with pytest.raises(
        ic.DataError, match=r"In column 'cost' 1 text writes a number or a date that another one writes"
    ):
        ic.check(_as(kind, tmp_path), schema, model)


def test_a_release_that_was_not_predicted_may_be_of_a_table_that_changes() -> None:
    with pytest.raises(
        ic.ReleaseMismatch, match=r"other rows each time that it is read, as a sample does.*please report"
    ):
        expect(fine=False, problem="has other classes than the search predicted")
