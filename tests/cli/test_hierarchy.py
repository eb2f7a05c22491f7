from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from incrowd.cli import main

Abandon = Callable[..., tuple[int, bytes]]
TABLE = "age,zip,born,job\n20,01234,2020-01-03,cook\n31,01299,2021-01-03,cook\n,88888,2021-06-03,pope\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    return path


def incrowd(*arguments: object) -> int:
    with pytest.raises(SystemExit, match=r"[0-9]") as left:
        main([str(argument) for argument in arguments])
    return int(str(left.value.code))


def build(capsys: pytest.CaptureFixture[str], table: Path, *arguments: object) -> str:
    assert incrowd("hierarchy", "build", table, *arguments) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "first_line"),
    [
        ("--column age --kind intervals --widths 5,10 --start 3 --bottom 4 --top 30", "20;[18, 23);[13, 23);*"),
        ("--column age --kind top-coded --bounds 30,20.5", "20;20;20;*"),
        ("--column age --kind bottom-coded --bounds 21", "20;<21;*"),
        ("--column zip --kind mask --keep 2", "01234;0123*;012**;01***;*"),
        ("--column zip --kind mask --from left", "01234;*1234;**234;***34;****4;*"),
        ("--column born --kind dates --units month,year", "2020-01-03;2020-M01;2020;*"),
        ("--column born --kind dates --units year --format %Y-%m-%d", "2020-01-03;2020;*"),
        ("--column job --kind frequent --at-least 2", "cook;cook;*"),
        ("--column job --kind frequent --at-least 0.5", "cook;cook;*"),
        ("--column age --kind ordered --runs 2", "20;20..31;*"),
        ("--column age --kind quantiles --parts 2", "20;20;*"),
        ("--column job --kind classification --name countries --others elsewhere", "cook;elsewhere;elsewhere;*"),
        ("--column zip --kind postcodes --country DE", "01234;012**;01***;0****;*"),
        ("--column born --kind dates --units week,month", "2020-01-03;2020-M01-W1;2020-M01;*"),
        ("--column job --kind flat", "cook;*"),
        ("--column job", "cook;*"),
    ],
)
def test_every_kind_can_be_built(
    capsys: pytest.CaptureFixture[str], table: Path, options: str, first_line: str
) -> None:
    assert build(capsys, table, *options.split()).splitlines()[0] == first_line


@pytest.mark.parametrize(("kind", "option"), [("classification", "--name"), ("postcodes", "--country")])
def test_a_kind_says_which_option_it_needs(
    capsys: pytest.CaptureFixture[str], table: Path, kind: str, option: str
) -> None:
    assert incrowd("hierarchy", "build", table, "--column", "job", "--kind", kind) == 2
    assert f"--kind {kind} needs {option}." in capsys.readouterr().err


def test_talk_goes_to_stderr_and_data_to_stdout(capsys: pytest.CaptureFixture[str], table: Path) -> None:
    assert incrowd("hierarchy", "build", table, "--column", "age", "--kind", "flat") == 0
    said = capsys.readouterr()
    assert said.out == "20;*\n31;*\n"
    assert said.err == (
        "2 values, 1 level above them\nnote: missing values have no line; they stay apart until the top.\n"
    )


def test_a_file_is_written_once_and_replaced_only_by_force(
    capsys: pytest.CaptureFixture[str], table: Path, tmp_path: Path
) -> None:
    target = tmp_path / "zip.csv"
    arguments = ("hierarchy", "build", table, "--column", "zip", "--kind", "mask", "-o", target)
    assert incrowd(*arguments) == 0
    assert capsys.readouterr().err == f"wrote {target}: 3 values, 5 levels above them\n"
    assert incrowd(*arguments) == 2
    assert "The file 'zip.csv' exists already." in capsys.readouterr().err
    assert incrowd(*arguments, "--force") == 0
    assert {path.name for path in tmp_path.iterdir()} == {"people.csv", "zip.csv"}


def test_the_table_is_never_replaced_by_its_hierarchy(
    capsys: pytest.CaptureFixture[str], table: Path, tmp_path: Path
) -> None:
    before = table.read_text()
    (tmp_path / "link.csv").symlink_to(table)
    for target in (table, tmp_path / "link.csv"):
        assert incrowd("hierarchy", "build", table, "--column", "zip", "-o", target, "--force") == 2
        assert f"Cannot write to '{target.name}': that file is read for it" in capsys.readouterr().err
    assert table.read_text() == before


def test_what_was_built_passes_the_check_and_can_be_shown(
    capsys: pytest.CaptureFixture[str], table: Path, tmp_path: Path
) -> None:
    target = tmp_path / "age.csv"
    build(capsys, table, "--column", "age", "--kind", "intervals", "--widths", "10", "-o", target)
    assert incrowd("hierarchy", "check", target, "--data", table, "--column", "age") == 0
    assert capsys.readouterr().out == "PASS  2 values, 2 levels above them\n"
    assert incrowd("hierarchy", "show", target, "--data", table, "--column", "age") == 0
    drawing = capsys.readouterr().out.splitlines()
    assert drawing[0] == "*  (3 values)"
    assert drawing[-1] == "└── (missing)  (1 value)"


def test_a_file_of_numbers_is_shown_in_their_order(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("10;*\n9;*\n100;*\n")
    assert incrowd("hierarchy", "show", tmp_path / "n.csv", "--max-children", "1") == 0
    assert capsys.readouterr().out == "*  (3 values)\n├── 9\n└── … 2 more\n"


def test_check_lists_all_problems_and_leaves_with_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("a,x,*\nb,x\na,y,*\n")
    assert incrowd("hierarchy", "check", tmp_path / "h.csv") == 1
    assert capsys.readouterr().out.splitlines() == [
        "h.csv: line 2: has a path of 2 labels, but line 1 has one of 3; all must be equal.",
        "h.csv: line 3: the value of line 1 is listed again with another path.",
        "FAIL  2 problems",
    ]


def test_uncovered_values_are_shown_only_on_request(
    capsys: pytest.CaptureFixture[str], table: Path, tmp_path: Path
) -> None:
    (tmp_path / "job.csv").write_text("cook;*\n")
    arguments = (tmp_path / "job.csv", "--data", table, "--column", "job")
    assert incrowd("hierarchy", "check", *arguments) == 1
    assert "pope" not in capsys.readouterr().out
    assert incrowd("hierarchy", "check", *arguments, "--show-values") == 1
    assert "  'pope'\nFAIL  1 problem\n" in capsys.readouterr().out
    assert incrowd("hierarchy", "show", *arguments) == 2
    assert "pope" not in capsys.readouterr().err
    assert incrowd("hierarchy", "show", *arguments, "--show-values") == 2
    assert "  'pope'\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("build", "TABLE", "--column", "zpi"), "no column 'zpi'"),
        (("build", "TABLE", "--column", "zip", "--kind", "fog"), "There is no kind of hierarchy 'fog'"),
        (
            ("build", "TABLE", "--column", "zip", "--kind", "mask", "--widths", "5"),
            "--widths does not belong to --kind mask",
        ),
        (("build", "TABLE", "--column", "age", "--kind", "intervals"), "intervals needs at least one width"),
        (("build", "TABLE", "--column", "age", "--kind", "intervals", "--widths", "x"), "finite number, got 'x'"),
        (("build", "TABLE", "--column", "zip", "--kind", "mask", "--keep", "1.5"), "keep must be a whole number"),
        (
            ("build", "TABLE", "--column", "job", "--kind", "intervals", "--widths", "5"),
            "2 of 2 values that are no finite",
        ),
        (("build", "no.csv", "--column", "zip"), "no file 'no.csv'"),
        (("show", "no.csv"), "'no.csv' cannot be read"),
        (("check", "no.csv"), "'no.csv' cannot be read"),
        (("check", "TABLE", "--column", "zip"), "--data is missing"),
        (("check", "TABLE", "--data", "TABLE"), "--column is missing"),
        (("check", "TABLE", "--encoding", "latin-1"), "--data is missing"),
        (("show", "TABLE", "--separator", ";"), "--data is missing"),
        (("build", "TABLE", "--column", "zip", "--separator", "::"), "The separator must be one character"),
        (("build", "TABLE", "--column", "zip", "--encoding", "utf-9"), "There is no encoding 'utf-9'"),
        (("build", "src", "--column", "zip"), "only Parquet and text are read"),
        (("show", "."), "'.'"),
        (("check", "."), "'.'"),
        (("build", "TABLE", "--column", "zip", "-o", "/proc/zip.csv"), "Cannot write the file 'zip.csv'"),
        (("build", "TABLE", "--column", "zip", "-o", "no/zip.csv"), "its folder 'no' does not exist"),
        (("build", "TABLE"), "Missing option"),
    ],
)
def test_wrong_use_is_told_and_leaves_with_two(
    capsys: pytest.CaptureFixture[str], table: Path, arguments: tuple[str, ...], message: str
) -> None:
    given = [str(table) if argument == "TABLE" else argument for argument in arguments]
    assert incrowd("hierarchy", *given) == 2
    said = capsys.readouterr()
    assert (said.out, message in said.err, said.err[:5]) == ("", True, "error")


def test_a_place_that_cannot_be_written_is_told_before_the_table_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert incrowd("hierarchy", "build", "no.csv", "--column", "zip", "-o", "/proc/zip.csv") == 2
    assert "Cannot write the file 'zip.csv'" in capsys.readouterr().err


def test_one_of_a_thing_is_said_in_the_singular(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("a;*\n")
    assert incrowd("hierarchy", "check", tmp_path / "one.csv") == 0
    assert capsys.readouterr().out == "PASS  1 value, 1 level above it\n"


def test_a_table_of_another_encoding_and_separator_can_be_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table, hierarchy = tmp_path / "people.csv", tmp_path / "city.csv"
    table.write_bytes("name#city\na,b#Köln\n".encode("latin-1"))
    hierarchy.write_text("Köln;*\n", encoding="utf-8")
    layout = ("--column", "city", "--encoding", "latin-1", "--separator", "#")
    assert build(capsys, table, *layout) == "Köln;*\n"
    assert incrowd("hierarchy", "check", hierarchy, "--data", table, *layout) == 0
    assert incrowd("hierarchy", "show", hierarchy, "--data", table, *layout) == 0
    assert "Köln" in capsys.readouterr().out


def test_a_tab_can_be_typed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,c\td\n1,2,3\tx\n")
    assert build(capsys, tmp_path / "t.csv", "--column", "d", "--separator", r"\t") == "x;*\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_stops_a_long_drawing(abandon: Abandon, tmp_path: Path, unbuffered: str) -> None:
    (tmp_path / "long.csv").write_text("".join(f"value {number};*\n" for number in range(20_000)))
    script = (
        f"from incrowd.cli import main; main(['hierarchy', 'show', '{tmp_path}/long.csv', '--max-children', '99999'])"
    )
    assert abandon(script, PYTHONUNBUFFERED=unbuffered) == (130, b"")
