"""µ-Argus: the paper's table, a slow twin, and what every outcome must keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.search import MuArgus, _mu_argus as combos
from incrowd.search._mu_argus import Labelled
from search import slow_raised as slow
from search.slow import QUASI, Row
from search.tables import problem, tables
from search.test_datafly import datafly_rows, illustration, one_column, outliers, rows, sizes

ORDER = ("most", "more", "less", "not")
HOW: list[Any] = [
    None,
    {"age": "most", "sex": "not"},
    {"town": "most", "age": "more"},
    {"age": "most", "town": "most"},
]


def ranks(given: Mapping[str, str] | None) -> list[int]:
    return [0 if given is None else ORDER.index(given.get(name, "less")) for name in QUASI]


def labelled(texts: list[str], counts: list[int]) -> Labelled:
    """Make classes of texts with one letter per column; a star is a suppressed label."""
    labels = np.array([[ord(letter) for letter in text] for text in texts]).T
    return Labelled(labels, labels != ord("*"), np.array(counts))


def test_improved_mu_argus_keeps_the_race_of_the_two_records_that_stand_out() -> None:
    published = rows(slow.published_by(MuArgus().search(illustration())))
    assert published - datafly_rows() == Counter(
        [("white", "*", "*", "****", "Pulmonary vascular"), ("white", "*", "*", "****", "Cardiomyopathy")]
    )
    assert datafly_rows() - published == Counter()


def test_plain_mu_argus_is_not_k_anonymous_on_the_papers_table() -> None:
    with pytest.raises(ic.NoSafeRelease, match=r"leaves 2 of 12 records in classes of fewer than 2, .* k>=2") as caught:
        MuArgus(improved=False).search(illustration())
    assert caught.value.hint == "use MuArgus(), which looks at all combinations of columns."


def test_plain_mu_argus_publishes_what_keeps_the_promise() -> None:
    schema = ic.Schema(quasi={"a": ic.flat(), "b": ic.flat()}, sensitive=["disease"])
    table = [{"a": text[0], "b": text[1], "disease": "flu"} for text in ("xu", "xu", "xv", "yv", "yv", "zv")]
    census = ic.census(table, schema)
    outcome = MuArgus(improved=False).search(ic.search.Problem(census, schema, ic.KAnonymity(2)))
    found = slow.classes_of(slow.published_by(outcome))
    assert {names: values.total() for names, values in found.items()} == {("x", "u"): 2, ("*", "v"): 2, ("y", "v"): 2}
    assert outcome.notes == (
        "Plain µ-Argus is a baseline: it looks at pairs and triples of columns only. MuArgus() looks at all of them.",
    )


@settings(max_examples=50)
@given(tables, st.integers(1, 6), outliers)
def test_improved_mu_argus_equals_its_slow_twin_and_keeps_its_promises(
    table: list[Row], k: int, allowed: int | None
) -> None:
    if k > len(table):
        return
    outcome = MuArgus(outliers=allowed).search(problem(table, ic.KAnonymity(k)))
    published = slow.published_by(outcome)
    assert published == slow.published(slow.mu_argus(table, k, k if allowed is None else allowed))
    assert min(values.total() for values in slow.classes_of(published).values()) >= k
    assert slow.originals(published) == slow.records_of(table)
    assert slow.covered(published)
    assert outcome.costs["loss"] == pytest.approx(slow.loss(published), abs=1e-11)


@settings(max_examples=50)
@given(tables, st.integers(2, 5), outliers, st.sampled_from(HOW))
def test_plain_mu_argus_equals_its_slow_twin_or_says_that_it_breaks_the_promise(
    table: list[Row], k: int, allowed: int | None, identifying: Any
) -> None:
    if k > len(table):
        return
    search = MuArgus(improved=False, identifying=identifying, outliers=allowed)
    twin = slow.plain_mu_argus(table, k, k if allowed is None else allowed, ranks(identifying))
    if left := len(slow.small(twin, k)):
        with pytest.raises(ic.NoSafeRelease, match=f"leaves {left} of {len(table)} records"):
            search.search(problem(table, ic.KAnonymity(k)))
    else:
        outcome = search.search(problem(table, ic.KAnonymity(k)))
        assert slow.published_by(outcome) == slow.published(twin)


@settings(max_examples=50)
@given(tables, st.permutations(range(24)))
def test_the_order_of_the_rows_does_not_matter(table: list[Row], order: list[int]) -> None:
    shuffled = [table[place] for place in order if place < len(table)]
    k = min(3, len(table))
    one, other = (MuArgus().search(problem(some, ic.KAnonymity(k))) for some in (table, shuffled))
    assert slow.published_by(one) == slow.published_by(other)


def test_records_with_nothing_left_borrow_as_in_datafly() -> None:
    assert sizes(MuArgus().search(one_column({"f": 5, "m": 1, "x": 3}, k=2))) == {"f": 5, "x": 2, "*": 2}
    assert sizes(MuArgus().search(one_column({"f": 2, "m": 1}, k=2))) == {"*": 3}


def test_a_combination_is_rare_if_fewer_than_k_records_have_its_labels() -> None:
    table = labelled(["ax", "ay", "bx"], [1, 2, 1])
    rare = combos.rare_combinations(table, np.array([0, 2]), np.array([0, 1]), 2)
    assert rare.tolist() == [[False, False, False, True], [False, True, False, True]]


def test_a_suppressed_label_is_in_no_combination() -> None:
    table = labelled(["a*", "ay", "by"], [1, 2, 3])
    rare = combos.rare_combinations(table, np.array([0]), np.array([0, 1]), 4)
    assert rare.tolist() == [[False, True, False, False]]


def test_every_record_counts_in_how_many_rare_combinations_a_column_is() -> None:
    table = labelled(["ax", "ay", "bx"], [1, 2, 2])
    assert combos.involvements(table, np.array([0, 2]), 3).tolist() == [2 + 1 + 2, 1 + 2]


@st.composite
def small_classes(draw: st.DrawFn) -> Labelled:
    width = draw(st.integers(1, 5))
    texts = draw(st.lists(st.text("ab*", min_size=width, max_size=width), min_size=1, max_size=12, unique=True))
    return labelled(texts, draw(st.lists(st.integers(1, 3), min_size=len(texts), max_size=len(texts))))


@settings(max_examples=50)
@given(small_classes(), st.integers(1, 6))
def test_columns_are_involved_as_a_slow_count_says(table: Labelled, k: int) -> None:
    wanted = np.flatnonzero(table.sizes < k)
    expected = [0] * len(table.labels)
    for number in wanted:
        for chosen in subsets([a for a in range(len(table.labels)) if table.shown[a, number]]):
            alike = (table.labels[list(chosen)] == table.labels[list(chosen)][:, [number]]).all(axis=0)
            if table.sizes[alike].sum() < k:
                for column in chosen:
                    expected[column] += int(table.sizes[number])
    assert combos.involvements(table, wanted, k).tolist() == expected


@settings(max_examples=50)
@given(small_classes(), st.integers(1, 6))
def test_comparing_and_grouping_give_the_same(table: Labelled, k: int) -> None:
    wanted = np.flatnonzero(table.sizes < k)
    one = combos.involvements(table, wanted, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(combos, "GROUP", 0)
        assert combos.involvements(table, wanted, k).tolist() == one.tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(combos, "BLOCK", 1)
        assert combos.involvements(table, wanted, k).tolist() == one.tolist()


@settings(max_examples=50)
@given(small_classes(), st.integers(1, 6))
def test_minimal_combinations_are_the_rare_ones_without_a_rare_one_inside(table: Labelled, k: int) -> None:
    wanted = np.flatnonzero(table.sizes < k)
    found = list(combos.minimal_combinations(table, wanted, k, 5))
    for place, number in enumerate(wanted.tolist()):
        rare = [set(chosen) for chosen in subsets(range(len(table.labels))) if is_rare(table, number, chosen, k)]
        minimal = [one for one in rare if not any(other < one for other in rare)]
        assert [set(chosen) for chosen, which in found if which[place]] == minimal


def test_of_very_many_columns_only_minimal_combinations_are_looked_at() -> None:
    width = 18
    table = labelled(["a" * width, "b" + "a" * (width - 1)], [1, 5])
    assert combos.involvements(table, np.array([0]), 2).tolist() == [1] + [0] * (width - 1)


def subsets(columns: Any) -> list[tuple[int, ...]]:
    return [chosen for number in range(len(columns)) for chosen in combinations(columns, number + 1)]


def is_rare(table: Labelled, number: int, chosen: tuple[int, ...], k: int) -> bool:
    inside = list(chosen)
    alike = (table.labels[inside] == table.labels[inside][:, [number]]).all(axis=0)
    return bool(table.shown[inside, number].all() and table.sizes[alike].sum() < k)


def test_more_than_k_anonymity_is_refused() -> None:
    with pytest.raises(ic.ParameterError, match=r"MuArgus keeps k-anonymity and nothing else, .* has t<=0.5"):
        MuArgus().search(illustration(ic.KAnonymity(2) & ic.TCloseness(0.5)))


def test_rows_of_one_person_are_refused() -> None:
    table = [{"age": "20", "sex": "f", "town": "ulm", "disease": "a", "person": str(person)} for person in (1, 1, 2)]
    with pytest.raises(ic.ParameterError, match="MuArgus counts and moves single records"):
        MuArgus().search(problem(table, ic.KAnonymity(2)))


def test_how_identifying_columns_are_belongs_to_the_plain_form() -> None:
    with pytest.raises(ic.ParameterError, match="identifying goes with improved=False"):
        MuArgus(identifying={"age": "most"})
    with pytest.raises(ic.ParameterError, match="identifying of column 'age' must be 'most', 'more', 'less' or 'not'"):
        MuArgus(improved=False, identifying={"age": "very"})  # type: ignore[dict-item]
    with pytest.raises(ic.UnknownColumnError, match="no column 'aeg' \\(given as identifying\\)"):
        MuArgus(improved=False, identifying={"aeg": "most"}).search(
            problem([{"age": "20", "sex": "f", "town": "ulm", "disease": "a"}], ic.KAnonymity(1))
        )


def test_equal_searches_are_equal_and_hash_equal() -> None:
    one, other = (MuArgus(improved=False, identifying={"age": "most"}) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)


def test_a_release_of_mu_argus_keeps_its_promise() -> None:
    release = ic.anonymize(ic.hospital(300), ic.hospital_schema(), model="k>=4", algorithm=MuArgus(outliers=40))
    assert release.verdict.holds
    assert len(release.table) == 300
