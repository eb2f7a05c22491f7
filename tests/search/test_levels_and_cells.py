"""Levels and cells: small runs written out, what every outcome must keep, brute force, and what is refused."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.search import Problem, Progress
from incrowd.search._local_recoding import LocalTable
from incrowd.search.levels_and_cells import _cells, _walk
from search.slow import QUASI, Ok, Row, labels, nodes
from search.tables import PROMISES, problem, tables
from search.tables_levels import classes, loss, rows, sizes

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists", "ignore:.* promises nothing")
promises = st.sampled_from(PROMISES)


def best_by_hand(table: Sequence[Row], ok: Ok) -> Fraction:
    """Try every node with every set of stars for every record; all have the same sex."""
    return min(
        loss(found)
        for levels in nodes()
        if levels[1] == 0
        for found in starred(table, levels)
        if all(ok(inside, table) for inside in found.values())
    )


def starred(table: Sequence[Row], levels: tuple[int, ...]) -> Iterator[dict[tuple[Any, ...], list[Row]]]:
    names = [labels(row, levels) for row in table]
    stars = list(itertools.product((False, True), (False,), (False, True)))
    for chosen in itertools.product(stars, repeat=len(table)):
        found: defaultdict[tuple[Any, ...], list[Row]] = defaultdict(list)
        for row, hidden, name in zip(table, chosen, names, strict=True):
            found[tuple("*" if star else text for star, text in zip(hidden, name, strict=True))].append(row)
        yield dict(found)


def test_a_record_that_stands_out_gets_a_star_and_the_others_stay_as_they_are() -> None:
    table = rows(*[("20", "ulm")] * 4, *[("20", "bonn")] * 3, ("20", "kiel"), ("20", "köln"))
    outcome = ic.LevelsAndCells().search(problem(table, ic.KAnonymity(2)))
    assert sizes(outcome) == {("20", "f", "ulm"): 4, ("20", "f", "bonn"): 3, ("20", "f", "*"): 2}
    assert outcome.levels == {"age": 0, "sex": 0, "town": 0}
    assert outcome.score == pytest.approx(2 / 27)


def test_a_column_goes_to_the_level_at_which_it_loses_least() -> None:
    ages = ["20", "25"] * 3 + ["47", "49"] * 3
    table = rows(*((age, town) for age in ages for town in ("ulm",)))
    outcome = ic.LevelsAndCells().search(problem(table, ic.KAnonymity(4)))
    assert outcome.levels == {"age": 1, "sex": 0, "town": 0}
    assert sizes(outcome) == {("20s", "f", "ulm"): 6, ("40s", "f", "ulm"): 6}


def test_a_missing_value_and_what_stands_for_all_are_no_values_that_show() -> None:
    roles = ic.Schema(quasi={"town": ic.flat(), "sex": ic.flat()})
    table = [{"town": town, "sex": None if town else "f"} for town in ("ulm", "bonn", None)]
    problem_of = Problem(ic.census(table, roles), roles, ic.KAnonymity(1))
    town, sex = LocalTable(problem_of, whole=True).names
    assert _cells.number_of_values(town, np.array([1, 0, 3])) == 1
    assert _cells.number_of_values(town, np.array([1, 4, 3])) == 2
    assert _cells.number_of_values(sex, np.array([0, 1])) == 0
    higher = Problem(ic.census(table, roles).rollup({"town": 1}), roles, ic.KAnonymity(1))
    assert _cells.number_of_values(LocalTable(higher, whole=True).names[0], np.array([3])) == 0


def test_levels_that_are_given_stay_and_only_cells_are_starred() -> None:
    table = rows(("20", "ulm"), ("25", "ulm"), ("47", "ulm"), ("49", "ulm"))
    fixed = dict.fromkeys(QUASI, 0)
    outcome = ic.LevelsAndCells().search(problem(table, ic.KAnonymity(2), at_least=fixed, at_most=fixed))
    assert sizes(outcome) == {("*", "f", "ulm"): 4}


def test_stars_go_where_columns_matter_less() -> None:
    table = rows(("20", "ulm"), ("20", "bonn"), ("47", "ulm"), ("47", "bonn"))
    fixed = dict.fromkeys(QUASI, 0)
    for important, label in (("age", ("20", "f", "*")), ("town", ("*", "f", "ulm"))):
        asked = problem(table, ic.KAnonymity(2), at_least=fixed, at_most=fixed, importance={important: 3})
        assert label in sizes(ic.LevelsAndCells().search(asked))


def test_columns_that_give_each_other_back_are_starred_together() -> None:
    table = rows(*[("20", "ulm")] * 3, ("20", "bonn"), ("20", "kiel"))
    apart, together = (
        ic.LevelsAndCells(together=groups).search(problem(table, ic.KAnonymity(2)))
        for groups in ([], [["age", "town"]])
    )
    assert sizes(apart) == {("20", "f", "ulm"): 3, ("20", "f", "*"): 2}
    assert sizes(together) == {("20", "f", "ulm"): 3, ("*", "f", "*"): 2}


def test_a_column_has_no_more_stars_than_it_may() -> None:
    table = rows(("20", "ulm"), ("20", "bonn"), ("47", "ulm"), ("47", "bonn"))
    fixed = dict.fromkeys(QUASI, 0)
    asked = problem(table, ic.KAnonymity(2), at_least=fixed, at_most=fixed, importance={"age": 2})
    assert ("20", "f", "*") in sizes(ic.LevelsAndCells().search(asked))
    found = sizes(ic.LevelsAndCells(most_stars={"town": 0}).search(asked))
    assert found == {("*", "f", "ulm"): 2, ("*", "f", "bonn"): 2}


def test_too_few_stars_are_refused_with_what_would_be_needed() -> None:
    table = rows(("20", "ulm"), ("20", "bonn"), ("47", "ulm"), ("47", "bonn"))
    fixed = dict.fromkeys(QUASI, 0)
    asked = problem(table, ic.KAnonymity(2), at_least=fixed, at_most=fixed)
    with pytest.raises(ic.NoSafeRelease, match=r"the nearest stars '(age|town)' 100\.0%.*raise most_stars"):
        ic.LevelsAndCells(most_stars=0.5).search(asked)


def test_a_record_is_left_out_where_that_is_cheaper_than_stars_for_others() -> None:
    table = [*rows(*[("20", "ulm")] * 6), *rows(("62", "kiel"), sex="m")]
    everybody = ic.LevelsAndCells().search(problem(table, ic.KAnonymity(2)))
    assert sizes(everybody) == {("20", "f", "ulm"): 5, ("*", "*", "*"): 2}
    without = ic.LevelsAndCells().search(problem(table, ic.KAnonymity(2), limit=1))
    assert sizes(without) == {("20", "f", "ulm"): 6, (): 1}
    assert without.suppressed == 1


def test_a_column_with_too_many_stars_goes_to_a_higher_level() -> None:
    table = rows(*((age, "ulm") for age in ("20", "25", "47", "49")))
    outcome = ic.LevelsAndCells(most_stars=0).search(problem(table, ic.KAnonymity(2), importance={"age": 1000}))
    assert sizes(outcome) == {("20s", "f", "ulm"): 2, ("40s", "f", "ulm"): 2}


def test_a_long_table_is_not_refused_because_of_the_part_that_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_walk, "WHOLE", 8)
    monkeypatch.setattr(_walk, "BLOCK", 1)
    table = [
        {"age": age, "sex": sex, "town": town, "disease": disease}
        for (age, sex, town), disease in zip(
            itertools.product(("20", "25", "31", "47", "49", "62"), "fm", ("ulm", "bonn", "kiel", "köln")),
            "ab" * 24,
            strict=True,
        )
    ]
    outcome = ic.LevelsAndCells().search(problem(table, ic.KAnonymity(2) & ic.TCloseness(Fraction(1, 100))))
    assert sum(map(len, classes(outcome).values())) == 48


def test_a_column_that_is_to_be_averaged_is_refused() -> None:
    roles = ic.Schema(quasi={"age": ic.averaged(ic.intervals(10))})
    census = ic.census([{"age": 20}, {"age": 30}], roles)
    with pytest.raises(ic.ParameterError, match=r"'age' is to be averaged.*CheapestFirst"):
        ic.LevelsAndCells().search(Problem(census, roles, ic.KAnonymity(2)))


def test_it_stops_when_it_is_told_to() -> None:
    told: list[int] = []

    def stop(progress: Progress) -> bool:
        told.append(progress.checked)
        return False

    table = rows(("20", "ulm"), ("25", "ulm"), ("47", "ulm"), ("49", "bonn"))
    ic.LevelsAndCells().search(problem(table, ic.KAnonymity(2)), stop)
    assert len(told) == 1


def test_whoever_watches_hears_how_much_detail_is_kept_whatever_is_important() -> None:
    told: list[Progress] = []
    table = [*({"age": 20 + row % 2, "town": "ulm"} for row in range(8))]
    asked: Any = {"model": "k>=2", "importance": {"age": 9}, "at_most": {"age": 0, "town": 0}, "progress": told.append}
    table.append({"age": 20, "town": "bonn"})
    schema = ic.Schema(quasi={"age": ic.intervals(10), "town": ic.flat()})
    release = ic.anonymize(table, schema, algorithm=ic.LevelsAndCells(), **asked)
    assert 0 < release.detail_kept < 1
    assert told[-1].kept == pytest.approx(release.detail_kept)
    assert told[-1].best != pytest.approx(1 - release.detail_kept)


def test_options_are_values_of_their_own() -> None:
    given = {"age": 0.5}
    search = ic.LevelsAndCells(most_stars=given, together=[["age", "town"]])
    given["age"] = 0.1
    assert search == ic.LevelsAndCells(most_stars={"age": 0.5}, together=(("age", "town"),))
    assert len({search, ic.LevelsAndCells(most_stars={"age": 0.5}, together=[["age", "town"]])}) == 1


@given(tables, promises, st.integers(min_value=0, max_value=3))
@settings(max_examples=80, deadline=None)
def test_every_class_keeps_the_promise_and_every_column_has_one_level_or_stars(
    table: list[Row], promised: tuple[Any, Ok], limit: int
) -> None:
    model, ok = promised
    try:
        outcome = ic.LevelsAndCells().search(problem(table, model, limit))
    except ic.NoSafeRelease:
        assert not ok(table, table)
        return
    found = classes(outcome)
    levels = tuple((outcome.levels or {}).values())
    assert sum(map(len, found.values())) == len(table)
    assert len(found.pop((), [])) == outcome.suppressed <= limit
    for label, inside in found.items():
        assert ok(inside, table)
        for row in inside:
            assert all(text in ("*", value) for text, value in zip(label, labels(row, levels), strict=True))


@given(tables, promises)
@settings(max_examples=50, deadline=None)
def test_the_score_is_the_mean_loss_of_all_cells_and_not_below_the_bound(
    table: list[Row], promised: tuple[Any, Ok]
) -> None:
    model, ok = promised
    if not ok(table, table):
        return
    outcome = ic.LevelsAndCells().search(problem(table, model))
    assert outcome.score == pytest.approx(float(loss(classes(outcome))))
    assert outcome.lower_bound is not None
    assert outcome.score is not None
    assert outcome.lower_bound <= outcome.score + 1e-9


small = st.lists(
    st.sampled_from(
        [
            {"age": age, "sex": "f", "town": town, "disease": disease}
            for age, town, disease in itertools.product(("20", "25"), ("ulm", "bonn"), "ab")
        ]
    ),
    min_size=2,
    max_size=5,
)


@given(small, st.sampled_from(PROMISES[:3]))
@settings(max_examples=15, deadline=None)
def test_the_bound_holds_for_all_levels_and_stars_and_the_score_is_near_the_best(
    table: list[Row], promised: tuple[Any, Ok]
) -> None:
    model, ok = promised
    if not ok(table, table):
        return
    outcome = ic.LevelsAndCells().search(problem(table, model))
    best = float(best_by_hand(table, ok))
    assert outcome.lower_bound is not None
    assert outcome.score is not None
    assert outcome.lower_bound - 1e-9 <= best <= outcome.score + 1e-9
    assert outcome.score <= 2 * best + 0.15  # greedy: near, not always the best


@given(tables, promises, st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_the_order_of_rows_does_not_matter(table: list[Row], promised: tuple[Any, Ok], chance: Any) -> None:
    model, ok = promised
    if not ok(table, table):
        return
    other = chance.sample(table, len(table))
    one, two = (ic.LevelsAndCells().search(problem(rows, model)) for rows in (table, other))
    assert Counter({label: len(inside) for label, inside in classes(one).items()}) == Counter(sizes(two))


def test_people_are_counted_and_not_their_rows() -> None:
    table = [
        {**row, "person": person}
        for row, person in zip(rows(*[("20", "ulm")] * 3, ("20", "bonn")), "1112", strict=True)
    ]
    outcome = ic.LevelsAndCells().search(problem(table, ic.KAnonymity(2)))
    assert sizes(outcome) == {("20", "f", "*"): 4}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"most_stars": 1.5}, "most_stars must be a share from 0 to 1, got 1.5"),
        ({"most_stars": {"age": -1}}, "most_stars of column 'age' must be a share from 0 to 1"),
        ({"most_stars": "few"}, "most_stars must be a share from 0 to 1, got 'few'"),
        ({"together": ["age", "town"]}, "together must be a list of lists"),
        ({"together": [[]]}, "none of them empty"),
        ({"together": None}, "together must be a list of lists"),
        ({"together": 5}, "together must be a list of lists"),
        ({"together": [5]}, "together must be a list of lists"),
        ({"together": [[1, 2]]}, "together must be a list of lists of columns"),
        ({"block": 0}, "block must be a whole number of at least 1, got 0"),
    ],
)
def test_wrong_options_are_refused_when_they_are_written(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ic.ParameterError, match=says):
        ic.LevelsAndCells(**options)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"most_stars": {"agee": 0.1}}, "no column 'agee'.*most_stars"),
        ({"together": [["age", "twon"]]}, "no column 'twon'.*together"),
        ({"together": [["age", "town"], ["town", "sex"]]}, "'town' stands twice in together"),
    ],
)
def test_columns_that_are_not_there_or_twice_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ic.IncrowdError, match=says):
        ic.LevelsAndCells(**options).search(problem(rows(("20", "ulm")), ic.KAnonymity(1)))


def test_promises_that_classes_lose_together_are_refused() -> None:
    with pytest.raises(ic.ParameterError, match="LevelsAndCells puts classes together, which can break nt"):
        ic.LevelsAndCells().search(problem(rows(("20", "ulm")), ic.NTCloseness(1, 0.5)))


def test_what_no_class_can_keep_is_refused() -> None:
    with pytest.raises(ic.NoSafeRelease, match="Even all 1 records in one class break k>=2"):
        ic.LevelsAndCells().search(problem(rows(("20", "ulm")), ic.KAnonymity(2)))
