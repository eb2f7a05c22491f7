from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from incrowd.cli import main

Run = Callable[..., tuple[int, str, str]]
PLAN = """
version = 1
[data]
path = "people.csv"
[columns.age]
role = "quasi"
hierarchy = { intervals = [10, 100] }
[columns.disease]
role = "sensitive"
[privacy]
promise = ["k>=2"]
"""


@pytest.fixture
def frontier(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Give a way to run ``incrowd frontier`` beside four people and a plan: its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("age,disease\n31,flu\n34,hiv\n52,flu\n55,flu\n")
    Path("plan.toml").write_text(PLAN)

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["frontier", *arguments])
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return run


def test_every_strength_has_its_price(frontier: Run) -> None:
    code, out, err = frontier("plan.toml")
    assert (code, err) == (0, "")
    assert out == (
        "       k  detail kept    loss  left out   groups\n"
        "       1       100.0%   0.000         0        4\n"
        "       2        66.7%   0.333         0        2  ##########\n"
        "       3         0.0%   1.000         0        1  ##############################\n"
        "       4         0.0%   1.000         0        1  ##############################\n"
        "loss: the geometric mean of losses, the measure of the search.\n"
    )


def test_different_diseases_can_grow_along_the_curve(frontier: Run) -> None:
    code, out, _ = frontier("plan.toml", "--by", "l", "--of", "disease", "--json")
    assert (code, json.loads(out)) == (
        0,
        {
            "schema": 1,
            "l": [1, 2],
            "detail_kept": [0.666666666667, 0.0],
            "loss": [0.333333333333, 1.0],
            "suppressed": [0, 0],
            "classes": [2, 1],
            "age": [1, 2],
            "beside": "k>=2",
        },
    )


def test_every_other_promise_of_the_plan_is_kept_and_told(frontier: Run) -> None:
    Path("plan.toml").write_text(PLAN.replace('["k>=2"]', '["k>=2", "l>=2[disease]"]'))
    code, out, err = frontier("plan.toml")
    assert (code, err) == (0, "")
    assert out == (
        "       k  detail kept    loss  left out   groups\n"
        "       1         0.0%   1.000         0        1  ##############################\n"
        "       2         0.0%   1.000         0        1  ##############################\n"
        "       3         0.0%   1.000         0        1  ##############################\n"
        "       4         0.0%   1.000         0        1  ##############################\n"
        "loss: the geometric mean of losses, the measure of the search.\n"
        "Every line also keeps l>=2[disease].\n"
    )


def test_the_curve_masks_where_the_plan_does(frontier: Run) -> None:
    changed = PLAN.replace('role = "quasi"', 'role = "quasi"\nat_most = 1')
    changed += 'max_suppressed = 0.5\n[output]\nsuppression = "mask"\n'
    Path("people.csv").write_text("age,disease\n31,flu\n34,flu\n52,hiv\n71,hiv\n")
    Path("plan.toml").write_text(changed)
    lines = frontier("plan.toml")[1].splitlines()
    assert lines[2].split()[:5] == ["2", "33.3%", "0.667", "2", "1"]
    assert lines[3] == "       3  nothing can be published"


def test_the_only_sensitive_column_need_not_be_named(frontier: Run) -> None:
    assert frontier("plan.toml", "--by", "p")[1].splitlines()[2].split()[:3] == ["2", "0.0%", "1.000"]


def test_the_measure_of_the_plan_is_the_one_that_is_shown(frontier: Run) -> None:
    Path("plan.toml").write_text(PLAN + '[search]\nmeasure = "discernibility"\n')
    assert frontier("plan.toml")[1] == (
        "       k  detail kept discernibility  left out   groups\n"
        "       1       100.0%              4         0        4  ########\n"
        "       2        66.7%              8         0        2  ###############\n"
        "       3         0.0%             16         0        1  ##############################\n"
        "       4         0.0%             16         0        1  ##############################\n"
    )


def test_the_curve_keeps_to_the_limits_of_the_plan(frontier: Run) -> None:
    Path("plan.toml").write_text(PLAN.replace('role = "quasi"', 'role = "quasi"\nat_least = 1\nat_most = 1'))
    code, out, err = frontier("plan.toml")
    assert (code, err) == (0, "")
    assert out == (
        "       k  detail kept    loss  left out   groups\n"
        "       1        66.7%   0.333         0        2  ##########\n"
        "       2        66.7%   0.333         0        2  ##########\n"
        "       3  nothing can be published\n"
        "       4  nothing can be published\n"
        "loss: the geometric mean of losses, the measure of the search.\n"
    )


def test_wrong_use_is_told(frontier: Run) -> None:
    assert frontier("plan.toml", "--by", "t")[::2] == (
        2,
        "error[IC101]: by must be 'k', 'l' or 'p', got 't'.\nmore: incrowd explain IC101\n",
    )
    assert frontier("nowhere.toml")[0] == 2


def test_what_was_not_looked_at_for_lack_of_memory_is_said(frontier: Run) -> None:
    Path("plan.toml").write_text(PLAN.replace("[data]", '[data]\nmemory = "800B"'))
    code, out, _ = frontier("plan.toml")
    assert code == 0
    assert out.splitlines()[1:3] == [
        "       1        66.7%   0.333         0        2  ##########",
        "       2        66.7%   0.333         0        2  ##########",
    ]
    assert out.splitlines()[-1].startswith("note: The census of this table does not fit into memory (2 cells do)")
    code, out, _ = frontier("plan.toml", "--json")
    assert len(json.loads(out)["notes"]) == 1
