"""Which role one column probably has: by its name, its values, and what the table is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from incrowd.core import Domain
from incrowd.evidence import ColumnProfile
from incrowd.hierarchies import FEW_RECORDS, are_numbers, is_free_text, pattern_of
from incrowd.plan.suggestion._answers import (
    are_bands,
    are_scores,
    averages_one,
    could_be_of_a_body,
    is_grading,
    is_of_a_body,
    is_of_a_child,
    is_opinion,
    is_rating,
    is_scale,
)
from incrowd.plan.suggestion._codes import Codes, are_years, codes_in, fits_topic, likeness_to_account_numbers, words_in
from incrowd.plan.suggestion._days import could_say_when, says_when
from incrowd.plan.suggestion._proper_names import are_people, are_towns
from incrowd.plan.suggestion._words import TopicMatch, is_question_number, topics_of

SuggestedRole = Literal["identifier", "quasi", "sensitive", "insensitive", "drop"]


FEW = 12  # so many values are an attribute, not a number that stands for a person
# What the list of words calls numbers that stand for somebody
NUMBERS = ("a number that stands for a person or a record", "a number of a record")
LONG_NUMBER = 10**9  # whole numbers from this on of which each occurs once count nothing: they stand for somebody
NAME = "a person's name"  # what the list of words calls names: however few of them a table holds, they name somebody
# What a table is about in which five of nine columns with a telling name are confidential
MOSTLY = "mostly confidential things"
# What a table is about in which three of four columns with a telling name are confidential
CLEARLY = "clearly confidential things"
# Values that say when something happened: never published as they are, whatever it was
TIMES = ("dates", "months", "times of the day")
# Values that say where somebody lives: others know that, whatever the column is called
PLACES = ("postcodes", "codes of regions (NUTS)", "coordinates", "states of the USA", "countries")
MEASURED = "measured bodies"  # what a table is about that has heights: its weights are those of bodies
BODIES = ("height", "something seen of a body", "body weight")  # what is measured of bodies
OPINIONS = "opinions or feelings"  # what answers to questions are about
# In tables about these a column whose name says nothing is more probably of their kind than one that others know
ABOUT = ("health", "crime", "belief", "money")
SEXES = 6  # more numbers than these are no sexes
SURVEY = 5.0  # a name of this strength is that of a survey weight, and never of a body's
SPEAKS = 3.0  # from this strength on a word says what a column is, whatever else the name holds


@dataclass(frozen=True, slots=True)
class RoleGuess:
    """A role, why, and whether a person should look at it before anything is published."""

    role: SuggestedRole  # the role
    reason: str  # why, in a few words. Holds no value of the table
    sure: bool  # whether it is nearly certain
    about: str | None = None  # what the column is about, if its name or its values say so
    # What a number stands for, if it is one: a person, a household, or how many people a record speaks for
    stands_for: Literal["record", "household", "weight"] | None = None


@dataclass(frozen=True, slots=True)
class Clues:
    """All that is known of one column before it is compared with others."""

    column: ColumnProfile
    domain: Domain
    topics: Sequence[TopicMatch]

    @property
    def nearly_unique(self) -> bool:
        return self.column.records >= FEW_RECORDS and self.column.share_alone >= 0.9

    @property
    def few(self) -> bool:
        """Whether there are so few values that they cannot stand for people."""
        return self.column.records >= 5 * FEW and self.column.distinct <= FEW

    @property
    def whole(self) -> bool:
        return self.domain.kind == "number" and self.domain.values.dtype.kind == "i"

    @property
    def is_coded(self) -> bool:
        """Whether a word of the name is that of a number which stands for somebody."""
        return any(one.topic.about in NUMBERS for one in self.topics)


def clues_of(column: ColumnProfile, domain: Domain, *, named: bool = True) -> Clues:
    """Read the name, if it is more than a number, and keep of what it says what fits the values."""
    if not named:
        return Clues(column, domain, [])
    impossible = {"a place"} if is_grading(domain) else set()
    if domain.kind == "number" and len(domain.values) > SEXES:
        impossible.add("a sex or gender")
    fitting = (one for one in topics_of(column.name) if fits_topic(domain, one.topic.values))
    return Clues(column, domain, [one for one in fitting if one.topic.about not in impossible])


def subjects_of(columns: Iterable[Clues]) -> frozenset[str]:
    """Say what a table is about: health, money, crime, belief, marks or mostly confidential things."""
    named = [clues.topics for clues in columns if clues.topics]
    counts, roles = Counter[str](), Counter[str]()
    for topics in named:
        counts.update({one.topic.subject for one in topics if one.topic.subject and one.topic.strength > SPEAKS})
        roles[topics[0].topic.role] += topics[0].topic.strength > SPEAKS - 1
    found = {subject for subject, count in counts.items() if count >= 2 and 4 * count >= len(named)}
    secret, telling = roles["sensitive"], roles["sensitive"] + roles["quasi"]
    bodies = any(one.topic.about in BODIES for topics in named for one in topics[:1])
    told = {
        MOSTLY: secret >= 2 and 9 * secret >= 5 * telling,
        CLEARLY: secret >= 2 and 4 * secret >= 3 * telling,
        MEASURED: bodies,
    }
    return frozenset(found | {what for what, holds in told.items() if holds})


def guess_role(clues: Clues, subjects: frozenset[str]) -> RoleGuess:
    """Guess the role of one column; whoever knows the table decides."""
    codes = codes_in(clues.domain)
    return _by_account_number(clues, codes, next(filter(None, _guesses_in_turn(clues, codes, subjects))))


def _guesses_in_turn(clues: Clues, codes: Codes | None, subjects: frozenset[str]) -> Iterator[RoleGuess | None]:
    """Ask in turn what says most: values that name somebody, dates, numbers of people, the name, codes, the rest."""
    if clues.column.records and not len(clues.domain.values):
        yield RoleGuess("drop", "empty", sure=False)
    yield _by_pattern(clues)
    if codes is not None and codes.about in TIMES:
        about = clues.topics[0].topic.about if clues.topics and clues.topics[0].topic.role == "quasi" else None
        reason = f"{codes.about}: others know when" if about is None else f"name suggests {about}"
        yield RoleGuess("quasi", reason, sure=True, about=about)
    yield _by_number(clues)
    yield _by_time(clues)
    yield _by_answers(clues)
    yield _by_place(clues, codes)
    yield _by_words_beside_name(clues)
    for found in clues.topics:
        yield _by_name(clues, found, subjects)
    if codes is not None:
        yield RoleGuess(codes.role, f"values look like {codes.about}", codes.sure, codes.about)
    yield from _by_values(clues, subjects)


def _by_pattern(clues: Clues) -> RoleGuess | None:
    """Recognise values that name a person, whatever the column is called."""
    if pattern := pattern_of(clues.domain):
        return RoleGuess("identifier", f"values look like {pattern}", sure=True)
    named = bool(clues.topics) and clues.topics[0].topic.role == "identifier"
    few = clues.column.records >= FEW_RECORDS and clues.column.distinct <= FEW
    if (few or not named) and are_people(clues.domain):
        return RoleGuess("identifier", "values look like names of people", sure=named or not clues.topics, about=NAME)
    if not is_free_text(clues.domain):
        return None
    return RoleGuess("identifier", "free text, can name anybody", sure=named or not clues.topics)


def _by_number(clues: Clues) -> RoleGuess | None:
    """Recognise a number of people: nearly all are different, and a word such as ``id`` is in the name."""
    about = next((one.topic.about for one in clues.topics if one.topic.about in NUMBERS), None)
    if about is None or not clues.nearly_unique or not (clues.whole or clues.domain.kind == "text"):
        return None
    return RoleGuess("identifier", f"name suggests {about}", sure=True, about=about, stands_for="record")


def _by_account_number(clues: Clues, codes: Codes | None, guess: RoleGuess) -> RoleGuess:
    """Give what was guessed, unless something confidential is written as numbers of accounts and files are."""
    # No amount and no measurement is like that, whatever the name says of money, health or crime.
    like = None if guess.role != "sensitive" or codes is not None else likeness_to_account_numbers(clues.domain)
    if like is None or (like == "perhaps" and not guess.sure):
        return guess
    told = "nearly every one occurs once" if clues.nearly_unique else "each in a few rows"
    told = f"could be numbers of accounts or files: {told}"
    if like == "perhaps":
        return replace(guess, reason=f"{guess.reason}, but {told}", sure=False)
    return RoleGuess("identifier", told, sure=like == "surely" and clues.nearly_unique, stands_for="record")


def _by_time(clues: Clues) -> RoleGuess | None:
    """Recognise when something happened: it is never published as it is, because its name sounds of health."""
    name = clues.topics[0].topic if clues.topics else None
    if name is not None and name.role not in {"quasi", "sensitive"}:
        return None
    if says_when(clues.domain) and (name is not None or not (clues.nearly_unique and clues.domain.kind == "text")):
        about = name.about if name is not None and name.role == "quasi" else None
        return RoleGuess("quasi", "values say when something happened", sure=name is not None, about=about or "dates")
    secret = name is not None and name.about != "money" and (name.role == "sensitive" or name.sensitive_in)
    if secret and not clues.is_coded and could_say_when(clues.domain):
        return RoleGuess("quasi", "numbers could count days or seconds: when it happened", sure=False, about="dates")
    return None


def _by_answers(clues: Clues) -> RoleGuess | None:
    """Recognise answers that say what somebody thinks: of cities, too, though these are places."""
    known = clues.topics and clues.topics[0].topic.role != "quasi"
    if known or not is_opinion(clues.domain):
        return None
    return RoleGuess("sensitive", "values are answers about what somebody thinks", sure=False, about=OPINIONS)


def _by_place(clues: Clues, codes: Codes | None) -> RoleGuess | None:
    """Take postcodes, towns and codes of countries for what they are, though the name speaks of something else."""
    role = clues.topics[0].topic.role if clues.topics else None
    other = role == "sensitive" or (role == "identifier" and not clues.nearly_unique)
    if codes is not None and codes.about in PLACES and other:
        return RoleGuess("quasi", f"values look like {codes.about}", codes.sure, codes.about)
    if role in {None, "sensitive"} and are_towns(clues.domain):
        return RoleGuess("quasi", "values look like towns", sure=False, about="a place")
    return None


def _by_words_beside_name(clues: Clues) -> RoleGuess | None:
    """Take what the values speak of where the name means something only in its surroundings, as ``status`` does."""
    if not clues.topics or clues.topics[0].topic.strength >= SPEAKS - 0.5 or clues.topics[0].topic.role != "quasi":
        return None
    return _by_words_in_values(clues)


def _by_words_in_values(clues: Clues) -> RoleGuess | None:
    words = words_in(clues.domain)
    if words is None:
        return None
    return RoleGuess(words.role, f"values speak of {words.about}", sure=False, about=words.about)


def _by_name(clues: Clues, found: TopicMatch, subjects: frozenset[str]) -> RoleGuess | None:
    """Take what a name says, unless the values contradict."""
    topic, reason = found.topic, f"name suggests {found.topic.about}"
    sure = topic.sure and topic.strength >= SPEAKS and found.covered >= 0.3 and found.known >= 0.7
    sure = sure and not _is_doubtful(clues, found)
    match topic.role:
        case "identifier" | "household":
            return _by_identifying_name(clues, found, reason)
        case "weight":
            return _by_weight(clues, found, reason, subjects)
        case "quasi" | "sensitive":
            role: SuggestedRole = topic.role if subjects.isdisjoint(topic.sensitive_in) else "sensitive"
            if topic.role == "quasi" and clues.domain.kind == "text" and clues.nearly_unique:
                return RoleGuess("quasi", f"{reason}, nearly every value occurs once", sure=False, about=topic.about)
            if role == "sensitive" and clues.column.distinct < 2:
                return RoleGuess(role, f"{reason}, {_values_text(clues.column)}", sure=False, about=topic.about)
            return RoleGuess(role, reason, sure, topic.about)
        case _:
            return None


def _is_doubtful(clues: Clues, found: TopicMatch) -> bool:
    """Whether a confidential name is that of a code, too, or as much of it speaks of something that others know."""
    if found.topic.role != "sensitive":
        return False
    known = (one for one in clues.topics if one.topic.role == "quasi" and one.topic.strength >= SPEAKS)
    return clues.is_coded or any(one.covered >= max(found.covered, 0.3) for one in known)


def _by_identifying_name(clues: Clues, found: TopicMatch, reason: str) -> RoleGuess | None:
    """Tell a number or a name that stands for somebody from a code with a few values."""
    topic = found.topic
    records, distinct = clues.column.records, clues.column.distinct
    names = topic.about == NAME and clues.domain.kind == "text" and distinct > 2
    could_count = records < FEW_RECORDS or (distinct > FEW and 50 * distinct >= records)
    if not names and (clues.few or (topic.strength < SPEAKS and not could_count)):
        return None  # a weak name such as nr counts people only if its values are many, none of them far more often
    if clues.domain.kind == "boolean" or (clues.domain.kind == "number" and not clues.whole):
        return None
    stands_for: Literal["record", "household"] | None = "household" if topic.role == "household" else None
    stands_for = "record" if topic.about in NUMBERS else stands_for
    repeat = records >= FEW_RECORDS and clues.column.share_alone < 0.5
    reason = f"{reason}, values repeat" if repeat else reason
    return RoleGuess("identifier", reason, not repeat, topic.about, stands_for)


def _by_values(clues: Clues, subjects: frozenset[str]) -> Iterator[RoleGuess]:
    """Guess by the values alone: never certain, and in doubt a column helps to recognise somebody."""
    column, domain, shape = clues.column, clues.domain, f"{clues.column.kind}, {_values_text(clues.column)}"
    each_once = clues.whole and clues.nearly_unique
    if each_once and int(domain.values[-1]) - int(domain.values[0]) + 1 <= 1.2 * len(domain.values):
        yield RoleGuess("identifier", "a running number", sure=False, stands_for="record")
    if each_once and int(domain.values[0]) >= LONG_NUMBER:
        yield RoleGuess("identifier", "long numbers, nearly every one occurs once", sure=False, stands_for="record")
    if column.kind == "text" and clues.nearly_unique:
        yield RoleGuess("identifier", "nearly every value occurs once", sure=False)
    if spoken := _by_words_in_values(clues):
        yield spoken
    if is_scale(domain) or is_grading(domain):
        yield RoleGuess("sensitive", "values are answers of a scale", sure=False, about=OPINIONS)
    if are_bands(domain) or are_scores(domain):
        yield RoleGuess("sensitive", "values say where somebody stands among others", sure=False, about="performance")
    if averages_one(domain):
        yield RoleGuess("drop", "numbers around 1, as survey weights are", sure=False, stands_for="weight")
    if are_years(domain):
        yield RoleGuess("quasi", "values look like years", sure=False)
    about = next((one for one in ABOUT if one in subjects and column.distinct > 1), None)
    if about is not None and not clues.topics and _is_like_the_rest(clues, about, subjects):
        yield RoleGuess("sensitive", f"{shape} in a table about {about}", sure=False)
    yield RoleGuess("quasi", f"nothing tells what it is: {shape}", sure=False)


def _by_weight(clues: Clues, found: TopicMatch, reason: str, subjects: frozenset[str]) -> RoleGuess | None:
    """Tell the weight of a body from one of a survey."""
    domain = clues.domain
    of_child = "health" in subjects and is_of_a_child(domain)
    among_heights = MEASURED in subjects and could_be_of_a_body(domain)
    of_body = is_of_a_body(domain)
    if (MEASURED in subjects and of_body) or (found.topic.strength < SURVEY and (of_body or of_child or among_heights)):
        return RoleGuess("quasi", "name suggests body weight", sure=False, about="body weight")
    if domain.kind != "number":
        return None
    if domain.values[0] < 0:
        return RoleGuess("quasi", "name suggests a change of weight", sure=False, about="body weight")
    return RoleGuess("drop", reason.replace("a weight", "a survey weight"), sure=False, stands_for="weight")


def _is_like_the_rest(clues: Clues, about: str, subjects: frozenset[str]) -> bool:
    """Whether a column without a telling name is probably of the kind that most columns of its table are of."""
    if is_question_number(clues.column.name) or (about != "money" and could_say_when(clues.domain)):
        return False
    measured = are_numbers(clues.domain) and clues.column.distinct > (FEW if about != "money" else 3 * FEW)
    if about == "money":  # fractions, or larger than ages, years and hours ever are
        amounts = clues.domain.kind == "number" and (not clues.whole or bool(clues.domain.values[-1] >= 1_000))
        return measured and amounts
    rated = about == "belief" and is_rating(clues.domain)
    return CLEARLY in subjects or (MOSTLY in subjects and (measured or rated))


def _values_text(column: ColumnProfile) -> str:
    return f"{column.distinct:,} value{'' if column.distinct == 1 else 's'}"
