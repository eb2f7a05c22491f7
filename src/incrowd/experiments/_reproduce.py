"""``reproduce``: which experiments of the papers are done again, and how long each took."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from incrowd.core import ParameterError
from incrowd.experiments._adult import Adult, find_adult
from incrowd.experiments._closeness import closeness
from incrowd.experiments._enhanced import enhanced
from incrowd.experiments._homogeneity import homogeneity
from incrowd.experiments._improved import improved
from incrowd.experiments._p_sensitive import p_sensitive
from incrowd.experiments._result import Experiment, Reproduction

Run = Callable[..., Experiment]
EXPERIMENTS: Mapping[str, Run] = {
    "enhanced": enhanced,
    "homogeneity": homogeneity,
    "p-sensitive": p_sensitive,
    "improved": improved,
    "closeness": closeness,
}
UNDECIDED = "Made-up rows stood in for the table of the paper, and they decide nothing."
CHOOSES = "p-sensitive"
"""The experiment whose confidential columns can be chosen."""


def reproduce(
    name: str | None = None,
    *,
    adult: str | os.PathLike[str] | None = None,
    confidential: Sequence[str] | None = None,
    small: bool = False,
) -> Reproduction:
    """Do the experiments of the papers again, and say of every claim whether it holds.

    Parameters
    ----------
    name
        ``"enhanced"``, ``"homogeneity"``, ``"p-sensitive"``, ``"improved"`` or ``"closeness"``; all five if left out.
    adult
        The Adult table of UCI as CSV, with or without a line of names, or as Parquet. If left out, it is looked for in
        the folder that the environment variable ``INCROWD_DATA`` names. If it is not in there either, made-up rows
        stand in, and the result says so: nothing is ever fetched.
    confidential
        The confidential columns of the experiment ``"p-sensitive"``. The paper has pay, gain, loss and TaxPeriod, which
        Adult lacks; if left out, the working hours take its place.
    small
        Whether to try out fewer parameters on a thousand records, which takes seconds instead of a minute or two.

    Notes
    -----
    Everything that is drawn at random is drawn in the same way every time; only seconds differ between runs. Some
    claims do not hold: they contradict a definition, or a printed table disagrees with its text.

    References
    ----------
    B. Becker, R. Kohavi. *Adult.* UCI Machine Learning Repository, 1996.

    Examples
    --------
    >>> from incrowd.experiments import reproduce
    >>> found = reproduce("homogeneity")["homogeneity"]
    >>> found.claims[0].found, found.claims[0].verdict
    ('SE = 1/9.', 'holds')
    """
    names = check_names(name, confidential)
    table = find_adult(adult, small=small)
    more = {CHOOSES: {"confidential": confidential}}
    return Reproduction(tuple(_timed_experiment(one, table, {"small": small, **more.get(one, {})}) for one in names))


def check_names(name: str | None, confidential: Sequence[str] | None = None) -> tuple[str, ...]:
    """Give the experiments that are asked for; refuse a name that there is not, and a choice that it does not have."""
    if name is None:
        return tuple(EXPERIMENTS)
    if not isinstance(name, str) or name not in EXPERIMENTS:
        no_name = f"An experiment is named by a text, got {type(name).__name__}."
        msg = f"There is no experiment {name!r}." if isinstance(name, str) else no_name
        raise ParameterError(msg, hint=f"there are {', '.join(EXPERIMENTS)}.")
    if confidential is not None and name != CHOOSES:
        msg = f"Confidential columns can be chosen for the experiment {CHOOSES!r} only, got {name!r}."
        raise ParameterError(msg, hint=f"leave them out, or run {CHOOSES!r}.")
    return (name,)


def _timed_experiment(name: str, adult: Adult, options: Mapping[str, Any]) -> Experiment:
    start = time.perf_counter()
    found = EXPERIMENTS[name](adult, **options)
    claims = [
        replace(claim, holds=None, why=UNDECIDED) if claim.of_data and found.stand_in else claim
        for claim in found.claims
    ]
    return replace(found, claims=tuple(claims), seconds=round(time.perf_counter() - start, 2))
