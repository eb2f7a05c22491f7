from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from incrowd.core import (
    DataError,
    Domain,
    FullDomainRecoding,
    KnownLadder,
    Ladder,
    LocalRecoding,
    ParameterError,
    Step,
    UncoveredValuesError,
    get_recoding,
    join_cells,
    put_recoding,
)
from incrowd.engines import read_arrays, write_arrays

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
    header, arrays = put_recoding(recoding)
    write_arrays(arrays, folder / "map.parquet")
    return get_recoding(json.loads(json.dumps(header)), read_arrays(folder / "map.parquet"))


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
        get_recoding({"format": "incrowd recoding 0"}, {})


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
