"""Days are shifted by person, on the screen of the columns."""

from __future__ import annotations

from playwright.sync_api import expect

from web.browser.steward import Steward, sees


def test_days_of_a_person_are_shifted_by_one_click(steward: Steward) -> None:
    rows = [f"p{row % 40},{20 + row % 2},2025-{row // 28 + 1:02}-{row % 28 + 1:02}" for row in range(120)]
    steward.opened("\n".join(["pid,age,came", *rows, ""]), "stays.csv")
    steward.api("PATCH", "/api/plan", {"columns": {"age": {"role": "quasi"}, "came": {"role": "insensitive"}}})
    steward.api("PATCH", "/api/plan", {"data": {"entity": None}})
    page = steward.go("columns")
    expect(page.get_by_label("Shift the days")).to_have_count(0)
    steward.api("PATCH", "/api/plan", {"data": {"entity": "pid"}})
    page = steward.go("columns")
    page.get_by_label("Shift the days").check()
    within = page.get_by_label("By so many days at most, to either side")
    expect(within).to_have_value("180")
    with page.expect_response("**/api/plan") as answer:
        within.fill("30")
        within.blur()
    assert answer.value.ok
    expect(page.get_by_label("A Monday stays a Monday")).to_be_checked()
    sees(page, "The key is in dates.key")
    assert (steward.house.folder / "dates.key").stat().st_size == 32
    assert "within = 30" in (steward.house.folder / "plan.toml").read_text(encoding="utf-8")
