"""The paper on the homogeneity attack: how many classes hold one value by chance, against n and k."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from incrowd.attacks import expected_from_counts, expected_homogeneity
from incrowd.experiments._adult import Adult
from incrowd.experiments._result import Claim, Experiment, Row

PAPER = "D. Mohapatra, M. R. Patra. Analysis of k-anonymity for homogeneity attack."
VALUES = 3
"""The paper does not print how many values its charts were drawn for; its own table has three."""
SHARES = {"equal shares": (1, 1, 1), "skewed shares (8 : 1 : 1)": (8, 1, 1)}
RECORDS, K = 60_000, 5
SIZES = tuple(range(10_000, 100_001, 10_000))
KS = tuple(range(2, 13))


def homogeneity(adult: Adult, *, small: bool) -> Experiment:  # noqa: ARG001 - it needs no table and no time
    """Draw both curves again, by the formula and by the exact expectation."""
    tables = {"size": [row for n in SIZES for row in _rows(n, K)], "k": [row for k in KS for row in _rows(RECORDS, k)]}
    return Experiment(
        name="homogeneity",
        title="how many classes hold one sensitive value by chance",
        paper=PAPER,
        data="none: formulas for one sensitive column with three values, which is our choice; the paper prints none",
        stand_in=False,
        claims=_claims(tables["size"], tables["k"]),
        tables=tables,
    )


def _rows(n: int, k: int) -> list[Row]:
    """Give what the formula says, and what is expected if the values of a table are shared out by chance."""
    formula = expected_homogeneity(n, k, [VALUES])
    result: list[Row] = [{"n": n, "k": k, "how": "formula", "expected_classes": float(formula.classes)}]
    for name, parts in SHARES.items():
        counts = np.array([n * part // sum(parts) for part in parts], dtype=np.int64)
        counts[0] += n - counts.sum()
        sizes = np.full(n // k, k, dtype=np.int64)
        sizes[-1] += n % k
        result.append({"n": n, "k": k, "how": name, "expected_classes": expected_from_counts(sizes, counts)})
    return result


def _claims(over_n: Sequence[Row], over_k: Sequence[Row]) -> tuple[Claim, ...]:
    small, large, wrong = (expected_homogeneity(*given, [VALUES]) for given in ((12, 4), (60_000, 5), (6_000, 5)))
    n_formula, n_skewed = _expected_classes(over_n, "formula"), _expected_classes(over_n, "skewed shares (8 : 1 : 1)")
    k_formula, k_exact = _expected_classes(over_k, "formula"), _expected_classes(over_k, "equal shares")
    largest = max(abs(one / two - 1) for one, two in zip(k_exact, k_formula, strict=True))
    return (
        Claim("12 records, 4-anonymous, 3 diseases: SE = 1/9.", f"SE = {small.classes}.", str(small.classes) == "1/9"),
        Claim(
            "With k = 5 the possibility of a homogeneity attack increases with the size of the table.",
            f"SE goes from {n_formula[0]:.1f} for 10,000 records to {n_formula[-1]:.1f} for 100,000, in proportion.",
            all(one < two for one, two in itertools.pairwise(n_formula)),
            "The number of such classes grows; their share, 1 in 81, does not. SE is a number, not a probability.",
        ),
        Claim(
            "With 60,000 records it decreases when k grows.",
            f"SE goes from {k_formula[0]:,.0f} for k = 2 to {k_formula[-1]:.3f} for k = {KS[-1]}.",
            all(one > two for one, two in itertools.pairwise(k_formula)),
        ),
        Claim(
            "SE = (n/k) times the product of K ** (1 - k) is the expected number of homogeneous classes.",
            f"For equal shares the exact expectation is at most {100 * largest:.2f} % off; for shares of 8 : 1 : 1 it "
            f"is {n_skewed[5] / n_formula[5]:.0f} times as large.",
            largest < 0.01,
            "Right if all values are equally frequent and fall on people independently, which the paper does not say.",
        ),
        Claim(
            "60,000 records, 3 diseases, k = 5: about 148 groups without diversity (paper on closeness).",
            f"{float(large.classes):.1f} groups, {float(large.people):.0f} people.",
            round(large.classes) == 148,
        ),
        Claim(
            "6,000 records, 3 diseases, k = 5: 148 groups and 740 people without diversity, 1 of 8 (thesis).",
            f"{float(wrong.classes):.1f} groups, {float(wrong.people):.0f} people, 1 of {1 / wrong.per_class}.",
            round(wrong.classes) == 148,
            "148 groups need 60,000 records.",
        ),
    )


def _expected_classes(rows: Sequence[Row], how: str) -> list[Any]:
    return [row["expected_classes"] for row in rows if row["how"] == how]
