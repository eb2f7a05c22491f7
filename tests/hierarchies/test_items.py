from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.core import Domain, Ladder

TREE = ic.tree({"heart": ["I10", "I25"], "sugar": ["E10", "E11"]})
VALUES = ["I10|E11", "E11|I10", "E10 | I25|E10", "I10", None]
codes = st.lists(
    st.lists(st.sampled_from(["I10", "I25", "E10", "E11"]), min_size=1, max_size=4), min_size=1, max_size=8
)


def bound(values: Any, hierarchy: Any = TREE, separator: str = "|") -> Ladder:
    return ic.items(hierarchy, separator=separator).bind(Domain.of("dx", values))


def labels(values: Any, level: int, **more: Any) -> list[str | None]:
    ladder, domain = bound(values, **more), Domain.of("dx", values)
    known = dict(zip(domain.texts.tolist(), ladder.labels[level][ladder.groups[level]].tolist(), strict=True))
    return [known[value] for value in values]


def test_a_set_has_one_form_and_its_items_are_raised() -> None:
    assert bound(VALUES).height == 3
    assert bound(VALUES).lowest == 1
    assert labels(VALUES, 1) == ["E11|I10", "E11|I10", "E10|I25", "I10", None]
    assert labels(VALUES, 2) == ["heart|sugar", "heart|sugar", "heart|sugar", "heart", None]
    assert labels(VALUES, 3) == ["*"] * 5


def test_a_column_of_nothing_has_nothing_to_lose() -> None:
    assert [one.tolist() for one in bound([None, None], None).leaves] == [[1], [2]]


def test_a_classification_can_be_the_hierarchy() -> None:
    assert labels(["E11.9|I10", "E10.1"], 3, hierarchy=ic.classification("icd-10")) == ["E10-E14|I10-I15", "E10-E14"]


def test_without_a_hierarchy_items_are_published_or_not_at_all() -> None:
    assert (bound(VALUES, None).height, labels(VALUES, 1, hierarchy=None)[0]) == (2, "E11|I10")


@given(codes, st.integers(1, 2))
def test_labels_are_the_sets_of_what_items_are_called(values: list[list[str]], level: int) -> None:
    called = {"I10": "heart", "I25": "heart", "E10": "sugar", "E11": "sugar"}
    expected = ["|".join(sorted({item if level == 1 else called[item] for item in one})) for one in values]
    assert labels(["|".join(one) for one in values], level) == expected


def test_a_higher_level_never_loses_less() -> None:
    tree = ic.tree({"x": {"x1": list("abc"), "x2": list("def")}, "y": {"y1": ["g"]}})
    ladder = ic.items(tree).bind(Domain.of("dx", ["a|d|g", "a|g", "g", "d|g"]))
    each = [leaves[groups].tolist() for leaves, groups in zip(ladder.leaves, ladder.groups, strict=True)]
    assert all(low <= high for one, other in itertools.pairwise(each) for low, high in zip(one, other, strict=True))


@given(codes)
def test_no_detail_is_lost_by_order_and_all_by_a_star(values: list[list[str]]) -> None:
    ladder = bound(["|".join(one) for one in values])
    assert set(ladder.leaves[1].tolist()) == {1}
    assert all(int(one.max()) <= int(ladder.leaves[-1][0]) for one in ladder.leaves)
    assert set(ladder.leaves[2].tolist()) == {101}


def test_items_that_the_tree_lacks_are_counted_and_not_said() -> None:
    with pytest.raises(ic.UncoveredValuesError, match="'dx' has 2 of 4 items") as error:
        bound(["Canary1|I10", "E11|Canary2"])
    assert "Canary" not in str(error.value)
    assert sorted(map(str, error.value.values)) == ["Canary1", "Canary2"]


@pytest.mark.parametrize("value", ["E11||I10", "|", "E11|", " |I10", "E11|*", "**"])
def test_items_that_are_nothing_are_refused(value: str) -> None:
    with pytest.raises(ic.DataError, match="'dx' has 1 value with an item that is missing, empty"):
        bound([value, "I10"])


def test_labels_that_hold_the_separator_are_refused() -> None:
    with pytest.raises(ic.HierarchyError, match=r"level 1 .* labels that hold '-'"):
        bound(["E11.9-I10"], ic.classification("icd-10"), "-")


@pytest.mark.parametrize("separator", ["", "ab", "a", "1", "*", '"', "\n", None, 3])
def test_separators_that_could_not_be_told_from_items_are_refused(separator: Any) -> None:
    with pytest.raises(ic.ParameterError, match="separator must be one character"):
        ic.items(TREE, separator=separator)


@pytest.mark.parametrize("wrong", [ic.items(), "tree", ic.Schema, {"a": ["b"]}])
def test_what_is_no_hierarchy_of_an_item_is_refused(wrong: Any) -> None:
    with pytest.raises(ic.ParameterError, match="hierarchy of a single item"):
        ic.items(wrong)


def test_a_group_that_is_called_as_everything_is_passed_over() -> None:
    starred = ic.tree({"all": {"*": ["I10"], "heart": ["I25"]}})
    ladder = bound(["I10", "I25", "I25", "I25"], starred)
    assert [labels.tolist() for labels in ladder.labels[1:]] == [["I10", "I25"], ["all"], ["*"]]
    release = ic.anonymize(
        [{"dx": one} for one in ("I10", "I25", "I25", "I25")],
        ic.Schema({"dx": ic.items(starred)}),
        model="k>=2[any 1 item]",
    )
    assert {row["dx"] for row in release.table} == {"all"}


@pytest.mark.parametrize("name", [" heart", "heart ", "heart\r\n"])
def test_labels_with_blanks_at_an_end_are_refused(name: str) -> None:
    with pytest.raises(ic.HierarchyError, match="has labels of nothing, or with blanks at an end"):
        bound(["I10", "I25"], ic.tree({"all": {name: ["I10"], "heart": ["I25"]}}))
