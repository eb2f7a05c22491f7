"""Everything by keyboard: the focus is on the question, all can be reached, and dragging has another way."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from web.browser.steward import Steward, sees

TABS = 200
"""So many times anybody presses the key before giving up."""


def tab_to(page: Page, words: str) -> None:
    """Press the tabulator until the focus is on something with these words."""
    for _ in range(TABS):
        page.keyboard.press("Tab")
        found = page.evaluate(
            "() => { const at = document.activeElement; return [at.ariaLabel, at.textContent, at.id,"
            " at.labels?.[0]?.textContent].filter(Boolean).join(' ').slice(0, 300); }"
        )
        if words in found:
            return
    msg = f"{words!r} cannot be reached"
    raise AssertionError(msg)


def test_a_release_can_be_made_with_the_keyboard_alone(steward: Steward) -> None:
    steward.opened()
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=3"], "max_suppressed": "0.2"}})
    page = steward.go("open")
    sees(page, "We read 120 rows")
    tab_to(page, "Next: Columns")
    page.keyboard.press("Enter")
    page.wait_for_url("**/columns")
    page.wait_for_selector(".card")
    tab_to(page, "Names a person")  # one stop per column; the arrows choose
    page.keyboard.press("ArrowUp")
    expect(page.locator("#role-0-drop")).to_be_checked()
    tab_to(page, "Next: Promise")
    page.keyboard.press("Enter")
    page.wait_for_url("**/promise")
    page.wait_for_selector("#k")
    tab_to(page, "Fewest people in a group")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Tab")
    expect(page.locator("#all-promises code").first).to_have_text("k>=4")
    tab_to(page, "Next: Coarsen")
    page.keyboard.press("Enter")
    page.wait_for_url("**/coarsen")
    page.wait_for_selector("#most-0")
    tab_to(page, "most-0")
    page.keyboard.press("ArrowLeft")
    sees(page, "Never vaguer than level")
    page.keyboard.press("ArrowRight")
    tab_to(page, "Next: Choose")
    page.keyboard.press("Enter")
    page.wait_for_url("**/choose")
    page.wait_for_selector("#make")
    tab_to(page, "Make this version")
    page.keyboard.press("Enter")
    sees(page, "This version keeps the promise")
    expect(page.locator("#made-title")).to_be_focused()


def test_values_can_be_sorted_by_dragging_by_a_list_and_groups_by_buttons(steward: Steward) -> None:
    steward.opened()
    page = steward.go("promise")
    page.get_by_text("For experts: which values are most secret").click()
    page.get_by_role("button", name="Sort its values").click()
    first = page.locator(".group").first
    steward.drag("hiv", ".values", first)
    page.get_by_label("Group of flu").select_option("less secret")
    page.get_by_role("button", name="Move less secret up").press("Enter")
    page.get_by_role("button", name="Use this order").press("Enter")
    expect(page.locator("#said")).to_have_text("Saved.")
    page.get_by_role("button", name="Show the file").click()
    text = page.get_by_label("Text of the plan. You may change it here.").input_value()
    assert text.index("less secret") < text.index("most secret") < text.index("harmless")


def test_a_ladder_of_another_kind_is_previewed_while_it_is_typed(steward: Steward) -> None:
    steward.opened()
    page = steward.go("coarsen")
    page.locator("#change-0 > summary").click()
    page.get_by_label("Kind of ladder").select_option("Ranges of numbers")
    page.locator("#b0-intervals").fill("7, 10")
    expect(page.locator("#b0-shown .notice.bad")).to_be_visible()
    page.locator("#b0-intervals").fill("10, 20")
    expect(page.locator("#b0-shown")).to_contain_text("[30, 40)")
    page.get_by_role("button", name="Use this ladder").click()
    expect(page.locator("#ladder-0 .rungs")).to_contain_text("[20, 40)")
