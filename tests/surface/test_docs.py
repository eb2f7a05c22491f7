"""The documentation builds, runs, and is complete."""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import itertools
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import incrowd
from incrowd.cli._commands import build

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```$(?:\n```text\n(?P<output>.*?)^```$)?", re.MULTILINE | re.DOTALL)
REFERENCE = re.compile(r"^::: incrowd[.\w]*\.(?P<name>\w+)$", re.MULTILINE)
FETCHED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"?(?:https?:)?//[^>]*>")


def run(*arguments: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, check=False)


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def commands(command: Any, path: str = "") -> Iterator[tuple[str, list[str]]]:
    """Give every command that does something, with its long options."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{path} {name}".strip())
    if path and not hasattr(command, "commands"):
        context = command.make_context(path, [], resilient_parsing=True)
        yield path, [option for one in command.get_params(context) for option in one.opts if option.startswith("--")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = run("-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder)
    assert built.returncode == 0, built.stderr
    return folder


def test_every_page_of_the_documentation_is_built(site: Path) -> None:
    pages = [page.relative_to(ROOT / "docs") for page in PAGES[1:]]
    assert [page for page in pages if not (site / page.with_suffix(".html")).exists()] == []


def test_pages_fetch_nothing_from_elsewhere(site: Path) -> None:
    fetched = {hit for page in site.rglob("*.html") for hit in FETCHED.findall(page.read_text(encoding="utf-8"))}
    assert fetched == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_blocks_run_and_print_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "page"}
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(block["code"], namespace)  # noqa: S102 - our own pages
        assert printed.getvalue() == (block["output"] or "")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_examples_run_and_the_before_and_after_table_of_the_readme_is_real(example: Path, tmp_path: Path) -> None:
    finished = run("-W", "error", example, cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert example.name != "before_after.py" or finished.stdout in read("README.md")


def test_every_public_name_has_its_place_in_the_reference() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs/reference").glob("*.md"))
    assert set(dir(incrowd)) - set(REFERENCE.findall(pages)) - {"__version__"} == set()


def test_the_index_of_the_reference_names_every_public_name_once() -> None:
    rows = [line.split("|")[2] for line in read("docs/reference/index.md").splitlines() if line.startswith("| ")]
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows[1:]))) == sorted(dir(incrowd))


def test_every_command_and_option_has_its_place_in_the_reference() -> None:
    head, *sections = read("docs/reference/command-line.md").split("## `incrowd ")
    documented = {section.partition("`")[0]: section for section in sections}
    found = dict(commands(typer.main.get_command(build())))
    assert set(documented) == set(found)
    missing = {
        (name, option) for name, options in found.items() for option in options if option not in documented[name]
    }
    assert missing == {(name, "--help") for name in found}
    assert "--help" in head


def test_the_changelog_begins_with_the_installed_version() -> None:
    versions = re.findall(r"^## \[(.+?)\]", read("CHANGELOG.md"), re.MULTILINE)
    assert versions[0] == importlib.metadata.version("incrowd")


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    wanted = itertools.chain(project["dependencies"], *project["optional-dependencies"].values())
    names = {re.split(r"[\[<>=! ]", line)[0] for line in wanted}
    reasons = set(re.findall(r"`([\w-]+)`", read("docs/explanation/dependencies.md")))
    assert names - reasons == set()
