"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from engines.extras import skip

settings.register_profile("patient", deadline=None)  # a busy machine is no failure
settings.load_profile("patient")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Give the folder of the public data sets; absent on a laptop, required in CI."""
    folder = Path(os.environ.get("INCROWD_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not folder.is_dir():
        skip(f"the public data sets are not in {folder} (set INCROWD_DATA)")
    return folder
