from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

from incrowd.models import Association
from incrowd.report import bipartite_svg
from models.tables import classes_of, counted

SVG = "{http://www.w3.org/2000/svg}"


def picture(*classes: Any, **limits: int) -> ET.Element:
    view = Association.of(classes_of(counted(*classes))[0], "s")
    return ET.fromstring(bipartite_svg(view, **limits))  # noqa: S314


def lines(root: ET.Element) -> list[str]:
    return [path.findtext(f"{SVG}title", "") for path in root.iter(f"{SVG}path")]


def words(root: ET.Element) -> list[str]:
    return [text.text or "" for text in root.iter(f"{SVG}text")]


def test_every_share_is_a_line_that_tells_its_weight() -> None:
    root = picture({"flu": 3, "hiv": 1}, {"hiv": 2})
    assert lines(root) == ["hiv, class 0: 0.25", "flu, class 0: 0.75", "hiv, class 1: 1"]
    assert words(root)[3:] == ["hiv (1)", "flu (0.75)", "class 0 (4)", "class 1 (2)"]


def test_a_larger_share_is_a_thicker_line() -> None:
    root = picture({"flu": 3, "hiv": 1})
    hiv, flu = (float(path.attrib["stroke-width"]) for path in reversed(list(root.iter(f"{SVG}path"))))
    assert flu > 2 * hiv


def test_what_does_not_fit_is_counted() -> None:
    root = picture({"a": 1, "b": 1, "c": 2}, {"a": 4}, {"c": 1, "b": 3}, max_values=2, max_classes=1)
    assert lines(root) == ["a, class 1: 1"]
    assert words(root)[-1] == "Not drawn: 1 values, 2 classes."


def test_values_cannot_break_out_of_the_picture() -> None:
    root = picture({"<script>&\"'": 1, "bell\a": 1, "x" * 80: 1})
    assert root.find(f".//{SVG}script") is None
    assert "bell\N{REPLACEMENT CHARACTER}, class 0: 0.333" in lines(root)
    assert "<script>&\"', class 0: 0.333" in lines(root)
    assert max(map(len, words(root))) < 60


def test_a_missing_value_is_called_so() -> None:
    root = ET.fromstring(bipartite_svg(Association.of(classes_of([(0, None), (0, "a")])[0], "s")))  # noqa: S314
    assert "(missing), class 0: 0.5" in lines(root)


def test_a_picture_needs_nothing_from_outside() -> None:
    view = Association.of(classes_of(counted({"a": 1}))[0], "s")
    assert re.findall(r"https?://[^\"]*", bipartite_svg(view)) == ["http://www.w3.org/2000/svg"]
