from __future__ import annotations

import pyarrow as pa
import pytest

from engines.subjects import Subject
from incrowd.core import Domain, UncoveredValuesError
from incrowd.engines import open_table

RELEASE = pa.table(
    {
        "age": ["[30, 40)", "[30, 40)", "*", "*", None],
        "zip": ["01*", "01*", "02*", "02*", "02*"],
        "disease": ["flu", "hiv", "flu", "flu", None],
        "person": [1, 2, 3, 3, 4],
    }
)
DISEASE = Domain.of("disease", ["asthma", "flu", "hiv", None])


def test_published_labels_are_grouped_as_texts(subject: Subject) -> None:
    classes = open_table(subject.load(RELEASE)).classes(["age", "zip"], {"disease": DISEASE})
    assert sorted(classes.size.tolist()) == [1, 2, 2]
    assert classes.labels is not None
    labels = [texts[codes].tolist() for texts, codes in zip(classes.labels, classes.codes, strict=True)]
    found = dict(zip(zip(*labels, strict=True), classes.size.tolist(), strict=True))
    assert found == {("[30, 40)", "01*"): 2, ("*", "02*"): 2, (None, "02*"): 1}


def test_sensitive_values_use_the_codes_of_the_given_domain(subject: Subject) -> None:
    classes = open_table(subject.load(RELEASE)).classes(["zip"], {"disease": DISEASE})
    histogram = classes.histogram("disease")
    assert histogram.starts.tolist() == [0, 2, 4]
    assert histogram.values[0].tolist() == [1, 2, 1, 3]
    assert histogram.counts.tolist() == [1, 1, 2, 1]


def test_persons_are_counted_once(subject: Subject) -> None:
    classes = open_table(subject.load(RELEASE)).classes(["zip"], {}, entity="person")
    assert (classes.size.tolist(), classes.records.tolist()) == ([2, 2], [2, 3])


def test_numbers_are_labels_too(subject: Subject) -> None:
    classes = open_table(subject.load(pa.table({"age": [30, 30, 31, None]}))).classes(["age"], {})
    assert sorted(classes.size.tolist()) == [1, 1, 2]


def test_a_value_outside_of_the_domain_is_refused(subject: Subject) -> None:
    engine = open_table(subject.load(RELEASE))
    with pytest.raises(UncoveredValuesError, match="'disease' has 1 value that is not known"):
        engine.classes(["zip"], {"disease": Domain.of("disease", ["flu", None])})


def test_an_empty_release_has_no_classes(typed: Subject) -> None:
    source = [] if typed.name == "reference" else typed.load(RELEASE.slice(0, 0))
    assert len(open_table(source).classes(["age", "zip"], {"disease": DISEASE})) == 0
