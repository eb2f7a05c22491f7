"""A few rows of a table as texts, and what each is published as."""

from __future__ import annotations

import codecs
import csv
import gzip
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Domain, FullDomainRecoding, LocalRecoding, Recoding
from incrowd.engines import Notation, head_of, header_of, is_text, plain_day, plain_number
from incrowd.plan import Plan

Row = list[str | None]
PLAIN = Notation()
LONG = 200
"""Longer texts are cut."""


def first_rows(plan: Plan, limit: int) -> tuple[list[str], list[Row]]:
    """Give the first rows of a file as they stand in it, as texts.

    Parameters
    ----------
    plan
        The plan whose table it is.
    limit
        How many rows.
    """
    path, data = plan.path(str(plan.data.path)), plan.data
    if is_text(path):
        names, rows = _read_text(path, data, limit)
        return names, [[None if value in {"", *data.missing} else value for value in row] for row in rows]
    names, found = head_of(path, limit, data.sheet)
    return names, [[_shown_text(*cell, data.missing) for cell in zip(names, row, strict=True)] for row in found]


def short(row: Sequence[str | None]) -> Row:
    """Cut long texts."""
    return [text if text is None or len(text) <= LONG else f"{text[: LONG - 1]}\N{HORIZONTAL ELLIPSIS}" for text in row]


def _read_text(path: Path, data: Any, limit: int) -> tuple[list[str], list[list[str]]]:
    header = header_of(path, data.encoding, data.separator, named=data.header)
    names = list(header.columns)
    encoding = "utf-8-sig" if codecs.lookup(data.encoding).name == "utf-8" else data.encoding
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    with opened(path, "rt", encoding=encoding, newline="", errors="replace") as file:
        lines = csv.reader(file, delimiter=header.separator)
        rows = [row for row in itertools.islice(lines, int(data.header), limit + int(data.header)) if row]
    return names, [[*row, *([""] * len(names))][: len(names)] for row in rows]


def _shown_text(name: str, value: Any, missing: Sequence[str]) -> str | None:
    text = None if value is None else Domain.of(name, [value]).texts.tolist()[0]
    return None if value in missing else text


class Published:
    """What rows become in a release.

    Parameters
    ----------
    recoding
        What the search found.
    notation
        How rows write numbers and days.
    """

    def __init__(self, recoding: Recoding, notation: Notation = PLAIN) -> None:
        self._recoding, self._notation = recoding, notation

    def rows(self, names: Sequence[str], rows: Sequence[Row]) -> list[Row | None]:
        """Give each row as it is published; nothing for one that is left out.

        Parameters
        ----------
        names
            The columns of the rows.
        rows
            The rows as texts.
        """
        recoding = self._recoding
        if not rows:
            return []
        codes = {
            name: _codes(domain, [row[names.index(name)] for row in rows], self._notation)
            for name, domain in recoding.domains.items()
        }
        found = _by_level(recoding, codes) if isinstance(recoding, FullDomainRecoding) else _by_cell(recoding, codes)
        return [None if labels is None else _put(names, row, labels) for row, labels in zip(rows, found, strict=True)]


Labels = list[dict[str, str | None] | None]


def _codes(domain: Domain, texts: Sequence[str | None], notation: Notation) -> list[int]:
    """Find every text among the values of a column; -1 where it is not."""
    known = {text: code for code, text in enumerate(domain.texts.tolist())}
    return [known[text] if text in known else _by_value(domain, text, notation) for text in texts]


def _by_value(domain: Domain, text: str | None, notation: Notation) -> int:
    """Find a value that is written in another way, such as 2.0 or 2,0 for 2."""
    if text is None:
        return -1
    plain = plain_number(notation, text) if domain.kind == "number" else plain_day(notation, text)
    one = Domain.of_texts(domain.column, [plain or text], np.ones(1, dtype=np.int64))
    return int(one.codes_in(domain)[0])


def _by_level(recoding: FullDomainRecoding, codes: dict[str, list[int]]) -> Labels:
    names = list(recoding.levels)
    gone = {tuple(row) for row in zip(*(groups.tolist() for groups in recoding.suppressed), strict=True)}
    result: Labels = []
    for place in range(len(codes[names[0]])):
        here = [codes[name][place] for name in names]
        ladders = [(recoding.ladders[name], level) for name, level in recoding.levels.items()]
        groups = [int(ladder.groups[level][code]) for (ladder, level), code in zip(ladders, here, strict=True)]
        if -1 in here or (tuple(groups) in gone and not recoding.masked):
            result.append(None)
        elif tuple(groups) in gone:
            result.append(dict.fromkeys(names, TOP))
        else:
            labels = [ladder.labels[level][group] for (ladder, level), group in zip(ladders, groups, strict=True)]
            result.append(dict(zip(names, labels, strict=True)))
    return result


def _by_cell(recoding: LocalRecoding, codes: dict[str, list[int]]) -> Labels:
    result: Labels = []
    counted = {name: _counted(recoding, name, column) for name, column in codes.items()}
    for place in range(len(next(iter(codes.values())))):
        same = np.ones(len(recoding.classes), dtype=bool)
        for name, column in zip(recoding.domains, recoding.codes, strict=True):
            same &= column == counted[name][place]
        found = recoding.classes[same]
        number = int(found[0]) if len(found) else -1
        labels = {name: texts[number] for name, texts in zip(recoding.quasi, recoding.labels, strict=True)}
        result.append(None if number < 0 else labels)
    return result


def _counted(recoding: LocalRecoding, name: str, codes: list[int]) -> npt.NDArray[np.int64]:
    """Give the codes of the cells that values are in; -1 stays what is in none."""
    values = np.array(codes, dtype=np.int64)
    return np.where(values < 0, -1, recoding.counted(name, values))


def _put(names: Sequence[str], row: Row, labels: dict[str, str | None]) -> Row:
    return [labels.get(name, text) for name, text in zip(names, row, strict=True)]
