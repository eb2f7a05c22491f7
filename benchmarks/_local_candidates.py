"""What a star is: a value, or whatever fits. How many stars each reading takes, and who is found where they are few."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba
import numpy as np
from _searches import ADULT, schema

import incrowd as ic
from incrowd.core import Namer
from incrowd.models import promise
from incrowd.search import LevelsAndCells, LocalOutcome, Problem

KEYS = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
SDCMICRO = {("testdata2", 2): 97}
"""Cells that sdcMicro suppresses there, reading a star as what fits and is fit by every value: that promises less."""
ALONE = "people whom fewer than k records fit"


def candidates_on_adult(folder: Path) -> None:
    """Print the readings on Adult, levels as they are found."""
    roles = schema(ADULT, f"{folder}/hierarchy_")
    for k in (5, 10):
        _print_readings(f"Adult, k={k}", folder / "adult.csv", roles, k)
        _print_reading(f"Adult, k={k}, nobody alone", folder / "adult.csv", roles, f"k>=2, k>={k}[candidates]")


def candidates_on_sdc(folder: Path) -> None:
    """Print the readings on the tables of sdcMicro, columns as they are."""
    roles = ic.Schema(quasi={name: ic.flat() for name in KEYS}, sensitive=[])
    for name in ("testdata2", "testdata"):
        for k in (2, 3, 5):
            theirs = SDCMICRO.get((name, k))
            title = f"{name}, k={k}" + ("" if theirs is None else f" (sdcMicro {theirs} stars)")
            _print_readings(title, folder / f"{name}.csv", roles, k, dict.fromkeys(KEYS, 0))


def stars_on_hospital() -> None:
    """Print how many stars stand where fewer than k records share the rest of the row and what is under the star."""
    table, roles, k = ic.hospital(), ic.hospital_schema(), 5
    problem = Problem(ic.census(table, roles), roles, promise(f"k>={k}"))
    values, starred, _ = _points_of(problem, LevelsAndCells().search(problem))
    needed = 0
    for record, column in np.argwhere(starred):
        shown = ~starred[record]
        shown[column] = True
        needed += (values[:, shown] == values[record, shown]).all(axis=1).sum() < k
    print(f"  hospital, k={k}: {starred.sum():,} stars, {needed:,} by which the record itself would stand out")


def _print_readings(title: str, table: Path, roles: ic.Schema, k: int, levels: Any = None) -> None:
    """Print the promise of records that look the same, that of candidates, and that of candidates exactly."""
    problem = _print_reading(f"{title}, look the same", table, roles, f"k>={k}", levels)
    _print_reading(f"{title}, candidates", table, roles, f"k>={k}[candidates]", levels)
    outcome = LevelsAndCells().search(problem)
    values, starred, lost = _points_of(problem, outcome)
    give_back(values, starred, 1 - lost, np.argsort(-((1 - lost) * starred).sum(axis=1), kind="stable"), k)
    print(f"  {title + ', people known':<48}{starred.sum():8,} stars, loss {np.where(starred, 1, lost).mean():.4f}")
    if levels is not None:
        stars = wildcards(values, np.argsort([-len(set(column.tolist())) for column in values.T], kind="stable"), k)
        alone = sum(fitting_records(values, stars, person) < k for person in range(len(values)))
        print(f"  {title + ', wildcards':<48}{stars.sum():8,} stars, and {alone:,} {ALONE}")


def _print_reading(title: str, table: Path, roles: ic.Schema, text: str, levels: Any = None) -> Problem:
    fixed = {"at_least": levels or {}, "at_most": levels or {}}
    with_others: Any = {"others": "drop", "algorithm": LevelsAndCells(), "model": text}
    release = ic.anonymize(table, roles, **fixed, **with_others)
    problem = Problem(ic.census(table, roles), roles, promise(text), **fixed)
    _, starred, lost = _points_of(problem, LevelsAndCells().search(problem))
    attacks = ic.attack(release, original=table)
    linked, narrow = attacks.get("linkage"), attacks.get("narrowest group")
    found = f"linkage at most {linked.worst}, narrowest group finds {narrow.exposed.records:,}"
    print(f"  {title:<48}{starred.sum():8,} stars, loss {np.where(starred, 1, lost).mean():.4f}; {found}", flush=True)
    return problem


def _points_of(problem: Problem, outcome: LocalOutcome) -> Any:
    """Give per record and column the value at its level, whether it is starred, and what it loses without a star."""
    census, recoding = problem.census, outcome.recoding
    columns = []
    for at, name in enumerate(census.quasi):
        ladder, level = census.ladders[name], (outcome.levels or {})[name]
        groups = ladder.groups[level][recoding.codes[at]]
        texts = recoding.labels[at][recoding.classes]
        columns.append((groups, (texts == "*") & (level < ladder.height), Namer(census, at).lost(level)[groups]))
    return (np.repeat(np.array(kind).T, recoding.counts, axis=0) for kind in zip(*columns, strict=True))


def wildcards(values: Any, order: Any, k: int) -> Any:
    """Star cells until k records look like each, a star fitting every value on both sides: as sdcMicro reads stars.

    Slow and obvious: the columns are taken in the order in which they may go, and every record that too few look like
    gets a star there if that makes it look like more; then once more whatever it makes.
    """
    starred = np.zeros(values.shape, dtype=bool)
    for always in (False, True):
        for column in order:
            for record in range(len(values)):
                before = looking_alike(values, starred, record)
                if before < k and not starred[record, column]:
                    starred[record, column] = True
                    starred[record, column] = always or looking_alike(values, starred, record) > before
    return starred


def looking_alike(values: Any, starred: Any, record: int) -> int:
    """Count the records that look like one, where a star on either side fits every value."""
    return int((starred | starred[record] | (values == values[record])).all(axis=1).sum())


def fitting_records(values: Any, starred: Any, person: int) -> int:
    """Count the published records that fit a person, whose values somebody knows."""
    return int((starred | (values == values[person])).all(axis=1).sum())


@numba.njit(cache=False)
def give_back(values: Any, starred: Any, saved: Any, order: Any, k: int) -> None:
    """Give stars back one after the other as long as it holds with the people known, hidden values and all."""
    people = len(values)
    fitting = np.zeros(people, dtype=np.int64)  # the records that fit each person
    for person in range(people):
        for record in range(people):
            fitting[person] += _is_fit(values, starred, person, record)
    for record in order:
        for column in np.argsort(-saved[record]):
            if starred[record, column] and _is_spare(values, starred, fitting, record, column, k):
                for person in range(people):
                    gone = values[person, column] != values[record, column]
                    fitting[person] -= gone and _is_fit(values, starred, person, record)
                starred[record, column] = False


@numba.njit(cache=False)
def _is_spare(values: Any, starred: Any, fitting: Any, record: int, column: int, k: int) -> bool:
    covered = 0
    for person in range(len(values)):
        if _is_fit(values, starred, person, record):
            if values[person, column] == values[record, column]:
                covered += 1
            elif fitting[person] <= k:
                return False
    return covered >= k


@numba.njit(cache=False)
def _is_fit(values: Any, starred: Any, person: int, record: int) -> bool:
    for column in range(values.shape[1]):
        if not starred[record, column] and values[person, column] != values[record, column]:
            return False
    return True
