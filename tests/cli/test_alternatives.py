"""``incrowd alternatives``, and the line at the end of ``incrowd anonymize`` that points at it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.evidence import SEARCHES, better_search

Run = Callable[..., tuple[int, str, str]]
PLAN = """
version = 1
[data]
path = "people.csv"
[columns.age]
role = "quasi"
hierarchy = { intervals = [10, 20] }
[columns.sex]
role = "quasi"
[privacy]
promise = ["k>=3"]
max_suppressed = 0.1
[output]
folder = "out"
"""
ROWS = [(20 + place % 3 + 10 * (place % 4), "fm"[place % 2]) for place in range(47)] + [(88, "f"), (25, "x"), (61, "m")]


@pytest.fixture
def people(inside: Run) -> Run:
    """Give a way to run ``incrowd`` beside fifty people and a plan."""
    Path("people.csv").write_text("age,sex\n" + "".join(f"{age},{sex}\n" for age, sex in ROWS))
    Path("plan.toml").write_text(PLAN)
    return inside


def test_searches_stand_side_by_side_and_the_plan_can_take_another(people: Run) -> None:
    Path("plan.toml").write_text(PLAN + '[search]\nalgorithm = "optimal"\n')
    code, out, err = people("alternatives", "plan.toml")
    lines = out.splitlines()
    assert (code, err.split()[:3]) == (0, ["nothing", "was", "written"])
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["levels", "and"]
    assert lines[1].split() == ["best", "node", "cells", "most", "detail", "ranges"]
    assert "in the plan" in out
    assert any(line.startswith("recommended: ") for line in lines)
    assert lines[-4:] == [
        "to take another, write one of these lines under [search] of plan.toml:",
        '  algorithm = "levels-and-cells"                             # levels and cells',
        '  algorithm = "cheapest-first"                               # most detail',
        '  algorithm = { name = "cheapest-first", labels = "range" }  # ranges',
    ]
    assert not Path("out").exists()


@pytest.mark.parametrize("place", range(4))
def test_what_it_says_to_write_is_a_search_of_a_plan(people: Run, place: int) -> None:
    search = list(SEARCHES.values())[place]
    Path("plan.toml").write_text(PLAN + '[search]\nalgorithm = { name = "mondrian" }\n')
    _, out, _ = people("alternatives", "plan.toml", "-q")
    line = next(line for line in out.splitlines() if line.endswith(f"# {list(SEARCHES)[place]}"))
    Path("other.toml").write_text(f"{PLAN}[search]\n{line.partition('#')[0].strip()}\n")
    assert ic.Plan.read("other.toml").algorithm() == search


def test_a_search_of_the_plan_that_is_none_of_them_stands_beside_them(people: Run) -> None:
    Path("plan.toml").write_text(PLAN + '[search]\nalgorithm = { name = "mondrian" }\n')
    code, out, _ = people("alternatives", "plan.toml", "--json", "-q")
    told = json.loads(out)
    assert (code, told["schema"], told["planned"]) == (0, 1, "as planned")
    assert [one["name"] for one in told["alternatives"]] == [*SEARCHES, "as planned"]
    assert told["alternatives"][-1]["plan"] == {"algorithm": "mondrian"}
    _, out, _ = people("alternatives", "plan.toml", "-q")
    assert "as planned: What the plan says now." in out.replace("\n  ", " ")


def test_a_search_of_the_plan_with_seconds_is_the_best_node(people: Run) -> None:
    Path("plan.toml").write_text(PLAN + '[search]\nalgorithm = "optimal"\nmeasure = "entropy"\nseconds = 9\n')
    _, out, _ = people("alternatives", "plan.toml", "--json", "-q")
    told = json.loads(out)
    assert told["planned"] == "best node"
    assert told["alternatives"][0]["plan"] == {"algorithm": {"name": "optimal", "measure": "entropy"}}


def test_where_nothing_can_be_published_it_leaves_with_1(people: Run) -> None:
    limits = PLAN.replace('role = "quasi"\n', 'role = "quasi"\nat_most = 0\n').replace("0.1", "0")
    Path("plan.toml").write_text(limits + "[search]\nbalance = 0.4\n")  # which a local recoding does not heed
    code, out, _ = people("alternatives", "plan.toml")
    assert code == 1
    assert "Not possible here: No release keeps k>=3" in out.replace("\n  ", " ")
    Path("plan.toml").write_text(PLAN.replace("k>=3", "k>=51"))
    code, out, err = people("alternatives", "plan.toml")
    assert (code, out) == (1, "")
    assert "IC201" in err


def test_a_plan_that_there_is_not_is_wrong_use(people: Run) -> None:
    code, _, err = people("alternatives", "none.toml")
    assert (code, "cannot be read" in err) == (2, True)


def test_anonymize_points_at_them_where_columns_carry_nothing(people: Run) -> None:
    tight = PLAN.replace("max_suppressed = 0.1", "max_suppressed = 0").replace("k>=3", "k>=20")
    Path("plan.toml").write_text(tight + '[search]\nalgorithm = "optimal"\n')
    _, _, err = people("anonymize", "plan.toml", "--dry-run")
    assert err.splitlines()[-1].endswith("incrowd alternatives plan.toml")
    _, _, err = people("anonymize", "plan.toml", "--dry-run", "-q")
    assert err == ""
    _, _, err = people("anonymize", "plan.toml", "--dry-run", "--no-report")  # pipelines wait for no advice
    assert "alternatives" not in err
    Path("plan.toml").write_text(PLAN)
    _, _, err = people("anonymize", "plan.toml", "--sample", "40")
    assert "alternatives" not in err


def test_another_search_is_looked_at_only_if_that_is_quick_and_named_only_if_it_keeps_much_more() -> None:
    table = [{"age": age, "sex": sex} for age, sex in ROWS]
    schema = ic.Schema(quasi={"age": ic.intervals(10, 20), "sex": ic.flat()})
    release = ic.anonymize(table, schema, model="k>=3", algorithm=ic.Optimal())
    found = better_search(release, 100.0)
    assert found is not None
    assert found.name == "levels and cells"
    assert found.kept > release.detail_kept + 0.1
    assert better_search(release, 1e-6) is None
    best = ic.anonymize(table, schema, model="k>=3", algorithm=ic.LevelsAndCells())
    assert best.detail_kept == pytest.approx(found.kept)
    assert better_search(best, 100.0) is None  # most detail would keep little more
    assert better_search(ic.anonymize(table, schema, model="k>=3", sample=40, max_suppressed=0.2), 100.0) is None


def test_the_line_names_the_search_that_alternatives_recommends() -> None:
    table = ic.hospital(300).select(["birth_date", "zip", "admission_date"])
    quasi: dict[str, Any] = {
        "birth_date": ic.dates("year", "decade"),
        "zip": ic.mask(),
        "admission_date": ic.dates("month", "year"),
    }
    schema = ic.Schema(quasi)
    recommended = ic.alternatives(table, schema, model="k>=10").recommended
    assert recommended is not None
    for algorithm in (ic.Optimal(), ic.CheapestFirst(), ic.LevelsAndCells()):
        release = ic.anonymize(table, schema, model="k>=10", algorithm=algorithm)
        found = better_search(release, 100.0)
        assert found is None or found.name == recommended.name or found.kept > (recommended.kept or 0)
    worst = ic.anonymize(table, schema, model="k>=10", algorithm=ic.Optimal())
    told = better_search(worst, 100.0)
    assert told is not None
    assert told.name == recommended.name


def test_what_was_tried_to_bring_columns_back_is_not_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    table, roles = ic.hospital(300), ic.hospital_schema()
    searched: list[object] = []
    search = ic.LevelsAndCells.search

    def counted(self: ic.LevelsAndCells, *asked: Any) -> Any:
        searched.append(asked[0])
        return search(self, *asked)

    monkeypatch.setattr(ic.LevelsAndCells, "search", counted)
    told, untold = (ic.anonymize(table, roles, model="k>=5", algorithm=ic.Optimal()) for _ in range(2))
    assert told.explanation.shortfalls  # tries levels and cells
    assert len(searched) == 1
    assert better_search(told, 100.0) == better_search(untold, 100.0)
    assert len(searched) == 2
