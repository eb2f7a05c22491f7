"""What only some installations have: tests that need it are skipped there, but never where changes are decided."""

from __future__ import annotations

import importlib.util
import os
from typing import NoReturn

import pytest


def needed(*modules: str) -> None:
    """Skip a test that needs libraries which are not installed; with ``CI=true`` fail instead."""
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        skip(f"{', '.join(missing)} not installed")


def skip(reason: str) -> NoReturn:
    """Skip a test for a reason; with ``CI=true`` fail instead."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
