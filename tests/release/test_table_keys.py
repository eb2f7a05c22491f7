"""The secrets behind pseudonyms of several tables: given, derived from that of the person, or drawn for one run."""

from __future__ import annotations

from pathlib import Path

import pytest

import incrowd as ic
from incrowd.release._table_keys import TableKeys

TABLES = ic.Tables(
    {"patients": [], "visits": [], "labs": []},
    keys={"patients": "person_id", "visits": "visit_id", "labs": "lab_id"},
    of={"visits": {"person_id": "patients"}, "labs": {"visit_id": "visits"}},
)


def key(folder: Path, name: str, content: bytes = bytes(range(32))) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_other_keys_follow_from_that_of_the_person(tmp_path: Path) -> None:
    one, two = (TableKeys.of({"person_id": key(tmp_path, "key")}, TABLES) for _ in range(2))
    assert one.secret == two.secret
    assert not one.drawn
    assert one.secret["patients"] == bytes(range(32))
    assert one.secret["visits"] != one.secret["patients"]
    assert "labs" not in one.secret  # nothing refers to it, so it is not published


def test_without_a_file_they_are_drawn_anew() -> None:
    one, two = TableKeys.of(None, TABLES), TableKeys.of({}, TABLES)
    assert one.drawn
    assert not {*one.secret.values()} & {*two.secret.values()}


def test_a_key_to_which_nothing_refers_is_published_if_its_file_is_given(tmp_path: Path) -> None:
    files = {"person_id": key(tmp_path, "a"), "lab_id": key(tmp_path, "b", b"b" * 32)}
    keys = TableKeys.of(files, TABLES)
    assert keys.of_table("labs", TABLES) == {"lab_id": b"b" * 32, "visit_id": keys.secret["visits"]}
    assert keys.of_table("visits", TABLES) == {"visit_id": keys.secret["visits"], "person_id": bytes(range(32))}


def test_a_column_that_is_no_key_and_a_secret_of_two_keys_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ic.SchemaError, match=r"Column 'ward' cannot become a pseudonym: it is no key of a table"):
        TableKeys.of({"ward": key(tmp_path, "a")}, TABLES)
    with pytest.raises(ic.ParameterError, match="Two keys have the same secret"):
        TableKeys.of({"person_id": key(tmp_path, "a"), "visit_id": key(tmp_path, "b")}, TABLES)
    with pytest.raises(ic.DataError, match="has 3 bytes, and must have at least 32"):
        TableKeys.of({"person_id": key(tmp_path, "c", b"abc")}, TABLES)


def test_keys_that_are_called_alike_have_secrets_of_their_own() -> None:
    of = {"visits": {"person_id": "patients"}, "labs": {"person_id": "patients"}, "notes": {"v": "visits"}}
    tables = ic.Tables(
        {"patients": [], "visits": [], "labs": [], "notes": [], "tubes": []},
        keys={"patients": "person_id", "visits": "id", "labs": "id"},
        of={**of, "tubes": {"lab": "labs"}},
    )
    secret = TableKeys.of(None, tables).secret
    assert secret["visits"] != secret["labs"]
