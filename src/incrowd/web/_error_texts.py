"""Errors in the page's words, without those of programs and plans, and what would help as a click."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from incrowd.core import Hint, Setting
from incrowd.web._choice_texts import SEARCHES

Plain = dict[str, Any]
Found = re.Match[str]

USUAL = {
    "IC101": ("This cannot be done in this way.", "choose something else, or undo the last change."),
    "IC102": ("What was said about the columns does not fit together.", "look at step 2 again."),
    "IC103": ("A column is asked for that the table does not have.", "was the file changed? Open it again in step 1."),
    "IC104": ("This ladder does not fit the column.", "choose another kind of ladder in step 4."),
    "IC105": ("Some values are in no group of the ladder.", "step 4 lists them."),
    "IC106": ("The table cannot be used as it is.", "look in step 1 how the file is read, or choose another file."),
    "IC107": ("The plan cannot be used like this.", "undo the last change."),
    "IC201": ("Nothing can be published that keeps the promise within these limits.", "promise less, or allow more."),
    "IC301": ("The finished table was not what was computed, so nothing was published.", "please report it."),
    "IC302": ("This computer could not do it.", "make room on the disk and in memory, and try again."),
}
"""What is said where an error has no words that belong on a page."""

NAMES = (
    (r"privacy\.max_suppressed(?:_records)?", "The share of people who may be left out"),
    (r"privacy\.promise.*", "The promise"),
    (r"search\.seconds", "The number of seconds that a search may take"),
    (r"search\.measure", "What a search should lose little of"),
    (r"search.*", "The search"),
    (r"columns\.(.+)\.hierarchy\.([a-z_]+)(?:\.\d+)*", r"In the ladder of \1, \2"),
    (r"columns\.(.+)\.hierarchy.*", r"The ladder of \1"),
    (r"columns\.(.+)\.at_most", r"The level that \1 may have at most"),
    (r"columns\.(.+)\.at_least", r"The level that \1 must have at least"),
    (r"columns\.(.+)\.importance", r"The importance of \1"),
    (r"columns\.(.+)\.categories.*", r"The order of secrets in \1"),
    (r"columns\.(.+)\.(?:role|keep|key_file|average)", r"What was said about \1"),
    (r"columns(?:\.(.+))?", r"What was said about the columns"),
    (r"shift\.within", "The number of days that dates are shifted by"),
    (r"shift.*", "How dates are shifted"),
    (r"data\.entity", "The column that says whose row it is"),
    (r"data\.separator", "What stands between values"),
    (r"data\.encoding", "How characters are written"),
    (r"data\.decimal", "What stands before decimals"),
    (r"data\.thousands", "What stands between thousands"),
    (r"data\.dates", "How days are written"),
    (r"data\.header", "Whether the first line names the columns"),
    (r"data\.missing.*", "What means that a value is missing"),
    (r"data.*", "How the table is read"),
    (r"output\.folder", "The folder"),
    (r"output\.format", "The kind of file"),
    (r"output.*", "How the release is written"),
    (r"report\.population", "The number of people that the table was drawn from"),
    (r"report\.valid_until", "The date of the next review"),
    (r"report.*", "What the report says"),
    (r".*", "The plan"),
)
"""What a key of the plan is called on the page."""

TITLES = {"".join(word.capitalize() for word in one["name"].split("-")): one["title"] for one in SEARCHES}
ROLES = {
    "quasi": "could help recognise",
    "sensitive": "confidential",
    "insensitive": "harmless",
    "identifier": "names a person",
    "shifted": "shift the days",
    "drop": "leave out",
}
RECORDS = r"\brecords?\b"  # rows, unless a row is something else
SYNONYMS: tuple[tuple[str, str | Callable[[Found], str]], ...] = (
    (r"\bpip install ('[^']+'|\"[^\"]+\")", "ask whoever installed incrowd to add it"),
    (r"\b(Even )?all ([\d,]+) records in one class break", r"\1all \2 rows in one group break"),
    (r"\bquasi-identifiers\b", "columns that could help recognise somebody"),
    (r"\bquasi-identifier\b", "column that could help recognise somebody"),
    (r"\bsensitive columns?\b", lambda found: found[0].replace("sensitive", "confidential")),
    (r"\bhierarch(y|ies)\b", lambda found: "ladder" if found[1] == "y" else "ladders"),
    (r"\bNo release\b", "No version"),
    (RECORDS, lambda found: found[0].replace("record", "row")),
    (r"\bclass(es)?\b", lambda found: "groups" if found[1] else "group"),
    (r"\bnodes\b", "combinations of levels"),
    (r"\b(?:KAnonymity|LDiversity|\w+Diversity|\w+Closeness|\w+Sensitive|AlphaAssociation)\b", "this promise"),
    (r"\b(?:BetaLikeness|DeltaDisclosure)\b", "this promise"),
    (
        r"\b(LevelsAndCells|CheapestFirst|TopDown|Mondrian|Datafly|Incognito|Samarati|Optimal)\b",
        lambda found: _search(found[1]),
    ),
)
"""Words of the library and the page's words for the same, outside of quotes."""

_VERB = re.compile(r"(?:must|is|has|needs|belongs|asks|does|stands|cannot|may)\b")
_QUOTED = re.compile(r"('[^']*'|\"[^\"]*\")")
_PROMISES = re.compile(r"\b(?:recursive|nt|p-alpha|enhanced|alpha|entropy-l|probabilistic-l)\([^()]*\)")
_FOREIGN = re.compile(
    r"(?<![<>=])=\S|[a-z]_[a-z]|\w\(|\u201d\(|\b[A-Z][a-z]+[A-Z]|(?<![\w-])--\w|[{}`]|\.values\b"
    r"|\b(?:privacy|columns|search|output|report)\.\w"
    r"|\b(?:dict|None|True|False|str|int|float|bool|NoneType|schema|Schema|parameter|census|lattice)\b"
)


def is_foreign(text: str) -> bool:
    """Say whether a text has words of programs; names in quotes and promises are what they are."""
    return _FOREIGN.search(_PROMISES.sub("", _QUOTED.sub("", text))) is not None


@dataclass(frozen=True, slots=True)
class Advice:
    """What is said instead of a message and its hint; ``None`` keeps what is there. And what can be clicked."""

    message: str | None = None
    hint: str | None = None
    repairs: Sequence[Plain] = ()


def change_offer(words: str, body: Plain) -> Plain:
    """Offer a change of the plan, after which the same is tried again."""
    return {"words": words, "change": body, "again": {}, "go": ""}


def retry_offer(words: str, more: Plain) -> Plain:
    """Offer to try the same with something more."""
    return {"words": words, "change": None, "again": more, "go": ""}


def screen_offer(words: str, screen: str) -> Plain:
    """Offer a way to the screen where it can be changed."""
    return {"words": words, "change": None, "again": {}, "go": f"/{screen}"}


def _search(name: str) -> str:
    return f"the search \N{LEFT DOUBLE QUOTATION MARK}{TITLES[name]}\N{RIGHT DOUBLE QUOTATION MARK}"


def _limit(side: str, words: str, column: str) -> Plain:
    return change_offer(words.format(column), {"columns": {column: {side: None}}})


BEST = change_offer(
    "Search for the best version instead",
    {"search": {"algorithm": "optimal", "measure": None, "balance": None, "seconds": None}},
)
TOGETHER = change_offer("Keep equal values together", {"search": {"algorithm": {"name": "mondrian", "strict": True}}})
DROP = change_offer("Leave them out instead of hiding their values", {"privacy": {"suppression": "drop"}})
BARE = retry_offer("The first line is a row like the others", {"header": False})
FORCE = retry_offer("Replace what is in the folder", {"force": True})
LADDERS = screen_offer("Look at the ladders", "coarsen")
PROMISE = screen_offer("Change the promise", "promise")
ENCODINGS = (
    ("utf-8", "UTF-8"),
    ("cp1252", "Windows-1252 (older Excel)"),
    ("latin-1", "Latin-1 (Western Europe)"),
    ("utf-16", "UTF-16"),
)
SIGNS = ((",", "comma ,"), (";", "semicolon ;"), ("\t", "tab"), ("|", "bar |"))
SEPARATORS = [retry_offer(f"Values are separated by: {title}", {"separator": sign}) for sign, title in SIGNS]
SHEETS = 12


def _without_most(limits: Mapping[str, None], message: str) -> Advice:
    (column,) = limits
    repairs = [_limit("at_most", "Let {} become as vague as needed", column)]
    if "cannot be kept" not in message:  # it is what binds
        return Advice(repairs=repairs)
    said = f"This search gives every group levels of its own, so the limit of the column {column} cannot be kept."
    return Advice(said, "search for one level per column, or let the column become as vague as needed.", repairs)


def _without_least(limits: Mapping[str, None], _: str) -> Advice:
    (column,) = limits
    said = f"The column {column} is averaged, and an average has no level."
    return Advice(
        said, "let it be as exact as possible.", [_limit("at_least", "Let {} be as exact as possible", column)]
    )


def _another_search(search: Plain, _: str) -> Advice:
    if search.get("strict"):
        return Advice(hint="let equal values stay together.", repairs=[TOGETHER, BEST])
    known = search["name"] in {"levels-and-cells", "optimal", "mondrian", "cheapest-first"}
    return Advice(hint="choose another search.", repairs=[BEST]) if known else Advice()


def _share_left_out(records: int, message: str) -> Advice:
    """Write a number of records as a share, of which a message says of how many."""
    all_records = re.search(r"of ([\d,]+) records", message)
    tenths = 1000 if all_records is None else -(-records * 1000 // int(all_records[1].replace(",", "")))
    share = {"max_suppressed": f"{tenths / 1000:g}", "max_suppressed_records": None}
    return Advice(
        repairs=[change_offer(f"Let {tenths / 10:g} % be left out", {"privacy": share})] if tenths < 1000 else []
    )


def _advice_on_meanings(meanings: Mapping[str, str], message: str) -> Advice:
    if set(meanings.values()) != {"categories"}:
        return Advice(hint="choose another distance.", repairs=[PROMISE])
    said = re.sub("^.+? needs to know", "This promise needs to know", message)
    return Advice(said, "say in step 3 which values are most secret.", [PROMISE])


ADVICE: Mapping[str, Callable[[Any, str], Advice]] = {
    "importance": lambda *_: Advice(
        hint="give every column one star, or choose another search.",
        repairs=[BEST, screen_offer("Look at the stars", "coarsen")],
    ),
    "balance": lambda *_: Advice("This search does not weigh leaving people out.", "choose another search.", [BEST]),
    "at_least": _without_least,
    "algorithm": _another_search,
    "at_most": _without_most,
    "suppression": lambda *_: Advice(repairs=[DROP]),
    "max_suppressed_records": _share_left_out,
    "header": lambda *_: Advice(
        hint="say that it is a row like the others, or put a line with names first.", repairs=[BARE]
    ),
    "separator": lambda *_: Advice(repairs=SEPARATORS),
    "force": lambda *_: Advice(hint="choose another name, or let what is there be replaced.", repairs=[FORCE]),
    "seconds": lambda *_: Advice(
        "No version was found in time.",
        "let it search until one is found.",
        [change_offer("Search until one is found", {"search": {"seconds": None}})],
    ),
    "values": lambda *_: Advice(hint="step 4 lists the values that are in no group.", repairs=[LADDERS]),
    "sensitive": _advice_on_meanings,
}
"""What is said and offered for a setting that a hint advises, by name; of several the one with a message says it."""


def _encodings(found: Found) -> Advice:
    others = [
        retry_offer(f"Read it as {title}", {"encoding": name}) for name, title in ENCODINGS if name != found[1].lower()
    ]
    return Advice(hint="older programs write letters such as ä in another way. Try the buttons.", repairs=others)


def _sheets(found: Found) -> Advice:
    number = min(int(found[1].replace(",", "")), SHEETS)
    places = range(1, number + 1)
    return Advice(hint="say which one.", repairs=[retry_offer(f"Read sheet {at}", {"sheet": str(at)}) for at in places])


MESSAGES: tuple[tuple[str, Callable[[Found], Advice]], ...] = (
    (r"is not valid ([\w-]+)", _encodings),  # which was tried
    (r"has ([\d,]+) sheets", _sheets),  # how many there are
    (r"of the (?:table have the same name|file .+ has no name)", lambda _: Advice(repairs=[BARE, *SEPARATORS])),
    (r"has [\d,]+ values?, expected|same name|separator", lambda _: Advice(repairs=SEPARATORS)),
    (
        r"No release keeps|Only a release without|No release can keep",
        lambda _: Advice(repairs=[PROMISE, screen_offer("Let columns become vaguer", "coarsen")]),
    ),
    (r"no place in an order", lambda _: Advice(hint="choose another distance.", repairs=[PROMISE])),
    (r"Memory ran out", lambda _: Advice(hint="close other programs, or use a smaller table.")),
    (r"disk is full", lambda _: Advice("The disk is full.", "make room on it, and try again. Your plan is as it was.")),
)
"""What is known about errors whose hints name no setting, for on the page something else helps; the first counts."""

_LADDERS = r"(?:intervals|top_coded|bottom_coded|frequent|dates|ordered|mask)"
HINTS = (
    (r": without it (.+?) are left out", r"; without its limit \1 would be left out"),
    (r"suppression='drop' would leave out ([\d,]+)", r"to leave \1 of them out instead would be possible"),
    (r"(ask for less, or look at the hierarchies) and at_most", r"\1 and their limits"),
    (r"\bask for less\b", "promise less"),
    (r"give it more memory(?:, such as [^,;]*)?[,;] or ", ""),
    (r"^write \w+=(\S+?)\.?$", r"write \1."),
    (rf"(?i)for example {_LADDERS}\(([^()]*)\)", r"for example \1"),
    (r"must be not empty", "must not be empty"),
    (r", got (?:a list|a text|a table|a number|something else|true or false|none)\.", "."),
    (rf" or {_LADDERS}\(([^()]*)\)\.$", r", or \1."),
    (r"\bat_least must be\b", "the bounds must be"),
    (r"\bmax_suppressed must be\b.*", "the share of people who may be left out is from 0 to 100 percent."),
)
"""Parts of hints that say something on the page too."""


SETTINGS: Mapping[str, Callable[[Any], str]] = {
    "max_suppressed_records": lambda number: f"leaving out {number} {'person' if number == 1 else 'people'}",
    "at_most": lambda limits: f"the column {next(iter(limits))} may not become vague enough",
}
"""What settings are called in hints."""


def page_words(code: str, message: str, hint: str) -> tuple[str, str, list[Plain]]:
    """Give an error in the page's words: what is wrong, what would be right, and what can be clicked.

    The code decides what is said where nothing else fits.
    """
    usual, otherwise = USUAL.get(code, USUAL["IC101"])
    parts = hint.parts if isinstance(hint, Hint) else (hint,)
    settings = {one.name: one.value for one in reversed(parts) if isinstance(one, Setting)}
    advice = [advise(settings[name], message) for name, advise in ADVICE.items() if name in settings]
    known = ((re.search(pattern, message), advise) for pattern, advise in MESSAGES)
    advice += [advise(found) for found, advise in known if found is not None][:1]
    repairs = [repair for one in advice for repair in one.repairs]
    advice.sort(key=lambda one: one.message is None)
    said = next((one.message for one in advice if one.message is not None), message)
    text = "".join(_setting_words(one) if isinstance(one, Setting) else one for one in parts)
    told = next((one.hint for one in advice if one.hint is not None), text)
    return _translation(said, usual), _plain_hint(told, otherwise), [*{one["words"]: one for one in repairs}.values()]


def _setting_words(setting: Setting) -> str:
    return SETTINGS[setting.name](setting.value) if setting.name in SETTINGS else str(setting)


def _plain_hint(hint: str, otherwise: str) -> str:
    """Take of a hint with several parts those that have words of the page."""
    if not hint or (told := _translation(hint, "")):
        return told if hint else ""
    parts = [part for one in hint.removesuffix(".").split("; ") if (part := _translation(one, ""))]
    return f"{'; '.join(parts)}." if parts else otherwise


def _translation(text: str, otherwise: str) -> str:
    """Take the page's words for what it has words for; where something foreign is left, something else is said."""
    for pattern, words in HINTS:
        text = re.sub(pattern, words, text)
    text = re.sub(r"\brole '(\w+)'", lambda found: f"role '{ROLES.get(found[1], found[1])}'", text)
    parts = [part if place % 2 else _with_synonyms(part) for place, part in enumerate(_QUOTED.split(text))]
    text = "".join(parts)
    return otherwise if is_foreign(text) else text


def sentence(text: str) -> str:
    """Begin with a capital letter, unless it is a promise such as l>=3, or a number of one such as t."""
    return text if re.match(r"[\w-]+\s*[<>=(\[]|[a-z] must\b", text) else text[:1].upper() + text[1:]


def _with_synonyms(text: str) -> str:
    for pattern, words in SYNONYMS:
        if not (pattern == RECORDS and "row" in text):
            text = re.sub(pattern, words, text)
    return text


def page_problems(problems: Sequence[Plain]) -> Iterator[Plain]:
    """Give what is wrong with a plan in the page's words, with the page's name for every key."""
    for one in problems:
        message, _, repairs = page_words("IC107", *_problem(one["place"], one["message"]))
        yield {"place": one["place"], "message": message, "repairs": repairs}


def _problem(place: str, message: str) -> tuple[str, str]:
    name = next(re.sub(f"^(?:{key})$", words, place) for key, words in NAMES if re.fullmatch(key, place))
    if found := re.match(r"must be at least (\d+), which is 'at_least'", message):
        column = place.removeprefix("columns.").removesuffix(".at_most")
        limits = f"it may not be more exact than level {found[1]}, and may not become that vague"
        return f"The two limits of {column} contradict each other: {limits}.", ""
    if place.startswith("privacy.max_suppressed"):
        return f"{name} must be a number from 0 to 100 percent.", ""
    if message[:1].isupper():
        return message, ""
    ladder = re.sub(r"^In the (ladder of .+), \w+$", r"The \1", name)  # not what stands in it
    return (f"{name.replace('_', ' ')} {message}" if _VERB.match(message) else f"{ladder}: {message}"), ""
