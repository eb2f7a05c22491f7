from __future__ import annotations

import itertools
import json
import os
from pathlib import Path

import pytest

import incrowd as ic
from core.faults import KINDS, failing, tree, watched
from engines.mutations import mutations
from incrowd.release._recoding_file import HEADER
from release.test_certificate import LIMITS, PEOPLE, release_of


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


def test_a_recoding_is_saved_as_a_whole_or_not_at_all_for_us_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call fails once: the files are those that were saved together before."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    old, new = release_of(), release_of("k>=3")
    ic.save_recoding(old, tmp_path)
    before = tree(tmp_path)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    for number in itertools.count():
        trouble = ""
        with watched(tmp_path) as faults:
            faults.begin(number, failing(KINDS[number % len(KINDS)]))
            try:
                ic.save_recoding(new, tmp_path)
            except (OSError, ic.DataError) as error:
                trouble = str(error)
        if len(faults.names) <= number:
            break
        if trouble:
            assert "recoding" in trouble
            assert tree(tmp_path) == before
        else:
            ic.save_recoding(old, tmp_path)
    assert number > 60
    assert str(ic.load_recoding(tmp_path).model) == "k>=3"


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


def test_a_damaged_recoding_is_never_read(tmp_path: Path) -> None:
    """Also where the damage is in a label: it would be published in place of the right one."""
    release_of().save(tmp_path / "out")
    for name in ("recoding.json", "recoding.parquet"):
        path = tmp_path / "out/owner" / name
        whole, changed = path.read_bytes(), 0
        for content in (*mutations(whole, 60), b"[" * 200_000):
            path.write_bytes(content)
            if content == whole or (name == HEADER and says_the_same(content, whole)):
                continue
            changed += 1
            with pytest.raises((ic.DataError, ic.ParameterError)):
                ic.load_recoding(path.parent)
        assert changed > 50
        path.write_bytes(whole)
    ic.load_recoding(tmp_path / "out/owner")


def says_the_same(one: bytes, other: bytes) -> bool:
    try:
        return bool(json.loads(one) == json.loads(other))
    except (ValueError, RecursionError):
        return False


def test_a_recoding_beside_the_arrays_of_another_is_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        release_of("k>=2" if name == "a" else "k>=3").save(tmp_path / name)
    (tmp_path / "b/owner/recoding.parquet").replace(tmp_path / "a/owner/recoding.parquet")
    with pytest.raises(ic.DataError, match=r"edited or damaged: 'recoding\.parquet' is not the file that was saved"):
        ic.load_recoding(tmp_path / "a/owner")
    (tmp_path / "a/owner/recoding.parquet").unlink()
    with pytest.raises(ic.DataError, match=r"edited or damaged: 'recoding\.parquet' is not the file that was saved"):
        ic.load_recoding(tmp_path / "a/owner")


def test_a_recoding_from_before_there_were_hashes_is_read(tmp_path: Path) -> None:
    release_of().save(tmp_path / "out")
    header = json.loads((tmp_path / "out/owner" / HEADER).read_text())
    assert header.pop("seal")
    assert list(header.pop("sha256")) == ["recoding.parquet"]
    (tmp_path / "out/owner" / HEADER).write_text(json.dumps(header | {"format": "incrowd recoding 1"}))
    assert ic.load_recoding(tmp_path / "out/owner").recoding.levels == {"age": 1, "sex": 0}
