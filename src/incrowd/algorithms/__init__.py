"""Searches: from a census and a promise to what every record is published as."""

from incrowd.algorithms._cheapest._cheapest import CheapestFirst
from incrowd.algorithms._datafly import Datafly
from incrowd.algorithms._frontier import Frontier, find_frontier, growing_promise
from incrowd.algorithms._hopeless import hopeless_levels, too_small_levels
from incrowd.algorithms._incognito import Incognito, Iteration
from incrowd.algorithms._inspected import Inspected
from incrowd.algorithms._local import Locally, LocalOutcome, Pieces
from incrowd.algorithms._mondrian._by_counts import Along, ByCounts, PieceCounts, ValueCounts
from incrowd.algorithms._mondrian._columns import Begun
from incrowd.algorithms._mondrian._mondrian import Mondrian
from incrowd.algorithms._mondrian._tree import CutOutcome, PartTree
from incrowd.algorithms._mu_argus._mu_argus import MuArgus
from incrowd.algorithms._optimal import Optimal
from incrowd.algorithms._outcome import (
    Algorithm,
    Node,
    Outcome,
    Progress,
    is_monotone,
    left_out_by,
)
from incrowd.algorithms._problem import Problem, Suppression
from incrowd.algorithms._samarati import Samarati, Savings
from incrowd.algorithms._solutions import Solutions, all_solutions
from incrowd.algorithms._swap_diversity._swap_diversity import SwapDiversity
from incrowd.algorithms._top_down._top_down import TopDown

__all__ = [
    "Algorithm",
    "Along",
    "Begun",
    "ByCounts",
    "CheapestFirst",
    "CutOutcome",
    "Datafly",
    "Frontier",
    "Incognito",
    "Inspected",
    "Iteration",
    "LocalOutcome",
    "Locally",
    "Mondrian",
    "MuArgus",
    "Node",
    "Optimal",
    "Outcome",
    "PartTree",
    "PieceCounts",
    "Pieces",
    "Problem",
    "Progress",
    "Samarati",
    "Savings",
    "Solutions",
    "Suppression",
    "SwapDiversity",
    "TopDown",
    "ValueCounts",
    "all_solutions",
    "find_frontier",
    "growing_promise",
    "hopeless_levels",
    "is_monotone",
    "left_out_by",
    "too_small_levels",
]
