"""Every kind of table that an engine takes, so that one test body asks them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.subjects import TYPED, Subject, make_subject


@pytest.fixture(params=[*TYPED, "csv"])
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Subject:
    """Each kind of table in turn."""
    return make_subject(request.param, tmp_path)


@pytest.fixture(params=TYPED)
def typed(request: pytest.FixtureRequest, tmp_path: Path) -> Subject:
    """Each kind of table that knows the types of its columns: a CSV file has texts only."""
    return make_subject(request.param, tmp_path)
