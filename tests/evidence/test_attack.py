"""The door to the attacks: what can be attacked, and what the owner can add."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import incrowd as ic
from incrowd.evidence import Attacks

SCHEMA = ic.Schema(
    quasi={"age": ic.intervals(10, 20), "town": ic.tree({"west": ["bonn", "köln"], "north": ["kiel", "lübeck"]})},
    sensitive={"disease": ic.categories({"bad": ["hiv", "flu"], "mild": ["cold", "itch"]})},
)
TABLE = [
    {"age": age, "town": town, "disease": disease}
    for age, town, disease in [
        (31, "bonn", "flu"),
        (34, "köln", "hiv"),
        (35, "bonn", "flu"),
        (52, "kiel", "cold"),
        (55, "lübeck", "flu"),
        (58, "kiel", "itch"),
        (89, "bonn", "hiv"),
    ]
]


def numbers(found: Attacks) -> list[Any]:
    return [(one.name, one.column, one.exposed, one.rate, one.baseline, one.worst) for one in found]


@pytest.fixture
def release() -> ic.Release:
    return ic.anonymize(TABLE, SCHEMA, model="k>=3", algorithm=ic.Optimal(), max_suppressed=0.2)


def test_a_release_is_attacked_as_it_was_published(release: ic.Release) -> None:
    found = ic.attack(release)
    assert (found.records, found.classes, found.persons) == (6, 2, None)
    assert found.get("similarity").exposed.records == 3
    assert found.get("inference").worst == Fraction(2, 3)
    assert found.get("inference").baseline == Fraction(3, 6)
    assert {name: column.tolist() for name, column in found.get("similarity").exposed_records().items()} == {
        "age": ["[30, 40)", "[30, 40)"],
        "town": ["west", "west"],
        "disease": ["flu", "hiv"],
        "records": [2, 1],
    }


def test_the_original_adds_who_is_looked_up_and_what_was_known(release: ic.Release) -> None:
    found = ic.attack(release, original=TABLE)
    assert found.get("inference").baseline == Fraction(1, 2)
    linked = found.get("linkage")
    assert (linked.targets, linked.right) == (7, Fraction(2))
    assert (linked.baseline, linked.exposed.records) == (Fraction(1, 7), 0)  # anybody of six, about six of seven
    assert linked.notes[0] == "linkage: 6 of 7 people have a candidate in the release."


def test_the_released_table_with_its_schema_says_the_same(release: ic.Release) -> None:
    bare = ic.Schema(quasi=["age", "town"], sensitive=dict(SCHEMA.sensitive))
    assert numbers(ic.attack(release.table, bare)) == numbers(ic.attack(release))
    assert numbers(ic.attack(pl.DataFrame(release.table), bare)) == numbers(ic.attack(release))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_saved_release_says_the_same(release: ic.Release, tmp_path: Path, kind: Any) -> None:
    release.save(tmp_path / "out", format=kind)
    expected = numbers(ic.attack(release, original=TABLE))
    for place in ("out", "out/public", "out/public/release.json"):
        assert numbers(ic.attack(tmp_path / place, original=TABLE)) == expected


def test_the_public_folder_alone_reads_what_labels_say(release: ic.Release, tmp_path: Path) -> None:
    release.save(tmp_path / "out")
    (tmp_path / "out" / "owner").rename(tmp_path / "kept")
    found = ic.attack(tmp_path / "out", external=[{"age": 33}, {"age": 99}])
    assert found.get("linkage").right == Fraction(1, 3)
    assert found.get("similarity").exposed.records == 3


def test_masked_records_are_candidates_for_everybody() -> None:
    people = [*TABLE, {"age": 17, "town": "kiel", "disease": "cold"}, {"age": 71, "town": "köln", "disease": "itch"}]
    release = ic.anonymize(people, SCHEMA, model="k>=3", max_suppressed=0.4, suppression="mask")
    assert release.recipe.masked == 3
    found = ic.attack(release, original=people).get("linkage")
    assert (found.targets, found.right, found.worst) == (9, Fraction(6, 6) + Fraction(3, 3), Fraction(1, 3))


def test_people_with_several_rows_are_known_to_the_owner() -> None:
    rows = [
        (1, 31, "flu"),
        (1, 52, "flu"),
        (2, 32, "hiv"),
        (2, 34, "cold"),
        (3, 55, "flu"),
        (4, 57, "hiv"),
        (4, 31, "hiv"),
    ]
    people = [{"who": who, "age": age, "disease": disease} for who, age, disease in rows]
    schema = ic.Schema(quasi={"age": ic.intervals(10, 20)}, sensitive=["disease"], entity="who")
    release = ic.anonymize(people, schema, model="k>=3", algorithm=ic.Optimal())
    assert ic.attack(release).persons is None
    found = ic.attack(release, original=people)
    assert found.persons == 4
    assert found.get("singling out").worst == Fraction(1, 3)
    several = found.get("several rows")  # 1 and 4 are in both groups, 2 and 3 in one each
    assert (several.exposed.persons, several.exposed.records, several.rate) == (2, 3, Fraction(3, 4))
    assert sorted(several.exposed_records()["who"]) == ["2", "3"]


def test_a_row_may_stand_for_several_records() -> None:
    table = [{"q": 1, "s": "a", "n": 3}, {"q": 1, "s": "b", "n": 1}, {"q": 2, "s": "a", "n": 4}]
    found = ic.attack(table, ic.Schema(quasi=["q"], sensitive=["s"], count="n"))
    assert found.records == 8
    assert (found.get("inference").rate, found.get("homogeneity").exposed.records) == (Fraction(7, 8), 4)


def test_numbers_beyond_64_bits_are_exact() -> None:
    many = 2**40
    table = [{"q": 1, "s": "a", "n": many}, {"q": 2, "s": "a", "n": many}, {"q": 2, "s": "b", "n": 1}]
    found = ic.attack(table, ic.Schema(quasi=["q"], sensitive=["s"], count="n"))
    assert found.get("skewness").worst == Fraction(2 * many + 1, many + 1)


def test_everything_can_be_written_as_json(release: ic.Release) -> None:
    found = ic.attack(release, original=TABLE)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["schema"] == 1
    assert plain["attacks"][0]["rate"] == {"value": 2 / 6, "exact": "1/3"}
    assert repr(found) == f"Attacks({len(found)} attacks on 6 records in 2 classes)"


def test_what_is_wrong_is_refused_without_a_value(release: ic.Release) -> None:
    with pytest.raises(ic.ParameterError, match="A release brings its own schema"):
        ic.attack(release, SCHEMA)
    with pytest.raises(ic.ParameterError, match="A table alone does not say"):
        ic.attack(TABLE)
    with pytest.raises(ic.UnknownColumnError, match="no column 'age'"):
        ic.attack(release, original=[{"alter": 1}])


def test_the_input_is_not_changed() -> None:
    frame = pl.DataFrame(TABLE)
    copy = frame.clone()
    ic.attack(frame, ic.Schema(quasi=["age", "town"], sensitive=["disease"]), external=frame)
    assert frame.equals(copy)


def test_missing_values_are_joined_with_missing_values() -> None:
    table = [{"age": "30", "s": "a"}, {"age": "", "s": "b"}]
    schema = ic.Schema(quasi=["age"], sensitive=["s"])
    found = ic.attack(table, schema, external=[{"age": ""}, {"age": "30"}, {"age": "31"}])
    assert found.get("linkage").exposed.records == 2


def test_engines_agree(tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    columns = {"age": generator.integers(20, 60, 300), "s": generator.choice(list("abc"), 300)}
    frame = pl.DataFrame(columns)
    frame.write_csv(tmp_path / "t.csv")
    schema = ic.Schema(quasi=["age"], sensitive=["s"])
    expected = numbers(ic.attack(frame.to_dicts(), schema, original=frame.to_dicts()))
    for table in (frame, frame.to_arrow(), frame.lazy(), tmp_path / "t.csv"):
        assert numbers(ic.attack(table, schema, original=table)) == expected


def test_a_wrong_original_is_refused_where_persons_are_counted() -> None:
    people = [{"who": number // 2, "age": 30 + number % 4, "disease": "flu"} for number in range(12)]
    schema = ic.Schema(quasi={"age": ic.intervals(10, 20)}, sensitive=["disease"], entity="who")
    release = ic.anonymize(people, schema, model="k>=3", algorithm=ic.Optimal())
    assert "so records are counted" in ic.attack(release).notes[0]
    with pytest.raises(ic.DataError, match="does not give this release"):
        ic.attack(release, original=[*people, *people[:2]])


def test_nobody_counts_twice_in_what_is_known_about_a_category() -> None:
    table = [
        {"id": person, "age": 30 + person % 2, "disease": disease}
        for person, diseases in enumerate([("hiv", "flu"), ("hiv", "flu"), ("cold", "itch"), ("flu", "cold")])
        for disease in diseases
    ]
    schema = ic.Schema(quasi={"age": ic.flat()}, sensitive=dict(SCHEMA.sensitive), entity="id")
    assert ic.attack(table, schema).get("category inference").baseline == Fraction(3, 4)  # three of four have a bad one
    release = ic.anonymize(table, schema, model="k>=2")
    assert ic.attack(release, original=table).get("category inference").baseline == Fraction(3, 4)


@pytest.mark.parametrize("rows", [0, 5])
def test_a_table_with_fewer_records_is_not_the_original(release: ic.Release, rows: int) -> None:
    part = pl.DataFrame(TABLE).head(rows)
    with pytest.raises(ic.DataError, match="fewer records than the release"):
        ic.attack(release, original=part)


OTHER = [
    {"age": age, "job": job, "s": s} for age, job, s in zip([21, 21, 35, 36] * 3, "abab" * 3, "xyxx" * 3, strict=True)
]
ROLES = ic.Schema(quasi={"age": ic.intervals(5, 20), "job": ic.flat()}, sensitive=["s"])


@pytest.mark.parametrize("algorithm", [ic.Optimal(), ic.Mondrian()], ids=str)
@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"age": 36}, "not the table that the release was made of: "),
        ({"age": 77}, "column 'age' has values that the release was not made of"),
    ],
    ids=["moved", "new"],
)
def test_another_table_of_the_same_length_is_not_the_original(algorithm: Any, change: Any, match: str) -> None:
    release = ic.anonymize(OTHER, ROLES, model="k>=2", algorithm=algorithm)
    assert len(ic.attack(release, original=OTHER[::-1])) > 3
    other = [{**OTHER[0], **change}, *OTHER[1:]]
    with pytest.raises(ic.DataError, match=match) as refused:
        ic.attack(release, original=other)
    assert "77" not in str(refused.value)


def test_groups_of_another_table_are_counted() -> None:
    release = ic.anonymize(OTHER, ROLES, model="k>=2", algorithm=ic.Optimal(), at_least={"age": 1, "job": 1})
    with pytest.raises(ic.DataError, match="1 of 2 groups have fewer records there than are published"):
        ic.attack(release, original=[{**OTHER[0], "age": 36}, *OTHER[1:]])


@pytest.mark.parametrize("suppression", ["drop", "mask"])
def test_an_original_may_have_people_who_are_not_published_as_they_are(suppression: Any) -> None:
    table = [{"age": age, "s": "x"} for age in (*[21] * 6, 38, 38, 58, 58)]
    roles = ic.Schema(quasi={"age": ic.intervals(5, 10)}, sensitive=["s"])
    limits: Any = {"max_suppressed": 0.4, "at_most": {"age": 1}}
    release = ic.anonymize(table, roles, model="k>=3", suppression=suppression, **limits)
    assert ic.attack(release, original=table).get("linkage").targets == 10


def test_what_has_no_rate_has_none_in_json(release: ic.Release) -> None:
    plain = {one["name"]: one for one in ic.attack(release).to_dict()["attacks"]}
    for name in ("change of belief", "skewness"):
        assert [plain[name][part] for part in ("right", "rate", "baseline", "advantage")] == [None] * 4
    assert plain["inference"]["rate"]["value"] > 0


def test_a_place_where_nothing_is_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(ic.DataError, match=r"There is no file 'nowhere'\."):
        ic.attack(tmp_path / "nowhere")
