"""What a release is good for, through the front door; against slow counts over rows."""

from __future__ import annotations

import datetime as dt
import json
import math
import sys
import warnings
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from engines.extras import needed
from incrowd.evidence._alignment import beside_original, original_census, published_records
from incrowd.evidence._subject import Subject
from incrowd.hierarchies import covers
from incrowd.measures import Ranges, answers
from release.test_local_releases import SCHEMA, TABLE, Runs
from search.slow import PATHS
from search.tables import schema, tables

Rows = list[dict[str, Any]]
QUASI = tuple(PATHS)


@pytest.fixture
def learns() -> None:
    """Need the library that trains models."""
    needed("sklearn")


def test_costs_know_what_is_left_out() -> None:
    table: Rows = [{"town": town} for town, many in (("a", 5), ("b", 3), ("c", 1)) for _ in range(many)]
    found = ic.utility(ic.anonymize(table, ic.Schema(["town"]), model="k>=2", max_suppressed=0.2), table)
    costs = found.columns["town"].costs
    assert costs is not None
    assert (costs.loss, costs.distortion, costs.starred) == pytest.approx((1 / 9,) * 3)
    assert (costs.loss, costs.entropy) == pytest.approx((found.measures["loss"], found.measures["entropy"]))
    assert costs.ambiguity == pytest.approx((8 * 1 + 1 * 3) / 9)


def published(table: Rows, node: tuple[int, int, int]) -> ic.Release:
    levels = dict(zip(QUASI, node, strict=True))
    with pytest.warns(ic.PrivacyWarning, match="promises nothing"):
        return ic.anonymize(table, schema(), model="k>=1", at_least=levels, at_most=levels)


def spread(rows: Rows, original: Rows, name: str) -> list[dict[str, Fraction]]:
    """Give for every row which share of it is at each value of a column that the original table has.

    A label is spread over all values that its hierarchy has: a reader does not know which of them occur.
    """
    values, result = {row[name] for row in original}, []
    for row in rows:
        fits = [value for value in PATHS[name] if row[name] in PATHS[name][value]] if name in PATHS else [row[name]]
        result.append({value: Fraction(1, len(fits)) for value in fits if value in values})
    return result


def distance(release: Rows, original: Rows, name: str) -> Fraction:
    shares: defaultdict[str, Fraction] = defaultdict(Fraction)
    for row in original:
        shares[row[name]] += Fraction(1, len(original))
    for row in spread(release, original, name):
        for value, share in row.items():
            shares[value] -= share / len(release)
        shares["values that nobody has"] += (1 - sum(row.values(), Fraction(0))) / len(release)
    return sum((abs(share) for share in shares.values()), Fraction(0)) / 2


def strength(release: Rows, original: Rows, one: str, other: str) -> float:
    """Give Cramér's V of a release, with the number of groups that the original table has."""
    table: defaultdict[tuple[str, str], Fraction] = defaultdict(Fraction)
    for left, right in zip(spread(release, original, one), spread(release, original, other), strict=True):
        for a, share in left.items():
            for b, part in right.items():
                table[a, b] += share * part
    rows, columns = Counter[str](), Counter[str]()
    for (a, b), share in table.items():
        rows[a] += share  # type: ignore[assignment]
        columns[b] += share  # type: ignore[assignment]
    total = sum(rows.values())
    phi = sum(table[a, b] ** 2 / (rows[a] * columns[b]) for a in rows for b in columns) - 1
    least = min(len({row[name] for row in original}) for name in (one, other)) - 1
    return float(max(phi, 0) / least) ** 0.5 if least and total else 0.0


def bits(table: Rows, name: str) -> float:
    """Give how many bits a column has: what is lost if nothing of it is published."""
    counts = Counter(row[name] for row in table)
    return sum(math.log2(len(table) / counts[row[name]]) for row in table)


nodes = st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(0, 2))


@settings(max_examples=30)
@given(tables, nodes)
def test_distributions_and_pairs_are_those_of_labels_spread_over_their_values(
    table: Rows, node: tuple[int, int, int]
) -> None:
    release = published(table, node)
    found = ic.utility(release, table, queries=0)
    for name in (*QUASI, "disease"):
        assert found.columns[name].distance == pytest.approx(float(distance(release.table, table, name)), abs=1e-11)
    for pair in found.pairs:
        assert pair.before == pytest.approx(strength(table, table, *pair.columns), abs=1e-6)
        assert pair.after == pytest.approx(strength(release.table, table, *pair.columns), abs=1e-6)
    assert [pair.columns for pair in found.pairs] == list(combinations((*QUASI, "disease"), 2))


@settings(max_examples=30)
@given(tables, nodes)
def test_costs_of_columns_add_up_to_those_of_the_release(table: Rows, node: tuple[int, int, int]) -> None:
    release = published(table, node)
    found = ic.utility(release, table, queries=0)
    costs = [column.costs for column in found.columns.values() if column.costs is not None]
    losses = np.array([one.loss for one in costs])
    assert np.expm1(np.log1p(losses).mean()) == pytest.approx(found.measures["loss"], abs=1e-9)
    assert np.mean([one.distortion for one in costs]) == pytest.approx(found.measures["precision"], abs=1e-9)
    assert {name: found.measures[name] for name in release.measures} == dict(release.measures)
    spans = [bits(table, name) for name in QUASI]
    lost = sum(one.entropy * span for one, span in zip(costs, spans, strict=True)) / (sum(spans) or 1)
    assert lost == pytest.approx(found.measures["entropy"], abs=1e-9)
    sizes = Counter(tuple(row[name] for name in QUASI) for row in release.table).values()
    assert found.measures["discernibility_star"] == sum(size * size for size in sizes)
    assert found.columns["disease"].costs is None


def test_ambiguity_counts_the_combinations_that_a_record_can_stand_for() -> None:
    """Ages in tens of a hierarchy of the numbers 20 to 39, and towns that are not published, of three."""
    hierarchy = ic.tree([(str(age), f"{age // 10}x") for age in range(20, 40)])
    table = [{"age": str(age), "town": town} for age in (21, 25, 33, 38) for town in ("a", "b", "c")]
    roles = ic.Schema(quasi={"age": hierarchy, "town": ic.flat()})
    levels = {"age": 1, "town": 1}
    found = ic.utility(ic.anonymize(table, roles, model="k>=2", at_least=levels, at_most=levels), table)
    assert found.measures["ambiguity"] == 10 * 3
    assert [column.costs and column.costs.ambiguity for column in found.columns.values()] == [10, 3]
    assert found.starred == 0.5


def test_what_is_left_out_or_masked_is_counted() -> None:
    table = [{"town": town} for town, many in (("a", 6), ("b", 3), ("c", 1)) for _ in range(many)]
    roles = ic.Schema(quasi={"town": ic.flat()})
    dropped = ic.utility(ic.anonymize(table, roles, model="k>=2", max_suppressed=0.1), table)
    assert (dropped.records, dropped.published, dropped.left_out, dropped.masked, dropped.starred) == (10, 9, 1, 0, 0.1)
    assert dropped.columns["town"].distance == pytest.approx(0.1)
    assert [name for name, _, _ in dropped.columns["town"].top(2)] == ["a", "b"]
    assert dropped.columns["town"].top(1)[0][1:] == pytest.approx((6 / 10, 6 / 9))
    assert (dropped.measures["discernibility"], dropped.measures["discernibility_star"]) == (55, 46)
    table.append({"town": "d"})
    masked = ic.utility(ic.anonymize(table, roles, model="k>=2", max_suppressed=0.2, suppression="mask"), table)
    assert (masked.published, masked.left_out, masked.masked) == (11, 0, 2)
    assert masked.starred == pytest.approx(2 / 11)
    after = {name: share for name, _, share in masked.columns["town"].shares}
    assert after["c"] == pytest.approx(2 / 4 / 11)  # two stars, spread over four values


def test_dates_that_only_the_owner_knows_do_not_make_a_release_look_right() -> None:
    """Two on 1 January, one on the 3rd, one on 31 December: who reads 2024 puts them evenly into its 366 days."""
    table = [{"day": dt.date(2024, month, day)} for month, day in ((1, 1), (1, 1), (1, 3), (12, 31))]
    roles = ic.Schema(quasi={"day": ic.dates("year")}, sensitive=[])
    found = ic.utility(ic.anonymize(table, roles, model="k>=4"), table).columns["day"]
    after = {name: share for name, _, share in found.shares}
    assert after == pytest.approx({"2024-01-01": 1.5 / 366, "2024-01-03": 182.5 / 366, "2024-12-31": 182 / 366})
    assert found.distance == pytest.approx(1 / 2 - 1.5 / 366)


def test_counts_over_ranges_are_answered_by_what_the_labels_say() -> None:
    """Everybody was born in one of the first twenty days of a year: a reader of years cannot know that."""
    table = [{"day": dt.date(1960 + number % 4, 1, 1 + number % 20), "sex": "fm"[number % 2]} for number in range(400)]
    roles = ic.Schema(quasi={"day": ic.dates("year"), "sex": ic.flat()}, sensitive=[])
    levels = {"day": 1, "sex": 0}
    release = ic.anonymize(table, roles, model="k>=2", at_least=levels, at_most=levels)
    error = ic.utility(release, table, queries=50).queries.median
    assert error is not None
    assert error > 0.1  # spread over the twenty days of the table it was 0


@pytest.mark.parametrize("labels", ["hierarchy", "range", "set"])
def test_a_local_recoding_is_measured_by_what_its_labels_cover(labels: Any) -> None:
    release = ic.anonymize(TABLE, SCHEMA, model="k>=2", algorithm=Runs(labels))
    found = ic.utility(release, TABLE, queries=50)
    ages = sorted({int(str(row["age"])) for row in TABLE})
    shares = {age: -Fraction(sum(row["age"] == age for row in TABLE), 7) for age in ages}
    for row in release.table:
        known = range(20, 37)  # of a star, what the labels and the table span
        fits = [age for age in (known if row["age"] == "*" else range(100)) if covers(row["age"], str(age))]
        for age in fits:  # also what nobody has: it counts with the nearest value
            away = min(abs(age - one) for one in ages)
            near = [one for one in ages if abs(age - one) == away]
            for one in near:
                shares[one] += Fraction(1, len(near) * len(fits) * 7)
    expected = float(sum(abs(share) for share in shares.values()) / 2)
    assert found.columns["age"].distance == pytest.approx(expected)
    costs = [column.costs for column in found.columns.values() if column.costs is not None]
    loss = float(np.expm1(np.log1p([one.loss for one in costs]).mean()))
    assert loss == pytest.approx(release.measures["loss"])
    assert np.mean([one.distortion for one in costs]) == pytest.approx(release.measures["precision"])
    assert (found.left_out, found.queries.queries) == (0, 50)


def test_averages_count_as_the_nearest_value_and_cost_what_their_range_does() -> None:
    roles = ic.Schema(quasi={"age": ic.averaged(ic.intervals(5, 10)), "town": ic.flat()}, sensitive=["disease"])
    release = ic.anonymize(TABLE, roles, model="k>=2", algorithm=Runs())
    found = ic.utility(release, TABLE)
    losses = [column.costs.loss for column in found.columns.values() if column.costs is not None]
    assert float(np.expm1(np.log1p(losses).mean())) == pytest.approx(release.measures["loss"])
    after = {name: share for name, _, share in found.columns["age"].shares}
    assert after == pytest.approx({"21": 4 / 7, "24": 0, "28": 0, "35": 3 / 7, "36": 0})  # 21, 22, 33 in the release


@settings(max_examples=30)
@given(tables, nodes)
def test_a_release_of_the_values_themselves_answers_every_query(table: Rows, node: tuple[int, int, int]) -> None:
    exact = ic.utility(published(table, (0, 0, 0)), table, queries=12)
    assert (exact.queries.queries, exact.queries.median, exact.queries.ninetieth) == (12, 0, 0)
    assert exact.mean_change == pytest.approx(0, abs=1e-9)
    vague = ic.utility(published(table, node), table, queries=12)
    assert vague.queries.median is not None
    assert vague.queries.median >= 0


def test_counts_over_ranges_spread_labels_evenly() -> None:
    """Ages 0 to 9 in two groups of five, one person each but for age 0: a range of one column, all of the other."""
    table = [{"age": age, "one": "x"} for age in range(10) for _ in range(5 if age == 0 else 1)]
    roles = ic.Schema(quasi={"age": ic.intervals(5, 10), "one": ic.flat()})
    levels = {"age": 1, "one": 0}
    release = ic.anonymize(table, roles, model="k>=2", at_least=levels, at_most=levels)
    errors = ic.utility(release, table, queries=40).queries
    assert errors.floor == 14 / 1000
    assert errors.ninetieth == pytest.approx(0.64)  # age 0 alone: 9 / 5 people instead of 5


PLACES: Rows = [{"age": age, "town": town} for age, town in zip([1] * 4 + [9] * 4 + [5, 7], "aaaabbbbab", strict=True)]
STARRED = ic.Schema({"age": ic.flat(), "town": ic.flat()})


def test_a_star_is_spread_in_one_reading_and_no_answer_in_the_other() -> None:
    release = ic.anonymize(PLACES, STARRED, model="k>=2", algorithm=ic.LevelsAndCells(together=[["age", "town"]]))
    assert Counter(tuple(row.values()) for row in release.table) == {("1", "a"): 4, ("9", "b"): 4, ("*", "*"): 2}
    found = ic.utility(release, PLACES)
    age, town = found.columns["age"], found.columns["town"]
    assert age.distance == pytest.approx((abs(0.4 - (0.4 + 0.2 * 2 / 9)) * 2 + 2 * (0.1 - 0.2 * 2.5 / 9)) / 2)
    assert age.shown == pytest.approx(0.2)  # 5 and 7 are in nobody's cell, and 1 and 9 have a half instead of 0.4
    assert (town.distance, town.shown) == (0.0, 0.0)
    queries = found.queries
    assert queries.starred == pytest.approx(0.2)
    assert queries.median_shown is not None
    assert queries.median is not None
    assert queries.median_shown > queries.median
    assert str(found).splitlines()[-1].startswith("without the 20.0% of the records that have a star there, by ")
    assert found.to_dict()["columns"]["age"]["shown"] == age.shown


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(1, 9), st.sampled_from("abc")), min_size=4, max_size=40), st.integers(0, 99))
def test_counts_without_stars_are_those_of_the_rows_that_show_both_columns(
    people: list[tuple[int, str]], seed: int
) -> None:
    table: Rows = [{"age": age, "town": town} for age, town in people]
    release = ic.anonymize(table, STARRED, model="k>=2", algorithm=ic.LevelsAndCells())
    both = beside_original(Subject.of(release, None, {}), original_census(release, table, ()))
    shown = [(int(row["age"]), row["town"]) for row in release.table if "*" not in row.values()]
    ages, towns = (both.census.domains[name] for name in ("age", "town"))
    joint = both.after.joint("age", "town").without(*(both.after.stars[name] for name in ("age", "town")))
    chance = np.random.default_rng(seed)
    first, last = sorted(chance.integers(0, len(ages), 2).tolist())
    low, high = sorted(chance.integers(0, len(towns), 2).tolist())
    found = answers([Ranges((first, last), (low, high))], joint, *(both.after.covers[name] for name in ("age", "town")))
    inside = {*ages.values[first : last + 1].tolist()}, {*towns.values[low : high + 1].tolist()}
    assert found.tolist() == pytest.approx([sum(age in inside[0] and town in inside[1] for age, town in shown)])


def test_without_a_star_both_readings_are_one() -> None:
    found = ic.utility(ic.anonymize(PLACES[:8], STARRED, model="k>=2"), PLACES[:8], queries=6)
    assert (found.queries.starred, found.queries.median_shown) == (0, found.queries.median)
    assert [column.shown for column in found.columns.values()] == [0, 0]
    assert "star" not in str(found)


def test_the_same_seed_gives_the_same_numbers_whatever_the_order_of_rows() -> None:
    table = ic.hospital(400)
    release = ic.anonymize(table, ic.hospital_schema(), model="k>=3", max_suppressed=0.3)
    frame = pl.DataFrame(table)
    one = ic.utility(release, frame).to_dict(values=True)
    two = ic.utility(release, frame.sample(fraction=1, shuffle=True, seed=7)).to_dict(values=True)
    assert one == two
    assert ic.utility(release, table, seed=1).queries != ic.utility(release, table).queries


def test_a_written_release_is_measured_in_its_file(tmp_path: Path) -> None:
    written = ic.anonymize(TABLE, SCHEMA, model="k>=2", output=tmp_path / "out", format="csv")
    held = ic.anonymize(TABLE, SCHEMA, model="k>=2")
    assert ic.utility(written, TABLE).to_dict(values=True) == ic.utility(held, TABLE).to_dict(values=True)


def test_persons_with_several_rows_and_counted_rows() -> None:
    visits = [{**row, "who": number // 2} for number, row in enumerate(TABLE)]
    roles = ic.Schema(quasi=dict(SCHEMA.quasi), sensitive=["disease"], entity="who")
    found = ic.utility(ic.anonymize(visits, roles, model="k>=2"), visits)
    assert (found.records, found.published) == (7, 7)
    counted = [{**row, "n": 3} for row in TABLE]
    roles = ic.Schema(quasi=dict(SCHEMA.quasi), sensitive=["disease"], count="n")
    found = ic.utility(ic.anonymize(counted, roles, model="k>=4"), counted)
    assert (found.records, found.published) == (21, 21)


def test_another_table_is_refused() -> None:
    release = ic.anonymize(TABLE, SCHEMA, model="k>=2")
    for other in (TABLE[1:], [*TABLE, TABLE[0]], [{**row, "age": 50} for row in TABLE]):
        with pytest.raises(ic.DataError, match="not the table that the release was made from"):
            ic.utility(release, other)
    counted = ic.Schema(quasi=dict(SCHEMA.quasi), sensitive=["disease"], count="n")
    release_of_counts = ic.anonymize([{**row, "n": 3} for row in TABLE], counted, model="k>=4")
    with pytest.raises(ic.DataError, match="not the table that the release was made from"):
        ic.utility(release_of_counts, [{**row, "n": 4} for row in TABLE])
    with pytest.raises(ic.ParameterError, match="utility needs a release, got list"):
        ic.utility(TABLE, TABLE)  # type: ignore[arg-type]
    with pytest.raises(ic.ParameterError, match="queries must be at least 0, got -1"):
        ic.utility(release, TABLE, queries=-1)


def test_what_is_printed_and_written_holds_no_value() -> None:
    table = [{"q": text, "s": text} for text in ("CANARY", "CANARY", "other", "other")]
    release = ic.anonymize(table, ic.Schema(quasi={"q": ic.flat()}, sensitive=["s"]), model="k>=2")
    found = ic.utility(release, table)
    for text in (str(found), repr(found), json.dumps(found.to_dict()), repr(found.columns["q"])):
        assert "CANARY" not in text
    assert "CANARY" in json.dumps(found.to_dict(values=True))


def test_a_release_with_values_that_the_table_lacks_is_refused_without_naming_them() -> None:
    release = ic.anonymize(TABLE, SCHEMA, model="k>=2")
    changed = replace(release, table=[{**row, "disease": "CANARY"} for row in release.table])
    with pytest.raises(
        ic.DataError, match="'disease' of the release has values that the table does not have"
    ) as raised:
        ic.utility(changed, TABLE)
    assert "CANARY" not in str(raised.value)


def learnable(rows: int = 600) -> Rows:
    """A table in which the age tells the disease, nearly."""
    chance = np.random.default_rng(0)
    ages = chance.integers(20, 60, rows)
    sick = (ages >= 40) ^ (chance.random(rows) < 0.1)
    return [
        {"age": int(age), "town": "ab"[int(age) % 2], "disease": "yes" if ill else "no", "ward": "w"}
        for age, ill in zip(ages, sick, strict=True)
    ]


LEARN = ic.Schema(
    quasi={"age": ic.intervals(10, 20, 100), "town": ic.flat()}, sensitive=["disease"], insensitive=["ward"]
)


@pytest.mark.usefixtures("learns")
def test_a_model_learns_from_the_release_what_its_labels_still_tell() -> None:
    table = learnable()
    found = {}
    for level in (1, 3):
        levels = {"age": level}
        release = ic.anonymize(table, LEARN, model="k>=2", at_least=levels, at_most=levels)
        found[level] = ic.utility(release, table, target="disease").accuracy
    fine, vague = found[1], found[3]
    assert fine is not None
    assert vague is not None
    assert fine.original == vague.original > 0.85
    assert fine.release > 0.85
    assert fine.baseline < 0.65
    assert vague.release < 0.7  # all ages are one group: nothing is left to learn
    assert fine.trained + fine.tested == 600


@pytest.mark.usefixtures("learns")
def test_a_model_learns_from_a_local_recoding_too() -> None:
    table = learnable()
    release = ic.anonymize(table, LEARN, model="k>=2", algorithm=Runs("range"))
    accuracy = ic.utility(release, table, target="disease").accuracy
    assert accuracy is not None
    assert accuracy.release > 0.85
    assert ic.utility(release, table, target="disease").accuracy == accuracy


@settings(max_examples=30)
@given(tables, st.integers(1, 4))
def test_records_stand_beside_what_is_published_of_them(table: Rows, k: int) -> None:
    algorithms: list[Any] = [None, *([Runs("hierarchy"), Runs("hierarchy", leave_out=1)] if len(table) > 4 else [])]
    for algorithm in algorithms:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ic.PrivacyWarning)
                model = "k>=1" if algorithm else f"k>={k}"
                release = ic.anonymize(table, schema(), model=model, algorithm=algorithm, max_suppressed=0.5)
        except ic.NoSafeRelease:
            continue
        census = ic.census(table, schema())
        found = published_records(release.recoding, census, "disease")
        names = [texts[codes] for texts, codes in zip(found.names, found.labels, strict=True)]
        domain = census.domains["disease"].texts[found.target]
        rows = Counter[tuple[str, ...]]()
        for row in np.flatnonzero(found.published).tolist():
            rows[(*(column[row] for column in names), domain[row])] += int(found.counts[row])
        assert rows == Counter(tuple(row[name] for name in (*QUASI, "disease")) for row in release.table)
        values = [census.domains[name].texts[codes] for name, codes in zip(QUASI, found.values, strict=True)]
        originals = Counter[tuple[str, ...]]()
        for row, count in enumerate(found.counts.tolist()):
            originals[(*(column[row] for column in values), domain[row])] += count
            assert all(
                names[n][row] in PATHS[name][values[n][row]] for n, name in enumerate(QUASI) if found.published[row]
            )
        assert originals == Counter(tuple(row[name] for name in (*QUASI, "disease")) for row in table)


@pytest.mark.usefixtures("learns")
def test_people_with_several_rows_can_be_learnt_from() -> None:
    visits = [{**row, "who": number // 2} for number, row in enumerate(learnable(200))]
    roles = ic.Schema(quasi=dict(LEARN.quasi), sensitive=["disease"], entity="who", insensitive=["ward"])
    with pytest.warns(ic.PrivacyWarning, match="promises nothing"):
        release = ic.anonymize(visits, roles, model="k>=1", algorithm=Runs("range"))
    found = ic.utility(release, visits, target="disease")
    assert found.accuracy is not None
    assert found.accuracy.release > 0.8
    assert "disease is predicted right for" in str(found)


@pytest.mark.usefixtures("learns")
def test_a_target_that_everybody_shares_is_always_right() -> None:
    table = learnable(60)
    accuracy = ic.utility(ic.anonymize(table, LEARN, model="k>=2"), table, target="ward").accuracy
    assert accuracy is not None
    assert (accuracy.original, accuracy.release, accuracy.baseline) == (1, 1, 1)


def test_only_a_column_that_is_published_as_it_is_can_be_predicted() -> None:
    release = ic.anonymize(TABLE, SCHEMA, model="k>=2")
    with pytest.raises(ic.SchemaError, match="Column 'age' cannot be the target: its role is quasi-identifier"):
        ic.utility(release, TABLE, target="age")
    with pytest.raises(ic.UnknownColumnError, match=r"no column 'Disease' \(given as target\).*mean 'disease'"):
        ic.utility(release, TABLE, target="Disease")


def test_without_scikit_learn_a_target_is_refused_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    release = ic.anonymize(TABLE, SCHEMA, model="k>=2")
    with pytest.raises(ic.IncrowdError, match="needs the library 'scikit-learn'") as raised:
        ic.utility(release, TABLE, target="disease")
    assert "incrowd[utility]" in raised.value.hint
