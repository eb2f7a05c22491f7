"""One search in a process of its own, from starting Python to the best node.

``python benchmarks/_first_call.py TABLE PREFIX HOW COLUMN...``. HOW is ``usual``; ``compiled``, which loads the
compiled loops however small the table is; or ``sorted``, which never does.
"""

from __future__ import annotations

import sys

import incrowd as ic
from incrowd.models import promise, suppression_limit
from incrowd.search import Optimal, Problem
from incrowd.search.lattice import _rollup


def main(table: str, prefix: str, how: str, *columns: str) -> None:
    """Search, and say how."""
    if how != "usual":
        _rollup.COMPILE_FROM = 0 if how == "compiled" else sys.maxsize
        _rollup.COMPILE_AFTER = sys.maxsize
    schema = ic.Schema(quasi={name: ic.tree(f"{prefix}{name}.csv") for name in columns})
    census = ic.census(table, schema)
    problem = Problem(census, schema, promise("k>=5"), suppression_limit(census.records, 0.05))
    found = Optimal().search(problem)
    loaded = "incrowd.core.kernels" in sys.modules
    print(f"{found.checked} nodes tested, {'compiled loops' if loaded else 'NumPy alone'}")


if __name__ == "__main__":
    main(*sys.argv[1:])
