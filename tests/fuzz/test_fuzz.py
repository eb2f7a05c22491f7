"""A few cases of every part with a fixed seed find nothing; with a planted fault each part sees it."""

from __future__ import annotations

import pytest

from fuzz.__main__ import main
from fuzz.faults import FAULTS, plant
from fuzz.parts import PARTS
from fuzz.worker import case

FEW = {"verdicts": 12, "releases": 4, "certificates": 1, "files": 3, "plans": 1, "kills": 1}
"""Cases of a part."""
SEEN = {
    "verdicts": ("k is one off", 2),
    "releases": ("a class too small is published", 1),
    "certificates": ("every release is verified", 0),
    "files": ("no hash is looked at", 33),
    "plans": ("all promises but the first are forgotten", 4),
    "kills": ("a copy of the table is left", 8),
}
"""A fault that a part must see, and a seed that shows it."""


@pytest.mark.parametrize("part", PARTS)
def test_a_part_finds_nothing(part: str) -> None:
    told = [case(part, seed) for seed in range(FEW[part])]
    assert [answer["failed"] for answer in told if "failed" in answer] == []
    assert sum(answer["verdicts"] for answer in told) >= FEW[part]


@pytest.mark.parametrize("part", PARTS)
def test_a_part_sees_a_planted_fault(part: str) -> None:
    name, seed = SEEN[part]
    assert FAULTS[name].part == part
    patch = plant(name)
    try:
        assert "failed" in case(part, seed)
    finally:
        patch.undo()
    assert "verdicts" in case(part, seed)


def test_every_part_has_a_planted_fault() -> None:
    assert {fault.part for fault in FAULTS.values()} == set(PARTS)


def test_a_case_that_ends_its_process_is_told_with_the_command_that_runs_it_again(
    capfd: pytest.CaptureFixture[str],
) -> None:
    asked = ["--seed", "7", "--cases", "1", "--jobs", "1", "--fault", "a library ends the process"]
    assert main(asked) == 1
    said = capfd.readouterr().out
    assert "the process ended by signal 11 (SIGSEGV)" in said
    assert "again: make fuzz ONLY=files SEED=7 CASES=1" in said
