"""Screen readers, small screens, dark rooms: axe finds nothing, and nothing sticks out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from web.browser.steward import SCREENS, House, Steward, visiting

SETTLED = {
    "open": "#read table",
    "columns": "#alone .bars",
    "promise": "#possible .notice",
    "coarsen": "#ladder-2 .rungs",
    "choose": "#made table",
    "check": "#found .notice",
    "release": "#history table",
}
"""What is there when a screen has shown all it has."""


@pytest.fixture(scope="module")
def finished(house: House, chromium: Browser, cookies: list[Any]) -> House:
    """Let there be a version that was attacked, so that every screen has something to show."""
    with visiting(house, chromium, cookies) as somebody:
        somebody.clear()
        somebody.made()
    return house


@pytest.fixture(params=["light"])
def reader(request: pytest.FixtureRequest, finished: House, chromium: Browser, cookies: list[Any]) -> Iterator[Steward]:
    with visiting(finished, chromium, cookies, color_scheme=request.param) as somebody:
        yield somebody


def settled(steward: Steward, screen: str) -> Page:
    """Open a screen, wait for all of it, and unfold what can be unfolded."""
    page = steward.go(screen)
    page.wait_for_selector(SETTLED[screen])
    page.evaluate("() => document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    if screen == "coarsen":  # what is unfolded asks for more
        expect(page.get_by_role("region", name=re.compile("^Some values of"))).to_have_count(3)
    return page


@pytest.mark.parametrize("reader", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing_on_any_screen(reader: Steward, screen: str) -> None:
    page = settled(reader, screen)
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(one["id"], [node["html"][:200] for node in one["nodes"]][:3]) for one in found] == []


@pytest.mark.parametrize("width", [360, 1600])
def test_nothing_sticks_out_sideways(finished: House, chromium: Browser, cookies: list[Any], width: int) -> None:
    with visiting(finished, chromium, cookies, viewport={"width": width, "height": 800}) as somebody:
        for screen in SCREENS:
            page = settled(somebody, screen)
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, screen


def test_every_screen_begins_at_its_question(reader: Steward) -> None:
    for screen in SCREENS:
        page = reader.go(screen)
        expect(page.locator("#question")).to_be_focused()


def test_every_number_says_what_it_means(reader: Steward) -> None:
    for screen in ("choose", "check"):
        page = settled(reader, screen)
        assert page.locator(".fact").count() > 0
        assert page.locator(".fact:not(:has(.meaning p))").count() == 0


def test_a_chart_can_be_pointed_at_for_its_numbers(reader: Steward) -> None:
    page = settled(reader, "check")
    page.get_by_role("button", name="Point at it for numbers").first.click()
    page.locator("figure .chart svg rect:has(title)").first.hover()
    expect(page.locator("figure .chart .tip").first).to_have_text(re.compile(r"%$"))
