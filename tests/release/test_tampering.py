from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.release import _verify, read_certificate
from incrowd.release._certificate import canonical
from incrowd.release._release_file import open_released
from incrowd.release._signature import is_signed
from incrowd.search.levels_and_cells._cells import LendingFormation
from release.forgeries import FEW_KINDS, KINDS, forgeries
from release.test_certificate import key_pair
from release.verified import ORDER, PEOPLE, PROMISES, QUASI, release_of, rewrite, run_script, schema

Capsys = pytest.CaptureFixture[str]
WORDS = {"limits", "owner_only", "escaped"}
"""What stands in a certificate for people to read; only whether it is there follows from the file."""
Edit = Callable[[Any], object]


@pytest.fixture(autouse=True)
def opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the library open a released file once in a test: what is forged here is its certificate."""
    opened: dict[tuple[str, ...], Any] = {}

    def open_once(data: Path, *how: Any, **more: Any) -> Any:
        asked = (str(data), repr(how), repr(more), hashlib.sha256(data.read_bytes()).hexdigest())
        if asked not in opened:
            opened[asked] = open_released(data, *how, **more)
        return opened[asked]

    monkeypatch.setattr(_verify, "open_released", open_once)


def answers(folder: Path, capsys: Capsys) -> tuple[str, str]:
    """Ask the library and the script for their outcome."""
    codes = {0: "holds", 1: "does not hold", 2: "refused", 4: "could not be checked"}
    try:
        library: str = ic.verify(folder).outcome
    except ic.DataError:
        library = "refused"
    return library, codes[run_script(folder, capsys)[0]]


def is_on_trust(place: tuple[Any, ...], what: str) -> bool:
    """Say whether a file cannot disprove an edit: it is about words, the search, or what a column is."""
    if place[:1] == ("versions",) and what in {"deleted", "unknown key"}:
        return place != ("versions",) or what == "unknown key"
    if place == ("data", "dialect", "columns") and what == "shorter":
        return True  # a column that is read as it stands makes the same groups
    if place == ("search",) and what == "deleted":
        return True  # earlier certificates do not say how they were searched
    if place[:2] == ("search", "settings") and len(place) > 2:
        return what in {"deleted", "other value"}
    words = {*place[:1]} & {"versions", "limits", "dropped"} or {*place[-1:]} & WORDS
    return bool(words) and what in {"other value", "shorter", "longer", "emptied"}


@pytest.mark.parametrize(
    ("promise", "kinds"),
    [("enhanced(p=2, alpha=1/3)", FEW_KINDS), ("t<=0.6[hierarchical]", KINDS)],
)
def test_a_certificate_with_any_key_deleted_doubled_or_changed_is_called_fine_by_neither(
    promise: str, kinds: tuple[Any, ...], tmp_path: Path, capsys: Capsys
) -> None:
    release_of(promise).save(tmp_path / "out", format="csv")
    expect_no_forgery_to_pass(tmp_path / "out", (), capsys, kinds)


@pytest.mark.parametrize("promise", PROMISES)
@pytest.mark.filterwarnings("ignore:AlphaAssociation lists", "ignore:.*compares with the original")
def test_a_promise_with_any_field_deleted_doubled_or_changed_is_called_fine_by_neither(
    promise: str, tmp_path: Path, capsys: Capsys
) -> None:
    release_of(promise).save(tmp_path / "out", format="csv")
    expect_no_forgery_to_pass(tmp_path / "out", ("promises", 0), capsys)


def expect_no_forgery_to_pass(
    folder: Path, under: tuple[Any, ...], capsys: Capsys, kinds: tuple[Any, ...] = FEW_KINDS
) -> None:
    path = folder / "public/release.json"
    before = answers(folder, capsys)
    assert before in {("holds", "holds"), ("could not be checked", "could not be checked")}
    for place, what, text in forgeries(json.loads(path.read_text()), under, kinds):
        path.write_text(text)
        library, script = answers(folder, capsys)
        if place[2:3] == ("taxonomy",) and place[4:] > (0,):  # a group of values may be called anything
            assert library == script, (place, what, library, script)
        elif is_on_trust(place, what):
            assert (library, script) == before, (place, what)
        else:
            assert library == script != before[0], (place, what, library, script)


def texts(promise: str) -> list[str]:
    """Edit the text of a promise in ways that a reader, or a search for numbers, may take for the promise."""
    number = next(character for character in promise if character.isdigit())
    return [
        promise.replace(number, f"{number}0", 1),
        promise.replace(number, f"{number}e1", 1),
        promise.replace(number, f"{number}.0", 1),
        f"{promise} (was 1)",
        f"{promise} ",
        f" {promise}",
        promise.upper(),
        promise.replace("]", ", ward]") if "]" in promise else f"{promise}[ward]",
        f"k>=20, {promise}",
    ]


@pytest.mark.parametrize("promise", PROMISES)
@pytest.mark.filterwarnings("ignore:AlphaAssociation lists", "ignore:.*compares with the original")
def test_an_edited_text_of_a_promise_is_called_fine_by_neither(promise: str, tmp_path: Path, capsys: Capsys) -> None:
    release_of(promise).save(tmp_path / "out", format="csv")
    path = tmp_path / "out/public/release.json"
    certificate = json.loads(path.read_text())
    for text in texts(certificate["promise"]):
        certificate["promise"] = certificate["promises"][0]["promise"] = text
        path.write_text(json.dumps(certificate))
        assert answers(tmp_path / "out", capsys) == ("does not hold", "does not hold"), text


def say(certificate: Any, text: str) -> None:
    certificate["promise"] = certificate["promises"][0]["promise"] = text


def bound(certificate: Any, *numbers: str) -> None:
    for need, number in zip(certificate["promises"][0]["required"], numbers, strict=True):
        need["bound"] = number


FORGED: dict[str, tuple[str, list[Edit]]] = {
    "another column in the fields": ("l>=2", [lambda c: c["promises"][0].update(columns=["cost"])]),
    "more than there is, with a remark": ("k>=2", [lambda c: say(c, "k>=20 (was 2)")]),
    "more than there is, in other digits": ("k>=2", [lambda c: say(c, "k>=2e1")]),
    "other values": ("alpha<=0.9[disease: a, b]", [lambda c: c["promises"][0].update(values=["e", "f"])]),
    "another distance": ("t<=0.6", [lambda c: c["promises"][0].update(distance="ordered")]),
    "c and l exchanged": ("recursive(c=3, l=2)", [lambda c: say(c, "recursive(c=2, l=3)")]),
    "c and l exchanged in all": (
        "recursive(c=3, l=2)",
        [lambda c: say(c, "recursive(c=2, l=3)"), lambda c: bound(c, "3", "2"), lambda c: c["promises"][0].update(l=3)],
    ),
    "no promises": ("k>=2", [lambda c: c.update(promises=[])]),
    "no promises, and no text": ("k>=2", [lambda c: c.update(promises=[], promise="")]),
    "a promise that does not hold": ("k>=2", [lambda c: c["promises"][0].update(holds=False)]),
    "nearer to the original": ("t<=0.6", [lambda c: c["promises"][0].update(input_at_most="1/9")]),
    "people instead of records": ("k>=2", [lambda c: c.update(counted="persons")]),
    "a weaker sense": ("k>=2", [lambda c: c["promises"][0]["required"][0].update(sense="<=")]),
    "a failing promise that only the owner knows": (
        "k>=2",
        [lambda c: say(c, "k>=9"), lambda c: bound(c, "9"), lambda c: c["promises"][0].update(owner_only="trust me")],
    ),
}


@pytest.mark.parametrize("forgery", FORGED)
def test_a_forgery_that_once_passed_is_refused_by_both(forgery: str, tmp_path: Path, capsys: Capsys) -> None:
    promise, changes = FORGED[forgery]
    release_of(promise).save(tmp_path / "out", format="csv")
    for change in changes:
        rewrite(tmp_path / "out", change)
    assert answers(tmp_path / "out", capsys) == ("does not hold", "does not hold")


def test_numbers_in_the_name_of_a_column_are_no_bounds(tmp_path: Path, capsys: Capsys) -> None:
    table = [{**row, "icd 10.2": row["disease"]} for row in PEOPLE]
    roles = ic.Schema(QUASI, ["icd 10.2"], identifiers=["name"], insensitive=["disease", "cost", "ward"])
    ic.anonymize(table, roles, model="l>=2[icd 10.2]", max_suppressed=0.5).save(tmp_path / "out", format="csv")
    assert answers(tmp_path / "out", capsys) == ("holds", "holds")
    rewrite(tmp_path / "out", lambda c: bound(c, "10"))
    assert answers(tmp_path / "out", capsys) == ("does not hold", "does not hold")


def test_records_that_are_called_people_are_never_called_fine(tmp_path: Path, capsys: Capsys) -> None:
    release_of("k>=2").save(tmp_path / "out", format="csv")
    rewrite(tmp_path / "out", lambda c: c.update(counted="persons", persons=11))
    assert answers(tmp_path / "out", capsys) == ("could not be checked", "could not be checked")


def test_where_people_are_counted_no_forgery_is_called_fine_by_either(tmp_path: Path, capsys: Capsys) -> None:
    table = [{"who": who, "age": age, "disease": "a" if who < "d" else "b"} for who in "abcdef" for age in (31, 32, 35)]
    roles = ic.Schema({"age": ic.intervals(10)}, ["disease"], entity="who")
    release = ic.anonymize(table, roles, model="k>=3, l>=2, alpha<=0.99, t<=0.5")
    release.save(tmp_path / "out", format="csv")
    path = tmp_path / "out/public/release.json"
    assert answers(tmp_path / "out", capsys) == ("could not be checked", "could not be checked")
    for place, what, text in forgeries(json.loads(path.read_text()), kinds=FEW_KINDS):
        path.write_text(text)
        library, script = answers(tmp_path / "out", capsys)
        assert library == script != "holds", (place, what, library, script)


def test_no_forgery_at_all_keeps_a_signature(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    private, public = key_pair(tmp_path, "ours")
    release = ic.anonymize(PEOPLE, schema(ORDER), model="k>=2, t<=0.6[ordered]", max_suppressed=0.5)
    release.save(tmp_path / "out", format="csv", sign=private)
    path = tmp_path / "out/public/release.json"
    assert ic.verify(path, key=public).holds
    for place, what, text in forgeries(json.loads(path.read_text())):
        path.write_text(text)
        try:
            certificate = read_certificate(path)
            signature = certificate.get("signature")
            signed = isinstance(signature, str) and is_signed(canonical(certificate), signature, public)
        except ic.DataError:
            signed = False
        assert not signed, (place, what)


def test_a_missing_value_has_no_place_in_an_order_and_both_say_so(tmp_path: Path, capsys: Capsys) -> None:
    roles = schema(ORDER)
    ic.anonymize(PEOPLE, roles, model="l>=2", max_suppressed=0.5).save(tmp_path / "out", format="csv")
    place = next(place for place, one in enumerate(_columns(tmp_path / "out")) if "order" in one)
    rewrite(tmp_path / "out", lambda c: c["columns"][place]["order"].append(None))
    assert answers(tmp_path / "out", capsys) == ("does not hold", "does not hold")


def _columns(folder: Path) -> list[dict[str, Any]]:
    return list(json.loads((folder / "public/release.json").read_text())["columns"])


def test_a_file_without_rows_is_no_release_whatever_is_said_of_it(tmp_path: Path, capsys: Capsys) -> None:
    release_of("k>=2").save(tmp_path / "out", format="csv")
    data = tmp_path / "out/public/data.csv"
    data.write_bytes(raw := data.read_bytes().splitlines(keepends=True)[0])
    known = {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw), "rows": 0}
    rewrite(tmp_path / "out", lambda c: c["data"].update(known))
    rewrite(tmp_path / "out", lambda c: c.update(records=0, classes=0))
    assert answers(tmp_path / "out", capsys) == ("does not hold", "does not hold")


# Candidates: what is starred and what fits it is measured on the file.

TOWNS = [("20", "ulm")] * 5 + [("20", "bonn")] + [("47", "köln")] * 2 + [("47", "kiel")]


def starred_release(folder: Path, **how: Any) -> None:
    """Publish a record that looks like no other, between a class inside of it and one around it; nobody lends."""
    table = [{"age": age, "town": town} for age, town in TOWNS]
    roles = ic.Schema(quasi={"age": ic.flat(), "town": ic.flat()})
    kinder = {"model": "k>=3[candidates]", "algorithm": ic.LevelsAndCells()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LendingFormation, "lends", property(lambda _: False, lambda *_: None))
        release = ic.anonymize(table, roles, at_least={"age": 0, "town": 0}, **kinder)  # type: ignore[arg-type]
    assert [(row["age"], row["town"]) for row in release.table].count(("20", "*")) == 1
    release.save(folder, format="csv", **how)


def put_back(folder: Path, row: str, shown: str) -> None:
    """Show a value in the file, and correct all that the certificate counts, but for the promise."""
    data = folder / "public" / "data.csv"
    data.write_bytes(data.read_bytes().replace(row.encode(), shown.encode(), 1))
    raw = data.read_bytes()
    found = Counter(raw.decode().splitlines()[1:])

    def correct(certificate: Any) -> None:
        certificate["data"] |= {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}
        certificate["classes"] = len(found)
        certificate["measures"]["discernibility"] = sum(count * count for count in found.values())
        certificate["measures"]["aecs"] = len(TOWNS) / len(found)

    rewrite(folder, correct)


@pytest.mark.parametrize("how", [{}, {"stars": "null"}])
def test_a_release_with_stars_is_as_certified(how: Any, tmp_path: Path, capsys: Capsys) -> None:
    starred_release(tmp_path / "out", **how)
    told = json.loads((tmp_path / "out/public/release.json").read_text(encoding="utf-8"))["promises"][0]
    assert (told["kind"], told["promise"], told["measured"]) == ("candidates", "k>=3[candidates]", ["3"])
    assert "the one with the fewest stars often is" in told["limits"]
    assert answers(tmp_path / "out", capsys) == ("holds", "holds")


@pytest.mark.parametrize(("row", "shown"), [("20,*", "20,bonn"), ("*,*", "47,*"), ("*,*", "47,kiel")])
def test_a_star_that_somebody_gave_back_is_found(row: str, shown: str, tmp_path: Path, capsys: Capsys) -> None:
    starred_release(tmp_path / "out")
    put_back(tmp_path / "out", row, shown)
    found = ic.verify(tmp_path / "out")
    assert [what for what in found.differences if "k>=3[candidates]" in what]
    assert all("k>=3[candidates]" in what or "starred cells of" in what for what in found.differences)
    assert answers(tmp_path / "out", capsys) == ("does not hold", "does not hold")


@pytest.mark.parametrize("kind", ["k", "candidates"])
def test_the_kinder_promise_passes_for_no_other(kind: str, tmp_path: Path, capsys: Capsys) -> None:
    starred_release(tmp_path / "out")

    def dearer(certificate: Any) -> None:
        certificate["promise"] = "k>=3"
        certificate["promises"][0] |= {"promise": "k>=3", "kind": kind}

    rewrite(tmp_path / "out", dearer)
    assert answers(tmp_path / "out", capsys) == ("does not hold", "does not hold")
