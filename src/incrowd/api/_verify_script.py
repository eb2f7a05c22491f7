"""Check a released table against its certificate, with nothing but Python: ``python verify.py [release.json]``.

Reads the certificate and the data file beside it, groups the records by their quasi-identifiers as they stand in the
file, measures every promise again with whole numbers and fractions, and compares. A file that is not CSV needs a
library to be read: pyarrow or duckdb for Parquet, pyarrow for Arrow, fastexcel for Excel, pyreadstat for SPSS and
Stata. Exit code 0: all is as certified; 1: something differs; 2: the files cannot be read.

This file belongs to incrowd and stands on its own, so that you can read all of it. What it cannot see: whether the
certificate tells the truth about the original table and the records left out, and who wrote it.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

Bag = Counter[Any]
"""How often each sensitive value occurs in a group."""


def read_rows(path: Path, *, escaped: bool) -> tuple[list[str], list[Any]]:
    """Give header and rows of the data file; a missing value, an empty field in CSV, is None."""
    rows: list[Any]
    if ".csv" in path.suffixes:
        opened: Any = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        rows = [row or [""] for row in rows]
    else:
        header, rows = read_others(path)
    if escaped:  # one apostrophe was put in front of what a spreadsheet would run, and of what begins with one
        rows = [[cell.removeprefix("'") if isinstance(cell, str) else cell for cell in row] for row in rows]
    if path.suffix in {".csv", ".gz", ".sav", ".dta"}:  # which have no other way to write that nothing is there
        rows = [[None if cell == "" else cell for cell in row] for row in rows]
    return header, rows


def read_others(path: Path) -> tuple[list[str], list[Any]]:
    """Read a file that is not of text, with the library for its kind."""
    if path.suffix in {".sav", ".dta"}:
        import pyreadstat  # noqa: PLC0415 - optional

        columns, _ = {".sav": pyreadstat.read_sav, ".dta": pyreadstat.read_dta}[path.suffix](path, output_format="dict")
        return list(columns), list(zip(*columns.values(), strict=True))
    if path.suffix in {".xlsx", ".arrow"}:
        table: Any
        if path.suffix == ".xlsx":
            import fastexcel  # noqa: PLC0415 - optional

            table = fastexcel.read_excel(path).load_sheet(0, schema_sample_rows=None).to_arrow()
        else:
            import pyarrow.ipc  # noqa: PLC0415 - optional

            table = pyarrow.ipc.open_file(path).read_all()
        return table.schema.names, list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    try:
        import pyarrow.parquet  # noqa: PLC0415 - optional
    except ImportError:
        import duckdb  # noqa: PLC0415 - optional

        relation = duckdb.read_parquet(str(path))
        return relation.columns, relation.fetchall()
    table = pyarrow.parquet.read_table(path)
    return table.column_names, list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def text_of(value: Any, known: Container[Any]) -> str | None:
    """Write a value as the certificate does, which may write 39 for 39.0."""
    if value is None:
        return None
    text = format(value, "f") if isinstance(value, Decimal) else str(value)
    text = text.lower() if isinstance(value, bool) else text
    return text if text in known else text.removesuffix(".0")


class Table:
    """The released table."""

    def __init__(self, certificate: dict[str, Any], header: list[str], rows: list[Any]) -> None:
        self.about = {column["name"]: column for column in certificate["columns"]}
        self.place = {name: number for number, name in enumerate(header)}
        self.quasi = [name for name, column in self.about.items() if column["role"] == "quasi-identifier"]
        self.rows = rows
        counts = [self.place[name] for name, column in self.about.items() if column["role"] == "count"]
        self.weights = [int(row[counts[0]]) if counts else 1 for row in rows]  # how many records a row stands for

    def bags(self, columns: list[str], quasi: list[str]) -> dict[Any, Bag]:
        """Group by quasi-identifiers, and count the values of a column, or the combinations of several."""
        labels, values = ([self.place[name] for name in names] for names in (quasi, columns))
        bags: dict[Any, Bag] = defaultdict(Counter)
        for row, weight in zip(self.rows, self.weights, strict=True):
            value = tuple(row[place] for place in values)
            bags[tuple(row[place] for place in labels)][value[0] if len(value) == 1 else value] += weight
        return bags

    def ground(self, promise: dict[str, Any], whole: Bag) -> Any:
        """Give what a promise must know about values: their order, their path in a taxonomy, or their category."""
        about = self.about[promise["columns"][0]] if promise["columns"] else {}
        if promise.get("distance") == "ordered" and isinstance(about["order"], list):
            return sorted(whole, key=lambda value: about["order"].index(text_of(value, about["order"])))
        if promise.get("distance") == "ordered":
            numbers = about["order"] == "numbers" and any(isinstance(value, str) for value in whole)
            return sorted(whole, key=Fraction if numbers else None)  # the texts of dates sort as dates do
        if promise.get("distance") == "hierarchical":
            paths = {path[0]: path for path in about["taxonomy"]}
            return {value: paths[text_of(value, paths)] for value in whole}
        if promise["kind"] in {"p-alpha", "enhanced"}:
            ranks = {text: rank for rank, texts in enumerate(about["categories"]) for text in texts}
            return {value: ranks[text_of(value, ranks)] for value in whole}
        return None


def distance(kind: str, bag: Bag, whole: Bag, ground: Any) -> Fraction | float:
    """Say how far a class is from a larger group. Everything is counted, so nothing is rounded, except for kl."""
    size, total = sum(bag.values()), sum(whole.values())
    if kind == "kl":
        return math.fsum(n / size * math.log(n * total / (size * whole[value])) for value, n in bag.items())
    extra = {value: bag[value] * total - whole[value] * size for value in ground or bag}
    if kind == "equal":
        return Fraction(sum(max(more, 0) for more in extra.values()), size * total)
    if kind == "ordered":
        moved = running = 0
        for value in ground:  # from the least value to the largest
            running += extra[value]
            moved += abs(running)
        return Fraction(moved, size * total * max(len(ground) - 1, 1))
    height, moved = max(map(len, ground.values())) - 1, 0
    for level in range(1, height + 1):
        child: Counter[Any] = Counter()
        for value, path in ground.items():
            child[path[level - 1], path[level]] += extra[value]
        for node in {node for _, node in child}:
            children = [more for (_, parent), more in child.items() if parent == node]
            moved += level * min(sum(max(more, 0) for more in children), sum(max(-more, 0) for more in children))
    return Fraction(moved, size * total * max(height, 1))


@dataclass
class Group:
    """One class beside the whole table: its labels, its values and theirs, and what is known about values."""

    table: Table
    promise: dict[str, Any]
    labels: tuple[Any, ...]
    bag: Bag
    whole: Bag
    ground: Any
    regions: dict[Any, dict[Any, Bag]]

    @property
    def size(self) -> int:
        return sum(self.bag.values())

    def gains(self) -> dict[Any, Fraction]:
        """Say how many times as frequent each value is as in the whole table."""
        total = sum(self.whole.values())
        return {value: Fraction(n * total, self.size * self.whole[value]) for value, n in self.bag.items()}

    def gain_over_log(self) -> float:
        total = sum(self.whole.values())
        gains = ((float(g - 1), -math.log(self.whole[value] / total)) for value, g in self.gains().items() if g > 1)
        return max((gain / log for gain, log in gains), default=0.0)

    def entropy(self) -> float:
        return math.exp(math.log(self.size) - math.fsum(n * math.log(n) for n in self.bag.values()) / self.size)

    def tail(self) -> Fraction | float:
        counts = sorted(self.bag.values(), reverse=True)
        rest = sum(counts[self.promise["l"] - 1 :])
        return Fraction(counts[0], rest) if rest else math.inf

    def weight(self) -> Fraction:
        """Add up the weights: 0 for the most secret category, 1 for the last."""
        last = len(self.table.about[self.promise["columns"][0]]["categories"]) - 1
        times = self.bag if self.promise["weight_over"] == "records" else dict.fromkeys(self.bag, 1)
        ranks = ((self.ground[value], n) for value, n in times.items())
        return sum((n * (Fraction(rank, last) if rank < last else Fraction(1)) for rank, n in ranks), Fraction(0))

    def shares(self) -> list[Fraction]:
        """Give the largest share of the bounded values, or that of each where each has a bound of its own."""
        values = self.promise["values"] or ()
        share: dict[Any, Fraction] = defaultdict(Fraction)
        for value, n in self.bag.items():  # the empty text among the values stands for a missing one
            share["" if value is None and "" in values else text_of(value, values)] += Fraction(n, self.size)
        each = [[value] for value in values] if self.promise["each"] else [values or list(share)]
        return [max(share[value] for value in some) for some in each]

    def nearest(self) -> Fraction | float:
        """Give the distance to the nearest class on fewer columns (or the table) that has at least n records."""
        if self.size >= self.promise["n"]:
            return Fraction(0)
        around = (bags[tuple(self.labels[place] for place in way)] for way, bags in self.regions.items())
        large = (region for region in around if sum(region.values()) >= self.promise["n"])
        return min((distance(self.promise["distance"], self.bag, one, self.ground) for one in large), default=math.inf)


MEASURES: dict[str, Callable[[Group], list[Any]]] = {  # one number per bound of the promise
    "k": lambda group: [group.size],
    "l": lambda group: [len(group.bag)],
    "p": lambda group: [len(group.bag)],
    "probabilistic-l": lambda group: [Fraction(group.size, max(group.bag.values()))],
    "entropy-l": lambda group: [group.entropy()],
    "recursive": lambda group: [len(group.bag), group.tail()],
    "t": lambda group: [distance(group.promise["distance"], group.bag, group.whole, group.ground)],
    "nt": lambda group: [group.nearest()],
    "p-alpha": lambda group: [len(group.bag), group.weight()],
    "enhanced": lambda group: [len({group.ground[value] for value in group.bag}), group.weight()],
    "alpha": Group.shares,
    "beta": lambda group: [max(max(group.gains().values()) - 1, Fraction(0))],
    "enhanced-beta": lambda group: [max(max(group.gains().values()) - 1, Fraction(0)), group.gain_over_log()],
    "delta": lambda group: [
        len(group.whole) - len(group.bag),
        max(abs(math.log(gain)) for gain in group.gains().values()),
    ],
}


def worst_of(table: Table, promise: dict[str, Any]) -> list[Any]:
    """Measure a promise on every class, and give what the worst class has."""
    bags = table.bags(promise["columns"], table.quasi)
    whole: Bag = Counter()
    for bag in bags.values():
        whole.update(bag)
    ground, columns = table.ground(promise, whole), range(len(table.quasi))
    kept = {"drop": columns, "table": range(1)}.get(promise.get("supersets") or "", ())
    ways = [way for number in kept for way in combinations(columns, number)]
    regions = {way: table.bags(promise["columns"], [table.quasi[place] for place in way]) for way in ways}
    groups = (Group(table, promise, labels, bag, whole, ground, regions) for labels, bag in bags.items())
    numbers = zip(*map(MEASURES[promise["kind"]], groups), strict=True)
    needs = promise["required"]
    return [min(found) if need["sense"] == ">=" else max(found) for need, found in zip(needs, numbers, strict=True)]


def same(certified: str, found: Any) -> bool:
    """Compare a number with what the certificate says: fractions exactly, logarithms up to rounding."""
    if isinstance(found, float) and math.isfinite(found):
        return math.isclose(float(certified), found, rel_tol=1e-9, abs_tol=1e-12)
    return certified == str(found)


def meets(number: Any, need: dict[str, str]) -> bool:
    bound = Fraction(need["bound"])
    slack = 1e-12 * max(1.0, float(bound)) if isinstance(number, float) else 0  # logarithms are irrational
    if need["sense"] == ">=":
        return bool(number >= bound - slack)
    return bool(number <= bound + slack if need["sense"] == "<=" else number < bound + slack)


def check_promise(table: Table, promise: dict[str, Any], *, persons: bool) -> Iterator[tuple[bool | None, str]]:
    """Say what became of a promise: True as certified, False not so, None not to be seen in this file."""
    needs, certified = promise["required"], promise["measured"]
    name = f"{promise['promise']} {'+'.join(promise['columns'])}".strip()
    written = {Fraction(number) for number in re.findall(r"\d+(?:\.\d+|/\d+)?", promise["promise"])}
    bounds = [need["bound"] for need in needs if need["name"] not in {"lacking", "gain over -ln q"}]
    if not written.issuperset(map(Fraction, [*bounds, *(promise[more] for more in ("n", "l") if more in promise)])):
        yield False, f"{name}: the numbers are not those of the promise"
    if persons and promise["kind"] not in {"k", "l", "p"}:
        yield None, f"{name}: it counts people, and the file does not say whose row is whose"
        return
    worst = worst_of(table, promise)
    kept = all(map(meets, worst, needs))
    found = ", ".join(f"{need['name']} {float(number):.6g}" for need, number in zip(needs, worst, strict=True))
    if persons and promise["kind"] == "k":
        fits = int(Fraction(bounds[0])) <= int(certified[0]) <= worst[0]
        yield None if fits else False, f"{name}: {certified[0]} people certified, {worst[0]} records found"
        return
    fits = len(certified) == len(worst) and all(map(same, certified, worst)) and promise["holds_here"] == kept
    yield fits, f"{name}: {found}" if fits else f"{name}: certified {', '.join(certified)}; found {found}"
    if promise["owner_only"] and promise["kind"] in {"t", "nt", "beta", "enhanced-beta", "delta"}:
        yield None, f"{name}: {promise['owner_only']}{'' if kept else '; this file alone does not show that it holds'}"
    elif not kept:
        yield False, f"{name}: the promise does not hold"


def check(certificate: dict[str, Any], folder: Path) -> Iterator[tuple[bool | None, str]]:
    """Compare everything that the data file can show."""
    path = folder / Path(certificate["data"]["name"]).name
    yield hashlib.sha256(path.read_bytes()).hexdigest() == certificate["data"]["sha256"], "hash of the data file"
    header, rows = read_rows(path, escaped=bool(certificate["data"].get("escaped")))
    yield list(header) == [column["name"] for column in certificate["columns"]], "names of the columns"
    table = Table(certificate, header, rows)
    sizes = [sum(bag.values()) for bag in table.bags([], table.quasi).values()]
    suppressed, masked = certificate["suppressed"], certificate.get("masked", 0)  # what is masked is in the file
    records, left_out = sum(sizes), suppressed - masked
    found = {
        "rows": len(rows),
        "records": records,
        "classes": len(sizes),
        "discernibility": sum(size * size for size in sizes) - masked**2 + suppressed * (records + left_out),
        "aecs": (records + left_out) / max(len(sizes) + (left_out > 0), 1),
        "height": sum(column["level"] or 0 for column in certificate["columns"]),
    }
    certified = {**certificate["data"], **certificate, **certificate["measures"]}
    for name in (name for name in found if name in certified):
        fits = math.isclose(certified[name], found[name], rel_tol=1e-9)
        yield fits, f"{name}: {found[name]}" if fits else f"{name}: certified {certified[name]}, found {found[name]}"
    for promise in certificate["promises"]:
        yield from check_promise(table, promise, persons=certificate["counted"] == "persons")


def main(arguments: list[str]) -> int:
    """Check, say what was found, and give the exit code."""
    path = Path(arguments[0]) if arguments else Path(__file__).with_name("release.json")
    say = sys.stdout.write
    checked: list[tuple[bool | None, str]] = []
    try:
        for fine, what in check(json.loads(path.read_text(encoding="utf-8")), path.resolve().parent):
            checked.append((fine, what))
            say(f"{ {True: 'as certified', False: 'DIFFERS', None: 'not checked'}[fine]:<14}{what}\n")
    except Exception as error:  # noqa: BLE001 - whatever it is, its message may quote the data
        say(f"cannot check {'more' if checked else 'this release'} ({type(error).__name__}).\n")
        if all(fine is not False for fine, _ in checked):
            return 2
    different = sum(fine is False for fine, _ in checked)
    say(f"{different} of {len(checked)} differ from the certificate.\n" if different else "All is as certified.\n")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
