"""Part ``certificates``: releases tampered with. Neither verifier passes what the file contradicts."""

from __future__ import annotations

import contextlib
import copy
import csv
import hashlib
import io
import json
import random
import tempfile
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import incrowd as ic
from fuzz.contradictions import Release, contradictions
from fuzz.definitions import Promise
from fuzz.failures import expect
from fuzz.releases import CODES, released
from fuzz.tables import CLOSED, random_case, random_promise
from incrowd.models import promise as canonical
from release.forgeries import TWIN, at, edits, places, without
from release.verified import script_here

EACH = 24
"""So many tamperings of one release."""
Plain = dict[str, Any]


def run(rolls: random.Random) -> int:
    """Publish a random table and tamper with what was published; give how many verdicts were compared."""
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as place:
        warnings.simplefilter("ignore", ic.PrivacyWarning)
        made = _published(rolls, Path(place) / "out")
        if made is None:
            return 0
        first = answers(made.folder)
        wrong = contradictions(made.certificate, made)
        expect(not wrong, f"the certificate contradicts the definitions: {wrong}: {made.about}")
        expect(first[0] == first[1] in {"holds", "could not be checked"}, f"untouched, {first}: {made.about}")
        return 2 + sum(_judge(rolls, made) for _ in range(EACH))


def _published(rolls: random.Random, folder: Path) -> Release | None:
    """Publish until something can be."""
    for _ in range(8):
        case = random_case(rolls, missing=False, most=20)
        if case.world.entity is not None:
            continue
        promises = [random_promise(rolls, case, [*CLOSED, "candidates"]) for _ in range(rolls.choice([1, 2]))]
        search = rolls.choice([ic.Optimal, ic.LevelsAndCells])
        limit = rolls.choice([0, 0, 2])
        made = released(case, promises, limit, search(), search.__name__)
        if made is None or not list(made.table):
            continue
        made.save(folder, format="csv")
        return Release(folder, case, _by_text(promises), f"{[one.text for one in promises]} of {list(case.rows)}")
    return None


def _by_text(promises: list[Promise]) -> dict[str, Promise]:
    """Give promises by the text that a certificate has, with tighter and looser ones."""
    found = {}
    for promise in promises:
        for number, bound in enumerate(promise.bounds):
            for step in (-1, Fraction(-1, 7), 0, Fraction(1, 7), 1, 2):
                bounds = (*promise.bounds[:number], bound + step, *promise.bounds[number + 1 :])
                other = Promise(**{**vars(promise), "bounds": bounds})
                try:
                    found[str(canonical(other.text))] = other
                except ic.ParameterError:  # no bound that there is
                    continue
    return found


def answers(folder: Path) -> tuple[str, str]:
    """Ask the library and the script for their outcome."""
    try:
        library: str = ic.verify(folder).outcome
    except ic.DataError:
        library = "refused"
    return library, CODES[script_here(folder)[0]]


def _judge(rolls: random.Random, made: Release) -> int:
    """Tamper once, ask both, and hold what they pass against the file; put everything back."""
    kind = rolls.choice([_edit, _edit, _edit, _other_bound, _swap, _rows])
    what = kind(rolls, made)
    try:
        told = answers(made.folder)
        text = made.path.read_text(encoding="utf-8")
        wrong = contradictions(json.loads(text), made) if TWIN not in what else ["something is said twice"]
        where = f"{what}: {made.about}"
        expect(told[0] == told[1], f"verify says {told[0]}, verify.py {told[1]}: {where}")
        expect("holds" not in told or not wrong, f"passed although {wrong}: {where}")
    finally:
        made.restore()
    return 2


def _edit(rolls: random.Random, made: Release) -> str:
    """Change, delete, add or double something anywhere, once or several times."""
    certificate, done = copy.deepcopy(made.certificate), []
    for _ in range(rolls.choice([1, 1, 2, 3])):
        place = rolls.choice(list(places(certificate)))
        inner = at(certificate, place[:-1])
        how = rolls.choice(["other", "other", "delete", "add", "twice"])
        if how == "delete" and isinstance(inner, dict):
            certificate = without(certificate, place)
        elif how == "add" and isinstance(inner, dict):
            inner[rolls.choice(["more", "", "promise ", "k"])] = rolls.choice([None, 1, "k>=99", []])
        elif how == "twice" and isinstance(inner, dict):
            pairs = [(place[-1] + TWIN, rolls.choice([None, 0, "k>=99"])), *inner.items()]
            inner.clear()
            inner.update(pairs)
            made.path.write_text(json.dumps(certificate, ensure_ascii=False).replace(TWIN, ""), encoding="utf-8")
            return f"doubled {TWIN} {place}"
        else:
            inner[place[-1]] = rolls.choice(list(edits(inner[place[-1]])))[1]
        done.append((how, place))
    made.write(certificate)
    return f"edits {done}"


def _swap(rolls: random.Random, made: Release) -> str:
    """Put what stands in one place into another."""
    certificate = copy.deepcopy(made.certificate)
    every = list(places(certificate))
    to, source = rolls.choice(every), rolls.choice(every)
    value = copy.deepcopy(at(certificate, source))
    at(certificate, to[:-1])[to[-1]] = value
    made.write(certificate)
    return f"{source} put at {to}"


def _other_bound(rolls: random.Random, made: Release) -> str:
    """Claim another bound of a promise, in all places where it stands."""
    certificate = copy.deepcopy(made.certificate)
    entry = rolls.choice(certificate["promises"])
    text = rolls.choice(sorted(made.known))
    other = made.known[text]
    if other.kind != entry["kind"] or len(other.bounds) > len(entry["required"]):
        other, text = made.known[entry["promise"]], entry["promise"]
    certificate["promise"] = certificate["promise"].replace(entry["promise"], text)
    entry["promise"] = text
    for need, bound in zip(entry["required"], _as_required(other), strict=False):
        need["bound"] = str(bound)
    if "l" in entry:
        entry["l"] = int(other.bounds[0])
    made.write(certificate)
    return f"claimed {text}"


def _as_required(promise: Promise) -> tuple[Fraction, ...]:
    return (Fraction(0), *promise.bounds) if promise.kind == "delta" else promise.bounds


def _rows(rolls: random.Random, made: Release) -> str:
    """Change, leave out or repeat a row of the file, and correct some of what the certificate says of it."""
    header, *rows = list(csv.reader(io.StringIO(made.raw.decode(), newline="")))
    row = rolls.randrange(len(rows))
    column = rolls.randrange(len(header))
    what = rolls.choice(["cell", "cell", "gone", "twice"])
    if what == "cell":
        rows[row][column] = rolls.choice([other[column] for other in rows] + ["*"])
    elif what == "gone":
        del rows[row]
    else:
        rows.append(rows[row])
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator=rolls.choice(["\n", "\r\n"])).writerows([header, *rows])
    raw = written.getvalue().encode()
    made.data.write_bytes(raw)
    certificate = copy.deepcopy(made.certificate)
    fitting: Plain = {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw), "rows": len(rows)}
    certificate["data"] |= {name: value for name, value in fitting.items() if rolls.random() < 0.9}
    if rolls.random() < 0.8:
        with contextlib.suppress(ValueError):  # a count that is no number any more
            certificate |= made.counted(certificate, rows)
    made.write(certificate)
    return f"{what} of row {row}, column {column}"
