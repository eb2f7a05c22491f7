"""``incrowd attack``: releases, tables, external files; numbers only unless values are asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import incrowd as ic
from incrowd.cli import main

Run = Callable[..., tuple[int, str, str]]
SCHEMA = ic.Schema(quasi={"age": ic.intervals(10, 20), "town": ic.flat()}, sensitive=["disease"])
TABLE = [
    {"age": age, "town": town, "disease": disease}
    for age, town, disease in [
        (31, "Kanarie-bonn", "Kanarie-flu"),
        (34, "Kanarie-bonn", "Kanarie-flu"),
        (52, "Kanarie-kiel", "Kanarie-hiv"),
        (55, "Kanarie-kiel", "Kanarie-flu"),
    ]
]


@pytest.fixture
def attack(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["attack", *map(str, arguments)])
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ic.anonymize(TABLE, SCHEMA, model="k>=2").save(tmp_path / "out", format="csv")
    lines = [",".join(TABLE[0]), *(",".join(map(str, row.values())) for row in TABLE)]
    (tmp_path / "people.csv").write_text("\n".join(lines))
    (tmp_path / "voters.csv").write_text("Name,Alter,town\nKanarie-Ada,33,Kanarie-bonn\nKanarie-Bob,99,Kanarie-kiel\n")
    return tmp_path


def test_a_release_is_attacked_with_its_original(attack: Run, folder: Path) -> None:
    code, out, err = attack(folder / "out", "--original", folder / "people.csv")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "4 records in 2 groups"
    assert "homogeneity, disease                 50.0 %     0.0 %   100.0 %        2  50.0 %" in lines
    assert "linkage                              50.0 %    25.0 %    50.0 %        0   0.0 %" in lines
    assert max(map(len, lines)) <= 80
    assert "Kanarie" not in out


def test_the_worst_group_is_said_on_request(attack: Run, folder: Path) -> None:
    out = attack(folder / "out", "--show-values")[1]
    assert "  homogeneity of disease: age '[30, 40)', town 'Kanarie-bonn'" in out.splitlines()


@pytest.mark.parametrize("named", ["out", "out/public", "out/public/release.json"])
def test_labels_are_read_through_the_owners_hierarchies(attack: Run, folder: Path, named: str) -> None:
    found = json.loads(
        attack(
            folder / named, "--external", folder / "voters.csv", "--on", "age=Alter,town", "--who", "Name", "--json"
        )[1]
    )
    assert found["schema"] == 1
    (linked,) = (one for one in found["attacks"] if one["name"] == "attribute linkage")
    assert (linked["exposed"]["records"], linked["targets"]) == (1, 2)
    assert "Kanarie" not in json.dumps(found)


def test_without_the_owner_only_patterns_are_read(attack: Run, folder: Path) -> None:
    (folder / "out" / "owner").rename(folder / "kept")
    code, out, _ = attack(folder / "out", "--external", folder / "voters.csv", "--on", "age=Alter,town")
    assert code == 0
    assert "note: linkage: 1 of 2 people have a candidate in the release." in out


def test_any_table_can_be_attacked(attack: Run, folder: Path) -> None:
    code, out, _ = attack(folder / "people.csv", "--quasi", "town", "--sensitive", "disease", "--excluded", "0")
    assert (code, out.splitlines()[0]) == (0, "4 records in 2 groups")
    assert "and 0 values" in out.replace("\n  ", " ")


def test_two_releases_together(attack: Run, folder: Path) -> None:
    more = ic.anonymize(TABLE, SCHEMA, model="k>=4")
    more.save(folder / "other", format="csv")
    code, out, _ = attack(folder / "out", "--other", folder / "other", "--original", folder / "people.csv")
    assert code == 0
    assert "intersection, disease" in out


def test_wrong_use_is_told(attack: Run, folder: Path) -> None:
    code, _, err = attack(folder / "people.csv")
    assert (code, err.splitlines()[0]) == (
        2,
        "error[IC101]: A table alone does not say which columns are quasi-identifiers.",
    )
    code, _, err = attack(folder / "nowhere")
    assert (code, err.splitlines()[0]) == (2, "error[IC106]: There is no file 'nowhere'.")
    code, _, err = attack(folder / "people.csv", "--sensitive", "disease")
    assert code == 2
    assert "need --quasi" in err
    code, _, err = attack(folder / "out", "--on", "age")
    assert (code, "none was given" in err) == (2, True)
    (folder / "out/public/data.csv").unlink()
    code, _, err = attack(folder / "out")
    assert (code, "is not beside the certificate" in err) == (2, True)
    (folder / "out/public/release.json").write_text('{"schema": 1}')
    code, _, err = attack(folder / "out")
    assert (code, "lacks something" in err) == (2, True)
