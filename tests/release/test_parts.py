"""A table whose census does not fit into memory, published part by part: the release is the one of a run in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import incrowd as ic
from incrowd.core import Cells, Classes, Domain, distinct_texts, group
from incrowd.engines import Budget, shares_of
from incrowd.engines._lazy_frame import FrameEngine
from incrowd.release import StoredRecoding, _parts, _release_file
from incrowd.release._parts import PartwisePublication, fingerprint
from incrowd.search import Progress

SCHEMA = ic.Schema(
    quasi={"zip": ic.mask(), "age": ic.intervals(5, 10, 20, 40), "sex": ic.flat()},
    sensitive=["disease"],
    insensitive=["visits"],
)
PROMISE: Any = {"model": "k>=5, l>=2[disease], t<=0.4[disease]", "algorithm": ic.Mondrian()}
VISITS = ic.Schema(dict(SCHEMA.quasi), ["disease", "visits"])
AVERAGED = ic.averaged(ic.intervals(2))
LITTLE = "150KB"
"""Some hundred cells fit."""


def people(rows: int = 800) -> pa.Table:
    rng = np.random.default_rng(3)
    ages = rng.integers(18, 90, rows)
    return pa.table(
        {
            "zip": [str(zip_) for zip_ in rng.integers(10_000, 10_400, rows)],
            "age": pa.array(ages, mask=ages == 20),
            "sex": rng.choice(["f", "m"], rows),
            "disease": rng.choice(["flu", "asthma", "hiv", "none"], rows),
            "visits": rng.integers(0, 4, rows),
        }
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.parquet"
    pyarrow.parquet.write_table(people(), path)
    return path


def test_every_share_of_the_file_is_grouped_once(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shares, grouped, classes = [], [], FrameEngine.classes

    def counting(self: Any, *asked: Any) -> Any:
        if self in shares:
            grouped.append(self)
        return classes(self, *asked)

    def collecting(*asked: Any) -> Any:
        for share in shares_of(*asked):
            shares.append(share)
            yield share

    monkeypatch.setattr(FrameEngine, "classes", counting)
    for module in (_parts, _release_file):
        monkeypatch.setattr(module, "shares_of", collecting)
    release = ic.anonymize(table, SCHEMA, output=tmp_path / "out", memory=LITTLE, **PROMISE)
    assert isinstance(release.recoding, StoredRecoding)
    assert len(grouped) == len(release.recoding.files) > 1


def rows_of(release: ic.Release) -> list[dict[str, Any]]:
    path = Path(release.table)
    read = pyarrow.csv.read_csv(path) if path.suffix == ".csv" else pyarrow.parquet.read_table(path)
    rows: list[dict[str, Any]] = read.to_pylist()
    return rows


def certified(release: ic.Release) -> dict[str, Any]:
    """Read a certificate, without what is about bytes."""
    found: dict[str, Any] = json.loads((Path(release.table).parent / "release.json").read_text())
    return found | {"data": {"rows": found["data"]["rows"]}}


def both(table: Path, tmp_path: Path, schema: ic.Schema = SCHEMA, **asked: Any) -> tuple[ic.Release, ic.Release]:
    """Publish a table in memory and part by part."""
    whole = ic.anonymize(table, schema, output=tmp_path / "whole", **asked)
    parts = ic.anonymize(table, schema, output=tmp_path / "parts", memory=LITTLE, **asked)
    assert isinstance(parts.recoding, StoredRecoding)
    assert not isinstance(whole.recoding, StoredRecoding)
    return whole, parts


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"model": "k>=7"},
        {"algorithm": ic.Mondrian(labels="hierarchy")},
        {"algorithm": ic.Mondrian(labels="set")},
        {"at_least": {"zip": 1}},
        {"importance": {"sex": 5}},
        {"format": "csv"},
        {"format": "csv", "model": "k>=5, t<=0.4[visits]", "schema": VISITS},
    ],
    ids=str,
)
def test_the_release_is_the_one_that_more_memory_gives(asked: dict[str, Any], table: Path, tmp_path: Path) -> None:
    whole, parts = both(table, tmp_path, **PROMISE | asked)
    assert rows_of(parts) == rows_of(whole)
    assert parts.verdict == whole.verdict
    assert parts.measures == pytest.approx(whole.measures)
    assert certified(parts) == certified(whole)
    assert parts.columns == whole.columns


def test_so_it_is_for_a_text_file_whose_rows_with_missing_values_are_dropped(table: Path, tmp_path: Path) -> None:
    text = tmp_path / "people.csv"
    pyarrow.csv.write_csv(pyarrow.parquet.read_table(table), text)
    schema = ic.Schema(dict(SCHEMA.quasi), ["disease"], insensitive=["visits"], missing="drop")
    whole, parts = both(text, tmp_path, schema, **PROMISE)
    assert parts.recipe.dropped == whole.recipe.dropped > 0
    assert rows_of(parts) == rows_of(whole)
    assert certified(parts) == certified(whole)


def test_a_steward_is_told(table: Path, tmp_path: Path) -> None:
    release = ic.anonymize(table, SCHEMA, output=tmp_path / "out", memory=LITTLE, about={}, **PROMISE)
    assert [note.split(":")[0].split(" (")[0] for note in release.recipe.notes] == [
        "The census of this table does not fit into memory",
        "No reports were written",
    ]
    assert "More memory would give the same release." in release.recipe.notes[0]
    assert release.recipe.floor == {}
    assert "800 of 800 records" in release.explain()
    with pytest.raises(ic.ParameterError, match="part by part"):
        release.report(tmp_path / "report.html")


def test_the_files_are_verified_and_asked_as_any_others(table: Path, tmp_path: Path) -> None:
    whole, parts = both(table, tmp_path, **PROMISE)
    owner = tmp_path / "parts" / "owner"
    verified = ic.verify(tmp_path / "parts" / "public" / "release.json", owner=owner, original=table)
    assert (verified.differences, verified.not_checked) == ((), ())
    assert ic.risk(parts).to_dict() == ic.risk(whole).to_dict()
    attacks = [ic.attack(one, original=table).to_dict()["attacks"] for one in (parts, whole)]
    drawn = "minimality"  # which classes it draws depends on how they are numbered
    assert [one for one in attacks[0] if one["name"] != drawn] == [one for one in attacks[1] if one["name"] != drawn]
    assert str(ic.utility(parts, table)) == str(ic.utility(whole, table))


@pytest.mark.parametrize("format_", ["parquet", "csv"])
def test_a_file_whose_groups_do_not_fit_is_verified_in_shares(
    format_: Any, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ic.anonymize(table, SCHEMA, output=tmp_path / "out", format=format_, **PROMISE)
    certificate = tmp_path / "out" / "public" / "release.json"
    as_whole, share, asked = ic.verify(certificate), FrameEngine.share, []

    def shared(engine: FrameEngine, names: Any, number: int, shares: int) -> FrameEngine:
        asked.append((number, shares))
        return share(engine, names, number, shares)

    monkeypatch.setattr(FrameEngine, "share", shared)
    monkeypatch.setattr(Budget, "cells", lambda budget, *_, **__: 100 if budget.total == 300_000_000 else 10**9)
    assert ic.verify(certificate, memory="300MB") == as_whole
    with pytest.raises(ic.ParameterError, match="much"):
        ic.verify(certificate, memory="much")
    assert as_whole.holds
    assert asked == [(number, len(asked)) for number in range(len(asked))]
    assert len(asked) > 2
    data = tmp_path / "out" / "public" / f"data.{format_}"
    data.write_bytes((tmp_path / "people.parquet").read_bytes() if format_ == "parquet" else data.read_bytes()[:-200])
    assert not ic.verify(certificate, memory="300MB").holds


def test_a_recoding_in_parts_says_the_same_of_every_cell(table: Path, tmp_path: Path) -> None:
    whole, parts = both(table, tmp_path, **PROMISE)
    parts.save(tmp_path / "again")
    loaded = ic.load_recoding(tmp_path / "again" / "owner").recoding
    for recoding in (parts.recoding, loaded):
        assert said_by(recoding) == said_by(whole.recoding)


def said_by(recoding: Any) -> list[Any]:
    called = list(zip(*(labels.tolist() for labels in recoding.labels), strict=True))
    cells = zip(*(codes.tolist() for codes in recoding.codes), strict=True)
    entries = zip(cells, recoding.classes.tolist(), recoding.counts.tolist(), strict=True)
    return sorted((cell, str(called[number]), count) for cell, number, count in entries)


@pytest.mark.parametrize(
    ("more", "roles"),
    [
        ({"algorithm": ic.Mondrian(strict=False)}, {}),
        ({"order": "keep"}, {}),
        ({"algorithm": ic.CheapestFirst()}, {}),
        ({"model": ic.NTCloseness(200, 0.4, supersets="path", of=["disease"]) & ic.KAnonymity(5)}, {}),
        (
            {},
            {
                "quasi": {"zip": ic.mask(), "age": ic.intervals(5, 10), "sex": ic.flat(), "visits": AVERAGED},
                "insensitive": [],
            },
        ),
    ],
    ids=["shared records", "order", "another search", "not closed under union", "averages"],
)
@pytest.mark.filterwarnings("ignore:Rows keep their order")
def test_what_cannot_be_made_in_parts_begins_at_a_floor(
    more: dict[str, Any], roles: dict[str, Any], table: Path, tmp_path: Path
) -> None:
    schema = ic.Schema(**{"quasi": dict(SCHEMA.quasi), "sensitive": ["disease"], "insensitive": ["visits"]} | roles)
    release = ic.anonymize(table, schema, output=tmp_path / "out", memory=LITTLE, **PROMISE | more)
    assert release.recipe.floor
    assert not isinstance(release.recoding, StoredRecoding)


def test_a_part_that_does_not_fit_and_cannot_be_cut_leads_to_a_floor(table: Path, tmp_path: Path) -> None:
    release = ic.anonymize(
        table, SCHEMA, model="k>=450", algorithm=ic.Mondrian(), output=tmp_path / "out", memory=LITTLE
    )
    assert release.recipe.floor
    assert release.verdict.classes == 1


def test_no_release_is_refused_as_in_memory(table: Path, tmp_path: Path) -> None:
    for memory in ("4GB", LITTLE):
        with pytest.raises(ic.NoSafeRelease, match="No release can keep the promise"):
            ic.anonymize(
                table, SCHEMA, model="l>=5[disease]", algorithm=ic.Mondrian(), output=tmp_path / "out", memory=memory
            )
    assert not (tmp_path / "out").exists()


def test_nothing_is_left_behind(table: Path, tmp_path: Path) -> None:
    spill = tmp_path / "spill"
    ic.anonymize(table, SCHEMA, output=tmp_path / "out", memory=LITTLE, temp=spill, **PROMISE)
    assert not spill.exists()
    assert sorted(path.name for path in (tmp_path / "out" / "public").iterdir()) == [
        "data.parquet",
        "release.json",
        "verify.py",
    ]


def test_progress_counts_the_records_of_all_parts_and_may_stop_the_cutting(table: Path, tmp_path: Path) -> None:
    told: list[Progress] = []
    ic.anonymize(table, SCHEMA, output=tmp_path / "all", memory=LITTLE, progress=told.append, **PROMISE)
    assert {one.nodes for one in told} == {800}
    assert [one.checked for one in told] == sorted(one.checked for one in told)
    assert told[-1].checked == 800

    def stop(one: Progress) -> bool:
        told.append(one)
        return False

    told.clear()
    stopped = ic.anonymize(table, SCHEMA, output=tmp_path / "stopped", memory=LITTLE, progress=stop, **PROMISE)
    assert len(told) == 1
    assert (stopped.verdict.holds, stopped.verdict.records) == (True, 800)


def test_a_file_that_lost_records_on_the_way_is_not_published(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = PartwisePublication._write

    def lose(parts: PartwisePublication, found: Any, released: Path, *others: Any) -> ic.Release:
        (released / "2.parquet").unlink()
        return write(parts, found, released, *others)

    monkeypatch.setattr(PartwisePublication, "_write", lose)
    with pytest.raises(ic.ReleaseMismatch, match="other records than the search predicted"):
        ic.anonymize(table, SCHEMA, output=tmp_path / "out", memory=LITTLE, **PROMISE)
    assert not (tmp_path / "out").exists()


def test_a_table_that_changes_when_all_of_its_parts_are_written_is_not_published(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = PartwisePublication._write

    def change(*given: Any) -> ic.Release:
        release = write(*given)
        pyarrow.parquet.write_table(people(801), table)
        return release

    monkeypatch.setattr(PartwisePublication, "_write", change)
    with pytest.raises(ic.DataError, match=r"The file 'people\.parquet' changed while it was being read"):
        ic.anonymize(table, SCHEMA, output=tmp_path / "out", memory=LITTLE, **PROMISE)
    assert not (tmp_path / "out").exists()


def test_groups_that_no_share_has_are_missed(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    share = FrameEngine.share
    monkeypatch.setattr(
        FrameEngine, "share", lambda self, names, number, shares: share(self, names, number % 2, shares)
    )
    with pytest.raises(ic.ReleaseMismatch, match="other records than the search predicted"):
        ic.anonymize(table, SCHEMA, output=tmp_path / "out", memory=LITTLE, **PROMISE)


def test_what_a_text_file_cannot_tell_apart_is_refused_as_in_memory(tmp_path: Path) -> None:
    rows = people().set_column(3, "disease", pa.array(["flu", "", None, "hiv"] * 200))
    pyarrow.parquet.write_table(rows, tmp_path / "people.parquet")
    schema = ic.Schema(dict(SCHEMA.quasi), ["disease"], insensitive=["visits"], missing_values=[])
    for memory in ("4GB", LITTLE):
        with pytest.raises(ic.DataError, match="cannot tell the empty texts of column 'disease' from nothing"):
            ic.anonymize(
                tmp_path / "people.parquet",
                schema,
                model="k>=5, alpha<=0.9[disease]",
                algorithm=ic.Mondrian(),
                output=tmp_path / "out",
                format="csv",
                memory=memory,
            )


def test_a_recoding_in_files_knows_when_they_were_replaced(table: Path, tmp_path: Path) -> None:
    asked: Any = {"output": tmp_path / "out", "memory": LITTLE, "algorithm": ic.Mondrian()}
    first = ic.anonymize(table, SCHEMA, model="k>=5", **asked)
    kept = tmp_path / "kept"
    kept.mkdir()
    ic.save_recoding(first, kept)
    second = ic.anonymize(table, SCHEMA, model="k>=9", force=True, **asked)
    with pytest.raises(ic.DataError, match="gone or were replaced"):
        said_by(first.recoding)
    before = said_by(ic.load_recoding(kept).recoding)
    ic.save_recoding(second, kept)
    assert said_by(ic.load_recoding(kept).recoding) == said_by(second.recoding) != before


def test_many_pieces_are_written_a_few_at_a_time(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_parts, "_OPEN", 2)
    rows = people(1200)
    towns = pa.array([f"{int(zip_) % 9}-{zip_}" for zip_ in rows["zip"].to_pylist()])
    pyarrow.parquet.write_table(rows.set_column(0, "zip", towns), table)
    known = sorted(set(towns.to_pylist()))
    tree = ic.tree({f"region {region}": [town for town in known if town[0] == str(region)] for region in range(9)})
    schema = ic.Schema({**dict(SCHEMA.quasi), "zip": tree}, ["disease"], insensitive=["visits"])
    whole, parts = both(table, tmp_path, schema, **PROMISE | {"importance": {"zip": 9}})
    assert rows_of(parts) == rows_of(whole)


def test_a_sensitive_column_of_very_many_values_is_cut_by_counts_too(table: Path, tmp_path: Path) -> None:
    rows = people()
    pay = pa.array(np.random.default_rng(4).permutation(800) * 10)
    pyarrow.parquet.write_table(rows.set_column(4, "visits", pay), table)
    asked: Any = {"model": "k>=5, t<=0.6[visits]", "algorithm": ic.Mondrian()}
    whole = ic.anonymize(table, VISITS, output=tmp_path / "whole", **asked)
    with pytest.raises(ic.EngineError, match="not even at the highest levels"):
        ic.anonymize(table, VISITS, output=tmp_path / "parts", memory=LITTLE, **asked)
    parts = ic.anonymize(table, VISITS, output=tmp_path / "parts", memory="600KB", **asked)
    assert rows_of(parts) == rows_of(whole)


def test_fingerprints_add_up_and_tell_records_apart() -> None:
    def told(labels: list[str | None], values: list[int], counts: list[int]) -> int:
        names, codes = distinct_texts(np.array(labels, dtype=object))
        domains = {"disease": Domain.of("disease", ["a", "b", "c"])}
        cells = Cells({"disease": np.array(values)}, domains, None, np.array(counts))
        grouping = group([codes], [len(names)])
        return fingerprint(Classes.of(grouping, (codes[grouping.first],), cells, labels=(names,)))

    whole = told(["x", "x", "y", None], [0, 1, 1, 2], [3, 1, 2, 4])
    assert whole == told([None, "y", "x", "x"], [2, 1, 1, 0], [4, 2, 1, 3])
    assert whole == (told(["x", "y"], [0, 1], [3, 2]) + told(["x", None], [1, 2], [1, 4])) % 2**64
    others = [
        told(["x", "x", "y", None], [0, 1, 1, 2], [3, 1, 1, 5]),
        told(["x", "x", "y", ""], [0, 1, 1, 2], [3, 1, 2, 4]),
        told(["x", "x", "y", None], [1, 0, 1, 2], [3, 1, 2, 4]),
        told(["x", "y", "y", None], [0, 1, 1, 2], [3, 1, 2, 4]),
    ]
    assert len({whole, *others}) == 5


def test_a_table_in_parts_has_nothing_for_a_star_too(table: Path, tmp_path: Path) -> None:
    schema = ic.Schema(dict(SCHEMA.quasi), ["disease"], insensitive=["visits"], missing="drop")
    how: dict[str, Any] = {**PROMISE, "format": "csv", "memory": LITTLE, "at_least": {"sex": 1}}
    parts = ic.anonymize(table, schema, output=tmp_path / "null", stars="null", **how)
    ic.anonymize(table, schema, output=tmp_path / "star", **how)
    assert isinstance(parts.recoding, StoredRecoding)
    star, null = ((tmp_path / name / "public/data.csv").read_text() for name in ("star", "null"))
    assert (star.count(",*,"), null) == (len(star.splitlines()) - 1, star.replace(",*,", ",,"))
    assert ic.verify(tmp_path / "null", original=table).outcome == "holds"
