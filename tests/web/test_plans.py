from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from incrowd.web import Settings, make_app
from incrowd.web._changes import merge_change, number_of, read_numbers, write_numbers
from web.serving import PLAN, Visitor


def written(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "plan.toml").read_text(encoding="utf-8"))


def test_there_is_no_plan_before_a_table_is_opened(visitor: Visitor) -> None:
    shown = visitor.ask("GET", "/api/plan")
    assert (shown["exists"], shown["plan"], shown["undo"]) == (False, None, 0)
    assert visitor.ask("GET", "/api/table/profile", 409)["code"] == "no-plan"


def test_opening_a_table_writes_a_suggested_plan_with_reasons(visitor: Visitor, folder: Path) -> None:
    shown = visitor.ask("POST", "/api/open", json={"name": "patients.csv"})
    roles = {one["name"]: one["role"] for one in shown["columns"]}
    assert roles["name"] == "identifier"
    assert roles["age"] == roles["sex"] == roles["zip"] == "quasi"
    assert all(one["reason"] for one in shown["columns"])
    assert written(folder)["data"] == {"path": "patients.csv"}


def test_a_table_in_a_folder_of_the_folder_keeps_its_path(visitor: Visitor, folder: Path) -> None:
    (folder / "inner").mkdir()
    (folder / "patients.csv").rename(folder / "inner" / "patients.csv")
    visitor.ask("POST", "/api/open", json={"name": "inner/patients.csv"})
    assert written(folder)["data"] == {"path": "inner/patients.csv"}
    assert visitor.ask("GET", "/api/table/profile")["records"] == 8


def test_layout_and_person_are_taken_when_opening(visitor: Visitor, folder: Path) -> None:
    (folder / "semi.txt").write_bytes("pid;größe\nA;180\nA;-\nB;170\n".encode("latin-1"))
    layout = {"separator": ";", "encoding": "latin-1", "missing": ["", "-"], "entity": "pid"}
    visitor.ask("POST", "/api/open", json={"name": "semi.txt", **layout})
    data = written(folder)["data"]
    assert data == {"path": "semi.txt", "separator": ";", "encoding": "latin-1", "missing": ["", "-"], "entity": "pid"}
    assert visitor.ask("GET", "/api/table/profile")["columns"][1]["missing"] == 1


def test_a_change_is_written_at_once(planned: Visitor, folder: Path) -> None:
    change = {"privacy": {"promise": ["k>=3"], "max_suppressed": "0.1"}, "columns": {"age": {"importance": "2.5"}}}
    shown = planned.ask("PATCH", "/api/plan", json=change)
    assert written(folder)["privacy"] == {"promise": ["k>=3"], "max_suppressed": 0.1}
    assert written(folder)["columns"]["age"]["importance"] == 2.5
    assert shown["plan"]["privacy"]["max_suppressed"] == "0.1"
    assert shown["promise"] == "k>=3"


@pytest.mark.parametrize("text", ["0.1", "0.3", "0.05", "1e-3", "0.29999999999999998"])
def test_a_threshold_arrives_as_it_was_written(planned: Visitor, folder: Path, text: str) -> None:
    planned.ask("PATCH", "/api/plan", json={"privacy": {"max_suppressed": text}})
    assert written(folder)["privacy"]["max_suppressed"] == float(text)


def test_a_threshold_that_went_through_a_browsers_arithmetic_is_refused(planned: Visitor, folder: Path) -> None:
    before = (folder / "plan.toml").read_text(encoding="utf-8")
    refused = planned.ask("PATCH", "/api/plan", 422, json={"privacy": {"max_suppressed": 0.1}})
    assert (refused["code"], refused["place"]) == ("wrong-request", "privacy.max_suppressed")
    assert (folder / "plan.toml").read_text(encoding="utf-8") == before


@pytest.mark.parametrize("text", ["", "much", "1,5", "0x10", "nan", "inf", "1_000", "\u0661", "1e999", "--1"])
def test_what_is_no_number_is_refused(planned: Visitor, text: str) -> None:
    refused = planned.ask("PATCH", "/api/plan", 422, json={"privacy": {"max_suppressed": text}})
    assert refused["place"] == "privacy.max_suppressed"


def test_everything_wrong_with_a_change_is_said_with_its_place(planned: Visitor) -> None:
    change = {"privacy": {"promise": ["k>5"]}, "columns": {"age": {"hierarchy": {"intervals": ["5", "7"]}}}}
    refused = planned.ask("PATCH", "/api/plan", 422, json=change)
    assert refused["code"] == "IC107"
    places = [one["place"] for one in refused["problems"]]
    assert places == ["columns.age.hierarchy.intervals", "privacy.promise.0"]


def test_undo_and_redo_walk_through_the_plans(planned: Visitor) -> None:
    planned.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=3"]}})
    planned.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=4"]}})
    back = planned.ask("POST", "/api/plan/undo")
    assert (back["promise"], back["undo"], back["redo"]) == ("k>=3", 1, 1)
    assert planned.ask("POST", "/api/plan/undo")["text"] == PLAN
    planned.ask("POST", "/api/plan/undo", 409)
    assert planned.ask("POST", "/api/plan/redo")["promise"] == "k>=3"
    assert planned.ask("POST", "/api/plan/redo")["promise"] == "k>=4"
    planned.ask("POST", "/api/plan/redo", 409)


def test_a_change_after_an_undo_forgets_what_was_undone(planned: Visitor) -> None:
    planned.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=3"]}})
    planned.ask("POST", "/api/plan/undo")
    assert planned.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=4"]}})["redo"] == 0


def test_a_change_by_hand_is_seen_and_can_be_undone_too(planned: Visitor, folder: Path) -> None:
    planned.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=3"]}})
    (folder / "plan.toml").write_text(PLAN.replace("k>=2", "k>=7"), encoding="utf-8")
    assert planned.ask("GET", "/api/plan")["promise"] == "k>=7"
    assert planned.ask("POST", "/api/plan/undo")["promise"] == "k>=3"
    assert planned.ask("POST", "/api/plan/redo")["promise"] == "k>=7"


def test_a_tab_that_is_behind_cannot_overwrite_what_another_did(planned: Visitor) -> None:
    old = planned.ask("GET", "/api/plan")["revision"]
    planned.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=3"]}}, headers={"If-Match": old})
    refused = planned.ask("PATCH", "/api/plan", 409, json={"privacy": {"promise": ["k>=4"]}}, headers={"If-Match": old})
    assert refused["code"] == "changed"
    assert planned.ask("GET", "/api/plan")["promise"] == "k>=3"


def test_a_plan_that_was_broken_by_hand_is_told_and_can_be_undone(planned: Visitor, folder: Path) -> None:
    planned.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=3"]}})
    (folder / "plan.toml").write_text("version = ", encoding="utf-8")
    shown = planned.ask("GET", "/api/plan")
    assert (shown["plan"], shown["problem"]["code"]) == (None, "IC107")
    assert planned.ask("POST", "/api/plan/undo")["promise"] == "k>=3"


def test_a_whole_plan_can_be_written_as_text(planned: Visitor) -> None:
    shown = planned.ask("PUT", "/api/plan/text", json={"text": PLAN.replace("k>=2", "k>=5")})
    assert shown["promise"] == "k>=5"
    refused = planned.ask("PUT", "/api/plan/text", 422, json={"text": "version = 1"})
    assert refused["code"] == "IC107"


def test_a_role_changes_with_one_click_and_the_plan_stays_right(planned: Visitor, folder: Path) -> None:
    planned.ask("PATCH", "/api/plan", json={"columns": {"age": {"role": "drop"}}})
    assert written(folder)["columns"]["age"] == {"role": "drop"}


def test_promises_about_a_column_go_when_it_is_no_longer_sensitive(planned: Visitor) -> None:
    planned.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=2", "l>=2[disease]"]}})
    shown = planned.ask("PATCH", "/api/plan", json={"columns": {"disease": {"role": "insensitive"}}})
    assert shown["promise"] == "k>=2"


def test_the_person_becomes_an_identifier(planned: Visitor, folder: Path) -> None:
    planned.ask("PATCH", "/api/plan", json={"data": {"entity": "zip"}})
    assert written(folder)["columns"]["zip"] == {"role": "identifier"}
    planned.ask("PATCH", "/api/plan", json={"data": {"entity": None}})
    assert "entity" not in written(folder)["data"]


def test_roles_that_are_not_sure_are_told_until_somebody_looks_at_them(visitor: Visitor, folder: Path) -> None:
    (folder / "odd.csv").write_text("age,thing,stuff\n20,a,x\n30,b,x\n40,b,y\n", encoding="utf-8")
    unsure = visitor.ask("POST", "/api/open", json={"name": "odd.csv"})["unsure"]
    assert {"thing", "stuff"} <= set(unsure)
    assert "thing" not in visitor.ask("POST", "/api/plan/confirm", json={"columns": ["thing"]})["unsure"]
    changed = visitor.ask("PATCH", "/api/plan", json={"columns": {"stuff": {"role": "drop"}}})
    assert "stuff" not in changed["unsure"]


def test_categories_keep_their_order(planned: Visitor) -> None:
    ordered = {"worst": ["hiv"], "bad": ["asthma"], "harmless": ["flu"]}
    shown = planned.ask("PATCH", "/api/plan", json={"columns": {"disease": {"categories": ordered}}})
    assert list(shown["plan"]["columns"]["disease"]["categories"]) == ["worst", "bad", "harmless"]


def test_a_column_called_like_a_key_is_a_column() -> None:
    tables = {"columns": {"hierarchy": {"role": "quasi", "importance": 1.0}}}
    change = {"columns": {"hierarchy": {"importance": "2"}, "top": {"role": "drop"}}}
    assert merge_change(tables, read_numbers(change))["columns"] == {
        "hierarchy": {"role": "quasi", "importance": 2},
        "top": {"role": "drop"},
    }


def test_a_hierarchy_is_replaced_as_a_whole() -> None:
    tables = {"columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [5], "top": 90}}}}
    change = {"columns": {"age": {"hierarchy": {"mask": "left"}}}}
    assert merge_change(tables, change)["columns"]["age"]["hierarchy"] == {"mask": "left"}


def test_values_of_the_table_are_no_thresholds() -> None:
    given = {"columns": {"a": {"hierarchy": {"tree": {"x": [1.5, "2.5"]}}, "categories": {"y": ["1.0", 2.5]}}}}
    assert read_numbers(given) == given
    assert write_numbers(given) == given


NUMBERS = st.one_of(st.integers(-(10**12), 10**12), st.floats(0, 1e6, allow_subnormal=False).filter(lambda x: x > 1e-9))


@given(NUMBERS)
def test_a_number_that_is_written_as_text_is_read_as_the_same_number(number: float) -> None:
    assert number_of(repr(number)) == number


@given(st.lists(NUMBERS, min_size=1, max_size=4), NUMBERS)
def test_a_plan_is_the_same_after_the_way_through_a_browser(widths: list[float], share: float) -> None:
    plan = {"columns": {"a": {"hierarchy": {"intervals": widths}, "at_most": 2}}, "privacy": {"max_suppressed": share}}
    assert read_numbers(write_numbers(plan)) == plan


@pytest.mark.parametrize("stays", [True, False])
def test_a_file_is_opened_only_for_somebody_who_is_still_there(folder: Path, *, stays: bool) -> None:
    app = make_app(Settings(folder, port=8000))
    keys = app.state.office.keys
    body = json.dumps({"name": "patients.csv"}).encode()
    headers = {
        "host": "127.0.0.1:8000",
        "cookie": f"{keys.name}={keys.cookie}",
        "x-incrowd-token": keys.change,
        "content-type": "application/json",
        "content-length": str(len(body)),
    }
    scope = {"type": "http", "method": "POST", "path": "/api/open", "raw_path": b"/api/open", "query_string": b""}
    scope |= {"headers": [(name.encode(), value.encode()) for name, value in headers.items()], "http_version": "1.1"}
    scope |= {"scheme": "http", "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 9), "root_path": ""}
    told = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if told:
            return told.pop()
        if stays:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    sent: list[MutableMapping[str, Any]] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    assert sent[0]["status"] == (200 if stays else 503)
    assert (folder / "plan.toml").exists() is stays


def test_a_plan_whose_ladder_is_a_file_can_be_changed_again(planned: Visitor, folder: Path) -> None:
    (folder / "zips.csv").write_text("01067;Dresden\n01069;Dresden\n02763;Zittau\n", encoding="utf-8")
    planned.ask("PATCH", "/api/plan", json={"columns": {"zip": {"hierarchy": {"tree": "zips.csv"}}}})
    plan = planned.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=3"]}})
    assert plan["plan"]["columns"]["zip"]["hierarchy"] == {"tree": "zips.csv"}
    assert 'tree = "zips.csv"' in plan["text"]


# Shifted dates


@pytest.fixture
def stays(visitor: Visitor, folder: Path) -> Visitor:
    rows = [f"p{number % 4},{30 + number % 2},2025-01-0{number + 1}" for number in range(8)]
    (folder / "stays.csv").write_text("\n".join(["pid,age,came", *rows]), encoding="utf-8")
    visitor.ask("POST", "/api/open", json={"name": "stays.csv", "entity": "pid"})
    visitor.ask("PATCH", "/api/plan", json={"columns": {"age": {"role": "quasi"}}})
    return visitor


def test_dates_are_shifted_with_one_click_by_a_key_that_nobody_else_can_read(stays: Visitor, folder: Path) -> None:
    shown = stays.ask("PATCH", "/api/plan", json={"columns": {"came": {"role": "shifted"}}})
    assert shown["plan"]["shift"] == {"within": 180, "weekdays": True, "key_file": "dates.key"}
    key = folder / "dates.key"
    assert (len(key.read_bytes()), key.stat().st_mode & 0o777) == (32, 0o600)
    before = key.read_bytes()
    stays.ask("PATCH", "/api/plan", json={"shift": {"within": 30}})
    assert written(folder)["shift"] == {"within": 30, "weekdays": True, "key_file": "dates.key"}
    assert key.read_bytes() == before
    wrong = stays.ask("PATCH", "/api/plan", 422, json={"shift": {"within": 3}})
    assert "The number of days that dates are shifted by" in json.dumps(wrong)
    assert not stays.ask("PATCH", "/api/plan", json={"columns": {"came": {"role": "drop"}}})["plan"]["shift"]
    assert key.read_bytes() == before


def test_what_is_shifted_is_asked_about_and_no_column_without_a_person_can_be(stays: Visitor, folder: Path) -> None:
    shown = stays.ask("PATCH", "/api/plan", json={"columns": {"came": {"role": "shifted"}}})
    assert {one["name"]: one["role"] for one in shown["columns"]}["came"] == "shifted"
    wrong = stays.ask("PATCH", "/api/plan", 422, json={"data": {"entity": None}})
    assert "came" in json.dumps(wrong)
    assert written(folder)["data"]["entity"] == "pid"


@pytest.mark.parametrize("path", ["../dates.key", "/etc/hostname", ".incrowd/dates.key"])
def test_a_key_outside_of_the_folder_is_refused(stays: Visitor, folder: Path, path: str) -> None:
    stays.ask("PATCH", "/api/plan", json={"columns": {"came": {"role": "shifted"}}})
    refused = stays.ask("PATCH", "/api/plan", 403, json={"shift": {"key_file": path}})
    assert refused["place"] == "shift.key_file"
    assert written(folder)["shift"]["key_file"] == "dates.key"


# Several tables


def test_a_plan_of_several_tables_is_refused_before_anything_that_it_names_is_read(planned: Visitor) -> None:
    text = PLAN.replace("[data]", '[tables.a]\npath = "../elsewhere.csv"\nkey = "id"\n\n[data]', 1)
    assert "[tables.a]" in text
    refused = planned.ask("PUT", "/api/plan/text", 422, json={"text": text})
    assert refused["message"] == "The page works on one table, not on several."
    assert refused["place"] == "tables"
