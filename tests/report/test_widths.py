"""A report in a real browser: it fits on a phone, is readable in the dark, and prints on the pages that it should."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from engines.extras import needed, skip

CHROMIUM = shutil.which("chromium") or ""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
CUT = """[...document.querySelectorAll('.chart')].filter(
    one => one.querySelector('svg').getBoundingClientRect().width > one.getBoundingClientRect().width).length"""


@cache
def release() -> ic.Release:
    table = [
        {
            "age_in_completed_years": 20 + number % 30,
            "disease": f"a disease with a rather long name, number {number % 3}",
        }
        for number in range(90)
    ]
    schema = ic.Schema(quasi={"age_in_completed_years": ic.intervals(5, 10)}, sensitive=["disease"])
    return ic.anonymize(table, schema, model="k>=3, l>=2[disease]")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("reports")
    about = {"purpose": "research", "valid_until": "2030-01-31"}
    return [
        release().report(folder / "owner.html", about=about),
        release().report(folder / "public.html", about=about, public=True),
    ]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    if not CHROMIUM:
        skip("chromium is not installed: apt-get install --no-install-recommends chromium")
    needed("playwright", "axe_playwright_python")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - not everybody has it

    with sync_playwright() as running:
        started = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.mark.parametrize("width", [360, 500, 1280])
def test_nothing_is_wider_than_the_screen(chromium: Any, reports: list[Path], width: int) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 800})
    for report in reports:
        page.goto(report.as_uri())
        assert page.evaluate(OVERFLOW) == 0
        assert page.evaluate(CUT) == 0
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_their_ground(chromium: Any, reports: list[Path], scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415

    context = chromium.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    for report in reports:
        page.goto(report.as_uri())
        found = Axe().run(page).response["violations"]
        assert [problem["id"] for problem in found] == []
    context.close()


def test_the_board_reads_two_printed_pages(chromium: Any, reports: list[Path]) -> None:
    page = chromium.new_page()
    page.goto(reports[0].as_uri())
    whole = pages_of(page)
    page.evaluate("document.querySelector('.annex').remove()")
    assert pages_of(page) == 2
    assert whole > 2
    page.close()


def many_columns() -> ic.Release:
    """Publish fifteen quasi-identifiers, three confidential columns and seven others."""
    draw = random.Random(1)
    names = [f"q{place:02d}" for place in range(14)]
    table = [
        {name: draw.choice("abcdefgh"[: 2 + place % 7]) for place, name in enumerate(names)}
        | {"age": draw.randint(18, 90), "income": draw.lognormvariate(10, 1), "disease": draw.choice("wxyz")}
        | {"weight": draw.gauss(70, 10)}
        | {f"x{place}": draw.randint(0, 9) for place in range(7)}
        for _ in range(400)
    ]
    schema = ic.Schema(
        quasi={**{name: ic.flat() for name in names}, "age": ic.intervals(5, 10, 20)},
        sensitive=["income", "disease", "weight"],
        insensitive=[f"x{place}" for place in range(7)],
    )
    return ic.anonymize(table, schema, model="k>=5, l>=2[disease]", max_suppressed=0.1)


def example() -> ic.Release:
    """Publish the made-up hospital table as the demonstration does."""
    table = ic.hospital(1000, seed=2026)
    return ic.anonymize(table, ic.hospital_schema(), model="k>=5, l>=3[diagnosis]", max_suppressed=0.05, others="drop")


@pytest.mark.parametrize(("made", "most"), [(example, 8), (many_columns, 12)])
def test_a_report_stays_short_however_many_columns_there_are(
    chromium: Any, tmp_path: Path, made: Callable[[], ic.Release], most: int
) -> None:
    page = chromium.new_page()
    page.goto(made().report(tmp_path / "r.html", about={"purpose": "research"}).as_uri())
    assert pages_of(page) <= most
    page.evaluate("document.querySelector('.annex').remove()")
    assert pages_of(page) == 2
    page.close()


def pages_of(page: Any) -> int:
    """Print a page, and count the sheets."""
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(prefer_css_page_size=True)))
