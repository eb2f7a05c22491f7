"""A census that does not fit into memory: the search begins at levels where it does, and says so."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import incrowd as ic
from incrowd.core import CensusRequest, EngineError
from incrowd.engines import _resources as _budget, open_table
from incrowd.release._census import CensusPlan

SCHEMA = ic.Schema(
    quasi={"zip": ic.mask(), "age": ic.intervals(5, 10, 20, 40), "sex": ic.flat()}, sensitive=["disease"]
)
PROMISE: Any = {"algorithm": ic.Optimal(), "model": "k>=5, l>=2[disease]", "max_suppressed": 0.05}


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


def test_masks_with_more_labels_than_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_budget, "LABELS", 250)
    codes = pa.table({"code": [f"{number:08d}" for number in range(50)]})
    for hierarchy in (ic.mask(), ic.auto(), None):
        schema = ic.Schema({"code": hierarchy})
        for ask in (lambda how: ic.anonymize(codes, model="k>=2", **how), lambda how: ic.census(codes, **how)):
            with pytest.raises(EngineError, match="labels of column 'code' do not fit into memory: 50 values, 7 each"):
                ask({"schema": schema, "memory": "25KB"})
    assert ic.census(codes, ic.Schema({"code": ic.mask(keep=3)}), memory="25KB").records == 50


TABLE = people()
LITTLE = "150KB"
"""Some hundred cells fit."""


def test_what_fits_is_counted_as_it_is() -> None:
    release = ic.anonymize(TABLE, SCHEMA, **PROMISE)
    assert (release.recipe.floor, release.recipe.proof) == ({}, "optimal")
    assert release.recipe.levels == {"zip": 2, "age": 1, "sex": 0}


@pytest.mark.parametrize(
    "algorithm",
    [
        ic.Optimal(),
        ic.Optimal("entropy"),
        ic.Incognito(),
        ic.Samarati(),
        ic.Mondrian(),
        ic.CheapestFirst(),
        ic.TopDown(),
    ],
    ids=repr,
)
def test_the_release_is_that_of_a_search_that_may_not_go_lower(algorithm: Any) -> None:
    release = ic.anonymize(TABLE, SCHEMA, memory=LITTLE, **{**PROMISE, "algorithm": algorithm})
    assert release.recipe.floor == {"zip": 2, "age": 3 if algorithm.local else 2}  # local recodings need more room
    same = ic.anonymize(TABLE, SCHEMA, at_least=release.recipe.floor, **{**PROMISE, "algorithm": algorithm})
    assert release.table.equals(same.table)
    assert release.measures == same.measures
    assert ic.check(release.table, SCHEMA, PROMISE["model"]).holds


def test_it_is_said_which_levels_were_not_searched() -> None:
    release = ic.anonymize(TABLE, SCHEMA, memory=LITTLE, **PROMISE)
    assert release.recipe.proof == "optimal among the levels searched"
    assert release.recipe.lower_bound == 0.0
    zips = "level 0 cannot keep the promise, which is proven; level 1 was not searched."
    assert release.recipe.notes == (
        "The census of this table does not fit into memory (379 cells do), so it was taken at coarser levels.",
        f"Column 'zip' was counted at level 2: {zips}",
        "Column 'age' was counted at level 2: levels 0 to 1 were not searched.",
        "A release with such levels may be better: more memory would look at them.",
    )
    told = release.explain()
    assert "zip: 4 groups instead of 391 values (level 2 of 5). The search began at this level." in told
    assert told.splitlines()[-1] == release.recipe.notes[-1]


def test_a_local_recoding_says_what_it_did_not_see() -> None:
    release = ic.anonymize(TABLE, SCHEMA, memory=LITTLE, **{**PROMISE, "algorithm": ic.Mondrian()})
    assert "The search saw these columns no finer than that: zip (level 2), age (level 3)." in release.recipe.notes[-1]
    assert release.recipe.proof == "heuristic"


def test_levels_that_no_release_can_have_are_told_apart_and_nothing_is_lost_by_them() -> None:
    table = TABLE.append_column("born", pa.array([f"{1900 + row % 90}-{row:04}" for row in range(len(TABLE))]))
    schema = ic.Schema(quasi={"born": ic.mask(keep=4), "sex": ic.flat()}, insensitive=["zip", "age", "disease"])
    whole = ic.anonymize(table, schema, model="k>=3", algorithm=ic.Optimal())
    release = ic.anonymize(table, schema, model="k>=3", algorithm=ic.Optimal(), memory="200KB")
    assert release.recipe.floor == {"born": 3}
    assert (release.recipe.proof, release.recipe.levels) == ("optimal", {"born": 4, "sex": 0})
    assert release.table.equals(whole.table)
    counted = "Column 'born' was counted at level 3: levels 0 to 2 cannot keep the promise, which is proven."
    assert release.recipe.notes[1] == counted
    assert release.recipe.notes[-1] == "No release has a finer level there: nothing was lost by that."


def test_what_is_called_proven_is_true_of_every_node() -> None:
    table = TABLE.slice(0, 300)
    release = ic.anonymize(table, SCHEMA, model="k>=4", algorithm=ic.Optimal(), max_suppressed=0.1, memory="40KB")
    every = ic.solutions(table, SCHEMA, model="k>=4", max_suppressed=0.1).acceptable
    for name, level in release.recipe.floor.items():
        (line,) = (note for note in release.recipe.notes if note.startswith(f"Column {name!r}"))
        proven = 0 if "proven" not in line else 1 + int(line.split(" cannot")[0].split()[-1])
        assert min(node[name] for node in every) >= proven
        assert f"was counted at level {level}" in line


def test_the_floor_is_the_same_on_every_engine_and_for_every_order_of_rows(tmp_path: Path) -> None:
    import duckdb  # noqa: PLC0415
    import polars as pl  # noqa: PLC0415

    shuffled = TABLE.take(np.random.default_rng(1).permutation(len(TABLE)))
    pyarrow.parquet.write_table(shuffled, tmp_path / "t.parquet")
    csv = tmp_path / "t.csv"
    open_table(shuffled).write(csv)
    sources = [
        TABLE,
        shuffled.to_pylist(),
        tmp_path / "t.parquet",
        csv,
        pl.DataFrame(TABLE).lazy(),
        duckdb.from_arrow(shuffled),
    ]
    floors = [ic.anonymize(source, SCHEMA, memory=LITTLE, **PROMISE).recipe.floor for source in sources]
    assert floors == [{"zip": 2, "age": 2}] * 6


def test_a_floor_below_what_was_asked_for_is_none() -> None:
    release = ic.anonymize(TABLE, SCHEMA, memory=LITTLE, at_least={"zip": 2, "age": 2}, **PROMISE)
    assert release.recipe.floor == {}
    assert (release.recipe.proof, release.recipe.notes) == ("optimal", ())


def test_levels_that_may_not_be_exceeded_are_not() -> None:
    release = ic.anonymize(TABLE, SCHEMA, memory=LITTLE, at_most={"age": 2}, **PROMISE)
    assert release.recipe.levels["age"] == 2  # type: ignore[index]


def test_what_does_not_fit_at_any_level_is_refused_before_it_is_counted() -> None:
    with pytest.raises(EngineError, match=r"not even at the highest levels: 2 cells do\. Hint: give it more memory"):
        ic.anonymize(TABLE, SCHEMA, memory="1KB", **PROMISE)


KNOWN_ANYWAY = {"detail kept, average of these columns", "quasi-identifiers that still say something"}
"""What nobody has to measure on an original table: all of its detail, in all of its columns."""


def compared_in(report: Any, section: str) -> dict[str, list[str]]:
    (found,) = (one for one in report["sections"] if one["name"] == section)
    tables = (table for table in found["tables"] if "before" in table["head"])
    return {row[0]: row[1:] for table in tables for row in table["rows"] if row[0] not in KNOWN_ANYWAY}


@pytest.mark.parametrize("algorithm", [ic.Optimal(), ic.Mondrian()], ids=repr)
def test_reports_measure_the_release_and_not_the_original(tmp_path: Path, algorithm: Any) -> None:
    folder, other = tmp_path / "out", tmp_path / "other"
    asked = {**PROMISE, "algorithm": algorithm, "about": {}}
    release = ic.anonymize(TABLE, SCHEMA, memory=LITTLE, output=folder, **asked)
    ic.anonymize(TABLE, SCHEMA, at_least=release.recipe.floor, output=other, **asked)
    told, whole = (json.loads((one / "owner" / "report.json").read_text("utf-8")) for one in (folder, other))
    for section in ("summary", "risk", "confidential"):
        known = compared_in(whole, section)
        assert len(known) >= 4
        assert compared_in(told, section) == {name: ["not measured", *row[1:]] for name, row in known.items()}
    assert any("The original table was not measured" in word for one in told["sections"] for word in one["words"])
    assert (folder / "public" / "report.html").exists()
    assert not any(note.startswith("No reports") for note in release.recipe.notes)


def test_reports_measure_rows_that_stand_for_several_records(tmp_path: Path) -> None:
    table = TABLE.append_column("records", pa.array(np.arange(len(TABLE)) % 3 + 1))
    schema = ic.Schema(dict(SCHEMA.quasi), sensitive=["disease"], count="records")
    release = ic.anonymize(table, schema, memory=LITTLE, output=tmp_path / "out", about={}, **PROMISE)
    assert release.recipe.floor
    told = json.loads((tmp_path / "out" / "owner" / "report.json").read_text("utf-8"))
    people = compared_in(told, "risk")["people"]
    assert people[:2] == ["not measured", f"{release.recipe.published:,}"]
    assert {row[0] for row in compared_in(told, "confidential").values()} == {"not measured"}


def test_rectangles_are_drawn_over_numbers_and_not_over_their_groups() -> None:
    table = TABLE.drop_columns(["zip", "sex"]).append_column("height", pa.array(np.arange(len(TABLE)) % 60 + 140))
    numbers = ic.Schema(quasi={"age": ic.intervals(5, 10), "height": ic.intervals(5, 10)}, sensitive=["disease"])
    asked: Any = {"model": "k>=5", "algorithm": ic.Mondrian()}
    release = ic.anonymize(table, numbers, memory=LITTLE, **asked)
    assert release.recipe.floor
    assert release.charts.rectangles() is None
    assert ic.anonymize(table, numbers, **asked).charts.rectangles() is not None


def test_reports_that_would_not_fit_either_are_left_out_with_a_note(tmp_path: Path) -> None:
    rows = len(TABLE)
    table = TABLE.append_column("whose", pa.array(np.arange(rows) // 2))
    schema = ic.Schema(dict(SCHEMA.quasi), sensitive=["disease"], entity="whose")
    asked: Any = {"model": "k>=5", "algorithm": ic.Optimal(), "output": tmp_path / "out", "about": {}}
    release = ic.anonymize(table, schema, memory="320KB", **asked)
    assert release.recipe.floor
    assert not list((tmp_path / "out").rglob("report*"))
    assert release.recipe.notes[-1] == "No reports were written: what they measure does not fit into memory."
    assert ic.verify(tmp_path / "out").outcome == "could not be checked"  # whose row is whose, no file shows
    assert ic.verify(tmp_path / "out", original=table).holds


def test_a_local_recoding_at_a_floor_can_be_saved_and_attacked(tmp_path: Path) -> None:
    release = ic.anonymize(TABLE, SCHEMA, memory=LITTLE, **{**PROMISE, "algorithm": ic.Mondrian()})
    release.save(tmp_path / "out")
    assert ic.verify(tmp_path / "out" / "public" / "release.json", owner=tmp_path / "out" / "owner").holds
    assert ic.attack(release, original=TABLE)
    assert ic.utility(release, TABLE)


def request(table: pa.Table) -> tuple[CensusRequest, Any]:
    engine = open_table(table)
    domains = engine.domains(["zip", "age", "sex", "disease"])
    ladders = SCHEMA.bind(domains, default=ic.auto()).ladders
    return CensusRequest(("zip", "age", "sex"), ("disease",), ladders), domains


def test_the_chain_goes_from_the_lowest_levels_to_the_highest_one_column_at_a_time() -> None:
    asked, domains = request(TABLE)
    floors = CensusPlan(open_table(TABLE), asked, domains, 1, lows={"zip": 1}, highs={"age": 4}).chain()
    assert floors[0] == {"zip": 1, "age": 0, "sex": 0}
    assert floors[-1] == {"zip": 5, "age": 4, "sex": 1}
    for below, above in itertools.pairwise(floors):
        raised = [name for name in below if above[name] != below[name]]
        assert len(raised) == 1
        assert above[raised[0]] > below[raised[0]]


def test_columns_that_are_averaged_stay_as_they_are() -> None:
    asked, domains = request(TABLE)
    assert {
        floor["age"] for floor in CensusPlan(open_table(TABLE), asked, domains, 1, fixed=frozenset({"age"})).chain()
    } == {0}


@pytest.mark.parametrize("cells", [30, 200, 800])
def test_the_lowest_floor_of_the_chain_that_fits_is_taken(cells: int) -> None:
    asked, domains = request(TABLE)
    engine = open_table(TABLE)
    plan = CensusPlan(engine, asked, domains, cells)
    sizes = [
        (engine.census_size(CensusRequest(asked.quasi, asked.sensitive, asked.ladders, one)), one)
        for one in plan.chain()
    ]
    assert plan.floor() == next(one for size, one in sizes if size <= cells)


def test_importance_keeps_a_column_fine_for_longer() -> None:
    asked, domains = request(TABLE)
    plain = CensusPlan(open_table(TABLE), asked, domains, 400).floor()
    loved = CensusPlan(open_table(TABLE), asked, domains, 400, importance={"age": 50}).floor()
    assert (plain["age"], loved["age"]) == (2, 0)


@pytest.mark.parametrize("given", [-1, float("nan"), "much", 0])
def test_an_importance_that_is_none_is_refused_with_a_floor_too(given: Any) -> None:
    with pytest.raises(ic.ParameterError, match="The importance of column 'age' must be a number above 0"):
        ic.anonymize(TABLE, SCHEMA, memory=LITTLE, importance={"age": given}, **PROMISE)


def test_limits_that_contradict_each_other_are_refused_with_a_floor_too() -> None:
    with pytest.raises(ic.ParameterError, match="at level 3 or higher and at level 1 or lower: nothing is both"):
        ic.anonymize(TABLE, SCHEMA, memory=LITTLE, at_least={"age": 3}, at_most={"age": 1}, **PROMISE)


def test_a_release_is_not_written_where_its_table_is_read(tmp_path: Path) -> None:
    visits = tmp_path / "visits"
    visits.mkdir()
    pyarrow.parquet.write_table(TABLE, visits / "a.parquet")
    for folder in (visits, visits / "out", tmp_path / "visits" / ".." / "visits" / "deep" / "out"):
        with pytest.raises(ic.ParameterError, match="the table is read from there"):
            ic.anonymize(visits, SCHEMA, output=folder, **PROMISE)
    everything = str(tmp_path / "**" / "*.parquet")
    assert ic.anonymize(everything, SCHEMA, output=tmp_path / "out", **PROMISE).recipe.records == 1500
    with pytest.raises(ic.ParameterError, match="the table is read from there"):
        ic.anonymize(everything, SCHEMA, output=tmp_path / "out", force=True, **PROMISE)
    assert sorted(path.name for path in visits.iterdir()) == ["a.parquet"]


ADMISSIONS = ic.Schema(
    quasi={"zip": ic.mask(), "birth_date": ic.dates("month", "year", "decade")}, sensitive=["diagnosis"]
)


WITHOUT = "The census of this table does not fit into memory, so it was taken at coarser levels."


def test_the_number_of_cells_that_fit_is_told_only_if_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("incrowd.engines._resources.free_memory", lambda: 600_000)
    table = ic.hospital(3_000).select(["zip", "birth_date", "diagnosis"])
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    left = ic.anonymize(
        tmp_path / "t.parquet", ADMISSIONS, model="k>=5", algorithm=ic.Optimal(), max_suppressed=0.05
    ).recipe
    given = ic.anonymize(
        tmp_path / "t.parquet", ADMISSIONS, model="k>=5", algorithm=ic.Optimal(), max_suppressed=0.05, memory="450KB"
    ).recipe
    assert left.notes[0] == WITHOUT
    assert given.notes[0] == WITHOUT.replace(",", " (1,168 cells do),")
    assert left.floor == given.floor
