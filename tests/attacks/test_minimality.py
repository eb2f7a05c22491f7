"""Classes that were not divided: the written-out example, and halves against all ways to cut."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from attacks.slow import numbers
from incrowd.attacks._minimality import People, Undivided, halve, minimality_of_halves
from incrowd.core import Domain

VALUES = ["cold", "cough", "flu", "hiv", "itch"]
DOMAIN = Domain.of("s", VALUES)


def looked(*classes: list[tuple[int, str]], model: Any, seed: int = 0) -> Undivided:
    """Classes are lists of (half, value)."""
    rows = [(number, half, VALUES.index(value)) for number, one in enumerate(classes) for half, value in one]
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
    people = People(columns[0], columns[2], np.ones(len(rows), dtype=np.int64))
    schema = ic.Schema(quasi=["q"], sensitive=["s"])
    return minimality_of_halves(people, columns[1], DOMAIN, model.bind(schema, {"s": DOMAIN}), seed)


def test_who_knows_that_two_have_it_knows_who() -> None:
    # at most half of a group may have hiv; the class of six holds that, its first half of two does not
    one = [(0, "hiv"), (0, "hiv"), (1, "flu"), (1, "cold"), (1, "itch"), (1, "cough")]
    found = looked(one, model=ic.KAnonymity(2) & ic.AlphaAssociation({"hiv": Fraction(1, 2)}))
    assert numbers(found.telling, found.true, found.sizes.tolist()) == (1, 1, [6])
    assert (found.right.tolist(), found.before.tolist()) == ([3], [2])  # hiv for the two, one of four for the others


def test_a_conclusion_can_be_wrong() -> None:
    one = [(0, "hiv"), (0, "flu"), (1, "hiv"), (1, "cold"), (1, "itch"), (1, "cough")]
    found = looked(one, model=ic.AlphaAssociation({"hiv": Fraction(1, 2)}))
    assert (found.telling, found.true) == (1, 0)


def test_halves_that_are_too_small_say_nothing() -> None:
    one = [(0, "hiv"), (0, "hiv"), (1, "flu"), (1, "cold"), (1, "itch"), (1, "cough")]
    found = looked(one, model=ic.KAnonymity(3) & ic.AlphaAssociation({"hiv": Fraction(1, 2)}))
    assert (found.telling, len(found.sizes), found.interval) == (0, 0, None)


def test_a_promise_that_every_half_breaks_says_nothing() -> None:
    one = [(0, "flu"), (1, "flu")]
    found = looked(one, model=ic.LDiversity(2))
    assert (found.telling, found.right.tolist(), found.before.tolist()) == (0, [2], [2])


def test_a_promise_that_no_half_can_break_says_nothing() -> None:
    one = [(0, "hiv"), (0, "flu"), (1, "cold"), (1, "itch")]
    found = looked(one, model=ic.LDiversity(2))
    assert (found.telling, found.true, found.right.tolist(), found.before.tolist()) == (0, 0, [1], [1])


people = st.lists(st.tuples(st.integers(0, 1), st.sampled_from(VALUES)), min_size=2, max_size=6)


@settings(max_examples=60, deadline=None)
@given(people.filter(lambda rows: len({half for half, _ in rows}) == 2), st.sampled_from(["alpha", "l"]))
def test_dealing_by_chance_finds_what_every_deal_finds(rows: list[tuple[int, str]], kind: str) -> None:
    model: Any = ic.LDiversity(2) if kind == "l" else ic.AlphaAssociation(Fraction(1, 2))
    found = looked(rows, model=model)
    deals = [list(zip((half for half, _ in rows), deal, strict=True)) for deal in permutations(v for _, v in rows)]
    left = [deal for deal in deals if _breaks(deal, kind)]
    really, tells = _breaks(rows, kind), 0 < len(left) < len(deals)
    assert (found.telling, found.true) == (int(tells), int(tells and really))
    before = max(Counter(value for _, value in rows).values())
    assert found.before.tolist() == [before]
    guesses = [_best(left if tells else [], rows, half) for half in (0, 1)]
    if not tells:
        assert found.right.tolist() == [before]
    elif all(guess is not None for guess in guesses):
        assert found.right.tolist() == [sum(value == guesses[half] for half, value in rows)]


def _breaks(deal: list[tuple[int, str]], kind: str) -> bool:
    halves = [Counter(value for side, value in deal if side == half) for half in (0, 1)]
    return any(len(half) < 2 if kind == "l" else 2 * max(half.values()) > half.total() for half in halves)


def _best(left: list[list[tuple[int, str]]], rows: list[tuple[int, str]], half: int) -> str | None:
    """Give the value that is most frequent in a half over all deals that are left; none if chance may see another."""
    counts = Counter(value for deal in left for side, value in deal if side == half)
    (first, most), *others = counts.most_common() or [("", 0)]
    clear = not others or most > 1.5 * others[0][1]
    return first if clear and len(left) * 20 > math.factorial(len(rows)) else None


def test_several_classes_have_an_interval() -> None:
    one = [(0, "hiv"), (0, "hiv"), (1, "flu"), (1, "cold"), (1, "itch"), (1, "cough")]
    two = [(0, "flu"), (0, "flu"), (1, "flu"), (1, "cold")]
    found = looked(one, two, model=ic.LDiversity(2))
    assert found.interval is not None
    low, high = found.interval
    assert 0 <= low <= found.right.sum() / found.sizes.sum() <= high <= 1
    again = looked(one, two, model=ic.LDiversity(2))
    assert (found.right.tolist(), found.interval) == (again.right.tolist(), again.interval)


def test_a_release_is_attacked_if_its_promise_is_about_values() -> None:
    table = [{"age": 20 + number, "s": "hiv" if number in {3, 4, 9} else VALUES[number % 3]} for number in range(16)]
    schema = ic.Schema(quasi={"age": ic.intervals(4, 8, 16)}, sensitive=["s"])
    release = ic.anonymize(table, schema, model="k>=2, alpha<=0.5[s]", algorithm=ic.Mondrian())
    found = ic.attack(release).get("minimality")
    assert found.column == "s"
    assert 0 <= found.rate <= 1
    plain = ic.anonymize(table, schema, model="k>=2", algorithm=ic.Mondrian())
    assert [one for one in ic.attack(plain) if one.name == "minimality"] == []
    with pytest.raises(ic.ParameterError, match="seed must be a whole number"):
        ic.Intruder(seed=-1)


def test_who_is_exposed_is_told_to_the_owner() -> None:
    ages, values = [20, 21, 21, 22, 22, 23, 23, 23, 25, 25, 26, 26], "yxyxyyyyyyxx"
    table = [{"age": age, "s": s} for age, s in zip(ages, values, strict=True)]
    schema = ic.Schema(quasi={"age": ic.intervals(2, 4)}, sensitive=["s"])
    release = ic.anonymize(table, schema, model="k>=2, l>=2[s]", algorithm=ic.Mondrian())
    found = ic.attack(release)
    entry = found.get("minimality")
    records = {name: column.tolist() for name, column in entry.exposed_records().items()}
    assert (entry.exposed.records, entry.worst, entry.worst_class) == (4, 1, {"age": "25..26"})
    assert records == {"age": ["25..26", "25..26"], "s": ["x", "y"], "records": [2, 2]}
    assert "minimality" in found.exposed_records()["attack"]


entries = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3), st.integers(1, 3)), min_size=1)


@given(entries)
def test_halves_are_as_even_as_any_cut_between_two_values(rows: list[Any]) -> None:
    rows = [*rows, (0, 0, 0, 1), (1, 0, 0, 1), (2, 0, 0, 1)]  # every class has somebody
    owner, one, two, counts = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    side, can = halve([one, two], owner, counts, 3)
    for number in range(3):
        inside = owner == number
        total = int(counts[inside].sum())
        cuts = [int(counts[inside & (codes <= code)].sum()) for codes in (one, two) for code in range(4)]
        best = max(min(left, total - left) for left in cuts)
        assert can[number] == (best > 0)
        if best:
            left = int(counts[inside & (side == 0)].sum())
            assert min(left, total - left) == best
