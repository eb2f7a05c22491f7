"""Single rows: the first of a file as texts, and what each of them is published as."""

from __future__ import annotations

import codecs
import csv
import gzip
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.core import TOP, Census, Domain, FullDomainRecoding, LocalRecoding, Recoding
from incrowd.engines import Notation, head_of, header_of, is_text, plain_day, plain_number

Row = list[str | None]
Codes = Mapping[str, Sequence[int]]
Labels = dict[str, str | None]
PLAIN = Notation()


def first_rows(
    path: Path,
    limit: int,
    *,
    encoding: str = "utf-8",
    separator: str | None = None,
    header: bool = True,
    sheet: str | int | None = None,
    missing: Sequence[str] = ("",),
) -> tuple[list[str], list[Row]]:
    """Give the columns of a file, and its first rows as they stand in it, as texts; ``None`` for what is missing."""
    if not is_text(path):
        names, found = head_of(path, limit, sheet)
        return names, [
            [None if value in missing else _cell_text(name, value) for name, value in zip(names, row, strict=True)]
            for row in found
        ]
    told = header_of(path, encoding, separator, named=header)
    names = list(told.columns)
    reading = "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    with opened(path, "rt", encoding=reading, newline="", errors="replace") as file:
        lines = csv.reader(file, delimiter=told.separator)
        rows = [row for row in itertools.islice(lines, int(header), limit + int(header)) if row]
    padded = [[*row, *([""] * len(names))][: len(names)] for row in rows]
    return names, [[None if value in {"", *missing} else value for value in row] for row in padded]


def rows_with_sizes(rows: Sequence[Row], place: int, census: Census, notation: Notation = PLAIN) -> list[Row]:
    """Add to each row how many rows its entity has, whom the column at a place names: a census counted both."""
    (entity, size), (who, how_many) = census.quasi, census.codes
    domain = census.domains[entity]
    sizes = np.full(len(domain) + 1, None, dtype=object)  # the last is nobody's
    sizes[who] = census.domains[size].texts[how_many]
    codes = _codes_of_texts(domain, [row[place] for row in rows], notation)
    return [[*row, text] for row, text in zip(rows, sizes[codes].tolist(), strict=True)]


def _cell_text(name: str, value: Any) -> str | None:
    return None if value is None else Domain.of(name, [value]).texts.tolist()[0]


def published_rows(
    recoding: Recoding, names: Sequence[str], rows: Sequence[Row], notation: Notation = PLAIN
) -> list[Row | None]:
    """Give each row, whose columns have these names, as it is published; nothing for one that is left out.

    ``notation``: how the rows write numbers and days.
    """
    if not rows:
        return []
    codes = {
        name: _codes_of_texts(domain, [row[names.index(name)] for row in rows], notation)
        for name, domain in recoding.domains.items()
    }
    found = _by_level(recoding, codes) if isinstance(recoding, FullDomainRecoding) else _by_cell(recoding, codes)
    return [
        None if labels is None else [labels.get(name, text) for name, text in zip(names, row, strict=True)]
        for row, labels in zip(rows, found, strict=True)
    ]


def _codes_of_texts(domain: Domain, texts: Sequence[str | None], notation: Notation) -> list[int]:
    """Find every text among the values of a column; -1 where it is not."""
    known = {text: code for code, text in enumerate(domain.texts.tolist())}
    return [known[text] if text in known else _code_of_value(domain, text, notation) for text in texts]


def _code_of_value(domain: Domain, text: str | None, notation: Notation) -> int:
    """Find a value that is written in another way, such as 2.0 or 2,0 for 2."""
    if text is None:
        return -1
    plain = plain_number(notation, text) if domain.kind == "number" else plain_day(notation, text)
    one = Domain.of_texts(domain.column, [plain or text], np.ones(1, dtype=np.int64))
    return int(one.codes_in(domain)[0])


def _by_level(recoding: FullDomainRecoding, codes: Codes) -> list[Labels | None]:
    names = list(recoding.levels)
    ladders = [(recoding.ladders[name], level) for name, level in recoding.levels.items()]
    gone = {tuple(row) for row in zip(*(groups.tolist() for groups in recoding.suppressed), strict=True)}
    result: list[Labels | None] = []
    for here in zip(*(codes[name] for name in names), strict=True):
        groups = [int(ladder.groups[level][code]) for (ladder, level), code in zip(ladders, here, strict=True)]
        if -1 in here or (tuple(groups) in gone and not recoding.masked):
            result.append(None)
        elif tuple(groups) in gone:
            result.append(dict.fromkeys(names, TOP))
        else:
            labels = [ladder.labels[level][group] for (ladder, level), group in zip(ladders, groups, strict=True)]
            result.append(dict(zip(names, labels, strict=True)))
    return result


def _by_cell(recoding: LocalRecoding, codes: Codes) -> list[Labels | None]:
    """Find the class of every row's cell; a code of -1 is in none."""
    values = {name: np.array(column, dtype=np.int64) for name, column in codes.items()}
    cells = [np.where(values[name] < 0, -1, recoding.cell_codes(name, values[name])) for name in recoding.domains]
    result: list[Labels | None] = []
    for cell in zip(*cells, strict=True):
        same = np.logical_and.reduce([column == code for column, code in zip(recoding.codes, cell, strict=True)])
        number = int(recoding.classes[same][0]) if same.any() else -1
        labels = {name: texts[number] for name, texts in zip(recoding.quasi, recoding.labels, strict=True)}
        result.append(None if number < 0 else labels)
    return result
