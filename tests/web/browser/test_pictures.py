"""The pictures of the tutorial: all there, none too many, none too large."""

from __future__ import annotations

import re
from pathlib import Path

from web.browser.take_pictures import NAMES, PICTURES

TUTORIAL = Path(__file__).parents[3] / "docs" / "tutorials" / "a-release-without-code.md"


def test_the_tutorial_shows_every_picture_that_is_taken() -> None:
    shown = re.findall(r"!\[[^]]+\]\(pictures/([a-z-]+)\.png#only-(light|dark)\)", TUTORIAL.read_text(encoding="utf-8"))
    assert sorted(name for name, _ in shown) == sorted(NAMES)
    assert [name for name, scheme in shown if name.endswith("-dark") != (scheme == "dark")] == []
    assert sorted(path.stem for path in PICTURES.glob("*.png")) == sorted(NAMES)


def test_pictures_are_small() -> None:
    assert [path.name for path in PICTURES.glob("*.png") if path.stat().st_size > 150_000] == []
