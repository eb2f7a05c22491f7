"""The tutorial works: every command of it is run as it is written, all but the installation."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/tutorials/first-release.md"
BLOCK = re.compile(
    r"^```(?P<kind>sh|python|toml)\n(?P<code>.*?)^```$(?:\n```text\n(?P<output>.*?)^```$)?", re.MULTILINE | re.DOTALL
)


def blocks() -> Iterator[tuple[str, str, list[str]]]:
    """Give the kind of every block, what is in it, and the lines that it must say."""
    for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        yield block["kind"], block["code"], (block["output"] or "").splitlines()


def edit(plan: Path, section: str) -> None:
    """Put a section in the place of the one of the same name, as a reader does in an editor."""
    head = re.escape(section.splitlines()[0])
    text, found = re.subn(rf"^{head}.*\n(?:[^\n\[#].*\n)*", lambda _: section, plan.read_text(), flags=re.MULTILINE)
    assert found == 1, section
    plan.write_text(text)


def test_every_command_works_and_says_what_the_page_says(tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for kind, code, expected in blocks():
        if kind == "toml":
            edit(tmp_path / "plan.toml", code)
            continue
        command = ["sh", "-ec", code] if kind == "sh" else [sys.executable, "-c", code]
        ran = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, "PATH": path}
        )
        assert (ran.returncode, "warning" in ran.stderr) == (0, False), code + ran.stderr
        assert [line for line in expected if line not in ran.stdout + ran.stderr] == [], code
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"public", "owner"}


def test_the_page_uses_the_commands_of_the_main_job() -> None:
    used = [code.split()[1] for kind, code, _ in blocks() if kind == "sh" and code.startswith("incrowd")]
    assert list(dict.fromkeys(used)) == ["demo", "assess", "init", "anonymize", "alternatives", "frontier", "verify"]
