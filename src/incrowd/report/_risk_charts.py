"""Charts about risk: how large groups are, what attackers achieve, and how certain a guess can be."""

from __future__ import annotations

from typing import Any

import altair as alt

from incrowd.report._look import AFTER, QUIET, Rows, data, finished, line_at, share, side_by_side, when


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
