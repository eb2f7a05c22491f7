"""Publishing a table whose census does not fit into memory: cut by counts, then finished part by part."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    Census,
    CensusRequest,
    Classes,
    Domain,
    LocalRecoding,
    Verdict,
    add_up,
    joint_verdict,
)
from incrowd.engines import (
    CellFile,
    CellWriter,
    Engine,
    can_spill,
    private_folder,
    shares_of,
    spill_census,
    trim_memory,
    write_arrays,
)
from incrowd.release._census import CensusPlan, Goal
from incrowd.release._columns import ColumnSums
from incrowd.release._explanation import Explanation
from incrowd.release._feasibility import refuse_infeasible
from incrowd.release._floor import NO_REPORTS
from incrowd.release._folder import OWNER, Folders
from incrowd.release._output import Output
from incrowd.release._publish import Found, release_of
from incrowd.release._recipe import prediction_of
from incrowd.release._recoding_file import PART, StoredRecoding
from incrowd.release._release import Release
from incrowd.release._release_file import Measurement, Measuring, certified_columns, open_released
from incrowd.release._source import Source
from incrowd.release._verdict import classes_as_predicted, expect, file_findings, verdict_of
from incrowd.search import (
    Algorithm,
    ColumnCut,
    CountedCuts,
    EarlierParts,
    LocalOutcome,
    Mondrian,
    Problem,
    Progress,
    ValueCounts,
)

Array = npt.NDArray[Any]
PARTED = (
    "The census of this table does not fit into memory ({cells:,} cells do), so the table was cut by counts into parts "
    "that do, which were finished one after the other. More memory would give the same release."
)


def publish_in_parts(
    source: Source,
    goal: Goal,
    counting: CensusPlan,
    algorithm: Algorithm,
    progress: Callable[[Progress], bool | None] | None,
) -> Release | None:
    """Publish a table part by part, if its census does not fit, the search cuts it, and a record stands for itself.

    ``None`` otherwise, and if a part that does not fit cannot be cut.
    """
    output = source.manner.output
    if (
        not (isinstance(algorithm, Mondrian) and algorithm.strict)
        or not goal.model.union_closed  # else two parts that are called alike may break the promise together
        or not goal.model.judged_apart
        or goal.schema.entity is not None
        or goal.schema.count is not None
        or counting.fixed
        or output is None
        or source.manner.order != "sorted"
        or not can_spill(source.engine)
        or counting.fits(counting.lows)
        or not counting.fits(counting.highs)
    ):
        return None
    coarse = source.engine.census(replace(counting.request, floor=counting.highs))
    problem = replace(goal.problem(coarse), part=True)
    watch = None if progress is None else PartsProgress(progress, problem.census.records)
    lowest = replace(counting.request, floor=counting.lows)
    try:
        return PartwisePublication(source, output, problem, lowest, algorithm, counting.cells, watch).publish()
    except CannotBeCutError:
        return None


class PartsProgress:
    """Tells whoever watches how far the whole table is, while its parts are finished."""

    def __init__(self, tell: Callable[[Progress], bool | None], records: int) -> None:
        self._tell, self._records, self._stopped = tell, records, False
        self.done = 0
        """How many records are in parts that are finished."""

    def __call__(self, part: Progress) -> bool:
        if not self._stopped:
            self._stopped = self._tell(Progress(self.done + part.checked, self._records, None)) is False
        return not self._stopped


@dataclass(frozen=True, slots=True, eq=False)
class PartwisePublication:
    """A table to be published part by part."""

    source: Source
    output: Output
    problem: Problem
    request: CensusRequest
    algorithm: Mondrian
    room: int
    watch: PartsProgress | None

    def publish(self) -> Release:
        """Cut the table, and publish the parts one after the other."""
        refuse_infeasible(self.problem)
        by = CountedCuts(self.problem, self.algorithm.labels)
        with private_folder(self.source.engine.resources.temp) as folder, ThreadPoolExecutor(max_workers=1) as beside:
            described = self.source.described(self.problem.census.records + self.problem.census.dropped, beside)
            cells = spill_census(self.source.engine, self.request, folder / "cells.parquet")
            files = PartFiles(self.request, self.problem.census.domains, self.room, folder).cut(cells, by)
            with Folders.new(self.output.folder, force=self.output.force) as folders:
                sums, expected = self._finish_parts(files, by, folder / "released", folders.owner)
                found = self._outcome_of_parts(self._stored_recoding(folders.owner, len(files)), sums, described)
                release = self._write(found, folder / "released", folders, len(files), expected)
                self.source.check_unchanged()
        return replace(release, recoding=self._stored_recoding(self.output.folder / OWNER, len(files)))

    def _finish_parts(
        self, files: list[CellFile], by: CountedCuts, released: Path, owner: Path
    ) -> tuple[ColumnSums, int]:
        """Finish every part: rows and recoding go to files. Give what that cost, and the fingerprint of the rows."""
        released.mkdir()
        sums, expected = ColumnSums(self.problem), 0
        for number, file in enumerate(files, start=1):
            places = released / f"{number}.parquet", owner / PART.format(number)
            expected += self._publish(*self._read_part(file, by), places, sums)
        return sums, expected % 2**64

    def _publish(self, problem: Problem, begun: EarlierParts, places: tuple[Path, Path], sums: ColumnSums) -> int:
        """Finish some parts, and forget all about them but what it cost, and their fingerprint."""
        outcome = self.algorithm.go_on(problem, begun, self.watch)
        expect(fine=outcome.recoding.moves_all_of(problem.census), problem="has other records in a part than the table")
        sums.add(outcome.labels, outcome.sizes)
        predicted = prediction_of(problem, outcome.recoding)
        trim_memory()  # what the search has left goes back before rows are written: a part takes no more than the first
        self.source.recoded(outcome.recoding).write(places[0])
        released = open_released(places[0], **self.source.engine.resources.options)
        classes_as_predicted(released, problem, outcome.recoding, predicted)
        write_arrays(outcome.recoding.cell_arrays(), places[1])
        trim_memory()
        if self.watch is not None:
            self.watch.done += problem.census.records
        return fingerprint(predicted.classes)

    def _read_part(self, file: CellFile, by: CountedCuts) -> tuple[Problem, EarlierParts]:
        """Read the cells of some parts; they are not needed on the disk any more."""
        cells = file.all()
        file.remove()
        census = Census.assemble(
            self.request, self.problem.census.domains, file.packing.unpack(cells.words), cells.counts
        )
        assert by.whole is not None  # noqa: S101 - the table was cut
        return replace(self.problem, census=census), EarlierParts(cells.parts, by.whole)

    def _write(self, found: Found, released: Path, folders: Folders, shares: int, expected: int) -> Release:
        """Bring the rows of all parts into one order, and check the file that they make."""
        data = folders.public / f"data.{self.output.format}"
        source, schema, domains = self.source, self.problem.schema, self.problem.census.domains
        wanted = self.output.wording(source.engine, source.wording, schema, domains)
        rows = open_released(released, **self.source.engine.resources.options)
        wording = self.output.write(rows, data, wanted, found.recoding)
        written = open_released(data, wording, **self.source.engine.resources.options)
        verdict, measured = self._verdict(written, shares, expected)
        place = self.output.folder / folders.public.name / data.name
        notes = () if self.output.about is None else (NO_REPORTS,)
        release = release_of(self.source, found, place, verdict, notes)
        codebook, output = self.output.codebook(source.engine), replace(self.output, about=None)
        folders.write_around(release, output, data, wording, codebook=codebook, released=written, found=measured)
        return release

    def _verdict(self, engine: Engine, shares: int, expected: int) -> tuple[Verdict, Measurement]:
        """Judge what is published, share by share, with nothing but its labels; compare it with what was predicted.

        What a certificate says of the file is measured along the way, on the same classes.
        """
        problem, quasi = self.problem, self.problem.schema.quasi_names
        domains = {name: problem.census.domains[name] for name in problem.census.sensitive}
        columns = certified_columns(engine, problem.schema, None, domains)
        measuring = Measuring(engine, columns, problem.model, quasi=quasi, shares=shares)
        verdicts, found = [], 0
        for share in shares_of(engine, quasi, shares):
            published = share.classes(quasi, domains)
            verdict = verdict_of(problem.judges(), published, quasi)
            verdicts.append(replace(verdict, beside=file_findings(engine, published, problem, share=True)))
            found += fingerprint(published)
            measuring.take(published)
        whole = joint_verdict(verdicts)
        same = whole.records == problem.census.records and found % 2**64 == expected
        expect(fine=same, problem="has other records than the search predicted")
        expect(fine=whole.holds, problem="does not keep the promise that the search found it to keep")
        return whole, measuring.result()

    def _outcome_of_parts(self, recoding: StoredRecoding, sums: ColumnSums, described: Future[dict[str, Any]]) -> Found:
        """Say what was found, without what lies in files."""
        none, notes = np.zeros(0, dtype=np.int64), (PARTED.format(cells=self.room),)
        outcome = LocalOutcome(recoding, labels=(), sizes=none, suppressed=0, costs=sums.costs(), notes=notes)
        return Found(
            problem=self.problem,
            outcome=outcome,
            algorithm=self.algorithm,
            recoding=recoding,
            levels=None,
            predicted=None,
            suppressed=0,
            costs=outcome.costs,
            explanation=Explanation(sums.published()),
            input=described,
        )

    def _stored_recoding(self, folder: Path, parts: int) -> StoredRecoding:
        census, none = self.problem.census, np.zeros(0, dtype=np.int64)
        outline = LocalRecoding(
            quasi=census.quasi,
            domains=census.domains,
            codes=(none,) * len(census.domains),
            classes=none,
            counts=none,
            labels=(np.zeros(0, dtype=object),) * len(census.quasi),
            ladders=census.ladders,
            floor={name: level for name, level in self.request.floor.items() if level},
        )
        return StoredRecoding(outline, folder, parts)


# Cells that do not fit into memory, cut into parts that do: by their counts, from file to file.

_OPEN = 100
"""So many files are written at a time: a system lets a process have a few hundred open."""


class CannotBeCutError(Exception):
    """A part does not fit into memory, and cannot be cut: not without breaking the promise, or not by what fits."""


class PartFiles:
    """Parts of a table in files: those that fit into memory lie together in one file, as long as it fits."""

    def __init__(self, request: CensusRequest, domains: Mapping[str, Domain], room: int, folder: Path) -> None:
        self._request, self._domains, self._room, self._folder = request, domains, room, folder
        self._names, self._parts = itertools.count(), 0
        self._filling: tuple[CellFile, int] | None = None
        self._filled: list[CellFile] = []
        self._writers: dict[CellFile, CellWriter] = {}

    def cut(self, cells: CellFile, by: CountedCuts) -> list[CellFile]:
        """Cut until every part fits; give files that fit, each with one part or several."""
        large = [cells]
        while large:
            file = large.pop()
            values = ValueCounts(self._request, self._domains)
            for codes, counts in _blocks_of_file(file):
                values.add(codes, counts)
            along = self._chosen_cut(file, by, by.propose(values))
            large += self._split(file, along, values.cells[along.column])
            file.remove()
        self._close()
        return self._filled

    def _chosen_cut(self, file: CellFile, by: CountedCuts, proposed: list[ColumnCut]) -> ColumnCut:
        """Give the first cut whose pieces keep the promise."""
        along = next(iter(proposed), None)
        if proposed and not by.by_size:
            pieces = by.pieces(proposed)
            for codes, counts in _blocks_of_file(file):
                pieces.add(codes, counts)
                if len(pieces) > self._room:
                    raise CannotBeCutError
            along = by.choose(proposed, pieces)
        if along is None:
            raise CannotBeCutError
        return along

    def _split(self, file: CellFile, along: ColumnCut, cells: Array) -> list[CellFile]:
        """Write the pieces of a part: large ones to files of their own, which are given back."""
        occurring = along.pieces >= 0
        sizes = add_up(along.pieces[occurring], cells[occurring], along.number)
        targets = [self._target_file(file, size) for size in sizes.tolist()]
        numbers = {target: number for number, target in enumerate(dict.fromkeys(targets))}
        every, place = list(numbers), np.array([numbers[target] for target in targets])
        first, self._parts = self._parts, self._parts + len(targets)
        for start in range(0, len(every), _OPEN):
            for block in file.blocks():
                pieces = along.pieces[file.packing.unpack(block.words)[along.column]]
                numbered = block._replace(parts=first + pieces)
                for target, some in _rows_by_file(place[pieces], every, range(start, min(start + _OPEN, len(every)))):
                    self._writer(target).add(numbered.some(some))
            self._close(but=None if self._filling is None else self._filling[0])
        return [target for target, size in zip(targets, sizes.tolist(), strict=True) if size > self._room]

    def _target_file(self, file: CellFile, size: int) -> CellFile:
        """Say where so many cells are written: a file that they still fit into, or a new one."""
        if size > self._room:
            return self._new_file(file)
        if self._filling is None or self._filling[1] + size > self._room:
            self._filling = self._new_file(file), 0
            self._filled.append(self._filling[0])
        target, before = self._filling
        self._filling = target, before + size
        return target

    def _new_file(self, file: CellFile) -> CellFile:
        return CellFile(self._folder / f"{next(self._names)}.parquet", file.packing)

    def _writer(self, file: CellFile) -> CellWriter:
        if file not in self._writers:
            self._writers[file] = CellWriter(file)
        return self._writers[file]

    def _close(self, but: CellFile | None = None) -> None:
        """Finish all files, but the one that is still filled."""
        for file in [file for file in self._writers if file != but]:
            self._writers.pop(file).close()


def _blocks_of_file(file: CellFile) -> Iterator[tuple[Sequence[Array], Array]]:
    for block in file.blocks():
        yield file.packing.unpack(block.words), block.counts


def _rows_by_file(places: Array, files: list[CellFile], among: range) -> Iterator[tuple[CellFile, Array]]:
    """Give for some of the files the rows that go there."""
    order = np.argsort(places, kind="stable")
    ends = np.cumsum(np.bincount(places, minlength=len(files)))
    for place in among:
        start, end = ends[place - 1] if place else 0, ends[place]
        if end > start:
            yield files[place], order[start:end]


# A number that tells whether two tables have the same records, although neither is held as a whole.

Words = npt.NDArray[np.uint64]

_ODD, _MIX, _MORE = (
    np.array([number], dtype=np.uint64) for number in (2**64 - 59, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def fingerprint(classes: Classes) -> int:
    """Add up a hash of every record: of its labels and its sensitive values, whatever the order.

    The fingerprints of the parts of a table add up to that of the table, modulo 2**64. Codes of sensitive values must
    be those of the same domains.
    """
    known = np.zeros(len(classes), dtype=np.uint64)
    for column, codes in enumerate(classes.codes):
        known = _mixed_words(known, _label_hashes(classes.names(column))[codes])
    records = known[classes.members]
    for name in sorted(classes.cells.sensitive):
        records = _mixed_words(records, classes.cells.sensitive[name].astype(np.uint64))
    return int((records * classes.cells.counts.astype(np.uint64)).sum(dtype=np.uint64))


def _label_hashes(names: npt.NDArray[np.object_]) -> Words:
    texts = (b"" if name is None else b"=" + name.encode() for name in names.tolist())
    digests = b"".join(hashlib.blake2b(text, digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def _mixed_words(before: Words, more: Any) -> Words:
    """Mix two words so that every bit of either changes about half of the bits."""
    word = before * _ODD + more + np.uint64(1)
    word = (word ^ (word >> np.uint64(30))) * _MIX
    word = (word ^ (word >> np.uint64(27))) * _MORE
    return np.asarray(word ^ (word >> np.uint64(31)), dtype=np.uint64)
