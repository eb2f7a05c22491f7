"""What classes of a local recoding are called, and what that gives up."""

from __future__ import annotations

import numpy as np
import pytest

import incrowd as ic
from incrowd.core import Labelling, Namer

AGES = [21, 22, 25, 34, 38, None]
TOWNS = ["bonn", "bonn", "kiel", "köln", "ulm", "ulm"]
TOWN = ic.tree([("bonn", "west"), ("köln", "west"), ("kiel", "north"), ("ulm", "south")])


def namers() -> tuple[Namer, Namer]:
    schema = ic.Schema(quasi={"age": ic.intervals(5, 10), "town": TOWN})
    census = ic.census([{"age": age, "town": town} for age, town in zip(AGES, TOWNS, strict=True)], schema)
    return Namer(census, 0), Namer(census, 1)


def told(labels: Labelling) -> list[tuple[str | None, float, int, int]]:
    parts = (labels.texts, labels.lost.round(3), labels.climbed, labels.covered)
    return list(zip(*(part.tolist() for part in parts), strict=True))


CODES = np.arange(6)


def test_a_class_is_called_by_the_lowest_group_that_holds_it() -> None:
    age, town = namers()
    assert told(age.by_members(CODES, np.array([0, 0, 1, 1, 2, 3]), 4)) == [
        ("[20, 25)", 0.2, 1, 2),
        ("*", 1.0, 3, 6),
        ("38", 0.0, 0, 1),
        (None, 0.0, 0, 1),
    ]
    # codes of towns: bonn 0, kiel 1, köln 2, ulm 3
    assert told(town.by_members(np.array([0, 2, 1, 3]), np.array([0, 0, 1, 1]), 2)) == [
        ("west", pytest.approx(1 / 3, abs=1e-3), 1, 3),
        ("*", 1.0, 2, 6),
    ]


def test_a_class_is_called_by_its_range() -> None:
    age, _ = namers()
    assert told(age.by_range(CODES, np.array([0, 0, 0, 1, 1, 2]), 3)) == [
        ("21..25", pytest.approx(4 / 17, abs=1e-3), 2, 3),
        ("34..38", pytest.approx(4 / 17, abs=1e-3), 2, 2),
        (None, 0.0, 0, 1),
    ]


def test_a_range_with_a_missing_value_tells_nothing() -> None:
    age, _ = namers()
    assert told(age.by_range(CODES, np.array([0, 0, 0, 0, 1, 1]), 2))[1] == ("*", 1.0, 3, 6)


def test_columns_without_an_order_are_called_by_groups_or_sets() -> None:
    _, town = namers()
    codes, classes = np.array([0, 1, 3, 2]), np.array([0, 0, 0, 1])
    assert town.by_range(codes, classes, 2).texts.tolist() == ["*", "köln"]
    assert told(town.by_set(codes, classes, 2)) == [
        ("{bonn, kiel, ulm}", pytest.approx(2 / 3, abs=1e-3), 2, 5),
        ("köln", 0.0, 0, 1),
    ]


def test_values_with_signs_of_a_set_are_quoted_in_it() -> None:
    schema = ic.Schema(quasi={"job": ic.flat()})
    census = ic.census([{"job": "cook, baker"}, {"job": "smith"}], schema)
    assert Namer(census, 0).by_set(np.array([0, 1]), np.array([0, 0]), 1).texts.tolist() == ['{"cook, baker", smith}']


def test_a_label_that_stands_on_two_levels_is_one_label() -> None:
    schema = ic.Schema(quasi={"town": ic.tree([("ulm", "south"), ("kiel", "north"), ("bonn", "north")])})
    census = ic.census([{"town": "ulm"}, {"town": "kiel"}], schema)
    named = Namer(census, 0).by_group(np.array([2, 2]), np.array([0, 0]))
    assert named.codes.tolist() == [named.codes[0]] * 2


def test_positions_keep_the_members_of_every_group_side_by_side() -> None:
    _, town = namers()
    for level in range(town.height + 1):
        groups = town.group_of(level)[town.code]
        assert np.count_nonzero(np.diff(groups)) == len(set(groups.tolist())) - 1


def test_what_a_range_to_infinity_gives_up_is_counted_in_values() -> None:
    census = ic.census([{"x": x} for x in (1.0, 2.0, 3.0, float("inf"))], ic.Schema(quasi={"x": ic.flat()}))
    labels = Namer(census, 0).by_range(np.arange(4), np.array([0, 0, 1, 1]), 2)
    assert told(labels) == [("1..2", 0.333, 1, 2), ("3..inf", 0.333, 1, 2)]
