"""What the library advises in Python's words can be typed after the command, or written into a plan."""

from __future__ import annotations

import ast
import pickle
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import incrowd
from incrowd.cli._assess import OWN_WORDS as ASSESS
from incrowd.cli._attack import OWN_WORDS as ATTACK
from incrowd.cli._explain import WORDS, Words, terminal_words
from incrowd.core import FORCE, Hint, Setting
from incrowd.plan._sections import ColumnSection, searches

SOURCE = Path(incrowd.__file__).parent
LOSS = Setting("algorithm", {"name": "top-down", "best": "loss"}, 'TopDown("loss")')
VALUES = Setting("values", "them", "the error carries them in .values; the command line prints them with --show-values")
PATH = Setting("supersets", ("path",), 'NTCloseness(..., supersets="path")')


@pytest.mark.parametrize(
    ("hint", "python", "here"),
    [
        (
            Hint("{encoding}.", encoding="cp1252"),
            "encoding='cp1252'.",
            '--encoding cp1252, or encoding = "cp1252" in a plan.',
        ),
        (Hint("{separator}.", separator=";"), "separator=';'.", '--separator ";", or separator = ";" in a plan.'),
        (
            Hint("{dates}.", dates="%d.%m.%Y"),
            "dates='%d.%m.%Y'.",
            '--dates "%d.%m.%Y", or dates = "%d.%m.%Y" in a plan.',
        ),
        (Hint("from 1: {sheet}.", sheet=1), "from 1: sheet=1.", "from 1: --sheet 1, or sheet = 1 in a plan."),
        (Hint("say {header}.", header=False), "say header=False.", "say --no-header, or header = false in a plan."),
        (Hint("name it: {owner}", owner=...), "name it: owner=...", "name it: --owner FOLDER"),
        (Hint("such as {memory}.", memory="16GB"), "such as memory='16GB'.", "such as --memory 16GB."),
        (
            Hint("replace it: {}.", FORCE),
            "replace it: force=True, --force on the command line.",
            "replace it: --force.",
        ),
        (Hint("{on}.", on={"age": "Age"}), "on={'age': 'Age'}.", "--on age=Age."),
        (
            Hint("{max_suppressed_records} would be enough.", max_suppressed_records=3),
            "max_suppressed_records=3 would be enough.",
            "max_suppressed_records = 3 in place of max_suppressed would be enough.",
        ),
        (
            Hint("use {} or {}.", Setting.search("Mondrian"), Setting.search("CheapestFirst")),
            "use Mondrian() or CheapestFirst().",
            'use "mondrian" or "cheapest-first".',
        ),
        (
            Hint("use {}.", Setting.search("Mondrian", strict=True)),
            "use Mondrian(strict=True).",
            'use { name = "mondrian", strict = true }.',
        ),
        (Hint("use {}.", LOSS), 'use TopDown("loss").', 'use { name = "top-down", best = "loss" }.'),
        (Hint("{}.", VALUES), f"{VALUES.words}.", "--show-values prints them."),
        (Hint("use {suppression}.", suppression="drop"), "use suppression='drop'.", 'use suppression = "drop".'),
        (
            Hint("{}.", Setting("of", "disease", "write of='disease'")),
            "write of='disease'.",
            "name it in brackets: [disease].",
        ),
        (Hint("write {}.", PATH), 'write NTCloseness(..., supersets="path").', "write nt(...)[path]."),
    ],
)
def test_a_hint_reads_in_the_words_of_python_and_of_the_command_line(hint: Hint, python: str, here: str) -> None:
    assert (hint, terminal_words(hint)) == (python, here)


def test_a_text_without_settings_is_said_as_it_is() -> None:
    said = "did you mean 'Mondrian()', or encoding='cp1252'?"
    assert terminal_words(said) == said


@pytest.mark.parametrize(
    ("setting", "key", "role"),
    [
        (Setting.sensitive("a b", "categories(...)"), "categories", "sensitive"),
        (Setting.sensitive("a b", "tree(...)"), "hierarchy", "sensitive"),
        (Setting.sensitive("a b", "ordered([...])"), "hierarchy", "sensitive"),
        (Setting.sensitive('it\'s "a"', "tree(...)"), "hierarchy", "sensitive"),
        (Setting("quasi", {"a b": "intervals"}), "hierarchy", "quasi"),
    ],
)
def test_what_is_advised_for_a_column_can_be_written_into_a_plan(setting: Setting, key: str, role: str) -> None:
    found = re.search(rf"({key} = .*) under (\[columns\..*\])", terminal_words(Hint("{}.", setting)))
    assert found is not None
    ((column, written),) = tomllib.loads(f'{found[2]}\nrole = "{role}"\n{found[1]}\n')["columns"].items()
    assert column in setting.value
    assert ColumnSection.model_validate(written).role == role


@cache
def _sources() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}


def _calls(name: str) -> list[ast.Call]:
    nodes = (node for tree in _sources().values() for node in ast.walk(tree))
    return [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == name]


def test_every_search_that_a_hint_names_is_one_that_a_plan_can_name() -> None:
    calls = [
        ast.unparse(call) for call in _calls("Setting.search") if call.args and isinstance(call.args[0], ast.Constant)
    ]
    settings: list[Any] = [eval(call, {"Setting": Setting}) for call in calls]  # noqa: S307 - our own source
    for setting in (*settings, LOSS):
        plan = tomllib.loads(f"algorithm = {terminal_words(Hint('{}', setting))}")["algorithm"]
        name = plan if isinstance(plan, str) else plan.pop("name")
        searches()[name](**({} if isinstance(plan, str) else plan))
    assert len(settings) > 5


def test_a_hint_can_be_pickled_and_added_to_and_keeps_its_settings() -> None:
    hint = "first; " + Hint("use {encoding}", encoding="cp437") + "."
    again = pickle.loads(pickle.dumps(hint))  # noqa: S301 - our own
    assert (again, again.parts) == ("first; use encoding='cp437'.", hint.parts)
    assert [(one.name, one.value) for one in again.settings] == [("encoding", "cp437")]


OPTIONS = "encoding|separator|decimal|thousands|dates|header|sheet|owner|memory|force|suppression|order"
PYTHON_ONLY = re.compile(
    rf"\b(?:{OPTIONS}|max_suppressed_records)=|\bothers='drop'|\b(?:on|sensitive|quasi)=\{{|\bof='|in \.values\b"
    rf"|\b(?:{'|'.join(one.__name__ for one in searches().values())})\("
)


def _hints(tree: ast.AST) -> list[ast.expr]:
    """Find what is given as a hint, or kept to be one."""
    found: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found += [one.value for one in node.keywords if one.arg == "hint"]
            found += node.args[:1] if ast.unparse(node.func) == "Hint" else []
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith("hint"):
            found.append(node.value)
    return found


def _texts(node: ast.AST) -> list[str]:
    """Give the literal texts of an expression, without those that stand in a setting."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return ["".join(text for part in node.values for text in _texts(part) or ["0"])]
    if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("Setting"):
        return []
    return [text for part in ast.iter_child_nodes(node) for text in _texts(part)]


def test_no_hint_of_the_library_holds_a_setting_as_plain_text() -> None:
    found = 0
    for path, tree in _sources().items():
        for hint in _hints(tree):
            texts = _texts(hint)
            found += len(texts)
            assert not [text for text in texts if PYTHON_ONLY.search(text)], path
    assert found > 200


def test_every_setting_that_is_said_as_python_writes_it_has_words_on_the_command_line() -> None:
    words: Words = {**WORDS, **ASSESS, **ATTACK}
    named = {str(one.arg) for call in _calls("Hint") for one in call.keywords}
    bare = [call.args[0] for call in _calls("Setting") if len(call.args) < 3 and not call.keywords]
    assert (named | {str(one.value) for one in bare if isinstance(one, ast.Constant)}) - set(words) == set()
