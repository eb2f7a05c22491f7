"""Similarity of numbers: narrow ranges, what would be guessed without the release, and numbers that are texts."""

from __future__ import annotations

import csv
import datetime as dt
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from attacks import slow
from incrowd.attacks import ValueLine
from incrowd.core import Domain
from incrowd.evidence import Attack

numbers = st.one_of(st.none(), st.integers(-3, 12), st.sampled_from([0.1, 0.25, 7.3, 1 / 3]))
tables = st.lists(st.tuples(st.integers(0, 2), numbers, st.integers(0, 4)), min_size=1, max_size=14)
shares = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 3), Fraction(1)])


def similar(table: slow.Rows, original: slow.Rows | None = None, **known: Any) -> Attack:
    names = ("q", "s", "person")
    schema = ic.Schema(quasi=["q"], sensitive=["s"], entity="person" if len(table[0]) > 2 else None)
    as_dicts = [
        None if rows is None else [dict(zip(names, row, strict=False)) for row in rows] for rows in (table, original)
    ]
    return ic.attack(as_dicts[0], schema, original=as_dicts[1], intruder=ic.Intruder(**known)).get("similarity")


def test_one_outlier_does_not_make_guessing_worthless() -> None:
    table = [(index % 5, 100 + index % 7) for index in range(100)] + [(9, 10**6)] * 2
    found = similar(table)
    assert slow.numbers(found.rate, found.baseline, found.advantage) == (1, Fraction(100, 102), Fraction(2, 102))


def test_the_best_range_of_a_class_is_guessed_where_none_holds_it_all() -> None:
    found = similar([(1, 0), (1, 1), (1, 100), (2, 50), (2, 55), (2, 60)])
    assert (found.exposed.classes, found.exposed.records) == (1, 3)
    assert slow.numbers(found.right, found.baseline) == (5, Fraction(1, 2))


def test_bounds_of_a_range_are_exact() -> None:
    assert similar([(1, 0.1), (1, 0.4), (2, 3.1)]).baseline == Fraction(2, 3)
    assert similar([(1, 0.1), (1, 0.41), (2, 3.1)]).baseline == Fraction(1, 3)
    wide = [(1, 0), (1, 2**70), (2, 10 * 2**70)]
    assert (similar(wide).baseline, similar(wide, narrow=0.0999).baseline) == (Fraction(2, 3), Fraction(1, 3))
    third = [(1, 1 / 3), (1, 1 / 3 + 0.1), (2, 1 / 3 + 1)]
    exact = (
        Fraction(repr(1 / 3 + 0.1)) - Fraction(repr(1 / 3)) <= (Fraction(repr(1 / 3 + 1)) - Fraction(repr(1 / 3))) / 10
    )
    assert similar(third).baseline == (Fraction(2, 3) if exact else Fraction(1, 3))


@given(tables, st.one_of(st.none(), tables), shares, st.booleans())
def test_guesses_agree_with_windows_tried_one_by_one(
    table: list[Any], more: list[Any] | None, narrow: Fraction, persons: bool
) -> None:
    rows = [row if persons else (*row[:2], place) for place, row in enumerate(table)]
    others = None if more is None else [row if persons else (*row[:2], 99 + at) for at, row in enumerate(more)]
    original = None if others is None else [*rows, *others]
    if all(row[1] is None for row in rows):
        return
    shown = [row if persons else row[:2] for row in rows]
    found = similar(
        shown, None if original is None else [row if persons else row[:2] for row in original], narrow=narrow
    )
    right, before = slow.within(rows, narrow, original)
    assert (found.rate, found.baseline) == (right, before)
    assert found.advantage >= 0


def test_infinite_and_missing_numbers_leave_the_other_classes() -> None:
    table = [(1, 1.5), (1, 1.5), (2, float("inf")), (2, 2.5), (3, None), (3, 3.0), (4, 11.5)]
    found = similar(table)
    assert (found.exposed.classes, found.exposed.records) == (2, 3)
    assert found.notes == (
        (
            "similarity: 2 of 4 groups have a value in column 's' that is missing or infinite, "
            "so they count as wide as the table."
        ),
    )
    assert dict(found.distribution)[Fraction(1)] == 7
    nothing = similar([(1, None), (1, None), (2, 5.0), (2, 5.0)])
    assert (nothing.exposed.records, dict(nothing.distribution)[Fraction(9, 10)]) == (2, 2)


@pytest.mark.parametrize(
    ("texts", "same"),
    [
        (["10", "9", "100"], [10, 9, 100]),
        (["1.50", "2.25", "1.75"], [1.5, 2.25, 1.75]),
        (["-1e3", "0.5", "+7"], [-1000, 0.5, 7]),
        (["inf", "3", "nan"], [float("inf"), 3, None]),
        (["2024-01-05", "2023-12-31", "2024-01-01"], [dt.date(2024, 1, 5), dt.date(2023, 12, 31), dt.date(2024, 1, 1)]),
        (["1.1", "2.2", "9.9"], [Decimal("1.1"), Decimal("2.2"), Decimal("9.9")]),
    ],
)
def test_texts_lie_where_the_numbers_lie_that_they_are(texts: list[str], same: list[Any]) -> None:
    told, meant = (similar([(1, one), (1, two), (2, three)]) for one, two, three in (texts, same))
    assert (told.worst, told.rate, told.baseline, told.exposed) == (
        meant.worst,
        meant.rate,
        meant.baseline,
        meant.exposed,
    )


@pytest.mark.parametrize("texts", [["007", "12"], ["1", "x"], ["2024-01-05", "inf"], ["", "1"], ["yes", "no"]])
def test_codes_and_words_are_no_numbers(texts: list[str]) -> None:
    assert ValueLine.of(Domain.of("s", texts)) is None


def test_floats_of_many_digits_are_compared_exactly() -> None:
    values = np.random.default_rng(1).random(50)
    line = ValueLine.of(Domain.of("s", values.tolist()))
    assert line is not None
    assert not line.is_exact
    for limit in (line.between(3, 9), line.between(3, 9) - Fraction(1, 10**30), line.width):
        reached = [max(high for high in range(50) if line.between(low, high) <= limit) for low in range(50)]
        assert line.reach(limit).tolist() == reached


ROWS = [
    {
        "pid": str(place // 2),
        "age": 20 + place % 3,
        "income": 1000 + 10 * place + (500 if place % 3 else 0) + 0.5 * (place % 2),
    }
    for place in range(36)
]


@pytest.mark.parametrize("entity", [None, "pid"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("saved", [None, "csv", "parquet"])
def test_numbers_are_attacked_alike_however_they_are_stored(
    tmp_path: Path, entity: str | None, kind: str, saved: Any
) -> None:
    with (tmp_path / "t.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(ROWS[0]))
        writer.writeheader()
        writer.writerows(ROWS)
    pl.DataFrame(ROWS).write_parquet(tmp_path / "t.parquet")
    schema = ic.Schema(quasi={"age": ic.flat()}, sensitive=["income"], entity=entity)
    at_hand = ic.anonymize(ROWS, schema, model="k>=3", others="drop")
    stored = ic.anonymize(tmp_path / f"t.{kind}", schema, model="k>=3", others="drop")
    target: Any = stored
    if saved is not None:
        stored.save(tmp_path / "out", format=saved)
        target = tmp_path / "out"
    for originals in [(None, None), (ROWS, tmp_path / f"t.{kind}")]:
        expected = ic.attack(at_hand, original=originals[0]).get("similarity")
        assert expected.exposed.classes or expected.rate > expected.baseline
        assert ic.attack(target, original=originals[1]).get("similarity").to_dict() == expected.to_dict()
