"""Which hierarchy is suggested for a column: classification, postcodes, intervals, a tree from data; their files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from incrowd.core import Census, Domain, Hierarchy, HierarchyError, atomic_paths, check_target
from incrowd.hierarchies import (
    COUNTRIES,
    Classification,
    ClassificationName,
    Flat,
    Frequent,
    Intervals,
    Mask,
    Postcodes,
    Tree,
    are_whole_numbers,
    auto,
    classification,
    codes_of,
    flat,
    frequent_for,
    intervals,
    mask,
    postcodes,
    similarity_tree,
    write_csv,
)
from incrowd.plan._sections import HierarchyForm, form_of
from incrowd.plan.suggestion._days import dates_in
from incrowd.plan.suggestion._words import tokens_of, word_list

# Numbers that only name things: 1 for married, 2 for single. What lies between two of them means nothing.

MOST = 300  # more values than that are no list of names
LARGEST = 99_999  # codes have so many digits at most
# What has names of things, where its other names count or measure.
THINGS = ("a family", "work", "health cover", "a dwelling or what is seen of it")
# What has no order, whatever it is called.
ALWAYS = frozenset({"origin", "a place", "belief or politics", "a sex or gender", "codes of regions (NUTS)"})


def names_things(domain: Domain, about: str | None) -> bool:
    """Say whether the whole numbers of a column name things by what the column is about."""
    values = domain.values
    if not 2 < len(values) <= MOST or int(values[0]) < 0 or int(values[-1]) > LARGEST:
        return False
    words = tokens_of(domain.column)
    if any(word.startswith(word_list("names", "counted")) for word in words):
        return False
    things = word_list("things", about) if about in THINGS else ()
    return about in ALWAYS or any(word.startswith(things) for word in words)


# Codes and names of which it is known what belongs together: countries, diseases, jobs, regions, postcodes.

# Names of countries and words for education: so many of the values, and of the rows, must be known
MOST_VALUES, MOST_ROWS = 0.8, 0.9
ENOUGH, MOST_LISTED = 10, 0.95  # so many different codes tell which list they are from, if so many of them stand in it
FEW = 4  # a column with so few values needs no classification
MANY = 2_000  # a column with more values has names of something else than countries or schools

# How codes look that nothing else looks like; some diseases have a point, or they are as ``UNDOTTED``
SHAPES: Mapping[ClassificationName, str] = {
    "icd-10": r"[A-TV-Z][0-9][0-9A-Z](?:\.[0-9A-Z]{1,4})?[+*!]?",
    "atc": r"[A-DGHJLMNPRSV][0-9]{2}[A-Z]{2}[0-9]{2}",
}

# Diseases without a point. Rooms and seats look so too, but have one length, and few letters
UNDOTTED = r"[A-TV-Z][0-9][0-9A-Z](?:[0-9X][0-9A-Z]{0,3})?[+*!]?"

# Words in the name of a column that say which codes it has
NAMED: Mapping[str, ClassificationName] = {
    "icd": "icd-10", "icd10": "icd-10", "atc": "atc", "isco": "isco-08", "isco08": "isco-08", "nace": "nace-2",
    "nuts": "nuts", "nuts2": "nuts", "nuts3": "nuts", "isced": "isced",
}  # fmt: skip

# Postcodes whose form tells their country; an American one only if some have nine digits
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

# Names of columns, and the country that uses them for its codes. Codes of four digits are Austrian or
# Swiss, Danish or Norwegian, Belgian or Australian under the same name: they are asked about
CODE_WORDS: Mapping[str, str] = {
    "plz": "DE", "postleitzahl": "DE", "code postal": "FR", "codigo postal": "ES", "codice postale": "IT", "cap": "IT",
    "codice avviamento postale": "IT", "cep": "BR", "pincode": "IN", "pin code": "IN", "postnummer": "SE",
    "postnr": "SE",
}  # fmt: skip
# No street in Germany has a postcode that begins so: 11 is for authorities, the others are kept in reserve
UNUSED = ("00", "05", "11", "43", "62")
# So large a share of the postcodes may have lost its zeros: where more are too short, they are of another country
LOST = 0.5
# Names of postcodes that are used in many countries; an American one is called a zip
ANYWHERE = ("postcode", "postcodes", "post code", "postal code", "postalcode", "zip postal")


def known_codes(domain: Domain, about: str | None) -> Hierarchy | None:
    """Find the classification that the values of a column belong to, if it is plain."""
    if domain.kind not in {"text", "number"} or len(domain.values) < 2:
        return None
    told = [NAMED[word] for word in tokens_of(domain.column) if word in NAMED]
    by_name = (_covering_classification(domain, name, 1.0, told=True) for name in told)
    if len(domain.values) <= FEW:
        return next(filter(None, by_name), None)
    found = (_covering_classification(domain, name, share) for name, share in _likely_classifications(domain, about))
    return next(filter(None, (*by_name, *found)), None)


def _likely_classifications(domain: Domain, about: str | None) -> Iterator[tuple[ClassificationName, float]]:
    """Give the classifications that a column may be of, and which share of its values they must know."""
    if (listed := _list_of_codes(domain)) is not None:
        yield listed, MOST_LISTED
    if domain.kind != "text":
        return
    yield from ((name, 1.0) for name in SHAPES if _are_like_codes(domain, name, about))
    if about == "codes of regions (NUTS)":
        yield "nuts", 1.0
    if len(domain.values) <= MANY:
        yield "countries", 1.0 if all(len(text) <= 3 for text in domain.values) else MOST_VALUES
        if about == "education":
            yield "isced", MOST_VALUES


def _are_like_codes(domain: Domain, name: ClassificationName, about: str | None) -> bool:
    """Say whether all texts look like codes of a classification, and like nothing else."""
    texts = domain.values.tolist()
    shaped = all(re.fullmatch(SHAPES[name], text) for text in texts)
    if name != "icd-10" or (shaped and any("." in one for one in texts)):
        return shaped
    if not all(re.fullmatch(UNDOTTED, text) for text in texts):
        return False
    if len(texts) < ENOUGH:
        return about == "health"
    return len({*map(len, texts)}) > 1 and len({text[0] for text in texts}) >= ENOUGH // 2


def _list_of_codes(domain: Domain) -> Literal["isco-08", "nace-2"] | None:
    """Find the list that has nearly all codes of four digits; nothing if they could be of both, or years."""
    # Listed are one in twenty of all such numbers: ten of them from several branches are no coincidence.
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


def _covering_classification(
    domain: Domain, name: ClassificationName, share: float, *, told: bool = False
) -> Classification | None:
    """Give a classification that knows such a share of the values, and lets some become one unless its name is told."""
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
    return found if told or any(1 < size < sizes[0] for size in sizes) else None


def postcodes_in(domain: Domain) -> Postcodes | None:
    """Find the country whose postcodes a column has, by their form or by a name that only one country uses."""
    texts = [str(text) for text in domain.texts[: len(domain.values)]]
    if len(texts) <= FEW:
        return None
    for country, form in POSTCODES.items():
        if domain.kind == "text" and all(re.fullmatch(form, text) for text in texts):
            return postcodes(country) if country != "US" or any("-" in text for text in texts) else _by_words(domain)
    return _by_words(domain)


def _by_words(domain: Domain) -> Postcodes | None:
    words = tokens_of(domain.column)
    told = [word.upper() for word in (words[:1] + words[-1:]) if len(words) > 1 and word.upper() in COUNTRIES]
    used = [country for word, country in CODE_WORDS.items() if _is_called(domain, word)][:1]
    found = next((country for country in (*told, *used) if _has_postcode_shape(domain, country)), None)
    return postcodes(found) if found is not None else postcodes("DE") if is_guess(domain) else None


def _has_postcode_shape(domain: Domain, country: str) -> bool:
    """Say whether all values have the shape of a country's postcodes, but for zeros that some numbers lost."""
    return None not in postcodes(country).paths(domain) and (
        domain.kind == "text" or _share_too_short(domain, country) <= LOST
    )


def _share_too_short(domain: Domain, country: str) -> float:
    texts, digits = domain.texts[: len(domain.values)], postcodes(country).digits
    return sum(len(str(text)) < digits for text in texts) / max(len(texts), 1)


def is_guess(domain: Domain) -> bool:
    """Say whether postcodes could be German, and neither their form nor their name says so."""
    is_called, is_told = (any(_is_called(domain, word) for word in words) for words in (ANYWHERE, CODE_WORDS))
    if is_told or not is_called:
        return False
    texts = [str(text).zfill(5 if domain.kind == "number" else 0) for text in domain.texts[: len(domain.values)]]
    shaped = all(re.fullmatch("[0-9]{5}", text) and not text.startswith(UNUSED) for text in texts)
    return shaped and _has_postcode_shape(domain, "DE")


def _is_called(domain: Domain, word: str) -> bool:
    return f" {word} " in f" {' '.join(tokens_of(domain.column))} "


LONG = 8  # codes of more characters make too many levels for a mask
APART = 24  # ages and years that lie closer together than this become pairs instead of fives
BY_HAND = 'a tree of your own keeps more: { tree = "file.csv" }'  # said of names without a ladder that fits
# Said of numbers whose ladder has an open end
UNEVEN = "some numbers lie far out; for ranges with as many rows each: { quantiles = [8, 4, 2] }"
# Said of postcodes whose form and name do not tell their country
WHICH_COUNTRY = 'read as German postcodes, which these could be: { postcodes = "FR" } for another country'

# Said of postcodes that are too short, as spreadsheets leave them
LOST_ZEROS = (
    "some have fewer digits and are read with zeros before: did they lose them? Else they are of other countries"
)

# Said of postcodes whose country is not known
OTHER_COUNTRY = 'codes of which country? { postcodes = "AT" } keeps its areas, "CH", "BE", "DK" and others theirs'
SOME = 10  # up to so many names of things none counts as rare
YEARS = ("a date of birth", "a date that others may know", "a time of a wave or an event that others may know")


def suggest_hierarchy(domain: Domain, about: str | None, stored: Domain | None = None) -> tuple[HierarchyForm, str]:
    """Give a hierarchy and what to say about it, if anything."""
    # It must fit the values as the table holds them, which may be texts that are numbers or days.
    hierarchy, check = _choose_hierarchy(domain, about)
    if stored is not None:
        try:
            hierarchy.bind(stored)
        except HierarchyError:
            hierarchy, check = _choose_hierarchy(stored, about)
    return form_of(hierarchy), check


def _choose_hierarchy(domain: Domain, about: str | None) -> tuple[Hierarchy, str]:
    if by_name := _hierarchy_by_name(domain, about):
        return by_name, _about_country(domain, by_name)
    if known := known_codes(domain, about):
        others = isinstance(known, Classification) and known.others is not None
        return known, "some values are not in the classification: they are one group" if others else ""
    by_day, check = dates_in(domain)
    if by_day is not None:
        return by_day, check
    if are_whole_numbers(domain) and names_things(domain, about):
        return (frequent_for(domain, 0.01, 0.05) if len(domain.values) > SOME else None) or flat(), BY_HAND
    chosen = auto().choose(domain)
    if chosen == mask() and not _are_short_codes(domain):
        chosen = frequent_for(domain, 0.01, 0.05) or flat()
    if isinstance(chosen, Intervals) and (chosen.bottom, chosen.top) != (None, None):
        return chosen, UNEVEN
    by_hand = isinstance(chosen, Frequent) or (isinstance(chosen, Flat) and len(domain.values) > 4)
    return chosen, BY_HAND if by_hand else ""


def _hierarchy_by_name(domain: Domain, about: str | None) -> Hierarchy | None:
    """Choose what people are used to, where the name says what the column is about."""
    if about == "an age" and _lies_in(domain, 0, 130):
        return intervals(5, 10, 20, top=90)
    if about in YEARS and _lies_in(domain, 1800, 2100):
        return intervals(5, 10, 20)
    if about not in {"a postcode", "postcodes"}:
        return None
    return postcodes_in(domain) or (mask() if _are_short_codes(domain) else None)


def _about_country(domain: Domain, found: Hierarchy) -> str:
    if isinstance(found, Postcodes):
        lost = domain.kind == "number" and _share_too_short(domain, found.country) > 0
        return LOST_ZEROS if lost else WHICH_COUNTRY if is_guess(domain) else ""
    lengths = {len(str(text)) for text in domain.texts[: len(domain.values)]}
    return OTHER_COUNTRY if isinstance(found, Mask) and lengths != {5} and len(domain.values) > 1 else ""


def _lies_in(domain: Domain, low: int, high: int) -> bool:
    values = domain.values
    return are_whole_numbers(domain) and low <= values[0] <= values[-1] <= high and values[-1] - values[0] > APART


def _are_short_codes(domain: Domain) -> bool:
    return (domain.kind == "text" or are_whole_numbers(domain)) and max(
        map(len, map(str, domain.values)), default=0
    ) <= LONG


# Trees of values that go with the same others in a table: for names of which nothing else is known.

FEWEST, MOST_IN_A_TREE = 5, 300  # so many values a column needs for a tree, and may have
COLUMNS, BINS = 12, 16  # values are compared by so many other columns at most, each in so many parts


def trees_of(census: Census, names: Sequence[str]) -> dict[str, Tree]:
    """Build the trees of some columns from the joint counts with the other quasi-identifiers."""
    # Confidential columns are not looked at: what is published must not say whose values go with which disease.
    domains = {name: census.domains[name] for name in names if census.domains[name].kind in {"text", "number"}}
    names = [name for name, domain in domains.items() if FEWEST <= len(domain.values) <= MOST_IN_A_TREE]
    compared = census.quasi[: COLUMNS + 1] if names else ()  # one of them may be the column itself
    codes = dict(zip(census.quasi, census.codes, strict=True))
    parts = {name: _part_of_code(census.domains[name]).take(codes[name]) for name in compared}
    counts = census.counts if (census.counts != 1).any() else None
    width, trees = BINS + 1, {}
    for name in names:
        domain, rows = domains[name], codes[name].astype(np.int64) * width
        beside = [parts[other] for other in compared if other != name][:COLUMNS]
        # How often each value stands beside each part of the other columns.
        counted = (np.bincount(rows + other, counts, len(domain) * width).reshape(-1, width) for other in beside)
        tree = similarity_tree(domain, [np.rint(one).astype(np.int64)[: len(domain.values)] for one in counted])
        if tree is not None:
            trees[name] = tree
    return trees


def _part_of_code(domain: Domain) -> npt.NDArray[np.uint8]:
    """Give the part of each code: neighbours with about as many rows where values have an order, else frequent ones."""
    counts, known = domain.counts.astype(np.int64), len(domain.values)
    result = np.full(len(counts), BINS, dtype=np.int64)  # a missing value is a part of its own
    if known <= BINS:
        result[:known] = np.arange(known)
    elif domain.kind == "text":
        frequent = np.argsort(-counts[:known], kind="stable")[: BINS - 1]
        result[:known] = BINS - 1
        result[frequent] = np.arange(len(frequent))
    else:
        before = np.cumsum(counts[:known]) - counts[:known]
        result[:known] = np.minimum(before * BINS // max(int(counts[:known].sum()), 1), BINS - 1)
    return result.astype(np.uint8)


def ladder_files(plan: Path, names: Sequence[str]) -> dict[str, Path]:
    """Say in which file beside a plan the tree of each column is kept: names made safe, none twice."""
    folder, taken, files = plan.with_name(f"{plan.stem}-ladders"), set[str](), {}
    for name in names:
        safe = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:60] or "column"
        number, unique = 1, f"{safe}_column" if _RESERVED.fullmatch(safe) else safe
        while unique.casefold() in taken:
            number += 1
            unique = f"{safe}-{number}"
        taken.add(unique.casefold())
        files[name] = folder / f"{unique}.csv"
    return files


_RESERVED = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)


def write_trees(
    trees: Mapping[str, Tree],
    files: Mapping[str, Path],
    *,
    force: bool,
    plan: Mapping[Path, str] = MappingProxyType({}),
) -> None:
    """Write trees, and last the text of the plan that names them: all or none, and none if one may not be replaced."""
    for target in plan:
        check_target(target, force=force)
    folders = {file.parent for file in files.values() if not file.parent.exists()}
    try:
        for folder in folders:
            folder.mkdir(exist_ok=True)
        with atomic_paths([*(files[name] for name in trees), *plan], force=force) as parts:
            for part, tree in zip(parts[: len(trees)], trees.values(), strict=True):
                with part.open("w", encoding="utf-8", newline="") as file:
                    write_csv(tree, file)
            for part, text in zip(parts[len(trees) :], plan.values(), strict=True):
                part.write_text(text, encoding="utf-8", newline="\n")
    finally:
        for folder in folders:
            with suppress(OSError):  # it is used
                folder.rmdir()
