"""Draws plain values that it is given. Computes nothing and never sees a table."""

from incrowd.report._bipartite import bipartite_svg

__all__ = ["bipartite_svg"]
