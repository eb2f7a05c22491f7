"""A server with a small table, and somebody who visits it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from web.serving import PATIENTS, PLAN, Visitor, serving


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with a table and nothing else."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "patients.csv").write_text(PATIENTS, encoding="utf-8")
    return home


@pytest.fixture
def visitor(folder: Path) -> Iterator[Visitor]:
    """Give somebody who visits the server of the folder."""
    with serving(folder) as (app, address), Visitor(app, address) as visiting:
        yield visiting


@pytest.fixture
def planned(visitor: Visitor, folder: Path) -> Visitor:
    """Give the same with a plan for the table."""
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    return visitor
