"""The papers' experiments, in their small form, and what must come out whatever the table is."""

from __future__ import annotations

from typing import Any

import pytest

import incrowd as ic
from incrowd.experiments import (
    Reproduction,
    reproduce,
)
from incrowd.experiments._result import MARK

NAMES = ["enhanced", "homogeneity", "p-sensitive", "improved", "closeness"]


def claims(found: Reproduction, name: str) -> dict[str, tuple[str, bool | None]]:
    return {claim.said: (claim.found, claim.holds) for claim in found[name].claims}


def rows(found: Reproduction, name: str, table: str) -> list[dict[str, Any]]:
    return [dict(row) for row in found[name].tables[table]]


def test_without_a_name_every_experiment_runs(found: Reproduction) -> None:
    assert [experiment.name for experiment in found] == NAMES
    assert len(found) == 5


def test_an_unknown_experiment_is_refused() -> None:
    with pytest.raises(ic.ParameterError, match=r"no experiment 'datafly'.*there are enhanced, homogeneity"):
        reproduce("datafly")


def test_an_experiment_that_was_not_run_is_not_there(found: Reproduction) -> None:
    with pytest.raises(ic.ParameterError, match="no experiment 'datafly' here"):
        found["datafly"]


def test_made_up_rows_are_marked_and_decide_nothing_about_adult(found: Reproduction) -> None:
    assert {one.name for one in found if one.stand_in} == {"enhanced", "p-sensitive", "closeness"}
    for one in found:
        assert ("MADE-UP ROWS" in one.data) == one.stand_in
        assert one.stand_in <= all(claim.holds is None for claim in one.claims if claim.of_data)
        marked = {f">{MARK}</text>" in str(chart) for chart in one.charts.values()}
        assert marked == {one.stand_in}


def test_nothing_is_said_to_be_found_on_adult_where_made_up_rows_stood_in(found: Reproduction) -> None:
    for one in found:
        texts = [one.title, *(claim.found for claim in one.claims)]
        texts += [str(chart).replace(MARK, "") for chart in one.charts.values()]
        assert not one.stand_in or not any("Adult" in text for text in texts)


def test_the_same_numbers_come_out_every_time(found: Reproduction, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INCROWD_DATA", raising=False)
    again = reproduce("closeness", small=True)["closeness"]
    assert {**again.to_dict(), "seconds": 0} == {**found["closeness"].to_dict(), "seconds": 0}
