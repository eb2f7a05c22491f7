"""The safe harbor of the HIPAA Privacy Rule: 18 kinds of identifiers, checked on columns and published values."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Domain, ParameterError, Schema, UnknownColumnError
from incrowd.engines import Engine, open_table
from incrowd.evidence import SAFE_HARBOR, Checklist, Item, Subject
from incrowd.hierarchies import covered, members_of, pattern_of
from incrowd.models import check_column, read_list, whole_number
from incrowd.plan.suggestion._days import are_days
from incrowd.plan.suggestion._words import fit_of, read_toml, topic_of, word_list
from incrowd.release import Reading, Release, certificate_in, open_with_schema

# Which of HIPAA's 18 kinds of identifiers a column probably is: a suggestion, never one that passes by itself.

# What values look like, and the kind that this is
BY_VALUES = {
    "e-mail addresses": "email addresses",
    "web addresses": "web addresses",
    "network addresses": "ip addresses",
    "unique identifiers": "other unique codes",
    "bank accounts": "account numbers",
    "official numbers of persons": "social security numbers",
    "telephone numbers": "telephone numbers",
}
# What a column is about, and the kind that this is. What is not here is for somebody to say
BY_TOPIC = {
    "a person's name": "names",
    "an official number of a person": "other unique codes",
    "a number that stands for a person or a record": "other unique codes",
    "a number of a record": "other unique codes",
    "a household's number": "other unique codes",
    "an address or a way to reach a person": "place",
    "a picture of a person or their body": "photographs",
    "a date of birth": "birth date",
    "an age": "age",
    "a postcode": "zip",
    "a place": "place",
    "a date that others may know": "date",
}
# Places as large as a state or larger: whether they are, somebody must say
LARGER = ("country", "nation", "nationality", "citizenship", "state", "bundesland", "pays", "pais", "land")


def likely_kind(name: str, domain: Domain | None = None) -> str | None:
    """Suggest what a column is about, by its values and its name; nothing where only somebody who knows it can say."""
    # No suggestion makes a test pass that looks at no value: that a column is none of the 18, or a state, is said by
    # people.
    seen = None if domain is None else pattern_of(domain)
    if seen is not None:
        return BY_VALUES[seen]
    topic = topic_of(name)
    about = None if topic is None else BY_TOPIC.get(topic.about)
    kind = _kind_by_word(name) if about in {None, "other unique codes", "place", "photographs"} else about
    if kind is None and about == "place" and any(fit_of(name, word) for word in LARGER):
        return None
    if kind is not None or about is not None:
        return kind or about
    if domain is None:
        return None
    is_date = domain.kind in {"date", "datetime", "instant"} or (domain.kind == "text" and are_days(domain))
    return "date" if is_date else None


def _kind_by_word(name: str) -> str | None:
    """Give the kind that the longest fitting word names."""
    kinds = read_toml("lists.toml")["identifiers"]
    fits = {kind: max(fit_of(name, word) for word in word_list("identifiers", kind)) for kind in kinds}
    best = max(fits, key=lambda kind: fits[kind])
    return best if fits[best] else None


FORBIDDEN = tuple(name for name in SAFE_HARBOR.rules if name not in {"geography", "dates"})
KINDS = ("none", "state", "zip", "place", "date", "birth date", "age", *FORBIDDEN)  # what a column can be declared as
NAMED = 8  # so many columns that nobody declared are named
_ZIP = 5  # digits of a ZIP code

# Kinds that say by themselves whether a rule holds
_DECIDED: dict[str, list[tuple[str, str, bool]]] = {
    "none": [],
    "state": [("geography", "shows states", True)],
    "place": [("geography", "shows places smaller than a state", False)],
    **{kind: [(kind, "is published", False)] for kind in FORBIDDEN},
}

# Per test what was found in columns, in words, and whether the rule holds there
Findings = dict[str, list[tuple[str, bool | None]]]


def safe_harbor(
    table: Any,
    schema: Schema | None = None,
    *,
    kinds: Mapping[str, str],
    populous: Iterable[str] | None = None,
    year: int | None = None,
    **reading: Unpack[Reading],
) -> Checklist:
    """Go through the 18 kinds of identifiers that the safe harbor of HIPAA wants removed.

    Parameters
    ----------
    table
        A release, the folder or the certificate of a saved one, or any table as in ``census``.
    schema
        The role of every column: identifiers and the entity are taken to be removed. A release brings its own.
    kinds
        For every published column what it is about: ``"none"`` of the 18; ``"state"``, ``"zip"`` or ``"place"`` for
        anything else smaller than a state; ``"date"``, ``"birth date"`` or ``"age"``; or one of the other kinds, as
        ``preset("hipaa-safe-harbor").rules`` names them.
    populous
        The first three digits of all ZIP codes where more than 20,000 people live. The list changes with every census
        of the country, so none is built in; without it the rule is not checked. Nor is it where codes are numbers,
        which have lost their zeros in front: 601 may be 00601. Text such as ``"006**"`` keeps them.
    year
        The year of the data, to see which birth years tell an age above 89. Without it that is not checked.
    reading
        How to read a file, as in ``census``.

    Notes
    -----
    What a column is about is your word, and a test that found nothing passes only if every published column has been
    declared. The rule also asks that you know of no other way to identify somebody, which no program can check.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"zip": "101**", "age": 93}, {"zip": "102**", "age": 47}]
    >>> checklist = ic.safe_harbor(table, kinds={"zip": "zip", "age": "age"})
    >>> [item.verdict for item in checklist.items[:3]]
    ['PASS', 'NOT CHECKED', 'FAIL']
    """
    if not isinstance(kinds, Mapping):
        msg = f"kinds must be a dict from column to kind, got {type(kinds).__name__}."
        raise ParameterError(msg, hint='write kinds={"zip": "zip", "age": "age"} with your columns.')
    for name in kinds:
        check_column(name, "Every key of kinds")
    areas = None if populous is None else _populous_areas(populous)
    year = None if year is None else whole_number(year, name="year", at_least=1)
    engine, columns = _published_columns(table, schema, reading)
    _check_kinds(kinds, columns)
    findings: Findings = {test: [] for test in SAFE_HARBOR.rules}
    for name, kind in kinds.items():
        for test, said, holds in _test_column(engine, name, kind, areas, year):
            findings[test].append((said, holds))
    undeclared = [name for name in columns if name not in kinds]
    return Checklist(SAFE_HARBOR, tuple(_item_of(test, findings[test], undeclared) for test in SAFE_HARBOR.rules))


def _published_columns(table: Any, schema: Schema | None, reading: Mapping[str, Any]) -> tuple[Engine, list[str]]:
    saved = isinstance(table, str | os.PathLike) and certificate_in(Path(table)) is not None
    if saved or isinstance(table, Release):
        engine = Subject.of(table, None if isinstance(table, Release) else schema, reading).engine
        return engine, list(engine.columns())
    engine = open_table(table, **reading) if schema is None else open_with_schema(table, schema, **reading)
    removed = () if schema is None else (*schema.identifiers, schema.entity)
    return engine, [name for name in engine.columns() if name not in removed]


def _populous_areas(populous: Iterable[str]) -> frozenset[str]:
    hint = 'write the first three digits of each code as a text, such as ["036", "101"].'
    areas = frozenset(map(str, read_list(populous, "populous", hint)))
    wrong = sum(re.fullmatch("[0-9]{3}", area) is None for area in areas)
    if wrong:
        msg = f"populous must hold three digits each, and {wrong:,} of {len(areas):,} are something else."
        raise ParameterError(msg, hint=hint)
    return areas


def _check_kinds(kinds: Mapping[str, str], columns: Sequence[str]) -> None:
    for name, kind in kinds.items():
        if name not in columns:
            raise UnknownColumnError.of(name, columns, given_as="kind", show=False)
        if kind not in KINDS:
            msg = f"Column {name!r} must be declared as one of {', '.join(map(repr, KINDS))}, got {kind!r}."
            raise ParameterError(msg)


def _item_of(test: str, found: list[tuple[str, bool | None]], undeclared: list[str]) -> Item:
    said, verdicts = [words for words, _ in found], [holds for _, holds in found]
    if undeclared:  # each with what its name suggests
        named = [f"{name!r} ({kind}?)" if (kind := likely_kind(name)) else repr(name) for name in undeclared[:NAMED]]
        more = f" and {len(undeclared) - NAMED:,} more" if len(undeclared) > NAMED else ""
        many = f"columns {', '.join(named)}{more} are" if len(undeclared) > 1 else f"column {named[0]} is"
        said.append(f"{many} not declared")
        verdicts.append(None)
    holds = False if False in verdicts else None if None in verdicts else True
    return Item(test, SAFE_HARBOR.rules[test], "; ".join(said) or "no published column is declared as such", holds)


def _test_column(
    engine: Engine, name: str, kind: str, populous: frozenset[str] | None, year: int | None
) -> list[tuple[str, str, bool | None]]:
    """Look at a column as what it is declared to be; give the test, what was found, and whether the rule holds."""
    if kind in _DECIDED:
        return [(test, f"column {name!r} {said}", holds) for test, said, holds in _DECIDED[kind]]
    domain = engine.domains([name])[name]
    texts = [text for text in domain.texts.tolist() if text is not None]
    if kind == "zip":  # of a set, every member is shown
        shown = dict.fromkeys(member for text in texts for member in members_of(text) or (text,))
        return [("geography", *_zips(name, list(shown), populous, numbers=domain.kind == "number"))]
    if kind == "age":
        return [("dates", *_test_ages(name, texts))]
    return [("dates", *_test_years(name, texts, year if kind == "birth date" else None, born=kind == "birth date"))]


def _zips(name: str, texts: list[str], populous: frozenset[str] | None, *, numbers: bool) -> tuple[str, bool | None]:
    """Look at ZIP codes; of numbers nobody knows how many zeros they had in front: 601 may be 00601, 21** be 021**."""
    shown = [re.fullmatch(r"(\d{0,3})[*-]*", text) for text in texts]
    more = shown.count(None)
    if more:
        return f"column {name!r} has {more:,} labels that show more than three digits", False
    prefixes = {found[1] for found in shown if found is not None and len(found[1]) == 3} - {"000"}
    if populous is not None and prefixes - populous:
        small = len(prefixes - populous)
        return f"column {name!r} shows {small:,} three-digit codes that are not on the list", False
    # Texts may be numbers of which some were masked: then none of them begins with a zero.
    numbers |= TOP in texts and not any(text.startswith("0") for text in texts)
    short = sum(_may_lack_zeros(text, numbers=numbers) for text in texts)
    if short:
        said = f"column {name!r} has {short:,} labels that are too short, and may have lost zeros in front"
        return f"{said}; text such as 036** keeps them", None
    if not prefixes:
        return f"column {name!r} shows fewer than three digits, or 000", True
    if populous is None:
        said = f"column {name!r} shows {len(prefixes):,} three-digit codes"
        return f"{said}; whether more than 20,000 people live there is open", None
    return f"column {name!r} shows {len(prefixes):,} three-digit codes, all on the list", True


def _may_lack_zeros(text: str, *, numbers: bool) -> bool:
    digits = text.rstrip("*-")
    if text == digits:
        return 0 < len(digits) < (4 if numbers else 3)
    return bool(digits) and not digits.startswith("0") and len(text) < _ZIP


def _test_ages(name: str, texts: list[str]) -> tuple[str, bool | None]:
    known = [_ages_of(text) for text in texts]
    old = sum(_are_oldest_split(ages) for ages in known if ages is not None)
    said = f"column {name!r} has {old:,} labels that cover some ages above 89 and not all"
    return _test_finding(said, old, sum(ages is None for ages in known))


def _test_years(name: str, texts: list[str], year: int | None, *, born: bool) -> tuple[str, bool | None]:
    known = [_years_of(text) for text in texts]
    years = [one for one in known if one is not None]
    finer, unreadable = sum(len(one) == 0 for one in years), len(known) - len(years)
    if finer or unreadable:
        return _test_finding(f"column {name!r} has {finer:,} labels that tell more than the year", finer, unreadable)
    if not born:
        return f"column {name!r} tells nothing but years", True
    if year is None:
        return f"column {name!r} tells nothing but years; whether they tell an age above 89 is open", None
    old = sum(_are_oldest_split(year - one) for one in years)
    return f"column {name!r} has {old:,} labels that cover some ages above 89 in {year} and not all", old == 0


def _are_oldest_split(ages: npt.NDArray[np.int64]) -> bool:
    """Say whether some of the ages above 89 are meant, and not all: then they are no single category any more."""
    return bool((ages >= _OLD.start).any()) and int(np.isin(_OLD, ages).sum()) < len(_OLD)


def _test_finding(said: str, broken: int, unreadable: int) -> tuple[str, bool | None]:
    words = f"{said}, and {unreadable:,} that could not be read" if unreadable else said
    return words, False if broken else None if unreadable else True


_OLD = range(90, 120)  # ages of 90 or older; nobody is much older than that
_YEARS = range(1800, 2201)
# What looks like a day, a month or a quarter
_FINER = re.compile(r"\d{4}[-/.].+|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}.*|\d{8}")


@functools.cache
def _number_domain(first: int, last: int) -> Domain:
    return Domain.of("", range(first, last))


def _ages_of(text: str) -> npt.NDArray[np.int64] | None:
    """Give the ages up to 150 that a label covers."""
    label = re.sub(r"^(\d+)\s*\+$", r">=\1", text)
    found = np.flatnonzero(covered(label, _number_domain(0, 151)))
    return found if len(found) else None


def _years_of(text: str) -> npt.NDArray[np.int64] | None:
    """Give the years that a label covers; none where it tells a day, a month or a quarter."""
    label = re.sub(r"^(\d{3})0s$", r"\g<1>0..\g<1>9", re.sub(r"^(\d{2})xx$", r"\g<1>00..\g<1>99", text))
    years = np.flatnonzero(covered(label, _number_domain(_YEARS.start, _YEARS.stop)))
    if len(years):
        return years + _YEARS.start
    return np.zeros(0, dtype=np.int64) if _FINER.fullmatch(text) else None
