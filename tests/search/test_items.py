"""A promise about items of a set, in every search: who breaks it is left out, and who breaks it then, to the end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.core import Domain
from incrowd.search import Problem, all_solutions, hopeless_levels
from models import slow_items

CALLED = [{item: item for item in "abcd"}, {"a": "ab", "b": "ab", "c": "cd", "d": "cd"}, dict.fromkeys("abcd", "")]
QUASI: dict[str, Any] = {
    "age": ic.intervals(2, 4, start=0),
    "dx": ic.items(ic.tree({"ab": ["a", "b"], "cd": ["c", "d"]})),
}
rows = st.fixed_dictionaries(
    {
        "age": st.integers(0, 3),
        "dx": st.frozensets(st.sampled_from("abcd"), max_size=3),
        "disease": st.sampled_from("pq"),
        "who": st.integers(0, 6),
    }
)
tables = st.lists(rows, min_size=1, max_size=14)
models = st.builds(ic.KKmAnonymity, st.integers(2, 3), st.integers(1, 3))
shares = st.sampled_from([0.0, 0.3, 0.7])


def problem(table: Any, model: Any, limit: int, **more: Any) -> Problem:
    written = [row | {"dx": "|".join(sorted(row["dx"])) or None} for row in table]
    schema = ic.Schema(QUASI, ["disease"], **({"entity": "who"} if "people" in more else {"insensitive": ["who"]}))
    return Problem(ic.census(written, schema), schema, model, limit)


def known(row: Any, levels: tuple[int, int]) -> Any:
    age = [row["age"], row["age"] // 2, "", ""][levels[0]]
    return age, frozenset(CALLED[levels[1] - 1][item] for item in row["dx"]) - {""}


def left_at(table: Any, levels: tuple[int, int], model: Any, *, diverse: bool, people: bool) -> list[int]:
    """Leave out records until the rest keeps the promise, and every group has two diseases if it must."""
    left = list(range(len(table)))
    while True:
        each = [(table[at]["who"] if people else at, *known(table[at], levels)) for at in left]
        gone = {at for at, one in zip(left, each, strict=True) if slow_items.fewest_of(each, one, model.m) < model.k}
        if diverse:
            # Where everything is `*` nobody can tell whether nothing is known of somebody.
            own = {at: (known(table[at], levels), bool(table[at]["dx"]) or levels[1] == 3) for at in left}
            gone |= {at for at in left if len({table[b]["disease"] for b in left if own[b] == own[at]}) < 2}
        if not gone:
            return left
        left = [at for at in left if at not in gone]


@settings(max_examples=60)
@given(table=tables, model=models, diverse=st.booleans(), people=st.booleans(), share=shares)
def test_every_node_leaves_out_what_the_definition_does(
    table: Any, model: Any, diverse: bool, people: bool, share: float
) -> None:
    limit = int(share * len(table))
    promised = model & ic.LDiversity(2, "disease") if diverse else model
    asked = problem(table, promised, limit, **({"people": True} if people else {}))
    nodes = [(age, dx) for age in range(asked.highs[0] + 1) for dx in range(1, asked.highs[1] + 1)]
    gone = {at: len(table) - len(left_at(table, at, model, diverse=diverse, people=people)) for at in nodes}
    expected = {at: number for at, number in gone.items() if number <= limit}
    found = all_solutions(asked)
    assert dict(zip(map(tuple, found.levels.tolist()), found.suppressed.tolist(), strict=True)) == expected
    for place, name in enumerate(QUASI):
        assert min((levels[place] for levels in expected), default=99) >= hopeless_levels(asked, name)


@settings(max_examples=30)
@given(table=tables, model=models, share=shares)
def test_all_searches_find_the_same_nodes(table: Any, model: Any, share: float) -> None:
    asked = problem(table, model, int(share * len(table)))
    found = all_solutions(asked)
    best = min(found.measures["loss"], default=None)
    optimal = ic.Optimal().search(asked).best
    assert (None if optimal is None else pytest.approx(optimal.score)) == best
    nodes = ic.Incognito().search(asked).acceptable
    assert nodes is not None
    assert sorted(map(tuple, nodes.tolist())) == sorted(map(tuple, found.levels.tolist()))
    heights = found.levels.sum(axis=1)
    samarati = ic.Samarati().search(asked).best
    assert (None if samarati is None else samarati.height) == min(heights, default=None)


def test_a_set_as_it_was_written_is_never_published() -> None:
    table = [{"age": 1, "dx": frozenset("ab"), "disease": "p", "who": at} for at in range(4)]
    asked = problem(table, ic.KAnonymity(2), 0)
    assert asked.lows == (0, 1)
    with pytest.raises(ic.ParameterError, match="'dx' must be at level 1 or higher"):
        Problem(asked.census, asked.schema, asked.model, at_most={"dx": 0})


def test_raising_sets_and_columns_never_hides_fewer() -> None:
    ladder = QUASI["dx"].bind(Domain.of("dx", ["a|b", "c", "b|c|d"]))
    assert [len(labels) for labels in ladder.labels] == [3, 3, 3, 1]
    table = [
        {"age": at % 4, "dx": frozenset("abcd"[at % 3 : at % 3 + 2]), "disease": "p", "who": at} for at in range(12)
    ]
    found = all_solutions(problem(table, ic.KKmAnonymity(3, 2), 12))
    left = dict(zip(map(tuple, found.levels.tolist()), found.suppressed.tolist(), strict=True))
    assert all(left[one] >= left[two] for one in left for two in left if one[0] <= two[0] and one[1] <= two[1])


def test_no_curve_is_drawn_where_no_group_keeps_a_k_by_itself() -> None:
    table = [{"age": 1, "dx": "a|b"}] * 4
    with pytest.raises(ic.ParameterError, match="counts something in every class"):
        ic.frontier(table, ic.Schema(QUASI), by="k", model="k>=2[any 2 items]")
