"""``Charts``: all charts of a release beside its table, and the measurements that they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from incrowd.core import CensusRequest, Classes, Domain, ParameterError, UnknownColumnError
from incrowd.engines import Remembered
from incrowd.evidence import Attack, Attacks, Risk, Subject, Utility, attack, risk, utility
from incrowd.models import Association, KAnonymity, check_column
from incrowd.release import Basis, Release, StoredRecoding, is_comparable, open_original, open_release
from incrowd.report import _chart_rows as rows, _plots as plots
from incrowd.report._bipartite_graph import bipartite_svg
from incrowd.report._panel import Picture
from incrowd.search import find_frontier, growing_promise

SHOWN = 15
"""So many values of a column are drawn."""
USUAL = Fraction(1, 5)
"""The highest chance that is accepted where nothing says another."""
WORK = 50_000_000
"""The curve over k is not drawn where nodes times cells are more."""


@dataclass(frozen=True, eq=False)
class Charts:
    """Charts of a release, each a ``Picture``: notebooks show it, and ``str`` of it is SVG.

    They show numbers of the original table beside those of the release: for the owner of the data, not for the public.
    With a ``population``, how many people the table was drawn from, the journalist is measured too. Above ``threshold``
    a chance counts as too high; by default what the promise accepts, 1 over its k; where it has no k, 1 in 5.
    """

    release: Release
    population: int | None = None
    threshold: Fraction | None = None

    def class_sizes(self) -> Picture:
        """Draw how many people are in classes of which size, before and after (chart A)."""
        return plots.class_sizes(rows.size_rows({when: classes.size for when, classes in self.groups.items()}))

    def attackers(self, limit: float | None = None) -> Picture:
        """Draw what three kinds of attackers achieve, before and after (chart B)."""
        drawn = [
            {"attacker": one.name, "when": when, "chance": float(one.average if one.highest is None else one.highest)}
            for when, found in self.risks.items()
            for one in found.attackers
        ]
        return plots.attackers(drawn, limit)

    def confidence(self, column: str, limit: float | None = None) -> Picture:
        """Draw the most certain guess of a sensitive value in every class, sorted (chart C)."""
        return plots.confidence(rows.confidence_rows(self._classes_with(column), column), limit)

    def bipartite(self, column: str) -> Picture:
        """Draw which groups have which values of a sensitive column: the most certain ones, as SVG."""
        found = Association.of(self._classes_with(column), column)
        shares = [{"value": value, "largest share": float(share)} for value, share in found.alphas.items()]
        return Picture(bipartite_svg(found), shares)

    def attack_rates(self) -> Picture:
        """Draw how often each simulated attack succeeds, before and after (chart D)."""
        found = [(one, when) for when, attacks in self.attacks.items() for one in attacks if one.guesses]
        return plots.attack_rates([_rate(*one) for one in found])

    def ladders(self) -> Picture:
        """Draw how far up its ladder each column is published (chart E)."""
        return plots.ladders(rows.ladder_rows(self.basis))

    def losses(self) -> Picture:
        """Draw the detail that each column lost."""
        return plots.losses(rows.loss_rows(self.basis))

    def marginals(self, column: str) -> Picture:
        """Draw what a column looks like before and after (chart F)."""
        _check_known(column, self.utility.columns, "published column")
        drawn = [
            {"label": label, "when": when, "share": share}
            for label, before, after in self.utility.columns[column].drawn(SHOWN)
            for when, share in (("before", before), ("after", after))
        ]
        return plots.marginals(drawn, column)

    def frontier(self) -> Picture | None:
        """Draw the detail that every k would keep with the other promises (chart G); nothing for a huge lattice.

        Nor where people are left out with all rows: then no group keeps a k by itself.
        """
        problem = self.basis.problem
        if problem.by_person or problem.model.by_items or problem.nodes * len(problem.census) > WORK:
            return None
        chosen = self.promised_k
        most = min(max(100, 4 * chosen), max(problem.census.persons or problem.census.records, 1))
        grid = sorted({chosen, *np.unique(np.geomspace(1, most, 24).astype(int)).tolist()})
        asked = replace(problem, model=growing_promise(KAnonymity(1), problem.model, problem.schema))
        curve = rows.frontier_rows(find_frontier(asked, "k", grid, "loss"))
        return plots.frontier(curve, {"k": chosen, "kept": self.release.detail_kept})

    def lattice(self) -> Picture | None:
        """Draw the lattice with its acceptable, minimal and chosen nodes; nothing if it is too large or missing."""
        levels = self.release.recoding.node
        found = None if levels is None else rows.lattice_rows(self.basis.problem, list(levels.values()))
        return None if found is None else plots.lattice(*found)

    def rectangles(self) -> Picture | None:
        """Draw the classes of a local recoding over two columns of numbers or dates; nothing if there are none."""
        found = rows.rectangle_rows(self.basis)
        return None if found is None else plots.rectangles(*found)

    def tree(self, column: str) -> Picture | None:
        """Draw the hierarchy of a quasi-identifier; nothing if it has too many values to be drawn."""
        ladders = self.basis.problem.census.ladders
        _check_known(column, ladders, "quasi-identifier")
        found = rows.tree_rows(ladders[column])
        return None if found is None else plots.tree(*found, column)

    @property
    def basis(self) -> Basis:
        """What the release was made of."""
        if self.release.basis is None and isinstance(self.release.recoding, StoredRecoding):
            msg = "This release was made part by part, and is held nowhere as a whole: nothing can be drawn of it."
            raise ParameterError(msg, hint="give it more memory: the release stays the same.")
        if self.release.basis is None:
            msg = "This release does not know what it was made of, so nothing can be drawn of it."
            raise ParameterError(msg, hint="draw the release that anonymize gave you.")
        return self.release.basis

    def domains(self, names: Sequence[str]) -> dict[str, Domain]:
        """Give the values of columns of the original table."""
        return self._remembered_original.domains(names)

    def missing(self, column: str) -> int:
        """Count the records of the original table in which a column is missing; a row may stand for several."""
        domain, count = self._remembered_original.domains([column])[column], self.release.schema.count
        if not domain.has_null or count is None:
            return int(domain.counts[-1]) if domain.has_null else 0
        census = self._remembered_original.census(CensusRequest((column,), count=count))
        return int(census.counts[census.codes[0] == len(domain.values)].sum())

    @cached_property
    def compares(self) -> bool:
        """Whether the census of the original table fits into memory, so that it is measured beside the release."""
        return is_comparable(self._remembered_original, self.release.schema)

    # what was found before, where the original is measured, and after

    @cached_property
    def risks(self) -> dict[str, Risk]:
        before = partial(
            risk, self._remembered_original, self.release.schema, population=self.population, threshold=self.accepted
        )
        return {**({"before": before()} if self.compares else {}), "after": self.risk_after}

    @cached_property
    def groups(self) -> dict[str, Classes]:
        before = (
            {"before": Subject.of(self._remembered_original, self.release.schema, {}).classes} if self.compares else {}
        )
        return {**before, "after": self.classes_after}

    @cached_property
    def attacks(self) -> dict[str, Attacks]:
        before = {"before": attack(self._remembered_original, self.release.schema)} if self.compares else {}
        return {**before, "after": self.attacks_after}

    @property
    def promised_k(self) -> int:
        """The k that was promised; 1 if none was."""
        return promised_k(self.release)

    @property
    def accepted(self) -> Fraction:
        """The highest chance that is accepted: what was said, or else what the promise accepts."""
        k = self.promised_k
        return self.threshold if self.threshold is not None else Fraction(1, k) if k > 1 else USUAL

    @cached_property
    def risk_after(self) -> Risk:
        """The risk of the release."""
        original = None if self.release.schema.entity is None else self._remembered_original
        return risk(self._remembered_release, original=original, population=self.population, threshold=self.accepted)

    @cached_property
    def classes_after(self) -> Classes:
        """The classes of the release; sensitive values have the codes that they have in the original table."""
        schema = self.release.schema
        subject = Subject.of(self._remembered_release, None, {})
        subject = subject if schema.entity is None else subject.with_persons(self._remembered_original, {})
        domains = self._remembered_original.domains(schema.sensitive_names)
        return subject.engine.classes(schema.quasi_names, domains, schema.entity, schema.count)

    @cached_property
    def attacks_after(self) -> Attacks:
        """What attacks on the release find out."""
        return attack(self._remembered_release, original=self._remembered_original if self.compares else None)

    @cached_property
    def utility(self) -> Utility:
        """What the release is still good for."""
        return utility(self._remembered_release, self._remembered_original)

    @cached_property
    def _remembered_original(self) -> Remembered:
        """The original table, which is read once for all charts."""
        return Remembered(open_original(self.release, self.basis.table, self.release.schema, **self.basis.reading))

    @cached_property
    def _remembered_release(self) -> Release:
        """The release, whose table is read once for all charts."""
        return replace(self.release, table=Remembered(open_release(self.release)))

    def _classes_with(self, column: str) -> Classes:
        """Give the classes of the release if they know a sensitive column."""
        _check_known(column, self.classes_after.cells.sensitive, "sensitive column")
        return self.classes_after


def _check_known(column: str, known: Mapping[str, object], given_as: str) -> None:
    check_column(column, "column")
    if column not in known:
        raise UnknownColumnError.of(column, list(known), given_as=given_as)


def promised_k(release: Release) -> int:
    """Give the k that was promised; 1 if none was."""
    return max((part.k for part in release.model.parts if isinstance(part, KAnonymity)), default=1)


def _rate(found: Attack, when: str) -> dict[str, Any]:
    rate = float(found.rate)
    low, high = found.interval or (rate, rate)
    name = found.name if found.column is None else f"{found.name} of {found.column}"
    return {"attack": name, "when": when, "rate": rate, "low": low, "high": high, "baseline": float(found.baseline)}
