"""A made-up hospital table and its schema: what demo, documentation and tests use. It describes nobody."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import ParameterError, Schema
from incrowd.datasets import _hospital_weights as data
from incrowd.engines import table_of_columns
from incrowd.hierarchies import categories, dates, flat, mask, ordered, tree

Shares = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Texts = npt.NDArray[np.object_]

FIRST_DAY = np.datetime64("2024-01-01")
DAYS = 731
DAYS_PER_YEAR = 365.25


def hospital(rows: int = 1_000, seed: int = 2026) -> Any:
    """Make up the admissions of a hospital, one row per patient.

    Parameters
    ----------
    rows
        How many patients, 0 or more.
    seed
        Which hospital. The same rows and seed give the same table everywhere.

    Returns
    -------
    pyarrow.Table
        ``name``, ``birth_date``, ``sex``, ``zip`` (text, some with a leading zero), ``nationality``, ``job``,
        ``admission_date``, ``diagnosis`` and ``cost`` in whole euros.

    Notes
    -----
    Nobody in it exists, and its frequencies are made up: learn the tool with it, not medicine. It has what makes real
    tables hard to publish: rare nationalities and jobs, few common and many rare diagnoses, and columns that tell
    about each other (age and job, age and diagnosis, zip code and nationality). The first rows of a large table are
    not the rows of a smaller one.

    See Also
    --------
    hospital_schema : the roles and hierarchies that belong to this table.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = ic.hospital(200)
    >>> table.num_rows, table.num_columns
    (200, 9)
    """
    return table_of_columns(hospital_columns(rows, seed))


def hospital_schema() -> Schema:
    """Give the roles and hierarchies of the made-up hospital table.

    Returns
    -------
    Schema
        The name is an identifier; diagnosis (in categories, most secret first) and cost are sensitive; everything
        else could help a neighbour to recognise a patient, and is a quasi-identifier.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.hospital_schema().sensitive_names
    ('diagnosis', 'cost')
    """
    return Schema(
        quasi={
            "birth_date": dates("month", "year", "decade"),
            "sex": flat(),
            "zip": mask(),
            "nationality": tree(_alternatives(data.NATIONALITIES)),
            "job": tree(_alternatives(data.JOBS)),
            "admission_date": dates("month", "quarter", "year"),
        },
        sensitive={
            "diagnosis": categories(
                {category: [one.name for one in some] for category, some in data.DIAGNOSES.items()}
            ),
            "cost": ordered(),
        },
        identifiers=["name"],
    )


def hospital_columns(rows: int = 1_000, seed: int = 2026) -> dict[str, list[Any]]:
    """Make up the hospital table as plain lists, one per column."""
    _require_whole("rows", rows)
    _require_whole("seed", seed)
    stream = Stream(rows, seed)
    admission = FIRST_DAY + (stream.shares() * DAYS).astype(np.int64)
    band, age_in_days = _draw_ages(stream)
    sex = _pick_by_weight(stream.shares(), tuple(data.SEXES.values()))
    region = _pick_by_weight(stream.shares(), [region.weight for region in data.REGIONS])
    diagnosis = _pick_within(stream.shares(), band * len(data.SEXES) + sex, _diagnosis_weights())
    columns = {
        "name": _draw_names(stream, sex),
        "birth_date": admission - age_in_days,
        "sex": _text_array(data.SEXES)[sex],
        "zip": _draw_zips(stream, region),
        "nationality": _draw_nationalities(stream, region),
        "job": _draw_jobs(stream, band),
        "admission_date": admission,
        "diagnosis": _text_array(one.name for one in _all_diagnoses())[diagnosis],
        "cost": _draw_costs(stream, diagnosis, band),
    }
    return {name: column.tolist() for name, column in columns.items()}


class Stream:
    """Columns of numbers in [0, 1).

    Made from the raw bits of PCG64, which NumPy promises never to change; its distributions may change.
    """

    def __init__(self, rows: int, seed: int) -> None:
        self._rows = rows
        self._bits = np.random.PCG64(seed)

    def shares(self) -> Shares:
        raw: npt.NDArray[np.uint64] = self._bits.random_raw(self._rows)
        return (raw >> np.uint64(11)).astype(np.float64) * np.float64(2.0**-53)


def _pick_by_weight(shares: Shares, weights: Sequence[int]) -> Codes:
    """Turn each share into a choice, as often as its whole-numbered weight says."""
    cumulated = np.cumsum(np.asarray(weights, dtype=np.int64))
    codes: Codes = np.searchsorted(cumulated, shares * cumulated[-1], side="right")
    return codes


def _pick_within(shares: Shares, group: Codes, weights: Sequence[Sequence[int]]) -> Codes:
    """Turn each share into a choice by the weights of its group."""
    codes = np.zeros(len(shares), dtype=np.int64)
    for number, own in enumerate(weights):
        members = np.flatnonzero(group == number)
        codes[members] = _pick_by_weight(shares[members], own)
    return codes


def _draw_ages(stream: Stream) -> tuple[Codes, Codes]:
    """Give the age band of each patient, and the age at admission in days."""
    band = _pick_by_weight(stream.shares(), data.AGE_WEIGHTS)
    youngest, oldest = (np.array(data.AGE_BANDS) * DAYS_PER_YEAR).astype(np.int64).T
    within = (stream.shares() * (oldest - youngest)[band]).astype(np.int64)
    return band, youngest[band] + within


def _draw_names(stream: Stream, sex: Codes) -> Texts:
    """First names by sex; a diverse person has one of either list."""
    female, male = (_text_array(data.FIRST_NAMES[key]) for key in ("female", "male"))
    firsts = np.concatenate([female, male])
    low = np.array([0, len(female), 0])[sex]
    width = np.array([len(female), len(male), len(firsts)])[sex]
    first = firsts[low + (stream.shares() * width).astype(np.int64)]
    family = _pick_by_weight(stream.shares(), [1_000 // (rank + 10) for rank in range(len(data.FAMILY_NAMES))])
    return np.asarray(first + " " + _text_array(data.FAMILY_NAMES)[family])


def _draw_zips(stream: Stream, region: Codes) -> Texts:
    district = _pick_by_weight(stream.shares(), data.DISTRICT_WEIGHTS)
    codes = _text_array(region.prefix + ending for region in data.REGIONS for ending in data.DISTRICT_ENDINGS)
    return np.asarray(codes[region * len(data.DISTRICT_ENDINGS) + district])


def _draw_nationalities(stream: Stream, region: Codes) -> Texts:
    base = {
        name: weight for some in data.NATIONALITIES.values() for one in some.values() for name, weight in one.items()
    }
    weights = [[weight * region.favours.get(name, 1) for name, weight in base.items()] for region in data.REGIONS]
    return _text_array(base)[_pick_within(stream.shares(), region, weights)]


def _draw_jobs(stream: Stream, band: Codes) -> Texts:
    base = {name: ages for some in data.JOBS.values() for one in some.values() for name, ages in one.items()}
    weights = list(zip(*base.values(), strict=True))
    return _text_array(base)[_pick_within(stream.shares(), band, weights)]


def _all_diagnoses() -> list[data.Diagnosis]:
    return [diagnosis for some in data.DIAGNOSES.values() for diagnosis in some]


def _diagnosis_weights() -> list[list[int]]:
    """Give the weight of every diagnosis for each age band and, within it, each sex."""
    by_sex = [(one.female, one.male, min(one.female, one.male)) for one in _all_diagnoses()]
    return [
        [one.ages[band] * shares[sex] for one, shares in zip(_all_diagnoses(), by_sex, strict=True)]
        for band in range(len(data.AGE_BANDS))
        for sex in range(len(data.SEXES))
    ]


def _draw_costs(stream: Stream, diagnosis: Codes, band: Codes) -> Codes:
    """Give log-normal costs around those of the diagnosis, higher with age; in integers, so that they never differ."""
    middle = np.array([one.cost for one in _all_diagnoses()])[diagnosis]
    age_percent = np.array([100, 90, 95, 100, 110, 125, 140])[band]
    quantiles = [NormalDist(0, 0.55).inv_cdf((rank + 0.5) / 2_000) for rank in range(2_000)]
    spread = np.array([round(1_000 * math.exp(quantile)) for quantile in quantiles])
    permille = spread[(stream.shares() * len(spread)).astype(np.int64)]
    return np.asarray(middle * age_percent * permille // 100_000)


def _text_array(texts: Iterable[str]) -> Texts:
    return np.array(list(texts), dtype=object)


def _alternatives(nested: dict[str, dict[str, dict[str, Any]]]) -> dict[str, dict[str, list[str]]]:
    return {top: {middle: list(leaves) for middle, leaves in below.items()} for top, below in nested.items()}


def _require_whole(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        given = value if isinstance(value, int) else type(value).__name__
        msg = f"{name} must be a whole number of 0 or more, got {given}."
        raise ParameterError(msg)
