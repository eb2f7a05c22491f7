"""Re-identification risk through the front door."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.evidence import Risk
from incrowd.hierarchies import covers
from release.test_local_releases import SCHEMA, TABLE, Runs
from search.slow import PATHS
from search.tables import schema, tables

QUASI = ic.Schema(quasi=["age", "town"], sensitive=["disease"])
VISITS = [
    {"who": "p1", "town": "bonn", "disease": "flu"},
    {"who": "p1", "town": "kiel", "disease": "flu"},
    {"who": "p2", "town": "bonn", "disease": "flu"},
    {"who": "p3", "town": "bonn", "disease": "hiv"},
    {"who": "p3", "town": "kiel", "disease": "hiv"},
    {"who": "p4", "town": "kiel", "disease": "flu"},
]
PEOPLE = ic.Schema(quasi={"town": ic.flat()}, sensitive=["disease"], entity="who")


def people(*sizes: int, **more: Any) -> list[dict[str, Any]]:
    """Make a table with classes of these sizes."""
    return [{"q": str(number), **more} for number, size in enumerate(sizes) for _ in range(size)]


def one(table: Any, **more: Any) -> Risk:
    return ic.risk(table, ic.Schema(quasi=["q"]), **more)


def test_without_a_population_there_is_a_prosecutor_and_a_marketer() -> None:
    risk = one(people(1, 2, 5))
    assert (risk.records, risk.persons, risk.classes, risk.k) == (8, None, 3, 1)
    assert (risk.prosecutor.highest, risk.prosecutor.average) == (1, Fraction(3, 8))
    assert risk.prosecutor.above is not None
    assert (risk.prosecutor.above.classes, risk.prosecutor.above.records) == (2, 3)
    assert risk.prosecutor.above.share == Fraction(3, 8)
    assert risk.journalist is None
    assert (risk.marketer.highest, risk.marketer.average, risk.marketer.above) == (None, Fraction(3, 8), None)
    assert (risk.uniqueness.sample, dict(risk.uniqueness.estimates)) == (1, {})


def test_the_threshold_is_the_decimal_as_written() -> None:
    above = [one(people(5), threshold=value).prosecutor.above for value in (0.2, Fraction(1, 5), 0.19999)]
    assert [found and found.records for found in above] == [0, 0, 5]
    with pytest.raises(ic.ParameterError, match="threshold must be at least 0 and at most 1, got 2"):
        one(people(5), threshold=2)


def test_a_population_table_says_who_is_alone_out_there() -> None:
    population = people(1, 4, 10)
    risk = one(people(1, 1, 2), population=population)
    assert risk.journalist is not None
    assert risk.journalist.highest == 1
    assert risk.journalist.average == pytest.approx((1 + 1 / 4 + 2 / 10) / 4)
    assert risk.marketer.average == risk.journalist.average
    assert risk.journalist.above is not None
    assert risk.journalist.above.records == 2  # 1/1 and 1/4 are above 1/5
    assert (risk.uniqueness.sample, risk.uniqueness.population) == (2, 15)
    assert dict(risk.uniqueness.estimates) == {"population table": 1.0}


def test_a_population_that_lacks_people_of_the_table_never_lowers_the_crowd() -> None:
    risk = one(people(2, 2), population=people(5))
    assert risk.journalist is not None
    assert risk.journalist.highest == Fraction(1, 2)
    assert risk.notes == ("In 1 of 2 classes the table has more people than the population; there it counts.",)


def test_prosecutor_journalist_and_marketer_stand_in_this_order() -> None:
    table = ic.hospital(500)
    risk = ic.risk(table, ic.Schema(quasi=["sex", "zip"], sensitive=["diagnosis"]), population=5_000)
    assert risk.journalist is not None
    for better, worse in ((risk.prosecutor, risk.journalist), (risk.journalist, risk.marketer)):
        assert better.average >= worse.average
    assert risk.prosecutor.highest is not None
    assert risk.journalist.highest is not None
    assert risk.prosecutor.highest >= risk.journalist.highest


def test_a_population_smaller_than_the_table_is_refused() -> None:
    with pytest.raises(ic.ParameterError, match="population of 3 is smaller than the table of 4"):
        one(people(4), population=3)
    for wrong in (True, 1e6):
        with pytest.raises(ic.ParameterError, match="population must be a whole number of people or a table"):
            one(people(4), population=wrong)


def test_where_everybody_is_alone_the_size_of_the_population_promises_nothing() -> None:
    risk = one(people(1, 1, 1, 1), population=1_000_000)
    assert risk.journalist is not None
    assert (risk.journalist.highest, risk.journalist.average) == (1.0, 1.0)


def test_the_whole_population_in_the_table_makes_journalist_and_prosecutor_equal() -> None:
    risk = one(people(1, 2, 5), population=8)
    assert risk.journalist is not None
    assert risk.journalist.highest == pytest.approx(1)
    assert risk.journalist.average == pytest.approx(3 / 8)


def test_sampling_weights_add_up_to_the_people_of_a_class() -> None:
    """The published example of µ-ARGUS: eight records with four key variables, here as their classes."""
    rows = [("a", 18), ("b", 45.5), ("b", 39), ("c", 17), ("d", 541), ("e", 8), ("f", 5), ("a", 92)]
    risk = one([{"q": key, "w": weight} for key, weight in rows], weight="w")
    assert risk.journalist is not None
    assert risk.journalist.highest == pytest.approx(0.40235948)
    expected = 2 * 0.01714426 + 2 * 0.02204233 + 0.17707583 + 0.01165448 + 0.29706308 + 0.40235948
    assert risk.journalist.average == pytest.approx(expected / 8)
    assert risk.uniqueness.population == 765.5
    assert risk.uniqueness.estimates["negative binomial"] == pytest.approx(1 / 17 + 1 / 541 + 1 / 8 + 1 / 5)
    assert "known to come out too low" in risk.notes[0]


def test_households_are_found_by_any_member() -> None:
    """The same example: who lives with whom, and the individual risk of each."""
    rows = [
        ("a", 18, 1),
        ("b", 45.5, 1),
        ("b", 39, 2),
        ("c", 17, 2),
        ("d", 541, 3),
        ("e", 8, 4),
        ("f", 5, 4),
        ("a", 92, 5),
    ]
    table = [{"q": key, "w": weight, "home": home} for key, weight, home in rows]
    plain = one(table, household="home").households
    weighted = one(table, weight="w", household="home").households
    assert plain is not None
    assert weighted is not None
    assert (plain.households, plain.highest) == (5, 1.0)
    assert plain.average == pytest.approx((0.75 + 1 + 1 + 1 + 0.5) / 5)
    assert weighted.highest == pytest.approx(1 - (1 - 0.29706308) * (1 - 0.40235948))
    firsts = 1 - (1 - 0.01714426) * (1 - 0.02204233), 1 - (1 - 0.02204233) * (1 - 0.17707583)
    assert weighted.expected == pytest.approx(sum(firsts) + 0.01165448 + weighted.highest + 0.01714426, abs=1e-6)
    assert "households  highest 58.0%" in str(one(table, weight="w", household="home"))


def test_a_household_can_be_what_is_counted() -> None:
    found = ic.risk(VISITS, PEOPLE, household="who").households
    assert found is not None
    assert found.households == 4
    towns: dict[Any, set[Any]] = defaultdict(set)
    for row in VISITS:
        towns[row["who"]].add(row["town"])
    assert found.highest == pytest.approx(1 - (2 / 3) ** max(map(len, towns.values())))


def test_households_that_cannot_be_are_refused() -> None:
    with pytest.raises(ic.UnknownColumnError, match="given as household"):
        one(people(2, w=1), household="home")
    with pytest.raises(ic.DataError, match="'w' \\(given as household\\) is missing"):
        one([{"q": "a", "w": None}, {"q": "a", "w": 1}], household="w")
    with pytest.raises(ic.SchemaError, match="its role is quasi-identifier"):
        one(people(2), household="q")
    with pytest.raises(ic.ParameterError, match="one row per member"):
        ic.risk([row | {"home": 1} for row in VISITS], PEOPLE, household="home")


def test_weights_that_cannot_be_are_refused() -> None:
    for weight in (0, -1, "three", None):
        with pytest.raises(ic.DataError, match="'w' \\(given as weight\\) must hold numbers above 0"):
            one([{"q": "a", "w": 2}, {"q": "a", "w": weight}] if weight != "three" else people(2, w="x"), weight="w")
    with pytest.raises(ic.UnknownColumnError, match="no column 'v' \\(given as weight\\)"):
        one(people(2, w=1), weight="v")
    with pytest.raises(ic.ParameterError, match="not by both"):
        one(people(2, w=1), weight="w", population=9)
    with pytest.raises(ic.ParameterError, match="Weights are about records"):
        ic.risk(VISITS, PEOPLE, weight="who")


def test_persons_are_counted_not_rows() -> None:
    risk = ic.risk(VISITS, PEOPLE)
    assert (risk.records, risk.persons, risk.classes, risk.k) == (6, 4, 2, 3)
    assert (risk.prosecutor.highest, risk.prosecutor.average) == (Fraction(1, 3), Fraction(1, 3))
    assert risk.alone_by_rows == 2  # p1 and p3 were in both towns, p2 and p4 in one each
    assert one(people(2)).alone_by_rows is None
    assert "one of a kind by all their rows together: 2" in str(risk)


def test_estimates_of_uniqueness_need_people_in_one_class_each() -> None:
    risk = ic.risk(VISITS, PEOPLE, population=100)
    assert dict(risk.uniqueness.estimates) == {}
    assert "people who are in one class each" in risk.notes[0]


def test_a_release_brings_its_schema_and_is_measured_as_published() -> None:
    release = ic.anonymize(TABLE, SCHEMA, model="k>=2", algorithm=Runs())
    risk = ic.risk(release)
    assert (risk.records, risk.classes, risk.k) == (7, 3, 2)
    assert risk.guesses["disease"].highest == 1  # two with flu have a class of their own
    with pytest.raises(ic.ParameterError, match="A table alone does not say"):
        ic.risk(TABLE)


def test_a_written_release_is_measured_in_its_file(tmp_path: Path) -> None:
    release = ic.anonymize(TABLE, SCHEMA, model="k>=2", output=tmp_path / "out", format="csv")
    assert ic.risk(release).to_dict() == ic.risk(ic.anonymize(TABLE, SCHEMA, model="k>=2")).to_dict()


def test_a_release_with_several_rows_per_person_needs_its_table() -> None:
    release = ic.anonymize(VISITS, PEOPLE, model="k>=3, l>=2")
    with pytest.raises(ic.ParameterError, match="does not say whose row is whose"):
        ic.risk(release)
    risk = ic.risk(release, original=VISITS)
    assert (risk.persons, risk.k, risk.alone_by_rows) == (4, 3, 2)
    assert risk.guesses["disease"].certain == 0
    with pytest.raises(ic.DataError, match="not the table that the release was made from"):
        ic.risk(release, original=VISITS[:-1])
    with pytest.raises(ic.ParameterError, match="Weights are about records"):
        ic.risk(release, original=VISITS, weight="who")


def test_masked_records_are_a_class_of_their_own_with_persons_too() -> None:
    table = [{"who": f"{town}{n}", "town": town} for town, many in (("a", 3), ("b", 1), ("c", 1)) for n in range(many)]
    roles = ic.Schema(quasi={"town": ic.flat()}, entity="who")
    how: Any = {"model": "k>=2", "algorithm": ic.Optimal(), "max_suppressed": 0.4}
    masked = ic.anonymize(table, roles, suppression="mask", **how)
    assert (ic.risk(masked, original=table).classes, ic.risk(masked, original=table).k) == (2, 2)
    dropped = ic.anonymize(table, roles, **how)
    assert (ic.risk(dropped, original=table).classes, ic.risk(dropped, original=table).persons) == (1, 3)


@settings(max_examples=30)
@given(tables, tables, st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(0, 2)))
def test_people_of_a_population_fit_the_labels_of_a_release(
    table: list[dict[str, str]], others: list[dict[str, str]], node: tuple[int, int, int]
) -> None:
    roles = schema()
    levels = dict(zip(roles.quasi_names, node, strict=True))
    with pytest.warns(ic.PrivacyWarning, match="promises nothing"):
        release = ic.anonymize(table, roles, model="k>=1", at_least=levels, at_most=levels)
    risk = ic.risk(release, population=[*table, *others])
    labels = {name: {value: path[level] for value, path in PATHS[name].items()} for name, level in levels.items()}
    published = Counter(tuple(row[name] for name in levels) for row in release.table)
    crowd = Counter(tuple(labels[name][row[name]] for name in levels) for row in [*table, *others])
    expected = sum(count / crowd[key] for key, count in published.items()) / len(table)
    assert risk.journalist is not None
    assert risk.journalist.average == pytest.approx(expected)


@pytest.mark.parametrize("labels", ["hierarchy", "range", "set"])
def test_people_of_a_population_fit_the_labels_of_a_local_recoding(labels: Any) -> None:
    release = ic.anonymize(TABLE, SCHEMA, model="k>=2", algorithm=Runs(labels))
    population: list[dict[str, Any]] = [
        *TABLE,
        *TABLE,
        {"age": 22, "town": "köln", "disease": ""},
        {"age": 30, "town": "bonn", "disease": ""},
    ]
    risk = ic.risk(release, population=population)
    west = {"bonn", "köln"}
    total = 0.0
    for row in release.table:
        total += 1 / sum(
            covers(row["age"], str(person["age"]))
            and (covers(row["town"], person["town"]) or (row["town"] == "west" and person["town"] in west))
            for person in population
        )
    assert risk.journalist is not None
    assert risk.journalist.average == pytest.approx(total / 7)


def test_every_kind_of_table_gives_the_same_risk(tmp_path: Path) -> None:
    frame = pl.DataFrame(TABLE)
    frame.write_csv(tmp_path / "table.csv")
    expected = ic.risk(TABLE, QUASI, population=70).to_dict()
    for table in (frame, frame.to_arrow(), frame.to_pandas(), tmp_path / "table.csv"):
        assert ic.risk(table, QUASI, population=70).to_dict() == expected
    counted = [{"age": 21, "town": "bonn", "disease": "flu", "n": 3}, *({**row, "n": 1} for row in TABLE[3:])]
    roles = ic.Schema(quasi=["age", "town"], sensitive=["disease"], count="n")
    assert ic.risk(counted, roles, population=70).to_dict() == expected


def test_an_empty_table_has_no_risk() -> None:
    risk = ic.risk(pl.DataFrame(schema={"q": pl.String}), ic.Schema(quasi=["q"]), population=5)
    assert (risk.records, risk.k, risk.prosecutor.highest) == (0, None, 0)
    assert str(risk)


def test_what_is_printed_and_written_holds_no_value(tmp_path: Path) -> None:
    table = [{"q": "CANARY", "s": "CANARY"}, {"q": "other", "s": "CANARY"}]
    risk = ic.risk(table, ic.Schema(quasi=["q"], sensitive=["s"]), population=10)
    written = json.dumps(risk.to_dict())
    (tmp_path / "risk.json").write_text(written, encoding="utf-8")
    for text in (str(risk), repr(risk), written, str(risk.against("wp216")), str(risk.against("ema-0.09"))):
        assert "CANARY" not in text
    assert repr(risk).startswith("Risk(2 records, k=1, average: prosecutor 100.0%")


TOLD = [
    {"who": f"p{number // 2}", "age": 20 + 10 * (number % 3), "income": number % 4, "diag": "abc"[number % 3]}
    for number in range(60)
]
"""Two rows for each of 30 people; the age tells the diagnosis for certain, and nothing about the income."""


@pytest.mark.filterwarnings("ignore:.*promises nothing")
@pytest.mark.parametrize("model", ["k>=2", "k>=2, l>=2[income]", "k>=2, l>=2[income], l>=1[diag]"])
@pytest.mark.parametrize("algorithm", [None, ic.Mondrian()])
def test_every_sensitive_column_of_several_rows_per_person_is_judged(model: str, algorithm: Any) -> None:
    roles = ic.Schema(quasi={"age": ic.flat()}, sensitive=["income", "diag"], entity="who")
    release = ic.anonymize(TOLD, roles, model=model, algorithm=algorithm)
    risk = ic.risk(release, original=TOLD)
    assert list(risk.guesses) == ["income", "diag"]
    assert (risk.guesses["income"].certain, risk.guesses["diag"].certain) == (0, 30)
    assert risk.guesses["diag"].average == 1
    assert risk.guesses["diag"].without == Fraction(1, 3)
    inference = risk.against("wp216").items[-1]
    assert (inference.test, inference.verdict) == ("inference", "FAIL")
    assert "diag: 30 certain" in inference.measured


people_of = st.lists(
    st.fixed_dictionaries(
        {
            "who": st.sampled_from("pqrst"),
            "age": st.integers(20, 30),
            "town": st.sampled_from(["bonn", "köln", "kiel"]),
            "disease": st.sampled_from(["flu", "hiv"]),
            "job": st.sampled_from(["cook", "nurse", "smith"]),
            "note": st.sampled_from("xy"),
        }
    ),
    min_size=4,
    max_size=10,
)


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a key for pseudonyms."""
    path = tmp_path_factory.mktemp("key") / "key"
    path.write_bytes(bytes(range(32)))
    return path


@pytest.mark.filterwarnings("ignore:Column 'who' is published as a pseudonym", "ignore:.*promises nothing")
@settings(max_examples=30)
@given(table=people_of)
def test_persons_of_a_local_recoding_are_counted_as_they_are_published(key: Path, table: list[dict[str, Any]]) -> None:
    """Pseudonyms show whose row is whose, so the published table can be counted by hand."""
    roles = ic.Schema(dict(SCHEMA.quasi), ["disease", "job"], entity="who", insensitive=["note"])
    release = ic.anonymize(table, roles, model="k>=1, l>=1[disease]", algorithm=Runs(), pseudonyms={"who": key})
    risk = ic.risk(release, original=table)
    for name in ("disease", "job"):
        values: dict[tuple[str, str], dict[str, set[str]]] = {}
        inside: dict[tuple[str, str], set[str]] = {}
        for row in release.table:
            place = (row["age"], row["town"])
            inside.setdefault(place, set()).add(row["who"])
            values.setdefault(place, {}).setdefault(row[name], set()).add(row["who"])
        sure = {place for place, found in values.items() if max(map(len, found.values())) == len(inside[place])}
        most = sum(max(map(len, found.values())) for found in values.values())
        assert risk.guesses[name].average == Fraction(most, sum(map(len, inside.values())))
        assert risk.guesses[name].certain == len(set().union(*(inside[place] for place in sure)))


def test_a_release_brings_its_own_schema() -> None:
    schema = ic.Schema(quasi={"age": ic.intervals(10, 100)})
    release = ic.anonymize([{"age": 31}, {"age": 34}], schema, model="k>=2")
    with pytest.raises(ic.ParameterError, match="A release brings its own schema"):
        ic.risk(release, schema)


def test_a_small_chance_is_not_called_none() -> None:
    table = [{"sex": "f"} for _ in range(5000)]
    assert repr(ic.risk(table, ic.Schema(quasi={"sex": ic.flat()}))).endswith(
        "average: prosecutor < 0.1%, marketer < 0.1%)"
    )
