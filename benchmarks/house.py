"""The house in numbers: rooms, lines, doors between modules, and the hops of three ways through it.

``python benchmarks/house.py [--lists | --map]``: with ``--lists`` also the names behind the numbers; with ``--map``
``docs/explanation/map.md`` instead, made of the first lines of all modules. Nothing is timed. Rooms are the folders of
``src/incrowd``, so that the numbers of two editions can be laid side by side.

A *hop* is the first call of a function of another module in the order of the run, if only one module calls it on this
way. A function that several modules call is a word that one learns once, and a method belongs to the value at hand. The
*changes of room* count how often two hops after each other lead into different rooms. It serves to compare two
editions; a person who follows a way by hand counts otherwise.
"""

from __future__ import annotations

import ast
import contextlib
import io
import itertools
import re
import statistics
import sys
import tempfile
import threading
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import incrowd

HOUSE = Path(incrowd.__file__).parent
TESTS = HOUSE.parent.parent / "tests"
SMALL = 60
PLAN = """version = 1
[data]
path = "patients.csv"
[columns]
sex = { role = "quasi" }
job = { role = "quasi" }
diagnosis = { role = "sensitive" }
[privacy]
promise = "k>=5"
max_suppressed = 0.05
[output]
folder = "out"
others = "drop"
[report]
write = false
"""
"""The smallest main job: one promise, two columns, no report."""
MAP_HEAD = """# The map

What is found in each module of `src/incrowd`, room by room. The sentences are the first lines of the modules;
`python benchmarks/house.py --map` prints this page anew, and a test compares. [The rooms](rooms.md) says what belongs
where, and why."""


def room_of(module: str) -> str:
    """Give the folder of the house in which a module lies; the house itself for its front page."""
    return [*module.split("."), ""][1]


@dataclass(frozen=True)
class Module:
    """One file of the house, and what it says."""

    path: Path

    @cached_property
    def name(self) -> str:
        """Its dotted name."""
        parts = ("incrowd", *self.path.relative_to(HOUSE).with_suffix("").parts)
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @cached_property
    def text(self) -> str:
        """Its source."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax."""
        return ast.parse(self.text)

    @property
    def is_front_page(self) -> bool:
        """Whether it is the ``__init__`` of a folder."""
        return self.path.name == "__init__.py"

    @property
    def folder(self) -> str:
        """The folder in which it lies, seen from the house."""
        return self.path.parent.relative_to(HOUSE).as_posix()

    @cached_property
    def sentence(self) -> str:
        """What its docstring says first: what is found there."""
        return (ast.get_docstring(self.tree) or "").partition("\n")[0]

    @cached_property
    def size(self) -> int:
        """Its lines."""
        return len(self.text.splitlines())

    @cached_property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Its functions and methods, also those inside of others."""
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]

    def imports(self) -> Iterator[tuple[str, bool]]:
        """Give each module of the house that it imports, and whether only a function does so; not those for types."""
        late = {id(node) for function in self.functions for node in ast.walk(function)}
        checks = [
            node for node in ast.walk(self.tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        ]
        types = {id(node) for check in checks for node in ast.walk(check)}
        for node in ast.walk(self.tree):
            if id(node) in types:
                continue
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            else:
                continue
            yield from ((name, id(node) in late) for name in names if name.split(".")[0] == "incrowd")


class House:
    """All modules, and who imports whom."""

    def __init__(self) -> None:
        self.modules = {module.name: module for module in map(Module, sorted(HOUSE.rglob("*.py")))}
        self.doors: list[tuple[str, str, bool]] = []
        for module in self.modules.values():
            found = {(name, late) for name, late in module.imports() if name in self.modules and name != module.name}
            deeper = {name for name, _ in found}
            self.doors += [
                (module.name, name, late)
                for name, late in sorted(found)
                if not (self.modules[name].is_front_page and any(other.startswith(f"{name}.") for other in deeper))
            ]

    @cached_property
    def plain(self) -> list[Module]:
        """The modules that are no front page."""
        return [module for module in self.modules.values() if not module.is_front_page]

    def importers(self) -> dict[str, set[str]]:
        """Give for every module who imports it."""
        found: dict[str, set[str]] = defaultdict(set)
        for importer, imported, _ in self.doors:
            found[imported].add(importer)
        return found

    def lonely(self) -> list[str]:
        """Give the small modules that only one other module imports."""
        found = self.importers()
        return [
            f"{module.name} ({module.size}) <- {next(iter(found[module.name]))}"
            for module in self.plain
            if len(found[module.name]) == 1 and module.size < SMALL
        ]

    def trespassing(self) -> list[str]:
        """Give the imports of a private module of another room."""
        return sorted(
            {
                f"{importer} -> {imported}"
                for importer, imported, _ in self.doors
                if room_of(importer) != room_of(imported)
                and any(part.startswith("_") for part in imported.split(".")[2:])
            }
        )

    def late(self) -> list[str]:
        """Give the imports inside of functions."""
        return sorted({f"{importer} -> {imported}" for importer, imported, late in self.doors if late})

    def circles(self) -> list[str]:
        """Give the sets of modules that import each other, late or not, apart from the documented place."""
        project = tomllib.loads((HOUSE.parent.parent / "pyproject.toml").read_text(encoding="utf-8"))
        contracts = project["tool"]["importlinter"]["contracts"]
        documented = {door for contract in contracts for door in contract.get("ignore_imports", ())}
        doors: dict[str, set[str]] = defaultdict(set)
        for importer, imported, _ in self.doors:
            if f"{importer} -> {imported}" not in documented:
                doors[importer].add(imported)
        reached = {name: self._reached(doors, name) for name in self.modules}
        found = {frozenset(other for other in reached[name] if name in reached[other]) for name in self.modules}
        return sorted(" <-> ".join(sorted(circle)) for circle in found if circle)

    @staticmethod
    def _reached(doors: dict[str, set[str]], start: str) -> set[str]:
        """Give the modules that one imports, and those that they import."""
        found: set[str] = set()
        ahead = list(doors[start])
        while ahead:
            if (name := ahead.pop()) not in found:
                found.add(name)
                ahead += doors[name]
        return found

    def untested(self) -> list[str]:
        """Give the modules that have neither a test file of their name nor a line in the README of their tests."""
        named = set(self.tested_by_name())
        pages = {page.parent.name: page.read_text(encoding="utf-8") for page in TESTS.glob("*/README.md")}

        def has_reason(module: Module) -> bool:
            line = rf"^- .*`{module.path.stem.strip('_')}`.*: "
            return re.search(line, pages.get(room_of(module.name), ""), re.MULTILINE) is not None

        return [module.name for module in self.plain if module.name not in named and not has_reason(module)]

    def tested_by_name(self) -> list[str]:
        """Give the modules whose room has a test file of their name."""
        files = {(path.relative_to(TESTS).parts[0], path.stem) for path in TESTS.rglob("test_*.py")}
        stems = {module.name: module.path.stem.strip("_") for module in self.plain}
        return [name for name, stem in stems.items() if (room_of(name), f"test_{stem}") in files]

    def lines(self) -> Counter[str]:
        """Count what the lines of the house are."""
        total: Counter[str] = Counter()
        for module in self.modules.values():
            said, doors = set[int](), set[int]()
            for node in ast.walk(module.tree):
                if (
                    isinstance(node, ast.Expr)
                    and isinstance(node.value, ast.Constant)
                    and isinstance(node.value.value, str)
                ):
                    said.update(range(node.lineno, (node.end_lineno or 0) + 1))
                elif isinstance(node, ast.Import | ast.ImportFrom):
                    doors.update(range(node.lineno, (node.end_lineno or 0) + 1))
            blank = {number for number, line in enumerate(module.text.splitlines(), 1) if not line.strip()} - said
            total.update(
                all=module.size, docstrings=len(said), imports=len(doors), blank=len(blank),
                code=module.size - len(said) - len(doors) - len(blank),
            )  # fmt: skip
        return total

    def escapes(self, word: str) -> int:
        """Count the comments that silence a tool."""
        return sum(len(re.findall(rf"#\s*{word}", module.text)) for module in self.modules.values())


class Call(NamedTuple):
    """One call of a function by a function, both of the house."""

    caller: str
    callee: str
    function: str


def calls_of(way: Callable[[], object]) -> list[Call]:
    """Give the calls from one module of the house into another, in the order in which they were made."""
    made: list[Call] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        callee = _module(frame)
        if event != "call" or not callee:
            return
        caller = frame.f_back
        while caller is not None and not _module(caller):
            caller = caller.f_back
        if caller is not None and _module(caller) != callee and "<module>" not in _names(frame, caller):
            made.append(Call(_module(caller), callee, frame.f_code.co_qualname))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        way()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return made


def _module(frame: FrameType) -> str:
    """Give the module in which a frame runs, and nothing if it is not of the house."""
    name = str(frame.f_globals.get("__name__", ""))
    return name if name.partition(".")[0] == "incrowd" else ""


def _names(*frames: FrameType) -> set[str]:
    """Give the names of the functions that run."""
    return {frame.f_code.co_qualname for frame in frames}


def hops_of(calls: list[Call]) -> list[Call]:
    """Give the first call of every function that only one other module calls."""
    callers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for call in calls:
        callers[call.callee, call.function].add(call.caller)
    first = {(call.callee, call.function): call for call in reversed(calls)}
    alone = {key for key in first if len(callers[key]) == 1 and "." not in key[1] and "<" not in key[1]}
    return [call for call in dict.fromkeys(calls) if (call.callee, call.function) in alone]


def ways(folder: Path) -> Iterator[tuple[str, Callable[[], object], str]]:
    """Give the three ways that people follow through the house, and the function before which one stops, if any."""
    from pyarrow import csv

    from incrowd.cli import main

    def command(*words: str) -> None:
        with contextlib.suppress(SystemExit), contextlib.redirect_stderr(io.StringIO()):
            main(list(words))

    table = incrowd.hospital(2_000, seed=1)
    data, plan = folder / "patients.csv", folder / "plan.toml"
    csv.write_csv(table, data)
    plan.write_text(PLAN, encoding="utf-8")
    release = incrowd.anonymize(table, incrowd.hospital_schema(), model=incrowd.KAnonymity(5), max_suppressed=0.05)
    yield "incrowd anonymize plan.toml", lambda: command("anonymize", str(plan)), ""
    yield "ic.attack(release)", lambda: incrowd.attack(release), ""
    yield "  to its homogeneity", lambda: incrowd.attack(release), "inference"  # the attack that comes after it
    yield "ic.suggest(file)", lambda: incrowd.suggest(data), ""


def print_ways(*, lists: bool) -> None:
    """Follow each way, and print how far it is."""
    head = ("hops", "modules", "changes of room", "rooms both ways", "all functions", "all modules")
    print(f"\n{'way':30}", *(f"{title:>15}" for title in head))
    with tempfile.TemporaryDirectory() as folder:
        for name, way, stop in ways(Path(folder)):
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                calls = list(itertools.takewhile(lambda call, stop=stop: call.function != stop, calls_of(way)))
            hops = hops_of(calls)
            modules = {module for call in hops for module in (call.caller, call.callee)}
            rooms = [room_of(call.callee) for call in hops]
            changes = sum(one != other for one, other in itertools.pairwise(rooms))
            back = {(room_of(call.caller), room_of(call.callee)) for call in calls}
            mutual = sum((other, one) in back for one, other in back if one < other)
            entered, touched = {call[1:] for call in calls}, {call.callee for call in calls}
            numbers = (len(hops), len(modules), changes, mutual, len(entered), len(touched))
            print(f"{name:30}", *(f"{number:15}" for number in numbers))
            if lists:
                print("\n".join(f"    {call.caller} -> {call.callee}.{call.function}" for call in hops))


def print_house(*, lists: bool) -> None:
    """Print what can be counted without running anything."""
    house = House()
    sizes = [module.size for module in house.plain]
    middle = statistics.median(sizes)
    print(f"modules (without front pages) {len(sizes)}, median {middle:.0f} lines, longest {max(sizes)}")
    rooms = Counter(room_of(module.name) for module in house.plain)
    print("  by room:   ", ", ".join(f"{room or '(house)'} {count}" for room, count in rooms.most_common()))
    folders = Counter(module.folder for module in house.plain)
    print("  by folder: ", ", ".join(f"{folder} {count}" for folder, count in folders.most_common()))
    lines = house.lines()
    print(f"lines {lines.pop('all'):,}:", ", ".join(f"{kind} {count:,}" for kind, count in lines.most_common()))
    lengths = [
        (node.end_lineno or 0) - node.lineno + 1 for module in house.modules.values() for node in module.functions
    ]
    each = len(lengths) / len(sizes)
    print(f"functions {len(lengths):,}, {each:.0f} per module, median {statistics.median(lengths):.0f} lines")
    fan_in = {name: len(importers) for name, importers in house.importers().items()}
    fan_out = Counter(importer for importer, _ in {door[:2] for door in house.doors})
    for kind, fan in (("in", fan_in), ("out", fan_out)):
        most = ", ".join(f"{name.removeprefix('incrowd.')} {count}" for name, count in Counter(fan).most_common(6))
        print(f"fan-{kind}: median {statistics.median(fan.values()):.0f}, most: {most}")
    tested = house.tested_by_name()
    print(f"tests that carry the name of their module: {len(tested)} of {len(house.plain)}")
    print(f"escapes: {house.escapes('noqa')} noqa, {house.escapes('type: ignore')} type: ignore")
    print(f"public names: {len(incrowd.__all__)}")
    for title, found in (
        (f"modules with one importer and fewer than {SMALL} lines", house.lonely()),
        ("private modules imported across rooms", house.trespassing()),
        ("imports inside of functions", house.late()),
        ("circles, also through imports inside of functions", house.circles()),
        ("modules without a test file of their name and without a reason", house.untested()),
    ):
        print(f"{title}: {len(found)}", *(found if lists else ()), sep="\n    ")


def map_of(house: House) -> str:
    """Give the page that says of every module what is found there, room by room."""
    lines = [MAP_HEAD]
    modules = [module for module in house.modules.values() if module.folder != "."]
    for module in sorted(modules, key=lambda module: (module.folder, module.path.name)):
        sentence = re.sub("`+", "`", module.sentence)
        if module.is_front_page:
            lines.append(f"\n## {module.folder}\n\n{sentence}\n")
        else:
            lines.append(f"- `{module.path.name}`: {sentence}")
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> None:
    """Print the numbers of the house, or its map."""
    if "--map" in arguments:
        print(map_of(House()), end="")
        return
    lists = "--lists" in arguments
    print_house(lists=lists)
    print_ways(lists=lists)


if __name__ == "__main__":
    main(sys.argv[1:])
