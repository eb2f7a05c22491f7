"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None)  # a busy machine is no failure
settings.load_profile("patient")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Give the folder of the public data sets; absent on a laptop, required in CI."""
    folder = Path(os.environ.get("INCROWD_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if folder.is_dir():
        return folder
    reason = f"the public data sets are not in {folder} (set INCROWD_DATA)"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
