from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import incrowd as ic
from incrowd.cli import main

Run = Callable[..., tuple[int, str, str]]
PLAN = """version = 1
[data]
path = "patients.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { intervals = [10, 20] }
at_most = 1
[columns.sex]
role = "quasi"
hierarchy = "flat"
[columns.disease]
role = "sensitive"
[privacy]
promise = ["k>=2", "l>=2[disease]"]
max_suppressed = 0.5
[search]
algorithm = "optimal"
"""
QUIET = PLAN + "[report]\nwrite = false\n"
"""Without the pages, which take longer than all the rest."""
PATIENTS = """name,age,sex,disease
Ada,31,f,flu
Bob,71,m,hiv
Cyd,34,f,hiv
Dan,38,m,asthma
Eve,52,f,flu
Fay,36,m,flu
"""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Give a way to run ``incrowd`` in a folder with patients and a plan: its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patients.csv").write_text(PATIENTS)
    (tmp_path / "plan.toml").write_text(QUIET)

    def command(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return command


def changed(old: str, new: str, plan: str = QUIET) -> None:
    Path("plan.toml").write_text(plan.replace(old, new))


def test_writes_the_release_and_says_what_is_next(run: Run) -> None:
    code, out, err = run("anonymize", "plan.toml")
    assert code == 0
    assert out.startswith("4 of 6 records in 2 groups; 2 left out (33.3 %, 3 allowed)\n")
    last = r"PASS  4 records published, every promise kept and checked again   \d+\.\d s, \d+\.\d\d GB of memory\n"
    assert re.search(last, err)
    assert "next: incrowd verify" in err
    assert Path("out/public/data.csv").read_text() == (
        'age,sex,disease\n"[30, 40)",f,flu\n"[30, 40)",f,hiv\n"[30, 40)",m,asthma\n"[30, 40)",m,flu\n'
    )
    published = Path("out/public/data.csv").read_bytes()
    assert run("anonymize", "out/owner/plan.toml", "--force")[0] == 0  # it means the same files from there
    assert Path("out/public/data.csv").read_bytes() == published
    assert ic.verify("out/public/release.json", owner="out/owner", original="patients.csv").holds


def test_reports_can_be_left_out(run: Run) -> None:
    Path("plan.toml").write_text(PLAN)
    for more, there in ((["--no-report"], False), (["--force"], True)):
        assert run("anonymize", "plan.toml", *more)[0] == 0
        reports = [Path("out/owner/report.html"), Path("out/owner/report.json"), Path("out/public/report.html")]
        assert [report.exists() for report in reports] == [there] * 3
        assert ic.verify("out", owner="out/owner").holds


def test_an_earlier_release_is_replaced_only_by_force(run: Run) -> None:
    assert run("anonymize", "plan.toml", "--quiet")[0] == 0
    code, out, err = run("anonymize", "plan.toml")
    assert (code, out) == (2, "")
    assert "The folder 'out' exists already." in err
    assert run("anonymize", "plan.toml", "--force")[0] == 0


@pytest.mark.parametrize("name", ["public/codebook.pdf", "public/data.xlsx", "owner/notes.txt", "mine/a.txt"])
def test_a_file_of_the_user_is_never_deleted(run: Run, name: str) -> None:
    assert run("anonymize", "plan.toml", "--quiet")[0] == 0
    Path("out", name).parent.mkdir(exist_ok=True)
    Path("out", name).write_text("mine")
    code, _, err = run("anonymize", "plan.toml", "--force")
    assert (code, f"The folder 'out' holds what incrowd did not write: '{name}'." in err) == (2, True)
    assert Path("out", name).read_text() == "mine"
    assert ic.verify("out/public/release.json").holds


def test_columns_without_a_role_are_named(run: Run) -> None:
    header, *rows = Path("patients.csv").read_text().splitlines()
    more = [f"{row},x,y,z,u,v" for row in rows]
    Path("patients.csv").write_text("\n".join([f"{header},ward", *(f"{row},x" for row in rows), ""]))
    code, _, err = run("anonymize", "plan.toml")
    assert (code, "error[IC102]: 1 column has no role: 'ward'.\n" in err) == (2, True)
    assert 'hint: give each a role (insensitive publishes it as it is), or leave them out: others = "drop" under' in err
    Path("patients.csv").write_text("\n".join([f"{header},a1,a2,a3,a4,a5", *more, ""]))
    assert "5 columns have no role: 'a1', 'a2', 'a3', 'a4' and 1 more.\n" in run("anonymize", "plan.toml")[2]
    Path("plan.toml").write_text(QUIET + '[output]\nothers = "drop"\n')
    assert run("anonymize", "plan.toml")[0] == 0


def test_a_column_that_is_not_there_is_answered_with_the_nearest_ones(run: Run) -> None:
    changed("[columns.sex]", "[columns.occupation]")
    err = run("anonymize", "plan.toml")[2]
    assert "The table has no column 'occupation' (given as quasi-identifier)." in err
    assert "hint: the table has 'age', 'name', 'disease', 'sex'.\n" in err


def test_no_name_is_told_of_a_file_whose_first_line_may_be_a_record(run: Run) -> None:
    Path("patients.csv").write_text("Ada,31,f,flu\nBob,34,m,hiv\n")
    err = run("anonymize", "plan.toml")[2]
    assert "hint: the table has 4 columns.\n" in err


def test_a_dry_run_writes_nothing(run: Run) -> None:
    code, _, err = run("anonymize", "plan.toml", "--dry-run")
    assert code == 0
    assert "dry run: nothing was written." in err
    assert not Path("out").exists()


def test_a_memory_budget_is_kept_to_and_said_to_be_what_bound(run: Run) -> None:
    assert run("anonymize", "plan.toml", "--memory", "1KB", "--force")[0] == 3
    code, out, _ = run("anonymize", "plan.toml", "--memory", "2KB", "--force")
    assert code == 0
    assert "note: The census of this table does not fit into memory (5 cells do)" in out


def test_a_memory_budget_that_is_none_is_refused(run: Run) -> None:
    code, _, err = run("anonymize", "plan.toml", "--memory", "lots")
    assert (code, "--memory cannot be read: 'lots'." in err) == (2, True)


def test_a_folder_of_files_is_published_as_one_table(run: Run, tmp_path: Path) -> None:
    lines = PATIENTS.splitlines(keepends=True)
    (tmp_path / "patients").mkdir()
    (tmp_path / "patients" / "a.csv").write_text("".join(lines[:4]))
    (tmp_path / "patients" / "b.csv").write_text("".join([lines[0], *lines[4:]]))
    (tmp_path / "plan.toml").write_text(QUIET)
    run("anonymize", "plan.toml")
    (tmp_path / "plan.toml").write_text(QUIET.replace("patients.csv", "patients") + '[output]\nfolder = "two"\n')
    assert run("anonymize", "plan.toml")[0] == 0
    whole, two = ic.engines.open_table("out/public/data.csv"), ic.engines.open_table("two/public/data.parquet")
    assert whole.materialise().equals(two.materialise())
    assert run("verify", "two/public/release.json", "--owner", "two/owner", "--original", "patients")[0] == 0


def test_machines_get_json(run: Run) -> None:
    code, out, err = run("anonymize", "plan.toml", "--json", "--quiet")
    facts = json.loads(out)
    assert (code, err) == (0, "")
    assert (facts["published"], facts["suppressed"], facts["levels"]) == (4, 2, {"age": 1, "sex": 0})
    assert (facts["result"], Path(facts["written"]).name) == (True, "out")


def test_masked_records_are_counted_and_said(run: Run) -> None:
    changed("[privacy]", '[output]\nsuppression = "mask"\n[privacy]')
    code, out, err = run("anonymize", "plan.toml")
    assert code == 0
    assert out.startswith("6 of 6 records in 3 groups; 2 masked (33.3 %, 3 allowed)\n")
    assert "PASS  6 records published, 2 of them masked" in err
    assert Path("out/public/data.csv").read_text().count("*,*,") == 2
    assert run("verify", "out/public/release.json", "--owner", "out/owner")[0] == 0


@pytest.mark.filterwarnings("default::incrowd.core.PrivacyWarning")
def test_an_identifier_can_become_a_pseudonym(run: Run) -> None:
    Path("key.bin").write_bytes(bytes(32))
    changed('role = "identifier"', 'role = "identifier"\nkeep = "pseudonym"\nkey_file = "key.bin"')
    code, out, err = run("anonymize", "plan.toml")
    assert code == 0
    assert "note: Column 'name' is published as a pseudonym" in out
    assert "warning: Column 'name' is published as a pseudonym" in err
    header, *lines = Path("out/public/data.csv").read_text().splitlines()
    assert header == "name,age,sex,disease"
    assert {len(line.split(",")[0]) for line in lines} == {32}
    assert json.loads(Path("out/public/release.json").read_text())["pseudonymised"] == ["name"]
    assert run("verify", "out/public/release.json", "--owner", "out/owner")[0] == 0


@pytest.mark.filterwarnings("default::incrowd.core.PrivacyWarning")
def test_rows_keep_their_order_where_the_plan_says_so(run: Run) -> None:
    changed("[privacy]", '[output]\norder = "keep"\n[privacy]')
    code, _, err = run("anonymize", "plan.toml")
    assert code == 0
    assert "warning: Rows keep their order" in err
    diseases = [line.split(",")[-1] for line in Path("out/public/data.csv").read_text().splitlines()[1:]]
    assert diseases == ["flu", "hiv", "asthma", "flu"]


@pytest.mark.parametrize("more", [[], ["--json"], ["--explain"]])
def test_a_sample_is_no_result_and_writes_nothing(run: Run, more: list[str]) -> None:
    changed('promise = ["k>=2", "l>=2[disease]"]', 'promise = ["k>=2"]')
    Path("patients.csv").write_text(PATIENTS + "".join(PATIENTS.splitlines(keepends=True)[1:]) * 9)
    code, out, err = run("anonymize", "plan.toml", "--sample", "20", *more)
    assert code == 0
    assert "NOT A RESULT: tried out on a sample of 20 records" in out
    assert more != ["--json"] or json.loads(out)["result"] is False
    assert "NOT A RESULT  tried out on a sample of 20 records" in err
    assert "PASS" not in err
    assert not Path("out").exists()


def test_no_safe_release_exits_with_1_and_writes_nothing(run: Run) -> None:
    changed("k>=2", "k>=7")
    code, out, err = run("anonymize", "plan.toml")
    assert (code, out) == (1, "")
    assert "error[" in err
    assert not Path("out").exists()


def test_masked_records_that_break_the_promise_exit_with_1(run: Run) -> None:
    changed("[privacy]", '[output]\nsuppression = "mask"\n[privacy]')
    Path("patients.csv").write_text(PATIENTS.replace("Eve,52,f,flu", "Eve,52,f,hiv"))
    code, _, err = run("anonymize", "plan.toml")
    assert code == 1
    assert "masked records are one class, which must keep the promise too" in err
    assert not Path("out").exists()


def test_two_runs_write_the_same_bytes(run: Run) -> None:
    for folder in ("one", "two"):
        changed("[privacy]", f'[output]\nfolder = "{folder}"\nformat = "parquet"\n[privacy]')
        assert run("anonymize", "plan.toml", "--quiet")[0] == 0
    for path in ("public/data.parquet", "public/release.json", "owner/recoding.parquet", "owner/recoding.json"):
        assert Path("one", path).read_bytes() == Path("two", path).read_bytes()


def test_it_runs_as_a_process(run: Run) -> None:
    Path("plan.toml").write_text(PLAN)
    command = [sys.executable, "-c", "from incrowd.cli import main; main()", "anonymize", "plan.toml"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0
    assert sorted(path.name for path in Path("out/public").iterdir()) == [
        "data.csv",
        "release.json",
        "report.html",
        "verify.py",
    ]
    assert "canary" not in ran.stderr
    assert run("verify", "out/public/release.json")[0] == 0


@pytest.mark.parametrize("search", ["mondrian", "top-down", "cheapest-first", "swap-diversity"])
def test_a_local_recoding_looks_at_no_combinations(run: Run, search: str) -> None:
    changed("at_most = 1\n", "")
    changed('algorithm = "optimal"', f'algorithm = "{search}"', Path("plan.toml").read_text())
    code, out, _ = run("anonymize", "plan.toml")
    assert code == 0
    assert "search: not proven to be the best (heuristic)\n" in out
    assert "looked at" not in out


GERMAN = PATIENTS.replace(",", ";").replace("flu", "Grippe über 1").replace("hiv", "=hiv")


def test_a_file_with_semicolons_and_its_own_letters_is_released_like_that(run: Run) -> None:
    Path("patients.csv").write_text(GERMAN, encoding="cp1252")
    Path("plan.toml").write_text(QUIET.replace('path = "patients.csv"', 'path = "patients.csv"\nencoding = "cp1252"'))
    assert run("anonymize", "plan.toml")[0] == 0
    lines = Path("out/public/data.csv").read_bytes().decode("cp1252").splitlines()
    assert lines[:2] == ["age;sex;disease", "[30, 40);f;'=hiv"]
    assert run("verify", "out")[0] == 0
    assert run("attack", "out", "--original", "patients.csv", "--encoding", "cp1252")[0] == 0
    assert (
        run("apply", "out/owner", "patients.csv", "-o", "again", "--encoding", "cp1252", "--max-suppressed", "0.5")[0]
        == 0
    )
    assert Path("again/public/data.csv").read_bytes() == Path("out/public/data.csv").read_bytes()


@pytest.mark.parametrize("by", ["option", "plan"])
def test_a_plain_file_can_be_asked_for(run: Run, by: str) -> None:
    Path("patients.csv").write_text(GERMAN, encoding="cp1252")
    plan = QUIET.replace('path = "patients.csv"', 'path = "patients.csv"\nencoding = "cp1252"')
    Path("plan.toml").write_text(plan if by == "option" else plan + '[output]\ndialect = "plain"\n')
    assert run("anonymize", "plan.toml", *(["--plain"] if by == "option" else []))[0] == 0
    assert Path("out/public/data.csv").read_text().splitlines()[1] == '"[30, 40)",f,\'=hiv'
    assert 'dialect = "plain"' in Path("out/owner/plan.toml").read_text()
    assert run("verify", "out")[0] == 0


def test_what_differs_from_the_input_can_stand_in_the_plan(run: Run) -> None:
    Path("plan.toml").write_text(QUIET + '[output.dialect]\nseparator = ";"\nmark = true\n')
    assert run("anonymize", "plan.toml")[0] == 0
    assert Path("out/public/data.csv").read_bytes().startswith(b"\xef\xbb\xbfage;sex;disease\n")
    assert run("verify", "out")[0] == 0


def test_labels_of_a_table_that_has_none_are_refused(run: Run) -> None:
    code, _, said = run("anonymize", "plan.toml", "--labels")
    assert code == 2
    assert "no labels that could be written" in said
    assert not Path("out").exists()


STARS = """version = 1
[data]
path = "patients.csv"
[columns]
age = { role = "quasi", hierarchy = "flat" }
sex = { role = "quasi", hierarchy = "flat" }
[privacy]
promise = "k>=2"
[search]
algorithm = "levels-and-cells"
[report]
write = false
"""


@pytest.mark.parametrize("by", ["option", "plan"])
def test_nothing_can_be_written_for_a_star(run: Run, by: str) -> None:
    Path("patients.csv").write_text("age,sex\n31,f\n31,f\n33,m\n33,m\n40,f\n")
    Path("plan.toml").write_text(STARS if by == "option" else STARS + '[output]\nstars = "null"\n')
    assert run("anonymize", "plan.toml", *(["--stars", "null"] if by == "option" else []))[0] == 0
    assert Path("out/public/data.csv").read_text() == "age,sex\n,f\n,f\n,f\n33,m\n33,m\n"
    assert 'stars = "null"' in Path("out/owner/plan.toml").read_text()
    assert run("verify", "out")[0] == 0


def test_missing_values_beside_stars_are_refused_in_the_words_of_a_plan(run: Run) -> None:
    Path("patients.csv").write_text("age,sex\n31,f\n31,f\n,m\n,m\n40,f\n")
    Path("plan.toml").write_text(STARS)
    code, _, said = run("anonymize", "plan.toml", "--stars", "null")
    assert code == 2
    assert "Column 'age' has missing values that are published, and stars" in said
    assert 'hint: use stars = "star", or leave out records with missing values: missing_policy = "drop".' in said
    assert run("anonymize", "plan.toml", "--stars", "nothing")[0] == 2
    assert not Path("out").exists()
