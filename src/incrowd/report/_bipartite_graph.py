"""Values and classes drawn as a bipartite graph (SVG): who could have what."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from html import escape

from incrowd.models import Association

_WIDTH, _ROW, _TOP, _BOTTOM = 640, 24, 66, 40
_LEFT, _RIGHT = 270, 500
_STYLE = 'role="img" font-family="sans-serif" font-size="13" fill="#1a1a1a"'
_LONGEST = 26
"""Longer texts are cut; their full length stands in the tooltip."""


def bipartite_svg(association: Association, max_values: int = 12, max_classes: int = 24) -> str:
    """Draw values on the left, classes on the right, and between them lines that are as thick as the shares.

    Parameters
    ----------
    association
        What is drawn.
    max_values
        Draw at most so many values: those with the largest alpha.
    max_classes
        Draw at most so many classes: those in which some value has the largest share.

    Notes
    -----
    The picture shows values of the table: it is for the owner of the data, not for the public.
    """
    alphas = association.alphas
    values = sorted(alphas, key=lambda value: -alphas[value])[:max_values]
    numbers = sorted(association.most_certain(max_classes))
    height = _TOP + _ROW * max(len(values), len(numbers), 1) + _BOTTOM
    left = dict(zip(values, _spread_rows(len(values), height), strict=True))
    right = dict(zip(numbers, _spread_rows(len(numbers), height), strict=True))
    lines = [
        _line_svg(left[value], right[number], f"{_drawable(value)}, class {number}", association.share(value, number))
        for number in numbers
        for value in values
    ]
    named = [_value_svg(_drawable(value), alphas[value], y) for value, y in left.items()]
    classes = [_class_svg(number, int(association.sizes[number]), y) for number, y in right.items()]
    note = _note_svg(len(alphas) - len(values), len(association.sizes) - len(numbers), height)
    return _framed_svg(_drawable(association.column), height, [*lines, *named, *classes, *note])


def _framed_svg(column: str, height: int, parts: Sequence[str]) -> str:
    """Put a white sheet with a heading under the drawing."""
    title = f"Shares of {escape(_short_name(column))} in the classes"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" {_STYLE}>',
            f"<title>{title}</title>",
            f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
            f'<text x="24" y="28" font-size="16" font-weight="bold">{title}</text>',
            f'<text x="{_LEFT - 14}" y="50" text-anchor="end" fill="#555555">value (alpha)</text>',
            f'<text x="{_RIGHT + 14}" y="50" fill="#555555">class (size)</text>',
            *(part for part in parts if part),
            "</svg>",
        ]
    )


def _spread_rows(count: int, height: int) -> list[float]:
    """Give rows at equal distances, in the middle of the picture."""
    free = height - _TOP - _BOTTOM
    return [_TOP + free * (place + 0.5) / count for place in range(count)]


def _line_svg(left: float, right: float, name: str, share: Fraction) -> str:
    if not share:
        return ""
    weight = float(share)
    middle = (_LEFT + _RIGHT) / 2
    path = f"M{_LEFT} {left:.1f}C{middle:g} {left:.1f} {middle:g} {right:.1f} {_RIGHT} {right:.1f}"
    return (
        f'<path d="{path}" fill="none" stroke="#1f5a99" stroke-width="{0.75 + 7 * weight:.2f}"'
        f' stroke-opacity="{0.2 + 0.7 * weight:.2f}"><title>{escape(name)}: {weight:.3g}</title></path>'
    )


def _value_svg(name: str, alpha: Fraction, y: float) -> str:
    return (
        f'<circle cx="{_LEFT}" cy="{y:.1f}" r="4.5"/>'
        f'<text x="{_LEFT - 14}" y="{y + 4.5:.1f}" text-anchor="end">{escape(_short_name(name))} ({float(alpha):.3g})'
        f"<title>{escape(name)}</title></text>"
    )


def _class_svg(number: int, size: int, y: float) -> str:
    return (
        f'<rect x="{_RIGHT - 4.5}" y="{y - 4.5:.1f}" width="9" height="9"/>'
        f'<text x="{_RIGHT + 14}" y="{y + 4.5:.1f}">class {number} ({size:,})</text>'
    )


def _note_svg(values: int, classes: int, height: int) -> list[str]:
    """Say what was left out."""
    if not values and not classes:
        return []
    return [f'<text x="24" y="{height - 14}" fill="#555555">Not drawn: {values:,} values, {classes:,} classes.</text>']


def _drawable(value: str | None) -> str:
    """Give a text that can stand in a picture; control characters cannot."""
    if value is None:
        return "(missing)"
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in value)


def _short_name(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"
