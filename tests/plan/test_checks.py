"""Every mistake in a plan is named with its place, and what would be right."""

from __future__ import annotations

import os
import pickle
import time
from pathlib import Path

import pytest

import incrowd as ic
from engines.mutations import mutations
from plan.plans import SMALL, changed

ROLES = "'quasi', 'sensitive', 'identifier', 'insensitive', 'shifted' or 'drop'"
EXAMPLES = "k>=5, l>=3[disease], t<=0.2[cost, ordered], enhanced(p=2, alpha=2)"
NESTED = "For example 5, 10, 20: each a multiple of the one before."


def problems(path: Path) -> list[tuple[int | None, str, str]]:
    with pytest.raises(ic.PlanError, match=r"The plan '\w+\.toml' has") as caught:
        ic.Plan.read(path)
    return [(problem.line, problem.key, problem.message) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "message"),
    [
        ("version = 1", "version = 2", 1, "version", "this incrowd reads plans of version 1, got 2."),
        ("version = 1\n", "", None, "version", "'version' is missing here."),
        ("[data]\n", "[dta]\n", 2, "dta", "is unknown; did you mean 'data'?"),
        ("path =", "pth =", 3, "data.pth", "is unknown; did you mean 'path'?"),
        ('"patients.csv"', "7", 3, "data.path", "must be a text, got 7."),
        ('"patients.csv"', '""', 3, "data.path", "must be a text that is not empty, got ''."),
        (
            'path = "patients.csv"', 'encoding = "utf-8"', 2, "data",
            "does not say where the table is; give one of 'path', 'table' and 'query'.",
        ),
        (
            'path = "patients.csv"', 'table = "patients"', 3, "data.table",
            "needs 'connection_env', the environment variable that says how to connect.",
        ),
        (
            '"patients.csv"', '"patients.csv"\nconnection_env = "DB"', 4, "data.connection_env",
            "belongs to a table or a query, not to a file.",
        ),
        ('"patients.csv"', '"patients.csv"\nseparator = "ab"', 4, "data.separator", "must be one character, got 'ab'."),
        (
            '"patients.csv"', '"patients.csv"\nencoding = "utf-9"', 4, "data.encoding",
            "is not a known encoding: 'utf-9'; for example 'utf-8'.",
        ),
        (
            '"patients.csv"', '"patients.csv"\nmemory = "lots"', 4, "data.memory",
            "memory cannot be read: 'lots'. Write a number and a unit, such as '500MB' or '4GB'.",
        ),
        (
            '"patients.csv"', '"patients.csv"\nentity = "age"', 4, "data.entity",
            "'age' has the role 'quasi'; the column of persons is never published.",
        ),
        (
            '"patients.csv"', '"patients.csv"\ncount = "age"', 4, "data.count",
            "'age' has the role 'quasi' too; remove one of them.",
        ),
        (
            '"identifier"', '"identifer"', 5, "columns.name.role",
            f"must be {ROLES}, got 'identifer'. Did you mean 'identifier'?",
        ),
        ('role = "identifier"', "", 4, "columns.name.role", "'role' is missing here."),
        (
            'role = "identifier"', 'role = "identifier"\nkeep = "pseudonym"', 6, "columns.name.keep",
            "needs 'key_file' too.",
        ),
        (
            'role = "identifier"', 'role = "identifier"\nat_most = 1', 6, "columns.name.at_most",
            "belongs to columns with the role 'quasi', not 'identifier'.",
        ),
        (
            "{ intervals = [10, 20] }", "{ intervals = [10, 25] }", 8, "columns.age.hierarchy.intervals",
            f"widths must nest: 25 is not a whole multiple of 10. {NESTED}",
        ),
        (
            "{ intervals = [10, 20] }", '{ intervals = ["ten"] }', 8, "columns.age.hierarchy.intervals.0",
            "must be a number, got 'ten'.",
        ),
        (
            "{ intervals = [10, 20] }", "{ intervals = [10], strat = 5 }", 8, "columns.age.hierarchy.strat",
            "is unknown; did you mean 'start'?",
        ),
        (
            "{ intervals = [10, 20] }", '{ intervals = [10], mask = "right" }', 8, "columns.age.hierarchy",
            "asks for 2 hierarchies, 'intervals' and 'mask'; a column has one.",
        ),
        (
            "{ intervals = [10, 20] }", "{ interval = [10] }", 8, "columns.age.hierarchy",
            "is not a known hierarchy; did you mean 'intervals'?",
        ),
        (
            "{ intervals = [10, 20] }", "7", 8, "columns.age.hierarchy",
            "a hierarchy is a table or one of 'auto', 'flat', 'mask', got a number.",
        ),
        ("{ intervals = [10, 20] }", '"atuo"', 8, "columns.age.hierarchy",
            "must be 'auto', 'flat' or 'mask', got 'atuo'. Did you mean 'auto'?"),
        (
            "{ intervals = [10, 20] }", '{ tree = "no.csv" }', 8, "columns.age.hierarchy.tree",
            "The file 'no.csv' cannot be read: No such file or directory. Check the path and your rights.",
        ),
        ("[10, 20] }", "[10, 20] }\nat_least = 2\nat_most = 1", 10, "columns.age.at_most",
            "must be at least 2, which is 'at_least'."),
        ("[10, 20] }", "[10, 20] }\nat_most = -1", 9, "columns.age.at_most", "must be at least 0, got -1."),
        (
            "[10, 20] }", "[10, 20] }\nimportance = inf", 9, "columns.age.importance",
            "must be a finite number, got inf.",
        ),
        (
            'role = "sensitive"', 'role = "sensitive"\ncategories = { a = ["b"] }\nhierarchy = { ordered = ["b"] }',
            14, "columns.disease.categories", "cannot stand beside a hierarchy; give one of the two.",
        ),
        ('["k>=2", "l>=2[disease]"]', "[]", 15, "privacy.promise", "must not be empty."),
        ('"k>=2"', '"k>2"', 15, "privacy.promise.0",
            "The promise 'k>2' cannot be read: k is not written with '>'. Write it like k>=2."),
        ('"k>=2"', "2", 15, "privacy.promise.0", "must be a text, got 2."),
        ("l>=2[disease]", "l>=2[diseas]", 15, "privacy.promise.1",
            "is about 'diseas', which is no column of the plan; did you mean 'disease'?"),
        ("l>=2[disease]", "l>=2[age]", 15, "privacy.promise.1",
            "is about 'age', which has the role 'quasi' and not 'sensitive'."),
        ("= 0.5", "= 1.5", 16, "privacy.max_suppressed", "must be at most 1, got 1.5."),
        ("= 0.5", "= true", 16, "privacy.max_suppressed", "must be a number, got true."),
        ("= 0.5", "= 0.5\nmax_suppressed_records = 5", 17, "privacy.max_suppressed_records",
            "cannot stand beside 'max_suppressed'; give one of the two."),
        ("= 0.5", '= 0.5\n[search]\nalgorithm = "optmal"', 18, "search.algorithm",
            "there is no search 'optmal'; did you mean 'optimal'?"),
        ("= 0.5", '= 0.5\n[search]\nalgorithm = { name = "optimal", secnds = 5 }', 18, "search.algorithm.secnds",
            "is no parameter of 'optimal'; did you mean 'seconds'?"),
        ("= 0.5", '= 0.5\n[search]\nalgorithm = { name = "optimal", seconds = -5 }', 18, "search.algorithm",
            "seconds must be above 0, got -5."),
        ("= 0.5", '= 0.5\n[search]\nalgorithm = "incognito"\nseconds = 5', 19, "search.seconds",
            "the search 'incognito' has no 'seconds'; remove this line, or choose 'levels-and-items' or 'optimal'."),
        ("= 0.5", '= 0.5\n[search]\nmeasure = "loss"\nalgorithm = { name = "optimal", measure = "loss" }', 18,
            "search.measure", "is given in the table of the algorithm too; remove one of them."),
        ("= 0.5", '= 0.5\n[output]\nformat = "docx"', 18, "output.format",
            "must be 'parquet', 'csv', 'csv.gz', 'arrow', 'xlsx', 'sav' or 'dta', got 'docx'."),
    ],
)  # fmt: skip
def test_an_error_names_line_key_and_what_would_be_right(
    folder: Path, old: str, new: str, line: int | None, key: str, message: str
) -> None:
    assert (line, key, message) in problems(changed(folder, old, new))


def test_a_measure_that_there_is_not_is_named(folder: Path) -> None:
    found = problems(changed(folder, "[privacy]", '[search]\nmeasure = "los"\n[privacy]'))
    assert [(line, key) for line, key, _ in found] == [(15, "search.measure")]
    assert found[0][2].startswith("measure must be one of 'loss', ")


def test_a_promise_must_say_which_of_two_columns_it_is_about(folder: Path) -> None:
    path = changed(folder, 'role = "quasi"\nhierarchy = "flat"', 'role = "sensitive"')
    path.write_text(path.read_text().replace("l>=2[disease]", "l>=2"))
    assert problems(path)[0][2].startswith("does not say which column it is about, and 2 columns are sensitive;")


def test_somebody_must_be_recognisable(folder: Path) -> None:
    path = changed(folder, 'role = "quasi"\nhierarchy = { intervals = [10, 20] }', 'role = "drop"')
    path.write_text(path.read_text().replace('role = "quasi"\nhierarchy = "flat"', 'role = "drop"'))
    assert problems(path)[0][1:] == (
        "columns", "no column has the role 'quasi': by which could somebody recognise a person?"
    )  # fmt: skip


def test_all_errors_are_said_at_once_in_the_order_of_the_file(folder: Path) -> None:
    path = folder / "changed.toml"
    text = SMALL.replace("path", "pth").replace('"identifier"', '"person"').replace("k>=2", "k>2").replace("0.5", "5")
    path.write_text(text)
    assert [(line, key) for line, key, _ in problems(path)] == [
        (3, "data.pth"),
        (5, "columns.name.role"),
        (16, "privacy.max_suppressed"),
    ]


def test_sections_that_can_be_read_are_checked_although_others_cannot(folder: Path) -> None:
    path = folder / "changed.toml"
    path.write_text(SMALL.replace('"identifier"', '"person"').replace("k>=2", "k>2").replace("[10, 20]", "[10, 25]"))
    assert [(line, key) for line, key, _ in problems(path)] == [
        (5, "columns.name.role"),
        (8, "columns.age.hierarchy.intervals"),
        (15, "privacy.promise.0"),
    ]


def test_an_error_points_at_the_place(folder: Path) -> None:
    with pytest.raises(ic.PlanError, match="has a problem") as caught:
        ic.Plan.read(changed(folder, '"identifier"', '"identifer"'))
    assert str(caught.value) == (
        "The plan 'changed.toml' has a problem.\n"
        " --> changed.toml:5  columns.name.role\n"
        "  |\n"
        '5 | role = "identifer"\n'
        "  |        ^^^^^^^^^^^ must be 'quasi', 'sensitive', 'identifier', 'insensitive', 'shifted' or 'drop', "
        "got 'identifer'. Did you mean 'identifier'?"
    )


def test_a_plan_error_survives_the_way_from_another_process(folder: Path) -> None:
    with pytest.raises(ic.PlanError, match="has a problem") as caught:
        ic.Plan.read(changed(folder, '"identifier"', '"identifer"'))
    copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert (str(copy), copy.problems) == (str(caught.value), caught.value.problems)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('path = "patients.csv"', 'path = "patients.csv"\npassword = "canary"'),
        ('path = "patients.csv"', 'table = "t"\nconnection_env = "postgres://me:canary@host"'),
        ('[data]\npath = "patients.csv"', 'data = { password = "canary", path = 7 }'),
        ('"patients.csv"', '"patients.csv"\nmissing = ["canary", 7]'),
        ('role = "sensitive"', 'role = "sensitive"\ncategories = { bad = ["canary"], good = ["canary"] }'),
        ('role = "sensitive"', 'role = "sensitive"\ncategories = { bad = "canary" }'),
        ("{ intervals = [10, 20] }", '{ tree = { a = "canary" } }'),
        ("{ intervals = [10, 20] }", '{ ordered = ["canary", "canary"] }'),
        ("{ intervals = [10, 20] }", '{ ordered = ["canary", "b"], levels = [{ x = ["canary"] }] }'),
        ("{ intervals = [10, 20] }", '{ ordered = ["canary"], lvels = [2] }'),
        ('[data]\npath = "patients.csv"', '[data]\nquery = ["select canary"]'),
    ],
)  # fmt: skip
def test_no_error_quotes_what_may_be_a_value_or_a_password(folder: Path, old: str, new: str) -> None:
    with pytest.raises(ic.PlanError, match="has") as caught:
        ic.Plan.read(changed(folder, old, new))
    assert "canary" not in f"{caught.value!s} {caught.value!r} {caught.value.problems!r}"
    assert caught.value.__context__ is None


def test_a_table_that_was_taken_for_a_plan_is_not_shown(folder: Path) -> None:
    with pytest.raises(ic.PlanError, match=r"line 1 is not TOML\. Is this file the plan\?") as caught:
        ic.Plan.read(folder / "patients.csv")
    assert "name" not in str(caught.value)
    assert caught.value.__context__ is None


def test_what_is_no_toml_says_where(folder: Path) -> None:
    path = changed(folder, "[data]", "[data")
    (problem,) = problems(path)
    assert problem[0] == 2
    assert problem[2].startswith("is not TOML: ")


def test_a_file_that_cannot_be_read_says_so(folder: Path) -> None:
    with pytest.raises(ic.DataError, match=r"The plan 'no\.toml' cannot be read: No such file or directory\."):
        ic.Plan.read(folder / "no.toml")
    (folder / "latin.toml").write_bytes(SMALL.replace("name", "größe").encode("latin-1"))
    with pytest.raises(ic.PlanError, match="line 4 is not UTF-8"):
        ic.Plan.read(folder / "latin.toml")


LONG = "a" + ".a" * 20_000


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ("1\n" + "\n".join(f"k{number} = 1" for number in range(300_000)), "holds more than 100,000 keys and values."),
        ("[" + '"k>=2", ' * 100_000 + "]", "holds more than 100,000 keys and values."),
        ("[" * 100_000 + "]" * 100_000, "nests deeper than 40 levels."),
        ("[" * 400 + "]" * 400, "nests deeper than 40 levels."),
        ("{ a = " * 400 + "1" + " }" * 400, "nests deeper than 40 levels."),
        (f"1\n{LONG} = 1", "nests deeper than 40 levels."),
        (f"1\n[{LONG}]", "nests deeper than 40 levels."),
        ("9" * 5_000, "holds a whole number that is too large: 64 bits are the most."),
        ("9" * 4_000, "holds a whole number that is too large: 64 bits are the most."),
        (str(2**63), "holds a whole number that is too large: 64 bits are the most."),
    ],
    ids=["keys", "items", "deep", "lists", "tables", "dotted", "header", "digits", "large", "65 bits"],
)
def test_a_plan_that_would_take_the_reader_down_is_refused_at_once(value: str, wrong: str, tmp_path: Path) -> None:
    path = changed(tmp_path, "[privacy]", f"[privacy]\nodd = {value}")
    begun = time.monotonic()
    [(_, _, message)] = problems(path)
    assert message == wrong
    assert time.monotonic() - begun < 30


def test_a_plan_that_nests_too_deep_is_refused_from_python_too() -> None:
    deep: dict[str, object] = {}
    for _ in range(5_000):
        deep = {"a": deep}
    with pytest.raises(ic.PlanError, match="nests deeper than 40 levels"):
        ic.Plan.of(deep)


def test_of_many_problems_the_first_are_drawn_and_the_others_counted(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(SMALL + "".join(f"k{number} = 1\n" for number in range(200)), encoding="utf-8")
    with pytest.raises(ic.PlanError, match="has 200 problems") as caught:
        ic.Plan.read(tmp_path / "plan.toml")
    assert len(caught.value.problems) == 200
    assert str(caught.value).endswith("and 170 more")


def test_a_long_line_is_cut(tmp_path: Path) -> None:
    path = changed(tmp_path, '"k>=2"', f'"{"(" * 20_000}"')
    with pytest.raises(ic.PlanError, match="A promise has 10,000 characters at most, got 20,000") as caught:
        ic.Plan.read(path)
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize(("old", "key"), [('"patients.csv"', "data.path"), ("[privacy]", "output.folder")])
@pytest.mark.parametrize(("name", "wrong"), [("a\\u0000b", "a character that no file"), ("a" * 5_000, "long")])
def test_what_no_file_can_be_called_is_said_of_the_plan(
    old: str, key: str, name: str, wrong: str, tmp_path: Path
) -> None:
    written = f'"{name}"' if key == "data.path" else f'[output]\nfolder = "{name}"\n[privacy]'
    [(line, where, message)] = problems(changed(tmp_path, old, written))
    assert line is not None
    assert (where, wrong in message) == (key, True)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ic.DataError, match="The plan 'pipe' cannot be read: it is a pipe or a device, and no file"):
        ic.Plan.read(tmp_path / "pipe")


def test_whatever_is_damaged_of_a_plan_it_is_read_or_its_problems_are_said(tmp_path: Path) -> None:
    refused = 0
    for content in mutations(SMALL.encode(), 150):
        (tmp_path / "plan.toml").write_bytes(content)
        try:
            ic.Plan.read(tmp_path / "plan.toml")
        except ic.PlanError:
            refused += 1
    assert refused > 50


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('"patients.csv"', '"{}"', "data.path"),
        ('"identifier"', '"{}"', "columns.name.role"),
        ('"flat"', '{{ tree = "{}" }}', "columns.sex.hierarchy.tree"),
        ("[privacy]", '[output]\nfolder = "{}"\n[privacy]', "output.folder"),
        ("[privacy]", '[output]\n"{}" = 1\n[privacy]', "output.postgresql:..."),
        ('"k>=2"', '"{}"', "privacy.promise.0"),
        ("version = 1", "version = {}", ""),
    ],
)
def test_a_password_in_a_plan_is_not_repeated(old: str, new: str, key: str, tmp_path: Path) -> None:
    path = changed(tmp_path, old, new.format("postgresql://me:sesame@host/db"))
    with pytest.raises(ic.PlanError, match="has a problem") as caught:
        ic.Plan.read(path)
    assert [problem.key for problem in caught.value.problems] == [key]
    assert "sesame" not in f"{caught.value}{caught.value.problems}"


# Shifted dates

STAYS = """\
version = 1
[data]
path = "stays.csv"
entity = "person"
[columns.age]
role = "quasi"
[columns.came]
role = "shifted"
[shift]
within = 30
weekdays = true
key_file = "dates.key"
[privacy]
promise = ["k>=2"]
"""
SHOULD = (
    "a shifted date is not true, and no promise counts it: shift it, or publish it vaguer as a quasi-identifier, by "
    "the hierarchy"
)
WITHIN = "within must be a whole number of days from 7 to 36,525,"


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (
            'entity = "person"\n',
            "",
            (7, "columns.came.role", "dates are shifted by person: 'entity' under [data] must say whose row it is."),
        ),
        ("within = 30\n", "", (9, "shift", "'within' is missing under [shift], for example 180.")),
        ('key_file = "dates.key"\n', "", (9, "shift", "'key_file' is missing under [shift], for example 'dates.key'.")),
        ('role = "shifted"', 'role = "drop"', (9, "shift", "no column has the role 'shifted'.")),
        ('"dates.key"', f'"{"k" * 300}"', (12, "shift.key_file", "cannot be a path: its name is too long.")),
        (
            "within = 30",
            "within = 6",
            (
                10,
                "shift.within",
                f"{WITHIN} so that whole weeks fit, got 6. For example 180: half a year to either side.",
            ),
        ),
        ("within = 30", "within = 30.5", (10, "shift.within", "must be a whole number, got 30.5.")),
        ("weekdays = true", 'weekdays = "yes"', (11, "shift.weekdays", "must be true or false, got 'yes'.")),
        ("weekdays", "weekday", (11, "shift.weekday", "is unknown; did you mean 'weekdays'?")),
        (
            '["k>=2"]',
            '["k>=2", "l>=2[came]"]',
            (
                14,
                "privacy.promise.1",
                f"is about 'came', which has the role 'shifted' and not 'sensitive'; {SHOULD} dates(...).",
            ),
        ),
        (
            'role = "shifted"',
            'role = "shifted"\nhierarchy = "auto"',
            (9, "columns.came.hierarchy", "belongs to columns with the role 'quasi' or 'sensitive', not 'shifted'."),
        ),
    ],
)
def test_what_is_wrong_with_a_shift_is_named_with_its_place(
    tmp_path: Path, old: str, new: str, found: tuple[int, str, str]
) -> None:
    assert old in STAYS
    (tmp_path / "plan.toml").write_text(STAYS.replace(old, new), encoding="utf-8")
    assert found in problems(tmp_path / "plan.toml")


def test_a_shift_that_is_not_there_is_asked_for_at_the_column(tmp_path: Path) -> None:
    head, _, tail = STAYS.partition("[shift]")
    (tmp_path / "plan.toml").write_text(head + tail[tail.index("[privacy]") :], encoding="utf-8")
    assert problems(tmp_path / "plan.toml") == [
        (8, "columns.came.role", "'within' is missing under [shift], for example 180."),
        (8, "columns.came.role", "'key_file' is missing under [shift], for example 'dates.key'."),
    ]
