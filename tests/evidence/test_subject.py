"""A release gives the same answers from memory and from the folder in which it was saved."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.core import Domain
from incrowd.evidence import Subject

TREE = ic.tree({"NRW": ["Bonn", "Koeln", "Essen"], "BY": ["Ulm", "Passau"]})
CITIES = ic.Schema(quasi={"city": TREE}, sensitive=["disease"])
PEOPLE = [
    {"city": city, "disease": disease}
    for city, disease in [("Bonn", "flu"), ("Essen", "flu"), ("Passau", "hiv"), ("Ulm", "asthma")]
]
EMPTY = [{"z": z, "age": age, "disease": disease} for z, age, disease in [
    ("", 20, "x"), ("", 20, "y"), ("a", 20, "x"), ("a", 30, "y"), ("", 30, "x"), ("", 30, "x"),
]]  # fmt: skip
ONLY_NA = ic.Schema(quasi={"z": ic.flat(), "age": ic.flat()}, sensitive=["disease"], missing_values=["NA"])
NUMBERS = [{"u": number, "s": "ab"[number % 2]} for number in range(12)]
AVERAGED = ic.Schema(quasi={"u": ic.averaged(ic.intervals(2, 4), "median"), "s": ic.flat()})


def found(what: Any, **given: Any) -> list[tuple[Any, ...]]:
    attacks = ic.attack(what, **given)
    return [(one.name, one.column, one.right, one.exposed, one.worst, one.unread) for one in attacks]


def linkage(what: Any, **given: Any) -> Any:
    return ic.attack(what, **given).get("linkage")


def public_alone(release: ic.Release, folder: Path) -> Path:
    """Save a release, and give a copy of what is published without its owner's folder beside it."""
    release.save(folder / "out")
    return Path(shutil.copytree(folder / "out/public", folder / "public"))


@pytest.mark.parametrize("form", ["csv", "csv.gz"])
@pytest.mark.parametrize("algorithm", [ic.Optimal(), ic.Mondrian()])
def test_an_empty_text_that_is_not_missing_stays_a_value_in_a_text_file(
    tmp_path: Path, form: Any, algorithm: Any
) -> None:
    release = ic.anonymize(EMPTY, ONLY_NA, model="k>=2", algorithm=algorithm)
    release.save(tmp_path / "out", format=form)
    assert found(tmp_path / "out") == found(release)
    assert found(tmp_path / "out", original=EMPTY) == found(release, original=EMPTY)
    risks = [ic.risk(what, population=EMPTY * 3) for what in (release, tmp_path / "out")]
    assert risks[0].journalist == risks[1].journalist
    assert ic.verify(tmp_path / "out/public/release.json").holds
    ran = subprocess.run([sys.executable, tmp_path / "out/public/verify.py"], check=False)
    assert ran.returncode == 0


def test_a_released_text_file_is_read_as_it_was_written_if_one_says_so(tmp_path: Path) -> None:
    ic.anonymize(EMPTY, ONLY_NA, model="k>=2", algorithm=ic.Mondrian()).save(tmp_path / "out", format="csv")
    data = tmp_path / "out/public/data.csv"
    schema = ic.Schema(["z"], missing_values=["NA"])
    assert ic.census(data, schema, escaped=True).domains["z"].texts.tolist() == ["", "a"]
    assert ic.census(data, schema).domains["z"].texts.tolist() == ["a", None]
    assert ic.census(data, ic.Schema(["z"]), escaped=True).domains["z"].texts.tolist() == ["a", None]


def test_a_text_file_whose_readers_cannot_tell_an_empty_text_from_nothing_is_refused(tmp_path: Path) -> None:
    table = [{"z": z, "d": "x"} for z in ["", "", "a", "a", None, None]]
    release = ic.anonymize(table, ic.Schema({"z": ic.flat()}, ["d"], missing_values=["NA"]), model="k>=2")
    with pytest.raises(ic.DataError, match=r"ending in '\.csv' cannot tell the empty texts of column 'z'"):
        release.save(tmp_path / "out", format="csv")
    release.save(tmp_path / "out")
    assert found(tmp_path / "out", original=table) == found(release, original=table)


@pytest.mark.parametrize(("form", "algorithm"), [("sav", ic.Optimal()), ("dta", ic.Mondrian())])
def test_a_file_that_knows_no_empty_text_is_refused(tmp_path: Path, form: Any, algorithm: Any) -> None:
    release = ic.anonymize(EMPTY, ONLY_NA, model="k>=2", algorithm=algorithm)
    with pytest.raises(ic.DataError, match="cannot tell the empty texts of column 'z' from nothing"):
        release.save(tmp_path / "out", format=form)
    assert not (tmp_path / "out").exists()


def test_a_sensitive_empty_text_is_refused_too_where_no_file_can_hold_it(tmp_path: Path) -> None:
    table = [{"z": "a", "d": d} for d in ["", "x", "", "x"]]
    release = ic.anonymize(
        table, ic.Schema({"z": ic.flat()}, ["d"], missing_values=["NA"]), model="k>=2, l>=2[d, missing]"
    )
    with pytest.raises(ic.DataError, match="the empty texts of column 'd'"):
        release.save(tmp_path / "out", format="sav")


def test_averages_take_no_part_in_linkage_from_a_folder_either(tmp_path: Path) -> None:
    release = ic.anonymize(NUMBERS, AVERAGED, model="k>=2", algorithm=ic.Mondrian())
    public = public_alone(release, tmp_path)
    for given in ({"original": NUMBERS}, {"external": NUMBERS}):
        assert found(tmp_path / "out", **given) == found(release, **given)
    assert linkage(tmp_path / "out", original=NUMBERS).rate == Fraction(1, 6)
    told = linkage(public, external=NUMBERS)
    assert told.rate == Fraction(1, 6)
    assert "columns that are published as averages take no part in linkage." in told.notes


def test_averages_are_no_values_of_a_population(tmp_path: Path) -> None:
    table = [{"u": number} for number in (0, 4, 10, 14)]
    schema = ic.Schema(quasi={"u": ic.averaged(ic.intervals(5, 10))})
    release = ic.anonymize(table, schema, model="k>=2", algorithm=ic.Mondrian())
    public = public_alone(release, tmp_path)
    found = ic.risk(public, population=[{"u": number} for number in (2, 12)] * 50)
    assert found.journalist is not None
    assert found.journalist.highest == Fraction(1, 2)
    assert "Column 'u' is published as averages, which are nobody's values; there the table counts." in found.notes


def test_a_certificate_says_which_columns_are_averages(tmp_path: Path) -> None:
    ic.anonymize(NUMBERS, AVERAGED, model="k>=2", algorithm=ic.Mondrian()).save(tmp_path / "out")
    columns = json.loads((tmp_path / "out/public/release.json").read_text())["columns"]
    assert [column.get("averaged") for column in columns] == ["median", None]
    assert ic.verify(tmp_path / "out/public/release.json", owner=tmp_path / "out/owner").holds


def test_a_schema_that_was_saved_still_publishes_averages(tmp_path: Path) -> None:
    release = ic.anonymize(NUMBERS, AVERAGED, model="k>=2", algorithm=ic.Mondrian())
    release.save(tmp_path / "out")
    saved = ic.load_recoding(tmp_path / "out/owner")
    assert ic.anonymize(NUMBERS, saved.schema, model=saved.model, algorithm=ic.Mondrian()).table == release.table


@pytest.mark.parametrize("algorithm", [ic.Optimal(), ic.Mondrian(labels="hierarchy"), ic.CheapestFirst()])
def test_linkage_asks_the_hierarchy_about_values_that_the_original_lacks(tmp_path: Path, algorithm: Any) -> None:
    release = ic.anonymize(PEOPLE, CITIES, model="k>=2", algorithm=algorithm)
    release.save(tmp_path / "out")
    external = [{"name": "Ann", "city": "Koeln"}, {"name": "Bob", "city": "Bonn"}, {"name": "Cem", "city": "Rom"}]
    for what in ((release,), (tmp_path / "out",), (release.table, CITIES)):
        attacks = ic.attack(*what, external=external, who="name")
        assert attacks.get("linkage").notes[0] == "linkage: 2 of 3 people have a candidate in the release."
        assert sorted(attacks.get("attribute linkage").exposed_records()["name"]) == ["Ann", "Bob"]


@pytest.mark.parametrize("hierarchy", [ic.flat(), None])
def test_a_column_of_a_release_that_stayed_as_it_was_has_no_ranges(tmp_path: Path, hierarchy: Any) -> None:
    table = [{"z": z, "d": d} for z in ("1-5", "9") for d in "xy"]
    release = ic.anonymize(table, ic.Schema({"z": hierarchy}, ["d"]), model="k>=2", algorithm=ic.Optimal())
    public = public_alone(release, tmp_path)
    for what in (release, tmp_path / "out", public):
        assert linkage(what, external=[{"z": "3"}, {"z": "1-5"}]).right == Fraction(1, 2)
    journalists = [ic.risk(what, population=[{"z": "3"}] * 8).journalist for what in (release, tmp_path / "out")]
    assert [one.highest for one in journalists if one is not None] == [Fraction(1, 2)] * 2


def test_records_that_are_masked_may_be_anybody(tmp_path: Path) -> None:
    table = [{"z": z, "d": "x"} for z in ("1-5", "1-5", "1-5", "9", "9", "7", "7")]
    limits: Any = {"max_suppressed": 0.6, "at_most": {"z": 0}, "suppression": "mask"}
    release = ic.anonymize(table, ic.Schema({"z": ic.flat()}, ["d"]), model="k>=3", **limits)
    public = public_alone(release, tmp_path)
    assert sorted(row["z"] for row in release.table) == ["*", "*", "*", "*", "1-5", "1-5", "1-5"]
    for what in (release, tmp_path / "out", public):
        assert linkage(what, external=[{"z": "1-5"}, {"z": "3"}]).right == Fraction(1, 7) + Fraction(1, 4)


def test_the_risk_of_a_folder_knows_the_whole_tree(tmp_path: Path) -> None:
    population = [{"city": "Koeln"}] * 8 + [{"city": "Ulm"}] * 10
    release = ic.anonymize(PEOPLE, CITIES, model="k>=2")
    release.save(tmp_path / "out")
    for what in (release, tmp_path / "out"):
        journalist = ic.risk(what, population=population).journalist
        assert journalist is not None
        assert journalist.highest == Fraction(1, 8)


HIERARCHIES: dict[str, tuple[Any, list[Any]]] = {
    "tree": (TREE, ["Bonn", "Ulm", "Essen", "Koeln", "Passau"]),
    "ordered": (ic.ordered(["no", "low", "mid", "high"], 2), ["no", "mid", "low", "high"]),
    "mask": (ic.mask(char="#", keep=1), ["123", "231", "213", "122", "232", "12"]),
    "stars": (ic.mask("left"), ["123", "231", "12", "122", "23", "1"]),
    "dates": (ic.dates("month", "year", format="%d.%m.%Y"), ["01.02.2020", "05.07.2021", "03.02.2020", "09.01.2021"]),
    "intervals": (ic.intervals(0.5, 5, bottom=21, top=29), [20, 21.25, 29, 24, 28, 31]),
    "top": (ic.top_coded(29, 25), [20, 29, 24, 25, 31, 28]),
    "bottom": (ic.bottom_coded(25), [20, 29, 24, 25, 31, 18]),
    "flat": (ic.flat(), ["1-5", "x", "<5", "3", "2", "{x, 3}"]),
    "frequent": (ic.frequent(2), ["1-5", "x", "9", "3"]),
    "auto": (None, [20, 29, 24, 25, 31, 18]),
    "averaged": (ic.averaged(ic.intervals(5, 10)), [20, 29, 24, 25, 31, 18]),
}


@pytest.mark.parametrize("name", HIERARCHIES)
@pytest.mark.parametrize("algorithm", [ic.Optimal(), ic.Mondrian(), ic.CheapestFirst()])
def test_every_hierarchy_says_the_same_about_new_values_from_a_folder(
    tmp_path: Path, name: str, algorithm: Any
) -> None:
    hierarchy, values = HIERARCHIES[name]
    if name == "averaged" and isinstance(algorithm, ic.Optimal):
        return  # it has no classes to average
    known = values[: len(values) // 2 + 1]
    table = [{"a": value, "s": "mf"[n % 2], "d": "xyz"[n % 3]} for n, value in enumerate(known * 4)]
    others = [{"a": value, "s": "mf"[n % 2]} for n, value in enumerate(values * 3)]
    schema = ic.Schema({"a": hierarchy, "s": ic.flat()}, ["d"])
    release = ic.anonymize(table, schema, model="k>=3", algorithm=algorithm, max_suppressed=0.2)
    release.save(tmp_path / "out", format="csv")
    assert found(tmp_path / "out", external=others) == found(release, external=others)
    risks = [ic.risk(what, population=others) for what in (release, tmp_path / "out")]
    assert (risks[0].journalist, risks[0].notes) == (risks[1].journalist, risks[1].notes)


@pytest.mark.parametrize("name", [name for name in HIERARCHIES if name not in {"frequent", "auto"}])
def test_hierarchies_come_back_as_they_were_given(tmp_path: Path, name: str) -> None:
    hierarchy, values = HIERARCHIES[name]
    table = [{"a": value} for value in values[:2]]
    release = ic.anonymize(table, ic.Schema({"a": hierarchy}), model="k>=2", algorithm=ic.Mondrian())
    release.save(tmp_path / "out")
    saved = ic.load_recoding(tmp_path / "out/owner")
    domain = Domain.of("a", values)
    assert saved.hierarchies["a"].bind(domain) == hierarchy.bind(domain)
    ic.save_recoding(saved, tmp_path)
    for file in ("recoding.json", "recoding.parquet"):
        assert (tmp_path / file).read_bytes() == (tmp_path / "out/owner" / file).read_bytes()


def test_a_hierarchy_of_somebody_else_is_known_by_the_values_of_the_table(tmp_path: Path) -> None:
    class Own:
        def bind(self, domain: Domain) -> Any:
            return TREE.bind(domain)

    ic.anonymize(PEOPLE, ic.Schema({"city": Own()}, ["disease"]), model="k>=2").save(tmp_path / "out")
    assert ic.load_recoding(tmp_path / "out/owner").hierarchies == {}
    assert linkage(tmp_path / "out", external=[{"city": "Bonn"}, {"city": "Koeln"}]).right == Fraction(1, 2)


def test_a_folder_that_was_saved_without_hierarchies_is_still_read(tmp_path: Path) -> None:
    ic.anonymize(PEOPLE, CITIES, model="k>=2").save(tmp_path / "out")
    header = tmp_path / "out/owner/recoding.json"
    plain = json.loads(header.read_text())
    for later in ("hierarchies", "seal", "sha256"):
        del plain[later]
    header.write_text(json.dumps(plain | {"format": "incrowd recoding 1"}))
    assert ic.load_recoding(tmp_path / "out/owner").hierarchies == {}
    assert linkage(tmp_path / "out", original=PEOPLE).rate == Fraction(1, 2)


def test_what_others_leave_empty_fits_what_is_missing_in_a_public_file(tmp_path: Path) -> None:
    table = [{"z": z, "d": d} for z in ("", "a") for d in "xyx"]
    public = public_alone(ic.anonymize(table, ic.Schema({"z": ic.flat()}, ["d"]), model="k>=3"), tmp_path)
    for given in ({"external": table}, {"original": table}):
        assert linkage(public, **given).rate == Fraction(1, 3)
    journalist = ic.risk(public, population=table * 2).journalist
    assert journalist is not None
    assert journalist.highest == Fraction(1, 6)


def test_an_empty_text_that_is_published_fits_itself_alone(tmp_path: Path) -> None:
    table = [{"z": z, "d": d} for z in ("", "a") for d in "xyx"]
    schema = ic.Schema({"z": ic.flat()}, ["d"], missing_values=[])
    public = public_alone(ic.anonymize(table, schema, model="k>=3", algorithm=ic.Optimal()), tmp_path)
    assert linkage(public, external=table).rate == Fraction(1, 3)


def test_an_empty_text_inside_a_label_is_a_value_too(tmp_path: Path) -> None:
    table = [{"z": z, "age": age, "d": "x"} for z in ("1", "2", "") for age in (20, 21)]
    schema = ic.Schema({"z": None, "age": None}, ["d"], missing_values=[])
    release = ic.anonymize(table, schema, model="k>=2", algorithm=ic.Mondrian())
    assert any(row["z"].startswith("{,") for row in release.table)
    expected = linkage(release, external=table).rate
    assert linkage(public_alone(release, tmp_path), external=table).rate == expected


def test_the_safe_harbor_takes_the_folder_of_a_release(tmp_path: Path) -> None:
    table = [{"zip": zip_, "name": "N"} for zip_ in ("10115", "10117", "20095", "20099")]
    schema = ic.Schema({"zip": ic.mask()}, identifiers=["name"])
    release = ic.anonymize(table, schema, model="k>=2", at_least={"zip": 2})
    release.save(tmp_path / "out", format="csv")
    given: Any = {"kinds": {"zip": "zip"}, "populous": ["101", "200"]}
    expected = ic.safe_harbor(release, **given)
    for what in (tmp_path / "out", str(tmp_path / "out/public"), tmp_path / "out/public/release.json"):
        assert ic.safe_harbor(what, **given) == expected
    with pytest.raises(ic.ParameterError, match="A release brings its own schema"):
        ic.safe_harbor(tmp_path / "out", schema, **given)


MANY = [{"age": age, "zip": f"{zip_:03}", "disease": "abc"[age % 3]} for age in range(40) for zip_ in range(10)] * 2
ROLES = ic.Schema(quasi={"age": ic.intervals(2, 40), "zip": ic.mask()}, sensitive=["disease"])
LITTLE: dict[str, Any] = {"memory": "40KB"}  # about a hundred cells, and all questions need four hundred


@pytest.fixture(scope="module")
def unchanged() -> ic.Release:
    return ic.anonymize(MANY, ROLES, model="k>=2")


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize(
    "ask",
    [
        lambda release, memory: ic.attack(release, **memory),
        lambda release, memory: ic.attack(release, original=MANY, **memory),
        lambda release, memory: ic.attack(release, external=MANY, **memory),
        lambda release, memory: ic.risk(release, **memory),
        lambda release, memory: ic.risk(release, population=MANY, **memory),
    ],
)
def test_every_question_to_a_release_honours_the_memory(
    ask: Any, saved: bool, unchanged: ic.Release, tmp_path: Path
) -> None:
    subject: Any = unchanged
    if saved:
        unchanged.save(tmp_path / "out")
        subject = tmp_path / "out"
    with pytest.raises(ic.EngineError, match="The census of this table does not fit into memory"):
        ask(subject, LITTLE)


@pytest.mark.parametrize("ask", [ic.assess, partial(ic.check, model="k>=2"), ic.risk, ic.attack])
def test_every_question_to_a_table_honours_the_memory(ask: Any) -> None:
    with pytest.raises(ic.EngineError, match="The census of this table does not fit into memory"):
        ask(MANY, ROLES, **LITTLE)


def test_what_a_release_is_good_for_is_measured_within_the_memory(unchanged: ic.Release) -> None:
    with pytest.raises(ic.EngineError, match="The census of this table does not fit into memory"):
        ic.utility(unchanged, MANY, memory="40KB")


def test_only_the_census_of_a_population_or_of_people_may_be_what_does_not_fit() -> None:
    coarse = ic.anonymize(MANY, ROLES, model="k>=200")
    assert len(ic.attack(coarse, **LITTLE).entries) > 1
    for given in ({"population": MANY}, {"original": MANY}, {"external": MANY}):
        ask: Any = ic.risk if "population" in given else ic.attack
        with pytest.raises(ic.EngineError, match="does not fit into memory"):
            ask(coarse, **given, **LITTLE)


def test_what_is_opened_keeps_the_memory_and_the_temporary_place(unchanged: ic.Release, tmp_path: Path) -> None:
    unchanged.save(tmp_path / "out")
    reading = {"memory": "200MB", "temp": str(tmp_path)}
    for table, schema in ((unchanged, None), (tmp_path / "out", None), (MANY, ROLES)):
        resources = Subject.of(table, schema, reading).engine.resources
        assert (resources.memory, str(resources.temp)) == ("200MB", str(tmp_path))
