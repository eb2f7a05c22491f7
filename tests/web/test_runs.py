from __future__ import annotations

import csv
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from web.serving import PLAN, Visitor

ANYWAY = {"reason": "only a test", "name": "A. Archer", "items": ["attacked", "earlier", "plan", "promise"]}
FEMALE = {"column": "sex", "values": ["f"]}


def test_a_run_says_which_columns_carry_nothing_any_more(planned: Visitor) -> None:
    planned.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=8"], "max_suppressed": "0"}})
    planned.work(kind="run")
    (one,) = planned.ask("GET", "/api/runs")["runs"]
    assert (one["carry_nothing"], float(one["kept"])) == (["age", "sex", "zip"], 0)  # all eight people look alike


def test_a_run_shows_rows_before_and_after(finished: Visitor) -> None:
    shown = finished.ask("GET", "/api/runs/1")
    rows = shown["rows"]
    assert rows["columns"] == ["age", "sex", "zip", "disease"]
    assert rows["before"][0] == ["21", "f", "01067", "flu"]
    released = [row for row in rows["after"] if row is not None]
    assert len(released) == shown["published"]
    assert [row[3] for row in released] == [
        before[3] for before, after in zip(rows["before"], rows["after"], strict=True) if after is not None
    ]
    assert "The release keeps k>=2." in shown["explain"]
    assert shown["findings"][0]["holds"] is True


def test_a_run_knows_how_many_rows_an_entity_has(planned: Visitor, folder: Path) -> None:
    columns = {"rows": {"role": "quasi", "hierarchy": {"flat": True}}}
    change = {"data": {"entity": "zip", "size": "rows"}, "columns": {"zip": {"role": "identifier"}, **columns}}
    planned.ask("PATCH", "/api/plan", json={**change, "output": {"suppression": "entity"}})
    planned.work(kind="run")
    rows = planned.ask("GET", "/api/runs/1")["rows"]
    assert rows["columns"] == ["age", "sex", "disease", "rows"]
    with (folder / "patients.csv").open(encoding="utf-8") as file:
        zips = [row["zip"] for row in csv.DictReader(file)]
    assert [row[-1] for row in rows["before"]] == [str(zips.count(one)) for one in zips]


def test_what_is_dangerous_is_noted_with_the_run(planned: Visitor) -> None:
    planned.ask("PATCH", "/api/plan", json={"output": {"order": "keep"}})
    planned.work(kind="run")
    assert any("order" in note for note in planned.ask("GET", "/api/runs/1")["notes"])


def test_the_rows_after_are_those_of_the_released_file(done: Visitor, folder: Path) -> None:
    data = (folder / ".incrowd/runs/0001/release/public/data.csv").read_text(encoding="utf-8").splitlines()
    rows = done.ask("GET", "/api/runs/1")["rows"]["after"]
    shown = sorted(tuple(row) for row in rows if row is not None)
    assert sorted(tuple(row) for row in csv.reader(data[1:])) == shown


@pytest.mark.parametrize("algorithm", ["mondrian", "cheapest-first"])
def test_so_are_those_of_a_local_recoding(planned: Visitor, folder: Path, algorithm: str) -> None:
    planned.ask("PATCH", "/api/plan", json={"search": {"algorithm": algorithm}})
    planned.work(kind="run")
    test_the_rows_after_are_those_of_the_released_file(planned, folder)


def test_the_lattice_tells_minimal_acceptable_and_refused_nodes(by_levels: Visitor) -> None:
    found = by_levels.ask("GET", "/api/runs/1/nodes")
    assert found["quasi"] == ["age", "sex", "zip"]
    assert found["heights"] == {"age": 3, "sex": 1, "zip": 5}
    assert (len(found["nodes"]), found["more"]) == (4 * 2 * 6, 0)
    states = {tuple(one["levels"]): one["state"] for one in found["nodes"]}
    assert states[0, 0, 0] == "refused"
    assert states[3, 1, 5] == "acceptable"
    assert list(states.values()).count("chosen") == 1
    assert "minimal" in states.values()


def test_any_node_can_be_previewed(finished: Visitor) -> None:
    top = finished.ask("POST", "/api/runs/1/node", json={"levels": {"age": 3, "sex": 1, "zip": 5}})
    assert (top["state"], top["suppressed"], top["classes"], top["smallest"]) == ("acceptable", 0, 1, 8)
    assert top["highest"] == "0.125"
    assert top["rows"]["after"][0] == ["*", "*", "*", "flu"]
    exact = finished.ask("POST", "/api/runs/1/node", json={"levels": {"age": 0, "sex": 0, "zip": 0}})
    assert (exact["state"], exact["suppressed"]) == ("refused", 8)
    assert exact["rows"]["after"] == [None] * 8


@pytest.mark.parametrize("levels", [{"age": 9, "sex": 0, "zip": 0}, {"age": 0}, {"age": 0, "sex": 0, "zip": 0, "x": 0}])
def test_a_node_that_is_none_is_refused(finished: Visitor, levels: dict[str, int]) -> None:
    assert finished.ask("POST", "/api/runs/1/node", 422, json={"levels": levels})["code"] in {"IC101", "IC103"}


def test_two_runs_are_put_side_by_side(done: Visitor) -> None:
    done.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=4"]}})
    done.work(kind="run")
    rows = {one["what"]: (one["a"], one["b"]) for one in done.ask("GET", "/api/runs/compare?a=1&b=2")["rows"]}
    assert rows["promise"] == ("k>=2", "k>=4")
    assert rows["records"] == ("8", "8")
    assert [one["id"] for one in done.ask("GET", "/api/runs")["runs"]] == [2, 1]


def test_the_plan_of_an_earlier_run_can_be_taken_again(done: Visitor) -> None:
    done.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=4"]}})
    shown = done.ask("POST", "/api/plan/restore", json={"run": 1})
    assert (shown["promise"], shown["text"]) == ("k>=2", PLAN)


def test_the_lattice_has_no_nodes_for_what_is_published_at_no_node(finished: Visitor) -> None:
    found = finished.ask("GET", "/api/runs/1/nodes")
    assert (found["chosen"], found["nodes"]) == (None, [])


def test_evidence_is_the_report_with_its_charts(planned: Visitor) -> None:
    done = planned
    done.ask("PATCH", "/api/plan", json={"search": {"algorithm": "optimal"}})
    done.work(kind="run")
    done.ask("GET", "/api/runs/1/evidence", 404)
    assert done.work(kind="evidence", run=1)["state"] == "done"
    found = done.ask("GET", "/api/runs/1/evidence")
    assert found["meets"] is True
    assert {"risk", "attacks"} <= {one["name"] for one in found["sections"]}
    kinds = {one["kind"] for one in found["charts"]}
    wanted = {"class-sizes", "attackers", "attack-rates", "losses", "ladders", "lattice", "marginals", "tree"}
    assert wanted | {"confidence", "graph"} <= kinds
    assert [one["name"] for one in done.ask("GET", "/api/runs/1/charts")] == [one["name"] for one in found["charts"]]


def test_a_chart_is_a_picture_with_words_and_its_numbers(finished: Visitor) -> None:
    names = [one["name"] for one in finished.ask("GET", "/api/runs/1/charts")]
    assert names == ["class-sizes", "ladders", "losses"]
    answer = finished.get("/api/runs/1/charts/class-sizes.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert "script" not in answer.headers["content-security-policy"]
    drawn = ET.fromstring(answer.text)  # noqa: S314 - drawn by us
    assert drawn[0].tag.endswith("title")
    rows = finished.ask("GET", "/api/runs/1/charts/class-sizes.json")["rows"]
    assert {tuple(row) for row in rows} == {("size", "when", "share")}


@pytest.mark.parametrize("name", ["nothing", "..%2Frun", "%2e%2e", "charts", "class-sizes.svg%00"])
def test_nothing_but_a_chart_can_be_asked_for_as_a_chart(finished: Visitor, name: str) -> None:
    assert finished.get(f"/api/runs/1/charts/{name}.json").status_code in {404, 422}


@pytest.mark.parametrize("name", ["run.json", "details.json", "input.json", "..%2Fplan.toml", "%2e%2e%2fplan.toml"])
def test_nothing_but_what_is_listed_can_be_downloaded(finished: Visitor, name: str) -> None:
    assert finished.get(f"/api/runs/1/files/{name}").status_code in {404, 422}


def test_a_download_is_saved_and_never_shown(done: Visitor) -> None:
    done.work(kind="export", run=1, anyway=ANYWAY)
    names = [one["name"] for one in done.ask("GET", "/api/runs/1/files")["files"]]
    reports = ["report.html", "public-report.html"]
    assert names == ["data.csv", "release.json", "verify.py", "plan.toml", "recipe.json", *reports]
    for name in names:
        answer = done.get(f"/api/runs/1/files/{name}")
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
        assert answer.headers["content-type"] == "application/octet-stream"


def test_nt_closeness_is_told_class_by_class_with_what_certifies_it(finished: Visitor) -> None:
    asked = {"kind": "nt-check", "run": 1, "column": "disease"}
    loose = finished.work(**asked, n="8", t="1")["result"]
    assert (loose["holds"], loose["failing"]) == (True, 0)
    assert all(one["certified_by"] for one in loose["classes"])
    strict = finished.work(**asked, n="8", t="0")["result"]
    assert strict["holds"] is False
    assert strict["classes"][0]["certified_by"] is None
    assert strict["promise"] == "nt(n=8, t=0)[disease, drop]"  # no lattice above classes that stand at no node


def test_nt_closeness_needs_a_sensitive_column_and_numbers(finished: Visitor) -> None:
    assert finished.work(kind="nt-check", run=1, column="age", n="2", t="0.5")["error"]["code"] == "IC103"
    assert finished.work(kind="nt-check", run=1, column="disease", n="0", t="0.5")["error"]["code"] == "IC101"
    finished.ask("POST", "/api/jobs", 422, json={"kind": "nt-check", "run": 1, "column": "disease", "n": "x", "t": "1"})


def test_the_graph_of_classes_and_values_is_drawn(finished: Visitor) -> None:
    result = finished.work(kind="graph", run=1, column="disease")["result"]
    drawn = ET.fromstring(result["svg"])  # noqa: S314 - drawn by us
    assert drawn.tag.endswith("svg")
    assert "style=" not in result["svg"]


def test_a_release_that_is_no_longer_at_hand_is_made_again(by_levels: Visitor) -> None:
    from incrowd.web._worker_cache import CACHE  # noqa: PLC0415

    levels = by_levels.ask("GET", "/api/runs/1")["levels"]
    before = by_levels.ask("POST", "/api/runs/1/node", json={"levels": levels})
    CACHE.releases.clear()
    after = by_levels.ask("POST", "/api/runs/1/node", json={"levels": levels})
    assert before == after


def test_an_export_writes_what_is_given_away_and_what_is_kept(done: Visitor, folder: Path) -> None:
    result = done.work(kind="export", run=1, anyway=ANYWAY)["result"]
    names = {one["name"]: one["public"] for one in result["files"]}
    assert names["public/data.csv"] is names["public/report.html"] is True
    assert names["owner/report.html"] is names["owner/plan.toml"] is False
    assert (folder / "out/public/data.csv").is_file()
    assert done.ask("GET", "/api/runs/1")["exported"] == "out"
    files = [one["name"] for one in done.ask("GET", "/api/runs/1/files")["files"]]
    assert {"report.html", "public-report.html"} <= set(files)


def test_an_export_replaces_an_earlier_one_only_if_asked(done: Visitor) -> None:
    done.work(kind="export", run=1, anyway=ANYWAY)
    assert done.work(kind="export", run=1, anyway=ANYWAY)["error"]["code"] == "IC106"
    assert done.work(kind="export", run=1, anyway=ANYWAY, force=True)["state"] == "done"


@pytest.mark.parametrize("name", ["../out", "/out", "a/b", ".incrowd", ".", "patients.csv"])
def test_an_export_stays_in_the_folder_and_spares_what_is_there(done: Visitor, folder: Path, name: str) -> None:
    answer = done.post("/api/jobs", json={"kind": "export", "run": 1, "folder": name, "anyway": ANYWAY})
    if answer.status_code == 202:
        assert done.follow(answer.json()["id"])["error"]["code"] == "IC106"
    else:
        assert answer.status_code in {403, 422}
    assert sorted(entry.name for entry in folder.iterdir()) == [".incrowd", "patients.csv", "plan.toml"]


def test_the_command_line_makes_the_same_release_from_the_same_plan(done: Visitor, folder: Path) -> None:
    done.work(kind="export", run=1, anyway=ANYWAY, folder="given")
    (folder / "exported.toml").write_bytes(done.get("/api/runs/1/files/plan.toml").content)
    code = "from incrowd.cli import main; main(['anonymize', 'exported.toml'])"
    ran: Any = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    for name in ("public/data.csv", "public/release.json", "owner/recoding.parquet"):
        assert (folder / "out" / name).read_bytes() == (folder / "given" / name).read_bytes(), name


def test_a_run_stays_current_whatever_the_report_says_and_where_it_is_written(done: Visitor) -> None:
    assert done.ask("GET", "/api/runs/1")["current"] is True
    words = {"report": {"purpose": "a test", "population": 4_000}, "output": {"folder": "given", "format": "parquet"}}
    done.ask("PATCH", "/api/plan", json=words)
    assert [one["current"] for one in done.ask("GET", "/api/runs")["runs"]] == [True]
    for change in (
        {"privacy": {"promise": ["k>=3"]}},
        {"output": {"order": "keep"}},
        {"columns": {"sex": {"at_most": 0}}},
    ):
        done.ask("PATCH", "/api/plan", json=change)
        assert done.ask("GET", "/api/runs/1")["current"] is False
        done.ask("POST", "/api/plan/undo")
        assert done.ask("GET", "/api/runs/1")["current"] is True


def test_an_export_says_what_the_present_plan_says_and_publishes_what_the_run_made(done: Visitor, folder: Path) -> None:
    words = {"report": {"purpose": "counting beds"}, "output": {"folder": "given", "format": "parquet"}}
    done.ask("PATCH", "/api/plan", json={**words, "privacy": {"promise": ["k>=3"]}})
    result = done.work(kind="export", run=1, anyway=ANYWAY)["result"]
    assert result["folder"] == "given"
    assert (folder / "given/public/data.parquet").is_file()
    assert "counting beds" in (folder / "given/owner/report.html").read_text(encoding="utf-8")
    plan = tomllib.loads((folder / "given/owner/plan.toml").read_text(encoding="utf-8"))
    assert (plan["privacy"]["promise"], plan["report"]["purpose"]) == (["k>=2"], "counting beds")
    assert plan["output"] == {"folder": "..", "format": "parquet"}  # seen from where the plan lies
    again = tomllib.loads(done.get("/api/runs/1/files/plan.toml").text)
    here = {"data": {**plan["data"], "path": "patients.csv"}, "output": {**plan["output"], "folder": "given"}}
    assert again == {**plan, **here, "report": {"purpose": "counting beds"}}  # why it was released anyway is said once


def test_evidence_knows_how_many_people_there_are(done: Visitor) -> None:
    done.ask("PATCH", "/api/plan", json={"report": {"population": 4_000}})
    done.work(kind="evidence", run=1)
    told = str(done.ask("GET", "/api/runs/1/evidence")["sections"])
    assert "The size of the population is not stated" not in told


@pytest.mark.parametrize(
    ("question", "before", "after"),
    [
        ({"ask": "count"}, "8", "8"),
        ({"ask": "count", "where": [FEMALE]}, "3", "3"),
        ({"ask": "count", "where": [{"column": "age", "low": "30", "high": "39"}]}, "3", "3"),
        ({"ask": "count", "where": [{"column": "age", "low": "41"}]}, "2", "1.9"),
        ({"ask": "count", "where": [{"column": "disease", "values": ["flu", "hiv"]}]}, "6", "6"),
        ({"ask": "count", "where": [{"column": "age", "low": "31", "high": "39"}, FEMALE]}, "2", "1.35"),
        (
            {"ask": "count", "where": [{"column": "age", "low": "31"}, {"column": "age", "high": "39"}]},
            "3",
            "2.7",
        ),
        ({"ask": "mean", "column": "age"}, "30.625", "34.5"),
        ({"ask": "mean", "column": "age", "where": [{"column": "sex", "values": ["m"]}]}, "31.8", "37.5"),
    ],
)
def test_an_own_question_is_answered_from_the_table_and_from_the_release(
    finished: Visitor, question: Any, before: str, after: str
) -> None:
    found = finished.work(kind="question", run=1, **question)["result"]
    assert (found["before"], found["after"]) == (before, after)  # evenly over the years of [20, 40) and [40, 60)


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ({"ask": "mean", "column": "disease"}, "IC101"),
        ({"ask": "mean", "column": "name"}, "IC103"),
        ({"ask": "count", "where": [{"column": "disease", "low": "a"}]}, "IC101"),
        ({"ask": "count", "where": [{"column": "age", "low": "many"}]}, "IC101"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(finished: Visitor, question: Any, code: str) -> None:
    assert finished.work(kind="question", run=1, **question)["error"]["code"] == code


BORN = "born,disease\n" + "".join(
    f"{year}-07-02,{disease}\n" for year in range(1955, 1975) for disease in ("flu", "hiv")
)
BORN_PLAN = """version = 1
[data]
path = "born.csv"
[columns.born]
role = "quasi"
hierarchy = { dates = ["year", "decade"] }
at_least = 2
[columns.disease]
role = "sensitive"
[privacy]
promise = ["k>=2"]
"""


def test_a_question_about_dates_compares_dates_and_one_that_is_none_is_refused_beside_its_field(
    visitor: Visitor, folder: Path
) -> None:
    (folder / "born.csv").write_text(BORN, encoding="utf-8")
    (folder / "plan.toml").write_text(BORN_PLAN, encoding="utf-8")
    assert visitor.work(kind="run")["state"] == "done"
    for low, high, counted in (("01.01.1960", "31.12.1969", "20"), ("1960", "1969", "20"), ("1.1.1970", None, "10")):
        where: Any = [{"column": "born", "low": low, "high": high}]
        found = visitor.work(kind="question", run=1, ask="count", where=where)["result"]
        assert (found["before"], found["after"]) == (counted, counted)
    where = [{"column": "disease", "values": ["flu"]}, {"column": "born", "low": "hello", "high": "world"}]
    told = visitor.work(kind="question", run=1, ask="count", where=where)["error"]
    assert told["place"] == "where.1.low"
    assert told["message"] == "This column holds dates, and this cannot be read as one."


def test_a_question_about_a_column_names_it(finished: Visitor) -> None:
    finished.ask("POST", "/api/jobs", 422, json={"kind": "question", "run": 1, "ask": "mean"})


def test_a_model_learns_from_the_table_and_from_the_release(finished: Visitor) -> None:
    found = finished.work(kind="question", run=1, ask="model", column="disease")["result"]
    assert all(0 <= float(found[key]) <= 1 for key in ("before", "after", "guessed"))


def test_a_table_that_must_be_published_in_parts_is_for_the_command_line(planned: Visitor, folder: Path) -> None:
    small = {"search": {"algorithm": "mondrian"}, "data": {"memory": "2KB"}}
    planned.ask("PATCH", "/api/plan", json=small)
    told = planned.work(kind="run")
    assert told["state"] == "failed"
    assert "part by part" in str(told)
    assert "incrowd anonymize" in str(told)
    assert not (folder / ".incrowd/runs/0001/release").exists()
    assert planned.ask("GET", "/api/runs")["runs"] == []


def test_the_plan_in_the_folder_of_the_owner_makes_the_release_again(done: Visitor, folder: Path) -> None:
    done.work(kind="export", run=1, anyway=ANYWAY)
    written = ic.Plan.read(folder / "out" / "owner" / "plan.toml")
    assert written.path(str(written.data.path)).resolve() == (folder / "patients.csv").resolve()
    assert written.path(written.output.folder).resolve() == (folder / "out").resolve()
    again = written.run()
    assert again.recipe.levels == ic.Plan.read(folder / "plan.toml").run().recipe.levels


def test_a_graph_of_a_column_that_nothing_was_promised_about_is_drawn_without_another_search(
    finished: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished.work(kind="nt-check", run=1, column="disease", n="8", t="0.9")  # now the release is at hand
    searches: list[Any] = []
    monkeypatch.setattr(ic.Plan, "run", lambda *_, **__: searches.append(1))
    assert finished.work(kind="graph", run=1, column="disease")["state"] == "done"
    assert finished.work(kind="nt-check", run=1, column="disease", n="8", t="1")["state"] == "done"
    assert searches == []
