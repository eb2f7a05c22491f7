"""``CheapestFirst``: labels that cover enough free records become classes, the cheapest label first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from incrowd.core import ParameterError
from incrowd.search._local_recoding import LocalTable
from incrowd.search._problem import LocalOutcome, OnProgress, Problem, Progress, check_choice, check_flag

OVERLAPS = (
    "Labels of different classes may overlap: a vague label beside a precise one tells that few records were left that "
    "the precise one covers. The less a local recoding loses, the more it is exposed to downcoding."
)
CUT = (
    "No two labels overlap, but every class was cut as far as the promise allows: that a label is vague tells that a "
    "further cut would break the promise."
)


@dataclass(frozen=True)
class CheapestFirst:
    """Every record gets the cheapest label that still covers enough free records; nobody is left out.

    A label says for every quasi-identifier how precise it is, and costs what it gives up: in each column the values
    that it covers beyond one, as a share of all beyond one, times the column's importance. The search finds for every
    record the cheapest label under which enough records lie that have no class yet, makes the cheapest of these labels
    classes with all free records under them, and looks again. What is left at the end joins the class with which it
    costs least.

    Parameters
    ----------
    labels
        ``"hierarchy"``: classes are called by groups of the hierarchies. ``"range"``: numbers and dates by their
        smallest and largest value; all other columns as before.
    tighten
        Whether a class is called by the narrowest label that covers its members. Without it, by the label with which it
        was formed, which says less about the members.
    strict
        Whether no two labels may overlap: no combination of values is covered by two of them, and records that are
        alike share a class. The table is then cut instead: again and again a part is cut in one column, into the groups
        of the next level below (numbers that are called by ranges in two), if every piece keeps the promise; in the
        column that saves most for every bit that says which piece a record is in. Loses two to four times as much.
    block
        Longer tables are cut into blocks of at least so many records, which are searched one by one, several at a time.
        By default a table with more than 60,000 different combinations of quasi-identifiers is cut, into blocks of 100
        times the records that a class needs, and of at least 500. Smaller blocks are faster and cost a little more.

    Notes
    -----
    Carries every promise whose classes may be put together: all but (n, t)-closeness, and where people have several
    rows all that count people or values, but none about shares or distributions. Promises that survive added records
    (k, distinct l, p, both with weights) decide within the search. The others are searched by what they imply; classes
    that break them are then merged with near ones, in the worst case all into one. Records that are alike stay
    together, and a row may stand for several (``count``).

    Deterministic: costs are whole numbers (the most important column costs 2**40 where it says nothing, the others as
    much less as they weigh, and parts of it are rounded), ties are decided by the order of columns and values, and
    blocks do not know of each other.

    Not protected: whatever the promise says nothing about. And a recoding that gives up little is the most exposed to
    downcoding, that is to an intruder who knows how it was made and infers finer values: vague labels beside precise
    ones, narrowest labels and ranges that end at real values all tell something. ``tighten=False`` and ``strict=True``
    tell less; a recoding with one level per column, as ``Optimal`` finds it, least.

    References
    ----------
    A. Cohen. *Attacks on deidentification's defenses.* USENIX Security, 2022: downcoding.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.CheapestFirst(labels="range")
    CheapestFirst(labels='range', tighten=True, strict=False, block=None)
    """

    labels: Literal["hierarchy", "range"] = "hierarchy"
    tighten: bool = True
    strict: bool = False
    block: int | None = None

    local: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_choice("labels", self.labels, ("hierarchy", "range"))
        check_flag("tighten", self.tighten)
        check_flag("strict", self.strict)
        if self.block is not None and (
            isinstance(self.block, bool) or not isinstance(self.block, int) or self.block < 1
        ):
            msg = f"block must be a whole number of at least 1, got {self.block!r}."
            raise ParameterError(msg)
        if self.strict and self.block is not None:
            msg = "block cannot be kept with strict=True, which cuts the table as a whole."
            raise ParameterError(msg, hint="leave block out.")

    def search(self, problem: Problem, progress: OnProgress | None = None) -> LocalOutcome:
        """Decide on the class of every record.

        Parameters
        ----------
        problem
            The census, the promise and the limits. Nobody is left out, whatever the limit.
        progress
            Called after every block with the combinations of quasi-identifiers that are done, of how many.
        """
        table = LocalTable(problem, whole=True)
        table.refuse_unions("CheapestFirst")
        table.refuse_if_hopeless()
        from incrowd.search.cheapest._formation import Formation  # noqa: PLC0415
        from incrowd.search.cheapest._partition import StrictPartition  # noqa: PLC0415
        from incrowd.search.cheapest._search_space import SearchSpace, labels_by_level  # noqa: PLC0415 - loads numba

        board = SearchSpace.of(table, self.labels)
        points = len(board.points)
        tell = None if progress is None else lambda done: progress(Progress(done, points, None))
        found = StrictPartition(board) if self.strict else Formation(board, self.block, tell)
        found.run()
        pieces = table.whole_pieces(found.owner[board.points.ids])
        if self.tighten:
            labels = table.labels(pieces, self.labels)
        elif isinstance(found, StrictPartition):
            labels = found.labels(pieces, self.labels)
        else:
            labels = labels_by_level(board, pieces, found.levels, self.labels)
        return table.outcome(pieces, labels, notes=(CUT if self.strict else OVERLAPS,))
