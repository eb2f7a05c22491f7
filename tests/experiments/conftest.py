"""What all experiments give on made-up rows: run once, and read by many tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from incrowd.experiments import Reproduction, reproduce


@pytest.fixture(scope="session")
def found() -> Iterator[Reproduction]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("INCROWD_DATA", raising=False)
        yield reproduce(small=True)
