from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.core import Census
from incrowd.evidence import plain_verdict
from incrowd.models import Ratios
from models import slow
from models.tables import bags

TABLES = Path(__file__).parents[1] / "published" / "tables"
CATEGORIES = ic.categories(TABLES / "000_table4_2_categories.csv")
RELEASED = TABLES / "000_table3_8_2sensitive_4anonymous.csv"
SCHEMA = ic.Schema(quasi=["Zipcode", "Age", "Country"], sensitive={"Health_condition": CATEGORIES})

TREE = ic.tree({"x": {"ab": ["a", "b"], "c": ["c"]}, "y": {"de": ["d", "e"], "f": ["f"]}})

rows = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abcdef")), min_size=1, max_size=40)
people = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from("ab"), st.integers(0, 5)), min_size=1, max_size=25
)


def assess(rows: Any, meaning: Any = None, **options: Any) -> Any:
    """Assess rows of (quasi-identifier, sensitive value)."""
    table = [{"q": q, "s": s} for q, s in rows]
    return ic.assess(table, ic.Schema(quasi=["q"], sensitive={"s": meaning}), **options)


def test_a_released_file_is_measured_from_all_sides() -> None:
    assessment = ic.assess(RELEASED, SCHEMA)
    column: Any = assessment.columns["Health_condition"]
    assert (assessment.records, assessment.persons, assessment.classes, assessment.k) == (12, None, 3, 4)
    assert (column.distinct_l, column.p, column.probabilistic_l, column.entropy_l) == (2, 2, 2, 2.0)
    assert (column.alpha, column.recursive) == (Fraction(1, 2), {2: 1})
    assert (column.t["equal"], column.t["kl"]) == (Fraction(2, 3), pytest.approx(math.log(3)))
    assert (column.beta, column.enhanced_beta, column.delta) == (2, math.inf, math.inf)
    assert (column.p_alpha, column.enhanced) == ((2, 0), (1, 0))
    assert (column.homogeneous.classes, column.similar and column.similar.records) == (0, 8)
    assert column.not_measured == {}


def test_who_stands_out_is_counted() -> None:
    assessment = assess([(1, "a"), (2, "a"), (2, "b"), (3, "c"), (3, "c"), (3, "c")])
    assert assessment.one_of_a_kind.people == 1
    assert (assessment.below(3).classes, assessment.below(3).people, assessment.below(3).share) == (
        2,
        3,
        Fraction(1, 2),
    )
    assert assessment.columns["s"].homogeneous.classes == 2
    assert assessment.columns["s"].certain == Fraction(4, 6)
    assert (assessment.highest_chance, assessment.average_chance) == (1, Fraction(1, 2))


def test_the_sizes_of_classes_are_tabulated() -> None:
    sizes = assess([(1, "a"), (2, "a"), (3, "a"), (3, "b"), (4, "a"), (4, "a"), (4, "c")]).class_sizes
    assert sizes.size.tolist() == [1, 2, 3]
    assert sizes.classes.tolist() == [2, 1, 1]
    assert sizes.records.tolist() == [2, 2, 3]


@settings(max_examples=30)
@given(rows=rows)
def test_all_measures_agree_with_the_slow_ones(rows: list[Any]) -> None:
    column: Any = assess(rows).columns["s"]
    classes, whole = bags(rows)
    assert column.distinct_l == min(len(bag) for bag in classes)
    assert column.alpha == max(max(slow.shares(bag).values()) for bag in classes)
    assert column.entropy_l == pytest.approx(min(map(slow.entropy_l, classes)))
    assert column.t["equal"] == max(slow.variational(bag, whole) for bag in classes)
    assert column.t["kl"] == pytest.approx(max(slow.kl(bag, whole) for bag in classes), abs=1e-12)
    ratios = {l: max(slow.recursive_ratio(bag, l) for bag in classes) for l in range(2, column.distinct_l + 1)}  # noqa: E741
    assert column.recursive == {l: ratio for l, ratio in ratios.items() if l <= 5}  # noqa: E741
    q = slow.shares(whole)
    gains = [p / q[value] - 1 for bag in classes for value, p in slow.shares(bag).items()]
    assert column.beta == max(*gains, 0)


@settings(max_examples=30)
@given(rows=rows, meaning=st.sampled_from([None, ic.ordered(list("fbdace")), TREE]))
def test_leaving_out_classes_that_are_alike_changes_no_number(rows: list[Any], meaning: Any) -> None:
    assessment = assess(rows, meaning)
    column = assessment.columns["s"]
    for way, far in column.t.items():
        model = ic.TCloseness(1 if way != "kl" else 99, distance=way)
        assert assessment.check(model).findings[0].measured == (pytest.approx(far) if way == "kl" else far,)
    assert assessment.check(ic.BetaLikeness(1)).findings[0].measured == (column.beta,)
    assert assessment.check(ic.LDiversity(1, kind="probabilistic")).findings[0].measured == (column.probabilistic_l,)
    lacking, change = assessment.check(ic.DeltaDisclosure(1)).findings[0].measured
    assert column.delta == (math.inf if lacking else pytest.approx(change))


@settings(max_examples=30)
@given(rows=rows)
def test_every_number_is_the_bound_of_its_promise(rows: list[Any]) -> None:
    assessment = assess(rows)
    column: Any = assessment.columns["s"]
    kept = [
        ic.KAnonymity(assessment.k or 0),
        ic.LDiversity(column.distinct_l or 0),
        ic.LDiversity(column.probabilistic_l or 0, kind="probabilistic"),
        ic.LDiversity(column.entropy_l or 0, kind="entropy"),
        ic.TCloseness(column.t["equal"]),
        ic.AlphaAssociation(column.alpha or 0),
    ]
    assert all(assessment.check(model).holds for model in kept)
    broken = [
        ic.KAnonymity((assessment.k or 0) + 1),
        ic.LDiversity((column.distinct_l or 0) + 1),
        ic.LDiversity((column.probabilistic_l or 0) + Fraction(1, 10**9), kind="probabilistic"),
    ]
    assert not any(assessment.check(model).holds for model in broken)


@given(rows=people)
def test_people_who_are_unique_without_a_column(rows: list[Any]) -> None:
    table = [{"a": a, "b": b, "c": c} for a, b, c, _ in rows]
    assessment = ic.assess(table, ic.Schema(quasi=["a", "b", "c"]))
    for column in "abc":
        rest = Counter(tuple(value for name, value in row.items() if name != column) for row in table)
        assert assessment.unique_without[column] == sum(count == 1 for count in rest.values())


@settings(max_examples=30)
@given(rows=people)
def test_with_persons_the_same_counts_different_people(rows: list[Any]) -> None:
    table = [{"a": a, "b": b, "c": c, "who": who} for a, b, c, who in rows]
    assessment = ic.assess(table, ic.Schema(quasi=["a", "b"], sensitive=["c"], entity="who"))

    def alone(*names: str) -> set[Any]:
        groups = defaultdict(set)
        for row in table:
            groups[tuple(row[name] for name in names)].add(row["who"])
        return {person for group in groups.values() if len(group) == 1 for person in group}

    assert assessment.persons == len({who for *_, who in rows})
    assert assessment.one_of_a_kind.people == len(alone("a", "b"))
    assert assessment.unique_without == {"a": len(alone("b")), "b": len(alone("a"))}


def test_what_needs_one_value_per_person_is_not_measured_and_says_why() -> None:
    table = [{"q": 1, "s": s, "who": who} for s, who in [("HIV", 1), ("Flu", 1), ("Flu", 2)]]
    assessment: Any = ic.assess(table, ic.Schema(quasi=["q"], sensitive={"s": CATEGORIES}, entity="who"))
    column: Any = assessment.columns["s"]
    assert (assessment.k, column.distinct_l, column.alpha) == (2, 2, 1)
    assert (column.entropy_l, column.recursive, column.beta, column.delta, column.t) == (None, None, None, None, {})
    assert (column.p_alpha, column.enhanced) == (None, None)
    assert (column.homogeneous.classes, column.similar.classes) == (1, 1)  # both have had the flu
    assert {"entropy_l", "recursive", "t (equal)", "t (kl)", "beta", "delta", "enhanced"} <= set(column.not_measured)
    assert "some people have several in 's'" in column.not_measured["entropy_l"]


def test_counted_rows_stand_for_so_many_records() -> None:
    assessment = ic.assess([{"q": 1, "n": 3}, {"q": 2, "n": 1}], ic.Schema(quasi=["q"], count="n"))
    assert (assessment.records, assessment.k, assessment.average_chance) == (4, 1, Fraction(1, 2))
    assert assessment.class_sizes.size.tolist() == [1, 3]


def test_numbers_are_also_measured_along_their_order() -> None:
    rows = [(1, 3), (1, 4), (1, 5), (2, 6), (2, 8), (2, 11), (3, 7), (3, 9), (3, 10)]
    assert assess(rows).columns["s"].t["ordered"] == Fraction(3, 8)


def test_a_taxonomy_is_measured_where_there_is_one() -> None:
    column: Any = assess([(1, "a"), (1, "b"), (2, "c")], ic.tree({"x": ["a", "b"], "y": ["c"]})).columns["s"]
    assert set(column.t) == {"equal", "hierarchical", "kl"}
    assert column.t["hierarchical"] == Fraction(2, 3)


def test_missing_values_have_no_place_in_an_order_and_that_is_said() -> None:
    column: Any = assess([(1, 3), (1, None), (2, 5)]).columns["s"]
    assert "ordered" not in column.t
    assert "missing values" in column.not_measured["t (ordered)"]


def test_enhanced_beta_is_finite_where_gains_stay_under_their_cap() -> None:
    column: Any = assess([(1, "a"), (1, "b"), (2, "a"), (2, "b")]).columns["s"]
    assert (column.beta, column.enhanced_beta, column.delta) == (0, 0, 0)


def test_an_empty_table_has_no_numbers() -> None:
    empty = pa.table({"q": pa.array([], pa.string()), "s": pa.array([], pa.string())})
    assessment: Any = ic.assess(empty, ic.Schema(quasi=["q"], sensitive={"s": CATEGORIES}), matching="compatible")
    column: Any = assessment.columns["s"]
    assert (assessment.k, assessment.compatible_k, assessment.classes, assessment.below(5).people) == (None, None, 0, 0)
    assert (column.distinct_l, column.alpha, column.t, column.recursive, column.enhanced) == (None, None, {}, {}, None)
    assert (assessment.highest_chance, assessment.average_chance, column.certain) == (0, 0, 0)
    assert assessment.nt_curve() == {}
    json.dumps(assessment.to_dict(), allow_nan=False)


def test_dropped_records_are_counted() -> None:
    table = [{"q": "a"}, {"q": None}]
    assert ic.assess(table, ic.Schema(quasi=["q"], missing="drop")).dropped == 1


def test_the_wildcard_reading_is_measured_on_request() -> None:
    table = [{"zip": "021*"}, {"zip": "0213"}, {"zip": "0214"}]
    schema = ic.Schema(quasi=["zip"])
    assert ic.assess(table, schema).compatible_k is None
    assert ic.assess(table, schema, matching="compatible").compatible_k == 2
    assert ic.assess(table, schema, matching="compatible").k == 1


def test_another_matching_is_refused() -> None:
    with pytest.raises(ic.ParameterError, match=r"matching must be 'exact' or 'compatible', got 'fuzzy'"):
        ic.assess([{"q": 1}], ic.Schema(quasi=["q"]), matching="fuzzy")  # type: ignore[arg-type]


def test_the_alpha_vector_holds_values_and_comes_only_on_request() -> None:
    assessment = ic.assess(RELEASED, SCHEMA)
    association = assessment.association()
    assert association is assessment.association("Health_condition")
    assert (association.alphas["HIV"], association.spread) == (Fraction(1, 2), Fraction(1, 4))
    assert "HIV" not in json.dumps(assessment.to_dict())
    assert ["HIV", {"value": 0.5, "exact": "1/2"}] in assessment.to_dict(values=True)["columns"]["Health_condition"][
        "alphas"
    ]


def test_the_curve_of_n_and_t_falls_to_the_distance_from_the_table() -> None:
    assessment = ic.assess(RELEASED, SCHEMA)
    assert assessment.nt_curve() == {1: 0, 2: 0, 5: Fraction(2, 3), 10: Fraction(2, 3), 12: Fraction(2, 3)}
    assert assessment.nt_curve(ns=[4], supersets="table") == {4: 0}


def test_hierarchies_of_the_schema_count_for_supersets_of_the_lattice() -> None:
    table = [{"age": age, "s": s} for age, s in [(21, "a"), (22, "b"), (31, "c"), (32, "d")]]
    schema = ic.Schema(quasi={"age": ic.intervals(10)}, sensitive=["s"])
    assessment = ic.assess(table, schema)
    assert assessment.nt_curve(ns=[2], supersets="lattice") == {2: Fraction(1, 2)}
    assert assessment.nt_curve(ns=[2], supersets="drop") == {2: Fraction(3, 4)}
    promise = "nt(n=2, t=0.5)"
    assert assessment.check(promise).findings == ic.check(table, schema, promise).findings
    assert assessment.check(promise).holds


@pytest.mark.parametrize("promise", ["k>=4, p>=2", "enhanced(p=2, alpha=1)", "t<=0.5, entropy-l>=2", "k>=5"])
def test_a_promise_is_decided_as_by_check(promise: str) -> None:
    assert ic.assess(RELEASED, SCHEMA).check(promise) == ic.check(RELEASED, SCHEMA, promise)


def test_a_sensitive_column_must_be_named_if_there_are_several() -> None:
    assessment = ic.assess([{"q": 1, "a": 1, "b": 2}], ic.Schema(quasi=["q"], sensitive=["a", "b"]))
    with pytest.raises(ic.ParameterError, match="2 sensitive columns, so one must be named"):
        assessment.association()
    with pytest.raises(ic.UnknownColumnError, match=r"no column 'aa' \(given as sensitive\)"):
        assessment.nt_curve("aa")


def test_plain_data_can_be_written_as_json() -> None:
    plain = json.loads(json.dumps(ic.assess(RELEASED, SCHEMA).to_dict(), allow_nan=False))
    column: Any = plain["columns"]["Health_condition"]
    assert (plain["schema"], plain["k"], plain["quasi"]) == (1, 4, ["Zipcode", "Age", "Country"])
    assert plain["class_sizes"] == [{"size": 4, "classes": 3, "records": 12}]
    assert column["t"]["equal"] == {"value": pytest.approx(2 / 3), "exact": "2/3"}
    assert column["delta"] == {"value": None, "exact": "inf"}
    assert column["spread"] == {"value": 0.25, "exact": "1/4"}
    assert column["similar"] == {"classes": 2, "records": 8, "persons": None, "share": column["t"]["equal"]}


def test_no_value_stands_in_the_repr_or_the_plain_data() -> None:
    assessment = assess([("canary", "dove"), ("canary", "finch"), ("eagle", "dove")])
    shown = repr(assessment) + repr(assessment.columns) + json.dumps(assessment.to_dict())
    assert [bird for bird in ("canary", "dove", "finch", "eagle") if bird in shown] == []
    assert repr(assessment) == "Assessment(3 records, 2 classes, k=1, 1 sensitive column)"


def test_values_that_look_alike_are_noted() -> None:
    notes = ic.assess([{"q": "M"}, {"q": "М"}], ic.Schema(quasi=["q"])).notes  # noqa: RUF001 - the second is Cyrillic
    assert notes == ("Column 'q' has 2 values that look alike in print; they count as different.",)


def test_the_table_is_grouped_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    original = Census.classes

    def counted(census: Census, *levels: Any) -> Any:
        calls.append(levels)
        return original(census, *levels)

    monkeypatch.setattr(Census, "classes", counted)
    assessment = ic.assess(RELEASED, SCHEMA)
    assessment.check("k>=4, p>=2, t<=0.5")
    assert len(calls) == 1


def test_the_worst_of_ratios_that_floats_cannot_tell_apart() -> None:
    big = 10**17
    ratios = Ratios(np.array([big + 1, big + 2, big]), np.array([big, big + 1, big]))
    assert float(Fraction(big + 1, big)) == float(Fraction(big + 2, big + 1)) == 1.0
    assert ratios.worst("<=") == Fraction(big + 1, big)
    assert ratios.worst(">=") == 1


def test_no_superset_that_is_large_enough_is_infinitely_far() -> None:
    (finding,) = assess([(1, "a"), (2, "b")]).check("nt(n=3, t=0.5)[s, drop]").findings
    assert (finding.measured, finding.failing_records) == ((math.inf,), 2)


def test_a_ratio_over_nothing_is_infinite() -> None:
    assert Ratios(np.array([1, 5]), np.array([0, 5])).worst("<=") == math.inf
    assert Ratios(np.array([1, 5]), np.array([0, 5])).worst(">=") == 1


VISITS = [
    ("a", "flu", 1),
    ("a", "hiv", 1),
    ("a", "flu", 2),
    ("b", "flu", 3),
    ("b", "cold", 4),
    ("c", "flu", 5),
    ("c", "hiv", 6),
]
ILLNESSES = {"grave": ["hiv"], "mild": ["flu", "cold"]}


def test_with_persons_a_value_that_everybody_has_is_certain() -> None:
    table = [{"q": q, "s": s, "who": who} for q, s, who in VISITS]
    schema = ic.Schema(quasi=["q"], sensitive={"s": ic.categories(ILLNESSES)}, entity="who")
    column: Any = ic.assess(table, schema).columns["s"]
    assert (column.distinct_l, column.homogeneous.classes, column.homogeneous.persons) == (2, 1, 2)
    assert column.certain == Fraction(1, 3)
    assert (column.similar.classes, column.similar.persons) == (2, 4)


@settings(max_examples=30)
@given(rows=people)
def test_what_is_certain_is_what_all_people_of_a_class_have(rows: list[Any]) -> None:
    table = [{"a": a, "c": c, "who": who} for a, _, c, who in rows]
    found: Any = ic.assess(table, ic.Schema(quasi=["a"], sensitive=["c"], entity="who")).columns["c"].homogeneous
    classes = {row["a"] for row in table}
    persons = {a: {row["who"] for row in table if row["a"] == a} for a in classes}
    having = {
        (a, c): {row["who"] for row in table if (row["a"], row["c"]) == (a, c)} for a in classes for c in "abcdef"
    }
    assert found.classes == sum(any(having[a, c] == persons[a] for c in "abcdef") for a in classes)


def test_categories_that_lack_a_value_leave_the_rest_measured() -> None:
    column: Any = assess([(1, "hiv"), (1, "plague"), (2, "flu")], ic.categories(ILLNESSES)).columns["s"]
    assert (column.distinct_l, column.homogeneous.classes, column.t["equal"]) == (1, 1, Fraction(2, 3))
    assert (column.p_alpha, column.enhanced, column.similar) == (None, None, None)
    reason = "Column 's' has 1 of 3 values that are not covered by the categories."
    assert column.not_measured == {"p_alpha": reason, "enhanced": reason, "similar": reason}


def test_one_missing_value_is_one() -> None:
    column: Any = assess([(1, "hiv"), (2, None)], ic.categories(ILLNESSES)).columns["s"]
    reason = "Column 's' has 1 missing value, and the categories do not say where missing values belong."
    assert column.not_measured["similar"] == reason


def test_an_order_that_lacks_a_value_leaves_the_rest_measured() -> None:
    column: Any = assess([(1, "a"), (2, "b")], ic.ordered(["a"])).columns["s"]
    assert list(column.t) == ["equal", "kl"]
    assert "1 of 2 values" in column.not_measured["t (ordered)"]


def test_certificates_say_which_superset_is_near() -> None:
    homes = [
        ("476", "2*", "flu"),
        ("476", "2*", "hiv"),
        ("476", "3*", "flu"),
        ("476", "3*", "hiv"),
        ("479", "2*", "flu"),
    ]
    table = [{"zip": home, "superset": age, "s": s} for home, age, s in homes]
    assessment = ic.assess(table, ic.Schema(quasi=["zip", "superset"], sensitive=["s"]))
    found = assessment.certificates("nt(n=4, t=0)[drop]")
    assert {name: column.tolist() for name, column in found.items()} == {
        "zip": ["476", "476", "479"],
        "superset": ["2*", "3*", "2*"],
        "records": [2, 2, 1],
        "superset_": ["zip", "zip", None],
        "distance": [0.0, 0.0, pytest.approx(0.4)],
    }
    for wrong, says in (("k>=2", "Only"), ("nt(n=4, t=0)[s, b]", "about one sensitive column")):
        with pytest.raises(ic.ParameterError, match=says):
            assessment.certificates(wrong)


def test_a_verdict_of_an_assessment_has_notes_too() -> None:
    verdict = ic.assess(RELEASED, SCHEMA).check("k>=1, nt(n=1, t=0)[drop]")
    assert len(verdict.notes) == 3
    plain = plain_verdict(verdict)
    assert plain["notes"] == list(verdict.notes)
    assert (plain["vacuous"], plain["findings"][1]["supersets"], plain["findings"][1]["reference"]) == (
        False,
        "table",
        "table",
    )


def test_records_beyond_floats_are_added_up_exactly() -> None:
    table = [{"q": number, "n": 2**53 + 1} for number in range(3)]
    sizes = ic.assess(table, ic.Schema(quasi=["q"], count="n")).class_sizes
    assert (sizes.size.tolist(), sizes.records.tolist()) == ([2**53 + 1], [3 * (2**53 + 1)])
