"""What errors of the library say on the page."""

from __future__ import annotations

import ast
import errno
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import incrowd
from incrowd.core import (
    FORCE,
    DataError,
    EngineError,
    Hint,
    NoSafeRelease,
    ParameterError,
    PlanError,
    PlanProblem,
    Setting,
)
from incrowd.web._error_texts import page_words
from incrowd.web._refusal import plain_error

STRANGE = re.compile(
    r"=True|=False|Optimal\(|Mondrian\(|\w+\(\.\.\.|privacy\.|columns\.\w|at_least|at_most|max_suppressed|--\w|\.values"
    r"|\bdict\b|\bNone\b|\bSchema\b"
)
"""Words of another world: of Python, of the plan's file, of the command line."""


def templates() -> Iterator[str]:
    """Give every message and hint that is written down in the library, with a 7 for what is put in."""
    root = Path(incrowd.__file__).parent
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assign) and any(getattr(one, "id", "") in {"msg", "hint"} for one in node.targets):
                yield from text_of(node.value)
            if isinstance(node, ast.keyword) and node.arg == "hint":
                yield from text_of(node.value)


def text_of(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(one.value) if isinstance(one, ast.Constant) else "7" for one in node.values)


def test_no_message_of_the_library_brings_words_of_programs_to_the_page() -> None:
    found = list(templates())
    assert len(found) > 300
    for text in found:
        for said in (*page_words("IC101", text, "")[:2], *page_words("IC101", "This is wrong.", text)[:2]):
            assert not STRANGE.search(said), (text, said)


NONE_KEEPS = (
    "No version keeps k>=20 and leaves out at most 0.0% (0 of 30 rows): even the most general one leaves out 3.3% (1)."
)
AGE_BINDS = (
    "The column age may not become vague enough; without its limit 0 of 30 rows would be left out; "
    "leaving out 1 person would be enough."
)
LIMITS = (
    "The two limits of a.b contradict each other: it may not be more exact than level 2, and may not become that vague."
)
BEST = {"search": {"algorithm": "optimal", "measure": None, "balance": None, "seconds": None}}


@pytest.mark.parametrize(
    ("error", "message", "hint", "repairs"),
    [
        (
            DataError(
                "The folder 'out' exists already.",
                hint=Hint("choose another name, or allow to replace it: {}.", FORCE),
            ),
            "The folder 'out' exists already.",
            "Choose another name, or let what is there be replaced.",
            [("Replace what is in the folder", None, {"force": True}, "")],
        ),
        (
            ParameterError(
                "at_most of column 'age' cannot be kept: a local recoding calls each class what it must be called.",
                hint=Hint(
                    "use a search with one level per column, such as {}, or {}.",
                    Setting.search("Optimal"),
                    Setting("at_most", {"age": None}, "at_least"),
                ),
            ),
            "This search gives every group levels of its own, so the limit of the column age cannot be kept.",
            "Search for one level per column, or let the column become as vague as needed.",
            [
                ("Search for the best version instead", BEST, {}, ""),
                ("Let age become as vague as needed", {"columns": {"age": {"at_most": None}}}, {}, ""),
            ],
        ),
        (
            DataError("Row 3 of the file 'a.csv' has 5 values, expected 4.", hint="a separator needs quotes."),
            "Row 3 of the file 'a.csv' has 5 values, expected 4.",
            "A separator needs quotes.",
            [
                ("Values are separated by: comma ,", None, {"separator": ","}, ""),
                ("Values are separated by: semicolon ;", None, {"separator": ";"}, ""),
                ("Values are separated by: tab", None, {"separator": "\t"}, ""),
                ("Values are separated by: bar |", None, {"separator": "|"}, ""),
            ],
        ),
        (
            NoSafeRelease(
                "No release keeps k>=20 and leaves out at most 0.0% (0 of 30 records): "
                "even the most general one leaves out 3.3% (1).",
                hint=Hint(
                    "{}: without it 0 of 30 records are left out; {max_suppressed_records} would be enough.",
                    Setting("at_most", {"age": None}, "at_most of 'age' binds"),
                    max_suppressed_records=1,
                ),
            ),
            NONE_KEEPS,
            AGE_BINDS,
            [
                ("Let age become as vague as needed", {"columns": {"age": {"at_most": None}}}, {}, ""),
                (
                    "Let 3.4 % be left out",
                    {"privacy": {"max_suppressed": "0.034", "max_suppressed_records": None}},
                    {},
                    "",
                ),
                ("Change the promise", None, {}, "/promise"),
                ("Let columns become vaguer", None, {}, "/coarsen"),
            ],
        ),
        (
            PlanError.of("plan.toml", [PlanProblem("privacy.max_suppressed", "must be at most 1, got 1.5.")]),
            "The share of people who may be left out must be a number from 0 to 100 percent.",
            "",
            [],
        ),
        (
            PlanError.of("plan.toml", [PlanProblem("search.seconds", "must be above 0, got 0.")]),
            "The number of seconds that a search may take must be above 0, got 0.",
            "",
            [],
        ),
        (
            PlanError.of("plan.toml", [PlanProblem("columns.a.b.at_most", "must be at least 2, which is 'at_least'.")]),
            LIMITS,
            "",
            [],
        ),
        (
            PlanError.of("plan.toml", [PlanProblem("privacy.promise.0", "k must be a whole number, got 0.5.")]),
            "The promise: k must be a whole number, got 0.5.",
            "",
            [],
        ),
        (
            PlanError.of("plan.toml", [PlanProblem("columns.age.hierarchy.keep", "must be a whole number.")]),
            "In the ladder of age, keep must be a whole number.",
            "",
            [],
        ),
        (
            PlanError.of("plan.toml", [PlanProblem("columns.age.hierarchy.intervals", "widths must nest.")]),
            "The ladder of age: widths must nest.",
            "",
            [],
        ),
        (
            OSError(errno.ENOSPC, "No space left on device"),
            "The disk is full.",
            "Make room on it, and try again. Your plan is as it was.",
            [],
        ),
        (
            EngineError("The disk is full.", hint="make room, or spill elsewhere: temp= in Python."),
            "The disk is full.",
            "Make room on it, and try again. Your plan is as it was.",
            [],
        ),
        (
            ValueError("secret"),
            "This should not have happened (ValueError).",
            "Please report it, and say what you clicked last. Your plan is as it was.",
            [],
        ),
    ],
)
def test_an_error_is_said_in_the_words_of_the_page_with_what_would_help(
    error: Exception, message: str, hint: str, repairs: list[Any]
) -> None:
    told = plain_error(error)
    assert (told["message"], told["hint"]) == (message, hint)
    assert [(one["words"], one["change"], one["again"], one["go"]) for one in told["repairs"]] == repairs


def test_names_of_columns_and_promises_are_left_as_they_are() -> None:
    message = "The promise 'nt(n=1000, t=0.1)[max_suppressed]' is about 'at_least', which is no column of the plan."
    assert page_words("IC107", message, "for example nt(n=1000, t=0.1)[disease].")[:2] == (
        message,
        "for example nt(n=1000, t=0.1)[disease].",
    )


def test_of_a_hint_with_several_parts_those_are_kept_that_have_words_of_the_page() -> None:
    assert (
        page_words("IC101", "This is wrong.", "write roles={}; or take another column.")[1] == "or take another column."
    )
    assert page_words("IC103", "This is wrong.", "did you mean 'age'?")[1] == "did you mean 'age'?"
    assert (
        page_words("IC101", "This is wrong.", "write roles={}.")[1] == "choose something else, or undo the last change."
    )
