from __future__ import annotations

import gc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import incrowd as ic
from core.faults import Allocations
from incrowd.core import CensusRequest, EngineError
from incrowd.engines import Remembered, open_table
from incrowd.release._census import census_within_memory, fits_in_memory

PEOPLE = [
    {"name": "Ada", "age": 34, "zip": "0101", "disease": "flu"},
    {"name": "Bob", "age": 36, "zip": "0102", "disease": "hiv"},
    {"name": "Cyd", "age": 51, "zip": "0205", "disease": "flu"},
    {"name": "Dan", "age": None, "zip": "0205", "disease": "flu"},
]
SCHEMA = ic.Schema(quasi={"age": ic.intervals(10), "zip": ic.mask()}, sensitive=["disease"], identifiers=["name"])


def test_wherever_memory_runs_out_while_a_table_is_counted_it_is_said_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people, spill = tmp_path / "people.csv", tmp_path / "spill"
    people.write_text("age,zip,disease\n" + "".join(f"{30 + n % 7},010{n % 3},flu\n" for n in range(40)))
    spill.mkdir()
    schema = ic.Schema(quasi={"age": ic.intervals(10), "zip": ic.mask()}, sensitive=["disease"])
    whole = ic.census(people, schema, temp=spill)
    allocations = Allocations("incrowd")
    allocations.watch(monkeypatch)
    ic.census(people, schema, temp=spill)
    places, said = [*allocations.places], 0
    for place in places:
        allocations.at = place
        told: list[str] = []
        try:
            found = ic.census(people, schema, temp=spill)
        except (EngineError, MemoryError) as error:
            told, found = [type(error).__name__, str(error)], None
        assert found == whole if not told else "MemoryError" in told or "Memory ran out: 'people.csv' could" in told[1]
        said += bool(told)  # or the file was read again with less
        gc.collect()  # what was being done holds the folder as long as anybody holds the error
        assert list(spill.iterdir()) == []
    assert len(places) - said < 10 < said
    assert ic.census(people, schema) == whole


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


WIDE = ic.Schema(quasi={"zip": ic.mask(), "age": ic.intervals(5, 10, 20, 40), "sex": ic.flat()}, sensitive=["disease"])


LITTLE = "150KB"
"""379 cells of four columns fit."""


"""379 cells of four columns fit."""


def people(rows: int = 1500) -> pa.Table:
    rng = np.random.default_rng(3)
    return pa.table(
        {
            "zip": [str(zip_) for zip_ in rng.integers(10_000, 10_400, rows)],
            "age": rng.integers(18, 90, rows),
            "sex": rng.choice(["f", "m"], rows),
            "disease": rng.choice(["flu", "asthma", "hiv", "none"], rows),
        }
    )


MANY = people()


@pytest.mark.parametrize(
    "ask",
    [
        lambda table, **more: ic.census(table, WIDE, **more),
        lambda table, **more: ic.check(table, WIDE, "k>=5", **more),
        lambda table, **more: ic.assess(table, WIDE, **more),
        lambda table, **more: ic.risk(table, WIDE, **more),
    ],
    ids=["census", "check", "assess", "risk"],
)
@pytest.mark.parametrize("kind", ["frame", "file"])
def test_a_question_about_too_many_cells_is_refused(ask: Any, kind: str, tmp_path: Path) -> None:
    pyarrow.parquet.write_table(MANY, tmp_path / "t.parquet")
    table = MANY if kind == "frame" else tmp_path / "t.parquet"
    with pytest.raises(EngineError, match=r"does not fit into memory: 379 cells do\. Hint: give it more memory"):
        ask(table, memory=LITTLE)
    assert ask(table, memory="4GB") is not None


def test_a_census_at_a_floor_may_fit_where_the_whole_does_not() -> None:
    with pytest.raises(EngineError, match="or count coarser, by floor="):
        ic.census(MANY, WIDE, memory=LITTLE)
    assert ic.census(MANY, WIDE, floor={"zip": 2, "age": 2}, memory=LITTLE).records == 1500


def test_few_rows_or_few_values_fit_without_another_look_at_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> int:
        raise AssertionError

    monkeypatch.setattr("incrowd.release._census.census_size_about", never)
    engine = open_table(MANY)
    assert fits_in_memory(engine, CensusRequest(("zip", "age"), ("disease",)), 1500)
    assert fits_in_memory(engine, CensusRequest(("sex",), ("disease",)), 8)


def test_a_table_that_remembers_its_answers_still_estimates(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(MANY, tmp_path / "t.parquet")
    engine = Remembered(open_table(tmp_path / "t.parquet", memory="1KB"))
    request = CensusRequest(("zip", "age"), ("disease",))
    assert engine.census_size_about(request, 1) == engine.census_size(request)
    with pytest.raises(EngineError, match="does not fit"):
        census_within_memory(engine, request)


def test_levels_that_are_given_are_a_floor_that_loses_nothing() -> None:
    first = ic.anonymize(MANY, WIDE, model="k>=5", algorithm=ic.Optimal(), max_suppressed=0.05)
    assert first.recipe.levels == {"zip": 2, "age": 1, "sex": 0}
    again = ic.apply(first, MANY, max_suppressed=0.05, memory="250KB")
    assert again.table.equals(first.table)
    assert again.measures == first.measures
    assert again.recipe.floor
    assert again.recipe.notes == (
        (
            "The census of this table does not fit into memory (641 cells do), so it was taken at coarser levels. "
            "None is above the level that was given: nothing was lost by that."
        ),
    )


def test_levels_that_are_given_and_do_not_fit_are_refused() -> None:
    first = ic.anonymize(MANY, WIDE, model="k>=5", algorithm=ic.Optimal(), max_suppressed=0.05)
    with pytest.raises(EngineError, match="not even at the highest levels"):
        ic.apply(first, MANY, max_suppressed=0.05, memory="10KB")
