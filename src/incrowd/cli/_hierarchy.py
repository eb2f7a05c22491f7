"""``incrowd hierarchy``: build, check and show how the values of a column become vaguer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from incrowd.cli._explain import FOUND
from incrowd.cli._options import ShowValues, with_reading
from incrowd.cli._terminal import amount, stdout_for_data, tell, write

if TYPE_CHECKING:
    from incrowd.core import Domain, Hierarchy

KINDS = (
    "auto, intervals, top-coded, bottom-coded, mask, dates, classification, postcodes, frequent, quantiles, ordered "
    "or flat."
)
NAMED = ("dates", "classification", "postcodes")
"""Kinds whose options are words, not numbers."""

app = Typer(help="Build, check and show how the values of a column become vaguer.", no_args_is_help=True)

HierarchyFile = Annotated[
    Path, Argument(metavar="FILE", help="A hierarchy in ARX's format: no header, one line per value, top last.")
]
Data = Annotated[Path | None, Option("--data", help="A table (CSV or Parquet) that it is meant for.")]
Column = Annotated[str | None, Option("--column", help="The column of the table.")]


@app.command()
@with_reading(memory=None)
def show(
    file: HierarchyFile,
    data: Data = None,
    column: Column = None,
    *,
    reading: dict[str, Any],
    max_children: Annotated[int, Option("--max-children", help="Draw at most so many children of a node.")] = 8,
    _show_values: ShowValues = False,
) -> None:
    """Draw a hierarchy as a tree, for the values of the file or of a table.

    For example: incrowd hierarchy show zip.csv --max-children 3
    """
    from incrowd.hierarchies import draw, tree

    hierarchy = tree(file)
    domain = _domain_of_options(data, column, reading) or _domain_of(file.stem, [path[0] for path in hierarchy.paths])
    write(*draw(hierarchy.bind(domain), max_children=max_children).split("\n"))


@app.command()
@with_reading(memory=None)
def check(
    file: HierarchyFile,
    data: Data = None,
    column: Column = None,
    *,
    reading: dict[str, Any],
    show_values: ShowValues = False,
) -> int:
    """Check a hierarchy, and whether it covers a column; exit code 1 if there are problems.

    For example: incrowd hierarchy check zip.csv --data patients.csv --column zip
    """
    from incrowd.hierarchies import check as find, tree

    problems = find(file, _domain_of_options(data, column, reading))
    for problem in problems:
        write(f"{file.name}: {problem}", *(f"  {value!r}" for value in problem.values if show_values))
    if problems:
        write(f"FAIL  {amount(len(problems), 'problem')}")
        return FOUND
    hierarchy = tree(file)
    write(f"PASS  {_size_text(len(hierarchy.paths), hierarchy.height)}")
    return 0


@app.command()
@with_reading(memory=None)
def build(
    data: Annotated[Path, Argument(metavar="DATA", help="A table: CSV or Parquet.")],
    column: Annotated[str, Option("--column", help="The column of the table.")],
    kind: Annotated[str, Option(help=KINDS)] = "auto",
    widths: Annotated[str | None, Option(help="intervals: widths, such as 5,10,20.")] = None,
    start: Annotated[str | None, Option(help="intervals: where one begins (0).")] = None,
    bottom: Annotated[str | None, Option(help="intervals: all below becomes one group.")] = None,
    top: Annotated[str | None, Option(help="intervals: all from here on becomes one group.")] = None,
    bounds: Annotated[str | None, Option(help="top-coded, bottom-coded: bounds, such as 90.")] = None,
    side: Annotated[str | None, Option("--from", help="mask: right (default) or left.")] = None,
    keep: Annotated[str | None, Option(help="mask: characters that are never hidden.")] = None,
    units: Annotated[str | None, Option(help="dates: such as month,quarter,year,decade.")] = None,
    date_format: Annotated[str | None, Option("--format", help="dates: of text, such as %d.%m.%Y.")] = None,
    at_least: Annotated[str | None, Option(help="frequent: rows or shares, such as 10,50 or 0.01.")] = None,
    name: Annotated[str | None, Option(help="classification: such as countries or icd-10.")] = None,
    others: Annotated[str | None, Option(help="classification: a label for values it does not know.")] = None,
    country: Annotated[str | None, Option(help="postcodes: the country, such as DE.")] = None,
    parts: Annotated[str | None, Option(help="quantiles: how many ranges, such as 8,4,2.")] = None,
    runs: Annotated[str | None, Option(help="ordered: neighbours in a group, such as 2,4.")] = None,
    *,
    reading: dict[str, Any],
    output: Annotated[Path | None, Option("--output", "-o", help="Where to write; stdout if not given.")] = None,
    force: Annotated[bool, Option("--force", help="Replace an existing file.")] = False,
    _show_values: ShowValues = False,
) -> None:
    """Build a hierarchy for a column of a table and write it in ARX's format.

    For example: incrowd hierarchy build patients.csv --column zip -o zip.csv
    """
    from incrowd.core import atomic_path
    from incrowd.hierarchies import write_csv

    options = {
        "widths": widths, "start": start, "bottom": bottom, "top": top, "bounds": bounds, "from": side,
        "keep": keep, "units": units, "format": date_format, "at-least": at_least, "runs": runs,
        "name": name, "others": others, "country": country, "parts": parts,
    }  # fmt: skip
    hierarchy = _hierarchy_of(kind, {name: text for name, text in options.items() if text is not None})
    with stdout_for_data() if output is None else atomic_path(output, force=force, reads=[data]) as target:
        ladder = hierarchy.bind(_read_domain(data, column, reading))
        write_csv(ladder, target)
    values = sum(label is not None for label in ladder.labels[0])
    tell(f"{'' if output is None else f'wrote {output}: '}{_size_text(values, ladder.height)}")
    if values < len(ladder.labels[0]):
        tell("note: missing values have no line; they stay apart until the top.")


def _hierarchy_of(kind: str, options: dict[str, str]) -> Hierarchy:
    """Build the hierarchy that the options describe; refuse options of another kind."""
    from incrowd import hierarchies
    from incrowd.core import ParameterError

    kinds: dict[str, tuple[Callable[..., Any], str | None, dict[str, tuple[str, Callable[[str], Any]]]]] = {
        "auto": (hierarchies.auto, None, {}),
        "flat": (hierarchies.flat, None, {}),
        "intervals": (hierarchies.intervals, "widths", {name: (name, _typed) for name in ("start", "bottom", "top")}),
        "top-coded": (hierarchies.top_coded, "bounds", {}),
        "bottom-coded": (hierarchies.bottom_coded, "bounds", {}),
        "mask": (hierarchies.mask, None, {"from": ("from_", str), "keep": ("keep", _typed)}),
        "dates": (hierarchies.dates, "units", {"format": ("format", str)}),
        "classification": (hierarchies.classification, "name", {"others": ("others", str)}),
        "postcodes": (hierarchies.postcodes, "country", {}),
        "frequent": (hierarchies.frequent, "at-least", {}),
        "quantiles": (hierarchies.quantiles, "parts", {}),
        "ordered": (lambda *levels: hierarchies.ordered(None, *levels), "runs", {}),
    }
    if kind not in kinds:
        msg = f"There is no kind of hierarchy {kind!r}."
        raise ParameterError(msg, hint=f"use one of {', '.join(kinds)}.")
    make, listed, named = kinds[kind]
    strange = [name for name in options if name != listed and name not in named]
    if strange:
        msg = f"The option --{strange[0]} does not belong to --kind {kind}."
        raise ParameterError(msg, hint="incrowd hierarchy build --help says which options belong to which kind.")
    items = [item.strip() for item in options.get(listed or "", "").split(",") if item.strip()]
    words = {name: read(options[option]) for option, (name, read) in named.items() if option in options}
    if listed is not None and not items and kind in {"classification", "postcodes"}:
        msg = f"--kind {kind} needs --{listed}."
        raise ParameterError(msg, hint="for example --name countries, or --country DE.")
    built: Hierarchy = make(*(items if kind in NAMED else map(_typed, items)), **words)
    return built


def _typed(text: str) -> object:
    """Read a number as it was written; leave what is none to the hierarchy, which says what it needs."""
    from decimal import Decimal, InvalidOperation

    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return int(number) if number.is_finite() and number == int(number) else number


def _domain_of_options(data: Path | None, column: str | None, reading: dict[str, Any]) -> Domain | None:
    from incrowd.core import ParameterError

    if (data, column, reading) == (None, None, {"encoding": "utf-8"}):
        return None
    if data is None or column is None:
        msg = f"--{'data' if data is None else 'column'} is missing."
        hint = "--data and --column belong together, --encoding, --separator and --sheet to them."
        raise ParameterError(msg, hint=hint)
    return _read_domain(data, column, reading)


def _read_domain(data: Path, column: str, reading: dict[str, Any]) -> Domain:
    from incrowd.engines import open_table

    return open_table(data, **reading).domains([column])[column]


def _domain_of(column: str, texts: list[str]) -> Domain:
    import numpy as np

    from incrowd.core import Domain

    return Domain.of_texts(column, texts, np.ones(len(texts), dtype=np.int64))


def _size_text(values: int, levels: int) -> str:
    return f"{amount(values, 'value')}, {amount(levels, 'level')} above {'it' if values == 1 else 'them'}"
