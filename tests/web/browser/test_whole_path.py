"""From a table to its release, as a person clicks it; and the command line makes the same."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, expect

import incrowd as ic
from incrowd.engines import write_table
from web.browser.steward import PATIENCE, Steward, sees


def onward(steward: Steward, title: str) -> Page:
    page = steward.page
    page.get_by_role("link", name=f"Next: {title}").click()
    page.wait_for_url(re.compile(rf"/{title.lower()}\b"))
    return steward.ready()


def test_a_table_goes_from_upload_to_release_and_its_plan_makes_the_same_on_the_command_line(
    steward: Steward, tmp_path: Path
) -> None:
    write_table(ic.hospital(300), tmp_path / "hospital.csv")
    page = steward.go("open")
    page.set_input_files("#upload", tmp_path / "hospital.csv")
    sees(page, "We read 300 rows and 9 columns")
    expect(page.get_by_label("Yes, every row is a different person")).to_be_checked()

    onward(steward, "Columns")
    sees(page, "make 100 of 100 people one of a kind")
    while page.locator(".card.look").count():
        left = page.locator(".card.look").count()
        page.get_by_role("button", name=re.compile("^Yes,")).first.click()
        expect(page.locator(".card.look")).to_have_count(left - 1)

    onward(steward, "Promise")
    page.get_by_label("Inside your organisation").check()
    expect(page.get_by_label("Fewest people in a group")).to_have_value("5")
    page.get_by_label("Promise different values of cost").uncheck()
    sees(page, "This can be kept")

    onward(steward, "Coarsen")
    page.locator("label:has(#stars-1-3)").click()
    sees(page, "Losing it costs 3 times as much")

    onward(steward, "Choose")
    page.get_by_role("button", name="Make this version").click()
    sees(page, "This version keeps the promise")

    page.get_by_role("link", name="Check this version").click()
    sees(page, "The version keeps what you promised")
    sees(page, "Before: somebody who knows these columns finds 300")

    onward(steward, "Release")
    page.get_by_label("What is it released for?").fill("a test")
    page.get_by_role("button", name="There are none").click()
    page.get_by_role("button", name="Write the release").click()
    sees(page, "Written into the folder out")
    expect(page.locator("#written")).to_contain_text("out/public/data.csv")
    assert "a test" in (steward.house.folder / "out" / "owner" / "report.html").read_text(encoding="utf-8")
    assert same_release_by_command_line(steward.house.folder)


def same_release_by_command_line(folder: Path) -> bool:
    data, plan = folder / "out" / "public" / "data.csv", folder / "out" / "owner" / "plan.toml"
    by_page = data.read_bytes()
    command = [sys.executable, "-c", "from incrowd.cli import main; main()", "anonymize", str(plan), "--force"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
    return data.read_bytes() == by_page


def test_the_example_is_one_click_away(steward: Steward) -> None:
    page = steward.go("open")
    page.get_by_role("button", name="Try the example").click()
    sees(page, "We read 1,000 rows and 9 columns")
    expect(page.get_by_role("region", name="The first 20 rows")).to_contain_text("diagnosis")
