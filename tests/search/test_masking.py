"""Masked records are one class of their own: it takes part in every search by levels."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.core import FullDomainRecoding
from incrowd.search import Incognito, Inspection, Optimal, Problem, Samarati, all_solutions, find_frontier
from incrowd.search.lattice import _optimal as _boxes
from incrowd.search.lattice._acceptance import Acceptance
from incrowd.search.lattice._rollup import Rollup
from search import slow
from search.tables import PROMISES, distinct, k, problem, rows, tables

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists")
shares = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.6, 1.0])
measures = st.sampled_from(sorted(slow.MEASURES))


def masked(table: list[Any], model: Any, limit: int, **more: Any) -> Problem:
    return problem(table, model, limit, suppression="mask", **more)


def as_set(found: Any) -> set[tuple[int, ...]]:
    return {tuple(row) for row in found.tolist()}


def towns(names: str, k_of: int, limit: int, **more: Any) -> Problem:
    roles = ic.Schema(quasi={"town": ic.tree([(name, name.upper()) for name in sorted(set(names) - {"*"})])})
    return Problem(
        ic.census([{"town": name} for name in names], roles),
        roles,
        ic.KAnonymity(k_of),
        limit,
        suppression="mask",
        **more,
    )


def gone(asked: Problem, level: int) -> list[int]:
    """Give the codes of the classes that are masked."""
    recoding = Inspection(asked, {"town": level}).recoding()
    assert isinstance(recoding, FullDomainRecoding)
    return list(recoding.suppressed[0].tolist())


def test_the_smallest_class_joins_those_that_would_break_the_promise_as_one() -> None:
    asked = towns("aaaabbbccd", 3, 6)  # c and d are masked, and 3 together keep k>=3
    assert gone(asked, 0) == [2, 3]
    asked = towns("aaaabbbc", 3, 6)  # c alone would be a class of 1: b joins it
    assert gone(asked, 0) == [1, 2]
    assert Inspection(asked, {"town": 0}).left_out() == 4


def test_of_equally_small_classes_the_first_joins() -> None:
    assert gone(towns("cccaaabbbd", 3, 6), 0) == [0, 3]


def test_further_classes_join_until_the_promise_is_kept() -> None:
    table = [
        {"q": q, "s": s} for q, values in {"a": "xx", "b": "xy", "c": "xyxy", "d": "xyxyxy"}.items() for s in values
    ]
    roles = ic.Schema(quasi={"q": ic.flat()}, sensitive=["s"])
    model = ic.TCloseness(Fraction(1, 10))  # x is 8 of 14: a is 3/7 away, a and b 5/28, a to c 3/56
    asked = Problem(ic.census(table, roles), roles, model, 8, suppression="mask")
    best = Optimal().search(asked).best
    assert best is not None
    assert (dict(best.levels), best.suppressed, best.classes) == ({"q": 0}, 8, 1)
    tight = Problem(ic.census(table, roles), roles, model, 7, suppression="mask")
    found = Optimal().search(tight).best
    assert found is not None
    assert dict(found.levels) == {"q": 1}


def test_a_node_above_an_acceptable_one_may_be_refused() -> None:
    roles = ic.Schema(quasi={"town": ic.tree([("a", "ABC"), ("b", "ABC"), ("c", "ABC"), ("d", "D")])})
    census = ic.census([{"town": name} for name in "aaabcd"], roles)
    asked = Problem(census, roles, ic.KAnonymity(3), 3, suppression="mask")
    assert all_solutions(asked).acceptable == [{"town": 0}, {"town": 2}]  # d alone would need ABC at level 1
    assert Samarati().search(asked).best == Optimal().search(asked).best


@settings(max_examples=30)
@given(table=tables, promise=st.sampled_from(PROMISES), share=shares, measure=measures)
def test_optimal_is_the_best_node_of_an_exhaustive_search(
    table: list[Any], promise: Any, share: float, measure: str
) -> None:
    model, ok = promise
    limit = int(share * len(table))
    outcome = Optimal(measure).search(masked(table, model, limit))
    expected = slow.best(table, ok, limit, measure, mask=True)
    if expected is None:
        assert outcome.best is None
        return
    assert outcome.best is not None
    assert outcome.best.score == pytest.approx(expected[0], abs=1e-10)
    assert tuple(outcome.best.levels.values()) == expected[1]
    node = slow.visit_masked(table, expected[1], ok)
    assert node is not None
    assert (outcome.best.suppressed, outcome.best.classes) == (node.suppressed, len(node.kept))


@settings(max_examples=20)
@given(table=tables, promise=st.sampled_from(PROMISES), share=shares)
def test_boxes_and_compiled_loops_change_nothing(table: list[Any], promise: Any, share: float) -> None:
    model, ok = promise
    limit = int(share * len(table))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_boxes, "BOX", 6)
        patch.setattr(Rollup, "_sorted", 10**9)
        outcome = Optimal().search(masked(table, model, limit))
    expected = slow.best(table, ok, limit, "loss", mask=True)
    assert (outcome.best and tuple(outcome.best.levels.values())) == (expected and expected[1])


@settings(max_examples=30)
@given(table=tables, promise=st.sampled_from(PROMISES), share=shares)
def test_all_searches_by_levels_see_the_same_nodes(table: list[Any], promise: Any, share: float) -> None:
    model, ok = promise
    limit = int(share * len(table))
    asked = masked(table, model, limit)
    expected = {node.levels: node for node in slow.acceptable(table, ok, limit, mask=True)}
    found = all_solutions(asked)
    nodes = [expected[levels] for levels in sorted(expected)]
    assert [tuple(node.values()) for node in found.acceptable] == sorted(expected)
    assert found.suppressed.tolist() == [node.suppressed for node in nodes]
    assert found.classes.tolist() == [len(node.kept) for node in nodes]
    incognito = Incognito().search(asked)
    assert as_set(incognito.acceptable) == set(expected)
    assert as_set(incognito.minimal) == slow.minimal(nodes)
    published = [node for node in nodes if node.kept]
    assert (incognito.best is None) == (not published)
    samarati = Samarati("height").search(asked)
    least = min((node.height for node in published), default=0)
    assert as_set(samarati.minimal) == {node.levels for node in published if node.height == least}


@settings(max_examples=30)
@given(table=st.lists(rows, min_size=4, max_size=14), promise=st.sampled_from(PROMISES))
def test_a_larger_limit_never_makes_a_release_worse(table: list[Any], promise: Any) -> None:
    model, _ = promise
    best = [Optimal().search(masked(table, model, limit)).best for limit in range(len(table) + 1)]
    scores = [float("inf") if node is None else node.score for node in best]
    assert scores == sorted(scores, reverse=True)


@settings(max_examples=25)
@given(table=tables, share=shares, measure=measures)
def test_the_frontier_is_the_best_node_for_every_k(table: list[Any], share: float, measure: str) -> None:
    limit = int(share * len(table))
    values = range(1, len(table) + 2)
    frontier = find_frontier(masked(table, ic.KAnonymity(1), limit), "k", values, measure)
    for value, node in zip(values, frontier.nodes, strict=True):
        expected = slow.best(table, k(value), limit, measure, mask=True)
        assert (node and tuple(node.levels.values())) == (expected and expected[1])


@settings(max_examples=15)
@given(table=tables, share=shares)
def test_the_frontier_of_l(table: list[Any], share: float) -> None:
    limit = int(share * len(table))
    frontier = find_frontier(masked(table, ic.LDiversity(1), limit), "l", range(1, 5), "loss")
    for value, node in zip(range(1, 5), frontier.nodes, strict=True):
        expected = slow.best(table, distinct(value), limit, "loss", mask=True)
        assert (node and tuple(node.levels.values())) == (expected and expected[1])


@settings(max_examples=25)
@given(table=tables, promise=st.sampled_from(PROMISES), share=shares)
def test_a_node_bounds_what_nodes_below_it_mask(table: list[Any], promise: Any, share: float) -> None:
    model, ok = promise
    acceptance = Acceptance(masked(table, model, int(share * len(table))))
    expected = {levels: slow.visit_masked(table, levels, ok) for levels in slow.nodes()}
    for levels in slow.nodes():
        bound = acceptance.test(acceptance.rollup.to(levels)).bound
        below = [node for other, node in expected.items() if all(map(int.__le__, other, levels)) and node is not None]
        assert all(bound <= max(node.suppressed, 0) or node.suppressed > acceptance.limit for node in below)


@settings(max_examples=25)
@given(table=tables, promise=st.sampled_from(PROMISES[:6]))
def test_no_other_choice_masks_fewer_records_where_adding_records_cannot_break_the_promise(
    table: list[Any], promise: Any
) -> None:
    model, ok = promise
    assert model.upward_closed
    for levels in [(0, 0, 0), (1, 0, 1), (2, 1, 0)]:
        groups = slow.classes(table, levels)
        broken = [group for group in groups if not ok(group, table)]
        others = [group for group in groups if ok(group, table)]
        if not broken or len(others) > 8:
            continue
        fewest = None
        for chosen in range(1 << len(others)):
            join = [group for place, group in enumerate(others) if chosen >> place & 1]
            together = [row for group in [*broken, *join] for row in group]
            if ok(together, table) and (fewest is None or len(together) < fewest):
                fewest = len(together)
        found = Acceptance(masked(table, model, len(table)))
        tested = found.test(found.rollup.to(levels))
        assert (tested.suppressed if tested.acceptable else None) == fewest


@settings(max_examples=25)
@given(table=tables, promise=st.sampled_from(PROMISES), share=shares)
def test_people_with_one_row_each_are_masked_as_records_are(table: list[Any], promise: Any, share: float) -> None:
    model, _ = promise
    limit = int(share * len(table))
    people = [{**row, "person": str(place)} for place, row in enumerate(table)]
    records, persons = (Optimal().search(masked(rows, model, limit)).best for rows in (table, people))
    assert records == persons


def test_people_of_masked_rows_are_counted_once() -> None:
    table = [{"who": who, "town": town} for who, town in zip("abccd", "aabcd", strict=True)]
    roles = ic.Schema(quasi={"town": ic.flat()}, entity="who")
    asked = Problem(ic.census(table, roles), roles, ic.KAnonymity(2), 3, suppression="mask")
    best = Optimal().search(asked).best
    assert best is not None
    assert (dict(best.levels), best.suppressed) == ({"town": 0}, 3)
    alone = Problem(ic.census(table[:4], roles), roles, ic.KAnonymity(2), 3, suppression="mask")
    best = Optimal().search(alone).best  # c alone is one person
    assert best is not None
    assert dict(best.levels) == {"town": 1}


def test_a_class_that_looks_masked_is_one_of_the_masked() -> None:
    roles = ic.Schema(quasi={"town": ic.tree([(town, "anywhere") for town in ("*", "ulm", "bonn")])})
    census = ic.census([{"town": town} for town in ("*", "*", "*", "ulm", "ulm", "bonn")], roles)
    best = Optimal().search(Problem(census, roles, ic.KAnonymity(2), 4, suppression="mask")).best
    assert best is not None
    assert (dict(best.levels), best.suppressed, best.classes) == ({"town": 0}, 4, 1)


def test_who_is_masked_has_no_supersets() -> None:
    roles = ic.Schema(quasi={"q": ic.flat()}, sensitive=["s"])
    census = ic.census([{"q": q, "s": s} for q, s in zip("aaaabc", "xyxyxy", strict=True)], roles)
    model = ic.KAnonymity(2) & ic.NTCloseness(3, Fraction(9, 10))
    best = Optimal().search(Problem(census, roles, model, 4, suppression="mask")).best
    assert best is not None
    assert (dict(best.levels), best.suppressed) == ({"q": 1}, 0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"suppression": "hide"}, "suppression must be 'drop', 'mask' or 'entity', got 'hide'"),
        ({"suppression": "mask", "policy": "small_only"}, "policy must be 'violating'"),
    ],
)
def test_wrong_ways_to_leave_records_out_are_refused(wrong: Any, message: str) -> None:
    with pytest.raises(ic.ParameterError, match=message):
        problem([{"age": "20", "sex": "f", "town": "ulm", "disease": "a"}], ic.KAnonymity(1), **wrong)
