"""Run pyCANON's nine measures on a file; with its own interpreter, without anything of ours."""

from __future__ import annotations

import json
import resource
import sys
import time

import pandas as pd
from pycanon import anonymity

MEASURES = (
    "l_diversity",
    "entropy_l_diversity",
    "recursive_c_l_diversity",
    "alpha_k_anonymity",
    "basic_beta_likeness",
    "enhanced_beta_likeness",
    "delta_disclosure",
    "t_closeness",
)


def main(path: str, sensitive: str, *quasi: str) -> None:
    """Print the seconds that all measures take together."""
    table = pd.read_csv(path, sep=";")
    start, before = time.perf_counter(), time.process_time()
    k = anonymity.k_anonymity(table, list(quasi))
    for name in MEASURES:
        getattr(anonymity, name)(table, list(quasi), [sensitive])
    seconds, processors = time.perf_counter() - start, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"seconds": seconds, "processors": processors, "gib": peak, "facts": {"k": int(k)}}))


if __name__ == "__main__":
    main(*sys.argv[1:])
