"""How charts look: one function per kind, rows of numbers in and a picture out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from incrowd.report._axes import Axis, day_axis, name_axis, number_axis, plain_axis, power_axis
from incrowd.report._panel import INK, QUIET, Panel, Picture

BEFORE, AFTER = "#D55E00", "#0072B2"
"""Vermilion and blue of Okabe and Ito's palette, which color-blind people can tell apart."""
SIZE = (460, 200)
WHEN = ["before", "after"]
COLOR = {"before": BEFORE, "after": AFTER}
BLUES = ["#cfe1f2", "#93c3df", "#4b97c9", "#1864aa", "#0a4a90"]
"""From few to many, and from as it was to the vaguest."""
Rows = Sequence[dict[str, Any]]


def _known_times(rows: Rows) -> list[str]:
    return [when for when in WHEN if any(row["when"] == when for row in rows)]


def _bars_beside(
    panel: Panel, across: Axis, row: dict[str, Any], of: tuple[str, str, str], place: int, bars: int, color: str
) -> None:
    """Draw one of the bars that stand beside each other at a name."""
    name, number, series = of
    width = 0.8 * panel.width * across.step / bars
    left = panel.x(row[name]) + width * (place - bars / 2)
    said = f"{row[name]}, {row[series]}: {_percent(row[number])}"
    panel.box((left, left + width, panel.y(0), panel.y(row[number])), color, said)


def _before_after_bars(rows: Rows, of: tuple[str, str], titles: tuple[str, str, str], **more: Any) -> Panel:
    """Draw the bars of before and after beside each other."""
    name, number = of
    across = name_axis(list(dict.fromkeys(row[name] for row in rows)), titles[1])
    limit = more.pop("limit", None)
    up = number_axis([row[number] for row in rows] + [limit or 0], titles[2], zero=True, share=True)
    times = _known_times(rows)
    legend = [(when, COLOR[when], "square") for when in times]
    panel = Panel(titles[0], across, up, more.pop("size", SIZE), legend=legend)
    for row in rows:
        place = times.index(row["when"])
        _bars_beside(panel, across, row, (name, number, "when"), place, len(times), COLOR[row["when"]])
    if limit is not None:
        panel.limit(limit)
    return panel


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= 0.1 or not share else f"{share:.2%}"


def _steps(panel: Panel, places: Sequence[tuple[float, float]], *, after: bool) -> list[tuple[float, float]]:
    """Give the corners of a line that keeps its height until the next place, or takes it after the one before."""
    found = [(panel.x(places[0][0]), panel.y(places[0][1]))] if places else []
    for (x, y), (x2, y2) in pairwise(places):
        found += [(panel.x(x2), panel.y(y)) if after else (panel.x(x), panel.y(y2)), (panel.x(x2), panel.y(y2))]
    return found


# Charts about risk: how large groups are, what attackers achieve, and how certain a guess can be.


def class_sizes(rows: Rows) -> Picture:
    """Draw which ``share`` of the records is in groups of which ``size``, small ones first (chart A)."""
    titles = "Records by the size of their group, before and after", "records in the group", "share of the records"
    return _before_after_bars(rows, ("size", "share"), titles).picture(rows)


def attackers(rows: Rows, limit: float | None = None) -> Picture:
    """Draw the ``chance`` of three attackers to find a person, with the highest that is acceptable (chart B)."""
    titles = "Chance to find a person", "", "chance to find a person"
    return _before_after_bars(rows, ("attacker", "chance"), titles, limit=limit).picture(rows)


def confidence(rows: Rows, limit: float | None = None) -> Picture:
    """Draw the most certain guess (``share``) of a secret up to each ``part`` of the records, sorted (chart C)."""
    across = number_axis([0, 1], "records, the safest first", share=True)
    up = number_axis([row["share"] for row in rows] + [limit or 0], "most certain guess", zero=True, share=True)
    panel = Panel("Most certain guess per group", across, up, SIZE)
    line = _steps(panel, [(row["part"], row["share"]) for row in rows], after=True)
    area = [(line[0][0], panel.y(0)), *line, (line[-1][0], panel.y(0))] if line else []
    panel.path(area, f' fill="{AFTER}" fill-opacity="0.25"', closed=True)
    panel.path(line, f' stroke="{AFTER}" stroke-width="2"')
    if limit is not None:
        panel.limit(limit)
    return panel.picture(rows)


def attack_rates(rows: Rows) -> Picture:
    """Draw the ``rate`` at which each attack succeeds, ``low`` to ``high``, and its ``baseline`` (chart D)."""
    names = list(dict.fromkeys(row["attack"] for row in rows))
    numbers = [row[key] for row in rows for key in ("low", "high", "rate", "baseline")]
    across = number_axis(numbers, "share of the targets", zero=True, share=True)
    up, times = name_axis(names, downwards=True), _known_times(rows)
    shapes = {"before": "circle", "after": "square"}
    legend = [(when, COLOR[when], shapes[when]) for when in times]
    panel = Panel("Success of simulated attacks", across, up, (SIZE[0], max(80, 44 * len(names))), legend=legend)
    for row in rows:
        x, y = panel.x(row["baseline"]), panel.y(row["attack"])
        panel.box((x - 1.5, x + 1.5, y - 13, y + 13), QUIET, f"{row['attack']}, without: {_percent(row['baseline'])}")
    for row in rows:
        y = panel.y(row["attack"]) + 10 * (2 * times.index(row["when"]) + 1 - len(times))
        color = COLOR[row["when"]]
        panel.segments([(panel.x(row["low"]), y, panel.x(row["high"]), y)], f' stroke="{color}" stroke-width="1.5"')
        said = f"{row['attack']}, {row['when']}: {_percent(row['rate'])}"
        panel.point(panel.x(row["rate"]), y, (color, shapes[row["when"]], 4.5), said)
    return panel.picture(rows)


# Pictures of a search: the lattice of nodes, the parts of a table, the tree of a hierarchy.

KINDS = {
    "not enough": ("#c4c4c4", "circle", 3.5),
    "acceptable": ("#56B4E9", "circle", 4.5),
    "minimal": (AFTER, "diamond", 5.0),
    "chosen": (BEFORE, "square", 6.5),
}


def lattice(nodes: Rows, edges: Rows) -> Picture:
    """Draw the nodes of a lattice by height: acceptable, minimal and chosen ones, and lines between neighbours."""
    up = number_axis([node["height"] for node in nodes], "sum of the levels", whole=True)
    legend = [(kind, color, shape) for kind, (color, shape, _) in KINDS.items()]
    across = plain_axis([node["x"] for node in nodes])
    panel = Panel("The lattice of levels", across, up, (SIZE[0], 280), legend=legend)
    pairs = [(panel.x(e["x"]), panel.y(e["height"]), panel.x(e["x2"]), panel.y(e["height2"])) for e in edges]
    panel.segments(pairs, f' stroke="{QUIET}" stroke-opacity="0.3"')
    for node in nodes:
        panel.point(panel.x(node["x"]), panel.y(node["height"]), KINDS[node["kind"]], f"{node['name']}: {node['kind']}")
    return panel.picture(nodes)


def rectangles(rows: Rows, across: str, up: str, dates: Sequence[str] = ()) -> Picture:
    """Draw the classes of a table over two columns of numbers, or of dates as milliseconds since 1970."""
    sides = {across: ("left", "right"), up: ("bottom", "top")}
    x, y = (
        (day_axis if name in dates else number_axis)([row[end] for row in rows for end in ends], name)
        for name, ends in sides.items()
    )
    counts = [row["records"] for row in rows]
    few, many = min(counts, default=0), max(counts, default=0)
    legend = [(f"{few:,}", BLUES[0], "square"), (f"{many:,} records", BLUES[-1], "square")][few == many :]
    panel = Panel(f"Classes over {across} and {up}", x, y, (SIZE[0], 320), legend=legend)
    edge = f' stroke="{INK}" stroke-width="0.6" fill-opacity="0.7"'
    for row in rows:
        ends = panel.x(row["left"]), panel.x(row["right"]), panel.y(row["bottom"]), panel.y(row["top"])
        color = _blue((row["records"] - few) / max(many - few, 1))
        panel.box(ends, color, f"{row['records']:,} records", edge)
    return panel.picture(rows)


def _blue(share: float) -> str:
    """Give a blue between the lightest at 0 and the darkest at 1."""
    place = min(max(share, 0.0), 1.0) * (len(BLUES) - 1)
    low = min(int(place), len(BLUES) - 2)
    pairs = [(int(BLUES[low][at : at + 2], 16), int(BLUES[low + 1][at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(one + (other - one) * (place - low)):02x}" for one, other in pairs)


def tree(nodes: Rows, edges: Rows, column: str) -> Picture:
    """Draw a hierarchy: values on the left, their groups to the right."""
    leaves = [node for node in nodes if not node["level"]]
    places = [node["place"] for node in leaves] or [0.0]
    top, steps = max((node["level"] for node in nodes), default=0), max(len(leaves) - 1, 1)
    down = plain_axis(places, downwards=True)
    # Values stand where an axis has its names, and right of the last groups there is room for theirs.
    up = Axis("", down.at, [(down.at(node["place"]), node["label"]) for node in leaves], 1 / steps)
    size = SIZE[0] + 140, max(90, 18 * steps)
    panel = Panel(f"The hierarchy of {column}", plain_axis([0, top + 1]), up, size, named=False)
    pairs = [(panel.x(e["level"]), panel.y(e["place"]), panel.x(e["level2"]), panel.y(e["place2"])) for e in edges]
    panel.segments(pairs, f' stroke="{QUIET}"')
    for node in nodes:
        x, y = panel.x(node["level"]), panel.y(node["place"])
        panel.point(x, y, (AFTER, "circle", 3), node["label"])
        if node["level"]:
            light = ' stroke="#ffffff" stroke-width="4" stroke-linejoin="round" paint-order="stroke"'
            panel.text(x + 8, y + 4.5, node["label"], more=light)
    return panel.picture(nodes)


# Charts about what a release cost: how far columns were raised, and what their values look like now.


def ladders(rows: Rows) -> Picture:
    """Draw which ``share`` of the records each column publishes at which ``level`` of its ladder (chart E)."""
    names = list(dict.fromkeys(row["column"] for row in rows))
    levels = sorted({row["order"] for row in rows})
    colors = {level: _blue(place / max(len(levels) - 1, 1)) for place, level in enumerate(levels)}
    across, up = number_axis([0, 1], "share of the records", share=True), name_axis(names, downwards=True)
    legend = [("level", "", ""), *((str(level), colors[level], "square") for level in levels)]
    panel = Panel("How much vaguer each column became", across, up, (SIZE[0], max(60, 30 * len(names))), legend=legend)
    drawn = dict.fromkeys(names, 0.0)
    for row in sorted(rows, key=lambda one: one["order"]):
        name, begin = row["column"], drawn[row["column"]]
        drawn[name] = min(begin + row["share"], 1.0)
        ends = panel.x(begin), panel.x(drawn[name]), panel.y(name) - 12, panel.y(name) + 12
        panel.box(ends, colors[row["order"]], f"{name}, {row['level']}: {_percent(row['share'])}", ' stroke="#ffffff"')
    return panel.picture(rows)


def losses(rows: Rows) -> Picture:
    """Draw the detail that each column lost, from 0 to 1."""
    up = name_axis([row["column"] for row in rows], downwards=True)
    across = number_axis([0, 1], "detail lost", share=True)
    panel = Panel("Detail lost per column", across, up, (SIZE[0], max(60, 26 * len(rows))))
    for row in rows:
        ends = panel.x(0), panel.x(row["lost"]), panel.y(row["column"]) - 10, panel.y(row["column"]) + 10
        panel.box(ends, AFTER, f"{row['column']}: {_percent(row['lost'])}")
    return panel.picture(rows)


def marginals(rows: Rows, column: str) -> Picture:
    """Draw what a column looks like before and after, by the labels that are published (chart F)."""
    titles = f"{column} before and after", "", "share of the records"
    return _before_after_bars(rows, ("label", "share"), titles, size=(SIZE[0], 160)).picture(rows)


def frontier(rows: Rows, chosen: dict[str, Any]) -> Picture:
    """Draw the detail that every k would keep, and the release (chart G)."""
    across = power_axis([row["k"] for row in [*rows, chosen]], "smallest group (k)")
    up = number_axis([row["kept"] for row in [*rows, chosen]], "detail kept", zero=True, share=True)
    panel = Panel("Detail kept for every k", across, up, SIZE)
    line = _steps(panel, [(row["k"], row["kept"]) for row in rows], after=False)
    panel.path(line, f' stroke="{QUIET}" stroke-width="2"')
    for row in rows:
        said = f"k = {row['k']}: {_percent(row['kept'])}"
        panel.point(panel.x(row["k"]), panel.y(row["kept"]), (QUIET, "circle", 2.5), said)
    x, y = panel.x(chosen["k"]), panel.y(chosen["kept"])
    panel.point(x, y, (AFTER, "square", 5.5), f"this release, k = {chosen['k']}: {_percent(chosen['kept'])}")
    right = x < panel.left + panel.width - 90
    panel.text(x + (8 if right else -8), y - 10, "this release", "start" if right else "end")
    return panel.picture(rows)


# Charts of the papers' experiments: curves, bars, points and a grid of yes and no. ``axes`` are keys of the rows.

COLORS = [BEFORE, AFTER, "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
"""More colors of Okabe and Ito's palette, for series; each has a shape of its own too."""
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
DASHES = ["", "10 4", "2 4", "6 2 2 2", "4 4", "12 2"]
"""How lines are dashed, so that one that lies on another is seen."""
ROW = 26
LARGE = (560, 220)
"""These charts stand in the documentation, which is wider than a phone."""


def series_curves(
    rows: Rows, axes: tuple[str, str, str], titles: tuple[str, str], *, log: str = "", heading: str = ""
) -> Picture:
    """Draw one line per series, with a point for every number; ``log`` names the axes of powers of ten."""
    across, up, of = axes
    known = [row for row in rows if row[up] is not None]
    names = _series_names(rows, of)
    numbers = [row[across] for row in known]
    x = power_axis(numbers, titles[0]) if "x" in log else number_axis(numbers, titles[0], whole=True)
    heights = [row[up] for row in known]
    y = power_axis(heights, titles[1]) if "y" in log else number_axis(heights, titles[1], zero=True)
    legend = [(name, COLORS[place], SHAPES[place]) for place, name in enumerate(names)]
    panel = Panel(titles[1], x, y, LARGE, legend=legend, heading=heading)
    for place, name in enumerate(names):
        own = sorted((row for row in known if str(row[of]) == name), key=lambda row: row[across])
        dash = f' stroke-dasharray="{DASHES[place]}"' if DASHES[place] else ""
        way = [(panel.x(row[across]), panel.y(row[up])) for row in own]
        panel.path(way, f' stroke="{COLORS[place]}" stroke-width="2"{dash}')
        for (left, top), row in zip(way, own, strict=True):
            panel.point(left, top, (COLORS[place], SHAPES[place], 4), f"{name}, {row[across]:,}: {row[up]:,.4g}")
    return panel.picture(rows)


def series_bars(
    rows: Rows, axes: tuple[str, str, str], titles: tuple[str, str], *, share: bool = False, heading: str = ""
) -> Picture:
    """Draw bars beside each other, one per series."""
    across, up, of = axes
    names = _series_names(rows, of)
    x = name_axis(list(dict.fromkeys(row[across] for row in rows)), titles[0])
    y = number_axis([row[up] for row in rows], titles[1], zero=True, share=share)
    legend = [(name, COLORS[place], "square") for place, name in enumerate(names)]
    panel = Panel(titles[1], x, y, LARGE, legend=legend, heading=heading)
    for row in rows:
        place = names.index(str(row[of]))
        _bars_beside(panel, x, row, (across, up, of), place, len(names), COLORS[place])
    return panel.picture(rows)


def bars_with_limit(rows: Rows, axes: tuple[str, str], title: str, limit: float, *, heading: str = "") -> Picture:
    """Draw horizontal bars, each with its number, and a line at a limit."""
    name, length = axes
    x = number_axis([*(row[length] for row in rows), limit], title, zero=True, whole=True)
    y = name_axis([row[name] for row in rows], downwards=True)
    panel = Panel(title, x, y, (LARGE[0], max(LARGE[1], ROW * len(rows))), heading=heading)
    for row in rows:
        right, middle = panel.x(row[length]), panel.y(row[name])
        panel.box((panel.x(0), right, middle - 10, middle + 10), AFTER, f"{row[name]}: {row[length]:,}")
        panel.text(right + 4, middle + 4.5, f"{row[length]:,}")
    line = panel.x(limit), panel.y(rows[0][name]) - 13, panel.x(limit), panel.y(rows[-1][name]) + 13
    panel.segments([line], f' stroke="{INK}" stroke-dasharray="6 4"')
    return panel.picture(rows)


def points_beside(rows: Rows, axes: tuple[str, str, str], titles: tuple[str, str], *, heading: str = "") -> Picture:
    """Draw every number as a point above its setting, and what a paper prints as a diamond."""
    setting, number, printed = axes
    x = name_axis(list(dict.fromkeys(row[setting] for row in rows)), titles[0])
    known = [row[key] for row in rows for key in (number, printed) if row[key] is not None]
    y = number_axis(known, titles[1], zero=True)
    panel = Panel(titles[1], x, y, LARGE, heading=heading)
    for row in rows:
        look = AFTER, "circle", 4.0
        panel.point(panel.x(row[setting]), panel.y(row[number]), look, f"{row[number]:,}", ' fill-opacity="0.5"')
    for name, said in {row[setting]: row[printed] for row in rows if row[printed] is not None}.items():
        panel.point(panel.x(name), panel.y(said), (BEFORE, "diamond", 5.5), f"printed: {said:,}")
    return panel.picture(rows)


def yes_and_no(rows: Rows, axes: tuple[str, str, str], titles: tuple[str, str], *, heading: str = "") -> Picture:
    """Draw a grid of squares, blue where something holds."""
    across, up, holds = axes
    x = name_axis([f"{one:g}" for one in sorted({row[across] for row in rows})], titles[0])
    y = name_axis([f"{one:g}" for one in sorted({row[up] for row in rows})], titles[1])
    words = {True: ("holds", AFTER, "square"), False: ("does not hold", QUIET, "square")}
    panel = Panel(f"{titles[0]} and {titles[1]}", x, y, LARGE, legend=list(words.values()), heading=heading)
    wide, high = panel.width * x.step / 2, panel.height * y.step / 2
    for row in rows:
        middle, height = panel.x(f"{row[across]:g}"), panel.y(f"{row[up]:g}")
        word, color, _ = words[bool(row[holds])]
        ends = middle - wide, middle + wide, height - high, height + high
        panel.box(ends, color, f"{row[across]:g}, {row[up]:g}: {word}", ' stroke="#ffffff"')
    return panel.picture(rows)


def _series_names(rows: Rows, of: str) -> list[str]:
    return list(dict.fromkeys(str(row[of]) for row in rows))
