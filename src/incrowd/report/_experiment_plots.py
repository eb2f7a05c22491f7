"""Charts of the papers' experiments: curves, bars, points and a grid of yes and no."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import vl_convert

from incrowd.report._plots import AFTER, BEFORE, LIMIT, QUIET, Rows, data, finished

COLOURS = (BEFORE, AFTER, "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""More colours of Okabe and Ito's palette, for series; each has a shape of its own too."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
DASHES = ([1, 0], [10, 4], [2, 4], [6, 2, 2, 2], [4, 4], [12, 2])
"""How lines are dashed, so that one that lies on another is seen."""
ROW = 26
WIDE, HIGH = 560, 220
"""These charts stand in the documentation, which is wider than a phone."""


def series_curves(rows: Rows, axes: tuple[str, str, str], titles: tuple[str, str], *, log: str = "") -> Any:
    """Draw one line per series, with a point for every number.

    Parameters
    ----------
    rows
        What is drawn.
    axes
        The keys of the rows for across, up and the series.
    titles
        What stands at the two axes.
    log
        ``"x"``, ``"y"`` or ``"xy"`` for axes of powers of ten.
    """
    across, up, of = axes
    names = _names(rows, of)
    scales = [alt.Scale(type="log") if axis in log else alt.Scale(zero=axis == "y") for axis in "xy"]
    base = alt.Chart(data([row for row in rows if row[up] is not None])).encode(
        x=alt.X(f"{across}:Q", title=titles[0], scale=scales[0], axis=alt.Axis(tickMinStep=1)),
        y=alt.Y(f"{up}:Q", title=titles[1], scale=scales[1]),
        color=_colour(of, names),
    )
    shape = alt.Shape(f"{of}:N", scale=alt.Scale(domain=names, range=list(SHAPES[: len(names)])), legend=None)
    dash = alt.StrokeDash(f"{of}:N", scale=alt.Scale(domain=names, range=list(DASHES[: len(names)])), legend=None)
    points = base.mark_point(filled=True, size=60, opacity=1).encode(shape=shape)
    return finished(base.mark_line().encode(strokeDash=dash) + points, titles[1], width=WIDE, height=HIGH)


def series_bars(rows: Rows, axes: tuple[str, str, str], titles: tuple[str, str], *, share: bool = False) -> Any:
    """Draw bars beside each other, one per series; parameters as in ``series_curves``."""
    across, up, of = axes
    names = _names(rows, of)
    axis = alt.Axis(format="%") if share else alt.Axis()
    chart = (
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            x=alt.X(f"{across}:N", title=titles[0], sort=None, axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset(f"{of}:N", sort=names),
            y=alt.Y(f"{up}:Q", title=titles[1], axis=axis),
            color=_colour(of, names),
        )
    )
    return finished(chart, titles[1], width=WIDE, height=HIGH)


def bars_with_limit(rows: Rows, axes: tuple[str, str], title: str, limit: float) -> Any:
    """Draw horizontal bars, each with its number, and a line at a limit.

    Parameters
    ----------
    rows
        What is drawn.
    axes
        The keys of the rows for the name of a bar and its length.
    title
        What the length means.
    limit
        Where the line stands.
    """
    name, length = axes
    bar = alt.Chart(data(rows)).encode(
        x=alt.X(f"{length}:Q", title=title, axis=alt.Axis(tickMinStep=1)), y=alt.Y(f"{name}:N", title=None, sort=None)
    )
    text = bar.mark_text(align="left", dx=4, color=LIMIT).encode(text=f"{length}:Q")
    line = alt.Chart(data([{"limit": limit}])).mark_rule(color=LIMIT, strokeDash=[6, 4]).encode(x="limit:Q")
    return finished(bar.mark_bar(color=AFTER) + text + line, title, width=WIDE, height=max(HIGH, ROW * len(rows)))


def points_beside(rows: Rows, axes: tuple[str, str, str], titles: tuple[str, str]) -> Any:
    """Draw every number as a point above its setting, and what a paper prints as a diamond.

    Parameters
    ----------
    rows
        What is drawn.
    axes
        The keys of the rows for the setting, the number, and the number that the paper prints.
    titles
        What stands at the two axes.
    """
    setting, number, printed = axes
    x = alt.X(f"{setting}:N", title=titles[0], sort=None, axis=alt.Axis(labelAngle=0))
    base = alt.Chart(data(rows))
    ours = base.mark_point(filled=True, opacity=0.5, size=50, color=AFTER).encode(
        x=x, y=alt.Y(f"{number}:Q", title=titles[1])
    )
    theirs = base.mark_point(shape="diamond", filled=True, size=160, opacity=1, color=BEFORE).encode(
        x=x, y=f"{printed}:Q"
    )
    return finished(ours + theirs, titles[1], width=WIDE, height=HIGH)


def yes_and_no(rows: Rows, axes: tuple[str, str, str], titles: tuple[str, str]) -> Any:
    """Draw a grid of squares, blue where something holds.

    Parameters
    ----------
    rows
        What is drawn.
    axes
        The keys of the rows for across, up, and whether it holds.
    titles
        What stands at the two axes.
    """
    across, up, holds = axes
    words = [{**row, holds: "holds" if row[holds] else "does not hold"} for row in rows]
    colours = alt.Scale(domain=["holds", "does not hold"], range=[AFTER, QUIET])
    chart = (
        alt.Chart(data(words))
        .mark_rect(stroke="white")
        .encode(
            x=alt.X(f"{across}:O", title=titles[0], axis=alt.Axis(labelAngle=0)),
            y=alt.Y(f"{up}:O", title=titles[1], sort="descending"),
            color=alt.Color(f"{holds}:N", scale=colours, title=None, legend=alt.Legend(orient="top")),
        )
    )
    return finished(chart, f"{titles[0]} and {titles[1]}", width=WIDE, height=HIGH)


def svg_of(chart: Any) -> str:
    """Draw a chart as SVG."""
    return str(vl_convert.vegalite_to_svg(chart.to_dict()))


def _names(rows: Rows, of: str) -> Sequence[str]:
    return list(dict.fromkeys(str(row[of]) for row in rows))


def _colour(of: str, names: Sequence[str]) -> alt.Color:
    scale = alt.Scale(domain=list(names), range=list(COLOURS[: len(names)]))
    return alt.Color(f"{of}:N", scale=scale, title=None, legend=alt.Legend(orient="top", columns=3, labelLimit=260))
