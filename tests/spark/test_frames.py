"""Frames that Spark would read in another way than they are meant."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.core import CensusRequest
from incrowd.engines import open_table
from incrowd.engines.spark._session import trouble_with_spark


def sizes(frame: Any, *names: str) -> list[int]:
    return sorted(open_table(frame).census(CensusRequest(names)).counts.tolist())


def test_a_collation_does_not_make_people_equal(spark: Any) -> None:
    frame = spark.sql("SELECT * FROM VALUES ('Anna'), ('ANNA'), ('anna ') AS t(name)")
    for collation in ("UTF8_LCASE", "UNICODE_CI", "UTF8_BINARY_RTRIM"):
        collated = frame.selectExpr(f"name COLLATE {collation} AS name")
        assert sizes(collated, "name") == [1, 1, 1]
        assert open_table(collated).classes(["name"], {}).size.tolist() == [1, 1, 1]


def test_names_that_differ_only_in_case_are_refused(spark: Any) -> None:
    frame = spark.sql("SELECT 1 AS a, 2 AS A")
    with pytest.raises(ic.IncrowdError, match="have the same name"):
        open_table(frame)


def test_timestamps_mean_the_same_in_every_zone(spark: Any) -> None:
    frame = spark.sql("SELECT TIMESTAMP_NTZ '2024-03-31 02:30:00' AS a, TIMESTAMP '2024-03-31 02:30:00 UTC' AS b")
    engine = open_table(frame)
    domains = engine.domains(["a", "b"])
    assert [domains[name].texts.tolist() for name in "ab"] == [["2024-03-31 02:30:00"], ["2024-03-31 02:30:00+00:00"]]
    assert engine.census(CensusRequest(("a", "b"))).counts.tolist() == [1]
    (row,) = engine.materialise().toArrow().to_pylist()
    assert row["a"] == dt.datetime(2024, 3, 31, 2, 30)  # noqa: DTZ001
    assert row["b"] == dt.datetime(2024, 3, 31, 2, 30, tzinfo=dt.UTC)


@pytest.mark.parametrize("type_", ["BINARY", "ARRAY<INT>", "MAP<INT, INT>", "STRUCT<a: INT>", "INTERVAL DAY"])
def test_what_cannot_be_grouped_is_refused_by_name(type_: str, local: Any) -> None:
    frame = local.sql(f"SELECT CAST(NULL AS {type_}) AS a, 1 AS b")
    with pytest.raises(ic.DataError, match="Column 'a' holds values of type"):
        open_table(frame).domains(["a"])
    assert sizes(frame, "b") == [1]


ODD = {
    "map": "map(id % 3, 'a')",
    "inside": "array(named_struct('a', map('a', id)))",
    "json": "parse_json('[1]')",
    "months": "INTERVAL '1' YEAR",
    "noon": "TIME '12:00:00'",
}
"""Columns that Spark has and cannot publish."""


def test_a_column_that_cannot_be_published_is_refused_before_any_work(local: Any) -> None:
    told = local.sparkContext.statusTracker()
    before = len(told.getJobIdsForGroup(None))
    for name, column in ODD.items():
        frame = local.range(60).selectExpr("id % 5 AS age", f"{column} AS {name}")
        with pytest.raises(ic.DataError, match=rf"Column '{name}' is of type .*, which no release on Spark can have"):
            ic.anonymize(frame, ic.Schema({"age": ic.flat()}, insensitive=[name]), model="k>=3")
    assert len(told.getJobIdsForGroup(None)) == before


def test_columns_that_cannot_be_published_may_be_there(local: Any) -> None:
    odd = [f"{column} AS {name}" for name, column in ODD.items()]
    frame = local.range(60).selectExpr("id % 5 AS age", "array(id % 2) AS seen", *odd)
    schema = ic.Schema({"age": ic.flat()}, insensitive=["seen"])
    for sample in (None, 40):
        release = ic.anonymize(frame, schema, model="k>=3", others="drop", sample=sample)
        assert release.table.columns == ["age", "seen"]
        assert release.table.count() == (sample or 60)


def test_more_columns_than_fit_one_job_are_all_counted(local: Any) -> None:
    frame = local.range(3).selectExpr(*(f"id % {number + 1} AS a{number}" for number in range(35)))
    domains = open_table(frame).domains(frame.columns)
    assert [len(domains[f"a{number}"]) for number in (0, 1, 2, 30, 34)] == [1, 2, 3, 3, 3]


def test_codes_that_need_several_words_do_not_overflow(local: Any) -> None:
    frame = local.range(1200).selectExpr(*(f"(id * 7 + {number}) % 1000 AS a{number}" for number in range(12)))
    census = open_table(frame).census(CensusRequest(tuple(frame.columns)))
    assert (len(census), sorted(set(census.counts.tolist())), census.records) == (1000, [1, 2], 1200)


def test_the_settings_of_a_session_are_not_changed(local: Any) -> None:
    local.sql("SELECT 1").collect()  # Spark itself sets where its tables lie when it is first asked
    before = dict(local.sparkContext.getConf().getAll()), local.conf.get("spark.sql.session.timeZone")
    assert sizes(local.range(3).selectExpr("id % 2 AS a"), "a") == [1, 2]
    assert before == (dict(local.sparkContext.getConf().getAll()), local.conf.get("spark.sql.session.timeZone"))


def test_an_error_quotes_no_record(spark: Any) -> None:
    frame = spark.sql("SELECT CAST(a AS INT) AS a FROM VALUES ('1'), ('Canary') AS t(a)")
    with pytest.raises(ic.EngineError, match="its message is withheld") as caught:
        open_table(frame).domains(["a"])
    assert "Canary" not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_table_that_is_gone_is_said_to_be_gone(local: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    local.range(3).write.parquet(str(path))
    frame = local.read.parquet(str(path))
    for file in path.iterdir():
        file.unlink()
    with pytest.raises(ic.DataError, match="does not find the table, or a file of it"):
        open_table(frame).domains(["id"])


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (
            "Job aborted: larger than spark.driver.maxResultSize (1024.0 MiB)",
            "The census is larger than Spark may send",
        ),
        ("java.lang.OutOfMemoryError: Java heap space", "Spark ran out of memory"),
        ("java.io.IOException: No space left on device", "The disk of a worker is full"),
        ("<_InactiveRpcError: StatusCode.UNAVAILABLE, Connection refused>", "The Spark cluster was lost"),
        ("Cannot call methods on a stopped SparkContext.", "The Spark cluster was lost"),
        ("[SPARK_JOB_CANCELLED] Job 3 cancelled", "Somebody cancelled the job"),
    ],
)
def test_what_spark_says_becomes_one_sentence_of_what_to_do(told: str, says: str) -> None:
    from pyspark.errors import PySparkException  # noqa: PLC0415 - it warns of pandas 3

    trouble = trouble_with_spark(PySparkException(told + " Canary"))
    assert isinstance(trouble, ic.EngineError)
    assert trouble.message.startswith(says)
    assert trouble.hint
    assert "Canary" not in str(trouble)
    assert trouble_with_spark(ValueError("maxResultSize")) is None


PEOPLE = [{"person": f"Canary{one:02}", "age": 20 + one % 3 * 10, "sex": "fm"[one % 2]} for one in range(60)]
VISITS = [{"visit": one, "person": f"Canary{one % 50:02}", "year": 2021 + one % 2} for one in range(120)]
LINKS: dict[str, Any] = {"keys": {"people": "person"}, "of": {"visits": {"person": "people"}}}
ROLES = ic.Schema({"age": ic.intervals(20), "sex": None, "year": None}, identifiers=["visit"])


def test_several_frames_are_one_release_and_frames_again(spark: Any, tmp_path: Path) -> None:
    frames = {"people": spark.createDataFrame(PEOPLE), "visits": spark.createDataFrame(VISITS)}
    released, plain = (
        ic.anonymize(ic.Tables(tables, **LINKS), ROLES, model="k>=3", max_suppressed=0.4)
        for tables in (frames, {"people": PEOPLE, "visits": VISITS})
    )
    assert released.verdict == plain.verdict
    assert released.recoding.node == plain.recoding.node
    for name, rows in plain.table.tables.items():
        frame = released.table.tables[name]
        assert type(frame) is type(frames[name])
        found = [row.asDict() for row in frame.collect()]
        assert "Canary" not in str(found)
        columns = [column for column in rows[0] if column != "person"]
        assert sorted(str([row[one] for one in columns]) for row in found) == sorted(
            str([row[one] for one in columns]) for row in rows
        )
    saved = ic.anonymize(
        ic.Tables(frames, **LINKS), ROLES, model="k>=3", max_suppressed=0.4, output=tmp_path / "out", format="parquet"
    )
    assert saved.verdict == plain.verdict
    assert ic.verify(tmp_path / "out").holds


def test_a_frame_that_is_too_long_to_be_joined_is_refused(local: Any) -> None:
    frames = {"people": local.createDataFrame(PEOPLE), "visits": local.range(3_000_000).selectExpr("'a' AS person")}
    with pytest.raises(ic.EngineError, match=r"A table of 3,000,000 rows is too long to be brought here"):
        ic.anonymize(ic.Tables(frames, **LINKS), ROLES, model="k>=3", memory="100MB")
