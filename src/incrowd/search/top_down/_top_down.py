"""``TopDown``: all records start together, and go down the hierarchies as far as the promise allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from incrowd.core import Hint, Labelling, ParameterError, Setting
from incrowd.search._local_recoding import LocalTable, Pieces, needed_sums
from incrowd.search._problem import CHEAPEST_FIRST, MONDRIAN, LocalOutcome, OnProgress, Problem, check_choice

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
        check_choice("best", self.best, get_args(Best))
        if not isinstance(self.retry, bool):
            msg = f"retry must be True or False, got {self.retry!r}."
            raise ParameterError(msg)

    def search(self, problem: Problem, progress: OnProgress | None = None) -> LocalOutcome:
        """Find what every record is published as."""
        table = LocalTable(problem)
        _refuse_others(table)
        if self.best == "records":
            loss = Setting("algorithm", {"name": "top-down", "best": "loss"}, 'TopDown("loss")')
            table.refuse_importance("TopDown counts records", Hint("use {}.", loss))
        table.refuse_if_hopeless()
        from incrowd.search.top_down._specialization import specialize  # noqa: PLC0415 - loads numba

        census = table.census
        order = np.lexsort((*census.codes[len(census.quasi) - 1 :: -1], *census.codes[: len(census.quasi) - 1 : -1]))
        found = specialize(table, order, by_loss=self.best == "loss", retry=self.retry)
        cells = order[found.cells]
        classes = np.repeat(np.arange(len(found.levels)), np.diff(found.starts))
        counts = census.counts[cells].astype(np.int64) if table.has_persons else found.counts
        pieces = Pieces(cells, classes, counts)
        first = cells[found.starts[:-1]]

        def label(column: int) -> Labelling:
            """Call every class by the group of its first cell at the level where it stopped."""
            namer, levels = table.names[column], found.levels[:, column].astype(np.int64)
            groups = np.array(table.level_groups(column))[levels, census.codes[column][first]]
            return namer.by_group(namer.floor + levels, groups)

        labels = table.labels_or_averages(pieces, label)
        return table.outcome(pieces, labels, notes=(OVERLAP,) if len(found.levels) > 1 else ())


def _refuse_others(table: LocalTable) -> None:
    """Refuse a promise that the search cannot carry: records move between classes, so more must never break it."""
    for judge in table.judges:
        if not judge.upward_closed or next(needed_sums(table, judge), None) is None:
            msg = (
                f"TopDown cannot carry {judge.model}. It carries what more records in a class never break: "
                f"k, distinct l, p, (p, alpha) and enhanced (p, alpha)."
            )
            hint = Hint("use {} or {}, or one of these promises.", MONDRIAN, CHEAPEST_FIRST)
            raise ParameterError(msg, hint=hint)
