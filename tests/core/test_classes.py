"""Classes know their size, their persons and what values lie inside."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from incrowd.core import (
    CensusRequest,
    Classes,
    Domain,
    Histogram,
    Ladder,
    ParameterError,
    Step,
    UnknownColumnError,
    compatible_sizes,
)
from incrowd.engines import open_table

Row = dict[str, Any]

# Ada has rows at two ages with one disease, and one with another.
VISITS: list[Row] = [
    {"age": 31, "disease": "flu", "drug": "x", "who": "Ada"},
    {"age": 32, "disease": "flu", "drug": "y", "who": "Ada"},
    {"age": 32, "disease": "HIV", "drug": "y", "who": "Ada"},
    {"age": 31, "disease": "flu", "drug": "x", "who": "Bea"},
    {"age": 47, "disease": "HIV", "drug": "x", "who": "Cid"},
]


def classes(rows: list[Row], level: int = 0, entity: str | None = None, sensitive: tuple[str, ...] = ()) -> Classes:
    domain = Domain.of("age", [row["age"] for row in rows])
    tens = Step(domain.values // 10, [f"{n}0s" for n in range(10)])
    ladder = Ladder.climb(domain, [tens, Step.top(domain)])
    request = CensusRequest(("age",), sensitive or ("disease", "drug"), {"age": ladder}, entity=entity)
    return open_table(rows).census(request).classes([level])


def spelled(histogram: Histogram) -> dict[tuple[int, ...], int]:
    keys = zip(histogram.classes.tolist(), *(codes.tolist() for codes in histogram.values), strict=True)
    return dict(zip(keys, histogram.counts.tolist(), strict=True))


def test_a_class_counts_its_records() -> None:
    found = classes(VISITS)
    assert (len(found), found.size.tolist(), found.records.tolist()) == (3, [2, 2, 1], [2, 2, 1])
    assert [codes.tolist() for codes in found.codes] == [[0, 1, 2]]


def test_classes_can_be_taken_at_levels() -> None:
    found = classes(VISITS, level=1)
    assert (found.size.tolist(), [codes.tolist() for codes in found.codes]) == ([4, 1], [[0, 1]])


def test_classes_without_levels_are_those_of_the_floor() -> None:
    census = open_table(VISITS).census(CensusRequest(("drug",), ("disease",)))
    assert census.classes().size.tolist() == [3, 2]


def test_every_cell_has_its_class() -> None:
    found = classes(VISITS)  # cells: (31, flu, x), (32, HIV, y), (32, flu, y), (47, HIV, x)
    assert found.members.tolist() == [0, 1, 1, 2]
    assert found.cells.counts.tolist() == [2, 1, 1, 1]


def test_a_person_with_several_rows_in_a_class_counts_once() -> None:
    found = classes(VISITS, entity="who")
    assert (found.size.tolist(), found.records.tolist()) == ([2, 1, 1], [2, 2, 1])


def test_a_person_in_two_cells_that_roll_up_together_counts_once() -> None:
    found = classes(VISITS, level=1, entity="who")
    assert (found.size.tolist(), found.records.tolist()) == ([2, 1], [4, 1])


def test_a_person_counts_once_per_value_too() -> None:
    histogram = classes(VISITS, level=1, entity="who").histogram("disease")
    assert spelled(histogram) == {(0, 0): 1, (0, 1): 2, (1, 0): 1}  # codes: 0 HIV, 1 flu


def test_a_person_counts_once_in_the_whole_table() -> None:
    found = classes(VISITS, level=0, entity="who")
    assert spelled(found.reference("disease")) == {(0, 0): 2, (0, 1): 2}
    assert spelled(found.reference()) == {(0,): 3}


def test_a_histogram_counts_the_records_of_each_value() -> None:
    histogram = classes(VISITS, level=1).histogram("disease")
    assert histogram.classes.tolist() == [0, 0, 1]
    assert [codes.tolist() for codes in histogram.values] == [[0, 1, 0]]
    assert histogram.counts.tolist() == [1, 3, 1]
    assert histogram.starts.tolist() == [0, 2, 3]


def test_two_sensitive_columns_are_counted_separately_and_jointly() -> None:
    found = classes(VISITS, level=1)
    assert spelled(found.histogram("drug")) == {(0, 0): 2, (0, 1): 2, (1, 0): 1}
    assert spelled(found.histogram("disease", "drug")) == {(0, 0, 1): 1, (0, 1, 0): 2, (0, 1, 1): 1, (1, 0, 0): 1}


def test_the_order_of_columns_is_the_order_of_codes() -> None:
    found = classes(VISITS, level=2)
    assert spelled(found.histogram("drug", "disease")) == {(0, 0, 0): 1, (0, 0, 1): 2, (0, 1, 0): 1, (0, 1, 1): 1}


def test_a_histogram_of_no_column_counts_the_class() -> None:
    histogram = classes(VISITS, level=1).histogram()
    assert (spelled(histogram), histogram.values) == ({(0,): 4, (1,): 1}, ())


def test_the_reference_is_the_whole_table_as_one_class() -> None:
    reference = classes(VISITS).reference("disease")
    assert (spelled(reference), reference.starts.tolist()) == ({(0, 0): 2, (0, 1): 3}, [0, 2])


def test_a_missing_sensitive_value_is_a_value() -> None:
    rows: list[Row] = [{"age": 1, "disease": None, "drug": "x"}, {"age": 1, "disease": "flu", "drug": "x"}]
    assert spelled(classes(rows).histogram("disease")) == {(0, 0): 1, (0, 1): 1}


def test_an_empty_table_has_no_classes() -> None:
    found = open_table([]).census(CensusRequest(("age",), ("disease",), entity="who")).classes()
    assert (len(found), found.size.tolist(), spelled(found.reference("disease"))) == (0, [], {})
    assert found.histogram("disease").starts.tolist() == [0]


def test_an_unknown_sensitive_column_is_refused() -> None:
    with pytest.raises(
        UnknownColumnError, match=r"no column 'diseas' \(given as sensitive\). Hint: did you mean 'dise"
    ):
        classes(VISITS).histogram("diseas")


def test_more_classes_than_a_byte_holds_are_kept_apart() -> None:
    rows = [{"age": age, "disease": "flu", "drug": "x"} for age in range(256)]
    census = open_table(rows).census(CensusRequest(("age",), ("disease",)))
    assert census.classes().histogram("disease").starts.tolist() == list(range(257))


def test_classes_cannot_be_changed() -> None:
    found = classes(VISITS, entity="who")
    inside = [found.cells.counts, found.cells.person, *found.cells.sensitive.values()]
    for array in (found.size, found.records, found.members, *found.codes, *inside):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9  # type: ignore[index]
    with pytest.raises(AttributeError, match="cannot assign to field 'size'"):
        found.size = np.zeros(3, dtype=np.int64)  # type: ignore[misc]


def test_what_was_counted_once_is_kept_and_cannot_be_changed() -> None:
    found = classes(VISITS)
    histogram = found.histogram("disease")
    assert found.histogram("disease") is histogram
    assert found.reference("disease") is found.reference("disease")
    assert found.histogram("drug", "disease") is not found.histogram("disease", "drug")
    for array in (histogram.starts, histogram.classes, histogram.counts, *histogram.values):
        assert not array.flags.writeable


def test_classes_know_what_they_are_called() -> None:
    assert classes(VISITS).texts(0).tolist() == ["31", "32", "47"]
    assert classes(VISITS, level=1).texts(0).tolist() == ["30s", "40s"]
    published = open_table([{"age": "30s"}, {"age": None}]).classes(("age",), {})
    assert published.texts(0).tolist() == ["30s", None]


def test_classes_merge_into_regions() -> None:
    merged = classes(VISITS, entity="who").merge(np.array([1, 1, 0]), 2)
    assert (merged.size.tolist(), merged.records.tolist()) == ([1, 2], [1, 4])
    assert spelled(merged.histogram("disease")) == {(0, 0): 1, (1, 0): 1, (1, 1): 2}
    with pytest.raises(ParameterError, match="do not know what they are called"):
        merged.texts(0)


def test_the_whole_table_is_one_class() -> None:
    assert classes(VISITS, entity="who").as_one().size.tolist() == [3]
    assert len(open_table([]).census(CensusRequest(("age",))).classes().as_one()) == 0


TABLES: st.SearchStrategy[list[Row]] = st.lists(
    st.builds(
        dict,
        age=st.integers(0, 99),
        disease=st.sampled_from(["a", "b", "c"]),
        drug=st.sampled_from(["x", "y"]),
        who=st.integers(0, 4),
    ),
    min_size=1,
    max_size=25,
)


@given(TABLES)
def test_sizes_and_histograms_equal_counting_by_hand(rows: list[Row]) -> None:
    found = classes(rows, level=1)
    tens = sorted({row["age"] // 10 for row in rows})
    diseases = sorted({row["disease"] for row in rows})
    sizes = Counter(row["age"] // 10 for row in rows)
    entries = Counter((tens.index(row["age"] // 10), diseases.index(row["disease"])) for row in rows)
    assert found.size.tolist() == [sizes[ten] for ten in tens]
    assert list(spelled(found.histogram("disease")).items()) == sorted(entries.items())


@given(TABLES)
def test_persons_equal_counting_sets_by_hand(rows: list[Row]) -> None:
    found = classes(rows, level=1, entity="who")
    tens = sorted({row["age"] // 10 for row in rows})
    diseases = sorted({row["disease"] for row in rows})
    people = {(ten, row["who"]) for ten in tens for row in rows if row["age"] // 10 == ten}
    values = {(tens.index(row["age"] // 10), diseases.index(row["disease"]), row["who"]) for row in rows}
    assert found.size.tolist() == [Counter(ten for ten, _ in people)[ten] for ten in tens]
    assert spelled(found.histogram("disease")) == Counter((ten, disease) for ten, disease, _ in values)


PUBLISHED = Path(__file__).parents[1] / "published" / "tables"
QUASI = ("Race", "Date_of_birth", "Gender", "ZIP")

labels = st.one_of(st.text("ab*", max_size=3), st.none())
tables = st.lists(st.tuples(labels, labels), min_size=1, max_size=12)


def sizes(rows: list[tuple[Any, ...]]) -> list[int]:
    """Count for every row the compatible rows, class by class."""
    distinct = sorted(set(rows), key=repr)
    names = [sorted({row[column] for row in rows}, key=repr) for column in range(len(rows[0]))]
    codes = [np.array([known.index(row[at]) for row in distinct]) for at, known in enumerate(names)]
    texts = [np.array([*known, "unused"], dtype=object) for known in names]
    counted = compatible_sizes(codes, texts, np.array([rows.count(row) for row in distinct])).tolist()
    return [counted[distinct.index(row)] for row in rows]


def match(one: str | None, other: str | None) -> bool:
    if one in {None, "", "*"} or other in {None, "", "*"}:
        return True
    assert one is not None
    assert other is not None
    return len(one) == len(other) and all(a == b or "*" in (a, b) for a, b in zip(one, other, strict=True))


@given(rows=tables)
def test_two_rows_are_compatible_if_all_their_labels_are(rows: list[tuple[Any, ...]]) -> None:
    assert sizes(rows) == [sum(all(map(match, row, other)) for other in rows) for row in rows]


def test_masks_match_labels_of_their_length() -> None:
    assert sizes([("021*",), ("0213",), ("02138",), ("0***",), ("1*",)]) == [3, 3, 1, 3, 1]


def test_missing_empty_and_starred_labels_match_anything() -> None:
    assert sizes([(None,), ("",), ("*",), ("x",), ("y",)]) == [5, 5, 5, 4, 4]


def test_compatible_is_not_transitive() -> None:
    assert sizes([("a*",), ("*b",), ("ac",), ("cb",)]) == [3, 3, 2, 2]


def test_classes_without_a_star_are_compatible_with_themselves_only() -> None:
    assert sizes([("a", "x"), ("a", "x"), ("a", "y")]) == [2, 2, 1]


def test_rows_can_differ_in_every_column() -> None:
    assert sizes([("a*", "x"), ("x", "a*"), ("ab", "x")]) == [2, 1, 2]


def test_no_classes() -> None:
    assert compatible_sizes([np.zeros(0, int)], [np.zeros(0, object)], np.zeros(0, int)).tolist() == []


@pytest.mark.parametrize(
    ("table", "least"),
    [
        ("003_table10_improved_datafly", 1),
        ("003_table12_mu_argus", 1),
        ("003_table13_improved_mu_argus", 3),
        ("003_table14_l_diversity", 3),
        ("003_table15_improved_l_diversity", 3),
    ],
)
def test_the_published_tables(table: str, least: int) -> None:
    census = open_table(PUBLISHED / f"{table}.csv").census(CensusRequest(QUASI))
    classes = census.classes()
    counted = compatible_sizes(classes.codes, [census.labels(name) for name in QUASI], classes.size)
    assert counted.min() == least


def test_many_classes_are_counted_without_comparing_all_pairs() -> None:
    count = 100_000
    names = np.array([f"{number:06}" for number in range(count)] + ["00000*", "******"], dtype=object)
    counted = compatible_sizes([np.arange(count + 2)], [names], np.ones(count + 2, dtype=np.int64))
    assert (counted[0], counted[10], counted[-2], counted[-1]) == (3, 2, 12, count + 2)
