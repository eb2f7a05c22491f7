"""Files that are put into the folder and taken out again on the page."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from web.browser.steward import PATIENTS, Steward, sees

CSV = "text/csv"


def put(page: Page, name: str, text: str = PATIENTS) -> None:
    """Choose a file, as somebody would in the window of their system."""
    page.set_input_files("#upload", {"name": name, "mimeType": CSV, "buffer": text.encode()})


def names(page: Page) -> list[str]:
    return page.locator(".files .name").all_inner_texts()


def test_a_file_keeps_its_name_and_a_second_one_gets_a_number(steward: Steward) -> None:
    page = steward.go("open")
    put(page, "Aufnahmen 2024.csv")
    sees(page, "We read 120 rows and 5 columns")
    put(page, "Aufnahmen 2024.csv", PATIENTS.replace("Person 7,", "Person 700,"))
    expect(page.locator(".files li")).to_have_count(2)
    assert sorted(names(page)) == ["Aufnahmen 2024 (2).csv", "Aufnahmen 2024.csv"]
    expect(page.locator(".files li", has_text="(2)")).to_contain_text("open")
    assert (steward.house.folder / "Aufnahmen 2024.csv").read_text(encoding="utf-8") == PATIENTS


def test_a_name_that_means_harm_is_only_a_name(steward: Steward) -> None:
    page = steward.go("open")
    page.on("dialog", lambda _: steward.faults.append("a name was run"))
    for name, kept in (
        ("<img src=x onerror=alert(1)>.csv", "_img src=x onerror=alert(1)_.csv"),
        (".hidden.csv", "hidden.csv"),
        (f"{'x' * 230}.csv", f"{'x' * 120}.csv"),
    ):
        put(page, name)
        expect(page.locator(".files li", has_text=kept)).to_contain_text("open")
    assert page.locator("main img[src=x]").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_file_is_deleted_after_a_question(steward: Steward) -> None:
    steward.opened()
    page = steward.go("open")
    put(page, "copy.csv", "age,sex\n" + "30,f\n" * 30)
    sees(page, "We read 30 rows")
    page.get_by_role("button", name="patients.csv").click()
    sees(page, "We read 120 rows")
    expect(page.get_by_role("button", name="Delete patients.csv")).to_have_count(0)  # it was there before us
    page.get_by_role("button", name="Delete copy.csv").click()
    expect(page.get_by_role("button", name="Keep it")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Delete copy.csv")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Delete it", exact=True).click()
    expect(page.locator(".files li")).to_have_count(1)
    expect(page.locator("#files-title")).to_be_focused()
    assert not (steward.house.folder / "copy.csv").exists()
    sees(page, "We read 120 rows")


def test_a_file_that_the_plan_uses_is_deleted_with_a_warning(steward: Steward) -> None:
    page = steward.go("open")
    put(page, "copy.csv")
    sees(page, "We read 120 rows")
    page.get_by_role("button", name="Delete copy.csv").click()
    sees(page, "The plan uses it for the table")
    page.get_by_role("button", name="Delete it", exact=True).click()
    sees(page, "The table is deleted")
    sees(page, "There is no table in the folder yet")
    put(page, "copy.csv")
    sees(page, "We read 120 rows")


def test_a_file_that_is_gone_already_is_said_and_not_listed_any_more(steward: Steward) -> None:
    page = steward.go("open")
    put(page, "a.csv")
    sees(page, "We read 120 rows")
    put(page, "b.csv")
    expect(page.locator(".files li", has_text="b.csv")).to_contain_text("open")
    (steward.house.folder / "a.csv").unlink()
    page.get_by_role("button", name="Delete a.csv").click()
    page.get_by_role("button", name="Delete it", exact=True).click()
    sees(page, "This file is gone already")
    expect(page.locator(".files li")).to_have_count(1)


def test_nothing_is_deleted_while_a_job_runs(steward: Steward) -> None:
    page = steward.go("open")
    put(page, "a.csv")
    sees(page, "We read 120 rows")
    said = {"code": "busy", "message": "Another job is under way.", "hint": "Wait until it has ended.", "repairs": []}
    page.route("**/api/files?name=*", lambda route: route.fulfill(status=409, json=said))
    page.get_by_role("button", name="Delete a.csv").click()
    page.get_by_role("button", name="Delete it", exact=True).click()
    expect(page.locator(".files #notices")).to_contain_text("Another job is under way")
    assert (steward.house.folder / "a.csv").exists()
