"""One page that opens offline, prints well and asks nobody anything: sections of words, tables and charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import jinja2
import vl_convert
from markupsafe import Markup

from incrowd.report._texts import shown_everywhere


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts under a caption.

    Attributes
    ----------
    caption
        What the table shows.
    head
        The names of its columns.
    rows
        The texts; numbers are written already.
    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A chart, how to read it, and what to do about it.

    Attributes
    ----------
    title
        What it shows.
    chart
        An altair chart, or SVG as text.
    reading
        How to read it.
    advice
        What to do if it looks bad.
    """

    title: str
    chart: Any
    reading: str
    advice: str

    @property
    def svg(self) -> Markup:
        """The picture, to stand in the page itself."""
        drawn = self.chart
        if not isinstance(drawn, str):  # the drawing program dies of control characters, and Python with it
            drawn = vl_convert.vegalite_to_svg(shown_everywhere(self.chart.to_dict()))
        return Markup(drawn)  # noqa: S704 - drawn by us, and every text in it is escaped there


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page.

    Attributes
    ----------
    name, title
        Its anchor, and its heading.
    words
        Paragraphs in plain words.
    tables, figures
        What it shows.
    annex
        Whether it is for those who want to know more.
    """

    name: str
    title: str
    words: Sequence[str] = ()
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    annex: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A report.

    Attributes
    ----------
    title, language
        What it is called, and in which language it is written.
    meets
        Whether the promises are kept.
    verdict
        One sentence about it.
    facts
        Names and numbers beside the verdict: file, rows, hash, date.
    sections
        Its parts, those for the board first.
    signatures
        Who signs, and for what.
    audience
        Whom it is for: the owner of the data, or anybody.
    """

    title: str
    meets: bool
    verdict: str
    facts: Sequence[tuple[str, str]]
    sections: Sequence[Section]
    signatures: Sequence[str] = ()
    audience: str = ""
    language: str = field(default="en")


def html_of(page: Page) -> str:
    """Write a page as one HTML file without scripts; everything in it stands in the file itself."""
    folder = files("incrowd.report") / "templates"
    environment = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=shown_everywhere,
    )
    style = Markup((folder / "report.css").read_text(encoding="utf-8"))  # noqa: S704 - our own file
    template = environment.from_string((folder / "report.html.j2").read_text(encoding="utf-8"))
    return template.render(page=page, style=style)
