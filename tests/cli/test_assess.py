from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from incrowd.cli import main
from incrowd.cli._text import Paper

TABLES = Path(__file__).parents[1] / "published" / "tables"
RELEASED = str(TABLES / "000_table3_8_2sensitive_4anonymous.csv")
CATEGORIES = str(TABLES / "000_table4_2_categories.csv")
ROLES = ["--quasi", "Zipcode,Age,Country", "--sensitive", "Health_condition"]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Give a way to run ``incrowd assess``: its exit code, stdout and stderr."""

    def assess(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["assess", *arguments])
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return assess


@pytest.fixture
def patients(tmp_path: Path) -> str:
    path = tmp_path / "patients.csv"
    path.write_text("who;age;zip;disease\n1;30;01067;flu\n2;30;01067;hiv\n3;30;01069;flu\n4;41;01069;NA\n")
    return str(path)


def test_a_table_that_keeps_its_promise_exits_with_0(run: Run) -> None:
    code, out, _ = run(RELEASED, *ROLES, "--categories", CATEGORIES, "--require", "k>=4, p>=2")
    assert code == 0
    assert out.endswith("PASS  k>=4: smallest group is 4\nPASS  p>=2: least p is 2\n")


def test_a_broken_promise_exits_with_1_and_says_how_many_are_concerned(run: Run) -> None:
    code, out, _ = run(RELEASED, *ROLES, "--categories", CATEGORIES, "--require", "enhanced(p=2, alpha=1)")
    assert code == 1
    assert out.endswith("FAIL  enhanced(p=2, alpha=1): least p is 1, least alpha is 0 (2 classes, 8 records)\n")


def test_the_table_is_readable(run: Run, patients: str) -> None:
    _, out, err = run(patients, "--quasi", "age,zip", "--sensitive", "disease")
    assert out == (
        "people who are one of a kind                     2    50.0 %\n"
        "people in groups smaller than 5                  4   100.0 %\n"
        "disease: people whose value is certain           2    50.0 %\n"
        "chance to find a person   average 75.0 %   highest 100.0 %\n"
        "3 groups of people who look alike, the smallest of 1\n"
        "\n"
        "disease in the worst group\n"
        "  different values, of 3                                   1  l, p\n"
        "  largest share of a value                           100.0 %  alpha\n"
        "  effective number of values                               1  entropy l\n"
        "  distance from the whole table, equal                0.7500  t\n"
        "  distance from the whole table, kl                   1.3863  t\n"
        "\n"
        "what singles people out: people who are one of a kind if a column were dropped\n"
        "  age   2 -> 0   ################\n"
        "  zip   2 -> 1   ########\n"
    )
    assert err == (
        "4 rows, 4 columns, separator ';'\n"
        'hint: --require "k>=5" leaves with exit code 1 if the table does not keep the promise.\n'
    )


def test_no_line_is_wider_than_a_terminal(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    quasi, sensitive = "the place where the person was born", "what the person was treated for last"
    path.write_text(f"{quasi},other,{sensitive}\na,1,flu\nb,1,hiv\nb,2,flu\n")
    categories = tmp_path / "categories.csv"
    categories.write_text("value,category,rank\nhiv,secret,1\nflu,harmless,2\n")
    roles = ["--quasi", f"{quasi},other", "--sensitive", sensitive, "--categories", str(categories)]
    _, out, _ = run(str(path), *roles, "--all")
    assert max(map(len, out.splitlines())) <= 80
    assert ": people whose category is certain" in out


def test_all_shows_every_column_and_every_measure(run: Run, patients: str) -> None:
    few = run(patients, "--quasi", "who,age,zip", "--sensitive", "disease")[1]
    every = run(patients, "--quasi", "who,age,zip", "--sensitive", "disease", "--all")[1]
    assert set(few.splitlines()) < set(every.splitlines())
    assert "delta" in every


def test_more_than_four_columns_are_listed_on_request(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "five.csv"
    path.write_text("a,b,c,d,e\n1,1,1,1,1\n2,2,2,2,2\n")
    assert "  1 more: --all\n" in run(str(path), "--quasi", "a,b,c,d,e")[1]
    assert "more" not in run(str(path), "--quasi", "a,b,c,d,e", "--all")[1]


def test_json_is_for_machines(run: Run) -> None:
    code, out, _ = run(RELEASED, *ROLES, "--categories", CATEGORIES, "--require", "k>=5", "--json")
    plain = json.loads(out)
    assert (code, plain["schema"], plain["k"], plain["verdict"]["holds"]) == (1, 1, 4, False)
    assert plain["verdict"]["findings"][0]["failing_records"] == 12
    assert plain["verdict"]["findings"][0]["measured"] == [{"value": 4.0, "exact": "4"}]
    assert json.loads(run(RELEASED, *ROLES, "--json")[1])["verdict"] is None


def test_json_holds_no_value_of_the_table(run: Run, patients: str) -> None:
    out = run(patients, "--quasi", "age,zip", "--sensitive", "disease", "--json", "--require", "l>=2")[1]
    assert "01067" not in out
    assert "flu" not in out


def test_without_a_sensitive_column_only_groups_are_measured(run: Run, patients: str) -> None:
    _, out, _ = run(patients, "--quasi", "age")
    assert "worst group" not in out
    assert "people who are one of a kind              1    25.0 %" in out


def test_parquet_is_read_too(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "patients.parquet"
    pyarrow.parquet.write_table(pa.table({"age": [30, 30, 41], "sex": ["f", "f", "m"]}), path)
    code, out, err = run(str(path), "--quasi", "sex", "--require", "k>=2")
    assert (code, err) == (1, "3 rows, 2 columns\n")
    assert "FAIL  k>=2: smallest group is 1 (1 class, 1 record)" in out


def test_a_promise_that_every_table_keeps_is_noted(run: Run, patients: str) -> None:
    code, _, err = run(patients, "--quasi", "age", "--require", "k>=1")
    assert code == 0
    assert "warning: k>=1 promises nothing" in err


def test_rows_of_one_person_and_counted_rows(run: Run, patients: str, tmp_path: Path) -> None:
    assert "smallest group is 1" in run(patients, "--quasi", "age", "--entity", "who", "--require", "k>=2")[1]
    counted = tmp_path / "counted.csv"
    counted.write_text("q,n\na,7\nb,5\n")
    code, _, err = run(str(counted), "--quasi", "q", "--count", "n", "--require", "k>=5")
    assert (code, err) == (0, "12 records, 2 columns, separator ','\n")


def test_what_is_not_measured_says_why(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("who,q,s\n1,a,flu\n1,a,hiv\n2,a,flu\n")
    out = run(str(path), "--quasi", "q", "--sensitive", "s", "--entity", "who")[1]
    assert "  not measured: entropy_l. LDiversity needs one value per person and class, but\n" in out


def test_missing_texts_count_as_missing(run: Run, patients: str) -> None:
    plain = json.loads(run(patients, "--quasi", "age", "--sensitive", "disease", "--missing", "NA", "--json")[1])
    assert plain["columns"]["disease"]["values"] == 2
    assert run(patients, "--quasi", "disease", "--missing", "NA,flu", "--require", "k>=3")[0] == 1


def test_separator_encoding_and_memory_are_passed_on(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("Größe\tb\n1\t2\n".encode("latin-1"))
    options = ["--quasi", "Größe", "--encoding", "latin-1", "--memory", "500MB"]
    code, _, err = run(str(path), *options, "--separator", r"\t")
    assert (code, err.splitlines()[0]) == (0, "1 row, 2 columns, separator '\\t'")


def test_quiet_says_nothing_on_stderr(run: Run, patients: str) -> None:
    assert run(patients, "--quasi", "age", "--quiet")[2] == ""


def test_a_name_with_a_comma_stands_in_quotes(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "comma.csv"
    path.write_text('"last, first",b\nx,1\ny,1\n')
    plain = json.loads(run(str(path), "--quasi", '"last, first",b', "--json")[1])
    assert plain["quasi"] == ["last, first", "b"]
    assert json.loads(run(str(path), "--quasi", "b", "--quasi", '"last, first"', "--json")[1])["k"] == 1


def test_several_sensitive_columns_have_categories_of_their_own(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("q,a,b\n1,HIV,x\n1,Flu,y\n")
    roles = ["--quasi", "q", "--sensitive", "a,b"]
    plain = json.loads(run(str(path), *roles, "--categories", f"a={CATEGORIES}", "--json")[1])
    assert plain["columns"]["a"]["enhanced"]["p"] == 2
    assert plain["columns"]["b"]["enhanced"] is None
    out = run(str(path), *roles, "--require", "l>=2[a, b]")[1]
    assert out.endswith("PASS  l>=2[a, b] (a): least l is 2\nPASS  l>=2[a, b] (b): least l is 2\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv", "--quasi", "a"], "There is no file 'nowhere.csv'."),
        (["DATA"], "--quasi is missing: by which of the 4 columns could somebody recognise a person?"),
        (
            ["DATA", "--quasi", ","],
            "hint: name them, for example --quasi age,zip,sex; incrowd init /",
        ),
        (["DATA", "--quasi", "aeg"], "hint: did you mean 'age'?"),
        (["DATA", "--quasi", "age", "--sensitive", "diseaes"], "hint: did you mean 'disease'?"),
        (["DATA", "--quasi", "age", "--sensitive", "age"], "has two roles: quasi-identifier and sensitive"),
        (["DATA", "--quasi", "age", "--require", "k>5"], "hint: write it like k>=5."),
        (["DATA", "--quasi", "age", "--require", "l>=2"], "--require asks about a sensitive column"),
        (["DATA", "--quasi", "age", "--memory", "lots"], "--memory cannot be read: 'lots'."),
        (["DATA", "--quasi", "age", "--categories", "c.csv"], "which of 0 sensitive columns it is about"),
        (["DATA", "--quasi", "age", "--sensitive", "zip,disease", "--categories", "c.csv"], "which of 2 sensitive"),
        (["DATA", "--quasi", "age", "--sensitive", "zip", "--categories", "no.csv"], "'no.csv' cannot be read"),
        (
            ["DATA", "--quasi", "age", "--sensitive", "disease,zip", "--require", "l>=2"],
            'hint: for example "l>=2[disease]".',
        ),
        (
            ["DATA", "--quasi", "age", "--sensitive", "disease", "--require", "l>=2[zip]"],
            "which --sensitive does not name",
        ),
        (
            ["DATA", "--quasi", "age", "--sensitive", "disease", "--require", "p-alpha(p=2, alpha=1)"],
            "hint: write --categories disease=FILE.",
        ),
        (
            ["DATA", "--quasi", "age", "--sensitive", "disease", "--require", "t<=0.2[ordered]"],
            'hint: no option says that; in a plan, write hierarchy = { ordered = ["LEAST", "MOST"] } under [col',
        ),
        (
            ["DATA", "--quasi", "age", "--sensitive", "disease", "--require", "nt(n=2, t=0)[path]"],
            "hint: write nt(...)[drop] or nt(...)[table].",
        ),
        (
            [
                *["DATA", "--quasi", "age", "--sensitive", "disease"],
                *["--categories", CATEGORIES, "--require", "p-alpha(p=2, alpha=1)"],
            ],
            "3 of 3 values that are not",
        ),
    ],
)
def test_wrong_use_is_explained(run: Run, patients: str, arguments: list[str], message: str) -> None:
    code, out, err = run(*[patients if argument == "DATA" else argument for argument in arguments])
    assert (code, out) == (2, "")
    assert message in err
    assert "01067" not in err


def test_an_empty_file_is_wrong_and_a_header_alone_is_noted(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("")
    assert run(str(path), "--quasi", "a")[2].partition(" ")[2].startswith("The file 'empty.csv' is empty.\n")
    path.write_text("a,b\n")
    code, out, err = run(str(path), "--quasi", "a", "--sensitive", "b", "--require", "k>=5")
    assert (code, out.splitlines()[-1]) == (0, "PASS  k>=5: there is nobody")
    assert "warning: A table without records keeps every promise and helps nobody.\n" in err


def test_a_value_that_the_table_does_not_have_is_noted(run: Run, patients: str) -> None:
    options = ["--quasi", "age", "--sensitive", "disease", "--require", "alpha<=0.9[disease: HIV]"]
    assert "warning: AlphaAssociation lists 1 of 1 values" in run(patients, *options)[2]


def test_a_terminal_gets_blocks_and_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        encoding = "UTF-8"

        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert Paper.here() == Paper(blocks=True, colour=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert Paper.here() == Paper(blocks=True, colour=False)
    monkeypatch.setattr(Terminal, "encoding", "ascii")
    assert not Paper.here().blocks
    assert Paper(colour=True).word("FAIL", "red") == "\x1b[31m\x1b[1mFAIL\x1b[0m"


def test_a_pipe_gets_neither(patients: str) -> None:
    script = [sys.executable, "-c", "from incrowd.cli import main; main()", "assess", patients, "--quasi", "age,zip"]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    assert "\x1b[" not in done.stdout
    assert "█" not in done.stdout


def test_a_tiny_share_is_not_called_nothing(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "crowd.csv"
    path.write_text("q\n" + "a\n" * 2_999 + "b\n")
    out = run(str(path), "--quasi", "q")[1]
    assert "people who are one of a kind              1   < 0.1 %" in out


def test_quiet_does_not_silence_warnings(run: Run, patients: str, tmp_path: Path) -> None:
    options = ["--quasi", "age", "--sensitive", "disease", "--require", "alpha<=0.9[disease: HIV]", "-q", "--json"]
    code, out, err = run(patients, *options)
    warning = "AlphaAssociation lists 1 of 1 values that column 'disease' does not have."
    assert (code, err) == (0, f"warning: {warning}\n")
    assert json.loads(out)["notes"] == [warning]
    assert json.loads(out)["verdict"]["notes"] == [warning]
    path = tmp_path / "empty.csv"
    path.write_text("a,b\n")
    code, out, err = run(str(path), "--quasi", "a", "--require", "k>=5", "-q", "--json")
    assert (code, err) == (0, "warning: A table without records keeps every promise and helps nobody.\n")
    assert json.loads(out)["verdict"]["vacuous"]


def test_what_classes_were_compared_with_is_said(run: Run, patients: str) -> None:
    roles = ["--quasi", "age,zip", "--sensitive", "disease"]
    _, out, _ = run(patients, *roles, "--require", "t<=0.9, nt(n=4, t=0.9)")
    assert out.endswith(
        "PASS  t<=0.9: largest t is 0.7500, from this table\n"
        "PASS  nt(n=4, t=0.9): largest t is 0.7500, supersets: drop\n"
    )


def test_categories_that_do_not_cover_the_table_are_said_and_the_rest_is_measured(run: Run, patients: str) -> None:
    options = ["--quasi", "age", "--sensitive", "disease", "--categories", CATEGORIES, "-q"]
    code, out, err = run(patients, *options)
    assert (code, err) == (0, "warning: Column 'disease' has 3 of 3 values that are not covered by the categories.\n")
    assert "not measured: p_alpha, enhanced, similar." in out
    assert "'flu'" not in out + err
    assert "  'flu'\n" in run(patients, *options, "--show-values")[2]


def test_a_note_speaks_the_language_of_the_command(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "decimals.csv"
    path.write_text("weight\n70.5\n81.25\n")
    assert (
        "Nearly every value stands alone; incrowd init plans how it becomes vaguer."
        in run(str(path), "--quasi", "weight")[2]
    )


def test_a_table_that_does_not_fit_into_memory_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "many.csv").write_text("age\n" + "".join(f"{age}\n" for age in range(50)), encoding="utf-8")
    code, out, err = run(str(tmp_path / "many.csv"), "--quasi", "age", "--memory", "1KB")
    assert (code, out) == (3, "")
    assert "error[IC302]: The census of this table does not fit into memory: 2 cells do." in err
