"""Two releases whose pseudonyms tie the rows of a person together: who is alone by what is known of both."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from attacks.slow import numbers

SCHEMA = ic.Schema(quasi=["age", "ward"], sensitive=["s"], entity="who")
pytestmark = pytest.mark.filterwarnings("ignore:Column 'who' is published as a pseudonym")


def rows(*visits: str) -> list[dict[str, Any]]:
    return [{"who": who, "age": age, "ward": ward, "s": "x"} for who, age, ward in map(tuple, visits)]


def test_who_moves_alone_between_two_editions_is_found() -> None:
    first = rows("a3p", "b3p", "c3p", "d5q", "e5q")
    second = rows("a3p", "b3q", "c3p", "d5q", "e5q", "f3q")
    found = ic.attack(first, SCHEMA, other=second).get("editions")
    assert numbers(found.targets, found.right, found.baseline) == (6, 4, Fraction(3, 6))
    assert (found.exposed.persons, found.exposed.records, found.worst) == (2, 3, 1)
    assert {key: values.tolist() for key, values in found.exposed_records().items()} == {
        "pseudonym": ["b", "b", "f"],
        "release": [1, 2, 2],
        "age": ["3", "3", "3"],
        "ward": ["p", "q", "q"],
    }
    assert found.notes == ("editions: 5 of 6 people are in both releases under the same pseudonym.",)


VISITS = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("35"), st.sampled_from("pq")), min_size=1)


@given(VISITS, VISITS)
@settings(max_examples=150, deadline=None)
def test_it_is_what_sets_of_groups_say(first: Any, second: Any) -> None:
    found = ic.attack(rows(*first), SCHEMA, other=rows(*second)).get("editions")
    known: dict[str, set[Any]] = {}
    for number, edition in enumerate((first, second)):
        for who, *group in edition:
            known.setdefault(who, set()).add((number, *group))
    alike = Counter(map(frozenset, known.values()))
    alone = {who for who, groups in known.items() if alike[frozenset(groups)] == 1}
    assert numbers(found.targets, found.right, found.exposed.persons) == (len(known), len(alike), len(alone))
    assert found.exposed.records == sum(who in alone for who, *_ in [*first, *second])
    assert found.worst == Fraction(1, min(alike.values()))
    assert set(found.exposed_records()["pseudonym"].tolist()) == alone


def test_released_pseudonyms_of_one_key_tie_editions_together(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(bytes(range(32)))
    (tmp_path / "another").write_bytes(bytes(range(1, 33)))
    first = rows(*(who + "3" + ward for ward in "pq" for who in "abcdef"))
    second = rows(*(who + "3" + ("p" if who < "d" else "q") for who in "abcdef"))
    how: Any = {"model": "k>=3", "algorithm": ic.Optimal()}
    one, two, strange = (
        ic.anonymize(table, SCHEMA, pseudonyms={"who": tmp_path / key}, **how)
        for table, key in ((first, "key"), (second, "key"), (second, "another"))
    )
    one.save(tmp_path / "one")
    found = ic.attack(tmp_path / "one", other=two).get("editions")
    assert (found.targets, found.exposed.persons) == (6, 0)
    apart = ic.attack(one, other=strange).get("editions")
    assert apart.targets == 12
    assert "the keys of the pseudonyms differ, or nobody is in both" in apart.notes[-1]


def test_the_names_of_the_original_tie_nothing_together() -> None:
    table = rows("a3p", "b3p", "c3p", "d5q", "e5q")
    release = ic.anonymize(table, SCHEMA, model="k>=2")
    found = ic.attack(release, original=table, other=release)
    assert "editions" not in {one.name for one in found}
    with pytest.raises(ic.ParameterError, match="it was not said who they are"):
        ic.attack(release, other=release)
