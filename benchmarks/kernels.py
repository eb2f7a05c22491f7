"""The grouping kernel against ``numpy.unique``: why rows are sorted or hashed, and from when on.

``python benchmarks/kernels.py``. Random 44-bit words are grouped; ratios are to ``numpy.unique`` with its inverse.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from incrowd.core import _grouping
from incrowd.core.kernels import hash_rows

SIZES = (20_000, 500_000, 5_000_000)
SHARES = (0.9, 0.01)


def main() -> None:
    """Print the table."""
    hash_rows(np.arange(10))  # compiled or loaded before the clock starts
    print("grouping words, best of 3; ratios to numpy.unique (smaller is faster)")
    print(f"  {'rows':>10} {'distinct':>9} {'unique':>10} {'sort':>14} {'hash':>14} {'sorted already':>16}")
    for rows in SIZES:
        for share in SHARES:
            words = _words(rows, share)
            yardstick = _best(lambda words=words: np.unique(words, return_inverse=True))
            ways = [_group(words, hashed=False), _group(words, hashed=True), _group(np.sort(words), hashed=False)]
            cells = "".join(f"{way * 1e3:9.1f} {way / yardstick:4.2f}x" for way in ways)
            print(f"  {rows:>10,} {share:>9.0%} {yardstick * 1e3:7.1f} ms{cells}", flush=True)


def _words(rows: int, share: float) -> Any:
    rng = np.random.default_rng(1)
    distinct = int(rows * share)
    return rng.integers(0, 2**44, distinct)[rng.integers(0, distinct, rows)]


def _group(words: Any, *, hashed: bool) -> float:
    _grouping.HASH_FROM = 0 if hashed else 10**12
    return _best(lambda: _grouping.group([words], [2**44]))


def _best(task: Callable[[], Any]) -> float:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    main()
