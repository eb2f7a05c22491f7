"""Importing costs nothing, and imports point down only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {"numpy", "numba", "narwhals", "duckdb", "pyarrow", "pandas", "polars"}

HELP = ("init", "anonymize", "apply", "assess", "frontier", "compare", "verify", "demo", "hierarchy build")
COMMANDS = ["--help", "--version", "explain", *(f"{command} --help" for command in HELP)]
AFTER_EACH_COMMAND = """
import contextlib, io, sys
from incrowd.cli import main
for command in {commands!r}:
    said, code = io.StringIO(), 0
    with contextlib.redirect_stdout(said):
        try:
            main(command.split())
        except SystemExit as done:
            code = done.code or 0
    assert code == 0 and said.getvalue(), command
    print("loaded:", *sorted({{name.partition(".")[0] for name in sys.modules}}))
"""


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)


def heavy_ones(line: str) -> set[str]:
    assert line.startswith("loaded: "), line
    return HEAVY & set(line.split())


def test_importing_the_package_imports_nothing_heavy() -> None:
    ran = python("import incrowd, sys; dir(incrowd); print('loaded:', *sys.modules)")
    assert heavy_ones(ran.stdout) == set(), ran.stderr


def test_an_error_can_be_caught_without_a_dataframe_library() -> None:
    ran = python("import incrowd, sys; incrowd.IncrowdError; print('loaded:', *sys.modules)")
    assert heavy_ones(ran.stdout) <= {"numpy"}, ran.stderr


@pytest.fixture(scope="module")
def loaded() -> dict[str, set[str]]:
    """Answer every command in one process, and tell what heavy libraries were there after each."""
    ran = python(AFTER_EACH_COMMAND.format(commands=COMMANDS))
    assert ran.returncode == 0, ran.stderr
    return dict(zip(COMMANDS, map(heavy_ones, ran.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_answers_for_help_without_importing_anything_heavy(
    command: str, loaded: dict[str, set[str]]
) -> None:
    assert loaded[command] == set()


def test_the_core_imports_no_dataframe_library_and_no_compiler() -> None:
    ran = python("import incrowd.core, sys; print('loaded:', *sys.modules)")
    assert heavy_ones(ran.stdout) == {"numpy"}, ran.stderr


def test_the_main_job_loads_neither_charts_nor_experiments_nor_the_rooms_above() -> None:
    ran = python("import incrowd, sys; incrowd.anonymize; print('loaded:', *sys.modules)")
    rooms = {name.split(".")[1] for name in ran.stdout.split() if name.startswith("incrowd.")}
    assert rooms == {"core", "engines", "hierarchies", "measures", "models", "release", "search"}, ran.stderr


def test_hierarchies_import_no_dataframe_library() -> None:
    ran = python("import incrowd.hierarchies, sys; print('loaded:', *sys.modules)")
    assert heavy_ones(ran.stdout) == {"numpy"}, ran.stderr


def test_engines_do_not_import_frames_that_nobody_uses() -> None:
    ran = python("import incrowd.engines, sys; print('loaded:', *sys.modules)")
    assert heavy_ones(ran.stdout) & {"pandas", "polars", "numba"} == set(), ran.stderr


def test_rooms_point_down_only() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "17 kept, 0 broken" in ran.stdout
