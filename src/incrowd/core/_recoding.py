"""What every record is published as, by levels (``FullDomainRecoding``) or by classes (``LocalRecoding``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from incrowd.core._archive import Archive, Array, Arrays, Header
from incrowd.core._census import Census, ladder_of
from incrowd.core._domain import Domain
from incrowd.core._errors import DataError, ParameterError, UnknownColumnError
from incrowd.core._grouping import Ints, Packing, group, tally
from incrowd.core._labelling import distinct_texts
from incrowd.core._ladder import Ladder

_T = TypeVar("_T")
TABLE_BITS = 20
"""Combinations of so many bits are looked up in a table."""


@dataclass(frozen=True, eq=False)
class FullDomainRecoding:
    """One level for each column, and the classes that are left out."""

    domains: Mapping[str, Domain] = field(repr=False)  # the values that the ladders were bound to
    ladders: Mapping[str, Ladder] = field(repr=False)
    levels: Mapping[str, int]  # at which each quasi-identifier is published
    suppressed: tuple[Ints, ...] = field(default=(), repr=False)  # per quasi-identifier the groups at its level
    masked: bool = field(default=False, repr=False)  # whether these records are published as ``*`` instead of dropped

    def __post_init__(self) -> None:
        for part in ("domains", "ladders"):  # in the order of the levels, whatever order they were given in
            object.__setattr__(self, part, _order_of_cells(getattr(self, part), self.levels))
        for name, level in self.levels.items():
            self.ladders[name].check_level(level)
            if len(self.ladders[name].groups[0]) != len(self.domains[name]):
                msg = f"The ladder of column {name!r} was not bound to the domain that the recoding has."
                raise ParameterError(msg)
        if self.suppressed and len(self.suppressed) != len(self.levels):
            msg = (
                f"suppressed must have one array per quasi-identifier ({len(self.levels)}), got {len(self.suppressed)}."
            )
            raise ParameterError(msg)
        if len({len(groups) for groups in self.suppressed}) > 1:
            msg = "The arrays of suppressed must have one entry per class each."
            raise ParameterError(msg)
        for (name, level), groups in zip(self.levels.items(), self.suppressed, strict=False):
            _check_codes(name, groups, len(self.ladders[name].labels[level]))

    @property
    def quasi(self) -> tuple[str, ...]:
        """The columns that are recoded, in order."""
        return tuple(self.levels)

    @property
    def node(self) -> Mapping[str, int]:
        """The level of every column."""
        return self.levels

    @property
    def of_levels(self) -> FullDomainRecoding:
        """Itself: it follows from its levels."""
        return self

    @property
    def has_left_out(self) -> bool:
        """Whether there is a class that is left out."""
        return bool(self.suppressed) and len(self.suppressed[0]) > 0

    @property
    def has_masked(self) -> bool:
        """Whether some records are published as ``*``: then every quasi-identifier is text."""
        return self.masked and self.has_left_out

    @property
    def unchanged(self) -> frozenset[str]:
        """The quasi-identifiers whose values are published as they were, whatever their type."""
        return frozenset(name for name, level in self.levels.items() if not (level or self.has_masked))

    def is_suppressed(self, groups: Sequence[Ints]) -> npt.NDArray[np.bool_]:
        """Say which combinations of groups are left out or masked; one array per quasi-identifier, of its level."""
        if not self.has_left_out:
            return np.zeros(len(groups[0]), dtype=bool)
        sizes = [len(self.ladders[name].labels[level]) for name, level in self.levels.items()]
        packing = Packing.of(sizes)
        if packing.words == 1 and (bits := sum(field.bits for field in packing.fields)) <= TABLE_BITS:
            (words,), (gone,) = packing.pack(groups), packing.pack(self.suppressed)
            table = np.zeros(1 << bits, dtype=bool)
            table[gone] = True
            return table.take(words)
        ids = group([np.concatenate(pair) for pair in zip(groups, self.suppressed, strict=True)], sizes).ids
        return np.isin(ids[: len(groups[0])], ids[len(groups[0]) :])

    def header_and_arrays(self) -> tuple[Header, Arrays]:
        """Take it apart: what JSON can hold, and arrays of whole numbers, floats or texts by name."""
        header, arrays = _outline_arrays(self)
        header |= {"kind": "full domain", "levels": dict(self.levels)}
        arrays |= {f"suppressed {number}": codes for number, codes in enumerate(self.suppressed)}
        return header | {"suppressed": len(self.suppressed), "masked": self.masked}, arrays


@dataclass(frozen=True, eq=False)
class LocalRecoding:
    """For every cell the classes that its records go to, and how many to each.

    Which records of a cell go where is decided by the values of all published columns, so that neither engine nor row
    order matters. A ``partial`` one speaks of a part of the table only: the records of no other cell are published by
    it. Where a row stands for several records, as ``count`` says, no cell parts.
    """

    quasi: tuple[str, ...]
    domains: Mapping[str, Domain] = field(repr=False)  # of quasi-identifiers, sensitive columns, the entity if any
    codes: tuple[Ints, ...] = field(repr=False)  # the cell of each entry, per column of ``domains``; groups at a floor
    classes: Ints = field(repr=False)  # of each entry; -1 where the records are left out
    counts: npt.NDArray[np.int64] = field(repr=False)  # how many records of the cell go there
    labels: tuple[npt.NDArray[np.object_], ...] = field(repr=False)  # per quasi-identifier the text of each class
    ladders: Mapping[str, Ladder] = field(default_factory=dict, repr=False)  # where known: what a label covers
    floor: Mapping[str, int] = field(default_factory=dict, repr=False)  # 0, its own values, where nothing is said
    partial: bool = field(default=False, repr=False)
    count: str | None = field(default=None, repr=False)  # the column that says how many records a row stands for
    node: Mapping[str, int] | None = field(default=None, repr=False)  # the level of every column, where all have one

    def __post_init__(self) -> None:
        for name, level in (*self.floor.items(), *(self.node or {}).items()):
            ladder_of(name, self.ladders, level).check_level(level)
        lengths = {len(array) for array in (*self.codes, self.classes, self.counts)}
        if len(lengths) != 1 or len(self.codes) != len(self.domains) or len(self.labels) != len(self.quasi):
            msg = "A local recoding needs one code per column and entry, and one label per quasi-identifier and class."
            raise ParameterError(msg)
        if len(self.counts) and self.counts.min() < 1:
            msg = "A local recoding moves at least one record per entry."
            raise ParameterError(msg)
        for name, cardinality, codes in zip(self.domains, self.cardinalities, self.codes, strict=True):
            _check_codes(name, codes, cardinality)
        sizes = {len(texts) for texts in self.labels}
        if len(sizes) != 1 or (len(self.classes) and not -1 <= self.classes.min() <= self.classes.max() < min(sizes)):
            msg = "A local recoding needs for each class one label per quasi-identifier; -1 is what is left out."
            raise ParameterError(msg)
        if self.count is not None and self.pieces()[2].any():
            msg = f"A row of this table stands for several records ({self.count!r}), which cannot part."
            raise ParameterError(msg)

    @property
    def levels(self) -> None:
        """A local recoding does not follow from levels alone, also where every column has one."""
        return

    @property
    def of_levels(self) -> FullDomainRecoding | None:
        """The same without anybody left out, where every column has one level."""
        if self.node is None:
            return None
        return FullDomainRecoding({name: self.domains[name] for name in self.node}, self.ladders, self.node)

    @property
    def cardinalities(self) -> list[int]:
        """How many codes each column of a cell can have."""
        return [
            len(self.ladders[name].labels[level]) if (level := self.floor.get(name, 0)) else len(domain)
            for name, domain in self.domains.items()
        ]

    @cached_property
    def unchanged(self) -> frozenset[str]:
        """The quasi-identifiers whose values are published as they were, whatever their type.

        None where only a part of the table is known: another part may need a label.
        """
        own = () if self.partial else (name for name in self.quasi if not self.floor.get(name))
        return frozenset(name for name in own if self._keeps_values(name))

    def _keeps_values(self, name: str) -> bool:
        """Say whether every record that is published has its own value as its label."""
        texts, which = self.distinct_labels[name]
        known = {text: code for code, text in enumerate(self.domains[name].texts.tolist())}
        codes = np.array([known.get(text, -1) for text in texts.tolist()], dtype=np.int64)[which]
        kept = self.classes >= 0
        own = self.codes[list(self.domains).index(name)]
        return bool((codes[self.classes[kept]] == own[kept]).all())

    @cached_property
    def distinct_labels(self) -> dict[str, tuple[npt.NDArray[np.object_], npt.NDArray[np.int64]]]:
        """Per quasi-identifier its labels, each once, and which one each class has; found out once, then kept."""
        return {name: distinct_texts(texts) for name, texts in zip(self.quasi, self.labels, strict=True)}

    def cell_codes(self, name: str, codes: Ints) -> Ints:
        """Turn codes of values into those of the cells: groups at the floor, where there is one."""
        level = self.floor.get(name, 0)
        return self.ladders[name].groups[level][codes] if level else codes

    @property
    def is_whole(self) -> bool:
        """Whether every cell of the table is known, and goes to one class."""
        return not self.partial and not self.pieces()[2].any()

    def moves_all_of(self, census: Census) -> bool:
        """Say whether it tells where every record of a census goes, and of no others."""
        own = (*census.codes, *([] if census.person is None else [census.person]))
        if len(own) != len(self.codes) or int(self.counts.sum()) != census.records:
            return False
        packing = Packing.of(self.cardinalities)
        words, counts = tally(packing.pack(self.codes), self.counts)
        same = (np.array_equal(*pair) for pair in zip(words, packing.pack(own), strict=True))
        return np.array_equal(counts, census.counts) and all(same)

    def pieces(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Line up the entries of each cell by class, what is left out last.

        Gives the order of the entries, for each the rank in its cell of the first record that it takes, and whether its
        cell is split.
        """
        cells = group(self.codes, self.cardinalities)
        if len(cells) == len(self.counts):  # no cell parts
            return cells.first, np.zeros(len(cells), dtype=np.int64), np.zeros(len(cells), dtype=bool)
        order = np.lexsort((self.classes, self.classes < 0, cells.ids))
        ids, counts = cells.ids[order], self.counts[order]
        before = np.cumsum(counts) - counts
        opens = np.searchsorted(ids, np.arange(len(cells)))
        return order, before - before[opens][ids], (cells.sizes() > 1)[ids]

    def header_and_arrays(self) -> tuple[Header, Arrays]:
        """Take it apart: what JSON can hold, and arrays of whole numbers, floats or texts by name."""
        header, arrays = _outline_arrays(self)
        counted = {} if self.count is None else {"count": self.count}
        leveled = {} if self.node is None else {"node": dict(self.node)}
        return header | {"kind": "local", "floor": dict(self.floor), **counted, **leveled}, arrays | self.cell_arrays()

    def cell_arrays(self) -> Arrays:
        """Take out what it says of its cells; the rest is the same for all parts of a table."""
        return {
            **{f"cell {number}": codes for number, codes in enumerate(self.codes)},
            **{f"label {number}": texts for number, texts in enumerate(self.labels)},
            "classes": self.classes,
            "counts": self.counts,
        }


def _order_of_cells(given: Mapping[str, _T], levels: Mapping[str, int]) -> dict[str, _T]:
    UnknownColumnError.check(levels, given, given_as="level")
    return {name: given[name] for name in levels}


def _check_codes(name: str, codes: Ints, cardinality: int) -> None:
    """Refuse codes that a column does not have: packed with others they would mean somebody else's cell."""
    if len(codes) and not 0 <= codes.min() <= codes.max() < cardinality:
        msg = f"The recoding has codes of column {name!r} beyond the {cardinality} that there are."
        raise ParameterError(msg)


Recoding = FullDomainRecoding | LocalRecoding
"""What a search returns and an engine applies."""


# A recoding as a header, which is JSON, and plain arrays; where they are written is for others to decide.

FORMAT = "incrowd recoding 1"


def _outline_arrays(recoding: Recoding) -> tuple[Header, Archive]:
    """Take out what all recodings have: the values and ladders of their columns."""
    arrays = Archive()
    header: Header = {
        "format": FORMAT,
        "quasi": list(recoding.quasi),
        "domains": [arrays.add_domain(f"domain {name}", domain) for name, domain in recoding.domains.items()],
        "heights": {name: ladder.height for name, ladder in recoding.ladders.items()},
    }
    for name, ladder in recoding.ladders.items():
        arrays.add_ladder(f"ladder {name}", ladder)
    return header, arrays


def join_cells(parts: Sequence[Mapping[str, Array]]) -> Arrays:
    """Put what recodings of parts say of their cells one after the other; classes that are called the same are one."""
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    labels = [name for name in joined if name.startswith("label ")]
    starts = np.cumsum([0, *(len(part[labels[0]]) for part in parts)])
    classes = [part["classes"] for part in parts]
    own = [np.where(one < 0, -1, one + start) for one, start in zip(classes, starts, strict=False)]
    found = [distinct_texts(joined[name]) for name in labels]
    alike = group([numbers for _, numbers in found], [max(len(texts), 1) for texts, _ in found])
    joined["classes"] = np.append(alike.ids.astype(np.int64), -1)[np.concatenate(own)]
    return joined | {name: joined[name][alike.first] for name in labels}


def recoding_from_arrays(header: Header, arrays: Mapping[str, Array]) -> Recoding:
    """Put a recoding together again."""
    if header.get("format") != FORMAT:
        msg = "This is not a recoding of this version."
        raise DataError(msg, hint="save it again with this version of incrowd.")
    archive = Archive(arrays)
    found = [archive.domain(f"domain {entry['column']}", entry) for entry in header["domains"]]
    domains = {domain.column: domain for domain in found}
    heights = header.get("heights", {})
    ladders = {name: archive.ladder(f"ladder {name}", name, height) for name, height in heights.items()}
    if header["kind"] == "full domain":
        return FullDomainRecoding(
            domains=domains,
            ladders=ladders,
            levels={name: header["levels"][name] for name in header["quasi"]},
            suppressed=tuple(arrays[f"suppressed {number}"] for number in range(header["suppressed"])),
            masked=header.get("masked", False),
        )
    return LocalRecoding(
        quasi=tuple(header["quasi"]),
        domains=domains,
        codes=tuple(arrays[f"cell {number}"] for number in range(len(domains))),
        classes=arrays["classes"],
        counts=arrays["counts"],
        labels=tuple(arrays[f"label {number}"] for number in range(len(header["quasi"]))),
        ladders=ladders,
        floor=header.get("floor", {}),
        count=header.get("count"),
        node=header.get("node"),
    )
