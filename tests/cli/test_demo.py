from __future__ import annotations

import pytest

from incrowd.cli import main


def test_the_demo_shows_a_hierarchy_a_census_and_the_class_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["demo"])
    shown = capsys.readouterr().out
    assert left.value.code == 0
    assert "├── Europe" in shown
    assert "The census of 1,000 patients has 1,000 cells." in shown
    assert "people who are one of a kind             1,000         188" in shown


def test_the_demo_takes_any_number_of_patients(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["demo", "--rows", "0"])
    assert left.value.code == 0
    assert "The census of 0 patients has 0 cells." in capsys.readouterr().out


def test_one_patient_is_said_in_the_singular(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["demo", "--rows", "1"])
    assert "The census of 1 patient has 1 cell." in capsys.readouterr().out


def test_a_wrong_number_of_patients_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["demo", "--rows", "-1"])
    assert left.value.code == 2
    assert "rows must be a whole number of 0 or more, got -1" in capsys.readouterr().err
