from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from incrowd.cli import main


def demo(*arguments: str) -> object:
    with pytest.raises(SystemExit) as left:
        main(["demo", *arguments])
    return left.value.code


def test_the_demo_publishes_a_table_and_shows_the_risk_before_and_after(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "shown"
    assert demo("--output", str(folder)) == 0
    shown = capsys.readouterr().out
    assert "today 1,000 of 1,000 people are one of a kind" in shown
    assert "1,000 people kept, 0 left out" in shown
    assert "every column at one level, 1,495 cells starred" in shown
    assert "smallest group                                1            5            5" in shown
    assert "PASS  the release keeps its promises" in shown
    public = {path.name for path in (folder / "public").iterdir()}
    assert public == {"data.parquet", "release.json", "verify.py", "report.html"}
    assert "diagnosis guessed right for 34.8 %, 15.9 % without it" in shown
    checked = subprocess.run([sys.executable, folder / "public" / "verify.py"], check=False, capture_output=True)
    assert checked.returncode == 0


def test_the_demo_can_be_run_twice_and_replaces_no_release_in_a_folder_that_was_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [demo("--rows", "200") for _ in range(2)] == [0, 0]
    Path("incrowd-demo").rename("out")
    assert [demo("--output", "out", "--rows", "200", *more) for more in ((), ("--force",))] == [2, 0]
    assert "The folder 'out' exists already" in capsys.readouterr().err


def test_the_demo_speaks_to_machines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert demo("--output", str(tmp_path / "shown"), "--json") == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert (found["schema"], found["written"], said.err) == (1, str(tmp_path / "shown"), "")
    assert (found["before"]["one_of_a_kind"], found["after"]["k"], found["after"]["l"]) == (1000, 5, 3)
    assert (found["release"]["published"], found["release"]["suppressed"]) == (1000, 0)


def test_too_few_patients_for_a_promise_are_told_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert demo("--rows", "3", "--output", str(tmp_path / "shown")) == 1
    assert "k>=5: The table has 3 records" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_number_of_patients_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo("--rows", "-1") == 2
    assert "rows must be a whole number of 0 or more, got -1" in capsys.readouterr().err
