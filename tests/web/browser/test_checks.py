"""Who a row is about, and what to check, as the page asks it."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from web.browser.steward import House, Steward, sees, visiting

PANEL = "nr,wave,sex,birth_year,income\n" + "".join(
    f"{1_000 + person},{wave},{'fm'[person % 2]},{1950 + person % 40},{1_000 + 37 * person % 900}\n"
    for person in range(80)
    for wave in range(5)
)


def test_people_with_several_rows_are_preset_and_counted(steward: Steward) -> None:
    (steward.house.folder / "panel.csv").write_text(PANEL, encoding="utf-8")
    steward.api("POST", "/api/open", {"name": "panel.csv"})
    page = steward.go("open")
    sees(page, "We think not: nr has 80 values in 400 rows")
    expect(page.get_by_label("No, a person can have several rows")).to_be_checked()
    expect(page.get_by_label("The column that says whose row it is")).to_have_value("nr")
    sees(page, "80 people in 400 rows")
    page.get_by_label("Yes, every row is a different person").check()
    sees(page, "You say yes. But nr has 80 values in 400 rows")
    assert "entity" not in steward.api("GET", "/api/plan")["plan"]["data"]


def test_a_table_in_which_nobody_comes_back_is_said_to_be_one_as_far_as_we_see(steward: Steward) -> None:
    steward.opened()
    page = steward.go("open")
    sees(page, "We found no column in which the same person comes back")
    expect(page.get_by_label("Yes, every row is a different person")).to_be_checked()


def test_what_to_check_leads_to_its_card(steward: Steward) -> None:
    (steward.house.folder / "panel.csv").write_text(PANEL, encoding="utf-8")
    steward.api("POST", "/api/open", {"name": "panel.csv"})
    page = steward.go("columns")
    items = page.locator(".checks li")
    expect(items.first).to_contain_text("Is “nr” a person?")
    expect(items.first.get_by_role("link", name="Answer in step 1")).to_be_visible()
    name = next(one["column"] for one in steward.api("GET", "/api/plan")["checks"][1:] if one["column"])
    page.get_by_role("button", name=f"Show {name}").press("Enter")
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_focused()
    before = items.count()
    page.locator(".card", has=page.get_by_role("heading", name=name, exact=True)).get_by_role(
        "button", name="Yes,"
    ).click()
    expect(items).to_have_count(before - 1)


def test_nothing_is_asked_where_nothing_is_open(steward: Steward) -> None:
    steward.opened()
    page = steward.go("columns")
    page.wait_for_selector(".card")
    expect(page.locator("#please")).to_have_count(0 if not steward.api("GET", "/api/plan")["checks"] else 1)
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=2"]}})
    page = steward.go("columns")
    page.get_by_role("link", name="Promise something in step 3").click()
    page.wait_for_url("**/promise")


def test_many_columns_give_one_list_that_can_be_opened(steward: Steward) -> None:
    head = ",".join(f"c{place}" for place in range(20))
    rows = "\n".join(",".join(str((row * place) % 7) for place in range(20)) for row in range(1, 60))
    (steward.house.folder / "wide.csv").write_text(f"{head}\n{rows}\n", encoding="utf-8")
    steward.api("POST", "/api/open", {"name": "wide.csv"})
    page = steward.go("columns")
    page.wait_for_selector(".card")
    open_ones = len(steward.api("GET", "/api/plan")["checks"])
    assert open_ones > 8
    page.get_by_text(f"{open_ones - 8} more", exact=True).click()
    expect(page.locator("#more-checks li")).to_have_count(open_ones - 8)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_where_much_is_asked(
    house: House, chromium: Browser, cookies: list[Any], scheme: Any
) -> None:
    with visiting(house, chromium, cookies, color_scheme=scheme, viewport={"width": 360, "height": 800}) as steward:
        steward.clear()
        page = steward.go("open")
        table = PANEL.replace("f", "NA").replace(",", ";").encode("cp1252")
        page.set_input_files("#upload", {"name": "panel.csv", "mimeType": "text/csv", "buffer": table})
        page.wait_for_selector(".reading")
        page.get_by_role("button", name="Delete panel.csv").click()
        for ready in (None, "#please"):
            if ready:
                steward.go("columns").wait_for_selector(ready)
            found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
            assert [(one["id"], [node["html"][:200] for node in one["nodes"]][:3]) for one in found] == []
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
