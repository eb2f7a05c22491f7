from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import typer

import incrowd as ic
from core.faults import KINDS, failing as failing_as, tree, watched
from incrowd.cli import main
from incrowd.cli._commands import Program, build, run
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


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("init people.csv --quiet -o", "plan.toml"),
        ("hierarchy build people.csv --column age --kind intervals --widths 10 -o", "age.csv"),
        ("attack people.csv --quasi age --sensitive illness --exposed", "exposed.csv"),
    ],
)
def test_whatever_call_fails_a_command_says_what_it_could_not_write_and_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    written: str,
) -> None:
    """Each call by which something is written fails once; tests of ``core`` try all calls, in all ways."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda _: None)
    (tmp_path / "people.csv").write_text("age,illness\n" + "".join(f"{20 + n % 30},flu{n % 4}\n" for n in range(90)))
    program, before = Program(), tree(tmp_path)
    with watched(tmp_path) as faults:
        faults.begin(-1, lambda _: None)
        assert program.run([*command.split(), written]) == 0
    calls = [number for number, name in enumerate(faults.names) if name in {"mkdir", "write", "replace"}]
    for number in calls:
        (tmp_path / written).unlink(missing_ok=True)
        capsys.readouterr()
        with watched(tmp_path) as faults:
            faults.begin(number, failing_as(KINDS[number % len(KINDS)]))
            assert program.run([*command.split(), written]) in {2, 3}
        assert f"'{written}'" in capsys.readouterr().err
        assert tree(tmp_path) == before
    assert len(calls) > 1


def test_memory_that_runs_out_is_no_fault_of_ours_and_it_says_while_what(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def out_of_memory(*_: object, **__: object) -> None:
        message = "canary"
        raise MemoryError(message)

    schema = ic.Schema({"age": ic.intervals(10)})
    monkeypatch.setattr("incrowd.release._anonymize.publish", out_of_memory)
    assert run(lambda: ic.anonymize([{"age": 1}, {"age": 2}], schema, model="k>=2"), Session()) == 3
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


EXTRAS = {
    "fastexcel": (["assess", "t.xlsx"], "files"),
    "pyreadstat": (["assess", "t.sav"], "files"),
    "cryptography.hazmat.primitives.serialization": (["anonymize", "plan.toml", "--sign", "key.pem"], "sign"),
    "pyspark.sql": (["anonymize", "plan.toml", "--engine", "spark"], "spark"),
    "python_multipart": (["serve", "."], "web"),
}


@pytest.mark.parametrize("module", EXTRAS)
@pytest.mark.filterwarnings("ignore")  # libraries that are there may warn when they are imported
def test_whatever_extra_is_missing_it_is_said_in_one_form_with_one_exit_code(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import pyarrow.parquet as pq  # noqa: PLC0415

    arguments, extra = EXTRAS[module]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, module, None)
    for name in ("t.xlsx", "t.sav", "key.pem"):
        Path(name).write_bytes(b"")
    pq.write_table(pa.table({"age": [1, 1]}), "t.parquet")
    Path("plan.toml").write_text(
        'version = 1\n[data]\npath = "t.parquet"\n[columns.age]\nrole = "quasi"\n[privacy]\npromise = "k>=2"\n'
    )
    with pytest.raises(SystemExit, match="3"):
        main([*arguments])
    library = module.partition(".")[0].replace("_", "-")
    error, hint, _ = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("plan ")]
    assert re.fullmatch(rf"error\[IC302\]: [A-Z][ ,\w]+ needs the library '{library}', which is not installed\.", error)
    assert hint.startswith(f"hint: pip install 'incrowd[{extra}]'")
    assert not Path("out").exists()


# Systems that have not every sign, or Python without its assertions and docstrings.

UTF_8 = {"LANG": "C.UTF-8"}
UMLAUTS = {
    "größe.csv": "größe,straße\n" + "".join(f"{150 + 9 * (row % 2)},{'ÖÜ'[row // 4]}weg\n" for row in range(8)),
    "plan.toml": """version = 1
[data]
path = "größe.csv"
[columns."größe"]
role = "quasi"
[columns."straße"]
role = "quasi"
[privacy]
promise = ["k>=2"]
[output]
folder = "ausgäbe"
[report]
write = false
""",
}


def umlauts(
    folder: Path, *arguments: str, options: tuple[str, ...] = (), system: Mapping[str, str] = UTF_8
) -> tuple[int, bytes, bytes]:
    for name, text in UMLAUTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    command = [sys.executable, *options, "-c", "from incrowd.cli import main; main()", *arguments]
    known = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    paths = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    done = subprocess.run(command, capture_output=True, check=False, cwd=folder, env={**known, **paths, **system})
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("system", [{"PYTHONIOENCODING": "ascii"}, {"LANG": "C", "LC_ALL": "C"}])
def test_a_terminal_without_umlauts_gets_their_numbers_and_nothing_fails(
    system: dict[str, str], tmp_path: Path
) -> None:
    code, out, err = umlauts(tmp_path, "anonymize", "plan.toml", "--json", system=system)
    assert (code, b"Traceback" in err) == (0, False), err
    found = json.loads(out)
    assert set(found["levels"] or {"größe": 0, "straße": 0}) == {"größe", "straße"}
    assert found["written"].endswith("ausgäbe")
    assert (b"ausg\\xe4be/public" in err) == ("PYTHONIOENCODING" in system)
    assert ic.verify(tmp_path / "ausgäbe").holds


def test_a_hierarchy_on_stdout_is_utf_8_whatever_the_terminal_has(tmp_path: Path) -> None:
    asked = ("hierarchy", "build", "größe.csv", "--column", "straße", "--kind", "flat")
    code, out, _ = umlauts(tmp_path, *asked, system={"PYTHONIOENCODING": "ascii"})
    assert (code, out.decode("utf-8").split()) == (0, ["Öweg;*", "Üweg;*"])


@pytest.mark.parametrize("arguments", [("anonymize", "plan.toml"), ("assess", "größe.csv")])
def test_names_of_files_that_a_system_cannot_have_are_wrong_use(arguments: tuple[str, ...], tmp_path: Path) -> None:
    system = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    code, _, err = umlauts(tmp_path, *arguments, system=system)
    assert (code, b"set PYTHONUTF8=1" in err or b"no file's name has" in err) == (2, True), err


def test_python_without_assertions_and_docstrings_publishes_the_same(tmp_path: Path) -> None:
    files: list[dict[str, bytes]] = []
    for options in ((), ("-OO",)):
        folder = tmp_path / f"with{options}"
        folder.mkdir()
        assert umlauts(folder, "anonymize", "plan.toml", options=options)[0] == 0
        assert umlauts(folder, "verify", "ausgäbe", options=options)[0] == 0
        made = folder / "ausgäbe"
        files.append({str(path.relative_to(made)): path.read_bytes() for path in made.rglob("*") if path.is_file()})
    assert files[0] == files[1]
