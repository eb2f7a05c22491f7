from __future__ import annotations

from pathlib import Path

import pytest

from incrowd.web._worker import perform
from web.serving import PATIENTS, PLAN, Visitor

OUTSIDE = ["../secret.csv", "/etc/passwd", "sub/../../secret.csv", "", "a\0b.csv", ".", "..", "./..", "../home"]


@pytest.fixture
def secret(folder: Path) -> Path:
    """Give a file beside the folder that nobody may reach."""
    path = folder.parent / "secret.csv"
    path.write_text("name,age\nCANARY,1\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", [*OUTSIDE[:3], *OUTSIDE[5:]])
def test_no_name_leads_out_of_the_folder(visitor: Visitor, secret: Path, name: str) -> None:
    assert secret.is_file()
    answer = visitor.post("/api/open", json={"name": name})
    assert answer.status_code == 403
    assert "CANARY" not in answer.text


def test_a_link_out_of_the_folder_is_neither_listed_nor_opened(visitor: Visitor, folder: Path, secret: Path) -> None:
    (folder / "link.csv").symlink_to(secret)
    (folder / "linked").symlink_to(secret.parent)
    assert [one["name"] for one in visitor.ask("GET", "/api/files")["files"]] == ["patients.csv"]
    visitor.ask("POST", "/api/open", 403, json={"name": "link.csv"})
    visitor.ask("POST", "/api/open", 403, json={"name": "linked/secret.csv"})


def test_a_link_inside_of_the_folder_is_fine(visitor: Visitor, folder: Path) -> None:
    (folder / "link.csv").symlink_to(folder / "patients.csv")
    assert visitor.ask("POST", "/api/open", json={"name": "link.csv"})["exists"]


@pytest.mark.parametrize("path", ["../secret.csv", "/etc/passwd"])
def test_a_plan_cannot_name_a_table_outside(planned: Visitor, secret: Path, path: str) -> None:
    assert secret.is_file()
    assert planned.ask("PATCH", "/api/plan", 403, json={"data": {"path": path}})["place"] == "data.path"
    text = PLAN.replace("patients.csv", path)
    planned.ask("PUT", "/api/plan/text", 403, json={"text": text})


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"columns": {"age": {"hierarchy": {"tree": "../secret.csv"}}}}, "columns.age.hierarchy.tree"),
        ({"columns": {"disease": {"categories": "/etc/passwd"}}}, "columns.disease.categories"),
        ({"columns": {"name": {"keep": "pseudonym", "key_file": "../key"}}}, "columns.name.key_file"),
        ({"output": {"folder": "../out"}}, "output.folder"),
        ({"output": {"folder": ".incrowd/out"}}, "output.folder"),
    ],
)
def test_nothing_else_of_a_plan_leads_out_either(planned: Visitor, secret: Path, change: object, place: str) -> None:
    assert secret.is_file()
    assert planned.ask("PATCH", "/api/plan", 403, json=change)["place"] == place


def test_a_plan_written_by_hand_is_read_by_nobody_if_it_leads_out(visitor: Visitor, folder: Path, secret: Path) -> None:
    assert secret.is_file()
    (folder / "plan.toml").write_text(PLAN.replace("patients.csv", "../secret.csv"), encoding="utf-8")
    assert visitor.ask("GET", "/api/plan")["problem"]["code"] == "forbidden"
    assert "CANARY" not in visitor.get("/api/table/rows").text
    assert visitor.get("/api/table/rows").status_code == 403


def test_a_plan_that_is_a_link_to_elsewhere_is_refused(visitor: Visitor, folder: Path) -> None:
    (folder.parent / "plan.toml").write_text(PLAN, encoding="utf-8")
    (folder / "plan.toml").symlink_to(folder.parent / "plan.toml")
    visitor.ask("GET", "/api/plan", 403)


def test_a_link_made_after_the_plan_was_read_is_not_followed(planned: Visitor, folder: Path, secret: Path) -> None:
    assert planned.ask("GET", "/api/table/rows")["rows"]
    plan = str(folder / "plan.toml")
    (folder / "patients.csv").unlink()
    (folder / "patients.csv").symlink_to(secret)
    for task, more in (("rows", {"limit": 5}), ("profile", {}), ("values", {"column": "name"})):
        told = perform(task, {"plan": plan, **more}, lambda _: None)  # as if the server had looked before
        assert told["error"]["code"] == "forbidden"
    assert planned.get("/api/table/rows").status_code == 403


def test_several_files_at_once_cannot_smuggle_a_link_in(planned: Visitor, folder: Path, secret: Path) -> None:
    (folder / "many").mkdir()
    (folder / "many" / "a.csv").symlink_to(secret)
    for path in ("many", "many/*.csv", "man?/a.csv", "**/*.csv", "[m]any/a.csv"):
        refused = planned.ask("PATCH", "/api/plan", 422, json={"data": {"path": path}})
        assert refused["message"] == "The page works on one file, not on several."


@pytest.mark.parametrize(
    "text",
    [
        "a" + ".a" * 300_000 + " = 1",
        "a = " + "[" * 300_000,
        "a = " + "{a=" * 100_000,
        "a = " + "9" * 5_000,
        "[" + ".".join("a" * 60) + "]",
        "a = " + "[" * 200 + "]" * 200,
        '"a"' + ' . "a"' * 99 + "= 1",
    ],
    ids=["dots", "lists", "tables", "digits", "header", "balanced", "quoted"],
)
def test_a_plan_that_would_take_the_reader_down_is_refused(planned: Visitor, folder: Path, text: str) -> None:
    assert planned.ask("PUT", "/api/plan/text", 422, json={"text": text})["code"] == "IC107"
    (folder / "plan.toml").write_text(text, encoding="utf-8")
    assert planned.ask("GET", "/api/plan")["problem"]["code"] == "IC107"


def test_a_change_that_nests_without_end_is_refused(planned: Visitor) -> None:
    deep: object = "x"
    for _ in range(200):
        deep = {"a": deep}
    planned.ask("PATCH", "/api/plan", 422, json={"columns": {"age": {"hierarchy": {"tree": deep}}}})
    planned.ask("POST", "/api/hierarchies/preview", 422, json={"column": "age", "hierarchy": {"tree": deep}})
    endless = '{"data": ' + "[" * 100_000 + "]" * 100_000 + "}"
    planned.ask("PATCH", "/api/plan", 400, content=endless, headers={"Content-Type": "application/json"})


def test_the_name_of_a_folder_is_no_part_of_the_plan(visitor: Visitor, folder: Path) -> None:
    odd = 'a"\n[output]\nfolder = "stolen'
    (folder / odd).mkdir()
    (folder / odd / "patients.csv").write_text(PATIENTS, encoding="utf-8")
    shown = visitor.ask("POST", "/api/open", json={"name": f"{odd}/patients.csv"})
    assert shown["plan"]["data"]["path"] == f"{odd}/patients.csv"
    assert shown["plan"].get("output", {}).get("folder", "out") == "out"


def test_a_plan_with_a_database_is_not_run_by_the_page(planned: Visitor) -> None:
    change = {"data": {"path": None, "query": "select 1", "connection_env": "HOME"}}
    assert (
        planned.ask("PATCH", "/api/plan", 422, json=change)["message"] == "The page works on files, not on databases."
    )


def test_what_the_page_keeps_is_nobody_elses_business(visitor: Visitor, folder: Path) -> None:
    visitor.ask("POST", "/api/open", json={"name": "patients.csv"})
    assert (folder / ".incrowd").stat().st_mode & 0o077 == 0
    visitor.ask("POST", "/api/open", 404, json={"name": ".incrowd/plans/000001.toml"})


def test_what_others_may_read_is_shut_again(visitor: Visitor, folder: Path) -> None:
    (folder / ".incrowd").chmod(0o755)
    visitor.ask("POST", "/api/open", json={"name": "patients.csv"})
    assert (folder / ".incrowd").stat().st_mode & 0o777 == 0o700
    done = visitor.ask("POST", "/api/files", 201, params={"name": "a.csv"}, content=b"a,b\n1,2\n")
    assert (folder / done["name"]).stat().st_mode & 0o077 == 0


def test_a_download_that_became_a_link_out_is_not_given(planned: Visitor, folder: Path, secret: Path) -> None:
    planned.work(kind="run")
    data = folder / ".incrowd/runs/0001/release/public/data.csv"
    data.unlink()
    data.symlink_to(secret)
    assert "data.csv" not in [one["name"] for one in planned.ask("GET", "/api/runs/1/files")["files"]]
    planned.ask("GET", "/api/runs/1/files/data.csv", 404)


def test_values_are_given_as_they_are_and_as_text(visitor: Visitor, folder: Path) -> None:
    hostile = ["<script>alert(1)</script>", '=HYPERLINK("http://evil")', "\u202eabc", "'; DROP TABLE x; --"]
    rows = "\n".join('{},"{}"'.format(20 + place, text.replace('"', '""')) for place, text in enumerate(hostile))
    (folder / "hostile.csv").write_text(f"age,note\n{rows}\n", encoding="utf-8")
    visitor.ask("POST", "/api/open", json={"name": "hostile.csv"})
    answer = visitor.get("/api/table/rows")
    assert answer.headers["content-type"] == "application/json"
    assert [row[1] for row in answer.json()["rows"]] == hostile


def test_long_texts_and_many_rows_are_cut(visitor: Visitor, folder: Path) -> None:
    rows = "\n".join(f"{place},{'x' * 1_000}" for place in range(500))
    (folder / "long.csv").write_text(f"age,note\n{rows}\n", encoding="utf-8")
    visitor.ask("POST", "/api/open", json={"name": "long.csv"})
    found = visitor.ask("GET", "/api/table/rows", params={"limit": 100})["rows"]
    assert (len(found), max(len(row[1]) for row in found)) == (100, 200)
    visitor.ask("GET", "/api/table/rows", 422, params={"limit": 101})


def test_the_original_is_never_changed(planned: Visitor, folder: Path) -> None:
    planned.work(kind="run")
    assert (folder / "patients.csv").read_text(encoding="utf-8") == PATIENTS
