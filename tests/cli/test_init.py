from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import incrowd as ic
from incrowd.cli import main
from incrowd.plan._sections import searches

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Give a way to run ``incrowd init`` in an empty folder: its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def init(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["init", *arguments])
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return init


@pytest.fixture
def patients(tmp_path: Path) -> str:
    lines = [
        f"{number};{30 + number % 5};{'fm'[number % 2]};canary{number // 2 % 4};{number % 3}" for number in range(40)
    ]
    (tmp_path / "patients.csv").write_text("\n".join(["patient_id;age;sex;disease;x", *lines, ""]))
    return "patients.csv"


def test_says_what_each_column_is_and_why(run: Run, patients: str) -> None:
    code, out, err = run(patients)
    assert code == 0
    assert out == (
        "read with separator ';'\n"
        "\n"
        "column      proposed role         why                                         sure\n"
        "patient_id  names a person        name suggests a number that stands for a    high\n"
        "                                  person or a record\n"
        "age         could help recognise  name suggests an age                        high\n"
        "sex         could help recognise  name suggests a sex or gender               high\n"
        "disease     confidential          name suggests health                        high\n"
        "x           could help recognise  nothing tells what it is: number, 3 values  LOW\n"
        "\n"
        "20 of 40 records (50.0 %) are one of a kind by what could help recognise them\n"
        "\n"
        "please check, most dangerous first:\n"
        "   1. 'x' becomes vaguer, as something that others could know: nothing tells what it is\n"
    )
    assert err == (
        "read 40 rows, 5 columns, no missing values\n"
        "\n"
        "\n"
        "wrote plan.toml (5 columns, commented)\n"
        "next: answer in plan.toml what is to be checked, then  incrowd anonymize plan.toml\n"
    )


def test_writes_a_commented_plan_that_runs(run: Run, patients: str) -> None:
    run(patients)
    text = Path("plan.toml").read_text()
    assert 'role = "quasi"  # please check\n' in text
    assert "# name suggests an age; number, 5 values\n[columns.age]\n" in text
    assert "# 50.0 % of the records are one of a kind by the 3 columns called quasi here\n" in text
    plan = ic.Plan.read("plan.toml")
    assert str(plan.model()) == "k>=5, l>=3[disease]"
    assert plan.run().verdict.holds


def test_no_value_of_the_table_is_shown_or_written(run: Run, patients: str) -> None:
    _, out, err = run(patients)
    assert "canary" not in out + err + Path("plan.toml").read_text()


def test_roles_can_be_said(run: Run, patients: str) -> None:
    roles = ["--quasi", "disease,sex", "--sensitive", "x", "--drop", "age", "--entity", "patient_id"]
    _, out, err = run(patients, *roles)
    assert "disease     could help recognise  you said so  high\n" in out
    assert "next: read plan.toml, then  incrowd anonymize plan.toml\n" in err
    plan = ic.Plan.read("plan.toml")
    assert {name: column.role for name, column in plan.columns.items()} == {
        "patient_id": "identifier",
        "age": "drop",
        "sex": "quasi",
        "disease": "quasi",
        "x": "sensitive",
    }
    assert plan.data.entity == "patient_id"


def test_who_a_row_is_about_is_said_first(run: Run, tmp_path: Path) -> None:
    lines = [f"{number % 20},{'fm'[number % 2]},{1950 + number % 20},{number % 3}" for number in range(80)]
    (tmp_path / "visits.csv").write_text("\n".join(["pat_id,sex,born,fever", *lines, ""]))
    _, out, _ = run("visits.csv")
    assert out.startswith("people are counted by 'pat_id' (20 in 80 rows)\n")
    assert "   1. is 'pat_id' a person? Groups are counted by it" in out
    assert ic.Plan.read("plan.toml").data.entity == "pat_id"


def test_a_wide_table_is_summed_up(run: Run, tmp_path: Path) -> None:
    names = ["age", "income", *(f"v{number}q" for number in range(98))]
    lines = [",".join([str(20 + row), str(row % 7), *["1", "0"] * 49]) for row in range(30)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *lines, ""]))
    out = run("wide.csv", "--drop", ",".join(names[12:]))[1]
    assert out.startswith(
        "proposed role         columns  sure\n"
        "could help recognise       11     1\n"
        "confidential                1     1\n"
        "left out                   88    88\n"
    )
    assert len(out.splitlines()) < 40


def test_a_harmless_column_that_singles_people_out_is_named_with_the_number(run: Run, tmp_path: Path) -> None:
    lines = [f"{30 + number % 3},{number}" for number in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["age,score", *lines, ""]))
    out = run("t.csv", "--insensitive", "score")[1]
    assert "   1. 'score' is published as it is: with it 60 records are one of a kind, 0 without it\n" in out


def test_what_counts_as_missing_and_how_rows_count_stand_in_the_plan(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("größe\tn\n1\t2\nNA\t3\n".encode("latin-1"))
    options = ["--separator", r"\t", "--encoding", "latin-1", "--missing", "NA", "--count", "n"]
    code, out, err = run("t.csv", *options, "--quasi", "größe", "-o", "my.toml")
    assert (code, err.splitlines()[0]) == (0, "read 2 rows, 2 columns, 1 missing value")
    assert out.splitlines()[0] == "read with separator tab, encoding latin-1"
    data = ic.Plan.read("my.toml").data
    assert (data.separator, data.encoding, data.missing, data.count) == ("\t", "latin-1", ("", "NA"), "n")


def test_the_plan_sees_the_table_from_its_own_folder(run: Run, patients: str, tmp_path: Path) -> None:
    (tmp_path / "plans").mkdir()
    run(patients, "-o", "plans/plan.toml")
    assert ic.Plan.read("plans/plan.toml").data.path == "../patients.csv"
    assert ic.Plan.read("plans/plan.toml").run().verdict.holds
    run(str(tmp_path / patients), "-o", "plans/other.toml")
    assert ic.Plan.read("plans/other.toml").data.path == str(tmp_path / patients)


def test_parquet_is_read_too(run: Run, tmp_path: Path) -> None:
    pyarrow.parquet.write_table(ic.hospital(100), tmp_path / "hospital.parquet")
    assert run("hospital.parquet", "--quiet")[::2] == (0, "")
    assert ic.Plan.read("plan.toml").run().verdict.holds


def test_an_existing_plan_is_kept(run: Run, patients: str) -> None:
    Path("plan.toml").write_text("[privacy] # mine")
    code, out, err = run(patients)
    assert (code, out) == (2, "")
    assert "The file 'plan.toml' exists already.\n" in err
    assert Path("plan.toml").read_text() == "[privacy] # mine"
    assert run(patients, "--force")[0] == 0
    assert "mine" not in Path("plan.toml").read_text()


def test_neither_the_table_nor_any_other_file_is_replaced_by_a_plan(run: Run, patients: str) -> None:
    table = Path(patients).read_text()
    code, out, err = run(patients, "-o", patients, "--force")
    assert (code, out, "The file 'patients.csv' exists already, and it is no plan." in err) == (2, "", True)
    assert Path(patients).read_text() == table
    Path("pyproject.toml").write_text("[project]\n")
    assert run(patients, "-o", "pyproject.toml", "--force")[0] == 2
    assert Path("pyproject.toml").read_text() == "[project]\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv"], "There is no file 'nowhere.csv'."),
        (["DATA", "--quasi", "aeg"], "hint: did you mean 'age'?"),
        (["DATA", "--entity", "patient"], "hint: did you mean 'patient_id'?"),
        (
            ["DATA", "--quasi", "age", "--sensitive", "age"],
            "Column 'age' is given as --quasi and as --sensitive.",
        ),
        (["DATA", "-o", "no/plan.toml"], "Cannot write the file 'plan.toml': its folder 'no' does not exist."),
        (["DATA", "--drop", "age,sex,x"], "No column looks as if it could help recognise a person."),
        (["DATA", "--encoding", "utf-9"], "There is no encoding 'utf-9'."),
    ],
)
def test_wrong_use_is_explained_and_writes_nothing(run: Run, patients: str, arguments: list[str], message: str) -> None:
    code, out, err = run(*[patients if argument == "DATA" else argument for argument in arguments])
    assert (code, out) == (2, "")
    assert message in err
    assert "canary" not in err
    assert sorted(path.name for path in Path().iterdir()) == ["patients.csv"]


def test_a_file_without_a_header_is_refused_without_showing_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bare.csv").write_text("canary,1990-01-01,41\nBob,1991-01-01,30\n")
    code, out, err = run("bare.csv")
    assert (code, out) == (2, "")
    assert "does not look like names of columns" in err
    assert "canary" not in err


def test_a_name_that_would_disturb_the_terminal_is_tamed(run: Run, tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pa.table({"age\x1b[31m": [30, 31], "a" * 50: ["x", "y"]}), tmp_path / "odd.parquet")
    out = run("odd.parquet")[1]
    assert "\x1b" not in out
    assert "aaaaaaaaaaaaaaaaa..." in out
    assert set(ic.Plan.read("plan.toml").columns) == {"age\x1b[31m", "a" * 50}


@pytest.mark.parametrize(
    ("search", "columns"),
    [("levels-and-cells", 2), *((one, 13) for one in sorted(searches()) if one != "levels-and-items")],
)
def test_every_search_can_be_chosen_in_the_plan(run: Run, tmp_path: Path, search: str, columns: int) -> None:
    secret = "" if search in {"datafly", "mu-argus"} else "disease"  # these two keep nothing but k
    header = ",".join([*(f"sex{number}" for number in range(columns)), *([secret] if secret else [])])
    rows = [",".join([*"fm"[row % 2] * columns, *(["abc"[row % 3]] if secret else [])]) for row in range(60)]
    (tmp_path / "t.csv").write_text("\n".join([header, *rows, ""]))
    assert run("t.csv", "--quasi", ",".join(f"sex{number}" for number in range(columns)))[0] == 0
    text = (tmp_path / "plan.toml").read_text()
    assert 'algorithm = "levels-and-cells"' in text
    (tmp_path / "plan.toml").write_text(text.replace('algorithm = "levels-and-cells"', f'algorithm = "{search}"'))
    assert ic.Plan.read(tmp_path / "plan.toml").run().verdict.holds


@pytest.mark.parametrize(
    ("search", "line", "says"),
    [
        ("mondrian", 'measure = "precision"', "has no 'measure'; remove this line, or choose 'incognito'"),
        (
            "samarati",
            'measure = "loss"\nseconds = 59',
            "has no 'seconds'; remove this line, or choose 'levels-and-items' or",
        ),
    ],
)
def test_what_a_search_does_not_have_is_refused_where_init_did_not_write_it(
    run: Run, patients: str, tmp_path: Path, search: str, line: str, says: str
) -> None:
    run(patients)
    text = (tmp_path / "plan.toml").read_text()
    (tmp_path / "plan.toml").write_text(text.replace('"levels-and-cells"', f'"{search}"\n{line}'))
    with pytest.raises(ic.PlanError, match=says):
        ic.Plan.read(tmp_path / "plan.toml")


def test_ladders_from_the_table_are_named_and_kept_out_of_the_plan(run: Run, tmp_path: Path) -> None:
    lines = [f"{20 + number % 40},canary{number % 6},{number % 3}" for number in range(240)]
    (tmp_path / "people.csv").write_text("\n".join(["age,job,town", *lines, ""]))
    code, out, err = run("people.csv", "--quasi", "age,job,town")
    assert (code, "canary" in out + err + (tmp_path / "plan.toml").read_text()) == (0, False)
    assert f"wrote {Path('plan-ladders') / 'job.csv'} (a ladder, with values of the table" in err
    assert (tmp_path / "plan-ladders" / "job.csv").read_text().startswith("canary0;")
    assert 'tree = "plan-ladders/job.csv"' in (tmp_path / "plan.toml").read_text()
    assert run("people.csv", "--quasi", "age,job,town", "--force")[0] == 0
    (tmp_path / "plan.toml").unlink()
    code, _, err = run("people.csv", "--quasi", "age,job,town")
    assert (code, "'job.csv' exists already" in err) == (2, True)
    assert not (tmp_path / "plan.toml").exists()
