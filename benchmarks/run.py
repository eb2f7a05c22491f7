"""All benchmarks, one after the other. Each prints ratios measured side by side in this run.

``python benchmarks/run.py [ARGUMENTS]``: the arguments say where tables and ARX are, as in ``search.py``, which is left
out without them. ``evidence.py``, ``scale.py`` and ``memory.py`` run on small tables here; alone they take large ones.
``house.py`` counts the code itself and is run alone.
"""

from __future__ import annotations

import sys

import census
import command
import kernels
import memory
import page
import scale
import suggest

import evidence
import search

if __name__ == "__main__":
    kernels.main()
    census.main()
    page.main()
    suggest.main()
    command.main(1_000, 3)
    evidence.main(500_000)
    scale.main(["1000000", "3000000"])
    memory.main(["300000"])
    if sys.argv[1:]:
        search.main(sys.argv[1:])
