"""The optima that ARX 3.9.2 finds on the Adult table, with its own hierarchies."""

from __future__ import annotations

from pathlib import Path

import pytest

import incrowd as ic
from incrowd.core import Census
from incrowd.models import promise, suppression_limit
from incrowd.search import Incognito, Optimal, Outcome, Problem

NINE = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]
EIGHT = [name for name in NINE if name != "occupation"]


@pytest.fixture(scope="module")
def adult(adult_folder: Path, adult_csv: Path) -> dict[int, tuple[Census, ic.Schema]]:
    """Count Adult once with nine quasi-identifiers, once with eight and the occupation as a secret."""
    result = {}
    for names in (NINE, EIGHT):
        schema = ic.Schema(
            quasi={name: ic.tree(adult_folder / f"hierarchy_{name}.csv") for name in names},
            sensitive=[] if "occupation" in names else ["occupation"],
        )
        result[len(names)] = ic.census(adult_csv, schema), schema
    return result


def search(taken: tuple[Census, ic.Schema], text: str, share: float, measure: str = "loss") -> Outcome:
    census, schema = taken
    return Optimal(measure).search(Problem(census, schema, promise(text), suppression_limit(census.records, share)))


@pytest.mark.parametrize(
    ("columns", "text", "share", "measure", "levels", "score", "suppressed", "classes"),
    [
        (9, "k>=5", 0, "loss", "041132210", 0.57315096555, 0, 24),
        (9, "k>=5", 0.05, "loss", "030021120", 0.2419323651, 1346, 397),
        (9, "k>=5", 1, "loss", "030021110", 0.2204119285, 2553, 602),
        (9, "k>=10", 0.05, "loss", "030121120", 0.2912700156, 1437, 196),
        (9, "k>=5", 0.05, "discernibility", "001232211", 7_220_555, 105, 356),
        (8, "k>=5, l>=3[occupation]", 0.05, "loss", "03002110", 0.1717021812, 1400, 387),
        (8, "k>=5, t<=0.2[occupation]", 0.05, "loss", "14113121", 0.8150031862, 235, 6),
    ],
)
def test_finds_the_optimum_that_arx_finds(  # noqa: PLR0917 - one row of a table
    adult: dict[int, tuple[Census, ic.Schema]],
    columns: int,
    text: str,
    share: float,
    measure: str,
    levels: str,
    score: float,
    suppressed: int,
    classes: int,
) -> None:
    best = search(adult[columns], text, share, measure).best
    assert best is not None
    assert "".join(map(str, best.levels.values())) == levels
    assert best.score == pytest.approx(score, abs=1e-9)
    assert (best.suppressed, best.classes) == (suppressed, classes)


def test_is_better_than_arx_where_entropy_is_exactly_at_the_bound(adult: dict[int, tuple[Census, ic.Schema]]) -> None:
    """ARX compares entropies without tolerance, so classes with exactly three equal shares fail there (0.21544934)."""
    best = search(adult[8], "k>=5, entropy-l>=3[occupation]", 0.05).best
    assert best is not None
    assert "".join(map(str, best.levels.values())) == "03012110"
    assert best.score == pytest.approx(0.215277098, abs=1e-9)
    assert (best.suppressed, best.classes) == (1174, 262)


def test_incognito_and_the_list_of_all_solutions_agree_on_what_is_minimal(
    adult: dict[int, tuple[Census, ic.Schema]],
) -> None:
    census, schema = adult[8]
    limit = suppression_limit(census.records, 0.05)
    problem = Problem(census, schema, promise("k>=5"), limit, at_least={"age": 2, "education": 1}, at_most={"race": 1})
    found = Incognito().search(problem)
    best = Optimal().search(problem).best
    assert found.best is not None
    assert best is not None
    assert found.minimal is not None
    assert list(found.best.levels.values()) in found.minimal.tolist()
    assert best.score <= found.best.score
