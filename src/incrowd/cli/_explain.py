"""``incrowd explain``: what an error code means, and what to do about it."""

from __future__ import annotations

import difflib
import json
import sys
from typing import Annotated

import typer

from incrowd.cli._assess import Json
from incrowd.cli._run import FOUND, OUR_FAULT, WRONG_USE, tell

MEANING = {
    "IC000": ("Something is wrong with what was asked.", "Read the message and its hint."),
    "IC101": (
        "A parameter has the wrong type or is out of range.",
        "The message names the parameter and what was given; the hint says what would be right.",
    ),
    "IC102": (
        "The roles of the columns contradict each other, or the table.",
        "Every column has one role. A column without a role is never published: name it, or leave it out on purpose.",
    ),
    "IC103": (
        "A column is named that the table does not have.",
        "Compare the spelling; upper and lower case count. Was a text file read with the wrong separator?",
    ),
    "IC104": (
        "A hierarchy is malformed, or does not fit its column.",
        "incrowd hierarchy check says what is wrong. Values that share a label must share all labels above it.",
    ),
    "IC105": (
        "A hierarchy or the categories miss values of the table.",
        "Add the missing values. --show-values lists them; they are values of the table, so look who is watching.",
    ),
    "IC106": (
        "The table cannot be read, or cannot be used as it is.",
        "Check separator, encoding and header; look at the row that the message names.",
    ),
    "IC107": (
        "A plan cannot be used.",
        "Every problem is listed with its line. incrowd init DATA writes a plan that can be used as it is.",
    ),
    "IC201": (
        "Nothing can be published that keeps the promise within the limits.",
        "Allow more records to be left out, ask for less, raise at_most, or leave out what singles people out.",
    ),
    "IC301": (
        "The published table is not what was predicted: a fault of ours.",
        "Nothing was published. Please report it, without data, with the output of --debug.",
    ),
    "IC302": (
        "The machinery under us failed: the disk, the memory, a database.",
        "Check space and rights; --memory limits what is used before spilling to disk.",
    ),
}
"""Per code what it means, and what to do about it."""

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
    asked = code.strip().upper()
    if asked and asked not in MEANING:
        near = difflib.get_close_matches(asked, MEANING, n=1)
        tell(
            f"error: There is no code {code!r}.",
            f"hint: {f'did you mean {near[0]}?' if near else 'incrowd explain lists all codes.'}",
        )
        return WRONG_USE
    sys.stdout.write(_json(asked) if as_json else _explanation(asked) if asked else _list())
    return 0


def _list() -> str:
    listed = "".join(f"{name}  {meaning}\n" for name, (meaning, _) in MEANING.items())
    return f"{listed}\n{LEAVES}\n"


def _explanation(code: str) -> str:
    meaning, advice = MEANING[code]
    return f"{code}: {meaning}\n\n{advice}\n\nA command that meets it leaves with exit code {_exit(code)}.\n"


def _json(asked: str) -> str:
    """Give the code that was asked for, or all."""
    codes = [
        {"code": code, "meaning": meaning, "advice": advice, "exit": _exit(code)}
        for code, (meaning, advice) in MEANING.items()
        if asked in {"", code}
    ]
    return json.dumps({"schema": 1, "codes": codes}, indent=2) + "\n"


def _exit(code: str) -> int:
    return EXITS.get(code[:3], WRONG_USE)
