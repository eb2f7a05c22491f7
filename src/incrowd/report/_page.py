"""``Page``, ``Table``, ``Figure``: a report as one HTML file that opens offline, or as plain data."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import jinja2
from markupsafe import Markup

from incrowd.report._panel import Picture, printable_text

TEMPLATES = files("incrowd.report") / "templates"
WORDS: dict[str, Any] = tomllib.loads((TEMPLATES / "words.toml").read_text(encoding="utf-8"))
"""Words of a report that stay the same."""


def shown_everywhere(plain: Any) -> Any:
    """Replace what cannot be shown in all texts of plain data; what is marked up already stays."""
    match plain:
        case Markup():
            return plain
        case str():
            return printable_text(plain)
        case dict():
            return {name: shown_everywhere(value) for name, value in plain.items()}
        case list() | tuple():
            return [shown_everywhere(value) for value in plain]
    return plain


SHORT, WORDY = 12, 36
"""Tables with at most so many rows are short, those with a longer cell wordy."""
LONG = 15
"""So many rows of a table are shown; all of them stand in the same report as JSON."""
State = Literal["good", "doubt", "bad", "plain"]
"""How a verdict looks: all well, look at it, not well; or without a colour."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts under a caption; at most ``most`` are shown, none if it is left to the JSON report and the page."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    most: int = LONG

    @property
    def shown(self) -> Sequence[Sequence[str]]:
        """The rows that a page shows."""
        return self.rows if self.most and len(self.rows) <= self.most + 1 else self.rows[: self.most]

    @property
    def more(self) -> str:
        """Say how many rows it does not show; nothing if it shows all."""
        hidden = len(self.rows) - len(self.shown)
        return f"{hidden:,} more rows in report.json" if hidden else ""

    @property
    def pairs(self) -> bool:
        """Whether it has two columns: printed, its rows stand in two columns side by side."""
        return len(self.head) == 2

    @property
    def short(self) -> bool:
        """Whether it should stay on one printed page."""
        return len(self.shown) <= SHORT

    @property
    def wordy(self) -> bool:
        """Whether cells besides the first hold sentences: on a phone they stand below each other."""
        return any(len(cell) > WORDY for row in self.rows for cell in row[1:])


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A chart, how to read it, and what to do about it.

    ``name`` says to programs what it is. An ``extra`` one is left to the JSON report and the web page, so that the
    printed report stays short.
    """

    title: str
    chart: Picture
    reading: str
    advice: str
    name: str
    extra: bool = False

    @property
    def svg(self) -> Markup:
        """The picture, to stand in the page itself."""
        return Markup(self.chart.svg)  # noqa: S704 - drawn by us, and every text in it is escaped there


def figure_of(name: str, chart: Picture, *, extra: bool = False, again: bool = False, **words: str) -> Figure:
    """Give a chart with its words, into which others may be put; how to read it is said once."""
    title, *more = (WORDS["figures"][name][part].format(**words) for part in ("title", "reading", "advice"))
    reading, advice = ("", "") if again else more
    return Figure(title, chart, reading, advice, name, extra)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page; an annex is for those who want to know more, and signatures stand before the first."""

    name: str
    title: str
    words: Sequence[str] = ()
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    code: str = ""
    annex: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A report."""

    title: str
    meets: bool
    verdict: str
    facts: Sequence[tuple[str, str]]
    sections: Sequence[Section]
    state: State = "plain"
    word: str = ""
    reasons: Sequence[str] = ()
    signatures: Sequence[str] = ()
    audience: str = ""
    language: str = field(default="en")

    @property
    def letters(self) -> dict[int, str]:
        """The letter of every chart that is shown, in the order in which they stand; by the identity of the chart."""
        shown = [figure for section in (*self.board, *self.annexes) for figure in section.figures if not figure.extra]
        return {id(figure): letter_of(place) for place, figure in enumerate(shown)}

    @property
    def board(self) -> Sequence[Section]:
        """The parts that whoever decides has to read."""
        return [section for section in self.sections if not section.annex]

    @property
    def annexes(self) -> Sequence[Section]:
        """The parts for those who want to know more."""
        return [section for section in self.sections if section.annex]


def letter_of(place: int) -> str:
    """Give the letter of a chart by its place: A to Z, then AA, AB, ..."""
    first, last = divmod(place, 26)
    return f"{letter_of(first - 1) if first else ''}{chr(ord('A') + last)}"


def html_of(page: Page) -> str:
    """Write a page as one HTML file without scripts; everything in it stands in the file itself."""
    style = Markup((TEMPLATES / "report.css").read_text(encoding="utf-8"))  # noqa: S704 - our own file
    letters = page.letters
    return _template().render(page=page, style=style, letter=lambda figure: letters[id(figure)])


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=shown_everywhere,
    )
    return environment.from_string((TEMPLATES / "report.html.j2").read_text(encoding="utf-8"))


def plain_page(page: Page) -> dict[str, Any]:
    """Give a page as plain data; charts as numbers and SVG, with their letter where the printed report shows them."""
    letters = page.letters
    return {
        "schema": 1,
        "title": page.title,
        "meets": page.meets,
        "state": page.state,
        "word": page.word,
        "reasons": list(page.reasons),
        "verdict": page.verdict,
        "facts": dict(page.facts),
        "signatures": list(page.signatures),
        "sections": [
            {
                "name": section.name,
                "title": section.title,
                "words": list(section.words),
                "code": section.code,
                "tables": [
                    {"caption": table.caption, "head": list(table.head), "rows": [list(row) for row in table.rows]}
                    for table in section.tables
                ],
                "figures": [
                    {
                        "name": figure.name,
                        "letter": letters.get(id(figure)),
                        "title": figure.title,
                        "reading": figure.reading,
                        "advice": figure.advice,
                        "chart": shown_everywhere(figure.chart.to_dict()),
                    }
                    for figure in section.figures
                ],
            }
            for section in page.sections
        ],
    }
