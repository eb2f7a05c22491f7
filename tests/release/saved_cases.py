"""The releases of ``tests/data/saved``, each as a call of ``anonymize``: publishing again must give the same files.

They were made when the best node was what whoever named no search was given.

``python tests/release/saved_cases.py FOLDER`` writes them, without ``verify.py``, which all have alike.
"""

from __future__ import annotations

import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

import incrowd as ic

DATA = Path(__file__).parents[1] / "data" / "saved"
PLAN = """version = 1
[data]
path = "patients.csv"
[columns]
name = { role = "identifier" }
birth_date = { role = "quasi", hierarchy = { dates = ["year", "decade"] } }
sex = { role = "quasi" }
zip = { role = "quasi", hierarchy = "mask" }
job = { role = "insensitive" }
diagnosis = { role = "sensitive" }
[privacy]
promise = "k>=5, l>=2[diagnosis]"
max_suppressed = 0.1
[output]
folder = "FOLDER"
others = "drop"
[report]
write = false
"""
SEARCH = '[search]\nalgorithm = "optimal"\n'
"""What the plan did not have to say then."""


def schema(**more: Any) -> ic.Schema:
    """Give the roles of the patients."""
    quasi: dict[str, Any] = {"birth_date": ic.dates("year", "decade"), "sex": ic.flat(), "zip": ic.mask()}
    return ic.Schema(quasi=quasi, sensitive={"diagnosis": None, "cost": ic.ordered()}, **more)


NAMED, PEOPLE = {"identifiers": ["name"]}, {"entity": "patient"}
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "optimal": ("patients", NAMED, {"model": "k>=5, l>=2[diagnosis]", "max_suppressed": 0.1, "format": "csv"}),
    "distance": ("patients", NAMED, {"model": "k>=4, t<=0.5[cost, ordered]", "max_suppressed": 0.2}),
    "masked": ("patients", NAMED, {"model": "k>=5", "max_suppressed": 0.1, "suppression": "mask", "format": "csv"}),
    "mondrian": ("patients", NAMED, {"model": "k>=5", "algorithm": ic.Mondrian()}),
    "cheapest": ("patients", NAMED, {"model": "k>=3", "algorithm": ic.CheapestFirst(), "format": "csv"}),
    "top_down": ("patients", NAMED, {"model": "k>=5", "algorithm": ic.TopDown(), "format": "csv"}),
    "people": ("stays", PEOPLE, {"model": "k>=3", "max_suppressed": 0.2, "format": "csv"}),
    "pseudonyms": ("stays", PEOPLE, {"model": "k>=3", "max_suppressed": 0.2, "pseudonyms": {"patient": "key.bin"}}),
}
"""The table, its further roles, and what is asked."""


def publish(case: str, folder: Path) -> ic.Release:
    """Publish a case into a folder, as then."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ic.PrivacyWarning)
        if case == "plan":
            plan = folder.with_name("plan.toml")
            plan.write_text(PLAN.replace("FOLDER", folder.name) + SEARCH, encoding="utf-8")
            shutil.copyfile(DATA / "patients.csv", folder.with_name("patients.csv"))
            return ic.Plan.read(plan).run(write=True)
        table, roles, asked = CASES[case]
        keys = {name: DATA / key for name, key in asked.get("pseudonyms", {}).items()}
        how = {"algorithm": ic.Optimal(), **asked, "others": "drop", "pseudonyms": keys, "output": folder}
        return ic.anonymize(DATA / f"{table}.csv", schema(**roles), **how)


if __name__ == "__main__":
    for name in (*CASES, "plan"):
        publish(name, Path(sys.argv[1]) / name)
        (Path(sys.argv[1]) / name / "public" / "verify.py").unlink()
