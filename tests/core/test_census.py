"""The census counts what a table has, rolls up exactly, and never changes."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from incrowd.core import Census, CensusRequest, DataError, Domain, Ladder, ParameterError, Step, UnknownColumnError
from incrowd.engines import open_table

Row = dict[str, Any]

PATIENTS: list[Row] = [
    {"age": 31, "sex": "f", "disease": "flu", "drug": "x", "who": "Ada"},
    {"age": 32, "sex": "f", "disease": "flu", "drug": "y", "who": "Bea"},
    {"age": 32, "sex": "f", "disease": "HIV", "drug": "y", "who": "Bea"},
    {"age": 47, "sex": "m", "disease": "flu", "drug": "x", "who": "Cid"},
    {"age": 31, "sex": "f", "disease": "flu", "drug": "x", "who": "Dot"},
]


def tens(rows: Sequence[Row], column: str = "age") -> Ladder:
    """Give a ladder of three levels above a column of small numbers: halves of ten, tens, all."""
    domain = Domain.of(column, [row[column] for row in rows])
    values = domain.values
    fives = Step(values // 5, [f"{n * 5} to {n * 5 + 4}" for n in range(20)])
    whole = Step(values // 10, [f"{n * 10} to {n * 10 + 9}" for n in range(10)])
    return Ladder.climb(domain, [fives, whole, Step.top(domain)])


def take(rows: Sequence[Row], quasi: Sequence[str], sensitive: Sequence[str] = (), **request: Any) -> Census:
    drop = request.pop("drop", ())
    return open_table(list(rows), drop_missing=drop).census(CensusRequest(tuple(quasi), tuple(sensitive), **request))


def cells(census: Census) -> dict[tuple[str | None, ...], int]:
    """Spell a census out: the labels of every cell, and its count."""
    columns = [census.labels(name)[codes] for name, codes in zip(_names(census), census.codes, strict=True)]
    return dict(zip(zip(*columns, strict=True), census.counts.tolist(), strict=True))


def _names(census: Census) -> tuple[str, ...]:
    return census.quasi + census.sensitive


def test_a_census_has_one_cell_per_combination() -> None:
    census = take(PATIENTS, ["age", "sex"], ["disease"])
    assert cells(census) == {("31", "f", "flu"): 2, ("32", "f", "HIV"): 1, ("32", "f", "flu"): 1, ("47", "m", "flu"): 1}
    assert (len(census), census.records, census.persons) == (4, 5, None)


def test_cells_stand_in_the_order_of_their_codes() -> None:
    census = take(PATIENTS, ["sex", "age"], ["disease"])
    tuples = list(zip(*(codes.tolist() for codes in census.codes), strict=True))
    assert tuples == [(0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 2, 1)]


def test_two_sensitive_columns_are_counted_jointly() -> None:
    assert cells(take(PATIENTS, ["sex"], ["disease", "drug"])) == {
        ("f", "HIV", "y"): 1,
        ("f", "flu", "x"): 2,
        ("f", "flu", "y"): 1,
        ("m", "flu", "x"): 1,
    }


def test_a_null_is_a_value_of_its_own() -> None:
    rows: list[Row] = [{"a": 1}, {"a": None}, {"a": None}, {"a": float("nan")}]
    assert cells(take(rows, ["a"])) == {("1",): 1, (None,): 3}


def test_rows_with_a_missing_value_can_be_dropped_and_are_counted_apart() -> None:
    rows: list[Row] = [{"a": 1, "b": 1, "n": 2}, {"a": None, "b": 1, "n": 3}, {"a": 1, "b": None, "n": 4}]
    assert take(rows, ["a", "b"], drop=["a", "b"]).dropped == 2
    census = take(rows, ["a", "b"], drop=["a"], count="n")
    assert (cells(census), census.dropped) == ({("1", "1"): 2, ("1", None): 4}, 3)


def test_a_count_column_says_how_many_records_a_row_stands_for() -> None:
    rows = [{"a": 1, "n": 300}, {"a": 1, "n": 5}, {"a": 2, "n": 1}]
    census = take(rows, ["a"], count="n")
    assert (cells(census), census.records, census.counts.dtype.name) == ({("1",): 305, ("2",): 1}, 306, "uint16")


def test_counts_beyond_32_bits_roll_up_exactly() -> None:
    rows = [{"age": 31, "n": 2**53}, {"age": 32, "n": 1}, {"age": 47, "n": 2**40}]
    census = take(rows, ["age"], ladders={"age": tens(rows)}, count="n").rollup([2])
    assert cells(census) == {("30 to 39",): 2**53 + 1, ("40 to 49",): 2**40}


def test_rolling_up_merges_the_cells_that_become_equal() -> None:
    census = take(PATIENTS, ["age", "sex"], ["disease"], ladders={"age": tens(PATIENTS)})
    assert cells(census.rollup({"age": 2})) == {
        ("30 to 39", "f", "HIV"): 1,
        ("30 to 39", "f", "flu"): 3,
        ("40 to 49", "m", "flu"): 1,
    }
    assert cells(census.rollup((3, 0))) == {("*", "f", "HIV"): 1, ("*", "f", "flu"): 3, ("*", "m", "flu"): 1}


def test_every_quasi_identifier_is_counted_alone_once() -> None:
    census = take(PATIENTS, ["age", "sex"], ["disease"], ladders={"age": tens(PATIENTS)})
    assert [counts.tolist() for counts in census.marginals] == [[2, 2, 1], [4, 1]]
    assert census.marginals is census.marginals
    assert census.rollup({"age": 2}).marginals[0].tolist() == [4, 1]
    assert not any(counts.flags.writeable for counts in census.marginals)


def test_rolling_up_to_the_floor_is_the_census_itself() -> None:
    census = take(PATIENTS, ["age"], ladders={"age": tens(PATIENTS)})
    assert census.rollup({}) is census
    assert census.rollup([0]) is census


def test_a_floor_counts_coarser_levels_at_once() -> None:
    request: dict[str, Any] = {"ladders": {"age": tens(PATIENTS)}}
    floored = take(PATIENTS, ["age", "sex"], ["disease"], floor={"age": 1}, **request)
    assert floored.floor == (1, 0)
    assert floored == take(PATIENTS, ["age", "sex"], ["disease"], **request).rollup({"age": 1})
    assert cells(floored.rollup({"age": 2}))["30 to 39", "f", "flu"] == 3


@pytest.mark.parametrize("levels", [{"age": 0}, (0, 0)])
def test_nothing_goes_below_the_floor(levels: Any) -> None:
    census = take(PATIENTS, ["age", "sex"], ladders={"age": tens(PATIENTS)}, floor={"age": 1})
    with pytest.raises(ParameterError, match=r"^Column 'age' has levels 1 to 3, got 0\.$"):
        census.rollup(levels)


@pytest.mark.parametrize("level", [4, -1, 1.5, 2.0, "2", None, np.float64(1)])
def test_a_level_that_the_ladder_does_not_have_is_refused(level: Any) -> None:
    with pytest.raises(ParameterError, match=r"^Column 'age' has levels 0 to 3, got"):
        take(PATIENTS, ["age"], ladders={"age": tens(PATIENTS)}).rollup({"age": level})


def test_a_level_may_be_a_numpy_integer() -> None:
    census = take(PATIENTS, ["age"], ladders={"age": tens(PATIENTS)})
    assert census.rollup(np.array([2])).floor == (2,)  # type: ignore[arg-type]


def test_a_column_without_a_ladder_cannot_be_raised() -> None:
    with pytest.raises(ParameterError, match=r"'sex' has no ladder, so it cannot be raised to level 1\. Hint: give"):
        take(PATIENTS, ["age", "sex"], ladders={"age": tens(PATIENTS)}).rollup({"sex": 1})


def test_an_unknown_column_cannot_be_raised() -> None:
    with pytest.raises(UnknownColumnError, match=r"no column 'agee' \(given as level\). Hint: did you mean 'age'"):
        take(PATIENTS, ["age"]).rollup({"agee": 1})


@pytest.mark.parametrize("levels", [(), (1,), (1, 1, 1)])
def test_every_quasi_identifier_needs_a_level(levels: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match=r"one entry per quasi-identifier \(2\), got"):
        take(PATIENTS, ["age", "sex"], ladders={"age": tens(PATIENTS)}).rollup(levels)


def test_a_floor_of_an_unknown_column_is_refused() -> None:
    with pytest.raises(UnknownColumnError, match=r"no column 'sx' \(given as floor\). Hint: did you mean 'sex'"):
        CensusRequest(("age", "sex"), floor={"sx": 1})


@pytest.mark.parametrize("level", [4, -1, 0.5])
def test_a_floor_that_the_ladder_does_not_have_is_refused(level: Any) -> None:
    with pytest.raises(ParameterError, match="'age' has levels 0 to 3, got"):
        CensusRequest(("age",), ladders={"age": tens(PATIENTS)}, floor={"age": level})


def test_a_floor_without_a_ladder_is_refused_unless_it_is_the_ground() -> None:
    with pytest.raises(ParameterError, match="'age' has no ladder"):
        CensusRequest(("age",), floor={"age": 1})
    assert CensusRequest(("age",), floor={"age": 0}).level("age") == 0


def test_a_request_names_its_columns_in_order() -> None:
    assert CensusRequest(("b", "a"), ("s",), entity="who").columns == ("b", "a", "s", "who")
    assert CensusRequest(("b", "a"), ("s",)).columns == ("b", "a", "s")


def test_a_request_also_needs_the_count_to_be_read() -> None:
    assert CensusRequest(("a",), ("s",), entity="who", count="n").needed_columns == ("a", "s", "who", "n")
    assert CensusRequest(("a",)).needed_columns == ("a",)


@pytest.mark.parametrize("counts", [[1, 0], [1, -2], [1, None], [1, 1.5], ["1", "2"], [True, True], [2**64, 1]])
def test_a_count_that_counts_nothing_is_refused(counts: list[Any]) -> None:
    rows = [{"a": 1, "n": count} for count in counts]
    with pytest.raises(DataError, match=r"'n' \(given as count\) must hold whole numbers of at least 1 in every row"):
        take(rows, ["a"], count="n")


def test_counts_may_be_whole_floats() -> None:
    assert take([{"a": 1, "n": 2.0}, {"a": 1, "n": 3.0}], ["a"], count="n").records == 5


def test_a_row_of_nobody_is_refused() -> None:
    with pytest.raises(DataError, match=r"'who' \(given as entity\) is missing in some rows: nobody knows whose"):
        take([{"a": 1, "who": "Ada"}, {"a": 1, "who": None}], ["a"], entity="who")


def test_an_empty_table_has_neither_persons_nor_counts_to_refuse() -> None:
    assert take([], ["a"], entity="who", count="n").records == 0


def test_a_request_knows_the_codes_that_are_counted() -> None:
    domain = Domain.of("age", [31, 32, 47])
    request = CensusRequest(("age",), ladders={"age": tens(PATIENTS)}, floor={"age": 2})
    assert (request.codes(domain).tolist(), request.cardinality(domain)) == ([0, 0, 1], 2)
    plain = CensusRequest(("age",))
    assert (plain.codes(domain).tolist(), plain.cardinality(domain)) == ([0, 1, 2], 3)


def test_persons_are_counted_once() -> None:
    census = take(PATIENTS, ["age", "sex"], ["disease"], entity="who")
    assert (len(census), census.records, census.persons) == (5, 5, 4)


def test_rolling_up_keeps_persons_apart() -> None:
    census = take(PATIENTS, ["age", "sex"], ["disease"], ladders={"age": tens(PATIENTS)}, entity="who")
    rolled = census.rollup({"age": 3})
    assert (len(rolled), rolled.records, rolled.persons) == (5, 5, 4)


def test_an_empty_table_has_an_empty_census() -> None:
    census = take([], ["age"], ["disease"])
    assert (len(census), census.records, census.rollup([0]).records) == (0, 0, 0)


def test_an_empty_census_rolls_up() -> None:
    domain = Domain.of("age", [])
    census = take([], ["age"], ladders={"age": Ladder.climb(domain, [Step.top(domain)])}, entity="who")
    assert (len(census.rollup([1])), census.persons) == (0, 0)


def test_labels_are_those_of_the_floor() -> None:
    census = take(PATIENTS, ["age"], ["disease"], ladders={"age": tens(PATIENTS)}, floor={"age": 2})
    assert census.labels("age").tolist() == ["30 to 39", "40 to 49"]
    assert census.labels("disease").tolist() == ["HIV", "flu"]


def test_labels_of_an_unknown_column_are_refused() -> None:
    with pytest.raises(UnknownColumnError, match=r"no column 'agee' .*did you mean 'age'"):
        take(PATIENTS, ["age"]).labels("agee")


def test_codes_and_counts_take_the_smallest_types_that_fit() -> None:
    rows = [{"a": number, "b": number % 7} for number in range(300)] + [{"a": 0, "b": 0}] * 255
    census = take(rows, ["a", "b"])
    assert [codes.dtype.name for codes in census.codes] == ["uint16", "uint8"]
    assert census.counts.dtype.name == "uint16"  # one cell holds 256 records
    assert census.nbytes == 300 * (2 + 1 + 2)


def test_persons_take_memory_too() -> None:
    assert take(PATIENTS, ["age"], entity="who").nbytes == take(PATIENTS, ["age", "who"]).nbytes


def test_types_shrink_when_a_census_is_rolled_up() -> None:
    rows = [{"age": number % 100, "n": number} for number in range(300)]
    census = take(rows, ["age"], ["n"], ladders={"age": tens(rows)}).rollup([3])
    assert [codes.dtype.name for codes in census.codes] == ["uint8", "uint16"]


@pytest.mark.parametrize("levels", [(0,), (2,)])
def test_a_census_cannot_be_changed(levels: tuple[int, ...]) -> None:
    census = take(PATIENTS, ["age"], ["disease"], ladders={"age": tens(PATIENTS)}, entity="who").rollup(levels)
    for array in (*census.codes, census.person, census.counts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9  # type: ignore[index]
    with pytest.raises(AttributeError, match="cannot assign to field 'dropped'"):
        census.dropped = 1  # type: ignore[misc]


def test_rolling_up_leaves_the_census_as_it_was() -> None:
    census = take(PATIENTS, ["age", "sex"], ["disease"], ladders={"age": tens(PATIENTS)})
    before = cells(census)
    census.rollup({"age": 3})
    assert cells(census) == before


def test_censuses_are_equal_by_everything_that_they_hold() -> None:
    ladders = {"age": tens(PATIENTS)}
    census = take(PATIENTS, ["age"], ["disease"], ladders=ladders)
    assert census == take(PATIENTS, ["age"], ["disease"], ladders=ladders)
    assert census != take(PATIENTS, ["age"], ["drug"], ladders=ladders)
    assert census != take(PATIENTS, ["age"], ["disease"])
    assert census != take(PATIENTS[:4], ["age"], ["disease"], ladders=ladders)
    assert census != census.rollup([1])
    assert census != "census"


def test_censuses_of_equal_margins_but_other_cells_differ() -> None:
    crossed = [{"a": 1, "b": 1}, {"a": 2, "b": 2}]
    straight = [{"a": 1, "b": 2}, {"a": 2, "b": 1}]
    assert take(crossed, ["a", "b"]) != take(straight, ["a", "b"])


def test_censuses_differ_by_whom_they_count() -> None:
    rows = [{"a": 1, "who": "Ada"}, {"a": 2, "who": "Bea"}]
    swapped = [{"a": 1, "who": "Bea"}, {"a": 2, "who": "Ada"}]
    census = take(rows, ["a"], entity="who")
    assert census == take(rows[::-1], ["a"], entity="who")
    assert census != take(swapped, ["a"], entity="who")
    assert census != take(rows, ["a"])


def test_censuses_differ_by_what_was_dropped() -> None:
    rows = [{"a": 1}, {"a": 2}]
    assert take(rows, ["a"]) != take([*rows, {"a": None}], ["a"], drop=["a"])


def test_a_census_has_no_hash() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(take(PATIENTS, ["age"]))


def test_a_census_shows_numbers_and_no_value() -> None:
    assert repr(take(PATIENTS, ["age"], ["disease"])) == "Census(4 cells, 5 records, quasi=('age',))"
    assert repr(take(PATIENTS, ["age"], entity="who")) == "Census(4 cells, 5 records, 4 persons, quasi=('age',))"


TABLES: st.SearchStrategy[list[Row]] = st.lists(
    st.builds(
        dict,
        age=st.integers(0, 99),
        year=st.integers(0, 40),
        disease=st.sampled_from(["flu", "HIV", None]),
        who=st.integers(0, 3),
    ),
    min_size=1,
    max_size=25,
)
LEVELS = st.tuples(st.integers(0, 3), st.integers(0, 3))


def both(rows: list[Row], **request: Any) -> Census:
    ladders = {"age": tens(rows), "year": tens(rows, "year")}
    return take(rows, ["age", "year"], ["disease"], ladders=ladders, **request)


def label(number: int, level: int) -> str:
    """Generalize a number by hand."""
    low, high = number // 5 * 5, number // 10 * 10
    return [str(number), f"{low} to {low + 4}", f"{high} to {high + 9}", "*"][level]


@given(TABLES, LEVELS)
def test_rolling_up_equals_counting_generalized_rows(rows: list[Row], levels: tuple[int, int]) -> None:
    direct = Counter((label(row["age"], levels[0]), label(row["year"], levels[1]), row["disease"]) for row in rows)
    assert cells(both(rows).rollup(levels)) == direct


@given(TABLES, LEVELS, LEVELS)
def test_rolling_up_in_two_steps_is_one_step(rows: list[Row], one: tuple[int, int], two: tuple[int, int]) -> None:
    high = (max(one[0], two[0]), max(one[1], two[1]))
    census = both(rows, entity="who")
    assert census.rollup(one).rollup(high) == census.rollup(high)


@given(TABLES, LEVELS)
def test_a_census_at_a_floor_is_a_census_rolled_up(rows: list[Row], levels: tuple[int, int]) -> None:
    floor: Mapping[str, int] = {"age": levels[0], "year": levels[1]}
    assert both(rows, floor=floor, entity="who") == both(rows, entity="who").rollup(levels)


@given(TABLES, LEVELS, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows: list[Row], levels: tuple[int, int], random: Any) -> None:
    shuffled = random.sample(rows, len(rows))
    assert both(shuffled, entity="who").rollup(levels) == both(rows, entity="who").rollup(levels)


DIGEST = """
import hashlib, numpy as np
from incrowd.core import CensusRequest, Domain, Ladder, Step
from incrowd.engines import open_table
rows = [{"job": f"job {n % 17}", "sex": "mf"[n % 2], "disease": f"d{n % 5}", "who": f"p{n % 40}"} for n in range(200)]
domain = Domain.of("job", [row["job"] for row in rows])
ladder = Ladder.climb(domain, [Step(np.arange(17) % 4, ["w", "x", "y", "z"])])
engine = open_table(rows)
census = engine.census(CensusRequest(("job", "sex"), ("disease",), {"job": ladder}, entity="who"))
digest = hashlib.sha256()
for levels in ([0, 0], [1, 0], [2, 0]):
    rolled = census.rollup(levels)
    classes = rolled.classes()
    entries = classes.histogram("disease")
    arrays = [*rolled.codes, rolled.person, rolled.counts, *classes.codes, classes.size, classes.records]
    for array in [*arrays, classes.members, entries.starts, entries.classes, *entries.values, entries.counts]:
        digest.update(str(array.dtype).encode() + array.tobytes())
    for name in ("job", "sex", "disease"):
        digest.update(repr(rolled.labels(name).tolist()).encode())
print(digest.hexdigest())
"""


def test_the_hash_seed_changes_nothing() -> None:
    digests = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", DIGEST]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        digests.add(ran.stdout)
    assert len(digests) == 1
    assert len(digests.pop()) == 65


MILLION = """
import numpy as np, pyarrow as pa
from incrowd.core import CensusRequest
from incrowd.engines import open_table, peak_memory
rows = 1_000_000
numbers = np.random.default_rng(0).permutation(rows)
table = pa.table({"age": numbers % 90, "zip": numbers % 997, "cost": numbers / 7})
census = open_table(table).census(CensusRequest(("age", "zip"), ("cost",)))
entries = census.classes().histogram("cost")
assert len(census) == rows and len(entries.counts) == rows and len(census.domains["cost"]) == rows
print(peak_memory())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is told in another way elsewhere")
def test_a_million_distinct_sensitive_numbers_stay_under_one_gib() -> None:
    ran = subprocess.run([sys.executable, "-c", MILLION], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 2**30


@pytest.mark.parametrize("counts", [[2**62, 2**62], [2**63 - 1, 1]])
def test_counts_that_would_overflow_are_refused(counts: list[int]) -> None:
    with pytest.raises(DataError, match=r"Column 'n' \(given as count\) adds up to 2\*\*63 records or more"):
        CensusRequest(("a",), count="n").check({"n": Domain.of("n", counts)})


def test_counts_just_below_that_are_counted() -> None:
    rows = [{"a": 1, "n": 2**62}, {"a": 2, "n": 2**62 - 1}]
    assert take(rows, ["a"], count="n").records == 2**63 - 1


@pytest.mark.parametrize("part", ["domains", "ladders"])
def test_the_parts_of_a_census_cannot_be_exchanged(part: str) -> None:
    ladders = {"age": tens(PATIENTS)}
    census = take(PATIENTS, ["age"], ladders=ladders)
    for one in (census, census.rollup([1])):
        with pytest.raises(TypeError, match="does not support item assignment"):
            getattr(one, part)["age"] = None


def test_a_census_keeps_its_parts_when_the_mapping_that_it_was_built_from_changes() -> None:
    census = take(PATIENTS, ["age"], ladders={"age": tens(PATIENTS)})
    given = {**census.domains}
    rebuilt = replace(census, domains=given)
    given.clear()
    assert rebuilt == census


@pytest.mark.parametrize("way", [copy.deepcopy, copy.copy, lambda census: pickle.loads(pickle.dumps(census))])  # noqa: S301
def test_a_copy_is_equal_and_as_fixed_as_the_original(way: Callable[[Census], Census]) -> None:
    census = take(PATIENTS, ["age"], ["disease"], ladders={"age": tens(PATIENTS)}, entity="who")
    other = way(census)
    assert other == census
    assert not other.counts.flags.writeable
    with pytest.raises(TypeError, match="does not support item assignment"):
        other.domains["age"] = None  # type: ignore[index]


@pytest.mark.parametrize("floor", [0, 1])
def test_records_are_counted_per_group_of_every_level(floor: int) -> None:
    rows = [{"age": age, "sex": sex} for age, sex in [(31, "f"), (34, "m"), (47, "f"), (31, "f")]]
    sex = Domain.of("sex", ["f", "m"])
    ladders = {"age": tens(rows), "sex": Ladder.climb(sex, [Step.top(sex)])}
    census = take(rows, ["age", "sex"], ladders=ladders, floor={"age": floor})
    found = [[counts.tolist() for counts in levels] for levels in census.level_records]
    assert found == [[[2, 1, 1], [3, 1], [3, 1], [4]][floor:], [[3, 1], [4]]]


def test_groups_of_many_columns_are_counted_together_however_many_there_are() -> None:
    domains = {name: Domain.of(name, list(range(200))) for name in "abc"}
    rows = [dict.fromkeys("abc", value) for value in range(200) for _ in range(1 + value % 3)]
    ladders = {name: Ladder.climb(domain, [Step.top(domain)]) for name, domain in domains.items()}
    census = take(rows, "abc", ladders=ladders)
    each = [1 + value % 3 for value in range(200)]
    assert [[counts.tolist() for counts in levels] for levels in census.level_records] == [[each, [len(rows)]]] * 3
