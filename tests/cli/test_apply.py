from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import incrowd as ic
from incrowd.cli import main

Run = Callable[..., tuple[int, str, str]]
SCHEMA = ic.Schema({"age": ic.intervals(10, 20), "sex": ic.flat()}, ["disease"], identifiers=["name"])


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Give a way to run ``incrowd apply`` beside a release: its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    Path("first.csv").write_text("name,age,sex,disease\na,31,f,flu\nb,34,f,hiv\nc,52,m,flu\nd,55,m,asthma\n")
    Path("second.csv").write_text("name,age,sex,disease\ne,34,f,flu\nf,31,f,flu\n")
    ic.anonymize("first.csv", SCHEMA, model="k>=2", algorithm=ic.Optimal(), output="out", format="csv")

    def command(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["apply", *arguments])
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return command


def test_new_data_are_published_as_before(run: Run) -> None:
    code, out, err = run("out/owner", "second.csv", "-o", "again")
    assert code == 0
    assert out.startswith("2 of 2 records in 1 group; 0 left out")
    assert "promise  k>=2" in err
    assert "PASS  2 records published" in err
    assert Path("again/public/data.csv").read_text() == 'age,sex,disease\n"[30, 40)",f,flu\n"[30, 40)",f,flu\n'
    assert ic.verify("again/public/release.json", owner="again/owner").holds


def test_the_folder_of_the_release_is_understood_too_and_machines_get_json(run: Run) -> None:
    code, out, err = run(
        "out", "second.csv", "-o", "again", "--format", "parquet", "--json", "--quiet", "--memory", "1GB"
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["written"] == "again"
    assert Path("again/public/data.parquet").is_file()


def test_new_data_that_break_the_promise_exit_with_1_unless_records_may_go(run: Run) -> None:
    with Path("second.csv").open("a") as file:
        file.write("g,52,m,flu\n")
    code, _, err = run("out/owner", "second.csv", "-o", "again")
    assert code == 1
    assert "1 of 3 records are in classes that break it" in err
    assert not Path("again").exists()
    assert run("out/owner", "second.csv", "-o", "again", "--max-suppressed", "0.34")[0] == 0
    assert "hint: allow --max-suppressed-records 1, or search again.\n" in err
    assert run("out/owner", "second.csv", "-o", "more", "--max-suppressed-records", "1")[0] == 0


def test_values_that_the_release_did_not_know_exit_with_2_and_are_not_shown(run: Run) -> None:
    with Path("second.csv").open("a") as file:
        file.write("g,77,m,flu\nh,77,m,flu\n")
    code, out, err = run("out/owner", "second.csv", "-o", "again")
    assert (code, out) == (2, "")
    assert "Column 'age' has 1 value that the saved hierarchy does not know" in err
    assert "77" not in err


def test_what_is_not_there_exits_with_2(run: Run) -> None:
    assert run("nowhere", "second.csv", "-o", "again")[0] == 2
    assert run("out/owner", "nothing.csv", "-o", "again")[0] == 2
    assert run("out/owner", "second.csv", "-o", "again", "--format", "xls")[0] == 2
    assert run("out/owner", "second.csv", "-o", "out")[0] == 2


def test_columns_without_a_role_are_refused_or_dropped(run: Run) -> None:
    Path("second.csv").write_text("name,age,sex,disease,more\ne,34,f,flu,1\nf,31,f,flu,2\n")
    code, _, err = run("out/owner", "second.csv", "-o", "again")
    assert code == 2
    assert "no role" in err
    assert run("out/owner", "second.csv", "-o", "again", "--drop-others")[0] == 0
    assert Path("again/public/data.csv").read_text().startswith("age,sex,disease\n")


def test_of_levels_and_cells_it_says_what_can_be_applied(run: Run) -> None:
    ic.anonymize("first.csv", SCHEMA, model="k>=2", output="stars", format="csv")
    code, _, err = run("stars/owner", "second.csv", "-o", "again")
    assert (code, "A local recoding belongs to the table" in err) == (2, True)
    said = " ".join(err.split())
    assert 'A release made with the search "optimal" can be applied to other tables.' in said


@pytest.mark.filterwarnings("ignore:Column 'came' is not true", "ignore:1 of 5", "ignore:Near the first")
def test_shifted_dates_are_published_as_before_and_verified_by_their_key(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main([*arguments])
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    Path("dates.key").write_bytes(bytes(range(32)))
    rows = [f"p{number % 5},{number % 2},2025-01-0{number + 1}" for number in range(9)]
    Path("stays.csv").write_text("\n".join(["person,age,came", *rows]))
    Path("plan.toml").write_text(
        'version = 1\n[data]\npath = "stays.csv"\nentity = "person"\n[columns.age]\nrole = "quasi"\n[columns.came]\n'
        'role = "shifted"\n[shift]\nwithin = 30\nkey_file = "dates.key"\n[privacy]\npromise = "k>=2"\n'
        '[search]\nalgorithm = "optimal"\n[output]\nfolder = "shifted"\n'
    )
    code, out, err = command("anonymize", "plan.toml")
    assert code == 0
    assert "came                    not true: every date is shifted, all of a person alike,\n" in out
    assert "note: 1 of 5 people are alone by the intervals between their dates" in out
    assert "PASS  9 records published" in err
    found = json.loads(command("anonymize", "plan.toml", "--force", "--json")[1])["shifted"]
    assert (found["columns"], found["within"], found["intervals"]["shifts"]) == (["came"], 30, 60)
    assert "every date is shifted" in command("anonymize", "plan.toml", "--force", "--explain")[1]
    assert run("shifted/owner", "stays.csv", "-o", "next")[0] == 2
    code, _, err = run("shifted/owner", "stays.csv", "-o", "next", "--shift-key", "dates.key")
    assert code == 0
    assert Path("next/public/data.csv").read_text() == Path("shifted/public/data.csv").read_text()
    code, out, _ = command("verify", "next", "--original", "stays.csv", "--shift-key", "dates.key")
    assert code == 0
    assert "as certified  original: every shifted date is the true one" in out
    code, out, _ = command("verify", "next", "--original", "stays.csv")
    assert "how dates were shifted: that shows with the original table and the key of the shift" in out
    assert command("verify", "next", "--shift-key", "dates.key")[0] == 2
