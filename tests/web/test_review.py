"""What stands between a run and its release: nothing stale, unattacked or open is written without a reason."""

from __future__ import annotations

import datetime as dt
import json
import re
import shutil
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from incrowd.release._about import QUESTIONS
from incrowd.web._worker_cache import CACHE
from web.serving import PATIENTS, PLAN, Visitor, serving

ANYWAY = {
    "reason": "the board asked for it",
    "name": "A. Archer",
    "items": ["plan", "promise", "attacked", "earlier"],
}
STATED = {"report": {"earlier_releases": "none"}}
LARGER = "name,age,sex,zip,disease\n" + "".join(
    f"P{row},{20 + row % 4},{'fm'[row % 2]},01067,{('flu', 'hiv', 'asthma')[row % 3]}\n" for row in range(120)
)
"""A table whose groups are large and mixed, so that nothing about its release is doubtful."""


def settle(visitor: Visitor, folder: Path, table: str = LARGER) -> None:
    """Let a version be made, attacked, and nothing be open."""
    (folder / "patients.csv").write_text(table, encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    visitor.ask("PATCH", "/api/plan", json=STATED)
    assert visitor.work(kind="run")["state"] == "done"
    assert visitor.work(kind="evidence", run=1)["state"] == "done"


@pytest.fixture(scope="module")
def settled_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("settled")
    with serving(home) as server, Visitor(*server) as visitor:
        settle(visitor, home)
    return home


@pytest.fixture
def settled(settled_folder: Path, folder: Path, visitor: Visitor) -> Visitor:
    """Give somebody in whose folder nothing is open, as it was once settled."""
    shutil.copytree(settled_folder, folder, dirs_exist_ok=True)
    return visitor


def states(visitor: Visitor, run: int = 1) -> dict[str, str]:
    items = visitor.ask("GET", f"/api/runs/{run}/review")["items"]
    return {one["name"]: one["state"] for one in items if one["state"] != "done"}


def refused(visitor: Visitor, **more: Any) -> Any:
    return visitor.ask("POST", "/api/jobs", 409, json={"kind": "export", "run": 1, **more})


def test_what_is_settled_is_good_and_written_without_a_reason(settled: Visitor, folder: Path) -> None:
    found = settled.ask("GET", "/api/runs/1/review")
    assert (found["verdict"], {one["state"] for one in found["items"]}) == ("good", {"done"})
    result = settled.work(kind="export", run=1)["result"]
    assert result["signed"] is None
    report = (folder / "out/owner/report.html").read_text(encoding="utf-8")
    assert "Released although" not in report


def test_a_version_of_an_earlier_plan_is_not_written_as_if_it_were_of_this_one(settled: Visitor, folder: Path) -> None:
    settled.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=20"]}})
    assert states(settled) == {"plan": "open", "promise": "open"}
    said = refused(settled)
    assert (said["code"], [one["place"] for one in said["problems"]]) == ("open", ["plan", "promise"])
    assert "since this version was made: the promise. Make" in said["problems"][0]["message"]
    assert "k>=2, checked on the finished table. The plan now asks for k>=20." in said["problems"][1]["message"]
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"columns": {"sex": {"role": "insensitive"}}}, "the column sex"),
        ({"columns": {"age": {"at_most": 2}, "zip": {"importance": "2"}}}, "the columns age, zip"),
        ({"privacy": {"max_suppressed": "0.5"}}, "how many people may be left out"),
        ({"search": {"algorithm": "datafly"}}, "how it is searched"),
        ({"output": {"order": "keep"}}, "how rows are published"),
        ({"data": {"missing": ["", "NA"]}}, "how the table is read"),
    ],
)
def test_whatever_of_the_plan_has_changed_makes_a_version_stale_and_is_named(
    done: Visitor, change: Any, words: str
) -> None:
    done.ask("PATCH", "/api/plan", json=change)
    messages = {one["place"]: one["message"] for one in refused(done)["problems"]}
    assert f"since this version was made: {words}. Make a new version" in messages["plan"]


def test_a_version_that_nobody_attacked_and_what_nobody_stated_are_open(finished: Visitor) -> None:
    assert states(finished) == {"attacked": "open", "earlier": "open"}


def test_columns_that_nobody_looked_at_are_open(visitor: Visitor, folder: Path) -> None:
    lines = [f"{20 + row % 5},{'xyz'[row % 3]},{'pq'[row % 2]}" for row in range(60)]
    (folder / "odd.csv").write_text("\n".join(["age,x7,y9", *lines, ""]), encoding="utf-8")
    unsure = visitor.ask("POST", "/api/open", json={"name": "odd.csv"})["unsure"]
    assert unsure
    visitor.ask("PATCH", "/api/plan", json={**STATED, "privacy": {"promise": ["k>=2"], "max_suppressed": "1"}})
    visitor.work(kind="run")
    assert states(visitor) == {"roles": "open", "attacked": "open"}
    visitor.ask("POST", "/api/plan/confirm", json={"columns": unsure})
    assert states(visitor) == {"attacked": "open"}


def test_what_looks_like_a_name_and_is_published_is_open_and_so_is_free_text(visitor: Visitor, folder: Path) -> None:
    (folder / "patients.csv").write_text(LARGER, encoding="utf-8")
    visitor.ask("POST", "/api/open", json={"name": "patients.csv"})
    change = {**STATED, "columns": {"name": {"role": "insensitive"}}, "privacy": {"promise": ["k>=2"]}}
    visitor.ask("PATCH", "/api/plan", json=change)
    visitor.work(kind="run")
    found = {one["name"]: one["words"] for one in visitor.ask("GET", "/api/runs/1/review")["items"]}
    assert found["names"] == "name may name people, and is published."
    assert found["values"].startswith("In name most people have a value of their own")
    assert {"names": "open", "values": "open"}.items() <= states(visitor).items()


def test_a_reason_with_a_name_writes_it_and_is_recorded_wherever_it_belongs(done: Visitor, folder: Path) -> None:
    done.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=3"]}})
    result = done.work(kind="export", run=1, anyway=ANYWAY)["result"]
    by = f"A. Archer, {dt.datetime.now(dt.UTC).date().isoformat()}"
    signed = result["signed"]
    assert (signed["released_anyway"], signed["released_by"]) == ("the board asked for it", by)
    assert "Not attacked: Nobody has attacked this version yet." in signed["open_items"]
    owner, public = (
        (folder / "out" / half / "report.html").read_text(encoding="utf-8") for half in ("owner", "public")
    )
    assert all(text in owner for text in ("the board asked for it", by, "Nobody has attacked this version yet."))
    assert "the board asked for it" in public
    assert "Archer" not in public
    plan = tomllib.loads((folder / "out/owner/plan.toml").read_text(encoding="utf-8"))
    assert plan["report"] == signed
    kept = json.loads((folder / ".incrowd/runs/0001/run.json").read_text(encoding="utf-8"))
    assert kept["written"] == [{"folder": "out", "date": by[-10:], "signed": signed}]


def test_a_reason_of_an_earlier_release_is_not_one_for_this_one(planned: Visitor, folder: Path) -> None:
    stale = {"report": {"released_anyway": "it was urgent", "released_by": "B. Baker", "open_items": "all"}}
    planned.ask("PATCH", "/api/plan", json=stale)
    planned.work(kind="run")
    assert refused(planned)["code"] == "open"
    planned.work(kind="export", run=1, anyway=ANYWAY)
    assert "it was urgent" not in (folder / "out/owner/report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "anyway",
    [
        {"reason": "because", "items": []},
        {"name": "A. Archer", "items": []},
        {"reason": "  ", "name": "A. Archer", "items": []},
        {"reason": "because", "name": "A. Archer"},
        {},
        "yes",
        True,
    ],
)
def test_a_reason_needs_words_and_a_name(finished: Visitor, anyway: Any) -> None:
    finished.ask("POST", "/api/jobs", 422, json={"kind": "export", "run": 1, "anyway": anyway})


def test_a_reason_counts_only_for_what_was_open_when_it_was_given(done: Visitor, folder: Path) -> None:
    seen = {**ANYWAY, "items": ["attacked", "earlier"]}
    done.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=3"]}})  # in another tab
    assert refused(done, anyway=seen)["code"] == "open"
    assert not (folder / "out").exists()


def test_what_may_be_given_away_can_be_downloaded_only_after_somebody_wrote_it(done: Visitor) -> None:
    names = [one["name"] for one in done.ask("GET", "/api/runs/1/files")["files"]]
    assert names == ["plan.toml", "recipe.json"]
    for name in ("data.csv", "release.json", "verify.py"):
        done.ask("GET", f"/api/runs/1/files/{name}", 404)
    done.work(kind="export", run=1, anyway=ANYWAY)
    assert done.get("/api/runs/1/files/data.csv").status_code == 200


def other_table(visitor: Visitor, folder: Path) -> None:
    (folder / "others.csv").write_text("age,illness\n21,flu\n22,hiv\n23,flu\n", encoding="utf-8")
    visitor.ask("POST", "/api/open", json={"name": "others.csv"})


def test_a_version_of_another_table_is_told_apart_and_never_written(done: Visitor, folder: Path) -> None:
    other_table(done, folder)
    [run] = done.ask("GET", "/api/runs")["runs"]
    assert (run["table"], run["current"]) == ({"name": "patients.csv", "this": False}, False)
    said = refused(done, anyway=ANYWAY)
    assert said["code"] == "another-table"
    assert "Version 1 was made of patients.csv" in said["message"]
    for asked in ({"kind": "evidence"}, {"kind": "graph", "column": "illness"}, {"kind": "question", "ask": "count"}):
        assert done.ask("POST", "/api/jobs", 409, json={**asked, "run": 1})["code"] == "another-table"
    done.ask("GET", "/api/runs/1/review", 409)
    done.ask("POST", "/api/plan/restore", json={"run": 1})
    assert done.ask("GET", "/api/runs/1")["table"]["this"] is True
    assert states(done) == {"attacked": "open", "earlier": "open"}


def test_so_is_one_of_the_same_file_before_it_changed(done: Visitor, folder: Path) -> None:
    (folder / "patients.csv").write_text(PATIENTS + "Ida,43,f,02763,flu\n", encoding="utf-8")
    assert done.ask("GET", "/api/runs/1")["current"] is False
    assert refused(done, anyway=ANYWAY)["code"] == "another-table"
    (folder / "patients.csv").write_text(PATIENTS, encoding="utf-8")
    assert done.ask("GET", "/api/runs/1")["current"] is True


def test_so_is_one_that_does_not_know_its_table(done: Visitor, folder: Path) -> None:
    file = folder / ".incrowd/runs/0001/run.json"
    kept = json.loads(file.read_text(encoding="utf-8"))
    del kept["table"]
    file.write_text(json.dumps(kept), encoding="utf-8")
    assert done.ask("GET", "/api/runs/1")["table"] == {"name": None, "this": False}
    assert refused(done, anyway=ANYWAY)["code"] == "another-table"


def test_what_was_said_about_one_table_is_not_said_about_another(visitor: Visitor, folder: Path) -> None:
    lines = "\n".join(f"{20 + row % 5},{'xyz'[row % 3]}" for row in range(60))
    for name in ("one.csv", "two.csv"):
        (folder / name).write_text(f"age,x7\n{lines}\n", encoding="utf-8")
        assert visitor.ask("POST", "/api/open", json={"name": name})["unsure"] == ["x7"]
    visitor.ask("POST", "/api/plan/confirm", json={"columns": ["x7"]})
    assert visitor.ask("POST", "/api/plan/undo")["unsure"] == ["x7"]
    assert visitor.ask("POST", "/api/plan/redo")["unsure"] == []


def test_a_nearly_certain_guess_is_doubtful_and_can_be_written_without_a_reason(visitor: Visitor, folder: Path) -> None:
    lopsided = "name,age,sex,zip,disease\n" + "".join(
        f"P{row},{20 + row % 4},f,01067,{('flu', 'flu', 'flu', 'flu', 'hiv')[row // 4 % 5]}\n" for row in range(120)
    )
    settle(visitor, folder, lopsided)
    found = visitor.ask("GET", "/api/runs/1/review")
    assert found["verdict"] == "doubt"
    words = [one["words"] for one in found["items"] if one["state"] == "doubt"]
    assert len(words) == 1
    assert words[0].startswith("Best guess of disease: 80.0% sure")
    assert visitor.work(kind="export", run=1)["state"] == "done"


def test_a_value_that_is_certain_for_most_people_needs_a_reason(visitor: Visitor, folder: Path) -> None:
    certain = "name,age,sex,zip,disease\n" + "".join(
        f"P{row},{20 + row % 4},f,01067,{('flu', 'hiv', 'asthma', 'burn')[row % 4]}\n" for row in range(120)
    )
    settle(visitor, folder, certain)
    found = [one for one in visitor.ask("GET", "/api/runs/1/review")["items"] if one["state"] == "open"]
    assert [one["title"] for one in found] == ["People are exposed"]
    assert found[0]["words"].startswith("A value of disease is certain for 120 of 120 people")
    assert refused(visitor)["code"] == "open"


def test_every_question_of_the_report_is_asked_by_the_page() -> None:
    screens = Path(str(files("incrowd.web"))) / "static"
    asked = "".join(file.read_text(encoding="utf-8") for file in (screens / "screens/release.js", screens / "known.js"))
    for key, question in QUESTIONS.items():
        assert not question.asked or key == "threshold" or re.search(rf"\b{key}\b", asked), key


def test_a_rule_of_hipaa_that_fails_is_doubtful_and_so_is_one_that_is_not_answered(settled: Visitor) -> None:
    kinds = {"age": "age", "sex": "none", "zip": "place", "disease": "none"}
    settled.ask("POST", "/api/safe-harbor", json={"kinds": kinds})
    assert states(settled) == {"found": "doubt"}  # it was checked before this was said
    settled.work(kind="evidence", run=1)
    rule = "The safe harbor of HIPAA (hipaa-safe-harbor) does not hold (geography)"
    doubts = settled.ask("GET", "/api/runs/1/evidence")["doubts"]
    assert doubts == [f"{rule}: column 'zip' shows places smaller than a state."]
    del kinds["zip"]
    settled.ask("POST", "/api/safe-harbor", json={"kinds": kinds})
    settled.work(kind="evidence", run=1)
    [said] = settled.ask("GET", "/api/runs/1/evidence")["doubts"]
    assert said == "The safe harbor of HIPAA (hipaa-safe-harbor): 18 of 18 tests could not be checked."
    settled.ask("POST", "/api/safe-harbor", json={"kinds": {}})
    settled.work(kind="evidence", run=1)
    assert settled.ask("GET", "/api/runs/1/evidence")["doubts"] == []  # nobody asks for it any more


def test_a_version_after_another_was_written_is_doubtful(settled: Visitor) -> None:
    settled.work(kind="export", run=1)
    assert states(settled) == {}  # what is written again is the same
    settled.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=30"]}})
    settled.work(kind="run")
    settled.work(kind="evidence", run=2)
    found = settled.ask("GET", "/api/runs/2/review")
    assert found["verdict"] == "doubt"
    assert [one["words"] for one in found["items"] if one["state"] == "doubt"] == [
        "Version 1 (k>=2) was written into out before. Whoever has both can find out more than either tells alone."
    ]


def test_a_hierarchy_that_changed_in_its_file_makes_a_version_stale(planned: Visitor, folder: Path) -> None:
    (folder / "areas.csv").write_text("01067,east\n01069,east\n02763,west\n", encoding="utf-8")
    planned.ask("PATCH", "/api/plan", json={"columns": {"zip": {"hierarchy": {"tree": "areas.csv"}}}})
    planned.work(kind="run")
    assert planned.ask("GET", "/api/runs/1")["current"] is True
    (folder / "areas.csv").write_text("01067,east\n01069,west\n02763,west\n", encoding="utf-8")
    assert planned.ask("GET", "/api/runs/1")["current"] is False
    messages = {one["place"]: one["message"] for one in refused(planned)["problems"]}
    assert "since this version was made: the contents of a file that the plan names. Make" in messages["plan"]


def test_what_is_written_is_what_was_made_and_attacked_not_another_that_the_same_plan_makes(
    done: Visitor, folder: Path
) -> None:
    file = folder / ".incrowd/runs/0001/run.json"
    kept = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**kept, "levels": {"age": 3, "sex": 1, "zip": 5}}), encoding="utf-8")  # stopped early
    CACHE.releases.clear()
    told = done.work(kind="export", run=1, anyway=ANYWAY)
    assert told["state"] == "failed"
    assert "cannot be made again" in told["error"]["message"]
    assert not (folder / "out").exists()


def test_the_report_of_a_version_is_its_own_when_another_was_written_over_it(settled: Visitor) -> None:
    settled.work(kind="export", run=1)
    settled.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=20"]}})
    assert [settled.work(kind="run")["state"], settled.work(kind="evidence", run=2)["state"]] == ["done", "done"]
    assert settled.work(kind="export", run=2, force=True)["state"] == "done"
    for name in ("report.html", "public-report.html"):
        first, second = (settled.get(f"/api/runs/{run}/files/{name}").text for run in (1, 2))
        assert ("k&gt;=20" in first, "k&gt;=2<" in first) == (False, True)
        assert ("k&gt;=20" in second, "k&gt;=2<" in second) == (True, False)


PANEL = "nr,wave,sex,birth_year,income,smokes\n" + "".join(
    f"{1_000 + person},{wave},{'fm'[person % 2]},{1950 + person % 40},{1_000 + 37 * person % 900},{'ny'[person % 2]}\n"
    for person in range(80)
    for wave in range(5)
)
"""Eighty people with five rows each."""


@pytest.fixture
def panel(visitor: Visitor, folder: Path) -> Visitor:
    (folder / "panel.csv").write_text(PANEL, encoding="utf-8")
    visitor.ask("POST", "/api/open", json={"name": "panel.csv"})
    return visitor


def test_people_with_several_rows_are_found_and_asked_about_first(panel: Visitor) -> None:
    plan = panel.ask("GET", "/api/plan")
    assert plan["plan"]["data"]["entity"] == "nr"
    assert (plan["about"]["entity"], plan["about"]["people"], plan["about"]["records"]) == ("nr", 80, 400)
    first = plan["checks"][0]
    assert (first["column"], first["screen"]) == ("nr", "open")
    assert first["words"].startswith("Is “nr” a person? People are counted by it (80 values in 400 rows).")


def test_whoever_says_that_rows_are_people_hears_that_they_repeat(panel: Visitor) -> None:
    plan = panel.ask("PATCH", "/api/plan", json={"data": {"entity": None}})
    assert "groups hold fewer people than rows" in plan["checks"][0]["words"]
    assert plan["checks"][0]["screen"] == "open"


def test_a_person_that_was_confirmed_is_not_asked_about_again(panel: Visitor) -> None:
    plan = panel.ask("POST", "/api/plan/confirm", json={"columns": ["nr"]})
    assert "nr" not in [one["column"] for one in plan["checks"]]


def test_what_is_published_as_it_is_comes_before_what_becomes_vaguer(visitor: Visitor, folder: Path) -> None:
    rows = "".join(f"{row % 5},{row % 7},{row % 3}\n" for row in range(60))
    (folder / "odd.csv").write_text(f"alpha,beta,gamma\n{rows}", encoding="utf-8")
    plan = visitor.ask("POST", "/api/open", json={"name": "odd.csv"})
    unsure = [one["column"] for one in plan["checks"] if one["column"]]
    assert sorted(unsure) == sorted(plan["unsure"]) == ["alpha", "beta", "gamma"]
    visitor.ask("PATCH", "/api/plan", json={"columns": {"gamma": {"role": "sensitive"}}})
    words = [one["words"] for one in visitor.ask("GET", "/api/plan")["checks"]]
    assert words[0] == "Nothing is promised about what is confidential in “gamma”: a whole group may share it."
    assert all("is published vaguer" in one for one in words[1:])


def test_a_promise_settles_what_is_confidential(planned: Visitor) -> None:
    assert planned.ask("GET", "/api/plan")["checks"] == [
        {
            "column": None,
            "words": "Nothing is promised about what is confidential in “disease”: a whole group may share it.",
            "screen": "promise",
        }
    ]
    assert planned.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=2", "l>=2[disease]"]}})["checks"] == []


def test_households_and_weights_are_said(visitor: Visitor, folder: Path) -> None:
    rows = "".join(f"{row},{row // 4},{20 + row % 60},{'fm'[row % 2]},{1 + row % 9 / 10:.1f}\n" for row in range(400))
    (folder / "survey.csv").write_text(f"id,household_id,age,sex,survey_weight\n{rows}", encoding="utf-8")
    plan = visitor.ask("POST", "/api/open", json={"name": "survey.csv"})
    assert (plan["about"]["household"], plan["about"]["households"]) == ("household_id", 100)
    assert plan["about"]["weight"] == "survey_weight"
    words = {one["column"]: one["words"] for one in plan["checks"]}
    assert "it stands for a household (100 in 400 rows)" in words["household_id"]


def test_no_check_quotes_a_value(visitor: Visitor, folder: Path) -> None:
    rows = "".join(f"CANARY{row},{row}\n" for row in range(30))
    (folder / "c.csv").write_text(f"thing,size\n{rows}", encoding="utf-8")
    assert "CANARY" not in str(visitor.ask("POST", "/api/open", json={"name": "c.csv"})["checks"])


def test_that_every_row_is_another_person_is_kept_when_the_file_is_read_again(panel: Visitor) -> None:
    panel.ask("PATCH", "/api/plan", json={"data": {"entity": None}})
    plan = panel.ask("POST", "/api/open", json={"name": "panel.csv", "encoding": "utf-8", "again": True})
    assert "entity" not in plan["plan"]["data"]
    assert plan["about"]["entity"] == "nr"
    assert panel.ask("POST", "/api/open", json={"name": "panel.csv"})["plan"]["data"]["entity"] == "nr"


def test_a_column_that_could_stand_for_people_is_asked_about_first(visitor: Visitor, folder: Path) -> None:
    rows = "".join(f"{row // 3},{20 + 7 * row % 41},{'fm'[row * row % 7 % 2]}\n" for row in range(300))
    (folder / "visits.csv").write_text(f"id,age,sex\n{rows}", encoding="utf-8")
    plan = visitor.ask("POST", "/api/open", json={"name": "visits.csv"})
    assert (plan["about"]["entity"], plan["about"]["perhaps"], plan["about"]["people"]) == (None, "id", 100)
    assert plan["checks"][0]["words"].startswith("Does “id” stand for a person (100 values in 300 rows)?")
    assert [one["column"] for one in plan["checks"]].count("id") == 1
    plan = visitor.ask("PATCH", "/api/plan", json={"data": {"entity": "id"}})
    assert "id" not in [one["column"] for one in plan["checks"] if one["screen"] == "open"]
