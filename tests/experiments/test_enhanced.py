from __future__ import annotations

from collections import defaultdict

import pytest

from experiments.test_reproduce import rows
from incrowd.core import Census
from incrowd.experiments import (
    Reproduction,
    _enhanced,
)
from incrowd.experiments._adult import find_adult
from incrowd.search import all_solutions


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
    exposed = [_enhanced._count_exposed_records(problem, node) for node in nodes]
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
