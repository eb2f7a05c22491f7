"""All benchmarks, one after the other. Each prints ratios measured side by side in this run.

``python benchmarks/run.py [ARGUMENTS]``: the arguments say where tables and ARX are, as in ``search.py``, which is left
out without them.
"""

from __future__ import annotations

import sys

import census
import kernels
import search

if __name__ == "__main__":
    kernels.main()
    census.main()
    if sys.argv[1:]:
        search.main(sys.argv[1:])
