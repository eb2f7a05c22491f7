"""Columns of answers, ratings, scores, survey weights and body weights, recognised by their values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from incrowd.core import Domain
from incrowd.hierarchies import sample_of_texts
from incrowd.plan.suggestion._words import tokens_of, word_list, word_set

MOST_ANSWERS = 12  # a question has no more answers to choose from


@cache
def _words(*lists: str) -> frozenset[str]:
    return frozenset().union(*(word_set("answers", name) for name in lists))


def is_opinion(domain: Domain) -> bool:
    """Whether nearly all values are answers that say what somebody thinks: agree, too little, very happy."""
    answers = _answers_in(domain)
    amounts = [*map(tokens_of, word_list("answers", "amounts"))]
    thought = [
        words
        for words in answers
        if not _words("opinions").isdisjoint(words) or any(words[: len(phrase)] == phrase for phrase in amounts)
    ]
    known = _words("undecided", "degrees", "verdicts")
    beside = [words for words in answers if words not in thought and set(words) <= known]
    return 2 * len(thought) >= len(answers) > 1 and len(thought) + len(beside) >= len(answers)


def is_scale(domain: Domain) -> bool:
    """Whether values only say how much: not, somewhat, very."""
    answers, known = _answers_in(domain), _words("degrees", "undecided")
    degrees = sum(not _words("degrees").isdisjoint(words) for words in answers)
    return len(answers) > 2 and degrees >= 2 and all(set(words) <= known for words in answers)


def is_grading(domain: Domain) -> bool:
    """Whether all values are verdicts: good, bad; such a column is no place."""
    answers, known = _answers_in(domain), _words("verdicts", "degrees", "undecided")
    verdicts = sum(not _words("verdicts").isdisjoint(words) for words in answers)
    return verdicts > 1 and all(set(words) <= known for words in answers)


def are_bands(domain: Domain) -> bool:
    """Whether values say in which part of all others somebody is: top 25%, bottom 25%."""
    answers, bands, undecided = _answers_in(domain), _words("bands"), _words("undecided")
    return len(answers) > 1 and all(
        set(words) <= undecided or (not bands.isdisjoint(words) and any(map(str.isdigit, words))) for words in answers
    )


def is_rating(domain: Domain) -> bool:
    """Whether whole numbers are the steps of a scale: 1 to 5, 0 to 10."""
    values = domain.values
    whole = domain.kind == "number" and values.dtype.kind == "i" and 5 <= len(values) <= MOST_ANSWERS
    return whole and values[0] in (0, 1) and int(values[-1] - values[0]) + 1 == len(values)


def are_scores(domain: Domain) -> bool:
    """Whether fractions have a mean of 0 and a spread of 1, to which results of tests are scaled."""
    mean = _mean_of_fractions(domain)
    if mean is None:
        return False
    counts = domain.counts[: len(domain.values)]
    spread = float(((domain.values - mean) ** 2 * counts).sum()) / int(counts.sum())
    return bool(abs(mean) < 0.05 and abs(spread - 1) < 0.1)


def averages_one(domain: Domain) -> bool:
    """Whether fractions above zero have a mean of 1, to which survey weights are scaled."""
    mean = _mean_of_fractions(domain)
    return mean is not None and bool(domain.values[0] > 0 and domain.values[-1] <= 50 and abs(mean - 1) < 0.002)


def _mean_of_fractions(domain: Domain) -> float | None:
    """Give the mean of fractions, if they are more than the answers to a question."""
    values, counts = domain.values, domain.counts[: len(domain.values)]
    if domain.kind != "number" or values.dtype.kind != "f" or len(values) <= MOST_ANSWERS:
        return None
    return float((values * counts).sum()) / int(counts.sum())


def _answers_in(domain: Domain) -> Sequence[tuple[str, ...]]:
    """Give the words of all values, if they are few."""
    texts = sample_of_texts(domain) if len(domain.values) <= MOST_ANSWERS else []
    return [words for words in map(tokens_of, texts) if words]


# Weights: of a body, of a child, or of a record in a survey. They share a name, and not their values.

# What the weight is called that is to be used, where a survey has those of its single steps, too.
FINAL = ("final", "finl", "analysis", "anweight", "gesamt")


def is_of_a_body(domain: Domain) -> bool:
    """Whether values are kilograms or pounds of people; text can only be ranges of them."""
    if domain.kind != "number" or not len(domain.values):
        return domain.kind == "text"
    values = domain.values.astype(float)
    low, middle, high = (float(np.quantile(values, share)) for share in (0.02, 0.5, 0.98))
    return low > 1.5 and high < 20 * low and 9 < middle < 260 and high < 700


def could_be_of_a_body(domain: Domain) -> bool:
    """Whether values can be kilograms or pounds of people of all ages, newborn children among them."""
    if domain.kind != "number" or not len(domain.values):
        return domain.kind == "text"
    return bool(domain.values[0] > 0.3 and 9 < np.median(domain.values) < 260 and domain.values[-1] < 1_000)


def is_of_a_child(domain: Domain) -> bool:
    """Whether values can be kilograms, pounds or grams of newborn children."""
    if domain.kind != "number" or not len(domain.values):
        return False
    low, high = float(domain.values[0]), float(domain.values[-1])
    return 0.3 <= low <= high <= 15 or 300 <= low <= high <= 7_000


def is_for_analysis(name: str) -> bool:
    """Whether a survey weight is the one that holds all others: the final one, or that of the analysis."""
    return any(word in name.lower() for word in FINAL)
