"""What holds for every hierarchy on every column."""

from __future__ import annotations

import datetime as dt
import io
import pickle
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from incrowd.core import Domain, Hierarchy, HierarchyError, Ladder, UncoveredValuesError
from incrowd.hierarchies import (
    auto,
    bottom_coded,
    categories,
    classification,
    covered,
    dates,
    draw,
    flat,
    frequent,
    intervals,
    mask,
    ordered,
    postcodes,
    quantiles,
    top_coded,
    tree,
    write_csv,
)

WHOLE = st.integers(-(10**20), 10**20) | st.integers(-200, 200)
TENTHS = st.integers(-3000, 3000).map(lambda units: units * 0.1) | st.integers(-300, 300).map(lambda units: units / 10)
FLOATS = TENTHS | st.floats(-1e12, 1e12)
DECIMALS = st.decimals(-1000, 1000, places=3)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
CODES = st.text("0123456789", min_size=1, max_size=5)
DAYS = st.dates()
MOMENTS = st.datetimes()

NUMERIC = [intervals(5, 10, 20), intervals(0.1, 0.5, start=0.05), intervals(7, bottom=-3.5, top=40)]
NUMERIC += [intervals(Fraction(1, 3)), intervals(1000, 10**6)]
CODED: list[Hierarchy] = [top_coded(90, 12.5), bottom_coded(-7, 0.3)]
CALENDAR: list[Hierarchy] = [
    dates("day", "month", "year", "century"),
    dates("quarter", "decade"),
    dates("week", "month"),
]
MASKS: list[Hierarchy] = [mask(), mask("left"), mask(keep=2)]
ANY: list[Hierarchy] = [flat(), frequent(2, 3), frequent(0.2), auto()]


def columns(*elements: st.SearchStrategy[Any]) -> st.SearchStrategy[Domain]:
    lists = [st.lists(element | st.none(), max_size=12) for element in elements]
    return st.one_of(lists).map(lambda values: Domain.of("x", values))


def bound(hierarchies: list[Any], *elements: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Hierarchy, Domain]]:
    return st.tuples(st.sampled_from(hierarchies), columns(*elements))


NUMBERS = (WHOLE, FLOATS, DECIMALS)
READABLE = st.one_of(
    bound([*NUMERIC, *CODED], *NUMBERS),
    bound(CALENDAR, DAYS, MOMENTS),
    bound(MASKS, CODES, WHOLE),
    bound([flat()], *NUMBERS, DAYS, CODES),
    bound([ordered(None, 2, 4), quantiles(4, 2)], *NUMBERS, DAYS, MOMENTS),
)
"""Hierarchies whose labels say by themselves what they cover."""

EVERY = READABLE | bound(ANY, *NUMBERS, DAYS, MOMENTS, CODES, TEXTS)


def climb(hierarchy: Hierarchy, domain: Domain) -> Ladder | None:
    """Bind, unless the column itself holds a text that looks like a label: that is rightly refused."""
    try:
        return hierarchy.bind(domain)
    except HierarchyError:
        assert domain.kind == "text"
        return None


@given(columns(*NUMBERS), st.sampled_from(NUMERIC))
def test_every_number_lies_in_its_own_interval(domain: Domain, hierarchy: Hierarchy) -> None:
    ladder = hierarchy.bind(domain)
    for level in range(1, ladder.height):
        for text, group in zip(domain.texts[: len(domain.values)], ladder.groups[level], strict=False):
            label = ladder.labels[level][group]
            if label.startswith("["):
                low, high = map(Fraction, label[1:-1].split(", "))
                assert low <= Fraction(text) < high
            else:
                assert label == "<-3.5" if Fraction(text) < 0 else label == ">=40"


@given(EVERY)
def test_a_ladder_begins_with_the_values_nests_and_ends_in_one_star(case: tuple[Hierarchy, Domain]) -> None:
    ladder = climb(*case)
    if ladder is None or not len(case[1].values):
        return
    assert ladder.labels[0].tolist() == case[1].texts.tolist()
    assert ladder.labels[-1].tolist() == ["*"]
    assert all(len(low) >= len(high) for low, high in zip(ladder.labels, ladder.labels[1:], strict=False))
    assert ladder.leaves[-1].tolist() == [len(case[1])]


@given(EVERY)
def test_a_label_means_one_set_of_values_wherever_it_stands(case: tuple[Hierarchy, Domain]) -> None:
    ladder = climb(*case)
    meaning: dict[str, frozenset[int]] = {}
    for groups, labels in zip(ladder.groups, ladder.labels, strict=True) if ladder else ():
        for group, label in enumerate(labels):
            leaves = frozenset(np.flatnonzero(groups == group).tolist())
            assert meaning.setdefault(label, leaves) == leaves


@given(EVERY)
def test_a_label_covers_the_leaves_that_its_ladder_gives_it(case: tuple[Hierarchy, Domain]) -> None:
    ladder = climb(*case)
    for groups, labels in zip(ladder.groups, ladder.labels, strict=True) if ladder else ():
        for group, label in enumerate(labels):
            if label is not None:
                assert covered(label, case[1], ladder).tolist() == (groups == group).tolist()


@given(READABLE)
def test_our_labels_say_without_their_ladder_what_they_cover(case: tuple[Hierarchy, Domain]) -> None:
    ladder = case[0].bind(case[1])
    for groups, labels in zip(ladder.groups[1:], ladder.labels[1:], strict=True):
        for group, label in enumerate(labels):
            if label is not None:
                assert covered(label, case[1]).tolist() == (groups == group).tolist()


@given(EVERY)
def test_a_ladder_survives_the_way_through_a_file(case: tuple[Hierarchy, Domain]) -> None:
    ladder = climb(*case)
    if ladder is None or not len(case[1].values):
        return
    with TemporaryDirectory() as folder:
        write_csv(ladder, Path(folder) / "h.csv")
        assert tree(Path(folder) / "h.csv").bind(case[1]) == ladder


@given(st.lists(st.one_of(TEXTS, WHOLE.map(str)), max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(values: list[str], random: Any) -> None:
    shuffled = random.sample(values, len(values))
    for hierarchy in (*ANY, mask()):
        first, second = (climb(hierarchy, Domain.of("x", rows)) for rows in (values, shuffled))
        assert first == second


@given(st.dictionaries(TEXTS, st.sampled_from("uvw"), min_size=1), st.randoms(use_true_random=False))
def test_the_order_of_lines_changes_nothing(parents: dict[str, str], random: Any) -> None:
    pairs = [(f"leaf {child}", parent) for child, parent in parents.items()]
    assert tree(pairs) == tree(random.sample(pairs, len(pairs)))


@given(columns(CODES))
def test_a_mask_keeps_the_length_and_what_it_shows(domain: Domain) -> None:
    ladder = mask().bind(domain)
    for level in range(1, ladder.height):
        for text, group in zip(domain.values, ladder.groups[level], strict=False):
            label = ladder.labels[level][group]
            assert len(label) == len(text)
            assert label == text[: max(len(text) - level, 0)] + "*" * min(level, len(text)) or len(text) == 1


@given(EVERY)
def test_every_ladder_can_be_drawn(case: tuple[Hierarchy, Domain]) -> None:
    ladder = climb(*case)
    if ladder is not None and len(case[1].values):
        assert draw(ladder).startswith("*  (")


@pytest.mark.parametrize(
    "hierarchy",
    [
        *(*NUMERIC, *CODED, *CALENDAR, *MASKS, *ANY),
        *(classification("nuts", others="x"), postcodes("DE"), quantiles(4, 2)),
        *(ordered(["a", "b"], 2), ordered(None, 2), tree({"x": ["a"]}), categories({"x": ["a"]})),
    ],
    ids=repr,
)
def test_a_hierarchy_is_a_value(hierarchy: Any) -> None:
    copy = pickle.loads(pickle.dumps(hierarchy))  # noqa: S301 - our own bytes
    assert (copy, hash(copy)) == (hierarchy, hash(hierarchy))
    assert hierarchy.__dataclass_params__.frozen


@pytest.mark.parametrize("hierarchy", [*NUMERIC, *CODED, *CALENDAR, ordered(["a"]), tree({"x": ["a"]})], ids=repr)
def test_no_message_holds_a_value(hierarchy: Hierarchy) -> None:
    with pytest.raises(UncoveredValuesError, match="Column 'x' has 1 of 1 values") as caught:
        hierarchy.bind(Domain.of("x", ["canary"]))
    assert caught.value.values == ("canary",)
    assert "canary" not in f"{caught.value} {caught.value.hint} {caught.value!r}"


def test_a_ladder_written_to_an_open_file_is_the_same_text() -> None:
    domain = Domain.of("born", [dt.date(2024, 3, 5), Decimal("NaN")])
    file = io.StringIO()
    write_csv(dates("month").bind(domain), file)
    assert file.getvalue() == "2024-03-05;2024-M03;*\n"
