"""Pictures of a search: the lattice of nodes, the parts of a table, the tree of a hierarchy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from incrowd.report._look import AFTER, BEFORE, LIMIT, QUIET, Rows, data, finished

KINDS = ("not enough", "acceptable", "minimal", "chosen")


def lattice(nodes: Rows, edges: Rows) -> Any:
    """Draw the nodes of a lattice by height: acceptable, minimal and chosen ones.

    Parameters
    ----------
    nodes
        ``x``, ``height``, ``name`` (the levels) and ``kind``: one of ``not enough``, ``acceptable``, ``minimal``,
        ``chosen``.
    edges
        ``x``, ``height``, ``x2`` and ``height2`` of neighbours.
    """
    y = alt.Y("height:Q", title="sum of the levels", axis=alt.Axis(tickMinStep=1, grid=False))
    x = alt.X("x:Q", axis=None)
    lines = alt.Chart(data(edges)).mark_rule(color=QUIET, opacity=0.25).encode(x=x, y=y, x2="x2:Q", y2="height2:Q")
    points = (
        alt.Chart(data(nodes))
        .mark_point(filled=True, opacity=1)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(domain=list(KINDS), range=["#d0d0d0", "#56B4E9", AFTER, BEFORE]),
                title=None,
                legend=alt.Legend(orient="top"),
            ),
            shape=alt.Shape(
                "kind:N",
                scale=alt.Scale(domain=list(KINDS), range=["circle", "circle", "diamond", "square"]),
                legend=None,
            ),
            size=alt.Size("kind:N", scale=alt.Scale(domain=list(KINDS), range=[40, 60, 110, 180]), legend=None),
            tooltip=["name:N", "kind:N"],
        )
    )
    layers = points if not edges else lines + points
    return finished(layers, "The lattice of levels", height=280)


def rectangles(rows: Rows, across: str, up: str, dates: Sequence[str] = ()) -> Any:
    """Draw the parts of a table over two columns of numbers or dates.

    Parameters
    ----------
    rows
        ``left``, ``right``, ``bottom``, ``top`` and ``records`` of each class.
    across, up
        The names of the two columns.
    dates
        Which of them are dates, given as milliseconds since 1970.
    """
    side, height = (
        ("T", alt.Scale(type="utc")) if name in dates else ("Q", alt.Scale(zero=False)) for name in (across, up)
    )
    chart = (
        alt.Chart(data(rows))
        .mark_rect(stroke=LIMIT, strokeWidth=0.6, opacity=0.7)
        .encode(
            x=alt.X(f"left:{side[0]}", title=across, scale=side[1]),
            x2="right",
            y=alt.Y(f"bottom:{height[0]}", title=up, scale=height[1]),
            y2="top",
            color=alt.Color("records:Q", scale=alt.Scale(scheme="blues"), title="records"),
            tooltip=["records:Q"],
        )
    )
    return finished(chart, f"Classes over {across} and {up}", height=320)


def tree(nodes: Rows, edges: Rows, column: str) -> Any:
    """Draw a hierarchy: values on the left, their groups to the right.

    Parameters
    ----------
    nodes
        ``level``, ``place`` and ``label``.
    edges
        ``level``, ``place``, ``level2`` and ``place2``.
    column
        The name of its column.
    """
    x = alt.X("level:Q", axis=None)
    y = alt.Y("place:Q", axis=None, scale=alt.Scale(reverse=True))
    lines = alt.Chart(data(edges)).mark_rule(color=QUIET).encode(x=x, y=y, x2="level2:Q", y2="place2:Q")
    points = alt.Chart(data(nodes)).mark_point(filled=True, color=AFTER, size=30).encode(x=x, y=y)
    leaves = [node for node in nodes if node["level"] == 0]
    groups = [node for node in nodes if node["level"]]
    texts = *_names(leaves, x, y, align="right", dx=-8), *_names(groups, x, y, align="left", dx=8)
    return finished(alt.layer(lines, points, *texts), f"The hierarchy of {column}", height=max(120, 18 * len(leaves)))


def _names(nodes: Rows, x: alt.X, y: alt.Y, **place: Any) -> tuple[Any, Any]:
    """Write what nodes are called, on a light ground so that lines do not cross them."""
    base = alt.Chart(data(nodes)).encode(x=x, y=y, text="label:N")
    ground = base.mark_text(fontSize=12, limit=200, stroke="white", strokeWidth=4, strokeJoin="round", **place)
    return ground, base.mark_text(fontSize=12, limit=200, color=LIMIT, **place)
