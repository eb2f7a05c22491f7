"""Searches: from a census and a promise to what every record is published as."""

from incrowd.algorithms._frontier import Frontier, find_frontier
from incrowd.algorithms._incognito import Incognito, Iteration
from incrowd.algorithms._inspected import Inspected
from incrowd.algorithms._local import Locally, LocalOutcome, Pieces
from incrowd.algorithms._optimal import Optimal
from incrowd.algorithms._outcome import (
    Algorithm,
    Node,
    Outcome,
    Progress,
    is_monotone,
    left_out_by,
)
from incrowd.algorithms._problem import Problem
from incrowd.algorithms._samarati import Samarati, Savings
from incrowd.algorithms._solutions import Solutions, all_solutions

__all__ = [
    "Algorithm",
    "Frontier",
    "Incognito",
    "Inspected",
    "Iteration",
    "LocalOutcome",
    "Locally",
    "Node",
    "Optimal",
    "Outcome",
    "Pieces",
    "Problem",
    "Progress",
    "Samarati",
    "Savings",
    "Solutions",
    "all_solutions",
    "find_frontier",
    "is_monotone",
    "left_out_by",
]
