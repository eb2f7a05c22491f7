from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.core import Cells, Classes, Domain, Grouping
from incrowd.models import (
    Feasibility,
    Model,
    cumulative_max,
    feasibility,
    max_groups,
    max_p,
    promise,
    suppression_limit,
)
from models.tables import classes_of, counted, judge

CATEGORIES = ic.categories({"secret": ["a"], "private": ["b"], "harmless": ["c", "d"]})
UNLESS = "; as long as no record is left out, some class is no better."
EXAMPLE = [[300, 300, 200, 100, 100], [500, 300, 100, 40, 35, 25], [700, 200, 50, 10, 10, 10, 10, 5, 3, 2]]

counts = st.lists(st.integers(1, 9), min_size=1, max_size=6)
rows = st.lists(st.sampled_from("abcd"), min_size=1, max_size=7)
owned = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), min_size=1, max_size=7)
numbers = st.fractions(1, 4, max_denominator=6)
counting = st.one_of(
    st.builds(ic.KAnonymity, st.integers(1, 8)),
    st.builds(ic.LDiversity, st.integers(1, 5)),
    st.builds(ic.PSensitive, st.integers(1, 5)),
)
sharing = st.one_of(
    st.builds(ic.LDiversity, numbers, kind=st.just("probabilistic")),
    st.builds(ic.AlphaAssociation, st.fractions(Fraction(1, 5), 1, max_denominator=8)),
    st.builds(ic.AlphaAssociation, st.fractions(Fraction(1, 5), 1, max_denominator=8), values=st.just(["a", "b"])),
    st.builds(ic.AlphaAssociation, st.just({"a": Fraction(1, 3), "c": Fraction(1, 2)})),
)
models = st.one_of(
    counting,
    sharing,
    st.builds(ic.PAlphaSensitive, st.integers(1, 4), st.fractions(0, 4, max_denominator=3)),
    st.builds(ic.EnhancedPAlphaSensitive, st.integers(1, 4), st.fractions(0, 4, max_denominator=3)),
    st.builds(ic.LDiversity, numbers, kind=st.just("entropy")),
    st.builds(ic.RecursiveDiversity, st.fractions(Fraction(1, 4), 4, max_denominator=4), st.integers(1, 5)),
)


def ask(model: Model | str, rows: list[tuple[Any, ...]], limit: int = 0, *, entity: bool = False) -> Feasibility:
    classes, domains = classes_of(rows, entity=entity)
    known = set(domains["s"].texts.tolist()) <= set("abcd")
    schema = ic.Schema(quasi=["q"], sensitive={"s": CATEGORIES if known else None}, entity="person" if entity else None)
    bound = (promise(model) if isinstance(model, str) else model).bind(schema, domains)
    return feasibility(bound, classes, limit)


def most_classes(model: Model, rows: list[tuple[Any, ...]], limit: int, *, entity: bool = False) -> int:
    """Try all ways to leave out records and to group the others; give the most classes that keep the promise."""
    parts = range(1, 1 << len(rows))
    as_classes = [(part, *row) for part in parts for place, row in enumerate(rows) if part >> place & 1]
    keeps = [False, *judge(model, as_classes, CATEGORIES, entity=entity).ok.tolist()]
    most = [0] + [-1] * len(parts)
    for kept in parts:
        lowest, inner = kept & -kept, kept
        while inner:
            if inner & lowest and keeps[inner] and most[kept ^ inner] >= 0:
                most[kept] = max(most[kept], most[kept ^ inner] + 1)
            inner = (inner - 1) & kept
    least = len(rows) - limit
    return max([most[kept] for kept in range(len(most)) if int.bit_count(kept) >= least])


@pytest.mark.parametrize(("p", "most"), [(1, 1000), (2, 300), (3, 100), (4, 50), (5, 25), (6, 0)])
def test_the_bound_of_the_papers_example(p: int, most: int) -> None:
    assert max_groups(EXAMPLE, p) == most


def test_cumulative_frequencies_of_the_papers_example() -> None:
    assert cumulative_max(EXAMPLE) == [700, 900, 950, 960, 1000]
    assert max_p(EXAMPLE) == 5


@pytest.mark.parametrize(
    ("frequencies", "p", "most"),
    [([900, 90, 5, 3, 2], 3, 10), ([1980, 20], 2, 20), ([9900, 100], 2, 100), ([3, 0, 0], 2, 0), ([], 1, 0)],
)
def test_bounds_on_one_column(frequencies: list[int], p: int, most: int) -> None:
    assert max_groups([frequencies], p) == most


def test_frequencies_of_different_tables_are_refused() -> None:
    with pytest.raises(ic.ParameterError, match="all adding up to the number of records"):
        max_groups([[3, 2], [4]], 2)
    with pytest.raises(ic.ParameterError, match=r"p must be at least 1, got 0\."):
        max_groups([[3, 2]], 0)


@given(table=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=2, max_size=30), data=st.data())
def test_leaving_records_out_raises_no_bound(table: list[tuple[int, int]], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.sampled_from(range(len(table))), min_size=1, unique=True))
    p = data.draw(st.integers(1, 5))
    whole, part = (
        [np.bincount([row[column] for row in chosen]).tolist() for column in (0, 1)]
        for chosen in (table, [table[place] for place in kept])
    )
    assert max_p(part) <= max_p(whole)
    assert max_groups(part, p) <= max_groups(whole, p)


@given(frequencies=counts, p=st.integers(1, 6))
def test_the_bound_on_one_column_is_exact(frequencies: list[int], p: int) -> None:
    records = sum(frequencies)
    possible = [
        groups for groups in range(1, records + 1) if sum(min(count, groups) for count in frequencies) >= p * groups
    ]
    assert min(max_groups([frequencies], p), records // p) == max(possible, default=0)


@given(values=rows, p=st.integers(2, 4))
@settings(max_examples=40)
def test_some_grouping_reaches_the_bound(values: list[str], p: int) -> None:
    table = [(value,) for value in values]
    groups = most_classes(ic.PSensitive(p), table, limit=0)
    assert max(groups, 0) == ask(ic.PSensitive(p), [(0, value) for value in values]).max_classes


@pytest.mark.filterwarnings("ignore:AlphaAssociation lists")
@given(values=rows, model=models, limit=st.integers(0, 3))
@settings(max_examples=100)
def test_nothing_feasible_is_refused_and_no_release_has_more_classes(
    values: list[str], model: Model, limit: int
) -> None:
    groups = most_classes(model, [(value,) for value in values], limit)
    answer = ask(model, [(0, value) for value in values], limit)
    assert answer.vacuous == (limit >= len(values))
    assert answer.feasible or groups < 1
    assert groups <= answer.max_classes
    if not answer.vacuous and (model.upward_closed or limit == 0):
        assert answer.feasible == (groups >= 1)


@pytest.mark.filterwarnings("ignore:AlphaAssociation lists")
@given(rows=owned, model=st.one_of(counting, sharing), limit=st.integers(0, 2))
@settings(max_examples=100)
def test_the_same_where_people_have_several_records(rows: list[tuple[str, int]], model: Model, limit: int) -> None:
    groups = most_classes(model, rows, limit, entity=True)
    answer = ask(model, [(0, *row) for row in rows], limit, entity=True)
    assert answer.feasible or groups < 1
    assert groups <= answer.max_classes


@pytest.mark.filterwarnings("ignore:AlphaAssociation lists")
@given(values=rows, model=models, limit=st.integers(0, 3))
@settings(max_examples=40)
def test_the_nearest_promise_has_no_obstacle(values: list[str], model: Model, limit: int) -> None:
    table = [(0, value) for value in values]
    for obstacle in ask(model, table, limit).obstacles:
        assert obstacle.nearest is not None
        assert ask(obstacle.nearest, table, limit).feasible


@pytest.mark.parametrize(
    ("text", "reason", "nearest"),
    [
        ("k>=8", "The table has 7 records, and every class needs 8.", "k>=7"),
        ("p>=4", "The number of different values in column 's' is 3, and every class needs 4.", "p>=3[s]"),
        (
            "enhanced(p=4, alpha=1)",
            "The number of categories in column 's' is 3, and every class needs 4.",
            "enhanced(p=3, alpha=1)[s]",
        ),
        (
            "p-alpha(p=2, alpha=5)",
            "The total weight of column 's' is 2, and every class needs 5.",
            "p-alpha(p=2, alpha=2)[s]",
        ),
        (
            "entropy-l>=3",
            "The whole table has l = 2.6 in column 's', and l >= 3 is asked" + UNLESS,
            "entropy-l>=2.6[s]",
        ),
        (
            "alpha<=0.4[s: a]",
            "The whole table has alpha = 0.572 in column 's', and alpha <= 0.4 is asked" + UNLESS,
            "alpha<=0.572[s: a]",
        ),
        (
            "alpha(a=0.5, b=0.5)",
            "The whole table has alpha = 0.572 in column 's', and alpha <= 0.5 is asked" + UNLESS,
            "alpha(a=0.572, b=0.5)[s]",
        ),
        ("nt(n=8, t=0.1)", "The table has 7 records, and every class needs a superset of 8.", "nt(n=7, t=0.1)[s]"),
    ],
)
def test_an_obstacle_gives_the_reason_and_the_nearest_promise(text: str, reason: str, nearest: str) -> None:
    answer = ask(text, counted({"a": 4, "b": 2, "c": 1}))
    (obstacle,) = answer.obstacles
    assert (obstacle.reason, obstacle.nearest) == (reason, nearest)
    assert not answer.feasible
    assert answer.max_classes == 0


def test_recursive_diversity_is_weakened_in_both_numbers() -> None:
    (obstacle,) = ask("recursive(c=1, l=4)", counted({"a": 4, "b": 2, "c": 1})).obstacles
    assert obstacle.nearest == "recursive(c=4.01, l=3)[s]"
    (obstacle,) = ask("recursive(c=1, l=2)", counted({"a": 3, "b": 3})).obstacles
    assert obstacle.nearest == "recursive(c=1.01, l=2)[s]"


def test_entropy_of_the_whole_table_decides_only_while_nobody_is_left_out() -> None:
    table = [("a1", "x"), ("a1", "y"), *[("a2", "x")] * 4]
    assert not ask("entropy-l>=2", table).feasible
    assert ask("entropy-l>=2", table, limit=4).feasible
    (obstacle,) = ask("entropy-l>=2.5", table, limit=4).obstacles
    assert obstacle.reason == "The number of different values in column 's' is 2, and every class needs 3."
    assert obstacle.nearest == "entropy-l>=2[s]"


def test_too_few_values_for_a_share_are_seen_whatever_is_left_out() -> None:
    (obstacle,) = ask("alpha<=0.3", counted({"a": 1, "b": 1, "c": 1}), limit=2).obstacles
    assert obstacle.nearest == "alpha<=0.334[s]"


def test_the_whole_table_is_close_to_itself() -> None:
    assert ask("t<=0, beta<=0.1, delta<0.1, nt(n=3, t=0)", counted({"a": 2, "b": 1})).feasible


def test_a_reference_from_outside_can_be_out_of_reach() -> None:
    classes, domains = classes_of(counted({"a": 2, "b": 2}))
    schema = ic.Schema(quasi=["q"], sensitive=["s"])
    for limit, nearest in ((0, "t<=0.3[s]"), (1, None)):
        judges = ic.TCloseness(0.2).bind(schema, domains, reference={"s": np.array([8, 2])})
        found = feasibility(judges, classes, limit).obstacles
        assert [obstacle.nearest for obstacle in found] == ([nearest] if nearest else [])


def test_values_that_only_the_reference_has_are_missing_whatever_is_left_out() -> None:
    domains = {"s": Domain.of("s", ["a", "b"])}
    cells = Cells({"s": np.zeros(1, np.uint8)}, domains, None, np.array([5]))
    classes = Classes.of(Grouping(np.zeros(1, np.uint8), np.zeros(1, np.intp)), (), cells)
    schema = ic.Schema(quasi=["q"], sensitive=["s"])
    judges = ic.TCloseness(0.1).bind(schema, domains, reference={"s": np.array([8, 2])})
    (obstacle,) = feasibility(judges, classes, 1).obstacles
    assert obstacle.reason == "The whole table has coverage = 0.8 in column 's', and coverage >= 0.9 is asked."
    assert obstacle.nearest == "t<=0.2[s]"


def test_every_record_may_be_left_out() -> None:
    answer = ask("k>=9", counted({"a": 2}), limit=2)
    assert (answer.feasible, answer.vacuous, answer.max_classes) == (True, True, 0)


def test_an_empty_table_keeps_everything() -> None:
    domains = {"s": Domain.of("s", [])}
    cells = Cells({"s": np.zeros(0, np.uint8)}, domains, None, np.zeros(0, np.int64))
    nothing = Classes.of(Grouping(np.zeros(0, np.uint8), np.zeros(0, np.intp)), (), cells)
    judges = promise("k>=5, l>=2, p-alpha(p=1, alpha=1)").bind(
        ic.Schema(quasi=["q"], sensitive={"s": CATEGORIES}), domains
    )
    answer = feasibility(judges, nothing)
    assert (answer.feasible, answer.vacuous, answer.max_classes) == (True, True, 0)


def test_weights_bound_the_number_of_classes() -> None:
    table = counted({"a": 6, "b": 4, "c": 1})
    assert ask("p-alpha(p=1, alpha=1)", table).max_classes == 3
    assert ask('p-alpha(p=1, alpha=1, weight_over="distinct")', table).max_classes == 11


def test_a_weight_that_has_no_meaning_on_the_whole_table_is_no_obstacle() -> None:
    several = [(0, "a", "x"), (1, "c", "x"), (0, "c", "y"), (1, "a", "y")]
    assert ask("p-alpha(p=1, alpha=9)", several, entity=True).feasible


def test_combinations_of_columns_are_counted_together() -> None:
    table = [{"q": 1, "a": 1, "b": 1}, {"q": 1, "a": 1, "b": 2}, {"q": 2, "a": 2, "b": 1}]
    schema = ic.Schema(quasi=["q"], sensitive=["a", "b"])
    (obstacle,) = ic.feasibility(table, schema, "p>=4[a+b]").obstacles
    assert (
        obstacle.reason == "The number of different combinations of columns 'a' and 'b' is 3, and every class needs 4."
    )
    assert obstacle.nearest == "p>=3[a+b]"


def test_a_feasibility_must_be_asked() -> None:
    with pytest.raises(TypeError, match=r"ask feasibility\.feasible"):
        bool(ask("k>=1", counted({"a": 2})))


@pytest.mark.parametrize(
    ("records", "share", "most"), [(100, 0.29, 29), (99, 0.29, 28), (10, 0, 0), (10, 1, 10), (3, Fraction(1, 3), 1)]
)
def test_a_share_means_the_decimal_that_was_written(records: int, share: float, most: int) -> None:
    assert suppression_limit(records, share) == most


def test_a_number_of_records_may_be_given_instead() -> None:
    assert suppression_limit(100, number=7) == 7
    assert suppression_limit(5, number=7) == 5


@pytest.mark.parametrize(
    ("share", "number", "says"),
    [
        (5, None, r"max_suppressed must be at least 0 and at most 1, got 5\..*max_suppressed_records"),
        (-0.1, None, "max_suppressed must be at least 0"),
        (0.1, 5, "are both given"),
        (0, -1, r"max_suppressed_records must be at least 0, got -1\."),
        (0, 0.5, "max_suppressed_records must be a whole number"),
        (True, None, "max_suppressed must be a number"),
    ],
)
def test_wrong_limits_are_refused(share: Any, number: Any, says: str) -> None:
    with pytest.raises(ic.ParameterError, match=says):
        suppression_limit(100, share, number)


@pytest.mark.parametrize(
    "text",
    [
        "k>=1",
        "l>=1",
        "entropy-l>=1",
        "p>=1",
        "p-alpha(p=1, alpha=0)",
        "alpha<=1",
        "alpha(HIV=1)",
        "t<=1",
        "recursive(c=2, l=1)",
        "nt(n=1, t=0)",
        "nt(n=1, t=0)[kl]",
    ],
)
def test_a_promise_that_every_table_keeps_is_noted(text: str) -> None:
    known = "" if promise(text).missing else " without missing values"
    assert promise(text).trivial_notes() == [f"{promise(text)} promises nothing: every table{known} keeps it."]


@pytest.mark.parametrize(
    "text",
    [
        "k>=2",
        "l>=2",
        "t<=0.9",
        "t<=1[s, kl]",
        "alpha(a=1, b=0.5)",
        "recursive(c=1, l=1)",
        "beta<=1",
        "nt(n=2, t=1)[kl]",
    ],
)
def test_other_promises_are_not(text: str) -> None:
    assert promise(text).trivial_notes() == []


def test_a_promise_that_every_large_table_keeps_is_noted() -> None:
    assert promise("nt(n=9, t=1)").trivial_notes() == [
        "nt(n=9, t=1) promises nothing: every table of 9 or more keeps it."
    ]


@pytest.mark.parametrize("limit", [0, 1])
@pytest.mark.parametrize(("c", "l"), [(1, 3), (1, 1), (Fraction(1, 2), 1)])
def test_where_everybody_has_one_value_recursive_diversity_needs_a_larger_c(c: Any, l: int, limit: int) -> None:  # noqa: E741
    rows = [(1, "a"), (1, "a"), (1, "a")]
    (obstacle,) = ask(ic.RecursiveDiversity(c, l), rows, limit).obstacles
    assert obstacle.nearest == "recursive(c=1.01, l=1)[s]"
    assert ask(promise(obstacle.nearest), rows, limit).feasible


@given(values=rows, c=st.fractions(Fraction(1, 5), 3, max_denominator=5), l=st.integers(1, 4), limit=st.integers(0, 2))
@settings(max_examples=40)
def test_the_nearest_recursive_promise_has_no_obstacle(values: list[str], c: Fraction, l: int, limit: int) -> None:  # noqa: E741
    table = [(0, value) for value in values]
    for obstacle in ask(ic.RecursiveDiversity(c, l), table, limit).obstacles:
        assert obstacle.nearest is not None
        assert ask(promise(obstacle.nearest), table, limit).feasible
