"""Draws plain values that it is given. Computes nothing and never sees a table."""

from incrowd.report._bipartite import Picture, bipartite_svg
from incrowd.report._experiment_charts import (
    bars_with_limit,
    points_beside,
    series_bars,
    series_curves,
    svg_of,
    yes_and_no,
)
from incrowd.report._page import LONG, Figure, Page, Section, State, Table, html_of, letter_of
from incrowd.report._risk_charts import attack_rates, attackers, class_sizes, confidence
from incrowd.report._search_charts import lattice, rectangles, tree
from incrowd.report._utility_charts import frontier, ladders, losses, marginals

__all__ = [
    "LONG",
    "Figure",
    "Page",
    "Picture",
    "Section",
    "State",
    "Table",
    "attack_rates",
    "attackers",
    "bars_with_limit",
    "bipartite_svg",
    "class_sizes",
    "confidence",
    "frontier",
    "html_of",
    "ladders",
    "lattice",
    "letter_of",
    "losses",
    "marginals",
    "points_beside",
    "rectangles",
    "series_bars",
    "series_curves",
    "svg_of",
    "tree",
    "yes_and_no",
]
