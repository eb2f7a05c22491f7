"""A browser and a server for every module; every data steward finds an empty folder.

Not for longer: while the browser is there an event loop runs, and other tests run one of their own.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from engines.extras import skip
from web.browser.steward import PATIENCE, House, Steward, served, visiting


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Give a browser; absent on some laptops, required in CI."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        skip("there is no chromium")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Serve an empty folder."""
    with served(tmp_path_factory.mktemp("house")) as house:
        yield house


@pytest.fixture(scope="module")
def cookies(house: House, chromium: Browser) -> list[Any]:
    """Visit the printed address once; that is what it is good for."""
    context = chromium.new_context()
    context.new_page().goto(house.first)
    found = list(context.cookies())
    context.close()
    return found


@pytest.fixture
def steward(house: House, chromium: Browser, cookies: list[Any]) -> Iterator[Steward]:
    """Let somebody sit down in front of the page, with nothing in the folder."""
    with visiting(house, chromium, cookies) as somebody:
        somebody.clear()
        yield somebody
