from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given, strategies as st

import incrowd as ic
from models.tables import bags, judge

rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcdef")), min_size=1, max_size=40)
CATEGORIES = ic.categories({"secret": ["a", "b"], "private": ["c"], "delicate": ["d", "e"], "harmless": ["f"]})
WEIGHT = {
    "a": Fraction(0),
    "b": Fraction(0),
    "c": Fraction(1, 3),
    "d": Fraction(2, 3),
    "e": Fraction(2, 3),
    "f": Fraction(1),
}


@given(rows=rows, p=st.integers(1, 3), alpha=st.fractions(0, 4, max_denominator=6))
def test_p_alpha_adds_up_weights_exactly(rows: list[Any], p: int, alpha: Fraction) -> None:
    classes = bags(rows)[0]
    weights = [sum((WEIGHT[value] * count for value, count in bag.items()), Fraction(0)) for bag in classes]
    distinct = [sum((WEIGHT[value] for value in bag), Fraction(0)) for bag in classes]
    kinds = [len({WEIGHT[value] for value in bag}) for bag in classes]
    plain = judge(ic.PAlphaSensitive(p, alpha), rows, CATEGORIES)
    assert plain.ok.tolist() == [len(b) >= p and w >= alpha for b, w in zip(classes, weights, strict=True)]
    enhanced = judge(ic.EnhancedPAlphaSensitive(p, alpha), rows, CATEGORIES)
    assert enhanced.ok.tolist() == [kind >= p and w >= alpha for kind, w in zip(kinds, weights, strict=True)]
    once = judge(ic.PAlphaSensitive(p, alpha, weight_over="distinct"), rows, CATEGORIES)
    assert once.ok.tolist() == [len(b) >= p and w >= alpha for b, w in zip(classes, distinct, strict=True)]


bag = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12)


@given(rows=rows, p=st.integers(1, 3), alpha=st.integers(0, 3))
def test_enhanced_implies_p_alpha_implies_p_sensitive(rows: list[Any], p: int, alpha: int) -> None:
    enhanced = judge(ic.EnhancedPAlphaSensitive(p, alpha), rows, CATEGORIES).ok
    plain = judge(ic.PAlphaSensitive(p, alpha), rows, CATEGORIES).ok
    assert not (enhanced & ~plain).any()
    assert not (plain & ~judge(ic.PSensitive(p), rows).ok).any()


def counted_classes(rows: list[tuple[Any, Any, int]]) -> list[dict[str, Any]]:
    return [{"q": q, "s": s, "n": n} for q, s, n in rows]


def test_weights_do_not_overflow() -> None:
    names = [f"v{number}" for number in range(20)]
    schema = ic.Schema(quasi=["q"], sensitive={"s": ic.categories({name: [name] for name in names})}, count="n")
    table = counted_classes([(1, names[-1], 2**61), (1, names[-2], 2**60)])
    measured = ic.check(table, schema, "p-alpha(p=1, alpha=1)").findings[0].measured[1]
    assert measured == 2**61 + 2**60 * Fraction(18, 19)
