"""How ``CheapestFirst`` works: form classes in blocks, judge them where that is needed, settle what is left."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._cheapest._blocks import Formed, cut_into_blocks, form_in_blocks
from incrowd.algorithms._cheapest._settle import Groups
from incrowd.algorithms._cheapest._support import Needs
from incrowd.algorithms._cheapest._tables import Board, Called, labelled
from incrowd.algorithms._local import Pieces
from incrowd.core import Labelling, add_up

Bools = npt.NDArray[np.bool_]
Whole = npt.NDArray[np.int64]
Tell = Callable[[int], object]

WHOLE = 60_000
"""So many points are searched at once, unless the user says otherwise."""
BLOCK = 100
"""Blocks have so many times the records that a class needs, and at least five times as many records as this."""
LARGE = 10
"""Where classes as small as the promise allows break it, mostly, those to be merged have at least so many records."""


class Run:
    """One search.

    Attributes
    ----------
    board
        The points and the columns.
    needs
        What a class must have.
    """

    def __init__(self, board: Board, block: int | None, tell: Tell | None = None) -> None:
        self.board = board
        self.needs = Needs.of(board.table)
        self._tables = board.tables()
        self._tell = tell
        self._blocks = cut_into_blocks(lambda: board.tables(nested=True), board.weights, self._least(block))
        self._block_of = np.empty(len(board.points), dtype=np.int64)
        for number, inside in enumerate(self._blocks):
            self._block_of[inside] = number

    def run(self) -> None:
        """Form the classes."""
        weights = self.board.weights
        if self.needs.enough:
            formed = self._form(1)
            groups = Groups.of(formed, np.ones(len(formed.home), dtype=bool), self._block_of)
        else:
            groups = Groups.of(*self._form_and_judge(), self._block_of)
        if self.board.table.upward_closed:
            groups.settle(self._tables, weights)
        else:
            groups.settle_by(self.board.keeps, self._tables, weights)
        self.owner, self.levels = groups.owner, groups.levels

    def called(self, pieces: Pieces, labels: Called) -> tuple[Labelling, ...]:
        """Call every class by the label with which it was formed."""
        return labelled(self.board, pieces, self.levels, labels)

    def _form(self, least: int) -> Formed:
        """Form classes of at least so many records that have what the promise implies."""
        return form_in_blocks(self._tables, self.needs.support(self.board, least), self._blocks, self._tell)

    def _form_and_judge(self) -> tuple[Formed, Bools]:
        """Form classes, larger ones where hardly any keeps the promise, and say which do."""
        least, weights = self._smallest(), self.board.weights
        while True:
            formed = self._form(least)
            inside = np.flatnonzero(formed.owner >= 0)
            good = self.board.keeps(inside, formed.owner[inside], len(formed.home))
            sizes = add_up(formed.owner[inside], weights[inside], len(good))
            if least >= LARGE or int(sizes[good].sum()) * 2 >= int(weights.sum()):
                return formed, good
            least = LARGE

    def _least(self, block: int | None) -> int | None:
        """Say how many records a block has at least; ``None`` where the table is not cut."""
        weights = self.board.weights
        if block is None and len(weights) > WHOLE:
            block = max(BLOCK * self._smallest(), BLOCK * 5) * (1 if self.needs.enough else 4)
        return block if block is not None and int(weights.sum()) >= 2 * block else None

    def _smallest(self) -> int:
        """Say how many records every class has at least."""
        plain = [one.least for one in self.needs.sums if one.kinds is None and (one.worth == 1).all()]
        return max(plain, default=1)
