from __future__ import annotations

import gzip
import json
import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from engines.mutations import packed
from incrowd.web._files import LONGEST, safe_name
from incrowd.web._worker import perform
from web.serving import PATIENTS, PLAN, Visitor, serving, until

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


TABLE = b"a,b\n1,2\n"


def sent(visitor: Visitor, name: str, content: bytes = TABLE, status: int = 201) -> Any:
    return visitor.ask("POST", "/api/files", status, params={"name": name}, content=content)


def listed(visitor: Visitor) -> dict[str, Any]:
    return {one["name"]: one for one in visitor.ask("GET", "/api/files")["files"]}


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Befragung 2024 (Ost).csv", "Befragung 2024 (Ost).csv"),
        ("病院.xlsx", "病院.xlsx"),
        ("../../x.csv", "x.csv"),
        ("C:\\Users\\me\\Daten.CSV", "Daten.csv"),
        ("<img>.csv", "_img_.csv"),
        (".hidden.csv", "hidden.csv"),
        ("-rf.csv", "rf.csv"),
        ("CON.csv", "_CON.csv"),
        ("lpt1.old.csv", "_lpt1.old.csv"),
        ("data[1]*.csv", "data(1)_.csv"),
        ("a\0b\u202ec\n.csv", "abc.csv"),
        ("Ku\u0308he.csv", "Kühe.csv"),
        (" . .csv", "upload.csv"),
        (f"{'x' * 300}.csv", f"{'x' * 120}.csv"),
    ],
)
def test_a_file_keeps_of_its_name_what_is_safe(name: str, kept: str) -> None:
    assert safe_name(name) == kept


@given(st.text(max_size=300), st.sampled_from([".csv", ".TSV", ".parquet", ".xlsx"]))
def test_whatever_a_file_is_called_its_name_is_a_plain_one(name: str, ending: str) -> None:
    kept = safe_name(f"{name}{ending}")
    assert Path(kept).name == kept
    assert not kept.startswith((".", "-", "~", " "))
    assert not set('<>:"/\\|?*[]{}') & set(kept)
    assert all(unicodedata.category(sign)[0] != "C" for sign in kept)
    assert len(kept.encode()) <= LONGEST + 10
    assert safe_name(kept) == kept


def test_an_upload_keeps_its_name_and_the_folder_has_nothing_else(visitor: Visitor, folder: Path) -> None:
    done = sent(visitor, "../../My <b>Data</b>.CSV")
    assert done == {"name": "b_.csv", "size": 8}  # a slash ends a folder, wherever it stands
    assert (folder / "b_.csv").read_bytes() == TABLE
    assert sorted(listed(visitor)) == ["b_.csv", "patients.csv"]
    assert [entry.name for entry in (folder / ".incrowd").iterdir() if entry.name.startswith("upload-")] == []


def test_a_file_that_is_there_is_never_replaced_but_by_number(visitor: Visitor, folder: Path) -> None:
    names = [sent(visitor, name)["name"] for name in ("patients.csv", "PATIENTS.csv", "patients.csv")]
    assert names == ["patients (2).csv", "PATIENTS (3).csv", "patients (4).csv"]
    assert (folder / "patients.csv").read_text(encoding="utf-8") == PATIENTS


def test_a_link_that_leads_nowhere_is_not_written_through(visitor: Visitor, folder: Path) -> None:
    (folder / "a.csv").symlink_to(folder.parent / "elsewhere.csv")
    assert sent(visitor, "a.csv")["name"] == "a (2).csv"
    assert not (folder.parent / "elsewhere.csv").exists()


@pytest.mark.parametrize(
    ("name", "content", "status", "code"),
    [
        ("a.exe", b"a,b\n", 415, "wrong-kind"),
        ("a.html", b"<b>", 415, "wrong-kind"),
        ("csv", b"a,b\n", 415, "wrong-kind"),
        ("a.parquet", b"a,b\n", 415, "wrong-kind"),
        ("a.xlsx", b"a,b\n", 415, "wrong-kind"),
        ("a.csv.gz", b"a,b\n", 415, "wrong-kind"),
        ("a.parquet.gz", b"\x1f\x8b", 415, "wrong-kind"),
        ("a.csv", b"", 422, "wrong-kind"),
    ],
)
def test_what_is_no_table_is_not_kept(
    visitor: Visitor, folder: Path, name: str, content: bytes, status: int, code: str
) -> None:
    refused = visitor.ask("POST", "/api/files", status, params={"name": name}, content=content)
    assert refused["code"] == code
    assert sorted(entry.name for entry in folder.iterdir() if entry.name != ".incrowd") == ["patients.csv"]


@pytest.fixture
def narrow(folder: Path) -> Iterator[Visitor]:
    with serving(folder, max_upload=1_000) as server, Visitor(*server) as visiting:
        yield visiting


@pytest.mark.parametrize("in_pieces", [False, True])
def test_a_file_that_is_too_large_is_refused_and_leaves_nothing(narrow: Visitor, folder: Path, in_pieces: bool) -> None:
    content = (b"a,b\n" * 100 for _ in range(10)) if in_pieces else b"a,b\n" * 1_000
    refused = narrow.ask("POST", "/api/files", 413, params={"name": "a.csv"}, content=content)
    assert refused["code"] == "too-large"
    assert sorted(entry.name for entry in folder.iterdir() if entry.name != ".incrowd") == ["patients.csv"]


def test_what_was_uploaded_can_be_deleted_and_nothing_else(visitor: Visitor, folder: Path) -> None:
    sent(visitor, "new.csv")
    assert {name: one["uploaded"] for name, one in listed(visitor).items()} == {"new.csv": True, "patients.csv": False}
    assert visitor.ask("DELETE", "/api/files", params={"name": "new.csv"}) == {"name": "new.csv", "use": None}
    assert not (folder / "new.csv").exists()
    refused = visitor.ask("DELETE", "/api/files", 403, params={"name": "patients.csv"})
    assert refused["message"] == "The file was not uploaded on this page, so it is not deleted."
    assert (folder / "patients.csv").exists()


def test_the_example_can_be_deleted_too(visitor: Visitor) -> None:
    names = [visitor.ask("POST", "/api/example", 201, json={"rows": 10})["name"] for _ in range(2)]
    assert names == ["example-hospital.csv", "example-hospital (2).csv"]
    visitor.ask("DELETE", "/api/files", params={"name": names[0]})
    assert sorted(listed(visitor)) == ["example-hospital (2).csv", "patients.csv"]


def test_a_file_that_is_gone_is_not_deleted_twice(visitor: Visitor, folder: Path) -> None:
    sent(visitor, "new.csv")
    (folder / "new.csv").unlink()
    assert visitor.ask("DELETE", "/api/files", 404, params={"name": "new.csv"})["code"] == "not-found"


def test_a_file_that_somebody_put_in_its_place_is_not_ours_to_delete(visitor: Visitor, folder: Path) -> None:
    sent(visitor, "new.csv")
    (folder / "mine.csv").write_bytes(TABLE)
    (folder / "mine.csv").replace(folder / "new.csv")
    refused = visitor.ask("DELETE", "/api/files", 403, params={"name": "new.csv"})
    assert "was changed since it was uploaded" in refused["message"]
    assert not listed(visitor)["new.csv"]["uploaded"]


def test_a_link_in_its_place_is_not_followed(visitor: Visitor, folder: Path) -> None:
    secret = folder.parent / "secret.csv"
    secret.write_bytes(TABLE)
    sent(visitor, "new.csv")
    (folder / "new.csv").unlink()
    (folder / "new.csv").symlink_to(secret)
    visitor.ask("DELETE", "/api/files", 403, params={"name": "new.csv"})
    assert secret.exists()


@pytest.mark.parametrize(
    "name", ["../secret.csv", "/etc/passwd", ".incrowd/uploads.json", "..", ".", "a\0.csv", "a\\b"]
)
def test_no_name_deletes_outside_of_the_folder(visitor: Visitor, folder: Path, name: str) -> None:
    (folder.parent / "secret.csv").write_bytes(TABLE)
    sent(visitor, "new.csv")
    visitor.ask("DELETE", "/api/files", 404, params={"name": name})
    assert (folder.parent / "secret.csv").exists()
    assert (folder / ".incrowd/uploads.json").exists()


def test_a_file_that_the_plan_uses_is_deleted_only_if_that_is_said(visitor: Visitor, folder: Path) -> None:
    sent(visitor, "new.csv", PATIENTS.encode())
    sent(visitor, "zips.csv", b"01067;Dresden;*\n01069;Dresden;*\n02763;Zittau;*\n")
    visitor.ask("POST", "/api/open", json={"name": "new.csv"})
    change = {"columns": {"zip": {"role": "quasi", "hierarchy": {"tree": "zips.csv"}}}}
    visitor.ask("PATCH", "/api/plan", json=change)
    assert [listed(visitor)[name]["use"] for name in ("new.csv", "zips.csv")] == ["the table", "the column zip"]
    refused = visitor.ask("DELETE", "/api/files", 409, params={"name": "zips.csv"})
    assert (refused["code"], refused["message"]) == ("in-use", "The plan uses this file for the column zip.")
    assert refused["repairs"][0]["again"] == {"anyway": True}
    assert visitor.ask("DELETE", "/api/files", params={"name": "new.csv", "anyway": True})["use"] == "the table"
    assert not (folder / "new.csv").exists()


def test_nothing_is_deleted_while_a_job_runs(folder: Path) -> None:
    with serving(folder, separate=True) as server, Visitor(*server) as visitor:
        name = visitor.ask("POST", "/api/example", 201, json={"rows": 50_000})["name"]
        visitor.ask("POST", "/api/open", json={"name": name})
        job = visitor.ask("POST", "/api/jobs", 202, json={"kind": "alternatives"})
        refused = visitor.ask("DELETE", "/api/files", 409, params={"name": name, "anyway": True})
        assert refused["code"] == "busy"
        visitor.ask("POST", f"/api/jobs/{job['id']}/stop", json={"keep": False})
        until(lambda: visitor.ask("GET", f"/api/jobs/{job['id']}")["state"] != "running")
        visitor.ask("DELETE", "/api/files", params={"name": name, "anyway": True})


def test_to_delete_needs_the_token_of_the_page(visitor: Visitor, folder: Path) -> None:
    sent(visitor, "new.csv")
    answer = visitor.request("DELETE", "/api/files", params={"name": "new.csv"}, headers={"X-Incrowd-Token": "other"})
    assert answer.status_code == 403
    assert (folder / "new.csv").exists()


def test_what_is_uploaded_is_for_us_alone(visitor: Visitor, folder: Path) -> None:
    sent(visitor, "new.csv")
    assert os.stat(folder / "new.csv").st_mode & 0o077 == 0  # noqa: PTH116 - as the system says it


def test_a_packed_text_file_can_be_uploaded_and_opened(visitor: Visitor) -> None:
    rows = "".join(f"{20 + row % 40},{'fm'[row % 2]}\n" for row in range(100))
    name = sent(visitor, "Personen.csv.gz", gzip.compress(f"age,sex\n{rows}".encode()))["name"]
    assert name == "Personen.csv.gz"
    assert visitor.ask("POST", "/api/open", json={"name": name})["plan"]["data"]["path"] == name
    assert visitor.ask("GET", "/api/table/profile")["records"] == 100


FAR = b'<sheetData><row r="1"><c r="A1"/></row><row r="1048576"><c r="XFD1048576"/></row></sheetData>'


def test_a_bomb_that_is_uploaded_or_named_by_a_plan_does_not_go_off(planned: Visitor, folder: Path) -> None:
    bomb = packed({"xl/worksheets/sheet1.xml": FAR})
    (folder / "far.xlsx").write_bytes(bomb)
    name = planned.ask("POST", "/api/files", 201, params={"name": "far.xlsx"}, content=bomb)["name"]
    for known in (name, "far.xlsx"):
        told = planned.ask("POST", "/api/open", 422, json={"name": known})
        assert "spans more than" in told["message"]
        assert "save the sheet as CSV" in told["hint"]
    text = planned.ask("GET", "/api/plan")["text"].replace("patients.csv", "far.xlsx")
    planned.ask("PUT", "/api/plan/text", json={"text": text})
    assert "spans more than" in planned.ask("GET", "/api/table/profile", 422)["message"]
    for kind in ("run", "alternatives", "frontier"):
        assert "spans more than" in planned.work(kind=kind)["error"]["message"]


@pytest.mark.parametrize("name", ["a" * 260 + ".csv", "ä" * 130 + ".csv", "a" * 396 + ".csv", "a\ud800.csv"])
def test_a_name_that_no_file_can_have_is_no_file(visitor: Visitor, name: str) -> None:
    sent = json.dumps({"name": name}).encode()
    answer = visitor.post("/api/open", content=sent, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) in {(404, "not-found"), (422, "wrong-request")}
    if "\ud800" not in name:
        for method, path in (("DELETE", f"/api/files?name={name}"), ("GET", f"/api/runs/000001/files/{name}")):
            assert visitor.request(method, path).status_code in {404, 422}


def test_an_upload_of_a_long_name_keeps_the_beginning_of_it(visitor: Visitor) -> None:
    told = visitor.ask("POST", "/api/files", 201, params={"name": "ä" * 300 + ".csv"}, content=b"a,b\n1,2\n")
    assert told["name"] == "ä" * (LONGEST // 2) + ".csv"
