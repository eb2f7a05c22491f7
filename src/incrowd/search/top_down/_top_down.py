"""Top-down local recoding: all records start together, and go down the hierarchies as far as the promise allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from incrowd.core import Hint, Labelling, Namer, ParameterError, Setting
from incrowd.hierarchies import Averaged
from incrowd.search._local import LocalOutcome, LocalTable, Pieces
from incrowd.search._outcome import Progress
from incrowd.search._problem import Problem
from incrowd.search.top_down._parts import Ladders, Parts, needs_of, refuse_others, together, whole

Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Ints = npt.NDArray[np.integer]
Best = Literal["records", "loss"]
OVERLAP = "Labels overlap: a coarse label tells that the finer groups under it were too small for some of its records."


@dataclass(frozen=True)
class TopDown:
    """A local recoding from the top: every class goes down one level at a time, as far as the promise allows.

    Parameters
    ----------
    best
        Which column a class goes down. ``"records"``: the one that takes most records along, then the one with the
        fewest branches, as the paper has it. ``"loss"``: the one that loses least, which publishes more detail; only
        this one heeds the importance of columns.
    retry
        Try the records that stay behind once more with the other columns. Costs time, and loses less.

    Notes
    -----
    A class is split by the labels one level down. Branches that keep the promise go on; records of the others stay. If
    those who stay do not keep the promise together, they borrow records from the branches, the ones that could go down
    least first. No record is left out.

    Carries promises that more records in a class never break: k, distinct l, p, (p, alpha) and enhanced (p, alpha),
    alone or together, also where people have several rows. Others are refused. Of two records that could be borrowed
    equally well it takes the one whose sensitive value, then whose quasi-identifiers come first in canonical order.

    Protects as far as the promise does. Labels overlap, so a coarse label beside finer ones tells that the finer groups
    were too small, and who knows how the search works can sometimes undo a step (downcoding). One level per column, as
    ``Optimal`` has it, tells less.

    References
    ----------
    X. Sun, H. Wang, J. Li, T. M. Truta. *Enhanced p-sensitive k-anonymity models for privacy preserving data
    publishing.* Transactions on Data Privacy 1(2), 2008.
    A. Cohen. *Attacks on deidentification's defenses.* USENIX Security, 2022.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.TopDown("loss")
    TopDown(best='loss', retry=False)
    """

    best: Best = "records"
    retry: bool = False

    local: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.best not in ("records", "loss"):
            msg = f"best must be 'records' or 'loss', got {self.best!r}."
            raise ParameterError(msg)
        if not isinstance(self.retry, bool):
            msg = f"retry must be True or False, got {self.retry!r}."
            raise ParameterError(msg)

    def search(self, problem: Problem, progress: Callable[[Progress], bool | None] | None = None) -> LocalOutcome:  # noqa: ARG002
        """Find what every record is published as."""
        table = LocalTable(problem)
        refuse_others(table)
        if self.best == "records":
            loss = Setting("algorithm", {"name": "top-down", "best": "loss"}, 'TopDown("loss")')
            table.refuse_importance("TopDown counts records", Hint("use {}.", loss))
        table.refuse_if_hopeless()
        census = table.census
        order = np.lexsort((*census.codes[len(census.quasi) - 1 :: -1], *census.codes[: len(census.quasi) - 1 : -1]))
        found = self._specialized(table, order)
        cells = order[found.cells]
        classes = np.repeat(np.arange(len(found.levels)), np.diff(found.starts))
        counts = census.counts[cells].astype(np.int64) if table.persons else found.counts
        pieces = Pieces(cells, classes, counts)
        labels = self._labels(table, pieces, found)
        return table.outcome(pieces, labels, notes=(OVERLAP,) if len(found.levels) > 1 else ())

    def _specialized(self, table: LocalTable, order: Ints) -> Parts:
        """Go down until every part is finished; cells are numbered by their places in ``order``."""
        from incrowd.search.top_down._step import Specialization  # noqa: PLC0415 - loads numba, which takes a while

        census = table.census
        codes = np.array([column[order] for column in census.codes[: len(census.quasi)]], dtype=np.int64)
        counts = np.ones(len(census), dtype=np.int64) if table.persons else census.counts[order].astype(np.int64)
        down = Specialization(Ladders.of(table), needs_of(table, order), codes, self.best == "loss", self.retry)
        start = whole(table, counts)
        blocks, finished = start.blocks(), [start.some(np.zeros(len(start.levels), dtype=bool))]
        while blocks:
            after, done = down.step(blocks.pop())
            blocks += after.blocks()
            finished.append(done)
        return together(finished)

    def _labels(self, table: LocalTable, pieces: Pieces, found: Parts) -> list[Labelling]:
        """Call every class as the node that it stopped at, or by an average where the schema wants that."""
        quasi = dict(table.problem.schema.quasi)
        averaged = [isinstance(quasi[name], Averaged) for name in table.census.quasi]
        called = table.called(pieces) if any(averaged) else ()
        first = pieces.cells[found.starts[:-1]]
        return [
            called[column]
            if averaged[column]
            else _by_level(namer, table.census.codes[column][first], found.levels[:, column])
            for column, namer in enumerate(table.names)
        ]


def _by_level(namer: Namer, codes: Ints, levels: Ints) -> Labelling:
    """Call every class by the group of one of its codes at a level above the floor."""
    groups = np.zeros(len(codes), dtype=np.int64)
    for level in np.unique(levels):
        here = levels == level
        groups[here] = namer.group_of(namer.floor + int(level))[codes[here]]
    return namer.by_group(namer.floor + levels.astype(np.int64), groups)
