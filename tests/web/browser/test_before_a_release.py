"""Step 7 and what leads to it: nothing stale is called safe, and what was chosen survives a reload."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from web.browser.steward import PATIENTS, Steward, sees

DISEASES = ("flu", "asthma", "hiv", "burn")
_ROWS = [f"Person {row},{20 + row % 4},{'fm'[row % 2]},01001,{DISEASES[row // 4 % 4]}" for row in range(320)]
MIXED = "\n".join(["name,age,sex,zip,disease", *_ROWS, ""])
"""Large groups: every rule holds."""


def settled(steward: Steward) -> None:
    """Let a version be made and attacked about which nothing is open."""
    change = {"privacy": {"promise": ["k>=12"]}, "report": {"earlier_releases": "none"}}
    steward.attacked("settled", MIXED, change)


def test_a_version_of_an_earlier_promise_is_not_called_safe_and_needs_a_reason(steward: Steward) -> None:
    settled(steward)
    page = steward.go("check")
    sees(page, "^The version keeps what you promised$")
    steward.go("promise").locator("#who-public").check()
    expect(page.get_by_label("Fewest people in a group")).to_have_value("20")
    sees(page, "This can be kept|No version of this table")
    steward.go("check")
    sees(page, "not what your plan asks for now")
    expect(page.locator("#found .notice.good")).to_have_count(0)

    steward.go("release")
    expect(page.locator("#list")).to_contain_text("Version is out of date")
    expect(page.locator("#list")).to_contain_text("The plan now asks for k>=20")
    page.get_by_role("button", name="Release anyway").click()
    expect(page.get_by_role("alert")).to_contain_text("Say why it is released")
    expect(page.get_by_label("Release anyway, because")).to_be_focused()
    assert not (steward.house.folder / "out").exists()

    page.get_by_label("Release anyway, because").fill("the contract asks for 12")
    page.get_by_label("Your name").fill("A. Archer")
    page.get_by_label("What is it released for?").fill("a test")
    page.get_by_role("button", name="Release anyway").click()
    sees(page, "Written into the folder out, although something was open")
    expect(page.locator("#written .notice.good")).to_have_count(0)
    expect(page.locator("#written .notice")).to_contain_text("the contract asks for 12")
    report = (steward.house.folder / "out/owner/report.html").read_text(encoding="utf-8")
    assert "the contract asks for 12" in report
    assert "A. Archer, 20" in report


def test_a_column_of_which_nothing_is_left_is_named_in_amber_with_what_would_bring_it_back(steward: Steward) -> None:
    change = {"privacy": {"promise": ["k>=60"]}, "search": {"algorithm": "optimal"}}
    steward.attacked("lost", PATIENTS, change)
    said = re.compile("^age carries nothing. It would keep")
    page = steward.go("choose")
    sees(page, "Look at what is left before you go on")
    expect(page.locator("#made .notice.doubt").get_by_text(said)).to_be_visible()
    page = steward.go("check")
    sees(page, "^The version keeps what you promised, but look at this$")
    expect(page.locator("#found .notice.doubt").get_by_text(said)).to_be_visible()
    expect(page.locator("#found .notice.good")).to_have_count(0)
    steward.go("release")
    expect(page.locator("#list")).to_contain_text("age carries nothing")


def test_who_gets_the_file_decides_how_large_groups_are_and_takes_no_other_promise_back(steward: Steward) -> None:
    steward.opened(MIXED)
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=5", "l>=2[disease]", "t<=0.4[disease]"]}})
    page = steward.go("promise")
    expect(page.locator("#who-inside")).to_be_checked()
    page.locator("#who-public").check()
    expect(page.get_by_label("Fewest people in a group")).to_have_value("20")
    expect(page.locator("#who-public")).to_be_checked()
    promised = steward.api("GET", "/api/plan")["plan"]["privacy"]["promise"]
    assert promised == ["k>=20", "l>=2[disease]", "t<=0.4[disease]"]


def test_what_is_settled_is_green_until_a_second_version_is_written(steward: Steward) -> None:
    settled(steward)
    page = steward.go("release")
    page.get_by_role("button", name="Write the release").click()
    expect(page.locator("#written .notice.good")).to_contain_text("Written into the folder out")
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=30"]}})
    run = steward.work({"kind": "run"})["run"]
    steward.work({"kind": "evidence", "run": run})
    steward.go("check")
    expect(page.locator("#found .notice.doubt")).to_contain_text("was written into out before")


def test_earlier_releases_are_answered_with_one_click(steward: Steward) -> None:
    settled(steward)
    steward.api("PATCH", "/api/plan", {"report": {"earlier_releases": None}})
    page = steward.go("release")
    expect(page.get_by_role("button", name="Release anyway")).to_be_visible()
    page.get_by_role("button", name="There are none").click()
    expect(page.get_by_role("button", name="Write the release")).to_be_visible()
    expect(page.get_by_label("Earlier releases about the same people")).to_have_value("none")


def test_the_search_that_was_taken_is_in_the_plan_after_a_reload(steward: Steward) -> None:
    steward.opened()
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=3"], "max_suppressed": "0.2"}})
    steward.work({"kind": "alternatives"})
    page = steward.go("choose")
    expect(page.locator(".pick:has(#version-levels-and-cells)")).to_contain_text("in your plan")
    page.locator("#version-ranges").check()
    page.get_by_role("button", name="Make this version: ranges").click()
    sees(page, "This version keeps the promise")
    page.reload()
    steward.ready()
    expect(page.locator(".pick:has(#version-ranges)")).to_contain_text("in your plan")
    expect(page.locator(".pick:has(#version-levels-and-cells)")).not_to_contain_text("plan")
    sees(page, "Version 1: Ranges")


def test_versions_of_another_table_stand_apart_and_cannot_be_written(steward: Steward) -> None:
    settled(steward)
    steward.opened("age,illness\n" + "21,flu\n22,hiv\n" * 20, "others.csv")
    page = steward.go("release")
    sees(page, "There is no version of this table yet")
    expect(page.locator("#export")).to_have_count(0)
    page.get_by_text("Versions of other tables: 1").click()
    expect(page.get_by_role("region", name="Versions of other tables")).to_contain_text("patients.csv")
    page.get_by_role("button", name=re.compile("Use its plan again")).click()
    expect(page.get_by_role("button", name="Write the release")).to_be_visible()


def test_the_list_of_hipaa_passes_only_when_every_column_is_answered(steward: Steward) -> None:
    steward.opened(MIXED.replace("01001", "010"))
    page = steward.go("promise")
    page.get_by_text("For experts: published rules").click()
    page.get_by_role("button", name="Go through the list").click()
    expect(page.locator("#harbor-questions").get_by_label("zip")).to_have_value("zip")
    expect(page.locator("#harbor-questions").get_by_label("age", exact=True)).to_have_value("age")
    expect(page.locator("#harbor-questions").get_by_label("sex")).to_have_value("")
    page.get_by_role("button", name="Check the table against the list").click()
    expect(page.locator("#harbor")).to_contain_text("not checked: 2 not answered yet")
    page.get_by_role("button", name="All others are none of the 18").click()
    page.get_by_role("button", name="Check the table against the list").click()
    expect(page.locator("#harbor")).to_contain_text("not checked in full")
    page.locator("#harbor-questions").get_by_label("zip").select_option("none")
    page.get_by_role("button", name="Check the table against the list").click()
    expect(page.locator("#harbor")).to_contain_text("every test passes")
    page.reload()
    steward.ready()
    page.get_by_text("For experts: published rules").click()
    page.get_by_role("button", name="Go through the list").click()
    expect(page.locator("#harbor-questions").get_by_label("zip")).to_have_value("none")
