"""Files that come in by the page: their names, and how they go again."""

from __future__ import annotations

import gzip
import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from incrowd.web._files import LONGEST, safe_name
from web.serving import PATIENTS, Visitor, serving, until

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
        job = visitor.ask("POST", "/api/jobs", 202, json={"kind": "proposals"})
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
