from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.plan._sections import SearchSection
from incrowd.search import LocalTable, Mondrian, Problem, Progress
from incrowd.search.mondrian._cuts import Candidates, Check
from incrowd.search.mondrian._kernels import PieceRows
from search import slow_mondrian as slow
from search.slow_mondrian import GRADE, QUASI, TOWN, Part
from search.tables import PROMISES
from search.tables_mondrian import COLUMNS, alike, kinds, members, names, problem, published, rows, tables

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists", "ignore:.* promises nothing")


def test_the_widest_column_is_cut_at_its_median_first() -> None:
    table = alike(age=[20, 22, 25, 31, 40, 47, 50, 60], sex=list("ffmmffmm"))
    outcome = Mondrian().search(problem(table, ic.KAnonymity(2)))
    assert sorted((age, sex) for age, _, sex, _ in names(outcome)) == [
        ("20..22", "f"),
        ("25..31", "m"),
        ("40..47", "f"),
        ("50..60", "m"),
    ]
    assert outcome.sizes.tolist() == [2, 2, 2, 2]
    assert (outcome.suppressed, outcome.proof, outcome.paths) == (0, "heuristic", None)


def test_the_tree_says_how_the_table_was_cut() -> None:
    table = alike(age=[20, 22, 25, 31, 40, 47, 50, 60], sex=list("ffmmffmm"))
    outcome = Mondrian().search(problem(table, ic.KAnonymity(2)))
    assert outcome.tree.names(np.arange(7)) == ["all", "age 20..31", "age 40..60", "sex f", "sex m", "sex f", "sex m"]
    assert outcome.tree.parents.tolist() == [-1, 0, 0, 1, 1, 2, 2]
    assert outcome.tree.sizes.tolist() == [8, 4, 4, 2, 2, 2, 2]
    assert outcome.partition.paths["20..22", "none", "f", "ulm"] == ("all", "age 20..31")


def test_the_upper_half_is_cut_off_where_the_median_is_the_largest_value() -> None:
    outcome = Mondrian().search(problem(alike(age=[20, 20, 31, 31, 31]), ic.KAnonymity(2)))
    assert sorted(age for age, *_ in names(outcome)) == ["20", "31"]


def test_is_not_stuck_where_the_widest_column_cannot_be_cut() -> None:
    table = alike(age=[20, 20, 20, 20, 20, 88], sex=list("fffmmm"))
    outcome = Mondrian().search(problem(table, ic.KAnonymity(3)))
    assert sorted((age, sex) for age, _, sex, _ in names(outcome)) == [("20", "f"), ("20..88", "m")]


def test_an_important_column_is_cut_before_a_wider_one() -> None:
    table = alike(age=[20, 88, 20, 88], sex=list("ffmm"))
    plain = Mondrian().search(problem(table, ic.KAnonymity(2)))
    assert sorted((age, sex) for age, _, sex, _ in names(plain)) == [("20", "{f, m}"), ("88", "{f, m}")]
    other = Mondrian().search(problem(table, ic.KAnonymity(2), importance={"sex": 2}))
    assert sorted((age, sex) for age, _, sex, _ in names(other)) == [("20..88", "f"), ("20..88", "m")]


def test_words_are_cut_into_the_groups_below_their_lowest_common_label() -> None:
    table = alike(town=["ulm", "ulm", "augsburg", "bonn", "bonn", "köln"])
    outcome = Mondrian().search(problem(table, ic.KAnonymity(3)))
    assert sorted(town for *_, town in names(outcome)) == ["south", "west"]
    by_set = Mondrian(labels="set").search(problem(table, ic.KAnonymity(3)))
    assert sorted(town for *_, town in names(by_set)) == ["{augsburg, ulm}", "{bonn, köln}"]


def test_words_with_an_order_but_no_groups_are_called_by_their_set() -> None:
    outcome = Mondrian().search(problem(alike(grade=GRADE), ic.KAnonymity(2)))
    assert sorted(grade for _, grade, *_ in names(outcome)) == ["{none, school}", "{study, trade}"]


def test_hierarchy_labels_cut_numbers_along_their_hierarchy() -> None:
    outcome = Mondrian(labels="hierarchy").search(problem(alike(age=[17, 20, 31, 47, 49, 62]), ic.KAnonymity(3)))
    assert sorted(age for age, *_ in names(outcome)) == ["[0, 40)", "[40, 80)"]


def test_relaxed_halves_are_of_one_size() -> None:
    table = alike(age=[20, 31, 31, 31, 31, 47])
    assert Mondrian().search(problem(table, ic.KAnonymity(3))).classes == 1
    outcome = Mondrian(strict=False).search(problem(table, ic.KAnonymity(3)))
    assert sorted(age for age, *_ in names(outcome)) == ["20..31", "31..47"]
    assert outcome.sizes.tolist() == [3, 3]


def test_parts_that_are_called_alike_are_one_class() -> None:
    """Relaxed halves of 31 and 31 are both called 31."""
    outcome = Mondrian(strict=False).search(problem(alike(age=[20, 31, 31, 31, 31, 47]), ic.KAnonymity(1)))
    assert dict(zip((age for age, *_ in names(outcome)), outcome.sizes.tolist(), strict=True)) == {
        "20": 1,
        "31": 4,
        "47": 1,
    }
    with pytest.raises(ic.ParameterError, match="called alike"):
        _ = outcome.partition


def test_missing_numbers_are_cut_off_first_and_make_a_part_as_wide_as_the_table() -> None:
    outcome = Mondrian().search(problem(alike(age=[20, 31, None, None]), ic.KAnonymity(2)))
    assert sorted(str(age) for age, *_ in names(outcome)) == ["20..31", "None"]
    mixed = Mondrian().search(problem(alike(age=[20, 31, None]), ic.KAnonymity(2)))
    assert [age for age, *_ in names(mixed)] == ["*"]


def agrees(table: Part, promise: Any, importance: dict[str, float] | None = None, **how: Any) -> None:
    """The search cuts as the slow one does; if the whole table breaks the promise both stop."""
    model, ok = promise
    asked = problem(table, model, importance=importance or {})
    if not ok(table, table):
        with pytest.raises(ic.NoSafeRelease, match="records in one class break"):
            Mondrian(**how).search(asked)
        return
    check = lambda pieces, _: all(ok(piece, table) for piece in pieces)  # noqa: E731
    leaves = slow.mondrian(table, check, importance=importance, **how)
    assert published(Mondrian(**how).search(asked)) == slow.published(leaves, how.get("labels", "range"))


@settings(max_examples=75)
@given(
    table=tables,
    promise=st.sampled_from(PROMISES),
    labels=kinds,
    importance=st.fixed_dictionaries({name: st.sampled_from([0.25, 1, 4]) for name in QUASI}),
)
def test_cuts_as_the_slow_one_does(table: Part, promise: Any, labels: str, importance: dict[str, float]) -> None:
    agrees(table, promise, importance, labels=labels)


@settings(max_examples=50)
@given(table=tables, promise=st.sampled_from(PROMISES), labels=kinds)
def test_shares_equal_values_out_as_the_slow_one_does(table: Part, promise: Any, labels: str) -> None:
    agrees(table, promise, labels=labels, strict=False)


def covers(label: str | None, name: str, value: Any) -> bool:
    if label == "*" or label == (None if value is None else str(value)):
        return True
    if value is None or label is None:
        return False
    if ".." in label:
        low, high = map(int, label.split(".."))
        return low <= int(value) <= high
    return value in label.strip("{}").split(", ") or label in slow.path_of(name, value)


@settings(max_examples=40)
@given(table=tables, promise=st.sampled_from(PROMISES), strict=st.booleans(), labels=kinds)
def test_no_record_is_lost_every_label_covers_and_every_class_keeps_the_promise(
    table: Part, promise: Any, strict: bool, labels: Any
) -> None:
    model, ok = promise
    if not ok(table, table):
        return
    outcome = Mondrian(strict, labels).search(problem(table, model))
    parts, called = members(outcome), names(outcome)
    have = Counter(tuple(row[name] for name in COLUMNS) for row in table)
    assert have == Counter(tuple(row[name] for name in COLUMNS) for part in parts for row in part)
    assert outcome.suppressed == 0
    assert outcome.sizes.tolist() == [len(part) for part in parts]
    assert len(set(called)) == len(called)
    assert all(ok(part, table) for part in parts)
    for part, label in zip(parts, called, strict=True):
        assert all(covers(label[at], name, row[name]) for at, name in enumerate(QUASI) for row in part)


@settings(max_examples=20)
@given(table=tables, strict=st.booleans(), k=st.integers(1, 4), shuffle=st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(table: Part, strict: bool, k: int, shuffle: Any) -> None:
    model, mixed = ic.KAnonymity(min(k, len(table))), table.copy()
    shuffle.shuffle(mixed)
    one, two = (Mondrian(strict).search(problem(some, model)) for some in (table, mixed))
    assert names(one) == names(two)
    assert one.recoding.classes.tolist() == two.recoding.classes.tolist()
    assert one.recoding.counts.tolist() == two.recoding.counts.tolist()


@settings(max_examples=20)
@given(table=tables, k=st.integers(1, 4))
def test_what_is_lost_is_that_of_a_count_record_by_record(table: Part, k: int) -> None:
    outcome = Mondrian(labels="hierarchy").search(problem(table, ic.KAnonymity(min(k, len(table)))))
    steps, below = 0, 0
    for part in members(outcome):
        steps += sum(slow.ancestor(part, name) for name in QUASI) * len(part)
        top = slow.path_of("town", part[0]["town"])[slow.ancestor(part, "town")]
        below += len(part) * (sum(top in path for path in TOWN.values()) - 1)
    assert outcome.costs["distortion"] == pytest.approx(steps / len(table) / (4 + 1 + 1 + 3))
    assert float(outcome.labels[3].lost @ outcome.sizes) == pytest.approx(below / 4)
    assert outcome.costs["discernibility"] == sum(len(part) ** 2 for part in members(outcome))


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(("values", "k"), [(3_000, 5), (70_000, 5_000)])
def test_long_columns_are_cut_as_the_slow_one_does(values: int, k: int, strict: bool) -> None:
    """Few rows with values far apart, and more values than sixteen bits can tell apart."""
    draw = random.Random(values)
    pairs = [(draw.randrange(values), draw.randrange(values // 2)) for _ in range(600)]
    pairs += [(number, 0) for number in range(values)] if values > 2**16 else []
    roles = ic.Schema(quasi={"x": ic.flat(), "y": ic.flat()})
    x, y = (list(values) for values in zip(*pairs, strict=True))
    census = ic.census(pa.table({"x": x, "y": y}), roles)
    outcome = Mondrian(strict).search(Problem(census, roles, ic.KAnonymity(k)))
    assert Counter(zip(names(outcome), outcome.sizes.tolist(), strict=True)) == boxes(pairs, k, strict=strict)


def boxes(pairs: list[tuple[int, int]], k: int, *, strict: bool) -> Counter[Any]:
    """Cut points of a plane in halves of at least k, the wider side first; count the boxes by their names."""
    whole = [max(values) - min(values) for values in zip(*pairs, strict=True)]
    found: Counter[Any] = Counter()
    todo = [sorted(pairs)]
    while todo:
        part = todo.pop()
        ends = [(min(values), max(values)) for values in zip(*part, strict=True)]
        for side in sorted((0, 1), key=lambda side: -(ends[side][1] - ends[side][0]) / whole[side]):
            line = sorted(part, key=lambda pair: (pair[side], pair))
            median, middle = line[(len(line) - 1) // 2][side], (len(line) - 1) // 2 + 1
            if strict:
                middle = sum(pair[side] <= min(median, ends[side][1] - 1) for pair in line)
            if ends[side][0] < ends[side][1] and min(middle, len(line) - middle) >= k:
                todo += [line[:middle], line[middle:]]
                break
        else:
            found[tuple(str(low) if low == high else f"{low}..{high}" for low, high in ends)] += len(part)
    return Counter((name, size) for name, size in found.items())


@settings(max_examples=30)
@given(table=tables, promise=st.sampled_from(PROMISES), cuts=st.lists(st.integers(1, 39), max_size=5))
def test_the_fast_check_agrees_with_the_judges(table: Part, promise: Any, cuts: list[int]) -> None:
    asked = LocalTable(problem(table, promise[0]))
    census, check = asked.census, Check(asked)
    opens = np.array(sorted({0, len(census), *(cut for cut in cuts if cut < len(census))}))
    order = np.arange(len(census))[::-1].copy()
    lines, taken = {"disease": census.codes[len(QUASI)]}, census.counts[order].astype(np.int64)
    sizes = np.add.reduceat(taken, opens[:-1])
    pieces = PieceRows(order, taken, opens, sizes)
    found = Candidates(lines, np.arange(len(census)), pieces, np.zeros(len(sizes)))
    kept = check.keeps(found) & (sizes >= check.least)
    expected = asked.keeps(order, found.owners, len(found), taken)
    assert kept.tolist() == expected.tolist()


@settings(max_examples=20)
@given(
    table=st.lists(
        st.builds(lambda row, person: {**row, "person": person}, rows, st.integers(0, 9)), min_size=1, max_size=30
    ),
    k=st.integers(1, 3),
    l=st.integers(1, 2),
)
def test_people_are_counted_where_the_table_says_whose_row_it_is(table: Part, k: int, l: int) -> None:  # noqa: E741
    def ok(group: Part) -> bool:
        return len({row["person"] for row in group}) >= k and len({row["disease"] for row in group}) >= l

    asked = problem(table, ic.KAnonymity(k) & ic.LDiversity(l))
    if not ok(table):
        with pytest.raises(ic.NoSafeRelease, match="records in one class break"):
            Mondrian().search(asked)
        return
    leaves = slow.mondrian(table, lambda pieces, _: all(map(ok, pieces)))
    assert published(Mondrian().search(asked)) == slow.published(leaves, "range")


def test_a_search_that_is_stopped_publishes_the_parts_that_it_has() -> None:
    told: list[Progress] = []

    def stop(progress: Progress) -> bool:
        told.append(progress)
        return len(told) < 2

    table = alike(age=[20, 22, 25, 31, 40, 47, 50, 60, 61, 62, 63, 64])
    outcome = Mondrian().search(problem(table, ic.KAnonymity(2)), stop)
    assert sorted(age for age, *_ in names(outcome)) == ["20..25", "31..47", "50..61", "62..64"]
    assert told[0] == Progress(0, 12, None)


def test_a_column_with_a_lowest_level_is_cut_along_its_hierarchy() -> None:
    table = alike(age=[20, 22, 25, 31, 40, 47, 50, 60])
    outcome = Mondrian().search(problem(table, ic.KAnonymity(2), at_least={"age": 1}))
    assert sorted(age for age, *_ in names(outcome)) == ["[20, 40)", "[40, 80)"]


def test_numbers_may_be_published_as_the_mean_of_their_class() -> None:
    roles = ic.Schema(quasi={"age": ic.averaged(ic.intervals(10))})
    census = ic.census([{"age": age} for age in (20, 22, 30, 40, 44, 48)], roles)
    outcome = Mondrian().search(Problem(census, roles, ic.KAnonymity(3)))
    assert sorted(outcome.recoding.labels[0].tolist()) == ["24", "44"]


def test_an_empty_table_has_no_classes() -> None:
    roles = ic.Schema(quasi={"age": ic.flat()})
    census = ic.census([{"age": None}], ic.Schema(quasi={"age": ic.flat()}, missing="drop"))
    assert Mondrian().search(Problem(census, roles, ic.KAnonymity(3))).classes == 0


@pytest.mark.parametrize("strict", [True, False])
def test_a_promise_that_the_whole_table_breaks_is_refused(strict: bool) -> None:
    with pytest.raises(ic.NoSafeRelease, match="Even all 3 records in one class break k>=4"):
        Mondrian(strict).search(problem(alike(age=[20, 31, 47]), ic.KAnonymity(4)))


def test_halves_of_one_size_are_refused_where_people_have_several_rows() -> None:
    table = [{**row, "person": 1} for row in alike(age=[20, 31])]
    with pytest.raises(ic.ParameterError, match="records of a person stay together"):
        Mondrian(strict=False).search(problem(table, ic.KAnonymity(1)))


def test_a_plan_knows_the_search_by_its_name() -> None:
    section = SearchSection.model_validate({"algorithm": {"name": "mondrian", "strict": False, "labels": "set"}})
    assert section.build() == Mondrian(strict=False, labels="set")


def test_parameters_are_checked_when_they_are_given() -> None:
    with pytest.raises(ic.ParameterError, match="strict must be true or false, got 1"):
        Mondrian(strict=1)  # type: ignore[arg-type]
    with pytest.raises(ic.ParameterError, match="labels must be 'range', 'hierarchy' or 'set', got 'box'"):
        Mondrian(labels="box")  # type: ignore[arg-type]
