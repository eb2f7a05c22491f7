from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import incrowd as ic
from incrowd.plan import ColumnSuggestion

DRAW = random.Random(3)


@pytest.fixture(autouse=True)
def draw_anew() -> None:
    """Let what a test draws not depend on the tests before it."""
    DRAW.seed(3)


ROWS = 800
NAMES = ["account", "konto", "credit_card", "steuer", "loan", "claim", "insurance", "crime_case", "donor"]
WRITTEN: dict[str, Callable[[], Any]] = {
    "numbers of six digits": lambda: DRAW.randrange(10**5, 10**6),
    "numbers of eight digits with zeros in front": lambda: f"{DRAW.randrange(10**8):08}",
    "numbers of ten digits": lambda: DRAW.randrange(10**9, 10**10),
    "numbers of cards": lambda: f"4{DRAW.randrange(10**15):015}",
    "codes": lambda: f"K{DRAW.randrange(10**7):07}",
    "numbers of files": lambda: f"{DRAW.randrange(1000, 10**4)}/2{DRAW.randrange(4)}",
}


def column_of(name: str, values: list[Any]) -> ColumnSuggestion:
    people = range(len(values))
    table = pd.DataFrame({
        "age": [DRAW.randrange(18, 90) for _ in people],
        "sex": [DRAW.choice("fm") for _ in people],
        name: values,
    })  # fmt: skip
    return next(column for column in ic.suggest(table).columns if column.name == name)


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_accounts_and_files_are_left_out_though_their_name_sounds_confidential(
    name: str, written: str
) -> None:
    assert column_of(name, [WRITTEN[written]() for _ in range(ROWS)]).role == "identifier"


@pytest.mark.parametrize("written", ["numbers of six digits", "codes"])
def test_they_are_known_where_each_stands_in_a_few_rows_and_asked_about_as_persons(written: str) -> None:
    accounts = [WRITTEN[written]() for _ in range(ROWS // 2)]
    table = pd.DataFrame({
        "age": [DRAW.randrange(18, 90) for _ in range(ROWS)],
        "account": [DRAW.choice(accounts) for _ in range(ROWS)],
    })  # fmt: skip
    found = ic.suggest(table)
    assert (found.columns[1].role, found.columns[1].sure, found.perhaps) == ("identifier", False, "account")


AMOUNTS: dict[str, Callable[[], Any]] = {
    "most of five digits": lambda: round(DRAW.lognormvariate(10.6, 0.5)),
    "nearly all of five digits": lambda: round(DRAW.lognormvariate(10.6, 0.2)),
    "round": lambda: round(DRAW.lognormvariate(12.5, 0.5), -3),
    "most of six digits": lambda: round(DRAW.lognormvariate(12.5, 0.5)),
    "with decimals": lambda: round(DRAW.lognormvariate(8, 0.5), 2),
    "of a month": lambda: round(DRAW.lognormvariate(8, 0.5)),
}


@pytest.mark.parametrize("written", AMOUNTS)
@pytest.mark.parametrize("name", ["income", "salary", "price", "charges", "loan", "tax"])
def test_amounts_stay_confidential(name: str, written: str) -> None:
    found = column_of(name, [AMOUNTS[written]() for _ in range(ROWS)])
    assert (found.role, found.sure) == ("sensitive", True)


@pytest.mark.parametrize("name", ["income", "account"])
@pytest.mark.parametrize(("low", "high"), [(20_000, 90_000), (150_000, 400_000), (0, 10**8)])
def test_what_could_be_either_is_asked(name: str, low: int, high: int) -> None:
    found = column_of(name, [DRAW.randrange(low, high) for _ in range(ROWS)])
    assert (found.role, found.sure) == ("sensitive", False)
    assert found.reason.endswith("could be numbers of accounts or files: nearly every one occurs once")
