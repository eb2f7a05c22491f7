"""A recoding is checked when it is made, and says which records of a cell go where."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from incrowd.core import (
    CensusRequest,
    DataError,
    Domain,
    FullDomainRecoding,
    KnownLadder,
    Ladder,
    LocalRecoding,
    ParameterError,
    Step,
    UncoveredValuesError,
    UnknownColumnError,
    _recoding,
    join_cells,
    recoding_from_arrays,
)
from incrowd.engines import open_table, read_arrays, write_arrays

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


@pytest.mark.parametrize("bits", [20, 0])
def test_a_combination_is_suppressed_if_all_its_groups_are_those_of_a_suppressed_class(
    bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_recoding, "TABLE_BITS", bits)
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


COLUMNS: dict[str, list[Any]] = {
    "whole": [1, 2, 3, None],
    "floating": [0.1, 0.5, 1e300],
    "decimal": [Decimal("1.50"), Decimal("2.25")],
    "huge": [2**70, 2**71],
    "text": ["ä", "", "b", None],
    "boolean": [True, False],
    "date": [dt.date(2024, 1, 31), dt.date(1900, 2, 3)],
    "datetime": [dt.datetime(2024, 1, 31, 12, 30)],  # noqa: DTZ001 - without a zone
    "instant": [dt.datetime(2024, 1, 31, 12, 30, tzinfo=dt.UTC)],
    "nothing": [None],
    "empty": [],
}


def through_a_file(recoding: Any, folder: Path) -> Any:
    header, arrays = recoding.header_and_arrays()
    write_arrays(arrays, folder / "map.parquet")
    return recoding_from_arrays(json.loads(json.dumps(header)), read_arrays(folder / "map.parquet"))


@pytest.mark.parametrize("name", COLUMNS)
def test_a_full_domain_recoding_comes_back_for_every_kind_of_value(name: str, tmp_path: Path) -> None:
    domain = Domain.of(name, COLUMNS[name])
    ladder = Ladder.climb(domain, [Step.top(domain, 100)])
    suppressed = (np.arange(min(1, len(domain)), dtype=np.uint8),)
    recoding = FullDomainRecoding({name: domain}, {name: ladder}, {name: 0}, suppressed)
    found = through_a_file(recoding, tmp_path)
    assert found.domains[name] == domain
    assert found.domains[name].values.dtype == domain.values.dtype
    assert [type(value) for value in found.domains[name].values] == [type(value) for value in domain.values]
    assert found.domains[name].texts.tolist() == domain.texts.tolist()
    assert found.ladders[name] == ladder
    assert (found.levels, found.suppressed[0].tolist()) == ({name: 0}, suppressed[0].tolist())


def test_the_spelling_of_a_text_file_comes_back(tmp_path: Path) -> None:
    domain = Domain.of_texts("cost", ["1.5", "2.0"], np.array([1, 2]))
    recoding = FullDomainRecoding({"cost": domain}, {"cost": Ladder.climb(domain, [])}, {"cost": 1})
    found = through_a_file(recoding, tmp_path)
    assert found.domains["cost"].texts.tolist() == ["1.5", "2.0"]
    assert found.suppressed == ()


def test_a_local_recoding_comes_back(tmp_path: Path) -> None:
    recoding = LocalRecoding(
        quasi=("age",),
        domains={"age": Domain.of("age", [31, 32]), "disease": Domain.of("disease", ["a", "b"])},
        codes=(np.array([0, 0, 1]), np.array([0, 1, 1])),
        classes=np.array([0, 1, -1]),
        counts=np.array([1, 2, 3]),
        labels=(np.array(["30s", None], dtype=object),),
        ladders={"age": ladder_of([31, 32])[1]},
    )
    found = through_a_file(recoding, tmp_path)
    assert isinstance(found, LocalRecoding)
    assert found.domains == recoding.domains
    assert [codes.tolist() for codes in found.codes] == [[0, 0, 1], [0, 1, 1]]
    assert (found.classes.tolist(), found.counts.tolist()) == ([0, 1, -1], [1, 2, 3])
    assert found.labels[0].tolist() == ["30s", None]
    assert found.ladders == recoding.ladders


def test_cells_of_parts_are_put_together_and_what_is_called_alike_is_one_class() -> None:
    parts = [
        {
            "cell 0": np.array([0, 1]),
            "label 0": np.array(["30s", None], dtype=object),
            "classes": np.array([1, 0]),
            "counts": np.array([2, 3]),
        },
        {
            "cell 0": np.array([2, 3, 4]),
            "label 0": np.array(["40s", "30s"], dtype=object),
            "classes": np.array([0, -1, 1]),
            "counts": np.array([4, 5, 6]),
        },
    ]
    found = join_cells(parts)
    assert found["cell 0"].tolist() == [0, 1, 2, 3, 4]
    assert found["counts"].tolist() == [2, 3, 4, 5, 6]
    assert found["label 0"].tolist() == ["30s", None, "40s"]
    assert found["classes"].tolist() == [1, 0, 2, -1, 0]


def test_a_recoding_of_another_version_is_refused() -> None:
    with pytest.raises(DataError, match="not a recoding of this version"):
        recoding_from_arrays({"format": "incrowd recoding 0"}, {})


def test_arrays_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"There is no file 'map\.parquet'"):
        read_arrays(tmp_path / "map.parquet")


def ladder_of(values: list[Any]) -> tuple[Domain, Ladder]:
    domain = Domain.of("age", values)
    group = np.array([value // 10 - 3 for value in domain.values.tolist()])
    return domain, Ladder.climb(domain, [Step(group, ["30s", "40s", "50s"], [10, 10, 10]), Step.top(domain, 30)])


def test_a_known_ladder_gives_a_part_of_its_values_the_labels_that_they_had() -> None:
    known = KnownLadder(*ladder_of([31, 35, 42, 58]))
    found = known.bind(Domain.of("age", [58, 35]))
    assert [labels.tolist() for labels in found.labels] == [["35", "58"], ["30s", "50s"], ["*"]]
    assert [leaves.tolist() for leaves in found.leaves] == [[1, 1], [10, 10], [30]]


@pytest.mark.parametrize("values", [[31, 42], [31, 42, None]])
@pytest.mark.parametrize("others", [[31, 42], [31, 42, None]])
def test_a_missing_value_is_known_to_every_ladder(values: list[Any], others: list[Any]) -> None:
    domain, expected = ladder_of(others)
    assert KnownLadder(*ladder_of(values)).bind(domain) == expected


def test_a_known_ladder_refuses_other_values() -> None:
    known = KnownLadder(*ladder_of([31, 35]))
    with pytest.raises(UncoveredValuesError, match="Column 'age' has 1 value") as caught:
        known.bind(Domain.of("age", [31, 77]))
    assert caught.value.values == ("77",)
    assert "77" not in str(caught.value)


def test_a_local_recoding_at_a_floor_comes_back(tmp_path: Path) -> None:
    domain = Domain.of("age", [31, 34, 52])
    ladder = Ladder.climb(domain, [Step(np.array([0, 0, 1]), ["30 to 39", "50 to 59"]), Step.top(domain)])
    labels = (np.array(["30 to 39", "*"], dtype=object),)
    codes, classes, counts = np.array([0, 1, 1]), np.array([0, 1, -1]), np.array([2, 1, 3])
    recoding = LocalRecoding(("age",), {"age": domain}, (codes,), classes, counts, labels, {"age": ladder}, {"age": 1})
    found = through_a_file(recoding, tmp_path)
    assert (found.floor, found.cardinalities) == ({"age": 1}, [2])
    assert found.cell_codes("age", np.array([0, 1, 2])).tolist() == [0, 0, 1]
    assert [order.tolist() for order in found.pieces()] == [[0, 1, 2], [0, 0, 1], [False, True, True]]
    with pytest.raises(ParameterError, match="codes of column 'age' beyond the 2 that there are"):
        LocalRecoding(("age",), {"age": domain}, (codes + 1,), classes, counts, labels, {"age": ladder}, {"age": 1})


def test_a_recoding_knows_whether_it_moves_the_records_of_a_census() -> None:
    engine = open_table([{"age": age, "sex": sex} for age, sex in [(1, "f"), (1, "f"), (2, "m"), (3, "m")]])
    census = engine.census(CensusRequest(("age",), ("sex",)))
    label = (np.array(["*", "**"], dtype=object),)

    def moved(entries: list[int], classes: list[int], counts: list[int]) -> bool:
        codes = tuple(column[entries] for column in census.codes)
        told = np.array(classes), np.array(counts, dtype=np.int64)
        return LocalRecoding(("age",), census.domains, codes, *told, labels=label).moves_all_of(census)

    assert moved([0, 1, 2], [0, 0, 1], [2, 1, 1])
    assert moved([2, 0, 1, 0], [0, 0, 1, -1], [1, 1, 1, 1])
    assert not moved([0, 1], [0, 0], [2, 1])
    assert not moved([0, 1, 2], [0, 0, 1], [1, 2, 1])
    assert not moved([0, 1, 1], [0, 0, 1], [2, 1, 1])
