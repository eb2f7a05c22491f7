from __future__ import annotations

import errno
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from incrowd import Schema, anonymize, intervals
from incrowd.cli import main
from incrowd.cli._commands import build, run
from incrowd.cli._explain import Session
from incrowd.core import EngineError, NoSafeRelease, ParameterError, PrivacyWarning, UncoveredValuesError, atomic_path


def failing(error: BaseException) -> Callable[[], object]:
    def body() -> object:
        raise error

    return body


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ParameterError("k must be at least 1, got 0."), 2),
        (EngineError("The disk is full."), 3),
        (RuntimeError("canary"), 3),
        (OSError(errno.ENOSPC, "No space left on device"), 3),
        (KeyboardInterrupt(), 130),
        (typer.Abort(), 130),
        (SystemExit(1), 130),
        (SystemExit(0), 0),
    ],
)
def test_every_end_has_its_exit_code(error: BaseException, code: int) -> None:
    assert run(failing(error), Session()) == code


@pytest.mark.parametrize(("result", "code"), [(None, 0), (0, 0), (1, 1), ("text", 0)])
def test_a_command_may_choose_its_exit_code(result: object, code: int) -> None:
    assert run(lambda: result, Session()) == code


def test_our_errors_say_what_is_wrong_what_would_be_right_and_where_to_read_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(failing(ParameterError("k must be at least 1, got 0.", hint="use 5.")), Session())
    said = "error[IC101]: k must be at least 1, got 0.\nhint: use 5.\nmore: incrowd explain IC101\n"
    assert capsys.readouterr().err == said


def test_where_to_read_more_stands_last(capsys: pytest.CaptureFixture[str]) -> None:
    run(failing(UncoveredValuesError("1 value.", column="x", values=["y"])), Session(debug=True, show_values=True))
    said = capsys.readouterr().err.splitlines()
    assert said[:2] == ["error[IC105]: 1 value.", "  'y'"]
    assert said[-1] == "more: incrowd explain IC105"


def test_a_promise_that_cannot_be_kept_is_no_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(failing(NoSafeRelease("Nothing is left.", hint="ask for less.")), Session()) == 1
    said = "error[IC201]: Nothing is left.\nhint: ask for less.\nmore: incrowd explain IC201\n"
    assert capsys.readouterr().err == said


@pytest.mark.filterwarnings("default")
def test_only_our_own_warnings_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    def body() -> None:
        warnings.warn("k>=1 promises nothing.", PrivacyWarning, stacklevel=1)
        warnings.warn("canary", RuntimeWarning, stacklevel=1)

    assert run(body, Session()) == 0
    assert capsys.readouterr().err == "warning: k>=1 promises nothing.\n"


def test_uncovered_values_are_shown_only_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    error = UncoveredValuesError("1 value is not covered.", column="x", values=["canary"])
    run(failing(error), Session())
    assert "canary" not in capsys.readouterr().err
    run(failing(error), Session(show_values=True))
    assert "\n  'canary'\nmore: " in capsys.readouterr().err


@pytest.mark.parametrize("debug", [False, True])
def test_a_foreign_message_is_never_shown(capsys: pytest.CaptureFixture[str], debug: bool) -> None:
    def body() -> object:
        value = "canary"
        try:
            return int(value)
        except ValueError as error:
            raise LookupError(value) from error

    assert run(body, Session(debug=debug)) == 3
    said = capsys.readouterr().err
    assert "canary" not in said
    assert "This should not have happened (LookupError)" in said
    assert ("builtins.ValueError" in said, "test_run.py:" in said) == (debug, debug)


def test_debug_says_where_our_own_errors_came_from(capsys: pytest.CaptureFixture[str]) -> None:
    run(failing(ParameterError("k must be at least 1, got 0.")), Session(debug=True))
    assert "in body" in capsys.readouterr().err


def test_the_system_is_quoted_without_its_file(capsys: pytest.CaptureFixture[str]) -> None:
    run(failing(OSError(errno.ENOSPC, "No space left on device", "canary")), Session(debug=True))
    assert capsys.readouterr().err.startswith("error[IC302]: The system says: No space left on device.\nhint: ")


def test_what_could_not_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def body() -> None:
        with atomic_path("plan.toml") as part:
            part.write_text("version = 1")
            monkeypatch.setattr(os, "fsync", full)

    monkeypatch.chdir(tmp_path)
    assert run(body, Session()) == 3
    said = capsys.readouterr().err
    assert said.startswith("error[IC302]: 'plan.toml' cannot be written: No space left on device.\nhint: ")
    assert list(tmp_path.iterdir()) == []


def test_memory_that_runs_out_is_no_fault_of_ours_and_it_says_while_what(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def out_of_memory(*_: object, **__: object) -> None:
        message = "canary"
        raise MemoryError(message)

    schema = Schema({"age": intervals(10)})
    monkeypatch.setattr("incrowd.release._anonymize.publish", out_of_memory)
    assert run(lambda: anonymize([{"age": 1}, {"age": 2}], schema, model="k>=2"), Session()) == 3
    said = capsys.readouterr().err
    assert said.startswith("error[IC302]: Memory ran out while the release was made.\nhint: ")
    assert "canary" not in said


def test_a_stopped_command_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    run(failing(KeyboardInterrupt()), Session())
    assert capsys.readouterr().err == "stopped.\n"


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out.startswith("incrowd 0.")


def test_a_wrong_command_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["frobnicate"])
    assert capsys.readouterr().err.startswith("error: No such command 'frobnicate'.")


def test_a_command_without_arguments_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["hierarchy"])
    said = capsys.readouterr()
    assert "Usage: incrowd hierarchy" in said.out + said.err
    assert "error:" not in said.err


def test_debug_reaches_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--debug", "hierarchy", "show", "no.csv"])
    assert "  at " in capsys.readouterr().err


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys\nfrom incrowd.cli import main\n"
        "try:\n    main(['hierarchy', 'build', '--help'])\nexcept SystemExit:\n"
        "    heavy = {'numpy', 'numba', 'narwhals', 'duckdb', 'pyarrow', 'pandas', 'polars'} & sys.modules.keys()\n"
        "    sys.exit(f'imported {sorted(heavy)}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def commands(command: Any) -> Iterator[Any]:
    for inner in getattr(command, "commands", {}).values():
        yield from commands(inner)
    if not hasattr(command, "commands"):
        yield command


@pytest.mark.parametrize("command", list(commands(typer.main.get_command(build()))), ids=lambda one: str(one.name))
def test_every_command_shows_an_example_that_fits_into_a_terminal(command: Any) -> None:
    (example,) = (line for line in command.help.splitlines() if line.startswith("For example: incrowd "))
    assert len(example) < 80
    assert f" {command.name} " in example


def test_a_switch_does_not_look_as_if_it_took_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["anonymize", "-h"])
    shown = capsys.readouterr().out
    assert "--dry-run" in shown
    assert "bool" not in shown


def test_help_has_no_colour_when_piped() -> None:
    environment = {key: value for key, value in os.environ.items() if key not in {"FORCE_COLOR", "PY_COLORS"}}
    script = [sys.executable, "-c", "from incrowd.cli import main; main(['--help'])"]
    done = subprocess.run(script, capture_output=True, text=True, check=True, env=environment)
    assert "\x1b[" not in done.stdout


def test_a_reader_that_went_away_is_no_bug(abandon: Callable[..., tuple[int, bytes]]) -> None:
    script = "import sys; from incrowd.cli._commands import run; from incrowd.cli._explain import Session\n"
    script += "sys.exit(run(lambda: [sys.stdout.write('x' * 99) for _ in range(99_999)] and None, Session()))"
    assert abandon(script) == (130, b"")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stdout_or_stderr_is_no_bug(closed: str, tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("a;*\nb;*\n")
    script = f"from incrowd.cli import main; main(['hierarchy', 'check', '{tmp_path}/h.csv'])"
    command = ["sh", "-c", f'exec "$0" -c "$1" {closed}', sys.executable, script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
