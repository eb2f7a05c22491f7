"""How well a model learns from a release."""

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.api._utility._linked import Linked, linked
from incrowd.api._utility._result import Accuracy
from incrowd.api._utility._tables import Compared, read_labels
from incrowd.core import EngineError, Recoding, add_up

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]

MOST = 20_000
"""About so many records take part at most, drawn at random."""
HELD_OUT = 0.3
"""The share of them that is held out for testing."""


@dataclass(frozen=True, slots=True, eq=False)
class _Examples:
    """What a model learns from or is tested with.

    Attributes
    ----------
    shares
        Per feature, which share of each value or label is in each of the column's groups.
    codes
        Per feature, the value or label of the examples.
    answers
        The group of the target.
    counts
        How many records there are of each example.
    """

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
    """Train a model on a part of the release and one on the same part of the original; test both on the rest.

    Parameters
    ----------
    recoding, both
        What was published, beside the original table.
    target
        The column to predict; it is published as it is.
    seed
        Which records are held out.
    """
    model = _logistic_regression()
    pieces = linked(recoding, both.census, target)
    chance = np.random.default_rng(seed)
    drawn = chance.binomial(pieces.counts, min(1.0, MOST / max(both.census.records, 1)))
    held = chance.binomial(drawn, HELD_OUT)
    original, published = _examples(both, pieces, both.groups[target].group[pieces.target])
    learnt, test = original.some(drawn - held), original.some(held)
    from_release = published.some(np.where(pieces.published, drawn - held, 0))
    return Accuracy(
        target=target,
        original=_right(model, learnt, test),
        release=_right(model, from_release, test),
        baseline=_most_frequent(learnt, test),
        trained=int(learnt.counts.sum()),
        tested=int(test.counts.sum()),
    )


def _examples(both: Compared, pieces: Linked, answers: Ints) -> tuple[_Examples, _Examples]:
    """Give all records as they were, and as they are published, in the same groups of values."""
    before, after = [], []
    for name, texts in zip(both.census.quasi, pieces.names, strict=True):
        groups = both.groups[name]
        before.append(both.before.on_groups(name, groups))
        after.append(read_labels(both.census, name, texts.tolist()).on_groups(groups))
    counts = pieces.counts
    return (
        _Examples(before, list(pieces.values), answers, counts),
        _Examples(after, list(pieces.labels), answers, counts),
    )


def _right(model: Any, learnt: _Examples, test: _Examples) -> float:
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
    try:
        linear = importlib.import_module("sklearn.linear_model")
    except ImportError:
        msg = "Training a model needs the library 'scikit-learn', which is not installed."
        raise EngineError(msg, hint="pip install 'incrowd[utility]', or leave out target.") from None
    return linear.LogisticRegression(tol=1e-3, max_iter=100)
