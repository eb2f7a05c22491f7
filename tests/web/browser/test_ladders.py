"""Ladders that are filled in as a table, and what an intruder knows already."""

from __future__ import annotations

import tomllib
from typing import Any

from playwright.sync_api import expect

from web.browser.steward import Steward, sees


def plan_of(steward: Steward) -> Any:
    return tomllib.loads((steward.house.folder / "plan.toml").read_text(encoding="utf-8"))


def test_a_ladder_is_filled_in_as_a_table_with_a_label_per_level(steward: Steward) -> None:
    steward.opened()
    steward.api("PATCH", "/api/plan", {"columns": {"zip": {"hierarchy": "flat"}}})
    page = steward.go("coarsen")
    page.locator("#ladder-2").get_by_text("Another ladder, the whole tree").click()
    page.get_by_label("Kind of ladder").select_option("A table: a label per level for each value")
    for place in range(7):
        page.get_by_label(f"Level 1 of 0100{place}").fill("north" if place < 3 else "south")
    page.get_by_role("button", name="Add a level").click()
    page.get_by_label("Level 2 of 01006").fill("far")
    sees(page, "has the label of")  # south cannot be a part of both south and far
    page.get_by_label("Level 1 of 01006").fill("island")
    expect(page.locator("#b2-shown table")).to_contain_text("level 2 (3 groups")
    page.get_by_role("button", name="Use this ladder").click()
    expect(page.locator("#ladder-2 .rungs")).to_contain_text("3 groups")
    assert plan_of(steward)["columns"]["zip"]["hierarchy"]["tree"] == {
        "north": {"north": ["01000", "01001", "01002"]},
        "south": {"south": ["01003", "01004", "01005"]},
        "far": {"island": ["01006"]},
    }


def test_how_many_people_there_are_is_asked_where_nobody_knows_who_is_in_the_file(steward: Steward) -> None:
    steward.opened()
    page = steward.go("promise")
    expect(page.get_by_label("Yes, or we are not sure")).to_be_checked()
    page.get_by_label("No, the file is a sample of more people").check()
    people = page.get_by_label("How many people was the table drawn from?")
    people.fill("many")
    people.press("Tab")
    sees(page, "The number of people is a whole number")
    people.fill("1,200")
    people.press("Tab")
    expect(people).to_have_value("1200")
    assert plan_of(steward)["report"]["population"] == 1_200
    page.reload()
    steward.ready()
    expect(page.get_by_label("How many people was the table drawn from?")).to_have_value("1200")
    page.get_by_label("Yes, or we are not sure").check()
    expect(page.get_by_label("How many people was the table drawn from?")).to_have_count(0)
    sees(page, "Who gets the file")
    expect(page.get_by_label("Yes, or we are not sure")).to_be_checked()
    assert "population" not in plan_of(steward).get("report", {})


def test_versions_are_found_again_after_a_reload_and_in_another_tab(steward: Steward) -> None:
    steward.opened()
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=3"], "max_suppressed": "0.2"}})
    number = steward.work({"kind": "alternatives"})["id"]
    for tab in (steward, steward.another_tab()):
        page = tab.go("choose")
        expect(page.get_by_role("button", name="Make this version")).to_be_visible()
    assert steward.api("GET", "/api/jobs/current")["job"]["id"] == number


def test_a_tree_is_built_by_dragging_values_into_groups(steward: Steward) -> None:
    steward.opened()
    page = steward.go("coarsen")
    page.locator("#change-2 > summary").click()
    page.locator("#b2-kind").select_option("tree")
    groups = page.locator("#b2-tree-sorter .group")
    for place in range(7):
        steward.drag(f"0100{place}", "#b2-tree-sorter .values", groups.nth(place % 2))
    page.get_by_label("Name of group 1").fill("even")
    page.get_by_label("Name of group 1").press("Tab")
    expect(page.locator("#b2-shown table")).to_contain_text("even")
    page.get_by_role("button", name="Use this ladder").click()
    expect(page.locator("#ladder-2 .rungs")).to_contain_text("2 groups")
    assert plan_of(steward)["columns"]["zip"]["hierarchy"]["tree"] == {
        "even": ["01000", "01002", "01004", "01006"],
        "group 2": ["01001", "01003", "01005"],
    }


CARE, BUILDING = ("nurse", "midwife", "carer"), ("roofer", "mason", "tiler")
LANDS, CODES = ("DE", "FR", "PL", "US"), ("10115", "10117", "80331", "80333", "20095")
_WORK = [
    f"{(30 if row % 2 else 50) + row // 6 % 5},{'fm'[row % 2]},{(CARE if row % 2 else BUILDING)[row // 2 % 3]},"
    f"{LANDS[row % 4]},{CODES[row % 5]},{row % 7}"
    for row in range(240)
]
WORK = "\n".join(["age,sex,job,country,PLZ,visits", *_WORK, ""])


def names_of(steward: Steward) -> list[str]:
    """Name the columns that have ladders."""
    return [name for name, one in plan_of(steward)["columns"].items() if one["role"] == "quasi"]


def test_classifications_and_countries_of_postcodes_are_chosen_from_lists(steward: Steward) -> None:
    steward.opened(WORK, "work.csv")
    names = names_of(steward)
    page = steward.go("coarsen")
    country = names.index("country")
    page.locator(f"#change-{country} > summary").click()
    page.locator(f"#b{country}-kind").select_option("classification")
    expect(page.locator(f"#b{country}-classification")).to_have_value("countries")
    page.locator(f"#b{country}-classification").select_option(label="Diseases (ICD-10): category, block, chapter")
    sees(page, "4 values in no group")
    code = names.index("PLZ")
    page.locator(f"#change-{code} > summary").click()
    expect(page.locator(f"#b{code}-postcodes option:checked")).to_have_text("Germany")
    page.locator(f"#b{code}-postcodes").select_option(label="France")
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        page.locator(f"#b{code}-use").click()
    assert plan_of(steward)["columns"]["PLZ"]["hierarchy"] == {"postcodes": "FR"}


def test_ranges_with_as_many_rows_each_are_built_on_the_page(steward: Steward) -> None:
    steward.opened(WORK, "work.csv")
    names = names_of(steward)
    age = names.index("age")
    page = steward.go("coarsen")
    page.locator(f"#change-{age} > summary").click()
    page.locator(f"#b{age}-kind").select_option("quantiles")
    page.locator(f"#b{age}-quantiles").fill("4, 2")
    expect(page.locator(f"#b{age}-shown table")).to_contain_text("level 2 (2 groups")
    page.locator(f"#b{age}-use").click()
    expect(page.locator(f"#ladder-{age} .rungs > li")).to_have_count(4)
    assert plan_of(steward)["columns"]["age"]["hierarchy"] == {"quantiles": [4, 2]}


def test_a_tree_that_was_made_of_the_table_is_shown_with_its_file(steward: Steward) -> None:
    steward.opened(WORK, "work.csv")
    names = names_of(steward)
    assert plan_of(steward)["columns"]["job"]["hierarchy"] == {"tree": "plan-ladders/job.csv", "from_data": True}
    job = names.index("job")
    page = steward.go("coarsen")
    page.locator(f"#change-{job} > summary").click()
    expect(page.locator(f"#b{job}-from")).to_contain_text("plan-ladders/job.csv")
    expect(page.locator(f"#b{job}-shown table")).to_contain_text("nurse")
