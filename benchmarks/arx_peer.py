"""ARX, the peer written in Java: our small driver of its optimal search, run against a class path you give.

ARX is not part of this repository. Build it, or take its ``libarx`` jar, and hand over the class path.
"""

from __future__ import annotations

import functools
import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from _timing import HERE

DRIVER = HERE / "arx" / "Anonymize.java"


@dataclass(frozen=True)
class Case:
    """One search: a CSV file, the quasi-identifiers with their hierarchy files, what to promise and what to minimise.

    ``model`` belongs to ``sensitive``: ``distinct:3``, ``entropy:3`` or ``closeness:0.2`` (equal distance).
    The driver lists the names of the metrics; ``balance`` is ARX's gs-factor. ``local`` recodes locally in so many
    rounds: then ``limit`` is the share that the first search may leave to later rounds.
    """

    data: Path
    quasi: Mapping[str, Path]
    k: int = 5
    limit: float = 0.0
    sensitive: str | None = None
    model: str | None = None
    metric: str = "loss"
    balance: float = 0.5
    weights: Mapping[str, float] = field(default_factory=dict)
    separator: str = ";"
    nodes: int = 1_000_000
    local: int | None = None

    def arguments(self) -> Iterator[str]:
        """Spell the case as the driver reads it."""
        yield from (f"quasi={column}:{hierarchy}" for column, hierarchy in self.quasi.items())
        yield from (f"weight={column}:{weight}" for column, weight in self.weights.items())
        for name in ("data", "k", "limit", "sensitive", "model", "metric", "balance", "separator", "nodes", "local"):
            value = getattr(self, name)
            if value is not None:
                yield f"{name}={value}"


def classpath_of(given: str) -> str:
    """Read a class path: as it is, or out of the file that holds it."""
    is_file = len(given) < 4096 and Path(given).is_file() and not given.endswith(".jar")
    return Path(given).read_text(encoding="utf-8").strip() if is_file else given


def run_arx(classpath: str, case: Case, *, repetitions: int = 5, heap: str | None = None) -> dict[str, Any]:
    """Search with ARX in a fresh JVM: one cold call, then the warm ones.

    Parameters
    ----------
    classpath
        Where ARX and its libraries are, as ``java -cp`` wants it.
    case
        What to search.
    repetitions
        Warm calls after the cold one.
    heap
        The most memory of the JVM, such as ``"12g"``; a quarter of the machine's by default.

    Returns
    -------
    dict
        ``load_ms``, ``cold_ms``, ``warm_ms`` (a list; ``warm_cpu_ms`` of the processor, without collecting rubbish and
        compiling), ``levels`` in the order of ``case.quasi``, ``score``,
        ``suppressed``, ``classes`` (without the suppressed records), ``nodes_checked``, ``nodes_total``,
        ``peak_gib`` and ARX's ``version``. Levels, score and counts are None if no node keeps the promise. A local
        recoding has no levels and no score, but ``granularity``.
    """
    memory = [f"-Xmx{heap}"] if heap else []
    command = ["java", *memory, "-cp", f"{_driver(classpath).name}:{classpath}", "Anonymize", *case.arguments()]
    done = subprocess.run([*command, f"repetitions={repetitions}"], check=True, stdout=subprocess.PIPE, text=True)
    facts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return facts


@functools.cache
def _driver(classpath: str) -> tempfile.TemporaryDirectory[str]:
    """Compile the driver once; the folder is removed when the process ends."""
    folder = tempfile.TemporaryDirectory()
    subprocess.run(["javac", "-proc:none", "-nowarn", "-d", folder.name, "-cp", classpath, str(DRIVER)], check=True)
    return folder
