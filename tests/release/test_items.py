"""Releases with columns of sets: certified, measured again by others, and alike from every kind of table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from engines.subjects import TYPED, make_subject
from incrowd.core import Domain
from incrowd.hierarchies import coverage
from models import slow_items
from release.test_tampering import expect_no_forgery_to_pass
from release.verified import rewrite, run_script, script

Capsys = pytest.CaptureFixture[str]
TREE = ic.tree({"heart": ["I10", "I25"], "sugar": ["E10", "E11"], "lungs": ["J44", "Canary9"]})
PATIENTS: list[dict[str, Any]] = [
    {"who": f"Canary{place % 8}", "age": age, "dx": dx, "cost": place}
    for place, (age, dx) in enumerate(
        [
            (31, "I10|E11"),
            (33, "E11|I10"),
            (36, "E11|I25|E11"),
            (38, "E10|I10"),
            (32, "I25"),
            (34, "I25|E10"),
            (51, "J44"),
            (52, "J44|I10"),
            (55, None),
            (58, "I10"),
            (71, "Canary9"),
            (31, "J44"),
        ]
    )
]
ROLES: dict[str, Any] = {"quasi": {"age": ic.intervals(10, 20, 100), "dx": ic.items(TREE)}, "sensitive": ["cost"]}
SCHEMA = ic.Schema(**ROLES)
WITHOUT_NAMES = [{name: value for name, value in row.items() if name != "who"} for row in PATIENTS]
COMMON = [row for row in WITHOUT_NAMES if row["dx"] != "Canary9"]
PEOPLE = ic.Schema(**ROLES, entity="who")
PROMISES = ["k>=2[any 2 items]", "k>=3[dx, any 1 item]", "k>=2[dx, any 2 items], l>=2[cost]"]


def saved(folder: Path, promise: str, table: Any = None, schema: ic.Schema = SCHEMA, **more: Any) -> ic.Release:
    names = [row for row in PATIENTS if row["dx"] != "Canary9"]
    table = (COMMON if schema is SCHEMA else names) if table is None else table
    more = {"max_suppressed": 0.4, **more}
    release = ic.anonymize(table, schema, model=promise, **more)
    release.save(folder, format="csv")
    return release


@pytest.mark.parametrize("promise", PROMISES)
def test_anybody_can_measure_it_again(promise: str, tmp_path: Path, capsys: Capsys) -> None:
    release = saved(tmp_path / "out", promise)
    held = [(at, row["age"], frozenset((row["dx"] or "").split("|")) - {""}) for at, row in enumerate(release.table)]
    model = ic.models.promise(promise).parts[0]
    assert isinstance(model, ic.KKmAnonymity)
    assert release.verdict.findings[0].measured == (slow_items.fewest(held, model.m),)
    assert ic.verify(tmp_path / "out").outcome == "holds"
    assert run_script(tmp_path / "out", capsys)[0] == 0
    written = "".join(path.read_text() for path in (tmp_path / "out/public").iterdir())
    assert "Canary" not in written


def test_the_script_runs_by_itself(tmp_path: Path) -> None:
    saved(tmp_path / "out", PROMISES[0])
    code, said = script(tmp_path / "out")
    assert (code, "k>=2[any 2 items]: k " in said) == (0, True)


def test_who_breaks_it_is_left_out_to_the_end(tmp_path: Path) -> None:
    release = saved(
        tmp_path / "out", "k>=2[any 2 items]", at_least={"age": 2}, at_most={"age": 2, "dx": 1}, max_suppressed=0.9
    )
    held = [(at, row["age"] // 20, frozenset((row["dx"] or "").split("|")) - {""}) for at, row in enumerate(COMMON)]
    assert len(release.table) == len(slow_items.left_in(held, 2, 2))
    assert 0 < len(release.table) < len(COMMON)


@pytest.mark.parametrize("kind", [*TYPED, "csv"])
def test_every_kind_of_table_gives_the_same(kind: str, tmp_path: Path) -> None:
    subject = make_subject(kind, tmp_path)
    same: dict[str, Any] = {"model": "k>=2[any 2 items]", "max_suppressed": 0.3}
    expected = ic.anonymize(WITHOUT_NAMES, SCHEMA, **same)
    found = ic.anonymize(subject.load(pa.Table.from_pylist(WITHOUT_NAMES)), SCHEMA, **same)
    assert found.verdict == expected.verdict
    assert sorted(tuple(map(str, row)) for row in subject.rows(found.table)) == sorted(
        tuple(map(str, row.values())) for row in expected.table
    )


@pytest.mark.parametrize("promise", PROMISES[:2])
def test_a_forged_promise_is_called_fine_by_neither(promise: str, tmp_path: Path, capsys: Capsys) -> None:
    saved(tmp_path / "out", promise)
    expect_no_forgery_to_pass(tmp_path / "out", ("promises", 0), capsys)


def test_claims_that_the_file_contradicts_are_found_by_both(tmp_path: Path, capsys: Capsys) -> None:
    release = saved(tmp_path / "out", "k>=2[any 1 item]", at_most={"dx": 1})
    held = [(at, row["age"], frozenset((row["dx"] or "").split("|")) - {""}) for at, row in enumerate(release.table)]
    path = tmp_path / "out/public/release.json"
    before = path.read_text()
    for m in 1, 2, 3, 2**62:

        def claim(certificate: Any, m: int = m) -> None:
            text = str(ic.KKmAnonymity(2, m))
            certificate["promise"] = certificate["promises"][0]["promise"] = text
            certificate["promises"][0]["m"] = m

        rewrite(tmp_path / "out", claim)
        fine = slow_items.fewest(held, m) == json.loads(before)["promises"][0]["measured"][0]
        fine = str(slow_items.fewest(held, m)) == json.loads(before)["promises"][0]["measured"][0]
        said = ic.verify(tmp_path / "out").outcome, run_script(tmp_path / "out", capsys)[0]
        assert said == (("holds", 0) if fine else ("does not hold", 1)), m
        path.write_text(before)


@pytest.mark.parametrize("wrong", ["", "a", "||", "*", 3])
def test_separators_that_are_none_are_found_by_both(wrong: Any, tmp_path: Path, capsys: Capsys) -> None:
    saved(tmp_path / "out", "k>=2[any 2 items]")
    rewrite(tmp_path / "out", lambda certificate: certificate["columns"][1].update(items=wrong))
    assert (ic.verify(tmp_path / "out").outcome, run_script(tmp_path / "out", capsys)[0]) == ("does not hold", 1)


def test_people_with_several_rows_are_counted_by_their_owner(tmp_path: Path, capsys: Capsys) -> None:
    saved(tmp_path / "out", "k>=2[any 2 items]", schema=PEOPLE)
    assert ic.verify(tmp_path / "out").outcome == "could not be checked"
    assert run_script(tmp_path / "out", capsys)[0] == 4
    table = [row for row in PATIENTS if row["dx"] != "Canary9"]
    assert ic.verify(tmp_path / "out", original=table).outcome == "holds"


def test_with_pseudonyms_anybody_counts_people(tmp_path: Path, capsys: Capsys) -> None:
    key = tmp_path / "key.bin"
    key.write_bytes(bytes(range(32)))
    with pytest.warns(ic.PrivacyWarning, match="pseudonym"):
        saved(tmp_path / "out", "k>=2[any 2 items]", schema=PEOPLE, pseudonyms={"who": key})
    assert ic.verify(tmp_path / "out").outcome == "holds"
    assert run_script(tmp_path / "out", capsys)[0] == 0


def test_it_is_applied_to_another_table_and_published_again(tmp_path: Path) -> None:
    release = saved(tmp_path / "out", "k>=2[any 2 items]")
    more = [{"age": 31, "dx": dx, "cost": 1} for dx in ["I25|E10", "E11|I10"]]
    for known in release, tmp_path / "out/owner":
        again = ic.apply(known, [*COMMON, *more], max_suppressed=0.5)
        assert again.recipe.levels == release.recipe.levels
        assert again.verdict.holds
    assert ic.verify(tmp_path / "out", original=COMMON).outcome == "holds"


def test_whole_sets_count_for_other_promises() -> None:
    release = ic.anonymize([row | {"dx": "I10|E11"} for row in WITHOUT_NAMES], SCHEMA, model="k>=5")
    assert {row["dx"] for row in release.table} == {"E11|I10"}


@pytest.mark.parametrize("search", [ic.Mondrian(), ic.TopDown(), ic.LevelsAndCells(), ic.CheapestFirst(), ic.Datafly()])
def test_local_recodings_refuse_sets(search: Any) -> None:
    with pytest.raises(ic.ParameterError, match="'dx' holds sets of items"):
        ic.anonymize(WITHOUT_NAMES, SCHEMA, model="k>=2[any 2 items]", algorithm=search)


@pytest.mark.parametrize("how", [{"suppression": "mask"}])
def test_what_does_not_go_with_it_is_refused(how: Any) -> None:
    with pytest.raises(ic.ParameterError, match="take others along"):
        ic.anonymize(WITHOUT_NAMES, SCHEMA, model="k>=2[any 2 items]", max_suppressed=0.2, **how)
    with pytest.raises(ic.ParameterError, match="Larger groups"):
        ic.anonymize(WITHOUT_NAMES, SCHEMA, model="k>=2[any 2 items], nt(n=6, t=0.6)[cost]", algorithm=ic.Optimal())


held = st.frozensets(st.sampled_from(["I10", "I25", "E10", "E11"]), max_size=4)


@settings(max_examples=25)
@given(table=st.lists(st.tuples(st.sampled_from([31, 38, 52, 71]), held), min_size=1, max_size=14), m=st.integers(1, 3))
def test_all_readers_agree_with_the_definition(tmp_path_factory: pytest.TempPathFactory, table: Any, m: int) -> None:
    folder = tmp_path_factory.mktemp("sets")
    rows = [{"age": age, "dx": "|".join(sorted(dx, reverse=True)) or None, "cost": 1} for age, dx in table]
    try:
        release = saved(folder / "out", str(ic.KKmAnonymity(2, m)), rows)
    except ic.NoSafeRelease:
        return
    left = [
        (at, row["age"], frozenset((row["dx"] or "").replace("*", "").split("|")) - {""})
        for at, row in enumerate(release.table)
    ]
    assert release.verdict.findings[0].measured == (slow_items.fewest(left, m),)
    assert ic.verify(folder / "out").outcome == "holds"
    assert script(folder / "out")[0] == 0


def test_reports_attack_by_known_items_before_and_after(tmp_path: Path) -> None:
    release = ic.anonymize(COMMON, SCHEMA, model="k>=2[any 2 items]", max_suppressed=0.4)
    release.save(tmp_path / "out", about={"purpose": "Lists"})
    report = (tmp_path / "out/owner/report.html").read_text()
    assert "known items" in report
    assert "any 2 items" in (tmp_path / "out/public/report.html").read_text()
    assert "records" in release.explain()
    assert {one.state for one in ic.release.lattice_of(release)} >= {"chosen"}


@pytest.mark.parametrize("search", [ic.Optimal(), ic.LevelsAndItems()])
def test_what_sets_are_good_for_is_measured_by_what_their_labels_cover(search: Any) -> None:
    lists = ["I10|E11", "E11|I10", "E10|I25", "I25|E10|J44", "J44|I10", "I10|J44", "I25|J44|E11", "E11|I10|I25"]
    table = [{"age": 31 + at % 10, "dx": lists[at * at % 8], "cost": at % 3} for at in range(40)]
    release = ic.anonymize(table, SCHEMA, model="k>=3[any 2 items]", algorithm=search, max_suppressed=0.1)
    assert ic.utility(release, original=table).columns["dx"].distance < 0.6
    found = ic.attack(release, original=table)
    assert found.get("linkage").right <= len(table)
    assert not found.get("linkage").unread


def test_a_label_covers_the_sets_that_become_it_and_one_that_lost_items_all_that_have_them() -> None:

    domain = Domain.of("dx", ["I10|E11", "E11|I10", "E11|J44", "I25", None])
    ladder = ic.items(TREE).bind(domain)
    texts = domain.texts.tolist()
    found = coverage(["E11|I10", "heart|sugar", "sugar", "E11", "*", "J45"], domain, ladder)
    assert [{texts[code] for code in codes} for codes in found] == [
        {"I10|E11", "E11|I10"},
        {"I10|E11", "E11|I10"},
        {"I10|E11", "E11|I10", "E11|J44"},
        {"I10|E11", "E11|I10", "E11|J44"},
        set(texts),
        set(),
    ]
