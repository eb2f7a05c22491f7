from __future__ import annotations

import itertools

from hypothesis import given, strategies as st

from incrowd.core import ItemSets

items = st.lists(st.sampled_from(["a", "b", "ä", "10", "9"]), min_size=1, max_size=5)
texts = st.lists(st.none() | st.sampled_from(["", "*"]) | items.map("|".join), max_size=12)


def sets_of(found: ItemSets) -> list[set[str]]:
    ends = found.starts.tolist()
    return [{found.names[item] for item in found.items[begin:end]} for begin, end in itertools.pairwise(ends)]


@given(texts)
def test_every_text_is_the_set_of_what_stands_between_separators(listed: list[str | None]) -> None:
    expected = [set(text.split("|")) if text and text != "*" else set() for text in listed]
    found = ItemSets.of(listed, "|")
    assert sets_of(found) == expected
    assert found.sizes.tolist() == [len(one) for one in expected]
    assert found.texts("|") == ["|".join(sorted(one)) for one in expected]


def test_blanks_around_items_are_no_part_of_them() -> None:
    assert ItemSets.of(["E11 ; I10", "I10;E11;I10"], ";").texts(";") == ["E11;I10", "E11;I10"]


def test_items_that_are_called_the_same_are_one() -> None:
    found = ItemSets.of(["a|b|c", "b", None], "|")
    assert found.names == ["a", "b", "c"]
    assert sets_of(found.renamed(["x", "y", "x"])) == [{"x", "y"}, {"y"}, set()]


def test_nothing_has_no_items() -> None:
    found = ItemSets.of([], "|")
    assert (len(found), found.texts("|"), found.renamed([]).texts("|")) == (0, [], [])
    assert ItemSets.of([None, "*"], "|").texts("|") == ["", ""]
