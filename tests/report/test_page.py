"""Names and values of a table in a page: nothing of them is run, and none of them stops the drawing."""

from __future__ import annotations

import random
from html.parser import HTMLParser
from pathlib import Path

import pytest

import incrowd as ic

AGE, TOWN, DISEASE = "<script>alert(1)</script>", "a\"b'>&<svg onload=x>", "</style><b>\x07"
TOWNS = ['"><img src=x onerror=1>', "\u202eevil", "x\x00\x1b[31m\x0b", "l" * 500, "]]>&amp;\x85\ufffe"]
WRITTEN = (
    "html head meta title style body header h1 p div dl dt dd nav ol ul li a main section h2 table caption thead tr"
)
DRAWN = "tbody th td figure figcaption strong em span svg g path rect text line defs clippath circle"


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.mark.parametrize("public", [False, True])
def test_hostile_names_and_values_are_shown_and_never_run(tmp_path: Path, *, public: bool) -> None:
    draw = random.Random(1)
    table = [
        {AGE: draw.choice([20, 25, 41, 57]), TOWN: TOWNS[number % 5], DISEASE: draw.choice(["<i>flu</i>", '"', "a&b"])}
        for number in range(60)
    ]
    schema = ic.Schema(quasi={AGE: ic.intervals(10, 20), TOWN: ic.flat()}, sensitive=[DISEASE])
    release = ic.anonymize(table, schema, model="k>=3", max_suppressed=0.1)
    page = release.report(tmp_path / "r.html", about={"purpose": "<u>"}, public=public).read_text(encoding="utf-8")
    found = _Tags()
    found.feed(page)
    assert found.tags <= {*WRITTEN.split(), *DRAWN.split()}
    assert not [name for name in found.attributes if name.startswith("on") or name == "src"]
    assert not set(page) & set("\x00\x07\x0b\x1b\x85\u202e\ufffe")
