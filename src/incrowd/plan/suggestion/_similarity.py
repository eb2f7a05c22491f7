"""Trees of values that go with the same others in a table: for names of which nothing else is known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import numpy.typing as npt

from incrowd.core import Census, Domain, atomic_path
from incrowd.hierarchies import Tree, similarity_tree, write_csv

FEWEST, MOST = 5, 300  # so many values a column needs for a tree, and may have
COLUMNS, BINS = 12, 16  # values are compared by so many other columns at most, each in so many parts


def trees_of(census: Census, names: Sequence[str]) -> dict[str, Tree]:
    """Build the trees of some columns from the joint counts with the other quasi-identifiers."""
    # Confidential columns are not looked at: what is published must not say whose values go with which disease.
    names = [name for name in names if _is_fit(census.domains[name])]
    compared = census.quasi[: COLUMNS + 1] if names else ()  # one of them may be the column itself
    codes = dict(zip(census.quasi, census.codes, strict=True))
    parts = {name: _parts(census.domains[name]).take(codes[name]) for name in compared}
    counts = census.counts if (census.counts != 1).any() else None
    trees = {}
    for name in names:
        domain = census.domains[name]
        beside = [parts[other] for other in compared if other != name][:COLUMNS]
        tree = similarity_tree(domain, _together(codes[name], len(domain), beside, counts, len(domain.values)))
        if tree is not None:
            trees[name] = tree
    return trees


def _is_fit(domain: Domain) -> bool:
    """Whether values are names, and so many that they can be put together."""
    return domain.kind in {"text", "number"} and FEWEST <= len(domain.values) <= MOST


def _together(
    codes: npt.NDArray[np.integer],
    size: int,
    beside: Sequence[npt.NDArray[np.uint8]],
    counts: npt.NDArray[np.integer] | None,
    known: int,
) -> list[npt.NDArray[np.int64]]:
    """Count how often each of the known values stands beside each part of other columns."""
    width = BINS + 1
    rows = codes.astype(np.int64) * width
    found = (np.bincount(rows + parts, counts, size * width) for parts in beside)
    return [np.rint(one).astype(np.int64).reshape(size, width)[:known] for one in found]


def _parts(domain: Domain) -> npt.NDArray[np.uint8]:
    """Give the part of each code: neighbours with about as many rows where values have an order, else frequent ones."""
    counts, known = domain.counts.astype(np.int64), len(domain.values)
    result = np.full(len(counts), BINS, dtype=np.int64)  # a missing value is a part of its own
    if known <= BINS:
        result[:known] = np.arange(known)
    elif domain.kind == "text":
        frequent = np.argsort(-counts[:known], kind="stable")[: BINS - 1]
        result[:known] = BINS - 1
        result[frequent] = np.arange(len(frequent))
    else:
        before = np.cumsum(counts[:known]) - counts[:known]
        result[:known] = np.minimum(before * BINS // max(int(counts[:known].sum()), 1), BINS - 1)
    return result.astype(np.uint8)


def ladder_files(plan: Path, names: Sequence[str]) -> dict[str, Path]:
    """Say in which file beside a plan the tree of each column is kept: names made safe, none twice."""
    folder, taken, files = plan.with_name(f"{plan.stem}-ladders"), set[str](), {}
    for name in names:
        safe = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:60] or "column"
        number, unique = 1, f"{safe}_column" if _RESERVED.fullmatch(safe) else safe
        while unique.casefold() in taken:
            number += 1
            unique = f"{safe}-{number}"
        taken.add(unique.casefold())
        files[name] = folder / f"{unique}.csv"
    return files


_RESERVED = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)


def write_trees(trees: Mapping[str, Tree], files: Mapping[str, Path], *, force: bool) -> None:
    """Write trees, all or none: none if one of the files may not be replaced."""
    with ExitStack() as stack:
        for name, tree in trees.items():
            files[name].parent.mkdir(exist_ok=True)
            write_csv(tree, stack.enter_context(atomic_path(files[name], force=force)))
