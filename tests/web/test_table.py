from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from incrowd.engines import write_table
from web.serving import Visitor


def test_the_profile_counts_values_and_those_that_occur_once(planned: Visitor) -> None:
    found = planned.ask("GET", "/api/table/profile")
    assert found["records"] == 8
    layout = {key: found["layout"][key] for key in ("separator", "encoding", "sheet", "missing", "marks")}
    assert layout == {"separator": ",", "encoding": "utf-8", "sheet": None, "missing": [""], "marks": []}
    columns = {one["name"]: one for one in found["columns"]}
    assert columns["zip"]["histogram"] == [
        {"label": "01067", "count": 3},
        {"label": "01069", "count": 3},
        {"label": "02763", "count": 2},
    ]
    assert (columns["age"]["kind"], columns["age"]["distinct"], columns["age"]["alone"]) == ("number", 8, 8)
    assert columns["age"]["share_alone"] == "1"
    assert columns["age"]["examples"] == ["21", "22", "31", "33", "42"]
    assert columns["disease"]["role"] == "sensitive"


def test_a_column_of_many_numbers_is_drawn_with_twelve_bars(planned: Visitor, folder: Path) -> None:
    rows = "\n".join(f"{age},x" for age in range(120))
    (folder / "many.csv").write_text(f"age,note\n{rows}\n", encoding="utf-8")
    planned.ask("POST", "/api/open", json={"name": "many.csv"})
    bars = planned.ask("GET", "/api/table/profile")["columns"][0]["histogram"]
    assert [one["count"] for one in bars] == [10] * 12
    assert bars[0]["label"] == "0 \N{EN DASH} 9"


def test_rows_are_texts_and_missing_ones_are_null(planned: Visitor, folder: Path) -> None:
    (folder / "patients.csv").write_text("age,zip\n21,\n,01067\n", encoding="utf-8")
    found = planned.ask("GET", "/api/table/rows")
    assert found == {"columns": ["age", "zip"], "rows": [["21", None], [None, "01067"]]}


def test_who_is_one_of_a_kind_is_counted_with_and_without_each_column(planned: Visitor) -> None:
    found = planned.ask("GET", "/api/table/singling-out")
    assert found["together"] == {"columns": ["age", "sex", "zip"], "alone": 8, "share": "1"}
    without = {one["column"]: one["alone"] for one in found["without"]}
    # without age: f 01067 twice, m 01069 twice, m 02763 twice; m 01067 and f 01069 once each
    assert without == {"age": 2, "sex": 8, "zip": 8}
    assert found["single"][0]["columns"] == ["age"]


def test_the_values_of_a_column_come_with_their_counts(planned: Visitor) -> None:
    found = planned.ask("GET", "/api/table/values", params={"column": "disease"})
    counts = [(one["value"], one["count"]) for one in found["values"]]
    assert counts == [("flu", 4), ("asthma", 2), ("hiv", 2)]
    assert planned.ask("GET", "/api/table/values", 422, params={"column": "desease"})["code"] == "IC103"


def test_a_table_that_changed_is_read_again(planned: Visitor, folder: Path) -> None:
    assert planned.ask("GET", "/api/table/profile")["records"] == 8
    with (folder / "patients.csv").open("a", encoding="utf-8") as file:
        file.write("Ida,55,f,02763,flu\n")
    assert planned.ask("GET", "/api/table/profile")["records"] == 9


@pytest.mark.parametrize("kind", ["parquet", "xlsx"])
def test_other_files_are_looked_at_too(planned: Visitor, folder: Path, kind: str) -> None:
    write_table([{"age": 21.5, "sex": "f"}, {"age": 30.0, "sex": None}], folder / f"other.{kind}")
    planned.ask("POST", "/api/open", json={"name": f"other.{kind}"})
    rows = planned.ask("GET", "/api/table/rows")["rows"]
    assert sorted(rows) == [["21.5", "f"], ["30", None]]
    assert planned.ask("GET", "/api/table/profile")["records"] == 2


@pytest.mark.parametrize("kind", ["csv", "parquet", "xlsx"])
def test_the_first_rows_are_those_of_the_file_in_its_order(visitor: Visitor, folder: Path, kind: str) -> None:
    frame = pl.DataFrame({"age": [90 - row % 70 for row in range(300)], "code": [f"c{row:03}" for row in range(300)]})
    path = folder / f"many.{kind}"
    getattr(frame, "write_excel" if kind == "xlsx" else f"write_{kind}")(path)
    visitor.ask("POST", "/api/open", json={"name": path.name})
    found = visitor.ask("GET", "/api/table/rows")
    assert found["columns"] == ["age", "code"]
    assert found["rows"] == [[str(90 - row), f"c{row:03}"] for row in range(20)]


def test_marks_of_missing_values_are_shown_as_missing_in_any_file(visitor: Visitor, folder: Path) -> None:
    pl.DataFrame({"age": [30, 40], "zip": ["?", "01067"]}).write_parquet(folder / "marks.parquet")
    visitor.ask("POST", "/api/open", json={"name": "marks.parquet", "missing": ["", "?"]})
    assert visitor.ask("GET", "/api/table/rows")["rows"] == [["30", None], ["40", "01067"]]


def test_a_file_that_is_no_table_is_refused_with_words(visitor: Visitor, folder: Path) -> None:
    (folder / "bad.csv").write_bytes(b"\xff\xfe\x00CANARY\x00,b\n\x80,2\n")
    answer = visitor.post("/api/open", json={"name": "bad.csv"})
    assert (answer.status_code, answer.json()["code"]) == (422, "IC106")
    assert "CANARY" not in answer.text


def preview(visitor: Visitor, column: str, hierarchy: Any = None) -> Any:
    given = {} if hierarchy is None else {"hierarchy": hierarchy}
    return visitor.ask("POST", "/api/hierarchies/preview", json={"column": column, **given})


def test_a_preview_shows_every_rung_with_its_people(planned: Visitor) -> None:
    found = preview(planned, "age", {"intervals": ["10", "20"]})
    assert found["height"] == 3
    first = [(one["label"], one["records"], one["values"]) for one in found["levels"][1]["labels"]]
    assert first == [("[20, 30)", 3, 3), ("[30, 40)", 3, 3), ("[40, 50)", 2, 2)]
    assert found["levels"][1]["smallest"] == 2
    assert found["examples"][0] == ["21", "[20, 30)", "[20, 40)", "*"]
    assert found["drawing"].startswith("*  (8 values)\n")
    assert (found["problem"], found["uncovered"]["count"]) == (None, 0)


def test_without_a_hierarchy_that_of_the_plan_is_shown(planned: Visitor) -> None:
    assert preview(planned, "zip")["examples"][0][1] == "0106*"


def test_a_wrong_hierarchy_is_part_of_the_answer(planned: Visitor) -> None:
    found = preview(planned, "age", {"intervals": ["5", "7"]})
    assert "7 is not a whole multiple of 5" in found["problem"]["message"]


def test_values_that_a_tree_misses_are_listed(planned: Visitor) -> None:
    found = preview(planned, "zip", {"tree": {"Dresden": ["01067", "01069"]}})
    assert found["uncovered"] == {"count": 1, "values": ["02763"]}
    assert found["problem"]["code"] == "IC105"


def test_a_hierarchy_can_come_from_an_uploaded_file(planned: Visitor) -> None:
    content = b"01067;Dresden;*\n01069;Dresden;*\n02763;Zittau;*\n"
    name = planned.ask("POST", "/api/files", 201, params={"name": "zip.csv"}, content=content)["name"]
    found = preview(planned, "zip", {"tree": name})
    assert [one["label"] for one in found["levels"][1]["labels"]] == ["Dresden", "Zittau"]


def test_a_column_of_another_role_can_be_tried_as_a_quasi_identifier(planned: Visitor) -> None:
    assert preview(planned, "disease", {"frequent": ["3"]})["problem"] is None
    assert preview(planned, "disease", "flat")["height"] == 1


def test_an_unknown_column_has_no_preview(planned: Visitor) -> None:
    planned.ask("POST", "/api/hierarchies/preview", 404, json={"column": "aeg"})


def test_a_promise_is_judged_before_anything_is_searched(planned: Visitor) -> None:
    assert planned.ask("POST", "/api/promise/check")["possible"] is True
    asked = {"promise": ["k>=2", "l>=4[disease]"], "max_suppressed": "0"}
    found = planned.ask("POST", "/api/promise/check", json=asked)
    assert found["possible"] is False
    assert found["obstacles"][0]["nearest"] == "l>=3[disease]"


def test_a_promise_that_cannot_be_read_is_part_of_the_answer(planned: Visitor) -> None:
    found = planned.ask("POST", "/api/promise/check", json={"promise": ["k>5"]})
    assert (found["possible"], found["problem"]["code"]) == (False, "IC101")


def test_presets_name_the_sensitive_columns_of_the_plan(planned: Visitor) -> None:
    found = {one["name"]: one["promise"] for one in planned.ask("GET", "/api/presets")}
    assert found["contract"] == found["ema-0.09"] == ["k>=12", "l>=3[disease]"]
    assert found["public"][0] == "k>=20"
    assert found["hipaa-safe-harbor"] == []


def test_every_example_of_a_promise_and_of_a_hierarchy_can_be_used(planned: Visitor) -> None:
    for model in planned.ask("GET", "/api/models"):
        promise = [model["example"].replace("COLUMN", "disease")]
        found = planned.ask("POST", "/api/promise/check", json={"promise": promise})
        problem = found["problem"] and found["problem"]["message"]
        assert (problem is None) == (model["needs"] not in {"categories", "people", "items"}), (model["name"], problem)
    for kind in planned.ask("GET", "/api/hierarchies/kinds"):
        problem = preview(planned, "age", kind["example"])["problem"]
        assert problem is None or problem["code"] in {"IC104", "IC105"}, (kind["kind"], problem)


def test_the_checklist_of_hipaa_says_what_columns_break_it(planned: Visitor) -> None:
    kinds = {"age": "age", "sex": "none", "zip": "zip", "disease": "none"}
    found = planned.ask("POST", "/api/safe-harbor", json={"kinds": kinds})
    broken = [item["test"] for item in found["items"] if item["holds"] is False]
    assert broken == ["geography"]


def test_the_example_can_be_opened(visitor: Visitor) -> None:
    name = visitor.ask("POST", "/api/example", 201, json={"rows": 50})["name"]
    assert visitor.ask("POST", "/api/open", json={"name": name})["exists"]
    assert visitor.ask("GET", "/api/table/profile")["records"] == 50


def test_a_preview_gives_every_value_with_its_labels_to_be_edited(planned: Visitor, folder: Path) -> None:
    found = preview(planned, "zip")
    assert found["distinct"] == 3
    assert found["rows"][0] == ["01067", "0106*", "010**", "01***", "0****"]
    tree = {"east": {"Dresden": ["01067", "01069"]}, "far east": {"Zittau": ["02763"]}}
    rows = [["01067", "Dresden", "east"], ["01069", "Dresden", "east"], ["02763", "Zittau", "far east"]]
    assert preview(planned, "zip", {"tree": tree})["rows"] == rows
    lines = "\n".join(f"{place},{'x' * 300}{place % 3}" for place in range(600))
    (folder / "long.csv").write_text(f"number,text\n{lines}\n", encoding="utf-8")
    planned.ask("POST", "/api/open", json={"name": "long.csv"})
    assert preview(planned, "number")["rows"] == []  # too many
    assert preview(planned, "text")["rows"] == []  # too long


def test_what_often_means_missing_is_counted(visitor: Visitor, folder: Path) -> None:
    (folder / "marked.csv").write_text("age,zip\n1,NA\n2,?\n3,NA\n4,01067\n", encoding="utf-8")
    visitor.ask("POST", "/api/open", json={"name": "marked.csv"})
    marks = visitor.ask("GET", "/api/table/profile")["layout"]["marks"]
    assert [(one["mark"], one["count"]) for one in marks] == [("NA", 2), ("?", 1)]
    visitor.ask("POST", "/api/open", json={"name": "marked.csv", "missing": ["", "NA", "?"]})
    assert visitor.ask("GET", "/api/table/profile")["layout"]["marks"] == []


def test_a_table_whose_combinations_do_not_fit_into_memory_is_not_counted(planned: Visitor) -> None:
    planned.ask("PATCH", "/api/plan", json={"data": {"memory": "1B"}})
    told = planned.ask("GET", "/api/table/singling-out", 500)
    assert told["code"] == "IC302"
    assert "Call fewer columns ones that could help recognise somebody" in told["hint"]


def test_people_with_several_rows_are_counted_as_people(visitor: Visitor, folder: Path) -> None:
    rows = [f"p{row // 3},{30 + row // 6},{'fm'[row // 3 % 2]}" for row in range(60)]
    (folder / "visits.csv").write_text("\n".join(["patient_id,age,sex", *rows, ""]), encoding="utf-8")
    shown = visitor.ask("POST", "/api/open", json={"name": "visits.csv", "entity": "patient_id"})
    visitor.ask("PATCH", "/api/plan", json={"columns": {"age": {"role": "quasi"}, "sex": {"role": "quasi"}}})
    assert shown["plan"]["data"]["entity"] == "patient_id"
    found = visitor.ask("GET", "/api/table/singling-out")
    assert (found["together"]["alone"], found["together"]["share"]) == (20, "1")  # no row is alone, everybody is
    assert {one["column"]: one["alone"] for one in found["without"]} == {"age": 0, "sex": 0}


def test_a_row_that_stands_for_several_people_is_not_one_of_a_kind(visitor: Visitor, folder: Path) -> None:
    (folder / "counted.csv").write_text("age,sex,n\n31,f,4\n32,f,1\n33,m,1\n34,m,2\n", encoding="utf-8")
    roles = {"age": {"role": "quasi"}, "sex": {"role": "quasi"}}
    visitor.ask("POST", "/api/open", json={"name": "counted.csv"})
    visitor.ask("PATCH", "/api/plan", json={"data": {"count": "n"}, "columns": {**roles, "n": None}})
    found = visitor.ask("GET", "/api/table/singling-out")
    assert (found["records"], found["together"]["alone"], found["together"]["share"]) == (8, 2, "0.25")
