from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import incrowd as ic
from incrowd.engines import Stage, _tally as _tallied, watching
from incrowd.engines.formats._csv import TextFiles

SCHEMA = ic.Schema({"age": ic.intervals(10)}, ["disease"])


def file(folder: Path, rows: int = 100) -> Path:
    path = folder / "people.csv"
    path.write_text("age,disease\n" + "".join(f"{30 + n % 10},{'ab'[n % 2]}\n" for n in range(rows)))
    return path


def names(stages: list[Stage]) -> list[str]:
    """Give each stage once, in the order in which they follow each other."""
    found: list[str] = []
    for stage in stages:
        if found[-1:] != [stage.name]:
            found.append(stage.name)
    return found


def test_who_watches_hears_of_reading_writing_and_checking(tmp_path: Path) -> None:
    heard: list[Stage] = []
    with watching(heard.append):
        ic.anonymize(file(tmp_path), SCHEMA, model="k>=5", output=tmp_path / "out")
    assert names(heard)[:3] == ["reading", "writing", "checking"]
    assert Stage("reading", 100, 100) in heard


def test_rows_are_counted_while_they_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tallied, "_BLOCK", 40)
    heard: list[Stage] = []
    with watching(heard.append):
        ic.anonymize(file(tmp_path), SCHEMA, model="k>=5", output=tmp_path / "out")
    assert [stage for stage in heard if stage.name == "writing"] == [
        Stage("writing", done, 100) for done in (0, 40, 80)
    ]


def test_nobody_is_told_when_nobody_watches_any_more(tmp_path: Path) -> None:
    heard: list[Stage] = []
    with watching(heard.append):
        pass
    ic.assess(file(tmp_path), SCHEMA)
    assert heard == []


def test_the_number_of_rows_is_guessed_from_the_length_of_lines(tmp_path: Path) -> None:
    path = file(tmp_path, 100_000)
    assert TextFiles.of([path], "utf-8", None, named=True).rows_about() == pytest.approx(100_000, rel=0.01)
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert TextFiles.of([tmp_path / "people.csv.gz"], "utf-8", None, named=True).rows_about() is None
    (tmp_path / "short.csv").write_text("age")
    assert TextFiles.of([tmp_path / "short.csv"], "utf-8", None, named=True).rows_about() is None
