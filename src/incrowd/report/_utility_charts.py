"""Charts about what a release cost: how far columns were raised, and what their values look like now."""

from __future__ import annotations

from typing import Any

import altair as alt

from incrowd.report._look import AFTER, LIMIT, QUIET, Rows, data, finished, share, side_by_side, when


def ladders(rows: Rows) -> Any:
    """Draw how far up its ladder each column is published (chart E).

    Parameters
    ----------
    rows
        ``column``, ``level`` (a name for each level, the values themselves first), ``order`` of the level and the
        ``share`` of the records that are published there.
    """
    chart = alt.Chart(data(rows)).mark_bar(stroke="white")
    chart = chart.encode(
        y=alt.Y("column:N", sort=None, title=None),
        x=alt.X("share:Q", title="share of the records", axis=alt.Axis(format="%", tickCount=5), stack="zero"),
        color=alt.Color(
            "order:O",
            title="level",
            scale=alt.Scale(scheme="blues"),
            legend=alt.Legend(orient="top", symbolType="square"),
        ),
        order=alt.Order("order:Q"),
        tooltip=["column:N", "level:N", alt.Tooltip("share:Q", format=".1%")],
    )
    height = max(60, 30 * len({row["column"] for row in rows}))
    return finished(chart, "How much vaguer each column became", height=height)


def losses(rows: Rows) -> Any:
    """Draw the detail that each column lost.

    Parameters
    ----------
    rows
        ``column`` and ``lost``, from 0 to 1.
    """
    chart = (
        alt.Chart(data(rows))
        .mark_bar(color=AFTER)
        .encode(
            y=alt.Y("column:N", sort=None, title=None),
            x=alt.X("lost:Q", title="detail lost", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
            tooltip=["column:N", alt.Tooltip("lost:Q", format=".1%")],
        )
    )
    return finished(chart, "Detail lost per column", height=max(60, 26 * len(rows)))


def marginals(rows: Rows, column: str) -> Any:
    """Draw what a column looks like before and after (chart F).

    Parameters
    ----------
    rows
        ``label``, ``when`` and ``share``: what is compared are the labels that are published.
    column
        Its name.
    """
    chart = (
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            x=alt.X("label:N", sort=None, title=None, axis=alt.Axis(labelAngle=-40)),
            xOffset=side_by_side(),
            y=share("share", "share of the records"),
            color=when(),
            tooltip=["label:N", "when:N", alt.Tooltip("share:Q", format=".1%")],
        )
    )
    return finished(chart, f"{column} before and after", height=160)


def frontier(rows: Rows, chosen: dict[str, Any]) -> Any:
    """Draw what every k alone would cost, with the release (chart G).

    Parameters
    ----------
    rows
        ``k`` and ``cost``, one row per k.
    chosen
        ``k`` and ``cost`` of the release; no cost if it is not known.
    """
    base = alt.Chart(data(rows)).encode(
        x=alt.X("k:Q", scale=alt.Scale(type="log"), title="smallest group (k)"),
        y=alt.Y("cost:Q", title="detail lost", axis=alt.Axis(format="%"), scale=alt.Scale(zero=True)),
    )
    drawn = base.mark_line(color=QUIET, interpolate="step-before")
    if chosen["cost"] is not None:
        here = alt.Chart(data([{**chosen, "name": "this release"}])).encode(x="k:Q", y="cost:Q")
        name = here.mark_text(align="left", dx=8, dy=14, fontSize=13, color=LIMIT).encode(text="name:N")
        drawn = drawn + here.mark_point(filled=True, shape="square", opacity=1, size=120, color=AFTER) + name
    return finished(drawn, "Detail lost for every k")
