"""What a worker can do, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from incrowd.web import (
    _evidence,
    _evidence as _charts,
    _evidence as _harbor,
    _explore,
    _explore as _coarsen,
    _look,
    _make,
    _questions,
)
from incrowd.web._refusal import Plain
from incrowd.web._worker import Teller

Task = Callable[[Plain, Teller], Plain]

TASKS: Mapping[str, Task] = {
    "suggest": _look.suggest_plan,
    "example": _look.example,
    "profile": _look.profile,
    "rows": _look.rows,
    "values": _look.values,
    "singling-out": _look.singling_out,
    "preview": _coarsen.preview,
    "feasible": _coarsen.feasible,
    "safe-harbor": _harbor.harbor,
    "harbor-kinds": _harbor.kinds,
    "draw": _charts.draw,
    "vega": _charts.bundle,
    "run": _make.run,
    "proposals": _make.proposals,
    "frontier": _make.frontier,
    "nodes": _explore.nodes,
    "node": _explore.node,
    "nt-check": _explore.nt_check,
    "graph": _explore.graph,
    "question": _questions.question,
    "evidence": _evidence.evidence,
    "export": _evidence.export,
}
"""Every task takes what it needs as plain data, and gives plain data."""
