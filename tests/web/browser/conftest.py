"""A server for all tests, a browser for every module; every data steward finds an empty folder.

The browser is not there for longer: while it is an event loop runs, and other tests run one of their own.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import httpx
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


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Serve an empty folder; one server for all, whose workers have loaded what tables need."""
    with served(tmp_path_factory.mktemp("house")) as house:
        yield house


@pytest.fixture(scope="session")
def cookies(house: House) -> list[Any]:
    """Visit the printed address once; that is what it is good for."""
    with httpx.Client() as visitor:
        visitor.get(house.first)
        return [{"name": name, "value": value, "url": house.address} for name, value in visitor.cookies.items()]


@pytest.fixture
def steward(house: House, chromium: Browser, cookies: list[Any]) -> Iterator[Steward]:
    """Let somebody sit down in front of the page, with nothing in the folder."""
    with visiting(house, chromium, cookies) as somebody:
        somebody.clear()
        yield somebody
