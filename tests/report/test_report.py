"""Reports: what is in them, for whom, and what is not."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import incrowd as ic
from incrowd.release._about import settings_of
from incrowd.release._folder import save
from incrowd.report import _chart_rows as rows
from incrowd.report._evidence_section import attacks_section, confidential_sections, usefulness_section
from incrowd.report._method_section import changes_section
from incrowd.report._verdict_section import percentile

CANARY = "canaryville"
ABOUT = {"purpose": "research on asthma"}


@cache
def release() -> ic.Release:
    table = [
        {
            "name": f"n{number}",
            "age": 20 + number % 40,
            "town": "bonn" if number % 3 else "kiel",
            "disease": "abc"[number % 3],
        }
        for number in range(200)
    ]
    table += [{"name": f"c{number}", "age": 99, "town": CANARY, "disease": "d"} for number in range(7)]
    schema = ic.Schema(
        quasi={"age": ic.intervals(5, 10, 20), "town": ic.flat()}, sensitive=["disease"], identifiers=["name"]
    )
    optimal = ic.Optimal()
    return ic.anonymize(table, schema, model="k>=5, l>=2[disease]", algorithm=optimal, max_suppressed=0.05)


@pytest.fixture(scope="module")
def owner(tmp_path_factory: pytest.TempPathFactory) -> str:
    return release().report(tmp_path_factory.mktemp("r") / "report.html", about=ABOUT).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("r") / "report.html"
    return release().report(path, about=ABOUT, public=True).read_text(encoding="utf-8")


def test_the_owner_is_told_everything_that_a_board_asks(owner: str) -> None:
    titles = re.findall(r"<h2>(.*?)</h2>", owner)
    assert titles == [
        "In short",
        "Purpose and release",
        "Limits of this statement",
        "Signatures",
        "Data and columns",
        "Scenario and limits",
        "Risk before and after",
        "Confidential values",
        "Simulated attacks",
        "What was changed",
        "Usefulness",
        "How it was searched",
        "How to make it again",
        "Annex A: words",
        "Annex B: where rules ask for this",
    ]
    assert "! MEETS the policy: k&gt;=5, l&gt;=2[disease]. Look at this before you sign" in owner
    assert "research on asthma" in owner
    assert owner.count("NOT STATED") == 4  # all of them in the banner; period, roles and reasons where they matter


def test_how_long_it_took_and_how_much_memory_is_the_owners_to_know(owner: str, public: str) -> None:
    for words in ("seconds from the table to the checked release", "peak memory until then"):
        assert words in owner
        assert words not in public


def test_a_report_is_written_where_virtual_memory_is_limited(tmp_path: Path) -> None:
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30)); import incrowd as ic; "
        "roles = ic.Schema(quasi={'age': ic.intervals(10)}, sensitive=['disease']); "
        "table = [{'age': 20 + number % 30, 'disease': 'ab'[number % 2]} for number in range(60)]; "
        "ic.anonymize(table, roles, model='k>=3').report(sys.argv[1])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "r.html")], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (tmp_path / "r.html").read_text(encoding="utf-8").count("<svg") >= 5


def test_charts_have_letters_in_the_order_in_which_they_stand(owner: str) -> None:
    assert re.findall(r"<strong>Chart ([A-Z]+):", owner) == list("ABCDEFGH")


def test_every_chart_says_what_it_shows(owner: str) -> None:
    assert owner.count("<figure>") == owner.count("<figcaption>") == 8
    assert owner.count('role="img" aria-label=') == owner.count("<figure>")


def test_a_report_opens_offline_and_runs_nothing(owner: str, public: str) -> None:
    for text in (owner, public):
        assert "<script" not in text
        assert not re.search(r"(?:src|href)\s*=\s*[\"'](?!#)", text.replace("xlink:href", ""))
        assert not re.search(r"url\(\s*[\"']?(?!#)", text)
        assert set(re.findall(r"https?://[^\"'\s<]+", text)) <= {
            "http://www.w3.org/2000/svg",
            "http://www.w3.org/1999/xlink",
        }


def test_every_link_leads_somewhere(owner: str) -> None:
    assert set(re.findall(r'href="#([^"]+)"', owner)) <= set(re.findall(r'<section id="([^"]+)"', owner))


def test_the_public_version_shows_nothing_that_the_release_does_not(public: str) -> None:
    found, recipe = release(), release().recipe
    assert CANARY not in public
    assert recipe.suppressed == 7
    words = re.sub(r"\d{4}-\d\d-\d\d", "", _words(public))  # the day of the report
    numbers = {int(text.replace(",", "")) for text in re.findall(r"(?<![\w.#/-])\d[\d,]*(?![\w.%/-])", words)}
    assert not numbers & {recipe.records, recipe.suppressed, recipe.published, found.verdict.classes}
    levels = set(found.recoding.levels.values()) if found.recoding.levels else set()
    assert numbers <= {0, 1, 2, 4, 5, *levels}  # the promise and what it means, the levels, and the glossary's 0 and 1


def test_the_owner_reads_the_same_as_json(tmp_path: Path, owner: str) -> None:
    plain = json.loads(release().report(tmp_path / "report.json", about=ABOUT).read_text(encoding="utf-8"))
    titles = [title for title in re.findall(r"<h2>(.*?)</h2>", owner) if title != "Signatures"]
    assert [section["title"] for section in plain["sections"]] == titles
    assert plain["meets"] is True
    assert plain["signatures"][0] == "Prepared by"
    figures = [figure for section in plain["sections"] for figure in section["figures"]]
    assert [figure["letter"] for figure in figures if figure["letter"]] == list("ABCDEFGH")
    assert {figure["name"] for figure in figures if not figure["letter"]} == {"graph", "losses", "lattice", "tree"}
    charts = [figure["chart"] for figure in figures]
    assert all(chart["svg"].startswith("<svg") for chart in charts)
    assert all(chart["rows"] for chart in charts)


def test_what_was_left_out_is_told_by_group(owner: str) -> None:
    assert "Who was left out" in owner


def test_people_left_out_of_a_local_recoding_are_told_by_group_too() -> None:
    table = [
        {"age": 20 + number % 9, "town": "bonn" if number < 36 else "kiel", "d": "ab"[number % 2]}
        for number in range(38)
    ]
    schema = ic.Schema(quasi={"age": ic.intervals(5), "town": ic.flat()}, sensitive=["d"])
    release = ic.anonymize(table, schema, model="k>=3", algorithm=ic.Datafly(), max_suppressed_records=2)
    assert release.basis is not None
    found = rows.left_out_rows(release.basis, release.recoding)
    assert sum(out for name, _, _, out in found if name == "town") == release.recipe.suppressed


def test_reports_lie_beside_a_saved_release(tmp_path: Path) -> None:
    release().save(tmp_path / "out", about={})
    assert {path.name for path in (tmp_path / "out" / "owner").iterdir()} >= {"report.html", "report.json"}
    assert (tmp_path / "out" / "public" / "report.html").is_file()
    assert CANARY not in (tmp_path / "out" / "public" / "report.html").read_text(encoding="utf-8")


def test_what_a_report_does_not_know_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ic.ParameterError, match="does not know what 'author' means"):
        release().report(tmp_path / "r.html", about={"author": "me"})
    assert not list(tmp_path.iterdir())


def test_the_public_are_not_told_how_many_columns_are_hidden(public: str, owner: str) -> None:
    assert "Columns that name people are not published." in public
    assert "One column names people and is not published." in owner


def test_a_column_that_names_people_and_says_whose_row_it_is_counts_once(tmp_path: Path) -> None:
    table = [{"who": str(number // 2), "age": 30 + number // 2 % 2} for number in range(40)]
    schema = ic.Schema(quasi={"age": ic.flat()}, identifiers=["who"], entity="who")
    made = ic.anonymize(table, schema, model="k>=5")
    page = json.loads(made.report(tmp_path / "r.json").read_text(encoding="utf-8"))
    (data,) = (section for section in page["sections"] if section["name"] == "data")
    assert data["words"][0] == "One column names people and is not published."


def test_a_report_on_people_with_several_rows_says_what_the_promises_do_not_cover(tmp_path: Path, public: str) -> None:
    table = [{"id": number // 2, "age": 20 + number % 4, "disease": "ab"[number % 2]} for number in range(40)]
    schema = ic.Schema(quasi={"age": ic.flat()}, sensitive=["disease"], entity="id")
    text = ic.anonymize(table, schema, model="k>=2").report(tmp_path / "r.html", public=True).read_text("utf-8")
    assert "several rows of a person" in text
    assert "several rows of a person" not in public


def test_what_guesses_nothing_is_not_reported_as_never_right() -> None:
    section = attacks_section(release().charts)
    [table] = section.tables
    found = {row[0]: row[3:] for row in table.rows}
    change = release().charts.attacks_after.get("change of belief")
    assert found["change of belief: disease"] == ["-", "-", "-", "-", f"{float(change.worst or 0):.1%}"]
    assert found["skewness: disease"][:4] == ["-"] * 4
    assert found["homogeneity: disease"][3] == "none"
    inference = release().charts.attacks_after.get("inference")
    assert found["inference: disease"][1] == f"{float(inference.rate):.1%}"
    assert any("have a candidate in the release" in text for text in section.words)
    drawn = {row["attack"] for row in release().charts.attack_rates().rows}
    assert "inference of disease" in drawn
    assert "change of belief of disease" not in drawn


def test_precision_is_named_as_what_is_lost() -> None:
    (_, cost) = usefulness_section(release().charts).tables
    assert "precision lost (1 - Sweeney's)" in [row[0] for row in cost.rows]


def test_a_missing_number_is_not_drawn_as_the_largest() -> None:
    table = [
        {"age": None if number < 12 else 20 + number, "height": 150 + number % 9, "disease": "ab"[number % 2]}
        for number in range(24)
    ]
    schema = ic.Schema(quasi={"age": ic.intervals(5, 10), "height": ic.intervals(5)}, sensitive=["disease"])
    release = ic.anonymize(table, schema, model="k>=4", algorithm=ic.Mondrian())
    found = rows.rectangle_rows(release.basis) if release.basis else None
    assert found is not None
    assert sum(row["records"] for row in found[0]) == 12
    assert all(32 <= row["left"] < row["right"] <= 43 for row in found[0])


def test_a_curve_of_many_groups_never_looks_safer_than_they_are() -> None:
    numbers = np.arange(500)
    pairs = [(one, value) for one in numbers for value in range(10 - one % 9)]
    table = [{"group": f"{one}", "disease": f"{value}"} for one, value in pairs]
    classes = ic.census(table, ic.Schema(quasi=["group"], sensitive=["disease"])).classes()
    curve = rows.confidence_rows(classes, "disease")
    sizes = np.sort(10 - numbers % 9)[::-1]
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1])) / sizes.sum()
    places = np.searchsorted([row["part"] for row in curve], starts, side="right") - 1
    assert all(curve[place]["share"] >= 1 / size for place, size in zip(places, sizes, strict=True))
    assert len(curve) == rows.STEPS + 1


def test_the_percentile_is_the_chance_that_most_people_do_not_exceed() -> None:
    table = [{"town": f"{number // 10}"} for number in range(190)] + [
        {"town": f"alone {number}"} for number in range(10)
    ]
    classes = ic.census(table, ic.Schema(quasi=["town"])).classes()
    assert percentile(classes) == Fraction(1, 10)  # exactly 190 of 200 are in groups of ten
    assert percentile(classes, Fraction(96, 100)) == 1


def test_a_population_brings_the_journalist_and_who_is_alone_in_it(tmp_path: Path) -> None:
    text = release().report(tmp_path / "r.html", about={"population": "100,000"}).read_text(encoding="utf-8")
    assert "journalist: highest chance" in text
    assert "one of a kind in the population, expected (pitman)" in text
    assert "The size of the population is not stated" not in text


@pytest.mark.parametrize("wrong", ["many", "0", "-5", "1.5"])
def test_a_population_is_a_whole_number(wrong: str, tmp_path: Path) -> None:
    with pytest.raises(ic.ParameterError, match="population must be a whole number of people"):
        release().report(tmp_path / "r.html", about={"population": wrong})


def test_what_groups_tell_is_measured_before_and_after() -> None:
    (section,) = confidential_sections(release().charts)
    (table,) = section.tables
    assert [list(row) for row in table.rows] == [  # 40 groups of five, in which values occur 2, 2 and 1 times
        ["fewest different values in a group (l)", "1", "3", "at least 2", "kept"],
        ["lowest effective number of values (entropy l)", "1", "2.872", "", ""],
        ["most certain guess in any group", "100.0%", "40.0%", "", ""],
        ["guessed right on average", "74.4%", "40.0%", "", ""],
        ["guessed right without the groups", "32.4%", "33.5%", "", ""],
        ["people whose group has one value", "74", "0", "", ""],
        ["largest distance of a group from the table (t, equal)", "0.966", "0.157", "", ""],
        ["average distance of a person's group from the table", "0.481", "0.156", "", ""],
        ["largest skew of a value", "29.6 times", "1.3 times", "", ""],
    ]


def test_a_saved_report_names_file_plan_and_hashes(tmp_path: Path) -> None:
    save(release(), tmp_path / "out", about={}, plan="version = 1 # my plan", date="2026-01-31")
    text = (tmp_path / "out" / "owner" / "report.html").read_text(encoding="utf-8")
    data = tmp_path / "out" / "public" / "data.parquet"
    assert hashlib.sha256(data.read_bytes()).hexdigest()[:12] in text
    assert hashlib.sha256(b"version = 1 # my plan").hexdigest()[:12] in text
    assert "<pre" in text
    assert "version = 1 # my plan" in text
    assert "2026-01-31" in text
    public = (tmp_path / "out" / "public" / "report.html").read_text(encoding="utf-8")
    assert "my plan" not in public
    assert hashlib.sha256(data.read_bytes()).hexdigest()[:12] in public


def test_the_same_settings_have_the_same_hash() -> None:
    one, other = (settings_of(release(), None) for _ in range(2))
    assert one == other
    assert one != settings_of(release(), "a plan")


def test_what_is_said_about_roles_is_not_for_the_public(tmp_path: Path) -> None:
    about = {"roles_confirmed_by": "A. Archer", "threshold_reasons": "house rule", "period": "2024"}
    owner = release().report(tmp_path / "o.html", about=about).read_text(encoding="utf-8")
    public = release().report(tmp_path / "p.html", about=about, public=True).read_text(encoding="utf-8")
    assert "Roles confirmed by: A. Archer." in owner
    assert "house rule" in owner
    assert "Archer" not in public
    assert "house rule" not in public


def test_a_release_although_something_was_open_says_why_and_the_owner_reads_who_and_what(tmp_path: Path) -> None:
    about = {
        "released_anyway": "the board asked for it",
        "released_by": "A. Archer, 2026-11-18",
        "open_items": "nobody looked at the column ward",
    }
    owner = release().report(tmp_path / "o.html", about=about).read_text(encoding="utf-8")
    public = release().report(tmp_path / "p.html", about=about, public=True).read_text(encoding="utf-8")
    assert all(text in owner for text in about.values())
    assert "Released although something was open, because" in public
    assert "the board asked for it" in public
    assert "Archer" not in public
    assert "the column ward" not in public


def test_where_nothing_was_open_no_report_asks_why_it_was_released(tmp_path: Path) -> None:
    owner = release().report(tmp_path / "o.html", about={}).read_text(encoding="utf-8")
    assert "Released although" not in owner
    assert "What was open" not in owner


def test_masked_records_are_counted_as_masked() -> None:
    table = [{"age": 20 + number % 4, "d": "ab"[number % 2]} for number in range(40)]
    table += [{"age": 70 + number, "d": "a"} for number in range(3)]
    schema = ic.Schema(quasi={"age": ic.flat()}, sensitive=["d"])
    limits: Any = {"max_suppressed_records": 3, "at_most": {"age": 0}}
    section = changes_section(ic.anonymize(table, schema, model="k>=3", suppression="mask", **limits).charts)
    assert section.words == [
        "3 of 43 records are masked (7.0%).",
        "3 of 43 published cells of quasi-identifiers are vaguer than they were.",
    ]
    assert [table.caption for table in section.tables] == ["Who was masked: is one group hit harder than another?"]


def test_a_certificate_of_people_with_several_rows_says_what_is_not_promised(tmp_path: Path) -> None:
    table = [{"id": number // 2, "age": 20 + number % 4, "ward": "a"} for number in range(40)]
    schema = ic.Schema(quasi={"age": ic.flat()}, insensitive=["ward"], entity="id")
    ic.anonymize(table, schema, model="k>=2", algorithm=ic.Optimal()).save(tmp_path / "out")
    limits = json.loads((tmp_path / "out/public/release.json").read_text(encoding="utf-8"))["limits"]
    assert any("several rows of a person" in text for text in limits)
    assert any("called insensitive" in text for text in limits)
    assert not any("local recoding" in text for text in limits)


def test_a_plan_says_how_large_the_population_is() -> None:
    plan = ic.Plan.of(
        {
            "version": 1,
            "data": {"path": "patients.csv"},
            "columns": {"age": {"role": "quasi"}},
            "privacy": {"promise": "k>=2"},
            "report": {"population": 1200000, "roles_confirmed_by": "A. Archer"},
        }
    )
    assert plan.report.about == {"roles_confirmed_by": "A. Archer", "population": "1200000"}


def test_the_graph_of_a_column_is_shown_by_notebooks() -> None:
    picture = release().charts.bipartite("disease")
    assert picture._repr_svg_().startswith("<svg")
    with pytest.raises(ic.UnknownColumnError, match="no column 'town'"):
        release().charts.bipartite("town")


def _words(html: str) -> str:
    body = html[html.index("<body>") :]
    return re.sub(r"<[^>]+>", " ", re.sub(r"<svg.*?</svg>", " ", body, flags=re.DOTALL))


def test_what_a_report_would_not_understand_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    schema = ic.Schema(quasi={"age": ic.flat()})
    for wrong, why in (({"author": "me"}, "does not know what 'author' means"), ("me", "about must be a dict")):
        given: Any = wrong
        with pytest.raises(ic.ParameterError, match=why):
            release().save(tmp_path / "out", about=given)
        with pytest.raises(ic.ParameterError, match=why):
            release().report(tmp_path / "r.html", about=given)
        with pytest.raises(ic.ParameterError, match=why):
            ic.anonymize(tmp_path / "missing.csv", schema, model="k>=2", output=tmp_path / "out", about=given)
    assert not list(tmp_path.iterdir())


def test_one_number_says_what_is_guessed_without_the_release(tmp_path: Path) -> None:
    page = json.loads(release().report(tmp_path / "r.json").read_text(encoding="utf-8"))
    parts = {section["name"]: section for section in page["sections"]}
    without = {row[5] for row in parts["attacks"]["tables"][0]["rows"] if row[0].startswith("inference")}
    assert without == {"33.5%"}
    assert "and 33.5% without it" in " ".join(parts["summary"]["words"])
    told = {row[0]: row for row in parts["confidential"]["tables"][0]["rows"]}
    assert told["guessed right without the groups"][2] == "33.5%"


@pytest.mark.parametrize("name", ["report.pdf", "report", "report.html.txt"])
def test_a_report_is_html_or_json_and_nothing_else(name: str, tmp_path: Path) -> None:
    with pytest.raises(ic.ParameterError, match=r"written as \.html or \.json") as raised:
        release().report(tmp_path / name)
    assert "for a PDF, write .html" in raised.value.hint
    assert not list(tmp_path.iterdir())


def test_that_somebody_is_missing_is_said_only_where_somebody_is(owner: str, public: str, tmp_path: Path) -> None:
    said = "Records are left out by a rule"
    assert said in owner
    assert said in public
    table = [{"age": 30 + number % 4, "disease": "ab"[number % 2]} for number in range(40)]
    schema = ic.Schema(quasi={"age": ic.intervals(10)}, sensitive=["disease"])
    whole = ic.anonymize(table, schema, model="k>=2")
    assert whole.recipe.suppressed == 0
    assert said not in whole.report(tmp_path / "owner.html").read_text(encoding="utf-8")
    assert said not in json.dumps(json.loads((whole.save(tmp_path / "out") / "public/release.json").read_text("utf-8")))


def test_numbers_and_dates_are_drawn_in_their_own_order() -> None:
    ages = [9] * 3 + [10] * 7 + [100] * 5
    days = ["2021-05-03", "2020-01-02", "2022-12-31"]
    table = [
        {
            "age": age,
            "day": dt.date.fromisoformat(days[number % 3]),
            "town": "ab"[number % 3 > 0],
            "disease": "xy"[number % 2],
        }
        for number, age in enumerate(ages)
    ]
    schema = ic.Schema(
        quasi={"age": ic.intervals(1000), "day": ic.dates("century"), "town": ic.flat()}, sensitive=["disease"]
    )
    charts = ic.anonymize(table, schema, model="k>=4").charts
    labels = {
        name: list(dict.fromkeys(row["label"] for row in charts.marginals(name).rows)) for name in schema.quasi_names
    }
    assert labels == {"age": ["9", "10", "100"], "day": sorted(days), "town": ["b", "a"]}


def test_usefulness_lists_every_measure(tmp_path: Path) -> None:
    page = json.loads(release().report(tmp_path / "r.json").read_text(encoding="utf-8"))
    section = next(one for one in page["sections"] if one["name"] == "usefulness")
    listed = dict(section["tables"][1]["rows"])
    found = release().charts.utility.measures
    assert listed["discernibility without a penalty (DM*)"] == f"{found['discernibility_star']:,.0f}"
    assert listed["ambiguity (combinations of values per record)"] == f"{found['ambiguity']:.4g}"
    assert len(listed) == len(found)


def test_how_to_make_it_again_names_no_value_of_the_table(tmp_path: Path) -> None:
    page = json.loads(release().report(tmp_path / "r.json", about=ABOUT).read_text(encoding="utf-8"))
    section = json.dumps(next(one for one in page["sections"] if one["name"] == "reproduce"))
    for value in (CANARY, "bonn", "kiel", "[20, ", "c6"):
        assert value not in section


def test_groups_are_drawn_over_a_number_and_a_date() -> None:
    table = [
        {"day": dt.date(2020, 1, 1) + dt.timedelta(days=31 * (number // 4)), "age": 20 + 10 * (number % 4), "town": "x"}
        for number in range(16)
    ]
    schema = ic.Schema(quasi={"town": ic.flat(), "day": ic.dates("month"), "age": ic.intervals(10)})
    found = ic.anonymize(table, schema, model="k>=4", algorithm=ic.Mondrian())
    assert found.basis is not None
    drawn, across, up, dates = rows.rectangle_rows(found.basis) or ((), "", "", ())
    assert (across, up, dates) == ("day", "age", ("day",))
    assert min(row["left"] for row in drawn) == dt.datetime(2020, 1, 1, tzinfo=dt.UTC).timestamp() * 1000
    chart = found.charts.rectangles()
    assert chart is not None
    assert ">2020-01</text>" in str(chart)
    assert ">20</text>" in str(chart)
