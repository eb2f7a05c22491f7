"""Dates of a person shifted together: by the key, on every engine, declared as not true, measured, checked again."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import importlib
import json
import re
import subprocess
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import incrowd as ic
from engines.extras import needed
from engines.subjects import TYPED, Subject, make_subject
from incrowd.core import Domain
from incrowd.engines import day_of, open_table
from incrowd.release import IntervalRisk
from incrowd.release._shifted_dates import offset_of

KEY = bytes(range(32))
DAY = dt.timedelta(days=1)
FIRST = dt.date(2025, 1, 1)
DATES = ic.ShiftedDates(["admission", "discharge"], within=30)
WEEKS = ic.ShiftedDates(["admission", "discharge"], within=30, weekdays=True)


@pytest.fixture(params=[*TYPED, "csv"])
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Subject:
    return make_subject(request.param, tmp_path)


def people(number: int = 60) -> list[dict[str, Any]]:
    """Make up stays; dates are so far apart that no shifted one can be a true one."""
    return [
        {
            "person": f"p{row % 20:02}",
            "age": 30 + row % 2,
            "admission": FIRST + 100 * row * DAY,
            "discharge": None if row % 7 == 0 else FIRST + (100 * row + row % 5) * DAY,
            "disease": ["flu", "hiv", "asthma"][row % 3],
        }
        for row in range(number)
    ]


def roles(dates: ic.ShiftedDates | None = DATES, **more: Any) -> ic.Schema:
    return ic.Schema({"age": None}, ["disease"], entity="person", shifted=dates, **more)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "dates.key"
    path.write_bytes(KEY)
    return path


@pytest.fixture
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ic.PrivacyWarning)
        yield


quiet = pytest.mark.usefixtures("_quiet")


def days(person: str, within: int, step: int = 1, key: bytes = KEY) -> int:
    """Say by how many days a person is shifted, as the documentation has it."""
    own = hmac.new(key, b"incrowd: shift of dates", hashlib.sha256).digest()
    digest, bound = hmac.new(own, person.encode(), hashlib.sha256).digest(), within // step
    while not (found := int(digest.hex(), 16) % (2 * bound + 1) - bound):
        digest = hmac.new(own, digest, hashlib.sha256).digest()
    return found * step


# By how many days


@given(st.text(max_size=8), st.integers(1, 1000), st.booleans())
def test_the_shift_is_what_the_documentation_says(person: str, within: int, weekdays: bool) -> None:
    within = max(within, 7) if weekdays else within
    dates = ic.ShiftedDates(["day"], within, weekdays)
    found = offset_of(KEY, person, dates)
    assert found == days(person, within, 7 if weekdays else 1)
    assert 0 < abs(found) <= dates.furthest <= within
    assert found % dates.step == 0


def test_every_shift_is_about_as_likely_as_any_other_and_none_is_nothing() -> None:
    counted = Counter(offset_of(KEY, str(person), ic.ShiftedDates(["day"], 3)) for person in range(6_000))
    assert sorted(counted) == [-3, -2, -1, 1, 2, 3]
    assert all(850 < count < 1150 for count in counted.values())


def test_within_one_day_or_one_week_there_are_two_shifts() -> None:
    assert {offset_of(KEY, str(n), ic.ShiftedDates(["day"], 1)) for n in range(50)} == {-1, 1}
    assert {offset_of(KEY, str(n), ic.ShiftedDates(["day"], 13, weekdays=True)) for n in range(50)} == {-7, 7}


def test_a_pseudonym_by_the_same_key_is_of_another_domain() -> None:
    digest = hmac.new(KEY, b"p01", hashlib.sha256).digest()
    drawn = {within: int.from_bytes(digest, "big") % (2 * within + 1) - within for within in range(50, 100)}
    assert any(offset_of(KEY, "p01", ic.ShiftedDates(["day"], within)) != drawn[within] for within in drawn)


@pytest.mark.parametrize(
    ("within", "weekdays", "problem"),
    [
        (0, False, "from 1 to 36,525, got 0"),
        (-3, False, "got -3"),
        (6, True, "from 7 to 36,525, so that whole weeks fit, got 6"),
        (40_000, False, "got 40000"),
        (1.5, False, "got 1.5"),
        (True, False, "got True"),
        ("180", False, "got str"),
        (180, "yes", "weekdays must be true or false, got str"),
    ],
)
def test_a_shift_that_cannot_be_is_refused(within: Any, weekdays: Any, problem: str) -> None:
    with pytest.raises(ic.ParameterError, match=problem):
        ic.ShiftedDates(["day"], within, weekdays)


def test_columns_are_named_once_and_have_no_other_role() -> None:
    with pytest.raises(ic.SchemaError, match="names no column"):
        ic.ShiftedDates([], 7)
    with pytest.raises(ic.SchemaError, match="names a column twice"):
        ic.ShiftedDates(["day", "day"], 7)
    with pytest.raises(ic.SchemaError, match="must be a list, got the text 'day'"):
        ic.ShiftedDates("day", 7)
    with pytest.raises(ic.SchemaError, match="shifted must say which dates are shifted and how far, got list"):
        ic.Schema(["age"], shifted=["day"])  # type: ignore[arg-type]
    for other in ({"quasi": ["day", "age"]}, {"sensitive": ["day"]}):
        with pytest.raises(ic.SchemaError, match=r"two roles: .* and shifted.*not true, and no promise counts it"):
            ic.Schema(**{"quasi": ["age"], **other}, shifted=ic.ShiftedDates(["day"], 7))  # type: ignore[arg-type]
    assert roles().role("admission") == "shifted"


# Published


def expected(rows: list[dict[str, Any]], dates: ic.ShiftedDates) -> Counter[tuple[Any, ...]]:
    found: Counter[tuple[Any, ...]] = Counter()
    for row in rows:
        by = days(row["person"], dates.within, dates.step) * DAY
        moved = (None if row[name] is None else str(row[name] + by) for name in dates.columns)
        found[str(row["age"]), *moved, row["disease"]] += 1
    return found


def published(rows: list[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    return Counter(
        tuple(None if value is None or value != value else str(value).removesuffix(" 00:00:00") for value in row)  # noqa: PLR0124
        for row in rows
    )


@quiet
@pytest.mark.parametrize("dates", [DATES, WEEKS])
def test_all_dates_of_a_person_are_shifted_alike_on_every_engine(
    subject: Subject, key: Path, dates: ic.ShiftedDates
) -> None:
    table = pa.Table.from_pylist(people())
    release = ic.anonymize(subject.load(table), roles(dates), model="k>=5", shift_key=key)
    assert published(subject.rows(release.table)) == expected(people(), dates)


@quiet
@pytest.mark.parametrize("algorithm", [ic.Optimal(), ic.LevelsAndCells(), ic.Mondrian(strict=True)])
def test_every_kind_of_search_publishes_them(key: Path, tmp_path: Path, algorithm: Any) -> None:
    table = [{**row, "age": 20 + place // 3} for place, row in enumerate(people())]
    schema = ic.Schema({"age": ic.intervals(5, 10)}, ["disease"], entity="person", shifted=DATES)
    how: dict[str, Any] = {"model": "k>=2", "algorithm": algorithm, "max_suppressed": 0.5, "shift_key": key}
    release = ic.anonymize(table, schema, **how)
    possible = Counter(one[1:] for one in expected(table, DATES).elements())
    assert Counter(one[1:] for one in published([tuple(row.values()) for row in release.table]).elements()) <= possible
    written = ic.anonymize(table, schema, **how, output=tmp_path / "out")
    assert pyarrow.parquet.read_table(written.table).num_rows == len(release.table)
    found = ic.verify(tmp_path / "out", original=table, shift_key=key)
    assert (found.outcome, found.on_trust) == ("holds", ("limits",))


@quiet
@pytest.mark.parametrize("day", ["%d.%m.%Y", "%Y/%m/%d"])
def test_days_of_a_text_file_are_read_and_written_in_its_own_form(tmp_path: Path, key: Path, day: str) -> None:
    lines = ["person;age;admission;discharge;disease"]
    for row in people():
        told = ["" if row[name] is None else row[name].strftime(day) for name in DATES.columns]
        lines.append(";".join([row["person"], str(row["age"]), *told, row["disease"]]))
    (tmp_path / "stays.csv").write_text("\n".join(lines), encoding="utf-8")
    how: dict[str, Any] = {"model": "k>=5", "shift_key": key, "dates": day, "output": tmp_path / "out", "format": "csv"}
    ic.anonymize(tmp_path / "stays.csv", roles(), **how)
    _, *rows = (tmp_path / "out/public/data.csv").read_text().splitlines()
    plain = [[cell or None for cell in row.split(";")] for row in rows]
    for cells in plain:
        cells[1:3] = [cell and str(day_of(day, cell)) for cell in cells[1:3]]
    assert published([*map(tuple, plain)]) == expected(people(), DATES)
    found = ic.verify(tmp_path / "out", original=tmp_path / "stays.csv", shift_key=key)
    assert (found.outcome, found.differences) == ("holds", ())


@quiet
def test_the_key_may_be_that_of_the_pseudonym_of_the_same_column(key: Path) -> None:
    release = ic.anonymize(people(), roles(), model="k>=5", shift_key=key, pseudonyms={"person": key})
    shown = Counter((str(row["admission"]), row["disease"]) for row in release.table)
    assert shown == Counter(one[1::2] for one in expected(people(), DATES).elements())
    assert len({row["person"] for row in release.table}) == 20
    assert "p01" not in str(release.table)


@quiet
def test_other_tables_and_editions_move_alike_whatever_else_they_have(key: Path, tmp_path: Path) -> None:
    first = ic.anonymize(
        people(), roles(), model="k>=5", algorithm=ic.Optimal(), shift_key=key, output=tmp_path / "out"
    )
    later = [{**row, "admission": row["admission"] + 7000 * DAY} for row in people()]
    for known in (first, tmp_path / "out/owner"):
        assert (
            ic.apply(known, later, shift_key=key).table
            == ic.anonymize(later, roles(), model="k>=5", shift_key=key).table
        )
    with pytest.raises(ic.ParameterError, match="are to be shifted, and no key was given"):
        ic.apply(tmp_path / "out/owner", later)
    visits = [{"who": row["person"], "sex": "f", "seen": row["admission"]} for row in people()]
    schema = ic.Schema(["sex"], entity="who", shifted=ic.ShiftedDates(["seen"], 30))
    moved = ic.anonymize(visits, schema, model="k>=5", shift_key=key).table
    assert {row["seen"] for row in moved} == {
        row["admission"] for row in ic.anonymize(people(), roles(), model="k>=5", shift_key=key).table
    }


@quiet
def test_records_that_are_masked_or_left_out_and_rows_in_order_are_shifted_too(key: Path) -> None:
    table = [*people(), {"person": "x", "age": 99, "admission": FIRST, "discharge": None, "disease": "flu"}]
    how: dict[str, Any] = {"model": "k>=5", "shift_key": key, "max_suppressed": 0.5}
    assert len(ic.anonymize(table, roles(), **how).table) == 60
    table += [{**table[-1], "person": who, "age": 98} for who in "yzuvw"]
    masked = ic.anonymize(table, roles(), **how, suppression="mask", algorithm=ic.Optimal())
    stars = {row["admission"] for row in masked.table if row["age"] == "*"}
    assert stars >= {FIRST + days("x", 30) * DAY}
    assert len(masked.table) == 66
    kept = ic.anonymize(people(), roles(), model="k>=5", shift_key=key, order="keep").table
    assert [row["admission"] for row in kept] == [row["admission"] + days(row["person"], 30) * DAY for row in people()]


def test_what_is_dangerous_is_said_as_a_warning(key: Path) -> None:
    table = [{**row, "born": dt.date(1990 + row["age"], 1, 1)} for row in people()]
    with pytest.warns(ic.PrivacyWarning) as caught:
        ic.anonymize(table, roles(insensitive=["born"]), model="k>=5", shift_key=key)
    told = " ".join(str(warning.message) for warning in caught)
    assert (
        "Columns 'admission', 'discharge' are not true: their dates were shifted, all of a person by the same" in told
    )
    assert "Column 'born' has dates that are not shifted: beside them the others can tell by how much." in told
    assert "9 of 20 people are alone by the intervals between their dates (all rows together)" in told


# Refused


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"entity": None}, "are to be shifted by person, and nothing says whose row it is"),
        ({"shifted": None}, "A key to shift dates by was given, and no column is to be shifted"),
        ({"shifted": ic.ShiftedDates(["none"], 7)}, "The table has no column 'none'"),
        (
            {"shifted": ic.ShiftedDates(["number"], 7)},
            "'number' is to be shifted, and holds values of the kind 'number'",
        ),
        ({"shifted": ic.ShiftedDates(["word"], 7)}, "'word' is to be shifted, and has 2 different texts that are no"),
        ({"shifted": ic.ShiftedDates(["never"], 7)}, "'never' has dates that a shift by up to 7 days can take before"),
    ],
)
def test_what_cannot_be_shifted_is_refused_without_a_value(key: Path, change: dict[str, Any], problem: str) -> None:
    more = {"number": 77_177, "never": dt.date(9999, 12, 31)}
    table = [{**row, **more, "word": f"canary {row['age']}"} for row in people()]
    said: dict[str, Any] = {"entity": "person", "shifted": DATES, **change}
    with pytest.raises(ic.IncrowdError, match=problem) as caught:
        ic.anonymize(table, ic.Schema({"age": None}, ["disease"], **said), model="k>=5", shift_key=key, others="drop")
    assert not re.search("canary|77.?177|9999-12-31.*9999-12-31|p0", str(caught.value))


def test_a_row_of_nobody_is_refused_before_anything_is_searched(subject: Subject, key: Path) -> None:
    table = pa.Table.from_pylist([*people(), {**people()[1], "person": None}])
    with pytest.raises(ic.DataError, match="'person' says whose row it is, and is missing in 1 rows"):
        ic.anonymize(subject.load(table), roles(), model="k>=5", shift_key=key)


def test_wrong_keys_are_refused(tmp_path: Path, key: Path) -> None:
    with pytest.raises(
        ic.ParameterError, match=r"'admission', 'discharge' are to be shifted, and no key was given.*urandom"
    ):
        ic.anonymize(people(), roles(), model="k>=5")
    with pytest.raises(ic.DataError, match="The key of the shifted dates cannot be read: No such file"):
        ic.anonymize(people(), roles(), model="k>=5", shift_key=tmp_path / "none")
    key.write_bytes(b"canary")
    with pytest.raises(ic.DataError, match="shifted dates has 6 bytes, and must have at least 32") as caught:
        ic.anonymize(people(), roles(), model="k>=5", shift_key=key)
    assert "canary" not in str(caught.value)


@quiet
@pytest.mark.parametrize(
    "model", ["l>=2[admission]", "t<=0.5[discharge]", "alpha<=0.5[admission]", "beta<=2[admission]"]
)
def test_a_promise_about_a_shifted_column_is_refused(key: Path, model: str) -> None:
    with pytest.raises(
        ic.SchemaError, match=r"is about '(admission|discharge)', whose dates are shifted.*no promise counts"
    ):
        ic.anonymize(people(), roles(), model=f"k>=2, {model}", shift_key=key)


# Declared as not true, and nowhere a true date


@quiet
def test_it_is_declared_as_not_true_everywhere_and_no_true_date_is_anywhere(key: Path, tmp_path: Path) -> None:
    table = people()
    release = ic.anonymize(
        table, roles(WEEKS), model="k>=5", shift_key=key, output=tmp_path / "out", format="csv", about={"purpose": "x"}
    )
    certificate = json.loads((tmp_path / "out/public/release.json").read_text())
    said = {column["name"]: column.get("shifted") for column in certificate["columns"] if column["role"] == "shifted"}
    shown = {"within": 30, "weekdays": True, "true": False}
    assert said == {"admission": shown, "discharge": shown}
    assert any("Columns 'admission', 'discharge' are not true" in limit for limit in certificate["limits"])
    for report in ("public/report.html", "owner/report.html"):
        first_page = (tmp_path / "out" / report).read_text().partition("What is published")[0]
        assert "are not true: their dates were shifted, all of a person by the same days." in first_page
        assert "Each date is shifted by up to 30 days, in whole weeks." in first_page
    assert "20 of 20 people are alone by the intervals" in (tmp_path / "out/owner/report.html").read_text()
    assert "people are alone by the intervals" not in (tmp_path / "out/public/report.html").read_text()
    assert "admission: not true: every date is shifted, all of a person alike, by up to 30 days, in whole weeks." in (
        release.explain()
    )
    recipe = json.loads((tmp_path / "out/owner/recipe.json").read_text())["shifted"]
    assert (recipe["columns"], recipe["intervals"]["alone"]) == (["admission", "discharge"], 20)
    true = {str(row[name]) for row in table for name in DATES.columns if row[name]}
    secret = (KEY, KEY.hex().encode(), b"dates.key")
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(files) > 8
    for path in files:
        content = path.read_bytes()
        assert not any(one in content for one in secret)
        assert not any(day.encode() in content for day in true), path
    assert not any(day in release.explain() + repr(release) + str(release.recipe) for day in true)


@quiet
@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.update(role="insensitive"),
        lambda one: one.pop("shifted"),
        lambda one: one["shifted"].update(true=True),
        lambda one: one["shifted"].update(within=0),
        lambda one: one["shifted"].update(within=6, weekdays=True),
        lambda one: one["shifted"].update(within=29),
        lambda one: one["shifted"].pop("weekdays"),
    ],
)
def test_a_certificate_that_says_otherwise_is_refused_by_both_verifiers(key: Path, tmp_path: Path, change: Any) -> None:
    ic.anonymize(people(), roles(), model="k>=5", shift_key=key, output=tmp_path / "out", format="csv")
    path = tmp_path / "out/public/release.json"
    certificate = json.loads(path.read_text())
    (first, _) = [column for column in certificate["columns"] if column["role"] == "shifted"]
    change(first)
    path.write_text(json.dumps(certificate))
    assert ic.verify(tmp_path / "out").outcome == "does not hold"
    found = subprocess.run([sys.executable, "verify.py"], cwd=path.parent, capture_output=True, check=False)
    assert found.returncode == 1


# Checked again


@quiet
def test_what_the_file_cannot_show_is_on_trust_and_the_owner_measures_it(key: Path, tmp_path: Path) -> None:
    ic.anonymize(people(), roles(), model="k>=5", shift_key=key, output=tmp_path / "out", format="csv")
    assert any("how dates were shifted" in what for what in ic.verify(tmp_path / "out").on_trust)
    told = subprocess.run(
        [sys.executable, "verify.py"], cwd=tmp_path / "out/public", capture_output=True, text=True, check=False
    )
    assert "how dates were shifted" in told.stdout
    found = ic.verify(tmp_path / "out", original=people(), shift_key=key)
    assert (found.outcome, found.on_trust) == ("holds", ("limits",))
    assert "original: every shifted date is the true one, shifted by the days of its person" in found.checked
    without = ic.verify(tmp_path / "out", original=people())
    assert without.outcome == "holds"
    assert any("how dates were shifted" in what for what in without.on_trust)
    with pytest.raises(ic.ParameterError, match="says nothing without the original table"):
        ic.verify(tmp_path / "out", shift_key=key)


@quiet
def test_another_key_a_true_date_or_two_exchanged_ones_are_found(key: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ic.anonymize(people(), roles(), model="k>=5", shift_key=key, output=out, format="csv")
    wrong = "original: every shifted date is the true one, shifted by the days of its person"
    other = tmp_path / "other.key"
    other.write_bytes(KEY[::-1])
    assert ic.verify(out, original=people(), shift_key=other).differences == (wrong,)
    data = out / "public/data.csv"
    whole = data.read_text()
    head, first, second, *rest = whole.splitlines()
    one, two = first.split(","), second.split(",")
    swapped = [",".join([one[0], two[1], *one[2:]]), ",".join([two[0], one[1], *two[2:]])]
    assert one[1] != two[1]
    assert one[2:] != two[2:]
    for changed in (swapped, [first.replace(one[1], "2025-01-01"), second]):
        data.write_text("\n".join([head, *changed, *rest]) + "\n")
        assert wrong in ic.verify(out, original=people(), shift_key=key).differences


@quiet
def test_a_saved_release_can_be_asked_as_any_other(key: Path, tmp_path: Path) -> None:
    release = ic.anonymize(people(), roles(), model="k>=5", shift_key=key)
    release.save(tmp_path / "out")
    assert ic.verify(tmp_path / "out").differences == ()
    assert ic.load_recoding(tmp_path / "out/owner").schema.shifted == DATES
    assert ic.attack(tmp_path / "out", original=people()).to_dict()
    assert ic.risk(tmp_path / "out", original=people()).to_dict()
    assert ic.utility(release, original=people()).to_dict()


# What is left true


def obvious(rows: list[dict[str, Any]], shifts: dict[str, int], dates: ic.ShiftedDates) -> dict[str, int]:
    """Measure rows as published with loops: who is alone, and which shifts are possible."""
    names, step = dates.columns, dates.step
    moved = [{**row, **{n: row[n] and row[n] + shifts[row["person"]] * DAY for n in names}} for row in rows]
    dated = [row for row in moved if any(row[name] for name in names)]

    def begin(days_: list[dt.date]) -> int:
        return min(day.toordinal() + 2 for day in days_) // step * step  # 1 January 1970 begins seven days

    own: dict[str, Counter[Any]] = defaultdict(Counter)
    before: dict[str, Counter[Any]] = defaultdict(Counter)
    single: dict[str, set[Any]] = defaultdict(set)
    for row in dated:
        mine = [other[name] for other in dated if other["person"] == row["person"] for name in names if other[name]]
        own[row["person"]][tuple(row[n] and row[n].toordinal() + 2 - begin(mine) for n in names)] += 1
        here = begin([row[name] for name in names if row[name]])
        single[row["person"]].add(tuple(row[n] and row[n].toordinal() + 2 - here for n in names))
    for row in rows:
        if any(row[name] for name in names):
            before[row["person"]][tuple(row[name] for name in names)] += 1

    def alone(found: dict[str, Counter[Any]]) -> int:
        return sum(sum(one == other for other in found.values()) == 1 for one in found.values())

    possible = {}
    for person in own:
        fits = [
            shift
            for shift in range(-dates.furthest, dates.furthest + 1, step)
            if shift
            and all(
                min(r[n] for r in rows if r[n]) <= row[n] - shift * DAY <= max(r[n] for r in rows if r[n])
                for row in dated
                if row["person"] == person
                for n in names
                if row[n]
            )
        ]
        possible[person] = len(fits)
    number = 2 * dates.furthest // step
    return {
        "persons": len(own),
        "alone_before": alone(before),
        "alone": alone(own),
        "alone_by_row": sum(
            any(sum(row in other for other in single.values()) == 1 for row in mine) for mine in single.values()
        ),
        "shifts": number,
        "narrowed": sum(one < number for one in possible.values()),
        "halved": sum(2 * one <= number for one in possible.values()),
        "certain": sum(one == 1 for one in possible.values()),
    }


STAYS = st.lists(
    st.tuples(st.sampled_from("abcde"), st.none() | st.integers(0, 20), st.none() | st.integers(0, 9)), max_size=12
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    STAYS, st.sampled_from([ic.ShiftedDates(["came", "left"], 5), ic.ShiftedDates(["came", "left"], 15, weekdays=True)])
)
def test_intervals_and_edges_are_measured_as_the_obvious_way_does(
    stays: list[tuple[str, int | None, int | None]], dates: ic.ShiftedDates
) -> None:
    def day(number: int | None) -> dt.date | None:
        return None if number is None else FIRST + number * DAY

    rows: list[dict[str, Any]] = [{"person": "a", "came": None, "left": None}]  # who has no date is not counted
    rows += [{"person": who, "came": day(came), "left": day(left)} for who, came, left in stays]
    shifts = {who: offset_of(KEY, who, dates) for who in "abcde"}
    moved = [{**row, **{n: row[n] and row[n] + shifts[row["person"]] * DAY for n in dates.columns}} for row in rows]
    schema = ic.Schema(["age"], entity="person", shifted=dates)
    windows = {}
    for name in dates.columns:
        if found := [row[name] for row in rows if row[name]]:
            windows[name] = tuple(one.toordinal() - dt.date(1970, 1, 1).toordinal() for one in (min(found), max(found)))
    measured = IntervalRisk.measure(open_table(moved), open_table(rows), schema, windows)
    assert measured is not None
    assert measured.to_dict() == obvious(rows, shifts, dates)


def test_times_of_day_are_part_of_what_stays() -> None:
    noon = dt.datetime.fromisoformat("2025-01-01T12:00")
    schema = ic.Schema(["age"], entity="person", shifted=ic.ShiftedDates(["seen"], 5))
    for hours, alone in ((0, 0), (1, 2)):
        rows = [
            {"person": "a", "seen": noon},
            {"person": "b", "seen": noon + 3 * DAY + dt.timedelta(hours=hours)},
        ]
        found = IntervalRisk.measure(open_table(rows), open_table(rows), schema, {})
        assert found is not None
        assert (found.alone, found.alone_by_row, found.alone_before) == (alone, alone, 2)


def test_intervals_that_do_not_fit_into_memory_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("incrowd.release._shifted_dates.fits_in_memory", lambda engine, request: False)  # noqa: ARG005
    assert IntervalRisk.measure(open_table(people()), open_table(people()), roles(), {}) is None
    assert IntervalRisk.measure(open_table(people()), open_table(people()), roles(None), {}) is None
    assert IntervalRisk.read({}) is None


def test_what_is_measured_is_read_back() -> None:
    found = IntervalRisk(9, 8, 7, 6, 50, 4, 3, 2)
    assert IntervalRisk.read(found.to_dict()) == found
    assert len(found.sentences) == 2
    assert len(IntervalRisk(9, 8, 7, 6, 50, 0, 0, 0).sentences) == 1


def test_a_column_of_texts_has_days_as_any_other() -> None:
    assert Domain.of("day", ["2025-01-01"]).kind == "text"


@quiet
@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_the_label_of_a_column_says_that_it_is_not_true_where_a_format_has_labels(
    key: Path, tmp_path: Path, ending: Any
) -> None:
    needed("pyreadstat")
    pyreadstat = importlib.import_module("pyreadstat")
    labels = {"admission": "Day of admission " + "x" * 80, "age": "Age"}
    table = pa.Table.from_pylist(people()).to_pandas()
    getattr(pyreadstat, f"write_{ending}")(
        table, str(tmp_path / f"in.{ending}"), column_labels={name: labels.get(name, name)[:80] for name in table}
    )
    how: dict[str, Any] = {"model": "k>=5", "shift_key": key}
    ic.anonymize(tmp_path / f"in.{ending}", roles(), **how, output=tmp_path / "out", format=ending, labels=True)
    ic.anonymize(people(), roles(), **how).save(tmp_path / "saved", format=ending)
    for folder, told in (
        ("out", "not true (dates shifted): Day of admission xxxxx"),
        ("saved", "not true (dates shifted)"),
    ):
        meta = getattr(pyreadstat, f"read_{ending}")(str(tmp_path / folder / f"public/data.{ending}"))[1]
        assert meta.column_names_to_labels["admission"].startswith(told)
        assert len(meta.column_names_to_labels["admission"]) <= 80
        assert meta.column_names_to_labels["age"] == ("Age" if folder == "out" else None)
    lines = (tmp_path / "out/public/labels.csv").read_text().splitlines()
    assert any(line.startswith("admission,,not true (dates shifted): Day of") for line in lines)
    assert ic.verify(tmp_path / "out", original=tmp_path / f"in.{ending}", shift_key=key).outcome == "holds"
