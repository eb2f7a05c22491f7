"""What is wrong with a plan, in our words and at its line; pydantic's own messages quote what they find."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from incrowd.core import PlanProblem
from incrowd.plan._document import SECTIONS, Document, TableSection
from incrowd.plan._sections import FORMS, NAMES, ColumnSection, DialectTable, Part, kinds_in
from incrowd.plan._toml import Path, Place, nearest_place

# What would be right, by pydantic's name of what is wrong
_WANTED = {
    "string_type": "a text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "finite_number": "a finite number",
    "string_unicode": "a text without broken characters",
    "string_too_short": "a text that is not empty",
    "greater_than": "above {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "literal_error": "{expected}",
}

MOST = 100  # so many problems are explained; a file with more of them is none that somebody wrote
LONG = 200  # so much of a line is shown

# Keys under which values of the table may stand: messages do not quote them
_UNSEEN = {"categories", "tree", "ordered", "levels", "missing", "query"}


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something wrong with what stands at a path; ``own`` if the key itself is, and its value is nobody's business."""

    path: Path
    message: str
    own: bool = False


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Name the nearest of some names, or list them."""
    listed = list(known)
    near = difflib.get_close_matches(str(name), listed, n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"there {'is' if len(listed) == 1 else 'are'} {', '.join(map(repr, listed))}."


def troubles_of(error: ValidationError, raw: Mapping[str, Any]) -> list[Trouble]:
    """Say in our words what pydantic found: one trouble per path, the alternatives of a key together."""
    found: dict[Path, list[Mapping[str, Any]]] = {}
    for one in error.errors(include_url=False, include_input=False, include_context=True):
        found.setdefault(_path_of_location(one["loc"], one["type"], raw), []).append(dict(one))
    above = {path[:length] for path in found for length in range(len(path))}
    own = [path for path in found if path not in above]
    told = [_trouble_at(path, found[path], raw) for path in own[:MOST]]
    return [*told, *(Trouble(path, "is wrong, too.", own=True) for path in own[MOST:])]


def _path_of_location(location: Sequence[str | int], kind: str, raw: Any) -> Path:
    """Follow pydantic's location through what was written; the alternatives that it names are not there."""
    path: list[str | int] = []
    for place, step in enumerate(location):
        if place == 3 and location[0] == "columns" and location[2] == "hierarchy":
            continue  # the kind of hierarchy, which may be called like a key
        if isinstance(step, int) if isinstance(raw, list) else isinstance(raw, Mapping) and step in raw:
            raw = raw[step]
        elif kind != "missing" or place < len(location) - 1:
            continue
        path.append(step)
    return tuple(path)


def _trouble_at(path: Path, found: Sequence[Mapping[str, Any]], raw: Mapping[str, Any]) -> Trouble:
    kinds = [str(one["type"]) for one in found]
    if "missing" in kinds:
        return Trouble(path, f"{path[-1]!r} is missing here.", own=True)
    if "extra_forbidden" in kinds:
        return Trouble(path, f"is unknown; {did_you_mean(path[-1], _known_keys(path[:-1], raw))}", own=True)
    given = _value_at(raw, path)
    if path == ("version",):
        return Trouble(path, f"this incrowd reads plans of version 1, got {value_text(path, given)}.")
    if {"union_tag_not_found", "union_tag_invalid"} & set(kinds):
        return Trouble(path, _no_kind(given), own=True)
    wants = (_WANTED.get(str(one["type"]), "something else").format(**one.get("ctx", {})) for one in found)
    wanted = dict.fromkeys(wants)
    if {"a number", "a finite number"} & set(wanted):
        wanted.pop("a whole number", None)
    if "too_short" in kinds:  # it is a list or a table, as it may be
        return Trouble(path, "must not be empty.")
    expected = [one["ctx"]["expected"] for one in found if one["type"] == "literal_error"]
    words = [word.strip("'") for text in expected for word in text.replace(" or ", ", ").split(", ")]
    near = difflib.get_close_matches(given, words, n=1, cutoff=0.6) if isinstance(given, str) else []
    guess = f" Did you mean {near[0]!r}?" if near else ""
    return Trouble(path, f"must be {' or '.join(wanted)}, got {value_text(path, given)}.{guess}")


def _no_kind(given: object) -> str:
    if not isinstance(given, Mapping):
        return f"a hierarchy is a table or one of {', '.join(map(repr, NAMES))}, got {_type_of(given)}."
    if kinds := kinds_in(given):
        return f"asks for {len(kinds)} hierarchies, {' and '.join(map(repr, kinds))}; a column has one."
    guess = did_you_mean(next(iter(given), ""), FORMS)
    return f"is not a known hierarchy; {guess}"


def _known_keys(path: Path, raw: Mapping[str, Any]) -> list[str]:
    """List the keys that may stand in a table."""
    if path[:1] == ("columns",) and path[2:] == ("hierarchy",):
        return list(FORMS[kinds_in(_value_at(raw, path))[0]].model_fields)
    part: type[Part] = Document
    if path == ("output", "dialect"):
        part = DialectTable
    elif path:
        named: dict[str, type[Part]] = {**SECTIONS, "columns": ColumnSection, "tables": TableSection}
        part = named[str(path[0])]
    return list(part.model_fields)


def _value_at(raw: Any, path: Path) -> Any:
    for step in path:
        raw = raw[step]
    return raw


def value_text(path: Path, given: object) -> str:
    """Quote what was found, unless it may be a value of the table."""
    if not isinstance(given, str | int | float) or _UNSEEN & set(path):
        return _type_of(given)
    text = str(given).lower() if isinstance(given, bool) else repr(given)
    return text if len(text) <= 40 else f"{text[:36]}...'"


def _type_of(given: object) -> str:
    names = {bool: "true or false", str: "a text", int: "a number", float: "a number", list: "a list", dict: "a table"}
    return names.get(type(given), "something else")


def problems_of(troubles: Iterable[Trouble], places: Mapping[Path, Place]) -> list[PlanProblem]:
    """Put every trouble at its line, in the order of the file."""
    problems = [_problem_at(trouble, places) for trouble in dict.fromkeys(troubles)]
    return sorted(problems, key=lambda problem: (problem.line or 0, problem.mark))


def _problem_at(trouble: Trouble, places: Mapping[Path, Place]) -> PlanProblem:
    """Show the key and its own value, nothing else of the line: a password may stand beside it."""
    key = ".".join(map(str, trouble.path))
    place, exact = nearest_place(places, trouble.path)
    if place is None:
        return PlanProblem(key, trouble.message)
    start, end = place.key
    if exact and not trouble.own and not _UNSEEN & set(trouble.path):
        mark = place.value[0] - start, place.value[1] - start
        return shortened(PlanProblem(key, trouble.message, place.line, place.text[start : place.value[1]], mark))
    rest = "" if place.key == place.value else " = ..."
    return shortened(PlanProblem(key, trouble.message, place.line, place.text[start:end] + rest, (0, end - start)))


def shortened(problem: PlanProblem) -> PlanProblem:
    """Cut a line that nobody could look at."""
    if len(problem.shown) <= LONG:
        return problem
    start, end = problem.mark
    return replace(problem, shown=f"{problem.shown[:LONG]}...", mark=(min(start, LONG), min(end, LONG)))
