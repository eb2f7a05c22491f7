from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from incrowd.cli import main
from incrowd.cli._commands import run
from incrowd.cli._explain import Session, codes
from incrowd.core import IncrowdError, UncoveredValuesError

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def explain(capsys: pytest.CaptureFixture[str]) -> Run:
    """Give a way to run ``incrowd explain``: its exit code, stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["explain", *arguments])
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return run


def family(error: type[IncrowdError]) -> Iterator[type[IncrowdError]]:
    yield error
    for child in error.__subclasses__():
        yield from family(child)


ERRORS = [error for error in family(IncrowdError) if error.__module__ == "incrowd.core._errors"][1:]
"""The tree below its root, which nothing raises; a room may refine one of them, which keeps its code."""


def test_every_error_has_a_code_of_its_own() -> None:
    codes = [error.__dict__.get("code") for error in ERRORS]
    assert None not in codes
    assert len(set(codes)) == len(codes)


def test_every_code_is_explained_and_nothing_else() -> None:
    assert sorted(codes()) == sorted(error.code for error in ERRORS)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: str(error.code))
def test_the_exit_code_is_the_one_that_the_error_leaves_with(explain: Run, error: type[IncrowdError]) -> None:
    def body() -> None:
        raise error("x", column="y", values=[]) if issubclass(error, UncoveredValuesError) else error("x")

    left = run(body, Session())
    assert f"leaves with exit code {left}.\n" in explain(error.code)[1]


def test_a_code_is_explained_with_what_to_do(explain: Run) -> None:
    assert explain("IC103")[1] == (
        "IC103: A column is named that the table does not have.\n"
        "\n"
        "Compare the spelling; upper and lower case count. Was a text file read with the wrong separator?\n"
        "\n"
        "A command that meets it leaves with exit code 2.\n"
    )


def test_a_code_may_be_written_small(explain: Run) -> None:
    assert explain(" ic201 ") == explain("IC201")


def test_without_a_code_all_are_listed(explain: Run) -> None:
    code, out, _ = explain()
    assert code == 0
    assert [line[:5] for line in out.split("\n\n")[0].splitlines()] == list(codes())


def test_machines_get_json(explain: Run) -> None:
    found = json.loads(explain("IC201", "--json")[1])
    assert (found["schema"], [one["code"] for one in found["codes"]], found["codes"][0]["exit"]) == (1, ["IC201"], 1)
    assert len(json.loads(explain("--json")[1])["codes"]) == len(codes())


@pytest.mark.parametrize(
    ("code", "hint"), [("IC210", "did you mean IC201?"), ("what", "incrowd explain lists all codes.")]
)
def test_an_unknown_code_is_wrong_use(explain: Run, code: str, hint: str) -> None:
    assert explain(code) == (2, "", f"error: There is no code {code!r}.\nhint: {hint}\n")


def test_the_list_of_codes_says_with_which_exit_code_a_command_leaves(explain: Run) -> None:
    code, said, _ = explain()
    assert code == 0
    assert "4 if a promise could not be checked (incrowd verify), and 130 if\nit was stopped.\n" in said
