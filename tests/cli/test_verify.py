from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.cli import main

Run = Callable[..., tuple[int, str, str]]
PEOPLE = [{"age": age, "disease": disease} for age, disease in [(31, "flu"), (34, "hiv"), (52, "flu"), (55, "flu")]]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    schema = ic.Schema({"age": ic.intervals(10, 20)}, ["disease"])
    return ic.anonymize(PEOPLE, schema, model="k>=2", algorithm=ic.Optimal()).save(tmp_path / "out", format="csv")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Give a way to run ``incrowd verify``: its exit code, stdout and stderr."""

    def verify(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["verify", *map(str, arguments)])
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return verify


def test_a_release_that_is_as_certified_exits_with_0(run: Run, out: Path) -> None:
    code, said, err = run(out / "public/release.json")
    assert (code, err) == (0, "")
    assert said == (
        "as certified  hash of the data file\n"
        "as certified  names of the columns\n"
        "as certified  rows: 4\n"
        "as certified  records: 4\n"
        "as certified  classes: 2\n"
        "as certified  height: 1\n"
        "as certified  discernibility: 8\n"
        "as certified  average group size (AECS): 2.0\n"
        "as certified  k>=2: k 2\n"
        "on trust      date, versions, limits, what the columns are and mean, how many records were left out, "
        "the search\n"
        "HOLDS: every promise was measured again, and nothing differs.\n"
    )


def test_a_limit_of_memory_is_kept_to_and_a_wrong_one_is_named(run: Run, out: Path) -> None:
    assert run(out / "public/release.json", "--memory", "300MB") == run(out / "public/release.json")
    code, said, err = run(out / "public/release.json", "--memory", "much")
    assert (code, said) == (2, "")
    assert "--memory cannot be read: 'much'" in err


def test_an_edited_number_exits_with_1_and_is_named(run: Run, out: Path) -> None:
    path = out / "public/release.json"
    path.write_text(path.read_text().replace('"records": 4', '"records": 5'))
    code, said, _ = run(path, "--quiet")
    assert (code, said) == (1, "DIFFERS       records: certified 5, found 4\n")
    code, said, _ = run(path)
    assert said.endswith("DOES NOT HOLD: 1 thing differs from the certificate.\n")
    code, said, _ = run(path, "--json")
    assert (code, json.loads(said)["differences"]) == (1, ["records: certified 5, found 4"])


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """Give a release of which the file alone breaks the promise that it keeps beside the original table."""
    people = [(30, "x"), *[(30, "y")] * 3, *[(40, "y")] * 6, *[(99, "x")] * 5]
    rows = "\n".join(f"{age},{disease}" for age, disease in people)
    (tmp_path / "people.csv").write_text(f"age,disease\n{rows}\n")
    schema = ic.Schema({"age": ic.intervals(10)}, ["disease"])
    limits: Any = {"at_most": {"age": 1}, "max_suppressed": 0.4}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ic.PrivacyWarning)  # what the file alone does not show
        release = ic.anonymize(tmp_path / "people.csv", schema, model="k>=4, beta<=1", **limits)
    return release.save(tmp_path / "out", format="csv")


def test_a_promise_about_the_original_could_not_be_checked_and_exits_with_4(run: Run, secret: Path) -> None:
    code, said, _ = run(secret)
    assert code == 4
    assert "PASS" not in said
    assert "as certified  beta" not in said
    last = "COULD NOT BE CHECKED: 1 promise; all else is as certified. The owner can, with --original.\n"
    assert said.endswith(last)
    code, said, _ = run(secret, "--quiet")
    (line,) = said.splitlines()
    assert (code, line.startswith("not checked   beta<=1 disease: beta ")) == (4, True)
    assert line.endswith("in this file alone; the promise is about the original table, which only its owner has")
    code, said, _ = run(secret, "--json")
    plain = json.loads(said)
    assert (code, plain["outcome"], plain["holds"]) == (4, "could not be checked", False)


def test_with_the_original_everything_is_measured_and_exits_with_0_or_1(run: Run, secret: Path, tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    code, said, _ = run(secret, "--original", people)
    assert code == 0
    assert "as certified  beta<=1 disease: beta 0.666667, with the original table\n" in said
    assert "as certified  original: suppressed: 5\n" in said
    assert said.endswith("HOLDS: every promise was measured again, and nothing differs.\n")
    people.write_text(people.read_text().replace("99,x", "99,y"))
    code, said, _ = run(secret, "--original", people)
    assert code == 1
    assert "DIFFERS       original: hash of the file\n" in said


@pytest.mark.parametrize("named", ["", "public", "public/release.json", "public/data.csv"])
def test_a_release_is_found_by_its_folder_its_certificate_or_its_data_file(run: Run, out: Path, named: str) -> None:
    assert run(out / named) == run(out / "public/release.json")
    for command in ("attack", "assess"):
        found = [_said(command, str(out / place)) for place in (named, "public/release.json")]
        assert found[0] == found[1]
        assert found[0] == 0
    assert _said("compare", str(out / named), str(out)) == 0


def _said(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main([*arguments])
    return int(left.value.code or 0)


def test_what_is_no_release_is_named_with_what_would_be_right(run: Run, out: Path) -> None:
    hint = "hint: name the folder of a release, its folder public, or the file release.json in it.\n"
    (out / "public/other.csv").write_text("age\n31\n")
    for named, problem in {
        "owner": "The folder 'owner' holds no release.",
        "public/other.csv": "No certificate that names the file 'other.csv' lies beside it.",
        "nowhere": "There is no file or folder 'nowhere'.",
    }.items():
        code, said, err = run(out / named)
        assert (code, said) == (2, "")
        assert f"{problem}\n{hint}" in err
    (out / "owner").rename(out / "kept")
    code, _, err = run(out, "--original", out / "public/data.csv")
    assert (code, "hint: name it: --owner FOLDER\n" in err) == (2, True)


def test_the_owner_compares_the_recipe(run: Run, out: Path) -> None:
    code, said, _ = run(out / "public/release.json", "--owner", out / "owner")
    assert code == 0
    assert "as certified  recipe: levels\n" in said


def test_what_cannot_be_read_exits_with_2(run: Run, out: Path) -> None:
    code, said, err = run(out / "public/nothing.json")
    assert (code, said) == (2, "")
    assert "The certificate 'nothing.json' does not exist.\nhint: " in err
    assert run(out / "public/release.json", "--owner", out / "nowhere")[0] == 2
    assert run(out / "public/release.json", "--key", out / "nowhere")[0] == 2
    assert run(out / "public/release.json", "--original", out / "nowhere")[0] == 2
