"""SwapDiversity: the paper's table, a slow twin, and what every outcome must keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.search import Problem, SwapDiversity
from incrowd.search.swap_diversity import _crowds as crowds
from search import slow_raised as slow
from search.slow import Row
from search.tables import CATEGORY, problem, tables
from search.test_datafly import ILLUSTRATION, PAPER, outliers, rows

WITH_CATEGORIES = ic.Schema(
    quasi=dict(ILLUSTRATION.quasi),
    sensitive={"Problem": ic.categories(PAPER / "003_fig7_categories_inferred.csv")},
    identifiers=["ID", "Name"],
)
PROMISES: list[tuple[Any, int, Callable[[str], Any]]] = [
    (ic.LDiversity(1), 1, str),
    (ic.LDiversity(2), 2, str),
    (ic.PSensitive(3), 3, str),
    (ic.EnhancedPAlphaSensitive(2, 0), 2, CATEGORY.__getitem__),
    (ic.EnhancedPAlphaSensitive(3, 0), 3, CATEGORY.__getitem__),
]
promises = st.sampled_from(PROMISES)


def illustration(model: Any) -> Problem:
    """Ask about Table 7 of the paper, with categories of its problems."""
    census = ic.census(PAPER / "003_table7_illustration.csv", WITH_CATEGORIES)
    return Problem(census, WITH_CATEGORIES, model)


def feasible(table: list[Row], k: int, wanted: int, kind: Callable[[str], Any]) -> bool:
    return len(table) >= k and len({kind(row["disease"]) for row in table}) >= wanted


def test_on_the_papers_table_a_swap_saves_a_class() -> None:
    model = ic.KAnonymity(2) & ic.EnhancedPAlphaSensitive(2, 0)
    swapped, merged = (SwapDiversity(swap=swap).search(illustration(model)) for swap in (True, False))
    assert rows(slow.published_by(swapped)) == Counter(
        {
            ("black", "1964", "female", "2138", "Coronary artery"): 1,
            ("black", "1964", "female", "2138", "Lung cancer"): 1,
            ("black", "1965", "*", "21**", "Pulmonary vascular"): 1,
            ("black", "1965", "*", "21**", "Lung cancer"): 1,
            ("black", "1965", "*", "21**", "Mouth cancer"): 1,
            ("*", "1965", "*", "21**", "Asthma"): 1,
            ("*", "1965", "*", "21**", "Cardiomyopathy"): 1,
            ("white", "196*", "male", "213*", "Pulmonary vascular"): 2,
            ("white", "196*", "male", "213*", "Coronary artery"): 1,
            ("white", "196*", "male", "213*", "Lung cancer"): 1,
            ("white", "196*", "male", "213*", "Asthma"): 1,
        }
    )
    assert (swapped.classes, merged.classes) == (4, 3)
    assert merged.notes == (
        "Without swaps this is a baseline: classes that lack categories are merged. SwapDiversity() swaps first.",
    )


@settings(max_examples=50)
@given(tables, st.integers(1, 5), outliers, promises, st.booleans())
def test_it_equals_its_slow_twin(table: list[Row], k: int, allowed: int | None, asked: Any, swap: bool) -> None:
    model, wanted, kind = asked
    if not feasible(table, k, wanted, kind):
        return
    outcome = SwapDiversity(swap=swap, outliers=allowed).search(problem(table, ic.KAnonymity(k) & model))
    twin = slow.Swapping(table, k, k if allowed is None else allowed, kind).run(wanted, swap=swap)
    assert slow.published_by(outcome) == slow.published(twin)


@settings(max_examples=50)
@given(tables, st.integers(1, 5), outliers, promises, st.booleans())
def test_it_keeps_its_promises(table: list[Row], k: int, allowed: int | None, asked: Any, swap: bool) -> None:
    model, wanted, kind = asked
    if not feasible(table, k, wanted, kind):
        return
    outcome = SwapDiversity(swap=swap, outliers=allowed).search(problem(table, ic.KAnonymity(k) & model))
    published = slow.published_by(outcome)
    for values in slow.classes_of(published).values():
        assert values.total() >= k
        assert len({kind(value) for value in values}) >= wanted
    assert slow.originals(published) == slow.records_of(table)  # nobody lost, no sensitive value changed
    assert slow.covered(published)
    assert outcome.costs["loss"] == pytest.approx(slow.loss(published), abs=1e-11)


@settings(max_examples=50)
@given(tables, st.permutations(range(24)))
def test_the_order_of_the_rows_does_not_matter(table: list[Row], order: list[int]) -> None:
    shuffled = [table[place] for place in order if place < len(table)]
    if not feasible(table, 2, 2, str):
        return
    model = ic.KAnonymity(2) & ic.LDiversity(2)
    one, other = (SwapDiversity(outliers=9).search(problem(some, model)) for some in (table, shuffled))
    assert slow.published_by(one) == slow.published_by(other)


def test_records_of_one_cell_can_part() -> None:
    schema = ic.Schema(quasi={"age": ic.intervals(10)}, sensitive=["disease"])
    table = [{"age": 21, "disease": "flu"}] * 4 + [{"age": 38, "disease": "hiv"}] * 4
    outcome = SwapDiversity().search(Problem(ic.census(table, schema), schema, ic.LDiversity(2)))
    published = slow.published_by(outcome)
    assert slow.classes_of(published) == {("*",): Counter({"flu": 4, "hiv": 4})}  # both are called the same now
    assert outcome.suppressed == 0


def test_no_swap_may_cost_the_other_class_a_category_that_it_needs() -> None:
    schema = ic.Schema(quasi={"town": ic.flat()}, sensitive=["disease"])
    table = [{"town": text[0], "disease": text[1]} for text in ("xa", "xa", "ya", "yb")]
    outcome = SwapDiversity().search(Problem(ic.census(table, schema), schema, ic.KAnonymity(2) & ic.LDiversity(2)))
    assert outcome.sizes.tolist() == [4]


def test_more_values_than_can_be_counted_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowds, "MOST", 10)
    with pytest.raises(ic.ParameterError, match=r"counts 6 sensitive values in 7 classes, and can count 10 pairs"):
        SwapDiversity().search(illustration(ic.KAnonymity(2) & ic.LDiversity(2)))


@pytest.mark.parametrize(
    ("model", "found"),
    [
        (ic.KAnonymity(2), "not k>=2"),
        (ic.EnhancedPAlphaSensitive(2, 1), r"not enhanced\(p=2, alpha=1\)"),
        (ic.LDiversity(2, kind="entropy"), "not entropy-l>=2"),
        (ic.KAnonymity(2) & ic.LDiversity(2) & ic.TCloseness(0.5), "not l>=2, t<=0.5"),
    ],
)
def test_other_promises_are_refused(model: Any, found: str) -> None:
    with pytest.raises(ic.ParameterError, match=found):
        SwapDiversity().search(illustration(model))


def test_several_sensitive_columns_are_refused() -> None:
    schema = ic.Schema(quasi={"town": ic.flat()}, sensitive=["a", "b"])
    census = ic.census([{"town": "ulm", "a": 1, "b": 2}, {"town": "ulm", "a": 2, "b": 1}], schema)
    with pytest.raises(ic.ParameterError, match=r"one sensitive column, and l>=2\[a, b\] is about 2"):
        SwapDiversity().search(Problem(census, schema, ic.LDiversity(2, of=["a", "b"])))


def test_of_several_sensitive_columns_one_can_be_named() -> None:
    schema = ic.Schema(quasi={"town": ic.flat()}, sensitive=["a", "b"])
    table = [{"town": text[0], "a": text[1], "b": text[2]} for text in ("xpu", "xpv", "ypv", "yqv")]
    outcome = SwapDiversity().search(
        Problem(ic.census(table, schema), schema, ic.KAnonymity(2) & ic.LDiversity(2, of="b"))
    )
    assert outcome.sizes.tolist() == [4]


def test_rows_of_one_person_are_refused() -> None:
    table = [{"age": "20", "sex": "f", "town": "ulm", "disease": "a", "person": str(person)} for person in (1, 1, 2)]
    with pytest.raises(ic.ParameterError, match="SwapDiversity counts and moves single records"):
        SwapDiversity().search(problem(table, ic.LDiversity(2)))


def test_fewer_categories_than_wanted_have_no_release() -> None:
    with pytest.raises(ic.NoSafeRelease, match="Even all 12 records in one class break"):
        SwapDiversity().search(illustration(ic.EnhancedPAlphaSensitive(4, 0)))


def test_a_release_with_swaps_keeps_its_promise() -> None:
    model = "k>=4, l>=3[diagnosis]"
    search = SwapDiversity(outliers=60)
    release = ic.anonymize(ic.hospital(300), ic.hospital_schema(), model=model, algorithm=search)
    assert release.verdict.holds
    assert len(release.table) == 300
