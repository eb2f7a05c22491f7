"""``items``: values that are sets, such as all diagnoses of a person, and the hierarchy of their items."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    TOP,
    DataError,
    Domain,
    Hierarchy,
    HierarchyError,
    Hint,
    ItemSets,
    Ladder,
    ParameterError,
    Setting,
    Step,
    UncoveredValuesError,
    add_up,
)
from incrowd.hierarchies._mask import flat

FINE = 100
"""Detail is lost item by item: what a set has lost on average is known to one part in so many of a value."""


@dataclass(frozen=True, slots=True)
class Items:
    """Values are sets, whose items have a hierarchy. Built by ``items``."""

    separator: str
    hierarchy: Hierarchy

    def bind(self, domain: Domain) -> Ladder:
        sets = self._sets(domain)
        ladder = self._ladder_of_items(domain, sets)
        everything = 1 + FINE * max(int(ladder.leaves[-1][0]) - 1, 0)
        steps, lost = list[Step](), np.ones(len(sets), dtype=np.int64)
        for level, labels in enumerate(ladder.labels):
            # One item that is called as the whole is at the top would pass for a set of which nothing is said.
            if TOP not in labels.tolist() and set("".join(labels[:2].tolist())) - {TOP}:
                step = self._step(domain.column, sets, ladder, level, lost)
                lost = np.asarray(step.leaves, dtype=np.int64)[step.group]
                steps.append(step)
        return Ladder.climb(domain, [*steps, Step.top(domain, everything)], self.separator)

    def _sets(self, domain: Domain) -> ItemSets:
        """Take the values apart; refuse those that are no sets of items."""
        texts = domain.texts[: len(domain.values)].tolist()
        sets = ItemSets.of(texts, self.separator)
        no_items = np.array([not name.strip(TOP) for name in sets.names], dtype=bool)
        wrong = np.bincount(sets.owner[no_items[sets.items]], minlength=len(sets)) > 0
        wrong |= sets.sizes == 0
        if count := int(wrong.sum()):
            which = "1 value" if count == 1 else f"{count:,} values"
            msg = f"Column {domain.column!r} has {which} with an item that is missing, empty, or nothing but stars."
            hint = f"write items with {self.separator!r} between them, and none within; a list of nothing is missing."
            raise DataError(msg, hint=hint)
        return sets

    def _ladder_of_items(self, domain: Domain, sets: ItemSets) -> Ladder:
        """Fit the hierarchy of single items to those that occur."""
        rows = add_up(sets.items, domain.counts[sets.owner], len(sets.names))
        names = np.array(sets.names, dtype=object)
        single = Domain(domain.column, "text", names, rows)
        try:
            ladder = self.hierarchy.bind(single)
        except UncoveredValuesError as error:
            missing = error.values
        else:
            return ladder
        msg = (
            f"Column {domain.column!r} has {len(missing):,} of {len(names):,} items that its hierarchy does not cover."
        )
        carried = Setting(
            "values", "them", "the error carries them in .values; the command line prints them with --show-values"
        )
        raise UncoveredValuesError(
            msg, column=domain.column, values=missing, hint=Hint("add them, or look at the separator; {}.", carried)
        )

    def _step(self, column: str, sets: ItemSets, ladder: Ladder, level: int, before: npt.NDArray[np.int64]) -> Step:
        """Give what every set is called where its items are raised to a level, of which none has lost less before."""
        labels = ladder.labels[level]
        if any(map(str.__contains__, labels.tolist(), repeat(self.separator))):
            msg = f"At level {level} the hierarchy of column {column!r} has labels that hold {self.separator!r}."
            raise HierarchyError(msg, hint="use another separator, or labels without it: labels would part in two.")
        if any(text != text.strip() or not text for text in labels.tolist()):
            msg = (
                f"At level {level} the hierarchy of column {column!r} has labels of nothing, or with blanks at an end."
            )
            raise HierarchyError(msg, hint="remove the blanks: in a list they would not count.")
        raised = sets.renamed(labels[ladder.groups[level]].tolist())
        number = {text: place for place, text in enumerate(labels.tolist())}
        covered = ladder.leaves[level][[number[name] for name in raised.names]] - 1
        lost = add_up(raised.owner, covered[raised.items], len(raised)) * FINE / np.maximum(raised.sizes, 1)
        known: dict[str, int] = {}
        group = np.array([known.setdefault(text, len(known)) for text in raised.texts(self.separator)], dtype=np.int64)
        leaves = np.ones(len(known), dtype=np.int64)
        np.maximum.at(leaves, group, np.maximum(before, 1 + np.round(lost).astype(np.int64)))
        return Step(group, list(known), leaves.tolist())

    def __repr__(self) -> str:
        return f"items({self.hierarchy!r}, separator={self.separator!r})"


def items(hierarchy: Hierarchy | None = None, *, separator: str = "|") -> Items:
    """Let the values of a column be sets of items, such as all diagnoses of a person: ``E11|I10``.

    Parameters
    ----------
    hierarchy
        How a single item becomes vaguer: a ``tree``, a ``classification`` or another hierarchy. Without one an item is
        published as it is or not at all.
    separator
        What stands between items, where values are texts; one character that is neither letter nor digit. Columns of
        lists (Parquet, Arrow, frames, DuckDB) are read as if they were written so.

    Notes
    -----
    Level 0 is a set as the table writes it, which is never published. At level 1 a set has one form: its items in
    ascending order, each once, whatever their order was. At every level above items are raised by one level of their
    hierarchy, and items that become one count once; the last level is ``*`` for all. A list of nothing counts as
    missing. Released sets are texts, also where the table had lists.

    For ``k`` and all other promises two people are alike if their whole published sets are equal, which is rare. The
    promise ``k>=5[diagnoses, any 2 items]`` asks for less (``KKmAnonymity``).

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.items(ic.tree({"heart": ["I10", "I25"], "sugar": ["E10", "E11"]}))
    items(Tree(4 values, 2 steps), separator='|')
    """
    if not isinstance(separator, str) or len(separator) != 1 or separator.isalnum() or separator in "*\"'\r\n\0":
        msg = "separator must be one character that is neither letter, digit, quote nor star."
        raise ParameterError(msg, hint="for example '|' or ';'.")
    if hierarchy is not None and (isinstance(hierarchy, (type, Items)) or not isinstance(hierarchy, Hierarchy)):
        msg = f"items needs the hierarchy of a single item, got {type(hierarchy).__name__}."
        raise ParameterError(msg, hint="for example items(tree('icd.csv')).")
    return Items(separator, flat() if hierarchy is None else hierarchy)
