"""Part ``plans``: random plans, right and wrong. What is written keeps its promise by definition; else nothing is."""

from __future__ import annotations

import copy
import csv
import json
import random
import tempfile
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

from fuzz.command import expect_code, run as command
from fuzz.definitions import Promise, Row, World, classes_of, holds
from fuzz.failures import expect
from release.forgeries import at, edits, places, without

BROKEN = 5
"""So many broken ones of every plan."""
WORTHLESS: tuple[Any, ...] = (
    None,
    True,
    -1,
    0.5,
    10**30,
    "",
    "k>=2",
    "*",
    [],
    [1],
    {},
    {"role": "quasi"},
    "ä\u0000",
    "x" * 3_000,
)
AGES: tuple[Any, ...] = ({"intervals": [10, 20]}, {"intervals": [5]}, {"top_coded": 50}, {"quantiles": 4}, "auto")
TOWNS: tuple[Any, ...] = ("flat", "mask", {"frequent": 2}, {"tree": [["ulm", "south"], ["bonn", "west"]]}, "auto")
Plain = dict[str, Any]


def run(rolls: random.Random) -> int:
    """Carry out a random plan, then broken copies of it; give how many runs were judged."""
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(place)
        rows = _random_rows(rolls)
        _write_table(rows, folder / "t.csv")
        plan = random_plan(rolls)
        _judge(plan, folder, rows)
        for _ in range(BROKEN):
            _judge(_broken(rolls, plan), folder, rows)
    return 1 + BROKEN


def random_plan(rolls: random.Random) -> Plain:
    """Draw a plan that could be somebody's."""
    promises = ["k>=2", "k>=4", "l>=2[illness]", "alpha<=0.8[illness]", "t<=0.5[illness]", "k>=3[candidates]"]
    roles = ["sensitive", "sensitive", "insensitive"]
    plan: Plain = {
        "version": 1,
        "data": {"path": "t.csv"},
        "columns": {
            "name": {"role": rolls.choice(["identifier", "identifier", "drop"])},
            "age": {"role": "quasi", "hierarchy": rolls.choice(AGES)},
            "town": {"role": "quasi", "hierarchy": rolls.choice(TOWNS)},
            "illness": {"role": rolls.choice(roles)},
        },
        "privacy": {
            "promise": rolls.sample(promises, rolls.randint(1, 3)),
            "max_suppressed": rolls.choice([0, 0.1, 0.5]),
        },
        "output": {"folder": "out", "format": "csv"},
        "report": {"write": False},
    }
    plan["privacy"]["max_suppressed"] = rolls.choice([0, 0.1, 0.5])
    if rolls.random() < 0.5:
        searches = ["optimal", "levels-and-cells", "mondrian", "cheapest-first", "incognito", "samarati", "top-down"]
        plan["search"] = {"algorithm": rolls.choice(searches)}
    return plan


def _random_rows(rolls: random.Random) -> list[Row]:
    return [
        {
            "name": f"person {number}",
            "age": str(rolls.choice([21, 25, 34, 38, 47, 52, 66, rolls.randrange(20, 90)])),
            "town": rolls.choice(["ulm", "ulm", "bonn"]),
            "illness": rolls.choice(["flu", "flu", "hiv", "ulcer"]),
        }
        for number in range(rolls.choice([3, 12, 30]))
    ]


def _write_table(rows: list[Row], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["name", "age", "town", "illness"])
        writer.writeheader()
        writer.writerows(rows)


def _broken(rolls: random.Random, plan: Plain) -> Plain:
    """Change one to three things of a plan, whatever comes of it."""
    found = copy.deepcopy(plan)
    for _ in range(rolls.choice([1, 1, 2, 3])):
        every = list(places(found))
        if not every:
            break
        place = rolls.choice(every)
        inner = at(found, place[:-1])
        how = rolls.choice(["delete", "other", "worthless", "add"])
        if how == "delete" and isinstance(inner, dict):
            found = without(found, place)
        elif how == "other":
            inner[place[-1]] = rolls.choice(list(edits(inner[place[-1]])))[1]
        elif how == "add" and isinstance(inner, dict):
            inner[rolls.choice(["more", "role", "path", "promise", "k", ""])] = rolls.choice(WORTHLESS)
        else:
            inner[place[-1]] = rolls.choice(WORTHLESS)
    return found


def _judge(plan: Plain, folder: Path, rows: list[Row]) -> None:
    """Carry out a plan, and look at what there is then."""
    text = as_toml(plan)
    (folder / "plan.toml").write_text(text, encoding="utf-8")
    said = command("anonymize", folder / "plan.toml")
    expect_code(said, {0, 1, 2}, text)
    left = {path.name for path in folder.iterdir()} - {"t.csv", "plan.toml"}
    if said.code:
        expect(not left, f"{left} are left by what was refused: {text}")
        return
    expect(len(left) == 1, f"{left} are left: {text}")
    (written,) = [folder / name for name in left]
    _judge_release(written, plan, rows, text)
    for path in sorted(written.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    written.rmdir()


def _judge_release(written: Path, plan: Plain, rows: list[Row], text: str) -> None:
    """Hold what was written against the promises whose meaning is plain."""
    certificate = json.loads((written / "public/release.json").read_text(encoding="utf-8"))
    asked = plan["privacy"]["promise"]
    for promise in [asked] if isinstance(asked, str) else asked:
        expect(promise.strip() in certificate["promise"], f"{promise} is not what is certified: {text}")
    data = written / "public" / certificate["data"]["name"]
    verified = command("verify", written)
    expect_code(verified, {0, 4}, text)
    if data.suffix != ".csv" or certificate["data"].get("dialect"):
        return
    with data.open(encoding="utf-8", newline="") as file:
        table: list[Row] = list(csv.DictReader(file))
    names = {column["name"] for column in certificate["columns"]}
    expect(names == {*table[0]}, f"other columns than certified: {text}")
    expect("name" not in names or plan["columns"]["name"]["role"] not in {"identifier", "drop"}, f"names: {text}")
    quasi = tuple(one["name"] for one in certificate["columns"] if one["role"] == "quasi-identifier")
    promises = [_promise(entry) for entry in certificate["promises"]]
    world = World(table if len(table) < len(rows) else rows, quasi)
    kept = holds([one for one in promises if one is not None], classes_of(table, quasi), world)
    expect(kept is not False, f"the release breaks its promise: {text}")


def _promise(entry: Plain) -> Promise | None:
    """Read a promise that needs nothing but the file."""
    if entry["kind"] not in {"k", "l", "alpha", "candidates"} or entry.get("values"):
        return None
    bounds = tuple(Fraction(need["bound"]) for need in entry["required"])
    return Promise(entry["kind"], bounds, tuple(entry["columns"]), missing=entry.get("missing", False))


def as_toml(plan: Plain) -> str:
    """Write plain data as a plan; what TOML cannot say becomes a text."""
    lines = [f"{_key(name)} = {_value(value)}" for name, value in plan.items() if not isinstance(value, dict)]
    for name, section in plan.items():
        if isinstance(section, dict):
            lines += [f"[{_key(name)}]", *(f"{_key(key)} = {_value(value)}" for key, value in section.items())]
    return "\n".join(lines) + "\n"


def _key(name: object) -> str:
    return json.dumps(str(name))


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if value is None:
        return '"none"'
    return json.dumps(value)
