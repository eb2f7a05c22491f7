from __future__ import annotations

import json
from pathlib import Path

import pytest

from incrowd.cli import main


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INCROWD_DATA", raising=False)
    monkeypatch.chdir(tmp_path)


def reproduce(*arguments: str) -> object:
    with pytest.raises(SystemExit) as left:
        main(["reproduce", *arguments])
    return left.value.code


def test_an_experiment_prints_claims_and_numbers_and_writes_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce("homogeneity") == 0
    said = capsys.readouterr()
    assert "  paper  12 records, 4-anonymous, 3 diseases: SE = 1/9.\n  ours   SE = 1/9.\n  =>     holds\n" in said.out
    assert "6 claims: 5 hold, 1 do not hold, 0 cannot be compared" in said.out
    assert said.out.endswith("wrote 5 files into reproduced\n")
    assert said.err == ""
    assert sorted(path.name for path in Path("reproduced").iterdir()) == [
        "homogeneity-k.csv",
        "homogeneity-k.svg",
        "homogeneity-size.csv",
        "homogeneity-size.svg",
        "homogeneity.json",
    ]


def test_without_adult_a_warning_says_that_rows_are_made_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce("closeness", "--small") == 0
    said = capsys.readouterr()
    assert "1,000 MADE-UP ROWS that stand in for Adult" in said.out
    assert "warning: made-up rows stood in for Adult. Name it with --adult FILE" in said.err


def test_it_speaks_to_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce("improved", "--json", "-o", "out") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], [one["name"] for one in found["experiments"]]) == (1, ["improved"])
    verdicts = [claim["verdict"] for claim in found["experiments"][0]["claims"]]
    assert verdicts == ["holds", "does not hold", "holds", "does not hold", "cannot be compared", "does not hold"]
    assert found["written"] == [f"out/improved-{name}" for name in ("results.csv", "released.csv", "k.svg")] + [
        "out/improved.json"
    ]


def test_the_usual_folder_may_be_used_twice_and_a_named_one_only_by_force(capsys: pytest.CaptureFixture[str]) -> None:
    assert [reproduce("homogeneity") for _ in range(2)] == [0, 0]
    Path("reproduced").rename("out")
    assert [reproduce("homogeneity", "-o", "out", *more) for more in ((), ("--force",))] == [2, 0]
    assert "The folder 'out' has results already: homogeneity." in capsys.readouterr().err


def test_an_unknown_experiment_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce("mondrian") == 2
    assert "There is no experiment 'mondrian'." in capsys.readouterr().err
    assert list(Path().iterdir()) == []


def test_confidential_columns_can_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce("p-sensitive", "--small", "--confidential", "occupation,education") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "confidential are occupation, education" in said
    header, first, *_ = Path("reproduced/p-sensitive-samples.csv").read_text().splitlines()
    assert (header.endswith(",stand_in"), first.endswith(",made-up rows stand in for Adult")) == (True, True)


def test_a_choice_for_another_experiment_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce("improved", "--confidential", "occupation") == 2
    assert "can be chosen for the experiment 'p-sensitive' only" in capsys.readouterr().err
    assert list(Path().iterdir()) == []


def test_a_file_that_is_not_adult_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.csv").write_text("name,age\nCanary,39\n")
    assert reproduce("closeness", "--adult", "other.csv") == 2
    said = capsys.readouterr()
    assert "The file 'other.csv' is not the Adult table" in said.err
    assert "Canary" not in said.out + said.err
