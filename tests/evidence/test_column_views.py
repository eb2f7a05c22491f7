"""What columns and their ladders look like."""

from __future__ import annotations

import incrowd as ic
from incrowd.core import Domain
from incrowd.evidence import bars_of, examples_of, frequent_values, rungs_of, samples_of, spread_over, way_up


def test_few_values_have_a_bar_each_the_most_frequent_first() -> None:
    assert bars_of(Domain.of("sex", ["f", "m", "m", None])) == [("m", 2, 0), ("f", 1, 0)]


def test_many_values_share_the_last_bar() -> None:
    bars = bars_of(Domain.of("name", [*"abcdefghijklmno", "a"]), 4)
    assert bars == [("a", 2, 0), ("b", 1, 0), ("c", 1, 0), (None, 12, 12)]


def test_many_numbers_are_drawn_by_their_size() -> None:
    assert bars_of(Domain.of("age", list(range(100))), 4)[0] == ("0 \N{EN DASH} 24", 25, 0)


def test_examples_reach_from_the_first_to_the_last() -> None:
    assert examples_of(Domain.of("age", list(range(11))), 3) == ["0", "5", "10"]
    assert spread_over(0, 3) == []


def test_values_come_with_their_counts() -> None:
    assert frequent_values(Domain.of("sex", ["f", "m", "m", None]), 2) == [("m", 2), ("f", 1)]


def test_every_level_says_how_many_records_and_values_are_under_a_label() -> None:
    domain = Domain.of("age", [31, 31, 38, 45])
    ladder = ic.intervals(10).bind(domain)
    rungs = rungs_of(ladder, domain)
    assert [len(one.labels) for one in rungs] == [3, 2, 1]
    assert (rungs[1].records.tolist(), rungs[1].values.tolist(), rungs[1].smallest) == ([3, 1], [2, 1], 1)
    assert way_up(ladder, 0) == ["31", "[30, 40)", "*"]


def test_a_release_shows_a_value_of_each_column_at_every_level() -> None:
    table = [{"age": age} for age in (31, 38, 45)]
    release = ic.anonymize(table, ic.Schema(quasi={"age": ic.intervals(10)}), model="k>=3")
    assert samples_of(release) == {"age": ["38", "[30, 40)", "*"]}
