"""Which charts an experiment has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from incrowd.api.experiments._result import MARK, Experiment, Row
from incrowd.report import bars_with_limit, points_beside, series_bars, series_curves, yes_and_no

Tables = Mapping[str, Sequence[Row]]


def charts_of(experiment: Experiment) -> dict[str, Any]:
    """Draw the tables of an experiment; what made-up rows gave is marked so."""
    drawn = DRAWN[experiment.name](experiment.tables)
    if not experiment.stand_in:
        return drawn
    return {name: chart.properties(title=MARK) for name, chart in drawn.items()}


def _enhanced(tables: Tables) -> dict[str, Any]:
    exposed = [
        {**row, "left_out": f"at most {100 * row['max_suppressed']:g} % left out"} for row in tables["similarity"]
    ]
    up, size = "distortion ratio (top-down)", "quasi-identifiers"
    return {
        "similarity": series_bars(
            exposed, ("left_out", "exposed_share", "model"), ("", "minimal tables exposed to similarity"), share=True
        ),
        "alpha": series_curves(_plain(tables["alpha"]), ("alpha", "distortion", "model"), ("alpha (p = 2, k = 3)", up)),
        "size": series_curves(_plain(tables["size"]), ("quasi_identifiers", "distortion", "model"), (size, up)),
        "time": series_curves(
            _plain(tables["size"]), ("quasi_identifiers", "seconds", "model"), (size, "processor seconds (top-down)")
        ),
    }


def _homogeneity(tables: Tables) -> dict[str, Any]:
    up = "expected classes with one value"
    return {
        "size": series_curves(_plain(tables["size"]), ("n", "expected_classes", "how"), ("records (k = 5)", up)),
        "k": series_curves(_plain(tables["k"]), ("k", "expected_classes", "how"), ("k (60,000 records)", up), log="y"),
    }


def _p_sensitive(tables: Tables) -> dict[str, Any]:
    printed = {(row["size"], row["k"]): row["printed_disclosures"] for row in tables["summary"]}
    rows = [
        {
            "setting": f"{row['size']:,} records, k = {row['k']}",
            "ours": row["disclosures"],
            "printed": printed[row["size"], row["k"]],
        }
        for row in tables["samples"]
        if row["max_suppressed"] == 0
    ]
    titles = ("points: our samples, nobody left out; diamond: the paper", "attribute disclosures")
    return {"disclosures": points_beside(rows, ("setting", "ours", "printed"), titles)}


def _improved(tables: Tables) -> dict[str, Any]:
    rows = [{"table": row["table"], "k": row.get("k", 0)} for row in tables["results"]]
    return {"k": bars_with_limit(rows, ("table", "k"), "records in the smallest class; 0: nothing published", 2)}


def _closeness(tables: Tables) -> dict[str, Any]:
    grids = {
        f"check-{name.replace(' ', '-').lower()}": yes_and_no(
            [dict(row) for row in tables["check"] if row["table"] == name],
            ("n", "t", "holds"),
            (f"n (Table 5 {name})", "t"),
        )
        for name in dict.fromkeys(row["table"] for row in tables["check"])
    }
    cut = [{**row, "t": f"t = {row['t']:g}"} for row in tables["adult"] if row["model"] == "(n, t)-closeness"]
    up = "loss of the Mondrian release"
    return {**grids, "adult": series_curves(cut, ("n", "loss", "t"), ("n", up), log="x")}


def _plain(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [dict(row) for row in rows]


DRAWN: Mapping[str, Callable[[Tables], dict[str, Any]]] = {
    "enhanced": _enhanced,
    "homogeneity": _homogeneity,
    "p-sensitive": _p_sensitive,
    "improved": _improved,
    "closeness": _closeness,
}
