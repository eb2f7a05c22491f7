"""``SwapDiversity``: l-diversity over categories by swapping records between classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from incrowd.core import Hint, ParameterError, Setting
from incrowd.hierarchies import Categories
from incrowd.models import EnhancedPAlphaSensitive, Judge, LDiversity, Model, PSensitive
from incrowd.search._datafly import check_outliers, k_and_others, raise_levels, refuse_others
from incrowd.search._local_recoding import LocalTable
from incrowd.search._problem import CHEAPEST_FIRST, MONDRIAN, Ints, LocalOutcome, OnProgress, Problem, check_flag

PLAIN = Hint(
    "Without swaps this is a baseline: classes that lack categories are merged. {} swaps first.",
    Setting.search("SwapDiversity"),
)


@dataclass(frozen=True)
class SwapDiversity:
    """Classes of at least k records with at least l categories each: records change places, values stay as they are.

    Parameters
    ----------
    swap
        Swap records between classes, and merge classes only where no swap helps. Without it they are merged at once:
        that is there to compare with.
    outliers
        How many records may be in small classes when the raising of columns ends; by default the k that is promised.
        More outliers mean more and smaller classes to begin with.

    Notes
    -----
    Carries k-anonymity and one promise about the number of different values in one sensitive column:
    ``EnhancedPAlphaSensitive(l, 0)``, which counts the categories of the schema, or ``LDiversity(l)`` or
    ``PSensitive(l)``, for which every value is a category of its own. No record is lost and no sensitive value is
    changed: a swap moves a record to another class, and both classes are then called by what their members have in
    common. It counts records, not people.

    With two categories or more no class lies in one category, so the similarity attack finds nothing. What is *not*
    protected: how frequent a value is in a class (99 of 100 may have it), and categories that look alike to a
    neighbour. Labels of different classes may overlap; where they do, they tell that a finer class lacked something,
    and who knows the algorithm may conclude more (Cohen).

    Where the swap that costs least is looked for, every record of the class is compared with the records of all classes
    that are near enough: the time grows with the number of classes that lack categories, times the number of classes.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam. *l-diversity.* ACM TKDD 1(1), 2007.
    Geetha Mary A, D. P. Acharjya, N. Ch. S. N. Iyengar. *Improved anonymization algorithms for hiding sensitive
    information in hybrid information system.*
    A. Cohen. *Attacks on deidentification's defenses.* USENIX Security, 2022.
    """

    swap: bool = True
    outliers: int | None = None
    local: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_flag("swap", self.swap)
        check_outliers(self.outliers)

    def search(self, problem: Problem, progress: OnProgress | None = None) -> LocalOutcome:
        """Find what every record is published as.

        Parameters
        ----------
        problem
            The census, the promise and the limits. No record is left out.
        progress
            Not called.
        """
        from incrowd.search.swap_diversity._crowds import Crowds  # noqa: PLC0415 - loads numba

        table = LocalTable(problem)
        k, model = _k_and_values(problem.model)
        refuse_others(table, "SwapDiversity")
        judge = _only_judge(table, model)
        table.refuse_if_hopeless()
        raised = raise_levels(table, k, k if self.outliers is None else self.outliers)
        crowds = Crowds(table, raised, _kinds_of_cells(table, judge), int(judge.model.requirements[0].bound))
        while (small := crowds.smallest_below(k)) is not None:
            crowds.merge(small, for_kinds=False)
        while (poor := crowds.least_diverse()) is not None:
            if not (self.swap and crowds.swap(poor)):
                crowds.merge(poor)
        pieces = crowds.pieces()
        return table.outcome(pieces, table.labels(pieces), notes=() if self.swap else (PLAIN,))


def _k_and_values(model: Model) -> tuple[int, Model]:
    """Give the k and the promise about different values; refuse whatever else is promised."""
    k, others = k_and_others(model)
    match others:
        case [EnhancedPAlphaSensitive(alpha=0) | LDiversity(kind="distinct", joint=False) | PSensitive(joint=False)]:
            return k, others[0]
    found = ", ".join(map(str, others)) or str(model)
    msg = f"SwapDiversity keeps k-anonymity with a number of different values or categories, not {found}."
    example = 'promise for example "k>=3, enhanced(p=2, alpha=0)", or use {} or {}.'
    raise ParameterError(msg, hint=Hint(example, MONDRIAN, CHEAPEST_FIRST))


def _only_judge(table: LocalTable, model: Model) -> Judge:
    """Give the judge of the sensitive column that the promise is about."""
    judges = [judge for judge in table.judges if judge.columns]
    if len(judges) != 1:
        msg = f"SwapDiversity cares for one sensitive column, and {model} is about {len(judges)}."
        hint = Hint("name one of them with of=, or use {} or {}.", MONDRIAN, CHEAPEST_FIRST)
        raise ParameterError(msg, hint=hint)
    return judges[0]


def _kinds_of_cells(table: LocalTable, judge: Judge) -> Ints:
    """Give the category of every cell, -1 for none; where the promise counts values, each is one of its own."""
    census, (name,) = table.census, judge.columns
    codes = table.sensitive_codes(name)
    meaning = dict(table.problem.schema.sensitive)[name]
    if isinstance(judge.model, EnhancedPAlphaSensitive) and isinstance(meaning, Categories):
        codes = meaning.bind(census.domains[name]).category[codes]
    return np.where(table.counted_cells(judge), codes.astype(np.int64), -1)
