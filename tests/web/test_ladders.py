from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest

from incrowd.hierarchies import COUNTRIES, ClassificationName
from web.serving import Visitor

TRADES = {"care": (30, "f"), "building": (50, "m"), "office": (40, "f")}


def people(seed: int, more: str = "") -> str:
    """Make up people whose jobs go with their ages and sexes, so that jobs become a tree."""
    made = random.Random(seed)
    rows = []
    for _ in range(400):
        trade = made.choice(sorted(TRADES))
        age, sex = TRADES[trade]
        job = f"{trade} {made.choice(['one', 'two', 'three', 'four'])}{more}"
        rows.append(f"{age + made.randrange(6)},{sex if made.random() < 0.9 else 'x'},{job},{made.randrange(5)}")
    return "\n".join(["age,sex,job,illness", *rows, ""])


@pytest.fixture
def opened(visitor: Visitor, folder: Path) -> Visitor:
    """Open a table with a tree."""
    (folder / "people.csv").write_text(people(1), encoding="utf-8")
    visitor.ask("POST", "/api/open", json={"name": "people.csv"})
    return visitor


def tree_in(folder: Path) -> Any:
    return tomllib.loads((folder / "plan.toml").read_text(encoding="utf-8"))["columns"]["job"].get("hierarchy")


def beside(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "plan-ladders").glob("*"))


def test_a_tree_of_what_goes_together_lies_beside_the_plan(opened: Visitor, folder: Path) -> None:
    assert tree_in(folder) == {"tree": "plan-ladders/job.csv", "from_data": True}
    assert beside(folder) == ["job.csv"]
    assert (folder / "plan-ladders" / "job.csv").stat().st_mode & 0o077 == 0
    shown = opened.ask("POST", "/api/hierarchies/preview", json={"column": "job"})
    assert shown["problem"] is None
    assert shown["height"] >= 2


def test_nothing_of_a_draft_is_left(opened: Visitor, folder: Path) -> None:
    del opened
    assert not list((folder / ".incrowd").glob("draft-*"))


def test_the_tree_of_a_table_goes_when_another_is_opened_and_comes_back_by_undo(opened: Visitor, folder: Path) -> None:
    before = (folder / "plan-ladders" / "job.csv").read_bytes()
    opened.ask("POST", "/api/open", json={"name": "patients.csv"})
    assert not (folder / "plan-ladders").exists()
    shown = opened.ask("POST", "/api/plan/undo")
    assert shown["problem"] is None
    assert (folder / "plan-ladders" / "job.csv").read_bytes() == before


def test_a_ladder_of_another_kind_takes_the_tree_away(opened: Visitor, folder: Path) -> None:
    opened.ask("PATCH", "/api/plan", json={"columns": {"job": {"hierarchy": "flat"}}})
    assert not (folder / "plan-ladders").exists()
    opened.ask("POST", "/api/plan/undo")
    assert beside(folder) == ["job.csv"]


def test_trees_of_two_tables_never_share_a_file(opened: Visitor, folder: Path) -> None:
    (folder / "others.csv").write_text(people(2, " more"), encoding="utf-8")
    opened.ask("POST", "/api/open", json={"name": "others.csv"})
    assert tree_in(folder)["tree"] == "plan-ladders/job-2.csv"
    assert beside(folder) == ["job-2.csv"]
    opened.ask("POST", "/api/open", json={"name": "people.csv"})
    assert tree_in(folder)["tree"] == "plan-ladders/job.csv"
    assert beside(folder) == ["job.csv"]


def test_a_tree_that_somebody_changed_is_neither_replaced_nor_removed(opened: Visitor, folder: Path) -> None:
    file = folder / "plan-ladders" / "job.csv"
    changed = file.read_bytes() + b"mine,mine,mine\n"
    file.write_bytes(changed)
    opened.ask("POST", "/api/open", json={"name": "people.csv"})
    assert tree_in(folder)["tree"] == "plan-ladders/job-2.csv"
    opened.ask("POST", "/api/open", json={"name": "patients.csv"})
    assert beside(folder) == ["job.csv"]
    assert file.read_bytes() == changed


def test_a_file_that_was_there_before_is_kept(visitor: Visitor, folder: Path) -> None:
    (folder / "people.csv").write_text(people(1), encoding="utf-8")
    (folder / "plan-ladders").mkdir()
    (folder / "plan-ladders" / "job.csv").write_text("of somebody else", encoding="utf-8")
    visitor.ask("POST", "/api/open", json={"name": "people.csv"})
    assert tree_in(folder)["tree"] == "plan-ladders/job-2.csv"
    visitor.ask("POST", "/api/open", json={"name": "patients.csv"})
    assert (folder / "plan-ladders" / "job.csv").read_text(encoding="utf-8") == "of somebody else"
    assert beside(folder) == ["job.csv"]


@pytest.mark.parametrize("inside", [True, False])
def test_a_link_in_the_place_of_the_folder_is_not_followed(
    visitor: Visitor, folder: Path, tmp_path: Path, inside: bool
) -> None:
    (folder / "people.csv").write_text(people(1), encoding="utf-8")
    target = folder / "inner" if inside else tmp_path / "outside"
    target.mkdir()
    (folder / "plan-ladders").symlink_to(target, target_is_directory=True)
    told = visitor.ask("POST", "/api/open", 409 if inside else 403, json={"name": "people.csv"})
    assert told["hint"]
    assert not list(target.iterdir())
    assert not (folder / "plan.toml").exists()


def test_a_link_in_the_place_of_a_tree_is_not_followed(visitor: Visitor, folder: Path, tmp_path: Path) -> None:
    (folder / "people.csv").write_text(people(1), encoding="utf-8")
    (folder / "plan-ladders").mkdir()
    (folder / "plan-ladders" / "job.csv").symlink_to(tmp_path / "outside.csv")
    visitor.ask("POST", "/api/open", json={"name": "people.csv"})
    assert tree_in(folder)["tree"] == "plan-ladders/job-2.csv"
    assert not (tmp_path / "outside.csv").exists()


def test_a_version_keeps_the_tree_that_it_was_made_by(opened: Visitor, folder: Path) -> None:
    opened.ask("PATCH", "/api/plan", json={"privacy": {"promise": ["k>=3"], "max_suppressed": "0.3"}})
    run = opened.work(kind="run")["run"]
    opened.ask("PATCH", "/api/plan", json={"columns": {"job": {"hierarchy": "flat"}}})
    assert beside(folder) == ["job.csv"]
    opened.ask("POST", "/api/open", json={"name": "patients.csv"})
    assert not (folder / "plan-ladders").exists()
    assert opened.ask("POST", "/api/plan/restore", json={"run": run})["problem"] is None
    assert beside(folder) == ["job.csv"]


def test_what_the_page_calls_lists_is_what_the_library_knows(visitor: Visitor) -> None:
    kinds = {one["kind"]: one for one in visitor.ask("GET", "/api/hierarchies/kinds")}
    listed = {
        kind: {one["value"] for one in kinds[kind]["keys"][0]["choices"]} for kind in kinds if kinds[kind]["keys"]
    }
    assert listed["classification"] == set(get_args(ClassificationName))
    assert listed["postcodes"] == set(COUNTRIES)
    assert listed["mask"] == {"right", "left"}


def test_copies_that_no_plan_and_no_version_names_are_removed(opened: Visitor, folder: Path) -> None:
    left = folder / ".incrowd" / "ladders" / "of-long-ago.csv"
    left.write_text("a value,of somebody", encoding="utf-8")
    opened.ask("POST", "/api/open", json={"name": "patients.csv"})
    assert not left.exists()
    assert (folder / ".incrowd" / "ladders" / "job.csv").is_file()
    assert opened.ask("POST", "/api/plan/undo")["problem"] is None


def test_lists_of_items_get_their_hierarchy_and_their_promise(visitor: Visitor, folder: Path) -> None:
    made = random.Random(1)
    codes = ["I10", "I25", "E11", "E10", "J44", "J45", "F32", "M54", "C50"]
    rows = [f"{20 + made.randrange(60)},{';'.join(made.sample(codes, made.randrange(1, 4)))}" for _ in range(400)]
    (folder / "people.csv").write_text("\n".join(["age,diagnoses", *rows, ""]), encoding="utf-8")
    visitor.ask("POST", "/api/open", json={"name": "people.csv"})
    plan = tomllib.loads((folder / "plan.toml").read_text(encoding="utf-8"))
    assert plan["columns"]["diagnoses"]["hierarchy"] == {"items": ";", "of": {"classification": "icd-10"}}
    assert plan["privacy"]["promise"] == ["k>=5[any 2 items]"]
    assert [one["example"] for one in visitor.ask("GET", "/api/models") if one["needs"] == "items"] == [
        "k>=5[any 2 items]"
    ]
    changed = {"privacy": {"promise": ["k>=3[diagnoses, any 1 item]"]}}
    assert visitor.ask("PATCH", "/api/plan", json=changed)["problem"] is None
