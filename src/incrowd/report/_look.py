"""How charts look: colours that colour-blind people can tell apart, and one size of type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

BEFORE, AFTER, LIMIT, QUIET = "#D55E00", "#0072B2", "#1a1a1a", "#9a9a9a"
"""Vermilion, blue, ink and grey of Okabe and Ito's palette."""
WIDTH, HEIGHT = 460, 200
TYPE = 13
"""The size of type, large enough to be read where a chart shrinks to the width of a phone."""
WHEN = ("before", "after")
Rows = Sequence[dict[str, Any]]


def data(rows: Rows) -> alt.Data:
    """Give rows to a chart as they are: as a tuple, which altair does not copy each time a chart is put together."""
    return alt.Data(values=tuple(rows))  # type: ignore[no-untyped-call]


def when(field: str = "when") -> alt.Color:
    """Colour by before and after, the same in every chart."""
    scale = alt.Scale(domain=list(WHEN), range=[BEFORE, AFTER])
    return alt.Color(f"{field}:N", scale=scale, title=None, legend=alt.Legend(orient="top"))


def side_by_side(field: str = "when") -> alt.XOffset:
    """Put the bars of before and after beside each other."""
    return alt.XOffset(f"{field}:N", sort=list(WHEN))


def share(field: str, title: str) -> alt.Y:
    """Give an axis of shares from 0."""
    return alt.Y(f"{field}:Q", title=title, axis=alt.Axis(format="%", tickCount=5), scale=alt.Scale(zero=True))


def line_at(value: float, label: str) -> Any:
    """Draw a limit across a chart of shares, with its name."""
    base = alt.Chart(data([{"limit": value, "label": label}]))
    rule = base.mark_rule(color=LIMIT, strokeDash=[6, 4]).encode(y="limit:Q")
    text = base.mark_text(align="right", baseline="bottom", dy=-2, fontSize=TYPE, color=LIMIT).encode(
        y="limit:Q", x=alt.value(WIDTH), text="label:N"
    )
    return rule + text


def finished(chart: Any, title: str, *, width: int = WIDTH, height: int = HEIGHT) -> Any:
    """Give a chart its size, its title for readers of the page's source, and our type.

    All at once: altair copies the whole chart for every call that changes it.
    """
    room = {"left": 24, "right": 14, "top": 8, "bottom": 8}  # a reader's type may be wider than the one measured with
    sizes = {"labelFontSize": TYPE, "titleFontSize": TYPE}
    config = {
        "font": "sans-serif",
        "background": "white",
        "axis": {**sizes, "titleFontWeight": "normal", "labelLimit": 200, "titleLimit": 420},
        "legend": sizes,
        "view": {"strokeWidth": 0},
    }
    return chart.properties(width=width, height=height, description=title, padding=room, config=config)
