"""What the words in a column's name say about it: topics in many languages, names cut into words."""

from __future__ import annotations

import itertools
import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

TopicRole = Literal["identifier", "quasi", "sensitive", "household", "weight", "none"]

# From so many letters on a word that is asked for is found inside of another one too, as German builds them.
COMPOUND = 6
PHRASE = 4  # so many words make the longest phrase
CODEBOOK = 3  # so many names of a letter and a number are those of one codebook; fewer are like them by chance
TINY = 2  # words of so few letters mean many things: beside others they say less
DOUBTFUL = 0.5  # so much of a name counts as known at most that was cut into short pieces
OF_PEOPLE = 2.0  # so much less count people before another word: the age of a victim is an age
HEAD = 2.0  # so much more counts a place before a word of OF, or at the end of a name
# Of words of two letters only these are found inside of others.
GLUED = frozenset({"hh", "ed", "bp", "yr", "wt", "ht", "dx", "hs", "nb"})
# A letter before a short word: the logarithm of, the number of, whether or not, years of, exactly.
PREFIXES = frozenset({"l", "n", "d", "y", "x"})
# What stands before these words is what a name is about: the county of a conviction is a county.
OF = frozenset({"of", "de", "du", "des", "di", "del", "da", "do", "van", "der"})
# Letters that are not made of another one and an accent.
LETTERS = str.maketrans({
    "ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ł": "l", "Ł": "L", "đ": "d", "ð": "d",
    "þ": "th", "\N{LATIN SMALL LETTER DOTLESS I}": "i",
})  # fmt: skip


@cache
def read_toml(file: str) -> dict[str, Any]:
    return tomllib.loads(resources.files("incrowd.plan.suggestion").joinpath(file).read_text(encoding="utf-8"))


@cache
def word_list(table: str, name: str) -> tuple[str, ...]:
    """Give the words of a list in their order; where commas stand between, an entry may have several."""
    text = read_toml("lists.toml")[table][name]
    return tuple(" ".join(word.split()) for word in (text.split(",") if "," in text else text.split()))


@cache
def word_set(table: str, name: str) -> frozenset[str]:
    return frozenset(word for entry in word_list(table, name) for word in tokens_of(entry))


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that columns are often about."""

    about: str  # what, in a few words
    # The role that such a column usually has; ``household`` and ``weight`` are numbers that are not published
    role: TopicRole
    strength: float  # which topic counts if a name has words of several
    subject: str | None = None  # what a table is about that has many such columns
    sure: bool = True  # whether it nearly always has that role
    values: str | None = None  # the values that such a column has, if only they make it one
    alone: bool = False  # whether the word counts only where it is the whole name
    sensitive_in: tuple[str, ...] = ()  # the subjects of tables in which a weak word is confidential


@dataclass(frozen=True, slots=True)
class TopicMatch:
    """A topic in a name: how strongly, how much of the name speaks of it, and how much is known at all."""

    topic: Topic
    weight: float
    covered: float
    known: float


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All words: whole ones and phrases, beginnings and endings of words."""

    phrases: Mapping[tuple[str, ...], tuple[Topic, ...]]
    stems: Mapping[str, tuple[Topic, ...]]
    endings: Mapping[str, tuple[Topic, ...]]

    def topics(self, words: tuple[str, ...]) -> tuple[Topic, ...]:
        """Say what a phrase is about; a single word also by its longest known beginning."""
        exact = self.phrases.get(words, ())
        if len(words) > 1 or any(topic.values is None for topic in exact):
            return exact
        beginnings = (words[0][:length] for length in range(len(words[0]), 2, -1))
        stem = next((self.stems[stem] for stem in beginnings if stem in self.stems), ())
        return (*exact, *(topic for topic in stem if topic not in exact))

    def topics_by_parts(self, words: tuple[str, ...]) -> tuple[Topic, ...]:
        """Say what a phrase is about; a single word that is not in the list also by its beginning and its ending."""
        found = self.topics(words)
        if len(words) > 1 or words in self.phrases:
            return found
        ends = (words[0][cut:] for cut in range(1, len(words[0]) - 1))
        ending = next((self.endings[end] for end in ends if end in self.endings), ())
        return (*found, *(topic for topic in ending if topic not in found))

    def speaks(self, word: str) -> bool:
        """Whether a word alone says what a column is."""
        return any(topic.strength >= 3 for topic in self.topics((word,)))

    def knows(self, word: str) -> bool:
        return (word,) in self.phrases


@cache
def vocabulary() -> Vocabulary:
    """Read the list of words, once."""
    phrases: dict[Any, dict[Topic, None]] = defaultdict(dict)
    stems: dict[Any, dict[Topic, None]] = defaultdict(dict)
    endings: dict[Any, dict[Topic, None]] = defaultdict(dict)
    for entry in read_toml("words.toml")["topic"]:
        said = {name: value for name, value in entry.items() if name != "words"}
        topic = Topic(**{**said, "sensitive_in": tuple(said.get("sensitive_in", ()))})
        for written in filter(None, map(str.strip, entry["words"].replace("\n", ",").split(","))):
            parts = tokens_of(written)
            if written.startswith("*"):
                endings[parts[0]][topic] = None
            elif written.endswith("*") and len(parts) == 1:
                stems[parts[0]][topic] = None
            else:
                phrases[parts][topic] = None
            if len(parts) > 1 and all(part.isalpha() and part.isascii() for part in parts):
                phrases["".join(parts),][topic] = None
    return Vocabulary(*({key: tuple(found) for key, found in one.items()} for one in (phrases, stems, endings)))


def topics_of(name: str) -> list[TopicMatch]:
    """Say what a column could be about by its name, the strongest first."""
    tokens = tokens_of(name)
    if is_question_number(name) and not vocabulary().topics(tokens[:2]):
        return []  # its letters say nothing
    cut = tuple(piece for token in tokens for piece in pieces_of(token))
    best: dict[Topic, TopicMatch] = {}
    for found in (*_phrases_in(cut, glued=cut != tokens), *(_phrases_in(tokens) if cut != tokens else ())):
        if found.topic not in best or found.weight > best[found.topic].weight:
            best[found.topic] = found
    return sorted(best.values(), key=lambda one: (-one.weight, one.topic.about))


def meaningless_names(names: Iterable[str]) -> frozenset[str]:
    """Give the names of a letter and a number that say nothing: most of the same letter are in no codebook."""
    groups: dict[str, dict[str, bool]] = defaultdict(dict)
    for name in names:
        tokens = tokens_of(name)
        if is_question_number(name) and len(tokens[0]) == 1:
            groups[tokens[0]][name] = bool(vocabulary().topics(tokens[:2]))
    known = {letter: sum(group.values()) for letter, group in groups.items()}
    unknown = (group for letter, group in groups.items() if known[letter] < max(CODEBOOK, len(group) / 2))
    return frozenset(name for group in unknown for name in group)


def topic_of(name: str) -> Topic | None:
    """Say what a column is about by its name alone, whatever its values."""
    return next((found.topic for found in topics_of(name) if found.topic.values is None), None)


def fit_of(name: str, phrase: str) -> int:
    """Say how well a word or phrase fits a name: the longer the better, 0 if it does not."""
    tokens = tokens_of(name)
    spaced, joined, written = f" {' '.join(tokens)} ", "".join(tokens), phrase.replace(" ", "")
    if f" {phrase} " in spaced or written == joined:
        return 2 * len(written) + 1
    return 2 * len(written) if len(written) >= COMPOUND and written in joined else 0


def _phrases_in(words: tuple[str, ...], *, glued: bool = False) -> Iterator[TopicMatch]:
    """Find the phrases of a name, and how much of its letters each covers; short pieces of glued words say less."""
    known = vocabulary()
    letters = max(sum(map(len, filter(str.isalpha, words))), 1)
    share = sum(len(word) for word in words if word.isalpha() and known.topics((word,))) / letters
    unknown = glued and any(len(word) > 1 and word.isupper() for word in words)
    for start, end in itertools.combinations(range(len(words) + 1), 2):
        phrase, length = words[start:end], sum(map(len, words[start:end]))
        known_piece = phrase[0] in GLUED
        if end - start > PHRASE or (unknown and length <= len("die") and not known_piece):
            continue  # a few letters of a longer word that nobody knows
        covered = sum(map(len, filter(str.isalpha, phrase))) / letters
        is_tiny = len(words) > 1 and length <= TINY and phrase[0].isascii() and not known_piece
        is_owner = len(phrase) == 1 and end < len(words) and phrase[0] in word_set("names", "people")
        # A name is about what ends here: ``county of conviction``, ``property area``.
        is_head = words[end] in OF if end < len(words) else words[-1] in word_set("names", "places")
        said = min(max(share, covered), DOUBTFUL if glued and length < 5 else 1)
        for topic in known.topics_by_parts(phrase):
            if topic.strength and not (topic.alone and covered < 1):
                head = HEAD if topic.about == "a place" and is_head else 0
                weight = topic.strength + 0.3 * (end - start - 1) + covered + head - OF_PEOPLE * is_owner
                yield TopicMatch(topic, weight - (is_tiny and topic.about == "health"), covered, said)


def is_question_number(name: str) -> bool:
    """Whether a name is the number of a question, of which nobody can say what it is about."""
    found = re.fullmatch(r"_?([A-Za-z]{1,3})(?:\d{3,}|0\d+)\w?(?:_\w{0,4})?", name)
    return found is not None and (len(found[1]) < 3 or not vocabulary().topics((found[1].lower(),)))


@cache
def tokens_of(name: str) -> tuple[str, ...]:
    """Cut a name into words: small letters, no accents, numbers apart; ``dateOfBirth`` is three words."""
    plain = unicodedata.normalize("NFKD", name.translate(LETTERS))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    plain = re.sub(
        r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[a-z]{2})(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})", " ", plain
    ).lower()
    return tuple(re.findall(r"[a-z]+|[0-9]+|[^\W\d_a-z]+", plain))


@cache
def pieces_of(token: str) -> tuple[str, ...]:
    """Cut a glued word into known ones, where nearly all of it is known: ``hhninc`` is ``hh``, ``n``, ``inc``."""
    known = vocabulary()
    if not token.isalpha() or known.topics((token,)) or (len(token) < 4 and token.isascii()):
        return (token,)
    if not token.isascii():
        return _cut_from_the_end(token)
    found = _cut_word(token)
    words = [piece for piece in found if piece.islower()]
    unknown = len(token) - sum(map(len, words))
    long = [piece for piece in words if len(piece) >= 4 and known.speaks(piece)]
    longest = max(map(len, long), default=0)
    if unknown == 0 or longest >= 6 or (longest and 3 * unknown <= len(token)):
        return found
    if long and long[0] == found[0] and unknown <= 3:
        return found
    if unknown == 1 and (long or found[0].lower() in PREFIXES):
        return found
    return (token,)


def _cut_from_the_end(token: str) -> tuple[str, ...]:
    """Cut a word of a script without blanks into the longest known ones, the last first: it says what a name is."""
    known, rest, found = vocabulary(), token, list[str]()
    while rest:
        piece = next((rest[cut:] for cut in range(len(rest)) if known.knows(rest[cut:])), rest[-1])
        found.append(piece)
        rest = rest[: len(rest) - len(piece)]
    return tuple(reversed(found))


def _cut_word(token: str) -> tuple[str, ...]:
    """Find the cut that leaves fewest letters unknown, then the fewest pieces; what is unknown is in capitals."""
    known = vocabulary()
    best: list[tuple[float, tuple[str, ...]]] = [(0.0, ())]
    for end in range(1, len(token) + 1):
        cost, cut = best[end - 1]
        letter = token[end - 1].upper()
        options = [(cost + 2, (*cut[:-1], cut[-1] + letter) if cut and cut[-1].isupper() else (*cut, letter))]
        for start in range(max(end - 20, 0), end - 1):
            piece = token[start:end]
            if (piece in GLUED or len(piece) > 2) and (
                known.knows(piece) or (len(piece) > 4 and known.topics((piece,)))
            ):
                short = 0.9 if len(piece) == 2 else 0
                options.append((best[start][0] + 1 + short - 0.02 * len(piece) ** 2, (*best[start][1], piece)))
        best.append(min(options, key=lambda option: (option[0], len(option[1]), option[1])))
    return best[-1][1]
