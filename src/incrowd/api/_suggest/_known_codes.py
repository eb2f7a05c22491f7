"""Codes and names of which it is known what belongs together: countries, diseases, jobs, regions, postcodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np

from incrowd.api._suggest._words import tokens_of
from incrowd.core import Domain, Hierarchy, HierarchyError
from incrowd.hierarchies import Classification, ClassificationName, Postcodes, classification, codes_of, postcodes

MOST_VALUES, MOST_ROWS = 0.8, 0.9
"""Names of countries and words for education: so many of the values, and of the rows, must be known."""

ENOUGH, MOST_LISTED = 10, 0.95
"""So many different codes tell which list they are from, if so many of them stand in it."""

FEW = 4
"""A column with so few values needs no classification."""

MANY = 2_000
"""A column with more values has names of something else than countries or schools."""

SHAPES: Mapping[ClassificationName, str] = {
    "icd-10": r"[A-TV-Z][0-9][0-9A-Z]\.[0-9A-Z]{1,4}[+*!]?",
    "atc": r"[A-DGHJLMNPRSV][0-9]{2}[A-Z]{2}[0-9]{2}",
}
"""How codes look that nothing else looks like."""

NAMED: Mapping[str, ClassificationName] = {
    "icd": "icd-10", "icd10": "icd-10", "atc": "atc", "isco": "isco-08", "isco08": "isco-08", "nace": "nace-2",
    "nuts": "nuts", "nuts2": "nuts", "nuts3": "nuts", "isced": "isced",
}  # fmt: skip
"""Words in the name of a column that say which codes it has."""

POSTCODES: Mapping[str, str] = {
    "GB": r"[A-Za-z]{1,2}[0-9][0-9A-Za-z]? ?[0-9][A-Za-z]{2}",
    "CA": r"[A-Za-z][0-9][A-Za-z] ?[0-9][A-Za-z][0-9]",
    "NL": r"[1-9][0-9]{3} ?[A-Za-z]{2}",
    "PL": r"[0-9]{2}-[0-9]{3}",
    "PT": r"[0-9]{4}-[0-9]{3}",
    "BR": r"[0-9]{5}-[0-9]{3}",
    "JP": r"[0-9]{3}-[0-9]{4}",
    "US": r"[0-9]{5}(?:-[0-9]{4})?",
}
"""Postcodes whose form tells their country; an American one only if some have nine digits."""

WORDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("plz", ("DE", "AT")), ("postleitzahl", ("DE", "AT")), ("code postal", ("FR",)), ("codigo postal", ("ES",)),
    ("codice postale", ("IT",)), ("cap", ("IT",)), ("codice avviamento postale", ("IT",)), ("cep", ("BR",)),
    ("pincode", ("IN",)), ("pin code", ("IN",)), ("postnummer", ("SE", "NO")), ("postnr", ("SE", "NO")),
)  # fmt: skip
"""Names of columns that are used in one country, or in some whose codes have different lengths."""


UNUSED = ("00", "05", "11", "43", "62")
"""No street in Germany has a postcode that begins so: 11 is for authorities, the others are kept in reserve."""

ANYWHERE = ("postcode", "postcodes", "post code", "postal code", "postalcode", "zip postal")
"""Names of postcodes that are used in many countries; an American one is called a zip."""


def known_codes(domain: Domain, about: str | None) -> Hierarchy | None:
    """Find the classification that the values of a column belong to, if it is plain."""
    if domain.kind not in {"text", "number"} or len(domain.values) <= FEW:
        return None
    found = (_covering(domain, name, share) for name, share in _likely(domain, about))
    return next(filter(None, found), None)


def _likely(domain: Domain, about: str | None) -> Iterator[tuple[ClassificationName, float]]:
    """Give the classifications that a column may be of, and which share of its values they must know."""
    yield from ((NAMED[word], 1.0) for word in tokens_of(domain.column) if word in NAMED)
    if (listed := _listed(domain)) is not None:
        yield listed, MOST_LISTED
    if domain.kind != "text":
        return
    yield from (
        (name, 1.0) for name, shape in SHAPES.items() if all(re.fullmatch(shape, text) for text in domain.values)
    )
    if about == "codes of regions (NUTS)":
        yield "nuts", 1.0
    if len(domain.values) <= MANY:
        yield "countries", 1.0 if all(len(text) <= 3 for text in domain.values) else MOST_VALUES
        if about == "education":
            yield "isced", MOST_VALUES


def _listed(domain: Domain) -> Literal["isco-08", "nace-2"] | None:
    """Find the classification that lists nearly all codes of four digits; nothing if they could be of both, or years.

    Listed are one in twenty of all such numbers: ten of them from several branches are no coincidence.
    """
    texts = [str(text).strip() for text in domain.texts[: len(domain.values)]]
    if len(texts) < ENOUGH or not all(re.fullmatch(r"[A-U]?[0-9]{2}\.?[0-9]{2}", text) for text in texts):
        return None
    codes = [re.sub("[^0-9]", "", text) for text in texts]
    found: list[Literal["isco-08", "nace-2"]] = [
        name
        for name in ("isco-08", "nace-2")
        if sum(code in codes_of(name) for code in codes) >= MOST_LISTED * len(codes)
        and (name == "nace-2" or codes == texts)
    ]
    branches = len({code[:2] for code in codes})
    return found[0] if len(found) == 1 and branches >= ENOUGH // 2 else None


def _covering(domain: Domain, name: ClassificationName, share: float) -> Classification | None:
    """Give a classification that knows such a share of the values, and lets some of them become one."""
    found = classification(name)
    paths = found.paths(domain)
    known = np.array([path is not None for path in paths], dtype=bool)
    counts = domain.counts[: len(known)]
    if known.mean() < share or counts[known].sum() < MOST_ROWS * counts.sum():
        return None
    found = found if known.all() else classification(name, others="other")
    try:
        sizes = [len(labels) for labels in found.bind(domain).labels]
    except HierarchyError:  # a value that is called like a group
        return None
    return found if any(1 < size < sizes[0] for size in sizes) else None


def postcodes_in(domain: Domain) -> Postcodes | None:
    """Find the country whose postcodes a column has, by their form or by a name that only one country uses."""
    texts = [str(text) for text in domain.texts[: len(domain.values)]]
    if len(texts) <= FEW:
        return None
    for country, form in POSTCODES.items():
        if domain.kind == "text" and all(re.fullmatch(form, text) for text in texts):
            return postcodes(country) if country != "US" or any("-" in text for text in texts) else _by_word(domain)
    return _by_word(domain)


def _by_word(domain: Domain) -> Postcodes | None:
    countries = next((countries for word, countries in WORDS if _is_called(domain, word)), ())
    found = next((one for one in map(postcodes, countries) if None not in one.paths(domain)), None)
    return postcodes("DE") if found is None and is_guess(domain) else found


def is_guess(domain: Domain) -> bool:
    """Say whether postcodes could be German, and neither their form nor their name says so."""
    if any(_is_called(domain, word) for word, _ in WORDS) or not any(_is_called(domain, word) for word in ANYWHERE):
        return False
    texts = [str(text).zfill(5) for text in domain.texts[: len(domain.values)]]
    return all(re.fullmatch("[0-9]{5}", text) and not text.startswith(UNUSED) for text in texts)


def _is_called(domain: Domain, word: str) -> bool:
    return f" {word} " in f" {' '.join(tokens_of(domain.column))} "
