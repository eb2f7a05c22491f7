"""How texts write days: ``7. März 2020``, ``March 7, 2020``, ``07.03.2020 10:12``, ``2020-03``; read all at once.

A form is written as in ``strptime``. It tells a day or a month; a time of day may follow in every text. Names of months
are those of seven languages, whole or short, whatever the machine speaks.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.hierarchies._classification import facts, plain_name

Array = npt.NDArray[Any]

ISO = "%Y-%m-%d"
SIX = ("%y%m%d", "%d%m%y", "%m%d%y")  # days of six digits; numbers of five have lost a zero
DIGITS = ("%Y%m%d", "%Y%m", "%Y%m%d%H%M", "%Y%m%d%H%M%S", *SIX)  # forms without any sign between the parts
YEARS = (1800, 2100)  # the years that nothing but digits can be of
ENOUGH = 5  # so many different texts of six digits are needed: fewer could be anything
FIRST, FEW = 3, 50  # so many values tell which forms are worth a look at some more, and so many which at all

# The forms that are looked for. Where both fit, the month comes first, as in a file with commas
FORMS = (
    ISO, "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%m-%d-%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%Y年%m月%d日",
    "%Y%m%d%H%M", "%Y%m%d%H%M%S",
    "%Y. %m. %d.", "%Y년 %m월 %d일", "%d %b %Y", "%d. %b %Y", "%d-%b-%Y", "%d%b%Y", "%d/%b/%Y", "%d %b, %Y",
    "%d de %b de %Y", "%d %b de %Y", "%b %d, %Y", "%b %d %Y", "%Y-%b-%d", "%Y %b %d",
    "%d.%m.%y", "%m/%d/%y", "%d/%m/%y", "%d-%m-%y", "%d-%b-%y", "%d %b %y",
    "%Y-%m", "%Y%m", "%Y/%m", "%m/%Y", "%m.%Y", "%m-%Y", "%Y年%m月", "%b %Y", "%b-%Y", "%Y-%b", "%Y %b", "%b-%y",
    *SIX,
)  # fmt: skip

_PARTS = {
    "%d": "(?P<d>[0-9]{1,2})",
    "%m": "(?P<m>[0-9]{1,2})",
    "%Y": "(?P<Y>[0-9]{4})",
    "%y": "(?P<y>[0-9]{2})",
    "%b": r"(?P<b>[^\W\d_]{3,10})\.?",
    "%H": "(?P<hour>[01][0-9]|2[0-3])",
    "%M": "(?P<minute>[0-5][0-9])",
    "%S": "(?P<second>[0-5][0-9])",
}
_LIKE = re.compile("(?=.*[0-9]{2}).{6,40}")
_TIME = (
    r"(?:(?:T|,?\s+)(?P<hour>[01]?[0-9]|2[0-3]):(?P<minute>[0-5][0-9])"
    r"(?::(?P<second>[0-5][0-9])(?:[.,](?P<part>[0-9]{1,9}))?)?"
    r"(?:\s?(?P<half>[AaPp])\.?[Mm]\.?)?(?:\s?(?:[Zz]|UTC|GMT|[-+][0-9]{2}(?::?[0-9]{2})?))?)?"
)
_CLOCK = ("second", "part", "half")  # what a time of day may lack
NEWEST = 2068  # years of two digits are of the hundred years up to this one where nothing is said, as in ``strptime``
# No table tells of later years. So many years without any must be between the last and the first of two digits
LATEST, HOLE = 2030, 10


def read_moments(
    texts: Sequence[str], form: str | None, newest: int | None = None
) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Read texts as moments, the clock on the wall where they have a zone, and say which ones are."""
    pattern = _pattern(form or ISO)
    if pattern is None:
        return _read_one_by_one(texts, form)
    found = [pattern.fullmatch(text) for text in texts]
    moments, readable = _moments_of_parts([match for match in found if match is not None], newest or NEWEST)
    result, is_moment = np.zeros(len(texts), dtype="datetime64[us]"), np.array([one is not None for one in found], bool)
    result[is_moment], is_moment[is_moment] = moments, readable
    if form is None and not is_moment.all():
        others = np.flatnonzero(~is_moment)
        result[others], is_moment[others] = _read_one_by_one([texts[place] for place in others.tolist()], None)
    return result, is_moment


def forms_in(texts: Sequence[str]) -> list[str]:
    """Give the forms in which every text is a day or a month, those first that are looked for first."""
    # Six or eight digits could be anything: they are days only of the years that people live in, and months only if
    # there are some, and of different years.
    found = [form for form in likely_forms(texts, 1.0) if _are_all(form, texts)]
    if len(texts) < ENOUGH or len({text[:4] for text in texts}) <= 1:
        found = [form for form in found if form != DIGITS[1]]  # too few, or months of one year
    return [form for form in found if form not in SIX or (DIGITS[1] not in found and _are_six(form, texts))]


def newest_of(years: Sequence[int]) -> int | None:
    """Give a round year up to which two-digit years lie in hundred years; nothing if they do not tell."""
    # The years lie as close together as they can, and none of them after LATEST: those of births from 1930 to 2005 have
    # a hole from 06 to 29.
    short = np.unique(np.asarray(years, dtype=np.int64) % 100)
    if not len(short):
        return None
    holes = np.diff(np.append(short, short[0] + 100)) - 1
    last = int(np.argmax(holes))
    if holes[last] < HOLE:
        return None
    end = LATEST - (LATEST - int(short[last])) % 100
    return -(-end // 10) * 10


def likely_forms(texts: Sequence[str], share: float) -> list[str]:
    """Give the forms that such a share of some texts seems to have, whether or not a calendar has the days."""
    few = texts[:: max(len(texts) // FEW, 1)]
    wanted = max(share * len(few), 1)
    if sum(bool(_LIKE.fullmatch(text)) for text in few) < wanted:
        return []
    first = few[:: max(len(few) // FIRST, 1)]
    patterns = {form: pattern for form in FORMS if (pattern := _pattern(form)) and any(map(pattern.fullmatch, first))}
    return [form for form, one in patterns.items() if sum(bool(one.fullmatch(text)) for text in few) >= wanted]


def _are_six(form: str, texts: Sequence[str]) -> bool:
    """Say whether there are enough days of six digits, and of different months: running numbers are none."""
    moments = read_moments(texts, form)[0].astype("datetime64[D]")
    months = moments.astype("datetime64[M]")
    days = (moments - months.astype("datetime64[D]")).astype(np.int64)
    return len(texts) >= ENOUGH and len(np.unique(months.astype(np.int64) % 12)) > 1 and len(np.unique(days)) > 1


def _are_all(form: str, texts: Sequence[str]) -> bool:
    moments, readable = read_moments(texts, form)
    if form not in DIGITS:
        return bool(readable.all())
    years = moments.astype("datetime64[Y]").astype(np.int64) + 1970
    return bool((readable & (years >= YEARS[0]) & (years <= YEARS[1])).all())


@cache
def _pattern(form: str) -> re.Pattern[str] | None:
    """Give the regular expression of a form; nothing if it has others than the usual parts, or one of them twice."""
    parts = re.split("(%.)", form.replace("%B", "%b"))
    count = Counter(part[1] for part in parts[1::2])
    one_year, one_month = count["Y"] + count["y"] == 1, count["m"] + count["b"] == 1
    whole_time = count["H"] == count["M"] and count["S"] <= count["H"]
    if not (one_year and one_month and whole_time) or max(count.values()) > 1 or {*count} - set("YymbdHMS"):
        return None
    # A blank stands for blanks of any number and width; numbers that touch have two digits each.
    written = "".join(_PARTS.get(part) or r"\s+".join(map(re.escape, part.split(" "))) for part in parts)
    inner = range(2, len(parts) - 1, 2)
    touching = any(not parts[at] and "%b" not in (parts[at - 1], parts[at + 1]) for at in inner)
    time = "".join(f"(?P<{part}>)" for part in _CLOCK if f"<{part}>" not in written) if count["H"] else _TIME
    return re.compile((written.replace("{1,2}", "{2}") if touching else written) + time)


def _moments_of_parts(found: Sequence[re.Match[str]], newest: int) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Put years, months, days and times together, and say which of them a calendar has."""
    parts = found[0].re.groupindex if found else {}

    def numbers(part: str) -> npt.NDArray[np.int64]:
        return np.fromiter((int(one[part]) for one in found), np.int64, len(found))

    years = numbers("Y") if "Y" in parts else newest - (newest - numbers("y")) % 100
    months = numbers("m") if "m" in parts else np.array([_month_number(one["b"]) for one in found], dtype=np.int64)
    days = numbers("d") if "d" in parts else np.ones(len(found), dtype=np.int64)
    begins = ((years - 1970) * 12 + months - 1).astype("datetime64[M]")
    moments = begins.astype("datetime64[D]") + (days - 1).astype("timedelta64[D]")
    readable = (years >= 1) & (months >= 1) & (months <= 12) & (days >= 1) & (moments.astype("datetime64[M]") == begins)
    clocks = np.fromiter((_clock_microseconds(one) if one["hour"] else 0 for one in found), np.int64, len(found))
    return moments.astype("datetime64[us]") + clocks.astype("timedelta64[us]"), readable & (clocks >= 0)


@cache
def _numbers_of_months() -> dict[str, int]:
    return {name: int(number) for number, names in facts("months.csv") for name in names.split()}


@lru_cache(1_000)
def _month_number(name: str) -> int:
    """Give the number of a month by its name in one of seven languages; 0 for what is none."""
    return _numbers_of_months().get(plain_name(name), 0)


def _clock_microseconds(found: re.Match[str]) -> int:
    """Give the microseconds of a time of day; -1 for one that a clock of twelve hours does not have."""
    hour = int(found["hour"])
    if found["half"]:
        if not 1 <= hour <= 12:
            return -1
        hour = hour % 12 + 12 * (found["half"] in "pP")
    seconds = (hour * 60 + int(found["minute"])) * 60 + int(found["second"] or 0)
    return seconds * 1_000_000 + int((found["part"] or "").ljust(6, "0")[:6])


def _read_one_by_one(texts: Sequence[str], form: str | None) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Read texts of any other form, and of ISO 8601 in all its ways."""
    moments = [read_moment(text, form) for text in texts]
    readable = np.array([moment is not None for moment in moments], dtype=bool)
    return np.array([moment or 0 for moment in moments], dtype="datetime64[us]"), readable


def read_moment(text: str, form: str | None = None) -> dt.datetime | None:
    """Read a text as a moment, by a strptime format or as ISO 8601; the clock on the wall where it has a zone."""
    try:
        moment = dt.datetime.fromisoformat(text) if form is None else dt.datetime.strptime(text, form)  # noqa: DTZ007
    except ValueError:
        return None
    return moment.replace(tzinfo=None)
