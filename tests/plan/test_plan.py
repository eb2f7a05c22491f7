from __future__ import annotations

import copy
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.plan._sections import searches
from incrowd.plan._toml import places_of
from plan.plans import PATIENTS, SMALL, changed


def test_a_plan_runs_and_gives_a_release(folder: Path) -> None:
    release = ic.Plan.read(folder / "plan.toml").run()
    assert release.recipe.promise == "k>=2, l>=2[disease]"
    assert release.recipe.suppressed <= 3
    assert release.verdict.holds


def test_a_plan_says_what_anonymize_is_told(folder: Path) -> None:
    plan = ic.Plan.read(folder / "plan.toml")
    roles = ic.Schema(
        quasi={"age": ic.intervals(10, 20), "sex": ic.flat()}, sensitive=["disease"], identifiers=["name"]
    )
    assert plan.schema() == roles
    assert plan.model() == ic.KAnonymity(2) & ic.LDiversity(2, of="disease")
    assert plan.algorithm() is None
    direct = ic.anonymize(folder / "patients.csv", roles, model="k>=2, l>=2[disease]", max_suppressed=0.5)
    assert plan.run().table == direct.table


def test_a_silent_plan_leaves_nobody_out_as_a_silent_call_does(folder: Path) -> None:
    plan = ic.Plan.read(changed(folder, "max_suppressed = 0.5\n", ""))
    assert plan.privacy.max_suppressed is None
    direct = ic.anonymize(folder / "patients.csv", plan.schema(), model="k>=2, l>=2[disease]")
    assert plan.run().table == direct.table
    assert plan.run().recipe.max_suppressed_records == direct.recipe.max_suppressed_records == 0
    assert all(node is None or node.suppressed == 0 for node in plan.frontier().nodes)


def test_what_a_suggested_plan_lets_be_left_out_stands_in_it(folder: Path) -> None:
    ic.suggest(folder / "patients.csv").write(folder / "suggested.toml", "patients.csv")
    lines = (folder / "suggested.toml").read_text(encoding="utf-8").splitlines()
    assert "max_suppressed = 0.05" in lines
    assert any("Without this line nobody may be (0), as in Python." in line for line in lines)


def test_limits_of_columns_are_passed_on(folder: Path) -> None:
    path = changed(folder, "hierarchy = { intervals = [10, 20] }", 'hierarchy = "auto"\nat_least = 1\nimportance = 2')
    release = ic.Plan.read(path).run()
    level = release.columns["age"].level
    assert level is not None
    assert level >= 1


def test_a_plan_says_how_its_table_is_read(folder: Path) -> None:
    (folder / "latin.csv").write_bytes(PATIENTS.replace(",", "|").replace("Bob", "Bäb").encode("latin-1"))
    path = changed(folder, '"patients.csv"', '"latin.csv"\nencoding = "latin-1"\nseparator = "|"')
    plan = ic.Plan.read(path)
    assert plan.reading() == {"encoding": "latin-1", "separator": "|"}
    assert plan.run().table == ic.Plan.read(folder / "plan.toml").run().table


def test_what_is_dropped_is_not_published(folder: Path) -> None:
    path = changed(folder, 'role = "quasi"\nhierarchy = "flat"', 'role = "drop"')
    assert ic.Plan.read(path).run().table.column_names == ["age", "disease"]


def test_every_role_and_every_way_to_read_a_table() -> None:
    plan = ic.Plan.of(
        {
            "version": 1,
            "data": {"path": "a.csv", "missing": ["", "NA"], "missing_policy": "drop", "entity": "who", "count": "n"},
            "columns": {
                "who": {"role": "identifier"},
                "age": {"role": "quasi"},
                "ward": {"role": "insensitive"},
                "note": {"role": "drop"},
                "disease": {"role": "sensitive", "categories": {"severe": ["hiv"], "mild": ["flu"]}},
            },
            "privacy": {"promise": "k>=2"},
        }
    )
    schema = plan.schema()
    assert schema.identifiers == ("who", "note")
    assert (schema.insensitive, schema.entity, schema.count) == (("ward",), "who", "n")
    assert (schema.missing, schema.missing_values) == ("drop", ("", "NA"))
    assert repr(schema.sensitive) == "(('disease', Categories(2 categories, 2 values)),)"


@pytest.mark.parametrize(
    ("form", "built"),
    [
        ("auto", ic.auto()),
        ("flat", ic.flat()),
        ("mask", ic.mask()),
        ({"flat": True}, ic.flat()),
        ({"intervals": [5, 10], "start": 1, "bottom": 18, "top": 90}, ic.intervals(5, 10, start=1, bottom=18, top=90)),
        ({"intervals": [0.1, 0.5]}, ic.intervals(0.1, 0.5)),
        ({"mask": "left", "keep": 2, "char": "#"}, ic.mask("left", 2, "#")),
        ({"dates": ["month", "year"], "format": "%d.%m.%Y"}, ic.dates("month", "year", format="%d.%m.%Y")),
        ({"top_coded": 90}, ic.top_coded(90)),
        ({"top_coded": [90, 80]}, ic.top_coded(90, 80)),
        ({"bottom_coded": [18]}, ic.bottom_coded(18)),
        ({"frequent": [0.01, 0.05]}, ic.frequent(0.01, 0.05)),
        ({"ordered": True, "levels": [2, 4]}, ic.ordered(None, 2, 4)),
        ({"ordered": ["no", "low", "high"], "levels": [2]}, ic.ordered(["no", "low", "high"], 2)),
        (
            {"ordered": ["no", "low", "high"], "levels": [{"little": ["no", "low"], "much": ["high"]}]},
            ic.ordered(["no", "low", "high"], {"little": ["no", "low"], "much": ["high"]}),
        ),
        ({"tree": {"Europe": ["FR", "DE"], "Asia": ["JP"]}}, ic.tree({"Europe": ["FR", "DE"], "Asia": ["JP"]})),
    ],
)
def test_every_hierarchy_has_a_form(form: Any, built: object) -> None:
    plan = ic.Plan.of(
        {
            "version": 1,
            "data": {"path": "a.csv"},
            "columns": {"q": {"role": "quasi", "hierarchy": form}},
            "privacy": {"promise": "k>=2"},
        }
    )
    assert plan.schema().quasi == (("q", built),)
    assert ic.Plan.of(tomllib.loads(plan.text())) == plan


def test_files_are_found_beside_the_plan(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (folder / "sex.csv").write_text("f;*\nm;*\n")
    path = changed(folder, 'hierarchy = "flat"', 'hierarchy = { tree = "sex.csv" }')
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    plan = ic.Plan.read(path)
    assert plan.run().verdict.holds
    plan.write(elsewhere / "moved.toml")
    moved = ic.Plan.read(elsewhere / "moved.toml")
    assert moved.data.path == "../patients.csv"
    assert moved.run().verdict.holds


@pytest.mark.parametrize(
    ("written", "search"),
    [
        ('algorithm = "incognito"', ic.Incognito()),
        ('algorithm = "optimal"\nmeasure = "entropy"\nseconds = 5', ic.Optimal("entropy", 5)),
        (
            'algorithm = { name = "samarati", every = "minimal" }\nmeasure = "height"',
            ic.Samarati("minimal", measure="height"),
        ),
    ],
)
def test_every_search_has_a_name(folder: Path, written: str, search: object) -> None:
    path = changed(folder, "[privacy]", f"[search]\n{written}\n[privacy]")
    assert ic.Plan.read(path).algorithm() == search


def test_new_searches_are_found_by_themselves() -> None:
    assert {"optimal", "incognito", "samarati"} <= set(searches())


def test_a_plan_from_windows_is_read_too(folder: Path) -> None:
    (folder / "windows.toml").write_bytes(b"\xef\xbb\xbf" + SMALL.replace("\n", "\r\n").encode())
    assert ic.Plan.read(folder / "windows.toml") == ic.Plan.read(folder / "plan.toml")


def test_a_plan_is_never_overwritten_by_accident(folder: Path) -> None:
    plan = ic.Plan.read(folder / "plan.toml")
    with pytest.raises(ic.DataError, match="exists already"):
        plan.write(folder / "plan.toml")
    plan.write(folder / "plan.toml", force=True)
    assert ic.Plan.read(folder / "plan.toml") == plan


def test_the_order_of_columns_and_categories_matters(folder: Path) -> None:
    tables = tomllib.loads(SMALL)
    turned = {**tables, "columns": dict(reversed(tables["columns"].items()))}
    assert ic.Plan.of(tables) == ic.Plan.read(folder / "plan.toml")
    assert hash(ic.Plan.of(tables)) == hash(ic.Plan.read(folder / "plan.toml"))
    assert ic.Plan.of(tables) != ic.Plan.of(turned)
    assert ic.Plan.of(tables) != SMALL


def test_what_is_said_as_by_default_is_the_same_as_nothing(folder: Path) -> None:
    said = changed(folder, "[privacy]", '[output]\nfolder = "out"\n[privacy]')
    assert ic.Plan.read(said) == ic.Plan.read(folder / "plan.toml")
    assert 'folder = "out"' in ic.Plan.read(said).text()


def test_a_plan_may_name_a_table_of_a_database(folder: Path) -> None:
    path = changed(folder, 'path = "patients.csv"', 'table = "patients"\nconnection_env = "INCROWD_NO_SUCH_DB"')
    with pytest.raises(ic.DataError, match=r"environment variable 'INCROWD_NO_SUCH_DB' is not set"):
        ic.Plan.read(path).run()


def test_editors_get_a_schema() -> None:
    schema = ic.Plan.json_schema()
    assert json.loads(json.dumps(schema)) == schema
    assert sorted(schema["required"]) == ["columns", "data", "privacy", "version"]
    assert set(schema["$defs"]["ColumnSection"]["properties"]) >= {"role", "hierarchy", "at_most", "categories"}


def test_a_plan_shows_no_values() -> None:
    tables = tomllib.loads(SMALL)
    tables["columns"]["disease"]["categories"] = {"bad": ["canary"]}
    assert repr(ic.Plan.of(tables)) == "Plan(k>=2, l>=2[disease]: 2 quasi-identifiers, 1 sensitive column)"


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
PATHS = TEXTS.filter(lambda text: "\0" not in text)  # no file's name has it
NUMBERS = st.integers(1, 1000) | st.floats(0.001, 1000)
FORMS = st.one_of(
    st.sampled_from(["auto", "flat", "mask"]),
    st.fixed_dictionaries({"intervals": st.lists(NUMBERS, min_size=1, max_size=1)}, optional={"start": NUMBERS}),
    st.fixed_dictionaries({"mask": st.sampled_from(["right", "left"])}, optional={"keep": st.integers(0, 9)}),
    st.fixed_dictionaries({"dates": st.just(["month", "year"])}, optional={"format": TEXTS}),
    st.fixed_dictionaries({"ordered": st.lists(TEXTS, min_size=1, max_size=4, unique=True)}),
    st.fixed_dictionaries({"top_coded": NUMBERS}),
    st.fixed_dictionaries(
        {"classification": st.sampled_from(["countries", "icd-10"])}, optional={"others": st.just("x")}
    ),
    st.fixed_dictionaries({"postcodes": st.sampled_from(["DE", "GB"])}),
)
QUASI = st.fixed_dictionaries(
    {"role": st.just("quasi")},
    optional={
        "hierarchy": FORMS,
        "at_least": st.integers(0, 2),
        "at_most": st.integers(2, 9),
        "importance": NUMBERS,
        "average": st.sampled_from(["mean", "median"]),
    },
)
SECRETS = st.dictionaries(TEXTS, st.lists(TEXTS, min_size=1, max_size=2), min_size=1, max_size=1)
OTHER = st.one_of(
    st.fixed_dictionaries({"role": st.just("sensitive")}, optional={"categories": SECRETS}),
    st.just({"role": "identifier", "keep": "pseudonym", "key_file": "key"}),
    st.fixed_dictionaries({"role": st.sampled_from(["identifier", "insensitive", "drop"])}),
)


@st.composite
def plans(draw: st.DrawFn) -> dict[str, Any]:
    """Make up the tables of a plan."""
    columns = draw(st.dictionaries(TEXTS, OTHER, max_size=3))
    return {
        "version": 1,
        "data": draw(
            st.fixed_dictionaries(
                {"path": PATHS},
                optional={
                    "missing": st.lists(TEXTS),
                    "sheet": TEXTS | st.integers(-(2**63), 2**63 - 1),
                    "encoding": st.just("latin-1"),
                },
            )
        ),
        "columns": {**columns, draw(TEXTS): draw(QUASI)},
        "privacy": draw(
            st.fixed_dictionaries(
                {"promise": st.sampled_from(["k>=5", ["k>=2", "k>=3"]])}, optional={"max_suppressed": st.floats(0, 1)}
            )
        ),
        "output": draw(st.fixed_dictionaries({}, optional={"folder": PATHS, "force": st.booleans()})),
    }


@settings(max_examples=150)
@given(plans())
def test_a_plan_that_was_written_reads_back_equal(tmp_path_factory: pytest.TempPathFactory, tables: Any) -> None:
    plan = ic.Plan.of(tables)
    path = tmp_path_factory.mktemp("plan") / "plan.toml"
    plan.write(path)
    back = ic.Plan.read(path)
    assert back == plan
    assert back.to_dict() == plan.to_dict()
    assert back.text() == plan.text()


ANYTHING: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.dates(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=300)
@given(st.data(), plans())
def test_whatever_stands_in_a_plan_it_is_read_or_refused(data: st.DataObject, tables: Any) -> None:
    path = data.draw(st.sampled_from(sorted(all_paths(tables) - {()}, key=repr)))
    inner = tables = copy.deepcopy(tables)
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = data.draw(ANYTHING)
    try:
        ic.Plan.of(tables)
    except ic.PlanError as error:
        assert error.problems  # noqa: PT017 - both are fine


def all_paths(tables: Any, path: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    items = tables.items() if isinstance(tables, dict) else enumerate(tables) if isinstance(tables, list) else ()
    return {path} | {inner for key, value in items for inner in all_paths(value, (*path, key))}


@settings(max_examples=150)
@given(plans())
def test_every_key_of_a_file_has_a_place(tables: Any) -> None:
    text = ic.Plan.of(tables).text()
    places = places_of(text)
    wanted = all_paths(tomllib.loads(text)) - {(), ("columns",)}
    assert wanted - set(places) == set()
    assert all(place.text == text.split("\n")[place.line - 1] for place in places.values())


def test_keys_are_found_in_all_ways_that_toml_writes_them() -> None:
    text = (
        'a.b = 1 # c = 2\n[t."x.y"]\nd = """one\nz = 1\n"""\ne = [\n  1, # no = 1\n  { f = [true, \'#\'] },\n]\n'
        "g = 1979-05-27T07:32:00.5\n[[u]]\nh = 1\n"
    )
    places = places_of(text)
    assert {".".join(map(str, path)): place.line for path, place in places.items()} == {
        "a": 1, "a.b": 1, "t.x.y": 2, "t.x.y.d": 3, "t.x.y.e": 6, "t.x.y.e.0": 7, "t.x.y.e.1": 8, "t.x.y.e.1.f": 8,
        "t.x.y.e.1.f.0": 8, "t.x.y.e.1.f.1": 8, "t.x.y.g": 10, "u": 11, "u.h": 12,
    }  # fmt: skip


def test_days_in_a_tree_are_written_as_they_were_read(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("day,seen\n2020-01-01,10:00\n2020-02-01,11:00\n", encoding="utf-8")
    days = 'hierarchy = { tree = { "*" = { jan = [2020-01-01], feb = [2020-02-01T10:00:00Z] } } }'
    plan = f'version = 1\n[data]\npath = "t.csv"\n[columns.day]\nrole = "quasi"\n{days}\n'
    (tmp_path / "plan.toml").write_text(f'{plan}[privacy]\npromise = ["k>=1"]\n', encoding="utf-8")
    read = ic.Plan.read(tmp_path / "plan.toml")
    (tmp_path / "again.toml").write_text(read.text(), encoding="utf-8")
    again = ic.Plan.read(tmp_path / "again.toml")
    assert again.columns == read.columns


def test_the_plan_that_is_kept_with_a_release_means_the_same_files_from_there(folder: Path) -> None:
    plan = ic.Plan.read(folder / "plan.toml")
    plan.run(write=True)
    place = plan.path(plan.output.folder)
    kept = ic.Plan.read(place / "owner" / "plan.toml")
    assert kept.path(str(kept.data.path)).resolve() == plan.path(str(plan.data.path)).resolve()
    before = (place / "public" / "data.csv").read_bytes()
    kept.run(write=True, force=True)
    assert (place / "public" / "data.csv").read_bytes() == before


@pytest.mark.filterwarnings("ignore::incrowd.PrivacyWarning")
def test_a_plan_shifts_dates_by_a_key_beside_it(tmp_path: Path) -> None:
    rows = [f"p{number % 4},{number % 2},2025-0{number + 1}-01" for number in range(8)]
    (tmp_path / "stays.csv").write_text("\n".join(["person,age,came", *rows]), encoding="utf-8")
    (tmp_path / "dates.key").write_bytes(bytes(range(32)))
    plan = ic.Plan.of(
        {
            "version": 1,
            "data": {"path": "stays.csv", "entity": "person"},
            "columns": {"age": {"role": "quasi"}, "came": {"role": "shifted"}},
            "shift": {"within": 30, "weekdays": True, "key_file": "dates.key"},
            "privacy": {"promise": "k>=2"},
        },
        folder=tmp_path,
    )
    assert plan.schema().shifted == ic.ShiftedDates(["came"], within=30, weekdays=True)
    direct = ic.anonymize(tmp_path / "stays.csv", plan.schema(), model="k>=2", shift_key=tmp_path / "dates.key")
    plan.write(tmp_path / "plan.toml")
    (tmp_path / "deep").mkdir()
    ic.Plan.read(tmp_path / "plan.toml").write(tmp_path / "deep/plan.toml")
    assert 'key_file = "../dates.key"' in (tmp_path / "deep/plan.toml").read_text(encoding="utf-8")
    assert "[shift]  # how far dates with the role shifted are shifted" in (tmp_path / "plan.toml").read_text(
        encoding="utf-8"
    )
    for read in (plan, ic.Plan.read(tmp_path / "plan.toml"), ic.Plan.read(tmp_path / "deep/plan.toml")):
        assert read.run().table == direct.table
    assert ic.Plan.read(tmp_path / "plan.toml") == plan
