"""Numbers and codes that stand for an account, a file or a sample, whatever the column is called: not amounts."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np

from incrowd.core import Domain
from incrowd.hierarchies import FEW_RECORDS, MOST, sample_of_texts

ROWS = 4  # a number of an account or of a file stands in fewer rows than this on average
OFTEN = 4  # no such number stands in so many times more rows than the others: amounts do, at round figures
ONE_LENGTH = 0.99  # so large a share of the numbers has as many digits as the others; amounts have heavier tails

# Numbers of so many digits that all have this length, and are spread evenly over it or even longer, are no amounts
LONG, VERY_LONG = 6, 8

ROUND = 0.05  # so large a share of amounts ends with two zeros; of numbers that stand for something it is a hundredth

# Kolmogorov and Smirnov: the distance from an even spread, times the root of how many, below which it may be even
EVEN = 2.0

DIGITS = 4  # so many digits make a code that stands for somebody; fewer are those of a class or a stage

Likeness = Literal["surely", "probably", "perhaps"]


def like_account_numbers(domain: Domain) -> Likeness | None:
    """Say how much values look as if each stood for one account, file or sample; ``None`` if they do not."""
    counts = domain.counts[: len(domain.values)]
    rows = int(counts.sum())
    if rows < FEW_RECORDS or rows >= ROWS * len(counts) or int(counts.max()) > max(2, OFTEN * rows / len(counts)):
        return None
    if domain.kind == "text":
        return _like_codes(domain)
    if domain.kind == "number" and domain.values.dtype.kind == "i" and int(domain.values[0]) >= 0:
        return _like_numbers(domain.values)
    return None


def _like_numbers(values: np.ndarray) -> Likeness | None:
    """Tell numbers of one length, or spread evenly over all of a length, or one after another, from amounts."""
    if np.mean(values % 100 == 0) > ROUND:
        return None
    low, high = int(values[0]), int(values[-1])
    if high - low < ROWS * len(values) and low > len(values):
        return "surely"  # one after another, and not counted from 1: ages and years are not so many
    size = len(str(high))
    decade = 10 ** (size - 1)
    if np.mean(values >= decade) < ONE_LENGTH:  # zeros at the beginning may be lost
        return "perhaps" if size >= LONG and _is_even(values, 0, 10 * decade) else None
    if size >= DIGITS and _is_even(values, decade, 10 * decade):
        return "surely" if size >= LONG else "probably"
    if size >= VERY_LONG:
        return "surely" if _is_even(values, low, high) else "probably"
    return "perhaps" if size > DIGITS and (size >= LONG or _is_even(values, low, high)) else None


def _is_even(values: np.ndarray, low: int, high: int) -> bool:
    """Whether numbers may be spread evenly between two others."""
    places = (values.astype(float) - low) / (high - low)
    below = np.arange(len(values)) / len(values)
    apart = max(float(np.max(places - below)), float(np.max(below + 1 / len(values) - places)))
    return bool(apart <= EVEN / float(np.sqrt(len(values))))


def _like_codes(domain: Domain) -> Likeness | None:
    """Tell codes with digits from words, and from amounts that are written with decimals."""
    texts = [text.strip() for text in sample_of_texts(domain)]
    forms = [re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "0", text)) for text in texts]
    codes = [form for form in forms if "0" in form and not re.search("a{5}|a a|[.,]0{1,2}$", form)]
    if len(codes) < MOST * len(texts):
        return None
    runs = [max(map(len, re.findall("0+", form))) for form in codes]
    lettered = sum("a" in form for form in codes) >= MOST * len(texts)
    if not lettered and np.median(runs) < DIGITS:
        return "perhaps"  # such as the two numbers of a blood pressure
    return "surely" if np.median([form.count("0") for form in codes]) >= LONG else "probably"
