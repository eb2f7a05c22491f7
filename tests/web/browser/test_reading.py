"""How a file is read: shown, changed where it is shown, and never a dead end."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from web.browser.steward import PATIENTS, Steward, sees

OLD = "Name;Straße;Größe\n" + "".join(f"Jürgen {row};Österweg;{150 + row}\n" for row in range(30))


def put(page: Page, name: str, content: bytes) -> None:
    page.set_input_files("#upload", {"name": name, "mimeType": "text/csv", "buffer": content})


def test_every_part_is_shown_with_where_it_comes_from(steward: Steward) -> None:
    steward.opened()
    page = steward.go("open")
    for label, value, source in (
        ("Values are separated by", ",", "Found out from the file"),
        ("Letters are written as", "utf-8", "Found out from the file"),
        ("Decimals come after a", ".", "As usual: nothing in the file says otherwise"),
        ("Thousands are set apart by", "none", "As usual"),
        ("Days are written as", "%Y-%m-%d", "As usual"),
        ("The first line", "true", "As usual"),
    ):
        expect(page.get_by_label(label)).to_have_value(value)
        expect(page.get_by_label(label)).to_have_accessible_description(re.compile(source))


def test_a_change_reads_the_file_again_and_stays_where_it_was_made(steward: Steward) -> None:
    steward.opened(PATIENTS.replace(",", ";"))
    page = steward.go("open")
    page.get_by_label("Values are separated by").select_option("|")
    sees(page, "There is only one column")
    expect(page.get_by_label("Values are separated by")).to_be_focused()
    expect(page.locator("#separator-help")).to_contain_text("As you said")
    page.get_by_label("Values are separated by").select_option(label="find out from the file")
    sees(page, "We read 120 rows and 5 columns")
    expect(page.locator("#separator-help")).to_contain_text("Found out from the file")


def test_an_encoding_that_cannot_be_is_refused_beside_it_with_a_way_back(steward: Steward) -> None:
    steward.opened("age,name\n" + "".join(f"{20 + row % 30},Øyvind\n" for row in range(60)))
    page = steward.go("open")
    page.get_by_label("Letters are written as").select_option("cp1251")
    expect(page.locator(".field:has(#encoding) #notices")).to_contain_text("is not valid cp1251")
    page.get_by_role("button", name="Put back what was there").click()
    expect(page.get_by_label("Letters are written as")).to_have_value("utf-8")
    expect(page.get_by_label("Letters are written as")).to_be_focused()
    page.get_by_label("Letters are written as").select_option("own")
    page.get_by_label("The name of the encoding").fill("klingon")
    page.get_by_label("The name of the encoding").press("Enter")
    expect(page.locator(".field:has(#encoding) #notices")).to_contain_text("There is no encoding 'klingon'")
    page.get_by_role("button", name="Put back what was there").click()
    expect(page.get_by_role("region", name="The first 20 rows of the file")).to_contain_text("Øyvind")


def test_an_encoding_of_ones_own_is_read(steward: Steward) -> None:
    steward.opened("age,name\n" + "30,Jurgen\n" * 30)
    page = steward.go("open")
    page.get_by_label("Letters are written as").select_option("own")
    expect(page.get_by_label("The name of the encoding")).to_be_focused()
    page.get_by_label("The name of the encoding").fill("cp437")
    page.get_by_label("The name of the encoding").press("Enter")
    expect(page.locator("#encoding-help")).to_contain_text("As you said")
    expect(page.get_by_label("The name of the encoding")).to_have_value("cp437")


def test_a_file_without_a_header_can_be_said_to_have_none(steward: Steward) -> None:
    page = steward.go("open")
    put(page, "bare.csv", "".join(f"{row % 50},{'fm'[row % 2]},{70 + row}\n" for row in range(1, 61)).encode())
    sees(page, "The first line does not look like names of columns")
    page.get_by_role("button", name="The first line is a row like the others").click()
    sees(page, "We read 60 rows and 3 columns")
    expect(page.get_by_label("The first line")).to_have_value("false")
    page.get_by_label("The first line").select_option("true")
    expect(page.locator(".field:has(#header) #notices")).to_contain_text("does not look like names")
    page.get_by_role("button", name="Put back what was there").click()
    expect(page.get_by_role("region", name="The first 20 rows of the file")).to_contain_text("column1")


def test_marks_of_missing_values_are_asked_about_and_never_assumed(steward: Steward) -> None:
    steward.opened(PATIENTS.replace(",01003,", ",NA,").replace(",01004,", ",?,"))
    page = steward.go("open")
    one, two = page.get_by_label("? means missing (17 times in 1 column)"), page.get_by_label("NA means missing")
    expect(one).not_to_be_checked()
    expect(two).not_to_be_checked()
    expect(page.get_by_role("button", name="Read it again with these")).to_be_disabled()
    two.check()
    page.get_by_role("button", name="Read it again with these").click()
    sees(page, "17 values are missing")
    assert steward.api("GET", "/api/plan")["plan"]["data"]["missing"] == ["", "NA"]
    expect(page.get_by_label("? means missing")).to_be_visible()


@pytest.mark.parametrize("name", ["alt.csv", "alt.txt"])
def test_a_file_of_an_older_program_is_no_dead_end(steward: Steward, name: str) -> None:
    page = steward.go("open")
    put(page, name, OLD.encode("cp1252"))
    sees(page, "We read 30 rows and 3 columns")
    expect(page.get_by_role("region", name="The first 20 rows of the file")).to_contain_text("Österweg")


def test_the_first_rows_say_what_columns_were_read_as(steward: Steward) -> None:
    steward.opened()
    page = steward.go("open")
    heads = page.get_by_role("region", name="The first 20 rows of the file").get_by_role("columnheader")
    expect(heads).to_have_text(["nametexts", "agenumbers", "sextexts", "ziptexts", "diseasetexts"])


GERMAN = "Alter;Ort;Lohn\n" + "".join(f"{20 + row % 30};Köln;{1000 + row},50\n" for row in range(60))


def test_a_german_file_is_read_at_once_and_its_release_is_written_alike(steward: Steward) -> None:
    page = steward.go("open")
    put(page, "Löhne.csv", GERMAN.encode("cp1252"))
    sees(page, "We read 60 rows and 3 columns")
    expect(page.get_by_label("Decimals come after a")).to_have_value(",")
    expect(page.locator("#decimal-help")).to_contain_text("Found out from the file")
    plan = steward.api("GET", "/api/plan")
    steward.api("POST", "/api/plan/confirm", {"columns": plan["unsure"]})
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=3"], "max_suppressed": "0.5"}})
    steward.work({"kind": "run"})
    steward.go("release")
    sees(page, "Written as the file was read: separated by semicolons, decimal comma, Windows-1252")
    page.get_by_label("How the CSV file is written").select_option("plain")
    sees(page, "Commas, decimal points, ISO dates, UTF-8")
    assert steward.api("GET", "/api/plan")["plan"]["output"]["dialect"] == "plain"
    page.get_by_label("How the CSV file is written").select_option("input")
    sees(page, "Written as the file was read")
    page.get_by_label("Kind of file").select_option("parquet")
    expect(page.get_by_label("How the CSV file is written")).to_have_count(0)


def test_a_plain_file_is_not_asked_how_its_release_is_written(steward: Steward) -> None:
    steward.opened()
    steward.api("PATCH", "/api/plan", {"privacy": {"promise": ["k>=2"], "max_suppressed": "0.5"}})
    steward.work({"kind": "run"})
    page = steward.go("release")
    expect(page.get_by_label("Kind of file")).to_be_visible()
    expect(page.get_by_label("How the CSV file is written")).to_have_count(0)
