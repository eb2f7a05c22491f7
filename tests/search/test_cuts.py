"""(n, t)-closeness: parts on the way to a class certify it."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.models import NTJudge
from incrowd.search import CutOutcome, LocalTable, Mondrian, Problem
from models.slow import variational
from search import slow_mondrian as slow
from search.slow_mondrian import Part
from search.tables import bag
from search.tables_mondrian import alike, kinds, members, names, problem, published, tables

pytestmark = pytest.mark.filterwarnings("ignore:.* promises nothing")

numbers = st.tuples(
    st.integers(1, 20), st.sampled_from([Fraction(1, 10), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2)])
)


def near(pieces: list[Part], path: list[Part], n: int, t: Fraction) -> bool:
    """Check as the paper does, each piece for itself (S4-CHECK)."""
    large = [part for part in path if len(part) >= n]
    return all(len(piece) >= n or any(variational(bag(piece), bag(part)) <= t for part in large) for piece in pieces)


@settings(max_examples=50)
@given(table=tables, numbers=numbers, k=st.integers(1, 3), labels=kinds, mode=st.sampled_from(["path", "table"]))
def test_pieces_are_compared_with_the_large_parts_that_they_were_cut_out_of(
    table: Part, numbers: tuple[int, Fraction], k: int, labels: Any, mode: Any
) -> None:
    n, t = numbers
    model = ic.KAnonymity(k) & ic.NTCloseness(n, t, supersets=mode)
    if len(table) < max(n, k):
        with pytest.raises(ic.NoSafeRelease, match="records in one class break"):
            Mondrian(labels=labels).search(problem(table, model))
        return

    def check(pieces: list[Part], path: list[Part]) -> bool:
        return all(len(piece) >= k for piece in pieces) and near(pieces, path if mode == "path" else path[:1], n, t)

    outcome = Mondrian(labels=labels).search(problem(table, model))
    assert published(outcome) == slow.published(slow.mondrian(table, check, labels=labels), labels)


def on_the_way(outcome: CutOutcome, number: int) -> list[Part]:
    """Give the records of every part that a class was cut out of."""
    assert outcome.paths is not None
    parts = members(outcome)
    return [
        [row for other, part in enumerate(parts) if region in outcome.paths[other] for row in part]
        for region in outcome.paths[number].tolist()
        if region >= 0
    ]


def audited(asked: Problem, outcome: CutOutcome) -> Any:
    """Give the published classes with the way to each."""
    recoding, census = outcome.recoding, asked.census
    known = {cell: number for number, cell in enumerate(zip(*map(np.ndarray.tolist, census.codes), strict=True))}
    cells = np.array([known[cell] for cell in zip(*map(np.ndarray.tolist, recoding.codes), strict=True)])
    found = LocalTable(asked).classes(cells, recoding.classes, outcome.classes, recoding.counts)
    labels, codes = (tuple(getattr(column, part) for column in outcome.labels) for part in ("names", "codes"))
    return dataclasses.replace(found, paths=outcome.paths, labels=labels, codes=codes)


@settings(max_examples=50)
@given(table=tables, numbers=numbers, strict=st.booleans(), labels=kinds)
def test_every_class_has_a_part_on_its_way_that_certifies_it(
    table: Part, numbers: tuple[int, Fraction], strict: bool, labels: Any
) -> None:
    n, t = numbers
    if len(table) < n:
        return
    asked = problem(table, ic.NTCloseness(n, t, supersets="path"))
    outcome = Mondrian(strict, labels).search(asked)
    for number, part in enumerate(members(outcome)):
        assert near([part], on_the_way(outcome, number), n, t)
    (judge,) = asked.judges()
    found = audited(asked, outcome)
    assert judge.keeps(found).all()
    assert judge.keeps(outcome.partition.attach(dataclasses.replace(found, paths=None))).all()
    assert outcome.sizes.sum() == len(table)


@settings(max_examples=20)
@given(table=tables, n=st.integers(1, 20), t=st.sampled_from([0.1, 0.3]), distance=st.sampled_from(["kl", "ordered"]))
def test_other_distances_are_certified_too(table: Part, n: int, t: float, distance: Any) -> None:
    numbered = [{**row, "disease": "abcd".index(row["disease"])} for row in table]
    roles = slow.schema()
    asked = Problem(ic.census(numbered, roles), roles, ic.NTCloseness(n, t, distance=distance, supersets="path"))
    if len(table) >= n:
        outcome = Mondrian().search(asked)
        (judge,) = asked.judges()
        assert judge.keeps(audited(asked, outcome)).all()


def test_the_ancestor_that_certifies_a_class_is_named() -> None:
    """In the north half have a, in the south nobody: only the halves are like what was cut out of them."""
    table = [
        *alike(age=[20, 20, 25, 25], sex=list("fmfm"), disease=list("abab")),
        *alike(age=[62, 62, 88, 88], sex=list("fmfm"), disease=list("cccc")),
    ]
    asked = problem(table, ic.NTCloseness(4, 0, supersets="path"))
    outcome = Mondrian().search(asked)
    assert sorted((age, sex) for age, _, sex, _ in names(outcome)) == [
        ("20", "{f, m}"),
        ("25", "{f, m}"),
        ("62", "f"),
        ("62", "m"),
        ("88", "f"),
        ("88", "m"),
    ]
    (judge,) = asked.judges()
    assert isinstance(judge, NTJudge)
    certificates = judge.certificates(audited(asked, outcome))
    assert set(certificates.supersets.tolist()) <= {"depth 1", "depth 2"}
    assert outcome.partition.paths["62", "none", "f", "ulm"] == ("all", "age 62..88", "sex f")


def test_cuts_are_taken_back_where_parts_are_called_alike() -> None:
    """Parts of both halves are called 31, and are together in the whole table only: that is what is published."""
    table = alike(age=[20, 31, 31, 31, 31, 47], disease=list("abcabc"))
    asked = problem(table, ic.NTCloseness(2, 1, supersets="path"))
    outcome = Mondrian(strict=False).search(asked)
    assert [age for age, *_ in names(outcome)] == ["20..47"]
    assert outcome.leaves is not None
    assert outcome.leaves.tolist() == [0]
    assert np.asarray(outcome.paths).tolist() == [[0]]
    assert outcome.notes == (
        "Classes may overlap: records with equal values were shared out between parts.",
        "Cuts were taken back where parts would have been called alike: 4 classes fewer.",
    )


@pytest.mark.parametrize("supersets", ["lattice", "drop"])
def test_other_supersets_are_refused(supersets: Any) -> None:
    model = ic.NTCloseness(2, 0.5, supersets=supersets)
    with pytest.raises(ic.ParameterError, match=f"not supersets of the kind '{supersets}'") as caught:
        Mondrian().search(problem(alike(age=[20, 31]), model))
    assert 'supersets="path"' in str(caught.value)


def test_closeness_to_a_part_is_refused_where_people_have_several_rows() -> None:
    table = [{**row, "person": number} for number, row in enumerate(alike(age=[20, 31]))]
    with pytest.raises(ic.ParameterError, match="where people have several rows"):
        Mondrian().search(problem(table, ic.NTCloseness(2, 0.5, supersets="path")))
