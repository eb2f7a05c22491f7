"""Releases of every kind of promise, and the script that checks them."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.release import _verify_script

TREE = ic.tree({"x": {"ab": ["a", "b"], "c": ["c"]}, "y": {"de": ["d", "e"], "f": ["f"]}})
CATEGORIES = ic.categories({"secret": ["a", "b"], "private": ["c"], "delicate": ["d", "e"], "harmless": ["f"]})
ORDER = ic.ordered(["f", "e", "d", "c", "b", "a"])
QUASI: dict[str, Any] = {"age": ic.intervals(10, 20), "sex": ic.flat()}
PROMISES: dict[str, Any] = {
    "k>=2": None,
    "k>=2[candidates]": None,
    "l>=2": None,
    "probabilistic-l>=3/2": None,
    "entropy-l>=1.5": None,
    "recursive(c=3, l=2)": None,
    "p>=2": None,
    "p-alpha(p=2, alpha=1)": CATEGORIES,
    'p-alpha(p=2, alpha=1/3, weight_over="distinct")': CATEGORIES,
    "enhanced(p=2, alpha=1/3)": CATEGORIES,
    "alpha<=0.9": None,
    "alpha<=0.9[disease: a, b]": None,
    "alpha(a=0.9, b=0.8)[disease]": None,
    "t<=0.6": None,
    "t<=0.6[ordered]": ORDER,
    "t<=0.6[hierarchical]": TREE,
    "t<=1.2[kl]": None,
    "t<=0.6[cost, ordered]": None,
    "nt(n=6, t=0.6)": None,
    "nt(n=6, t=0.6)[drop]": None,
    "nt(n=6, t=0.6)[table, ordered]": ORDER,
    "nt(n=6, t=0.6)[drop, hierarchical]": TREE,
    "nt(n=6, t=1.2)[drop, kl]": None,
    "nt(n=6, t=0.6)[cost, drop, ordered]": None,
    "beta<=3": None,
    "enhanced-beta<=3": None,
    "delta<3": None,
}
PEOPLE = [
    {"name": f"N{n}", "age": age, "sex": sex, "disease": disease, "cost": cost, "ward": n % 2}
    for n, (age, sex, disease, cost) in enumerate(
        [
            (31, "f", "a", 10),
            (33, "f", "f", 20),
            (36, "f", "c", 10),
            (38, "f", "d", 35),
            (32, "m", "e", 20),
            (34, "m", "f", 10),
            (37, "m", "a", 35),
            (51, "m", "b", 50),
            (52, "m", "f", 20),
            (55, "m", "c", 20),
            (58, "m", "a", 10),
            (71, "f", "b", 80),
        ]
    )
]


def schema(meaning: Any, promise: str = "", **more: Any) -> ic.Schema:
    sensitive: dict[str, Any] = {"cost": None} if "cost" in promise else {"disease": meaning}
    others = ["ward", "disease" if "cost" in promise else "cost"]
    return ic.Schema(QUASI, sensitive, identifiers=["name"], insensitive=others, **more)


def release_of(promise: str, table: Any = PEOPLE, **more: Any) -> ic.Release:
    more = {"max_suppressed": 0.5, "algorithm": ic.Optimal(), **more}
    return ic.anonymize(table, schema(PROMISES[promise], promise), model=promise, **more)


def script(folder: Path, *arguments: str) -> tuple[int, str]:
    command = [sys.executable, str(folder / "public" / "verify.py"), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    return ran.returncode, ran.stdout


def run_script(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run the script in this process, and keep what tests hear apart."""
    capsys.readouterr()
    return script_here(folder)


def script_here(folder: Path) -> tuple[int, str]:
    """Run the script in this process, which is faster."""
    limit, said = csv.field_size_limit(), io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            code = _verify_script.main([str(folder / "public" / "release.json")])
    finally:
        csv.field_size_limit(limit)  # the script sets it for its process, which is not ours
    return code, said.getvalue()


def rewrite(folder: Path, change: Callable[[Any], object]) -> None:
    path = folder / "public" / "release.json"
    certificate = json.loads(path.read_text())
    change(certificate)
    path.write_text(json.dumps(certificate))
