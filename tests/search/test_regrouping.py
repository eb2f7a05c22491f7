"""Classes that are looked at again: written out, and held to the promise and to what they lost before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.search import Problem
from incrowd.search._local_recoding import LocalTable
from incrowd.search.levels_and_cells import _regrouping
from incrowd.search.levels_and_cells._cells import END, CellSpace, StarredNode
from search.slow import QUASI, Ok, Row
from search.tables import PROMISES, problem, rows as some_rows, tables
from search.tables_levels import rows

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists", "ignore:.* promises nothing")
many_alike = st.lists(st.tuples(some_rows, st.integers(1, 14)), min_size=1, max_size=6).map(
    lambda pairs: [row for row, number in pairs for _ in range(number)]
)


def formed(asked: Problem) -> StarredNode:
    """Star cells at the lowest levels."""
    bundles = [(at,) for at in range(len(asked.census.quasi))]
    board = CellSpace(LocalTable(asked, whole=True), bundles, {})
    return StarredNode.formed(board, None, asked.limit, END)


def found_in(node: StarredNode) -> dict[tuple[str, ...], int]:
    """Count the records under every label."""
    pieces, labels = node.pieces, [one.texts for one in node.labels()]
    sizes = np.bincount(pieces.classes[pieces.classes >= 0], pieces.counts[pieces.classes >= 0], minlength=node.number)
    return {tuple(str(one[at]) for one in labels): int(sizes[at]) for at in range(node.number)}


THREE_IN_KIEL = [("25", "bonn")] * 2 + [("31", "bonn"), ("31", "ulm")]
THREE_IN_KIEL += [("47", town) for town in ("bonn", "ulm", "kiel", "kiel", "kiel")]


def test_records_that_can_stand_by_themselves_do_and_who_was_with_them_goes_elsewhere() -> None:
    node = formed(problem(rows(*THREE_IN_KIEL), ic.KAnonymity(3)))
    assert found_in(node) == {("47", "f", "*"): 4, ("*", "f", "*"): 5}
    assert found_in(node.regrouped()) == {("47", "f", "kiel"): 3, ("*", "f", "*"): 6}


def test_nothing_is_looked_at_again_in_long_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    node = formed(problem(rows(*THREE_IN_KIEL), ic.KAnonymity(3)))
    monkeypatch.setattr(_regrouping, "WORK", 10)
    assert found_in(node.regrouped()) == found_in(node)


def test_rows_of_people_are_not_parted() -> None:
    people = [{"age": "20", "town": "ulm", "number": number} for number in range(20)]
    people += [{"age": age, "town": "bonn", "number": 20} for age in ("20", "47")]
    roles = ic.Schema({"age": ic.flat(), "town": ic.flat()}, entity="number")
    cells = formed(Problem(ic.census(people, roles), roles, ic.KAnonymity(2))).regrouped().pieces.cells
    assert len(cells) == len(set(cells.tolist()))


@given(st.one_of(tables, many_alike), st.sampled_from(PROMISES), st.integers(0, 2))
@settings(max_examples=120, deadline=None)
def test_classes_keep_the_promise_nobody_is_lost_and_nothing_is_lost_beside_before(
    table: list[Row], promised: tuple[Any, Ok], limit: int
) -> None:
    model, ok = promised
    if not ok(table, table):
        return
    asked = problem(table, model, limit, at_most=dict.fromkeys(QUASI, 0))
    node = formed(problem(table, model, limit))
    again = node.regrouped()
    assert again.loss <= node.loss
    assert again.left_out <= asked.limit
    pieces = again.pieces
    assert (np.bincount(pieces.cells, pieces.counts) == again.board.table.census.counts).all()
    inside = pieces.classes >= 0
    kept = again.board.table.keeps(
        pieces.cells[inside], pieces.classes[inside], again.number, counts=pieces.counts[inside]
    )
    assert kept.all()
