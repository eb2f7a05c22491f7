"""Codes and words recognised in values: diseases, places, work, sex, years, numbers of accounts or files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from incrowd.core import Domain
from incrowd.hierarchies import FEW_RECORDS, MOST, SAMPLE, are_whole_numbers, sample_of_texts
from incrowd.plan.suggestion._days import are_days
from incrowd.plan.suggestion._proper_names import could_be_people
from incrowd.plan.suggestion._words import tokens_of, topics_of, word_list, word_set

ENOUGH = 5  # so many different codes are needed: fewer could be anything
DAYS = (1_000, 80_000)  # days are counted from 1900, 1960 or 1970: a life is in between
# What is answered to the question whether somebody was seen by a doctor.
ANSWERS = ("yes", "no", "ja", "nein", "nee", "oui", "non", "si", "sim", "nao", "none", "never", "often", "sometimes")
# How months begin in seven languages.
_MONTH = (
    r"(?:jan|ene|gen|f[ebé]{2}|f[eé]v|m[aäe][rizyjagi]|mrt|mrz|a[pbv]r|jui?[nl]|giu|lug|a[uo][gû]|aou|"
    r"sep|set|o[ckt]t|out|nov|d[eéi][czs])[a-zéûäç]{0,7}\.?"
)
_SEXES = [{*words.split()} for words in ("m f", "m w", "male female", "man woman", "h f", "h m", "m v", "m w d")]


@dataclass(frozen=True, slots=True)
class Codes:
    """What values are written in, and the role of such a column."""

    about: str
    role: Literal["quasi", "sensitive"]
    sure: bool = True


@cache
def _code_patterns() -> Sequence[tuple[Codes, str, str | None]]:
    """Give what values can be written in: the form of each, and one that a fifth of them must have."""
    countries = "|".join(word_list("codes", "countries"))
    quasi = {about: Codes(about, "quasi") for about in ("postcodes", "dates", "months")}
    return (
        (Codes("codes of diseases (ICD-10)", "sensitive"), r"[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?[+*!]?", r".*\..*"),
        (Codes("codes of medicines (ATC)", "sensitive"), r"[A-DGHJLMNPRSV]\d{2}[A-Z]{2}\d{2}", None),
        (quasi["postcodes"], r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|[1-9]\d{3} ?[A-Z]{2}", None),
        (quasi["postcodes"], r"〒?\d{3}-\d{4}|\d{5}-\d{3,4}|\d{4}-\d{3}|\d{2}-\d{3}|\d{3} \d{2}", None),
        (Codes("codes of regions (NUTS)", "quasi"), rf"(?:{countries})[0-9A-Z]{{1,3}}", r".*\d.*"),
        (Codes("coordinates", "quasi"), r"\(?-?\d{1,2}\.\d{2,}[,; ] ?-?\d{1,3}\.\d{2,}\)?", None),
        (quasi["dates"], r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?", None),
        (Codes("times of the day", "quasi"), r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?", None),
        (quasi["dates"], r"(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[ T]?\d{4}(?:\d{2})?)?", None),
        (quasi["dates"], rf"(?i)\d{{1,2}}[-. /]*{_MONTH}[-., /]*\d{{2,4}}(?:[ T]\d.*)?", None),
        (quasi["dates"], rf"(?i){_MONTH}[-. ]*\d{{1,2}},? +\d{{4}}(?:[ T]\d.*)?", None),
        (quasi["dates"], r"\d{4}(?:年\d{1,2}月\d{1,2}日|(?:\. |년 )\d{1,2}(?:\. |월 )\d{1,2}(?:\.|일))", None),
        (quasi["months"], rf"(?i){_MONTH}[-., /]*\d{{2,4}}|\d{{4}}[-., /]*{_MONTH}", None),
        (quasi["months"], r"(?:19|20)\d{2}[-/.]?(?:0[1-9]|1[0-2])|(?:19|20)\d{2}[-. ]?[QqTW]\d{1,2}", None),
    )


_LISTS = (("states of the USA", "states"), ("countries", "countries"), ("countries", "countries_3"))


def codes_in(domain: Domain) -> Codes | None:
    """Say what values are written in, if most of them are."""
    if domain.kind in {"date", "datetime", "instant"} or are_days(domain):
        return Codes("dates", "quasi")
    texts = [text.strip() for text in sample_of_texts(domain)]
    if {text.lower() for text in texts} in _SEXES:
        return Codes("a sex or gender", "quasi")
    if len(texts) < ENOUGH and not (len(texts) > 1 and any(sign.isdigit() for sign in texts[0])):
        return None
    for codes, pattern, some in _code_patterns():
        if len(texts) >= ENOUGH or codes.about == "dates":
            all_so = sum(bool(re.fullmatch(pattern, text)) for text in texts) >= MOST * len(texts)
            if all_so and (some is None or sum(bool(re.fullmatch(some, text)) for text in texts) >= 0.2 * len(texts)):
                return codes
    for about, name in _LISTS if len(texts) >= ENOUGH else ():
        known = frozenset(word_list("codes", name))
        if sum(text.upper() in known for text in texts) >= MOST * len(texts):
            return Codes(about, "quasi")
    return None


def are_years(domain: Domain) -> bool:
    """Whether all numbers can be years of the last hundred and something."""
    values = domain.values
    return are_whole_numbers(domain) and len(values) > 1 and 1_880 <= values[0] <= values[-1] <= 2_050


def fits_topic(domain: Domain, wanted: str | None) -> bool:
    """Whether the values are such as a topic wants them: days, many or few different numbers."""
    return wanted is None or _SUITED[wanted](domain)


def _are_each_another(domain: Domain) -> bool:
    """Whether texts or whole numbers hardly ever repeat, and are not few."""
    counts = domain.counts[: len(domain.values)]
    if len(counts) < 20 or not (domain.kind == "text" or are_whole_numbers(domain)):
        return False
    return bool(10 * np.count_nonzero(counts == 1) >= 9 * int(counts.sum()))


def _are_school_years(domain: Domain) -> bool:
    """Whether most values are numbers up to 13, and some higher than a stage or a mark ever is."""
    numbers = [int(text) for text in domain.texts[: len(domain.values)] if text is not None and text.isdigit()]
    return 5 * len(numbers) >= 3 * len(domain.values) and bool(numbers) and 6 <= max(numbers) <= 13


def _are_numbers_of_people(domain: Domain) -> bool:
    """Whether whole numbers follow each other with small gaps, or texts have digits, and they are many."""
    values = domain.values
    people = int(domain.counts[: len(values)].sum())
    if len(values) < 50 or 20 * len(values) < people:
        return False
    if domain.kind == "text":
        return sum(any(map(str.isdigit, text)) for text in sample_of_texts(domain)) >= MOST * min(len(values), SAMPLE)
    return are_whole_numbers(domain) and int(values[-1]) - int(values[0]) < 4 * len(values)


def _could_be_staff(domain: Domain) -> bool:
    """Whether texts are many, or words with capitals that are no answers: few doctors may be named by family names."""
    texts = [*map(str.strip, sample_of_texts(domain))]
    if domain.kind != "text" or len(texts) >= ENOUGH:
        return domain.kind == "text"
    return len(texts) > 1 and all(text.istitle() and text.lower() not in ANSWERS for text in texts)


def _are_fractions(domain: Domain) -> bool:
    return domain.kind == "number" and domain.values.dtype.kind == "f"


def _are_weights(domain: Domain) -> bool:
    """Whether fractions above zero are around 1, or so large that each speaks for many people."""
    if not _are_fractions(domain) or len(domain.values) <= 12 or domain.values[0] <= 0:
        return False
    mean = float(np.average(domain.values, weights=domain.counts[: len(domain.values)]))
    return 0.5 <= mean <= 2 or mean >= 50


def _are_owned_or_rented(domain: Domain) -> bool:
    """Whether one of a few texts says that somebody owns or rents a home."""
    texts = sample_of_texts(domain) if domain.kind == "text" and len(domain.values) <= 12 else []
    return any(not word_set("codes", "holding").isdisjoint(tokens_of(text)) for text in texts)


def _are_postcodes(domain: Domain) -> bool:
    """Whether nearly all values have four to seven digits, as many as the others but for zeros that were lost."""
    texts = [*map(str.strip, domain.texts_at(range(0, len(domain.values), max(len(domain.values) // SAMPLE, 1))))]
    digits = [text for text in texts if re.fullmatch(r"[A-Z]{0,3}[- ]?\d{2,3}[- ]?\d{2,4}", text)]
    lengths = {len(text) for text in digits}
    return len(texts) > 1 and len(digits) >= MOST * len(texts) and max(lengths) - min(lengths) <= 1


def words_in(domain: Domain) -> Codes | None:
    """Say what most values of a column of text are about by the words in them."""
    texts = sample_of_texts(domain)
    if not 1 < len(texts) <= 200:
        return None
    counts = Counter[tuple[str, str]]()
    for text in filter(tokens_of, texts):
        strong = (one for one in topics_of(text) if one.topic.strength >= 3 and one.covered >= 0.3)
        topic = next((one.topic for one in strong if one.topic.values != "people"), None)
        if topic is not None and topic.role in {"quasi", "sensitive"}:
            counts[topic.about, topic.role] += 1
    if not counts:
        return None
    (about, role), most = max(counts.items(), key=lambda one: (one[1], one[0]))
    if most < 2 or most < 0.4 * len(texts):
        return None
    return Codes(about, "sensitive" if role == "sensitive" else "quasi", sure=False)


def _are_years_of(domain: Domain) -> bool:
    """Whether whole numbers are years, with or without their century."""
    values = domain.values
    return are_years(domain) or (are_whole_numbers(domain) and len(values) > 2 and 40 <= values[0] <= values[-1] <= 99)


def _are_days(domain: Domain) -> bool:
    """Whether whole numbers can be days that were counted from some day."""
    return are_whole_numbers(domain) and len(domain.values) > 30 and DAYS[0] <= np.median(domain.values) <= DAYS[1]


# The values that a topic can want, and how they are told
_SUITED: Mapping[str, Callable[[Domain], bool]] = {
    "school years": _are_school_years,
    "days": _are_days,
    "years": _are_years_of,
    "each": _are_each_another,
    "numbers": _are_numbers_of_people,
    "fractions": _are_fractions,
    "weights": _are_weights,
    "owned or rented": _are_owned_or_rented,
    "postcodes": _are_postcodes,
    "people": could_be_people,
    "staff": _could_be_staff,
    "names": lambda domain: domain.kind == "text" and len(domain.values) > 4,
    "two": lambda domain: len(domain.values) == 2,
    "few": lambda domain: len(domain.values) <= 12,
    "many": lambda domain: len(domain.values) > 12,
}


# Numbers and codes that stand for an account, a file or a sample, whatever the column is called: not amounts.

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


def likeness_to_account_numbers(domain: Domain) -> Likeness | None:
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
