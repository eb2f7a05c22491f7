"""Rare values of a nominal column become one group."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from incrowd.core import Domain, Ladder, ParameterError
from incrowd.hierarchies._lump import lump
from incrowd.hierarchies._parameters import Number, plain, read_count, read_number


@dataclass(frozen=True, slots=True, repr=False)
class Frequent:
    """Rare values become one group. Built by ``frequent``."""

    at_least: tuple[int, ...] | tuple[Fraction, ...]

    def bind(self, domain: Domain) -> Ladder:
        """Fit the thresholds to the values of one column and how often each occurs."""
        counts = domain.counts[: len(domain.values)]
        rows = int(counts.sum())
        rare = [
            (counts < _smallest_count(threshold, rows), f"rare (<{_shown(threshold)})") for threshold in self.at_least
        ]
        return lump(domain, rare)

    def __repr__(self) -> str:
        return f"frequent({', '.join(plain(Fraction(threshold)) for threshold in self.at_least)})"


def frequent(*at_least: Number) -> Frequent:
    """Group the values that occur too rarely: ``rare (<10)``. Frequent values stay as they are.

    Parameters
    ----------
    at_least
        How often a value must occur to stay, one level each, growing. Whole numbers from 2 on are rows; numbers
        between 0 and 1 are shares of the rows that have a value.

    Notes
    -----
    The groups come from the data: another table with the same column gets other groups, and a value that moves
    across a threshold says how its frequency changed. Missing values are not counted and stay apart.
    One rare value among frequent ones is a group of its own, so this alone hides nobody.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.frequent(0.01, 0.05)
    frequent(0.01, 0.05)
    """
    numbers = [read_number("at_least", threshold) for threshold in at_least]
    shares = all(0 < number < 1 for number in numbers)
    if not numbers or numbers != sorted(set(numbers)) or not (shares or min(numbers) >= 1):
        got = ", ".join(map(plain, numbers)) or "none"
        msg = f"at_least must be growing numbers of rows, or growing shares between 0 and 1, got {got}."
        raise ParameterError(msg, hint="for example 10, 50 (rows) or 0.01, 0.05 (shares).")
    if shares:
        return Frequent(tuple(numbers))
    return Frequent(tuple(read_count("at_least", threshold, at_least=2) for threshold in at_least))


def _shown(threshold: int | Fraction) -> str:
    return f"{plain(threshold * 100)}%" if isinstance(threshold, Fraction) else str(threshold)


def _smallest_count(threshold: int | Fraction, rows: int) -> int:
    """Give the smallest number of rows with which a value is not rare, exactly."""
    return threshold if isinstance(threshold, int) else -(-threshold * rows // 1)


def frequent_for(domain: Domain, *shares: Number) -> Frequent | None:
    """Give those thresholds that change something and do not make everybody rare; nothing if none does."""
    counts = domain.counts[: len(domain.values)]
    rows, before, kept = int(counts.sum()), 1, []
    for share in shares:
        rare = int((counts < _smallest_count(read_number("at_least", share), rows)).sum())
        if before < rare < len(counts):
            kept.append(share)
            before = rare
    return frequent(*kept) if kept else None
