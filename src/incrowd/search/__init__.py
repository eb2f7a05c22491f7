"""Searches: a census and a bound model in, a recoding out."""

from incrowd.search._datafly import Datafly
from incrowd.search._levels_and_items import LevelsAndItems
from incrowd.search._local_recoding import LocalTable, Pieces
from incrowd.search._mu_argus import MuArgus
from incrowd.search._problem import NEUTRAL, Algorithm, LocalOutcome, Node, Outcome, Problem, Progress, Suppression
from incrowd.search.cheapest._cheapest import CheapestFirst
from incrowd.search.lattice._acceptance import hopeless_levels, is_monotone, left_out_at, too_small_levels
from incrowd.search.lattice._frontier import Frontier, find_frontier, growing_promise
from incrowd.search.lattice._incognito import Incognito, Iteration
from incrowd.search.lattice._optimal import Optimal
from incrowd.search.lattice._samarati import Samarati, Savings
from incrowd.search.lattice._solutions import Inspection, Solutions, all_solutions
from incrowd.search.levels_and_cells._levels_and_cells import LevelsAndCells
from incrowd.search.mondrian._counts import ColumnCut, CountedCuts, PieceCounts, ValueCounts
from incrowd.search.mondrian._mondrian import Mondrian
from incrowd.search.mondrian._parts import CutOutcome, EarlierParts, PartTree
from incrowd.search.swap_diversity._swap_diversity import SwapDiversity
from incrowd.search.top_down._top_down import TopDown

__all__ = [
    "NEUTRAL", "Algorithm", "CheapestFirst", "ColumnCut", "CountedCuts", "CutOutcome", "Datafly", "EarlierParts",
    "Frontier", "Incognito", "Inspection", "Iteration", "LevelsAndCells", "LevelsAndItems", "LocalOutcome",
    "LocalTable", "Mondrian", "MuArgus", "Node", "Optimal", "Outcome", "PartTree", "PieceCounts", "Pieces", "Problem",
    "Progress", "Samarati", "Savings", "Solutions", "Suppression", "SwapDiversity", "TopDown", "ValueCounts",
    "all_solutions", "find_frontier", "growing_promise", "hopeless_levels", "is_monotone", "left_out_at",
    "too_small_levels",
]  # fmt: skip
