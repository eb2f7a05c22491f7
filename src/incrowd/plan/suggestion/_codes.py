"""Codes and words that values are written in, whatever the column is called: diseases, places, work, sex, dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from incrowd.core import Domain
from incrowd.hierarchies import MOST, SAMPLE, sample_of_texts
from incrowd.plan.suggestion._days import are_days
from incrowd.plan.suggestion._proper_names import could_be_people
from incrowd.plan.suggestion._words import tokens_of, topics_of

ENOUGH = 5  # so many different codes are needed: fewer could be anything

# What is answered to the question whether somebody was seen by a doctor
ANSWERS = ("yes", "no", "ja", "nein", "nee", "oui", "non", "si", "sim", "nao", "none", "never", "often", "sometimes")

_HOLDING = """
own owned owner owns outright mortgage mortgaged rent rented renter renting tenant leased leasehold freehold eigentum
miete gemietet mieter proprietaire locataire propia alquilada proprieta affitto eigen huur propria alugada
"""
HOLDING = frozenset(_HOLDING.split())  # how somebody holds a home
DAYS = (1_000, 80_000)  # days are counted from 1900, 1960 or 1970: a life is in between

_STATES = (
    "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH "
    "OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY PR"
)
_COUNTRIES = (
    "AD AE AF AL AM AO AR AT AU AZ BA BD BE BF BG BI BJ BO BR BY CA CD CF CG CH CI CL CM CN CO CR CU CY CZ DE DK "
    "DO DZ EC EE EG EL ER ES ET FI FR GA GB GE GH GM GN GR GT HK HN HR HT HU ID IE IL IN IQ IR IS IT JM JO JP KE "
    "KG KH KR KW KZ LA LB LK LR LT LU LV LY MA MD ME MG MK ML MM MN MT MX MY MZ NE NG NI NL NO NP NZ OM PA PE PH "
    "PK PL PT PY QA RO RS RU RW SA SD SE SG SI SK SL SN SO SV SY TD TG TH TJ TN TR TW TZ UA UG UK US UY UZ VE VN "
    "XK YE ZA ZM ZW"
)
_COUNTRIES_3 = (
    "ARG AUS AUT BEL BGR BRA CAN CHE CHL CHN COL CYP CZE DEU DNK EGY ESP EST FIN FRA GBR GRC HRV HUN IDN IND IRL "
    "IRN ISL ISR ITA JPN KEN KOR LTU LUX LVA MAR MEX MLT NGA NLD NOR NZL PAK PER PHL POL PRT ROU RUS SAU SVK SVN "
    "SWE THA TUN TUR UKR USA VNM ZAF"
)
# How months begin in seven languages
_MONTH = (
    r"(?:jan|ene|gen|f[ebé]{2}|f[eé]v|m[aäe][rizyjagi]|mrt|mrz|a[pbv]r|jui?[nl]|giu|lug|a[uo][gû]|aou|"
    r"sep|set|o[ckt]t|out|nov|d[eéi][czs])[a-zéûäç]{0,7}\.?"
)

_SEXES = (
    {"m", "f"},
    {"m", "w"},
    {"male", "female"},
    {"man", "woman"},
    {"h", "f"},
    {"h", "m"},
    {"m", "v"},
    {"m", "w", "d"},
)


@dataclass(frozen=True, slots=True)
class Codes:
    """What values are written in, and the role of such a column."""

    about: str
    role: Literal["quasi", "sensitive"]
    sure: bool = True


_PATTERNS = (
    (Codes("codes of diseases (ICD-10)", "sensitive"), r"[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?[+*!]?", r".*\..*"),
    (Codes("codes of medicines (ATC)", "sensitive"), r"[A-DGHJLMNPRSV]\d{2}[A-Z]{2}\d{2}", None),
    (
        Codes("postcodes", "quasi"),
        r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|[1-9]\d{3} ?[A-Z]{2}",
        None,
    ),
    (Codes("postcodes", "quasi"), r"〒?\d{3}-\d{4}|\d{5}-\d{3,4}|\d{4}-\d{3}|\d{2}-\d{3}|\d{3} \d{2}", None),
    (Codes("codes of regions (NUTS)", "quasi"), rf"(?:{'|'.join(_COUNTRIES.split())})[0-9A-Z]{{1,3}}", r".*\d.*"),
    (Codes("coordinates", "quasi"), r"\(?-?\d{1,2}\.\d{2,}[,; ] ?-?\d{1,3}\.\d{2,}\)?", None),
    (Codes("dates", "quasi"), r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?", None),
    (Codes("times of the day", "quasi"), r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?", None),
    (
        Codes("dates", "quasi"),
        r"(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[ T]?\d{4}(?:\d{2})?)?",
        None,
    ),
    (Codes("dates", "quasi"), rf"(?i)\d{{1,2}}[-. /]*{_MONTH}[-., /]*\d{{2,4}}(?:[ T]\d.*)?", None),
    (Codes("dates", "quasi"), rf"(?i){_MONTH}[-. ]*\d{{1,2}},? +\d{{4}}(?:[ T]\d.*)?", None),
    (Codes("dates", "quasi"), r"\d{4}(?:年\d{1,2}月\d{1,2}日|(?:\. |년 )\d{1,2}(?:\. |월 )\d{1,2}(?:\.|일))", None),
    (Codes("months", "quasi"), rf"(?i){_MONTH}[-., /]*\d{{2,4}}|\d{{4}}[-., /]*{_MONTH}", None),
    (Codes("months", "quasi"), r"(?:19|20)\d{2}[-/.]?(?:0[1-9]|1[0-2])|(?:19|20)\d{2}[-. ]?[QqTW]\d{1,2}", None),
)
_SETS = (
    (Codes("states of the USA", "quasi"), frozenset(_STATES.split())),
    (Codes("countries", "quasi"), frozenset(_COUNTRIES.split())),
    (Codes("countries", "quasi"), frozenset(_COUNTRIES_3.split())),
)


def codes_in(domain: Domain) -> Codes | None:
    """Say what values are written in, if most of them are."""
    if domain.kind in {"date", "datetime", "instant"}:
        return Codes("dates", "quasi")
    if are_days(domain):
        return Codes("dates", "quasi")
    if domain.kind == "number":
        return None
    texts = sample_of_texts(domain)
    if {text.strip().lower() for text in texts} in _SEXES:
        return Codes("a sex or gender", "quasi")
    if len(texts) < ENOUGH and not (len(texts) > 1 and any(sign.isdigit() for sign in texts[0])):
        return None
    return next(filter(None, (_by_pattern(texts), _by_set(texts))), None)


def _by_pattern(texts: Sequence[str]) -> Codes | None:
    for codes, pattern, some in _PATTERNS:
        if sum(bool(re.fullmatch(pattern, text.strip())) for text in texts) < MOST * len(texts):
            continue
        if len(texts) < ENOUGH and codes.about != "dates":
            continue
        if some is None or sum(bool(re.fullmatch(some, text)) for text in texts) >= 0.2 * len(texts):
            return codes
    return None


def _by_set(texts: Sequence[str]) -> Codes | None:
    for codes, known in _SETS:
        if len(texts) >= ENOUGH and sum(text.strip().upper() in known for text in texts) >= MOST * len(texts):
            return codes
    return None


def are_years(domain: Domain) -> bool:
    """Whether all numbers can be years of the last hundred and something."""
    values = domain.values
    return _whole(domain) and len(values) > 1 and 1_880 <= values[0] <= values[-1] <= 2_050


def suits(domain: Domain, wanted: str | None) -> bool:
    """Whether the values are such as a topic wants them: days, many or few different numbers."""
    return wanted is None or _SUITED[wanted](domain)


def _are_each_another(domain: Domain) -> bool:
    """Whether texts or whole numbers hardly ever repeat, and are not few."""
    counts = domain.counts[: len(domain.values)]
    if len(counts) < 20 or not (domain.kind == "text" or _whole(domain)):
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
    return _whole(domain) and int(values[-1]) - int(values[0]) < 4 * len(values)


def _could_be_staff(domain: Domain) -> bool:
    """Whether texts are many, or words with capitals that are no answers: few doctors may be named by family names."""
    texts = [*map(str.strip, sample_of_texts(domain))]
    if domain.kind != "text" or len(texts) >= ENOUGH:
        return domain.kind == "text"
    return len(texts) > 1 and all(text.istitle() and text.lower() not in ANSWERS for text in texts)


def _are_fractions(domain: Domain) -> bool:
    """Whether numbers are not whole."""
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
    return any(not HOLDING.isdisjoint(tokens_of(text)) for text in texts)


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
    counts: dict[tuple[str, str], int] = {}
    for text in texts:
        tops = (
            [
                one
                for one in topics_of(text)
                if one.topic.strength >= 3 and one.covered >= 0.3 and one.topic.values != "people"
            ]
            if tokens_of(text)
            else []
        )
        if tops and tops[0].topic.role in {"quasi", "sensitive"}:
            key = tops[0].topic.about, str(tops[0].topic.role)
            counts[key] = counts.get(key, 0) + 1
    if not counts:
        return None
    (about, role), most = max(counts.items(), key=lambda one: (one[1], one[0]))
    if most < 2 or most < 0.4 * len(texts):
        return None
    return Codes(about, "sensitive" if role == "sensitive" else "quasi", sure=False)


def _are_years_of(domain: Domain) -> bool:
    """Whether whole numbers are years, with or without their century."""
    values = domain.values
    return are_years(domain) or (_whole(domain) and len(values) > 2 and 40 <= values[0] <= values[-1] <= 99)


def _are_days(domain: Domain) -> bool:
    """Whether whole numbers can be days that were counted from some day."""
    return _whole(domain) and len(domain.values) > 30 and DAYS[0] <= np.median(domain.values) <= DAYS[1]


def _whole(domain: Domain) -> bool:
    return domain.kind == "number" and domain.values.dtype.kind == "i" and len(domain.values) > 0


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
