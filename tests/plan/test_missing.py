"""Marks that perhaps stand for missing values: asked about, never assumed."""

from __future__ import annotations

from pathlib import Path

import pytest

import incrowd as ic
from plan.plans import suggested


def test_marks_that_perhaps_mean_missing_are_asked_about_and_never_assumed(tmp_path: Path) -> None:
    lines = [
        f"{'?' if n % 5 == 0 else n},{'k.A.' if n % 4 == 0 else 'Bonn'},{-9 if n % 3 == 0 else n % 5}"
        for n in range(60)
    ]
    text = "\n".join(["age,town,score", *lines])
    found = suggested(tmp_path / "t.csv", text)
    (asked,) = found.asked
    assert asked == (
        "'-9' stands 20 times in 'score', 'k.A.' stands 15 times in 'town', '?' stands 12 times in 'age': "
        'do these mean missing? Then write missing = ["", "-9", "k.A.", "?"] below [data] without those that do not; '
        "'age' would then be of numbers or dates"
    )
    assert found.profile["age"].missing == 0
    told = suggested(tmp_path / "t.csv", text, missing_values=["", "?", "k.A.", "-9"])
    assert (told.asked, told.profile["age"].kind, told.profile["age"].missing) == ((), "number", 12)


@pytest.mark.parametrize(
    ("numbers", "asked"),
    [
        ([1, 2, 3, 9], True),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9], False),
        ([*range(20, 60), 999], True),
        ([*range(20, 100)], False),
        ([-3, -1, 0, 1, 2], False),
        ([0, 1, 2, 3, -1], True),
        ([0, 9], False),
    ],
)
def test_a_number_is_a_mark_only_if_it_stands_apart(numbers: list[int], asked: bool) -> None:
    found = ic.suggest([{"score": number} for number in numbers])
    assert bool(found.asked) == asked
    assert all("Then make it null in the table" in question for question in found.asked)


def test_what_is_a_value_elsewhere_is_not_called_missing_for_the_whole_table(tmp_path: Path) -> None:
    lines = [f"{20 + n % 70},{999 if n % 9 == 0 else n % 50},{99 if n % 9 == 0 else n % 5}" for n in range(200)]
    found = suggested(tmp_path / "t.csv", "\n".join(["age,days,visits", *lines, "99,1,1"]))
    whole, beside = found.asked
    assert (
        whole
        == "'999' stands 23 times in 'days': does it mean missing? Then write missing = [\"\", \"999\"] below [data]"
    )
    told = "does it mean missing? It is a value of 'age' too. Then make it null in the table"
    assert beside == f"'99' stands 23 times in 'visits': {told}"


def test_a_number_that_makes_texts_of_numbers_is_asked_about(tmp_path: Path) -> None:
    lines = [f"{'-9' if n % 9 == 0 else f'{n}.{n % 10}0'},f" for n in range(60)]
    found = suggested(tmp_path / "t.csv", "\n".join(["wage,sex", *lines]))
    assert found.profile["wage"].kind == "text"
    assert 'write missing = ["", "-9"] below [data]; \'wage\' would then be of numbers' in found.asked[0]
