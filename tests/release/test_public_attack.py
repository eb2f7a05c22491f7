"""Everything in ``public`` is attacked together: nothing follows about who was left out, or the input's order."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import incrowd as ic
from incrowd.core import Hierarchy
from incrowd.release._folder import save

DISEASES = ("flu", "cold", "asthma", "hiv")
CATEGORIES = ic.categories({"secret": ["hiv", "zzcanary"], "private": ["asthma"], "harmless": ["flu", "cold"]})
TAXONOMY = ic.tree({"all": {"lung": ["flu", "cold", "asthma"], "blood": ["hiv"], "zzgroup": ["zzcanary"]}})
ORDER = ic.ordered(["cold", "flu", "asthma", "hiv", "zzcanary"])
MEANINGS: dict[str, Any] = {
    "k>=2": None,
    "k>=2, enhanced(p=2, alpha=1/2)": CATEGORIES,
    "k>=2, t<=0.9[ordered]": ORDER,
    "k>=2, t<=0.9[hierarchical]": TAXONOMY,
    "k>=2, nt(n=4, t=0.9)": None,
    "k>=2, beta<=20": None,
}
FIXED: dict[str, Any] = {"max_suppressed": 0.3, "at_least": {"age": 1, "zip": 2}, "at_most": {"age": 1, "zip": 2}}


def people(left_out: dict[str, Any]) -> list[dict[str, Any]]:
    """Give twelve people in classes that can be published, and one who cannot."""
    kept = [
        {"name": f"N{n}", "age": 30 + 10 * (n // 6) + n % 6, "zip": f"0106{n % 6}", "disease": DISEASES[n % 4]}
        for n in range(12)
    ]
    return [*kept, {"name": "N12", "age": 97, "zip": "99999", "disease": "flu"} | left_out]


def publish(table: Any, folder: Path, promise: str = "k>=2", format_: Any = "parquet", **more: Any) -> dict[str, bytes]:
    schema = ic.Schema(
        {"age": ic.intervals(10, 20), "zip": ic.mask()}, {"disease": MEANINGS[promise]}, identifiers=["name"]
    )
    release = ic.anonymize(table, schema, model=promise, **{**FIXED, **more})
    save(release, folder, format=format_, date="2026-02-03", force=True)
    return {path.name: path.read_bytes() for path in (folder / "public").iterdir()}


@pytest.mark.parametrize("format_", ["csv", "parquet"])
@pytest.mark.parametrize("promise", MEANINGS)
def test_what_is_published_is_the_same_whoever_was_left_out(promise: str, format_: Any, tmp_path: Path) -> None:
    """The strongest form: no attack can find what the files do not depend on."""
    others: list[dict[str, Any]] = [
        {"disease": "hiv"},
        {"disease": "zzcanary"},
        {"age": 88},
        {"age": 59, "zip": "44444"},
        {"zip": "99998"},
        {"name": "somebody with a long name"},
    ]
    expected = publish(people({}), tmp_path / "out", promise, format_)
    assert b'"suppressed": 1' in expected["release.json"]
    for other in others:
        assert publish(people(other), tmp_path / "out", promise, format_) == expected


HIERARCHIES: dict[str, tuple[Hierarchy, list[Any], list[Any]]] = {
    "intervals": (ic.intervals(10, bottom=18, top=90), [31, 32, 33, 34], [97, 1_000_000, -5, 20]),
    "mask": (ic.mask(), ["0101", "0102", "0103"], ["9999", "12", "777777777", "-"]),
    "dates": (ic.dates("month", "year"), [dt.date(2021, 5, day) for day in (3, 4)], [dt.date(1901, 1, 1), dt.date.max]),
    "top_coded": (ic.top_coded(90), [93, 94, 99], [4, 12, 89]),
    "bottom_coded": (ic.bottom_coded(18), [3, 4, 9], [94, 1_000, 18]),
    "tree": (ic.tree({"a": ["x", "y"], "b": ["u", "v", "w"], "c": ["zz"]}), ["x", "y"], ["u", "w", "zz"]),
    "ordered": (ic.ordered(["low", "mid", "high", "top"], 2), ["low", "mid"], ["high", "top"]),
    "flat": (ic.flat(), ["x"], ["y", "a", "zzz"]),
}
"""Hierarchies that are fixed beforehand, values of people who are published, and values of one who is not."""


def publish_by(hierarchy: Hierarchy, kept: list[Any], other: Any, level: int, folder: Path) -> dict[str, bytes]:
    """Publish twelve people and leave out one, with reports."""
    table = [{"q": kept[n % len(kept)], "disease": DISEASES[n % 4]} for n in range(12)] + [{"q": other, "disease": "x"}]
    schema = ic.Schema({"q": hierarchy}, ["disease"])
    limits: Any = {"max_suppressed_records": 1, "at_least": {"q": level}, "at_most": {"q": level}}
    release = ic.anonymize(table, schema, model="k>=2", **limits)
    assert release.recipe.suppressed == 1
    save(release, folder, format="csv", date="2026-02-03", force=True, about={})
    return {path.name: path.read_bytes() for path in (folder / "public").iterdir()}


@pytest.mark.parametrize("name", HIERARCHIES)
def test_with_hierarchies_that_are_fixed_beforehand_no_label_knows_who_was_left_out(name: str, tmp_path: Path) -> None:
    hierarchy, kept, others = HIERARCHIES[name]
    level = 0 if name == "flat" else 1
    expected = publish_by(hierarchy, kept, others[0], level, tmp_path / "out")
    assert {"release.json", "report.html", "verify.py"} < set(expected)
    for other in others[1:]:
        assert publish_by(hierarchy, kept, other, level, tmp_path / "out") == expected


def test_labels_that_are_taken_from_the_table_know_who_was_left_out_and_the_owner_is_told(tmp_path: Path) -> None:
    kept = [31, 32, 33, 34, 35]
    public = {who: publish_by(ic.auto(), kept, who, 1, tmp_path / str(who)) for who in (95, 950)}
    assert [b"[30, 35)" in files["data.csv"] for files in public.values()] == [True, False]
    owner = (tmp_path / "95/owner/report.html").read_text(encoding="utf-8")
    told = "The groups of q were formed from the whole table, with the records that are left out"
    assert told in owner
    assert told.encode() not in public[95]["report.html"]


def test_the_owner_is_told_of_values_that_only_the_promise_names(tmp_path: Path) -> None:
    table = people({"disease": "zzcanary"})
    schema = ic.Schema({"age": ic.intervals(10, 20), "zip": ic.mask()}, ["disease"], identifiers=["name"])
    told = "of the values that it names, 1 is in no published record"
    promises = ("k>=2, alpha<=0.9[disease: hiv, zzcanary]", "k>=2, alpha(hiv=0.9, zzcanary=0.9)[disease]")
    for number, promise in enumerate(promises):
        release = ic.anonymize(table, schema, model=promise, **FIXED)
        assert told in release.report(tmp_path / f"{number}.html").read_text(encoding="utf-8")
        shown = release.report(tmp_path / f"public{number}.html", public=True).read_text(encoding="utf-8")
        assert told not in shown
        assert "zzcanary" in shown  # a promise that nobody can read proves nothing
    release = ic.anonymize(table, schema, model="k>=2, alpha<=0.9[disease: hiv, flu]", **FIXED)
    assert "in no published record" not in release.report(tmp_path / "all.html").read_text(encoding="utf-8")


def test_a_distance_to_the_original_table_would_have_told_who_was_left_out(tmp_path: Path) -> None:
    """Why the certificate does not say it: every disease of the one left out gives another number."""
    told = {}
    for disease in DISEASES:
        publish(people({"disease": disease}), tmp_path / "out", "k>=2, t<=0.9[ordered]")
        recipe = json.loads((tmp_path / "out/owner/recipe.json").read_text())
        told[disease] = Fraction(recipe["promises"][1]["measured"][0])
    assert len(set(told.values())) > 1
    certificate = json.loads((tmp_path / "out/public/release.json").read_text())
    assert all(str(number) not in json.dumps(certificate["promises"][1]["measured"]) for number in told.values())


def numbers_in(plain: Any) -> set[str]:
    return set(re.findall(r"\d+", json.dumps(plain)))


def test_subtracting_what_is_published_from_what_is_certified_leaves_only_how_many(tmp_path: Path) -> None:
    public = publish(people({"disease": "zzcanary"}), tmp_path / "out", "k>=2, enhanced(p=2, alpha=1/2)")
    certificate = json.loads(public["release.json"])
    listed = {text for column in certificate["columns"] for group in column.get("categories", []) for text in group}
    assert listed == set(DISEASES)
    assert certificate["suppressed"] == 1
    allowed = {"1", "2", "3", "4", "5", "6", "12", "13"}  # bounds, sizes, counts, and weights of 5/2
    told = {name: certificate[name] for name in ("records", "classes", "suppressed", "dropped", "promises")}
    assert numbers_in(told) <= allowed | {"0"}


def test_no_hash_in_public_confirms_a_guess_about_the_input(tmp_path: Path) -> None:
    original = tmp_path / "people.csv"
    pd.DataFrame(people({})).to_csv(original, index=False)
    public = publish(original, tmp_path / "out", format_="csv")
    found = {digest for text in public.values() for digest in re.findall(rb"[0-9a-f]{64}", text)}
    assert found == {hashlib.sha256(public["data.csv"]).hexdigest().encode()}
    kept = json.loads((tmp_path / "out/owner/input.json").read_text())
    assert kept["sha256"] == hashlib.sha256(original.read_bytes()).hexdigest()


@pytest.mark.parametrize("make", [list, pd.DataFrame, pl.DataFrame, pa.Table.from_pylist])
def test_no_trace_of_the_input_order_is_left(make: Any, tmp_path: Path) -> None:
    table = people({})
    expected = publish(table, tmp_path / "out")
    for number in range(3):
        random.Random(number).shuffle(table)
        assert publish(make(table), tmp_path / "out") == expected


def parquet_texts(path: Path) -> list[str]:
    """Give everything that a Parquet file tells: values, dictionaries, statistics, metadata."""
    file = pyarrow.parquet.ParquetFile(path, read_dictionary=["age", "zip", "disease"])
    texts = [str(file.schema_arrow.metadata), str(file.metadata.metadata), str(file.metadata.created_by)]
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        texts += [str(group.column(column).to_dict()) for column in range(group.num_columns)]
    table = file.read()
    for column in table.columns:
        texts += [str(column.to_pylist())]
        texts += [str(chunk.dictionary.to_pylist()) for chunk in column.chunks if hasattr(chunk, "dictionary")]
    return texts


def test_parquet_tells_nothing_beside_its_rows(tmp_path: Path) -> None:
    frame = pd.DataFrame(people({"disease": "zzcanary", "name": "zzname", "zip": "77777"}))
    frame["disease"] = pd.Categorical(frame["disease"])  # brings a dictionary with entries that no row uses
    frame.index = pd.Index([f"zzindex{n}" for n in range(len(frame))])
    frame.attrs["source"] = "zzattribute"
    polars_frame = pl.DataFrame(frame.drop(columns="disease").assign(disease=frame["disease"].astype(str)))
    for table in (
        frame,
        polars_frame.with_columns(pl.col("disease").cast(pl.Categorical)),
        pa.Table.from_pandas(frame),
    ):
        if isinstance(table, pa.Table):
            table = table.drop_columns([name for name in table.column_names if name.startswith("__")])  # noqa: PLW2901
        publish(table, tmp_path / "out", "k>=2")
        texts = parquet_texts(tmp_path / "out/public/data.parquet")
        assert not [text for text in texts if "zz" in text or "77777" in text]
        metadata = pyarrow.parquet.read_schema(tmp_path / "out/public/data.parquet").metadata or {}
        assert b"pandas" not in metadata


CANARIES = {"name": "zzname", "age": 93, "zip": "77777", "disease": "zzcanary"}


@pytest.mark.parametrize("promise", MEANINGS)
@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_a_canary_that_was_left_out_is_nowhere_in_public_nor_in_a_message(
    format_: Any, promise: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    public = publish(people(CANARIES), tmp_path / "out", promise, format_)
    text = b"\n".join(content for name, content in public.items() if name != "data.parquet")
    if format_ == "parquet":
        text += "\n".join(parquet_texts(tmp_path / "out/public/data.parquet")).encode()
    for canary in (b"zz", b"77777", b"7777", b"[90"):
        assert canary not in text
    found = ic.verify(tmp_path / "out/public/release.json", owner=tmp_path / "out/owner")
    assert "zz" not in repr(found)
    assert capsys.readouterr() == ("", "")


def test_a_canary_in_a_tampered_file_is_in_no_message(tmp_path: Path) -> None:
    publish(people({}), tmp_path / "out", "k>=2, enhanced(p=2, alpha=1/2)", "csv")
    data = tmp_path / "out/public/data.csv"
    data.write_text(data.read_text().replace("hiv", "zzcanary"))
    found = ic.verify(tmp_path / "out/public/release.json")
    assert not found.holds
    assert "zzcanary" not in repr(found)


def test_the_size_of_the_files_does_not_depend_on_who_was_left_out(tmp_path: Path) -> None:
    sizes = {
        tuple(map(len, publish(people({"name": "x" * length, "zip": "7" * 5}), tmp_path / "out").values()))
        for length in (1, 1000)
    }
    assert len(sizes) == 1
