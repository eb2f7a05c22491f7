"""Names of people and of towns recognised among the values, whatever a column is called."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from incrowd.core import Domain
from incrowd.hierarchies import MOST, sample_of_texts
from incrowd.plan.suggestion._words import read_toml, tokens_of

ENOUGH = 5  # so many different names are needed: fewer are words by chance
USUAL = 0.3  # so large a share of the names of people holds a usual one
ALONE = 0.7  # so large a share of given names must be usual, where they stand alone
TOWNS = 0.3  # so large a share of towns is known by its name, and twice as many by how it begins or ends, too
SAMPLE = 200  # so many values are looked at, evenly spaced: names are told by their words, one by one
WORDS = range(2, 5)  # a full name has so many words, titles aside
EAST_ASIAN = r"[\u3400-\u9fff\uac00-\ud7a3]"


@cache
def _known_words(part: str) -> frozenset[str]:
    return frozenset(read_toml("proper_names.toml")[part].split())


@cache
def _town_names() -> frozenset[tuple[str, ...]]:
    return frozenset(tokens_of(town) for town in read_toml("proper_names.toml")["towns"].split(",")) - {()}


def are_people(domain: Domain) -> bool:
    """Whether most values are names of people: full ones, with a title, or given names alone."""
    texts = _names_in(domain)
    if len(texts) < ENOUGH:
        shaped = all(_is_full(text) and len(tokens_of(text)) > 1 for text in texts)
        return len(texts) > 0 and shaped and 2 * sum(map(_is_surely_one, texts)) >= len(texts)
    if _share_that_holds(texts, _is_east_asian) >= ALONE:
        return True
    given, titles = _known_words("given"), _known_words("titles")
    full = [text for text in texts if _is_full(text)]
    if len(full) >= MOST * len(texts):
        usual = sum(not given.isdisjoint(tokens_of(text)) for text in full)
        titled = sum(not titles.isdisjoint(tokens_of(text)[:2]) and len(tokens_of(text)) > 1 for text in texts)
        if usual >= USUAL * len(full) or titled >= MOST * len(texts) or _share_that_holds(texts, _has_initial) >= MOST:
            return True
    return _share_that_holds(texts, lambda text: len(tokens_of(text)) == 1 and tokens_of(text)[0] in given) >= ALONE


def _is_surely_one(text: str) -> bool:
    """Whether a title, a letter with a dot or a usual given name makes a text the name of a person."""
    words = tokens_of(text)
    given = words[-1] if "," in text else words[0]
    beginning = re.match(r"[^\W\d_]\. ?[^\W\d_]{2}", text)
    return words[0] in _known_words("titles") or given in _known_words("given") or beginning is not None


def could_be_people(domain: Domain) -> bool:
    """Whether values have the form of full names and are many: the column's name has to say so."""
    texts = _names_in(domain)
    return len(texts) > 2 * ENOUGH and _share_that_holds(texts, _is_full) >= MOST


def are_towns(domain: Domain) -> bool:
    """Whether a good part of the values is known as towns, or begins or ends as towns do."""
    texts = _names_in(domain)
    if len(texts) < ENOUGH:
        return False
    share = _share_that_holds(texts, lambda text: _main_words(text) in _town_names())
    return share >= TOWNS or (share >= TOWNS / 3 and _share_that_holds(texts, _is_like_a_town) >= 2 * TOWNS)


def _main_words(text: str) -> tuple[str, ...]:
    """Give the words of a name without what comes after a comma, a bracket or a slash."""
    return tokens_of(re.split(r"[,(/;]", text)[0])


def _is_like_a_town(text: str) -> bool:
    words, endings = _main_words(text), (*_known_words("town_endings"),)
    if words in _town_names() or (len(words) > 1 and words[0] in _known_words("town_beginnings")):
        return True
    return any(word.endswith(endings) and len(word) > 5 for word in words)


def _is_full(text: str) -> bool:
    """Whether a text is two to four words with capitals, as names of people are written; a title may come before."""
    words = [word.strip(".,") for word in text.split()]
    words = [word for word in words if word.lower() not in _known_words("titles") or not word]
    titled = len(words) < len(text.split())
    if not _known_words("institutions").isdisjoint(map(str.lower, words)):
        return False
    small = sum(not word[:1].isupper() for word in words)
    return (
        (len(words) in WORDS or (titled and len(words) == 1))
        and small <= max(len(words) - 2, 0)
        and all(re.fullmatch(r"[^\W\d_]+(?:['\u2019.-][^\W\d_]*)*", word) for word in words)
    )


def _has_initial(text: str) -> bool:
    """Whether a letter with a dot is before or after another word: J. Smith, Smith J."""
    return re.search(r"(?:^|[ .])[^\W\d_]\.(?: |$)", text) is not None and len(tokens_of(text)) > 1


def _is_east_asian(text: str) -> bool:
    """Whether a text is a family name of East Asia and one or two or three letters more."""
    name = re.sub(r"[\s　]", "", text)
    if re.fullmatch(rf"{EAST_ASIAN}{{2,5}}", name) is None:
        return False
    return name.startswith((*_known_words("family_japanese"), *_known_words("family_chinese")))


def _names_in(domain: Domain) -> Sequence[str]:
    """Give some values, if they are text and hardly any has a digit."""
    texts = [text.strip() for text in sample_of_texts(domain, SAMPLE) if text.strip()]
    digits = sum(any(map(str.isdigit, text)) for text in texts)
    return texts if 10 * digits <= len(texts) else []


def _share_that_holds(texts: Sequence[str], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, texts)) / len(texts)
