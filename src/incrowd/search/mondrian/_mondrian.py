"""``Mondrian``: the table cut into ever smaller boxes, as long as every box keeps the promise."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from incrowd.core import Hint, ParameterError, Setting
from incrowd.models import NTCloseness
from incrowd.search._local_recoding import Labels, LocalTable
from incrowd.search._problem import OPTIMAL, OnProgress, Problem, check_choice, check_flag
from incrowd.search.mondrian._parts import CutColumn, CutOutcome, EarlierParts, label_cut, namesakes


@dataclass(frozen=True)
class Mondrian:
    """Cut the table along its widest column, then every part along its own, as long as all parts keep the promise.

    Parameters
    ----------
    strict
        Whether records with equal values stay together, so that classes do not overlap. ``False`` shares out the
        records that have the median, so that both halves are of one size.
    labels
        What classes are called. ``"range"``: numbers and dates by the smallest and the largest of the class, other
        columns by their hierarchy, or by the set of their values where there is none. ``"hierarchy"``: every column by
        the lowest label of its hierarchy that holds the class; every column is cut along its hierarchy then.
        ``"set"``: as ``"range"``, but columns of words always by the set of their values. Codes that are read as
        numbers, such as postcodes, count as numbers: give them as text, or use ``"hierarchy"``.

    Notes
    -----
    Numbers, dates and ordered values are cut at the median, words into the groups of their hierarchy one level below
    the label of the part, words without a hierarchy at the median of their texts. A part is cut along its widest
    column: the range of its numbers, or the number of its values, as a share of the table's, times the column's
    ``importance``. Where that would leave a piece that breaks the promise the next column is tried. A column with
    ``at_least`` is cut along its hierarchy, beginning there.

    Every promise can be carried. (n, t)-closeness needs the supersets ``"path"``, which are the parts that a class was
    cut out of, or ``"table"``. With an entity only ``strict=True`` works, and (n, t)-closeness does not.
    No record is left out, so a table that breaks the promise as a whole has no release.

    The result is good and fast, not the best. Not protected: ranges publish numbers that somebody has; a cut that was
    not made tells that a piece would have broken the promise, and a class is no larger than it must be, which makes
    local recodings the most exposed to downcoding. Without ``strict`` overlapping classes tell more of this kind.

    References
    ----------
    K. LeFevre, D. J. DeWitt, R. Ramakrishnan. *Mondrian multidimensional k-anonymity.* ICDE, 2006.
    N. Li, T. Li, S. Venkatasubramanian. *Closeness: a new privacy measure for data publishing.* IEEE TKDE 22(7), 2010.
    A. Cohen. *Attacks on deidentification's defenses.* USENIX Security, 2022.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.Mondrian()
    Mondrian(strict=True, labels='range')
    """

    strict: bool = True
    labels: Labels = "range"

    local: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_flag("strict", self.strict)
        check_choice("labels", self.labels, ("range", "hierarchy", "set"))

    def search(self, problem: Problem, progress: OnProgress | None = None) -> CutOutcome:
        """Cut the table.

        Parameters
        ----------
        problem
            The census, the promise and the limits. Nobody is left out, whatever the limit.
        progress
            Called after every round with the records that are done and those that there are; when it returns
            ``False`` the parts that are still open are published as they are.
        """
        return self.go_on(problem, None, progress)

    def go_on(self, problem: Problem, earlier: EarlierParts | None, progress: OnProgress | None = None) -> CutOutcome:
        """Cut the table, or go on where a larger one was cut into parts before.

        Parameters
        ----------
        problem, progress
            As in ``search``.
        earlier
            The parts.
        """
        from incrowd.search.mondrian._cuts import Cutting  # noqa: PLC0415 - loads numba

        table = LocalTable(problem)
        _refuse_promises(table, strict=self.strict)
        columns = tuple(CutColumn.of(table, index, self.labels) for index in range(len(table.names)))
        found = Cutting(table, columns, strict=self.strict, earlier=earlier).run(progress)
        cut, labels = label_cut(found, columns, apart=not table.union_closed)
        closeness = any(isinstance(model, NTCloseness) for model in problem.model.parts)
        paths = cut.tree.paths(cut.leaves) if closeness else None
        outcome = table.outcome(cut.pieces, labels, self._notes(len(found.leaves) - len(cut.leaves)), paths)
        merged = namesakes(labels)
        leaves = cut.leaves[merged.first] if len(merged) == len(cut.leaves) else None
        parts = {part.name: getattr(outcome, part.name) for part in fields(outcome)}
        return CutOutcome(**parts, tree=cut.tree, leaves=leaves)

    def _notes(self, taken_back: int) -> list[str]:
        notes = []
        if not self.strict:
            notes.append("Classes may overlap: records with equal values were shared out between parts.")
        if taken_back:
            notes.append(
                f"Cuts were taken back where parts would have been called alike: {taken_back:,} classes fewer."
            )
        return notes


def _refuse_promises(table: LocalTable, *, strict: bool) -> None:
    """Refuse what this search cannot promise."""
    if table.has_persons and not strict:
        msg = "The records of a person stay together, so equal values cannot be shared out between two parts."
        raise ParameterError(msg, hint=Hint("use {}.", Setting.search("Mondrian", strict=True)))
    for model in table.problem.model.parts:
        if not isinstance(model, NTCloseness):
            continue
        if model.supersets not in {"path", "table"}:
            msg = (
                f"Mondrian knows the parts that a class was cut out of, not supersets of the kind {model.supersets!r}."
            )
            path = Setting("supersets", ("path",), 'NTCloseness(..., supersets="path")')
            raise ParameterError(msg, hint=Hint("write {}.", path))
        if table.has_persons:
            msg = "Mondrian cannot promise (n, t)-closeness where people have several rows."
            raise ParameterError(msg, hint=Hint("use {}, or a model that counts people.", OPTIMAL))
