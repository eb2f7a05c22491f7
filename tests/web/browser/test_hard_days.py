"""When something is wrong: files, promises, changes by others, and work that lasts."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Browser, Route, expect

from web.browser.steward import Steward, sees, served


def test_a_file_of_a_wrong_kind_is_refused_with_what_would_do(steward: Steward) -> None:
    page = steward.go("open")
    page.set_input_files("#upload", {"name": "notes.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.4"})
    sees(page, r"must end in one of \.csv")
    sees(page, "Save the table as one of these")


def test_a_broken_table_is_refused_and_the_open_one_stays(steward: Steward) -> None:
    steward.opened()
    page = steward.go("open")
    sees(page, "We read 120 rows and 5 columns")
    broken = b"a,b\n1,2\n3,4,5\n6,7\n"
    page.set_input_files("#upload", {"name": "broken.csv", "mimeType": "text/csv", "buffer": broken})
    expect(page.locator("#notices .notice.bad")).to_be_visible()
    sees(page, "We read 120 rows and 5 columns")


def test_a_promise_that_cannot_be_kept_says_what_is_nearest(steward: Steward) -> None:
    steward.opened()
    page = steward.go("promise")
    page.get_by_label("Fewest people in a group").fill("5000")
    page.get_by_label("Fewest people in a group").press("Enter")
    sees(page, "No version of this table can keep this")
    page.get_by_role("button", name="Promise k>=120 instead").click()
    sees(page, "This can be kept")
    expect(page.get_by_label("Fewest people in a group")).to_have_value("120")


def test_limits_that_are_too_tight_lead_back_to_what_can_be_changed(steward: Steward) -> None:
    steward.opened()
    tight = {name: {"at_most": 0} for name in ("age", "sex", "zip")}
    plan = {"columns": tight, "privacy": {"promise": ["k>=20"], "max_suppressed": "0"}}
    steward.api("PATCH", "/api/plan", {**plan, "search": {"algorithm": "optimal"}})
    page = steward.go("choose")
    page.wait_for_selector("#make")  # stars keep them, levels do not
    page.get_by_text("For experts: how it is searched").click()
    page.get_by_role("button", name="Search with the plan as it is").click()
    sees(page, "Not possible with these limits")
    page.locator("#job").get_by_role("link", name="Let columns become vaguer").click()
    page.wait_for_url("**/coarsen")


def test_a_number_that_is_none_is_refused_in_plain_words(steward: Steward) -> None:
    steward.opened()
    page = steward.go("promise")
    page.get_by_label("Percent of the people who may be left out").fill("many")
    page.get_by_label("Percent of the people who may be left out").press("Tab")
    sees(page, "The share is a number from 0 to 100 percent")


def test_unsure_columns_must_be_looked_at_before_one_goes_on(steward: Steward) -> None:
    (steward.house.folder / "odd.csv").write_text("colour,size\nred,1\nblue,2\nred,1\n", encoding="utf-8")
    steward.api("POST", "/api/open", {"name": "odd.csv"})
    page = steward.go("columns")
    page.wait_for_selector(".card.look")
    page.get_by_role("link", name="Next: Promise").click()
    sees(page, "Please confirm the columns colour, size first")
    assert page.url.endswith("/columns")
    page.get_by_role("button", name="Show me the first one").click()
    expect(page.get_by_role("heading", name="colour")).to_be_focused()


def test_two_quick_changes_are_both_made(steward: Steward) -> None:
    steward.opened()
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=2", "l>=2[disease]"]}})
    page = steward.go("promise")
    page.wait_for_selector("#k")
    page.evaluate("""() => {
        document.querySelector('#who-contract').click();
        document.querySelector('#l-on-0').click();
        const share = document.querySelector('#share');
        share.value = '7';
        share.dispatchEvent(new Event('change'));
    }""")  # quicker than anybody, before the first answer comes
    expect(page.locator("#all-promises code")).to_have_text(["k>=12"])
    expect(page.get_by_label("Percent of the people who may be left out")).to_have_value("7")


def test_an_expert_promises_candidates_instead_of_groups_that_look_alike(steward: Steward) -> None:
    steward.opened()
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=3", "l>=2[disease]"]}})
    page = steward.go("promise")
    page.locator("#all-promises > summary").click()
    page.get_by_label("Add a promise").select_option("Nobody is alone (k-anonymity)")
    page.locator("#of-k").fill("6")
    page.locator("#of-stars").select_option("candidates")
    page.locator("#add-promise").click()
    expect(page.locator("#all-promises code")).to_have_text(["l>=2[disease]", "k>=6[candidates]"])


def test_two_tabs_see_the_same_plan(steward: Steward) -> None:
    steward.opened()
    page = steward.go("promise")
    page.wait_for_selector("#k")
    other = steward.another_tab()
    other.go("promise").wait_for_selector("#k")
    other.page.get_by_label("Fewest people in a group").fill("7")
    other.page.get_by_label("Fewest people in a group").press("Enter")
    sees(page, "The plan was changed elsewhere")
    expect(page.get_by_label("Fewest people in a group")).to_have_value("7")


def test_a_change_on_top_of_another_one_that_nobody_saw_is_refused(steward: Steward) -> None:
    steward.opened()
    page = steward.go("promise")
    page.wait_for_selector("#k")
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=9"]}})  # somebody else, without a word
    page.get_by_label("Percent of the people who may be left out").fill("8")
    page.get_by_label("Percent of the people who may be left out").press("Enter")
    sees(page, "The plan was changed elsewhere, perhaps in another tab")
    expect(page.get_by_label("Fewest people in a group")).to_have_value("9")


def test_work_is_found_again_after_a_reload_and_can_be_cancelled(steward: Steward) -> None:
    name = steward.api("POST", "/api/example", {"rows": 100_000})["name"]
    plan = steward.api("POST", "/api/open", {"name": name})
    steward.api("POST", "/api/plan/confirm", {"columns": plan["unsure"]})
    page = steward.go("choose")
    expect(page.get_by_role("progressbar", name="Computing versions")).to_be_visible()
    page.reload()
    steward.ready()
    expect(page.get_by_role("progressbar", name="Computing versions")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    sees(page, "Nothing was written. Your plan is as it was")
    expect(page.get_by_role("button", name="Compute versions")).to_be_visible()


def test_a_server_that_is_gone_is_said_and_not_waited_for(chromium: Browser, tmp_path: Path) -> None:
    context = chromium.new_context()
    page = context.new_page()
    with served(tmp_path) as house:
        page.goto(house.first)
        page.wait_for_selector("html[data-ready]")
    page.get_by_role("button", name="Try the example").click()
    sees(page, "Is incrowd serve still running")
    context.close()


def test_values_of_the_table_are_shown_as_text(steward: Steward) -> None:
    evil = "<img src=x onerror=alert(1)>"
    rows = "\n".join(f'{20 + row % 3},"{evil}","=1+1"' for row in range(30))
    steward.opened(f"age,{evil},formula\n{rows}\n", "evil.csv")
    steward.api("PATCH", "/api/plan", {"columns": {evil: {"role": "quasi"}, "formula": {"role": "sensitive"}}})
    page = steward.page
    page.on("dialog", lambda _: steward.faults.append("a value was run"))
    for screen in ("open", "columns", "promise", "coarsen"):
        steward.go(screen)
        expect(page.locator("main")).to_contain_text(evil if screen != "promise" else "formula")
        assert page.locator("main img[src=x]").count() == 0


def test_the_file_can_be_shown_changed_and_taken_back(steward: Steward) -> None:
    steward.opened()
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=4"]}})
    page = steward.go("promise")
    page.get_by_role("button", name="Show the file").click()
    text = page.get_by_label("Text of the plan. You may change it here.")
    expect(text).to_have_value(re.compile(r"k>=4"))
    written = text.input_value()
    text.fill(written.replace("k>=4", "k>="))
    page.get_by_role("button", name="Save changes").click()
    expect(page.locator("#file-problem .notice.bad")).to_be_visible()
    text.fill(written.replace("k>=4", "k>=6"))
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_label("Fewest people in a group")).to_have_value("6")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Fewest people in a group")).to_have_value("4")
    page.get_by_role("button", name="Redo").click()
    expect(page.get_by_label("Fewest people in a group")).to_have_value("6")


def test_a_table_without_rows_and_one_with_one_column_are_doubted(steward: Steward) -> None:
    page = steward.go("open")
    page.set_input_files("#upload", {"name": "a.csv", "mimeType": "text/csv", "buffer": b"age,sex\n"})
    sees(page, "The table has no rows")
    page.set_input_files("#upload", {"name": "b.csv", "mimeType": "text/csv", "buffer": b"Dear Sir\nhello\nbye\n"})
    sees(page, "There is only one column")


def test_what_would_be_enough_is_a_click_away(steward: Steward) -> None:
    steward.opened()
    tight = {name: {"at_most": 1} for name in ("age", "sex", "zip")}
    steward.api("PATCH", "/api/plan", {"columns": tight, "privacy": {"promise": ["k>=20"], "max_suppressed": "0"}})
    page = steward.go("choose")
    sees(page, "The column age may not become vague enough")
    page.get_by_role("button", name="Let age become as vague as needed").click()
    expect(page.get_by_text("The column age may not become vague enough")).to_have_count(0)
    expect(page.get_by_role("button", name="Make this version")).to_be_visible()


def test_a_share_that_would_be_enough_is_a_click_away(steward: Steward) -> None:
    ages = "\n".join(f"{age},f,flu" for age in [*[30] * 29, 31])
    steward.opened(f"age,sex,disease\n{ages}\n", "few.csv")
    steward.api(
        "PATCH",
        "/api/plan",
        {"columns": {"age": {"at_most": 0}}, "privacy": {"promise": ["k>=2"], "max_suppressed": "0"}},
    )
    page = steward.go("choose")
    page.get_by_role("button", name="Let 3.4 % be left out").click()
    expect(page.get_by_role("button", name="Make this version")).to_be_visible()


SEARCHING = {
    "id": 99,
    "kind": "run",
    "state": "running",
    "stage": "searching",
    "words": "3 of at most 8 combinations of levels checked",
    "done": 3,
    "total": None,
    "kept": "0.75",
    "seconds": 3,
    "left": 7,
    "run": 1,
    "result": None,
    "error": None,
}
"""A search that stands still, so that nobody has to be quicker than it."""


def test_a_search_can_be_stopped_with_the_best_so_far(steward: Steward) -> None:
    steward.opened()
    asked: list[str | None] = []

    def stop(route: Route) -> None:
        asked.append(route.request.post_data)
        route.fulfill(json={**SEARCHING, "state": "stopped"})

    told = f"event: job\ndata: {json.dumps(SEARCHING)}\n\n"
    steward.page.route("**/api/jobs/current", lambda route: route.fulfill(json={"job": SEARCHING}))
    steward.page.route("**/api/jobs/99", lambda route: route.fulfill(json=SEARCHING))
    steward.page.route(
        "**/api/jobs/99/events", lambda route: route.fulfill(content_type="text/event-stream", body=told)
    )
    steward.page.route("**/api/jobs/99/stop", stop)
    page = steward.go("choose")
    sees(page, r"Best so far keeps about 75\s% of the detail\. About 7 seconds left")
    page.get_by_role("button", name="Stop and keep the best so far").click()
    sees(page, "Cancelled")
    assert asked == ['{"keep":true}']
