"""Trees from data: what goes with the same others becomes one group."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import given, strategies as st

from incrowd.core import Domain
from incrowd.hierarchies import Tree, covered, similarity_tree
from incrowd.hierarchies._similarity import CHANCE, go_together


def tree_of(rows: dict[str, list[int]], *more: dict[str, list[int]]) -> Tree | None:
    """Build the tree of values from how often each goes with the values of other columns."""
    names = [name for name, counts in rows.items() for _ in range(sum(counts))]
    domain = Domain.of("job", names)
    return similarity_tree(domain, [np.array([part[name] for name in domain.values]) for part in (rows, *more)])


def path(tree: Tree | None, value: str) -> tuple[str, ...]:
    assert tree is not None
    return next(path for path in tree.paths if path[0] == value)


JOBS = {
    "baker": [50, 1, 1],
    "cook": [40, 2, 1],
    "judge": [1, 60, 2],
    "lawyer": [2, 70, 1],
    "nurse": [1, 1, 80],
    "physician": [2, 1, 50],
}


def test_what_goes_with_the_same_others_is_grouped_first() -> None:
    tree = tree_of(JOBS)
    assert path(tree, "baker")[1:] == ("{baker, cook}", *path(tree, "cook")[2:])
    assert path(tree, "judge")[1] == path(tree, "lawyer")[1] == "{judge, lawyer}"
    assert path(tree, "nurse")[1] == "{nurse, physician}"
    assert [len({path[level] for path in tree.paths}) for level in range(tree.height + 1)] == [6, 3, 2, 1]  # type: ignore[union-attr]


def test_a_label_is_a_set_that_is_read_without_its_tree() -> None:
    domain = Domain.of("job", list(JOBS))
    assert covered("{judge, lawyer}", domain).tolist() == [name in {"judge", "lawyer"} for name in JOBS]


def test_a_long_label_is_shortened_with_the_frequent_ones_first() -> None:
    rows = {f"a very long name of a job {number:02d}": [number + 20, 1] for number in range(16)}
    rows["short"] = [1, 500]
    labels = {path[-2] for path in tree_of(rows).paths}  # type: ignore[union-attr]
    assert labels == {"a very long name of a job 15 and 15 others", "short"}


def test_without_other_columns_there_is_nothing_to_tell_values_apart_by() -> None:
    domain = Domain.of("job", list(JOBS))
    assert similarity_tree(domain, []) is None
    assert similarity_tree(domain, [np.ones((6, 1), dtype=np.int64)]) is None
    assert similarity_tree(Domain.of("job", ["a", "b"]), [np.eye(2, dtype=np.int64)]) is None


COUNTS = st.integers(3, 20).flatmap(
    lambda values: st.lists(
        st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=values, max_size=values),
        min_size=1,
        max_size=3,
    )
)


def domain_of(size: int, has_null: bool) -> Domain:
    return Domain.of("x", [f"v{number:02d}" for number in range(size)] + [None] * has_null)


@given(COUNTS, st.booleans())
def test_every_tree_nests_binds_and_halves(counts: list[list[list[int]]], has_null: bool) -> None:
    parts = [np.array(part) for part in counts]
    domain = domain_of(len(parts[0]), has_null)
    tree = similarity_tree(domain, parts)
    if tree is None:
        return
    ladder = tree.bind(domain)
    sizes = [len(labels) - has_null for labels in ladder.labels[:-1]]
    assert all(size == -(-before // 2) for before, size in itertools.pairwise(sizes))
    assert 1 <= tree.height - 1 <= 4


@given(COUNTS, st.randoms(use_true_random=False))
def test_the_order_of_the_other_columns_values_changes_nothing(counts: Any, random: Any) -> None:
    parts = [np.array(part) for part in counts]
    domain = domain_of(len(parts[0]), has_null=False)
    order = random.sample(range(3), 3)
    assert similarity_tree(domain, parts) == similarity_tree(domain, [part[:, order] for part in parts])


def test_labels_name_nobody_rare() -> None:
    domain = Domain.of("job", ["cook"] * 40 + ["farmer"] * 40 + ["astronaut"] + ["judge"] * 30 + ["queen"] * 2)
    tree = similarity_tree(domain, [np.array([[1, 0], [40, 1], [39, 1], [2, 28], [0, 2]])])
    assert tree is not None
    labels = {label for path in tree.paths for label in path[1:]} - {path[0] for path in tree.paths}
    assert labels
    assert not any(rare in label for label in labels for rare in ("astronaut", "queen"))


@given(st.integers(0, 2**32 - 1), st.integers(40, 800), st.integers(5, 40))
def test_what_is_drawn_by_chance_does_not_go_together(seed: int, rows: int, values: int) -> None:
    random = np.random.default_rng(seed)
    counts = np.zeros((values, 6), dtype=np.int64)
    np.add.at(counts, (random.integers(0, values, rows), random.integers(0, 6, rows)), 1)
    assert not go_together(counts) or _z(counts) > CHANCE


def _z(counts: npt.NDArray[np.int64]) -> float:
    """Compare chi-squared with that of shuffled tables."""
    random = np.random.default_rng(0)
    rows, columns = (np.repeat(np.arange(counts.shape[axis]), counts.sum(axis=1 - axis)) for axis in (0, 1))
    drawn = []
    for _ in range(300):
        table = np.zeros(counts.shape)
        np.add.at(table, (rows, random.permutation(columns)), 1)
        drawn.append(_chi(table))
    return float((_chi(counts) - np.mean(drawn)) / np.std(drawn))


def _chi(counts: npt.NDArray[Any]) -> float:
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    return float(((counts - expected) ** 2 / expected).sum())


def test_what_goes_together_is_seen() -> None:
    assert go_together(np.array([[30, 2, 1], [3, 28, 2], [1, 1, 40]]))
    assert not go_together(np.array([[10, 11, 9], [11, 10, 10], [9, 10, 11]]))
    assert not go_together(np.array([[5, 0, 0]]))
