"""``compare`` and ``alternatives``: two releases, or several searches for one table, side by side."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Unpack

from incrowd.core import (
    CensusRequest,
    Classes,
    HierarchyError,
    NoSafeRelease,
    ParameterError,
    Printed,
    Schema,
    group,
)
from incrowd.engines import Engine, Remembered, TableMemory
from incrowd.evidence._alternatives import AS_PLANNED, Alternative, Alternatives
from incrowd.evidence._attack import USUAL
from incrowd.evidence._attack_result import Attacks
from incrowd.evidence._linkage import join, linkage, people_of_original
from incrowd.evidence._minimality import own_attacks
from incrowd.evidence._subject import Subject, published_schema
from incrowd.measures import column_weights, mean_detail
from incrowd.models import Model, Number
from incrowd.release import Draft, PublishedColumn, Reading, Release, open_problem, version_of_draft
from incrowd.search import Algorithm, CheapestFirst, LevelsAndCells, Optimal, Problem, Progress, Suppression

Cell = int | float | str | None


@dataclass(frozen=True, slots=True)
class Comparison(Printed):
    """Two releases side by side, row by row.

    Attributes
    ----------
    rows
        What is compared, and its value in the first and in the second release.
    """

    rows: tuple[tuple[str, Cell, Cell], ...]

    @property
    def different(self) -> tuple[tuple[str, Cell, Cell], ...]:
        """The rows in which the releases differ."""
        return tuple(row for row in self.rows if row[1] != row[2])

    def to_dict(self) -> dict[str, list[Any]]:
        """Give a table with the columns ``what``, ``a`` and ``b``: any frame can be made of it."""
        what, one, two = zip(*self.rows, strict=True)
        return {"what": list(what), "a": list(one), "b": list(two)}

    def __str__(self) -> str:
        width = max(len(what) for what, _, _ in self.rows)
        return "\n".join(f"{what:<{width}}  {_text_of(one):>16}  {_text_of(two):>16}" for what, one, two in self.rows)


def compare(a: Release, b: Release) -> Comparison:
    """Put two releases side by side: what they promise, what was measured, what they cost.

    Parameters
    ----------
    a, b
        The releases.

    Notes
    -----
    Says nothing about what both together tell about the same people.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": 31}, {"age": 34}, {"age": 52}, {"age": 55}]
    >>> schema = ic.Schema(quasi={"age": ic.intervals(10, 100)})
    >>> best = ic.Optimal()
    >>> two, four = (ic.anonymize(table, schema, model=f"k>={k}", algorithm=best) for k in (2, 4))
    >>> ic.compare(two, four).different[:3]
    (('promise', 'k>=2', 'k>=4'), ('classes', 2, 1), ('level of age', 1, 2))
    """
    for given in (a, b):
        if not isinstance(given, Release):
            msg = f"compare needs two releases, got {type(given).__name__}."
            raise ParameterError(msg, hint="a release is what anonymize gives.")
    one, two = _release_facts(a), _release_facts(b)
    names = [*one, *(name for name in two if name not in one)]
    return Comparison(tuple((name, one.get(name), two.get(name)) for name in names))


def _release_facts(release: Release) -> dict[str, Cell]:
    recipe = release.recipe
    facts: dict[str, Cell] = {
        "promise": recipe.promise,
        "records": recipe.records,
        "records left out": recipe.suppressed,
        "classes": release.verdict.classes,
    }
    facts |= {f"level of {name}": level for name, level in (recipe.levels or {}).items()}
    for finding in release.verdict.findings:
        for (name, _, _), value in zip(finding.required, finding.measured, strict=False):
            key = f"{name} of {', '.join(finding.columns)}" if finding.columns else name
            facts[key] = int(value) if value == int(value) else float(value)
    named = {"geometric mean of losses" if name == "loss" else name: cost for name, cost in release.measures.items()}
    return facts | {"detail kept": release.detail_kept} | named


def _text_of(value: Cell) -> str:
    if value is None:
        return "-"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value


# Several searches for one table, which is opened and counted once.

OnProgress = Callable[[Progress], bool | None]

SEARCHES: Mapping[str, Algorithm] = {
    "best node": Optimal(),
    "levels and cells": LevelsAndCells(),
    "most detail": CheapestFirst(),
    "ranges": CheapestFirst(labels="range"),
}
"""What is put side by side where nothing else is said."""
COARSE = "The table was counted at coarser levels, because it would not fit into memory: no attack was measured."


def alternatives(  # noqa: PLR0913 - all but the first three are optional
    table: Any,
    schema: Schema,
    model: Model | str,
    *,
    searches: Mapping[str, Algorithm] | None = None,
    max_suppressed: Number = 0,
    max_suppressed_records: int | None = None,
    at_least: Mapping[str, int] | None = None,
    at_most: Mapping[str, int] | None = None,
    importance: Mapping[str, float] | None = None,
    balance: float = 0.5,
    suppression: Suppression = "drop",
    seconds: float | None = None,
    progress: OnProgress | None = None,
    begin: Callable[[str, int, int], object] | None = None,
    **reading: Unpack[Reading],
) -> Alternatives:
    """Put searches side by side before anything is published: what each keeps, leaves out, and gives away.

    Parameters
    ----------
    table, schema, model, max_suppressed, max_suppressed_records, at_least, at_most, importance, balance, reading
        As in ``anonymize``.
    searches
        The searches, by the names that they shall have here; where nothing is said ``"best node"`` (``Optimal()``),
        ``"levels and cells"`` (``LevelsAndCells()``), ``"most detail"`` (``CheapestFirst()``) and ``"ranges"``
        (``CheapestFirst(labels="range")``).
    suppression
        ``"mask"`` publishes ``*`` for records that would be left out, as far as a search can.
    seconds
        After so many seconds a search stops with what it has, if it can: the best node was then not proven to be one.
    progress
        Called now and then during each search, which stops with what it has when this returns ``False``.
    begin
        Called before each search with its name, its number from 1, and how many there are.

    Raises
    ------
    NoSafeRelease
        If no release of the table can keep the promise, whatever the search. A search that finds nothing, or cannot
        keep such a promise, says so in its place and does not stop the others.

    Notes
    -----
    The table is opened and counted once, and nothing is written. Detail is the same measure for all of them: 1 less the
    arithmetic mean of what the columns lose, weighted by importance; records that are left out lose all. The promise is
    judged again on the classes that would be published, which ``anonymize`` does once more on the published table.

    Attacked by linkage with all quasi-identifiers of everybody in the table, and where records of one value may be
    published differently by what knowing the search adds. Others may know more: ``attack`` asks a release more.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": age, "sex": sex} for age, sex in zip((31, 32, 34, 52, 55, 71), "ffmmfm")]
    >>> schema = ic.Schema(quasi={"age": ic.intervals(10, 20), "sex": ic.flat()})
    >>> found = ic.alternatives(table, schema, model="k>=2")
    >>> [(one.name, round(one.kept, 2), one.starred, one.carry_nothing) for one in found][::3]
    [('best node', 0.5, 6, ('age',)), ('ranges', 0.69, 2, ())]
    >>> found
    Alternatives(4 searches for 6 records, ranges recommended)
    """
    chosen = SEARCHES if searches is None else searches
    limits: dict[str, Any] = {"at_least": at_least, "at_most": at_most, "importance": importance, "balance": balance}
    limits |= {"max_suppressed": max_suppressed, "number": max_suppressed_records, "suppression": suppression}
    engine, problem = open_problem(table, schema, model=model, **limits, **reading)
    whole = None if any(problem.census.floor) else problem.census.classes()
    found = []
    for number, (name, algorithm) in enumerate(chosen.items(), start=1):
        if begin is not None:
            begin(name, number, len(chosen))
        found.append(_alternative(name, algorithm, engine, problem, whole, _until_time_is_over(seconds, progress)))
    return Alternatives(
        records=problem.census.records,
        promise=str(problem.model),
        important=_important(problem),
        entries=tuple(found),
        notes=(COARSE,) if whole is None else (),
    )


def searches_beside(planned: Algorithm | None) -> tuple[dict[str, Algorithm], str]:
    """Give what is put side by side with the search of a plan, and what that one is called there."""
    searches = dict(SEARCHES)
    if planned is None:
        return searches, "levels and cells"
    if isinstance(planned, Optimal):
        return {**searches, "best node": replace(planned, seconds=None)}, "best node"
    name = next((name for name, one in searches.items() if one == planned), AS_PLANNED)
    return {**searches, name: planned}, name


def _until_time_is_over(seconds: float | None, progress: OnProgress | None) -> OnProgress | None:
    """Give a progress function that stops a search when its time is over."""
    if seconds is None:
        return progress
    end = time.monotonic() + seconds

    def told(seen: Progress) -> bool:
        wanted = progress is None or progress(seen) is not False
        return wanted and time.monotonic() < end

    return told


def _important(problem: Problem) -> tuple[str, ...]:
    """Give the columns that weigh more than the least important ones."""
    weights = {name: problem.importance.get(name, 1) for name in problem.census.quasi}
    return tuple(name for name, weight in weights.items() if weight > min(weights.values()))


def _alternative(
    name: str,
    algorithm: Algorithm,
    engine: Engine,
    problem: Problem,
    whole: Classes | None,
    progress: OnProgress | None,
) -> Alternative:
    """Search, and measure what was found."""
    started = time.monotonic()
    try:
        draft = Draft.by(engine, problem, algorithm, progress)
    except (NoSafeRelease, ParameterError, HierarchyError) as error:
        passed = time.monotonic() - started
        return Alternative(name=name, algorithm=algorithm, seconds=passed, error=error)
    columns, version = draft.explanation.columns, version_of_draft(draft)
    weights = column_weights(problem.census, problem.importance).tolist()
    attacks = None if whole is None else _attacks(draft, engine, whole)
    return Alternative(
        name=name,
        algorithm=algorithm,
        seconds=time.monotonic() - started,
        kept=mean_detail([1 - one.kept for one in columns], weights) if len(set(weights)) > 1 else version.kept,
        version=version,
        verdict=draft.verdict,
        columns=columns,
        attacks=attacks,
        proof=draft.proof,
        notes=draft.notes,
    )


def _attacks(draft: Draft, engine: Engine, whole: Classes) -> Attacks | None:
    """Attack what would be published, with everybody of the table looked up in it."""
    problem, published = draft.problem, draft.published
    census, schema = problem.census, problem.schema
    counted = {name: meaning for name, meaning in schema.sensitive if name in census.sensitive}
    roles = Schema(dict(schema.quasi), counted, entity=schema.entity, count=schema.count, missing_values=())
    answers = TableMemory()
    answers.know(CensusRequest(roles.quasi_names, roles.sensitive_names, {}, {}, roles.entity, roles.count), published)
    subject = Subject(Remembered(engine, answers), published_schema(roles), draft.recoding, problem.model, roles)
    if len(subject.averaged) == len(census.quasi):
        return None
    joined = join(subject, people_of_original(subject, census, whole), whole)
    entries = (*linkage(joined), *own_attacks(subject, USUAL.seed, joined))
    return Attacks(published.records, published.persons, len(subject.classes), entries)


# Whether another search would have kept much more, where that is soon found out.

MUCH = 0.1
"""So much more of the detail is much."""
LOADING, PER_CELL = 1.1, 4e-5
"""Seconds that compiled loops take to load, and a search at least per column and combination of values."""


class Better(NamedTuple):
    """Another search that would keep much more detail."""

    name: str
    kept: float


def better_search(release: Release, seconds: float) -> Better | None:
    """Look at other searches, as long as so many seconds are enough; nothing if none would keep much more.

    Told is the one that ``alternatives`` recommends of those that were looked at: if it keeps much more, or more and
    leaves something of more columns. Where that is the release's own, the one that keeps most, if that is much more.
    """
    if release.basis is None or release.recipe.sample is not None:
        return None
    problem, end = release.basis.problem, time.monotonic() + seconds
    quasi = problem.census.codes[: len(problem.census.quasi)]
    points = len(group(quasi, [int(codes.max(initial=0)) + 1 for codes in quasi]))
    own = _own_name(release)
    drafts = {}
    for name in ("levels and cells", "most detail", "ranges"):
        outcome = problem.tried.get(SEARCHES[name])
        about = PER_CELL * points * len(quasi) + LOADING * ("numba" not in sys.modules)
        left = end - time.monotonic() - about
        if name != own and outcome is None and left > 0:
            try:
                outcome = SEARCHES[name].search(problem, _until_time_is_over(left, None))
            except (NoSafeRelease, ParameterError, HierarchyError):
                continue
        if name != own and outcome is not None:
            drafts[name] = Draft.of(problem, outcome)
    kept = {name: version_of_draft(draft).kept for name, draft in drafts.items()}
    bare = {name: _bare(draft.explanation.columns) for name, draft in drafts.items()}
    now, here = release.detail_kept, _bare(release.explanation.columns)
    chosen = min(drafts, key=lambda name: (bare[name], name != "levels and cells", -kept[name]), default="")
    if chosen and bare[chosen] < here and kept[chosen] > now:
        return Better(chosen, kept[chosen])
    most = max(kept, key=lambda name: kept[name], default="")
    told = chosen if chosen and kept[chosen] - now >= MUCH else most
    return Better(told, kept[told]) if told and kept[told] - now >= MUCH else None


def _bare(columns: Iterable[PublishedColumn]) -> tuple[int, int]:
    """Count the columns that carry nothing, and those that carry little."""
    found = Counter(one.status for one in columns)
    return found["nothing"], found["little"]


def _own_name(release: Release) -> str:
    """Give the name that the search of a release has beside others."""
    searched = release.recipe.algorithm
    if searched.startswith(CheapestFirst.__name__):
        return "ranges" if "'range'" in searched else "most detail"
    return "levels and cells" if release.recipe.has_stars else "best node"
