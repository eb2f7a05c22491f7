"""Columns of lists are recognised, and the plan that is made of it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import incrowd as ic

CODES = ["I10", "I25", "E11", "E10", "J44", "J45", "F32", "M54"]


def people(separator: str, rows: int = 200) -> list[dict[str, Any]]:
    draw = np.random.default_rng(1)
    lists = [sorted(draw.choice(CODES, size=draw.integers(1, 4), replace=False).tolist()) for _ in range(rows)]
    return [
        {"age": int(draw.integers(20, 90)), "diagnoses": separator.join(one), "sex": "fm"[at % 2]}
        for at, one in enumerate(lists)
    ]


def column_of(table: Any, name: str = "diagnoses") -> Any:
    return next(one for one in ic.suggest(table).columns if one.name == name)


@pytest.mark.parametrize("separator", ["|", ";", ",", "/", "+", " "])
def test_separated_lists_are_recognised_with_their_classification(separator: str) -> None:
    found = column_of(people(separator))
    assert (found.role, found.sure) == ("quasi", False)
    assert found.hierarchy.model_dump(exclude_defaults=True) == {
        "items": separator,
        "of": {"classification": "icd-10"},
    }


def test_items_of_which_nothing_is_known_need_a_tree() -> None:
    words = ["swim", "run", "chess", "piano"]
    found = column_of([{"hobbies": f"{words[at % 4]}|{words[(at + at // 4) % 4]}"} for at in range(40)], "hobbies")
    assert found.hierarchy.model_dump(exclude_defaults=True) == {"items": "|"}
    assert "tree" in found.check


@pytest.mark.parametrize(
    "values",
    [
        ["Smith, Anna", "Miller, Bob", "Smith, Carl", "Jones, Anna"] * 5,
        ["pain in the left knee; swollen", "nothing found; sent home", "broken arm; surgery"] * 4,
        ["1,5", "2,5", "3,75", "1,25"] * 5,
        ["12:30/13:00", "08:15/09:00"] * 5,
        ["red", "green", "blue"] * 5,
    ],
)
def test_what_is_no_list_is_left_alone(values: list[str]) -> None:
    found = column_of([{"text": value} for value in values], "text")
    assert "items" not in str(found.hierarchy)


def test_a_role_that_was_said_is_kept() -> None:
    found = ic.suggest(people("|"), roles={"diagnoses": "sensitive"}).columns
    assert {one.name: one.role for one in found}["diagnoses"] == "sensitive"


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_plan_runs(kind: str, tmp_path: Path) -> None:
    rows, path = people("|", 400), tmp_path / f"people.{kind}"
    if kind == "csv":
        path.write_text("\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]))
    else:
        table = pa.Table.from_pylist([row | {"diagnoses": row["diagnoses"].split("|")} for row in rows])
        pyarrow.parquet.write_table(table, path)
    suggestion = ic.suggest(path)
    plan = suggestion.plan()
    assert str(plan.model()) == "k>=5[any 2 items]"
    text = plan.text()
    assert 'items = "|"' in text
    (tmp_path / "plan.toml").write_text(text)
    release = ic.Plan.read(tmp_path / "plan.toml").run()
    assert release.verdict.holds
    assert ic.attack(release).get("known items").exposed.records == 0


def test_lists_of_lists_are_no_items(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pa.table({"age": [1, 2], "x": [[["a"]], [["b"]]]}), tmp_path / "x.parquet")
    assert {one.name: one.hierarchy for one in ic.suggest(tmp_path / "x.parquet").columns}["x"] is None


PLAN: dict[str, Any] = {
    "version": 1,
    "data": {"path": "people.csv"},
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 50]}},
        "diagnoses": {"role": "quasi", "hierarchy": {"items": "|", "of": {"tree": "icd.csv"}}},
        "sex": {"role": "quasi"},
    },
    "privacy": {"promise": "k>=5[diagnoses, any 2 items]", "max_suppressed": 0.1},
}


def changed(**parts: Any) -> dict[str, Any]:
    diagnoses = PLAN["columns"]["diagnoses"] | parts.pop("diagnoses", {})
    return {**PLAN, **parts, "columns": PLAN["columns"] | {"diagnoses": diagnoses}}


def written(tmp_path: Path) -> Path:
    rows = people("|", 300)
    (tmp_path / "people.csv").write_text(
        "\n".join([",".join(rows[0]), *(",".join(map(str, r.values())) for r in rows)])
    )
    (tmp_path / "icd.csv").write_text("\n".join(f"{code};{code[0]}" for code in CODES))
    return tmp_path


def test_a_plan_has_a_tree_of_items_beside_it(tmp_path: Path) -> None:
    folder = written(tmp_path)
    plan = ic.Plan.of(PLAN, folder=folder)
    assert ic.Plan.of(plan.to_dict(), folder=folder) == plan
    assert 'of = { tree = "../icd.csv" }' in plan.text(folder=folder / "elsewhere")
    release = plan.run(write=True)
    assert release.verdict.holds
    assert ic.verify(folder / "out", original=folder / "people.csv").outcome == "holds"
    saved = ic.load_recoding(folder / "out/owner")
    assert repr(saved.hierarchies["diagnoses"]) == "items(Tree(8 values, 2 steps), separator='|')"
    new = [{"age": 30, "diagnoses": "|".join(reversed(CODES)), "sex": "f"}, *people("|", 300)]
    assert ic.apply(release, new, max_suppressed=0.5).verdict.holds


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"privacy": {"promise": "k>=5[age, any 2 items]"}}, "'age', which is no quasi-identifier of sets"),
        ({"privacy": {"promise": "k>=5[agee, any 2 items]"}}, "'agee', which is no column"),
        ({"diagnoses": {"hierarchy": "flat"}}, "'diagnoses', which is no quasi-identifier of sets"),
        (
            {"privacy": {"promise": "k>=5[any 2 items]"}, "diagnoses": {"hierarchy": "flat"}},
            "no quasi-identifier holds sets",
        ),
        ({"diagnoses": {"hierarchy": {"items": "||"}}}, "must be one character"),
        ({"diagnoses": {"hierarchy": {"items": "a"}}}, "must be one character"),
        ({"diagnoses": {"hierarchy": {"items": "|", "of": {"tree": "none.csv"}}}}, "'none.csv' cannot be read"),
        ({"diagnoses": {"hierarchy": {"items": "|", "of": {"items": ";"}}}}, "of"),
        ({"diagnoses": {"hierarchy": {"items": "|", "tree": "icd.csv"}}}, "items"),
    ],
)
def test_what_a_plan_says_wrong_about_items_is_named(wrong: Any, says: str, tmp_path: Path) -> None:
    with pytest.raises(ic.PlanError, match=says):
        ic.Plan.of(changed(**wrong), folder=written(tmp_path))
