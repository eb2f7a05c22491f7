"""``utility``: distributions, pairs of columns, queries and trained models, on a release beside its original table."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from incrowd.core import ParameterError, Recoding, SchemaError, UnknownColumnError, add_up, import_extra
from incrowd.evidence._alignment import (
    Compared,
    PublishedRecords,
    beside_original,
    class_labels,
    original_census,
    published_records,
    read_labels,
)
from incrowd.evidence._subject import Subject
from incrowd.evidence._utility_result import Accuracy, Marginal, PairChange, QueryErrors, Utility
from incrowd.measures import (
    ColumnCosts,
    Cover,
    Joint,
    Ranges,
    ambiguity,
    answers,
    column_costs,
    cramers_v,
    round_scores,
)
from incrowd.models import check_column, whole_number
from incrowd.release import Reading, Release

# Two columns at a time: how they go together before and after, and how far off counts over ranges are.

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]

RANGE = 0.3
"""Which share of the records a range of a query has, about."""


def compared_pairs(
    both: Compared, queries: int, chance: np.random.Generator
) -> tuple[tuple[PairChange, ...], QueryErrors]:
    """Compare all pairs of columns that have a quasi-identifier among them, and ask queries about them in turn."""
    sides = both.before, both.after
    shares = [{name: side.on_groups(name, groups) for name, groups in both.groups.items()} for side in sides]
    floor, quasi = both.census.records / 1000, set(both.census.quasi)
    names = [pair for pair in itertools.combinations(both.columns, 2) if quasi & set(pair)]
    changes, found = [], list[Floats]()
    for number, pair in enumerate(names):
        joints = [side.joint(*pair) for side in sides]
        on_groups = zip(joints, shares, strict=True)
        before, after = (joint.on_groups(*(known[name] for name in pair)) for joint, known in on_groups)
        shape = int((before.sum(axis=1) > 0).sum()), int((before.sum(axis=0) > 0).sum())
        strengths = round_scores(np.array([cramers_v(before, shape), cramers_v(after, shape)])).tolist()
        changes.append(PairChange(pair, *strengths))
        asked = len(range(number, queries, len(names))) if both.census.records else 0
        if asked:
            left, right = (_records_in_line(both, name) for name in pair)
            ranges = [Ranges.draw(chance, left, right, RANGE) for _ in range(asked)]
            found.append(_errors_of(both, pair, joints, ranges, floor))
    if not found:
        return tuple(changes), QueryErrors(0, None, None, floor, None, None, 0.0)
    spread, shown, starred = np.concatenate(found, axis=1)
    (median, high), (alone, most) = (np.quantile(errors, [0.5, 0.9]).tolist() for errors in (spread, shown))
    return tuple(changes), QueryErrors(len(spread), median, high, floor, alone, most, float(starred.mean()))


def _errors_of(
    both: Compared, pair: tuple[str, str], joints: Sequence[Joint], ranges: Sequence[Ranges], floor: float
) -> Floats:
    """Give how far off every answer is, with stars spread and without them, and how many records have one."""
    before, after = ([side.covers[name] for name in pair] for side in (both.before, both.after))
    alone = joints[1].without(*(both.after.stars[name] for name in pair))
    truth = answers(ranges, joints[0], *before)
    errors = [np.abs(answers(ranges, one, *after) - truth) / np.maximum(truth, floor) for one in (joints[1], alone)]
    starred = 1 - alone.counts.sum() / max(both.after.records, 1) if both.after.records else 0.0
    return np.stack([*errors, np.full(len(ranges), starred)])


def _records_in_line(both: Compared, name: str) -> Counts:
    """Give the records of the original table at every position of a column."""
    people = np.zeros(len(both.places[name]), dtype=np.int64)
    people[both.places[name]] = both.before.tallies[name]
    return people


# How well a model learns from a release.

MOST = 20_000
"""About so many records take part at most, drawn at random."""
HELD_OUT = 0.3
"""The share of them that is held out for testing."""


@dataclass(frozen=True, slots=True, eq=False)
class _Examples:
    """What a model learns from or is tested with."""

    shares: list[Floats] = field(repr=False)
    codes: list[Ints] = field(repr=False)
    answers: Ints = field(repr=False)
    counts: Counts = field(repr=False)

    def some(self, counts: Counts) -> _Examples:
        """Take so many records of each."""
        kept = np.flatnonzero(counts)
        return _Examples(self.shares, [codes[kept] for codes in self.codes], self.answers[kept], counts[kept])

    @property
    def features(self) -> Floats:
        """One column per group of each feature."""
        return np.concatenate([shares[codes] for shares, codes in zip(self.shares, self.codes, strict=True)], axis=1)


def accuracy_of(recoding: Recoding, both: Compared, target: str, seed: int) -> Accuracy:
    """Train a model on a part of the release and one on the same part of the original; test both on the rest."""
    model = _logistic_regression()
    pieces = published_records(recoding, both.census, target)
    chance = np.random.default_rng(seed)
    drawn = chance.binomial(pieces.counts, min(1.0, MOST / max(both.census.records, 1)))
    held = chance.binomial(drawn, HELD_OUT)
    original, published = _learning_examples(both, pieces, both.groups[target].group[pieces.target])
    learnt, test = original.some(drawn - held), original.some(held)
    from_release = published.some(np.where(pieces.published, drawn - held, 0))
    return Accuracy(
        target=target,
        original=_trained_accuracy(model, learnt, test),
        release=_trained_accuracy(model, from_release, test),
        baseline=_most_frequent(learnt, test),
        trained=int(learnt.counts.sum()),
        tested=int(test.counts.sum()),
    )


def _learning_examples(both: Compared, pieces: PublishedRecords, answers: Ints) -> tuple[_Examples, _Examples]:
    """Give all records as they were, and as they are published, in the same groups of values."""
    before, after = [], []
    for name, texts in zip(both.census.quasi, pieces.names, strict=True):
        groups = both.groups[name]
        before.append(both.before.on_groups(name, groups))
        after.append(read_labels(both.census, name, texts.tolist()).on_groups(groups))
    sides = (before, pieces.values), (after, pieces.labels)
    one, other = (_Examples(shares, list(codes), answers, pieces.counts) for shares, codes in sides)
    return one, other


def _trained_accuracy(model: Any, learnt: _Examples, test: _Examples) -> float:
    """Train a model, and give the share of the test's records that it predicts right."""
    if len(np.unique(learnt.answers)) < 2:
        return _most_frequent(learnt, test)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nearly the best model is good enough to compare
        model.fit(learnt.features, learnt.answers, sample_weight=learnt.counts)
    right = model.predict(test.features) == test.answers if len(test.answers) else np.zeros(0, dtype=bool)
    return float(test.counts[right].sum() / max(test.counts.sum(), 1))


def _most_frequent(learnt: _Examples, test: _Examples) -> float:
    """Predict the most frequent answer for everybody."""
    if not len(learnt.answers):
        return 0.0
    most = int(add_up(learnt.answers, learnt.counts, int(learnt.answers.max()) + 1).argmax())
    return float(test.counts[test.answers == most].sum() / max(test.counts.sum(), 1))


def _logistic_regression() -> Any:
    """Give a model that gives the same result every time."""
    what, instead = "Training a model", ", or leave out target."
    linear = import_extra("sklearn.linear_model", extra="utility", what=what, instead=instead)
    return linear.LogisticRegression(tol=1e-3, max_iter=100)


def utility(
    release: Release,
    original: Any,
    *,
    target: str | None = None,
    queries: int = 200,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Utility:
    """Measure what a release is still good for, beside the table that it was made from.

    Parameters
    ----------
    release
        The release.
    original
        The very table that it was made from.
    target
        A sensitive or insensitive column that a model shall learn to predict from the quasi-identifiers. Needs the
        extra ``utility``.
    queries
        How many random questions to ask: how many records lie in a range of one column and a range of another?
    seed
        Which questions, and which records are held out for testing. The same seed gives the same numbers.
    reading
        How to read a file, as in ``census``.

    Notes
    -----
    Labels are compared with values through what they publicly cover: the records of a label are spread evenly over the
    numbers or days that it names, or over the texts that its hierarchy has under it, whether or not anybody has them,
    as a reader does who has the release and no more. An open end (``>=90``) reaches as far as other labels of
    the column, and at least one step. Two things are taken from the table, as from a codebook: from where to where the
    numbers or dates of a column run, over which ``*`` lies, and the texts of a hierarchy that was made from it.
    Texts are compared value by value; numbers, dates and pairs of columns in the same groups before and after: their
    values, the finest level of their hierarchy with at most 20 groups, or groups of about equal size. What is measured
    compares with the original table and is as confidential as that.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": age, "sex": sex} for age in (31, 34, 52, 55) for sex in ("f", "m")]
    >>> schema = ic.Schema(quasi={"age": ic.intervals(10, 100), "sex": ic.flat()})
    >>> release = ic.anonymize(table, schema, model="k>=2")
    >>> utility = ic.utility(release, table)
    >>> utility.columns["age"].distance, utility.columns["sex"].costs.loss, utility.left_out
    (0.15, 0.0, 0)
    """
    if not isinstance(release, Release):
        msg = f"utility needs a release, got {type(release).__name__}."
        raise ParameterError(msg, hint="a release is what anonymize gives.")
    queries = whole_number(queries, name="queries", at_least=0)
    seed = whole_number(seed, name="seed", at_least=0)
    schema = release.schema
    _check_target(release, target)
    more = (target,) if target in schema.insensitive else ()
    census = original_census(release, original, (*schema.sensitive_names, *more), **reading)
    found, both = class_labels(release, census), beside_original(Subject.of(release, None, reading), census)
    costs = dict(zip(census.quasi, column_costs(census, found.labels, found.sizes), strict=True))
    changes, errors = compared_pairs(both, queries, np.random.default_rng(seed))
    combinations = float(round_scores(np.array([ambiguity(census, found.labels, found.sizes)]))[0])
    return Utility(
        records=census.records,
        published=release.recipe.published,
        left_out=census.records - release.recipe.published,
        masked=release.recipe.masked,
        starred=sum(one.starred for one in costs.values()) / len(costs),
        measures={**release.measures, "discernibility_star": found.squares, "ambiguity": combinations},
        columns={name: _marginal_of(both, name, costs.get(name)) for name in both.columns},
        pairs=changes,
        queries=errors,
        accuracy=None if target is None else accuracy_of(release.recoding, both, target, seed),
    )


def _check_target(release: Release, target: str | None) -> None:
    """Refuse a target that is not published as it is."""
    if target is None:
        return
    check_column(target, "target")
    schema = release.schema
    known = (*schema.sensitive_names, *schema.insensitive)
    if target in known:
        return
    role = schema.role(target)
    if role is None:
        raise UnknownColumnError.of(target, (*schema.quasi_names, *known), given_as="target")
    able = ", ".join(map(repr, known)) or "no such column"
    msg = f"Column {target!r} cannot be the target: its role is {role}."
    raise SchemaError(msg, hint=f"a target is sensitive or insensitive; this release has {able}.")


def _moved_share(both: Compared, name: str, published: Counts) -> float:
    """Give which share of the records would have to be moved: of texts value by value, else from group to group.

    What a reader gives to texts that nobody has must be moved too. ``published``: the records looked at, per label.
    """
    pairs = (both.before, both.before.tallies[name]), (both.after, published)
    if both.census.domains[name].kind in {"text", "boolean"}:
        covers = [(side.covers[name], tally) for side, tally in pairs]
        sides = [one.on_values(tally) / max(int(tally.sum()), 1) for one, tally in covers if isinstance(one, Cover)]
    else:
        groups = both.groups[name]
        sides = [tally @ side.on_groups(name, groups) / max(int(tally.sum()), 1) for side, tally in pairs]
    nowhere = max(1.0 - float(sides[1].sum()), 0.0) if published.any() else 0.0
    return float(round_scores(np.array([(np.abs(sides[0] - sides[1]).sum() + nowhere) / 2]))[0])


def _marginal_of(both: Compared, name: str, costs: ColumnCosts | None) -> Marginal:
    """Compare the distributions of a column in groups."""
    groups, sides = both.groups[name], (both.before, both.after)
    shares = [side.shares(name, groups) for side in sides]
    order = np.argsort(-shares[0], kind="stable").tolist()
    in_order = both.census.domains[name].kind not in {"text", "boolean"}
    published = both.after.tallies[name]
    shown = np.where(both.after.stars[name], 0, published)
    return Marginal(
        column=name,
        costs=costs,
        distance=_moved_share(both, name, published),
        shown=_moved_share(both, name, shown) if shown.any() else None,
        shares=tuple((groups.names[number], float(shares[0][number]), float(shares[1][number])) for number in order),
        places=tuple(order) if in_order else (),
    )
