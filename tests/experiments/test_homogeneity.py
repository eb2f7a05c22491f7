from __future__ import annotations

from fractions import Fraction

import pytest

from experiments.test_reproduce import rows
from incrowd.experiments import (
    Reproduction,
)


def test_expected_homogeneity_is_as_the_papers_say_but_for_one_slip(found: Reproduction) -> None:
    verdicts = [claim.holds for claim in found["homogeneity"].claims]
    assert verdicts == [True, True, True, True, True, False]
    by_n = {row["n"]: row["expected_classes"] for row in rows(found, "homogeneity", "size") if row["how"] == "formula"}
    assert by_n[60_000] == pytest.approx(float(Fraction(4000, 27)))
    by_k = {row["k"]: row["expected_classes"] for row in rows(found, "homogeneity", "k") if row["how"] == "formula"}
    assert (by_k[2], by_k[10]) == pytest.approx((10_000, 2000 / 6561))


def test_skewed_values_make_homogeneous_classes_likelier(found: Reproduction) -> None:
    ways = {row["how"]: row["expected_classes"] for row in rows(found, "homogeneity", "k") if row["k"] == 5}
    assert ways["formula"] == pytest.approx(ways["equal shares"], rel=0.01)
    assert ways["skewed shares (8 : 1 : 1)"] == pytest.approx(12_000 * (0.8**5 + 2 * 0.1**5), rel=0.01)
