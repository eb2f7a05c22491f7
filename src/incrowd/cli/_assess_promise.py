"""What ``incrowd assess --require`` asks for, and answers in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from incrowd.cli._phrases import terminal_words
from incrowd.cli._run import amount

if TYPE_CHECKING:
    from incrowd.api import Assessment
    from incrowd.models import Model

Meanings = Mapping[str, Any]
"""Per sensitive column what is known about its values, such as how secret they are."""

_IN_PYTHON = (
    (re.compile(r"write sensitive=\{'([^']*)': categories\(\.\.\.\)\}"), r"write --categories \1=FILE"),
    (re.compile(r"write (sensitive=\{.*\})"), r"no option says that; in a plan, write \1"),
    (
        re.compile(r"; say how it becomes vaguer, for example quasi=\{.*\}"),
        "; incrowd init plans how it becomes vaguer",
    ),
    (re.compile(r"give the partition, or use '(\w+)' or '(\w+)'"), r"write nt(...)[\1] or nt(...)[\2]"),
    (re.compile(r"supersets='(\w+)' or '(\w+)'"), r"nt(...)[\1] or nt(...)[\2]"),
)
"""What the library says to who writes Python, and what a command has instead."""


def in_this_language(text: str) -> str:
    """Say in the words of the command line what the library says in Python's."""
    for pattern, instead in _IN_PYTHON:
        text = pattern.sub(instead, text)
    return terminal_words(text)


@contextmanager
def speaking() -> Iterator[None]:
    """Let errors give hints that can be typed on the command line."""
    from incrowd.core import IncrowdError

    try:
        yield
    except IncrowdError as error:
        error.hint = in_this_language(error.hint)
        raise


def read_promise(text: str, meanings: Meanings) -> Model:
    """Read what must hold, before a large file is read for nothing."""
    from incrowd.models import promise

    model = promise(text)
    for part in model.parts:
        _check_columns(part, list(meanings))
        _check_categories(part, meanings)
    return model


def uncovered(assessment: Assessment, meanings: Meanings) -> list[str]:
    """List the values that categories do not cover, for who asked for values."""
    from incrowd.core import UncoveredValuesError
    from incrowd.hierarchies import Categories
    from incrowd.models import PAlphaSensitive

    values: list[str] = []
    for name in (name for name, meaning in meanings.items() if isinstance(meaning, Categories)):
        try:
            assessment.check(PAlphaSensitive(1, 0, name, "distinct"))
        except UncoveredValuesError as error:
            values += [f"  {value!r}" for value in error.values]
    return values


def _check_columns(part: Any, sensitive: list[str]) -> None:
    """Refuse a promise about a sensitive column that was not named, or not clearly."""
    from dataclasses import replace

    from incrowd.core import ParameterError
    from incrowd.models import KAnonymity

    if isinstance(part, KAnonymity):
        return
    if not sensitive:
        msg = "--require asks about a sensitive column, and --sensitive names none."
        raise ParameterError(msg, hint="for example --sensitive disease.")
    if part.of is None and len(sensitive) > 1:
        msg = f"--require does not say which of {amount(len(sensitive), 'sensitive column')} {part} is about."
        raise ParameterError(msg, hint=f'for example "{replace(part, of=sensitive[0])}".')
    for name in part.of or ():
        if name not in sensitive:
            msg = f"--require asks about the column {name!r}, which --sensitive does not name."
            raise ParameterError(msg, hint=f"--sensitive names {', '.join(sensitive)}.")


def _check_categories(part: Any, meanings: Meanings) -> None:
    """Refuse a promise about weights where nothing says how secret values are."""
    from incrowd.core import ParameterError
    from incrowd.models import PAlphaSensitive

    for name in (part.of or meanings) if isinstance(part, PAlphaSensitive) else ():
        if meanings[name] is None:
            msg = f"{part} needs to know how secret the values of {name!r} are."
            raise ParameterError(msg, hint=f"write --categories {name}=FILE.")
