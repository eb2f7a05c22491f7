"""The papers' experiments, in their small form, and what must come out whatever the table is."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import incrowd as ic
from incrowd.core import Census
from incrowd.experiments import (
    Claim,
    Reproduction,
    _enhanced,
    _improved as _improved_tables,
    _p_sensitive,
    _p_sensitive as _p_sensitive_claims,
    reproduce,
)
from incrowd.experiments._adult import find_adult, p_sensitive_hierarchies
from incrowd.experiments._p_sensitive import NODES
from incrowd.experiments._result import MARK
from incrowd.search import Problem, all_solutions

NAMES = ["enhanced", "homogeneity", "p-sensitive", "improved", "closeness"]


@pytest.fixture(scope="module")
def found() -> Iterator[Reproduction]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("INCROWD_DATA", raising=False)
        yield reproduce(small=True)


def claims(found: Reproduction, name: str) -> dict[str, tuple[str, bool | None]]:
    return {claim.said: (claim.found, claim.holds) for claim in found[name].claims}


def rows(found: Reproduction, name: str, table: str) -> list[dict[str, Any]]:
    return [dict(row) for row in found[name].tables[table]]


def test_without_a_name_every_experiment_runs(found: Reproduction) -> None:
    assert [experiment.name for experiment in found] == NAMES
    assert len(found) == 5


def test_an_unknown_experiment_is_refused() -> None:
    with pytest.raises(ic.ParameterError, match=r"no experiment 'datafly'.*there are enhanced, homogeneity"):
        reproduce("datafly")


def test_an_experiment_that_was_not_run_is_not_there(found: Reproduction) -> None:
    with pytest.raises(ic.ParameterError, match="no experiment 'datafly' here"):
        found["datafly"]


def test_made_up_rows_are_marked_and_decide_nothing_about_adult(found: Reproduction) -> None:
    assert {one.name for one in found if one.stand_in} == {"enhanced", "p-sensitive", "closeness"}
    for one in found:
        assert ("MADE-UP ROWS" in one.data) == one.stand_in
        assert one.stand_in <= all(claim.holds is None for claim in one.claims if claim.of_data)
        titles = {str(chart.title) for chart in one.charts.values()}
        assert (titles == {"made-up rows stand in for Adult"}) == one.stand_in


def test_nothing_is_said_to_be_found_on_adult_where_made_up_rows_stood_in(found: Reproduction) -> None:
    for one in found:
        texts = [one.title, *(claim.found for claim in one.claims)]
        texts += [json.dumps(chart.to_dict()).replace(MARK, "") for chart in one.charts.values()]
        assert not one.stand_in or not any("Adult" in text for text in texts)


@pytest.mark.parametrize(
    ("spared", "judged", "verdict", "share"),
    [
        (0, 100, "does not hold", "0 of 100 nodes in all runs, 0.00%"),
        (2, 4235, "barely holds", "2 of 4,237 nodes in all runs, 0.05%"),
        (504, 5605, "barely holds", "504 of 6,109 nodes in all runs, 8.25%"),
        (1, 9, "holds", "1 of 10 nodes in all runs, 10.00%"),
    ],
)
def test_conditions_that_spare_next_to_nothing_barely_improve_a_test(
    spared: int, judged: int, verdict: str, share: str
) -> None:
    row = {"excluded_by_condition_2": 38, "spared_by_condition_2": spared, "nodes_judged": judged}
    early, less = _p_sensitive_claims._conditions([row])
    assert (early.verdict, less.verdict) == ("holds", verdict)
    assert "38 of 96 nodes per run, 39.6%" in early.found
    assert share in less.found
    assert "Below 10% it barely holds" in less.why


def test_the_same_numbers_come_out_every_time(found: Reproduction, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INCROWD_DATA", raising=False)
    again = reproduce("closeness", small=True)["closeness"]
    assert {**again.to_dict(), "seconds": 0} == {**found["closeness"].to_dict(), "seconds": 0}


def test_no_enhanced_table_is_exposed_to_the_similarity_attack(found: Reproduction) -> None:
    own = [row for row in rows(found, "enhanced", "similarity") if row["model"] == "enhanced (p, alpha)"]
    assert [row["exposed_tables"] for row in own] == [0, 0]
    assert all(row["minimal_tables"] > 0 for row in own)


def test_the_thesis_is_quoted_with_the_parameters_that_it_gives(found: Reproduction) -> None:
    end = " are exposed to the similarity attack."
    assert [claim.said.removesuffix(end) for claim in found["enhanced"].claims[:3]] == [
        "13 of 21 minimal p-sensitive 4-anonymous tables (p = 2)",
        "7 of 30 minimal (p, alpha)-sensitive 4-anonymous tables (p = 2, alpha = 2)",
        "3 of 28 minimal enhanced (p, alpha) 4-anonymous tables (p = 2, alpha = 2)",
    ]


def test_stricter_promises_never_have_a_finer_best_node(found: Reproduction) -> None:
    by_model = defaultdict(list)
    for row in rows(found, "enhanced", "alpha"):
        by_model[row["model"]].append(row["least_full_domain"])
    assert all(values == sorted(values) for values in by_model.values())
    plain, middle, enhanced = by_model.values()
    assert all(one <= two <= three for one, two, three in zip(plain, middle, enhanced, strict=True))


def test_exposed_records_are_those_that_a_plain_loop_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INCROWD_DATA", raising=False)
    patients = _enhanced.Patients.of(find_adult(None, small=True).sample(150, 1))
    problem = patients.problem("k>=2, p>=2", 0.05)
    kind = {value: name for name, values in _enhanced.SECRECY.items() for value in values}
    nodes = all_solutions(problem).minimal
    exposed = [_enhanced._attacked(problem, node) for node in nodes]
    assert exposed == [_slowly_exposed(problem.census, node, kind) for node in nodes]
    assert sum(exposed) > 0


def _slowly_exposed(census: Census, node: dict[str, int], kind: dict[str, str]) -> int:
    classes: dict[tuple[str, ...], list[str]] = defaultdict(list)
    conditions = census.domains[_enhanced.HEALTH].texts
    for *codes, ill, count in zip(*census.codes, census.counts, strict=True):
        ladders = [(census.ladders[name], node[name]) for name in census.quasi]
        labels = [ladder.groups[level][code] for (ladder, level), code in zip(ladders, codes, strict=True)]
        classes[tuple(map(str, labels))] += [conditions[ill]] * int(count)
    kept = [values for values in classes.values() if len(values) >= 2 and len(set(values)) >= 2]
    return sum(len(values) for values in kept if len({kind[value] for value in values}) == 1)


def test_expected_homogeneity_is_as_the_papers_say_but_for_one_slip(found: Reproduction) -> None:
    verdicts = [claim.holds for claim in found["homogeneity"].claims]
    assert verdicts == [True, True, True, True, True, False]
    by_n = {row["n"]: row["expected_classes"] for row in rows(found, "homogeneity", "size") if row["how"] == "formula"}
    assert by_n[60_000] == pytest.approx(float(Fraction(4000, 27)))
    by_k = {row["k"]: row["expected_classes"] for row in rows(found, "homogeneity", "k") if row["how"] == "formula"}
    assert (by_k[2], by_k[10]) == pytest.approx((10_000, 2000 / 6561))


def test_skewed_values_make_homogeneous_classes_likelier(found: Reproduction) -> None:
    ways = {row["how"]: row["expected_classes"] for row in rows(found, "homogeneity", "k") if row["k"] == 5}
    assert ways["formula"] == pytest.approx(ways["equal shares"], rel=0.01)
    assert ways["skewed shares (8 : 1 : 1)"] == pytest.approx(12_000 * (0.8**5 + 2 * 0.1**5), rel=0.01)


def test_a_2_sensitive_table_discloses_no_attribute(found: Reproduction) -> None:
    samples = rows(found, "p-sensitive", "samples")
    assert {row["disclosures_2_sensitive"] for row in samples} == {0}
    assert len(samples) == 2 * 2 * 3 * 3
    assert {(row["size"], row["records"]) for row in samples} == {(400, 400), (4000, 1000)}


def test_the_lattice_of_the_paper_on_p_sensitivity_has_96_nodes() -> None:
    heights = [hierarchy.height for hierarchy in list(p_sensitive_hierarchies().values())[:3]]
    assert heights == [3, 2, 3]
    assert np.prod([height + 1 for height in heights]) * 2 == NODES


def test_disclosures_are_pairs_of_a_class_and_a_constant_column() -> None:
    table = [
        {"age": "20s", "pay": "low", "gain": 0},
        {"age": "20s", "pay": "low", "gain": 5},
        {"age": "30s", "pay": "low", "gain": 0},
        {"age": "30s", "pay": "high", "gain": 0},
    ]
    schema = ic.Schema(quasi={"age": ic.flat()}, sensitive=["pay", "gain"])
    problem = Problem(ic.census(table, schema), schema, ic.KAnonymity(2))
    assert [_p_sensitive._disclosures(problem, [level]) for level in (0, 1)] == [2, 0]
    alone = [*table, {"age": "40s", "pay": "low", "gain": 0}]
    left_out = Problem(ic.census(alone, schema), schema, ic.KAnonymity(2), limit=1)
    assert _p_sensitive._disclosures(left_out, [0]) == 2


@pytest.mark.parametrize(
    ("table", "records", "k", "compatible", "distinct", "similar"),
    [
        ("ours, Datafly", 10, 2, 2, 2, (3, 6)),
        ("ours, improved Datafly", 12, 2, 2, 2, (3, 6)),
        ("ours, improved mu-Argus", 12, 2, 2, 2, (3, 6)),
        ("ours, improved l-diversity", 12, 6, 6, 5, (0, 0)),
        ("printed Table 10, improved Datafly", 12, 1, 1, 1, (5, 8)),
        ("printed Table 12, mu-Argus", 12, 1, 1, 1, (5, 8)),
        ("printed Table 13, improved mu-Argus", 12, 1, 3, 1, (5, 8)),
        ("printed Table 14, l-diversity", 12, 3, 3, 3, (0, 0)),
        ("printed Table 15, improved l-diversity", 12, 1, 3, 1, (2, 3)),
    ],
)
def test_the_twelve_records_come_out_of_every_algorithm_as_measured(
    found: Reproduction,
    table: str,
    records: int,
    k: int,
    compatible: int,
    distinct: int,
    similar: tuple[int, int],
) -> None:
    (row,) = (row for row in rows(found, "improved", "results") if row["table"] == table)
    assert (row["records"], row["k"], row["compatible_k"], row["distinct_l"]) == (records, k, compatible, distinct)
    assert (row["similar_classes"], row["similar_records"]) == similar


def test_plain_mu_argus_publishes_nothing(found: Reproduction) -> None:
    assert {row["table"] for row in rows(found, "improved", "results") if row["records"] == 0} == {"ours, mu-Argus"}


def test_the_improved_algorithms_hide_records_7_and_8_but_for_their_race(found: Reproduction) -> None:
    for name in ("improved Datafly", "improved mu-Argus"):
        own = [row for row in rows(found, "improved", "released") if row["algorithm"] == name]
        hidden = [row for row in own if row["birth"] == "*"]
        assert [(row["race"], row["gender"], row["zip"], row["problem"]) for row in hidden] == [
            ("white", "*", "*", "Cardiomyopathy"),
            ("white", "*", "*", "Pulmonary vascular"),
        ]
        assert len(own) == 12


@pytest.mark.parametrize(
    "table", ["000", *(name.split(",")[0].removeprefix("Table ") for name in _improved_tables.PRINTED)]
)
def test_the_printed_tables_are_those_of_the_published_facts(table: str) -> None:
    folder = Path(__file__).parents[1] / "published" / "tables"
    number = "7" if table == "000" else table
    (path,) = folder.glob(f"003_table{number}_*.csv")
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    texts = {name.split(",")[0].removeprefix("Table "): text for name, text in _improved_tables.PRINTED.items()}
    own = _improved_tables.rows_of(_improved_tables.TABLE_7 if table == "000" else texts[table])
    skipped = head.split(",").index("Race")
    printed = [[cell or "*" for cell in line.split(",")[skipped:]] for line in lines]
    assert [list(row.values()) for row in own] == printed


def test_table_5_as_printed_is_not_close_and_the_one_of_table_4_is_up_to_1000(found: Reproduction) -> None:
    nearest = {(row["table"], row["n"]): row["smallest_t"] for row in rows(found, "closeness", "nearest")}
    assert nearest["as printed", 1000] == pytest.approx(2 / 9)
    assert nearest["from Table 4", 1000] == 0
    assert nearest["from Table 4", 1001] == pytest.approx(4 / 15)
    assert [claim.holds for claim in found["closeness"].claims[:2]] == [False, True]


def test_the_check_for_many_n_and_t_agrees_with_the_front_door(found: Reproduction) -> None:
    grid = {
        (row["n"], row["t"]): row["holds"] for row in rows(found, "closeness", "check") if row["table"] != "as printed"
    }
    counts = {("476**", "2*"): (300, 300), ("479**", "4*"): (200, 1800), ("476**", "3*"): (200, 200)}
    table = [
        {"zip": code, "age": age, "disease": disease, "count": count}
        for (code, age), both in counts.items()
        for disease, count in zip(("Cancer", "Flu"), both, strict=True)
    ]
    schema = ic.Schema(quasi=["zip", "age"], sensitive=["disease"], count="count")
    for n, t in ((800, 0.1), (1000, 0.0), (1001, 0.1), (1001, 0.3), (2000, 0.25), (3000, 0.3)):
        assert grid[n, t] == ic.check(table, schema, f"nt(n={n}, t={t})[disease, drop]").holds


def test_incomes_are_as_far_from_the_whole_as_published(found: Reproduction) -> None:
    values = [row["value"] for row in rows(found, "closeness", "distances")]
    assert values == ["3/8", "1/6", "2/3", "2/3"]


def test_t_closeness_is_the_promise_with_n_as_large_as_the_table(found: Reproduction) -> None:
    said = "By the definition, t-closeness is the special case in which n is the size of the table."
    assert claims(found, "closeness")[said] == (
        "With n = 1,000 both give the same classes and loss for 2 of 2 values of t.",
        True,
    )


def test_a_claim_says_what_the_paper_says_what_we_found_and_whether_it_holds() -> None:
    claim = Claim("SE = 1/9.", "SE = 1/9.", holds=True)
    assert str(claim) == "  paper  SE = 1/9.\n  ours   SE = 1/9.\n  =>     holds"


def test_everything_can_be_written_as_tables_charts_and_json(found: Reproduction, tmp_path: Path) -> None:
    names = found.save(tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(names)
    for one in found:
        written = json.loads((tmp_path / "out" / f"{one.name}.json").read_text(encoding="utf-8"))
        assert written == {"schema": 1, **json.loads(json.dumps(one.to_dict()))}
        kinds = {name.rpartition(".")[2] for name in names if name.startswith(f"{one.name}-")}
        assert kinds == {"csv", "svg"}
    first, *others = (tmp_path / "out" / "homogeneity-k.csv").read_text(encoding="utf-8").splitlines()
    assert (first, others[0]) == ("n,k,how,expected_classes", "60000,2,formula,10000.0")
    assert (tmp_path / "out" / "closeness-adult.svg").read_text(encoding="utf-8").startswith("<svg")


def test_every_table_and_chart_on_disk_says_that_rows_are_made_up(found: Reproduction, tmp_path: Path) -> None:
    found.save(tmp_path)
    marked = {one.name: one.stand_in for one in found}
    for path in (path for path in tmp_path.iterdir() if path.suffix in {".csv", ".svg"}):
        first, *lines = path.read_text(encoding="utf-8").splitlines()
        stand_in = marked[path.stem if path.stem in marked else next(one for one in NAMES if path.stem.startswith(one))]
        text = [f"{first}{''.join(lines)}"] if path.suffix == ".svg" else lines
        assert text
        assert {"made-up rows stand in for Adult" in line for line in text} == {stand_in}, path.name


def test_confidential_columns_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INCROWD_DATA", raising=False)
    found = reproduce("p-sensitive", small=True, confidential=["occupation", "education"])["p-sensitive"]
    assert found.data.endswith("; confidential are occupation, education")
    adult = find_adult(None, small=True).sample(400, 1)
    rows = list(zip(*(adult.columns[name] for name in ("age", "occupation", "education")), strict=True))
    (at_printed,) = (row["disclosures_at_printed_node"] for row in found.tables["samples"] if _first(row))
    race = {"White": "White", "Black": "Black"}
    married = {"Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent"}
    classes: dict[Any, list[tuple[str, str]]] = defaultdict(list)
    for place, (age, occupation, education) in enumerate(rows):
        spouse = adult.columns["marital-status"][place] in married
        label = (int(age) // 10, spouse, race.get(adult.columns["race"][place], "Other"))
        classes[label].append((occupation, education))
    constant = [
        len(set(column)) == 1 for values in classes.values() if len(values) > 1 for column in zip(*values, strict=True)
    ]
    assert at_printed == sum(constant)


def _first(row: Any) -> bool:
    return (row["size"], row["k"], row["max_suppressed"], row["sample"]) == (400, 2, 0, 1)


@pytest.mark.parametrize(
    ("name", "chosen", "problem"),
    [
        ("p-sensitive", ["pay"], "no column 'pay'"),
        ("p-sensitive", ["race"], "'race' is a key of this experiment"),
        ("p-sensitive", [], "must be a list of different columns"),
        ("p-sensitive", "occupation", "must be a list of different columns"),
        ("p-sensitive", ["occupation", "occupation"], "must be a list of different columns"),
        ("closeness", ["occupation"], "can be chosen for the experiment 'p-sensitive' only, got 'closeness'"),
    ],
)
def test_a_wrong_choice_of_confidential_columns_is_refused(
    name: str, chosen: Any, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INCROWD_DATA", raising=False)
    with pytest.raises(ic.IncrowdError, match=problem):
        reproduce(name, small=True, confidential=chosen)


def test_results_are_replaced_only_if_allowed(tmp_path: Path) -> None:
    small = reproduce("homogeneity", small=True)
    small.save(tmp_path)
    with pytest.raises(ic.DataError, match="has results already: homogeneity"):
        small.save(tmp_path)
    small.save(tmp_path, force=True)


@pytest.mark.parametrize(
    ("name", "why"), [("file", "there is a file of that name"), ("no/out", "there is no folder 'no'")]
)
def test_a_folder_that_cannot_be_made_is_refused(name: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ic.DataError, match=why):
        reproduce("homogeneity", small=True).save(tmp_path / name)
