"""A recoding is checked when it is made, and says which records of a cell go where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from incrowd.core import Domain, FullDomainRecoding, Ladder, LocalRecoding, ParameterError, Step, UnknownColumnError
from incrowd.engines import open_table

AGE = Domain.of("age", [31, 32, 47])
SEX = Domain.of("sex", ["f", "m"])
TENS = Ladder.climb(AGE, [Step(np.array([0, 0, 1]), ["30s", "40s"])])
STAR = Ladder.climb(SEX, [])


def full(levels: dict[str, int], **changes: Any) -> FullDomainRecoding:
    parts: dict[str, Any] = {"domains": {"age": AGE, "sex": SEX}, "ladders": {"age": TENS, "sex": STAR}, **changes}
    return FullDomainRecoding(levels=levels, **parts)


def local(**changes: Any) -> LocalRecoding:
    """Publish age 31 in class 0 and the others in class 1, of which two of 32 are left out."""
    parts: dict[str, Any] = {
        "quasi": ("age",),
        "domains": {"age": AGE},
        "codes": (np.array([0, 1, 1, 2]),),
        "classes": np.array([0, 1, -1, 1]),
        "counts": np.array([3, 3, 2, 1]),
        "labels": (np.array(["31", "32 to 47"], dtype=object),),
    }
    return LocalRecoding(**{**parts, **changes})


def test_a_full_domain_recoding_knows_its_columns_and_levels() -> None:
    recoding = full({"age": 1, "sex": 0})
    assert (recoding.quasi, recoding.levels) == (("age", "sex"), {"age": 1, "sex": 0})


def test_columns_stand_in_the_order_of_the_levels_whatever_order_they_came_in() -> None:
    recoding = full({"sex": 1, "age": 0})
    assert (list(recoding.domains), list(recoding.ladders)) == (["sex", "age"], ["sex", "age"])


def test_domains_in_another_order_do_not_mix_up_the_columns() -> None:
    rows = [{"age": 31, "sex": "m"}, {"age": 47, "sex": "f"}, {"age": 32, "sex": "f"}]
    recoding = full({"sex": 0, "age": 1})
    published = open_table(rows).recode(recoding, ["age", "sex"]).materialise()
    assert published == [{"age": "30s", "sex": "f"}, {"age": "30s", "sex": "m"}, {"age": "40s", "sex": "f"}]


def test_a_column_without_a_domain_or_ladder_is_refused() -> None:
    with pytest.raises(UnknownColumnError, match=r"no column 'zip' \(given as level\)"):
        full({"age": 1, "zip": 0})
    with pytest.raises(UnknownColumnError, match=r"no column 'sex' \(given as level\)"):
        full({"age": 1, "sex": 0}, ladders={"age": TENS})


@pytest.mark.parametrize("level", [3, -1, 1.5])
def test_a_level_that_the_ladder_does_not_have_is_refused(level: Any) -> None:
    with pytest.raises(ParameterError, match=r"^Column 'age' has levels 0 to 2, got"):
        full({"age": level})


def test_a_ladder_of_another_domain_is_refused() -> None:
    other = Domain.of("age", [31, 32])
    with pytest.raises(ParameterError, match="ladder of column 'age' was not bound to the domain"):
        full({"age": 1}, domains={"age": other})


def test_suppressed_classes_are_named_by_every_column() -> None:
    recoding = full({"age": 1, "sex": 0}, suppressed=(np.array([1]), np.array([0])))
    assert len(recoding.suppressed) == 2
    with pytest.raises(ParameterError, match=r"one array per quasi-identifier \(2\), got 1"):
        full({"age": 1, "sex": 0}, suppressed=(np.array([1]),))


def test_a_combination_is_suppressed_if_all_its_groups_are_those_of_a_suppressed_class() -> None:
    recoding = full({"age": 1, "sex": 0}, suppressed=(np.array([1, 0]), np.array([0, 1])))
    assert recoding.is_suppressed([np.array([0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 0])]).tolist() == [0, 1, 1, 0, 1]
    assert not full({"age": 1, "sex": 0}).is_suppressed([np.array([0]), np.array([1])]).any()


def test_suppressed_classes_have_one_entry_in_every_array() -> None:
    with pytest.raises(ParameterError, match="suppressed must have one entry per class each"):
        full({"age": 1, "sex": 0}, suppressed=(np.array([0, 1]), np.array([0])))


@pytest.mark.parametrize("number", [2, -1])
def test_a_suppressed_class_that_does_not_exist_is_refused(number: int) -> None:
    with pytest.raises(ParameterError, match="codes of column 'age' beyond the 2 that there are"):
        full({"age": 1, "sex": 0}, suppressed=(np.array([number]), np.array([0])))


@pytest.mark.parametrize("number", [3, -1])
def test_a_cell_that_does_not_exist_is_refused(number: int) -> None:
    with pytest.raises(ParameterError, match="codes of column 'age' beyond the 3 that there are"):
        local(codes=(np.array([0, 1, 1, number]),))


def test_a_recoding_shows_no_value() -> None:
    assert repr(full({"age": 1})) == "FullDomainRecoding(levels={'age': 1})"
    assert repr(local()) == "LocalRecoding(quasi=('age',))"


def test_a_local_recoding_has_no_levels() -> None:
    assert local().levels is None


def test_the_entries_of_a_cell_are_lined_up_by_class() -> None:
    order, first, split = local().pieces()
    assert order.tolist() == [0, 1, 2, 3]  # within age 32 the two that are left out come last
    assert first.tolist() == [0, 0, 3, 0]
    assert split.tolist() == [False, True, True, False]


def test_the_order_of_entries_does_not_matter() -> None:
    turned = local(codes=(np.array([2, 1, 1, 0]),), classes=np.array([1, -1, 1, 0]), counts=np.array([1, 2, 3, 3]))
    order, first, split = turned.pieces()
    assert turned.codes[0][order].tolist() == [0, 1, 1, 2]
    assert turned.classes[order].tolist() == [0, 1, -1, 1]
    assert (first.tolist(), split.tolist()) == ([0, 0, 3, 0], [False, True, True, False])


def test_cells_are_told_apart_by_all_their_columns() -> None:
    recoding = LocalRecoding(
        quasi=("age",),
        domains={"age": AGE, "sex": SEX},
        codes=(np.array([1, 1, 1]), np.array([1, 0, 0])),
        classes=np.array([0, 1, 0]),
        counts=np.array([4, 5, 6]),
        labels=(np.array(["x", "y"], dtype=object),),
    )
    order, first, split = recoding.pieces()
    assert (order.tolist(), first.tolist()) == ([2, 1, 0], [0, 6, 0])
    assert split.tolist() == [True, True, False]


def test_a_recoding_of_nothing_has_no_pieces() -> None:
    none = np.array([], dtype=np.int64)
    order, first, split = local(codes=(none,), classes=none, counts=none).pieces()
    assert (order.tolist(), first.tolist(), split.tolist()) == ([], [], [])


@pytest.mark.parametrize(
    "changes",
    [
        {"codes": (np.array([0, 1]),)},
        {"codes": ()},
        {"classes": np.array([0])},
        {"counts": np.array([1])},
        {"labels": ()},
        {"domains": {"age": AGE, "sex": SEX}},
    ],
)
def test_a_local_recoding_needs_everything_for_every_entry(changes: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="one code per column and entry, and one label per quasi-identifier"):
        local(**changes)


@pytest.mark.parametrize("count", [0, -1])
def test_every_entry_moves_somebody(count: int) -> None:
    with pytest.raises(ParameterError, match="moves at least one record per entry"):
        local(counts=np.array([3, 3, 2, count]))


@pytest.mark.parametrize("number", [2, -2])
def test_every_class_has_a_label_or_is_left_out(number: int) -> None:
    with pytest.raises(ParameterError, match="for each class one label per quasi-identifier; -1 is what is left out"):
        local(classes=np.array([0, 1, -1, number]))


def test_every_class_has_a_label_of_every_column() -> None:
    labels = (np.array(["x", "y"], dtype=object), np.array(["x"], dtype=object))
    with pytest.raises(ParameterError, match="for each class one label per quasi-identifier"):
        local(quasi=("age", "sex"), labels=labels)
