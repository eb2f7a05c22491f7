"""Whom of a population the labels of a release fit, counted one person after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.evidence import Risk
from incrowd.hierarchies import covers
from release.test_local_releases import SCHEMA, Runs

Row = dict[str, Any]
Fit = Callable[[str, Any, Any], bool]
TREE = {"a": "north", "b": "north", "c": "south", "d": "south"}
ROLES = ic.Schema(
    quasi={
        "town": ic.tree({"north": ["a", "b"], "south": ["c", "d"]}),
        "job": ic.frequent(2, 4),
        "age": ic.intervals(5, 10),
        "zip": ic.mask(char="#"),
    }
)
TOWNS, JOBS, AGES, ZIPS = st.sampled_from("abcd"), st.sampled_from("pqrst"), st.integers(20, 40), ["11", "12", "21"]
RARE = [{"job": job} for job in "aaaaabbbbbcdd"]
"""Five, five, one and two; c and d are rare below three."""

tables = st.lists(
    st.fixed_dictionaries({"town": TOWNS, "job": JOBS, "age": AGES, "zip": st.sampled_from(ZIPS)}),
    min_size=1,
    max_size=12,
)
strangers = st.lists(
    st.fixed_dictionaries(
        {
            "town": st.sampled_from("abcdef"),
            "job": st.sampled_from("pqrstuvw"),
            "age": st.integers(15, 45),
            "zip": st.sampled_from([*ZIPS, "13", "99", "111"]),
        }
    ),
    max_size=12,
)


def chances(published: Iterable[Row], people: list[Row], quasi: Iterable[str], fit: Fit) -> list[Fraction]:
    """Give the chance of every published record: 1 over the people who fit it, or over those who look like it."""
    names = list(quasi)
    classes = Counter(tuple(row[name] for name in names) for row in published)
    found = []
    for labels, size in classes.items():
        pairs = list(zip(names, labels, strict=True))
        crowd = sum(all(fit(name, label, person[name]) for name, label in pairs) for person in people)
        found += [Fraction(1, max(crowd, size))] * size
    return found


def expect(risk: Risk, expected: list[Fraction]) -> None:
    assert risk.journalist is not None
    assert risk.journalist.highest == max(expected)
    assert risk.journalist.average == pytest.approx(float(sum(expected) / len(expected)))


def label_of(name: str, value: Any, level: int, table: list[Row]) -> str | None:
    """Give what a value is published as; nothing for one that the hierarchy does not know."""
    if name == "town":
        return [value, TREE.get(value), "*"][level] if level == 2 or value in TREE else None
    if name == "age":
        width = (0, 5, 10)[level % 3]
        low = value if level == 0 else width and value // width * width
        return str(value) if level == 0 else "*" if level == 3 else f"[{low}, {low + width})"
    if name == "zip":
        return "*" if level == 2 else value[: len(value) - level] + "#" * level
    times = sum(row["job"] == value for row in table)
    if level == 3:
        return "*"
    if not times:
        return None
    rare = (0, 2, 4)[level]
    return value if times >= rare else f"rare (<{rare})"


@settings(max_examples=30)
@given(tables, strangers, st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3), st.integers(0, 1)))
def test_people_fit_what_the_release_made_of_its_own_values(
    table: list[Row], others: list[Row], node: tuple[int, int, int, int]
) -> None:
    levels = dict(zip(ROLES.quasi_names, node, strict=True))
    with pytest.warns(ic.PrivacyWarning, match="promises nothing"):
        release = ic.anonymize(table, ROLES, model="k>=1", at_least=levels, at_most=levels)
    people = [*table, *table, *others]
    risk = ic.risk(release, population=people)
    expect(
        risk,
        chances(
            release.table,
            people,
            levels,
            lambda name, label, value: label_of(name, value, levels[name], table) == str(label),
        ),
    )


def test_rare_values_are_those_that_were_rare_in_the_original() -> None:
    """``rare`` covers c and d: 60 people in a population of 20 times the table, whoever else lives there."""
    release = ic.anonymize(RARE, ic.Schema(quasi={"job": ic.frequent(3)}), model="k>=3")
    assert Counter(row["job"] for row in release.table) == {"a": 5, "b": 5, "rare (<3)": 3}
    strange = [{"job": f"e{number}"} for number in range(500)]
    for people in (RARE * 20, [*RARE * 20, *strange]):
        risk = ic.risk(release, population=people)
        assert risk.journalist is not None
        assert risk.journalist.highest == Fraction(1, 60)
        assert risk.journalist.average == pytest.approx((10 / 100 + 3 / 60) / 13)
        assert risk.notes == ()


def test_a_value_that_no_hierarchy_knows_is_one_of_nobody_but_the_star() -> None:
    table = [{"town": town} for town in "aabbccdd"]
    tree = ic.tree({"X": ["a", "b"], "Y": ["c", "d"]})
    release = ic.anonymize(table, ic.Schema(quasi={"town": tree}), model="k>=3")
    people = [*table * 3, *({"town": "e"} for _ in range(50))]
    risk = ic.risk(release, population=people)
    assert risk.journalist is not None
    assert risk.journalist.highest == Fraction(1, 12)
    star = ic.anonymize(table, ic.Schema(quasi={"town": tree}), model="k>=8")
    risk = ic.risk(star, population=people)
    assert risk.journalist is not None
    assert risk.journalist.highest == Fraction(1, 74)


def test_masked_records_can_be_anybody() -> None:
    table = [{"town": town} for town in "aaabc"]
    roles = ic.Schema(quasi={"town": ic.flat()})
    masked = ic.anonymize(table, roles, model="k>=2", max_suppressed=0.4, suppression="mask")
    risk = ic.risk(masked, population=[*table, {"town": "a"}, {"town": "z"}])
    assert risk.journalist is not None
    assert risk.journalist.highest == Fraction(1, 4)  # four of a; the two masked are two of seven
    assert risk.journalist.average == pytest.approx((3 / 4 + 2 / 7) / 5)


@pytest.mark.parametrize("labels", ["hierarchy", "range", "set"])
@settings(max_examples=30)
@given(
    st.lists(
        st.fixed_dictionaries({"age": AGES, "town": st.sampled_from(["bonn", "köln", "kiel"])}), min_size=2, max_size=9
    ),
    st.lists(
        st.fixed_dictionaries(
            {"age": st.integers(15, 45), "town": st.sampled_from(["bonn", "köln", "kiel", "ulm", "jena"])}
        ),
        max_size=9,
    ),
)
def test_people_fit_the_labels_of_a_local_recoding(labels: Any, table: list[Row], others: list[Row]) -> None:
    whole = [{**row, "disease": "flu"} for row in table]
    release = ic.anonymize(whole, SCHEMA, model="k>=2", algorithm=Runs(labels))
    people = [*table, *others]

    def fit(name: str, label: Any, value: Any) -> bool:
        tree = {"bonn": "west", "köln": "west", "kiel": "north"}
        return covers(str(label), str(value)) or (name == "town" and tree.get(value) == label)

    expect(ic.risk(release, population=people), chances(release.table, people, ["age", "town"], fit))


LABELS = ["21", "[20, 25)", "20-29", ">=30", "{21, 35}", "*", "2*", "old", None]


@given(
    st.lists(st.sampled_from(LABELS), min_size=1, max_size=12),
    st.lists(st.integers(18, 40), min_size=1, max_size=20),
    st.booleans(),
)
def test_labels_of_anybodys_table_are_read(labels: list[str | None], ages: list[int], as_text: bool) -> None:
    roles = ic.Schema(quasi=["age"], missing_values=())
    table = [{"age": label} for label in labels]
    people: list[Row] = [{"age": str(age) if as_text else age} for age in ages]
    risk = ic.risk(table, roles, population=people)
    expect(risk, chances(table, people, ["age"], lambda _, label, value: covers(label, str(value))))
    unread = any("'age'" in note and "cannot be read" in note for note in risk.notes)
    assert unread == ("old" in labels)


def test_labels_of_anybodys_table_are_what_the_hierarchy_says_where_it_says_the_same_of_every_table() -> None:
    table = [{"town": "north"}, {"town": "c"}, {"job": "rare (<3)"}]
    people = [{"town": town} for town in "aaabbbccce"]
    towns = ic.Schema(quasi={"town": ic.tree({"north": ["a", "b"], "south": ["c", "d"]})})
    risk = ic.risk(table[:2], towns, population=people)
    assert risk.journalist is not None
    assert (risk.journalist.highest, risk.notes) == (Fraction(1, 3), ())
    assert risk.journalist.average == pytest.approx((1 / 6 + 1 / 3) / 2)
    jobs = ic.Schema(quasi={"job": ic.frequent(3)})
    risk = ic.risk(table[2:], jobs, population=[{"job": f"e{number}"} for number in range(9)])
    assert risk.journalist is not None
    assert risk.journalist.highest == 1
    assert any("cannot be read" in note for note in risk.notes)


def test_a_release_in_a_file_finds_the_same_people_as_one_in_memory(tmp_path: Path) -> None:
    table = [{"town": town, "age": age} for town, age in zip("aabbccdd", range(20, 28), strict=True)]
    people = [{"town": town, "age": age} for town in "abcde" for age in range(18, 32)]
    roles = ic.Schema(quasi={"town": ic.flat(), "age": ic.intervals(2, 4)})
    inside = ic.anonymize(table, roles, model="k>=2")
    written = ic.anonymize(table, roles, model="k>=2", output=tmp_path / "out", format="csv")
    assert ic.risk(inside, population=people).to_dict() == ic.risk(written, population=people).to_dict()


def test_masks_are_read_as_linkage_reads_them() -> None:
    population = [{"zip": "47612"}] * 5 + [{"zip": "47712"}] * 7
    for hidden in ("xx", "**"):
        table = [{"zip": f"476{hidden}"}, {"zip": f"477{hidden}"}]
        found = ic.risk(table, ic.Schema(quasi=["zip"]), population=population)
        assert found.journalist is not None
        assert found.journalist.highest == pytest.approx(1 / 5)
        assert not any("cannot be read" in note for note in found.notes)
