"""Chances of intruders and published rules on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import incrowd as ic
from incrowd.cli import main

Run = Callable[..., tuple[int, str, str]]
HARBOR = ("--preset", "hipaa-safe-harbor")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Give a way to run ``incrowd assess``: its exit code, stdout and stderr."""

    def assess(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["assess", *map(str, arguments)])
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return assess


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Write a table with groups of 1, 1 and 2."""
    path = tmp_path / "people.csv"
    path.write_text("town,zip,disease,w\nbonn,101,flu,10\nkiel,102,flu,1\njena,000,flu,4\njena,000,hiv,4\n")
    return path


@pytest.fixture
def twelve(tmp_path: Path) -> Path:
    path = tmp_path / "twelve.csv"
    path.write_text("town,disease\n" + "bonn,flu\nbonn,hiv\n" * 6)
    return path


def test_the_size_of_the_population_gives_every_intruder_a_chance(run: Run, people: Path) -> None:
    code, out, _ = run(people, "--quasi", "town", "--sensitive", "disease", "--population", "40")
    assert code == 0
    assert out[out.index("who could find") :] == (
        "who could find a person      highest     average       above 0.2\n"
        "  prosecutor                 100.0 %      75.0 %               4\n"
        "  journalist                  37.3 %      25.4 %               2\n"
        "  marketer                         -      25.4 %               -\n"
        "  the prosecutor knows that the person is in the table\n"
        "  the journalist must find the person in the population: a population of 40,\n"
        "    estimated\n"
        "  the marketer links every record with the population: a population of 40,\n"
        "    estimated\n"
        "\n"
        "expected to be one of a kind among 40 persons, of 2 in the table\n"
        "  pitman                         0.4\n"
        "  zayatz                         1.0\n"
        "  slide negative binomial  no answer\n"
        "disease is guessed right for 75.0 %, 75.0 % without groups\n"
    )


def test_the_numbers_are_those_of_the_library(run: Run, people: Path) -> None:
    options = ["--quasi", "town", "--sensitive", "disease", "--population", "40", "--threshold", "1/3"]
    plain = json.loads(run(people, *options, "--json")[1])
    schema = ic.Schema(["town"], ["disease"])
    assert plain["risk"] == ic.risk(people, schema, population=40, threshold=1 / 3).to_dict() | {
        "threshold": {"value": pytest.approx(1 / 3), "exact": "1/3"}
    }
    assert plain["presets"] == []


def test_a_table_of_the_population_is_counted(run: Run, people: Path, tmp_path: Path) -> None:
    everybody = tmp_path / "everybody.csv"
    everybody.write_text("town\n" + "bonn\n" * 4 + "kiel\n" + "jena\n" * 10)
    plain = json.loads(run(people, "--quasi", "town", "--population", everybody, "--json")[1])
    journalist = plain["risk"]["attackers"]["journalist"]
    assert journalist["highest"]["exact"] == "1"
    assert journalist["average"]["value"] == pytest.approx((1 / 4 + 1 + 2 / 10) / 4)
    assert plain["risk"]["uniqueness"]["estimates"] == {"population table": 1.0}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Save a release of which only its owner knows that ``rare`` is c and d, and ``north`` a and b."""
    table = [
        {"job": job, "town": "ab"[number % 2], "disease": "xy"[number % 2]}
        for number, job in enumerate("aaaaabbbbbcdd")
    ]
    tree = ic.tree({"north": ["a", "b"], "south": ["c"]})
    roles = ic.Schema({"job": ic.frequent(3), "town": tree}, ["disease"])
    ic.anonymize(table, roles, model="k>=3", algorithm=ic.Optimal()).save(tmp_path / "out")
    everybody = "job,town\n" + "".join(f"{row['job']},{row['town']}\n" * 20 for row in table)
    (tmp_path / "everybody.csv").write_text(everybody + "e,a\n" * 500 + "c,z\n" * 500)
    return tmp_path / "out"


def test_a_saved_release_knows_what_its_labels_cover(run: Run, saved: Path) -> None:
    """Three people are rare, of 60 in the population who were rare in the table and live in the north."""
    population = ("--population", saved.parent / "everybody.csv", "--json")
    code, out, _ = run(saved, *population)
    plain = json.loads(out)
    assert [run(saved / inside, *population)[:2] for inside in ("public", "public/release.json")] == [(code, out)] * 2
    assert (code, plain["records"], plain["k"], list(plain["columns"])) == (0, 13, 3, ["disease"])
    assert plain["risk"]["attackers"]["journalist"]["highest"]["exact"] == "1/60"
    assert run(saved, "--require", "k>=3", "--preset", "ema-0.09")[0] == 1
    assert run(saved, "--require", "k>=3, l>=2")[0] == 0


def test_without_its_owners_folder_a_release_is_read_and_says_what_could_not_be(run: Run, saved: Path) -> None:
    (saved / "owner").rename(saved.parent / "locked away")
    code, out, err = run(saved, "--population", saved.parent / "everybody.csv", "--json")
    plain = json.loads(out)
    assert code == 0
    assert plain["risk"]["attackers"]["journalist"]["highest"]["exact"] == "1/3"
    told = "Labels of 'town' that are no values of the population and cannot be read: 1; there the table counts."
    assert f"warning: {told}" in err
    assert told in plain["notes"]


def test_a_saved_release_says_itself_what_its_columns_are(run: Run, saved: Path, tmp_path: Path) -> None:
    code, _, err = run(saved, "--quasi", "job")
    assert code == 2
    assert "--quasi is about the columns of a table, and a release says itself what its columns are." in err
    table = [{"who": number // 2, "town": "ab"[number % 2]} for number in range(8)]
    ic.anonymize(table, ic.Schema({"town": ic.flat()}, entity="who"), model="k>=2").save(tmp_path / "several")
    code, _, err = run(tmp_path / "several")
    assert code == 2
    assert "it does not say whose row is whose" in err
    assert ic.risk(tmp_path / "several", original=table).persons == 4
    with pytest.raises(ic.ParameterError, match="does not say whose row is whose"):
        ic.risk(tmp_path / "several")


def test_weights_say_whom_a_record_stands_for(run: Run, people: Path) -> None:
    plain = json.loads(run(people, "--quasi", "town", "--weight", "w", "--json")[1])
    assert plain["risk"]["uniqueness"]["population"] == 19.0
    assert plain["risk"]["attackers"]["journalist"]["highest"]["value"] == 1.0
    code, _, err = run(people, "--quasi", "town", "--weight", "w")
    assert code == 0
    assert "warning: Many records are alone in the table" in err


def test_households_are_told_beside_the_intruders(run: Run, people: Path) -> None:
    code, out, _ = run(people, "--quasi", "town", "--household", "disease")
    assert code == 0
    assert "a household is found by some member, by 'disease'" in out
    plain = json.loads(run(people, "--quasi", "town", "--household", "disease", "--json")[1])
    assert plain["risk"]["households"]["column"] == "disease"
    assert "no column 'home'" in run(people, "--quasi", "town", "--household", "home")[2]


def test_without_such_an_option_nothing_is_added(run: Run, people: Path) -> None:
    assert "who could find" not in run(people, "--quasi", "town")[1]
    plain = json.loads(run(people, "--quasi", "town", "--json")[1])
    assert (plain["risk"], plain["presets"]) == (None, [])


def test_a_published_rule_is_a_gate(run: Run, people: Path, twelve: Path) -> None:
    code, out, err = run(people, "--quasi", "town", "--preset", "ema-0.09")
    assert code == 1
    assert "FAIL  highest chance: 1.0000" in out
    assert "      rule: The highest chance to find a person is at most 0.09." in out
    assert "hint" not in err
    code, out, _ = run(twelve, "--quasi", "town", "--preset", "ema-0.09")
    assert code == 0
    assert out.endswith("PASS  highest chance: 0.0833 (the smallest class has 12 records)\n")
    assert "      rule: " in run(twelve, "--quasi", "town", "--preset", "ema-0.09", "--all")[1]


def test_what_could_not_be_checked_does_not_pass_the_gate(run: Run, twelve: Path) -> None:
    code, out, _ = run(twelve, "--quasi", "town", "--preset", "wp216")
    assert code == 1
    assert "NOT CHECKED  inference: the schema names no sensitive column\n" in out
    assert run(twelve, "--quasi", "town", "--sensitive", "disease", "--preset", "wp216")[0] == 0


def test_several_rules_and_a_promise_are_answered_together(run: Run, twelve: Path) -> None:
    options = ["--quasi", "town", "--sensitive", "disease", "--preset", "wp216", "--preset", "ema-0.09", "--json"]
    plain = json.loads(run(twelve, *options)[1])
    assert [(one["preset"], one["holds"]) for one in plain["presets"]] == [("wp216", True), ("ema-0.09", True)]
    assert run(twelve, *options, "--require", "k>=13")[0] == 1
    assert run(twelve, *options, "--threshold", "1/13")[0] == 1  # the linkability of wp216


def test_the_safe_harbor_looks_at_declared_columns(run: Run, people: Path, tmp_path: Path) -> None:
    kinds = ["--kind", "town=place,disease=none", "--kind", "zip=zip", "--kind", "w=none"]
    code, out, _ = run(people, "--quasi", "town", *HARBOR, *kinds)
    assert code == 1
    assert "FAIL  geography: column 'town' shows places smaller than a state; column 'zip'\n" in out
    assert "who could find" not in out
    populous = tmp_path / "populous.txt"
    populous.write_text("101\n102\n")
    kinds[1] = "town=state,disease=none"
    code, out, _ = run(people, "--quasi", "town", *HARBOR, *kinds, "--populous", populous)
    assert (code, out.count("PASS")) == (0, 18)


def test_birth_years_are_compared_with_the_year_of_the_data(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "born.csv"
    path.write_text("born\n1930\n1980\n")
    options = ["--quasi", "born", *HARBOR, "--kind", "born=birth date"]
    assert run(path, *options, "--year", "2019")[0] == 0
    assert run(path, *options, "--year", "2020")[0] == 1
    assert run(path, *options)[0] == 1  # nobody said when


def test_no_line_is_wider_than_a_terminal(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    name = "what the person was treated for last, by whom, and why"
    path.write_text(f'town,"{name}"\nbonn,flu\nkiel,hiv\n')
    options = ["--quasi", "town", "--sensitive", f'"{name}"', "--population", "80000000", "--all"]
    _, out, _ = run(path, *options, "--preset", "wp216", *HARBOR)
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--population", "many"], "--population must be a number of people or a file, got 'many'."),
        (["--population", "2"], "The population of 2 is smaller than the table of 4."),
        (["--population", "10000000001"], "population must be from 1 to 10,000,000,000 people."),
        (["--population", "9" * 5000], "population must be from 1 to 10,000,000,000 people."),
        (["--weight", "town"], "Column 'town' cannot be the weight: its role is quasi-identifier."),
        (["--threshold", "1e-999999999"], "--threshold must be a chance from 0 to 1, got '1e-999999999'."),
        (["--threshold", "9%"], "--threshold must be a chance from 0 to 1, got '9%'."),
        (["--threshold", "1/0"], "hint: write it as 0.09 or 1/11."),
        (["--threshold", "2"], "--threshold must be a chance from 0 to 1, got '2'."),
        (["--weight", "v"], "no column 'v'"),
        (["--weight", "w", "--population", "40"], "by weights or by itself, not by both"),
        (["--weight", "disease"], "Column 'disease' (given as weight) must hold numbers above 0 in every row."),
        (["--preset", "gdpr"], "A preset must be one of 'ema-0.09', 'wp216', 'hipaa-safe-harbor', got 'gdpr'."),
        (["--kind", "zip=zip"], "--kind is about --preset hipaa-safe-harbor, which was not asked for."),
        (["--year", "2020"], "--year is about --preset hipaa-safe-harbor, which was not asked for."),
        ([*HARBOR, "--kind", "zip"], "--kind does not say which column it is about."),
        ([*HARBOR, "--kind", "zip=zip,zip=none"], "--kind declares a column twice."),
        ([*HARBOR, "--kind", "zap=zip"], "no column 'zap'"),
        ([*HARBOR, "--kind", "zip=post"], "Column 'zip' must be declared as one of 'none'"),
        ([*HARBOR, "--populous", "none.txt"], "The list of ZIP codes 'none.txt' cannot be read, or is empty."),
        ([*HARBOR, "--populous", "DATA"], "The list of ZIP codes 'people.csv' holds 16 words that are not three"),
    ],
)
def test_wrong_use_is_explained(run: Run, people: Path, arguments: list[str], message: str) -> None:
    given = [str(people) if one == "DATA" else one for one in arguments]
    code, out, err = run(people, "--quasi", "town", *given)
    assert (code, out) == (2, "")
    assert message in err
    assert "flu" not in err
