"""Check a released table against its certificate, with nothing but Python: ``python verify.py [release.json]``.

Reads the certificate and the data file beside it, groups the records by their quasi-identifiers as they stand in the
file, measures every promise again with whole numbers and fractions, and compares. Only a file that is not CSV needs a
library: pyarrow or duckdb for Parquet, pyarrow for Arrow, fastexcel for Excel, pyreadstat for SPSS and Stata.
Exit code 0: all is as certified; 1: something differs; 2: the files cannot be read. It stands on its own, so that you
can read all of it. What it cannot see: whether the certificate tells the truth about the original table and the records
left out, and who wrote it.
"""

import csv
import gzip
import hashlib
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from itertools import accumulate, combinations
from pathlib import Path
from typing import Any

Plain = dict[str, Any]
Bag = Counter[Any]  # how often each sensitive value occurs in a group of records
Told = tuple[bool | None, str]  # True: as certified; False: it differs; None: the file cannot show it


def read_table(path: Path, *, escaped: bool) -> Plain:
    """Read the columns of the data file by their names; a missing value is None."""
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
    empty = "" if kind in {"csv", "gz", "sav", "dta"} else None  # what stands for nothing
    return {name: [None if cell == empty else cell for cell in table[name]] for name in table}


def classes_of(table: Plain, columns: list[Plain], of: list[str]) -> dict[Any, Bag]:
    """Group records by their quasi-identifiers, and count the values of a column, or the combinations of several."""
    quasi, counts = ([table[c["name"]] for c in columns if c["role"] == role] for role in ("quasi-identifier", "count"))
    classes: dict[Any, Bag] = defaultdict(Counter)
    for row, labels in enumerate(zip(*quasi, strict=True)):
        value = table[of[0]][row] if len(of) == 1 else tuple(table[name][row] for name in of)
        classes[labels][value] += int(counts[0][row]) if counts else 1  # a row may stand for several records
    return classes


def text_of(value: Any) -> str:
    """Write a value as certificates do: a number without exponent and zeros at its end, a midnight as its date."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    if isinstance(value, float | Decimal) and math.isfinite(value):
        return re.sub(r"(\.\d*?)0+$", r"\1", f"{Decimal(str(value)):f}").removesuffix(".")
    if isinstance(value, datetime):
        return str(value.astimezone(UTC)) if value.tzinfo else str(value).removesuffix(" 00:00:00")
    return str(value)


def meaning_of(about: Plain, values: Bag) -> Plain:
    """Give what is known about values: places in an order, paths in a taxonomy, or weights of their categories."""
    order, categories = about.get("order", []), about.get("categories", [])
    if isinstance(order, str):
        read: Any = None if order == "dates" else lambda value: Decimal(str(value))  # texts of dates sort as dates do
        listed = sorted((value for value in values if value is not None), key=read) + [None] * (None in values)
        return {value: place for place, value in enumerate(listed)}
    steps = len(categories) - 1
    weights = [*(Fraction(rank, steps) for rank in range(steps)), Fraction(1)]  # the most secret category comes first
    known: Plain = {text or "": place for place, text in enumerate(order)}
    known |= {path[0] or "": path for path in about.get("taxonomy", [])}
    known |= {text or "": weight for weight, texts in zip(weights, categories, strict=False) for text in texts}
    return {value: known.get(text_of(value), known.get(str(value))) for value in values}


def distance(kind: str, bag: Bag, other: Bag, meaning: Plain) -> Fraction | float:
    """Say how far a class is from a larger group: how much must be moved how far to make them equal."""
    size, total = bag.total(), other.total()
    if kind == "kl":  # the only one that is rounded
        return math.fsum(n / size * math.log(n * total / (size * other[value])) for value, n in bag.items())
    if kind == "equal":
        return Fraction(sum(max(n * total - other[value] * size, 0) for value, n in bag.items()), size * total)
    extra = {value: bag[value] * total - other[value] * size for value in meaning}
    if kind == "ordered":  # what is too much so far moves on to the next value
        running = accumulate(extra[value] for value in sorted(extra, key=lambda value: meaning[value]))
        return Fraction(sum(map(abs, running)), size * total * max(len(extra) - 1, 1))
    height, branches = max(map(len, meaning.values())) - 1, Counter[Any]()
    for value, more in extra.items():  # what a branch has too much goes half a step up, and half a step down
        branches.update(dict.fromkeys(enumerate(meaning[value][:height]), more))
    return Fraction(sum(map(abs, branches.values())), 2 * size * total * max(height, 1))


def measure(promise: Plain, bag: Bag, regions: list[Bag], meaning: Plain) -> list[Any]:
    """Measure a promise on one class: a number per bound. The regions are the table, then classes on fewer columns."""
    size, whole, counts = bag.total(), regions[0], sorted(bag.values(), reverse=True)
    times = bag if promise.get("weight_over") == "records" else Counter(set(bag))
    weights = (n * meaning[value] for value, n in times.items())
    named = [sum(bag[v] for v in bag if meaning[v] == place) for place, _ in enumerate(promise.get("values") or ())]
    rest = sum(counts[promise.get("l", 1) - 1 :])  # all but the most frequent values
    large = (one for one in (bag, *regions) if one.total() >= promise.get("n", whole.total()))
    far = (distance(promise["distance"], bag, one, meaning) for one in large)
    gains = {value: Fraction(n * whole.total(), size * whole[value]) for value, n in bag.items()}
    over = (float(gain - 1) / math.log(whole.total() / whole[value]) for value, gain in gains.items() if gain > 1)
    by_kind: dict[str, Callable[[], list[Any]]] = {
        "k": lambda: [size],
        "l": lambda: [len(bag)],
        "probabilistic-l": lambda: [Fraction(size, counts[0])],
        "entropy-l": lambda: [math.exp(math.log(size) - math.fsum(n * math.log(n) for n in counts) / size)],
        "recursive": lambda: [len(bag), Fraction(counts[0], rest) if rest else math.inf],
        "p": lambda: [len(bag)],
        "p-alpha": lambda: [len(bag), sum(weights, Fraction(0))],
        "enhanced": lambda: [len({meaning[value] for value in bag}), sum(weights, Fraction(0))],
        "alpha": lambda: [Fraction(n, size) for n in (named if promise["each"] else [max(named or counts)])],
        "t": lambda: [min(far)],
        "nt": lambda: [min(far, default=math.inf)],
        "beta": lambda: [max(gains.values()) - 1],
        "enhanced-beta": lambda: [max(gains.values()) - 1, max(over, default=0.0)],
        "delta": lambda: [len(whole) - len(bag), max(abs(math.log(gain)) for gain in gains.values())],
    }
    return by_kind[promise["kind"]]()


def worst_of(promise: Plain, table: Plain, columns: list[Plain]) -> list[Any]:
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
    number = re.compile(r"-?\d+(\.\d+)?(e[-+]?\d+)?" if about.get("order") == "numbers" else "$^", re.IGNORECASE)
    listed = [text_of(Decimal(v)) if number.fullmatch(v) else v for v in promise.get("values") or ()]
    meaning = meaning_of({"order": listed} if listed else about, regions[((),)])
    found = [measure(promise, classes[one], [regions[name] for name in around[one]], meaning) for one in classes]
    numbers = zip(promise["required"], zip(*found, strict=True), strict=True)
    return [min(column) if need["sense"] == ">=" else max(column) for need, column in numbers]


def compare(number: Any, certified: str, need: Plain) -> tuple[bool, bool]:
    """Say whether a number is what the certificate says, and whether it meets its bound; logarithms up to rounding."""
    bound, rounded = Fraction(need["bound"]), isinstance(number, float)
    same = rounded and math.isclose(number, float(certified), rel_tol=1e-9, abs_tol=1e-12)
    near = rounded and math.isclose(number, bound, rel_tol=1e-12, abs_tol=1e-12)
    meets = {">=": number >= bound, "<=": number <= bound, "<": number < bound}.get(need["sense"], False)
    return same or certified == str(number), near or bool(meets)


def check_promise(promise: Plain, table: Plain, columns: list[Plain], *, persons: bool) -> Iterator[Told]:
    """Measure a promise again, and compare."""
    name = f"{promise['promise']} {'+'.join(promise['columns'])}".strip()
    needs, certified, kind = promise["required"], promise["measured"], promise["kind"]
    written = {Fraction(number) for number in re.findall(r"\d+(?:\.\d+|/\d+)?", promise["promise"])}
    bounds = [need["bound"] for need in needs if need["name"] not in {"lacking", "gain over -ln q"}]
    asked = map(Fraction, [*bounds, *(promise[more] for more in ("n", "l") if more in promise)])
    if not promise["promise"].startswith((f"{kind}>", f"{kind}<", f"{kind}(")) or not written.issuperset(asked):
        yield False, f"{name}: what is measured is not what is promised"
    if persons and kind not in {"k", "l", "p"}:
        yield None, f"{name}: it counts people, and the file does not say whose row is whose"
        return
    worst = worst_of(promise, table, columns)
    if persons and kind == "k":
        fits = int(Fraction(bounds[0])) <= int(certified[0]) <= worst[0]
        yield None if fits else False, f"{name}: {certified[0]} people certified, {worst[0]} records found"
        return
    compared = list(map(compare, worst, certified, needs))
    kept = all(meets for _, meets in compared)
    fits = len(certified) == len(worst) and all(same for same, _ in compared) and promise["holds_here"] == kept
    found = ", ".join(f"{need['name']} {float(number):.6g}" for need, number in zip(needs, worst, strict=True))
    yield fits, f"{name}: {found}" if fits else f"{name}: certified {', '.join(certified)}; found {found}"
    if promise["owner_only"] and kind in {"t", "nt", "beta", "enhanced-beta", "delta"}:
        yield None, f"{name}: {promise['owner_only']}{'' if kept else '; this file alone does not show that it holds'}"
    elif not kept:
        yield False, f"{name}: the promise does not hold"


def digest_of(path: Path) -> str:
    """Give the SHA-256 of a file; of a folder, that of a list of its files, each with its own."""
    if path.is_dir():
        listed = "".join(f"{file.name}\t{digest_of(file)}\n" for file in sorted(path.glob("[!._]*")))
        return hashlib.sha256(listed.encode()).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check(certificate: Plain, folder: Path) -> Iterator[Told]:
    """Compare everything that the data file can show."""
    data, columns, promises = certificate["data"], certificate["columns"], certificate["promises"]
    path = folder / Path(data["name"]).name
    yield digest_of(path) == data["sha256"], "hash of the data file"
    table = read_table(path, escaped=bool(data.get("escaped")))
    yield list(table) == [column["name"] for column in columns], "names of the columns"
    sizes = [bag.total() for bag in classes_of(table, columns, []).values()]
    suppressed, masked = certificate["suppressed"], certificate.get("masked", 0)  # what is masked is in the file
    left_out, records = suppressed - masked, sum(sizes) + suppressed - masked
    found = {"rows": len(next(iter(table.values()))), "records": sum(sizes), "classes": len(sizes)}
    found["discernibility"] = sum(size * size for size in sizes) - masked**2 + suppressed * records
    found["aecs"] = records / max(len(sizes) + (left_out > 0), 1)
    found["height"] = sum(column["level"] or 0 for column in columns)
    certified = {**data, **certificate, **certificate["measures"]}
    for name in (name for name in found if name in certified):
        fits = math.isclose(certified[name], found[name], rel_tol=1e-9)
        yield fits, f"{name}: {found[name]}" if fits else f"{name}: certified {certified[name]}, found {found[name]}"
    if ", ".join(dict.fromkeys(promise["promise"] for promise in promises)) != certificate["promise"]:
        yield False, "promises: they are not those that the certificate names"
    for promise in promises:
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
        return 1 if False in told else 2
    differ = told.count(False)
    say(f"{differ} of {len(told)} differ from the certificate.\n" if differ else "All is as certified.\n")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
