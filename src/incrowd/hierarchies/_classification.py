"""Classifications that everybody knows: countries, diseases (ICD), medicines, jobs, trades, regions, education."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Literal, get_args

import numpy as np

from incrowd.core import TOP, Domain, HierarchyError, Ladder, ParameterError, Step
from incrowd.hierarchies._numbers import step_of, uncovered_error

_WORDS = re.compile(r"[^\W_]+")


@cache
def facts(name: str) -> tuple[tuple[str, ...], ...]:
    """Read the lines of a table of facts, once; those that begin with ``#`` say where it comes from."""
    text = resources.files("incrowd.hierarchies").joinpath("_facts", name).read_text(encoding="utf-8")
    return tuple(tuple(line.split(";")) for line in text.splitlines() if line and not line.startswith("#"))


def plain_name(text: str) -> str:
    """Write a name in small letters, without accents and signs, one blank between words."""
    letters = unicodedata.normalize("NFKD", text.replace("&", " and ")).casefold()
    return " ".join(_WORDS.findall("".join(sign for sign in letters if not unicodedata.combining(sign))))


ClassificationName = Literal["atc", "countries", "icd-10", "isced", "isco-08", "nace-2", "nuts"]
Labels = tuple[str, ...]  # what a value becomes, from fine to coarse, without ``*``


@dataclass(frozen=True, slots=True, repr=False)
class Classification:
    """A published classification. Built by ``classification``."""

    name: ClassificationName
    others: str | None = None

    def bind(self, domain: Domain) -> Ladder:
        paths = self.paths(domain)
        unknown = np.array([path is None for path in paths], dtype=bool)
        if unknown.any() and self.others is None:
            raise uncovered_error(domain, unknown, f"are not covered by the classification {self.name!r}")
        others = (str(self.others),) * _SCHEMES[self.name].height
        known = [path or others for path in paths]
        steps = [step_of([path[level] for path in known]) for level in range(len(others))]
        return Ladder.climb(domain, [*steps, Step.top(domain)])

    def paths(self, domain: Domain) -> list[Labels | None]:
        """Give for every value of a column (without null) what it becomes; nothing for a value that is not known."""
        if domain.kind not in {"text", "number"}:
            msg = f"Column {domain.column!r} is of kind {domain.kind}; a classification needs codes or names."
            raise HierarchyError(msg, hint="use dates(...) for dates and flat() for booleans.")
        find = _SCHEMES[self.name].find
        return [find(str(text).strip()) for text in domain.texts[: len(domain.values)]]

    def knows(self, label: str) -> bool:
        """Say whether a label is one of its groups, whoever is in it."""
        return label == self.others or _SCHEMES[self.name].knows(label)

    def __repr__(self) -> str:
        others = "" if self.others is None else f", others={self.others!r}"
        return f"classification({self.name!r}{others})"


def classification(name: ClassificationName, *, others: str | None = None) -> Classification:
    """Let codes and names become the groups of a published classification.

    Parameters
    ----------
    name
        Which one:

        - ``"countries"``: a country by its code (ISO 3166: ``FR``, ``FRA``, ``250``) or its name in English, German,
          French, Spanish, Italian, Dutch or Portuguese, then subregion and region of the United Nations (M49)
        - ``"icd-10"``: a disease, then category (``E11.-``), block (``E10-E14``) and chapter (``IV``)
        - ``"atc"``: a medicine, then its chemical, pharmacological, therapeutic and anatomical group (``A10B***``)
        - ``"isco-08"``: a job, then minor, sub-major and major group (``2211``, ``221*``, ``22**``, ``2***``)
        - ``"nace-2"``: a branch of trade (``62.01``), then group, division and section (``J``), of NACE Rev. 2
        - ``"nuts"``: a region of Europe, then NUTS 2, NUTS 1 and the country (``DE21*``, ``DE2**``, ``DE***``)
        - ``"isced"``: education by level (0 to 8) or by common English and German words, then ``ISCED 3``, then low
          (0 to 2), medium (3 and 4) or high (5 to 8)
    others
        A label for all values that it does not know. Without it they are refused, as by a ``tree``.

    Notes
    -----
    A value gets the same labels in every table. A value that is less precise (``E11`` beside ``E11.9``) is in the group
    that it names. Codes are read in small and capital letters, diseases with and without the point.

    Groups are of different sizes: hardly anybody of a table may come from Melanesia.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.classification("countries")
    classification('countries')
    """
    if name not in get_args(ClassificationName):
        known = ", ".join(get_args(ClassificationName))
        msg = f"There is no classification {name!r}."
        raise ParameterError(msg, hint=f"use one of {known}, or a tree(...) of your own.")
    if others is not None and (not isinstance(others, str) or not others.strip(TOP + " ")):
        msg = "others must be a text that is not empty and no star."
        raise ParameterError(msg, hint="for example others='other'.")
    return Classification(name, others)


@dataclass(frozen=True, slots=True)
class _Scheme:
    """How values are found in a classification, how many levels it has, and which labels are its groups."""

    height: int
    find: Callable[[str], Labels | None]
    knows: Callable[[str], bool]


@cache
def _countries() -> Mapping[str, Labels]:
    found: dict[str, Labels] = {}
    for alpha2, alpha3, number, subregion, region, names in facts("countries.csv"):
        keys = [alpha2.casefold(), alpha3.casefold(), *names.split("|"), *({number, number.lstrip("0")} - {""})]
        found |= dict.fromkeys(keys, (subregion, region))
    return found


_ICD = re.compile(r"([A-Z][0-9][0-9A-Z])(?:\.?[0-9A-Z]{1,4}|\.?-)?[+*!#]?")
# Categories of ICD-10-CM that ICD-10 does not have, and one of the block that each belongs to
_CLINICAL = {"C4A": "C43", "C7A": "C76", "C7B": "C79", "D3A": "D37", "M1A": "M10", "O9A": "O99", "Z3A": "Z39"}


@cache
def _icd_blocks() -> tuple[list[str], list[Labels]]:
    """Give where blocks begin, and block and chapter of each; what lies between two blocks is one of its own."""
    blocks = [(chapter, block.split("-")) for chapter, line in facts("icd10.csv") for block in line.split()]
    chapters = [(first, last, chapter) for chapter, (first, last) in blocks]
    found: list[tuple[str, Labels]] = []
    for letter in sorted({first[0] for first, _, _ in chapters}):
        inside = [one for one in sorted(chapters) if one[0][0] <= letter <= one[1][0]]
        after, before = 0, inside[0][2]
        for first, last, chapter in inside:
            low = int(first[1:]) if first[0] == letter else 0
            high = int(last[1:]) if last[0] == letter else 99
            if low > after:
                between = f"{letter}{after:02d}-{letter}{low - 1:02d}"
                found.append((f"{letter}{after:02d}", (between, f"chapter {before}")))
            found.append((f"{letter}{low:02d}", (f"{first}-{last}", f"chapter {chapter}")))
            after, before = high + 1, chapter
        if after <= 99:
            found.append((f"{letter}{after:02d}", (f"{letter}{after:02d}-{letter}99", f"chapter {before}")))
    return [begin for begin, _ in found], [labels for _, labels in found]


def _disease_labels(text: str) -> Labels | None:
    found = _ICD.fullmatch(text.upper())
    if found is None:
        return None
    category = found[1]
    begins, labels = _icd_blocks()
    at = _CLINICAL.get(category, category if category[2].isdigit() else f"{category[:2]}9")
    return f"{category}.-", *labels[bisect_right(begins, at) - 1]


def _is_disease_group(label: str) -> bool:
    return bool(re.fullmatch(r"[A-Z][0-9][0-9A-Z]\.-", label)) or any(label in path for path in _icd_blocks()[1])


def _labels_by_beginning(pattern: str, length: int, *cuts: int) -> _Scheme:
    codes, groups = re.compile(pattern), re.compile(rf"(?=.{{{length}}}$)[0-9A-Z]{{1,{max(cuts)}}}\*+")

    def find(text: str) -> Labels | None:
        code = text.upper()
        if not codes.fullmatch(code):
            return None  # and a code that names a group stays as it is up to that group's level
        return tuple(text if len(code) < cut else code[:cut] + TOP * (length - cut) for cut in cuts)

    return _Scheme(len(cuts), find, lambda label: bool(groups.fullmatch(label)))


def _job_scheme() -> _Scheme:
    """Read jobs by the beginning of their codes; soldiers whose zero was lost in a column of numbers get it back."""
    found = _labels_by_beginning(r"[0-9]{1,4}", 4, 3, 2, 1)
    return replace(found, find=lambda text: found.find(f"0{text}" if text in {"110", "210", "310"} else text))


@cache
def codes_of(name: Literal["isco-08", "nace-2"]) -> frozenset[str]:
    """Give all codes of four digits of a classification, without points."""
    lines = facts({"isco-08": "isco08.csv", "nace-2": "nace2.csv"}[name])
    return frozenset(first + last for first, rest in lines for last in rest.split())


_TRADE = re.compile(r"[A-U]?([0-9]{1,2})(?:\.([0-9]{1,2}))?|[A-U]?([0-9]{2})([0-9]{1,2})")
# NACE Rev. 2, sections and their divisions (Eurostat; Regulation (EC) No 1893/2006, Annex I). NACE Rev. 2.1 (Delegated
# Regulation (EU) 2023/137) has the same divisions but for 45, and other letters from J on: J has 58 to 60, K 61 to 63,
# and what was K to U is L to V. A code with such a letter is not one of Rev. 2 and is not read
SECTIONS = (
    "A01-03 B05-09 C10-33 D35-35 E36-39 F41-43 G45-47 H49-53 I55-56 J58-63 K64-66 "
    "L68-68 M69-75 N77-82 O84-84 P85-85 Q86-88 R90-93 S94-96 T97-98 U99-99"
)


def _trade(text: str) -> Labels | None:
    found = _TRADE.fullmatch(text.upper())
    if found is None:
        return None
    division, rest = (found[1] or found[3]).zfill(2), found[2] or found[4] or ""
    section = next((one[0] for one in SECTIONS.split() if one[1:3] <= division <= one[4:]), None)
    if section is None or text[:1].upper() not in {section, *"0123456789"}:
        return None
    return f"{division}.{rest[:1]}*" if rest else text, f"{division}.**", f"section {section}"


_LEVELS = ("low", "low", "low", "medium", "medium", "high", "high", "high", "high")
_LEVEL = re.compile(r"(?:isced *(?:2011|97)? *)?(?:level *)?([0-8])")


@cache
def _education_levels() -> Mapping[str, int]:
    return {word: int(level) for level, words in facts("education.csv") for word in words.split("|")}


def _degree_labels(text: str) -> Labels | None:
    name = plain_name(text)
    found = _LEVEL.fullmatch(name)
    level = int(found[1]) if found else _education_levels().get(name)
    return None if level is None else (f"ISCED {level}", _LEVELS[level])


_SCHEMES: Mapping[str, _Scheme] = {
    "atc": _labels_by_beginning(r"[A-Z](?:[0-9]{2}(?:[A-Z](?:[A-Z](?:[0-9]{2})?)?)?)?", 7, 5, 4, 3, 1),
    "countries": _Scheme(
        2,
        lambda text: _countries().get(plain_name(text)),
        lambda label: any(label in path for path in _countries().values()),
    ),
    "icd-10": _Scheme(3, _disease_labels, _is_disease_group),
    "isced": _Scheme(2, _degree_labels, lambda label: label in {*_LEVELS, *(f"ISCED {level}" for level in range(9))}),
    "isco-08": _job_scheme(),
    "nace-2": _Scheme(3, _trade, lambda label: bool(re.fullmatch(r"[0-9]{2}\.[0-9*]\*|section [A-U]", label))),
    "nuts": _labels_by_beginning(r"[A-Z]{2}(?:[0-9A-Z]{1,3})?", 5, 4, 3, 2),
}
