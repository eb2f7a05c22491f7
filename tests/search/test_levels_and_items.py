"""Items left out of sets: what is published is true, keeps the promise, and loses no more than levels alone."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from models import slow_items
from release.verified import run_script

TREE = ic.tree({"ab": ["a", "b"], "cd": ["c", "d"]})
CALLED = [{item: item for item in "abcd"}, {"a": "ab", "b": "ab", "c": "cd", "d": "cd"}, dict.fromkeys("abcd", "*")]
QUASI: dict[str, Any] = {"age": ic.intervals(2, 4, start=0), "dx": ic.items(TREE)}
held = st.frozensets(st.sampled_from("abcd"), max_size=4)
tables = st.lists(st.tuples(st.integers(0, 3), held), min_size=2, max_size=14)


def named(table: Any) -> list[dict[str, Any]]:
    return [{"age": age, "dx": "|".join(sorted(dx)) or None, "at": at} for at, (age, dx) in enumerate(table)]


def found(table: Any, model: str, search: Any, **more: Any) -> ic.Release | None:
    try:
        return ic.anonymize(named(table), ic.Schema(QUASI, insensitive=["at"]), model=model, algorithm=search, **more)
    except ic.NoSafeRelease:
        return None


def items_in(text: str | None) -> frozenset[str]:
    return frozenset((text or "").split("|")) - {""}


@settings(max_examples=40)
@given(table=tables, k=st.integers(2, 3), m=st.integers(1, 3), share=st.sampled_from([0.0, 0.4]))
def test_what_is_left_is_true_and_keeps_the_promise(table: Any, k: int, m: int, share: float) -> None:
    model = f"k>={k}[any {m} item{'s' * (m > 1)}]"
    release = found(table, model, ic.LevelsAndItems(), max_suppressed=share)
    if release is None:
        return
    rows = list(release.table)
    for row in rows:
        true = table[row["at"]][1]
        assert any(items_in(row["dx"]) <= {called[item] for item in true} for called in CALLED) or row["dx"] == "*"
    known = [(row["at"], row["age"], items_in(row["dx"]) - {"*"}) for row in rows]
    assert release.verdict.findings[0].measured == (slow_items.fewest(known, m),)
    assert slow_items.fewest(known, m) >= k
    assert len(table) - len(rows) == release.recipe.suppressed <= int(share * len(table))


@settings(max_examples=30)
@given(table=tables, m=st.integers(1, 2))
def test_it_loses_no_more_than_levels_alone(table: Any, m: int) -> None:
    model = f"k>=2[any {m} item{'s' * (m > 1)}]"
    levels, items = found(table, model, ic.Optimal()), found(table, model, ic.LevelsAndItems())
    assert (levels is None) <= (items is None) or items is not None
    if levels is not None:
        assert items is not None
        assert items.measures["loss"] <= levels.measures["loss"] + 1e-9


@settings(max_examples=30)
@given(table=st.lists(held, min_size=2, max_size=7), m=st.integers(1, 2))
def test_no_fewer_items_would_do_in_a_small_table_or_hardly(table: Any, m: int) -> None:
    """The rounds are greedy: never more than three times what must go, on tables that can be searched by hand."""
    schema = ic.Schema({"dx": ic.items()})
    rows = [{"dx": "|".join(sorted(dx)) or None} for dx in table]
    release = ic.anonymize(
        rows, schema, model=f"k>=2[any {m} items]".replace("1 items", "1 item"), algorithm=ic.LevelsAndItems()
    )
    left = sum(len(items_in(row["dx"])) for row in release.table)
    if any(row["dx"] == "*" for row in release.table):
        return
    entries = [(at, item) for at, dx in enumerate(table) for item in dx]
    for number in range(len(entries) + 1):
        for gone in itertools.combinations(entries, number):
            kept = [(at, "", frozenset(i for i in dx if (at, i) not in gone)) for at, dx in enumerate(table)]
            if slow_items.fewest(kept, m) >= 2:
                assert len(entries) - left <= max(3 * number, number + 2)
                return


PATIENTS = [
    {"age": 31 + at % 9, "dx": text}
    for at, text in enumerate(["a|b", "b|a", "a|b|c", "a|c", "c|a", "d|a", "b", "a", "c|b", "b|c", "d|a|b"])
]
SCHEMA = ic.Schema({"age": ic.intervals(10), "dx": ic.items(TREE)})
MODEL = "k>=2[dx, any 2 items]"


def test_it_is_certified_verified_and_attacked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release = ic.anonymize(PATIENTS, SCHEMA, model=MODEL, algorithm=ic.LevelsAndItems())
    assert any("items were left out" in note or "item was left out" in note for note in release.recipe.notes)
    release.save(tmp_path / "out", format="csv", about={"purpose": "Lists"})
    certificate = json.loads((tmp_path / "out/public/release.json").read_text())
    assert certificate["search"]["name"] == "levels-and-items"
    assert {one["level"] for one in certificate["columns"]} == {None}
    assert ic.verify(tmp_path / "out", original=PATIENTS).outcome == "holds"
    assert run_script(tmp_path / "out", capsys)[0] == 0
    assert ic.attack(tmp_path / "out", original=PATIENTS).get("known items").exposed.records == 0
    with pytest.raises(ic.HierarchyError, match="belongs to the table"):
        ic.apply(release, PATIENTS)


def test_so_many_items_and_no_more_are_left_out() -> None:
    few, none = (
        ic.anonymize(PATIENTS, SCHEMA, model=MODEL, algorithm=ic.LevelsAndItems(most_items=most)) for most in (0.2, 0)
    )
    assert few.measures["loss"] <= none.measures["loss"]
    assert none.recipe.notes[-1].startswith("0 items")
    assert none.measures["loss"] == ic.anonymize(PATIENTS, SCHEMA, model=MODEL).measures["loss"]


def test_the_rarest_item_goes_and_the_record_stays() -> None:
    table = [{"dx": text} for text in ["a|b", "a|b", "a|b", "a|b|c"]]
    release = ic.anonymize(
        table, ic.Schema({"dx": ic.items()}), model="k>=2[any 2 items]", algorithm=ic.LevelsAndItems()
    )
    assert [row["dx"] for row in release.table] == ["a|b"] * 4


def test_people_with_several_rows_and_other_promises() -> None:
    table = [
        {"who": at // 2, "dx": text, "cost": at % 3}
        for at, text in enumerate(["a|b", "b|a", "a|c", "a|b", "a", "b"] * 3)
    ]
    schema = ic.Schema({"dx": ic.items()}, ["cost"], entity="who")
    release = ic.anonymize(
        table, schema, model="k>=2[any 2 items], l>=2", algorithm=ic.LevelsAndItems(), max_suppressed=0.5
    )
    assert release.verdict.holds


@pytest.mark.parametrize("wrong", [{"most_items": 2}, {"most_items": -0.1}, {"most_items": True}, {"seconds": "1"}])
def test_wrong_settings(wrong: Any) -> None:
    with pytest.raises(ic.ParameterError, match="must be a"):
        ic.LevelsAndItems(**wrong)


def test_it_needs_a_promise_about_items() -> None:
    with pytest.raises(ic.ParameterError, match="leaves items out for promises about items"):
        ic.anonymize(PATIENTS, SCHEMA, model="k>=2", algorithm=ic.LevelsAndItems())
    with pytest.raises(ic.ParameterError, match="all rows"):
        ic.anonymize(
            [row | {"who": at} for at, row in enumerate(PATIENTS)],
            ic.Schema(dict(SCHEMA.quasi), entity="who"),
            model=f"{MODEL}, k>=2[any 2 rows]",
            algorithm=ic.LevelsAndItems(),
        )


def test_time_that_is_up_gives_what_was_found() -> None:
    release = ic.anonymize(PATIENTS, SCHEMA, model=MODEL, algorithm=ic.LevelsAndItems(seconds=0))
    assert release.verdict.holds
    assert release.recipe.proof in {"best found", "heuristic"}
