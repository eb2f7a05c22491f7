from __future__ import annotations

import json
import subprocess
import sys
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import incrowd as ic
from incrowd.engines import Stamp, write_table
from incrowd.models import promise as read
from incrowd.plan._sections import parameters_of, searches
from incrowd.release import read_certificate
from incrowd.release._verify_script import SEARCH, SEARCHES
from release.verified import (
    ORDER,
    PEOPLE,
    PROMISES,
    QUASI,
    release_of,
    rewrite,
    run_script,
    schema,
    script,
)

ABOUT_THE_ORIGINAL = {"t<=0.6[cost, ordered]", "nt(n=6, t=0.6)[cost, drop, ordered]", "beta<=3"}
"""Promises that these releases, each without a record, do not show by themselves."""


@pytest.mark.parametrize(("promise", "format_"), list(zip(PROMISES, cycle(["csv", "parquet"]), strict=False)))
@pytest.mark.filterwarnings("ignore:AlphaAssociation lists", "ignore:.* compares with the original table")
def test_library_and_script_find_every_kind_of_release_as_certified(
    promise: str, format_: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release_of(promise).save(tmp_path / "out", format=format_)
    about_original = promise in ABOUT_THE_ORIGINAL
    found = ic.verify(tmp_path / "out/public/release.json", owner=tmp_path / "out/owner")
    assert (found.differences, found.outcome) == ((), "could not be checked" if about_original else "holds")
    code, said = run_script(tmp_path / "out", capsys)
    assert (code, "DIFFERS" in said) == (4 if about_original else 0, False), said
    state = "not checked" if about_original else "as certified"
    measured = [line for line in said.splitlines() if line.startswith(f"{state:<14}{read(promise)}")]
    assert len(measured) == 1
    assert ic.verify(tmp_path / "out", original=PEOPLE).outcome == "holds"  # with the original, everything is measured


rows = st.fixed_dictionaries(
    {
        "name": st.just("N"),
        "age": st.integers(30, 60),
        "sex": st.sampled_from("fm"),
        "disease": st.sampled_from("abcdef"),
        "cost": st.integers(0, 9),
        "ward": st.integers(0, 2),
    }
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table=st.lists(rows, min_size=6, max_size=30),
    promise=st.sampled_from(sorted(PROMISES)),
    csv=st.booleans(),
    algorithm=st.sampled_from([ic.Optimal(), None]),
)
@pytest.mark.filterwarnings("ignore:AlphaAssociation lists", "ignore:.* compares with the original table")
def test_two_programs_that_share_no_code_measure_the_same(
    table: list[Any],
    promise: str,
    csv: bool,
    algorithm: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    try:
        release = release_of(promise, table, algorithm=algorithm)
    except ic.NoSafeRelease:
        return
    release.save(tmp_path / "out", format="csv" if csv else "parquet", force=True)
    found = ic.verify(tmp_path / "out/public/release.json", owner=tmp_path / "out/owner")
    assert found.differences == ()
    code, said = run_script(tmp_path / "out", capsys)
    assert code == {"holds": 0, "could not be checked": 4}[found.outcome], said
    assert ic.verify(tmp_path / "out", original=table).outcome == "holds"


def test_the_script_runs_alone_as_a_process_and_says_what_it_saw(tmp_path: Path) -> None:
    release_of("k>=2").save(tmp_path / "out", format="csv")
    code, said = script(tmp_path / "out")
    assert code == 0
    assert said == (
        "as certified  hash of the data file\n"
        "as certified  names of the columns\n"
        "as certified  rows: 11\n"
        "as certified  records: 11\n"
        "as certified  classes: 3\n"
        "as certified  discernibility: 53\n"
        "as certified  average group size (AECS): 3.0\n"
        "as certified  height: 1\n"
        "as certified  k>=2: k 3\n"
        "on trust      date, versions, limits, what the columns are and mean, how many records were left out, "
        "the search\n"
        "HOLDS: every promise was measured again, and nothing differs.\n"
    )


def test_the_script_needs_neither_incrowd_nor_anything_else_for_csv(tmp_path: Path) -> None:
    release_of("t<=0.6[hierarchical]").save(tmp_path / "out", format="csv")
    command = [sys.executable, "-I", "-S", str(tmp_path / "out/public/verify.py")]  # the standard library alone
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_a_changed_cell_and_a_removed_row_are_caught(
    format_: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import pandas as pd  # noqa: PLC0415

    release = release_of("l>=2")
    for number, change in enumerate((_remove_row, _change_cell, _new_value)):
        folder = tmp_path / f"out{number}"
        release.save(folder, format=format_)
        data = folder / "public" / f"data.{format_}"
        frame = pd.read_csv(data) if format_ == "csv" else pd.read_parquet(data)
        frame = change(frame)
        frame.to_csv(data, index=False) if format_ == "csv" else frame.to_parquet(data)
        found = ic.verify(folder / "public/release.json")
        assert not found.holds
        assert "hash of the data file" in found.differences
        assert len(found.differences) > 1  # the hash is not all
        assert run_script(folder, capsys)[0] == 1
        _forge_hash(folder, data)
        assert not ic.verify(folder / "public/release.json").holds
        assert run_script(folder, capsys)[0] == 1


@pytest.mark.parametrize("part", ["data", "original"])
def test_there_is_no_verdict_on_a_file_that_changes_meanwhile(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, out = tmp_path / "people.csv", tmp_path / "out"
    write_table(PEOPLE, table)
    ic.anonymize(table, schema(None), model="k>=2", max_suppressed=0.2, output=out, format="csv")
    path = tmp_path / {"data": "out/public/data.csv", "original": "people.csv"}[part]
    hashed = Stamp.digest

    def change(stamp: Stamp) -> str:
        digest = hashed(stamp)
        if stamp.found.files == (path,):
            path.write_bytes(path.read_bytes())
        return digest

    monkeypatch.setattr(Stamp, "digest", change)
    with pytest.raises(ic.DataError, match=f"The file '{path.name}' changed while it was being read"):
        ic.verify(out, original=table)


def _remove_row(frame: Any) -> Any:
    return frame.iloc[1:]


def _change_cell(frame: Any) -> Any:
    frame.loc[frame.index[:4], "disease"] = "f"
    return frame


def _new_value(frame: Any) -> Any:
    frame.loc[frame.index[0], "sex"] = "x"
    return frame


def _forge_hash(folder: Path, data: Path) -> None:
    import hashlib  # noqa: PLC0415

    def forge(certificate: Any) -> None:
        certificate["data"] |= {
            "sha256": hashlib.sha256(data.read_bytes()).hexdigest(),
            "bytes": data.stat().st_size,
        }

    rewrite(folder, forge)


def test_a_promise_that_was_edited_together_with_its_number_is_caught(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release_of("k>=2").save(tmp_path / "out", format="csv")

    def raise_k(certificate: Any) -> None:
        certificate["promise"] = certificate["promises"][0]["promise"] = "k>=9"
        certificate["promises"][0]["required"][0]["bound"] = "9"

    rewrite(tmp_path / "out", raise_k)
    found = ic.verify(tmp_path / "out/public/release.json")
    assert "k>=9: the promise does not hold" in found.differences
    code, said = run_script(tmp_path / "out", capsys)
    assert code == 1
    assert "DIFFERS       k>=9: the promise does not hold\n" in said


def test_a_promise_that_was_taken_out_of_the_list_is_missed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ic.anonymize(PEOPLE, schema(None), model="k>=2, l>=2", max_suppressed=0.5).save(tmp_path / "out")
    assert run_script(tmp_path / "out", capsys)[0] == 0
    rewrite(tmp_path / "out", lambda certificate: certificate["promises"].pop())
    assert "promises: certified 1, found 2" in ic.verify(tmp_path / "out/public/release.json").differences
    code, said = run_script(tmp_path / "out", capsys)
    assert code == 1
    assert "DIFFERS       promises: they are not those that the certificate names\n" in said


def test_a_promise_that_is_measured_as_a_weaker_one_is_caught(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release_of("l>=2").save(tmp_path / "out", format="csv")
    weaker = {"kind": "k", "columns": [], "measured": ["3"]}
    rewrite(tmp_path / "out", lambda certificate: certificate["promises"][0].update(weaker))
    assert not ic.verify(tmp_path / "out/public/release.json").holds
    code, said = run_script(tmp_path / "out", capsys)
    assert code == 1
    assert "DIFFERS       promises: what is measured is not what is promised\n" in said


def test_promises_about_several_columns_are_named_once_in_the_certificate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roles = ic.Schema(QUASI, ["disease", "cost"], identifiers=["name"], insensitive=["ward"])
    promise = "k>=2, l>=2[disease, cost], l>=2[disease + cost], alpha<=0.9[disease: a], alpha<=0.9[disease]"
    ic.anonymize(PEOPLE, roles, model=promise, max_suppressed=0.5).save(tmp_path / "out")
    code, said = run_script(tmp_path / "out", capsys)
    assert (code, said.count("as certified  l>=2")) == (0, 3), said


def test_with_many_columns_the_whole_table_is_the_superset_that_the_file_shows(tmp_path: Path) -> None:
    table = [{**{f"q{n}": n for n in range(9)}, "disease": "ab"[row % 2]} for row in range(4)]
    schema = ic.Schema({f"q{n}": ic.flat() for n in range(9)}, ["disease"])
    ic.anonymize(table, schema, model="nt(n=4, t=0.5)").save(tmp_path / "out")
    certificate = json.loads((tmp_path / "out/public/release.json").read_text())
    assert certificate["promises"][0]["supersets"] == "table"
    assert ic.verify(tmp_path / "out/public/release.json").holds


def test_a_promise_about_the_original_table_is_said_not_to_be_in_the_file(tmp_path: Path) -> None:
    release = ic.anonymize(PEOPLE, schema(ORDER), model="k>=2, t<=0.25[ordered]", max_suppressed=0.1)
    release.save(tmp_path / "out")
    found = ic.verify(tmp_path / "out/public/release.json")
    assert (found.outcome, found.holds) == ("could not be checked", False)
    said = "t 0.133333 in this file alone; the promise is about the original table, which only its owner has"
    assert found.not_checked == (f"t<=0.25[ordered] disease: {said}",)


def test_the_file_shows_how_far_the_original_table_can_be_whoever_was_left_out(tmp_path: Path) -> None:
    best = ic.Optimal()
    release = ic.anonymize(PEOPLE, schema(ORDER), model="k>=2, t<=0.6[ordered]", algorithm=best, max_suppressed=0.1)
    release.save(tmp_path / "out")
    found = ic.verify(tmp_path / "out/public/release.json")
    assert (found.differences, found.not_checked) == ((), ())
    said = "t<=0.6[ordered] disease: at most 0.287037 from the original table, whoever was left out"
    assert said in found.checked
    rewrite(tmp_path / "out", lambda certificate: certificate["promises"][1].update(input_at_most="1/5"))
    found = ic.verify(tmp_path / "out/public/release.json")
    wrong = "t<=0.6[ordered] disease: how far the original table can be is not what follows from the file"
    assert found.differences == (wrong,)


def test_supersets_of_the_lattice_are_known_to_the_owner_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = [{"age": age, "disease": "ab"[age > 49]} for age in (31, 41, 51, 61) for _ in range(4)]
    schema = ic.Schema({"age": ic.intervals(10, 20, start=30)}, ["disease"])
    release = ic.anonymize(table, schema, model="nt(n=8, t=0.1)")
    assert release.recipe.levels == {"age": 0}  # [30, 50) has the same disease as 31 and 41
    release.save(tmp_path / "out")
    found = ic.verify(tmp_path / "out/public/release.json")
    assert found.differences == ()
    (why,) = found.not_checked
    said = "t 0.5 in this file alone; the promise is about larger groups that only its owner knows"
    assert why == f"nt(n=8, t=0.1) disease: {said}"
    assert run_script(tmp_path / "out", capsys)[0] == 4
    assert "nt(n=8, t=0.1) disease: t 0, with the original table" in ic.verify(tmp_path / "out", original=table).checked


def test_people_are_counted_where_only_the_owner_knows_whose_row_is_whose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = [{"who": who, "age": age, "disease": "a" if who < "d" else "b"} for who in "abcdef" for age in (31, 32, 35)]
    roles = ic.Schema({"age": ic.intervals(10)}, ["disease"], entity="who")
    ic.anonymize(table, roles, model="k>=3, l>=2, alpha<=0.99").save(tmp_path / "out")
    found = ic.verify(tmp_path / "out/public/release.json", owner=tmp_path / "out/owner")
    assert found.differences == ()
    assert found.outcome == "could not be checked"
    people = "k>=3: 6 people certified, 6 records found; the file does not say whose row is whose"
    assert found.not_checked == (
        people,
        "alpha<=0.99 disease: it counts people, and the file does not say whose row is whose",
    )
    code, said = run_script(tmp_path / "out", capsys)
    assert code == 4
    assert f"not checked   {people}\n" in said
    found = ic.verify(tmp_path / "out", original=table)
    assert found.outcome == "holds"
    assert {"k>=3: k 6, with the original table", "original: persons: 6"} < {*found.checked}
    rewrite(tmp_path / "out", lambda certificate: certificate["promises"][0].update(measured=["19"]))
    assert not ic.verify(tmp_path / "out/public/release.json").holds
    assert run_script(tmp_path / "out", capsys)[0] == 1


def test_counted_rows_weigh_what_they_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = [
        {"age": 31, "disease": "a", "n": 3},
        {"age": 32, "disease": "b", "n": 1},
        {"age": 41, "disease": "b", "n": 4},
    ]
    roles = ic.Schema({"age": ic.intervals(10)}, ["disease"], count="n")
    ic.anonymize(table, roles, model="k>=4, t<=0.5", at_most={"age": 1}).save(tmp_path / "out")
    found = ic.verify(tmp_path / "out/public/release.json")
    assert found.differences == ()
    assert {"rows: 3", "records: 8", "k>=4: k 4", "t<=0.5 disease: t 0.375"} < set(found.checked)
    assert run_script(tmp_path / "out", capsys)[0] == 0


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_missing_values_and_awkward_texts_survive(
    format_: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    awkward = [None, 'a "quoted", one', "line\nbreak", " space ", "ä", "007", "=1+1"]
    table = [{"zip": text, "disease": disease} for text in awkward for disease in (None, "x,y")]
    roles = ic.Schema({"zip": ic.flat()}, {"disease": ic.categories({"s": ["x,y"], "h": [""]})})
    release = ic.anonymize(table, roles, algorithm=ic.Optimal(), model="k>=2, enhanced(p=2, alpha=1)[missing]")
    assert release.recipe.levels == {"zip": 0}
    release.save(tmp_path / "out", format=format_)
    assert ic.verify(tmp_path / "out/public/release.json", owner=tmp_path / "out/owner").differences == ()
    assert run_script(tmp_path / "out", capsys)[0] == 0


@pytest.mark.parametrize(
    ("promise", "measured"),
    [
        ("l>=2[disease]", ["2"]),
        ("l>=3[disease, missing]", ["3"]),
        ("probabilistic-l>=1.5", ["2"]),
        ("probabilistic-l>=1.5[missing]", ["3"]),
        ("entropy-l>=2", ["2.0"]),
        ("recursive(c=2, l=2)", ["2", "1"]),
        ("p>=2", ["2"]),
    ],
)
def test_missing_values_are_certified_as_no_diversity_unless_asked_for(
    promise: str, measured: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = [{"age": age, "disease": disease} for age in (1, 2) for disease in ("flu", "hiv", None)]
    ic.anonymize(table, ic.Schema({"age": ic.flat()}, ["disease"]), model=promise).save(tmp_path / "out")
    certificate = json.loads((tmp_path / "out/public/release.json").read_text(encoding="utf-8"))
    (entry,) = certificate["promises"]
    assert (entry["measured"], entry.get("missing")) == (measured, True if "missing" in promise else None)
    assert ic.verify(tmp_path / "out/public/release.json").differences == ()
    assert run_script(tmp_path / "out", capsys)[0] == 0


def test_numbers_and_dates_as_sensitive_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import datetime as dt  # noqa: PLC0415

    days = [dt.date(2024, 1, 31), dt.date(2024, 12, 1), dt.date(2023, 5, 5)]
    table = [
        {"age": 30 + n % 2, "cost": cost, "day": days[n % 3], "grade": float(n % 3)}
        for n, cost in enumerate([1.5, 2.0, 10.25, 2.0, 1.5, 10.25, 3.0, 1.0])
    ]
    roles = ic.Schema({"age": ic.flat()}, {"cost": None, "day": None, "grade": ic.categories({"s": [0], "h": [1, 2]})})
    promise = "t<=0.9[cost, ordered], t<=0.9[day, ordered], enhanced(p=2, alpha=1)[grade], alpha<=0.9[grade: 0]"
    formats: list[Any] = ["csv", "parquet"]
    for format_ in formats:
        ic.anonymize(table, roles, model=promise).save(tmp_path / format_, format=format_)
        assert ic.verify(tmp_path / format_ / "public/release.json").differences == ()
        assert run_script(tmp_path / format_, capsys)[0] == 0


def test_the_owner_can_see_that_a_release_was_made_by_this_recipe(tmp_path: Path) -> None:
    import pandas as pd  # noqa: PLC0415

    original = tmp_path / "people.csv"
    pd.DataFrame(PEOPLE).to_csv(original, index=False)
    release_of("k>=2", original).save(tmp_path / "out")
    path, owner = tmp_path / "out/public/release.json", tmp_path / "out/owner"
    found = ic.verify(path, owner=owner, original=original)
    assert found.differences == ()
    assert "original: hash of the file" in found.checked
    original.write_text(original.read_text() + "\n")
    assert ic.verify(path, owner=owner, original=original).differences == ("original: hash of the file",)
    release_of("k>=2", at_least={"age": 2}).save(tmp_path / "other")
    found = ic.verify(path, owner=tmp_path / "other/owner")
    assert {"recipe: levels", "recoding: levels", "recoding: published labels"} <= set(found.differences)
    (tmp_path / "out/owner").rename(tmp_path / "kept")
    with pytest.raises(ic.DataError, match="known to its owner only: the folder owner is not beside public"):
        ic.verify(path, original=original)
    assert ic.verify(path, owner=tmp_path / "kept", original=original).differences == ("original: hash of the file",)


def starred(folder: Path, **more: Any) -> ic.Release:
    asked: dict[str, Any] = {"model": "k>=3", "algorithm": ic.LevelsAndCells(), **more}
    release = ic.anonymize(PEOPLE, schema(None), at_least={"age": 1}, at_most={"age": 1}, **asked)
    release.save(folder, format="csv")
    return release


def test_the_levels_and_the_starred_cells_of_each_column_are_certified_and_counted_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = starred(tmp_path / "out")
    assert release.recipe.levels == {"age": 1, "sex": 0}
    certificate = read_certificate(tmp_path / "out/public/release.json")
    rows: Any = release.table
    stars = {name: sum(row[name] == "*" for row in rows) for name in ("age", "sex")}
    assert sum(stars.values()) > 0
    told = {one["name"]: (one["level"], one["starred"]) for one in certificate["columns"] if "starred" in one}
    assert told == {"age": (1, stars["age"]), "sex": (0, stars["sex"])}
    assert certificate["search"] == {"name": "levels-and-cells", "settings": {"most_stars": 1.0, "together": []}}
    assert [limit for limit in certificate["limits"] if "as precisely as it can" in limit] == []
    assert [limit for limit in certificate["limits"] if "star" in limit] != []
    checked = ic.verify(tmp_path / "out", owner=tmp_path / "out/owner").checked
    assert {f"starred cells of age: {stars['age']}", "recipe: search", "recoding: published labels"} <= set(checked)
    code, said = run_script(tmp_path / "out", capsys)
    assert (code, f"as certified  starred cells of age: {stars['age']}\n" in said) == (0, True)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda c: c["columns"][0].update(starred=c["columns"][0]["starred"] + 1), "starred cells of age: certified"),
        (lambda c: c["columns"][0].pop("starred"), "shape of the certificate: search"),
        (lambda c: c.pop("search"), "shape of the certificate: search"),
        (lambda c: c["search"].update(name="optimal"), "shape of the certificate: search"),
        (lambda c: c["columns"][2].update(starred=0), "shape of the certificate: search"),
        (
            lambda c: (c["measures"].pop("height"), [one.update(level=None) for one in c["columns"]]),
            "shape of the certificate: search",
        ),
    ],
)
def test_levels_and_stars_that_the_search_does_not_give_are_caught(
    change: Any, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    starred(tmp_path / "out")
    rewrite(tmp_path / "out", change)
    found = ic.verify(tmp_path / "out")
    assert (found.outcome, found.differences[0][: len(says)]) == ("does not hold", says)
    code, said = run_script(tmp_path / "out", capsys)
    assert (code, f"DIFFERS       {says}" in said) == (1, True)


def test_a_level_that_the_file_does_not_have_is_caught_by_the_owner(tmp_path: Path) -> None:
    starred(tmp_path / "out")
    owner = tmp_path / "out/owner"

    def raise_level(found: Any) -> None:
        found["columns"][0]["level"] += 1
        found["measures"]["height"] += 1

    rewrite(tmp_path / "out", raise_level)
    differences = ic.verify(tmp_path / "out", owner=owner).differences
    assert differences == ("recipe: levels", "recoding: published labels")


def test_a_certificate_knows_every_search_that_there_is(tmp_path: Path) -> None:
    ours = {name: one.local and name != "levels-and-cells" for name, one in searches().items()}
    assert {name: not local for name, local in ours.items()} == {
        name: levels for name, levels in SEARCHES.items() if name not in {"apply", "other"}
    }
    assert {f"{one}?" for name in ours for one in parameters_of(name)} == {*SEARCH["settings"], "outliers?"}

    class Own(ic.Optimal):
        pass

    secret = ic.anonymize(PEOPLE, schema(None), model="k>=2", algorithm=Own(), max_suppressed=0.5)
    secret.save(tmp_path / "own", format="csv")
    outliers = ic.anonymize(PEOPLE, schema(None), model="k>=2", algorithm=ic.Datafly(outliers=3), max_suppressed=0.5)
    outliers.save(tmp_path / "outliers", format="csv")
    told = [read_certificate(tmp_path / name / "public/release.json")["search"] for name in ("own", "outliers")]
    assert told == [{"name": "other", "settings": {}}, {"name": "datafly", "settings": {"improved": True}}]
    assert ic.verify(tmp_path / "outliers", owner=tmp_path / "outliers/owner").outcome == "holds"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "does not exist"),
        ("{", "cannot be read"),
        ("[]", "is no certificate"),
        ('{"schema": 2}', "is no certificate"),
        ('{"schema": 1, "schema": 1}', "says something twice"),
        ('{"schema": 1, "measures": {"aecs": 1, "aecs": 1}}', "says something twice"),
        ('{"schema": 1, "suppressed": Infinity}', "cannot be read"),
        ('{"schema": 1, "records": NaN}', "cannot be read"),
        ("[" * 100_000, "cannot be read"),
    ],
)
def test_what_is_no_certificate_is_refused(
    text: str | None, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release_of("k>=2").save(tmp_path / "out", format="csv")
    (tmp_path / "out/public/release.json").unlink()
    if text is not None:
        (tmp_path / "out/public/release.json").write_text(text)
    with pytest.raises(ic.DataError, match=f"The certificate 'release.json' {problem}"):
        ic.verify(tmp_path / "out/public/release.json")
    code, said = run_script(tmp_path / "out", capsys)
    assert (code, said.partition(" (")[0].partition(":")[0].rstrip(".\n")) == (2, "cannot read the certificate")


WRONG = {
    "records": lambda c: c.pop("records"),
    "classes": lambda c: c.pop("classes"),
    "suppressed": lambda c: c.update(suppressed=-1),
    "masked": lambda c: c.update(masked=0.5),
    "dropped": lambda c: c.update(dropped=True),
    "measures: aecs": lambda c: c["measures"].update(aecs=1e999),
    "date": lambda c: c.update(date="2026-13-45"),
    "versions: python": lambda c: c["versions"].update(python=3.11),
    "data: name": lambda c: c["data"].update(name="../out/data.csv"),
    "data: sha256": lambda c: c["data"].update(sha256=c["data"]["sha256"].upper()),
    "columns: role": lambda c: c["columns"][0].update(role="nobody"),
    "columns: meaning": lambda c: c["columns"][2].update(taxonomy=[[]]),
    "promises: required: bound": lambda c: c["promises"][0]["required"][0].update(bound=2),
    "search: name": lambda c: c["search"].update(name="magic"),
    "search: settings: measure": lambda c: c["search"]["settings"].update(measure=None),
    "search": lambda c: c["search"].update(name="mondrian"),
    "columns: starred": lambda c: c["columns"][0].update(starred=-1),
    "more": lambda c: c.update(more=1),
}


@pytest.mark.parametrize("place", WRONG)
def test_whoever_reads_a_certificate_refuses_what_no_certificate_has(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release_of("k>=2").save(tmp_path / "out", format="csv")
    path = tmp_path / "out/public/release.json"
    certificate = json.loads(path.read_text())
    WRONG[place](certificate)
    path.write_text(json.dumps(certificate).replace("Infinity", "1e999"))
    found = ic.verify(path)
    assert (found.outcome, found.differences) == ("does not hold", (f"shape of the certificate: {place}",))
    code, said = run_script(tmp_path / "out", capsys)
    assert (code, said.splitlines()[0]) == (1, f"DIFFERS       shape of the certificate: {place}")
    for reads in (read_certificate, ic.risk, ic.attack):
        with pytest.raises(ic.DataError, match=f"'release.json' was edited or damaged: look at {place}"):
            reads(path)


def test_a_certificate_of_which_much_is_wrong_is_refused_by_its_first_part(tmp_path: Path) -> None:
    (tmp_path / "release.json").write_text('{"schema": 1}')
    with pytest.raises(ic.DataError, match=r"look at classes and \d+ more\."):
        read_certificate(tmp_path / "release.json")


def test_a_certificate_without_its_data_file_cannot_be_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release_of("k>=2").save(tmp_path / "out")
    (tmp_path / "out/public/data.parquet").unlink()
    with pytest.raises(ic.DataError, match="is not beside the certificate"):
        ic.verify(tmp_path / "out/public/release.json")
    code, said = run_script(tmp_path / "out", capsys)
    assert (code, said) == (2, "cannot read the data file (FileNotFoundError).\n")


def test_a_verification_is_neither_true_nor_false(tmp_path: Path) -> None:
    release_of("k>=2").save(tmp_path / "out")
    with pytest.raises(TypeError, match=r"ask verification\.outcome, or verification\.holds"):
        bool(ic.verify(tmp_path / "out/public/release.json"))


def test_the_script_reads_parquet_with_duckdb_where_there_is_no_pyarrow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    release_of("t<=0.6[ordered]").save(tmp_path / "out")
    monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)
    assert run_script(tmp_path / "out", capsys)[0] == 0


NEEDED = {
    "parquet": (["pyarrow", "duckdb"], "pyarrow or duckdb"),
    "arrow": (["pyarrow"], "pyarrow"),
    "xlsx": (["fastexcel"], "fastexcel and pyarrow"),
    "sav": (["pyreadstat"], "pyreadstat"),
    "dta": (["pyreadstat"], "pyreadstat"),
}


@pytest.mark.parametrize("format_", NEEDED)
def test_the_script_says_what_it_needs_before_anything_else(
    format_: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    release_of("k>=2").save(tmp_path / "out", format=format_)
    assert run_script(tmp_path / "out", capsys)[0] == 0
    packages, said = NEEDED[format_]
    for package in packages:
        monkeypatch.setitem(sys.modules, package, None)
    told = f"COULD NOT BE CHECKED: to read data.{format_}, install {said} (python -m pip install ...).\n"
    assert run_script(tmp_path / "out", capsys) == (4, told)


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("data.csv", "It needs nothing but Python."),
        ("data.csv.gz", "It needs nothing but Python."),
        ("data.parquet", "It needs Python and, to read data.parquet, pyarrow or duckdb."),
        ("data.xlsx", "It needs Python and, to read data.xlsx, fastexcel and pyarrow."),
    ],
)
def test_the_report_says_what_the_script_needs(name: str, needs: str) -> None:
    from incrowd.release._about import About  # noqa: PLC0415
    from incrowd.report._report import checking_section  # noqa: PLC0415

    assert needs in checking_section(About({}, file={"name": name})).words[0]


@pytest.mark.parametrize("damage", [{"search": None}, {"search": {"name": "optimal"}}, {"search": [1]}, "levels"])
def test_a_damaged_recipe_differs(damage: Any, tmp_path: Path) -> None:
    table = [{"age": age} for age in (31, 34, 52, 55)]
    ic.anonymize(table, ic.Schema(quasi={"age": ic.intervals(10, 20)}), model="k>=2").save(tmp_path / "out")
    path = tmp_path / "out/owner/recipe.json"
    recipe = json.loads(path.read_text())
    known = {name: value for name, value in recipe.items() if name != damage}
    path.write_text(json.dumps(known | damage if isinstance(damage, dict) else known))
    found = ic.verify(tmp_path / "out", owner=tmp_path / "out/owner")
    assert found.differences == (f"recipe: {'search' if isinstance(damage, dict) else damage}",)
