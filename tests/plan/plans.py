"""A small plan and its table, for all tests of plans."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import incrowd as ic

SMALL = """\
version = 1
[data]
path = "patients.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { intervals = [10, 20] }
[columns.sex]
role = "quasi"
hierarchy = "flat"
[columns.disease]
role = "sensitive"
[privacy]
promise = ["k>=2", "l>=2[disease]"]
max_suppressed = 0.5
"""

PATIENTS = """\
name,age,sex,disease
Ada,31,f,flu
Bob,34,f,hiv
Cem,36,m,flu
Dan,38,m,asthma
Eva,52,f,flu
Fay,71,m,hiv
"""


def changed(folder: Path, old: str, new: str) -> Path:
    """Write the small plan with one thing changed."""
    assert old in SMALL
    path = folder / "changed.toml"
    path.write_text(SMALL.replace(old, new, 1))
    return path


def suggested(path: Path, text: str, **reading: Any) -> Any:
    """Write a text file, and suggest what its columns are."""
    path.write_text(text, encoding="utf-8")
    return ic.suggest(path, **reading)
