"""What the top-down search makes of a promise: what it can carry, people with several rows, and what it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.core import Census
from incrowd.search import LocalOutcome, LocalTable, Pieces, Problem, TopDown
from search.slow import QUASI, Row
from search.slow_top_down import Deficit, Slow, order, published
from search.tables import CATEGORIES, CATEGORY, WEIGHT, problem, tables, tree

searches = st.builds(TopDown, best=st.sampled_from(["records", "loss"]), retry=st.booleans())


def every_row(outcome: LocalOutcome) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Give for every record its sensitive value and quasi-identifiers, and what is published."""
    recoding = outcome.recoding
    texts = {
        name: domain.texts[codes].tolist()
        for (name, domain), codes in zip(recoding.domains.items(), recoding.codes, strict=True)
    }
    cells = zip(*(texts[name] for name in ("disease", *recoding.quasi)), strict=True)
    names = zip(*(column[recoding.classes].tolist() for column in recoding.labels), strict=True)
    pieces = zip(cells, names, recoding.counts.tolist(), strict=True)
    return sorted((cell, name) for cell, name, count in pieces for _ in range(count))


def people(group: Sequence[Row]) -> dict[str, set[str]]:
    """Give the values of every person."""
    result: dict[str, set[str]] = {}
    for row in group:
        result.setdefault(row["person"], set()).add(row["disease"])
    return result


def of_people(k: int, p: int = 0) -> Deficit:
    def missing(group: Sequence[Row]) -> tuple[int, ...]:
        return max(p - len({row["disease"] for row in group}), 0), 0, max(k - len(people(group)), 0)

    return missing


@settings(deadline=None)
@given(tables, st.data(), searches)
def test_counts_people_where_a_person_has_several_rows(table: list[Row], data: st.DataObject, search: TopDown) -> None:
    persons = data.draw(st.lists(st.sampled_from("uvwxyz"), min_size=len(table), max_size=len(table)))
    rows = [{**row, "person": person} for row, person in zip(table, persons, strict=True)]
    model, missing = data.draw(
        st.sampled_from(
            [
                (ic.KAnonymity(2), of_people(2)),
                (ic.KAnonymity(3), of_people(3)),
                (ic.KAnonymity(2) & ic.LDiversity(2), of_people(2, 2)),
            ]
        )
    )
    once = [dict(row) for row in sorted({tuple(sorted(row.items())) for row in rows})]  # equal rows move together
    slow = Slow(once, missing, retry=search.retry, by_loss=search.best == "loss")
    slow.order = lambda row: (*order(row), row["person"])
    if not slow.ok(once):
        return
    outcome = search.search(problem(rows, model))
    assert set(every_row(outcome)) == set(published(slow.search()))
    assert sum(outcome.sizes) == len(rows)


def test_weights_count_once_per_person() -> None:
    table = [
        {"age": "20", "sex": "f", "town": town, "disease": disease, "person": person}
        for town, disease, person in [
            ("ulm", "d", "u"),
            ("ulm", "d", "u"),
            ("kiel", "d", "v"),
            ("kiel", "a", "w"),
            ("ulm", "a", "x"),
        ]
    ]
    outcome = TopDown().search(problem(table, ic.KAnonymity(2) & ic.PAlphaSensitive(2, 1)))
    assert {names for _, names in every_row(outcome)} == {("20", "f", "ulm"), ("20", "f", "kiel")}
    stricter = TopDown().search(problem(table, ic.KAnonymity(2) & ic.PAlphaSensitive(2, 2)))
    assert {names for _, names in every_row(stricter)} == {("20", "f", "*")}


def over_distinct(alpha: Fraction) -> Deficit:
    """Miss weight that every value adds once."""

    def missing(group: Sequence[Row]) -> tuple[Fraction | int, ...]:
        total = sum((WEIGHT[CATEGORY[value]] for value in {row["disease"] for row in group}), Fraction(0))
        return max(1 - len(group), 0), max(alpha - total, Fraction(0)), max(2 - len(group), 0)

    return missing


@settings(deadline=None)
@given(tables, st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(3, 2)]), searches)
def test_weights_may_count_once_per_value(table: list[Row], alpha: Fraction, search: TopDown) -> None:
    model = ic.KAnonymity(2) & ic.PAlphaSensitive(1, alpha, weight_over="distinct")
    slow = Slow(table, over_distinct(alpha), retry=search.retry, by_loss=search.best == "loss")
    if slow.ok(table):
        assert every_row(search.search(problem(table, model))) == published(slow.search())


def of_two(group: Sequence[Row]) -> tuple[Fraction | int, ...]:
    """Miss two values of the disease, two of the ward, two pairs of both, and three records: values are added up."""
    kinds = [{row["disease"] for row in group}, {row["ward"] for row in group}]
    pairs = {(row["disease"], row["ward"]) for row in group}
    values = sum(max(2 - len(kind), 0) for kind in kinds) + max(3 - len(pairs), 0)
    return values, 0, max(3 - len(group), 0)


@settings(deadline=None)
@given(tables, st.data(), searches)
def test_what_several_sensitive_columns_miss_is_added_up(
    table: list[Row], data: st.DataObject, search: TopDown
) -> None:
    wards = data.draw(st.lists(st.sampled_from("pq"), min_size=len(table), max_size=len(table)))
    rows = [{**row, "ward": ward} for row, ward in zip(table, wards, strict=True)]
    if any(of_two(rows)):
        return
    schema = ic.Schema(quasi={name: tree(name) for name in QUASI}, sensitive={"disease": CATEGORIES, "ward": None})
    model = (
        ic.KAnonymity(3)
        & ic.PSensitive(2, of=["disease", "ward"])
        & ic.LDiversity(3, of=["disease", "ward"], joint=True)
    )
    slow = Slow(rows, of_two, retry=search.retry, by_loss=search.best == "loss")
    slow.order = lambda row: (row["disease"], row["ward"], *(row[name] for name in QUASI))
    outcome = search.search(Problem(ic.census(rows, schema), schema, model))
    assert every_row(outcome) == published(slow.search())


@settings(deadline=None)
@given(tables, searches)
def test_the_judges_agree_that_every_class_keeps_the_promise(table: list[Row], search: TopDown) -> None:
    asked = problem(table, ic.KAnonymity(3) & ic.EnhancedPAlphaSensitive(2, 1))
    locally = LocalTable(asked)
    cells = np.arange(len(locally.census))
    if locally.keeps(cells, np.zeros(len(cells), dtype=np.int64), 1).all():
        recoding = search.search(asked).recoding
        known = {
            cell: place for place, cell in enumerate(zip(*map(np.ndarray.tolist, asked.census.codes), strict=True))
        }
        places = np.array([known[cell] for cell in zip(*map(np.ndarray.tolist, recoding.codes), strict=True)])
        pieces = Pieces(places, recoding.classes, recoding.counts)
        assert locally.keeps(pieces.cells, pieces.classes, pieces.number, pieces.counts).all()


@pytest.mark.parametrize(
    "model",
    [
        ic.TCloseness(Fraction(1, 5)),
        ic.KAnonymity(2) & ic.LDiversity(2, kind="entropy"),
        ic.AlphaAssociation(Fraction(1, 2)),
        ic.NTCloseness(3, Fraction(1, 5)),
    ],
)
def test_refuses_a_promise_that_more_records_can_break(model: Any) -> None:
    table = [{"age": "20", "sex": "f", "town": "ulm", "disease": disease} for disease in "abcd"]
    with pytest.raises(ic.ParameterError, match="It carries what more records in a class never break") as caught:
        TopDown().search(problem(table, model))
    assert "Mondrian() or CheapestFirst()" in caught.value.hint


def test_refuses_what_it_does_not_know() -> None:
    with pytest.raises(ic.ParameterError, match="best must be 'records' or 'loss', got 'speed'"):
        TopDown("speed")  # type: ignore[arg-type]
    with pytest.raises(ic.ParameterError, match="retry must be True or False, got 1"):
        TopDown(retry=1)  # type: ignore[arg-type]


def test_no_records_need_no_classes() -> None:
    table = [{"age": "20", "sex": "f", "town": "ulm", "disease": "a"}]
    asked = problem(table, ic.KAnonymity(2))
    empty = Census(
        **{
            **{name: getattr(asked.census, name) for name in ("quasi", "sensitive", "domains", "ladders", "floor")},
            "codes": tuple(codes[:0] for codes in asked.census.codes),
            "person": None,
            "counts": asked.census.counts[:0],
        }
    )
    outcome = TopDown().search(Problem(empty, asked.schema, asked.model))
    assert (outcome.classes, outcome.suppressed) == (0, 0)


def test_no_class_goes_below_the_lowest_level_that_is_allowed() -> None:
    table = [{"age": "20", "sex": "f", "town": "ulm", "disease": "a"}] * 2
    outcome = TopDown().search(problem(table, ic.KAnonymity(2), at_least={"age": 1, "town": 2}))
    assert {names for _, names in every_row(outcome)} == {("20s", "f", "*")}


def test_a_column_may_be_published_as_an_average() -> None:
    ages = [20, 21, 24, 48]
    schema = ic.Schema(quasi={"age": ic.averaged(ic.intervals(10, 50))}, sensitive=["disease"])
    table = [{"age": age, "disease": "a"} for age in ages]
    outcome = TopDown().search(Problem(ic.census(table, schema), schema, ic.KAnonymity(2)))
    assert sorted(every_row(outcome)) == [
        (("a", "20"), ("34",)),
        (("a", "21"), ("22",)),
        (("a", "24"), ("22",)),
        (("a", "48"), ("34",)),
    ]
