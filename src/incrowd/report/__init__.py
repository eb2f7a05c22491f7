"""Draws plain values that it is given. Computes nothing and never sees a table."""

from incrowd.report._bipartite import bipartite_svg
from incrowd.report._page import Figure, Page, Section, Table, html_of
from incrowd.report._risk_charts import attack_rates, attackers, class_sizes, confidence
from incrowd.report._search_charts import lattice, rectangles, tree
from incrowd.report._utility_charts import frontier, ladders, losses, marginals

__all__ = [
    "Figure",
    "Page",
    "Section",
    "Table",
    "attack_rates",
    "attackers",
    "bipartite_svg",
    "class_sizes",
    "confidence",
    "frontier",
    "html_of",
    "ladders",
    "lattice",
    "losses",
    "marginals",
    "rectangles",
    "tree",
]
