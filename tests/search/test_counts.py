"""A table that is cut by counts before its cells are looked at: the same classes as without."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.core import CensusRequest
from incrowd.search import ColumnCut, CountedCuts, EarlierParts, LocalOutcome, Mondrian, Problem, ValueCounts
from incrowd.search.mondrian import _counts as _by_counts
from incrowd.search.mondrian._counts import Counts
from search.slow_mondrian import Part
from search.tables import PROMISES
from search.tables_mondrian import alike, kinds, problem, published, tables

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists", "ignore:.* promises nothing")

CLOSED = [promise for promise, _ in PROMISES if promise.union_closed]


def cut(problem: Problem, by: CountedCuts, cells: Any, blocks: int = 1) -> ColumnCut | None:
    """Say where some cells are cut, which go by so many at a time."""
    census = problem.census
    floor = dict(zip(census.quasi, census.floor, strict=True))
    request = CensusRequest(census.quasi, census.sensitive, census.ladders, floor)
    some = [([codes[block] for codes in census.codes], census.counts[block]) for block in np.array_split(cells, blocks)]
    values = ValueCounts(request, census.domains)
    for block in some:
        values.add(*block)
    proposed = by.propose(values)
    pieces = by.pieces(proposed)
    for block in some:
        pieces.add(*block)
    chosen = by.choose(proposed, pieces)
    assert chosen is (next(iter(proposed), None) if by.by_size else chosen)
    return chosen


def cut_first(problem: Problem, search: Mondrian, room: int) -> LocalOutcome:
    """Cut a table by counts until every part has so few cells, then go on with the cells."""
    whole = replace(problem, part=True)
    by, done = CountedCuts(whole, search.labels), 0
    parts, open_parts = np.zeros(len(problem.census), dtype=np.int64), [np.arange(len(problem.census))]
    while open_parts:
        cells = open_parts.pop()
        along = cut(problem, by, cells, blocks=3) if len(cells) > room or by.whole is None else None
        if along is None:
            parts[cells], done = done, done + 1
        else:
            pieces = along.pieces[problem.census.codes[along.column][cells]]
            open_parts += [cells[pieces == piece] for piece in range(along.number)]
    assert by.whole is not None
    return search.go_on(whole, EarlierParts(parts, by.whole))


@settings(max_examples=30, deadline=None)
@given(tables, st.sampled_from(CLOSED), kinds, st.integers(1, 12), st.sampled_from([{}, {"sex": 3.0}]))
def test_gives_the_classes_that_a_run_over_all_cells_gives(
    table: Part, promise: Any, labels: Any, room: int, importance: dict[str, float]
) -> None:
    asked, search = problem(table, promise, importance=importance), Mondrian(labels=labels)
    try:
        expected = search.search(asked)
    except ic.NoSafeRelease as error:
        with pytest.raises(ic.NoSafeRelease, match=re.escape(str(error))):
            cut_first(asked, search, room)
        return
    found = cut_first(asked, search, room)
    assert published(found) == published(expected)
    assert found.costs == pytest.approx(expected.costs)


def test_the_pieces_of_every_value_are_told() -> None:
    asked = problem(alike(age=[20, 22, 25, 31, 40, 47, 50, 60], sex=list("ffmmffmm")), ic.KAnonymity(2))
    along = cut(asked, CountedCuts(replace(asked, part=True), "range"), np.arange(8))
    assert along is not None
    assert (along.column, along.pieces.tolist()) == (0, [0, 0, 0, 0, 1, 1, 1, 1])


def test_values_that_a_part_does_not_have_go_nowhere() -> None:
    asked = problem(alike(age=[20, 22, 25, 31, 40, 47, 50, 60]), ic.KAnonymity(2))
    by = CountedCuts(replace(asked, part=True), "range")
    cut(asked, by, np.arange(8))
    along = cut(asked, by, np.arange(4))
    assert along is not None
    assert along.pieces.tolist() == [0, 0, 1, 1, -1, -1, -1, -1]


def test_a_whole_of_one_number_beside_missing_ones_is_measured_without_a_warning() -> None:
    asked = problem(alike(age=[20, 28, 28, None, None]), ic.KAnonymity(2))
    along = cut(asked, CountedCuts(replace(asked, part=True), "range"), np.arange(1, 3))
    assert along is not None
    assert along.pieces.tolist() == [-1, 0, 1]


def test_a_part_is_not_cut_where_a_piece_would_break_the_promise() -> None:
    asked = problem(alike(age=[20, 22, 25], disease=list("aab")), ic.LDiversity(2))
    assert cut(asked, CountedCuts(replace(asked, part=True), "range"), np.arange(3)) is None


def test_closeness_is_to_the_whole_table_and_not_to_the_part() -> None:
    table = alike(age=[20, 20, 30, 30, 60, 60, 70, 70], disease=list("abababab"))
    asked = problem(table, ic.TCloseness(0))
    part = replace(asked, part=True)
    halved = {name: domain.counts.tolist() for name, domain in asked.census.domains.items() if name == "disease"}
    assert halved == {"disease": [4, 4]}
    assert [judge.reference["disease"].tolist() for judge in part.judges() if judge.reference] == [[4, 4]]
    assert published(cut_first(asked, Mondrian(), 2)) == published(Mondrian().search(asked))


@pytest.mark.parametrize("dense", [0, 1 << 22], ids=["listed", "dense"])
def test_counts_are_the_same_however_they_are_kept(dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_by_counts, "_DENSE", dense)
    counts = Counts([3, 2])
    counts.add([np.array([2, 0, 2]), np.array([1, 0, 1])], np.array([4, 1, 2]))
    counts.add([np.array([0]), np.array([0])], np.array([5]))
    cells, sums = counts.cells()
    assert [column.tolist() for column in cells] == [[0, 2], [0, 1]]
    assert sums.tolist() == [6, 6]
    assert len(counts) == (2 if dense == 0 else 0)
