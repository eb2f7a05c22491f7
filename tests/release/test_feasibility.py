from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import incrowd as ic

SCHEMA = ic.Schema(quasi=["zip", "age"], sensitive=["disease"])
TABLE = [
    {"zip": zipcode, "age": age, "disease": disease}
    for zipcode, age, disease in (
        ("02138", 31, "flu"),
        ("02138", 38, "flu"),
        ("02139", 45, "hiv"),
        ("02139", 52, "flu"),
        ("02141", 58, "gout"),
    )
]


def test_a_promise_that_can_be_kept_says_by_how_many_classes() -> None:
    answer = ic.feasibility(TABLE, SCHEMA, "k>=2, p>=2")
    assert (answer.feasible, answer.max_classes, answer.vacuous) == (True, 2, False)


def test_every_obstacle_is_listed() -> None:
    answer = ic.feasibility(TABLE, SCHEMA, ic.KAnonymity(6) & ic.LDiversity(4))
    assert [obstacle.nearest for obstacle in answer.obstacles] == ["k>=5", "l>=3[disease]"]
    assert [obstacle.columns for obstacle in answer.obstacles] == [(), ("disease",)]


@pytest.mark.parametrize(
    "table", [pd.DataFrame(TABLE), pa.Table.from_pylist(TABLE), TABLE], ids=["pandas", "arrow", "dicts"]
)
def test_any_table_will_do(table: object) -> None:
    assert ic.feasibility(table, SCHEMA, "p>=2").max_classes == 2


def test_a_file_is_read_as_it_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("zip;age;disease\n1;2;flu\n1;3;hiv\n")
    assert ic.feasibility(path, SCHEMA, "l>=2", separator=";").max_classes == 1


def test_records_that_may_be_left_out_are_a_share_or_a_number() -> None:
    assert not ic.feasibility(TABLE, SCHEMA, "probabilistic-l>=2").feasible
    assert not ic.feasibility(TABLE, SCHEMA, "probabilistic-l>=2", max_suppressed=0.19).feasible
    assert ic.feasibility(TABLE, SCHEMA, "probabilistic-l>=2", max_suppressed=0.2).feasible
    assert ic.feasibility(TABLE, SCHEMA, "probabilistic-l>=2", max_suppressed_records=1).feasible
    assert ic.feasibility(TABLE, SCHEMA, "k>=9", max_suppressed=1).vacuous
    with pytest.raises(ic.ParameterError, match="both given"):
        ic.feasibility(TABLE, SCHEMA, "k>=2", max_suppressed=0.2, max_suppressed_records=1)


def test_rows_that_stand_for_several_records_are_counted_so() -> None:
    rows = [{"q": 1, "s": "a", "n": 5}, {"q": 2, "s": "b", "n": 2}]
    schema = ic.Schema(quasi=["q"], sensitive=["s"], count="n")
    assert ic.feasibility(rows, schema, "k>=2, l>=2").max_classes == 2
    assert not ic.feasibility(rows, schema, "k>=8").feasible


def test_people_are_counted_where_the_table_says_who_is_who() -> None:
    rows = [{"q": 1, "s": "a", "who": "x"}, {"q": 2, "s": "b", "who": "x"}, {"q": 1, "s": "a", "who": "y"}]
    schema = ic.Schema(quasi=["q"], sensitive=["s"], entity="who")
    (obstacle,) = ic.feasibility(rows, schema, "k>=3").obstacles
    assert obstacle.reason == "The table has 2 persons, and every class needs 3."
    assert obstacle.nearest == "k>=2"


def test_no_value_stands_in_an_answer() -> None:
    answer = ic.feasibility(TABLE, SCHEMA, "l>=4, entropy-l>=3, alpha<=0.1, recursive(c=0.1, l=9), t<=0.1")
    assert len(answer.obstacles) == 4
    assert [value for value in ("flu", "hiv", "gout", "021") if value in repr(answer)] == []


def test_checking_a_promise_that_promises_nothing_warns() -> None:
    with pytest.warns(ic.PrivacyWarning, match="k>=1 promises nothing: every table keeps it"):
        assert ic.check(TABLE, SCHEMA, "k>=1, l>=2").classes == 5
