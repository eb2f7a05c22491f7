"""Errors and warnings in plain lines on stderr, hints in words of the command line; ``incrowd explain`` of a code."""

from __future__ import annotations

import contextlib
import difflib
import json
import sys
import tomllib
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli._options import Json
from incrowd.cli._terminal import tell, write, write_json

if TYPE_CHECKING:
    from incrowd.core import Setting

FOUND, WRONG_USE, OUR_FAULT, NOT_CHECKED, STOPPED = 1, 2, 3, 4, 130
"""Exit codes: a promise does not hold or problems were found, bad input, a bug or the machine, unchecked, stopped."""


@dataclass
class Session:
    """What the user asked for besides the job itself."""

    debug: bool = False
    show_values: bool = False


# What a hint advises, in the words of the options and of a plan.

Words = Mapping[str, "Callable[[Setting], str]"]
"""Per name of a setting how it is said."""

_MEANINGS = {
    "categories": 'categories = "FILE"',
    "tree": 'hierarchy = { tree = "FILE" }',
    "ordered": 'hierarchy = { ordered = ["LEAST", "MOST"] }',
    "intervals": "hierarchy = { intervals = [5, 10] }",
}


def column_in_plan(setting: Setting) -> str:
    """Say what a plan says about a column."""
    ((column, meaning),) = setting.value.items()
    return f"{_MEANINGS[meaning]} under [columns.{json.dumps(column, ensure_ascii=False)}]"


def _search(setting: Setting) -> str:
    """Write a search as a plan names it: one with options is a table there."""
    options = ", ".join(f"{name} = {json.dumps(value)}" for name, value in setting.value.items())
    return f"{{ {options} }}" if len(setting.value) > 1 else json.dumps(setting.value["name"])


def _mark(setting: Setting) -> str:
    return f'--{setting.name} "{setting.value}", or {setting.name} = "{setting.value}" in a plan'


WORDS: Words = {
    "encoding": lambda one: f'--encoding {one.value}, or encoding = "{one.value}" in a plan',
    **dict.fromkeys(("separator", "decimal", "thousands", "dates"), _mark),
    "header": lambda _: "--no-header, or header = false in a plan",
    "sheet": lambda one: f"--sheet {one.value}, or sheet = {one.value} in a plan",
    "owner": lambda _: "--owner FOLDER",
    "memory": lambda one: f"--memory {one.value}",
    "force": lambda _: "--force",
    "reading": lambda _: "incrowd init finds it out",
    "others": lambda _: "",
    "on": lambda one: "--on " + ",".join(f"{here}={there}" for here, there in one.value.items()),
    "values": lambda one: f"--show-values prints {one.value}",
    "max_suppressed_records": lambda one: f"max_suppressed_records = {one.value} in place of max_suppressed",
    "sensitive": lambda one: f"write {column_in_plan(one)}",
    "quasi": lambda one: f"say how it becomes vaguer, for example {column_in_plan(one)}",
    "of": lambda one: f"name it in brackets: [{one.value}]",
    **dict.fromkeys(("suppression", "order", "stars", "format"), lambda one: f'{one.name} = "{one.value}"'),
    "missing": lambda one: f'missing_policy = "{one.value}"',
    "algorithm": _search,
    "supersets": lambda one: " or ".join(f"nt(...)[{kind}]" for kind in one.value),
}


def terminal_words(text: str, own: Words = MappingProxyType({})) -> str:
    """Say what a hint advises in the words of the command line, of which a command may have its own."""
    words = {**WORDS, **own}
    parts = getattr(text, "parts", (text,))
    return "".join(part if isinstance(part, str) else words.get(part.name, str)(part) for part in parts)


@contextlib.contextmanager
def hints_in(own: Words) -> Iterator[None]:
    """Let errors give hints in a command's own words."""
    from incrowd.core import IncrowdError

    try:
        yield
    except IncrowdError as error:
        error.hint = terminal_words(error.hint, own)
        raise


# How an error is told.

NAMES_AS_UTF_8 = "set PYTHONUTF8=1, or a locale such as C.UTF-8."


def tell_error(error: Exception, session: Session) -> int:
    """Say what is wrong and what would be right, and give the exit code."""
    from incrowd.core import EngineError, IncrowdError, UncoveredValuesError, unwritten_by

    if isinstance(error, IncrowdError):
        _tell_lines(error.message, terminal_words(error.hint), error.code)
        if isinstance(error, UncoveredValuesError) and session.show_values:
            tell(*(f"  {value!r}" for value in error.values))
        _tell_end(error, session, error.code)
        return _exit(error.code)
    usage = getattr(error, "format_message", None)  # typer brings its own copy of click's errors, or click's
    if usage is not None:
        if usage():  # empty after the help that a command without arguments shows
            _tell_lines(usage(), "incrowd --help, or --help after a command, shows what there is.")
        return WRONG_USE
    if isinstance(error, UnicodeEncodeError) and error.encoding == sys.getfilesystemencoding():
        msg = f"The name of a file has a sign that this system cannot write: its file names are in {error.encoding}."
        _tell_lines(msg, NAMES_AS_UTF_8)
        return WRONG_USE
    # only the type is named: the message of a foreign error may quote a record
    of_machine = isinstance(error, MemoryError) or (isinstance(error, OSError) and error.strerror)
    code = EngineError.code if of_machine else ""
    if isinstance(error, MemoryError):
        hint = "close other programs, or take a machine with more; --memory bounds what is used before that."
        _tell_lines(f"Memory ran out while {_work_in(error)}.", hint, code)
    elif code:
        hint = "check the path, your rights and the space on the disk."
        written = unwritten_by(error)
        speaker = "The system says" if written is None else f"{written!r} cannot be written"
        _tell_lines(f"{speaker}: {getattr(error, 'strerror', '')}.", hint, code)
    else:
        hint = "please report it with the output of the same command with incrowd --debug ..."
        _tell_lines(f"This should not have happened ({type(error).__name__}).", hint)
    _tell_end(error, session, code)
    return OUR_FAULT


_WORK = {
    "engines": "the table was read or written",
    "hierarchies": "levels of a column were made",
    "models": "groups were judged",
    "measures": "costs were counted",
    "search": "groups were searched for",
    "attacks": "the release was attacked",
    "release": "the release was made",
    "evidence": "the release was looked at",
    "report": "the report was drawn",
    "plan": "the plan was made",
}


def _work_in(error: BaseException) -> str:
    """Say what was being done, by the innermost room in which it happened."""
    files = [Path(place.filename).parts for place in reversed(traceback.extract_tb(error.__traceback__))]
    rooms = [parts[parts.index("incrowd") + 1] for parts in files if "incrowd" in parts[:-2]]
    return next((_WORK[room] for room in rooms if room in _WORK), "the command ran")


def tell_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Say what is dangerous; what other libraries warn about may quote the data and says nothing to the user."""
    from incrowd.core import PrivacyWarning

    if issubclass(category, PrivacyWarning):
        tell(f"warning: {terminal_words(message if isinstance(message, str) else message.args[0])}")


def _tell_lines(message: str, hint: str, code: str = "") -> None:
    from incrowd.core import without_addresses

    lines = [f"error{f'[{code}]' if code else ''}: {message}", *([f"hint: {hint}"] if hint else [])]
    tell(*map(without_addresses, lines))


def _tell_end(error: BaseException, session: Session, code: str) -> None:
    """Show where it happened to who asked for it, and last where to read more."""
    if session.debug:
        _tell_places(error)
    if code:
        tell(f"more: incrowd explain {code}")


def _tell_places(error: BaseException) -> None:
    """Show where it happened: files, lines, functions; no message, no variables, no source line."""
    for place in traceback.extract_tb(error.__traceback__):
        tell(f"  at {place.filename}:{place.lineno} in {place.name}")
    tell(f"  {type(error).__module__}.{type(error).__name__}")
    if error.__cause__ is not None:
        tell("caused by")
        _tell_places(error.__cause__)


EXITS = {"IC2": FOUND, "IC3": OUR_FAULT}
"""With which exit code a command leaves, by the beginning of the code; all others are wrong use."""

LEAVES = (
    "A command leaves with exit code 0 if it is done and nothing is wrong, 1 if a promise\n"
    "does not hold or no safe release exists, 2 after wrong use, 3 after a fault of ours\n"
    "or of the machine, 4 if a promise could not be checked (incrowd verify), and 130 if\n"
    "it was stopped."
)

Code = Annotated[str, typer.Argument(metavar="CODE", help="Such as IC201. Without one, all are listed.")]


def explain(code: Code = "", as_json: Json = False) -> int:
    """Explain an error code.

    For example: incrowd explain IC201
    """
    asked, known = code.strip().upper(), codes()
    if asked and asked not in known:
        near = difflib.get_close_matches(asked, known, n=1)
        advice = f"did you mean {near[0]}?" if near else "incrowd explain lists all codes."
        _tell_lines(f"There is no code {code!r}.", advice)
        return WRONG_USE
    if as_json:
        chosen = {asked: known[asked]} if asked else known
        write_json({"schema": 1, "codes": [{"code": one, **said, "exit": _exit(one)} for one, said in chosen.items()]})
    elif asked:
        ending = f"A command that meets it leaves with exit code {_exit(asked)}."
        write(f"{asked}: {known[asked]['meaning']}", "", known[asked]["advice"], "", ending)
    else:
        write(*(f"{one}  {said['meaning']}" for one, said in known.items()), "", LEAVES)
    return 0


def codes() -> dict[str, dict[str, str]]:
    """Read what every code means, and what to do about it."""
    return tomllib.loads((files("incrowd.cli") / "codes.toml").read_text(encoding="utf-8"))


def _exit(code: str) -> int:
    return EXITS.get(code[:3], WRONG_USE)
