"""Faults planted on purpose: each is a mistake that somebody could make, and a part of the run must see it."""

from __future__ import annotations

import math
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from incrowd.cli import _commands
from incrowd.core import Classes
from incrowd.engines import _files
from incrowd.measures import Loss
from incrowd.models import _judge, _k_anonymity
from incrowd.plan import _sections
from incrowd.release import _folder, _recoding_file, _verify, _verify_script
from incrowd.search.lattice import _acceptance, _solutions, _sweep

Patch = pytest.MonkeyPatch
PLANTED = "INCROWD_FUZZ_FAULT"


class Fault(NamedTuple):
    """Which part must see it, and how it is planted."""

    part: str
    plant: Callable[[Patch], object]


def plant(name: str) -> Patch:
    """Plant a fault in this process; ``undo`` of what is given takes it out again."""
    patch = pytest.MonkeyPatch()
    patch.setenv(PLANTED, name)  # for processes that this one begins
    FAULTS[name].plant(patch)
    return patch


def _strict_bounds(patch: Patch) -> None:
    meets = _judge.Ratios.meets

    def strictly(self: _judge.Ratios, sense: Any, bound: Fraction) -> Any:
        return meets(self, sense, bound) & (self.numerators * bound.denominator != self.denominators * bound.numerator)

    patch.setattr(_judge.Ratios, "meets", strictly)


def _lenient_recursion(patch: Patch) -> None:
    meets = _judge.Ratios.meets

    def leniently(self: _judge.Ratios, sense: Any, bound: Fraction) -> np.ndarray:
        return meets(self, "<=" if sense == "<" else sense, bound)

    patch.setattr(_judge.Ratios, "meets", leniently)


def _one_more_each(patch: Patch) -> None:
    def measure(_: object, classes: Classes) -> tuple[_judge.Measured, ...]:
        return (_judge.Ratios.integers(classes.size + 1),)

    patch.setattr(_k_anonymity._SizeJudge, "measure", measure)


def _last_class_forgotten(patch: Patch) -> None:
    keeps = _judge.Judge._meets

    def but_the_last(self: _judge.Judge, measured: tuple[_judge.Measured, ...]) -> np.ndarray:
        found = keeps(self, measured).copy()
        found[-1:] = True
        return found

    patch.setattr(_judge.Judge, "_meets", but_the_last)


def _missing_is_a_value(patch: Patch) -> None:
    patch.setattr(_judge.Judge, "missing", property(lambda _: True))


def _one_less_asked(patch: Patch) -> None:
    """Let every class seem to have one record more, to searches and to the check of what they published."""
    _one_more_each(patch)
    found = _acceptance.Acceptance._k_and_judges

    def one_less(self: Any, judges: Any) -> Any:
        k, others = found(self, judges)
        return k - 1, others

    patch.setattr(_acceptance.Acceptance, "_k_and_judges", one_less)


def _another_mean(patch: Patch) -> None:
    bind = Loss.bind
    patch.setattr(Loss, "bind", lambda _, *how: bind(Loss("arithmetic"), *how))


def _one_minimal_node_less(patch: Patch) -> None:
    minimal = _sweep.minimal_nodes
    patch.setattr(_solutions, "minimal_nodes", lambda nodes: minimal(nodes)[1:])


def _everything_verified(patch: Patch) -> None:
    patch.setattr(_verify_script, "main", lambda *_: 0)
    patch.setattr(_verify.Verification, "outcome", property(lambda _: "holds"))


def _shape_ignored(patch: Patch) -> None:
    patch.setattr(_verify_script, "wrong_in", lambda _: [])
    patch.setattr(_verify, "wrong_in", lambda _: [])


def _best_class_shown(patch: Patch) -> None:
    """Let the script measure one class of several."""
    classes = _verify_script.classes_of
    patch.setattr(_verify_script, "classes_of", lambda *how: dict([*classes(*how).items()][:1]))


def _counts_ignored(patch: Patch) -> None:
    patch.setattr(_verify, "_compare_counts", lambda *_: iter(()))
    patch.setattr(math, "isclose", lambda *_, **__: True)


def _hashes_ignored(patch: Patch) -> None:
    def unsealed(header: dict[str, Any], _: Path) -> dict[str, Any]:
        return {name: value for name, value in header.items() if name != "sha256"} | {"format": _recoding_file.UNSEALED}

    patch.setattr(_recoding_file, "_unsealed", unsealed)


def _errors_let_through(patch: Patch) -> None:
    def trouble(*_: object) -> object:
        msg = "a library below says so"
        raise ValueError(msg)

    patch.setattr(_files, "_is_whole", trouble)


def _a_crash(patch: Patch) -> None:
    patch.setattr(_files, "_is_whole", lambda *_: os.kill(os.getpid(), signal.SIGSEGV))


def _promises_forgotten(patch: Patch) -> None:
    """Let a plan with several promises ask for the first."""

    def first(section: Any) -> tuple[str, ...]:
        return (section.promise,) if isinstance(section.promise, str) else section.promise[:1]

    patch.setattr(_sections.PrivacySection, "promises", property(first))


def _written_in_place(patch: Patch) -> None:
    @contextmanager
    def folder(target: Any, **_: object) -> Iterator[Path]:
        shutil.rmtree(target, ignore_errors=True)
        Path(target).mkdir()
        yield Path(target)

    patch.setattr(_folder, "atomic_folder", folder)


def _copy_left(patch: Patch) -> None:
    began = _commands.Program.run

    def leave_copy(self: Any, given: list[str]) -> int:
        shutil.copyfile("t.csv", Path(tempfile.gettempdir()) / "copy.csv")
        return began(self, given)

    patch.setattr(_commands.Program, "run", leave_copy)


def _signals_unheard(patch: Patch) -> None:
    patch.setattr(_commands, "_ENDS", [])


FAULTS: dict[str, Fault] = {
    "bounds are strict": Fault("verdicts", _strict_bounds),
    "k is one off": Fault("verdicts", _one_more_each),
    "the last class is forgotten": Fault("verdicts", _last_class_forgotten),
    "a missing value is a value": Fault("verdicts", _missing_is_a_value),
    "a strict bound is reached": Fault("verdicts", _lenient_recursion),
    "a class too small is published": Fault("releases", _one_less_asked),
    "another mean is minimized": Fault("releases", _another_mean),
    "one minimal node is forgotten": Fault("releases", _one_minimal_node_less),
    "every release is verified": Fault("certificates", _everything_verified),
    "the shape is not looked at": Fault("certificates", _shape_ignored),
    "the script forgets classes": Fault("certificates", _best_class_shown),
    "counts are not compared": Fault("certificates", _counts_ignored),
    "no hash is looked at": Fault("files", _hashes_ignored),
    "an error of a library is let through": Fault("files", _errors_let_through),
    "all promises but the first are forgotten": Fault("plans", _promises_forgotten),
    "a release is written in its place": Fault("kills", _written_in_place),
    "a signal is not heard": Fault("kills", _signals_unheard),
    "a copy of the table is left": Fault("kills", _copy_left),
    "a library ends the process": Fault("files", _a_crash),
}
"""By name."""
