"""``incrowd attack``: releases, tables, external files; numbers only unless values are asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
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
    ic.anonymize(TABLE, SCHEMA, model="k>=2", algorithm=ic.Optimal()).save(tmp_path / "out", format="csv")
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


def test_who_is_found_is_said_on_request(attack: Run, folder: Path) -> None:
    voters = folder / "voters.csv"
    given = (folder / "out", "--external", voters, "--on", "age=Alter,town", "--who", "Name")
    line = "  attribute linkage of disease: Name 'Kanarie-Ada', age '33', town 'Kanarie-bonn', "
    line += "people 1, candidates 2, disease 'Kanarie-flu'"
    assert "Kanarie" not in attack(*given)[1]
    lines = attack(*given, "--show-values")[1].splitlines()
    assert lines[lines.index("who is found") + 1 :] == [line]
    plain = json.loads(attack(*given, "--show-values", "--json")[1])
    people = [one for found in plain["attacks"] for one in found["people"]]
    assert [(one["Name"], one["candidates"], one["disease"]) for one in people] == [("Kanarie-Ada", 2, "Kanarie-flu")]


def test_of_many_people_who_are_found_some_are_printed(attack: Run, folder: Path) -> None:
    names = "".join(f"N{number},33,Kanarie-bonn\n" for number in range(25))
    (folder / "voters.csv").write_text(f"Name,age,town\n{names}")
    out = attack(folder / "out", "--external", folder / "voters.csv", "--who", "Name", "--show-values")[1]
    assert out.splitlines()[-1] == "  attribute linkage of disease: and 5 more; --exposed FILE lists all"
    assert out.count("Name 'N") == 20


def test_who_is_exposed_is_written_for_the_owner(attack: Run, folder: Path) -> None:
    given = (folder / "out", "--external", folder / "voters.csv", "--on", "age=Alter,town", "--who", "Name")
    code, out, err = attack(*given, "--exposed", folder / "exposed.csv")
    assert (code, err, "Kanarie" in out) == (0, "", False)
    assert (folder / "exposed.csv").read_text().splitlines() == [
        "attack,about,age,town,disease,records,Name,people,candidates",
        "attribute linkage,disease,33,Kanarie-bonn,Kanarie-flu,,Kanarie-Ada,1,2",
        'background knowledge,disease,"[30, 40)",Kanarie-bonn,Kanarie-flu,2,,,',
        'background knowledge,disease,"[50, 60)",Kanarie-kiel,Kanarie-flu,1,,,',
        'background knowledge,disease,"[50, 60)",Kanarie-kiel,Kanarie-hiv,1,,,',
        'homogeneity,disease,"[30, 40)",Kanarie-bonn,Kanarie-flu,2,,,',
        'inference,disease,"[30, 40)",Kanarie-bonn,Kanarie-flu,2,,,',
    ]
    code, _, err = attack(*given, "--exposed", folder / "exposed.csv")
    assert (code, "exists already" in err) == (2, True)
    assert attack(*given, "--exposed", folder / "exposed.csv", "--force")[0] == 0


def test_who_is_exposed_replaces_no_table_that_is_read(attack: Run, folder: Path) -> None:
    voters = (folder / "voters.csv").read_text()
    given = (folder / "out", "--external", folder / "voters.csv", "--on", "age=Alter,town", "--who", "Name")
    code, _, err = attack(*given, "--exposed", folder / "voters.csv", "--force")
    assert (code, "Cannot write to 'voters.csv': that file is read for it" in err) == (2, True)
    assert (folder / "voters.csv").read_text() == voters


def test_nobody_is_exposed_in_an_empty_list(attack: Run, folder: Path) -> None:
    (folder / "alike.csv").write_text("q\n1\n1\n")
    assert attack(folder / "alike.csv", "--quasi", "q", "--exposed", folder / "none.csv")[0] == 0
    assert (folder / "none.csv").read_text().splitlines()[0].startswith("attack,about")
    assert len((folder / "none.csv").read_text().splitlines()) == 1
    (folder / "alone.csv").write_text("q\n1\n")
    code, out, _ = attack(folder / "alone.csv", "--quasi", "q", "--exposed", folder / "one.parquet")
    assert (code, out.splitlines()[0]) == (0, "1 record in 1 group")
    assert pl.read_parquet(folder / "one.parquet").rows() == [("singling out", None, "1", 1)]


def test_labels_that_nobody_can_read_are_told(attack: Run, folder: Path) -> None:
    (folder / "other.csv").write_text("town,disease\nKanarie-south,flu\nKanarie-south,flu\n90+,hiv\n")
    given = (folder / "other.csv", "--quasi", "town", "--sensitive", "disease", "--external", folder / "voters.csv")
    code, out, _ = attack(*given)
    assert (code, "Kanarie" in out) == (0, False)
    assert f"{'linkage':<34}{'0.0 %?':>9}{'0.0 %':>10}{'-':>10}{'0':>9}{'0.0 %':>8}" in out.splitlines()
    assert "2 of 2 labels of column 'town' are no values of these people" in out.replace("\n  ", " ")
    assert out.splitlines()[-1] == "?: incomplete, because labels could not be read; see the notes"
    found = {one["name"]: one["unread"] for one in json.loads(attack(*given, "--json")[1])["attacks"]}
    assert (found["linkage"], found["attribute linkage"], found["homogeneity"]) == (3, 3, 0)


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        (["people.csv"], "hint: name them: --quasi age,zip; or give a release."),
        (["out", "--quasi", "age"], "hint: leave --quasi out, or name the file of the table."),
        (["out", "--external", "others.csv"], "hint: say which columns are the same: --on age=Age."),
        (["out", "--other", "out"], "hint: add --original DATA or --external FILE."),
        (["out", "--who", "Name"], "hint: add --external FILE, or leave them out."),
    ],
)
def test_hints_can_be_typed(attack: Run, folder: Path, given: list[str], hint: str) -> None:
    (folder / "others.csv").write_text("Name,Alter\nAda,33\n")
    code, _, err = attack(*(one if one.startswith("-") or one in {"age", "Name"} else folder / one for one in given))
    assert (code, err.splitlines()[1]) == (2, hint)


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
    code, _, err = attack(folder / "out", "--external", folder / "voters.csv", "--on", "age=Alter,age=town")
    assert (code, err.splitlines()[0]) == (2, "error[IC101]: --on names the column 'age' twice.")
    code, _, err = attack(folder / "out", "--excluded", "99999999999999999999999")
    assert (code, err.splitlines()[0]) == (2, "error[IC101]: excluded must be below 2**63.")
    (folder / "out/public/data.csv").unlink()
    code, _, err = attack(folder / "out")
    assert (code, "is not beside the certificate" in err) == (2, True)
    (folder / "out/public/release.json").write_text('{"schema": 1}')
    code, _, err = attack(folder / "out")
    assert (code, "The certificate 'release.json' was edited or damaged" in err) == (2, True)
