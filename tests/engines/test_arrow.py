"""A pandas frame is given back as it came: whole numbers beside missing ones stay whole, however large they are."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from incrowd.engines import Budget, open_table

LARGE = 2**53 + 1
"""The first whole number that no float can hold."""


@pytest.fixture(params=["in this process", "by DuckDB"], autouse=True)
def encoded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let frames be encoded here and there."""
    if request.param == "by DuckDB":
        monkeypatch.setattr(Budget, "rows", lambda *_: 0)


@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]", "object"])
def test_large_whole_numbers_beside_missing_ones_are_exact(dtype: Any) -> None:
    frame = pd.DataFrame({"number": pd.Series([LARGE, None, LARGE - 1, LARGE], dtype=dtype)})
    given_back = open_table(frame).materialise()
    assert given_back["number"].dtype == dtype
    assert [None if pd.isna(number) else number for number in given_back["number"]] == [LARGE - 1, LARGE, LARGE, None]


def test_booleans_numbers_and_times_keep_their_dtypes() -> None:
    frame = pd.DataFrame({"yes": pd.array([None, False, True], dtype="boolean")})
    frame["few"] = pd.array([None, 1, 255], dtype="UInt8")
    frame["share"] = [0.5, None, 1.5]
    frame["day"] = pd.Series(["2024-02-29", None, "1999-12-31"], dtype="datetime64[us]")
    given_back = open_table(frame).materialise()
    for name in ("yes", "few", "share"):
        assert given_back[name].dtype == frame[name].dtype
    assert given_back["day"].dtype.kind == "M"
    assert given_back["few"].tolist() == [1, 255, pd.NA]
    assert given_back["yes"].tolist() == [False, True, pd.NA]
