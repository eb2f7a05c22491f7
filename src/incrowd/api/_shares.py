"""Shares in words: rounded for reading, but never to a 0 or a 100 that they are not."""

from __future__ import annotations

from fractions import Fraction


def percent(share: Fraction | float) -> str:
    """Write a share with one decimal; never a round 0 or 100 for what is not."""
    text = f"{float(share) * 100:.1f} %"
    if share > 0 and text == "0.0 %":
        return "< 0.1 %"
    return "> 99.9 %" if share < 1 and text == "100.0 %" else text


def percent_unspaced(share: Fraction | float) -> str:
    """Write a share without a space, so that no line ends before its percent sign."""
    return percent(share).replace(" %", "%")


def share_of(part: int, whole: int) -> str:
    """Write which share of some records others are."""
    return percent_unspaced(Fraction(part, whole) if whole else 0)


def records_of(part: int, whole: int) -> str:
    """Write how many of some records others are, and which share that is."""
    return f"{part:,} of {whole:,} records ({share_of(part, whole)})"
