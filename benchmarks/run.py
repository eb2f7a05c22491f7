"""All benchmarks, one after the other. Each prints ratios measured side by side in this run."""

from __future__ import annotations

import census
import kernels

if __name__ == "__main__":
    kernels.main()
    census.main()
