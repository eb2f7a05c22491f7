"""What is left of every published column: literal tables in, values, stars and detail out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.release import PublishedColumn

AGES = [31, 34, 38, 39, 52, 55, 71, None]
PEOPLE = [{"age": age, "sex": sex, "zip": code} for age, sex, code in zip(AGES, "ffmmffmm", "11112223", strict=True)]
EIGHT = [31, 33, 34, 36, 52, 53, 71, 82]
ROLES = ic.Schema(quasi={"age": ic.intervals(10, 50), "sex": ic.flat(), "zip": ic.flat()}, missing="value")


def left(one: PublishedColumn) -> tuple[Any, ...]:
    """Give what a reader asks first: values of how many, stars of how many cells, cells that tell, and the verdict."""
    return one.values, one.values_before, one.starred, one.cells, one.telling, one.status


def published(table: Any = None, **how: Any) -> ic.Release:
    asked: dict[str, Any] = {"model": "k>=2", "algorithm": ic.Optimal(), "at_most": {"age": 1}}
    return ic.anonymize(PEOPLE if table is None else table, ROLES, **asked | how)


def test_a_column_at_one_level_has_the_values_of_the_published_records_alone() -> None:
    release = published(max_suppressed_records=2, at_least={"sex": 1})
    assert {name: left(one) for name, one in release.columns.items()} == {
        "age": (2, 8, 0, 6, 6, "fine"),  # the groups of 71 and of what is missing are left out
        "sex": (0, 2, 6, 6, 0, "nothing"),
        "zip": (2, 3, 0, 6, 6, "fine"),
    }
    assert [one.level for one in release.columns.values()] == [1, 1, 0]
    assert release.columns["zip"].published == "as it is, 2 of 3 values are left"
    assert release.columns["zip"].kept == 0.75  # two of eight records are left out


def test_the_detail_kept_is_the_average_of_the_columns() -> None:
    release = published(max_suppressed_records=2, at_least={"sex": 1})
    each = [one.kept for one in release.columns.values()]
    assert each[1:] == [0.0, 0.75]
    assert release.detail_kept == pytest.approx(sum(each) / 3, abs=1e-12)


def test_masked_records_are_stars_in_every_column() -> None:
    release = published(max_suppressed_records=2, suppression="mask")
    assert left(release.columns["zip"]) == (2, 3, 2, 8, 6, "fine")
    assert release.columns["zip"].published == "as it is, 2 of 3 values are left, 25.0% of its cells starred"
    assert release.columns["zip"].kept == 0.75


def test_a_missing_value_is_one_of_the_values_and_says_what_it_said_before() -> None:
    table = [{"age": age, "sex": "f", "zip": "1"} for age in (31, 34, None, None)]
    release = published(table, at_most={})
    assert left(release.columns["age"]) == (2, 3, 0, 4, 2, "nothing")  # one group for all who have an age
    assert release.columns["age"].share_telling == 0.5
    assert left(published(table[1:], at_most={}, max_suppressed_records=1).columns["age"])[:2] == (1, 2)


def test_a_column_that_had_one_value_carries_what_it_carried() -> None:
    table = [{"age": 31, "sex": "f", "zip": "1"} for _ in range(4)]
    release = published(table, at_least={"age": 1, "zip": 1}, at_most={})
    assert [one.status for one in release.columns.values()] == ["fine", "fine", "nothing"]  # a star is no value
    assert left(release.columns["zip"]) == (0, 1, 4, 4, 0, "nothing")
    assert release.columns["zip"].kept == 1.0  # one value cannot be lost


def test_one_value_beside_stars_is_nothing_to_compare_by() -> None:
    table = [{"age": 31, "sex": sex, "zip": "1"} for sex in "ffffffmd"]
    release = published(table, algorithm=ic.LevelsAndCells(), at_most={})
    assert left(release.columns["sex"]) == (1, 3, 2, 8, 0, "nothing")
    assert release.columns["sex"].published == "as it is, 1 of 3 values are left, 25.0% of its cells starred"


def test_levels_and_cells_tell_the_level_and_the_stars() -> None:
    table = [{"age": age, "sex": sex, "zip": "1"} for age, sex in zip(EIGHT, "ffmmffmm", strict=True)]
    release = published(table, algorithm=ic.LevelsAndCells(), at_least={"age": 1})
    assert left(release.columns["age"]) == (2, 8, 2, 8, 6, "fine")
    assert release.columns["age"].published == (
        "in 2 groups instead of 8 values (level 1 of 3), 25.0% of its cells starred"
    )
    assert "age: in 2 groups instead of 8 values (level 1 of 3), 25.0% of its cells starred" in release.explain()


def test_less_than_half_of_the_cells_is_little() -> None:
    table = [{"age": 31, "sex": sex, "zip": code} for sex, code in zip("f" * 10, "1122345678", strict=True)]
    table += [{"age": 31, "sex": "f", "zip": "9"} for _ in range(2)]
    release = published(table, algorithm=ic.LevelsAndCells(), at_most={})
    assert left(release.columns["zip"]) == (3, 9, 6, 12, 6, "fine")  # half of them is enough
    less = published([*table, {"age": 31, "sex": "f", "zip": "a"}], algorithm=ic.LevelsAndCells(), at_most={})
    assert left(less.columns["zip"]) == (3, 10, 7, 13, 6, "little")


@pytest.mark.parametrize("algorithm", [ic.CheapestFirst(), ic.Mondrian(labels="hierarchy"), ic.TopDown()], ids=str)
def test_a_label_for_all_says_nothing_whatever_it_is_called(algorithm: Any) -> None:
    names = ic.tree({"country": {"north": ["a", "b"], "south": ["c", "d"]}})
    table = [{"town": town} for town in "abcd"]
    release = ic.anonymize(table, ic.Schema(quasi={"town": names}), model="k>=4", algorithm=algorithm)
    assert left(release.columns["town"]) == (0, 4, 0, 4, 0, "nothing")


def test_rows_of_one_person_are_counted_as_cells() -> None:
    table = [{"who": who, "sex": "fm"[who % 2]} for who in range(4) for _ in range(3)]
    schema = ic.Schema(quasi={"sex": ic.flat()}, entity="who")
    assert left(ic.anonymize(table, schema, model="k>=2").columns["sex"]) == (2, 2, 0, 12, 12, "fine")
    assert left(ic.anonymize(table, schema, model="k>=3").columns["sex"]) == (0, 2, 12, 12, 0, "nothing")


def test_a_file_gives_the_same_as_the_table(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(
        "age,sex,zip\n"
        + "".join(f"{age or ''},{one['sex']},{one['zip']}\n" for age, one in zip(AGES, PEOPLE, strict=True))
    )
    how: dict[str, Any] = {"max_suppressed_records": 2, "at_least": {"sex": 1}}
    release = published(path, **how, output=tmp_path / "out")
    assert release.columns == published(**how).columns


def test_what_is_left_is_plain_data() -> None:
    found = published(max_suppressed_records=2, at_least={"sex": 1}).columns["sex"].to_dict()
    assert found == {
        "column": "sex",
        "values": 0,
        "values_before": 2,
        "cells": 6,
        "starred": 6,
        "unchanged": 0,
        "telling": 0,
        "share_telling": 0.0,
        "kept": 0.0,
        "level": 1,
        "height": 1,
        "status": "nothing",
    }


ROWS = st.lists(
    st.tuples(st.sampled_from([None, 21, 24, 27, 33, 48]), st.sampled_from("abcd"), st.sampled_from([None, "x", "y"])),
    min_size=2,
    max_size=30,
)


def says_nothing(label: Any, values: set[Any]) -> bool:
    """Say whether every value of the table may stand behind a label."""
    if not isinstance(label, str) or not label.startswith("["):
        return bool(label == "*")
    low, high = (int(end) for end in label.strip("[)").split(","))
    return len(values) > 1 and all(value is not None and low <= value < high for value in values)


SEARCHES = [ic.Optimal(), ic.LevelsAndCells(), ic.CheapestFirst(), ic.Mondrian(labels="hierarchy"), ic.TopDown()]


@settings(max_examples=40)
@given(ROWS, st.sampled_from(SEARCHES), st.sampled_from(["drop", "mask"]))
def test_columns_are_those_of_the_published_rows(rows: list[Any], algorithm: Any, suppression: Any) -> None:
    names = ("age", "town", "job")
    schema = ic.Schema(quasi={"age": ic.intervals(10), "town": ic.flat(), "job": ic.flat()}, missing="value")
    table = [dict(zip(names, row, strict=True)) for row in rows]
    how = {"suppression": suppression} if isinstance(algorithm, ic.Optimal) else {}
    release = ic.anonymize(table, schema, model="k>=2", max_suppressed=0.3, algorithm=algorithm, **how)
    for name, one in release.columns.items():
        cells = [row[name] for row in release.table]
        values = {row[name] for row in table}
        shown = [cell for cell in cells if not says_nothing(cell, values)]
        assert one.values == len(set(shown))
        assert (one.values_before, one.cells, one.starred) == (len(values), len(cells), cells.count("*"))
        known, before = set(shown) - {None}, values - {None}
        nothing = not shown or len(set(shown)) == 1 < len(values) or len(known) <= 1 < len(before)
        assert (one.status == "nothing") == nothing
        assert one.telling == (cells.count(None) if nothing else len(shown))


def test_a_set_of_all_values_is_no_value() -> None:
    table = [{"town": town, "sex": sex} for town, sex in [("a", "f"), ("a", "f"), ("a", "m"), ("b", "m")]]
    schema = ic.Schema(quasi={"town": ic.flat(), "sex": ic.flat()})
    release = ic.anonymize(table, schema, model="k>=2", algorithm=ic.Mondrian(labels="set"))
    assert [row["town"] for row in release.table] == ["a", "a", "{a, b}", "{a, b}"]
    assert left(release.columns["town"]) == (1, 2, 0, 4, 0, "nothing")
