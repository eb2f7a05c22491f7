"""The thesis on enhanced (p, alpha)-sensitivity: similarity, distortion and time on Adult (S0-EXP)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.algorithms import Optimal, Problem, TopDown, all_solutions
from incrowd.api.experiments._adult import Adult
from incrowd.api.experiments._adult_trees import SEVEN, thesis_hierarchies
from incrowd.api.experiments._enhanced_claims import claims_of
from incrowd.api.experiments._result import Experiment, Row
from incrowd.attacks import Likeness, Prior, similarity
from incrowd.core import Census, Schema
from incrowd.hierarchies import Categories, categories
from incrowd.models import promise, suppression_limit

PAPER = (
    "T. Sadad. Preventing sensitive attribute disclosure using improved k-anonymity model. MS thesis, International "
    "Islamic University Islamabad, 2012."
)
HEALTH = "health_condition"
NUMBERED = ("Cancer", "HIV", "Hepatitis", "Phthisis", "Flu", "Indigestion", "Asthma", "Obesity")
"""The conditions by the numbers that the thesis draws."""
SECRECY = {
    "most secret": ["Cancer", "HIV"],
    "secret": ["Hepatitis", "Phthisis"],
    "less secret": ["Asthma", "Obesity"],
    "not secret": ["Flu", "Indigestion"],
}
"""The categories of its Table 4.2."""
MODELS = {
    "p-sensitive": "k>={k}, p>={p}",
    "(p, alpha)-sensitive": "k>={k}, p-alpha(p={p}, alpha={alpha})",
    "enhanced (p, alpha)": "k>={k}, enhanced(p={p}, alpha={alpha})",
}
SEED = 2012


@dataclass(frozen=True)
class Extent:
    """How much is tried out: shares of records that may be left out, alphas, sizes, and how often time is taken."""

    shares: tuple[float, ...]
    alphas: tuple[int, ...]
    sizes: tuple[int, ...]
    calls: int


FULL = Extent((0, 0.001, 0.01), (0, 1, 2, 3, 4, 6, 8), (2, 3, 4, 5, 6, 7), 5)
SMALL = Extent((0, 0.01), (0, 2, 4), (2, 4), 1)


@dataclass(frozen=True, eq=False)
class Patients:
    """Adult with a made-up health condition: every one of eight is equally likely for everybody."""

    census: Census
    schema: Schema

    @classmethod
    def of(cls, adult: Adult, size: int = len(SEVEN)) -> Patients:
        """Count the first so many quasi-identifiers with the condition."""
        trees = thesis_hierarchies()
        drawn = np.random.default_rng(SEED).integers(len(NUMBERED), size=len(adult))
        ill = adult.having(HEALTH, np.array(NUMBERED, dtype=object)[drawn])
        schema = Schema(quasi={name: trees[name] for name in SEVEN[:size]}, sensitive={HEALTH: categories(SECRECY)})
        return cls(ill.census(schema), schema)

    def problem(self, text: str, share: float = 0) -> Problem:
        """Ask for a promise."""
        limit = suppression_limit(self.census.records, share, None)
        return Problem(self.census, self.schema, promise(text), limit)


def enhanced(adult: Adult, *, small: bool) -> Experiment:
    """Do the three scenarios of the thesis again."""
    extent, known = SMALL if small else FULL, adult.known()
    patients = Patients.of(known)
    TopDown().search(patients.problem(MODELS["p-sensitive"].format(k=4, p=2)))  # loads what is compiled
    tables = {
        "similarity": [row for share in extent.shares for row in _exposed(patients, share)],
        "alpha": [row for alpha in extent.alphas for row in _by_alpha(patients, alpha)],
        "size": [row for size in extent.sizes for row in _by_size(Patients.of(known, size), extent.calls)],
    }
    return Experiment(
        name="enhanced",
        title="enhanced (p, alpha)-sensitive k-anonymity against the similarity attack",
        paper=PAPER,
        data=f"{known.words}, none with unknown values; the health condition is drawn at random, as in the thesis",
        stand_in=known.stand_in,
        claims=claims_of(tables, len(known)),
        tables=tables,
    )


def _exposed(patients: Patients, share: float) -> Iterator[Row]:
    """Attack every minimal table of every model (S0-SIMTABLES)."""
    for model, text in MODELS.items():
        problem = patients.problem(text.format(k=4, p=2, alpha=2), share)
        found = [_attacked(problem, node) for node in all_solutions(problem).minimal]
        yield {
            "max_suppressed": share,
            "model": model,
            "minimal_tables": len(found),
            "exposed_tables": sum(records > 0 for records in found),
            "exposed_share": sum(records > 0 for records in found) / max(len(found), 1),
            "most_exposed_records": max(found, default=0),
        }


def _attacked(problem: Problem, node: dict[str, int]) -> int:
    """Count the published records whose class lies in one category."""
    classes = problem.census.classes(node)
    kept = np.logical_and.reduce([judge.keeps(classes) for judge in problem.judges()])
    meaning: Any = dict(problem.schema.sensitive)[HEALTH]
    likeness = _likeness(meaning, problem.census)
    outcome = similarity(classes, Prior.of(classes, HEALTH), likeness)
    return int(classes.records[outcome.exposed & kept].sum())


def _likeness(meaning: Categories, census: Census) -> Likeness:
    return Likeness.of_categories(meaning.bind(census.domains[HEALTH]))


def _by_alpha(patients: Patients, alpha: int) -> Iterator[Row]:
    """Measure the distortion for p = 2 and k = 3: of the local recoding, and the least of one level per column."""
    for model, text in MODELS.items():
        yield {"alpha": alpha, "model": model, **_distortion(patients.problem(text.format(k=3, p=2, alpha=alpha)))}


def _by_size(patients: Patients, calls: int) -> Iterator[Row]:
    """Measure distortion and time for k = 4, p = 4 and alpha = 2 with fewer or more quasi-identifiers."""
    problems = {model: patients.problem(text.format(k=4, p=4, alpha=2)) for model, text in MODELS.items()}
    seconds: dict[str, list[float]] = {model: [] for model in MODELS}
    for _ in range(calls):  # the models take turns, so that a busy moment does not hit one of them alone
        for model, problem in problems.items():
            start = time.process_time()
            TopDown().search(problem)
            seconds[model].append(time.process_time() - start)
    for model, problem in problems.items():
        row = {"quasi_identifiers": len(problem.census.quasi), "model": model, **_distortion(problem)}
        yield {**row, "seconds": round(min(seconds[model]), 4)}


def _distortion(problem: Problem) -> Row:
    local, best = TopDown().search(problem), Optimal("distortion").search(problem).best
    return {
        "distortion": round(local.costs["distortion"], 6),
        "classes": local.classes,
        "least_full_domain": None if best is None else round(best.score, 6),
    }
