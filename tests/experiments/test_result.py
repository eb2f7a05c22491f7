from __future__ import annotations

import json
from pathlib import Path

import pytest

import incrowd as ic
from experiments.test_reproduce import NAMES
from incrowd.experiments import (
    Claim,
    Reproduction,
    reproduce,
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
