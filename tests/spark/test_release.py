"""A release made on Spark is the release that one machine makes."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import incrowd as ic
from engines.subjects import Subject
from incrowd.core import CensusRequest
from incrowd.engines import SparkBackend, open_table, write_table
from incrowd.engines._lazy_frame import FrameEngine
from incrowd.engines.spark import _backend as _spark_rows, _engine as _spark
from spark.applications import spark_subject
from spark.tables import people, schema, tally

RUNS = [
    (ic.Optimal(), "k>=3, l>=2[disease], nt(n=40, t=0.4)[disease], enhanced(p=2, alpha=0.5)[disease]"),
    (ic.Incognito(), "k>=3, probabilistic-l>=1.5[disease], beta<=3[disease]"),
    (ic.Samarati(), "k>=3, t<=0.4[cost, ordered], alpha<=0.7[disease]"),
    (ic.TopDown(), "k>=3, p-alpha(p=2, alpha=0.5)[disease]"),
    (ic.Mondrian(), "k>=3, entropy-l>=1.5[disease], t<=0.4[disease]"),
    (ic.Datafly(), "k>=3"),
    (ic.MuArgus(), "k>=3"),
    (ic.SwapDiversity(), "k>=3, p>=2[disease]"),
    (ic.CheapestFirst(), "k>=3, recursive(c=3, l=2)[disease]"),
]
"""Every algorithm once, and nearly every model: what a search does is not asked of Spark."""


@pytest.fixture
def table(local: Any, tmp_path: Path) -> Any:
    """A table of the application in this process, in several row groups."""
    return spark_subject("local", local, tmp_path).load(people())


@pytest.mark.parametrize(("algorithm", "model"), RUNS, ids=lambda part: str(part).partition("(")[0])
def test_every_search_publishes_the_same_rows(algorithm: Any, model: str, table: Any) -> None:
    same: dict[str, Any] = {"model": model, "algorithm": algorithm, "max_suppressed": 0.2}
    here = ic.anonymize(people(), schema(), **same)
    there = ic.anonymize(table, schema(), **same)
    assert tally(there.table) == tally(here.table)
    assert there.verdict == here.verdict
    assert there.measures == here.measures
    assert there.columns == here.columns


def test_the_certificate_is_the_same_up_to_the_file_and_the_libraries(subject: Subject, tmp_path: Path) -> None:
    certificates = []
    for name, source in {"here": people(), "there": subject.load(people())}.items():
        options: dict[str, Any] = {"model": "k>=3, l>=2[disease]", "max_suppressed": 0.2, "output": tmp_path / name}
        ic.anonymize(source, schema(), **options)
        certificates.append(json.loads((tmp_path / name / "public" / "release.json").read_text()))
        assert ic.verify(tmp_path / name / "public" / "release.json").holds
    for certificate in certificates:
        del certificate["date"], certificate["data"]["sha256"], certificate["data"]["bytes"]
    assert certificates[0] == certificates[1]


def test_a_table_is_written_as_a_folder_that_holds_its_rows_and_nothing_else(table: Any, tmp_path: Path) -> None:
    release = ic.anonymize(table, schema(), model="k>=3", max_suppressed=0.2, output=tmp_path / "out")
    assert sorted(path.name for path in release.table.iterdir()) == ["part-00000.parquet"]
    here = ic.anonymize(people(), schema(), model="k>=3", max_suppressed=0.2)
    assert tally(pyarrow.parquet.read_table(release.table)) == tally(here.table)
    assert pyarrow.parquet.read_table(release.table / "part-00000.parquet").cast(here.table.schema) == here.table


@pytest.mark.parametrize("change", ["a row", "a file"])
def test_a_changed_folder_is_noticed(change: str, table: Any, tmp_path: Path) -> None:
    release = ic.anonymize(table, schema(), model="k>=3", max_suppressed=0.2, output=tmp_path / "out")
    part = release.table / "part-00000.parquet"
    rows = pyarrow.parquet.read_table(part)
    if change == "a row":
        pyarrow.parquet.write_table(rows.slice(1), part)
    else:
        pyarrow.parquet.write_table(rows.slice(0, 1), release.table / "part-00001.parquet")
    found = ic.verify(tmp_path / "out" / "public" / "release.json")
    assert "hash of the data file" in found.differences
    assert any(told.startswith("rows") for told in found.differences)


def test_the_order_of_the_input_leaves_no_trace(local: Any, tmp_path: Path) -> None:
    subject = spark_subject("local", local, tmp_path)
    orders = (people(), people().take(list(range(239, -1, -1))))
    tables = [ic.anonymize(subject.load(one), schema(), model="k>=3", max_suppressed=0.2).table for one in orders]
    assert tables[0].toArrow() == tables[1].toArrow()


def test_records_can_be_masked(table: Any) -> None:
    same: dict[str, Any] = {"model": "k>=3", "max_suppressed": 0.2, "suppression": "mask"}
    assert tally(ic.anonymize(table, schema(), **same).table) == tally(ic.anonymize(people(), schema(), **same).table)


def persons() -> pa.Table:
    table = people()
    return table.append_column("person", pa.array([f"p{row // 2}" for row in range(len(table))]))


@pytest.mark.parametrize(
    ("promise", "algorithm"),
    [("k>=3", ic.Optimal()), ("k>=3", ic.Mondrian()), ("k>=3[zip, sex, any 2 rows]", ic.Optimal())],
)
def test_persons_are_counted_and_what_was_kept_for_the_check_is_let_go(
    promise: str, algorithm: Any, local: Any, tmp_path: Path
) -> None:
    same: dict[str, Any] = {"model": promise, "algorithm": algorithm, "max_suppressed": 0.2}
    roles = schema(entity="person")
    kept = len(local.sparkContext._jsc.getPersistentRDDs())
    there = ic.anonymize(spark_subject("local", local, tmp_path).load(persons()), roles, **same)
    here = ic.anonymize(persons(), roles, **same)
    assert tally(there.table) == tally(here.table)
    assert there.verdict == here.verdict
    assert len(local.sparkContext._jsc.getPersistentRDDs()) == kept + 1  # the released table
    there.table.unpersist()


def test_pseudonyms_are_the_same(table: Any, tmp_path: Path) -> None:
    key = tmp_path / "key.bin"
    key.write_bytes(bytes(range(32)))
    roles = ic.Schema({"age": ic.intervals(20)}, identifiers=["zip"])
    same: dict[str, Any] = {"model": "k>=3", "pseudonyms": {"zip": key}, "others": "drop", "max_suppressed": 0.2}
    with pytest.warns(ic.PrivacyWarning, match="pseudonym"):
        there = ic.anonymize(table, roles, **same)
    with pytest.warns(ic.PrivacyWarning, match="pseudonym"):
        here = ic.anonymize(people(), roles, **same)
    assert tally(there.table) == tally(here.table)


@pytest.mark.filterwarnings("ignore::incrowd.PrivacyWarning")
def test_dates_of_a_person_are_shifted_alike(local: Any, tmp_path: Path) -> None:
    (tmp_path / "dates.key").write_bytes(bytes(range(32)))
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=row * 7 % 300) for row in range(60)]
    stays = pa.table(
        {
            "person": [f"p{row % 15}" for row in range(60)],
            "age": [30 + row % 2 for row in range(60)],
            "came": pa.array([None if row % 9 == 0 else day for row, day in enumerate(days)], pa.date32()),
            "seen": pa.array([dt.datetime.combine(day, dt.time(row % 24)) for row, day in enumerate(days)]),
        }
    )
    roles = ic.Schema(["age"], entity="person", shifted=ic.ShiftedDates(["came", "seen"], 60, weekdays=True))
    same: dict[str, Any] = {"model": "k>=5", "shift_key": tmp_path / "dates.key"}
    table = spark_subject("local", local, tmp_path).load(stays)
    there, here = ic.anonymize(table, roles, **same), ic.anonymize(stays, roles, **same)
    assert tally(there.table) == tally(here.table)
    assert there.recipe.shifted == here.recipe.shifted
    written = ic.anonymize(table, roles, **same, output=tmp_path / "out")
    assert tally(pyarrow.parquet.read_table(written.table)) == tally(here.table)
    found = ic.verify(tmp_path / "out", original=stays, shift_key=tmp_path / "dates.key")
    assert (found.outcome, found.on_trust) == ("holds", ("limits",))


def test_few_different_rows_are_counted_first_and_repeated_at_the_end(local: Any, tmp_path: Path) -> None:
    many = pa.concat_tables([people()] * 10).select(["age", "zip", "sex", "disease"])
    roles = ic.Schema({"age": ic.intervals(20), "zip": ic.mask(), "sex": ic.flat()}, ["disease"])
    at_least = {"age": 1, "zip": 4, "sex": 1}
    same: dict[str, Any] = {"model": "k>=3", "at_least": at_least}
    there = ic.anonymize(spark_subject("local", local, tmp_path).load(many), roles, **same)
    assert there.table.count() == 2_400
    assert tally(there.table) == tally(ic.anonymize(many, roles, **same).table)


@pytest.mark.parametrize(("search", "suppressed"), [(ic.Optimal(), 42), (ic.LevelsAndCells(), 0)])
def test_a_census_that_tells_all_is_laid_out_and_the_table_not_read_again(
    local: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, search: Any, suppressed: int
) -> None:
    monkeypatch.setattr(_spark_rows, "COPIES", 7)
    many = pa.concat_tables([people()] * 3).drop_columns(["visit", "cost"])
    many = many.append_column("seen", pa.array([dt.datetime(2024, 3, 31, 2 + row % 2, 30) for row in range(720)]))  # noqa: DTZ001
    many = many.append_column("zoned", many["seen"].cast(pa.timestamp("us", "UTC")))
    many = many.append_column("paid", pa.array([[None, -0.0, 0.0, 1.5][row % 4] for row in range(720)]))
    sensitive = ["disease", "seen", "zoned", "paid"]
    roles = ic.Schema({"age": ic.intervals(20, 40), "zip": ic.mask(), "sex": ic.flat()}, sensitive)
    model = ", ".join(["k>=7", *(f"alpha<=0.9[{name}]" for name in sensitive)])
    same: dict[str, Any] = {"model": model, "algorithm": search, "max_suppressed": 0.1}
    same["at_most"] = {"age": 1, "sex": 0}
    load = spark_subject("local", local, tmp_path).load
    with monkeypatch.context() as patched:
        patched.setattr(FrameEngine, "recode", None)
        told = ic.anonymize(load(many), roles, **same)
    monkeypatch.setattr(_spark, "TOLD", 0)
    read = ic.anonymize(load(many), roles, **same)
    assert told.table.schema == read.table.schema
    assert told.recipe.suppressed == suppressed
    assert tally(told.table) == tally(read.table) == tally(ic.anonymize(many, roles, **same).table)


def jobs(session: Any, work: Callable[[], Any]) -> int:
    """Say how many jobs some work takes."""
    told = session.sparkContext.statusTracker()
    before = len(told.getJobIdsForGroup(None))
    work()
    return len(told.getJobIdsForGroup(None)) - before


def test_values_and_census_come_from_one_aggregation_where_few_rows_differ(
    local: Any, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FrameEngine, "_count", None)
    monkeypatch.setattr(_spark.SparkEngine, "_values_alone", None)
    engine = open_table(table, drop_missing=["sex"])
    names = ("age", "zip", "sex", "disease", "cost")
    assert jobs(local, lambda: engine.domains(names)) > 0
    found = engine.census(CensusRequest(names[:3], names[3:]))
    assert jobs(local, lambda: engine.census(CensusRequest(names[:3], names[3:]))) == 0
    assert jobs(local, lambda: engine.census_size(CensusRequest(names[:2]))) == 0
    here = open_table(people(), drop_missing=["sex"]).census(CensusRequest(names[:3], names[3:]))
    assert (found.counts.tolist(), found.dropped) == (here.counts.tolist(), here.dropped)
    assert [codes.tolist() for codes in found.codes] == [codes.tolist() for codes in here.codes]


@pytest.mark.parametrize(
    ("look", "most", "brought"),
    [(1_000, 240, False), (1_000, 241, True), (100, 10, False), (100, 1_000, True), (30, 20, False)],
    ids=["all are seen and too many", "all are seen", "some differ", "some are equal", "more come than expected"],
)
def test_rows_that_differ_are_brought_here_if_they_are_few(
    look: int, most: int, brought: bool, local: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_spark, "LOOK", look)
    monkeypatch.setattr(_spark, "MOST", most)
    few, many = [0] * 60, list(range(239))
    rows = pa.table({"a": pa.array([*few, *many]), "b": ["x", "y", None] * 99 + ["x", "y"]})
    engine: Any = open_table(spark_subject("local", local, tmp_path).load(rows))
    domains = engine.domains(["a", "b"])
    assert (engine._held is not None) == brought
    assert domains["a"].counts.tolist() == [61] + [1] * 238
    assert domains["b"].counts.tolist() == [100, 100, 99]


@pytest.mark.parametrize("entity", [None, "person"])
def test_what_was_written_is_checked_by_spark(
    entity: str | None, local: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("incrowd.release._publish.open_released", None)
    source = spark_subject("local", local, tmp_path).load(persons())
    same: dict[str, Any] = {"model": "k>=3, l>=2[disease]", "max_suppressed": 0.3, "others": "drop"}
    there = ic.anonymize(source, schema(entity=entity), output=tmp_path / "out", **same)
    assert there.verdict == ic.anonymize(persons(), schema(entity=entity), **same).verdict
    assert sorted(path.name for path in there.table.parent.iterdir() if "data" in path.name or path.name[0] == ".") == [
        "data.parquet"
    ]


def test_a_folder_that_spark_did_not_write_as_it_should_is_not_published(
    table: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = SparkBackend.write

    def lose(self: SparkBackend, frame: Any, names: Sequence[str], path: Path, *how: Any) -> Any:
        return write(self, frame.head(200), names, path, *how)

    monkeypatch.setattr(SparkBackend, "write", lose)
    with pytest.raises(ic.ReleaseMismatch):
        ic.anonymize(table, schema(), model="k>=3", max_suppressed=0.2, output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("told", "algorithm"), [(0, ic.Optimal()), (5_000_000, ic.Optimal()), (0, ic.Mondrian())])
def test_a_combination_that_nearly_everybody_has_changes_nothing(
    told: int, algorithm: Any, local: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name, value in [(_spark, "TOLD", told), (_spark, "ROWS_PER_PART", 300), (_spark_rows, "COPIES", 100)]:
        monkeypatch.setattr(module, name, value)
    learning = local.newSession()
    learning.conf.set("spark.sql.adaptive.enabled", "true")
    one = people().drop_columns(["visit", "cost"])
    skewed = pa.concat_tables([one, *([one.slice(7, 1)] * 900)])
    roles = ic.Schema({"age": ic.intervals(10, 20), "zip": ic.mask(), "sex": ic.flat()}, ["disease"])
    same: dict[str, Any] = {"model": "k>=3, alpha<=0.99[disease]", "algorithm": algorithm, "max_suppressed": 0.2}
    there = ic.anonymize(
        spark_subject("local", learning, tmp_path).load(skewed), roles, output=tmp_path / "out", **same
    )
    assert len(list(there.table.iterdir())) > 1
    assert tally(pyarrow.parquet.read_table(there.table)) == tally(ic.anonymize(skewed, roles, **same).table)


def test_a_census_that_does_not_fit_is_taken_at_the_same_floor(table: Any) -> None:
    same: dict[str, Any] = {"model": "k>=5", "max_suppressed": 0.1, "memory": "50KB"}
    there, here = ic.anonymize(table, schema(), **same), ic.anonymize(people(), schema(), **same)
    assert there.recipe.floor == here.recipe.floor != {}
    assert there.recipe.notes == here.recipe.notes
    assert tally(there.table) == tally(here.table)


def test_a_table_is_measured_where_it_is(table: Any) -> None:
    there, here = ic.assess(table, schema()), ic.assess(people(), schema())
    assert there.to_dict() == here.to_dict()


def test_a_sample_is_tried_out_and_comes_back_as_a_frame(table: Any) -> None:
    release = ic.anonymize(table, schema(), model="k>=3", max_suppressed=0.5, sample=100)
    assert release.recipe.records == 100
    assert type(release.table) is type(table)


def test_a_release_is_attacked_charted_and_reported_without_its_rows(table: Any, tmp_path: Path) -> None:
    release = ic.anonymize(table, schema(), model="k>=3", max_suppressed=0.2)
    assert release.report(tmp_path / "report.html").is_file()
    assert ic.attack(release) is not None


def test_rows_of_a_cluster_have_no_order_to_keep(table: Any) -> None:
    with (
        pytest.warns(ic.PrivacyWarning, match="keep their order"),
        pytest.raises(ic.ParameterError, match="no order that could be kept"),
    ):
        ic.anonymize(table, schema(), model="k>=3", max_suppressed=0.2, order="keep")


def test_spark_writes_nothing_but_parquet(table: Any, tmp_path: Path) -> None:
    release = ic.anonymize(table, schema(), model="k>=3", max_suppressed=0.2)
    with pytest.raises(ic.DataError, match=r"cannot write 'data.csv': it writes Parquet"):
        release.save(tmp_path / "out", format="csv")
    assert not (tmp_path / "out").exists()
    write_table(release.table, tmp_path / "table.parquet")
    assert tally(pyarrow.parquet.read_table(tmp_path / "table.parquet")) == tally(release.table)


def test_nothing_is_written_for_a_star_and_read_as_one(table: Any, tmp_path: Path) -> None:
    how: dict[str, Any] = {"model": "k>=3", "algorithm": ic.LevelsAndCells(), "stars": "null"}
    certificates = []
    for name, source in {"here": people(), "there": table}.items():
        ic.anonymize(source, schema(missing="drop"), output=tmp_path / name, **how)
        certificates.append(json.loads((tmp_path / name / "public/release.json").read_text()))
        assert ic.verify(tmp_path / name).holds
    here, there = certificates
    assert here["data"]["stars"] == there["data"]["stars"] != []
    assert here["promises"] == there["promises"]
    assert here["classes"] == there["classes"]


def test_rows_that_stand_for_several_records_are_published_as_on_one_machine(local: Any, tmp_path: Path) -> None:
    table = people().append_column("n", pa.array([1 + n % 3 for n in range(240)]))
    there = spark_subject("local", local, tmp_path).load(table)
    how: dict[str, Any] = {"model": "k>=5, l>=2[disease]", "algorithm": ic.LevelsAndCells()}
    release = ic.anonymize(there, schema(count="n"), output=tmp_path / "out", **how)
    known = ic.anonymize(table, schema(count="n"), **how)
    assert tally(pyarrow.parquet.read_table(tmp_path / "out/public/data.parquet")) == tally(known.table)
    assert (release.verdict, release.measures) == (known.verdict, known.measures)
    assert ic.verify(tmp_path / "out", original=table).holds
