"""(n, t)-closeness against a slow and obvious one, and where it stands between its neighbours."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.core import Census, CensusRequest, Classes, Domain, Ladder, Step
from incrowd.engines import open_table
from incrowd.models import NTJudge, _distances, nt_curve
from models import slow

Row = tuple[int, int, str]
Levels = list[dict[int, int]]
"""Per level above the values: the group of every value."""

TREE = ic.tree({"x": {"ab": ["a", "b"], "c": ["c"]}, "y": {"de": ["d", "e"]}})
PATHS = {"a": ("ab", "x"), "b": ("ab", "x"), "c": ("c", "x"), "d": ("de", "y"), "e": ("de", "y")}
MEANING = {"equal": None, "kl": None, "ordered": ic.ordered(list("cadbe")), "hierarchical": TREE}
TABLES = Path(__file__).parents[1] / "published" / "tables"

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.sampled_from("abcde")), min_size=1, max_size=30)


@st.composite
def hierarchies(draw: st.DrawFn) -> Levels:
    """Merge four values into up to three groups, these into up to two, these into one; some steps may be missing."""
    first = [draw(st.integers(0, 2)) for _ in range(4)]
    second = [draw(st.integers(0, 1)) for _ in range(3)]
    levels = [dict(enumerate(first)), {value: second[first[value]] for value in range(4)}]
    return levels[: draw(st.integers(0, 2))]


def ladder(domain: Domain, levels: Levels) -> Ladder:
    steps = [
        Step(
            np.array([level[value] for value in domain.values.tolist()]),
            [f"{number} of {height}" for number in range(4)],
        )
        for height, level in enumerate(levels)
    ]
    return Ladder.climb(domain, [*steps, Step.top(domain)])


def census_of(rows: list[Row], above: dict[str, Levels]) -> Census:
    table = [dict(zip(("p", "q", "s"), row, strict=True)) for row in rows]
    domains = {name: Domain.of(name, [row[name] for row in table]) for name in ("p", "q")}
    ladders = {name: ladder(domains[name], levels) for name, levels in above.items()}
    return open_table(table).census(CensusRequest(("p", "q"), ("s",), ladders))


def bound(model: ic.NTCloseness, census: Census) -> NTJudge:
    schema = ic.Schema(quasi=list(census.quasi), sensitive={"s": MEANING[model.distance]})
    (judge,) = model.bind(schema, census.domains)
    assert isinstance(judge, NTJudge)
    return judge


def distance(name: str, bag: Counter[str], region: Counter[str], whole: Counter[str]) -> Any:
    padded = {value: region[value] for value in whole}
    if name == "equal":
        return slow.variational(bag, padded)
    if name == "kl":
        return slow.kl(bag, region)
    if name == "ordered":
        return slow.ordered(bag, padded, [value for value in "cadbe" if value in whole])
    cost = {
        (a, b): Fraction(
            0 if a == b else 1 if PATHS[a][0] == PATHS[b][0] else 2 if PATHS[a][1] == PATHS[b][1] else 3, 3
        )
        for a, b in itertools.product(whole, whole)
    }
    return slow.transport(bag, padded, cost)


def slow_nt(rows: list[Row], label: Callable[[Row], Any], regions: list[Callable[[Row], Any]], n: int, how: str) -> Any:
    """Give for every class its least distance to a superset of at least n, the classes in the order of their labels."""
    classes: defaultdict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        classes[label(row)].append(row)
    whole = Counter(row[2] for row in rows)
    result = []
    for members in (classes[key] for key in sorted(classes)):
        bag = Counter(row[2] for row in members)
        around = ([row for row in rows if region(row) == region(members[0])] for region in regions)
        far_away = [
            distance(how, bag, Counter(row[2] for row in superset), whole) for superset in around if len(superset) >= n
        ]
        result.append(0 if len(members) >= n else min(far_away, default=math.inf))
    return result


def coarser(above: dict[str, Levels], node: dict[str, int]) -> Iterator[Callable[[Row], Any]]:
    """Give for every node at or above this one the label of a row there."""
    paths = [[{value: value for value in range(4)}, *above.get(name, []), dict.fromkeys(range(4), 0)] for name in "pq"]
    heights = [range(node.get(name, 0), len(path)) for name, path in zip("pq", paths, strict=True)]
    for first, second in itertools.product(*heights):
        yield lambda row, i=first, j=second: (paths[0][i][row[0]], paths[1][j][row[1]])  # type: ignore[misc]


def by_value(measured: list[Any]) -> Any:
    return sorted(float(value) for value in measured)


@given(data=st.data(), rows=rows, n=st.integers(1, 32), how=st.sampled_from(["equal", "ordered", "hierarchical", "kl"]))
@settings(max_examples=80)
def test_the_lattice_equals_looking_at_every_coarser_class(
    data: st.DataObject, rows: list[Row], n: int, how: Any
) -> None:
    above = {name: data.draw(hierarchies()) for name in data.draw(st.sampled_from([("p", "q"), ("p",), ()]))}
    node = {name: data.draw(st.integers(0, len(levels))) for name, levels in above.items()}
    census = census_of(rows, above)
    classes = census.classes(node)
    expected = slow_nt(rows, next(coarser(above, node)), list(coarser(above, node)), n, how)
    judge = bound(ic.NTCloseness(n, 0.3, distance=how), census)
    measured = [judge.measure(classes)[0].at(index) for index in range(len(classes))]
    if how == "kl":
        assert by_value(measured) == pytest.approx(by_value(expected), abs=1e-12)
    else:
        assert sorted(measured) == sorted(expected)
    ok = judge.judge(classes).ok
    assert ok.sum() == sum(value <= Fraction(3, 10) for value in expected)
    assert judge.keeps(classes).tolist() == ok.tolist()


@given(rows=rows, n=st.integers(1, 32), t=st.fractions(0, 1, max_denominator=6))
@settings(max_examples=40)
def test_dropping_equals_looking_at_every_set_of_columns(rows: list[Row], n: int, t: Fraction) -> None:
    regions: list[Callable[[Row], Any]] = [lambda row: row[:2], lambda row: row[0], lambda row: row[1], lambda _: 0]
    expected = slow_nt(rows, regions[0], regions, n, "equal")
    census = census_of(rows, {})
    result = bound(ic.NTCloseness(n, t, supersets="drop"), census).judge(census.classes())
    assert [result.measured[0].at(index) for index in range(len(expected))] == expected
    assert result.ok.tolist() == [value <= t for value in expected]


@given(data=st.data(), rows=rows, n=st.integers(1, 32))
@settings(max_examples=40)
def test_paths_equal_looking_at_every_part_on_the_way(data: st.DataObject, rows: list[Row], n: int) -> None:
    ways = st.lists(st.sampled_from("lr"), max_size=3)
    path = {key: ("all", *data.draw(ways)) for key in sorted({row[:2] for row in rows})}
    regions: list[Callable[[Row], Any]] = [lambda row, depth=d: path[row[:2]][:depth] for d in range(4, 0, -1)]  # type: ignore[misc]
    expected = slow_nt(rows, lambda row: row[:2], regions, n, "equal")
    census = census_of(rows, {})
    partition = ic.Partition({(str(p), str(q)): way for (p, q), way in path.items()})
    judge = bound(ic.NTCloseness(n, 0.3, supersets="path"), census)
    measured = judge.measure(partition.attach(census.classes()))[0]
    assert [measured.at(index) for index in range(len(expected))] == expected


@given(
    rows=rows, t=st.fractions(0, 1, max_denominator=6), how=st.sampled_from(["equal", "ordered", "hierarchical", "kl"])
)
@settings(max_examples=40)
def test_n_as_large_as_the_table_is_t_closeness(rows: list[Row], t: Fraction, how: Any) -> None:
    census = census_of(rows, {})
    schema = ic.Schema(quasi=["p", "q"], sensitive={"s": MEANING[how]})
    (plain,) = ic.TCloseness(t, distance=how).bind(schema, census.domains)
    judge = bound(ic.NTCloseness(len(rows), t, distance=how), census)
    assert judge.judge(census.classes()).ok.tolist() == plain.judge(census.classes()).ok.tolist()


@given(rows=rows, t=st.fractions(0, 1, max_denominator=6))
@settings(max_examples=40)
def test_n_as_small_as_the_smallest_class_always_holds(rows: list[Row], t: Fraction) -> None:
    census = census_of(rows, {})
    classes = census.classes()
    judge = bound(ic.NTCloseness(int(classes.size.min()), t), census)
    assert judge.judge(classes).ok.all()
    assert set(judge.certificates(classes).supersets.tolist()) == {"itself"}


@given(rows=rows, n=st.integers(1, 30), t=st.fractions(0, 1, max_denominator=6), less=st.integers(0, 9))
@settings(max_examples=40)
def test_smaller_n_and_larger_t_promise_less(rows: list[Row], n: int, t: Fraction, less: int) -> None:
    census = census_of(rows, {})
    strict = bound(ic.NTCloseness(n, t), census).keeps(census.classes())
    weaker = ic.NTCloseness(max(1, n - less), min(Fraction(1), t + Fraction(less, 10)))
    assert not (strict & ~bound(weaker, census).keeps(census.classes())).any()


@given(rows=rows, how=st.sampled_from(["equal", "ordered", "kl"]))
@settings(max_examples=40)
def test_the_curve_gives_the_smallest_t_of_every_n(rows: list[Row], how: Any) -> None:
    census = census_of(rows, {})
    classes = census.classes()
    sizes = [1, 2, 5, len(rows), len(rows) + 1]
    curve = nt_curve(classes, bound(ic.NTCloseness(1, 1, distance=how), census), sizes)
    for n, least in zip(sizes, curve, strict=True):
        measured = bound(ic.NTCloseness(n, 1, distance=how), census).measure(classes)[0]
        assert least == max(measured.at(index) for index in range(len(classes)))
        if isinstance(least, Fraction) and least:
            assert bound(ic.NTCloseness(n, least, distance=how), census).keeps(classes).all()
            below = least - Fraction(1, 10**15)
            assert not bound(ic.NTCloseness(n, max(below, Fraction(0)), distance=how), census).keeps(classes).all()


def test_a_certificate_names_the_nearest_superset() -> None:
    rows = [*[(0, 0, "a")] * 2, *[(0, 1, "a")] * 2, *[(1, 0, "b")] * 6, (1, 1, "e")]
    census = census_of(rows, {"p": [], "q": []})
    classes = census.classes()
    found = bound(ic.NTCloseness(4, 0.1), census).certificates(classes)
    assert found.supersets.tolist() == ["p=0, q=1", "p=0, q=1", "itself", None]
    assert [found.distances.at(index) for index in range(3)] == [0, 0, 0]
    assert found.distances.at(3) == Fraction(6, 7)  # p = 1; q = 1 holds 3 records only, and the table is farther


def test_the_published_example_is_certified_by_the_zip_codes() -> None:
    census = patients()
    classes = census.classes([1, 1])
    schema = ic.Schema(quasi=["Zipcode", "Age"], sensitive=["Disease"])
    (judge,) = ic.NTCloseness(1000, 0.1).bind(schema, census.domains)
    assert isinstance(judge, NTJudge)
    assert judge.keeps(classes).tolist() == [True, True, True]
    found = judge.certificates(classes)
    assert found.supersets.tolist() == ["Zipcode=1, Age=2", "Zipcode=1, Age=2", "itself"]
    assert nt_curve(classes, judge, [1000, 1001, 3001]) == [0, Fraction(4, 15), math.inf]


def patients() -> Census:
    schema = ic.Schema(
        quasi={
            "Zipcode": ic.tree(TABLES / "hier_004_table4_zipcode.csv"),
            "Age": ic.tree(TABLES / "hier_004_table4_age.csv"),
        },
        sensitive=["Disease"],
        count="Count",
    )
    return ic.census(TABLES / "004_table4_patients_counts.csv", schema)


@pytest.mark.parametrize(
    ("table", "promise", "holds"),
    [
        ("printed", "nt(n=1000, t=0.1)[drop]", False),
        ("corrected", "nt(n=1000, t=0.1)[drop]", True),
        ("corrected", "nt(n=1001, t=0.1)[drop]", False),
        ("corrected", "nt(n=1000, t=0.1)[table]", False),
        ("corrected", "nt(n=1001, t=4/15)[table]", True),
        ("corrected", "nt(n=1001, t=0.2666666666666666)[table]", False),
    ],
)
def test_published_tables(table: str, promise: str, holds: bool) -> None:
    schema = ic.Schema(quasi=["Zipcode", "Age"], sensitive=["Disease"], count="Count")
    path = TABLES / f"004_table5_anonymous_counts_{table}.csv"
    assert ic.check(path, schema, promise).holds == holds


def test_coarser_classes_can_break_what_finer_ones_kept() -> None:
    schema = ic.Schema(
        quasi={"A": ic.tree(TABLES / "hier_own_a2.csv"), "B": ic.tree(TABLES / "hier_own_b2.csv")}, sensitive=["S"]
    )
    census = ic.census(TABLES / "own_nt_not_monotone.csv", schema)
    (judge,) = ic.NTCloseness(10, 0.1).bind(schema, census.domains)
    nodes = itertools.product(range(2), range(2))
    assert [node for node in nodes if judge.keeps(census.classes(node)).all()] == [(0, 0), (0, 1), (1, 1)]


@pytest.mark.parametrize("columns", [["p", "q"], ["q", "p"]])
@pytest.mark.parametrize("m", [5 * 10**8, 5 * 10**12])
@pytest.mark.parametrize("how", ["equal", "ordered"])
def test_of_two_supersets_that_no_float_tells_apart_the_nearer_counts(columns: list[str], m: int, how: str) -> None:
    counts = [(0, 0, "a", 1), (0, 1, "a", m), (0, 1, "b", m), (1, 0, "a", m - 1), (1, 0, "b", m - 1)]
    table = [dict(zip(("p", "q", "s", "n"), row, strict=True)) for row in counts]
    schema = ic.Schema(quasi=columns, sensitive={"s": ic.ordered(["a", "b"])}, count="n")
    near = Fraction(m - 1, 2 * m - 1)  # the other one is m / (2 m + 1)
    for t, holds in ((near, True), (near - Fraction(1, 10**40), False)):
        model = ic.NTCloseness(2 * m - 1, t, distance=how, supersets="drop")  # type: ignore[arg-type]
        verdict = ic.check(table, schema, model)
        assert (verdict.holds, verdict.findings[0].measured) == (holds, (near,))


def test_the_order_of_supersets_does_not_hide_what_overflows() -> None:
    m = 10**10
    counts = [(0, 0, "a", 1), (0, 1, "b", 1), (1, 0, "a", m), (1, 1, "b", m)]
    table = [dict(zip(("p", "q", "s", "n"), row, strict=True)) for row in counts]
    schema = ic.Schema(quasi=["p", "q"], sensitive=["s"], count="n")
    verdict = ic.check(table, schema, "nt(n=2, t=0)")
    assert verdict.findings[0].measured == (0,)


@given(rows=rows, n=st.integers(1, 30), how=st.sampled_from(["ordered", "hierarchical"]))
@settings(max_examples=30)
def test_few_classes_at_a_time_give_the_same(rows: list[Row], n: int, how: Any) -> None:
    census = census_of(rows, {})
    judge = bound(ic.NTCloseness(n, 0.3, distance=how), census)
    at_once = judge.measure(census.classes())[0].floats.tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_distances, "SPREAD", 7)
        assert judge.measure(census.classes())[0].floats.tolist() == at_once


def people(rows: list[tuple[int, str, str]]) -> tuple[Classes, NTJudge]:
    table = [dict(zip(("q", "s", "who"), row, strict=True)) for row in rows]
    census = open_table(table).census(CensusRequest(("q",), ("s",), entity="who"))
    schema = ic.Schema(quasi=["q"], sensitive=["s"], entity="who")
    (judge,) = ic.NTCloseness(3, 0.5).bind(schema, census.domains)
    assert isinstance(judge, NTJudge)
    return census.classes(), judge


def test_a_person_counts_once_in_a_region() -> None:
    classes, judge = people([(1, "a", "ann"), (2, "a", "ann"), (2, "b", "bob")])
    judge.check_persons(classes)
    assert judge.measure(classes)[0].floats.tolist() == [math.inf, math.inf]
    classes, judge = people([(1, "a", "ann"), (2, "a", "ann"), (2, "b", "bob"), (2, "b", "cyd")])
    assert judge.measure(classes)[0].at(0) == Fraction(2, 3)


def test_a_region_where_a_person_has_two_values_is_refused() -> None:
    classes, judge = people([(1, "a", "ann"), (2, "b", "ann"), (2, "b", "bob"), (2, "b", "cyd")])
    with pytest.raises(ic.SchemaError, match="NTCloseness needs one value per person and class"):
        judge.measure(classes)
    with pytest.raises(ic.SchemaError, match="NTCloseness needs one value per person and class"):
        judge.check_persons(classes)


def test_overlapping_labels_leave_the_table_only() -> None:
    table = [{"q": "476**", "s": "a"}, {"q": "4767*", "s": "b"}, {"q": "9****", "s": "a"}]
    schema = ic.Schema(quasi=["q"], sensitive=["s"])
    (finding,) = ic.check(table, schema, "nt(n=2, t=0.5)[drop]").findings
    assert (finding.supersets, finding.reference, finding.holds) == ("table", "table", False)
    (finding,) = ic.check(table[1:], schema, "nt(n=2, t=0.5)[drop]").findings
    assert (finding.supersets, finding.holds) == ("drop", True)
    (finding,) = ic.check(table, schema, "k>=2").findings
    assert (finding.supersets, finding.reference) == (None, None)


def test_labels_of_one_level_do_not_overlap() -> None:
    table = [{"q": value, "s": "a"} for value in ("20-29", "25", "x")]
    domain = Domain.of("q", [row["q"] for row in table])
    steps = [Step(np.array([0, 0, 1]), ["20-29 and 25", "*x"]), Step.top(domain)]
    census = open_table(table).census(CensusRequest(("q",), ("s",), {"q": Ladder.climb(domain, steps)}))
    judge = bound(ic.NTCloseness(2, 0.5, supersets="drop"), census)
    assert [judge.supersets(census.classes([level])) for level in (0, 1)] == ["table", "drop"]


def test_published_labels_are_judged_without_a_census() -> None:
    table = open_table([{"q": "1*", "s": "a"}, {"q": "2*", "s": "b"}])
    domain = Domain.of("s", ["a", "b"])
    (judge,) = ic.NTCloseness(2, 0.5, supersets="drop").bind(ic.Schema(quasi=["q"], sensitive=["s"]), {"s": domain})
    assert judge.keeps(table.classes(("q",), {"s": domain})).tolist() == [True, True]


def test_no_classes_are_judged_without_complaint() -> None:
    census = open_table([]).census(CensusRequest(("p", "q"), ("s",)))
    judge = bound(ic.NTCloseness(5, 0.1), census)
    assert judge.judge(census.classes()).ok.tolist() == []
    assert nt_curve(census.classes(), judge, [1, 5]) == [0, 0]
    assert judge.certificates(census.classes()).supersets.tolist() == []


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: ic.NTCloseness(0, 0.1), "n must be at least 1, got 0"),
        (lambda: ic.NTCloseness(2.5, 0.1), "n must be a whole number, got 2.5"),  # type: ignore[arg-type]
        (lambda: ic.NTCloseness(5, 1.1), "t must be at least 0 and at most 1, got 1.1"),
        (lambda: ic.NTCloseness(5, 0.1, distance="far"), "distance must be one of 'equal'"),  # type: ignore[arg-type]
        (lambda: ic.NTCloseness(5, 0.1, supersets="any"), "supersets must be one of 'lattice', 'path'.*got 'any'"),  # type: ignore[arg-type]
    ],
)
def test_parameters_are_checked_when_the_model_is_built(build: Any, says: str) -> None:
    with pytest.raises(ic.ParameterError, match=says):
        build()


def test_no_search_may_prune_with_it() -> None:
    model = ic.NTCloseness(5, 2, distance="kl")
    assert (model.upward_closed, model.union_closed, model.implied) == (False, False, None)


def overlapping(age: list[str]) -> list[dict[str, str]]:
    homes = [("476**", "flu"), ("4767*", "hiv")]
    return [{"zip": home, "age": label, "disease": disease} for home, disease in homes for label in age for _ in "12"]


def test_a_column_without_a_hierarchy_is_dropped_only_if_its_labels_are_disjoint() -> None:
    plain = ic.Schema(quasi=["zip", "age"], sensitive=["disease"])
    table = overlapping(["2*", "3*"])
    for text in ("nt(n=4, t=0)", "nt(n=4, t=0)[drop]"):
        verdict = ic.check(table, plain, text)
        assert (verdict.holds, verdict.findings[0].supersets) == (False, "table")
    climbing = ic.Schema(quasi={"zip": None, "age": ic.flat()}, sensitive=["disease"])
    verdict = ic.check(table, climbing, "nt(n=4, t=0)")
    assert (verdict.holds, verdict.findings[0].supersets) == (False, "table")
    assert verdict.notes == (
        "nt(n=4, t=0) looked at supersets of the kind 'table' instead of 'lattice': the labels of some column overlap.",
    )


def test_where_no_column_has_a_hierarchy_columns_are_dropped() -> None:
    schema = ic.Schema(quasi=["zip", "age"], sensitive=["disease"])
    table = [row | {"zip": row["zip"].replace("4767*", "479**")} for row in overlapping(["2*", "3*"])]
    verdict = ic.check(table, schema, "nt(n=4, t=0)")
    assert (verdict.holds, verdict.findings[0].supersets) == (True, "drop")
    assert verdict.notes == (
        "nt(n=4, t=0) looked at supersets of the kind 'drop' instead of 'lattice': no column has a hierarchy.",
    )
