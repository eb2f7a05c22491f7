"""A server with a small table, and somebody who visits it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
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


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """Give somebody who made a release of the table, and only looks at it: nobody may change it."""
    with _visitor_who_ran(PLAN, tmp_path_factory.mktemp("finished")) as visiting:
        yield visiting


@pytest.fixture(scope="session")
def by_levels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """Give the same of a release in which every column stands at one level."""
    plan = PLAN + '[search]\nalgorithm = "optimal"\n'
    with _visitor_who_ran(plan, tmp_path_factory.mktemp("by_levels")) as visiting:
        yield visiting


@contextmanager
def _visitor_who_ran(plan: str, home: Path) -> Iterator[Visitor]:
    (home / "patients.csv").write_text(PATIENTS, encoding="utf-8")
    (home / "plan.toml").write_text(plan, encoding="utf-8")
    with serving(home) as (app, address), Visitor(app, address) as visiting:
        assert visiting.work(kind="run")["state"] == "done"
        yield visiting


@pytest.fixture
def done(finished: Visitor, folder: Path, visitor: Visitor) -> Visitor:
    """Give the same to somebody who goes on with it, in a folder of their own."""
    shutil.copytree(finished.app.state.office.folder.home, folder, dirs_exist_ok=True)
    return visitor


@pytest.fixture
def planned(visitor: Visitor, folder: Path) -> Visitor:
    """Give the same with a plan for the table."""
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    return visitor
