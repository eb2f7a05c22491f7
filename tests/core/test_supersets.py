"""Natural supersets are coarser regions, never arbitrary unions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import incrowd as ic
from incrowd.core import Census, CensusRequest, Classes, Domain, Ladder, Partition, Step, supersets
from incrowd.engines import open_table

TABLE: list[dict[str, Any]] = [
    {"age": 21, "zip": "a", "s": "x"},
    {"age": 22, "zip": "a", "s": "y"},
    {"age": 22, "zip": "b", "s": "x"},
    {"age": 41, "zip": "b", "s": "y"},
]
QUASI = ("age", "zip")


def census(*, ladders: bool = True) -> Census:
    domain = Domain.of("age", [row["age"] for row in TABLE])
    tens = Step(domain.values // 10, [f"{number}0s" for number in range(10)])
    ladder = Ladder.climb(domain, [tens, Step.top(domain)])
    return open_table(TABLE).census(CensusRequest(QUASI, ("s",), {"age": ladder} if ladders else {}))


def spelled(classes: Classes, mode: Any) -> list[tuple[str, list[int]]]:
    return [(name, ids.tolist()) for name, ids, _ in supersets(classes, mode, QUASI)]


def test_the_lattice_has_every_coarser_node_and_a_star_where_a_column_has_no_ladder() -> None:
    assert spelled(census().classes(), "lattice") == [
        ("age=0, zip=*", [0, 1, 1, 2]),
        ("age=1, zip=0", [0, 0, 1, 2]),
        ("age=1, zip=*", [0, 0, 0, 1]),
        ("age=2, zip=0", [0, 0, 1, 1]),
        ("table", [0, 0, 0, 0]),
    ]


def test_the_lattice_begins_where_the_classes_stand() -> None:
    assert spelled(census().classes({"age": 1}), "lattice") == [
        ("age=1, zip=*", [0, 0, 1]),
        ("age=2, zip=0", [0, 1, 1]),
        ("table", [0, 0, 0]),
    ]


def test_a_level_that_merges_nothing_is_left_out() -> None:
    domain = Domain.of("age", [1, 2])
    ladder = Ladder.climb(domain, [Step(np.array([0, 1]), ["one", "two"]), Step.top(domain)])
    table = open_table([{"age": 1, "zip": "a"}, {"age": 2, "zip": "b"}])
    classes = table.census(CensusRequest(QUASI, (), {"age": ladder})).classes()
    assert [name for name, _ in spelled(classes, "lattice")] == ["age=0, zip=*", "age=2, zip=0", "table"]


def test_dropping_keeps_every_set_of_columns() -> None:
    expected = [("age", [0, 1, 1, 2]), ("zip", [0, 0, 1, 1]), ("table", [0, 0, 0, 0])]
    assert spelled(census().classes(), "drop") == expected
    assert spelled(census(ladders=False).classes(), "drop") == expected


def test_the_table_is_the_only_superset_that_is_always_there() -> None:
    assert spelled(census().classes(), "table") == [("table", [0, 0, 0, 0])]


def test_paths_are_walked_from_the_smallest_part_to_the_largest() -> None:
    partition = Partition(
        {
            ("21", "a"): ("all", "left", "left"),
            ("22", "a"): ("all", "left", "right"),
            ("22", "b"): ("all", "right", "left"),
            ("41", "b"): ("all", "right"),
            ("99", "b"): ("all",),
        }
    )
    classes = partition.attach(census().classes())
    assert classes.paths is not None
    assert (classes.paths[3].tolist()[2], len(set(classes.paths[:, 0].tolist()))) == (-1, 1)
    assert spelled(classes, "path") == [("depth 2", [0, 1, 3, 2]), ("depth 1", [0, 0, 1, 1]), ("table", [0, 0, 0, 0])]


def test_a_partition_that_lacks_classes_counts_them() -> None:
    with pytest.raises(ic.ParameterError, match=r"does not say how 3 of 4 classes were cut out\. Hint: name each"):
        Partition({("21", "a"): ("all",)}).attach(census().classes())


@pytest.mark.parametrize("paths", [{"21": ("all",)}, {("21",): "all"}, {("21",): ()}])
def test_a_malformed_partition_is_refused(paths: Any) -> None:
    with pytest.raises(ic.ParameterError, match="paths must give for every class, a tuple of texts, the list"):
        Partition(paths)


def test_a_partition_does_not_print_labels() -> None:
    assert repr(Partition({("secret",): ("all",)})) == "Partition(1 classes)"


def test_a_missing_value_is_named_none() -> None:
    rows = [{"q": None}, {"q": "a"}]
    classes = open_table(rows).census(CensusRequest(("q",))).classes()
    attached = Partition({(None,): ("all", "x"), ("a",): ("all", "y")}).attach(classes)
    assert [ids.tolist() for _, ids, _ in supersets(attached, "path", ["q"])] == [[0, 1], [0, 0]]


def test_what_classes_do_not_know_is_said() -> None:
    bare = census().classes().merge(np.array([0, 0, 1, 1]), 2)
    with pytest.raises(ic.ParameterError, match=r"do not know the hierarchies above them.*'drop', 'path' or 'table'"):
        list(supersets(bare, "lattice", QUASI))
    with pytest.raises(ic.ParameterError, match="Nobody said how these classes were cut out"):
        list(supersets(bare, "path", QUASI))


def test_published_labels_can_be_told_where_they_stand() -> None:
    predicted = census().classes({"age": 1})
    assert predicted.standing is not None
    rows = [{"age": f"{row['age'] // 10}0s", "zip": row["zip"]} for row in TABLE]
    released = open_table(rows).classes(QUASI, {})
    attached = predicted.standing.attach(released)
    assert attached.texts(0).tolist() == released.texts(0).tolist()
    assert spelled(attached, "lattice") == spelled(predicted, "lattice")
    with pytest.raises(ic.ParameterError, match="1 of 4 classes have a label that its level does not have"):
        predicted.standing.attach(open_table([*rows, {"age": "2*", "zip": "a"}]).classes(QUASI, {}))


def test_too_many_supersets_are_refused() -> None:
    names = tuple("abcdefghijklmnopq")
    rows = [dict.fromkeys(names, 1), dict.fromkeys(names, 2)]
    classes = open_table(rows).census(CensusRequest(names)).classes()
    with pytest.raises(ic.ParameterError, match=r"131072 kinds of supersets of the kind 'drop', more than 100000"):
        list(supersets(classes, "drop", names))


def test_an_empty_table_has_no_supersets() -> None:
    classes = open_table([]).census(CensusRequest(QUASI)).classes()
    assert spelled(classes, "drop") == []
