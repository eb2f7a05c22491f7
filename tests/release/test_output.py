from __future__ import annotations

import hashlib
import hmac
import json
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import incrowd as ic
from engines.subjects import TYPED, Subject, make_subject
from incrowd.engines import open_table
from incrowd.models import suppression_limit
from release.verified import script_here
from search import slow
from search.tables import PROMISES, rows, schema

PEOPLE = [
    {"name": name, "age": age, "sex": sex, "disease": disease}
    for name, age, sex, disease in [
        ("Ada", 31, "f", "flu"),
        ("Bob", 71, "m", "hiv"),
        ("Cyd", 34, "f", "hiv"),
        ("Dan", 38, "m", "asthma"),
        ("Eve", 52, "f", "flu"),
        (None, 36, "m", "flu"),
    ]
]
TABLE = pa.Table.from_pylist(PEOPLE)
SCHEMA = ic.Schema(quasi={"age": ic.intervals(10, 20), "sex": ic.flat()}, sensitive=["disease"], identifiers=["name"])
LIMITS: Any = {"max_suppressed": 0.5, "at_most": {"age": 1}, "algorithm": ic.Optimal()}
MASKED = [
    ("*", "*", "flu"),
    ("*", "*", "hiv"),
    ("[30, 40)", "f", "flu"),
    ("[30, 40)", "f", "hiv"),
    ("[30, 40)", "m", "asthma"),
    ("[30, 40)", "m", "flu"),
]


@pytest.fixture(params=[*TYPED, "csv"])
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Subject:
    """Each kind of table in turn."""
    return make_subject(request.param, tmp_path)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """Give a file with a key."""
    path = tmp_path / "key.bin"
    path.write_bytes(bytes(range(32)))
    return path


def pseudonym(text: str) -> str:
    return hmac.new(bytes(range(32)), text.encode(), hashlib.sha256).hexdigest()[:32]


# Masking


def test_masked_records_are_published_without_their_quasi_identifiers(subject: Subject) -> None:
    release = ic.anonymize(subject.load(TABLE), SCHEMA, model="k>=2, l>=2", suppression="mask", **LIMITS)
    assert subject.rows(release.table) == MASKED
    assert (release.recipe.suppressed, release.recipe.masked, release.recipe.published) == (2, 2, 6)
    assert (release.verdict.classes, release.verdict.records) == (3, 6)
    assert repr(release) == "Release(k>=2, l>=2: 6 of 6 records, 2 masked, 3 classes)"
    assert "2 (33.3%) are masked: their quasi-identifiers are not published; 3 were allowed." in release.explain()


def test_masking_costs_what_dropping_costs(tmp_path: Path) -> None:
    masked, dropped = (
        ic.anonymize(PEOPLE, SCHEMA, model="k>=2", suppression=suppression, **LIMITS)
        for suppression in ("mask", "drop")
    )
    assert masked.measures == dropped.measures
    shown = []
    for release in (masked, dropped):
        release.save(tmp_path / release.recipe.suppression)
        path = tmp_path / release.recipe.suppression / "public/release.json"
        certificate = json.loads(path.read_text())
        shown.append(certificate["measures"])
        assert certificate["suppressed"] == 2
        assert certificate["masked"] == release.recipe.masked
        assert ic.verify(path, owner=path.parents[1] / "owner").differences == ()
        assert script_here(path.parents[1])[0] == 0
    assert shown[0] == shown[1]
    assert shown[0]["discernibility"] == 2 * 2 + 2 * 2 + 2 * 6
    assert shown[0]["aecs"] == 2


def test_where_masked_records_break_the_promise_together_another_node_is_looked_for() -> None:
    table = [*PEOPLE[:4], {**PEOPLE[4], "disease": "hiv"}, PEOPLE[5]]  # Bob and Eve, who stand out, have one disease
    release = ic.anonymize(table, SCHEMA, model="k>=2, l>=2", suppression="mask", max_suppressed=0.5)
    assert release.recipe.levels == {"age": 3, "sex": 0}
    assert release.recipe.masked == 0
    with pytest.raises(ic.NoSafeRelease, match=r"masks at most 50\.0% \(3 of 6 records\)") as caught:
        ic.anonymize(table, SCHEMA, model="k>=2, l>=2", suppression="mask", **LIMITS)
    assert "masked records are one class" in caught.value.hint
    assert "suppression='drop' would leave out 2 and be enough" in caught.value.hint


def test_a_class_that_keeps_the_promise_is_masked_where_that_makes_a_release() -> None:
    table = [*PEOPLE[:4], PEOPLE[5]]  # Bob alone stands out
    release = ic.anonymize(table, SCHEMA, model="k>=2", suppression="mask", max_suppressed=0.6, at_most={"age": 1})
    assert Counter(row["age"] for row in release.table) == {"*": 3, "[30, 40)": 2}
    assert (release.recipe.suppressed, release.verdict.classes) == (3, 2)
    assert release.explain().splitlines()[2:4] == [
        "3 (60.0%) are masked: their quasi-identifiers are not published; 3 were allowed.",
        "2 of them are masked only because masked records are one group, which must keep the promise too.",
    ]


def test_records_that_look_masked_are_counted_with_masked_ones() -> None:
    table = [{"town": town} for town in ("*", "*", "ulm", "bonn")]
    roles = ic.Schema(quasi={"town": ic.tree([(town, "anywhere") for town in ("*", "ulm", "bonn")])})
    with pytest.raises(ic.NoSafeRelease, match="masks at most"):
        ic.anonymize(table, roles, model="k>=2", suppression="mask", at_most={"town": 0}, max_suppressed=0.5)
    more = [*table, *({"town": "kiel"} for _ in range(2))]
    roles = ic.Schema(quasi={"town": ic.tree([(town, "anywhere") for town in ("*", "ulm", "bonn", "kiel")])})
    limits: Any = {"at_most": {"town": 0}, "max_suppressed_records": 4}
    release = ic.anonymize(more, roles, model="k>=2", suppression="mask", **limits)
    assert Counter(row["town"] for row in release.table) == {"*": 4, "kiel": 2}
    assert release.recipe.masked == 4


def test_supersets_of_masked_records_are_not_known_so_none_is_masked() -> None:
    with pytest.raises(ic.NoSafeRelease, match="masks at most"):
        ic.anonymize(PEOPLE, SCHEMA, model="k>=2, nt(n=3, t=0.9)", suppression="mask", **LIMITS)
    release = ic.anonymize(PEOPLE, SCHEMA, model="k>=2, nt(n=3, t=0.9)", suppression="mask", max_suppressed=0.5)
    assert release.recipe.masked == 0


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table=st.lists(rows, min_size=1, max_size=20), promise=st.sampled_from(PROMISES), share=st.sampled_from([0.3, 0.6])
)
@pytest.mark.filterwarnings("ignore:AlphaAssociation lists")
@pytest.mark.parametrize("kind", ["reference", "pyarrow", "duckdb"])
def test_every_class_keeps_the_promise_and_masked_records_are_one(
    kind: str, table: list[Any], promise: Any, share: float, tmp_path: Path
) -> None:
    model, ok = promise
    subject = make_subject(kind, tmp_path)
    given_table = subject.load(pa.Table.from_pylist(table).select([*slow.QUASI, "disease"]))
    limit = suppression_limit(len(table), share)
    best = slow.best(table, ok, limit, "loss", mask=True)
    if best is None:
        with pytest.raises(ic.NoSafeRelease):
            ic.anonymize(given_table, schema(), model=model, max_suppressed=share, suppression="mask")
        return
    release = ic.anonymize(given_table, schema(), model=model, max_suppressed=share, suppression="mask")
    levels = tuple((release.recipe.levels or {}).values())
    node = slow.visit_masked(table, levels, ok)
    assert node is not None
    assert levels == best[1]
    kept = {id(row) for group in node.kept for row in group}
    masked = [row for row in table if id(row) not in kept]
    expected = Counter((*slow.labels(row, levels), row["disease"]) for group in node.kept for row in group)
    expected += Counter(("*", "*", "*", row["disease"]) for row in masked)
    assert Counter(subject.rows(release.table)) == expected
    assert release.recipe.suppressed == len(masked)


def test_people_of_masked_rows_are_counted_once() -> None:
    table = [{"who": who, "age": age} for who, age in [("a", 31), ("b", 32), ("c", 51), ("c", 61), ("d", 71)]]
    roles = ic.Schema(quasi={"age": ic.intervals(10)}, entity="who")
    release = ic.anonymize(table, roles, model="k>=2", max_suppressed=0.6, suppression="mask", at_most={"age": 1})
    assert Counter(row["age"] for row in release.table) == {"[30, 40)": 2, "*": 3}
    with pytest.raises(ic.NoSafeRelease, match="masks at most"):
        ic.anonymize(table[:4], roles, model="k>=2", max_suppressed=0.6, suppression="mask", at_most={"age": 1})


# Pseudonyms


@pytest.mark.filterwarnings("ignore:Column 'name' is published as a pseudonym")
def test_an_identifier_can_be_published_as_a_keyed_pseudonym(subject: Subject, key: Path) -> None:
    release = ic.anonymize(subject.load(TABLE), SCHEMA, model="k>=2", pseudonyms={"name": key}, **LIMITS)
    found = {row[0] for row in subject.rows(release.table)}
    assert found == {pseudonym("Ada"), pseudonym("Cyd"), pseudonym("Dan"), None}
    assert release.recipe.pseudonymised == ("name",)
    again = ic.anonymize(subject.load(TABLE.slice(2)), SCHEMA, model="k>=2", pseudonyms={"name": key}, **LIMITS)
    assert {row[0] for row in subject.rows(again.table)} & found == {pseudonym("Dan"), None}


def test_a_pseudonym_is_marked_everywhere_and_its_key_nowhere(tmp_path: Path, key: Path) -> None:
    with pytest.warns(ic.PrivacyWarning, match="'name' is published as a pseudonym: it links the rows of a person"):
        release = ic.anonymize(PEOPLE, SCHEMA, model="k>=2", pseudonyms={"name": key}, **LIMITS)
    out = release.save(tmp_path / "out", format="csv")
    certificate = json.loads((out / "public/release.json").read_text())
    assert certificate["pseudonymised"] == ["name"]
    assert any("Pseudonyms stand for names" in limit for limit in certificate["limits"])
    assert ic.verify(out / "public/release.json", owner=out / "owner").holds
    for path in out.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert key.read_bytes() not in content
            assert b"key.bin" not in content
            assert key.read_bytes().hex().encode() not in content


@pytest.mark.filterwarnings("ignore:Column 'who' is published as a pseudonym")
def test_whose_row_it_is_can_be_published_as_a_pseudonym(key: Path) -> None:
    table = [{"who": who, "age": age} for who, age in [("a", 31), ("a", 32), ("b", 33)]]
    roles = ic.Schema(quasi={"age": ic.intervals(10)}, entity="who")
    release = ic.anonymize(table, roles, model="k>=2", pseudonyms={"who": key})
    assert Counter(row["who"] for row in release.table) == {pseudonym("a"): 2, pseudonym("b"): 1}
    assert release.verdict.persons == 2


def test_wrong_keys_and_columns_are_refused(tmp_path: Path, key: Path) -> None:
    with pytest.raises(ic.SchemaError, match="'age' cannot become a pseudonym: it is no identifier"):
        ic.anonymize(PEOPLE, SCHEMA, model="k>=2", pseudonyms={"age": key})
    with pytest.raises(ic.DataError, match="The key of column 'name' cannot be read: No such file"):
        ic.anonymize(PEOPLE, SCHEMA, model="k>=2", pseudonyms={"name": tmp_path / "none"})
    key.write_bytes(b"canary")
    with pytest.raises(ic.DataError, match="has 6 bytes, and must have at least 32") as caught:
        ic.anonymize(PEOPLE, SCHEMA, model="k>=2", pseudonyms={"name": key})
    assert "canary" not in str(caught.value)


# Order


def test_rows_keep_their_order_on_request_with_a_warning(subject: Subject, tmp_path: Path) -> None:
    with pytest.warns(ic.PrivacyWarning, match="Rows keep their order"):
        release = ic.anonymize(subject.load(TABLE), SCHEMA, model="k>=2", order="keep", **LIMITS)
    expected = ["flu", "hiv", "asthma", "flu"]
    assert [row[2] for row in subject.rows(release.table)] == expected
    assert release.recipe.order == "keep"
    release.save(tmp_path / "out")
    written = pyarrow.parquet.read_table(tmp_path / "out/public/data.parquet")
    assert written["disease"].to_pylist() == expected


# Written at once


def _certificate(folder: Path) -> dict[str, Any]:
    """Read a certificate without what hangs on how rows were laid out in the file: equal ones may be so differently."""
    certificate: dict[str, Any] = json.loads((folder / "public/release.json").read_text("utf-8"))
    del certificate["data"]["sha256"], certificate["data"]["bytes"]
    return certificate


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("suppression", ["drop", "mask"])
def test_a_release_can_be_written_without_being_held(
    kind: Any, suppression: Any, subject: Subject, tmp_path: Path
) -> None:
    how: Any = {"model": "k>=2, l>=2", "suppression": suppression, **LIMITS}
    table = subject.load(TABLE)
    release = ic.anonymize(table, SCHEMA, output=tmp_path / "out", format=kind, **how)
    assert release.table == tmp_path / "out" / "public" / f"data.{kind}"
    held = ic.anonymize(table, SCHEMA, **how)
    held.save(tmp_path / "held", format=kind)
    assert (release.verdict, release.measures) == (held.verdict, held.measures)
    paths = ["owner/recipe.json", "owner/recoding.json"]
    if (subject.name, suppression, kind) != ("csv", "drop", "parquet"):  # that one is laid out from a tally
        paths += ["public/release.json", f"public/data.{kind}"]
    for path in paths:
        assert (tmp_path / "out" / path).read_bytes() == (tmp_path / "held" / path).read_bytes()
    written, saved = (open_table(tmp_path / folder / f"public/data.{kind}") for folder in ("out", "held"))
    assert written.materialise().equals(saved.materialise())
    assert _certificate(tmp_path / "out") == _certificate(tmp_path / "held")
    assert ic.verify(tmp_path / "out/public/release.json", owner=tmp_path / "out/owner").holds
    assert sorted(path.name for path in (tmp_path / "out/public").iterdir()) == [
        f"data.{kind}",
        "release.json",
        "verify.py",
    ]


def test_a_written_release_can_be_saved_once_more(tmp_path: Path) -> None:
    release = ic.anonymize(PEOPLE, SCHEMA, model="k>=2", output=tmp_path / "out", format="csv", **LIMITS)
    release.save(tmp_path / "copy", format="csv")
    assert (tmp_path / "copy/public/data.csv").read_bytes() == release.table.read_bytes()


def test_people_are_counted_on_a_written_release(tmp_path: Path) -> None:
    table = [{"who": who, "age": age} for who, age in [("a", 31), ("a", 32), ("a", 33), ("b", 41), ("c", 42)]]
    roles = ic.Schema(quasi={"age": ic.intervals(10)}, entity="who")
    optimal = ic.Optimal()
    release = ic.anonymize(table, roles, model="k>=2", algorithm=optimal, max_suppressed=0.6, output=tmp_path / "out")
    assert release.verdict.persons == 2
    names = sorted(path.name for path in (tmp_path / "out/public").iterdir())
    assert names == ["data.parquet", "release.json", "verify.py"]


def test_what_fails_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(ic.NoSafeRelease):
        ic.anonymize(PEOPLE, SCHEMA, model="k>=7", output=tmp_path / "out")
    with pytest.raises(ic.NoSafeRelease):
        ic.anonymize(PEOPLE, SCHEMA, model="k>=3", output=tmp_path / "out", suppression="mask", **LIMITS)
    assert list(tmp_path.iterdir()) == []
    ic.anonymize(PEOPLE, SCHEMA, model="k>=2", output=tmp_path / "out", **LIMITS)
    with pytest.raises(ic.DataError, match="exists already"):
        ic.anonymize(PEOPLE, SCHEMA, model="k>=2", output=tmp_path / "out", **LIMITS)
    ic.anonymize(PEOPLE, SCHEMA, model="k>=2", output=tmp_path / "out", force=True, **LIMITS)


def test_how_to_write_means_nothing_without_where() -> None:
    with pytest.raises(ic.ParameterError, match="force says how files are written"):
        ic.anonymize(PEOPLE, SCHEMA, model="k>=2", force=True)
    with pytest.raises(ic.ParameterError, match="format must be 'parquet', 'csv'"):
        ic.anonymize(PEOPLE, SCHEMA, model="k>=2", output="out", format="xls")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="There is no parameter 'supression'"):
        ic.anonymize(PEOPLE, SCHEMA, model="k>=2", supression="mask")  # type: ignore[call-arg]


# Samples


def test_a_sample_is_marked_as_no_result_everywhere(subject: Subject, tmp_path: Path) -> None:
    table = ic.hospital(400)
    release = ic.anonymize(subject.load(table), ic.hospital_schema(), model="k>=3", max_suppressed=0.1, sample=200)
    assert release.recipe.records == 200
    assert release.recipe.notes[0] == (
        "NOT A RESULT: tried out on a sample of 200 records. Nothing here may be published."
    )
    assert repr(release).startswith("Release(NOT A RESULT, a sample: k>=3: ")
    assert release.explain().startswith("NOT A RESULT")
    with pytest.raises(ic.ParameterError, match="gets no certificate, and is not written"):
        release.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_sample_is_not_written_at_once_either(tmp_path: Path) -> None:
    with pytest.raises(ic.ParameterError, match="not a result, and cannot be written"):
        ic.anonymize(PEOPLE, SCHEMA, model="k>=2", sample=3, output=tmp_path / "out")


# Warnings


# Determinism


@pytest.mark.parametrize("suppression", ["drop", "mask"])
def test_neither_order_nor_kind_of_the_table_changes_release_or_certificate(suppression: Any, tmp_path: Path) -> None:
    table = ic.hospital(300)
    found = {}
    for kind in ("reference", "pyarrow", "polars-lazy", "duckdb", "parquet"):
        for turn in range(2):
            order = random.Random(turn).sample(range(300), 300)
            folder = tmp_path / f"{kind}{turn}"
            folder.mkdir()
            ic.anonymize(
                make_subject(kind, folder).load(table.take(order)),
                ic.hospital_schema(),
                model="k>=3, t<=0.6[diagnosis]",
                max_suppressed=0.1,
                suppression=suppression,
                output=folder / "out",
            )
            data = pyarrow.parquet.read_table(folder / "out/public/data.parquet")
            certificate = json.loads((folder / "out/public/release.json").read_text())
            for part in ("sha256", "bytes"):
                certificate["data"].pop(part)
            found[kind, turn] = (data.schema.names, data.to_pylist(), certificate)
            assert (folder / "out/public/data.parquet").read_bytes() == (
                (tmp_path / f"{kind}0") / "out/public/data.parquet"
            ).read_bytes()
    first = found["reference", 0]
    assert all(one == first for one in found.values())


# Distances


def test_what_refers_to_the_input_is_measured_against_the_release_beside_it() -> None:
    release = ic.anonymize(PEOPLE, SCHEMA, model="k>=2, t<=0.5", **LIMITS)
    (beside,) = release.verdict.beside
    (_, finding) = release.verdict.findings
    assert (finding.reference, beside.reference) == ("input", "table")
    # Published: {flu, hiv} and {asthma, flu}; the release has flu 2, hiv 1, asthma 1, the input flu 3, hiv 2, asthma 1.
    assert [float(number) for number in beside.measured] == [0.25]
    assert float(finding.measured[0]) == pytest.approx(1 / 3)
    assert ic.check(release.table, SCHEMA_OF_RELEASE, "t<=0.5").findings[0].measured == beside.measured


SCHEMA_OF_RELEASE = ic.Schema(quasi=["age", "sex"], sensitive=["disease"])


@pytest.mark.parametrize(
    "model",
    ["t<=0.9[cost, ordered]", "beta<=9[cost]", "delta<3[cost]", "nt(n=2, t=0.9)[cost]", "t<=0.9[cost, kl]"],
)
def test_beside_is_what_a_check_of_the_release_says(model: str) -> None:
    costs = [10, 10, 20, 10, 20, 20] if model.startswith("delta") else [10, 90, 20, 20, 1000, 10]
    table = [{**row, "cost": cost} for row, cost in zip(PEOPLE, costs, strict=True)]
    roles = ic.Schema(quasi=dict(SCHEMA.quasi), sensitive=["cost"], identifiers=["name"], insensitive=["disease"])
    release = ic.anonymize(table, roles, model=f"k>=2, {model}", **LIMITS)
    drop = ic.Schema(quasi=["age", "sex"], sensitive=["cost"], insensitive=["disease"])
    shown = model.replace("[cost]", "[cost, drop]") if model.startswith("nt") else model
    assert release.verdict.beside[0].measured == ic.check(release.table, drop, shown).findings[0].measured


def test_promises_that_do_not_compare_have_nothing_beside() -> None:
    assert ic.anonymize(PEOPLE, SCHEMA, model="k>=2, l>=2", **LIMITS).verdict.beside == ()


def test_an_empty_text_is_a_value_where_nothing_else_is_missing() -> None:
    table = [{"age": 30, "notes": text} for text in ("", None, "x")]
    roles = ic.Schema(quasi={"age": ic.flat()}, sensitive=["notes"], missing_values=())
    release = ic.anonymize(table, roles, model="l>=3[notes, missing]")
    assert release.verdict.findings[0].measured == (3,)


class _Place(os.PathLike[str]):
    """A path of another library."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return str(self.path)


def test_a_path_of_another_library_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "t.csv").write_text("age\n30\n30\n", encoding="utf-8")
    schema = ic.Schema(quasi=["age"])
    release = ic.anonymize(_Place(tmp_path / "in" / "t.csv"), schema, model="k>=2")
    assert release.recipe.input["kind"] == "csv"
    assert release.recipe.input["sha256"]
    with pytest.raises(ic.ParameterError, match="the table is read from there"):
        ic.anonymize(_Place(tmp_path / "in"), schema, model="k>=2", output=tmp_path / "in" / "out")
