"""Top-down local recoding: the paper's example, a slow twin, and what every outcome must keep."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.search import LocalOutcome, Problem, TopDown
from search.slow import HEIGHTS, PATHS, QUASI, Row, labels, leaves
from search.slow_top_down import Deficit, Slow, order, published
from search.tables import CATEGORY, bag, problem, tables, tree, weight

PAPER = Path(__file__).parents[1] / "published" / "tables"
HEALTH = ic.categories(PAPER / "000_table4_2_categories.csv")


def deficit(k: int = 1, p: int = 0, alpha: Any = 0, *, categories: bool = False) -> Deficit:
    """Say what a class misses: values or categories, weight, records."""

    def of(group: Sequence[Row]) -> tuple[Fraction | int, ...]:
        kinds = {CATEGORY[value] if categories else value for value in bag(group)}
        return max(p - len(kinds), 0), max(Fraction(alpha) - weight(group), Fraction(0)), max(k - len(group), 0)

    return of


PROMISES: list[tuple[Any, Deficit]] = [
    (ic.KAnonymity(1), deficit(1)),
    (ic.KAnonymity(2), deficit(2)),
    (ic.KAnonymity(4), deficit(4)),
    (ic.LDiversity(2), deficit(p=2)),
    (ic.KAnonymity(3) & ic.PSensitive(2), deficit(3, 2)),
    (ic.KAnonymity(2) & ic.LDiversity(3), deficit(2, 3)),
    (ic.KAnonymity(2) & ic.EnhancedPAlphaSensitive(2, 1), deficit(2, 2, 1, categories=True)),
    (ic.KAnonymity(4) & ic.EnhancedPAlphaSensitive(2, 2), deficit(4, 2, 2, categories=True)),
    (ic.PAlphaSensitive(1, Fraction(1, 2)), deficit(1, 1, Fraction(1, 2))),
    (ic.PAlphaSensitive(1, Fraction(3, 2)), deficit(1, 1, Fraction(3, 2))),
    (ic.KAnonymity(3) & ic.PAlphaSensitive(2, 1), deficit(3, 2, 1)),
]
promises = st.sampled_from(PROMISES)
searches = st.builds(TopDown, best=st.sampled_from(["records", "loss"]), retry=st.booleans())


def rows_of(outcome: LocalOutcome) -> list[tuple[tuple[str, ...], tuple[str, ...], int]]:
    """Give for every piece the texts of its cell (sensitive value first), what is published, and how many records."""
    recoding = outcome.recoding
    texts = [
        domain.texts[codes].tolist() for domain, codes in zip(recoding.domains.values(), recoding.codes, strict=True)
    ]
    quasi, sensitive = texts[: len(recoding.quasi)], texts[len(recoding.quasi) :]
    names = [column[recoding.classes].tolist() for column in recoding.labels]
    return list(
        zip(zip(*sensitive, *quasi, strict=True), zip(*names, strict=True), recoding.counts.tolist(), strict=True)
    )


def every_row(outcome: LocalOutcome) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return sorted((cell, names) for cell, names, count in rows_of(outcome) for _ in range(count))


def paper_problem(model: Any) -> Problem:
    schema = ic.Schema(
        quasi={"Zipcode": ic.tree(PAPER / "hier_000_table4_4_zipcode.csv")},
        sensitive={"Health_condition": HEALTH},
    )
    return Problem(ic.census(PAPER / "000_table4_4b_projected.csv", schema), schema, model)


def test_reproduces_table_4_4_of_the_enhanced_paper() -> None:
    outcome = TopDown().search(paper_problem(ic.KAnonymity(2) & ic.EnhancedPAlphaSensitive(2, 1)))
    assert every_row(outcome) == [
        (("Cancer", "73455"), ("7345*",)),
        (("Flu", "73456"), ("7345*",)),
        (("HIV", "73456"), ("73456",)),
        (("Indigestion", "73456"), ("73456",)),
    ]
    assert outcome.costs["distortion"] == 0.1


@settings(max_examples=100, deadline=None)
@given(tables, promises, searches)
def test_agrees_with_the_steps_of_the_paper_taken_record_by_record(
    table: list[Row], promise: tuple[Any, Deficit], search: TopDown
) -> None:
    model, missing = promise
    slow = Slow(table, missing, retry=search.retry, by_loss=search.best == "loss")
    if not slow.ok(table):
        with pytest.raises(ic.NoSafeRelease, match="Even all"):
            search.search(problem(table, model))
        return
    assert every_row(search.search(problem(table, model))) == published(slow.search())


def classes_of(outcome: LocalOutcome) -> dict[tuple[str, ...], list[Row]]:
    """Put the records together that look alike, judged by what is published alone."""
    found: defaultdict[tuple[str, ...], list[Row]] = defaultdict(list)
    for (disease, *quasi), names in every_row(outcome):
        found[names].append({"disease": disease, **dict(zip(QUASI, quasi, strict=True))})
    return dict(found)


@settings(deadline=None)
@given(tables, promises, searches)
def test_every_record_is_published_once_under_labels_that_cover_it_in_a_class_that_keeps_the_promise(
    table: list[Row], promise: tuple[Any, Deficit], search: TopDown
) -> None:
    model, missing = promise
    if any(missing(table)):
        return
    outcome = search.search(problem(table, model))
    rows = every_row(outcome)
    assert Counter(cell for cell, _ in rows) == Counter(order(row) for row in table)
    for (_, *quasi), names in rows:
        assert all(name in PATHS[column][value] for column, value, name in zip(QUASI, quasi, names, strict=True))
    assert [group for group in classes_of(outcome).values() if any(missing(group))] == []
    assert (outcome.suppressed, sum(outcome.sizes)) == (0, len(table))


@settings(deadline=None)
@given(tables, promises, searches)
def test_says_what_it_cost_as_counted_record_by_record(
    table: list[Row], promise: tuple[Any, Deficit], search: TopDown
) -> None:
    model, missing = promise
    if any(missing(table)):
        return
    outcome = search.search(problem(table, model))
    slow = Slow(table, missing, retry=search.retry, by_loss=search.best == "loss").search()
    steps = sum(sum(levels) * len(records) for levels, records in slow)
    lost = [
        sum(Fraction(leaves(name, labels(row, levels)[place]) - 1, len(PATHS[name]) - 1) for row in records)
        for place, name in enumerate(QUASI)
        for levels, records in slow
    ]
    shares = [float(sum(lost[place * len(slow) : (place + 1) * len(slow)])) / len(table) for place in range(len(QUASI))]
    assert outcome.costs["distortion"] == pytest.approx(steps / (len(table) * sum(HEIGHTS.values())))
    assert outcome.costs["loss"] == pytest.approx(math.prod(1 + share for share in shares) ** (1 / len(QUASI)) - 1)
    assert outcome.costs["discernibility"] == sum(len(group) ** 2 for group in classes_of(outcome).values())
    assert outcome.classes == len(classes_of(outcome))


@settings(deadline=None)
@given(tables, promises)
def test_a_class_stops_only_where_no_column_takes_a_record_further(
    table: list[Row], promise: tuple[Any, Deficit]
) -> None:
    model, missing = promise
    if any(missing(table)):
        return
    slow = Slow(table, missing)
    slow.search()
    published = classes_of(TopDown().search(problem(table, model)))
    for levels, records in slow.stopped:
        again = Slow(records, missing)
        again.table = table
        for place, name in enumerate(QUASI):
            if levels[place]:
                assert not any(again.specialize(levels, name, list(records))[0])
        assert set(map(order, records)) <= set(map(order, published[labels(records[0], levels)]))


@settings(deadline=None)
@given(tables, promises, searches, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(
    table: list[Row], promise: tuple[Any, Deficit], search: TopDown, chance: random.Random
) -> None:
    model, missing = promise
    if any(missing(table)):
        return
    other = list(table)
    chance.shuffle(other)
    assert rows_of(search.search(problem(table, model))) == rows_of(search.search(problem(other, model)))


def test_records_with_equal_values_may_part() -> None:
    table = rows(*[("20", "f", "ulm")] * 3, ("25", "f", "ulm"))
    outcome = TopDown().search(problem(table, ic.KAnonymity(2)))
    assert rows_of(outcome) == [
        (("a", "20", "f", "ulm"), ("20", "f", "ulm"), 2),
        (("a", "20", "f", "ulm"), ("20s", "f", "ulm"), 1),
        (("a", "25", "f", "ulm"), ("20s", "f", "ulm"), 1),
    ]


def test_many_equal_records_move_back_together() -> None:
    table = rows(*[("20", "f", "ulm")] * 300, *[("25", "f", "ulm")] * 7)
    outcome = TopDown().search(problem(table, ic.KAnonymity(100)))
    assert sorted(outcome.sizes.tolist()) == [100, 207]


def rows(*values: tuple[str, str, str], disease: str = "a") -> list[Row]:
    return [{"age": age, "sex": sex, "town": town, "disease": disease} for age, sex, town in values]


def test_a_whole_branch_comes_back_where_single_records_do_not_suffice() -> None:
    table = [{"town": town, "disease": "a"} for town in ["bonn", "kiel", "kiel", "ulm", "ulm"]]
    schema = ic.Schema(quasi={"town": tree("town")}, sensitive=["disease"])
    outcome = TopDown().search(Problem(ic.census(table, schema), schema, ic.KAnonymity(2)))
    assert every_row(outcome) == [
        (("a", "bonn"), ("*",)),
        (("a", "kiel"), ("*",)),
        (("a", "kiel"), ("*",)),
        (("a", "ulm"), ("ulm",)),
        (("a", "ulm"), ("ulm",)),
    ]


def test_those_who_stay_may_be_tried_again_with_the_other_columns() -> None:
    table = rows(("25", "f", "kiel"), ("25", "m", "köln"), ("31", "f", "köln"), ("62", "f", "ulm"))
    plain, again = (TopDown(retry=retry).search(problem(table, ic.KAnonymity(2))) for retry in (False, True))
    assert [names for _, names in every_row(plain)] == [("25", "*", "*")] * 2 + [("*", "*", "*")] * 2
    assert [names for _, names in every_row(again)] == [("25", "*", "*")] * 2 + [("*", "f", "*")] * 2


def test_by_loss_gives_up_less_than_by_records() -> None:
    chance = random.Random(1)
    table = [
        {**{name: chance.choice(sorted(PATHS[name])) for name in QUASI}, "disease": chance.choice("abcd")}
        for _ in range(200)
    ]
    records, loss = (TopDown(best).search(problem(table, ic.KAnonymity(5))) for best in ("records", "loss"))
    assert loss.costs["loss"] < records.costs["loss"]


def test_working_block_by_block_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(2)
    table = [
        {**{name: chance.choice(sorted(PATHS[name])) for name in QUASI}, "disease": chance.choice("abcd")}
        for _ in range(300)
    ]
    asked = problem(table, ic.KAnonymity(4) & ic.EnhancedPAlphaSensitive(2, 2))
    whole = rows_of(TopDown(retry=True).search(asked))
    monkeypatch.setattr("incrowd.search.top_down._specialization.BLOCK", 7)
    assert rows_of(TopDown(retry=True).search(asked)) == whole
