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


# Charts about risk: how large groups are, what attackers achieve, and how certain a guess can be.


def class_sizes(rows: Rows) -> Any:
    """Draw how many records are in groups of which size, before and after (chart A).

    Parameters
    ----------
    rows
        ``size`` (such as ``5-9``, small ones first), ``when`` and ``share`` of the records.
    """
    bars = alt.Chart(data(rows)).mark_bar()
    chart = bars.encode(
        x=alt.X("size:N", sort=None, title="records in the group", axis=alt.Axis(labelAngle=0)),
        xOffset=side_by_side(),
        y=share("share", "share of the records"),
        color=when(),
        tooltip=["size:N", "when:N", alt.Tooltip("share:Q", format=".1%")],
    )
    return finished(chart, "Records by the size of their group, before and after")


def attackers(rows: Rows, limit: float | None = None) -> Any:
    """Draw the chance of three attackers to find a person, before and after (chart B).

    Parameters
    ----------
    rows
        ``attacker``, ``when`` and ``chance``.
    limit
        The highest chance that is acceptable, if there is one.
    """
    bars = alt.Chart(data(rows)).mark_bar()
    chart = bars.encode(
        x=alt.X("attacker:N", sort=None, title=None, axis=alt.Axis(labelAngle=0)),
        xOffset=side_by_side(),
        y=share("chance", "chance to find a person"),
        color=when(),
        tooltip=["attacker:N", "when:N", alt.Tooltip("chance:Q", format=".2%")],
    )
    return finished(chart if limit is None else chart + line_at(limit, "limit"), "Chance to find a person")


def confidence(rows: Rows, limit: float | None = None) -> Any:
    """Draw the most certain guess of a secret in every group, sorted (chart C).

    Parameters
    ----------
    rows
        ``part`` of the records, from 0 to 1, and ``share``: the most certain guess for them or fewer.
    limit
        The most certain guess that is acceptable, if there is one.
    """
    steps = alt.Chart(data(rows)).mark_area(line={"color": AFTER}, color=AFTER, opacity=0.25, interpolate="step-after")
    chart = steps.encode(
        x=alt.X("part:Q", title="records, the safest first", axis=alt.Axis(format="%", tickCount=5)),
        y=share("share", "most certain guess"),
    )
    return finished(chart if limit is None else chart + line_at(limit, "limit"), "Most certain guess per group")


def attack_rates(rows: Rows) -> Any:
    """Draw how often each attack succeeds, with its baseline (chart D).

    Parameters
    ----------
    rows
        ``attack``, ``when`` (``before``, ``after``), ``rate``, ``low`` and ``high`` of its interval, ``baseline``.
    """
    base = alt.Chart(data(rows))
    y = alt.Y("attack:N", sort=None, title=None)
    x = alt.X(
        "rate:Q", title="share of the targets", axis=alt.Axis(format="%", tickCount=5), scale=alt.Scale(zero=True)
    )
    points = base.mark_point(filled=True, size=80).encode(
        x=x, y=y, yOffset=alt.YOffset("when:N", sort=["before", "after"]), color=when(), shape=_shapes()
    )
    spans = base.mark_rule().encode(
        x="low:Q", x2="high:Q", y=y, yOffset=alt.YOffset("when:N", sort=["before", "after"]), color=when()
    )
    ticks = base.mark_tick(color=QUIET, thickness=3, size=26).encode(x="baseline:Q", y=y)
    names = len({row["attack"] for row in rows})
    return finished(ticks + spans + points, "Success of simulated attacks", height=max(80, 44 * names))


def _shapes() -> alt.Shape:
    return alt.Shape("when:N", scale=alt.Scale(domain=["before", "after"], range=["circle", "square"]), legend=None)


# Pictures of a search: the lattice of nodes, the parts of a table, the tree of a hierarchy.

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


# Charts about what a release cost: how far columns were raised, and what their values look like now.


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
