"""What the tests of the front doors share."""

from __future__ import annotations

from pathlib import Path

import pytest

from plan.plans import PATIENTS, SMALL


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with a small plan and its table."""
    (tmp_path / "patients.csv").write_text(PATIENTS)
    (tmp_path / "plan.toml").write_text(SMALL)
    return tmp_path
