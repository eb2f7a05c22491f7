from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import incrowd as ic
from incrowd.models import promise as read
from incrowd.release._input_distance import Shown, at_most

TREE = ic.tree({"x": {"ab": ["a", "b"], "c": ["c"]}, "y": {"de": ["d", "e"], "f": ["f"]}})
ORDER = ic.ordered(["f", "e", "d", "c", "b", "a"])
PROMISES: dict[str, Any] = {
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


def bound(promise: str, measured: str, shown: Shown) -> Fraction | float:
    model: Any = read(promise)
    return at_most(model, Fraction(measured), shown)


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
    assert bound(promise, "1/6", Shown(records=9, left_out=1, values=4)) == pytest.approx(float(expected))


def test_where_nobody_was_left_out_the_file_is_the_original_table() -> None:
    assert bound("t<=0.9[ordered]", "1/6", Shown(records=9, left_out=0, values=1)) == Fraction(1, 6)


rows = st.fixed_dictionaries(
    {"age": st.integers(30, 60), "sex": st.sampled_from("fm"), "disease": st.sampled_from("abcdef")}
)


@pytest.mark.filterwarnings("ignore:.* compares with the original table")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table=st.lists(rows, min_size=6, max_size=24),
    promise=st.sampled_from(sorted(PROMISES)),
    suppression=st.sampled_from(["drop", "mask"]),
)
def test_what_was_measured_against_the_original_table_is_never_more(
    table: list[Any], promise: str, suppression: Any, tmp_path: Path
) -> None:
    schema = ic.Schema({"age": ic.intervals(10, 20), "sex": ic.flat()}, {"disease": PROMISES[promise]})
    suppression = "drop" if promise.startswith("nt") else suppression  # (n, t)-closeness refuses to mask
    try:
        release = ic.anonymize(
            table, schema, model=f"k>=2, {promise}", max_suppressed=0.5, at_most={"age": 1}, suppression=suppression
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
