from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import incrowd as ic
from engines.subjects import Subject, make_subject
from incrowd.core import (
    CensusRequest,
    DataError,
    Domain,
    FullDomainRecoding,
    Ladder,
    LocalRecoding,
    ParameterError,
    Step,
    UncoveredValuesError,
)
from incrowd.engines import Remembered, Resources, _backend, open_table, sample_of
from incrowd.engines._backend import DuckBackend

PEOPLE = pa.table(
    {
        "name": ["Ada", "Bob", "Cyd", "Dan", "Eve", "Fay"],
        "age": [34, 36, 51, 52, None, 99],
        "zip": ["01", "01", "02", "02", "02", "02"],
        "disease": ["flu", "hiv", "flu", "hiv", "flu", "flu"],
        "visits": [9, 10, 3, 4, None, 2],
    }
)
PUBLISH = ["age", "zip", "disease", "visits"]


def age_ladder(domain: Domain) -> Ladder:
    return Ladder.climb(domain, [Step(domain.values // 50, ["<50", ">=50"]), Step.top(domain)])


def zip_ladder(domain: Domain) -> Ladder:
    return Ladder.climb(domain, [Step.top(domain)])


def full_domain(age: int, zip_: int, suppressed: tuple[Any, ...] = ()) -> FullDomainRecoding:
    domains = {name: Domain.of(name, PEOPLE[name].to_pylist()) for name in ("age", "zip")}
    ladders = {"age": age_ladder(domains["age"]), "zip": zip_ladder(domains["zip"])}
    return FullDomainRecoding(domains, ladders, {"age": age, "zip": zip_}, suppressed)


def published(subject: Subject, recoding: Any, table: pa.Table = PEOPLE, publish: list[str] = PUBLISH) -> list[Any]:
    return subject.rows(open_table(subject.load(table)).recode(recoding, publish).materialise())


def test_what_is_made_of_a_table_has_its_memory_and_temporary_place(subject: Subject, tmp_path: Path) -> None:
    engine = open_table(subject.load(PEOPLE), memory="1GB", temp=tmp_path / "spill")
    engine.census(CensusRequest(("age", "zip"), ("disease",)))
    recoding = full_domain(1, 1)
    made = [engine, Remembered(engine), engine.recode(recoding, PUBLISH), sample_of(engine, 3)]
    assert {one.resources for one in made} == {Resources("1GB", tmp_path / "spill")}
    assert engine.resources.options == {"memory": "1GB", "temp": tmp_path / "spill"}


def test_values_become_labels_and_missing_stays_missing(typed: Subject) -> None:
    assert published(typed, full_domain(1, 0)) == [
        ("<50", "01", "flu", 9),
        ("<50", "01", "hiv", 10),
        (">=50", "02", "flu", 2),
        (">=50", "02", "flu", 3),
        (">=50", "02", "hiv", 4),
        (None, "02", "flu", None),
    ]


def test_level_0_keeps_the_value_as_it_was(typed: Subject) -> None:
    rows = published(typed, full_domain(0, 1), publish=["age", "zip"])
    assert rows == [(34, "*"), (36, "*"), (51, "*"), (52, "*"), (99, "*"), (None, "*")]


def test_the_top_covers_missing_values_too(subject: Subject) -> None:
    assert published(subject, full_domain(2, 1), publish=["age", "zip"]) == [("*", "*")] * 6


def test_suppressed_classes_are_left_out(subject: Subject) -> None:
    suppressed = (np.array([0, 2]), np.array([0, 1]))  # (<50, 01) and (missing, 02)
    rows = published(subject, full_domain(1, 0, suppressed), publish=["age", "zip"])
    assert rows == [(">=50", "02")] * 3


def test_suppressed_classes_can_be_masked_instead(subject: Subject) -> None:
    suppressed = (np.array([0, 2]), np.array([0, 1]))  # (<50, 01) and (missing, 02)
    recoding = replace(full_domain(1, 0, suppressed), masked=True)
    rows = published(subject, recoding, publish=["age", "zip", "disease"])
    assert rows == [
        ("*", "*", "flu"),
        ("*", "*", "flu"),
        ("*", "*", "hiv"),
        (">=50", "02", "flu"),
        (">=50", "02", "flu"),
        (">=50", "02", "hiv"),
    ]


def test_a_column_that_keeps_its_values_becomes_text_where_some_are_masked(subject: Subject) -> None:
    recoding = replace(full_domain(0, 1, (np.array([0, 4]), np.array([0, 0]))), masked=True)  # ages 34 and 99
    rows = published(subject, recoding, publish=["age", "zip"])
    assert rows == [("*", "*"), ("*", "*"), ("36", "*"), ("51", "*"), ("52", "*"), (None, "*")]


def test_where_nothing_is_masked_values_keep_their_type(typed: Subject) -> None:
    recoding = replace(full_domain(0, 1), masked=True)
    assert published(typed, recoding, publish=["age"]) == [(34,), (36,), (51,), (52,), (99,), (None,)]


SHUFFLED = PEOPLE.take([3, 0, 5, 1, 4, 2])


@pytest.mark.parametrize("masked", [False, True])
def test_rows_can_keep_their_order(subject: Subject, masked: bool) -> None:
    recoding = replace(full_domain(1, 0, (np.array([2]), np.array([1]))), masked=masked)
    engine = open_table(subject.load(SHUFFLED)).recode(recoding, ["disease", "age"], keep_order=True)
    masked_row = [("flu", "*")] if masked else []
    assert subject.rows(engine.materialise()) == [
        ("hiv", ">=50"),
        ("flu", "<50"),
        ("flu", ">=50"),
        ("hiv", "<50"),
        *masked_row,
        ("flu", ">=50"),
    ]


def test_rows_of_a_local_recoding_can_keep_their_order(subject: Subject) -> None:
    engine = open_table(subject.load(SPLIT)).recode(split(), ["age", "visits"], keep_order=True)
    rows = [_texts(row) for row in subject.rows(engine.materialise())]
    assert rows == [("40", "10"), ("*", "1"), ("40", "9"), ("*", ""), ("40", "2"), ("*", "10")]


def test_of_rows_that_are_published_alike_the_first_ones_come_first(subject: Subject) -> None:
    many = pa.concat_tables([SPLIT.take([0] * 9_000), SPLIT.take([1])])
    recoding = split((3_000, 6_000))
    engine = open_table(subject.load(many)).recode(recoding, ["age"], keep_order=True)
    assert subject.rows(engine.materialise()) == [("40",)] * 3_000 + [("*",)] * 6_001


def test_a_file_is_written_sorted_or_in_the_order_of_the_table(subject: Subject, tmp_path: Path) -> None:
    table = subject.load(SHUFFLED)
    open_table(table).write(tmp_path / "kept.csv", keep_order=True)
    open_table(table).write(tmp_path / "sorted.csv")
    open_table(table).recode(full_domain(1, 0), ["name"], keep_order=True).write(tmp_path / "recoded.csv")
    names = {path.stem: path.read_text().split("\n")[1:-1] for path in tmp_path.glob("*.csv") if path.stem != "table"}
    kept = SHUFFLED["name"].to_pylist()
    assert [line[:3] for line in names["kept"]] == names["recoded"] == kept
    assert [line[:3] for line in names["sorted"]] == sorted(kept)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_order_of_a_large_file_is_kept(kind: str, tmp_path: Path) -> None:
    rows = 300_000
    table = pa.table({"age": np.arange(rows) % 7, "number": np.arange(rows)[::-1]})
    path = tmp_path / f"large.{kind}"
    write = pyarrow.csv.write_csv if kind == "csv" else pyarrow.parquet.write_table
    write(table, path)
    engine = open_table(path)
    domain = Domain.of("age", list(range(7)))
    recoding = FullDomainRecoding({"age": domain}, {"age": zip_ladder(domain)}, {"age": 0}, (np.array([3]),))
    engine.recode(recoding, ["number"], keep_order=True).write(tmp_path / "kept.parquet")
    numbers = pyarrow.parquet.read_table(tmp_path / "kept.parquet")["number"].cast(pa.int64()).to_numpy()
    assert np.array_equal(numbers, np.arange(rows)[::-1][np.arange(rows) % 7 != 3])


def test_texts_of_a_column_can_be_replaced_and_missing_stays_missing(subject: Subject) -> None:
    engine = open_table(subject.load(PEOPLE))
    result = engine.recode(full_domain(1, 0), ["zip", "visits"], replace={"visits": lambda text: f"<{text}>"})
    assert subject.rows(result.materialise()) == [
        ("01", "<10>"),
        ("01", "<9>"),
        ("02", "<2>"),
        ("02", "<3>"),
        ("02", "<4>"),
        ("02", None),
    ]


def test_a_sample_is_the_same_whatever_the_order_of_rows(subject: Subject) -> None:
    table = pa.table({"age": [number % 50 for number in range(200)], "name": [f"n{number}" for number in range(200)]})
    turned = table.take(random.Random(1).sample(range(200), 200))
    names = []
    for one in (table, turned):
        sample = sample_of(open_table(subject.load(one), drop_missing=["age"]), 30)
        names.append(sample.domains(["name"])["name"].values.tolist())
        assert sample.census(CensusRequest(("age",), (), {})).records == 30
    assert names[0] == names[1]
    assert names[0] != sorted(table["name"].to_pylist()[:30])
    assert len(sample_of(open_table(subject.load(table)), 1000).domains(["name"])["name"]) == 200


def test_a_sample_drops_what_the_table_drops(subject: Subject) -> None:
    table = pa.table({"age": [1, 2, None, 4], "name": ["a", "b", "c", "d"]})
    census = sample_of(open_table(subject.load(table), drop_missing=["age"]), 4).census(CensusRequest(("age",), (), {}))
    assert (census.records, census.dropped) == (3, 1)


@pytest.mark.parametrize("rows", [0, -1, True, 1.5])
def test_a_sample_of_no_rows_is_refused(rows: Any) -> None:
    with pytest.raises(ParameterError, match="whole number of rows"):
        sample_of(open_table([{"age": 1}]), rows)


def test_only_named_columns_are_published_in_the_order_named(subject: Subject) -> None:
    engine = open_table(subject.load(PEOPLE)).recode(full_domain(1, 1), ["disease", "age"])
    assert list(engine.columns()) == ["disease", "age"]


def test_a_text_file_keeps_the_spelling_of_what_is_published(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age,zip,visits\n34,01,1.50\n51,02,007\n")
    domains = open_table(path).domains(["age", "zip"])
    ladders = {"age": age_ladder(domains["age"]), "zip": zip_ladder(domains["zip"])}
    recoding = FullDomainRecoding(domains, ladders, {"age": 1, "zip": 0})
    table = open_table(path).recode(recoding, ["age", "zip", "visits"]).materialise()
    assert [tuple(row.values()) for row in table.to_pylist()] == [("<50", "01", "1.50"), (">=50", "02", "007")]


def split(counts: tuple[int, int] = (3, 2)) -> LocalRecoding:
    """Five equal cells of age 40 and flu: some published as 40, the others as *; one of age 50 goes along."""
    return LocalRecoding(
        quasi=("age",),
        domains={"age": Domain.of("age", [40, 50]), "disease": Domain.of("disease", ["flu"])},
        codes=(np.array([0, 0, 1]), np.array([0, 0, 0])),
        classes=np.array([0, 1, 1]),
        counts=np.array([*counts, 1]),
        labels=(np.array(["40", "*"], dtype=object),),
    )


SPLIT = pa.table(
    {
        "age": [40, 50, 40, 40, 40, 40],
        "disease": ["flu"] * 6,
        "visits": [10, 1, 9, None, 2, 10],
        "ward": ["x", "y", "a", "b", None, "w"],
    }
)


def test_a_cell_is_split_by_the_values_of_the_published_columns(subject: Subject) -> None:
    rows = published(subject, split(), SPLIT, ["age", "visits", "ward"])
    expected = [("40", 2, None), ("40", 9, "a"), ("40", 10, "w"), ("*", 1, "y"), ("*", 10, "x"), ("*", None, "b")]
    assert Counter(map(_texts, rows)) == Counter(map(_texts, expected))


def _texts(row: tuple[Any, ...]) -> tuple[str, ...]:
    """Numbers of a text file come back as texts, those of a pandas column with a gap as floats."""
    return tuple("" if cell is None else str(int(cell)) if isinstance(cell, float) else str(cell) for cell in row)


def test_a_split_does_not_depend_on_the_order_of_rows(subject: Subject) -> None:
    expected = Counter(
        map(_texts, published(make_subject("reference", Path()), split(), SPLIT, ["age", "visits", "ward"]))
    )
    for seed in range(3):
        order = random.Random(seed).sample(range(6), 6)
        rows = published(subject, split(), SPLIT.take(order), ["age", "visits", "ward"])
        assert Counter(map(_texts, rows)) == expected


def test_equal_records_are_interchangeable(subject: Subject) -> None:
    table = pa.table({"age": [40] * 5 + [50], "disease": ["flu"] * 6})
    rows = published(subject, split(), table, ["age", "disease"])
    assert Counter(rows) == {("40", "flu"): 3, ("*", "flu"): 3}


def test_records_of_a_local_recoding_can_be_left_out(subject: Subject) -> None:
    recoding = split()
    left_out = LocalRecoding(
        recoding.quasi, recoding.domains, recoding.codes, np.array([0, -1, -1]), recoding.counts, recoding.labels
    )
    rows = published(subject, left_out, SPLIT, ["age", "visits"])
    assert Counter(map(_texts, rows)) == {("40", "2"): 1, ("40", "9"): 1, ("40", "10"): 1}


def test_a_local_recoding_can_follow_persons(subject: Subject) -> None:
    table = pa.table({"zip": ["1"] * 4, "person": ["b", "a", "b", "a"], "day": [1, 2, 3, 4]})
    recoding = LocalRecoding(
        quasi=("zip",),
        domains={"zip": Domain.of("zip", ["1"]), "person": Domain.of("person", ["a", "b"])},
        codes=(np.array([0, 0]), np.array([0, 1])),
        classes=np.array([1, 0]),
        counts=np.array([2, 2]),
        labels=(np.array(["1", "*"], dtype=object),),
    )
    rows = published(subject, recoding, table, ["zip", "day"])
    assert Counter(map(_texts, rows)) == Counter([("1", "1"), ("*", "2"), ("1", "3"), ("*", "4")])


def test_a_local_recoding_belongs_to_its_table(subject: Subject) -> None:
    with pytest.raises(DataError, match="about 6 records, and the table has 5"):
        published(subject, split(), SPLIT.slice(1), ["age"])


def test_a_recoding_of_a_part_publishes_nothing_else(subject: Subject) -> None:
    whole = split()
    part = replace(
        whole,
        codes=tuple(codes[:2] for codes in whole.codes),
        classes=whole.classes[:2],
        counts=whole.counts[:2],
        partial=True,
    )
    rows = published(subject, part, SPLIT, ["age", "visits"])
    expected = [("40", 2), ("40", 9), ("40", 10), ("*", 10), ("*", None)]
    assert Counter(map(_texts, rows)) == Counter(map(_texts, expected))


def test_a_value_that_the_recoding_does_not_know_is_refused_without_being_shown(subject: Subject) -> None:
    table = pa.table({"age": [34, 36, 51, 52, 77_777, 99], "zip": ["01"] * 6})
    with pytest.raises(UncoveredValuesError, match="'age' has 1 value that is not known") as caught:
        published(subject, full_domain(1, 0), table, ["age"])
    assert "77777" not in str(caught.value)
    assert caught.value.values == ("77777",)


def test_a_recoding_must_be_complete() -> None:
    recoding = split()
    with pytest.raises(ParameterError, match="one code per column and entry"):
        LocalRecoding(recoding.quasi, recoding.domains, recoding.codes[:1], recoding.classes, recoding.counts, ())
    with pytest.raises(ParameterError, match="at least one record"):
        LocalRecoding(
            recoding.quasi, recoding.domains, recoding.codes, recoding.classes, recoding.counts * 0, recoding.labels
        )
    with pytest.raises(ParameterError, match=r"one array per quasi-identifier \(2\), got 1"):
        full_domain(1, 1, (np.array([0]),))


@pytest.mark.parametrize("name", ["pandas", "polars-lazy", "duckdb", "csv"])
@given(data=st.data())
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_local_recoding_gives_the_rows_of_the_reference(name: str, data: st.DataObject, tmp_path: Path) -> None:
    cell = st.tuples(st.integers(0, 2), st.sampled_from(["x", "y"]), st.one_of(st.none(), st.integers(0, 12)))
    rows = data.draw(st.lists(cell, min_size=1, max_size=20))
    table = pa.table(
        {"a": [r[0] for r in rows], "s": [r[1] for r in rows], "v": pa.array([r[2] for r in rows], pa.int64())}
    )
    domains = {"a": Domain.of("a", [0, 1, 2]), "s": Domain.of("s", ["x", "y"])}
    entries = []
    for (a, s), count in Counter((row[0], "xy".index(row[1])) for row in rows).items():
        first = data.draw(st.integers(0, count))
        pieces = [(0, first), (data.draw(st.sampled_from([-1, 1])), count - first)]
        entries += [(a, s, number, size) for number, size in pieces if size]
    columns = [np.array(column) for column in zip(*entries, strict=True)]
    labels = (np.array(["low", "*"], dtype=object),)
    recoding = LocalRecoding(("a",), domains, (columns[0], columns[1]), columns[2], columns[3], labels)
    expected = published(make_subject("reference", tmp_path), recoding, table, ["a", "v"])
    assert Counter(map(_texts, published(make_subject(name, tmp_path), recoding, table, ["a", "v"]))) == Counter(
        map(_texts, expected)
    )


RELEASE = pa.table(
    {
        "age": ["[30, 40)", "[30, 40)", "*", "*", None],
        "zip": ["01*", "01*", "02*", "02*", "02*"],
        "disease": ["flu", "hiv", "flu", "flu", None],
        "person": [1, 2, 3, 3, 4],
    }
)
DISEASE = Domain.of("disease", ["asthma", "flu", "hiv", None])


def test_published_labels_are_grouped_as_texts(subject: Subject) -> None:
    classes = open_table(subject.load(RELEASE)).classes(["age", "zip"], {"disease": DISEASE})
    assert sorted(classes.size.tolist()) == [1, 2, 2]
    assert classes.labels is not None
    labels = [texts[codes].tolist() for texts, codes in zip(classes.labels, classes.codes, strict=True)]
    found = dict(zip(zip(*labels, strict=True), classes.size.tolist(), strict=True))
    assert found == {("[30, 40)", "01*"): 2, ("*", "02*"): 2, (None, "02*"): 1}


def test_sensitive_values_use_the_codes_of_the_given_domain(subject: Subject) -> None:
    classes = open_table(subject.load(RELEASE)).classes(["zip"], {"disease": DISEASE})
    histogram = classes.histogram("disease")
    assert histogram.starts.tolist() == [0, 2, 4]
    assert histogram.values[0].tolist() == [1, 2, 1, 3]
    assert histogram.counts.tolist() == [1, 1, 2, 1]


def test_persons_are_counted_once(subject: Subject) -> None:
    classes = open_table(subject.load(RELEASE)).classes(["zip"], {}, entity="person")
    assert (classes.size.tolist(), classes.records.tolist()) == ([2, 2], [2, 3])


def test_numbers_are_labels_too(subject: Subject) -> None:
    classes = open_table(subject.load(pa.table({"age": [30, 30, 31, None]}))).classes(["age"], {})
    assert sorted(classes.size.tolist()) == [1, 1, 2]


def test_a_value_outside_of_the_domain_is_refused(subject: Subject) -> None:
    engine = open_table(subject.load(RELEASE))
    with pytest.raises(UncoveredValuesError, match="'disease' has 1 value that is not known"):
        engine.classes(["zip"], {"disease": Domain.of("disease", ["flu", None])})


def test_an_empty_release_has_no_classes(typed: Subject) -> None:
    source = [] if typed.name == "reference" else typed.load(RELEASE.slice(0, 0))
    assert len(open_table(source).classes(["age", "zip"], {"disease": DISEASE})) == 0


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["Mondrian", "TopDown", "LevelsAndCells", "Optimal"])
def test_what_is_joined_step_by_step_on_the_disk_is_what_is_joined_in_one_go(
    kind: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    table = pa.table(
        {
            "note": [None if i % 7 == 0 else f"n{i % 90}" for i in range(600)],  # no cell tells it
            "age": rng.integers(0, 90, 600),
            "zip": [f"{code:03}" for code in rng.integers(0, 40, 600)],
        }
    )
    path = tmp_path / f"t.{kind}"
    open_table(table).write(path)
    quasi: dict[str, Any] = {"age": ic.intervals(10, 30), "zip": ic.mask()}
    schema = ic.Schema(quasi, insensitive=["note"])
    asked: dict[str, Any] = {"model": "k>=4", "algorithm": getattr(ic, name)(), "max_suppressed": 0.1, "temp": tmp_path}
    expected = ic.anonymize(path, schema, **asked).table
    written: list[Path] = []
    spill = DuckBackend.spill

    def heard(home: DuckBackend, frame: Any, place: Path) -> None:
        written.append(place)
        spill(home, frame, place)

    monkeypatch.setattr(DuckBackend, "spill", heard)
    monkeypatch.setattr(_backend, "A_CELL", 10**12)
    assert ic.anonymize(path, schema, **asked).table.equals(expected)
    assert written
    written.clear()
    monkeypatch.setattr(_backend, "A_CELL", 0)
    assert ic.anonymize(path, schema, **asked).table.equals(expected)
    assert not written
