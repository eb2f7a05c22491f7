from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.models import promise
from models.tables import bags, judge

rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcdef")), min_size=1, max_size=40)
Pattern = tuple[str | None, ...]


@given(rows=rows)
def test_k_is_the_size(rows: list[Any]) -> None:
    sizes = [sum(bag.values()) for bag in bags(rows)[0]]
    result = judge(ic.KAnonymity(3), rows)
    assert result.measured[0].floats.tolist() == sizes
    assert result.ok.tolist() == [size >= 3 for size in sizes]
    assert result.deficit[0].tolist() == [max(3 - size, 0) for size in sizes]


# Candidates: a star fits every value.

published = st.lists(
    st.tuples(st.sampled_from(["1", "2", "*"]), st.sampled_from(["x", "*", None]), st.sampled_from(["p", "q", "*"])),
    min_size=1,
    max_size=14,
)


def covers(wide: Pattern, other: Pattern) -> bool:
    return all(one in {"*", value} for one, value in zip(wide, other, strict=True))


def fewest_candidates(records: Sequence[Pattern]) -> int:
    """Count, record by record, who covers it and who lies inside of it."""
    around = [sum(covers(other, one) for other in records) for one in records]
    inside = [sum(covers(one, other) for other in records) for one in records]
    return min(*around, *inside)


def candidates(records: Sequence[Pattern], k: int = 2, **roles: Any) -> Any:
    table = [dict(zip("abc", record, strict=False)) | {"n": 1} for record in records]
    names = list("abc"[: len(records[0])])
    (finding,) = ic.check(table, ic.Schema(quasi=names, count="n", **roles), ic.KAnonymity(k, candidates=True)).findings
    return finding


@given(records=published)
def test_candidates_are_counted_as_record_by_record(records: list[Pattern]) -> None:
    assert candidates(records).measured == (fewest_candidates(records),)


@given(records=published)
def test_nobody_has_fewer_candidates_than_records_that_look_the_same(records: list[Pattern]) -> None:
    assert candidates(records).measured[0] >= min(map(records.count, records))


@given(records=st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("xy")), min_size=1, max_size=12))
def test_without_stars_candidates_are_those_that_look_the_same(records: list[Pattern]) -> None:
    assert candidates(records).measured == (min(map(records.count, records)),)


def test_one_record_between_a_class_inside_of_it_and_one_around_it_is_hidden() -> None:
    around, inside = [("*", "*")] * 3, [("ulm", "f")] * 3
    finding = candidates([*around, *inside, ("ulm", "*")], 3)
    assert (finding.measured, finding.holds) == ((3,), True)
    assert candidates([*around, ("ulm", "*")], 2).measured == (1,)  # nobody is known to fit it but its own person
    assert candidates([*inside, ("ulm", "*")], 2).measured == (1,)  # a man of Ulm fits no other record


def test_rows_that_stand_for_several_records_count_as_often() -> None:
    table = [{"town": "*", "n": 4}, {"town": "ulm", "n": 5}]
    (finding,) = ic.check(table, ic.Schema(quasi=["town"], count="n"), "k>=4[candidates]").findings
    assert finding.measured == (4,)


def test_more_columns_than_a_machine_word_has_bits() -> None:
    records: list[Pattern] = [("*",) * 70, ("*",) * 70, ("1",) * 70, ("1",) * 70, ("1",) * 69 + ("*",)]
    names = [f"c{at}" for at in range(70)]
    table = [dict(zip(names, record, strict=True)) for record in records]
    assert ic.check(table, ic.Schema(quasi=names), "k>=2[candidates]").holds
    assert not ic.check(table[:1] + table[2:], ic.Schema(quasi=names), "k>=2[candidates]").holds


def test_people_with_several_rows_are_refused_with_the_reason() -> None:
    table = [{"town": "ulm", "who": "a"}, {"town": "*", "who": "a"}]
    with pytest.raises(ic.SchemaError, match=r"k>=2\[candidates\] counts records, and people of this table have sev"):
        ic.check(table, ic.Schema(quasi=["town"], entity="who"), "k>=2[candidates]")


def test_the_text_says_which_reading_is_meant() -> None:
    assert promise(" k >= 3 [candidates] ") == ic.KAnonymity(3, candidates=True)
    assert str(promise("k>=2, k>=3[candidates], l>=2[s]")) == "k>=2, k>=3[candidates], l>=2[s]"
    assert promise("l>=2[candidates]") == ic.LDiversity(2, of="candidates")  # a column may be called so
    for text in "k>=3[candidates, candidates]", "k>=3[town]", 'k>=3["candidates"]':
        with pytest.raises(ic.ParameterError, match="that k does not take"):
            promise(text)
    with pytest.raises(ic.ParameterError, match="candidates must be true or false"):
        ic.KAnonymity(3, candidates=3)  # type: ignore[arg-type]
