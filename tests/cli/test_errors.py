"""Every kind of error, provoked from the command line: exit code, message, hint, no value said, nothing written.

A new class needs a case here, or a reason why nobody can meet it there.
"""

from __future__ import annotations

import ast
import builtins
import csv
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.core import (
    DataError,
    EngineError,
    HierarchyError,
    IncrowdError,
    NoSafeRelease,
    ParameterError,
    PlanError,
    ReleaseMismatch,
    SchemaError,
    UncoveredValuesError,
    UnknownColumnError,
)
from incrowd.evidence import RangeError, Where, ask
from incrowd.plan import NotToml, tables_of
from incrowd.release import _publish as publish

Process = Callable[..., tuple[int, str, str]]
Prepare = Callable[[Path, pytest.MonkeyPatch, Process], object]

SOURCE = Path(ic.__file__).parent

PEOPLE = """name,age,job,disease,town
Kanarie-Ada,702931,Kanarie-cook,Kanarie-flu,Kanarie-Ulm
Kanarie-Bob,702934,Kanarie-cook,Kanarie-hiv,Kanarie-Ulm
Kanarie-Cem,802952,Kanarie-nurse,Kanarie-flu,Kanarie-Hof
Kanarie-Dee,802955,Kanarie-nurse,Kanarie-hiv,Kanarie-Hof
"""
RAGGED = PEOPLE + "Kanarie-Eve,802957,Kanarie-nurse,Kanarie-hiv,Kanarie-Hof,Kanarie-more\n"
PLAN = """version = 1
[data]
path = "people.csv"
[columns]
name = { role = "identifier" }
age = { role = "quasi", hierarchy = { intervals = [100_000, 1_000_000] } }
job = { role = "quasi", hierarchy = { flat = true } }
disease = { role = "sensitive" }
town = { role = "quasi", hierarchy = { flat = true } }
[privacy]
promise = ["k>=2"]
[search]
algorithm = "optimal"
[output]
folder = "out"
format = "csv"
[report]
write = false
"""
TOWN = 'town = { role = "quasi", hierarchy = { flat = true } }'
ASSESS, ANONYMIZE = ("assess", "people.csv", "--quasi", "age,job"), ("anonymize", "plan.toml")


def planned(old: str, new: str) -> Prepare:
    """Give a way to write something else into the plan."""
    assert old in PLAN
    return lambda folder, *_: (folder / "plan.toml").write_text(PLAN.replace(old, new))


def holding(name: str, text: str) -> Prepare:
    """Give a way to write a file."""

    def write(folder: Path, *_: object) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)

    return write


def published_by_parts(folder: Path, monkeypatch: pytest.MonkeyPatch, inside: Process) -> None:
    """Publish a local recoding."""
    planned('"optimal"', '"mondrian"')(folder, monkeypatch, inside)
    assert inside(*ANONYMIZE, "--quiet")[0] == 0


def with_a_spoilt_result(_: Path, monkeypatch: pytest.MonkeyPatch, __: Process) -> None:
    """Plant a fault: a record of what is published is lost before it is checked again."""

    write = publish._write_table

    def lose_a_line(engine: Any, path: Path, *how: Any) -> Any:
        done = write(engine, path, *how)
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
        return done

    monkeypatch.setattr(publish, "_write_table", lose_a_line)


def with_a_tree_that_misses_a_town(folder: Path, *given: Any) -> None:
    """Have a tree without one of the towns."""
    planned(TOWN, TOWN.replace("flat = true", 'tree = "towns.csv"'))(folder, *given)
    (folder / "towns.csv").write_text("Kanarie-Ulm;*\n")


def without_fastexcel(folder: Path, monkeypatch: pytest.MonkeyPatch, _: Process) -> None:
    """Have a spreadsheet, and no library that reads it."""
    (folder / "people.xlsx").write_bytes(b"PK")
    monkeypatch.setitem(sys.modules, "fastexcel", None)


@dataclass(frozen=True)
class Case:
    """What is typed, and how it ends; the last line of a message says what is wrong, and a hint what would be right."""

    error: type[IncrowdError]
    typed: tuple[str, ...]
    exit: int
    message: str
    hint: str = ""
    prepare: Prepare = lambda *_: None


CASES = [
    Case(
        ParameterError,
        (*ASSESS, "--memory", "much"),
        2,
        "--memory cannot be read: 'much'.",
        "write a number and a unit, such as 500MB or 4GB.",
    ),
    Case(
        SchemaError,
        (*ASSESS, "--sensitive", "age"),
        2,
        "Column 'age' has two roles: quasi-identifier and sensitive.",
        "give every column one role.",
    ),
    Case(
        SchemaError,
        ANONYMIZE,
        2,
        "1 column has no role: 'town'.",
        "give each a role (insensitive publishes it as it is), or leave them out: "
        'others = "drop" under [output] in a plan, --drop-others for apply.',
        planned(TOWN, ""),
    ),
    Case(
        UnknownColumnError,
        ("assess", "people.csv", "--quasi", "aeg"),
        2,
        "The table has no column 'aeg' (given as quasi-identifier).",
        "did you mean 'age'?",
    ),
    Case(
        HierarchyError,
        ("hierarchy", "show", "job.csv"),
        2,
        "The hierarchy file 'job.csv', line 2: the value of line 1 is listed again with another path.",
        "incrowd hierarchy check FILE lists all problems.",
        holding("job.csv", "Kanarie-cook;a;*\nKanarie-cook;b;*\n"),
    ),
    Case(
        HierarchyError,
        ("apply", "out/owner", "people.csv", "-o", "again"),
        2,
        "A local recoding belongs to the table that it was made for.",
        'search again on the new table. A release made with the search "optimal" can be applied to other tables.',
        published_by_parts,
    ),
    Case(
        UncoveredValuesError,
        ANONYMIZE,
        2,
        "Column 'town' has 1 of 2 values that are not covered by the tree.",
        "add them; --show-values prints them.",
        with_a_tree_that_misses_a_town,
    ),
    Case(
        UncoveredValuesError,
        ("hierarchy", "build", "people.csv", "--column", "job", "--kind", "intervals", "--widths", "5"),
        2,
        "Column 'job' has 2 of 2 values that are no finite numbers, so intervals do not cover them.",
        'if the file has decimal commas, say --decimal ",", or decimal = "," in a plan (incrowd init finds it out); '
        "--show-values prints them.",
    ),
    Case(
        DataError,
        ASSESS,
        2,
        "Line 6 of the file 'people.csv' has 6 values, expected 5.",
        "a separator inside a value needs quotes around the value.",
        holding("people.csv", RAGGED),
    ),
    Case(
        DataError,
        ANONYMIZE,
        2,
        "The folder 'out' holds what incrowd did not write: 'mine.txt'.",
        "move that elsewhere, or choose another folder: nothing of yours is replaced.",
        holding("out/mine.txt", ""),
    ),
    Case(
        PlanError,
        ANONYMIZE,
        2,
        "^^^^^^^^^^^ must be 'quasi', 'sensitive', 'identifier', 'insensitive', 'shifted' or 'drop', got 'identifer'. "
        "Did you mean 'identifier'?",
        prepare=planned('"identifier"', '"identifer"'),
    ),
    Case(
        NoSafeRelease,
        ANONYMIZE,
        1,
        "No release can keep the promise. k>=5: The table has 4 records, and every class needs 5.",
        "k>=4 would be possible.",
        planned("k>=2", "k>=5"),
    ),
    Case(
        ReleaseMismatch,
        ANONYMIZE,
        3,
        "The published table has other classes than the search predicted.",
        "nothing was published. If the table gives other rows each time that it is read, as a sample does, hand over a "
        "copy of it; else please report this.",
        with_a_spoilt_result,
    ),
    Case(
        EngineError,
        ("assess", "people.xlsx", "--quasi", "age"),
        3,
        "Reading a spreadsheet needs the library 'fastexcel', which is not installed.",
        "pip install 'incrowd[files]'",
        without_fastexcel,
    ),
]
ONLY_IN_PYTHON = {
    "IncrowdError": "the root, to catch any of them; nothing raises it",
    "NotToml": "what a text is; whoever reads a plan makes problems with lines of it",
    "RangeError": "a question about a stretch of values: only Python and the page ask one",
    "Refusal": "what the page answers",
}
SIGNALS = {
    "CannotBeCutError": "another way is taken",
    "TooManyRowsError": "a text file is read by the engine that needs less memory",
    "_Stop": "a search gives the best it has found",
}
"""They are heard by who calls, and nobody else ever sees them."""


def values_in(folder: Path) -> set[str]:
    """Give every value of every record, and the name of the bird."""
    rows = csv.reader((folder / "people.csv").read_text().splitlines()[1:])
    return {"Kanarie", *(value for row in rows for value in row)}


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Give every file and folder, when it was changed, and what is in it."""
    found = {path: path.lstat().st_mtime_ns for path in sorted(folder.rglob("*"))}
    return {str(path): (when, path.read_bytes() if path.is_file() else b"") for path, when in found.items()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.error.__name__}-{case.typed[0]}")
def test_an_error_is_told_with_code_and_hint_and_without_a_value_and_nothing_is_written(
    case: Case, inside: Process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "plan.toml").write_text(PLAN)
    case.prepare(tmp_path, monkeypatch, inside)
    before = contents(tmp_path)
    code, out, err = inside(*case.typed)
    assert (code, out) == (case.exit, "")
    assert contents(tmp_path) == before
    assert [value for value in values_in(tmp_path) if value in err] == []
    told = err.splitlines()
    hints = [f"hint: {case.hint}"] if case.hint else []
    assert told[-len(hints) - 1 :] == [*hints, f"more: incrowd explain {case.error.code}"]
    assert told[-len(hints) - 2].endswith(case.message)
    assert err.count(f"error[{case.error.code}]: ") == 1


@cache
def raised_names() -> frozenset[str]:
    return frozenset(_names_in(ast.Raise))


@cache
def caught_names() -> frozenset[str]:
    return frozenset(_names_in(ast.ExceptHandler))


def _names_in(kind: type[ast.AST]) -> set[str]:
    """Give every name that stands where something is raised, or caught."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, kind):
                part = node.exc if isinstance(node, ast.Raise) else getattr(node, "type", None)
                found |= {one.id for one in ast.walk(part or node) if isinstance(one, ast.Name)}
    return found


def kinds_of_errors() -> set[str]:
    """Give the name of every class in the source that is an exception and no warning."""
    parents = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    known = {name for name, one in vars(builtins).items() if isinstance(one, type) and issubclass(one, Exception)}
    known -= {name for name in known if name.endswith("Warning")}
    found: set[str] = set()
    while more := {name for name, above in parents.items() if above & (known | found)} - found:
        found |= more
    return found


def test_every_kind_of_error_is_provoked_or_says_why_nobody_meets_it() -> None:
    cases = [case.error.__name__ for case in CASES]
    assert {*cases, *ONLY_IN_PYTHON, *SIGNALS} == kinds_of_errors()
    assert not {*cases} & {*ONLY_IN_PYTHON, *SIGNALS}


def test_a_signal_is_heard_by_who_calls_and_is_none_of_the_errors_that_users_see() -> None:
    assert {*SIGNALS} <= raised_names() & caught_names()
    assert not {error.__name__ for error in _family(IncrowdError)} & {*SIGNALS}


def _family(error: type[IncrowdError]) -> set[type[IncrowdError]]:
    return {error, *(below for child in error.__subclasses__() for below in _family(child))}


def test_nothing_raises_the_root_of_the_errors() -> None:
    assert "IncrowdError" not in raised_names()


def test_a_stretch_that_cannot_be_read_is_refused_with_what_would_be_right() -> None:
    people = [{"age": age} for age in (702_931, 702_934)]
    release = ic.anonymize(people, ic.Schema({"age": ic.intervals(100_000)}), model="k>=2")
    with pytest.raises(RangeError, match=r"^This column holds numbers, and this is not one\. Hint: write it") as caught:
        ask(release, "count", where=[Where("age", low="Kanarie")])
    assert "Kanarie" not in str(caught.value)


def test_a_text_that_is_no_toml_says_where() -> None:
    with pytest.raises(NotToml, match="is not TOML") as caught:
        tables_of("a = 1\nb = = 2\n")
    assert caught.value.place == (2, 5)


def test_the_page_refuses_what_cannot_be_done() -> None:
    refusal = pytest.importorskip("incrowd.web._refusal").Refusal
    with pytest.raises(refusal, match=r"^The plan is not valid TOML at line 1, column 1\.$") as caught:
        pytest.importorskip("incrowd.web._decisions").tables_of("= 2")
    assert (caught.value.status, caught.value.plain["hint"]) == (422, "Undo what was changed there.")
