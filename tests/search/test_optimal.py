from __future__ import annotations

import contextlib
import math
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.core import Census
from incrowd.measures import Loss, Measure
from incrowd.models import promise
from incrowd.search import Incognito, Optimal, Problem, Progress, Samarati
from incrowd.search.lattice import _optimal as _boxes, _rollup
from incrowd.search.lattice._bounds import Bounds
from search import slow
from search.tables import PROMISES, k, problem, rows, tables

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists")


def agrees(table: list[Any], model: Any, ok: slow.Ok, limit: int, measure: str) -> None:
    """The search finds what looking at every node finds."""
    outcome = Optimal(measure).search(problem(table, model, limit))
    expected = slow.best(table, ok, limit, measure)
    if expected is None:
        assert outcome.best is None
        return
    assert outcome.best is not None
    assert outcome.best.score == pytest.approx(expected[0], abs=1e-10)
    assert tuple(outcome.best.levels.values()) == expected[1]
    node = slow.visit(table, expected[1], ok)
    assert (outcome.best.suppressed, outcome.best.classes) == (node.suppressed, len(node.kept))
    assert (outcome.proof, outcome.gap) == ("optimal", 0.0)


@settings(max_examples=30)
@given(
    table=tables,
    promise=st.sampled_from(PROMISES),
    share=st.sampled_from([0.0, 0.1, 0.3, 1.0]),
    measure=st.sampled_from(sorted(slow.MEASURES)),
)
def test_equals_exhaustive_search(table: list[Any], promise: Any, share: float, measure: str) -> None:
    model, ok = promise
    agrees(table, model, ok, int(share * len(table)), measure)


@settings(max_examples=20)
@given(
    table=tables,
    promise=st.sampled_from(PROMISES),
    share=st.sampled_from([0.0, 0.2, 1.0]),
    measure=st.sampled_from(["loss", "discernibility", "aecs"]),
)
def test_boxes_and_compiled_loops_change_nothing(table: list[Any], promise: Any, share: float, measure: str) -> None:
    model, ok = promise
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_boxes, "BOX", 4)
        patch.setattr(_boxes, "COARSE", 1)
        patch.setattr(_rollup, "COMPILE_AFTER", -1)
        agrees(table, model, ok, int(share * len(table)), measure)


@settings(max_examples=25)
@given(
    table=st.lists(
        st.builds(lambda row, person: {**row, "person": person}, rows, st.integers(0, 5)), min_size=1, max_size=20
    ),
    k=st.integers(1, 4),
    l=st.integers(1, 3),
    share=st.sampled_from([0.0, 0.3]),
)
def test_people_are_counted_where_the_table_says_whose_row_it_is(
    table: list[Any],
    k: int,
    l: int,  # noqa: E741
    share: float,
) -> None:
    def ok(group: Any, _: Any) -> bool:
        return len({row["person"] for row in group}) >= k and len({row["disease"] for row in group}) >= l

    agrees(table, ic.KAnonymity(k) & ic.LDiversity(l), ok, int(share * len(table)), "loss")


@settings(max_examples=25)
@given(
    table=tables,
    balance=st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]),
    weight=st.sampled_from([0.5, 1, 3]),
    mean=st.sampled_from(["geometric", "arithmetic"]),
)
def test_balance_and_importance_weigh(table: list[Any], balance: float, weight: float, mean: Any) -> None:
    published, left_out = min(1, 2 * (1 - balance)), min(1, 2 * balance)

    def lost(node: slow.Found, name: str, level: int) -> float:
        domain = len(slow.PATHS[name])
        every = Counter(slow.leaves(name, slow.PATHS[name][row[name]][level]) for row in table)
        kept = Counter(slow.leaves(name, slow.PATHS[name][row[name]][level]) for group in node.kept for row in group)
        total = sum(published * leaves * count for leaves, count in kept.items())
        total += sum((leaves + left_out * (domain - leaves)) * count for leaves, count in (every - kept).items())
        return (total - published * len(table)) / (len(table) * domain - published * len(table))

    def score(node: slow.Found) -> float:
        parts = [lost(node, name, level) for name, level in zip(slow.QUASI, node.levels, strict=True)]
        weights = (weight, 1, 1)
        if mean == "arithmetic":
            return sum(w * part for w, part in zip(weights, parts, strict=True)) / (weight + 2)
        return math.exp(sum(w * math.log1p(x) for w, x in zip(weights, parts, strict=True)) / (weight + 2)) - 1

    limit = len(table) // 3
    given = problem(table, ic.KAnonymity(2), limit, importance={"age": weight}, balance=balance)
    best = Optimal(Loss(mean)).search(given).best
    found = [node for node in slow.acceptable(table, k(2), limit) if node.kept]
    if not found:
        assert best is None
        return
    assert best is not None
    assert best.score == pytest.approx(min(map(score, found)), abs=1e-10)
    assert 0 <= best.score <= 1


@settings(max_examples=25)
@given(table=tables, low=st.integers(0, 2), high=st.integers(2, 3), share=st.sampled_from([0.0, 0.3]))
def test_levels_stay_within_bounds(table: list[Any], low: int, high: int, share: float) -> None:
    limit = int(share * len(table))
    given = problem(table, ic.KAnonymity(2), limit, at_least={"age": low}, at_most={"age": high, "town": 1})
    best = Optimal().search(given).best
    found = [
        node for node in slow.acceptable(table, k(2), limit) if low <= node.levels[0] <= high and node.levels[2] <= 1
    ]
    assert (best is None) == (not found)
    if best is not None:
        assert best.score == pytest.approx(min(map(slow.loss, found)), abs=1e-10)


@settings(max_examples=30)
@given(table=tables, promise=st.sampled_from(PROMISES), measure=st.sampled_from(sorted(slow.MEASURES)))
def test_bounds_are_below_what_they_bound(table: list[Any], promise: Any, measure: str) -> None:
    model, ok = promise
    asked = problem(table, model, len(table))
    objective = Measure.of(measure).bind(asked.census, {}, 0.5)
    bounds = Bounds(asked, objective)
    nodes = [slow.visit(table, levels, ok) for levels in slow.nodes()]
    levels = np.array([node.levels for node in nodes]).T[bounds.axes]
    left_out = np.array([node.suppressed for node in nodes])
    assert (bounds.suppressed(levels) <= left_out).all()
    for known in (left_out, bounds.suppressed(levels)):
        low = bounds.score(bounds.parts(bounds.places(levels), known))
        assert (low <= [slow.MEASURES[measure](node, table) + 1e-11 for node in nodes]).all()


def test_codes_that_fill_several_words() -> None:
    generator = random.Random(3)
    names = [f"q{number}" for number in range(14)]
    table = [{name: generator.choice(range(40)) for name in names} for _ in range(60)]
    roles = ic.Schema(quasi={name: ic.intervals(10) for name in names})
    census = ic.census(table, roles)
    fixed = dict.fromkeys(names[3:], 2)
    asked = Problem(census, roles, ic.KAnonymity(3), 20, at_least=fixed)
    best = Optimal().search(asked).best
    sizes = {
        levels: census.classes([*levels, *fixed.values()]).size
        for levels in np.ndindex(3, 3, 3)
        if all(level <= census.ladders[name].height for level, name in zip(levels, names, strict=False))
    }
    fine = [levels for levels, size in sizes.items() if size[size < 3].sum() <= 20]
    assert best is not None
    assert tuple(best.levels.values())[:3] in fine
    assert best.suppressed == (size := sizes[tuple(best.levels.values())[:3]])[size < 3].sum()


def many_columns() -> Problem:
    """A lattice of 3 ** 20 nodes."""
    generator = random.Random(5)
    names = [f"q{number}" for number in range(20)]
    table = [{name: generator.choice((10, 12, 25, 31)) for name in names} for _ in range(300)]
    roles = ic.Schema(quasi={name: ic.intervals(10) for name in names})
    return Problem(ic.census(table, roles), roles, ic.KAnonymity(5), 30)


def test_a_lattice_may_be_huge() -> None:
    outcome = Optimal(seconds=1.5).search(many_columns())
    assert outcome.nodes == 3**20
    assert outcome.best is not None
    assert outcome.best.suppressed <= 30
    assert outcome.lower_bound <= outcome.best.score
    assert outcome.proof == ("optimal" if outcome.gap == 0 else "best found")


def test_a_search_can_be_watched_and_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_boxes, "EVERY", 0.0)
    seen: list[Progress] = []

    def watch(progress: Progress) -> bool:
        seen.append(progress)
        return len(seen) < 5

    outcome = Optimal().search(many_columns(), watch)
    assert outcome.proof == "best found"
    assert len(seen) == 5
    assert seen[-1].nodes == 3**20


@pytest.mark.parametrize("measure", ["loss", "discernibility"])
def test_whoever_watches_hears_how_much_detail_the_best_so_far_keeps(
    measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_boxes, "EVERY", 0.0)
    table = [{"age": 20 + row % 7, "town": f"{row % 5}1"} for row in range(40)]
    schema = ic.Schema(quasi={"age": ic.intervals(3), "town": ic.mask()})
    asked: Any = {"model": "k>=3", "max_suppressed": 0.2}
    nodes = [{"age": age, "town": town} for age in range(3) for town in range(3)]
    known = set()
    for node in nodes:
        with contextlib.suppress(ic.NoSafeRelease):
            one = ic.anonymize(table, schema, algorithm=Optimal(), at_least=node, at_most=node, **asked)
            known.add(round(one.detail_kept, 9))
    seen: list[Progress] = []
    ic.anonymize(table, schema, algorithm=Optimal(measure), progress=seen.append, **asked)
    told = {round(one.kept, 9) for one in seen if one.kept is not None}
    assert told
    assert told <= known


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"importance": {"age": 0}}, "importance of column 'age' must be a number above 0, got 0"),
        ({"importance": {"agee": 1}}, "no column 'agee'"),
        ({"balance": 2}, "balance must be a number from 0 to 1, got 2"),
    ],
)
def test_weights_that_make_no_sense_are_refused(wrong: Any, message: str) -> None:
    asked = problem([{"age": "20", "sex": "f", "town": "ulm", "disease": "a"}], ic.KAnonymity(1), **wrong)
    with pytest.raises(ic.IncrowdError, match=message):
        Optimal().search(asked)


def test_measures_of_classes_know_no_columns() -> None:
    asked = problem([{"age": "20", "sex": "f", "town": "ulm", "disease": "a"}], ic.KAnonymity(1), importance={"age": 2})
    with pytest.raises(ic.ParameterError, match="looks at classes, not at columns"):
        Optimal("discernibility").search(asked)
    with pytest.raises(ic.ParameterError, match="knows no balance"):
        Optimal("aecs").search(
            problem([{"age": "20", "sex": "f", "town": "ulm", "disease": "a"}], ic.KAnonymity(1), balance=0)
        )


def test_a_search_needs_a_measure_and_time() -> None:
    with pytest.raises(ic.ParameterError, match="measure must be one of 'loss'"):
        Optimal("los")
    with pytest.raises(ic.ParameterError, match="seconds must be above 0"):
        Optimal(seconds=0)
    with pytest.raises(ic.ParameterError, match="mean must be 'geometric' or 'arithmetic'"):
        Loss("harmonic")  # type: ignore[arg-type]


@settings(max_examples=20)
@given(table=tables, stop=st.integers(1, 12), share=st.sampled_from([0.0, 0.3]))
def test_a_stopped_search_knows_how_far_it_may_be_from_the_best(table: list[Any], stop: int, share: float) -> None:
    seen: list[Progress] = []

    def watch(progress: Progress) -> bool:
        seen.append(progress)
        return len(seen) < stop

    limit = int(share * len(table))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_boxes, "EVERY", 0.0)
        patch.setattr(_boxes, "BOX", 6)
        outcome = Optimal().search(problem(table, ic.KAnonymity(2), limit), watch)
    expected = slow.best(table, k(2), limit, "loss")
    if expected is not None:
        assert outcome.lower_bound <= expected[0] + 1e-10
        assert outcome.best is None or outcome.best.score >= expected[0] - 1e-10


FLAT = ic.Schema(quasi={"a": ic.flat(), "b": ic.flat()}, sensitive=["s"])


def flat_problem(rows: str, promise_text: str, limit: int = 0, **more: Any) -> Problem:
    """Rows are words of three letters: a, b and s."""
    table = [dict(zip("abs", row, strict=True)) for row in rows.split()]
    return Problem(ic.census(table, FLAT), FLAT, promise(promise_text), limit, **more)


def test_a_node_that_publishes_nothing_never_wins() -> None:
    asked = flat_problem("xup yvp", "k>=2", 2)
    for search in (Optimal(), Optimal("height"), Incognito(), Samarati(), Samarati("minimal")):
        best = search.search(asked).best
        assert best is not None
        assert (best.levels, best.classes) == ({"a": 1, "b": 1}, 1)


def test_an_empty_table_has_no_best_node() -> None:
    census = ic.census([{"a": "x", "b": "u", "s": "p"}], FLAT)
    empty = Problem(emptied(census), FLAT, ic.KAnonymity(2))
    assert Optimal().search(empty).best is None


def emptied(census: Census) -> Census:
    """Take all cells away."""
    keep = np.zeros(len(census), dtype=bool)
    return replace(census, codes=tuple(codes[keep] for codes in census.codes), counts=census.counts[keep])


def test_entropy_that_rounding_lets_pass_is_not_pruned() -> None:
    rows = " ".join(f"{a}{b}{s}" for a in "xy" for b in "uv" for s in "pqr")
    asked = flat_problem(rows, "k>=1")
    exact = Problem(asked.census, FLAT, ic.LDiversity(0.1 * 3 * 10, kind="entropy"))
    best = Optimal().search(exact).best
    assert best is not None
    assert best.levels == {"a": 0, "b": 0}


def test_equal_heights_are_told_apart_by_the_order_of_the_schema() -> None:
    asked = flat_problem("xup xvp yup yvp", "k>=2", importance={"a": 2 / 3, "b": 2 / 3})
    best = Optimal("height").search(asked).best
    assert best is not None
    assert best.levels == {"a": 0, "b": 1}


def test_distances_refer_to_people_where_they_are_known() -> None:
    table = [{"a": a, "s": s, "who": who} for a, s, who in [("x", "p", 1), ("x", "q", 2), ("y", "p", 3), ("y", "q", 4)]]
    schema = ic.Schema(quasi={"a": ic.flat()}, sensitive=["s"], entity="who")
    best = Optimal().search(Problem(ic.census(table, schema), schema, promise("t<=0.1"))).best
    assert best is not None
    assert best.levels == {"a": 0}


def test_counts_beyond_what_floats_hold_are_exact() -> None:
    table = [
        {"a": "x", "s": "p", "n": 2**60},
        {"a": "y", "s": "q", "n": 2**60},
        {"a": "x", "s": "q", "n": 1},
        {"a": "y", "s": "p", "n": 2},
    ]
    schema = ic.Schema(quasi={"a": ic.flat()}, sensitive=["s"], count="n")
    census = ic.census(table, schema)
    (judge,) = promise("t<=0.5").bind(schema, census.domains)
    holds = bool(judge.judge(census.classes()).ok.all())
    best = Optimal().search(Problem(census, schema, promise("t<=0.5"))).best
    assert best is not None
    assert (best.levels == {"a": 0}) == holds


def test_incognito_keeps_the_whole_promise_where_only_small_classes_go() -> None:
    asked = flat_problem("xu1 xu1 yu1 yu2", "k>=2, l>=2", policy="small_only")
    found = Incognito().search(asked)
    assert found.best is not None
    assert found.best.levels == {"a": 1, "b": 0}


def test_a_search_by_heights_needs_to_know_how_many() -> None:
    with pytest.raises(ic.ParameterError, match="every must be 'one', 'height' or 'minimal'"):
        Samarati("foo")  # type: ignore[arg-type]
