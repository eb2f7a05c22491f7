"""Releases about somebody who knows several rows of a person: certified, and measured again with pseudonyms or not."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from engines.subjects import TYPED, make_subject
from models import slow_rows
from release.test_tampering import expect_no_forgery_to_pass
from release.verified import rewrite, run_script, script

Capsys = pytest.CaptureFixture[str]
pytestmark = pytest.mark.filterwarnings("ignore:Column 'who' is published as a pseudonym")
VISITS: list[dict[str, Any]] = [
    {"who": f"Canary{person}", "age": age, "ward": ward, "disease": disease}
    for person, age, rows in [
        (1, 31, ["pa", "qb"]),
        (2, 33, ["qa", "pb"]),
        (3, 36, ["pa", "qc", "qa"]),
        (4, 38, ["pb", "qa"]),
        (5, 51, ["pa", "pb"]),
        (6, 52, ["pc"]),
        (7, 55, ["pa"]),
        (8, 71, ["pa", "qb", "rc"]),
        (9, 78, ["rb"]),
    ]
    for ward, disease in map(tuple, rows)
]
SCHEMA = ic.Schema({"age": ic.intervals(10, 20), "ward": ic.flat()}, ["disease"], entity="who")
PROMISES = ["k>=2[any 2 rows]", "k>=2[any 2 rows, multiset]", "k>=2[ward, any 3 rows]", "k>=3[any 1 row], l>=2"]


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key.bin"
    path.write_bytes(bytes(range(32)))
    return path


def saved(folder: Path, promise: str, key: Path | None, table: Any = None, **more: Any) -> ic.Release:
    pseudonyms: dict[str, Any] = {} if key is None else {"pseudonyms": {"who": key}}
    release = ic.anonymize(
        VISITS if table is None else table, SCHEMA, model=promise, max_suppressed=0.6, **pseudonyms, **more
    )
    release.save(folder, format="csv")
    return release


def owner_verify(folder: Path, tmp_path: Path) -> Any:
    path = tmp_path / "visits.csv"
    path.write_text("\n".join([",".join(VISITS[0]), *(",".join(map(str, row.values())) for row in VISITS)]))
    return ic.verify(folder, original=path)


@pytest.mark.parametrize("promise", PROMISES)
def test_with_pseudonyms_anybody_can_measure_it_again(promise: str, key: Path, tmp_path: Path, capsys: Capsys) -> None:
    release = saved(tmp_path / "out", promise, key)
    assert 0 < release.recipe.suppressed < len(VISITS)
    assert ic.verify(tmp_path / "out").outcome == "holds"
    assert run_script(tmp_path / "out", capsys)[0] == 0
    assert owner_verify(tmp_path / "out", tmp_path).outcome == "holds"
    written = "".join(path.read_text() for path in (tmp_path / "out/public").iterdir())
    assert "Canary" not in written


def test_a_plan_can_publish_whose_row_it_is_as_a_pseudonym(key: Path, tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "visits.csv").write_text(
        "\n".join([",".join(VISITS[0]), *(",".join(map(str, row.values())) for row in VISITS)])
    )
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'version = 1\n[data]\npath = "visits.csv"\nentity = "who"\n[columns.age]\nrole = "quasi"\n'
        '[columns.ward]\nrole = "quasi"\n[columns.disease]\nrole = "sensitive"\n[columns.who]\nrole = "identifier"\n'
        'keep = "pseudonym"\nkey_file = "key.bin"\n[privacy]\npromise = "k>=2[any 2 rows]"\nmax_suppressed = 0.6\n'
        '[output]\nfolder = "out"\nformat = "csv"\n[search]\nalgorithm = "optimal"\n'
    )
    assert key.name == "key.bin"
    ic.Plan.read(plan).run(write=True)
    assert ic.verify(tmp_path / "out").outcome == "holds"
    assert run_script(tmp_path / "out", capsys)[0] == 0


# The size of a household is known to whoever knows the household.


def households(ages: list[tuple[int, ...]]) -> list[dict[str, Any]]:
    return [
        {"home": f"home {number}", "age": age, "sick": "yes" if age % 2 else "no"}
        for number, members in enumerate(ages)
        for age in members
    ]


SIZED = ic.Schema({"age": ic.flat(), "members": ic.intervals(2, 4)}, ["sick"], entity="home", size="members")
AGES = st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=6).map(tuple), min_size=2, max_size=12)


@given(AGES, st.integers(2, 3), st.sampled_from(["drop", "entity"]))
@settings(max_examples=60, deadline=None)
def test_the_size_of_a_household_is_a_quasi_identifier(ages: list[tuple[int, ...]], k: int, how: Any) -> None:
    ages = [*ages, *[(1, 2), (1, 2)] * k]
    release = ic.anonymize(
        households(ages), SIZED, model=f"k>={k}", max_suppressed=0.5, suppression=how, algorithm=ic.Optimal()
    )
    node = release.recoding.node or {}
    width = (1, 2, 4, 99)[node["members"]]
    left = set(range(len(ages)))
    while True:
        alike: dict[tuple[int, int], set[int]] = defaultdict(set)
        for home in left:
            for age in ages[home]:
                alike[0 if node["age"] else age, len(ages[home]) // width].add(home)
        rare = {home for found in alike.values() if len(found) < k for home in found}
        if how == "drop" or not rare:
            break
        left -= rare
    kept = {group: found for group, found in alike.items() if len(found) >= k}
    rows = sum((0 if node["age"] else age, len(ages[home]) // width) in kept for home in left for age in ages[home])
    assert release.recipe.published == len(release.table) == rows
    assert len({(row["age"], row["members"]) for row in release.table}) == len(kept)
    assert release.verdict.holds


def test_a_release_with_sizes_is_applied_verified_and_planned(tmp_path: Path, capsys: Capsys) -> None:
    rows = households([(1, 2), (2, 3), (1, 3), (1,), (2,), (3,), (1, 2, 3), (3, 2, 1, 1)])
    path = tmp_path / "homes.csv"
    path.write_text("\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]))
    (tmp_path / "plan.toml").write_text(
        'version = 1\n[data]\npath = "homes.csv"\nentity = "home"\nsize = "members"\n'
        '[columns.home]\nrole = "identifier"\n[columns.age]\nrole = "quasi"\nhierarchy = { flat = true }\n'
        '[columns.sick]\nrole = "sensitive"\n'
        '[columns.members]\nrole = "quasi"\nhierarchy = { intervals = [2, 4] }\n'
        '[privacy]\npromise = "k>=2"\nmax_suppressed = 0.5\n[output]\nfolder = "out"\nformat = "csv"\n'
        'suppression = "entity"\n[search]\nalgorithm = "optimal"\n'
    )
    release = ic.Plan.read(tmp_path / "plan.toml").run(write=True)
    assert release.schema.size == "members"
    assert run_script(tmp_path / "out", capsys)[0] == 4  # whose row is whose, only the owner knows
    assert ic.verify(tmp_path / "out", original=path).outcome == "holds"
    again = ic.apply(tmp_path / "out/owner", rows, max_suppressed=0.5)
    assert (again.schema.size, len(again.table)) == ("members", release.recipe.published)
    assert "members" in {
        column["name"] for column in json.loads((tmp_path / "out/public/release.json").read_text())["columns"]
    }


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"size": "n"}, "there is no entity"),
        ({"size": "n", "entity": "home", "quasi": ["age"]}, "which people know of each other"),
        ({"size": "n", "entity": "home", "count": "times"}, "rows stand for as many records as 'times' says"),
        ({"size": "", "entity": "home"}, "size must name columns"),
    ],
)
def test_a_size_that_makes_no_sense_is_refused(more: dict[str, Any], said: str) -> None:
    with pytest.raises(ic.SchemaError, match=said):
        ic.Schema(**{"quasi": ["age", "n"], **more})


def test_rows_that_are_dropped_count_in_the_size() -> None:
    rows = households([(1, 2)] * 3)
    rows[0]["age"] = None
    schema = ic.Schema(["age", "members"], ["sick"], entity="home", size="members", missing="drop")
    release = ic.anonymize(rows, schema, model="k>=2", algorithm=ic.Optimal())
    assert [row["members"] for row in release.table] == [2] * 5


def test_a_size_does_not_replace_a_column() -> None:
    schema = ic.Schema(["age"], entity="home", size="age")
    with pytest.raises(ic.SchemaError, match="The table has a column 'age' already"):
        ic.anonymize(households([(1, 2), (3, 4)]), schema, model="k>=2")


@pytest.mark.parametrize("promise", PROMISES)
def test_without_pseudonyms_its_owner_can(promise: str, tmp_path: Path, capsys: Capsys) -> None:
    saved(tmp_path / "out", promise, None)
    found = ic.verify(tmp_path / "out")
    assert found.outcome == "could not be checked"
    assert any("whose row is whose" in said for said in found.not_checked)
    assert run_script(tmp_path / "out", capsys)[0] == 4
    assert owner_verify(tmp_path / "out", tmp_path).outcome == "holds"


@pytest.mark.parametrize("kind", [*TYPED, "csv"])
def test_every_kind_of_table_gives_the_same(kind: str, tmp_path: Path) -> None:
    subject, table = make_subject(kind, tmp_path), pa.Table.from_pylist(VISITS)
    same: dict[str, Any] = {"model": "k>=2[any 2 rows]", "max_suppressed": 0.6}
    expected = ic.anonymize(VISITS, SCHEMA, **same)
    found = ic.anonymize(subject.load(table), SCHEMA, **same)
    assert found.verdict == expected.verdict
    assert sorted(subject.rows(found.table)) == sorted(tuple(row.values()) for row in expected.table)


def test_the_script_runs_by_itself(key: Path, tmp_path: Path) -> None:
    saved(tmp_path / "out", PROMISES[0], key)
    code, said = script(tmp_path / "out")
    assert (code, "k>=2[any 2 rows]: k " in said) == (0, True)


@pytest.mark.parametrize("promise", PROMISES)
@pytest.mark.parametrize("linked", [True, False])
def test_a_forged_promise_is_called_fine_by_neither(
    promise: str, linked: bool, key: Path, tmp_path: Path, capsys: Capsys
) -> None:
    saved(tmp_path / "out", promise, key if linked else None)
    expect_no_forgery_to_pass(tmp_path / "out", ("promises", 0), capsys)


def claim(m: int, **how: Any) -> Callable[[Any], None]:
    """Claim a promise about more rows, other columns or counting, everywhere where it is written."""

    def change(certificate: Any) -> None:
        text = str(ic.KmAnonymity(2, m, **how))
        form = {"known": [how["known"]]} if "known" in how else {}
        more = form | ({"multiset": True} if "multiset" in how else {})
        certificate["promise"] = certificate["promises"][0]["promise"] = text
        certificate["promises"][0].update(m=m, **more)

    return change


def test_claims_that_the_file_contradicts_are_found_by_both(key: Path, tmp_path: Path, capsys: Capsys) -> None:
    table = [{**row, "age": 40} for row in VISITS if row["who"] != "Canary9"]
    saved(tmp_path / "out", "k>=2[any 1 row]", key, table, at_most={"ward": 0})
    people = defaultdict(list)
    for row in json.loads(json.dumps(table)):
        people[row["who"]].append(row["ward"])
    left = slow_rows.left_in(people, 2, 1)
    path = tmp_path / "out/public/release.json"
    before = path.read_text()
    for m, how in [(2, {}), (3, {}), (2, {"multiset": True})]:
        rewrite(tmp_path / "out", claim(m, **how))
        fine = slow_rows.fewest(left, m, multiset=bool(how)) >= 2
        said = ic.verify(tmp_path / "out").outcome, run_script(tmp_path / "out", capsys)[0]
        assert said == (("holds", 0) if fine else ("does not hold", 1)), (m, how)
        path.write_text(before)
    rewrite(tmp_path / "out", lambda certificate: certificate.update(persons=certificate["persons"] + 1))
    assert (ic.verify(tmp_path / "out").outcome, run_script(tmp_path / "out", capsys)[0]) == ("does not hold", 1)


def test_rows_given_to_others_are_found(key: Path, tmp_path: Path, capsys: Capsys) -> None:
    release = saved(tmp_path / "out", "k>=2[any 2 rows]", key)
    data = tmp_path / "out/public/data.csv"
    header, *rows = data.read_text().splitlines()
    place = header.split(",").index("who")
    names = {row.split(",")[place] for row in rows}
    assert len(names) == release.verdict.persons
    first, second = sorted(names)[:2]
    data.write_text("\n".join([header, *(row.replace(first, second) for row in rows)]) + "\n")
    assert ic.verify(tmp_path / "out").outcome == "does not hold"
    assert run_script(tmp_path / "out", capsys)[0] == 1


def test_its_limit_is_said_in_place_of_that_of_k_alone(key: Path, tmp_path: Path) -> None:
    saved(tmp_path / "rows", "k>=2[any 2 rows]", key)
    saved(tmp_path / "k", "k>=2", key, algorithm=ic.Optimal())
    rows, k = (json.loads((tmp_path / name / "public/release.json").read_text()) for name in ("rows", "k"))
    assert not any("several rows" in said for said in rows["limits"])
    assert any("several rows" in said for said in k["limits"])
    assert "2 rows" in rows["promises"][0]["limits"]


visits = st.lists(st.tuples(st.integers(0, 5), st.sampled_from([31, 38, 52, 71]), st.sampled_from("pqr")), max_size=16)


@settings(max_examples=25)
@given(table=visits, m=st.integers(1, 3), multiset=st.booleans())
def test_all_readers_agree_with_the_definition(
    tmp_path_factory: pytest.TempPathFactory, table: Any, m: int, multiset: bool
) -> None:
    folder = tmp_path_factory.mktemp("visits")
    (folder / "key.bin").write_bytes(bytes(32))
    rows = [{"who": who, "age": age, "ward": ward, "disease": "flu"} for who, age, ward in table]
    model = ic.KmAnonymity(2, m, multiset=multiset)
    try:
        release = saved(folder / "out", str(model), folder / "key.bin", rows) if rows else None
    except ic.NoSafeRelease:
        release = None
    if release is None:
        return
    people = defaultdict(list)
    for row in release.table:
        people[row["who"]].append((row["age"], row["ward"]))
    assert release.verdict.findings[0].measured == (slow_rows.fewest(people, m, multiset=multiset),)
    assert ic.verify(folder / "out").outcome == "holds"
    assert script(folder / "out")[0] == 0


@pytest.mark.parametrize(
    "asked", [{"model": "k>=2[any 2 rows]"}, {"model": "k>=2, l>=2", "suppression": "entity", "at_most": {"age": 1}}]
)
def test_reports_and_versions_show_what_is_left(asked: Any, tmp_path: Path) -> None:
    release = ic.anonymize(VISITS, SCHEMA, max_suppressed=0.6, **asked)
    assert 0 < release.recipe.suppressed < len(VISITS)
    release.save(tmp_path / "out", about={"purpose": "Visits"})
    report = (tmp_path / "out/owner/report.html").read_text()
    assert "Visits" in report
    assert "Canary" not in report
    version = ic.release.version_of(release)
    assert release.recipe.levels is not None
    again = ic.release.inspect_node(release, release.recipe.levels).version
    assert (version.classes, version.suppressed, version.kept) == (again.classes, again.suppressed, again.kept)
    assert version.smallest >= 2
    assert "records" in release.explain()


def test_no_curve_is_drawn_where_no_group_keeps_a_k_by_itself() -> None:
    with pytest.raises(ic.ParameterError, match="left out with all rows"):
        ic.frontier(VISITS, SCHEMA, by="k", model="k>=2[any 2 rows]", max_suppressed=0.5)


def test_with_pseudonyms_other_promises_are_kept_too(key: Path, tmp_path: Path) -> None:
    table = [{"who": f"p{at // 2}", "age": 30 + at % 4, "disease": "ab"[at // 2 % 2]} for at in range(16)]
    roles = ic.Schema({"age": ic.intervals(2, 4)}, ["disease"], entity="who")
    model = "k>=2, nt(n=4, t=0.6)[disease]"
    release = ic.anonymize(table, roles, model=model, algorithm=ic.Optimal(), pseudonyms={"who": key})
    release.save(tmp_path / "out", format="csv")
    assert ic.verify(tmp_path / "out").outcome != "does not hold"


HOMES = [("a", 31), ("a", 34), ("b", 31), ("b", 34), ("c", 31), ("d", 34)]
ONE_MORE = [*HOMES, ("b", 71)]


def homes(rows: Any, **more: Any) -> list[dict[str, Any]]:
    return [{"home": home, "age": age, **more} for home, age in rows]


def test_a_release_without_households_in_part_is_applied_like_that(tmp_path: Path) -> None:
    roles = ic.Schema({"age": ic.flat()}, entity="home")
    same: dict[str, Any] = {"model": "k>=2", "suppression": "entity", "at_most": {"age": 0}}
    release = ic.anonymize(homes([*HOMES, ("e", 71), ("f", 71)]), roles, algorithm=ic.Optimal(), **same)
    release.save(tmp_path / "out")
    for known in release, tmp_path / "out/owner":
        again = ic.apply(known, homes(ONE_MORE), max_suppressed=0.5)
        assert (again.recipe.suppression, len(again.table)) == ("entity", 4)
    ic.save_recoding(ic.load_recoding(tmp_path / "out/owner"), tmp_path)
    assert ic.load_recoding(tmp_path).whole_people


def test_rows_that_stand_for_several_records_go_with_their_people() -> None:
    roles = ic.Schema({"age": ic.flat()}, entity="home", count="n")
    same: dict[str, Any] = {"model": "k>=2", "suppression": "entity", "at_most": {"age": 0}, "max_suppressed": 0.5}
    release = ic.anonymize(homes(ONE_MORE, n=2), roles, algorithm=ic.Optimal(), **same)
    assert sum(row["n"] for row in release.table) == 8


def test_nobody_is_published_in_part_for_what_is_missing() -> None:
    roles = ic.Schema({"age": ic.flat()}, entity="home", missing="drop")
    both: list[dict[str, Any]] = [{"model": "k>=2", "suppression": "entity"}, {"model": "k>=2[any 2 rows]"}]
    for asked in both:
        with pytest.raises(ic.ParameterError, match="1 rows were left out for what is missing"):
            ic.anonymize(homes([*HOMES, ("c", None)]), roles, **asked)


@pytest.mark.parametrize(
    ("promise", "said"), [("k>=2[any 2 rows]", False), ("k>=2[any 1 row]", True), ("k>=2[ward, any 2 rows]", True)]
)
def test_what_several_rows_tell_is_a_limit_unless_all_of_it_is_promised(
    promise: str, said: bool, tmp_path: Path
) -> None:
    saved(tmp_path / "out", promise, None)
    certificate = json.loads((tmp_path / "out/public/release.json").read_text())
    assert any("several rows" in limit for limit in certificate["limits"]) == said
    assert ("'ward' alone" in certificate["promises"][0]["limits"]) == ("ward" in promise)


@pytest.mark.parametrize("known", [[], ["ward", "ward"], ["who"]])
def test_columns_that_nobody_can_know_are_found_by_both(
    known: list[str], key: Path, tmp_path: Path, capsys: Capsys
) -> None:
    saved(tmp_path / "out", "k>=2[ward, any 2 rows]", key)

    def change(certificate: Any) -> None:
        text = f"k>=2[{', '.join([*known, 'any 2 rows'])}]"
        certificate["promise"] = certificate["promises"][0]["promise"] = text
        certificate["promises"][0]["known"] = known

    rewrite(tmp_path / "out", change)
    assert (ic.verify(tmp_path / "out").outcome, run_script(tmp_path / "out", capsys)[0]) == ("does not hold", 1)


def test_no_claim_keeps_the_script_busy_for_ever(key: Path, tmp_path: Path, capsys: Capsys) -> None:
    saved(tmp_path / "out", "k>=2[any 9 rows]", key)
    rewrite(tmp_path / "out", claim(2**63 - 1))
    assert (ic.verify(tmp_path / "out").outcome, run_script(tmp_path / "out", capsys)[0]) == ("holds", 0)


def test_what_leaves_people_out_is_applied_and_attacked_by_its_levels(tmp_path: Path) -> None:
    release = saved(tmp_path / "out", "k>=2[any 2 rows]", None)
    assert release.recipe.suppressed > 0
    for known in release, tmp_path / "out/owner":
        again = ic.apply(known, VISITS, max_suppressed=0.6)
        assert again.verdict == release.verdict
        assert again.table == release.table
    found = ic.attack(release, original=VISITS)
    assert not {"downcoding", "narrowest group"} & {one.name for one in found}


def test_levels_are_known_where_people_were_left_out() -> None:
    release = ic.anonymize(VISITS, SCHEMA, model="k>=2[any 2 rows]", max_suppressed=0.6)
    assert release.recoding.levels is None
    assert release.recoding.node == release.recipe.levels
    assert {one.state for one in ic.release.lattice_of(release)} >= {"chosen"}
