from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import incrowd as ic
from incrowd.cli import main

Run = Callable[..., tuple[int, str, str]]
PEOPLE = [{"age": age, "disease": disease} for age, disease in [(31, "flu"), (34, "hiv"), (52, "flu"), (55, "flu")]]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    schema = ic.Schema({"age": ic.intervals(10, 20)}, ["disease"])
    return ic.anonymize(PEOPLE, schema, model="k>=2").save(tmp_path / "out", format="csv")


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
        "as certified  aecs: 2.0\n"
        "as certified  k>=2: k 2\n"
        "on trust      date, versions, limits, what the columns are and mean, how many records were left out\n"
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


def test_it_runs_as_a_process(out: Path) -> None:
    command = [sys.executable, "-c", "from incrowd.cli import main; main()", "verify", str(out / "public/release.json")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.endswith("HOLDS: every promise was measured again, and nothing differs.\n")
