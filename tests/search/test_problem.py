"""What a search is asked is checked when it is put together."""

from __future__ import annotations

from typing import Any

import pytest

import incrowd as ic
from search.tables import problem

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"at_least": {"agee": 1}}, "no column 'agee'"),
        ({"at_most": {"age": 9}}, "at_most of column 'age' must be a level from 0 to 3, got 9"),
        ({"at_least": {"age": 2}, "at_most": {"age": 1}}, "nothing is both"),
        ({"policy": "some"}, "policy must be 'violating' or 'small_only'"),
    ],
)
def test_limits_that_make_no_sense_are_refused(wrong: Any, message: str) -> None:
    with pytest.raises(ic.IncrowdError, match=message):
        problem([{"age": "20", "sex": "f", "town": "ulm", "disease": "a"}], ic.KAnonymity(1), **wrong)
