"""The parts of the fuzzing run: where each is, and how long one case of it may take."""

from __future__ import annotations

from typing import NamedTuple


class Part(NamedTuple):
    """A module with a function ``run``, and the seconds after which a case hangs."""

    module: str
    seconds: float = 60.0


PARTS = {
    "verdicts": Part("fuzz.verdicts"),
    "releases": Part("fuzz.releases"),
    "certificates": Part("fuzz.certificates"),
    "files": Part("fuzz.files"),
    "plans": Part("fuzz.plans"),
    "kills": Part("fuzz.kills"),
}
"""By the name that is said on the command line."""
