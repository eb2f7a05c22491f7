"""``Panel`` and ``Picture``: a chart being drawn as SVG, with its axes, legend and marks, and the finished one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any
from unicodedata import east_asian_width

from incrowd.report._axes import Axis

INK, QUIET, GRID = "#1a1a1a", "#9a9a9a", "#dddddd"
TYPE = 13
"""The size of type, large enough to be read where a chart shrinks to the width of a phone."""
LINE = 22
"""The height of a line of the legend."""
LONGEST = 200
"""So long may a name be, in the same measure as the type; the rest is in its title."""
SLANT = 40
"""By so many degrees names are turned that stand too close to each other."""
_NARROW, _BROAD = frozenset("iljtfrI.,:;'|!()[]- "), frozenset("mwMW@%&")
_SHAPES: dict[str, list[tuple[float, float]]] = {
    "square": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    "diamond": [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)],
}
_SHAPES |= {"triangle-up": [(0, -1.2), (1.2, 1), (-1.2, 1)], "triangle-down": [(0, 1.2), (1.2, -1), (-1.2, -1)]}
_THICK = [(-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4), (1.2, 0.4), (0.4, 0.4)]
_SHAPES |= {"cross": [*_THICK, *((-x, -y) for x, y in _THICK)]}


# Texts of other people in a picture or a page: what cannot be drawn, or would turn the words around it, is replaced.

_UNSHOWN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters: no XML file may hold them
    "\u202a-\u202e\u2066-\u2069"  # they turn the direction of what follows
    "\ud800-\udfff\ufffe\uffff]"  # no characters at all
)


def printable_text(text: str) -> str:
    """Give a text that can stand in a page and in a picture."""
    return _UNSHOWN.sub("\N{REPLACEMENT CHARACTER}", text)


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A chart: ``svg`` draws it, ``rows`` are the numbers that it shows. Notebooks show it."""

    svg: str
    rows: Sequence[dict[str, Any]] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        return {"svg": self.svg, "rows": list(self.rows)}

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Picture({len(self.rows)} rows)"

    def __str__(self) -> str:
        return self.svg


class Panel:
    """A sheet with two axes on which marks are drawn. Their places are values of the axes.

    ``legend`` has names with their color and shape. What is ``said`` of a mark is shown to whoever points at it.
    """

    def __init__(
        self,
        title: str,
        across: Axis,
        up: Axis,
        size: tuple[int, int],
        *,
        legend: Sequence[tuple[str, str, str]] = (),
        heading: str = "",
        named: bool = True,
    ) -> None:
        self._title, self._across, self._up, (self.width, self.height) = title, across, up, size
        self._marks: list[str] = []
        longest = max((_width_of(name) for _, name in up.ticks), default=0.0)
        gap = self.width * min((b[0] - a[0] for a, b in zip(across.ticks, across.ticks[1:], strict=False)), default=1.0)
        widest = max((_width_of(name) for _, name in across.ticks), default=0.0)
        self._slanted = bool(across.step) and widest > gap - 8
        turned = math.radians(SLANT if self._slanted else 0)
        hanging = math.cos(turned) * widest if self._slanted else widest / 2
        first = across.ticks[0][0] * self.width if across.ticks else 0.0
        self.left = 10 + max(longest + 12 * bool(longest) + 22 * bool(up.title), hanging - first)
        below = (math.sin(turned) * widest + 16 if widest else 0) + 8
        keys = _legend_svg(legend, self.left, self.width)
        self.top = 12 + LINE * (bool(heading) + (keys[1] if legend else 0))
        self._whole = self.left + self.width + 14 + (0 if self._slanted else widest / 2)
        self._tall = self.top + self.height + below + 22 * bool(across.title)
        self._frame = [
            self._axis_svg(across, up, below, named=named),
            f'<g transform="translate(0 {12 + LINE * bool(heading):g})">{keys[0]}</g>' if legend else "",
            _text_svg(self.left, 18, heading, most=self.width, more=' font-weight="bold"') if heading else "",
        ]

    def x(self, value: Any) -> float:
        """Say where a value of the axis across stands on the sheet."""
        return self.left + self.width * self._across.at(value)

    def y(self, value: Any) -> float:
        """Say where a value of the axis upwards stands on the sheet."""
        return self.top + self.height * (1 - self._up.at(value))

    def box(self, ends: tuple[float, float, float, float], color: str, said: str = "", more: str = "") -> None:
        """Draw a rectangle between two places across and two places up on the sheet."""
        left, right, one, other = ends
        place = f'x="{_round(min(left, right))}" y="{_round(min(one, other))}"'
        size = f'width="{_round(abs(right - left))}" height="{_round(abs(one - other))}"'
        self._marks.append(_with_title(f"<rect {place} {size} fill={_quoted(color)}{more}", "rect", said))

    def point(self, x: float, y: float, look: tuple[str, str, float], said: str = "", more: str = "") -> None:
        """Draw a point at a place on the sheet: its color, shape and half its width."""
        self._marks.append(_symbol_svg(x, y, look, said, more))

    def path(self, places: Iterable[tuple[float, float]], more: str, *, closed: bool = False) -> None:
        """Draw a line through places on the sheet."""
        way, fill = _way(places) + "Z" * closed, "" if closed else ' fill="none"'
        self._marks.append(f'<path d="{way}"{fill}{more}/>')

    def segments(self, pairs: Iterable[tuple[float, float, float, float]], more: str) -> None:
        """Draw many short lines in the same way."""
        ways = "".join(_way([(x, y), (x2, y2)]) for x, y, x2, y2 in pairs)
        self._marks.append(f'<path d="{ways}" fill="none"{more}/>' if ways else "")

    def text(self, x: float, y: float, words: str, anchor: str = "start", more: str = "") -> None:
        """Write words at a place on the sheet."""
        self._marks.append(_text_svg(x, y, words, anchor=anchor, more=more))

    def limit(self, value: float) -> None:
        """Draw a limit across the chart, with its name."""
        y, right = self.y(value), self.left + self.width
        self.segments([(self.left, y, right, y)], f' stroke="{INK}" stroke-dasharray="6 4"')
        self.text(right, y - 5, "limit", "end")

    def picture(self, rows: Sequence[dict[str, Any]] = ()) -> Picture:
        """Give the finished chart."""
        width, height = math.ceil(self._whole), math.ceil(self._tall)
        title = f"<title>{escape(printable_text(self._title))}</title>"
        size = f'viewBox="0 0 {width} {height}" width="{width}"'
        style = f'role="img" font-family="sans-serif" font-size="{TYPE}" fill="{INK}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>'
        ground = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
        inside = "\n".join(part for part in (*self._frame, *self._marks) if part)
        return Picture(f"{head}\n{title}\n{ground}\n{inside}\n</svg>", rows)

    def _axis_svg(self, across: Axis, up: Axis, below: float, *, named: bool) -> str:
        """Draw the lines of the grid, what is written at them, and the titles of the axes."""
        bottom, right = self.top + self.height, self.left + self.width
        down = [self.left + self.width * at for at, _ in across.ticks if not across.step]
        flat = [self.top + self.height * (1 - at) for at, _ in up.ticks if not up.step]
        lines = [_way([(x, self.top), (x, bottom)]) for x in down] + [_way([(self.left, y), (right, y)]) for y in flat]
        parts = [f'<path d="{"".join(lines)}" stroke="{GRID}" fill="none"/>'] if lines and named else []
        sides = ([[(self.left, bottom), (right, bottom)]] if across.ticks else []) + (
            [[(self.left, self.top), (self.left, bottom)]] if up.ticks else []
        )
        parts += [f'<path d="{"".join(map(_way, sides))}" stroke="{QUIET}" fill="none"/>'] if sides else []
        for at, name in across.ticks:
            x, y = self.left + self.width * at, bottom + 18
            turn = f' transform="rotate(-{SLANT} {_round(x)} {_round(y - 6)})"' if self._slanted else ""
            parts.append(_text_svg(x, y - 4 if turn else y, name, anchor="end" if turn else "middle", more=turn))
        for at, name in up.ticks:
            parts.append(_text_svg(self.left - 8, self.top + self.height * (1 - at) + 4.5, name, anchor="end"))
        middle = self.left + self.width / 2, self.top + self.height / 2
        if across.title:
            parts.append(_text_svg(middle[0], bottom + below + 12, across.title, anchor="middle", most=self.width))
        if up.title:
            turn = f' transform="rotate(-90 18 {_round(middle[1])})"'
            parts.append(_text_svg(18, middle[1], up.title, anchor="middle", most=420, more=turn))
        return "\n".join(parts)


def _legend_svg(legend: Sequence[tuple[str, str, str]], left: float, width: float) -> tuple[str, int]:
    """Draw the names with their colors and shapes, in as many lines as they need; say in how many."""
    parts: list[str] = []
    x, line = left, 0
    for name, color, shape in legend:
        long = 18 + min(_width_of(name), LONGEST) + 16
        if x > left and x + long > left + width + 16:
            x, line = left, line + 1
        if shape:
            parts.append(_symbol_svg(x + 6, line * LINE + 1, (color, shape, 5), "", ""))
        parts.append(_text_svg(x + (16 if shape else 0), line * LINE + 5.5, name))
        x += long if shape else long - 14
    return "".join(parts), line + 1


def _symbol_svg(x: float, y: float, look: tuple[str, str, float], said: str, more: str) -> str:
    color, shape, half = look
    if shape == "circle":
        begin = f'<circle cx="{_round(x)}" cy="{_round(y)}" r="{_round(half)}"'
        return _with_title(f"{begin} fill={_quoted(color)}{more}", "circle", said)
    way = _way([(x + half * right, y + half * down) for right, down in _SHAPES[shape]])
    return _with_title(f'<path d="{way}Z" fill={_quoted(color)}{more}', "path", said)


def _text_svg(x: float, y: float, words: str, *, anchor: str = "start", most: float = LONGEST, more: str = "") -> str:
    whole = printable_text(words)
    shown = shortened_text(whole, most)
    where = f'<text x="{_round(x)}" y="{_round(y)}"{"" if anchor == "start" else " text-anchor=" + _quoted(anchor)}'
    title = f"<title>{escape(whole)}</title>" if shown != whole else ""
    return f"{where}{more}>{escape(shown)}{title}</text>"


def _with_title(begin: str, tag: str, said: str) -> str:
    return f"{begin}><title>{escape(printable_text(said))}</title></{tag}>" if said else f"{begin}/>"


def _way(places: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{_round(x)} {_round(y)}" for x, y in places)


def _quoted(text: str) -> str:
    return f'"{escape(text)}"'


def _round(number: float) -> str:
    return f"{round(number, 1):g}"


def shortened_text(words: str, most: float = LONGEST) -> str:
    """Cut words that are longer than a length."""
    if _width_of(words, math.inf) <= most:
        return words
    room, kept = most - TYPE, []
    for sign in words:
        room -= _width_of(sign)
        if room < 0:
            break
        kept.append(sign)
    return "".join(kept).rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def _width_of(words: str, most: float = LONGEST) -> float:
    """Say about how long words are when they are drawn; a reader's type may be a little wider or narrower."""
    return min(TYPE * sum(map(_share_of_type, words)), most)


def _share_of_type(sign: str) -> float:
    if sign in _NARROW:
        return 0.36
    if sign in _BROAD:
        return 0.92
    if sign.isascii():
        return 0.7 if sign.isupper() else 0.6
    return 1.0 if east_asian_width(sign) in "WF" else 0.65
