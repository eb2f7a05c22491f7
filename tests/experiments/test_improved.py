from __future__ import annotations

from pathlib import Path

import pytest

from experiments.test_reproduce import rows
from incrowd.experiments import (
    Reproduction,
    _improved as _improved_tables,
)


@pytest.mark.parametrize(
    ("table", "records", "k", "compatible", "distinct", "similar"),
    [
        ("ours, Datafly", 10, 2, 2, 2, (3, 6)),
        ("ours, improved Datafly", 12, 2, 2, 2, (3, 6)),
        ("ours, improved mu-Argus", 12, 2, 2, 2, (3, 6)),
        ("ours, improved l-diversity", 12, 6, 6, 5, (0, 0)),
        ("printed Table 10, improved Datafly", 12, 1, 1, 1, (5, 8)),
        ("printed Table 12, mu-Argus", 12, 1, 1, 1, (5, 8)),
        ("printed Table 13, improved mu-Argus", 12, 1, 3, 1, (5, 8)),
        ("printed Table 14, l-diversity", 12, 3, 3, 3, (0, 0)),
        ("printed Table 15, improved l-diversity", 12, 1, 3, 1, (2, 3)),
    ],
)
def test_the_twelve_records_come_out_of_every_algorithm_as_measured(
    found: Reproduction,
    table: str,
    records: int,
    k: int,
    compatible: int,
    distinct: int,
    similar: tuple[int, int],
) -> None:
    (row,) = (row for row in rows(found, "improved", "results") if row["table"] == table)
    assert (row["records"], row["k"], row["compatible_k"], row["distinct_l"]) == (records, k, compatible, distinct)
    assert (row["similar_classes"], row["similar_records"]) == similar


def test_plain_mu_argus_publishes_nothing(found: Reproduction) -> None:
    assert {row["table"] for row in rows(found, "improved", "results") if row["records"] == 0} == {"ours, mu-Argus"}


def test_the_improved_algorithms_hide_records_7_and_8_but_for_their_race(found: Reproduction) -> None:
    for name in ("improved Datafly", "improved mu-Argus"):
        own = [row for row in rows(found, "improved", "released") if row["algorithm"] == name]
        hidden = [row for row in own if row["birth"] == "*"]
        assert [(row["race"], row["gender"], row["zip"], row["problem"]) for row in hidden] == [
            ("white", "*", "*", "Cardiomyopathy"),
            ("white", "*", "*", "Pulmonary vascular"),
        ]
        assert len(own) == 12


@pytest.mark.parametrize(
    "table", ["000", *(name.split(",")[0].removeprefix("Table ") for name in _improved_tables.PRINTED)]
)
def test_the_printed_tables_are_those_of_the_published_facts(table: str) -> None:
    folder = Path(__file__).parents[1] / "published" / "tables"
    number = "7" if table == "000" else table
    (path,) = folder.glob(f"003_table{number}_*.csv")
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    texts = {name.split(",")[0].removeprefix("Table "): text for name, text in _improved_tables.PRINTED.items()}
    own = _improved_tables.rows_of(_improved_tables.TABLE_7 if table == "000" else texts[table])
    skipped = head.split(",").index("Race")
    printed = [[cell or "*" for cell in line.split(",")[skipped:]] for line in lines]
    assert [list(row.values()) for row in own] == printed
