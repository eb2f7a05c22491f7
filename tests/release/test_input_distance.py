"""A promise about the original table can tell what the few records left out have: the attack, and the warning."""

from __future__ import annotations

import itertools
import json
import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import incrowd as ic
from incrowd.models import promise as read
from incrowd.release._input_distance import FileFacts, distance_bound
from models import slow

AGES = (31, 32, 35, 38, 41, 42, 47, 48, 71)
DISEASES = ("flu", "flu", "flu", "hiv", "flu", "flu", "hiv", "hiv", "flu")
TABLE = [{"age": age, "disease": disease} for age, disease in zip(AGES, DISEASES, strict=True)]
SCHEMA = ic.Schema(quasi={"age": ic.intervals(10)}, sensitive=["disease"])
Bag = Counter[Any]


def variational(group: Bag, whole: Bag) -> bool:
    return slow.variational(group, whole) <= Fraction(3, 10)


def diverges(group: Bag, whole: Bag) -> bool:
    terms = (
        Fraction(n, group.total()) * math.log(Fraction(n * whole.total(), group.total() * whole[value]))
        for value, n in group.items()
    )
    return sum(terms) <= 0.3 + 1e-12


def gains(group: Bag, whole: Bag) -> bool:
    return all(Fraction(n, group.total()) <= 2 * Fraction(whole[value], whole.total()) for value, n in group.items())


def changes(group: Bag, whole: Bag) -> bool:
    return set(group) == set(whole) and all(
        abs(math.log(Fraction(n * whole.total(), group.total() * whole[value]))) < 1 for value, n in group.items()
    )


PROMISES: dict[str, Callable[[Bag, Bag], bool]] = {
    "t<=0.3": variational,
    "t<=0.3[kl]": diverges,
    "beta<=1": gains,
    "delta<1": changes,
}


def candidates(rows: list[dict[str, Any]], left_out: int, ok: Callable[[Bag, Bag], bool]) -> tuple[int, int]:
    """Put all combinations of published values in for the records left out: how many there are, and how many fit."""
    groups: defaultdict[Any, Bag] = defaultdict(Counter)
    for row in rows:
        groups[row["age"], row.get("sex")][row["disease"]] += 1
    file = Counter(row["disease"] for row in rows)
    tried = list(itertools.combinations_with_replacement(sorted(file), left_out))
    fitting = [one for one in tried if all(ok(group, file + Counter(one)) for group in groups.values())]
    return len(tried), len(fitting)


def published(table: Any, schema: ic.Schema, promise: str, **limits: Any) -> tuple[ic.Release, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        release = ic.anonymize(table, schema, model=promise, algorithm=ic.Optimal(), **limits)
    return release, [str(one.message) for one in caught if issubclass(one.category, ic.PrivacyWarning)]


def test_the_file_the_number_left_out_and_the_bound_leave_one_disease_for_who_is_left_out() -> None:
    release, told = published(TABLE, SCHEMA, "k>=4, t<=0.18", max_suppressed_records=1)
    assert release.recipe.suppressed == 1
    assert candidates(release.table, 1, lambda *bags: slow.variational(*bags) <= Fraction(18, 100)) == (2, 1)
    assert " ".join(told) == (
        "t<=0.18 compares with the original table, of which 1 record is left out, and the released file alone does not "
        "show that it holds. Whoever has the file and knows that number can rule out values of 'disease' for it: of 2 "
        "combinations of its published values only 1 fits. What helps: leave out nobody, mask these records instead of "
        "dropping them, leave out more than 10, or promise less: this file would show 0.23 or more by itself."
    )
    assert list(release.verdict.notes) == told


def test_what_is_said_to_help_helps() -> None:
    assert published(TABLE, SCHEMA, "k>=4, t<=0.18")[1] == []
    assert published(TABLE, SCHEMA, "k>=4, t<=0.18", max_suppressed_records=8, suppression="mask")[1] == []
    release, told = published(TABLE, SCHEMA, "k>=4, t<=0.23", max_suppressed_records=1)
    assert (release.recipe.suppressed, told) == (1, [])
    assert candidates(release.table, 1, lambda *bags: slow.variational(*bags) <= Fraction(23, 100)) == (2, 2)


def test_the_owner_reads_it_in_the_report_and_nobody_else_does(tmp_path: Path) -> None:
    release, (told,) = published(TABLE, SCHEMA, "k>=4, t<=0.18", max_suppressed_records=1)
    release.save(tmp_path / "out")
    release.report(tmp_path / "owner.html")
    release.report(tmp_path / "public.html", public=True)
    sentence = told.split(". ")[0].replace("<", "&lt;")
    assert sentence in (tmp_path / "owner.html").read_text(encoding="utf-8")
    assert "can rule out values" not in (tmp_path / "public.html").read_text(encoding="utf-8")
    assert "can rule out values" not in json.dumps((tmp_path / "out/public/release.json").read_text(encoding="utf-8"))


rows = st.fixed_dictionaries(
    {"age": st.integers(30, 69), "sex": st.sampled_from("fm"), "disease": st.sampled_from("aaabbcd")}
)


@settings(max_examples=60, deadline=None)
@given(table=st.lists(rows, min_size=8, max_size=20), promise=st.sampled_from(sorted(PROMISES)))
def test_where_nothing_is_said_no_value_can_be_ruled_out(table: list[Any], promise: str) -> None:
    schema = ic.Schema({"age": ic.intervals(10, 20), "sex": ic.flat()}, ["disease"])
    try:
        release, told = published(table, schema, f"k>=2, {promise}", max_suppressed_records=3)
    except ic.NoSafeRelease:
        return
    left_out = release.recipe.suppressed
    tried, fitting = candidates(release.table, left_out, PROMISES[promise])
    if len({row["disease"] for row in release.table}) == 1:
        return  # a single value is tried against others, which are not in the file
    assert bool(told) == (fitting < tried)
    if told:
        fit = {0: "none fits, so", 1: "only 1 fits."}.get(fitting, f"{fitting:,} fit.")
        assert f"of {tried:,} combinations of its published values {fit}" in told[0]


@pytest.mark.parametrize("promise", ["nt(n=6, t=0.18)", "nt(n=6, t=0.18)[drop]"])
def test_nearest_supersets_are_bounded_too(promise: str) -> None:
    release, told = published(TABLE, SCHEMA, f"k>=4, {promise}", max_suppressed_records=1)
    assert release.recipe.suppressed == 1
    assert [note.split(" compares")[0] for note in told] == [promise]
    assert "may be able to rule out values of 'disease' for it. What helps" in told[0]


def test_many_left_out_are_not_few() -> None:
    table = [*TABLE[:8] * 4, *({"age": 100 + 10 * place, "disease": "flu"} for place in range(11))]
    release, told = published(table, SCHEMA, "k>=4, t<=0.3", max_suppressed_records=11)
    assert (release.recipe.suppressed, told) == (11, [])


def test_promises_about_the_file_itself_need_no_warning() -> None:
    release, told = published(TABLE, SCHEMA, "k>=4, l>=2", max_suppressed_records=1)
    assert (release.recipe.suppressed, told) == (1, [])


ONE = [{"age": age, "disease": "flu"} for age in (31, 32, 35, 38, 71)]


@pytest.mark.parametrize("promise", ["t<=0.19", "beta<=0.24", "enhanced-beta<=1", "delta<1"])
def test_a_file_with_one_value_warns_that_its_bound_rules_out_others(promise: str) -> None:
    release, (told,) = published(ONE, SCHEMA, f"k>=4, {promise}", max_suppressed_records=1)
    assert release.recipe.suppressed == 1
    assert "can rule out values of 'disease' for it. What helps" in told


@pytest.mark.parametrize("promise", ["t<=0.2", "beta<=0.25"])
def test_a_file_with_one_value_in_whose_place_any_other_would_do_warns_of_nothing(promise: str) -> None:
    release, told = published(ONE, SCHEMA, f"k>=4, {promise}", max_suppressed_records=1)
    assert (release.recipe.suppressed, told) == (1, [])


TREE = ic.tree({"x": {"ab": ["a", "b"], "c": ["c"]}, "y": {"de": ["d", "e"], "f": ["f"]}})


ORDER = ic.ordered(["f", "e", "d", "c", "b", "a"])


CLOSENESS: dict[str, Any] = {
    "t<=0.9": None,
    "t<=0.9[ordered]": ORDER,
    "t<=0.9[hierarchical]": TREE,
    "t<=3[kl]": None,
    "nt(n=6, t=0.9)": None,
    "nt(n=6, t=0.9)[drop]": None,
    "nt(n=6, t=0.9)[drop, ordered]": ORDER,
    "nt(n=4, t=0.9)[table, hierarchical]": TREE,
    "nt(n=6, t=3)[drop, kl]": None,
}


def bound(promise: str, measured: str, shown: FileFacts) -> Fraction | float:
    model: Any = read(promise)
    return distance_bound(model, Fraction(measured), shown)


@pytest.mark.parametrize(
    ("promise", "expected"),
    [
        ("t<=0.9", Fraction(1, 4)),  # (9 * 1/6 + 1) / 10
        ("t<=0.9[hierarchical]", Fraction(1, 4)),
        (
            "t<=0.9[ordered]",
            Fraction(13, 40),
        ),  # 1/6 of 3 steps, at most half moves: (1/2 + 1/2) / 4; (9 * 1/4 + 1) / 10
        ("nt(n=4, t=0.9)", Fraction(1, 3)),  # the nearest superset has at least 4 records: (4 * 1/6 + 1) / 5
        ("t<=0.9[kl]", 1 / 6 + math.log(10 / 9)),
    ],
)
def test_one_record_more_moves_the_whole_table_by_so_much(promise: str, expected: Fraction | float) -> None:
    assert bound(promise, "1/6", FileFacts(records=9, left_out=1, values=4)) == pytest.approx(float(expected))


def test_where_nobody_was_left_out_the_file_is_the_original_table() -> None:
    assert bound("t<=0.9[ordered]", "1/6", FileFacts(records=9, left_out=0, values=1)) == Fraction(1, 6)


people = st.fixed_dictionaries(
    {"age": st.integers(30, 60), "sex": st.sampled_from("fm"), "disease": st.sampled_from("abcdef")}
)


@pytest.mark.filterwarnings("ignore:.* compares with the original table")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table=st.lists(people, min_size=6, max_size=24),
    promise=st.sampled_from(sorted(CLOSENESS)),
    suppression=st.sampled_from(["drop", "mask"]),
)
def test_what_was_measured_against_the_original_table_is_never_more(
    table: list[Any], promise: str, suppression: Any, tmp_path: Path
) -> None:
    schema = ic.Schema({"age": ic.intervals(10, 20), "sex": ic.flat()}, {"disease": CLOSENESS[promise]})
    suppression = "drop" if promise.startswith("nt") else suppression  # (n, t)-closeness refuses to mask
    try:
        release = ic.anonymize(
            table,
            schema,
            model=f"k>=2, {promise}",
            max_suppressed=0.5,
            at_most={"age": 1},
            suppression=suppression,
        )
    except ic.NoSafeRelease:
        return
    release.save(tmp_path / "out", format="csv", force=True)
    entry = json.loads((tmp_path / "out/public/release.json").read_text())["promises"][1]
    owner = json.loads((tmp_path / "out/owner/recipe.json").read_text())["promises"][1]
    told = Fraction(entry["input_at_most"])
    assert Fraction(owner["measured"][0]) <= told + Fraction(1, 10**12)
    assert told <= Fraction(entry["required"][0]["bound"])
    assert ic.verify(tmp_path / "out/public/release.json").differences == ()
