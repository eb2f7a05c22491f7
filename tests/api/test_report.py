"""Reports: what is in them, for whom, and what is not."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import incrowd as ic
from incrowd.api import _chart_rows as rows
from incrowd.api._report_evidence import attacks

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
    return ic.anonymize(table, schema, model="k>=5, l>=2[disease]", max_suppressed=0.05)


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
        "What is promised",
        "Purpose and recipients",
        "Columns",
        "Risk before and after",
        "Simulated attacks",
        "Usefulness",
        "What was changed",
        "Confidential values",
        "How it was searched",
        "Limits of this statement",
        "How to make it again",
        "Words",
        "Signatures",
    ]
    assert "MEETS the policy" in owner
    assert "research on asthma" in owner
    assert owner.count("NOT STATED") == 6


def test_every_chart_says_how_to_read_it(owner: str) -> None:
    assert owner.count("<figure>") == owner.count("<figcaption>") >= 9
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
    numbers = {int(text.replace(",", "")) for text in re.findall(r"(?<![\w.#-])\d[\d,]*(?![\w.%])", _words(public))}
    assert not numbers & {recipe.records, recipe.suppressed, recipe.published, found.verdict.classes}
    levels = set(found.recoding.levels.values()) if found.recoding.levels else set()
    assert numbers <= {2, 4, 5, *levels}  # the promise, what it means, and the levels


def test_the_owner_reads_the_same_as_json(tmp_path: Path, owner: str) -> None:
    plain = json.loads(release().report(tmp_path / "report.json", about=ABOUT).read_text(encoding="utf-8"))
    assert [section["title"] for section in plain["sections"]] == re.findall(r"<h2>(.*?)</h2>", owner)[:-1]
    assert plain["meets"] is True


def test_what_was_left_out_is_told_by_group(owner: str) -> None:
    assert "Who was left out" in owner


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


def test_a_report_on_people_with_several_rows_says_what_the_promises_do_not_cover(tmp_path: Path, public: str) -> None:
    table = [{"id": number // 2, "age": 20 + number % 4, "disease": "ab"[number % 2]} for number in range(40)]
    schema = ic.Schema(quasi={"age": ic.flat()}, sensitive=["disease"], entity="id")
    text = ic.anonymize(table, schema, model="k>=2").report(tmp_path / "r.html", public=True).read_text("utf-8")
    assert "several rows of a person" in text
    assert "several rows of a person" not in public


def test_what_guesses_nothing_is_not_reported_as_never_right() -> None:
    section = attacks(release().charts)
    [table] = section.tables
    found = {row[0]: row[3:] for row in table.rows}
    change = release().charts.attacks_after.get("change of belief")
    assert found["change of belief: disease"] == ["-", "-", "-", "-", f"{float(change.worst or 0):.1%}"]
    assert found["skewness: disease"][:4] == ["-"] * 4
    inference = release().charts.attacks_after.get("inference")
    assert found["inference: disease"][1] == f"{float(inference.rate):.1%}"
    assert any("have a candidate in the release" in text for text in section.words)
    drawn = json.dumps(release().charts.attack_rates().to_dict())
    assert "inference" in drawn
    assert "change of belief" not in drawn


def test_precision_is_named_as_what_is_lost(owner: str) -> None:
    assert "precision lost" in owner


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


def _words(html: str) -> str:
    body = html[html.index("<body>") :]
    return re.sub(r"<[^>]+>", " ", re.sub(r"<svg.*?</svg>", " ", body, flags=re.DOTALL))
