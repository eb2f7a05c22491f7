"""Rows that stand for several records are published as these are, by searches that keep together what is alike."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from engines.subjects import TYPED, make_subject
from incrowd.core import DataError, Domain, LocalRecoding
from incrowd.engines import open_table
from release.test_tampering import answers

Capsys = pytest.CaptureFixture[str]
QUASI: dict[str, Any] = {"age": ic.intervals(5, 10), "sex": ic.flat(), "zip": ic.mask()}
COUNTED = ic.Schema(QUASI, ["ill"], count="n")
SINGLE = ic.Schema(QUASI, ["ill"])
SEARCHES: list[Any] = [ic.CheapestFirst(), ic.CheapestFirst(strict=True)]
KEPT: dict[str, Any] = {"model": "k>=8, l>=2[ill], t<=0.5[ill]", "max_suppressed": 0.02}


def counted(rows: int = 120, seed: int = 1) -> pa.Table:
    draw = random.Random(seed)
    return pa.table(
        {
            "age": pa.array([draw.choice([*range(20, 40), None]) for _ in range(rows)], pa.int64()),
            "sex": [draw.choice("fm") for _ in range(rows)],
            "zip": [draw.choice(["01067", "01069", "20095", "80331"]) for _ in range(rows)],
            "ill": [draw.choice(["flu", "hiv", "ms"]) for _ in range(rows)],
            "n": [draw.choice([1, 1, 2, 3, 7]) for _ in range(rows)],
        }
    )


def single(table: pa.Table) -> pa.Table:
    """Write every record as a row."""
    every = [number for number, times in enumerate(table["n"].to_pylist()) for _ in range(times)]
    return table.drop_columns(["n"]).take(every)


def added_up(rows: list[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    """Count the records of rows, whose last column is how many each stands for."""
    found = Counter[tuple[Any, ...]]()
    for *labels, times in rows:
        found[tuple(labels)] += int(times)
    return found


@pytest.mark.parametrize("search", SEARCHES, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_the_release_is_that_of_the_records_one_by_one(search: Any, seed: int) -> None:
    table = counted(seed=seed)
    release = ic.anonymize(table, COUNTED, algorithm=search, **KEPT)
    one_by_one = ic.anonymize(single(table), SINGLE, algorithm=search, **KEPT)
    rows = [tuple(row.values()) for row in release.table.to_pylist()]
    assert added_up(rows) == Counter(tuple(row.values()) for row in one_by_one.table.to_pylist())
    assert (release.verdict, release.measures) == (one_by_one.verdict, one_by_one.measures)
    assert release.recipe.suppressed == one_by_one.recipe.suppressed
    assert release.explain() == one_by_one.explain()
    assert str(ic.attack(release, original=table)) == str(ic.attack(one_by_one, original=single(table)))
    assert str(ic.utility(release, table)) == str(ic.utility(one_by_one, single(table)))
    assert str(ic.risk(release)) == str(ic.risk(one_by_one))


@pytest.mark.parametrize("most", [1.0, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_rows_stay_whole_where_records_one_by_one_may_borrow(most: float, seed: int) -> None:
    table, search = counted(seed=seed), ic.LevelsAndCells(most_stars=most, together=[["sex", "zip"]])
    release = ic.anonymize(table, COUNTED, algorithm=search, **KEPT)
    one_by_one = ic.anonymize(single(table), SINGLE, algorithm=search, **KEPT)
    assert release.verdict.holds
    assert sum(release.table["n"].to_pylist()) == sum(table["n"].to_pylist()) - release.recipe.suppressed
    assert release.table.num_rows <= table.num_rows
    assert one_by_one.detail_kept >= release.detail_kept - 0.01


@pytest.mark.parametrize("kind", [*TYPED, "csv"])
def test_what_was_lent_is_published_alike_of_every_kind_of_table(kind: str, tmp_path: Path, capsys: Capsys) -> None:
    table = pa.table({"age": [30] * 60 + [31], "sex": ["f"] * 61, "ill": ["flu", "ms", "hiv"] * 20 + ["flu"]})
    roles = ic.Schema({"age": ic.flat(), "sex": ic.flat()}, ["ill"])
    how: dict[str, Any] = {"model": "k>=3, l>=2[ill]", "algorithm": ic.LevelsAndCells()}
    subject, out = make_subject(kind, tmp_path), tmp_path / "out"
    release = ic.anonymize(subject.load(table), roles, **how)
    rows = Counter(tuple(map(str, row)) for row in subject.rows(release.table))
    assert rows == {
        ("30", "f", "flu"): 19,
        ("30", "f", "ms"): 20,
        ("30", "f", "hiv"): 19,
        ("*", "f", "flu"): 2,
        ("*", "f", "hiv"): 1,
    }
    ic.anonymize(subject.load(table), roles, output=out, format="csv", **how)
    assert answers(out, capsys) == ("holds", "holds")
    assert ic.verify(out, original=subject.load(table)).outcome == "holds"
    assert ic.attack(release, original=subject.load(table)).records == 61


@pytest.mark.parametrize("kind", [*TYPED, "csv"])
def test_every_kind_of_table_gives_the_same_rows_and_the_file_is_checked(
    kind: str, tmp_path: Path, capsys: Capsys
) -> None:
    how: dict[str, Any] = {"algorithm": ic.LevelsAndCells(), **KEPT}
    subject, out = make_subject(kind, tmp_path), tmp_path / "out"
    table = subject.load(counted())
    known = [tuple(map(str, row.values())) for row in ic.anonymize(counted(), COUNTED, **how).table.to_pylist()]
    given_back = subject.rows(ic.anonymize(table, COUNTED, **how).table)
    assert Counter(tuple(map(str, row)) for row in given_back) == Counter(known)
    ic.anonymize(table, COUNTED, output=out, format="csv", **how)
    written = open_table(out / "public/data.csv", missing_values=("",)).materialise().to_pylist()
    assert Counter(tuple(map(str, row.values())) for row in written) == Counter(known)
    assert answers(out, capsys) == ("holds", "holds")
    assert ic.verify(out, original=table).outcome == "holds"
    assert str(ic.attack(out, original=table)) == str(
        ic.attack(ic.anonymize(counted(), COUNTED, **how), original=table)
    )


@pytest.mark.parametrize("kind", [*TYPED, "csv"])
def test_a_recoding_is_not_applied_to_rows_that_stand_for_other_records(kind: str, tmp_path: Path) -> None:
    recoding = ic.anonymize(counted(), COUNTED, algorithm=ic.LevelsAndCells(), **KEPT).recoding
    more = counted().set_column(4, "n", pa.array([2] * 120))
    table = open_table(make_subject(kind, tmp_path).load(more))
    with pytest.raises(DataError, match=r"The recoding is about 3\d\d records, and the table has 240"):
        table.recode(recoding, ["age", "n"])


def test_rows_of_one_cell_go_together_and_keep_what_they_count(tmp_path: Path) -> None:
    table = [{"age": 31, "n": 2}, {"age": 31, "n": 1}, {"age": 58, "n": 2}, {"age": 59, "n": 1}]
    schema = ic.Schema({"age": ic.flat()}, count="n")
    release = ic.anonymize(table, schema, model="k>=3", algorithm=ic.LevelsAndCells())
    expected = [{"age": "*", "n": 1}, {"age": "*", "n": 2}, {"age": "31", "n": 1}, {"age": "31", "n": 2}]
    assert release.table == expected
    assert release.verdict.records == 6
    release.save(tmp_path / "out")
    assert ic.verify(tmp_path / "out", original=table).outcome == "holds"


def test_a_recoding_with_counts_keeps_cells_whole() -> None:
    codes = np.array([0, 0])
    domain = Domain.of("age", [31, 31, 31])
    how: dict[str, Any] = {"quasi": ("age",), "domains": {"age": domain}, "codes": (codes,)}
    labels = (np.array(["31", "*"], dtype=object),)
    with pytest.raises(ic.ParameterError, match="stands for several records"):
        LocalRecoding(**how, classes=np.array([0, 1]), counts=np.array([1, 2]), labels=labels, count="n")


@pytest.mark.parametrize("search", [ic.Mondrian(), ic.TopDown(), ic.Datafly(), ic.MuArgus()], ids=repr)
def test_searches_that_part_records_name_those_that_do_not(search: Any) -> None:
    with pytest.raises(ic.ParameterError, match="stands for several records") as caught:
        ic.anonymize(counted(), COUNTED, model="k>=8", algorithm=search)
    assert "LevelsAndCells(), CheapestFirst() or Optimal()" in caught.value.hint
