"""Names of people and of towns among the values, whatever a column is called: they say more than its name."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from incrowd.core import Domain
from incrowd.hierarchies import MOST, sample_of_texts
from incrowd.plan.suggestion._words import tokens_of

ENOUGH = 5  # so many different names are needed: fewer are words by chance
USUAL = 0.3  # so large a share of the names of people holds a usual one
ALONE = 0.7  # so large a share of given names must be usual, where they stand alone
TOWNS = 0.3  # so large a share of towns is known by its name, and twice as many by how it begins or ends, too
SAMPLE = 200  # so many values are looked at, evenly spaced: names are told by their words, one by one
WORDS = range(2, 5)  # a full name has so many words, titles aside

EAST_ASIAN = r"[\u3400-\u9fff\uac00-\ud7a3]"


@dataclass(frozen=True, slots=True)
class ProperNames:
    """Usual names of people and towns, and the words that come with them."""

    given: frozenset[str]
    titles: frozenset[str]
    institutions: frozenset[str]
    family: tuple[str, ...]
    towns: frozenset[tuple[str, ...]]
    endings: tuple[str, ...]
    beginnings: frozenset[str]


@cache
def proper_names() -> ProperNames:
    """Read the list of names, once."""
    text = resources.files("incrowd.plan.suggestion").joinpath("proper_names.toml").read_text(encoding="utf-8")
    read = tomllib.loads(text)
    family = f"{read['family_japanese']} {read['family_chinese']}".split()
    towns = frozenset(tokens_of(town) for town in read["towns"].split(","))
    given, titles, institutions, beginnings = (
        frozenset(read[part].split()) for part in ("given", "titles", "institutions", "town_beginnings")
    )
    endings = tuple(read["town_endings"].split())
    return ProperNames(given, titles, institutions, tuple(family), towns - {()}, endings, beginnings)


def are_people(domain: Domain) -> bool:
    """Whether most values are names of people: full ones, with a title, or given names alone."""
    texts = _names_in(domain)
    if len(texts) < ENOUGH:
        return len(texts) > 0 and all(map(_names_one, texts)) and 2 * sum(map(_is_surely_one, texts)) >= len(texts)
    if _share(texts, _is_east_asian) >= ALONE:
        return True
    known = proper_names()
    full = [text for text in texts if _is_full(text)]
    usual = sum(not known.given.isdisjoint(tokens_of(text)) for text in full)
    titled = sum(not known.titles.isdisjoint(tokens_of(text)[:2]) and len(tokens_of(text)) > 1 for text in texts)
    if len(full) >= MOST * len(texts) and (usual >= USUAL * len(full) or titled >= MOST * len(texts)):
        return True
    if len(full) >= MOST * len(texts) and _share(texts, _has_initial) >= MOST:
        return True
    return _share(texts, lambda text: len(tokens_of(text)) == 1 and tokens_of(text)[0] in known.given) >= ALONE


def _names_one(text: str) -> bool:
    """Whether a text has the form of a full name, or of a family name after a title or a letter with a dot."""
    return _is_full(text) and len(tokens_of(text)) > 1


def _is_surely_one(text: str) -> bool:
    """Whether a title, a letter with a dot or a usual given name makes a text the name of a person."""
    known, words = proper_names(), tokens_of(text)
    given = words[-1] if "," in text else words[0]
    beginning = re.match(r"[^\W\d_]\. ?[^\W\d_]{2}", text)
    return words[0] in known.titles or given in known.given or beginning is not None


def could_be_people(domain: Domain) -> bool:
    """Whether values have the form of full names and are many: the column's name has to say so."""
    texts = _names_in(domain)
    return len(texts) > 2 * ENOUGH and _share(texts, _is_full) >= MOST


def are_towns(domain: Domain) -> bool:
    """Whether a good part of the values is known as towns, or begins or ends as towns do."""
    texts = _names_in(domain)
    if len(texts) < ENOUGH:
        return False
    known = proper_names().towns
    share = _share(texts, lambda text: _main(text) in known)
    return share >= TOWNS or (share >= TOWNS / 3 and _share(texts, _sounds_of_a_town) >= 2 * TOWNS)


def _main(text: str) -> tuple[str, ...]:
    """Give the words of a name without what comes after a comma, a bracket or a slash."""
    return tokens_of(re.split(r"[,(/;]", text)[0])


def _sounds_of_a_town(text: str) -> bool:
    known, words = proper_names(), _main(text)
    if not words:
        return False
    if words in known.towns or (len(words) > 1 and words[0] in known.beginnings):
        return True
    return any(word.endswith(known.endings) and len(word) > 5 for word in words)


def _is_full(text: str) -> bool:
    """Whether a text is two to four words with capitals, as names of people are written; a title may come before."""
    known = proper_names().titles
    words = [word.strip(".,") for word in text.split()]
    words = [word for word in words if word.lower() not in known or not word]
    titled = len(words) < len(text.split())
    plain = len(words) in WORDS or (titled and len(words) == 1)
    small = sum(not word[:1].isupper() for word in words)
    if not proper_names().institutions.isdisjoint(map(str.lower, words)):
        return False
    return (
        plain
        and small <= max(len(words) - 2, 0)
        and all(re.fullmatch(r"[^\W\d_]+(?:['\u2019.-][^\W\d_]*)*", word) for word in words)
    )


def _has_initial(text: str) -> bool:
    """Whether a letter with a dot is before or after another word: J. Smith, Smith J."""
    return re.search(r"(?:^|[ .])[^\W\d_]\.(?: |$)", text) is not None and len(tokens_of(text)) > 1


def _is_east_asian(text: str) -> bool:
    """Whether a text is a family name of East Asia and one or two or three letters more."""
    plain = re.sub(r"[\s　]", "", text)
    return re.fullmatch(rf"{EAST_ASIAN}{{2,5}}", plain) is not None and plain.startswith(proper_names().family)


def _names_in(domain: Domain) -> Sequence[str]:
    """Give some values, if they are text and hardly any has a digit."""
    texts = [text.strip() for text in sample_of_texts(domain, SAMPLE) if text.strip()]
    digits = sum(any(map(str.isdigit, text)) for text in texts)
    return texts if 10 * digits <= len(texts) else []


def _share(texts: Sequence[str], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, texts)) / len(texts)
