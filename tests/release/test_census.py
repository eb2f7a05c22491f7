from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import incrowd as ic

PEOPLE = [
    {"name": "Ada", "age": 34, "zip": "0101", "disease": "flu"},
    {"name": "Bob", "age": 36, "zip": "0102", "disease": "hiv"},
    {"name": "Cyd", "age": 51, "zip": "0205", "disease": "flu"},
    {"name": "Dan", "age": None, "zip": "0205", "disease": "flu"},
]
SCHEMA = ic.Schema(quasi={"age": ic.intervals(10), "zip": ic.mask()}, sensitive=["disease"], identifiers=["name"])


def test_a_table_becomes_a_census_that_rolls_up() -> None:
    census = ic.census(PEOPLE, SCHEMA)
    assert (census.records, len(census.classes())) == (4, 4)
    coarser = census.classes({"age": 1, "zip": 2})
    assert coarser.size.tolist() == [2, 1, 1]
    assert census.labels("age").tolist() == ["34", "36", "51", None]


def test_a_floor_is_taken_inside_the_engine() -> None:
    census = ic.census(pa.Table.from_pylist(PEOPLE), SCHEMA, floor={"age": 1, "zip": 2})
    assert census.floor == (1, 2)
    assert census.classes().size.tolist() == [2, 1, 1]


def test_records_with_missing_quasi_identifiers_can_be_dropped() -> None:
    schema = ic.Schema(quasi={"age": ic.intervals(10)}, missing="drop")
    census = ic.census(PEOPLE, schema)
    assert (census.records, census.dropped) == (3, 1)


def test_quasi_identifiers_without_a_hierarchy_get_one() -> None:
    census = ic.census(PEOPLE, ic.Schema(quasi=["age", "zip"]))
    assert all(ladder.height >= 1 for ladder in census.ladders.values())


def test_an_unknown_column_is_named_with_the_nearest() -> None:
    with pytest.raises(ic.UnknownColumnError, match=r"no column 'zpi' \(given as quasi-identifier\).*'zip'"):
        ic.census(PEOPLE, ic.Schema(quasi=["zpi"], missing="drop"))


def test_decimal_numbers_need_a_hierarchy() -> None:
    with pytest.raises(ic.SchemaError, match="'weight' is a quasi-identifier of decimal numbers without a hierarchy"):
        ic.census([{"weight": 71.5}], ic.Schema(quasi=["weight"]))


def test_look_alikes_are_reported_and_stay_apart() -> None:
    table = [{"sex": "M"}, {"sex": "\u041c"}]
    with pytest.warns(ic.PrivacyWarning, match="'sex' has 2 values that look alike in print; they count as different"):
        census = ic.census(table, ic.Schema(quasi=["sex"]))
    assert len(census) == 2


def test_values_that_a_taxonomy_misses_are_counted_and_not_shown() -> None:
    schema = ic.Schema(quasi=["zip"], sensitive={"disease": ic.tree({"viral": ["flu"]})})
    with pytest.raises(ic.UncoveredValuesError, match="'disease' has 1 of 2 values") as caught:
        ic.census(PEOPLE, schema)
    assert "hiv" not in str(caught.value)
    assert caught.value.values == ("hiv",)


def test_names_with_double_quotes_are_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('"say ""hi""",zip\n1,a\n1,b\n')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ic.census(path, ic.Schema(quasi=['say "hi"'])).counts.tolist() == [2]
        assert ic.census(pa.table({'a"b': [1, 1]}), ic.Schema(quasi=['a"b'])).counts.tolist() == [2]


def test_nanoseconds_of_a_file_are_refused_where_they_would_be_lost(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pa.table({"a": pa.array([1], pa.timestamp("ns", "UTC"))}), path)
    with pytest.raises(ic.DataError, match=r"finer than a microsecond|cannot hold exactly"):
        ic.census(path, ic.Schema(quasi=["a"]))


DOORS: dict[str, Callable[[Any, Any], Any]] = {
    "census": ic.census,
    "assess": ic.assess,
    "risk": ic.risk,
    "attack": ic.attack,
    "frontier": ic.frontier,
    "safe_harbor": lambda table, schema: ic.safe_harbor(table, schema, kinds={}),
    "check": lambda table, schema: ic.check(table, schema, "k>=2"),
    "feasibility": lambda table, schema: ic.feasibility(table, schema, "k>=2"),
    "solutions": lambda table, schema: ic.solutions(table, schema, model="k>=2"),
    "anonymize": lambda table, schema: ic.anonymize(table, schema, model="k>=2"),
    "pseudonyms": lambda table, schema: ic.anonymize(table, schema, model="k>=2", pseudonyms={"name": "key.bin"}),
}


@pytest.mark.parametrize("schema", [{"age": "quasi"}, "age", ["age"]], ids=["dict", "text", "list"])
@pytest.mark.parametrize("door", DOORS)
def test_every_door_refuses_roles_that_are_no_schema(door: str, schema: Any) -> None:
    with pytest.raises(ic.SchemaError, match=f"come as a Schema, got {type(schema).__name__}") as raised:
        DOORS[door](PEOPLE, schema)
    assert "write Schema(quasi=" in raised.value.hint


def test_a_parameter_that_there_is_not_is_refused_by_its_name() -> None:
    with pytest.raises(TypeError, match="There is no parameter 'seperator'"):
        ic.census(PEOPLE, SCHEMA, seperator=";")  # type: ignore[call-arg]
