from __future__ import annotations

import json
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.engines import _eager_frame, _lazy_frame, _text
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
LIMITS: Any = {"algorithm": ic.Optimal(), "max_suppressed": 0.5, "at_most": {"age": 1}}


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

    def counting(**labelled: Any) -> Any:
        classes = label_classes(**labelled)
        found.append(len(classes))
        return classes

    for room in (_eager_frame, _lazy_frame, _text):
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
        ("limits", ["\ud800"]),
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
    with pytest.raises(ic.DataError, match="holds no private Ed25519 key"):  # before the table is looked for
        ic.anonymize("none.csv", SCHEMA, model="k>=2", output=tmp_path / "out", sign=tmp_path / "key.pem")
    assert [path.name for path in tmp_path.iterdir()] == ["key.pem"]


def test_without_the_package_signing_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.serialization", None)
    with pytest.raises(ic.EngineError, match=r"'cryptography', which is not installed. .*'incrowd\[sign\]'"):
        release_of().save(tmp_path / "out", sign=tmp_path / "key.pem")


def test_the_signed_form_is_one_line_with_sorted_keys() -> None:
    assert canonical({"b": 1, "a": "ä", "signature": "x"}) == '{"a":"ä","b":1}'.encode()


def test_the_certificate_is_exact_where_counts_allow_it(tmp_path: Path) -> None:
    table = [{"age": age, "disease": disease} for age in (31, 41) for disease in "aab"]
    release = ic.anonymize(
        table, ic.Schema({"age": ic.flat()}, ["disease"]), model="probabilistic-l>=1.5, entropy-l>=1.2"
    )
    release.save(tmp_path / "out")
    first, second = certificate(tmp_path / "out")["promises"]
    assert Fraction(first["measured"][0]) == Fraction(3, 2)
    assert float(second["measured"][0]) == pytest.approx(1.8898815748)
