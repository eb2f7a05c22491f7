"""Check a released table against its certificate, with nothing but Python: ``python verify.py [release.json]``.

Reads the certificate and the data file beside it, groups the records by their quasi-identifiers as they stand in the
file, measures every promise again with whole numbers and fractions, and compares. Only a file that is not CSV needs a
library: pyarrow or duckdb for Parquet, pyarrow for Arrow, fastexcel for Excel, pyreadstat for SPSS and Stata.
Exit code 0: all is as certified; 1: something differs; 2: the files cannot be read.

This file belongs to incrowd and stands on its own, so that you can read all of it. What it cannot see: whether the
certificate tells the truth about the original table and the records left out, and who wrote it.
"""

import csv
import gzip
import hashlib
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

Plain = dict[str, Any]
Table = dict[str, list[Any]]  # the columns by their names
Bag = Counter[Any]  # how often each sensitive value occurs in a group of records
Told = tuple[bool | None, str]  # True: as certified; False: it differs; None: the file cannot show it


def read_table(path: Path, *, escaped: bool) -> Table:
    """Read the columns of the data file; a missing value is None."""
    kind = path.suffix.removeprefix(".")
    if ".csv" in path.suffixes:
        csv.field_size_limit(2**31 - 1)
        opened: Any = gzip.open if kind == "gz" else open
        with opened(path, "rt", newline="", encoding="utf-8") as file:
            header, *rows = [row or [""] for row in csv.reader(file)]
        table: Any = dict(zip(header, zip(*rows, strict=True), strict=True))
    elif kind in {"sav", "dta"}:
        table = getattr(import_module("pyreadstat"), f"read_{kind}")(path, output_format="dict")[0]
    elif kind == "xlsx":
        sheet = import_module("fastexcel").read_excel(path).load_sheet(0, schema_sample_rows=None)
        table = sheet.to_arrow().to_pydict()
    else:
        try:
            table = import_module("pyarrow.dataset").dataset(path, format=kind).to_table().to_pydict()
        except ImportError:
            relation = import_module("duckdb").read_parquet(str(path))
            table = dict(zip(relation.columns, zip(*relation.fetchall(), strict=True), strict=True))
    if escaped:  # one apostrophe was put in front of what a spreadsheet would run, and of what begins with one
        table = {name: [c.removeprefix("'") if isinstance(c, str) else c for c in table[name]] for name in table}
    if kind in {"csv", "gz", "sav", "dta"}:  # where an empty text stands for nothing
        table = {name: [None if cell == "" else cell for cell in table[name]] for name in table}
    return dict(table)


def classes_of(table: Table, columns: list[Plain], of: list[str]) -> dict[Any, Bag]:
    """Group records by their quasi-identifiers, and count the values of a column, or the combinations of several."""
    quasi, counts = ([table[c["name"]] for c in columns if c["role"] == role] for role in ("quasi-identifier", "count"))
    rows = range(len(quasi[0]))
    values = table[of[0]] if len(of) == 1 else [tuple(table[name][row] for name in of) for row in rows]
    classes: dict[Any, Bag] = defaultdict(Counter)
    for row, labels in enumerate(zip(*quasi, strict=True)):
        classes[labels][values[row]] += int(counts[0][row]) if counts else 1  # a row may stand for several records
    return classes


def look_up(value: Any, known: Plain) -> Any:
    """Find a value under the text that the certificate writes for it, which may be 39 for 39.0."""
    text = "" if value is None else format(value, "f") if isinstance(value, Decimal) else str(value)
    text = text.lower() if isinstance(value, bool) else text
    return known.get(text, known.get(text.removesuffix(".0")))


def meaning_of(about: Plain, values: Bag) -> Plain:
    """Give what is known about values: places in an order, paths in a taxonomy, or weights of their categories."""
    if isinstance(about.get("order"), str):
        read: Any = Fraction if about["order"] == "numbers" else str  # the texts of dates sort as dates do
        listed = sorted(values, key=lambda value: (value is None, value is not None and read(value)))
        return {value: place for place, value in enumerate(listed)}
    known: Plain = {text or "": place for place, text in enumerate(about.get("order", []))}
    known |= {path[0] or "": path for path in about.get("taxonomy", [])}
    last = len(about.get("categories", [])) - 1  # it weighs 1, the first and most secret one 0
    for rank, texts in enumerate(about.get("categories", [])):
        known |= {text or "": Fraction(rank, last) if last else Fraction(1) for text in texts}
    return {value: look_up(value, known) for value in values}


def distance(kind: str, bag: Bag, whole: Bag, meaning: Plain) -> Fraction | float:
    """Say how far a class is from a larger group: how much must be moved how far to make them equal."""
    size, total = bag.total(), whole.total()
    if kind == "kl":  # the only one that is rounded
        return math.fsum(n / size * math.log(n * total / (size * whole[value])) for value, n in bag.items())
    if kind == "equal":
        return Fraction(sum(max(n * total - whole[value] * size, 0) for value, n in bag.items()), size * total)
    extra = {value: bag[value] * total - whole[value] * size for value in meaning}
    moved = running = 0
    if kind == "ordered":  # what is too much so far moves on to the next value
        for value in sorted(extra, key=lambda one: meaning[one]):
            running += extra[value]
            moved += abs(running)
        return Fraction(moved, size * total * max(len(extra) - 1, 1))
    height = max(map(len, meaning.values())) - 1
    for level in range(height):  # what a branch of the taxonomy has too much goes half a step up, and half a step down
        branches: Bag = Counter()
        for value, more in extra.items():
            branches[meaning[value][level]] += more
        moved += sum(map(abs, branches.values()))
    return Fraction(moved, 2 * size * total * max(height, 1))


def measure(promise: Plain, bag: Bag, regions: list[Bag], meaning: Plain) -> list[Any]:  # noqa: PLR0911 - by kind
    """Measure a promise on one class: a number for each of its bounds. The first region is the whole table."""
    kind, size, whole, counts = promise["kind"], bag.total(), regions[0], sorted(bag.values(), reverse=True)
    if kind == "k":
        return [size]
    if kind in {"l", "p"}:
        return [len(bag)]
    if kind == "probabilistic-l":
        return [Fraction(size, counts[0])]
    if kind == "entropy-l":
        return [math.exp(math.log(size) - math.fsum(n * math.log(n) for n in counts) / size)]
    if kind == "recursive":
        rest = sum(counts[promise["l"] - 1 :])
        return [len(bag), Fraction(counts[0], rest) if rest else math.inf]
    if kind in {"p-alpha", "enhanced"}:
        times = bag if promise["weight_over"] == "records" else Counter(set(bag))
        weight = sum((n * meaning[value] for value, n in times.items()), Fraction(0))
        return [len(bag if kind == "p-alpha" else {meaning[value] for value in bag}), weight]
    if kind == "alpha":
        named = {value: value for value in promise["values"] or ()}
        found = [(look_up(value, named) if named else value, n) for value, n in bag.items()]
        shares = [Fraction(sum(n for value, n in found if value == one), size) for one in named or bag]
        return shares if promise["each"] else [max(shares)]
    if kind in {"t", "nt"}:  # to the table, or to the nearest class on fewer columns that has at least n records
        large = [whole] if kind == "t" else [one for one in (bag, *regions) if one.total() >= promise["n"]]
        return [min((distance(promise["distance"], bag, one, meaning) for one in large), default=math.inf)]
    gains = {value: Fraction(n * whole.total(), size * whole[value]) for value, n in bag.items()}
    if kind == "delta":
        return [len(whole) - len(bag), max(abs(math.log(gain)) for gain in gains.values())]
    most = max(Fraction(0), *(gain - 1 for gain in gains.values()))
    logs = {value: -math.log(whole[value] / whole.total()) for value, gain in gains.items() if gain > 1}
    over = max((float(gains[value] - 1) / log for value, log in logs.items()), default=0.0)
    return [most, over] if kind == "enhanced-beta" else [most]


def worst_of(promise: Plain, table: Table, columns: list[Plain]) -> list[Any]:
    """Measure a promise on every class, and give what the worst class has."""
    classes = classes_of(table, columns, promise["columns"])
    quasi = range(len(next(iter(classes))))
    fewer = quasi if promise.get("supersets") == "drop" else range(1)  # without any column it is the whole table
    ways = [way for number in fewer for way in combinations(quasi, number)]
    around = {labels: [(way, *(labels[place] for place in way)) for way in ways] for labels in classes}
    regions: dict[Any, Bag] = defaultdict(Counter)
    for labels, bag in classes.items():
        for region in around[labels]:
            regions[region].update(bag)
    about: Plain = next((one for one in columns if [one["name"]] == promise["columns"]), {})
    meaning = meaning_of(about, regions[((),)])
    found = [measure(promise, classes[one], [regions[name] for name in around[one]], meaning) for one in classes]
    numbers = zip(promise["required"], zip(*found, strict=True), strict=True)
    return [min(column) if need["sense"] == ">=" else max(column) for need, column in numbers]


def same(certified: str, found: Any) -> bool:
    """Compare a number with what the certificate says: fractions exactly, logarithms up to rounding."""
    rounded = isinstance(found, float) and math.isfinite(found)
    return math.isclose(float(certified), found, rel_tol=1e-9, abs_tol=1e-12) if rounded else certified == str(found)


def meets(number: Any, need: Plain) -> bool:
    """Say whether a number meets its bound, a logarithm up to rounding."""
    bound, sense = Fraction(need["bound"]), need["sense"]
    slack = 1e-12 * max(1.0, float(bound)) if isinstance(number, float) else 0
    return bool(
        number >= bound - slack if sense == ">=" else number < bound + slack or (sense, number) == ("<=", bound)
    )


def check_promise(promise: Plain, table: Table, columns: list[Plain], *, persons: bool) -> Iterator[Told]:
    """Measure a promise again, and compare."""
    name = f"{promise['promise']} {'+'.join(promise['columns'])}".strip()
    needs, certified, kind = promise["required"], promise["measured"], promise["kind"]
    written = {Fraction(number) for number in re.findall(r"\d+(?:\.\d+|/\d+)?", promise["promise"])}
    bounds = [need["bound"] for need in needs if need["name"] not in {"lacking", "gain over -ln q"}]
    if not written.issuperset(map(Fraction, [*bounds, *(promise[more] for more in ("n", "l") if more in promise)])):
        yield False, f"{name}: the numbers are not those of the promise"
    if persons and kind not in {"k", "l", "p"}:
        yield None, f"{name}: it counts people, and the file does not say whose row is whose"
        return
    worst = worst_of(promise, table, columns)
    if persons and kind == "k":
        fits = int(Fraction(bounds[0])) <= int(certified[0]) <= worst[0]
        yield None if fits else False, f"{name}: {certified[0]} people certified, {worst[0]} records found"
        return
    kept = all(map(meets, worst, needs))
    found = ", ".join(f"{need['name']} {float(number):.6g}" for need, number in zip(needs, worst, strict=True))
    fits = len(certified) == len(worst) and all(map(same, certified, worst)) and promise["holds_here"] == kept
    yield fits, f"{name}: {found}" if fits else f"{name}: certified {', '.join(certified)}; found {found}"
    if promise["owner_only"] and kind in {"t", "nt", "beta", "enhanced-beta", "delta"}:
        yield None, f"{name}: {promise['owner_only']}{'' if kept else '; this file alone does not show that it holds'}"
    elif not kept:
        yield False, f"{name}: the promise does not hold"


def check(certificate: Plain, folder: Path) -> Iterator[Told]:
    """Compare everything that the data file can show."""
    data, columns = certificate["data"], certificate["columns"]
    path = folder / Path(data["name"]).name
    yield hashlib.sha256(path.read_bytes()).hexdigest() == data["sha256"], "hash of the data file"
    table = read_table(path, escaped=bool(data.get("escaped")))
    yield list(table) == [column["name"] for column in columns], "names of the columns"
    sizes = [bag.total() for bag in classes_of(table, columns, []).values()]
    suppressed, masked = certificate["suppressed"], certificate.get("masked", 0)  # what is masked is in the file
    left_out, records = suppressed - masked, sum(sizes) + suppressed - masked
    found = {
        "rows": len(next(iter(table.values()))),
        "records": sum(sizes),
        "classes": len(sizes),
        "discernibility": sum(size * size for size in sizes) - masked**2 + suppressed * records,
        "aecs": records / max(len(sizes) + (left_out > 0), 1),
        "height": sum(column["level"] or 0 for column in columns),
    }
    certified = {**data, **certificate, **certificate["measures"]}
    for name in (name for name in found if name in certified):
        fits = math.isclose(certified[name], found[name], rel_tol=1e-9)
        yield fits, f"{name}: {found[name]}" if fits else f"{name}: certified {certified[name]}, found {found[name]}"
    for promise in certificate["promises"]:
        yield from check_promise(promise, table, columns, persons=certificate["counted"] == "persons")


def main(arguments: list[str]) -> int:
    """Check, say what was found, and give the exit code."""
    path = Path(arguments[0]) if arguments else Path(__file__).with_name("release.json")
    say, told, states = sys.stdout.write, [], {True: "as certified", False: "DIFFERS", None: "not checked"}
    try:
        for fine, what in check(json.loads(path.read_text(encoding="utf-8")), path.resolve().parent):
            told.append(fine)
            say(f"{states[fine]:<14}{what}\n")
    except Exception as error:  # noqa: BLE001 - whatever it is, its message may quote the data
        say(f"cannot check {'more' if told else 'this release'} ({type(error).__name__}).\n")
        if False not in told:
            return 2
    say(
        f"{told.count(False)} of {len(told)} differ from the certificate.\n" * (False in told)
        or "All is as certified.\n"
    )
    return 1 if False in told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
