"""Where messages stand, what they say, and where the focus is afterwards."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from web.browser.steward import DISEASES, PATIENTS, Steward, sees

NEAR = 160
"""So many pixels at most lie between a control and the message about it."""
STRANGE = re.compile(r"=True|\w\(\)|Optimal\(|privacy\.|columns\.\w|at_least|at_most|max_suppressed|--\w|[a-z]_[a-z]")
"""Words of another world."""
WIDE = 15
"""More columns than fit on a screen."""


def box_of(found: Locator) -> Any:
    """Give where something is on the screen."""
    box = found.bounding_box()
    assert box is not None
    return box


def stands_by(page: Page, control: str, message: str = ".notice.bad") -> str:
    """Expect that a message stands in sight, near a control, in plain words; give the words."""
    found = page.locator(f"#notices {message}, #job {message}").first
    expect(found).to_be_visible()
    expect(found).to_be_in_viewport(ratio=0.5)
    near, box = box_of(page.locator(control)), box_of(found)
    apart = max(box["y"] - (near["y"] + near["height"]), near["y"] - (box["y"] + box["height"]))
    assert apart <= NEAR, (control, apart)
    words = found.inner_text()
    assert not STRANGE.search(words), words
    return words


def focused(page: Page) -> str:
    """Name what has the focus."""
    return str(page.evaluate("document.activeElement.id || document.activeElement.tagName"))


def test_a_file_that_cannot_be_read_is_told_where_it_was_chosen_with_ways_to_read_it(steward: Steward) -> None:
    page = steward.go("open")
    for number in range(25):
        (steward.house.folder / f"table-{number}.csv").write_text("a;b\n1;2\n", encoding="utf-8")
    (steward.house.folder / "odd.csv").write_text("34,f,01067\n35,m,01069\n", encoding="utf-8")
    page.reload()
    steward.ready()
    last = page.locator(".files button", has_text="odd.csv")
    last.scroll_into_view_if_needed()
    last.click()
    assert "does not look like names" in stands_by(page, ".files button:has-text('odd.csv')")
    assert focused(page).startswith("open-")
    page.get_by_role("button", name="The first line is a row like the others").click()
    sees(page, "We read 2 rows and 3 columns")
    expect(page.locator("#opened-title")).to_be_focused()


@pytest.mark.parametrize(
    ("control", "typed", "words"),
    [("#share", "150", "from 0 to 100 percent"), ("#k", "0", "whole number, 1 or more"), ("#l-0", "1", "2 or more")],
)
def test_a_number_that_does_not_fit_is_told_beside_its_field_and_can_be_put_back(
    steward: Steward, control: str, typed: str, words: str
) -> None:
    steward.opened()
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=3", "l>=2[disease]"], "max_suppressed": "0.05"}})
    page = steward.go("promise")
    field = page.locator(control)
    before = field.input_value()
    field.fill(typed)
    field.press("Tab")
    assert words in stands_by(page, control)
    page.get_by_role("button", name="Put back what was there").click()
    expect(page.locator(control)).to_have_value(before)
    assert focused(page) == control[1:]


def test_what_the_server_refuses_is_said_in_the_words_of_the_page(steward: Steward) -> None:
    steward.opened()
    steward.api("PATCH", "/api/plan", {"search": {"algorithm": "optimal"}})
    page = steward.go("choose")
    page.wait_for_selector("#make")
    page.get_by_text("For experts: how it is searched").click()
    page.get_by_label("Seconds that it may take").fill("0")
    page.get_by_label("Seconds that it may take").press("Tab")
    assert "The number of seconds that a search may take must be above 0" in stands_by(page, "#seconds")


def test_a_search_that_cannot_keep_a_limit_offers_one_that_can(steward: Steward) -> None:
    steward.opened()
    plan = {"columns": {"age": {"at_most": 2}}, "search": {"algorithm": "mondrian"}}
    steward.api("PATCH", "/api/plan", {**plan, "privacy": {"promise": ["k>=2"], "max_suppressed": "0.2"}})
    page = steward.go("choose")
    sees(page, "the limit of the column age cannot be kept")
    page.get_by_text("For experts: how it is searched").click()
    page.get_by_role("button", name="Search with the plan as it is").click()
    assert "the limit of the column age cannot be kept" in stands_by(page, "#run-plan")
    page.locator("#job").get_by_role("button", name="Search for the best version instead").click()
    sees(page, "Version 1")
    assert steward.api("GET", "/api/plan")["plan"]["search"]["algorithm"] == "optimal"


def test_a_folder_that_is_there_can_be_replaced_with_one_click(steward: Steward) -> None:
    steward.made()
    told = {"code": "IC106", "message": "The folder 'out' exists already.", "hint": "", "place": "", "problems": []}
    again = {"words": "Replace what is in the folder", "change": None, "again": {"force": True}, "go": ""}
    asked: list[Any] = []

    def start(route: Route) -> None:
        asked.append(json.loads(route.request.post_data or ""))
        route.fulfill(status=422, json={**told, "repairs": [again]})

    steward.page.route("**/api/jobs", start)
    page = steward.go("choose")
    page.wait_for_selector("#run-plan", state="attached")
    page.get_by_text("For experts: how it is searched").click()
    page.locator("#run-plan").click()
    assert "exists already" in stands_by(page, "#run-plan")
    page.get_by_role("button", name="Replace what is in the folder").click()
    expect(page.get_by_role("button", name="Replace what is in the folder")).to_have_count(0)
    assert asked == [{"kind": "run"}, {"kind": "run", "force": True}]


def test_a_disk_that_is_full_is_told_beside_the_field_that_could_not_be_saved(steward: Steward) -> None:
    steward.opened()
    full = {"code": "IC302", "message": "The disk is full.", "hint": "Make room on it.", "place": "", "problems": []}
    steward.page.route(
        "**/api/plan",
        lambda route: route.fulfill(status=500, json=full) if route.request.method == "PATCH" else route.continue_(),
    )
    page = steward.go("coarsen")
    page.wait_for_selector("#most-2")
    page.locator("#most-2").focus()
    page.keyboard.press("ArrowLeft")
    assert "The disk is full" in stands_by(page, "#most-2")
    assert focused(page) == "most-2"


def test_a_server_that_is_lost_is_told_beside_the_button(steward: Steward) -> None:
    steward.made()
    page = steward.go("check")
    page.wait_for_selector("#found-title")
    page.locator("#graph > summary").click()
    page.route("**/api/jobs", lambda route: route.abort())
    page.get_by_role("button", name="Draw").click()
    assert "does not answer" in stands_by(page, "#draw-graph")
    expect(page.locator("#job").get_by_role("button", name="Try again")).to_be_visible()


def test_a_message_stays_in_sight_when_what_is_above_it_is_drawn_later_until_somebody_scrolls(steward: Steward) -> None:
    steward.made()
    page = steward.go("check")
    page.wait_for_selector("#found-title")
    page.locator("#graph > summary").click()
    page.route("**/api/jobs", lambda route: route.abort())
    page.get_by_role("button", name="Draw").click()
    stands_by(page, "#draw-graph")
    page.evaluate("document.documentElement.style.overflowAnchor = 'none'")  # some browsers do not anchor by themselves
    grow = "document.getElementById('main').style.paddingTop = (parseFloat(main.style.paddingTop) || 0) + 3000 + 'px'"
    page.evaluate(grow)
    stands_by(page, "#draw-graph")
    page.mouse.wheel(0, -5000)
    message = page.locator("#job .notice.bad")
    expect(message).not_to_be_in_viewport()
    page.evaluate(grow)
    page.wait_for_timeout(200)
    expect(message).not_to_be_in_viewport()


def test_a_question_with_an_end_that_is_no_number_is_answered_beside_the_end(steward: Steward) -> None:
    steward.made()
    page = steward.go("check")
    page.locator("#questions > summary").click()
    page.get_by_label("and only where").select_option("age")
    page.get_by_label("age to").fill("old")
    page.get_by_role("button", name="Ask", exact=True).click()
    assert "This column holds numbers" in stands_by(page, "#where-1-high")
    expect(page.locator("#where-1-high")).to_be_focused()
    expect(page.locator("#where-1-high")).to_have_attribute("aria-invalid", "true")
    page.locator("#where-1-high").fill("30")
    page.get_by_role("button", name="Ask", exact=True).click()
    sees(page, "How many people where age to 30")
    expect(page.locator("#job .notice")).to_have_count(0)


def test_progress_stands_beside_the_button_and_counts_its_parts(steward: Steward) -> None:
    steward.opened()
    job = {"id": 99, "kind": "alternatives", "state": "running", "stage": "searching", "words": "", "done": None}
    job |= {"total": None, "kept": None, "seconds": 1, "left": None, "run": None, "result": None, "error": None}
    parts = {"part": 2, "parts": 3, "part_words": "safer"}
    page = steward.go("choose")
    page.wait_for_selector("#make")
    told = f"event: job\ndata: {json.dumps({**job, **parts})}\n\n"
    page.route("**/api/jobs", lambda route: route.fulfill(status=202, json={**job, **parts}))
    page.route("**/api/jobs/99", lambda route: route.fulfill(json={**job, **parts}))
    page.route("**/api/jobs/99/events", lambda route: route.fulfill(content_type="text/event-stream", body=told))
    page.get_by_text("For experts: how it is searched").click()
    page.get_by_role("button", name="Search with the plan as it is").click()
    stands_by(page, "#run-plan", ".running")
    expect(page.locator("#job-words")).to_contain_text("2 of 3: safer.")
    assert page.locator("#job-bar").evaluate("bar => bar.position") == pytest.approx(1 / 3)


def test_the_versions_are_computed_as_parts_one_to_four(steward: Steward) -> None:
    steward.opened()
    number = steward.api("POST", "/api/jobs", {"kind": "alternatives"})["id"]
    events = steward.context.request.get(f"{steward.house.address}/api/jobs/{number}/events").text()
    told = [json.loads(line[6:]) for line in events.splitlines() if line.startswith("data: ")]
    parts = [one["part"] for one in told if one["part"] is not None]
    assert parts == sorted(parts)
    assert set(parts) <= {1, 2, 3, 4}
    assert told[-1]["state"] == "done"


def test_undo_on_the_first_step_shows_the_table_that_is_open_then(steward: Steward) -> None:
    steward.opened()
    steward.opened("colour,size,taste\nred,1,a\nblue,2,b\nred,1,a\n", "fruit.csv")
    page = steward.go("open")
    sees(page, "We read 3 rows and 3 columns")
    page.get_by_role("button", name="Undo").click()
    sees(page, "We read 120 rows and 5 columns")
    expect(page.locator(".files li", has_text="patients.csv")).to_contain_text("open")
    expect(page.get_by_role("region", name="The first 20 rows")).to_contain_text("disease")
    page.get_by_role("button", name="Redo").click()
    sees(page, "We read 3 rows and 3 columns")


def test_undo_keeps_the_focus_where_something_can_still_be_done(steward: Steward) -> None:
    steward.opened()
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=4"]}})
    page = steward.go("promise")
    page.wait_for_selector("#k")
    page.locator("#undo").focus()
    for _ in range(6):
        if focused(page) == "undo":
            page.keyboard.press("Enter")
            page.wait_for_load_state("networkidle")
    expect(page.locator("#undo")).to_be_disabled()
    assert focused(page) == "redo"


def test_the_focus_stays_on_what_was_changed_on_every_step(steward: Steward) -> None:
    steward.opened()
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=3"], "max_suppressed": "0.2"}})
    used = {
        "columns": ("#role-1-quasi", "ArrowDown", "role-1-sensitive"),
        "promise": ("#k", "ArrowUp", "k"),
        "coarsen": ("#most-0", "ArrowLeft", "most-0"),
        "choose": ("#version-best-node", "ArrowDown", "version-levels-and-cells"),
    }
    for screen, (control, key, held) in used.items():
        page = steward.go(screen)
        page.wait_for_selector(control, state="attached")
        page.locator(control).focus()
        page.keyboard.press(key)
        if screen == "promise":
            page.keyboard.press("Enter")
        page.wait_for_load_state("networkidle")
        assert focused(page) == held, screen
    page = steward.go("coarsen")
    page.wait_for_selector("#stars-0-1", state="attached")
    page.locator("#stars-0-1").focus()
    page.keyboard.press("ArrowRight")
    sees(page, "Losing it costs 2 times as much")
    assert focused(page) == "stars-0-2"


def test_using_a_ladder_leaves_the_focus_at_its_column(steward: Steward) -> None:
    steward.opened()
    page = steward.go("coarsen")
    page.locator("#change-0 > summary").click()
    page.get_by_label("Kind of ladder").select_option("All or nothing")
    page.locator("#b0-use").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#ladder-0 .rungs li")).to_have_count(2)
    inside = "document.getElementById('ladder-0').contains(document.activeElement)"
    assert page.evaluate(inside)


def wide_table() -> str:
    names = [f"c{number}" for number in range(1, WIDE)]
    rows = [",".join([str((row * number) % 9) for number in range(1, WIDE)] + [DISEASES[row % 4]]) for row in range(90)]
    return "\n".join([",".join([*names, "disease"]), *rows, ""])


def test_every_column_of_a_version_says_what_it_becomes(steward: Steward) -> None:
    steward.opened(wide_table(), "wide.csv")
    roles = {f"c{number}": {"role": "quasi"} for number in range(1, WIDE)}
    steward.api("PATCH", "/api/plan", {"columns": roles, "privacy": {"promise": ["k>=2"], "max_suppressed": "0.2"}})
    page = steward.go("choose")
    page.wait_for_selector("#make")
    page.get_by_text("What becomes of each column").first.click()
    rows = page.locator("#left-of-columns tbody tr")
    expect(rows).to_have_count(WIDE - 1)
    words = rows.locator("td:nth-child(2)").all_inner_texts()
    assert all(re.match(r"as it is|without its values|in \d+ groups", one) for one in words), words


def test_a_column_is_kept_with_one_press_of_a_key_and_everything_is_computed_again(steward: Steward) -> None:
    steward.opened(PATIENTS)
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=5"], "max_suppressed": "0.1"}})
    steward.work({"kind": "alternatives"})
    page = steward.go("choose")
    keep = page.get_by_role("button", name="Keep zip")
    expect(keep).to_have_attribute("aria-pressed", "false")
    keep.focus()
    page.keyboard.press("Enter")
    expect(keep).to_have_attribute("aria-pressed", "true")
    sees(page, "as you weigh the columns")
    assert focused(page) == keep.get_attribute("id")
    assert steward.api("GET", "/api/plan")["plan"]["columns"]["zip"]["importance"] == "5"
    page.keyboard.press("Enter")
    expect(keep).to_have_attribute("aria-pressed", "false")
    expect(page.get_by_text("as you weigh the columns")).to_have_count(0)


def test_names_beside_the_points_cover_neither_points_nor_each_other(steward: Steward) -> None:
    steward.opened(PATIENTS)
    steward.work({"kind": "alternatives"})
    page = steward.go("choose")
    page.wait_for_selector("figure .dot", state="attached")
    boxes = page.evaluate(
        "() => [...document.querySelectorAll('figure .dot, figure .dot ~ text')].map(one => {"
        " const {left, right, top, bottom} = one.getBBox ? (b => ({left: b.x, right: b.x + b.width, top: b.y + 2,"
        " bottom: b.y + b.height - 2}))(one.getBBox()) : null; return [one.tagName, left, right, top, bottom]; })"
    )
    texts = [one for one in boxes if one[0] == "text"]
    assert texts
    for one in texts:
        for other in boxes:
            apart = one[2] <= other[1] or other[2] <= one[1] or one[4] <= other[3] or other[4] <= one[3]
            assert apart or one is other, (one, other)


def test_another_version_is_taken_while_looking_around(steward: Steward) -> None:
    steward.opened(PATIENTS)
    plan = {"privacy": {"promise": ["k>=3"], "max_suppressed": "0.2"}, "search": {"algorithm": "optimal"}}
    steward.api("PATCH", "/api/plan", plan)
    steward.work({"kind": "run"})
    page = steward.go("choose")
    page.get_by_text("Look around: other levels").click()
    page.locator("#around .node").last.click()  # the vaguest one, which keeps every promise
    sees(page, "The promise would be kept")
    expect(page.locator("#turn-words-0")).to_contain_text("not shown")
    page.get_by_role("button", name="Take this version").click()
    sees(page, "Version 2: Your own levels")
    expect(page.locator("#made-title")).to_be_focused()
    assert set(steward.api("GET", "/api/runs/2")["levels"].values()) == {4, 1, 5}


def test_a_version_that_breaks_the_promise_cannot_be_taken(steward: Steward) -> None:
    steward.opened()
    plan = {"privacy": {"promise": ["k>=3"], "max_suppressed": "0.2"}, "search": {"algorithm": "optimal"}}
    steward.api("PATCH", "/api/plan", plan)
    steward.work({"kind": "run"})
    page = steward.go("choose")
    page.get_by_text("Look around: other levels").click()
    page.locator("#around .node").first.click()
    sees(page, "The promise would not be kept")
    expect(page.get_by_role("button", name="Take this version")).to_have_count(0)


def test_a_job_that_is_in_the_way_of_another_is_shown_beside_the_button_that_has_to_wait(steward: Steward) -> None:
    steward.opened()
    job = {"id": 99, "kind": "export", "state": "running", "stage": "working", "words": "", "done": None}
    job |= {"total": None, "kept": None, "seconds": 1, "left": None, "run": None, "result": None, "error": None}
    page = steward.go("choose")
    page.wait_for_selector("#make")
    told = f"event: job\ndata: {json.dumps(job)}\n\n"
    busy = {"code": "busy", "message": "Another job is under way.", "hint": "", "place": "", "problems": []}
    page.route("**/api/jobs", lambda route: route.fulfill(status=409, json=busy))
    page.route("**/api/jobs/current", lambda route: route.fulfill(json={"job": job}))
    page.route("**/api/jobs/99", lambda route: route.fulfill(json=job))
    page.route("**/api/jobs/99/events", lambda route: route.fulfill(content_type="text/event-stream", body=told))
    page.get_by_text("For experts: how it is searched").click()
    page.get_by_role("button", name="Search with the plan as it is").click()
    words = stands_by(page, "#run-plan", ".running")
    assert "Writing the files" in words
    assert "This has to end, or be cancelled, first" in words
