"""A hierarchy that is known only by what it did to the values of one table."""

from __future__ import annotations

from dataclasses import dataclass, field

from incrowd.core._domain import Domain
from incrowd.core._errors import UncoveredValuesError
from incrowd.core._ladder import TOP, Ladder, Step


@dataclass(frozen=True, eq=False)
class KnownLadder:
    """The labels that the values of one table had at every level; any other value is refused.

    Parameters
    ----------
    domain
        The values.
    ladder
        Their groups and labels.
    """

    domain: Domain = field(repr=False)
    ladder: Ladder

    def bind(self, domain: Domain) -> Ladder:
        """Find the values of one column among the known ones."""
        places = domain.codes_in(self.domain)[: len(domain.values)]
        if (places < 0).any():
            values = domain.texts[: len(places)][places < 0]
            count = "1 value" if len(values) == 1 else f"{len(values):,} values"
            msg = f"Column {domain.column!r} has {count} that the saved hierarchy does not know."
            hint = "search again with the hierarchy itself; the error carries the values in .values."
            raise UncoveredValuesError(msg, column=domain.column, values=values, hint=hint)
        ladder = self.ladder
        steps = []
        for groups, labels, leaves in zip(ladder.groups[1:], ladder.labels[1:], ladder.leaves[1:], strict=True):
            null = int(self.domain.has_null and len(labels) == 1 and set(labels[0] or "") == {TOP})  # counted there
            steps.append(Step(groups[places], labels.tolist(), (leaves - null).tolist()))
        return Ladder.climb(domain, steps)
