from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from incrowd.report import Picture
from incrowd.report._axes import name_axis, number_axis
from incrowd.report._panel import LONGEST, TYPE, Panel, printable_text, shortened_text

SVG = "{http://www.w3.org/2000/svg}"
EVIL = "</text><script>alert(1)</script>\x00\u202e\ud800\" onload='x'&"


def drawn(picture: Picture) -> ET.Element:
    return ET.fromstring(picture.svg)  # noqa: S314 - drawn by us


def panel(names: list[str], **more: object) -> Panel:
    return Panel("a chart", name_axis(names), number_axis([0, 10], "up"), (400, 100), **more)  # type: ignore[arg-type]


def test_a_mark_stands_where_its_values_are_and_says_what_it_shows() -> None:
    sheet = panel(["a", "b"])
    sheet.box((sheet.x("a") - 10, sheet.x("a") + 10, sheet.y(0), sheet.y(5)), "#123456", "a: 5")
    root = drawn(sheet.picture([{"name": "a", "number": 5}]))
    _, bar = root.iter(f"{SVG}rect")
    assert (bar.attrib["fill"], bar.attrib["width"], bar.attrib["height"]) == ("#123456", "20", "50")
    assert bar.findtext(f"{SVG}title") == "a: 5"
    assert float(bar.attrib["x"]) + 10 == pytest.approx(sheet.left + 100, abs=0.1)


def test_nothing_of_the_table_is_more_than_a_text_in_a_picture() -> None:
    sheet = panel([EVIL], legend=[(EVIL, "#000000", "diamond")], heading=EVIL)
    sheet.point(5, 5, ("#000000", "cross", 4), EVIL)
    sheet.text(1, 1, EVIL)
    root = drawn(sheet.picture())
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {"svg", "title", "rect", "path", "text", "g"}
    assert not any(name.startswith("on") for element in root.iter() for name in element.attrib)


def test_everything_is_within_the_sheet_however_long_names_are() -> None:
    names = [f"a name that nobody would call short, number {number}" for number in range(12)]
    root = drawn(panel(names).picture())
    width, height = (float(number) for number in root.attrib["viewBox"].split()[2:])
    places = [(float(text.attrib["x"]), float(text.attrib["y"])) for text in root.iter(f"{SVG}text")]
    assert all(0 <= x <= width and 0 <= y <= height for x, y in places)
    turned = [text for text in root.iter(f"{SVG}text") if "rotate(-40" in text.attrib.get("transform", "")]
    assert len(turned) == len(names)
    assert [text.findtext(f"{SVG}title") for text in turned] == names
    assert float(places[0][0]) >= LONGEST * 0.7  # the first one hangs to the left


def test_a_legend_takes_as_many_lines_as_it_needs() -> None:
    short, long = ([(f"{name} {number}", "#000000", "circle") for number in range(6)] for name in ("a", "a" * 20))
    heights = [
        float(drawn(panel(["a"], legend=legend).picture()).attrib["viewBox"].split()[3]) for legend in (short, long)
    ]
    assert heights[1] > heights[0]


def test_long_words_are_cut_where_they_end_and_short_ones_stay() -> None:
    assert shortened_text("short") == "short"
    cut = shortened_text("w" * 100)
    assert cut.endswith("…")
    assert len(cut) < LONGEST / TYPE * 1.5
    assert len(shortened_text("\N{CJK UNIFIED IDEOGRAPH-4E00}" * 100)) <= LONGEST / TYPE


def test_what_cannot_be_drawn_is_replaced() -> None:
    assert printable_text("a\x00b\u202ec\ud800") == "a?b?c?".replace("?", "\N{REPLACEMENT CHARACTER}")


def test_a_picture_is_svg_for_notebooks_and_files_and_rows_for_programs() -> None:
    picture = panel(["a"]).picture([{"name": "a"}])
    assert picture._repr_svg_() == str(picture) == picture.svg
    assert picture.to_dict() == {"svg": picture.svg, "rows": [{"name": "a"}]}
    assert repr(picture) == "Picture(1 rows)"
