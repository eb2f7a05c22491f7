"""The loops of ``CheapestFirst``, each against something slow and obvious."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.search import LocalTable, Problem
from incrowd.search.cheapest._block_kernels import Boxes, Choice, find_nearest
from incrowd.search.cheapest._class_kernels import form_classes
from incrowd.search.cheapest._formation import (
    KnownPairs,
    PointGroups,
    _mutual_pairs,
    class_boxes,
    cut_into_blocks,
    form_in_blocks,
    support_part,
)
from incrowd.search.cheapest._kernels import (
    NEVER,
    Labels,
    Work,
    is_enough,
    least_costs,
    search_labels,
)
from incrowd.search.cheapest._search_space import UNIT, PointNeeds, SearchSpace
from search.slow import QUASI, Row
from search.slow_cheapest import cheapest
from search.tables import PROMISES, problem, tables

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists", "ignore:.* promises nothing")

enough = numba.njit(lambda *given: is_enough(*given))  # noqa: PLW0108 - Python cannot call it by itself
search = numba.njit(lambda *given: search_labels(*given))  # noqa: PLW0108

CLOSED = [promise for promise in PROMISES if promise[0].upward_closed]
WEIGHED = (ic.PAlphaSensitive(2, Fraction(1, 2), weight_over="distinct"), None)


def board_of(table: Sequence[Row], model: Any) -> SearchSpace:
    return SearchSpace.of(LocalTable(problem(table, model)), "hierarchy")


def values_of(board: SearchSpace) -> list[tuple[str, ...]]:
    """Give the quasi-identifiers of every point."""
    census, first = board.table.census, board.points.first
    texts = [
        census.domains[name].texts[codes[first]].tolist() for name, codes in zip(QUASI, census.codes, strict=False)
    ]
    return list(zip(*texts, strict=True))


@settings(max_examples=100)
@given(tables, st.sampled_from(CLOSED))
def test_finds_the_cheapest_of_all_labels_for_every_record(table: list[Row], promise: Any) -> None:
    model, ok = promise
    board = board_of(table, model)
    needs = PointNeeds.of(board.table)
    assert needs.enough
    points, columns = len(board.points), len(board.columns)
    goal, best = np.full(points, NEVER), np.full(points, -1, dtype=np.int32)
    support = needs.support(board)
    work = Work(
        np.tile(np.arange(points, dtype=np.int32), (columns, 1)),
        np.ones(points, dtype=bool),
        goal,
        best,
        np.full(points, NEVER),
        np.zeros(len(support.worth) + 1, dtype=np.int64),
    )
    room = Labels(
        np.empty(1, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.empty((1, columns), dtype=np.int16),
        np.empty(1, dtype=np.int32),
    )
    labels, known = search(board.tables(), support, work, points, room, 0, NEVER)
    slow = dict(zip((tuple(row[name] for name in QUASI) for row in table), cheapest(table, ok), strict=True))
    for point, values in enumerate(values_of(board)):
        wanted = slow[values]
        assert (goal[point] == NEVER) if wanted is None else (abs(goal[point] - wanted * UNIT) <= columns)
        if wanted is not None:
            inside = labels.members[labels.ends[best[point]] : labels.ends[best[point] + 1]]
            assert point in inside
            assert best[point] < known


@settings(max_examples=100)
@given(tables, st.sampled_from(CLOSED), st.integers(0, 60))
def test_few_steps_bound_costs_from_below_and_form_classes_that_are_enough(
    table: list[Row], promise: Any, steps: int
) -> None:
    model, ok = promise
    board = board_of(table, model)
    tables, support, columns = board.tables(), PointNeeds.of(board.table).support(board), len(board.columns)
    slow = dict(zip((tuple(row[name] for name in QUASI) for row in table), cheapest(table, ok), strict=True))
    few, many = least_costs(tables, support, steps), least_costs(tables, support, 10**6)
    for values, bound, exact in zip(values_of(board), few, many, strict=True):
        wanted = slow[values]
        assert wanted is None or bound <= exact <= wanted * UNIT + columns
        assert wanted is None or exact >= wanted * UNIT - columns
    owner, _ = form_classes(tables, support, 0.3, 300, steps)
    assert (owner >= 0).any() == any(wanted is not None for wanted in slow.values())
    free, seen = np.ones(len(owner), dtype=bool), np.zeros(len(support.worth) + 1, dtype=np.int64)
    for number in range(owner.max() + 1):
        inside = np.flatnonzero(owner == number).astype(np.int32)
        assert enough(support, inside, 0, len(inside), free, seen)


def test_a_table_of_forty_columns_is_searched_in_so_many_steps() -> None:
    """Every set of stars would be 2 to the power of 40 labels for a record."""
    names = [f"q{at}" for at in range(40)]
    drawn = np.random.default_rng(1).choice(3, (150, 40), p=[0.8, 0.15, 0.05]).astype(str).tolist()
    table = [dict(zip(names, row, strict=True)) for row in drawn]
    schema = ic.Schema(quasi={name: ic.flat() for name in names})
    for algorithm in ic.LevelsAndCells(), ic.CheapestFirst():
        release = ic.anonymize(table, schema, model="k>=3", algorithm=algorithm)
        assert min(Counter(tuple(row.values()) for row in release.table).values()) >= 3
        assert 0.1 < release.detail_kept < 1


@settings(max_examples=100)
@given(tables, st.sampled_from([*CLOSED, WEIGHED]), st.integers(0, 2**24 - 1), st.booleans())
def test_sums_say_what_the_judges_say(table: list[Row], promise: Any, chosen: int, people: bool) -> None:
    whole = [{**row, "person": f"p{at % 3}"} for at, row in enumerate(table)] if people else table
    model = ic.KAnonymity(2) & promise[0] if people and promise[0].parts == (promise[0],) else promise[0]
    try:
        board = board_of(whole, model)
    except ic.SchemaError:  # a person with several values has no weight
        return
    inside = np.array([point for point in range(len(board.points)) if chosen >> point & 1], dtype=np.int32)
    if len(inside):
        support = PointNeeds.of(board.table).support(board)
        kept = board.keeps(inside, np.zeros(len(inside), dtype=np.int64), 1)[0]
        free, seen = np.ones(len(board.points), dtype=bool), np.zeros(len(support.worth) + 1, dtype=np.int64)
        assert enough(support, inside, 0, len(inside), free, seen) == kept
        part = support_part(support, inside)
        free, seen = np.ones(len(inside), dtype=bool), np.zeros(len(part.worth) + 1, dtype=np.int64)
        assert enough(part, np.arange(len(inside), dtype=np.int32), 0, len(inside), free, seen) == kept


@settings(max_examples=75)
@given(tables, st.sampled_from(PROMISES))
def test_what_a_promise_implies_holds_where_it_does(table: list[Row], promise: Any) -> None:
    """Otherwise the search would overlook classes."""
    model, ok = promise
    board = board_of(table, model)
    needs = PointNeeds.of(board.table)
    support = needs.support(board)
    everything = np.arange(len(board.points), dtype=np.int32)
    free, seen = np.ones(len(everything), dtype=bool), np.zeros(len(support.worth) + 1, dtype=np.int64)
    if ok(table, table):
        assert enough(support, everything, 0, len(everything), free, seen)


@settings(max_examples=75)
@given(tables, st.integers(1, 12))
def test_blocks_have_every_point_once_and_enough_records(table: list[Row], least: int) -> None:
    board = board_of(table, ic.KAnonymity(1))
    blocks = cut_into_blocks(lambda: board.tables(nested=True), board.weights, least)
    assert sorted(np.concatenate(blocks).tolist()) == list(range(len(board.points)))
    assert len(blocks) == 1 or all(board.weights[inside].sum() >= least for inside in blocks)


def test_blocks_are_cut_where_most_is_saved() -> None:
    """Between the young and the old, which saves three fifths of a column, and not between the sexes of each."""
    table = [{"age": age, "sex": "f", "town": "ulm", "disease": "a"} for age in ("20", "25", "47", "49")]
    board = board_of(table, ic.KAnonymity(1))
    blocks = cut_into_blocks(lambda: board.tables(nested=True), board.weights, 2)
    assert [inside.tolist() for inside in blocks] == [[0, 1], [2, 3]]


@settings(max_examples=50)
@given(tables, st.sampled_from([2, 3]), st.integers(2, 8))
def test_classes_stay_in_their_block(table: list[Row], k: int, least: int) -> None:
    board = board_of(table, ic.KAnonymity(k))
    blocks = cut_into_blocks(lambda: board.tables(nested=True), board.weights, least)
    formed = form_in_blocks(board.tables(), PointNeeds.of(board.table).support(board), blocks)
    for block, inside in enumerate(blocks):
        owners = formed.owner[inside]
        assert set(formed.home[owners[owners >= 0]].tolist()) <= {block}
        left = board.weights[inside[owners < 0]].sum()
        assert left < k or board.weights[inside].sum() < k


@settings(max_examples=50)
@given(tables, st.integers(1, 5), st.sampled_from(["hierarchy", "range"]))
def test_finds_the_nearest_groups(table: list[Row], most: int, labels: Any) -> None:
    numbered = [{**{name: row[name] for name in QUASI}, "age": int(row["age"])} for row in table]
    schema = ic.Schema(quasi={"age": ic.intervals(10, 20), "sex": ic.flat(), "town": ic.flat()})
    board = SearchSpace.of(LocalTable(Problem(ic.census(numbered, schema), schema, ic.KAnonymity(1))), labels)
    points, place = len(board.points), board.tables().place
    everyone = np.arange(points, dtype=np.int32)
    choice = Choice(everyone, everyone, np.zeros(points, dtype=np.int64), np.full(points, points))
    found, rises = np.empty((points, most), dtype=np.int32), np.empty((points, most))
    find_nearest(board.tables(), Boxes(place, place, board.weights), choice, found, rises)
    for mover in range(points):
        others = (other for other in range(points) if other != mover)
        slow = sorted((_together(board, place, mover, other), other) for other in others)[:most]
        assert found[mover][: len(slow)].tolist() == [other for _, other in slow]
        assert rises[mover][: len(slow)].tolist() == pytest.approx([rise for rise, _ in slow])
        assert (found[mover][len(slow) :] == -1).all()


def _together(board: SearchSpace, place: Any, one: int, other: int) -> float:
    """Say what two points cost as one class; alone they cost nothing."""
    low, high = np.minimum(place[:, one], place[:, other]), np.maximum(place[:, one], place[:, other])
    ways = [column.label_costs(low[[at]], high[[at]])[0] for at, column in enumerate(board.columns)]
    return float(board.weights[one] + board.weights[other]) * float(sum(ways))


def test_a_pair_is_chosen_if_neither_side_has_a_cheaper_one() -> None:
    movers, targets = np.array([0, 1, 2, 3]), np.array([1, 0, 1, 4])
    pairs = _mutual_pairs(movers, targets, np.array([1.0, 1.0, 2.0, 5.0]))
    assert [side.tolist() for side in pairs] == [[0, 3], [1, 4]]


def test_groups_that_break_the_promise_and_have_no_other_become_one() -> None:
    board = board_of(
        [{"age": age, "sex": "f", "town": "ulm", "disease": "a"} for age in ("20", "25", "47")], ic.KAnonymity(3)
    )
    groups = PointGroups(
        np.arange(3), np.zeros(3, dtype=np.int64), np.zeros((3, 3), dtype=np.int16), np.zeros(3, dtype=bool)
    )
    groups.settle(board.tables(), board.weights)
    assert groups.owner.tolist() == [0, 0, 0]


def test_what_is_known_of_a_pair_of_groups_is_not_asked_again_until_one_of_them_has_changed() -> None:
    asked: list[list[int]] = []

    def kept(pairs: np.ndarray) -> np.ndarray:
        asked.extend(pairs.tolist())
        return np.asarray(pairs.sum(axis=1) > 3)

    known, numbers = KnownPairs(), np.array([0, 1, 2, 3])
    pairs = np.array([[0, 1], [1, 0], [2, 3]])
    assert known.answers(pairs, numbers, kept).tolist() == [False, False, True]
    assert known.answers(pairs[1:], numbers, kept).tolist() == [False, True]
    assert asked == [[0, 1], [2, 3]]
    assert known.answers(pairs, np.array([0, 4, 2, 3]), kept).tolist() == [False, False, True]
    assert asked[2:] == [[0, 1]]


def test_groups_that_were_joined_have_another_number() -> None:
    board = board_of(
        [{"age": age, "sex": "f", "town": "ulm", "disease": "a"} for age in ("20", "25", "47")], ic.KAnonymity(2)
    )
    good = np.array([True, True, False])
    groups = PointGroups(np.arange(3), np.zeros(3, dtype=np.int64), np.zeros((3, 3), dtype=np.int16), good)
    groups.settle(board.tables(), board.weights)
    assert sorted(groups.numbers.tolist())[1:] == [3]


def test_the_box_of_a_class_spans_its_points_in_every_column() -> None:
    low, high = class_boxes(np.array([[3, 1, 2, 5], [0, 0, 4, 4]]), np.array([1, 0, 1, 0]), 2)
    assert low.tolist() == [[1, 2], [0, 0]]
    assert high.tolist() == [[5, 3], [4, 4]]
