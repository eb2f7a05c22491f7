"""A busy machine answers late: what was asked for last is shown, whichever answer comes last."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page, expect

from web.browser.steward import Steward, sees

_HOLD = """(path) => {
    const ask = window.fetch;
    let held = false;
    window.fetch = async (asked, ...more) => {
        const answer = await ask(asked, ...more);
        if (asked.endsWith(path) && !held) {
            held = true;
            await new Promise((go) => { window.letGo = go; });
        }
        return answer;
    };
}"""


def hold(page: Page, path: str) -> None:
    """Let the next answer to a question arrive, but not be heard yet."""
    page.evaluate(_HOLD, path)


def arrived(page: Page) -> None:
    """Wait for it."""
    page.wait_for_function("() => window.letGo")


def let_go(page: Page) -> None:
    """Let the page hear it now."""
    arrived(page)
    page.evaluate("() => (window.letGo(), new Promise((done) => setTimeout(done, 100)))")


def test_versions_that_were_computed_meanwhile_stay(steward: Steward) -> None:
    steward.opened()
    steward.api("PATCH", "/api/plan", {"columns": {"age": {"at_most": 0}}, "privacy": {"promise": ["k>=20"]}})
    page = steward.go("choose")
    way_out = page.get_by_role("button", name="Let age become as vague as needed")
    expect(way_out).to_be_visible()
    hold(page, "/api/alternatives")
    way_out.click()
    version = page.get_by_role("button", name="Make this version")
    expect(version).to_be_visible()
    let_go(page)
    expect(version).to_be_visible()


def test_of_two_levels_that_were_looked_at_the_last_one_is_shown(steward: Steward) -> None:
    steward.opened()
    plan = {"privacy": {"promise": ["k>=3"], "max_suppressed": "0.2"}, "search": {"algorithm": "optimal"}}
    steward.api("PATCH", "/api/plan", plan)
    steward.work({"kind": "run"})
    page = steward.go("choose")
    page.get_by_text("Look around: other levels").click()
    page.locator("#around .node").first.wait_for()
    hold(page, "/node")
    page.locator("#around .node").last.click()
    arrived(page)
    page.locator("#around .node").first.click()
    sees(page, "The promise would not be kept")
    let_go(page)
    sees(page, "The promise would not be kept")


def test_whether_a_promise_can_be_kept_is_said_of_the_last_one(steward: Steward) -> None:
    steward.opened()
    page = steward.go("promise")
    sees(page, "This can be kept")
    hold(page, "/api/promise/check")
    group = page.get_by_label("Fewest people in a group")
    group.fill("6")
    group.press("Enter")
    arrived(page)
    group.fill("121")
    group.press("Enter")
    sees(page, "No version of this table can keep this")
    let_go(page)
    sees(page, "No version of this table can keep this")


def test_a_ladder_is_drawn_as_the_plan_is_now(steward: Steward) -> None:
    steward.opened()
    page = steward.go("coarsen")
    ladder = page.get_by_label("Ladder of age")
    expect(page.get_by_label("Ladder of zip")).to_be_visible()  # the last one
    hold(page, "/api/hierarchies/preview")
    turn_to(steward, {"intervals": [10, 20]})
    arrived(page)
    turn_to(steward, "flat")
    expect(ladder.locator("li")).to_have_count(2)
    let_go(page)
    expect(ladder.locator("li")).to_have_count(2)


def turn_to(steward: Steward, hierarchy: Any) -> None:
    """Let somebody else change the hierarchy, and the page look again."""
    steward.api("PATCH", "/api/plan", {"columns": {"age": {"hierarchy": hierarchy}}})
    steward.page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")


def test_versions_that_are_there_are_shown_whichever_answer_comes_first(steward: Steward) -> None:
    steward.opened()
    steward.work({"kind": "alternatives"})
    steward.page.add_init_script(f"({_HOLD})('/api/alternatives')")
    page = steward.go("choose")
    version = page.get_by_role("button", name="Make this version")
    expect(version).to_be_visible()
    let_go(page)
    expect(version).to_be_visible()


def test_every_card_has_the_ladder_of_its_own_column(steward: Steward) -> None:
    steward.opened()
    page = steward.go("coarsen")
    expect(page.get_by_label("Ladder of zip")).to_be_visible()
    hold(page, "/api/hierarchies/preview")
    turn_to(steward, {"intervals": [10, 20]})
    arrived(page)
    steward.api("PATCH", "/api/plan", {"columns": {"age": {"role": "insensitive"}}})
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_label("Ladder of age")).to_have_count(0)
    let_go(page)
    cards = page.locator("#ladders article")
    expect(cards).to_have_count(2)
    for place, name in enumerate(("sex", "zip")):
        expect(cards.nth(place).get_by_label(f"Ladder of {name}")).to_be_visible()


def test_work_that_was_cancelled_meanwhile_is_not_called_under_way(steward: Steward) -> None:
    steward.opened()
    job = {"id": 99, "kind": "alternatives", "state": "running", "stage": "searching", "seconds": 1, "result": None}
    told = f"event: job\ndata: {json.dumps(job)}\n\n"
    steward.page.route("**/api/jobs/current", lambda route: route.fulfill(json={"job": job}))
    steward.page.route("**/api/jobs/99", lambda route: route.fulfill(json=job))
    steward.page.route("**/api/jobs/99/stop", lambda route: route.fulfill(json={**job, "state": "stopped"}))
    steward.page.route(
        "**/api/jobs/99/events", lambda route: route.fulfill(content_type="text/event-stream", body=told)
    )
    steward.page.add_init_script(f"({_HOLD})('/api/searches')")
    page = steward.go("choose")
    page.get_by_role("button", name="Cancel").click()
    sees(page, "Nothing was written. Your plan is as it was")
    let_go(page)
    expect(page.get_by_role("button", name="Compute versions")).to_be_visible()
