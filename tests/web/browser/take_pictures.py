"""Takes the pictures of the tutorial again. In the folder tests: ``python -m web.browser.take_pictures``."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

from web.browser.steward import Steward, sees, served, visiting

PICTURES = Path(__file__).parents[3] / "docs" / "tutorials" / "pictures"
STEPS = ("open", "columns", "promise", "coarsen", "choose", "made", "check", "release")
NAMES = (*STEPS, *(f"{name}-dark" for name in STEPS))
SIZE: ViewportSize = {"width": 1120, "height": 780}
TALL: ViewportSize = {"width": 1280, "height": 950}


def main() -> None:
    """Walk through all screens twice, in a light and in a dark room."""
    PICTURES.mkdir(exist_ok=True)
    for scheme in ("light", "dark"):
        with (
            tempfile.TemporaryDirectory() as folder,
            served(Path(folder)) as house,
            sync_playwright() as playwright,
        ):
            path = shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            context = browser.new_context()
            context.new_page().goto(house.first)
            with visiting(house, browser, list(context.cookies()), color_scheme=scheme, viewport=SIZE) as steward:
                for name in walked(steward):
                    taken(steward.page, name if scheme == "light" else f"{name}-dark")
                    steward.page.set_viewport_size(SIZE)
            browser.close()


def taken(page: Page, name: str) -> None:
    """Take a picture."""
    page.mouse.move(0, 0)
    page.screenshot(path=PICTURES / f"{name}.png", animations="disabled")


def walked(steward: Steward) -> Iterator[str]:
    """Go from the example to its release; stop where a picture is taken."""
    page = steward.go("open")
    page.get_by_role("button", name="Try the example").click()
    sees(page, "We read 1,000 rows")
    page.locator("#opened-title").scroll_into_view_if_needed()
    page.evaluate("scrollTo(0, 0)")
    yield "open"
    steward.go("columns").wait_for_selector("#alone .bars")
    page.evaluate("document.querySelector('section:has(#cards)').scrollIntoView()")
    yield "columns"
    steward.api("POST", "/api/plan/confirm", {"columns": steward.api("GET", "/api/plan")["unsure"]})
    steward.go("promise").get_by_label("Inside your organisation").check()
    page.locator("#all-promises > summary").click()
    page.locator("#all-promises li", has_text="cost").get_by_role("button", name="Remove").click()
    expect(page.locator("#all-promises code")).to_have_count(2)
    page.locator("#all-promises > summary").click()
    sees(page, "This can be kept")
    page.set_viewport_size(TALL)
    page.evaluate("scrollTo(0, 360)")
    yield "promise"
    steward.go("coarsen").wait_for_selector("#ladder-5 .rungs")
    page.evaluate("document.querySelector('section:has(#ladders)').scrollIntoView()")
    yield "coarsen"
    steward.go("choose").wait_for_selector("#make")
    page.evaluate("scrollTo(0, 0)")
    yield "choose"
    page.get_by_role("button", name="Make this version").click()
    sees(page, "This version keeps the promise")
    page.evaluate("document.querySelector('#made').scrollIntoView()")
    yield "made"
    page.get_by_role("link", name="Check this version").click()
    sees(page, "The version keeps what you promised")
    page.evaluate("scrollTo(0, 0)")
    yield "check"
    steward.go("release").get_by_role("button", name="There are none").click()
    page.get_by_role("button", name="Write the release").click()
    sees(page, "Written into the folder")
    page.evaluate("document.querySelector('section:has(#write)').scrollIntoView()")
    yield "release"


if __name__ == "__main__":
    main()
