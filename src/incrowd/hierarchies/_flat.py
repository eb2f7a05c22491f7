"""The shortest hierarchy: the value, then ``*``."""

from __future__ import annotations

from dataclasses import dataclass

from incrowd.core import Domain, Ladder, Step


@dataclass(frozen=True, slots=True)
class Flat:
    """A value is published as it is or not at all. Built by ``flat``."""

    def bind(self, domain: Domain) -> Ladder:
        """Fit to any column."""
        return Ladder.climb(domain, [Step.top(domain)])

    def __repr__(self) -> str:
        return "flat()"


def flat() -> Flat:
    """Publish a value as it is or as ``*``, with nothing in between.

    Notes
    -----
    Right for a column of two or three values. For one of many values a search has only the choice between
    everything and nothing, and nothing is then what is left of the column.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.flat()
    flat()
    """
    return Flat()
