"""``Grid``, a small table of words and numbers for a terminal or a notebook; percentages and shares as text."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape

Cell = str | int | None


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows under a line of names."""

    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    widths: Sequence[int] = ()  # how wide a text may be, by its place; longer ones go on in the next line

    def lines(self) -> Iterator[str]:
        """Write it for a terminal: texts begin below each other, numbers end below each other."""
        cells = [line for row in self.rows for line in self._folded_lines(row)]
        numbers = [any(isinstance(row[place], int) for row in self.rows) for place in range(len(self.head))]
        widths = [max(map(len, column)) for column in zip(self.head, *cells, strict=True)]
        for row in [self.head, *cells]:
            parts = zip(row, widths, numbers, strict=True)
            yield "  ".join(
                f"{cell:>{width}}" if right else f"{cell:<{width}}" for cell, width, right in parts
            ).rstrip()

    def html(self) -> str:
        """Write it for a notebook; nothing in it is read as markup."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.head)
        rows = "".join(f"<tr>{''.join(map(_cell_html, row))}</tr>" for row in self.rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def _folded_lines(self, row: Sequence[Cell]) -> Iterator[tuple[str, ...]]:
        """Give the lines of a row: as many as its longest text needs."""
        texts = (self._parts(_cell_text(cell), place) for place, cell in enumerate(row))
        return itertools.zip_longest(*texts, fillvalue="")

    def _parts(self, text: str, place: int) -> list[str]:
        width = self.widths[place] if place < len(self.widths) else 0
        return textwrap.wrap(text, width) if width and len(text) > width else [text]


class Printed:
    """A result that a notebook shows as a terminal prints it; nothing in it is read as markup."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def printable(text: str) -> str:
    """Make a blank of what would disturb a terminal."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _cell_text(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell:,}" if isinstance(cell, int) else printable(cell)


def _cell_html(cell: Cell) -> str:
    right = ' style="text-align: right"' if isinstance(cell, int) else ' style="text-align: left"'
    return f"<td{right}>{escape(_cell_text(cell))}</td>"


# Shares in words: rounded for reading, but never to a 0 or a 100 that they are not.


def percent(share: Fraction | float) -> str:
    """Write a share with one decimal; never a round 0 or 100 for what is not."""
    text = f"{float(share) * 100:.1f} %"
    if share > 0 and text == "0.0 %":
        return "< 0.1 %"
    return "> 99.9 %" if share < 1 and text == "100.0 %" else text


def unbroken_percent(share: Fraction | float) -> str:
    """Write a share without a space, so that no line ends before its percent sign."""
    return percent(share).replace(" %", "%")


def share_text(part: int, whole: int) -> str:
    """Write which share of some records others are."""
    return unbroken_percent(Fraction(part, whole) if whole else 0)


def records_text(part: int, whole: int) -> str:
    """Write how many of some records others are, and which share that is."""
    return f"{part:,} of {whole:,} records ({share_text(part, whole)})"
