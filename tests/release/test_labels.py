"""What the codes of SPSS and Stata mean, beside a table that holds codes alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from engines.extras import needed
from engines.test_statistics import labelled
from release.test_tampering import answers

Capsys = pytest.CaptureFixture[str]
SCHEMA = ic.Schema(quasi={"sex": ic.flat(), "age": ic.intervals(10)}, sensitive=["ill"])
HOW: dict[str, Any] = {"model": "k>=2", "max_suppressed": 0.2, "at_most": {"sex": 0}}
SAID = ["column,code,label", "sex,,Sex", "sex,1,male", "sex,2,female", "age,,Age in years", "ill,,Ill"]


@pytest.fixture(autouse=True)
def _extras_are_there() -> None:
    needed("pyreadstat")


@pytest.mark.parametrize("ending", ["sav", "dta"])
@pytest.mark.parametrize("saved", [False, True])
def test_labels_of_published_codes_stand_in_a_file_of_their_own(
    ending: str, saved: bool, tmp_path: Path, capsys: Capsys
) -> None:
    path, out = labelled(tmp_path / f"in.{ending}"), tmp_path / "out"
    if saved:
        ic.anonymize(path, SCHEMA, **HOW).save(out, format="csv", labels=True)
    else:
        ic.anonymize(path, SCHEMA, output=out, format="csv", labels=True, **HOW)
    assert (out / "public/labels.csv").read_text().splitlines() == [*SAID, "ill,0,no", "ill,1,yes"]
    assert (out / "public/data.csv").read_text().splitlines()[:2] == ["sex,age,ill", '1,"[30, 40)",0']
    assert answers(out, capsys) == ("holds", "holds")


def test_labels_that_were_changed_or_taken_away_are_noticed(tmp_path: Path, capsys: Capsys) -> None:
    ic.anonymize(labelled(tmp_path / "in.sav"), SCHEMA, **HOW).save(tmp_path / "out", format="csv", labels=True)
    labels = tmp_path / "out/public/labels.csv"
    labels.write_text(labels.read_text().replace("male", "man"))
    assert answers(tmp_path / "out", capsys) == ("does not hold", "does not hold")
    labels.unlink()
    assert answers(tmp_path / "out", capsys) == ("does not hold", "does not hold")


def test_a_release_with_labels_can_be_replaced_by_one_without(tmp_path: Path) -> None:
    release = ic.anonymize(labelled(tmp_path / "in.sav"), SCHEMA, **HOW)
    release.save(tmp_path / "out", format="csv", labels=True)
    release.save(tmp_path / "out", format="csv", force=True)
    assert not (tmp_path / "out/public/labels.csv").exists()
    assert "labels" not in json.loads((tmp_path / "out/public/release.json").read_text())["data"]


def test_labels_are_written_in_the_dialect_of_the_table(tmp_path: Path) -> None:
    release = ic.anonymize(labelled(tmp_path / "in.sav"), SCHEMA, **HOW)
    release.save(tmp_path / "out", format="csv", labels=True, dialect={"separator": ";", "mark": True})
    assert (tmp_path / "out/public/labels.csv").read_bytes().startswith("\ufeffcolumn;code;label\nsex;;Sex\n".encode())


def test_a_table_without_labels_cannot_write_them(tmp_path: Path) -> None:
    release = ic.anonymize([{"age": 31}, {"age": 34}], ic.Schema({"age": ic.intervals(10)}), model="k>=2")
    with pytest.raises(ic.ParameterError, match="no labels that could be written"):
        release.save(tmp_path / "out", labels=True)
    assert not (tmp_path / "out").exists()


def test_the_average_of_codes_has_no_label(tmp_path: Path) -> None:
    schema = ic.Schema({"sex": ic.averaged(ic.flat()), "age": ic.intervals(10)}, ["ill"])
    release = ic.anonymize(labelled(tmp_path / "in.sav"), schema, model="k>=2", algorithm=ic.Mondrian())
    release.save(tmp_path / "out", format="csv", labels=True)
    assert "male" not in (tmp_path / "out/public/labels.csv").read_text()
