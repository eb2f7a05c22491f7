"""How charts look, drawn with altair: one function per kind, colours that colour-blind people can tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import vl_convert

BEFORE, AFTER, LIMIT, QUIET = "#D55E00", "#0072B2", "#1a1a1a", "#9a9a9a"
"""Vermilion, blue, ink and grey of Okabe and Ito's palette."""
WIDTH, HEIGHT = 460, 200
TYPE = 13
"""The size of type, large enough to be read where a chart shrinks to the width of a phone."""
WHEN = ["before", "after"]
Rows = Sequence[dict[str, Any]]


def _data(rows: Rows) -> alt.Data:
    """Give rows to a chart as they are: as a tuple, which altair does not copy each time a chart is put together."""
    return alt.Data(values=tuple(rows))  # type: ignore[no-untyped-call]


def _before_after_colour() -> alt.Color:
    """Colour by before and after, the same in every chart."""
    scale = alt.Scale(domain=WHEN, range=[BEFORE, AFTER])
    return alt.Color("when:N", scale=scale, title=None, legend=alt.Legend(orient="top"))


def _percents() -> alt.Axis:
    return alt.Axis(format="%", tickCount=5)


def _shares(field: str, title: str) -> alt.Y:
    """Give an axis of shares from 0."""
    return alt.Y(f"{field}:Q", title=title, axis=_percents(), scale=alt.Scale(zero=True))


def _before_after_bars(rows: Rows, across: alt.X, up: str, title: str, digits: str = ".1%") -> Any:
    """Draw the bars of before and after beside each other."""
    return (
        alt.Chart(_data(rows))
        .mark_bar()
        .encode(
            x=across,
            xOffset=alt.XOffset("when:N", sort=WHEN),
            y=_shares(up, title),
            color=_before_after_colour(),
            tooltip=[*map(alt.Tooltip, (across.shorthand, "when:N")), alt.Tooltip(f"{up}:Q", format=digits)],
        )
    )


def _with_limit(chart: Any, limit: float | None) -> Any:
    """Draw a limit across a chart of shares, if there is one, with its name."""
    if limit is None:
        return chart
    base = alt.Chart(_data([{"limit": limit, "label": "limit"}]))
    rule = base.mark_rule(color=LIMIT, strokeDash=[6, 4]).encode(y=alt.Y("limit:Q"))
    text = base.mark_text(align="right", baseline="bottom", dy=-2, fontSize=TYPE, color=LIMIT)
    end = alt.XValue(WIDTH)  # type: ignore[no-untyped-call]
    return chart + (rule + text.encode(y=alt.Y("limit:Q"), x=end, text=alt.Text("label:N")))


def _finished_chart(chart: Any, title: str, *, width: int = WIDTH, height: int = HEIGHT) -> Any:
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


def svg_of(chart: Any) -> str:
    """Draw a chart as SVG."""
    return str(vl_convert.vegalite_to_svg(chart.to_dict()))


# Charts about risk: how large groups are, what attackers achieve, and how certain a guess can be.


def class_sizes(rows: Rows) -> Any:
    """Draw which ``share`` of the records is in groups of which ``size``, small ones first (chart A)."""
    across = alt.X("size:N", sort=None, title="records in the group", axis=alt.Axis(labelAngle=0))
    chart = _before_after_bars(rows, across, "share", "share of the records")
    return _finished_chart(chart, "Records by the size of their group, before and after")


def attackers(rows: Rows, limit: float | None = None) -> Any:
    """Draw the ``chance`` of three attackers to find a person, with the highest that is acceptable (chart B)."""
    across = alt.X("attacker:N", sort=None, title=None, axis=alt.Axis(labelAngle=0))
    chart = _before_after_bars(rows, across, "chance", "chance to find a person", ".2%")
    return _finished_chart(_with_limit(chart, limit), "Chance to find a person")


def confidence(rows: Rows, limit: float | None = None) -> Any:
    """Draw the most certain guess (``share``) of a secret up to each ``part`` of the records, sorted (chart C)."""
    steps = alt.Chart(_data(rows)).mark_area(line={"color": AFTER}, color=AFTER, opacity=0.25, interpolate="step-after")
    chart = steps.encode(
        x=alt.X("part:Q", title="records, the safest first", axis=_percents()), y=_shares("share", "most certain guess")
    )
    return _finished_chart(_with_limit(chart, limit), "Most certain guess per group")


def attack_rates(rows: Rows) -> Any:
    """Draw the ``rate`` at which each attack succeeds, ``low`` to ``high``, and its ``baseline`` (chart D)."""
    base = alt.Chart(_data(rows))
    y = alt.Y("attack:N", sort=None, title=None)
    x = alt.X("rate:Q", title="share of the targets", axis=_percents(), scale=alt.Scale(zero=True))
    offset = alt.YOffset("when:N", sort=WHEN)
    shapes = alt.Shape("when:N", scale=alt.Scale(domain=WHEN, range=["circle", "square"]), legend=None)
    points = base.mark_point(filled=True, size=80).encode(
        x=x, y=y, yOffset=offset, color=_before_after_colour(), shape=shapes
    )
    spans = base.mark_rule().encode(
        x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=y, yOffset=offset, color=_before_after_colour()
    )
    ticks = base.mark_tick(color=QUIET, thickness=3, size=26).encode(x=alt.X("baseline:Q"), y=y)
    names = len({row["attack"] for row in rows})
    return _finished_chart(ticks + spans + points, "Success of simulated attacks", height=max(80, 44 * names))


# Pictures of a search: the lattice of nodes, the parts of a table, the tree of a hierarchy.

KINDS = ["not enough", "acceptable", "minimal", "chosen"]


def lattice(nodes: Rows, edges: Rows) -> Any:
    """Draw the nodes of a lattice by height: acceptable, minimal and chosen ones, and lines between neighbours."""
    y = alt.Y("height:Q", title="sum of the levels", axis=alt.Axis(tickMinStep=1, grid=False))
    x = alt.X("x:Q", axis=None)
    lines = (
        alt.Chart(_data(edges))
        .mark_rule(color=QUIET, opacity=0.25)
        .encode(x=x, y=y, x2=alt.X2("x2:Q"), y2=alt.Y2("height2:Q"))
    )

    def by_kind(*kinds: Any) -> alt.Scale:
        return alt.Scale(domain=KINDS, range=list(kinds))

    colours = by_kind("#d0d0d0", "#56B4E9", AFTER, BEFORE)
    points = (
        alt.Chart(_data(nodes))
        .mark_point(filled=True, opacity=1)
        .encode(
            x=x,
            y=y,
            color=alt.Color("kind:N", scale=colours, title=None, legend=alt.Legend(orient="top")),
            shape=alt.Shape("kind:N", scale=by_kind("circle", "circle", "diamond", "square"), legend=None),
            size=alt.Size("kind:N", scale=by_kind(40, 60, 110, 180), legend=None),
            tooltip=[alt.Tooltip("name:N"), alt.Tooltip("kind:N")],
        )
    )
    return _finished_chart(lines + points if edges else points, "The lattice of levels", height=280)


def rectangles(rows: Rows, across: str, up: str, dates: Sequence[str] = ()) -> Any:
    """Draw the classes of a table over two columns of numbers, or of dates as milliseconds since 1970."""
    side, height = (
        ("T", alt.Scale(type="utc")) if name in dates else ("Q", alt.Scale(zero=False)) for name in (across, up)
    )
    chart = (
        alt.Chart(_data(rows))
        .mark_rect(stroke=LIMIT, strokeWidth=0.6, opacity=0.7)
        .encode(
            x=alt.X(f"left:{side[0]}", title=across, scale=side[1]),
            x2=alt.X2("right"),
            y=alt.Y(f"bottom:{height[0]}", title=up, scale=height[1]),
            y2=alt.Y2("top"),
            color=alt.Color("records:Q", scale=alt.Scale(scheme="blues"), title="records"),
            tooltip=[alt.Tooltip("records:Q")],
        )
    )
    return _finished_chart(chart, f"Classes over {across} and {up}", height=320)


def tree(nodes: Rows, edges: Rows, column: str) -> Any:
    """Draw a hierarchy: values on the left, their groups to the right."""
    x = alt.X("level:Q", axis=None)
    y = alt.Y("place:Q", axis=None, scale=alt.Scale(reverse=True))
    lines = (
        alt.Chart(_data(edges)).mark_rule(color=QUIET).encode(x=x, y=y, x2=alt.X2("level2:Q"), y2=alt.Y2("place2:Q"))
    )
    points = alt.Chart(_data(nodes)).mark_point(filled=True, color=AFTER, size=30).encode(x=x, y=y)
    leaves = [node for node in nodes if node["level"] == 0]
    groups = [node for node in nodes if node["level"]]
    texts = *_labels(leaves, x, y, align="right", dx=-8), *_labels(groups, x, y, align="left", dx=8)
    return _finished_chart(
        alt.layer(lines, points, *texts), f"The hierarchy of {column}", height=max(120, 18 * len(leaves))
    )


def _labels(nodes: Rows, x: alt.X, y: alt.Y, **place: Any) -> tuple[Any, Any]:
    """Write what nodes are called, on a light ground so that lines do not cross them."""
    base = alt.Chart(_data(nodes)).encode(x=x, y=y, text=alt.Text("label:N"))
    ground = base.mark_text(fontSize=12, limit=200, stroke="white", strokeWidth=4, strokeJoin="round", **place)
    return ground, base.mark_text(fontSize=12, limit=200, color=LIMIT, **place)


# Charts about what a release cost: how far columns were raised, and what their values look like now.


def ladders(rows: Rows) -> Any:
    """Draw which ``share`` of the records each column publishes at which ``level`` of its ladder (chart E)."""
    legend = alt.Legend(orient="top", symbolType="square")
    chart = (
        alt.Chart(_data(rows))
        .mark_bar(stroke="white")
        .encode(
            y=alt.Y("column:N", sort=None, title=None),
            x=alt.X("share:Q", title="share of the records", axis=_percents(), stack="zero"),
            color=alt.Color("order:O", title="level", scale=alt.Scale(scheme="blues"), legend=legend),
            order=alt.Order("order:Q"),
            tooltip=[alt.Tooltip("column:N"), alt.Tooltip("level:N"), alt.Tooltip("share:Q", format=".1%")],
        )
    )
    height = max(60, 30 * len({row["column"] for row in rows}))
    return _finished_chart(chart, "How much vaguer each column became", height=height)


def losses(rows: Rows) -> Any:
    """Draw the detail that each column lost, from 0 to 1."""
    chart = (
        alt.Chart(_data(rows))
        .mark_bar(color=AFTER)
        .encode(
            y=alt.Y("column:N", sort=None, title=None),
            x=alt.X("lost:Q", title="detail lost", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
            tooltip=[alt.Tooltip("column:N"), alt.Tooltip("lost:Q", format=".1%")],
        )
    )
    return _finished_chart(chart, "Detail lost per column", height=max(60, 26 * len(rows)))


def marginals(rows: Rows, column: str) -> Any:
    """Draw what a column looks like before and after, by the labels that are published (chart F)."""
    across = alt.X("label:N", sort=None, title=None, axis=alt.Axis(labelAngle=-40))
    return _finished_chart(
        _before_after_bars(rows, across, "share", "share of the records"), f"{column} before and after", height=160
    )


def frontier(rows: Rows, chosen: dict[str, Any]) -> Any:
    """Draw the detail that every k would keep, and the release (chart G)."""
    base = alt.Chart(_data(rows)).encode(
        x=alt.X("k:Q", scale=alt.Scale(type="log"), title="smallest group (k)"),
        y=alt.Y("kept:Q", title="detail kept", axis=alt.Axis(format="%"), scale=alt.Scale(zero=True)),
    )
    line = base.mark_line(color=QUIET, interpolate="step-before")
    here = alt.Chart(_data([{**chosen, "name": "this release"}])).encode(x=alt.X("k:Q"), y=alt.Y("kept:Q"))
    name = here.mark_text(align="left", dx=8, dy=-14, fontSize=13, color=LIMIT).encode(text=alt.Text("name:N"))
    point = here.mark_point(filled=True, shape="square", opacity=1, size=120, color=AFTER)
    return _finished_chart(line + point + name, "Detail kept for every k")


# Charts of the papers' experiments: curves, bars, points and a grid of yes and no. ``axes`` are keys of the rows.

COLOURS = [BEFORE, AFTER, "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
"""More colours of Okabe and Ito's palette, for series; each has a shape of its own too."""
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
DASHES = [[1, 0], [10, 4], [2, 4], [6, 2, 2, 2], [4, 4], [12, 2]]
"""How lines are dashed, so that one that lies on another is seen."""
ROW = 26
WIDE, HIGH = 560, 220
"""These charts stand in the documentation, which is wider than a phone."""


def series_curves(rows: Rows, axes: tuple[str, str, str], titles: tuple[str, str], *, log: str = "") -> Any:
    """Draw one line per series, with a point for every number; ``log`` names the axes of powers of ten."""
    across, up, of = axes
    names = _series_names(rows, of)
    scales = [alt.Scale(type="log") if axis in log else alt.Scale(zero=axis == "y") for axis in "xy"]
    base = alt.Chart(_data([row for row in rows if row[up] is not None])).encode(
        x=alt.X(f"{across}:Q", title=titles[0], scale=scales[0], axis=alt.Axis(tickMinStep=1)),
        y=alt.Y(f"{up}:Q", title=titles[1], scale=scales[1]),
        color=_series_colour(of, names),
    )
    shape = alt.Shape(f"{of}:N", scale=alt.Scale(domain=names, range=SHAPES[: len(names)]), legend=None)
    dash = alt.StrokeDash(f"{of}:N", scale=alt.Scale(domain=names, range=DASHES[: len(names)]), legend=None)
    points = base.mark_point(filled=True, size=60, opacity=1).encode(shape=shape)
    return _finished_chart(base.mark_line().encode(strokeDash=dash) + points, titles[1], width=WIDE, height=HIGH)


def series_bars(rows: Rows, axes: tuple[str, str, str], titles: tuple[str, str], *, share: bool = False) -> Any:
    """Draw bars beside each other, one per series."""
    across, up, of = axes
    names = _series_names(rows, of)
    chart = (
        alt.Chart(_data(rows))
        .mark_bar()
        .encode(
            x=alt.X(f"{across}:N", title=titles[0], sort=None, axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset(f"{of}:N", sort=names),
            y=alt.Y(f"{up}:Q", title=titles[1], axis=alt.Axis(format="%") if share else alt.Axis()),
            color=_series_colour(of, names),
        )
    )
    return _finished_chart(chart, titles[1], width=WIDE, height=HIGH)


def bars_with_limit(rows: Rows, axes: tuple[str, str], title: str, limit: float) -> Any:
    """Draw horizontal bars, each with its number, and a line at a limit."""
    name, length = axes
    bar = alt.Chart(_data(rows)).encode(
        x=alt.X(f"{length}:Q", title=title, axis=alt.Axis(tickMinStep=1)), y=alt.Y(f"{name}:N", title=None, sort=None)
    )
    text = bar.mark_text(align="left", dx=4, color=LIMIT).encode(text=alt.Text(f"{length}:Q"))
    line = alt.Chart(_data([{"limit": limit}])).mark_rule(color=LIMIT, strokeDash=[6, 4]).encode(x=alt.X("limit:Q"))
    return _finished_chart(
        bar.mark_bar(color=AFTER) + text + line, title, width=WIDE, height=max(HIGH, ROW * len(rows))
    )


def points_beside(rows: Rows, axes: tuple[str, str, str], titles: tuple[str, str]) -> Any:
    """Draw every number as a point above its setting, and what a paper prints as a diamond."""
    setting, number, printed = axes
    x = alt.X(f"{setting}:N", title=titles[0], sort=None, axis=alt.Axis(labelAngle=0))
    base = alt.Chart(_data(rows))
    ours = base.mark_point(filled=True, opacity=0.5, size=50, color=AFTER)
    theirs = base.mark_point(shape="diamond", filled=True, size=160, opacity=1, color=BEFORE)
    layers = ours.encode(x=x, y=alt.Y(f"{number}:Q", title=titles[1])) + theirs.encode(x=x, y=alt.Y(f"{printed}:Q"))
    return _finished_chart(layers, titles[1], width=WIDE, height=HIGH)


def yes_and_no(rows: Rows, axes: tuple[str, str, str], titles: tuple[str, str]) -> Any:
    """Draw a grid of squares, blue where something holds."""
    across, up, holds = axes
    words = [{**row, holds: "holds" if row[holds] else "does not hold"} for row in rows]
    colours = alt.Scale(domain=["holds", "does not hold"], range=[AFTER, QUIET])
    chart = (
        alt.Chart(_data(words))
        .mark_rect(stroke="white")
        .encode(
            x=alt.X(f"{across}:O", title=titles[0], axis=alt.Axis(labelAngle=0)),
            y=alt.Y(f"{up}:O", title=titles[1], sort="descending"),
            color=alt.Color(f"{holds}:N", scale=colours, title=None, legend=alt.Legend(orient="top")),
        )
    )
    return _finished_chart(chart, f"{titles[0]} and {titles[1]}", width=WIDE, height=HIGH)


def _series_names(rows: Rows, of: str) -> list[str]:
    return list(dict.fromkeys(str(row[of]) for row in rows))


def _series_colour(of: str, names: Sequence[str]) -> alt.Color:
    scale = alt.Scale(domain=list(names), range=COLOURS[: len(names)])
    return alt.Color(f"{of}:N", scale=scale, title=None, legend=alt.Legend(orient="top", columns=3, labelLimit=260))
