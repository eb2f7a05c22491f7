"""Answers, verdicts and scores: values that say what somebody thinks or where they stand, whatever the name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from incrowd.core import Domain
from incrowd.hierarchies import sample_of_texts
from incrowd.plan.suggestion._words import tokens_of

MOST_ANSWERS = 12  # a question has no more answers to choose from


def _words(text: str) -> frozenset[str]:
    return frozenset(word for written in text.split(",") for word in tokens_of(written))


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tokens_of(written) for written in text.split(","))


# Words of an answer that says what somebody thinks or feels
OPINIONS = _words(
    "agree, disagree, agrees, disagrees, satisfied, dissatisfied, unsatisfied, happy, unhappy, favor, favour, oppose, "
    "approve, disapprove, important, unimportant, worried, trust, distrust, support, likely, unlikely, agreement, "
    "stimme, zufrieden, unzufrieden, glucklich, unglucklich, wichtig, unwichtig, dafur, dagegen, zustimmung, "
    "ablehnung, accord, desaccord, satisfait, insatisfait, heureux, malheureux, favorable, defavorable, "
    "acuerdo, desacuerdo, satisfecho, insatisfecho, feliz, infeliz, importante, favor, contra, "
    "accordo, disaccordo, soddisfatto, insoddisfatto, felice, infelice, favorevole, contrario, "
    "eens, oneens, tevreden, ontevreden, gelukkig, ongelukkig, belangrijk, onbelangrijk, "
    "concordo, discordo, concorda, discorda, satisfeito, insatisfeito"
)

# Answers about how much there should be of something
AMOUNTS = _phrases(
    "too little, too much, about right, too many, too few, zu wenig, zu viel, gerade richtig, trop peu, trop, "
    "juste bien, demasiado, demasiado poco, lo justo, troppo, troppo poco, il giusto, te weinig, te veel, "
    "precies goed, muito pouco, demais, na medida certa"
)

# How much somebody thinks so; three of them make a scale
DEGREES = _words(
    "very, somewhat, slightly, extremely, moderately, strongly, notvery, sehr, ziemlich, etwas, kaum, uberhaupt, voll, "
    "tres, assez, plutot, peu, muy, bastante, algo, poco, abbastanza, molto, niente, erg, tamelijk, enigszins, "
    "helemaal, muito, nada"
)

# What is beside them in a list of answers
UNDECIDED = _words(
    "neither, neutral, undecided, unsure, not, none, no, nor, all, dont, don, t, know, dk, refused, na, nan, answer, "
    "depends, weder, noch, teils, nicht, keine, angabe, weiss, neutre, ni, pas, du, tout, sans, reponse, neutro, "
    "ninguno, nc, ns, sabe, non, so, indifferente, geen, mening, niet, neutraal, nem, sei"
)

# What somebody or something was found to be
VERDICTS = _words(
    "good, bad, poor, fair, excellent, great, terrible, okay, gut, schlecht, mittel, mittelmassig, ausgezeichnet, "
    "mangelhaft, bon, mauvais, moyen, mediocre, bueno, buena, malo, mala, regular, buono, buona, cattivo, cattiva, "
    "discreto, ottimo, goed, slecht, matig, redelijk, uitstekend, bom, boa, mau, ruim, otimo, pessimo"
)

# Where somebody stands among others
BANDS = _words("top, bottom, mid, middle, lower, upper, lowest, highest, quartile, quintile, decile, percentile")


def is_opinion(domain: Domain) -> bool:
    """Whether nearly all values are answers that say what somebody thinks: agree, too little, very happy."""
    answers = _answers_in(domain)
    thought = [words for words in answers if _is_thought(words)]
    beside = [words for words in answers if words not in thought and set(words) <= UNDECIDED | DEGREES | VERDICTS]
    return 2 * len(thought) >= len(answers) > 1 and len(thought) + len(beside) >= len(answers)


def is_scale(domain: Domain) -> bool:
    """Whether values only say how much: not, somewhat, very."""
    answers = _answers_in(domain)
    degrees = sum(not DEGREES.isdisjoint(words) for words in answers)
    return len(answers) > 2 and degrees >= 2 and all(set(words) <= DEGREES | UNDECIDED for words in answers)


def is_verdict(domain: Domain) -> bool:
    """Whether all values are verdicts: good, bad; such a column is no place."""
    answers = _answers_in(domain)
    told = sum(not VERDICTS.isdisjoint(words) for words in answers)
    return told > 1 and all(set(words) <= VERDICTS | DEGREES | UNDECIDED for words in answers)


def are_bands(domain: Domain) -> bool:
    """Whether values say in which part of all others somebody is: top 25%, bottom 25%."""
    answers = _answers_in(domain)
    return len(answers) > 1 and all(
        set(words) <= UNDECIDED or (not BANDS.isdisjoint(words) and any(map(str.isdigit, words))) for words in answers
    )


def is_rating(domain: Domain) -> bool:
    """Whether whole numbers are the steps of a scale: 1 to 5, 0 to 10."""
    values = domain.values
    whole = domain.kind == "number" and values.dtype.kind == "i" and 5 <= len(values) <= MOST_ANSWERS
    return whole and values[0] in (0, 1) and int(values[-1] - values[0]) + 1 == len(values)


def are_scores(domain: Domain) -> bool:
    """Whether fractions have a mean of 0 and a spread of 1, to which results of tests are scaled."""
    values = domain.values
    if domain.kind != "number" or values.dtype.kind != "f" or len(values) <= MOST_ANSWERS:
        return False
    counts = domain.counts[: len(values)]
    people = int(counts.sum())
    mean = float((values * counts).sum()) / people
    spread = float(((values - mean) ** 2 * counts).sum()) / people
    return bool(abs(mean) < 0.05 and abs(spread - 1) < 0.1)


def _answers_in(domain: Domain) -> Sequence[tuple[str, ...]]:
    """Give the words of all values, if they are few."""
    texts = sample_of_texts(domain) if len(domain.values) <= MOST_ANSWERS else []
    return [words for words in map(tokens_of, texts) if words]


def _is_thought(words: tuple[str, ...]) -> bool:
    amounts = (words[: len(phrase)] == phrase for phrase in AMOUNTS)
    return not OPINIONS.isdisjoint(words) or any(amounts)


# Weights: of a body, of a child, or of a record in a survey. They share a name, and not their values.

ENOUGH = 12  # fewer different numbers are no weights of people


# What the weight is called that is to be used, where a survey has those of its single steps, too
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


def averages_one(domain: Domain) -> bool:
    """Whether fractions above zero have a mean of 1, to which survey weights are scaled."""
    values = domain.values
    if domain.kind != "number" or values.dtype.kind != "f" or len(values) <= ENOUGH:
        return False
    counts = domain.counts[: len(values)]
    mean = float((values * counts).sum()) / int(counts.sum())
    return bool(values[0] > 0 and values[-1] <= 50 and abs(mean - 1) < 0.002)


def is_for_analysis(name: str) -> bool:
    """Whether a survey weight is the one that holds all others: the final one, or that of the analysis."""
    return any(word in name.lower() for word in FINAL)
