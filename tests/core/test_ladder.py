"""A hierarchy bound to a domain is nested, has one top, and gives every group a name of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from incrowd.core import TOP, Domain, HierarchyError, Ladder, Step

ABCD = Domain.of("x", ["a", "b", "c", "d"])


def step(group: list[int], *labels: str, leaves: list[int] | None = None) -> Step:
    return Step(np.array(group, dtype=np.int64), labels, leaves)


def names(ladder: Ladder) -> list[list[str | None]]:
    return [labels.tolist() for labels in ladder.labels]


def test_level_zero_is_the_values_themselves() -> None:
    ladder = Ladder.climb(ABCD, [step([0, 0, 1, 1], "ab", "cd")])
    assert ladder.labels[0].tolist() == ["a", "b", "c", "d"]
    assert ladder.groups[0].tolist() == [0, 1, 2, 3]


def test_one_top_label_is_added_where_it_is_absent() -> None:
    ladder = Ladder.climb(ABCD, [step([0, 0, 1, 1], "ab", "cd")])
    assert names(ladder)[1:] == [["ab", "cd"], ["*"]]
    assert (ladder.height, ladder.groups[2].tolist()) == (2, [0, 0, 0, 0])


def test_no_steps_at_all_still_lead_to_one_top() -> None:
    assert names(Ladder.climb(ABCD, [])) == [["a", "b", "c", "d"], ["*"]]


def test_a_top_of_the_users_own_is_kept() -> None:
    assert names(Ladder.climb(ABCD, [step([0, 0, 0, 0], "letter")]))[1:] == [["letter"]]


def test_a_single_value_is_its_own_top() -> None:
    assert Ladder.climb(Domain.of("x", ["a"]), []).height == 0


def test_an_empty_column_has_a_ladder() -> None:
    empty = Domain.of("x", [])
    ladder = Ladder.climb(empty, [Step.top(empty)])
    assert names(ladder) == [[], ["*"]]


def test_groups_are_numbered_in_the_order_of_their_first_value() -> None:
    ladder = Ladder.climb(ABCD, [step([7, 2, 7, 0], *"wxyzuvts")])
    assert ladder.groups[1].tolist() == [0, 1, 0, 2]
    assert ladder.labels[1].tolist() == ["s", "y", "w"]


def test_null_stays_null_until_the_asterisk() -> None:
    domain = Domain.of("x", ["a", "b", None])
    ladder = Ladder.climb(domain, [step([0, 0], "letter")])
    assert names(ladder) == [["a", "b", None], ["letter", None], ["*"]]
    assert [level.tolist() for level in ladder.groups] == [[0, 1, 2], [0, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize("stars", ["*", "***"])
def test_null_joins_a_top_of_asterisks(stars: str) -> None:
    ladder = Ladder.climb(Domain.of("x", ["a", "b", None]), [step([0, 0], stars)])
    assert names(ladder)[1:] == [[stars]]
    assert ladder.leaves[1].tolist() == [3]


def test_a_column_of_nothing_but_nulls_has_a_ladder() -> None:
    domain = Domain.of("x", [None, None])
    assert names(Ladder.climb(domain, [Step.top(domain)])) == [[None], ["*"]]


def test_leaves_are_those_of_the_domain_unless_the_hierarchy_knows_more() -> None:
    counted = Ladder.climb(ABCD, [step([0, 0, 0, 1], "abc", "d+")])
    told = Ladder.climb(ABCD, [step([0, 0, 0, 1], "abc", "d+", leaves=[3, 23])])
    assert [leaves.tolist() for leaves in counted.leaves] == [[1, 1, 1, 1], [3, 1], [4]]
    assert [leaves.tolist() for leaves in told.leaves] == [[1, 1, 1, 1], [3, 23], [26]]


def test_leaves_follow_their_groups_and_null_is_one_of_its_own() -> None:
    ladder = Ladder.climb(Domain.of("x", ["a", "b", None]), [step([1, 0], "bs", "as", leaves=[5, 9])])
    assert ladder.labels[1].tolist() == ["as", "bs", None]
    assert [leaves.tolist() for leaves in ladder.leaves] == [[1, 1, 1], [9, 5, 1], [15]]


def test_the_top_step_may_know_how_many_values_the_hierarchy_has() -> None:
    assert Ladder.climb(ABCD, [Step.top(ABCD, 26)]).leaves[1].tolist() == [26]
    assert Ladder.climb(ABCD, [Step.top(ABCD)]).leaves[1].tolist() == [4]


def test_a_step_leads_from_groups_to_their_groups_above() -> None:
    ladder = Ladder.climb(ABCD, [step([0, 0, 1, 2], "ab", "c!", "d!"), step([0, 0, 1, 1], "low", "high")])
    assert ladder.parent_groups(0, 1).tolist() == [0, 0, 1, 2]
    assert ladder.parent_groups(1, 2).tolist() == [0, 1, 1]
    assert ladder.parent_groups(0, 3).tolist() == [0, 0, 0, 0]
    assert ladder.parent_groups(2, 2).tolist() == [0, 1]


def test_groups_take_the_smallest_type_that_fits() -> None:
    domain = Domain.of("x", list(range(257)))
    ladder = Ladder.climb(domain, [step([number // 2 for number in range(257)], *(f"g{n}" for n in range(129)))])
    assert [level.dtype.name for level in ladder.groups] == ["uint16", "uint8", "uint8"]


def test_values_that_were_equal_may_not_part_again() -> None:
    with pytest.raises(HierarchyError, match="'x' is not nested: values with one label at level 1 have different"):
        Ladder.climb(ABCD, [step([0, 0, 1, 1], "ab", "cd"), step([0, 1, 1, 1], "a!", "bcd")])


def test_two_groups_of_one_level_may_not_share_a_label() -> None:
    with pytest.raises(HierarchyError, match=r"'x' uses one label for different groups of values \(at level 1\)"):
        Ladder.climb(ABCD, [step([0, 0, 1, 1], "same", "same")])


def test_two_groups_of_two_levels_may_not_share_a_label() -> None:
    with pytest.raises(HierarchyError, match=r"one label for different groups of values \(at levels 1 and 2\)"):
        Ladder.climb(ABCD, [step([0, 0, 1, 2], "ab", "c!", "d!"), step([0, 0, 1, 1], "left", "ab")])


def test_a_label_may_not_grow_on_the_way_up() -> None:
    with pytest.raises(HierarchyError, match=r"\(at levels 1 and 2\)"):
        Ladder.climb(ABCD, [step([0, 0, 1, 2], "ab", "c!", "d!"), step([0, 0, 0, 1], "ab", "d!")])


def test_a_group_may_not_be_called_like_a_foreign_value() -> None:
    with pytest.raises(HierarchyError, match=r"\(at levels 0 and 1\). Hint: .* must not be called like a value"):
        Ladder.climb(ABCD, [step([0, 0, 1, 1], "c", "cd")])


def test_a_group_may_not_be_called_like_one_of_several_of_its_values() -> None:
    with pytest.raises(HierarchyError, match=r"\(at levels 0 and 1\)"):
        Ladder.climb(ABCD, [step([0, 0, 1, 1], "a", "cd")])


def test_a_value_may_not_be_called_like_the_top() -> None:
    with pytest.raises(HierarchyError, match=r"\(at levels 0 and 1\)"):
        Ladder.climb(Domain.of("x", ["*", "a"]), [])


def test_no_label_is_quoted_where_labels_clash() -> None:
    with pytest.raises(HierarchyError, match="one label") as error:
        Ladder.climb(Domain.of("x", ["HIV", "flu"]), [step([0, 0], "HIV")])
    assert "HIV" not in str(error.value)


def test_one_label_for_one_set_of_values_may_be_repeated() -> None:
    ladder = Ladder.climb(ABCD, [step([0, 1, 2, 2], "a", "b", "cd"), step([0, 0, 1, 1], "ab", "cd")])
    assert names(ladder)[1:] == [["a", "b", "cd"], ["ab", "cd"], ["*"]]


def test_a_ladder_that_ends_in_several_labels_is_refused() -> None:
    one = np.array([0, 1])
    with pytest.raises(HierarchyError, match="'x' ends in 2 labels instead of one"):
        Ladder("x", (one,), (np.array(["a", "b"], dtype=object),), (np.ones(2, dtype=np.int64),))


def test_ladders_are_equal_by_column_groups_labels_and_leaves() -> None:
    made = [step([0, 0, 1, 1], "ab", "cd")]
    ladder = Ladder.climb(ABCD, made)
    assert ladder == Ladder.climb(ABCD, made)
    assert ladder != Ladder.climb(Domain.of("y", ["a", "b", "c", "d"]), made)
    assert ladder != Ladder.climb(ABCD, [])
    assert ladder != Ladder.climb(ABCD, [step([0, 0, 0, 1], "ab", "cd")])
    assert ladder != Ladder.climb(ABCD, [step([0, 0, 1, 1], "ab", "dc")])
    assert ladder != Ladder.climb(ABCD, [step([0, 0, 1, 1], "ab", "cd", leaves=[2, 3])])
    assert ladder != "x"


def test_a_ladder_cannot_be_changed() -> None:
    ladder = Ladder.climb(ABCD, [])
    for array in (ladder.groups[0], ladder.labels[0], ladder.leaves[0]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]
    with pytest.raises(TypeError, match="unhashable"):
        hash(ladder)


def test_a_ladder_shows_numbers_and_no_value() -> None:
    assert repr(Ladder.climb(ABCD, [step([0, 0, 1, 1], "ab", "cd")])) == "Ladder('x', 4 → 2 → 1)"


@st.composite
def partitions(draw: st.DrawFn) -> tuple[list[Any], list[list[int]]]:
    """Values, and for each of them its group at nested levels (in some numbering)."""
    values = draw(st.lists(st.text("abc", max_size=3), unique=True, min_size=1, max_size=12))
    groups, levels = list(range(len(values))), []
    for _ in range(draw(st.integers(0, 3))):
        parent = draw(st.lists(st.integers(0, 5), min_size=12, max_size=12))
        groups = [parent[group] for group in groups]
        levels.append(groups)
    return values + draw(st.sampled_from([[], [None]])), levels


def climb(values: list[Any], levels: list[list[int]]) -> Ladder:
    steps = [step(groups, *(f"{level}.{number}" for number in range(6))) for level, groups in enumerate(levels)]
    return Ladder.climb(Domain.of("x", values), steps)


@given(partitions())
def test_any_nested_partition_becomes_a_ladder_with_one_top(made: tuple[list[Any], list[list[int]]]) -> None:
    values, levels = made
    ladder = climb(values, levels)
    assert len(ladder.labels[-1]) == 1
    assert ladder.labels[-1][0] == TOP or ladder.height == len(levels)
    assert all(leaves.sum() == len(values) for leaves in ladder.leaves)


@given(partitions())
def test_every_value_finds_the_label_that_its_step_gave_it(made: tuple[list[Any], list[list[int]]]) -> None:
    values, levels = made
    ladder = climb(values, levels)
    for level, groups in enumerate(levels):
        found = ladder.labels[level + 1][ladder.groups[level + 1]].tolist()
        assert found == [f"{level}.{group}" for group in groups] + [None] * (None in values)


@given(partitions())
def test_two_steps_are_one(made: tuple[list[Any], list[list[int]]]) -> None:
    ladder = climb(*made)
    for middle in range(ladder.height + 1):
        two = ladder.parent_groups(middle, ladder.height)[ladder.parent_groups(0, middle)]
        assert two.tolist() == ladder.parent_groups(0, ladder.height).tolist()


@given(partitions())
def test_groups_appear_in_ascending_order(made: tuple[list[Any], list[list[int]]]) -> None:
    for groups in climb(*made).groups:
        seen = list(dict.fromkeys(groups.tolist()))
        assert seen == list(range(len(seen)))
