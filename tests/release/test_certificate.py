from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.engines import _eager, _frame
from incrowd.engines._recoding import label_classes
from incrowd.release._certificate import canonical
from incrowd.release._folder import save

PEOPLE = [
    {"name": f"N{number}", "age": age, "sex": sex, "disease": disease}
    for number, (age, sex, disease) in enumerate(
        [(31, "f", "flu"), (34, "f", "hiv"), (36, "m", "flu"), (38, "m", "asthma"), (52, "f", "flu"), (71, "m", "hiv")]
    )
]
SCHEMA = ic.Schema(quasi={"age": ic.intervals(10, 20), "sex": ic.flat()}, sensitive=["disease"], identifiers=["name"])
LIMITS: Any = {"max_suppressed": 0.5, "at_most": {"age": 1}}


def release_of(promise: str = "k>=2, t<=0.9", table: Any = PEOPLE) -> ic.Release:
    return ic.anonymize(table, SCHEMA, model=promise, **LIMITS)


def certificate(folder: Path) -> Any:
    return json.loads((folder / "public/release.json").read_text(encoding="utf-8"))


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def groupings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Collect how many classes there are each time that an engine groups the labels of a table."""
    found: list[int] = []

    def counting(labelled: Any) -> Any:
        classes = label_classes(labelled)
        found.append(len(classes))
        return classes

    for room in (_eager, _frame):
        monkeypatch.setattr(room, "label_classes", counting)
    return found


@pytest.mark.parametrize("format_", ["csv", "parquet"])
@pytest.mark.parametrize("algorithm", [ic.Optimal(), ic.Mondrian()])
def test_a_written_file_is_grouped_once_for_its_check_and_its_certificate(
    tmp_path: Path, groupings: list[int], algorithm: Any, format_: Any
) -> None:
    asked: Any = {"model": "k>=2, l>=2, t<=0.9", "max_suppressed": 0.5}
    release = ic.anonymize(PEOPLE, SCHEMA, algorithm=algorithm, output=tmp_path / "out", format=format_, **asked)
    assert groupings == [release.verdict.classes]
    release.save(tmp_path / "again", format=format_)
    assert len(groupings) == 2  # a file that was not checked is
    written, saved = certificate(tmp_path / "out"), certificate(tmp_path / "again")
    assert {**written, "data": None} == {**saved, "data": None}
    assert ic.verify(tmp_path / "out").holds


def test_what_may_be_given_away_and_what_must_be_kept_lie_in_two_folders(tmp_path: Path) -> None:
    release_of().save(tmp_path / "out", plan="version = 1\n")
    assert list(tree(tmp_path / "out")) == [
        "owner/input.json",
        "owner/plan.toml",
        "owner/recipe.json",
        "owner/recoding.json",
        "owner/recoding.parquet",
        "public/data.parquet",
        "public/release.json",
        "public/verify.py",
    ]
    assert (tmp_path / "out/owner").stat().st_mode & 0o077 == 0
    assert (tmp_path / "out/owner/plan.toml").read_text() == "version = 1\n"


def test_the_certificate_says_what_was_promised_and_what_the_file_shows(tmp_path: Path) -> None:
    save(release_of(), tmp_path / "out", format="csv", date="2026-02-03")
    found = certificate(tmp_path / "out")
    assert (found["schema"], found["date"], found["counted"]) == (1, "2026-02-03", "records")
    assert (found["records"], found["classes"], found["suppressed"], found["dropped"]) == (4, 2, 2, 0)
    assert found["columns"] == [
        {"name": "age", "role": "quasi-identifier", "level": 1},
        {"name": "sex", "role": "quasi-identifier", "level": 0},
        {"name": "disease", "role": "sensitive", "level": None},
    ]
    assert found["measures"] == {"height": 1, "discernibility": 20, "aecs": 2.0}
    k, t = found["promises"]
    assert (k["promise"], k["measured"], k["holds_here"], k["owner_only"]) == ("k>=2", ["2"], True, None)
    assert t["required"] == [{"name": "t", "sense": "<=", "bound": "9/10"}]
    assert t["measured"] == ["1/4"]
    assert (t["input_at_most"], t["owner_only"]) == ("1/2", None)  # (4 * 1/4 + 2) / 6, whoever the two left out are
    assert k["limits"].startswith("Limits how well a person can be found")
    assert found["data"]["name"] == "data.csv"
    assert found["data"]["rows"] == 4


def test_the_owner_keeps_what_was_measured_against_the_original_table(tmp_path: Path) -> None:
    release = release_of()
    release.save(tmp_path / "out")
    recipe = json.loads((tmp_path / "out/owner/recipe.json").read_text())
    assert [one["measured"] for one in recipe["promises"]] == [["2"], ["1/3"]]
    assert recipe["measures"] == dict(release.measures)
    known = json.loads((tmp_path / "out/owner/input.json").read_text())
    assert known["distributions"] == {"disease": [["asthma", 1], ["flu", 3], ["hiv", 2]]}
    assert (known["kind"], known["sha256"], known["rows"]) == ("list", None, 6)


def test_the_owner_is_told_too_how_texts_are_escaped(tmp_path: Path) -> None:
    formats: dict[Any, bool] = {"csv": True, "parquet": False}
    for format_, escaped in formats.items():
        release_of().save(tmp_path / format_, format=format_)
        recipe = json.loads((tmp_path / format_ / "owner/recipe.json").read_text())
        assert recipe["escaped"] == certificate(tmp_path / format_)["data"]["escaped"]
        assert (recipe["escaped"] is not None) == escaped


def test_the_same_release_gives_the_same_files_whatever_the_order_and_the_kind_of_the_table(tmp_path: Path) -> None:
    shuffled = PEOPLE.copy()
    random.Random(3).shuffle(shuffled)
    frames: list[Any] = [PEOPLE, shuffled, pd.DataFrame(shuffled), pl.DataFrame(PEOPLE), pa.Table.from_pylist(shuffled)]
    for number, frame in enumerate(frames):
        for format_ in ("csv", "parquet"):
            save(release_of(table=frame), tmp_path / f"{number}{format_}", format=format_, date="2026-02-03")
    for format_ in ("csv", "parquet"):
        first = tree(tmp_path / f"0{format_}/public")
        assert all(tree(tmp_path / f"{number}{format_}/public") == first for number in range(len(frames)))


@pytest.mark.parametrize("kind", ["parquet", "csv", "csv.gz", "arrow", "xlsx", "sav", "dta"])
def test_a_release_of_every_format_can_be_replaced(tmp_path: Path, kind: Any) -> None:
    for _ in range(2):
        release_of("k>=3").save(tmp_path / "out", force=True, format=kind, plan="version = 1", about={})
    assert ic.verify(tmp_path / "out/public/release.json").holds


def test_an_earlier_release_is_replaced_only_by_force(tmp_path: Path) -> None:
    release_of().save(tmp_path / "out")
    before = tree(tmp_path / "out")
    with pytest.raises(ic.DataError, match="The folder 'out' exists already"):
        release_of("k>=3").save(tmp_path / "out")
    assert tree(tmp_path / "out") == before
    release_of("k>=3").save(tmp_path / "out", force=True, format="csv")
    assert certificate(tmp_path / "out")["promise"] == "k>=3"
    assert not (tmp_path / "out/public/data.parquet").exists()
    with pytest.raises(ic.ParameterError, match="format must be one of 'parquet', 'csv'"):
        release_of().save(tmp_path / "other", format="docx")  # type: ignore[arg-type]


def test_a_failure_in_the_middle_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("incrowd.release._folder.save_recoding", fail)
    with pytest.raises(OSError, match="No space left"):
        release_of().save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


KILLED = """
import os, signal, sys
import incrowd as ic
from incrowd.release import _folder as _save
release = ic.anonymize([{"age": 31}, {"age": 34}], ic.Schema({"age": ic.intervals(10)}), model="k>=2")
_save.save_recoding = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
release.save(sys.argv[1])
"""


def test_who_is_killed_while_saving_leaves_no_release_and_the_next_one_clears_up(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "out")], check=False)
    assert ran.returncode == -signal.SIGKILL
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
    release_of().save(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_file_that_does_not_show_what_was_measured_is_refused(tmp_path: Path) -> None:
    release = release_of("k>=2, l>=2")
    with pytest.raises(ic.ReleaseMismatch, match="does not show what was measured"):
        replace(release, table=release.table[:-1]).save(tmp_path / "fewer")
    same = [{**row, "disease": "flu"} for row in release.table]
    with pytest.raises(ic.ReleaseMismatch, match="does not show what was measured"):
        replace(release, table=same).save(tmp_path / "other")
    assert list(tmp_path.iterdir()) == []


def key_pair(folder: Path, name: str) -> tuple[Path, Path]:
    from cryptography.hazmat.primitives import serialization as form  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

    key = Ed25519PrivateKey.generate()
    private, public = folder / f"{name}.pem", folder / f"{name}.pub"
    private.write_bytes(
        key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()),
    )
    public.write_bytes(key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo))
    return private, public


def test_a_signature_covers_every_word_of_the_certificate(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    private, public = key_pair(tmp_path, "ours")
    release_of().save(tmp_path / "out", sign=private)
    path = tmp_path / "out/public/release.json"
    found = ic.verify(path, key=public)
    assert (found.holds, "signature" in found.checked) == (True, True)
    assert "the signature: nobody gave the public key" in ic.verify(path).on_trust
    assert ic.verify(path, key=key_pair(tmp_path, "theirs")[1]).differences == ("signature",)
    original = certificate(tmp_path / "out")
    for name, value in (
        ("date", "1999-01-01"),
        ("dropped", 7),
        ("limits", []),
        ("signature", "AAAA"),
        ("date", "\ud800"),
    ):
        path.write_text(json.dumps({**original, name: value}))
        assert ic.verify(path, key=public).differences == ("signature",)
    path.write_text(json.dumps({name: value for name, value in original.items() if name != "signature"}))
    assert ic.verify(path, key=public).differences == ("signature: the certificate has none",)
    path.write_text(json.dumps(original, indent=7))  # another layout is the same certificate
    assert ic.verify(path, key=public).holds


def test_a_key_that_is_none_is_refused_without_quoting_it(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    (tmp_path / "key.pem").write_text("SECRET-CANARY")
    with pytest.raises(ic.DataError, match="holds no private Ed25519 key") as caught:
        release_of().save(tmp_path / "out", sign=tmp_path / "key.pem")
    assert "CANARY" not in str(caught.value)
    assert caught.value.__context__ is None
    with pytest.raises(ic.DataError, match=r"There is no key file 'none\.pem'"):
        release_of().save(tmp_path / "out", sign=tmp_path / "none.pem")
    assert [path.name for path in tmp_path.iterdir()] == ["key.pem"]


def test_without_the_package_signing_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives", None)
    with pytest.raises(ic.ParameterError, match=r'pip install "incrowd\[sign\]"'):
        release_of().save(tmp_path / "out", sign=tmp_path / "key.pem")


def test_the_signed_form_is_one_line_with_sorted_keys() -> None:
    assert canonical({"b": 1, "a": "ä", "signature": "x"}) == '{"a":"ä","b":1}'.encode()


def test_a_saved_recoding_is_complete(tmp_path: Path) -> None:
    release = release_of()
    release.save(tmp_path / "out")
    saved = ic.load_recoding(tmp_path / "out/owner")
    assert saved.model == release.model
    assert saved.recoding.levels == {"age": 1, "sex": 0}
    for name in ("age", "sex"):
        assert saved.recoding.domains[name] == release.recoding.domains[name]
        assert saved.recoding.ladders[name] == release.recoding.ladders[name]
        assert dict(saved.schema.quasi)[name].bind(release.recoding.domains[name]) == release.recoding.ladders[name]  # type: ignore[union-attr]
    assert saved.schema.identifiers == ("name",)
    again = ic.anonymize(PEOPLE, saved.schema, model=saved.model, **LIMITS)
    assert again.table == release.table
    assert again.measures == release.measures
    ic.save_recoding(saved, tmp_path)
    assert (tmp_path / "recoding.json").read_bytes() == (tmp_path / "out/owner/recoding.json").read_bytes()


def test_a_saved_hierarchy_refuses_values_that_it_does_not_know(tmp_path: Path) -> None:
    release_of().save(tmp_path / "out")
    saved = ic.load_recoding(tmp_path / "out/owner")
    table = [*PEOPLE, {"name": "x", "age": 99, "sex": "f", "disease": "flu"}]
    with pytest.raises(ic.UncoveredValuesError, match="Column 'age' has 1 value that the saved hierarchy") as caught:
        ic.anonymize(table, saved.schema, model=saved.model, **LIMITS)
    assert caught.value.values == ("99",)


def test_schemas_come_back_with_their_meanings(tmp_path: Path) -> None:
    table = [{"a": n, "c": "x", "t": "y", "o": "z", "r": n, "who": n, "w": None} for n in range(4)]
    schema = ic.Schema(
        {"a": ic.intervals(2)},
        {
            "c": ic.categories({"s": ["x"], "h": ["u"]}),
            "t": ic.tree({"top": ["y", "v"]}),
            "o": ic.ordered(["z", "w"], 2),
            "r": ic.ordered(None, 2),
        },
        insensitive=["w"],
        entity="who",
        missing="drop",
        missing_values=["", "NA"],
    )
    ic.anonymize(table, schema, model="k>=2").save(tmp_path / "out")
    loaded = ic.load_recoding(tmp_path / "out/owner").schema
    assert loaded.sensitive == schema.sensitive
    for name in ("insensitive", "entity", "count", "missing", "missing_values", "quasi_names"):
        assert getattr(loaded, name) == getattr(schema, name)


@pytest.mark.parametrize("damage", ["header", "arrays", "swapped", "format"])
def test_a_damaged_recoding_is_refused(tmp_path: Path, damage: str) -> None:
    release_of().save(tmp_path / "out")
    owner = tmp_path / "out/owner"
    header = json.loads((owner / "recoding.json").read_text())
    if damage == "header":
        (owner / "recoding.json").write_text("{")
    elif damage == "arrays":
        (owner / "recoding.parquet").write_text("CANARY")
    else:
        header |= {"format": "other"} if damage == "format" else {"quasi": ["zip"]}
        (owner / "recoding.json").write_text(json.dumps(header))
    with pytest.raises(ic.DataError) as caught:
        ic.load_recoding(owner)
    assert "CANARY" not in str(caught.value)


def test_the_certificate_is_exact_where_counts_allow_it(tmp_path: Path) -> None:
    table = [{"age": age, "disease": disease} for age in (31, 41) for disease in "aab"]
    release = ic.anonymize(
        table, ic.Schema({"age": ic.flat()}, ["disease"]), model="probabilistic-l>=1.5, entropy-l>=1.2"
    )
    release.save(tmp_path / "out")
    first, second = certificate(tmp_path / "out")["promises"]
    assert Fraction(first["measured"][0]) == Fraction(3, 2)
    assert float(second["measured"][0]) == pytest.approx(1.8898815748)


def test_a_place_that_may_not_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "mkdir", refuse)  # root may write anywhere, so rights alone would not do
    with pytest.raises(ic.DataError, match="Cannot write the folder 'out'"):
        release_of().save(tmp_path / "out")
