"""A promise about several rows of a person, in every search: who stands out is left out with all rows, to the end.

No search prunes anything by it that a slow visit of every node would find.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.models import promise
from incrowd.search import all_solutions, hopeless_levels
from models import slow_rows
from search import slow
from search.slow import QUASI, Found, labels
from search.tables import problem

rows = st.fixed_dictionaries(
    {
        "person": st.integers(0, 6),
        **{name: st.sampled_from(sorted(paths)[:3]) for name, paths in slow.PATHS.items()},
        "disease": st.sampled_from("ab"),
    }
)
tables = st.lists(rows, min_size=1, max_size=16)
models = st.builds(
    ic.KmAnonymity,
    st.integers(2, 3),
    st.integers(1, 3),
    st.sampled_from([None, "sex", ("town", "age")]),
    multiset=st.booleans(),
)
diverse = st.booleans()
shares = st.sampled_from([0.0, 0.3, 0.7])


def left_out_by(table: list[Any], levels: Any, model: ic.KmAnonymity, *, diverse: bool) -> Found:
    """Leave people out until the rest keeps the promise, and every group has two diseases if it must."""
    known = range(3) if model.known is None else [QUASI.index(name) for name in model.known]
    left = table
    while True:
        people, groups = defaultdict(list), defaultdict(list)
        for row in left:
            own = labels(row, levels)
            people[row["person"]].append(tuple(own[at] for at in known))
            groups[own].append(row)
        gone = slow_rows.exposed(people, model.k, model.m, multiset=model.multiset) if people else set()
        if diverse:
            gone |= {
                row["person"] for group in groups.values() if len({r["disease"] for r in group}) < 2 for row in group
            }
        if not gone:
            return Found(levels, list(groups.values()), len(table) - len(left), len(table))
        left = [row for row in left if row["person"] not in gone]


@settings(max_examples=25)
@given(table=tables, k=st.integers(2, 3), diverse=diverse, share=shares)
def test_whole_people_are_left_out_for_any_promise_where_that_is_asked(
    table: Any, k: int, diverse: bool, share: float
) -> None:
    limit = int(share * len(table))
    asked = problem(table, promised(ic.KAnonymity(k), diverse=diverse), limit, suppression="entity")
    one_row = ic.KmAnonymity(k, 1)
    visited = [left_out_by(table, levels, one_row, diverse=diverse) for levels in slow.nodes()]
    expected = {node.levels: node.suppressed for node in visited if node.suppressed <= limit}
    found = all_solutions(asked)
    assert dict(zip(map(tuple, found.levels.tolist()), found.suppressed.tolist(), strict=True)) == expected


HOUSEHOLDS = [
    {"home": home, "age": age, "sex": sex}
    for home, people in enumerate(["20f 31m", "20f 31m 47f", "20f", "62m 20f", "31m"])
    for age, sex in ((member[:2], member[2]) for member in people.split())
]
"""Only the second has somebody of 47, and only the fourth somebody of 62."""


def test_no_household_is_published_in_part() -> None:
    roles = ic.Schema(quasi={"age": ic.flat(), "sex": ic.flat()}, entity="home", insensitive=["id"])
    table = [row | {"id": at} for at, row in enumerate(HOUSEHOLDS)]
    same: dict[str, Any] = {"model": "k>=2", "max_suppressed": 0.7, "at_most": {"age": 0}}
    whole = ic.anonymize(table, roles, suppression="entity", **same)
    assert {table[row["id"]]["home"] for row in whole.table} == {0, 2, 4}
    assert whole.recipe.suppression == "entity"
    parts = ic.anonymize(table, roles, algorithm=ic.Optimal(), **same)
    assert {table[row["id"]]["home"] for row in parts.table} == {0, 1, 2, 3, 4}
    nobody = ic.anonymize(table, roles, suppression="entity", model="k>=2")
    assert len(nobody.table) == len(table)
    with pytest.raises(ic.ParameterError, match="all rows of a person together"):
        ic.anonymize(table, roles, suppression="entity", algorithm=ic.Mondrian(), model="k>=2", max_suppressed=0.2)
    with pytest.raises(ic.ParameterError, match="nothing says whose row is whose"):
        ic.anonymize([{"age": 3}] * 2, ic.Schema(quasi=["age"]), suppression="entity", model="k>=2")


def promised(model: Any, *, diverse: bool) -> Any:
    return model & ic.LDiversity(2, "disease") if diverse else model


@settings(max_examples=40)
@given(table=tables, model=models, diverse=diverse, share=shares)
def test_every_node_leaves_out_what_the_definition_does(table: Any, model: Any, diverse: bool, share: float) -> None:
    limit = int(share * len(table))
    asked = problem(table, promised(model, diverse=diverse), limit)
    visited = [left_out_by(table, levels, model, diverse=diverse) for levels in slow.nodes()]
    expected = {node.levels: node for node in visited if node.suppressed <= limit}
    found = all_solutions(asked)
    assert [tuple(node.values()) for node in found.acceptable] == sorted(expected)
    nodes = [expected[levels] for levels in sorted(expected)]
    assert found.suppressed.tolist() == [node.suppressed for node in nodes]
    assert found.classes.tolist() == [len(node.kept) for node in nodes]
    assert found.measures["loss"] == pytest.approx([slow.MEASURES["loss"](node, table) for node in nodes], abs=1e-10)
    for place, name in enumerate(QUASI):
        assert min((levels[place] for levels in expected), default=99) >= hopeless_levels(asked, name)


@settings(max_examples=30)
@given(table=tables, model=models, share=shares, measure=st.sampled_from(["loss", "aecs", "discernibility"]))
def test_the_best_node_is_the_best_of_all(table: Any, model: Any, share: float, measure: str) -> None:
    limit = int(share * len(table))
    visited = [left_out_by(table, levels, model, diverse=False) for levels in slow.nodes()]
    scores = [slow.MEASURES[measure](node, table) for node in visited if node.suppressed <= limit and node.kept]
    best = ic.Optimal(measure).search(problem(table, model, limit)).best
    assert (best is None) == (not scores)
    if best is not None:
        assert best.score == pytest.approx(min(scores), abs=1e-10)
        assert best.suppressed == left_out_by(table, tuple(best.levels.values()), model, diverse=False).suppressed


@settings(max_examples=20)
@given(table=tables, model=models, share=shares)
def test_searches_for_all_and_for_lowest_nodes_find_them(table: Any, model: Any, share: float) -> None:
    limit = int(share * len(table))
    asked = problem(table, model, limit)
    visited = [left_out_by(table, levels, model, diverse=False) for levels in slow.nodes()]
    found = [node for node in visited if node.suppressed <= limit]
    minimal = ic.Incognito().search(asked).minimal
    assert {tuple(node) for node in ([] if minimal is None else minimal.tolist())} == slow.minimal(found)
    lowest = ic.Samarati().search(asked).best
    heights = [node.height for node in found if node.kept]
    if not model.multiset:  # else height does not decide: Samarati searches what it can
        assert (None if lowest is None else lowest.height) == min(heights, default=None)


@settings(max_examples=30)
@given(table=tables, model=models, diverse=diverse, share=shares)
def test_a_release_keeps_it_and_leaves_out_people_with_all_rows(
    table: Any, model: Any, diverse: bool, share: float
) -> None:
    asked = problem(table, promised(model, diverse=diverse))
    try:
        release = ic.anonymize(
            [{**row, "id": at} for at, row in enumerate(table)],
            ic.Schema(
                quasi=dict(asked.schema.quasi),
                sensitive=dict(asked.schema.sensitive),
                insensitive=["id"],
                entity="person",
            ),
            model=promised(model, diverse=diverse),
            max_suppressed=share,
            importance={"age": 9},  # rather leave people out than lose the ages
        )
    except ic.NoSafeRelease:
        return
    kept = [table[row["id"]] | {"labels": tuple(row[name] for name in QUASI)} for row in release.table]
    before, after = Counter(row["person"] for row in table), Counter(row["person"] for row in kept)
    assert all(before[person] == number for person, number in after.items())
    known = range(3) if model.known is None else [QUASI.index(name) for name in model.known]
    people = defaultdict(list)
    for row in kept:
        people[row["person"]].append(tuple(row["labels"][at] for at in known))
    assert slow_rows.fewest(people, model.m, multiset=model.multiset) >= model.k
    assert release.verdict.persons == len(people)
    assert release.recipe.levels is not None
    assert len(table) - len(kept) <= int(share * len(table))


LOCAL = [
    ic.LevelsAndCells(),
    ic.CheapestFirst(),
    ic.Mondrian(),
    ic.TopDown(),
    ic.Datafly(),
    ic.MuArgus(),
    ic.SwapDiversity(),
]


@pytest.mark.parametrize("algorithm", LOCAL, ids=lambda one: type(one).__name__)
def test_searches_for_local_recodings_refuse_it_with_the_reason(algorithm: Any) -> None:
    table = [{"person": at // 2, "age": "20", "sex": "f", "town": "ulm", "disease": "ab"[at % 2]} for at in range(8)]
    with pytest.raises(ic.ParameterError, match="all rows of a person together"):
        algorithm.search(problem(table, promise("k>=2[any 2 rows], l>=2[disease]")))


def test_masking_and_nt_closeness_are_refused_with_the_reason() -> None:
    table = [{"person": at, "age": "20", "sex": "f", "town": "ulm", "disease": "a"} for at in range(4)]
    with pytest.raises(ic.ParameterError, match="nobody can be masked"):
        problem(table, promise("k>=2[any 2 rows]"), suppression="mask")
    with pytest.raises(ic.ParameterError, match="Larger groups"):
        problem(table, promise("k>=2[any 2 rows], nt(n=2, t=0.5)[disease]"))
